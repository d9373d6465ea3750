//! Commands in order: what is behind a command queue and behind an immediate command list.
//!
//! A command whose waits OpenCL knows goes straight to OpenCL, in the thread that appends it. The first one that must wait
//! for something only the host or another list can bring starts a thread, which takes it and all that come after, so
//! appending never blocks.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::command::Command;
use super::device::Device;
use super::lock;
use super::signal::Deadline;
use crate::bindings::*;
use crate::cl::{self, Order, Queue};
use crate::{Error, Result};

/// A place where commands are executed in order.
pub(crate) struct Stream {
    device: Arc<Device>,
    queue: Queue,
    /// Whether each submission is waited for.
    synchronous: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    backlog: VecDeque<Command>,
    /// A command was taken from the backlog and is not with OpenCL yet.
    working: bool,
    has_worker: bool,
    closed: bool,
    /// The first error of a command that was in the backlog.
    failure: Option<Error>,
    /// The end of all that OpenCL was given, if nothing came after.
    tail: Option<cl::Event>,
}

impl State {
    fn is_drained(&self) -> bool {
        self.backlog.is_empty() && !self.working
    }
}

impl Stream {
    pub(crate) fn new(device: Arc<Device>, mode: ze_command_queue_mode_t) -> Result<Arc<Stream>> {
        Ok(Arc::new(Stream {
            queue: Queue::new(device.cl)?,
            device,
            synchronous: mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
            state: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    /// Executes commands after all that came before.
    pub(crate) fn submit(self: &Arc<Self>, commands: impl IntoIterator<Item = Command>) -> Result {
        let mut state = lock(&self.state);
        let mut enqueued = false;
        for command in commands {
            if state.is_drained() && command.is_ready() {
                state.tail = None;
                command.enqueue(&self.device, &self.queue)?;
                enqueued = true;
            } else {
                state.backlog.push_back(command);
            }
        }
        if enqueued {
            self.queue.flush()?;
        }
        if !state.backlog.is_empty() {
            if !state.has_worker {
                let stream = Arc::clone(self);
                let start = std::thread::Builder::new().name("ze-on-cl".into()).spawn(move || stream.work());
                start.map_err(|_| Error(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY))?;
                state.has_worker = true;
            }
            self.changed.notify_all();
        }
        drop(state);
        if self.synchronous { self.synchronize(Deadline::Never).map(drop) } else { Ok(()) }
    }

    /// Hands the backlog to OpenCL, each command when it can be, until the stream is closed.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(command) = state.backlog.pop_front() {
                (state.working, state.tail) = (true, None);
                drop(state);
                for signal in &command.waits {
                    signal.wait_known();
                }
                let outcome =
                    command.enqueue(&self.device, &self.queue).and_then(|()| self.queue.flush().map_err(Error::from));
                // What the command held is let go before anybody learns that it is done.
                drop(command);
                state = lock(&self.state);
                state.working = false;
                state.failure = state.failure.or(outcome.err());
                if state.is_drained() {
                    self.changed.notify_all();
                }
            } else if state.closed {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Waits until all commands are done; false if they were not by then.
    pub(crate) fn synchronize(&self, deadline: Deadline) -> Result<bool> {
        let mut state = lock(&self.state);
        while !state.is_drained() {
            let Some(left) = deadline.left() else { return Ok(false) };
            state = self.wait_changed(state, deadline, left);
        }
        if let Some(error) = state.failure.take() {
            return Err(error);
        }
        match deadline {
            Deadline::Never => {
                drop(state);
                self.queue.finish()?;
                Ok(true)
            }
            Deadline::At(time) => {
                if state.tail.is_none() {
                    state.tail = self.queue.marker(Order { waits: &[], event: true })?;
                    self.queue.flush()?;
                }
                let tail = state.tail.clone();
                drop(state);
                tail.map_or(Ok(true), |event| Ok(event.wait_until(time)?))
            }
        }
    }

    fn wait_changed<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        deadline: Deadline,
        left: std::time::Duration,
    ) -> MutexGuard<'a, State> {
        match deadline {
            Deadline::Never => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Deadline::At(_) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
        }
    }

    /// Nothing more will be submitted: the thread ends when it has nothing left to do.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_all();
    }
}
