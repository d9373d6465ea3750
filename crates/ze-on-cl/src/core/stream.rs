//! Commands under way: what is behind a command queue and behind an immediate command list.
//!
//! A command whose waits OpenCL knows goes straight to OpenCL, in the thread that appends it. The first one that must wait
//! for something only the host or another list can bring starts a thread, which takes it and all that it holds back, so
//! appending never blocks. In a stream that is in order that is all that come after; in another, what a barrier holds.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::command::{Command, Hold, Target};
use super::device::Device;
use super::lock;
use super::signal::{Alarm, Deadline, InOrder, Signal};
use crate::bindings::*;
use crate::cl::{self, Order, Queue, Traits};
use crate::{Error, Result};

/// A place where commands are executed.
pub(crate) struct Stream {
    device: Arc<Device>,
    /// Its number, if its commands are executed in order.
    order: Option<InOrder>,
    /// Whether each submission is waited for.
    synchronous: bool,
    state: Mutex<State>,
    /// The backlog has been worked off.
    drained: Condvar,
    /// There may be something to do for the thread.
    alarm: Arc<Alarm>,
}

struct State {
    queue: Arc<Queue>,
    backlog: VecDeque<Command>,
    /// A command was taken from the backlog and is not with OpenCL yet.
    working: Option<Hold>,
    has_worker: bool,
    closed: bool,
    /// The first error of a command that was in the backlog.
    failure: Option<Error>,
    /// The end of all that OpenCL was given, if nothing came after.
    tail: Option<cl::Event>,
    /// How many submissions there were, and how many of them are known to be done.
    submitted: u64,
    finished: u64,
}

impl State {
    fn is_drained(&self) -> bool {
        self.backlog.is_empty() && self.working.is_none()
    }

    /// Goes on with a queue that keeps times, after all that the one before was given.
    fn keep_times(&mut self, device: &Device) -> Result {
        let traits = self.queue.traits();
        if traits.keeps_times || self.working.is_some() {
            return Ok(());
        }
        let next = Queue::new(device.cl, Traits { keeps_times: true, ..traits })?;
        let waits: SmallVec<[cl::Event; 1]> =
            self.queue.marker(Order { waits: &[], event: true })?.into_iter().collect();
        self.queue.flush()?;
        next.barrier(Order { waits: &waits, event: false })?;
        (self.queue, self.tail) = (Arc::new(next), None);
        Ok(())
    }
}

