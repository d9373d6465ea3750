//! What the commands of a queue use, kept until they are done.
//!
//! Commands with an event are let go in order as their events complete. Of those without, only the kernels and buffers are
//! kept, each once, until something later tells that they are done: a wait for the queue, or on an in-order queue the event
//! of a later command.

use std::collections::{HashMap, VecDeque};

use smallvec::SmallVec;

use super::event::Event;
use super::kernel::Kernel;
use super::memory::Buffer;

/// What one command uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept(SmallVec<[Object; 4]>);

#[derive(Clone, Debug)]
enum Object {
    Kernel(Kernel),
    Buffer(Buffer),
}

impl Kept {
    pub(super) fn of(kernel: &Kernel) -> Kept {
        Kept(smallvec::smallvec![Object::Kernel(kernel.clone())])
    }

    /// Whether it holds memory, which is not to be kept for longer than needed.
    pub(super) fn has_memory(&self) -> bool {
        self.0.iter().any(|object| matches!(object, Object::Buffer(_)))
    }

    /// Adds a buffer that must be kept.
    pub(super) fn add(&mut self, buffer: &Buffer) {
        if buffer.needs_keeping() {
            self.0.push(Object::Buffer(buffer.clone()));
        }
    }
}

impl Object {
    fn key(&self) -> usize {
        match self {
            Object::Kernel(kernel) => kernel.key(),
            Object::Buffer(buffer) => buffer.key(),
        }
    }
}

/// A command with an event.
#[derive(Debug)]
struct Told {
    number: u64,
    event: Event,
    _waits_for: SmallVec<[Event; 2]>,
    _kept: Kept,
}

/// The commands of a queue that may not be done.
#[derive(Debug, Default)]
pub(super) struct Flight {
    /// How many commands there were.
    count: u64,
    told: VecDeque<Told>,
    /// What commands without an event use, with the number of the last of them.
    untold: HashMap<usize, (Object, u64)>,
    /// The last command without an event that may not be done; 0 if there is none.
    last_untold: u64,
}

/// So many commands wait before the oldest are looked at.
const PATIENCE: usize = 32;

impl Flight {
    /// The number of the last command.
    pub(super) fn now(&self) -> u64 {
        self.count
    }

    pub(super) fn add(&mut self, event: Event, waits_for: SmallVec<[Event; 2]>, kept: Kept, in_order: bool) {
        self.count += 1;
        self.told.push_back(Told { number: self.count, event, _waits_for: waits_for, _kept: kept });
        if self.told.len() > PATIENCE {
            self.let_go(in_order);
        }
    }

    pub(super) fn add_untold(&mut self, kept: Kept) {
        self.count += 1;
        self.last_untold = self.count;
        for object in kept.0 {
            let entry = self.untold.entry(object.key()).or_insert_with(|| (object, 0));
            entry.1 = self.count;
        }
    }

    /// Forgets commands up to the first that is not done.
    fn let_go(&mut self, in_order: bool) {
        let mut done = 0;
        while self.told.front().is_some_and(|told| told.event.is_complete()) {
            done = self.told.pop_front().map_or(done, |told| told.number);
        }
        if in_order && done > 0 {
            self.done(done);
        }
    }

    /// Forgets everything up to a command that is done, and all before it.
    pub(super) fn done(&mut self, until: u64) {
        while self.told.front().is_some_and(|told| told.number <= until) {
            self.told.pop_front();
        }
        if self.last_untold <= until {
            self.last_untold = 0;
            self.untold.clear();
        } else {
            self.untold.retain(|_, (_, last)| *last > until);
        }
    }

    /// The events of everything that may not be done, if all of it has events.
    pub(super) fn events(&self) -> Option<Vec<Event>> {
        (self.last_untold == 0).then(|| self.told.iter().map(|told| told.event.clone()).collect())
    }
}
