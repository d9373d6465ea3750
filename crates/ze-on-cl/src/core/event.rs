//! Events and their pools.

use std::sync::{Arc, Mutex};

use super::context::Context;
use super::device::Device;
use super::lock;
use super::signal::Signal;
use crate::bindings::*;
use crate::{Error, Result, handle};

/// A place for events.
pub(crate) struct EventPool {
    pub context: Arc<Context>,
    pub flags: ze_event_pool_flags_t,
    /// Whether its events are counter-based, and how.
    pub counter_based: Option<u32>,
    taken: Mutex<Vec<bool>>,
    /// Its own handle, as a number.
    handle: usize,
}

impl EventPool {
    /// The handle of a new pool.
    pub(crate) fn create(
        context: Arc<Context>,
        flags: ze_event_pool_flags_t,
        counter_based: Option<u32>,
        count: u32,
    ) -> ze_event_pool_handle_t {
        let taken = Mutex::new(vec![false; count as usize]);
        handle::create_with(|handle| {
            Arc::new(EventPool { context, flags, counter_based, taken, handle: handle as usize })
        })
    }

    /// A place for one counter-based event, without a handle.
    pub(crate) fn unseen(context: Arc<Context>, flags: ze_event_pool_flags_t, counter_based: u32) -> Arc<EventPool> {
        let taken = Mutex::new(vec![false]);
        Arc::new(EventPool { context, flags, counter_based: Some(counter_based), taken, handle: 0 })
    }

    /// Whether its events keep the times of the commands that raise them.
    fn keeps_times(&self) -> bool {
        self.flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP) != 0
    }

    /// Its own handle.
    pub(crate) fn handle(&self) -> ze_event_pool_handle_t {
        self.handle as ze_event_pool_handle_t
    }

    fn take(&self, index: u32) -> Result {
        match lock(&self.taken).get_mut(index as usize) {
            Some(taken) if !*taken => {
                *taken = true;
                Ok(())
            }
            _ => Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)),
        }
    }
}

/// An event. A counter-based one is never lowered; each command that is to raise it begins a new generation, and who waits
/// for it waits for the generation of the moment when the wait was appended.
pub(crate) struct Event {
    pub pool: Arc<EventPool>,
    pub signal_scope: ze_event_scope_flags_t,
    pub wait_scope: ze_event_scope_flags_t,
    index: u32,
    current: Mutex<Arc<Signal>>,
}

impl Event {
    pub(crate) fn new(device: &Device, pool: Arc<EventPool>, desc: &ze_event_desc_t) -> Result<Event> {
        pool.take(desc.index)?;
        if pool.keeps_times() {
            device.keep_times();
        }
        let signal = if pool.counter_based.is_some() { Signal::up() } else { Signal::new() };
        Ok(Event {
            pool,
            signal_scope: desc.signal,
            wait_scope: desc.wait,
            index: desc.index,
            current: Mutex::new(Arc::new(signal)),
        })
    }

    /// Whether it keeps the times of the command that raises it.
    pub(crate) fn keeps_times(&self) -> bool {
        self.pool.keeps_times()
    }

    /// What is to be waited for now.
    pub(crate) fn signal(&self) -> Arc<Signal> {
        Arc::clone(&lock(&self.current))
    }

    /// What a command that is appended now is to raise.
    pub(crate) fn signal_to_raise(&self) -> Arc<Signal> {
        let mut current = lock(&self.current);
        if self.pool.counter_based.is_some() {
            *current = Arc::new(Signal::new());
        }
        Arc::clone(&current)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        lock(&self.pool.taken)[self.index as usize] = false;
    }
}