impl Stream {
    pub(crate) fn new(device: Arc<Device>, mode: ze_command_queue_mode_t, in_order: bool) -> Result<Arc<Stream>> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let queue = Queue::new(device.cl, Traits { in_order, keeps_times: device.keeps_times() })?;
        let stream = Arc::new(Stream {
            device,
            order: in_order.then(|| InOrder(COUNT.fetch_add(1, Ordering::Relaxed))),
            synchronous: mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
            state: Mutex::new(State {
                queue: Arc::new(queue),
                backlog: VecDeque::new(),
                working: None,
                has_worker: false,
                closed: false,
                failure: None,
                tail: None,
                submitted: 0,
                finished: 0,
            }),
            drained: Condvar::new(),
            alarm: Arc::default(),
        });
        stream.device.add_stream(&stream);
        Ok(stream)
    }

    /// Executes commands, each as soon as what it must come after allows; waits for them if the stream is synchronous.
    pub(crate) fn submit(self: &Arc<Self>, commands: impl IntoIterator<Item = Command>) -> Result {
        self.take(lock(&self.state), commands)?;
        if self.synchronous { self.synchronize(Deadline::Never).map(drop) } else { Ok(()) }
    }

    /// What is raised when all that was submitted is done; none if it is.
    pub(crate) fn mark(self: &Arc<Self>) -> Result<Option<Arc<Signal>>> {
        let state = lock(&self.state);
        if state.submitted == state.finished {
            return Ok(None);
        }
        let signal = Arc::new(Signal::new());
        self.take(state, [Command::raising(Arc::clone(&signal))])?;
        Ok(Some(signal))
    }

    /// Waits for what OpenCL has been given.
    pub(crate) fn finish(&self) -> Result {
        let queue = Arc::clone(&lock(&self.state).queue);
        Ok(queue.finish()?)
    }

    fn take(self: &Arc<Self>, mut state: MutexGuard<'_, State>, commands: impl IntoIterator<Item = Command>) -> Result {
        state.submitted += 1;
        if self.device.keeps_times() {
            state.keep_times(&self.device)?;
        }
        let mut enqueued = false;
        for command in commands {
            if !command.runs_on_host() && command.is_known() && self.admits(&state, &command) {
                state.tail = None;
                command.enqueue(&self.target(&state.queue))?;
                enqueued = true;
            } else {
                state.backlog.push_back(command);
            }
        }
        if enqueued {
            state.queue.flush()?;
        }
        if !state.backlog.is_empty() {
            if !state.has_worker {
                let stream = Arc::clone(self);
                let start = std::thread::Builder::new().name("ze-on-cl".into()).spawn(move || stream.work());
                start.map_err(|_| Error(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY))?;
                state.has_worker = true;
            }
            self.alarm.ring();
        }
        Ok(())
    }

    fn target<'a>(&'a self, queue: &'a Queue) -> Target<'a> {
        Target { device: &self.device, queue, order: self.order }
    }

    fn hold(&self, command: &Command) -> Hold {
        match self.order {
            Some(_) => Hold { by_earlier: true, later: true },
            None => command.hold(),
        }
    }

    /// Whether a command need not stay behind what has not been handed to OpenCL yet.
    fn admits(&self, state: &State, command: &Command) -> bool {
        if state.is_drained() {
            return true;
        }
        let mut earlier = state.working.into_iter().chain(state.backlog.iter().map(|held| self.hold(held)));
        !self.hold(command).by_earlier && !earlier.any(|hold| hold.later)
    }

    /// Takes the first command out of the backlog that can be handed to OpenCL.
    fn next(&self, state: &mut State) -> Option<Command> {
        for index in 0..state.backlog.len() {
            let command = &state.backlog[index];
            let hold = self.hold(command);
            if (index == 0 || !hold.by_earlier) && command.is_known() {
                return state.backlog.remove(index);
            }
            if hold.later {
                break;
            }
        }
        None
    }

    /// Hands the backlog to OpenCL, each command when it can be, until the stream is closed.
    fn work(&self) {
        loop {
            let seen = self.alarm.count();
            let mut state = lock(&self.state);
            // Watched first and looked at then, or what changes in between goes unnoticed.
            for signal in state.backlog.iter().flat_map(|command| &command.waits) {
                signal.watch(&self.alarm);
            }
            if self.device.keeps_times() {
                let outcome = state.keep_times(&self.device);
                state.failure = state.failure.or(outcome.err());
            }
            match self.next(&mut state) {
                Some(command) => {
                    (state.working, state.tail) = (Some(self.hold(&command)), None);
                    let queue = Arc::clone(&state.queue);
                    drop(state);
                    let outcome =
                        command.enqueue(&self.target(&queue)).and_then(|()| queue.flush().map_err(Error::from));
                    // What the command held is let go before anybody learns that it is done.
                    drop(command);
                    let mut state = lock(&self.state);
                    state.working = None;
                    state.failure = state.failure.or(outcome.err());
                    if state.is_drained() {
                        self.drained.notify_all();
                    }
                }
                None if state.closed && state.backlog.is_empty() => return,
                None => {
                    drop(state);
                    self.alarm.wait_beyond(seen);
                }
            }
        }
    }

    /// Waits until all commands are done; false if they were not by then.
    pub(crate) fn synchronize(&self, deadline: Deadline) -> Result<bool> {
        let mut state = lock(&self.state);
        while !state.is_drained() {
            let Some(left) = deadline.left() else { return Ok(false) };
            state = self.wait_drained(state, deadline, left);
        }
        if let Some(error) = state.failure.take() {
            return Err(error);
        }
        match deadline {
            Deadline::Never => {
                let (submitted, queue) = (state.submitted, Arc::clone(&state.queue));
                drop(state);
                queue.finish()?;
                let mut state = lock(&self.state);
                state.finished = state.finished.max(submitted);
                Ok(true)
            }
            Deadline::At(time) => {
                if state.tail.is_none() {
                    state.tail = state.queue.marker(Order { waits: &[], event: true })?;
                    state.queue.flush()?;
                }
                let tail = state.tail.clone();
                drop(state);
                tail.map_or(Ok(true), |event| Ok(event.wait_until(time)?))
            }
        }
    }

    fn wait_drained<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        deadline: Deadline,
        left: std::time::Duration,
    ) -> MutexGuard<'a, State> {
        match deadline {
            Deadline::Never => self.drained.wait(state).unwrap_or_else(PoisonError::into_inner),
            Deadline::At(_) => self.drained.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
        }
    }

    /// Nothing more will be submitted: the thread ends when it has nothing left to do.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.alarm.ring();
    }
}
