//! Immediate command lists, the caller's or the library's own.

use std::ffi::c_void;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::api::Api;
use super::bindings::*;
use super::code::check;
use super::device::{Device, same_context};
use super::event::{Event, Store, WaitList};
use super::flight::{Flight, Kept};
use super::kernel::Kernel;
use super::memory::{Buffer, Place};
use crate::runtime::staging::{Access, Mapping, Staging};
use crate::runtime::{self, Arg, NdRange, Order};
use crate::{Error, Result, ensure};

/// An immediate command list. Cloning clones a reference.
///
/// Dropping the last clone waits for what was submitted through it: nothing else keeps the kernels and events of
/// commands.
#[derive(Clone)]
pub struct Queue(Arc<Inner>);

struct Inner {
    device: Device,
    list: List,
    order: Order,
    profiling: bool,
    events: Arc<Store>,
    /// Also serialises what is appended: a command list is for one thread at a time.
    flight: Mutex<Flight>,
}

struct List {
    raw: ze_command_list_handle_t,
    owned: bool,
}

// SAFETY: a command list may be used from any thread, one at a time, which the lock around `Flight` sees to.
unsafe impl Send for List {}
// SAFETY: as above.
unsafe impl Sync for List {}

impl Drop for Inner {
    fn drop(&mut self) {
        // What cannot be waited for, such as a lost device, cannot be helped here.
        let _ = self.finish();
        if self.list.owned {
            // SAFETY: made by `create`, and idle.
            unsafe { (self.device.api().zeCommandListDestroy)(self.list.raw) };
        }
    }
}

impl Queue {
    pub(super) fn create(device: &Device, group: u32, order: Order, profiling: bool) -> Result<Queue> {
        let desc = ze_command_queue_desc_t {
            stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            ordinal: group,
            flags: if order == Order::InOrder { ZE_COMMAND_QUEUE_FLAG_IN_ORDER } else { 0 },
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        };
        let mut raw = ptr::null_mut();
        // SAFETY: a live context and device, a group of queues that the device has, and a place for the result.
        let code = unsafe {
            let create = device.api().zeCommandListCreateImmediate;
            create(device.raw_context(), device.raw_device(), &desc, &mut raw)
        };
        check(code, "zeCommandListCreateImmediate")?;
        Ok(Queue::new(device, List { raw, owned: true }, order, profiling))
    }

    /// Takes the caller's immediate command list. It is only referenced: the caller keeps it until the last clone is
    /// dropped. Level Zero does not tell a list's order, so the caller says it, or that it is [`Order::Unknown`].
    ///
    /// # Safety
    /// `list` is null or a live command list.
    pub unsafe fn from_raw(
        device: &Device,
        list: ze_command_list_handle_t,
        order: Order,
        profiling: bool,
    ) -> Result<Queue> {
        ensure!(!list.is_null(), "the command list is null");
        let api = device.api();
        // Loaders before 1.9 and drivers before 1.9 do not tell what a list is; then it is believed.
        // SAFETY: the caller promises a live list; places for the results.
        unsafe {
            let mut immediate = 0;
            if api.zeCommandListIsImmediate.is_some_and(|ask| ask(list, &mut immediate) == ZE_RESULT_SUCCESS) {
                ensure!(immediate != 0, "the command list is not an immediate one");
            }
            let mut context = ptr::null_mut();
            if api.zeCommandListGetContextHandle.is_some_and(|ask| ask(list, &mut context) == ZE_RESULT_SUCCESS) {
                let same = context == device.raw_context();
                ensure!(same, "the command list belongs to another Level Zero context than the engine");
            }
            let mut on = ptr::null_mut();
            if api.zeCommandListGetDeviceHandle.is_some_and(|ask| ask(list, &mut on) == ZE_RESULT_SUCCESS) {
                let same = on == device.raw_device();
                ensure!(same, "the command list belongs to another Level Zero device than the engine");
            }
        }
        Ok(Queue::new(device, List { raw: list, owned: false }, order, profiling))
    }

    fn new(device: &Device, list: List, order: Order, profiling: bool) -> Queue {
        let (events, flight) = (Store::new(device, profiling), Mutex::default());
        Queue(Arc::new(Inner { device: device.clone(), list, order, profiling, events, flight }))
    }

    /// The command list.
    pub fn raw(&self) -> ze_command_list_handle_t {
        self.0.list.raw
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

    fn api(&self) -> &'static Api {
        self.0.device.api()
    }

