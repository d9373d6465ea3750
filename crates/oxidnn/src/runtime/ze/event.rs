//! Completion of commands, and where the events for it come from.
//!
//! Level Zero takes events from pools of a fixed size, so each queue has a [`Store`] of pools that grows. An event goes back
//! to its store when nobody refers to it any more; the queues refer to it until the command that signals it, and those that
//! wait for it, are done. An event that was handed to the caller never goes back: it lives as long as its queue.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use super::bindings::*;
use super::code::check;
use super::device::{Device, same_context};
use crate::runtime;
use crate::{Result, ensure};

/// A counted reference to an event, the caller's or the library's.
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    device: Device,
    raw: ze_event_handle_t,
    /// Where it came from; the caller's came from the caller.
    store: Option<Arc<Store>>,
    handed_out: AtomicBool,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(store) = self.store.take()
            && !*self.handed_out.get_mut()
        {
            store.free().push(Slot(self.raw));
        }
    }
}

impl Event {
    /// Takes the caller's event. It is only referenced: the caller keeps it until the commands that wait for it are done.
    ///
    /// # Safety
    /// `event` is null or a live event of the device's context.
    pub unsafe fn from_raw(device: &Device, event: ze_event_handle_t) -> Result<Event> {
        ensure!(!event.is_null(), "the event is null");
        let inner = Inner { device: device.clone(), raw: event, store: None, handed_out: AtomicBool::new(true) };
        Ok(Event(Arc::new(inner)))
    }

    /// The event, for as long as this reference lives.
    pub fn raw(&self) -> ze_event_handle_t {
        self.0.raw
    }

    /// The event for the caller. It stays as it is until the queue is dropped that it came from.
    pub fn hand_out(&self) -> ze_event_handle_t {
        self.0.handed_out.store(true, Ordering::Relaxed);
        self.0.raw
    }

    /// Waits until the command is complete.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: a live event.
        let code = unsafe { (self.0.device.api().zeEventHostSynchronize)(self.0.raw, u64::MAX) };
        check(code, "zeEventHostSynchronize")
    }

    /// Whether the command is complete.
    pub fn is_complete(&self) -> bool {
        // SAFETY: a live event.
        unsafe { (self.0.device.api().zeEventQueryStatus)(self.0.raw) == ZE_RESULT_SUCCESS }
    }

    /// Nanoseconds between start and end of the command, if its queue profiles; waits for it.
    pub fn elapsed(&self) -> Result<Option<u64>> {
        self.wait()?;
        if self.0.store.as_ref().is_none_or(|store| !store.profiling) {
            return Ok(None);
        }
        let mut times = ze_kernel_timestamp_result_t::default();
        // SAFETY: a live event of a pool with times, complete; a place for the result.
        let code = unsafe { (self.0.device.api().zeEventQueryKernelTimestamp)(self.0.raw, &mut times) };
        check(code, "zeEventQueryKernelTimestamp")?;
        let ns = self.0.device.clock().nanoseconds(times.global.kernelStart, times.global.kernelEnd);
        // A kernel that is quicker than one tick of the clock has run all the same.
        Ok(Some(ns.max(1)))
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {:p}", self.0.raw)
    }
}

/// An event that nobody uses.
struct Slot(ze_event_handle_t);

// SAFETY: events may be used from any thread.
unsafe impl Send for Slot {}

struct Pool(ze_event_pool_handle_t);

// SAFETY: pools may be used from any thread.
unsafe impl Send for Pool {}

/// The events of a queue.
pub(super) struct Store {
    device: Device,
    profiling: bool,
    pools: Mutex<Pools>,
    free: Mutex<Vec<Slot>>,
}

#[derive(Default)]
struct Pools {
    pools: Vec<Pool>,
    /// Every event ever made.
    events: Vec<Slot>,
    /// How many the last pool has room for, and how many of those are made.
    capacity: u32,
    used: u32,
}

/// Pools double in size between these.
const SMALLEST_POOL: u32 = 32;
const LARGEST_POOL: u32 = 4096;

