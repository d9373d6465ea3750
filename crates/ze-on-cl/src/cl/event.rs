//! Events of OpenCL.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use opencl_sys::*;

use super::{ClError, Result, api, check};

/// An event that this code holds a reference to.
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct Event(pub(super) cl_event);

// SAFETY: OpenCL's events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Clone for Event {
    fn clone(&self) -> Event {
        // SAFETY: the event is alive as long as this reference.
        unsafe { (api().clRetainEvent)(self.0) };
        Event(self.0)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that this value stands for.
        unsafe { (api().clReleaseEvent)(self.0) };
    }
}

/// Told by OpenCL that an event is complete.
struct Notice {
    complete: Mutex<bool>,
    changed: Condvar,
}

extern "C" fn notify(_: cl_event, _: cl_int, notice: *mut c_void) {
    // SAFETY: the pointer is the reference that `wait_until` gave away for this one call.
    let notice = unsafe { Arc::from_raw(notice.cast::<Notice>().cast_const()) };
    *notice.complete.lock().unwrap_or_else(PoisonError::into_inner) = true;
    notice.changed.notify_all();
}

impl Event {
    /// Whether the command is done; an error if it failed.
    pub(crate) fn is_complete(&self) -> Result<bool> {
        let mut status: cl_int = 0;
        // SAFETY: the result has room for the status.
        check(unsafe {
            (api().clGetEventInfo)(
                self.0,
                CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of_val(&status),
                (&raw mut status).cast(),
                std::ptr::null_mut(),
            )
        })?;
        if status < 0 { Err(ClError(status)) } else { Ok(status == CL_COMPLETE) }
    }

    /// Waits for the command.
    pub(crate) fn wait(&self) -> Result {
        // SAFETY: one live event.
        check(unsafe { (api().clWaitForEvents)(1, &self.0) })
    }

    /// Waits for the command until a time; false if it was not done by then.
    pub(crate) fn wait_until(&self, deadline: Instant) -> Result<bool> {
        if self.is_complete()? {
            return Ok(true);
        }
        if deadline <= Instant::now() {
            return Ok(false);
        }
        let notice = Arc::new(Notice { complete: Mutex::new(false), changed: Condvar::new() });
        let given = Arc::into_raw(Arc::clone(&notice)).cast_mut().cast();
        // SAFETY: OpenCL calls the function once with the reference given to it.
        let code = unsafe { (api().clSetEventCallback)(self.0, CL_COMPLETE, Some(notify), given) };
        if code != 0 {
            // SAFETY: it was not taken.
            drop(unsafe { Arc::from_raw(given.cast::<Notice>().cast_const()) });
            return Err(ClError(code));
        }
        let mut complete = notice.complete.lock().unwrap_or_else(PoisonError::into_inner);
        while !*complete {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return Ok(false) };
            complete = notice.changed.wait_timeout(complete, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(complete);
        self.is_complete()
    }

    /// When the command started and ended, in the device's nanoseconds.
    pub(crate) fn times(&self) -> Result<(u64, u64)> {
        let time = |name| {
            let mut time: cl_ulong = 0;
            // SAFETY: the result has room for a time.
            check(unsafe {
                (api().clGetEventProfilingInfo)(
                    self.0,
                    name,
                    size_of_val(&time),
                    (&raw mut time).cast(),
                    std::ptr::null_mut(),
                )
            })?;
            Ok(time)
        };
        Ok((time(CL_PROFILING_COMMAND_START)?, time(CL_PROFILING_COMMAND_END)?))
    }
}