    /// How many events its store has made.
    #[cfg(test)]
    pub(super) fn event_count(&self) -> usize {
        self.0.events.size()
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
        ensure!(
            kernel.device() == self.device(),
            "the kernel was built for another Level Zero device than the queue's"
        );
        let waits = WaitList::new(self.device(), deps)?;
        if range.global.contains(&0) {
            return self.nothing(waits, want_event);
        }
        let (instance, groups) = kernel.bind(args, range)?;
        let mut kept = Kept::of(kernel);
        for arg in args {
            if let Arg::Buffer(runtime::Buffer::Ze(buffer)) = arg {
                kept.add(buffer);
            }
        }
        let append = self.api().zeCommandListAppendLaunchKernel;
        let result = self.append("zeCommandListAppendLaunchKernel", waits, kept, want_event, |list, event, waits| {
            // SAFETY: a live list and kernel of one context; the driver reads the arguments before it returns; the wait
            // list is as long as it says.
            unsafe { append(list, instance.raw(), &groups, event, waits.len(), waits.as_mut_ptr()) }
        });
        kernel.restore(instance, args);
        result
    }

    /// An event that completes when `deps` and everything submitted before it have.
    pub fn marker(&self, deps: &[runtime::Event]) -> Result<Event> {
        let waits = WaitList::new(self.device(), deps)?;
        // Unless the list is in order, a barrier with events waits for these instead of what came before.
        let event = if self.order() == Order::InOrder || waits.is_empty() {
            self.barrier(waits, true)?
        } else {
            self.barrier(waits, false)?;
            self.barrier(WaitList::new(self.device(), &[])?, true)?
        };
        event.ok_or_else(|| Error::runtime("zeCommandListAppendBarrier gave no event"))
    }

    fn barrier(&self, waits: WaitList, want_event: bool) -> Result<Option<Event>> {
        let append = self.api().zeCommandListAppendBarrier;
        self.append("zeCommandListAppendBarrier", waits, Kept::default(), want_event, |list, event, waits| {
            // SAFETY: a live list; the wait list is as long as it says.
            unsafe { append(list, event, waits.len(), waits.as_mut_ptr()) }
        })
    }

    /// A command without an effect: it only keeps its place among events and, in order, among commands.
    fn nothing(&self, waits: WaitList, want_event: bool) -> Result<Option<Event>> {
        if want_event || (!waits.is_empty() && self.order() != Order::OutOfOrder) {
            return self.barrier(waits, want_event);
        }
        Ok(None)
    }

