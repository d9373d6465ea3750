//! Queues of OpenCL. They are in order.

use std::ffi::c_void;

use opencl_sys::*;

use super::device::Sharing;
use super::{Cl, Event, Kernel, Result, api, check};

/// An in-order queue that keeps times.
pub(crate) struct Queue {
    queue: cl_command_queue,
    cl: &'static Cl,
}

// SAFETY: OpenCL's queues may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that this value stands for.
        unsafe { (api().clReleaseCommandQueue)(self.queue) };
    }
}

/// What a command waits for, and whether its event is wanted.
pub(crate) struct Order<'a> {
    pub waits: &'a [Event],
    pub event: bool,
}

impl Order<'_> {
    /// Calls `enqueue` with the number and addresses of the events to wait for, and the place for the new one.
    fn enqueue(
        &self,
        enqueue: impl FnOnce(cl_uint, *const cl_event, *mut cl_event) -> cl_int,
    ) -> Result<Option<Event>> {
        let mut event = std::ptr::null_mut();
        let waits = if self.waits.is_empty() { std::ptr::null() } else { self.waits.as_ptr().cast() };
        let out = if self.event { &raw mut event } else { std::ptr::null_mut() };
        check(enqueue(self.waits.len() as cl_uint, waits, out))?;
        Ok((!event.is_null()).then_some(Event(event)))
    }
}

impl Queue {
    pub(crate) fn new(cl: &'static Cl) -> Result<Queue> {
        let mut code = 0;
        // SAFETY: the device is of the context.
        let queue =
            unsafe { (api().clCreateCommandQueue)(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, &mut code) };
        check(code)?;
        Ok(Queue { queue, cl })
    }

    /// Starts what is queued.
    pub(crate) fn flush(&self) -> Result {
        // SAFETY: a live queue.
        check(unsafe { (api().clFlush)(self.queue) })
    }

    /// Waits for all that is queued.
    pub(crate) fn finish(&self) -> Result {
        // SAFETY: a live queue.
        check(unsafe { (api().clFinish)(self.queue) })
    }

    /// A command that does nothing.
    pub(crate) fn marker(&self, order: Order) -> Result<Option<Event>> {
        // SAFETY: the events are alive.
        order.enqueue(|n, waits, event| unsafe { (api().clEnqueueMarkerWithWaitList)(self.queue, n, waits, event) })
    }

    /// Runs a kernel with the arguments that it has.
    pub(crate) fn launch(
        &self,
        kernel: &Kernel,
        offset: [usize; 3],
        global: [usize; 3],
        local: [usize; 3],
        order: Order,
    ) -> Result<Option<Event>> {
        // Trailing axes of one item cost time and change nothing.
        let is_used = |axis: &usize| global[*axis] != 1 || offset[*axis] != 0;
        let dimensions = (1..3).rev().find(is_used).map_or(1, |axis| axis as cl_uint + 1);
        // SAFETY: the sizes have at least as many dimensions as said, the kernel and the events are alive.
        order.enqueue(|n, waits, event| unsafe {
            (api().clEnqueueNDRangeKernel)(
                self.queue,
                kernel.0,
                dimensions,
                offset.as_ptr(),
                global.as_ptr(),
                local.as_ptr(),
                n,
                waits,
                event,
            )
        })
    }

    /// Copies between any two addresses.
    ///
    /// # Safety
    /// Both are valid for the size until the command is done.
    pub(crate) unsafe fn copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        order: Order,
    ) -> Result<Option<Event>> {
        // SAFETY: the caller's promise; the events are alive.
        order.enqueue(|n, waits, event| unsafe {
            match &self.cl.sharing {
                Sharing::Usm(usm) => (usm.clEnqueueMemcpyINTEL)(self.queue, CL_FALSE, to, from, size, n, waits, event),
                Sharing::Svm { functions, .. } => {
                    (functions.clEnqueueSVMMemcpy)(self.queue, CL_FALSE, to, from, size, n, waits, event)
                }
            }
        })
    }

    /// Fills memory with a pattern that OpenCL can take: its size a power of two up to 128 that address and size are
    /// multiples of.
    ///
    /// # Safety
    /// The address is valid for the size until the command is done.
    pub(crate) unsafe fn fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        order: Order,
    ) -> Result<Option<Event>> {
        let bytes = pattern.as_ptr().cast();
        // SAFETY: the caller's promise; OpenCL copies the pattern; the events are alive.
        order.enqueue(|n, waits, event| unsafe {
            match &self.cl.sharing {
                Sharing::Usm(usm) => {
                    (usm.clEnqueueMemFillINTEL)(self.queue, to, bytes, pattern.len(), size, n, waits, event)
                }
                Sharing::Svm { functions, .. } => {
                    (functions.clEnqueueSVMMemFill)(self.queue, to, bytes, pattern.len(), size, n, waits, event)
                }
            }
        })
    }
}