impl Store {
    pub(super) fn new(device: &Device, profiling: bool) -> Arc<Store> {
        Arc::new(Store { device: device.clone(), profiling, pools: Mutex::default(), free: Mutex::default() })
    }

    /// An event that is not signalled, for one command.
    pub(super) fn take(self: &Arc<Store>) -> Result<Event> {
        let api = self.device.api();
        let free = self.free().pop();
        let raw = match free {
            Some(Slot(raw)) => {
                // SAFETY: a live event that no command uses.
                check(unsafe { (api.zeEventHostReset)(raw) }, "zeEventHostReset")?;
                raw
            }
            None => self.make()?,
        };
        let handed_out = AtomicBool::new(false);
        Ok(Event(Arc::new(Inner { device: self.device.clone(), raw, store: Some(self.clone()), handed_out })))
    }

    fn make(&self) -> Result<ze_event_handle_t> {
        let api = self.device.api();
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.used == pools.capacity {
            let count = (2 * pools.capacity).clamp(SMALLEST_POOL, LARGEST_POOL);
            let times = if self.profiling { ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP } else { 0 };
            let desc = ze_event_pool_desc_t {
                stype: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                flags: ZE_EVENT_POOL_FLAG_HOST_VISIBLE | times,
                count,
                ..Default::default()
            };
            let mut device = self.device.raw_device();
            let mut raw = ptr::null_mut();
            // SAFETY: a live context, one live device and a place for the result.
            let code = unsafe { (api.zeEventPoolCreate)(self.device.raw_context(), &desc, 1, &mut device, &mut raw) };
            check(code, "zeEventPoolCreate")?;
            pools.pools.push(Pool(raw));
            (pools.capacity, pools.used) = (count, 0);
        }
        let desc = ze_event_desc_t {
            stype: ZE_STRUCTURE_TYPE_EVENT_DESC,
            index: pools.used,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let pool = pools.pools.last().map_or(ptr::null_mut(), |pool| pool.0);
        let mut raw = ptr::null_mut();
        // SAFETY: a live pool, an index that no other event has, and a place for the result.
        check(unsafe { (api.zeEventCreate)(pool, &desc, &mut raw) }, "zeEventCreate")?;
        pools.used += 1;
        pools.events.push(Slot(raw));
        Ok(raw)
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<Slot>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many events there are.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner).events.len()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let api = self.device.api();
        let pools = self.pools.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: made here, each destroyed once; the queue has waited for the commands that use them.
        unsafe {
            for Slot(event) in pools.events.drain(..) {
                (api.zeEventDestroy)(event);
            }
            for Pool(pool) in pools.pools.drain(..) {
                (api.zeEventPoolDestroy)(pool);
            }
        }
    }
}

/// The events of a wait list, as C takes them, and references to those that must stay.
pub(super) struct WaitList {
    raw: SmallVec<[ze_event_handle_t; 8]>,
    keep: SmallVec<[Event; 2]>,
}

impl WaitList {
    pub(super) fn new(device: &Device, deps: &[runtime::Event]) -> Result<WaitList> {
        let mut list = WaitList { raw: SmallVec::new(), keep: SmallVec::new() };
        for dep in deps {
            match dep {
                runtime::Event::Ze(event) => {
                    same_context(&event.0.device, device, "event")?;
                    list.raw.push(event.raw());
                    if event.0.store.is_some() {
                        list.keep.push(event.clone());
                    }
                }
                runtime::Event::Ocl(_) => return Err(runtime::mismatch("the event")),
                runtime::Event::Done => {}
            }
        }
        Ok(list)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether it has events that go back to a store when nobody refers to them.
    pub(super) fn needs_keeping(&self) -> bool {
        !self.keep.is_empty()
    }

    /// The events to refer to until the command is done.
    pub(super) fn into_kept(self) -> SmallVec<[Event; 2]> {
        self.keep
    }

    pub(super) fn len(&self) -> u32 {
        self.raw.len() as u32
    }

    /// Null where the list is empty.
    pub(super) fn as_mut_ptr(&mut self) -> *mut ze_event_handle_t {
        if self.raw.is_empty() { ptr::null_mut() } else { self.raw.as_mut_ptr() }
    }
}
