//! Queues of OpenCL.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use super::device::Sharing;
use super::{Cl, Event, Kernel, Result, api, check};

/// What a queue is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Commands are executed in the order in which they come.
    pub in_order: bool,
    /// Events keep the times of their commands, which costs a little.
    pub keeps_times: bool,
}

/// A queue.
pub(crate) struct Queue {
    queue: cl_command_queue,
    cl: &'static Cl,
    traits: Traits,
}

// SAFETY: OpenCL's queues may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// Out-of-order queues that nobody uses.
///
/// They are never released: Intel's runtime for CPUs (2026.22) was seen to wait for itself for ever when the last to let go of such
/// a queue is one of its own threads, which may be a moment behind the events that it has completed.
#[derive(Default)]
pub(super) struct Idle(Mutex<Vec<(Traits, usize)>>);

impl Idle {
    fn put(&self, traits: Traits, queue: cl_command_queue) {
        self.queues().push((traits, queue as usize));
    }

    fn take(&self, traits: Traits) -> Option<cl_command_queue> {
        let mut queues = self.queues();
        let index = queues.iter().position(|(of, _)| *of == traits)?;
        Some(queues.swap_remove(index).1 as cl_command_queue)
    }

    fn queues(&self) -> MutexGuard<'_, Vec<(Traits, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.traits.in_order {
            // SAFETY: gives back the reference that this value stands for.
            unsafe { (api().clReleaseCommandQueue)(self.queue) };
        } else {
            self.cl.idle.put(self.traits, self.queue);
        }
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
    /// A queue; it is in order after all if the device has no others.
    pub(crate) fn new(cl: &'static Cl, mut traits: Traits) -> Result<Queue> {
        let mut code = 0;
        traits.in_order |= !cl.has_out_of_order_queues();
        if let Some(queue) = cl.idle.take(traits) {
            return Ok(Queue { queue, cl, traits });
        }
        let order = if traits.in_order { 0 } else { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
        let times = if traits.keeps_times { CL_QUEUE_PROFILING_ENABLE } else { 0 };
        // SAFETY: the device is of the context.
        let queue = unsafe { (api().clCreateCommandQueue)(cl.context, cl.device, order | times, &mut code) };
        check(code)?;
        Ok(Queue { queue, cl, traits })
    }

    /// What it does.
    pub(crate) fn traits(&self) -> Traits {
        self.traits
    }

    /// Whether commands are executed in the order in which they come.
    pub(crate) fn is_in_order(&self) -> bool {
        self.traits.in_order
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

    /// A command that does nothing, after some others or, without any, after all before it.
    pub(crate) fn marker(&self, order: Order) -> Result<Option<Event>> {
        // SAFETY: the events are alive.
        order.enqueue(|n, waits, event| unsafe { (api().clEnqueueMarkerWithWaitList)(self.queue, n, waits, event) })
    }

    /// A command that does nothing and that all later ones wait for.
    pub(crate) fn barrier(&self, order: Order) -> Result<Option<Event>> {
        // SAFETY: the events are alive.
        order.enqueue(|n, waits, event| unsafe { (api().clEnqueueBarrierWithWaitList)(self.queue, n, waits, event) })
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
