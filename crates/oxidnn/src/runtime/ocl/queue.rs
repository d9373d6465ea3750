//! Command queues, the caller's or the library's own.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use opencl_sys::*;

use super::api::Api;
use super::code::{check, error};
use super::device::{Device, Pointers, same_context};
use super::event::{Event, WaitList};
use super::faults::Fault;
use super::handle::{Handle, QueueKind, info};
use super::kernel::Kernel;
use super::memory::{Buffer, Memory, Place, Pointer};
use crate::runtime::{self, Arg, NdRange, Order};
use crate::{Error, Result, ensure};

/// A `cl_command_queue`. Cloning clones a reference.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    device: Device,
    queue: Handle<QueueKind>,
    order: Order,
    profiling: bool,
    tail: Arc<Tail>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.tail.close();
    }
}

/// What memory of the library's own keeps of a queue that uses it, where the driver does not count such uses (SVM).
///
/// Not a reference to the queue: the caller's queue has its references back when its stream is gone.
pub(super) struct Tail {
    api: &'static Api,
    /// The queue, until it is gone.
    queue: Mutex<Option<RawQueue>>,
    used: AtomicBool,
}

struct RawQueue(cl_command_queue);

// SAFETY: OpenCL queues may be used from any thread.
unsafe impl Send for RawQueue {}

impl Tail {
    fn new(queue: &Handle<QueueKind>) -> Tail {
        Tail { api: queue.api(), queue: Mutex::new(Some(RawQueue(queue.raw()))), used: AtomicBool::new(false) }
    }

    /// Waits for what is in the queue; one that is gone has waited when it went.
    pub(super) fn finish(&self) {
        if let Some(queue) = &*self.queue.lock().unwrap_or_else(PoisonError::into_inner) {
            // SAFETY: the queue is alive, because it is closed before it goes.
            unsafe { (self.api.clFinish)(queue.0) };
        }
    }

