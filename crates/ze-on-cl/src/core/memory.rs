//! Allocations: which addresses are ours, and of what kind.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::context::Context;
use super::lock;
use super::signal::Signal;
use crate::bindings::*;
use crate::cl::{Cl, Kind};
use crate::{Error, Result};

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub kind: Kind,
    pub base: usize,
    pub size: usize,
    /// A number that no other one has or had.
    pub id: u64,
    context: usize,
}

/// Which allocations there are: another one after each that came or went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation(u64);

/// All allocations of the process, by address.
pub(crate) struct Memory {
    cl: &'static Cl,
    live: Mutex<Live>,
    generation: AtomicU64,
}

#[derive(Default)]
struct Live {
    by_address: BTreeMap<usize, Allocation>,
    count: u64,
    /// What goes when the work is done that may use it.
    leaving: Vec<(usize, Vec<Arc<Signal>>)>,
}

impl Memory {
    pub(crate) fn new(cl: &'static Cl) -> Memory {
        Memory { cl, live: Mutex::default(), generation: AtomicU64::new(0) }
    }

    pub(crate) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::Acquire))
    }

    pub(crate) fn allocate(
        &self,
        context: &Arc<Context>,
        kind: Kind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        if !self.cl.can_allocate(kind) {
            return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE));
        }
        self.let_go();
        let pointer = self.cl.allocate(kind, size, alignment)?;
        self.generation.fetch_add(1, Ordering::AcqRel);
        let base = pointer as usize;
        let mut live = lock(&self.live);
        live.count += 1;
        let id = live.count;
        live.by_address.insert(base, Allocation { kind, base, size, id, context: Arc::as_ptr(context) as usize });
        Ok(pointer)
    }

    /// Frees an allocation that starts here, when all signals are up.
    pub(crate) fn free(&self, context: &Arc<Context>, pointer: *mut c_void, after: Vec<Arc<Signal>>) -> Result {
        let base = pointer as usize;
        let mut live = lock(&self.live);
        match live.by_address.get(&base) {
            Some(found) if found.context == Arc::as_ptr(context) as usize => live.by_address.remove(&base),
            _ => return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)),
        };
        if !after.is_empty() {
            live.leaving.push((base, after));
            drop(live);
            self.let_go();
            return Ok(());
        }
        drop(live);
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(self.cl.free(pointer)?)
    }

    /// Frees what nothing uses any more.
    fn let_go(&self) {
        let mut free = Vec::new();
        lock(&self.live).leaving.retain(|(base, after)| {
            // Work that failed uses nothing any more.
            let is_used = after.iter().any(|signal| !signal.is_up().unwrap_or(true));
            if !is_used {
                free.push(*base);
            }
            is_used
        });
        for base in free {
            self.generation.fetch_add(1, Ordering::AcqRel);
            // Nobody is left to be told of an error.
            let _ = self.cl.free(base as *mut c_void);
        }
    }

    /// The context's allocation that an address lies in.
    pub(crate) fn find(&self, context: &Arc<Context>, pointer: *const c_void) -> Option<Allocation> {
        let live = lock(&self.live);
        let (_, found) = live.by_address.range(..=pointer as usize).next_back()?;
        let inside = pointer as usize - found.base < found.size && found.context == Arc::as_ptr(context) as usize;
        inside.then(|| found.clone())
    }
}
