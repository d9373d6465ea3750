//! What is signalled and waited for, behind events and fences.
//!
//! A signal that a command will raise goes through three states: nobody knows when (unset), OpenCL knows (bound to the
//! command's event), it is up (set). Work that waits can be handed to OpenCL as soon as all it waits for is bound: that is
//! what keeps the device busy. Only until then has somebody to wait here.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::lock;
use crate::bindings::*;
use crate::{Error, Result, cl};

/// Until when a caller waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    Never,
    At(Instant),
}

impl Deadline {
    /// The API's timeouts: nanoseconds, of which the largest number is endless.
    pub(crate) fn after(nanoseconds: u64) -> Deadline {
        if nanoseconds == u64::MAX {
            return Deadline::Never;
        }
        Instant::now().checked_add(Duration::from_nanos(nanoseconds)).map_or(Deadline::Never, Deadline::At)
    }

    /// The rest of the time; none if it is over.
    pub(crate) fn left(self) -> Option<Duration> {
        match self {
            Deadline::Never => Some(Duration::MAX),
            Deadline::At(time) => time.checked_duration_since(Instant::now()),
        }
    }
}

/// When a command started and ended, in the device's nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub start: u64,
    pub end: u64,
}

/// What a thread sleeps by that has several things to wait for.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    count: Mutex<u64>,
    rung: Condvar,
}

impl Alarm {
    pub(crate) fn ring(&self) {
        *lock(&self.count) += 1;
        self.rung.notify_all();
    }

    /// How often it rang.
    pub(crate) fn count(&self) -> u64 {
        *lock(&self.count)
    }

    /// Sleeps until it has rung more often than `seen`.
    pub(crate) fn wait_beyond(&self, seen: u64) {
        let mut count = lock(&self.count);
        while *count == seen {
            count = self.rung.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A stream whose commands are executed in order, by a number that no other one has or had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InOrder(pub u64);

#[derive(Debug)]
enum State {
    /// Not up, and who wants to know when that changes.
    Unset(Vec<Arc<Alarm>>),
    /// Raised by this command when it completes.
    Bound(cl::Event, Option<InOrder>),
    Set(Times),
    Failed(Error),
}

/// Something that is signalled once, and again after a reset.
#[derive(Debug)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal { state: Mutex::new(State::Unset(Vec::new())), changed: Condvar::new() }
    }

    /// One that is up from the start.
    pub(crate) fn up() -> Signal {
        Signal { state: Mutex::new(State::Set(Times::default())), changed: Condvar::new() }
    }

    fn change(&self, state: State) {
        let old = std::mem::replace(&mut *lock(&self.state), state);
        self.changed.notify_all();
        if let State::Unset(watchers) = old {
            watchers.iter().for_each(|watcher| watcher.ring());
        }
    }

    /// Lets a command raise it, of a stream that may be in order.
    pub(crate) fn bind(&self, event: cl::Event, stream: Option<InOrder>) {
        self.change(State::Bound(event, stream));
    }

    /// Raises it.
    pub(crate) fn set(&self, times: Times) {
        self.change(State::Set(times));
    }

    /// Lowers it.
    pub(crate) fn reset(&self) {
        let mut state = lock(&self.state);
        if !matches!(*state, State::Unset(_)) {
            *state = State::Unset(Vec::new());
        }
    }

    /// The command that was to raise it failed.
    pub(crate) fn fail(&self, error: Error) {
        self.change(State::Failed(error));
    }

    /// Whether work that waits for it can be handed to OpenCL.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(*lock(&self.state), State::Unset(_))
    }

    /// Rings the alarm when work that waits for it can be handed to OpenCL, unless it can be now.
    pub(crate) fn watch(&self, alarm: &Arc<Alarm>) {
        if let State::Unset(watchers) = &mut *lock(&self.state)
            && !watchers.iter().any(|known| Arc::ptr_eq(known, alarm))
        {
            watchers.push(Arc::clone(alarm));
        }
    }

    /// The event that OpenCL has to wait for in a stream; none if it is up already, or if the stream's own order sees to it.
    pub(crate) fn dependency(&self, stream: Option<InOrder>) -> Result<Option<cl::Event>> {
        match &*lock(&self.state) {
            State::Bound(_, of) if of.is_some() && *of == stream => Ok(None),
            State::Bound(event, _) => Ok(Some(event.clone())),
            State::Failed(error) => Err(*error),
            State::Set(_) | State::Unset(_) => Ok(None),
        }
    }

    /// Whether it is up.
    pub(crate) fn is_up(&self) -> Result<bool> {
        let event = match &*lock(&self.state) {
            State::Unset(_) => return Ok(false),
            State::Set(_) => return Ok(true),
            State::Failed(error) => return Err(*error),
            State::Bound(event, _) => event.clone(),
        };
        event.is_complete().map_err(|_| lost())
    }

    /// Waits until it is up; false if it was not by then.
    pub(crate) fn wait(&self, deadline: Deadline) -> Result<bool> {
        let mut state = lock(&self.state);
        let event = loop {
            match &*state {
                State::Set(_) => return Ok(true),
                State::Failed(error) => return Err(*error),
                State::Bound(event, _) => break event.clone(),
                State::Unset(_) => {
                    let Some(left) = deadline.left() else { return Ok(false) };
                    state = match deadline {
                        Deadline::Never => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                        Deadline::At(_) => {
                            self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                        }
                    };
                }
            }
        };
        drop(state);
        match deadline {
            Deadline::Never => event.wait().map(|()| true).map_err(|_| lost()),
            Deadline::At(time) => event.wait_until(time).map_err(|_| lost()),
        }
    }

    /// The times of the command that raised it; none if it is not up.
    pub(crate) fn times(&self) -> Option<Times> {
        let event = match &*lock(&self.state) {
            State::Set(times) => return Some(*times),
            State::Unset(_) | State::Failed(_) => return None,
            State::Bound(event, _) => event.clone(),
        };
        if !event.is_complete().unwrap_or(false) {
            return None;
        }
        let (start, end) = event.times().unwrap_or_default();
        Some(Times { start, end })
    }
}

fn lost() -> Error {
    Error(ZE_RESULT_ERROR_DEVICE_LOST)
}