    fn close(&self) {
        if self.used.load(Ordering::Relaxed) {
            self.finish();
        }
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn open(&self) -> bool {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Where a command's event goes: nowhere, or into an [`Event`].
struct Out {
    raw: cl_event,
    wanted: bool,
}

impl Out {
    fn new(wanted: bool) -> Out {
        Out { raw: ptr::null_mut(), wanted }
    }

    fn as_ptr(&mut self) -> *mut cl_event {
        if self.wanted { &mut self.raw } else { ptr::null_mut() }
    }

    fn finish(self, device: &Device, code: cl_int, call: &str) -> Result<Option<Event>> {
        check(code, call)?;
        if !self.wanted {
            return Ok(None);
        }
        // SAFETY: the call succeeded and wrote an event that is ours to release.
        let handle = unsafe { Handle::created(device.api(), self.raw, code, call)? };
        Ok(Some(Event::new(device, handle)))
    }
}

impl Queue {
    pub(super) fn create(device: &Device, order: Order, profiling: bool) -> Result<Queue> {
        let api = device.api();
        let mut properties = 0;
        if order == Order::OutOfOrder {
            properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if profiling {
            properties |= CL_QUEUE_PROFILING_ENABLE;
        }
        let mut code = CL_SUCCESS;
        // SAFETY: a live context that holds the live device.
        let queue = unsafe {
            let raw = (api.clCreateCommandQueue)(device.raw_context(), device.raw_device(), properties, &mut code);
            Handle::created(api, raw, code, "clCreateCommandQueue")?
        };
        Ok(Queue::new(device, queue, order, profiling))
    }

    /// Takes the caller's queue; it is retained until the last clone is dropped. Order and profiling are read from it.
    ///
    /// # Safety
    /// `queue` is null or a live command queue.
    pub unsafe fn from_raw(device: &Device, queue: cl_command_queue) -> Result<Queue> {
        let api = device.api();
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::<QueueKind>::retain(api, queue)? };
        let fail = |code| error(code, "clGetCommandQueueInfo");
        // SAFETY: a live queue, as retaining it has shown.
        let (context, on, properties) = unsafe {
            (
                info::<cl_context>(api.clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT).map_err(fail)?,
                info::<cl_device_id>(api.clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE).map_err(fail)?,
                info::<cl_ulong>(api.clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES).map_err(fail)?,
            )
        };
        ensure!(context == device.raw_context(), "the command queue belongs to another OpenCL context than the engine");
        ensure!(on == device.raw_device(), "the command queue belongs to another OpenCL device than the engine");
        ensure!(properties & CL_QUEUE_ON_DEVICE == 0, "the command queue is a device-side queue");
        let order = match properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE {
            0 => Order::InOrder,
            _ => Order::OutOfOrder,
        };
        Ok(Queue::new(device, handle, order, properties & CL_QUEUE_PROFILING_ENABLE != 0))
    }

    fn new(device: &Device, queue: Handle<QueueKind>, order: Order, profiling: bool) -> Queue {
        let tail = Arc::new(Tail::new(&queue));
        Queue(Arc::new(Inner { device: device.clone(), queue, order, profiling, tail }))
    }

    /// The queue; no reference is added.
    pub fn raw(&self) -> cl_command_queue {
        self.0.queue.raw()
    }

    /// The device it runs commands on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Whether submission order is execution order.
    pub fn order(&self) -> Order {
        self.0.order
    }

    /// Whether its events carry times.
    pub fn profiling(&self) -> bool {
        self.0.profiling
    }

    /// Submits a kernel after `deps`; never blocks. An empty index space is a command that does nothing.
    pub fn launch(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        range: NdRange,
        deps: &[runtime::Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        ensure!(kernel.device() == self.device(), "the kernel was built for another OpenCL device than the queue's");
        let waits = WaitList::new(self.device(), deps)?;
        if range.global.contains(&0) {
            return self.nothing(&waits, want_event);
        }
        let instance = kernel.bind(args)?;
        for arg in args {
            if let Arg::Buffer(runtime::Buffer::Ocl(buffer)) = arg {
                self.keep(buffer);
            }
        }
        let mut event = Out::new(want_event);
        // SAFETY: a live queue and kernel; three sizes each; the wait list is as long as it says.
        let code = unsafe {
            (self.device().api().clEnqueueNDRangeKernel)(
                self.raw(),
                instance.raw(),
                3,
                ptr::null(),
                range.global.as_ptr(),
                range.local.as_ref().map_or(ptr::null(), |local| local.as_ptr()),
                waits.len(),
                waits.as_ptr(),
                event.as_ptr(),
            )
        };
        kernel.restore(instance, args);
        event.finish(self.device(), code, "clEnqueueNDRangeKernel")
    }

    /// An event that completes when `deps` and everything submitted before it have.
    pub fn marker(&self, deps: &[runtime::Event]) -> Result<Event> {
        let mut waits = WaitList::new(self.device(), deps)?;
        // On an out-of-order queue a wait list replaces what came before instead of adding to it.
        let before = match self.order() {
            Order::OutOfOrder if !waits.is_empty() => Some(self.mark(&WaitList::new(self.device(), &[])?)?),
            _ => None,
        };
        if let Some(before) = &before {
            waits.push(before);
        }
        self.mark(&waits)
    }

    fn mark(&self, waits: &WaitList) -> Result<Event> {
        let mut event = Out::new(true);
        // SAFETY: a live queue; the wait list is as long as it says.
        let code = unsafe {
            (self.device().api().clEnqueueMarkerWithWaitList)(self.raw(), waits.len(), waits.as_ptr(), event.as_ptr())
        };
        let call = "clEnqueueMarkerWithWaitList";
        event.finish(self.device(), code, call)?.ok_or_else(|| Error::runtime(format!("{call} gave no event")))
    }

    /// A command without an effect: it only keeps its place among events and, in order, among commands.
    fn nothing(&self, waits: &WaitList, want_event: bool) -> Result<Option<Event>> {
        if want_event || (!waits.is_empty() && self.order() == Order::InOrder) {
            let event = self.mark(waits)?;
            return Ok(want_event.then_some(event));
        }
        Ok(None)
    }

    /// Copies bytes between two buffers; does not block, except between a memory object and a pointer that the host
    /// cannot reach.
    pub fn copy(
        &self,
        src: &Buffer,
        dst: &Buffer,
        bytes: usize,
        deps: &[runtime::Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        for buffer in [src, dst] {
            same_context(buffer.device(), self.device(), "buffer")?;
            buffer.check_range(bytes)?;
            self.keep(buffer);
        }
        let waits = WaitList::new(self.device(), deps)?;
        if bytes == 0 {
            return self.nothing(&waits, want_event);
        }
        let api = self.device().api();
        let mut event = Out::new(want_event);
        // SAFETY: live objects of one context, ranges as checked; the memory behind a pointer is kept by its owner until
        // the command is done, as this room's contract asks.
        let (code, call) = unsafe {
            match (src.memory(), dst.memory()) {
                (Memory::Object(src), Memory::Object(dst)) => {
                    let (queue, src, dst) = (self.raw(), src.raw(), dst.raw());
                    let copy = api.clEnqueueCopyBuffer;
                    let code = copy(queue, src, dst, 0, 0, bytes, waits.len(), waits.as_ptr(), event.as_ptr());
                    (code, "clEnqueueCopyBuffer")
                }
                (Memory::Pointer(src), Memory::Pointer(dst)) => {
                    self.memcpy(dst.address, src.address, bytes, false, &waits, &mut event)?
                }
                (Memory::Object(src), Memory::Pointer(Pointer { address, place: Place::Shared, .. })) => {
                    let read = api.clEnqueueReadBuffer;
                    let (len, list, out) = (waits.len(), waits.as_ptr(), event.as_ptr());
                    let code = read(self.raw(), src.raw(), CL_FALSE, 0, bytes, *address, len, list, out);
                    (code, "clEnqueueReadBuffer")
                }
                (Memory::Pointer(Pointer { address, place: Place::Shared, .. }), Memory::Object(dst)) => {
                    let write = api.clEnqueueWriteBuffer;
                    let (len, list, out) = (waits.len(), waits.as_ptr(), event.as_ptr());
                    let code = write(self.raw(), dst.raw(), CL_FALSE, 0, bytes, *address, len, list, out);
                    (code, "clEnqueueWriteBuffer")
                }
                _ => {
                    let mut staging = vec![0u8; bytes];
                    self.read(src, &mut staging, deps)?;
                    self.write(dst, &staging, &[])?;
                    return self.nothing(&WaitList::new(self.device(), &[])?, want_event);
                }
            }
        };
        event.finish(self.device(), code, call)
    }

    /// Fills the first `bytes` bytes with a pattern, whose length is a power of two up to 128 and divides `bytes`.
    pub fn fill(
        &self,
        dst: &Buffer,
        pattern: &[u8],
        bytes: usize,
        deps: &[runtime::Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        same_context(dst.device(), self.device(), "buffer")?;
        dst.check_range(bytes)?;
        self.keep(dst);
        let waits = WaitList::new(self.device(), deps)?;
        if bytes == 0 {
            return self.nothing(&waits, want_event);
        }
        let api = self.device().api();
        let mut event = Out::new(want_event);
        let (value, size) = (pattern.as_ptr().cast(), pattern.len());
        let (len, list, out) = (waits.len(), waits.as_ptr(), event.as_ptr());
        // SAFETY: live objects of one context; the driver copies the pattern.
        let (code, call) = unsafe {
            match (dst.memory(), self.device().pointers()) {
                (Memory::Object(dst), _) => {
                    let fill = api.clEnqueueFillBuffer;
                    (fill(self.raw(), dst.raw(), value, size, 0, bytes, len, list, out), "clEnqueueFillBuffer")
                }
                (Memory::Pointer(dst), Pointers::Usm { api, .. }) => {
                    let fill = api.clEnqueueMemFillINTEL;
                    (fill(self.raw(), dst.address, value, size, bytes, len, list, out), "clEnqueueMemFillINTEL")
                }
                (Memory::Pointer(dst), Pointers::Svm { api, .. }) => {
                    let fill = api.clEnqueueSVMMemFill;
                    (fill(self.raw(), dst.address, value, size, bytes, len, list, out), "clEnqueueSVMMemFill")
                }
                (Memory::Pointer(_), Pointers::None) => {
                    return Err(Error::invalid("the queue's device has no pointers"));
                }
            }
        };
        event.finish(self.device(), code, call)
    }

    /// Reads from the start of a buffer and waits for it.
    pub fn read(&self, src: &Buffer, out: &mut [u8], deps: &[runtime::Event]) -> Result<()> {
        same_context(src.device(), self.device(), "buffer")?;
        src.check_range(out.len())?;
        let waits = WaitList::new(self.device(), deps)?;
        if out.is_empty() {
            return self.wait_for(&waits);
        }
        let mut event = Out::new(false);
        // SAFETY: live objects of one context; the call returns when all of `out` is written.
        let (code, call) = unsafe {
            match src.memory() {
                Memory::Object(src) => {
                    let read = self.device().api().clEnqueueReadBuffer;
                    let (queue, data) = (self.raw(), out.as_mut_ptr().cast());
                    let (len, list) = (waits.len(), waits.as_ptr());
                    let code = read(queue, src.raw(), CL_TRUE, 0, out.len(), data, len, list, event.as_ptr());
                    (code, "clEnqueueReadBuffer")
                }
                Memory::Pointer(src) => {
                    self.memcpy(out.as_mut_ptr().cast(), src.address, out.len(), true, &waits, &mut event)?
                }
            }
        };
        check(code, call)
    }

    /// Writes to the start of a buffer and waits for it.
    pub fn write(&self, dst: &Buffer, data: &[u8], deps: &[runtime::Event]) -> Result<()> {
        same_context(dst.device(), self.device(), "buffer")?;
        dst.check_range(data.len())?;
        let waits = WaitList::new(self.device(), deps)?;
        if data.is_empty() {
            return self.wait_for(&waits);
        }
        let mut event = Out::new(false);
        // SAFETY: live objects of one context; the call returns when `data` is no longer read.
        let (code, call) = unsafe {
            match dst.memory() {
                Memory::Object(dst) => {
                    let write = self.device().api().clEnqueueWriteBuffer;
                    let (queue, from) = (self.raw(), data.as_ptr().cast());
                    let (len, list) = (waits.len(), waits.as_ptr());
                    let code = write(queue, dst.raw(), CL_TRUE, 0, data.len(), from, len, list, event.as_ptr());
                    (code, "clEnqueueWriteBuffer")
                }
                Memory::Pointer(dst) => {
                    self.memcpy(dst.address, data.as_ptr().cast(), data.len(), true, &waits, &mut event)?
                }
            }
        };
        check(code, call)?;
        if self.device().has_fault(Fault::WriteUnseenByOtherQueues) {
            self.wait()?;
        }
        Ok(())
    }

    /// Waits until everything submitted has completed.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: a live queue.
        check(unsafe { (self.device().api().clFinish)(self.raw()) }, "clFinish")
    }

    /// Makes sure that what was submitted begins without further calls, which a command of another queue that waits for
    /// it relies on.
    pub fn flush(&self) -> Result<()> {
        // SAFETY: a live queue.
        check(unsafe { (self.device().api().clFlush)(self.raw()) }, "clFlush")
    }

    fn wait_for(&self, waits: &WaitList) -> Result<()> {
        if waits.is_empty() {
            return Ok(());
        }
        // SAFETY: live events, as many as the list says.
        check(unsafe { (self.device().api().clWaitForEvents)(waits.len(), waits.as_ptr()) }, "clWaitForEvents")
    }

    /// Notes that a command is about to use a buffer, for memory that does not count its users itself.
    fn keep(&self, buffer: &Buffer) {
        if buffer.needs_users() {
            self.0.tail.used.store(true, Ordering::Relaxed);
            buffer.add_user(&self.0.tail);
        }
    }

    /// Copies between pointers, one of which may be the host's if `blocking`.
    ///
    /// # Safety
    /// Both ranges are valid until the command is done.
    unsafe fn memcpy(
        &self,
        dst: *mut std::ffi::c_void,
        src: *const std::ffi::c_void,
        bytes: usize,
        blocking: bool,
        waits: &WaitList,
        event: &mut Out,
    ) -> Result<(cl_int, &'static str)> {
        let blocking = if blocking { CL_TRUE } else { CL_FALSE };
        let (len, list, out) = (waits.len(), waits.as_ptr(), event.as_ptr());
        // SAFETY: the caller's promise; the wait list is as long as it says.
        unsafe {
            match self.device().pointers() {
                Pointers::Usm { api, .. } => {
                    let copy = api.clEnqueueMemcpyINTEL;
                    Ok((copy(self.raw(), blocking, dst, src, bytes, len, list, out), "clEnqueueMemcpyINTEL"))
                }
                Pointers::Svm { api, .. } => {
                    let copy = api.clEnqueueSVMMemcpy;
                    Ok((copy(self.raw(), blocking, dst, src, bytes, len, list, out), "clEnqueueSVMMemcpy"))
                }
                Pointers::None => Err(Error::invalid("the queue's device has no pointers")),
            }
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({:?})", self.0.queue, self.0.order)
    }
}