    /// Copies bytes between two buffers; does not block.
    pub fn copy(
        &self,
        src: &Buffer,
        dst: &Buffer,
        bytes: usize,
        deps: &[runtime::Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        let mut kept = Kept::default();
        for buffer in [src, dst] {
            same_context(buffer.device(), self.device(), "buffer")?;
            buffer.check_range(bytes)?;
            kept.add(buffer);
        }
        let waits = WaitList::new(self.device(), deps)?;
        if bytes == 0 {
            return self.nothing(waits, want_event);
        }
        // SAFETY: ranges as checked; their owners keep them until the command is done, as this room's contract asks.
        unsafe { self.memcpy(dst.pointer(), src.pointer(), bytes, waits, kept, want_event) }
    }

    /// # Safety
    /// Both ranges are valid until the command is done.
    unsafe fn memcpy(
        &self,
        dst: *mut c_void,
        src: *const c_void,
        bytes: usize,
        waits: WaitList,
        kept: Kept,
        want_event: bool,
    ) -> Result<Option<Event>> {
        let append = self.api().zeCommandListAppendMemoryCopy;
        self.append("zeCommandListAppendMemoryCopy", waits, kept, want_event, |list, event, waits| {
            // SAFETY: a live list; the caller's promise; the wait list is as long as it says.
            unsafe { append(list, dst, src, bytes, event, waits.len(), waits.as_mut_ptr()) }
        })
    }

    /// Reads from the start of a buffer and waits for it.
    pub fn read(&self, src: &Buffer, out: &mut [u8], deps: &[runtime::Event]) -> Result<()> {
        same_context(src.device(), self.device(), "buffer")?;
        src.check_range(out.len())?;
        let waits = WaitList::new(self.device(), deps)?;
        // SAFETY: ranges as checked; `out` is borrowed until the copy is waited for.
        unsafe { self.memcpy_now(out.as_mut_ptr().cast(), src.pointer(), out.len(), waits) }
    }

    /// Writes to the start of a buffer and waits for it.
    pub fn write(&self, dst: &Buffer, data: &[u8], deps: &[runtime::Event]) -> Result<()> {
        same_context(dst.device(), self.device(), "buffer")?;
        dst.check_range(data.len())?;
        let waits = WaitList::new(self.device(), deps)?;
        // SAFETY: ranges as checked; `data` is borrowed until the copy is waited for.
        unsafe { self.memcpy_now(dst.pointer(), data.as_ptr().cast(), data.len(), waits) }
    }

    /// # Safety
    /// Both ranges are valid until this returns.
    unsafe fn memcpy_now(&self, dst: *mut c_void, src: *const c_void, bytes: usize, waits: WaitList) -> Result<()> {
        let event = match bytes {
            0 => self.nothing(waits, true)?,
            // SAFETY: the caller's promise: the copy is waited for below.
            _ => unsafe { self.memcpy(dst, src, bytes, waits, Kept::default(), true)? },
        };
        event.map_or(Ok(()), |event| event.wait())
    }

    /// Gives the host access to the first `bytes` bytes of a buffer, after everything submitted to this queue. Blocks.
    ///
    /// A buffer may be mapped several times; each map has its [`unmap`](Queue::unmap).
    pub fn map(&self, buffer: &Buffer, bytes: usize, access: Access) -> Result<*mut c_void> {
        same_context(buffer.device(), self.device(), "buffer")?;
        buffer.check_range(bytes)?;
        self.wait()?;
        let mapping = match buffer.place() {
            Place::Shared => Mapping::direct(buffer.pointer()),
            Place::Device => {
                let mut room = Staging::new(bytes)?;
                self.read(buffer, room.as_mut_slice(), &[])?;
                Mapping::staged(room, access)
            }
        };
        let address = mapping.address();
        buffer.mappings().push(mapping);
        Ok(address)
    }

    /// Ends a map; `address` is what [`map`](Queue::map) gave. Blocks until what the host wrote is in the buffer.
    pub fn unmap(&self, buffer: &Buffer, address: *mut c_void) -> Result<()> {
        same_context(buffer.device(), self.device(), "buffer")?;
        let mapping = Mapping::take(&mut buffer.mappings(), address)?;
        match mapping.into_written() {
            Some(mut room) => self.write(buffer, room.as_mut_slice(), &[]),
            None => Ok(()),
        }
    }

    /// Waits until everything submitted has completed.
    pub fn wait(&self) -> Result<()> {
        self.0.wait()
    }

    /// Appends a command and notes what it uses. A command that waits for events which go back to a store gets an event
    /// itself, so that they can stay until it is done; and so does one that keeps memory, where no later event tells of it.
    fn append(
        &self,
        call: &str,
        mut waits: WaitList,
        kept: Kept,
        want_event: bool,
        command: impl FnOnce(ze_command_list_handle_t, ze_event_handle_t, &mut WaitList) -> ze_result_t,
    ) -> Result<Option<Event>> {
        let needs_event = waits.needs_keeping() || (self.order() != Order::InOrder && kept.has_memory());
        let event = match want_event || needs_event {
            true => Some(self.0.events.take()?),
            false => None,
        };
        let raw = event.as_ref().map_or(ptr::null_mut(), Event::raw);
        let mut flight = self.0.flight();
        check(command(self.raw(), raw, &mut waits), call)?;
        match &event {
            Some(event) => flight.add(event.clone(), waits.into_kept(), kept, self.order() == Order::InOrder),
            None => flight.add_untold(kept),
        }
        Ok(event.filter(|_| want_event))
    }
}

impl Inner {
    fn flight(&self) -> MutexGuard<'_, Flight> {
        self.flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> Result<()> {
        let until = self.flight().now();
        let synchronize = self.device.api().zeCommandListHostSynchronize;
        // SAFETY: a live immediate list; any thread may wait for it.
        let code = synchronize.map(|wait| unsafe { wait(self.list.raw, u64::MAX) });
        match code {
            Some(code) if code != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => check(code, "zeCommandListHostSynchronize")?,
            // Before Level Zero 1.9 a barrier tells.
            _ => {
                let event = self.events.take()?;
                {
                    let _alone = self.flight();
                    // SAFETY: a live list and event, no other events.
                    let code = unsafe {
                        let append = self.device.api().zeCommandListAppendBarrier;
                        append(self.list.raw, event.raw(), 0, ptr::null_mut())
                    };
                    check(code, "zeCommandListAppendBarrier")?;
                }
                event.wait()?;
            }
        }
        self.flight().done(until);
        Ok(())
    }

    /// Waits for what was submitted here, and not for what the caller put into the list otherwise, if events can tell.
    fn finish(&self) -> Result<()> {
        let events = self.flight().events();
        match events {
            Some(events) => events.iter().try_for_each(Event::wait),
            None => self.wait(),
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command list {:p} ({:?})", self.raw(), self.0.order)
    }
}
