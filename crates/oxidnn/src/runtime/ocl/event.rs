//! Completion of commands.

use std::ptr;

use opencl_sys::*;
use smallvec::SmallVec;

use super::code::{check, error};
use super::device::Device;
use super::handle::{EventKind, Handle, info};
use crate::runtime;
use crate::{Result, ensure};

/// A counted reference to a `cl_event`.
#[derive(Clone, Debug)]
pub struct Event {
    handle: Handle<EventKind>,
    device: Device,
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventStatus {
    /// In a queue on the host.
    Queued,
    /// With the device.
    Submitted,
    /// Running.
    Running,
    /// Done.
    Complete,
    /// Ended with an error, or never began because of one; the OpenCL code.
    Failed(i32),
}

impl Event {
    /// Takes the caller's event; it is retained until the last clone is dropped.
    ///
    /// # Safety
    /// `event` is null or a live event.
    pub unsafe fn from_raw(device: &Device, event: cl_event) -> Result<Event> {
        let api = device.api();
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::<EventKind>::retain(api, event)? };
        // SAFETY: a live event, as retaining it has shown.
        let context = unsafe { info::<cl_context>(api.clGetEventInfo, event, CL_EVENT_CONTEXT) }
            .map_err(|code| error(code, "clGetEventInfo"))?;
        ensure!(context == device.raw_context(), "the event belongs to another OpenCL context than the engine");
        Ok(Event { handle, device: device.clone() })
    }

    pub(super) fn new(device: &Device, handle: Handle<EventKind>) -> Event {
        Event { handle, device: device.clone() }
    }

    /// The event; no reference is added.
    pub fn raw(&self) -> cl_event {
        self.handle.raw()
    }

    /// Hands the reference over to the caller, who releases it.
    pub fn into_raw(self) -> cl_event {
        self.handle.into_raw()
    }

    /// Waits until the command is complete.
    pub fn wait(&self) -> Result<()> {
        let api = self.handle.api();
        if let Some(queue) = self.queue() {
            // SAFETY: a live queue. A command of a queue that nobody flushed may otherwise never begin.
            unsafe { (api.clFlush)(queue) };
        }
        // SAFETY: one live event.
        check(unsafe { (api.clWaitForEvents)(1, &self.raw()) }, "clWaitForEvents")
    }

    /// The queue of the command; a user event has none.
    fn queue(&self) -> Option<cl_command_queue> {
        // SAFETY: a live event.
        let queue = unsafe { info(self.handle.api().clGetEventInfo, self.raw(), CL_EVENT_COMMAND_QUEUE) };
        queue.ok().filter(|queue: &cl_command_queue| !queue.is_null())
    }

    /// How far the command has come.
    pub fn status(&self) -> Result<EventStatus> {
        // SAFETY: a live event.
        let status =
            unsafe { info::<cl_int>(self.handle.api().clGetEventInfo, self.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS) };
        Ok(match status.map_err(|code| error(code, "clGetEventInfo"))? {
            CL_QUEUED => EventStatus::Queued,
            CL_SUBMITTED => EventStatus::Submitted,
            CL_RUNNING => EventStatus::Running,
            code if code < 0 => EventStatus::Failed(code),
            _ => EventStatus::Complete,
        })
    }

    /// Whether the command is complete or has failed.
    pub fn is_over(&self) -> bool {
        !matches!(self.status(), Ok(EventStatus::Queued | EventStatus::Submitted | EventStatus::Running))
    }

    /// Nanoseconds between start and end of the command, if its queue profiles; waits for it.
    pub fn elapsed(&self) -> Result<Option<u64>> {
        self.wait()?;
        let api = self.handle.api();
        // rusticl has an answer for queues that do not profile too, though not a time.
        let profiles = self.queue().is_some_and(|queue| {
            // SAFETY: the queue of a live event.
            unsafe { info::<cl_ulong>(api.clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES) }
                .is_ok_and(|properties| properties & CL_QUEUE_PROFILING_ENABLE != 0)
        });
        if !profiles {
            return Ok(None);
        }
        let time = |what| {
            // SAFETY: a live event.
            unsafe { info::<cl_ulong>(api.clGetEventProfilingInfo, self.raw(), what) }
        };
        match (time(CL_PROFILING_COMMAND_START), time(CL_PROFILING_COMMAND_END)) {
            (Ok(start), Ok(end)) => Ok(Some(end.saturating_sub(start))),
            (Err(CL_PROFILING_INFO_NOT_AVAILABLE), _) => Ok(None),
            (Err(code), _) | (_, Err(code)) => Err(error(code, "clGetEventProfilingInfo")),
        }
    }
}

/// The events of a wait list, as C takes them.
pub(super) struct WaitList(SmallVec<[cl_event; 8]>);

impl WaitList {
    pub(super) fn new(device: &Device, deps: &[runtime::Event]) -> Result<WaitList> {
        let mut events = SmallVec::new();
        for dep in deps {
            match dep {
                runtime::Event::Ocl(event) => {
                    super::device::same_context(&event.device, device, "event")?;
                    events.push(event.raw());
                }
                runtime::Event::Ze(_) => return Err(runtime::mismatch("the event")),
                runtime::Event::Done => {}
            }
        }
        Ok(WaitList(events))
    }

    pub(super) fn push(&mut self, event: &Event) {
        self.0.push(event.raw());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> cl_uint {
        self.0.len() as cl_uint
    }

    /// Null where the list is empty, as OpenCL demands.
    pub(super) fn as_ptr(&self) -> *const cl_event {
        if self.0.is_empty() { ptr::null() } else { self.0.as_ptr() }
    }
}
