//! Allocations: which addresses are ours, and of what kind.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use super::context::Context;
use super::lock;
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

/// All allocations of the process, by address.
pub(crate) struct Memory {
    cl: &'static Cl,
    live: Mutex<Live>,
}

#[derive(Default)]
struct Live {
    by_address: BTreeMap<usize, Allocation>,
    count: u64,
}

impl Memory {
    pub(crate) fn new(cl: &'static Cl) -> Memory {
        Memory { cl, live: Mutex::default() }
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
        let pointer = self.cl.allocate(kind, size, alignment)?;
        let base = pointer as usize;
        let mut live = lock(&self.live);
        live.count += 1;
        let id = live.count;
        live.by_address.insert(base, Allocation { kind, base, size, id, context: Arc::as_ptr(context) as usize });
        Ok(pointer)
    }

    /// Frees an allocation that starts here.
    pub(crate) fn free(&self, context: &Arc<Context>, pointer: *mut c_void, blocking: bool) -> Result {
        let mut live = lock(&self.live);
        match live.by_address.get(&(pointer as usize)) {
            Some(found) if found.context == Arc::as_ptr(context) as usize => {
                live.by_address.remove(&(pointer as usize))
            }
            _ => return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)),
        };
        drop(live);
        Ok(self.cl.free(pointer, blocking)?)
    }

    /// The context's allocation that an address lies in.
    pub(crate) fn find(&self, context: &Arc<Context>, pointer: *const c_void) -> Option<Allocation> {
        let live = lock(&self.live);
        let (_, found) = live.by_address.range(..=pointer as usize).next_back()?;
        let inside = pointer as usize - found.base < found.size && found.context == Arc::as_ptr(context) as usize;
        inside.then(|| found.clone())
    }
}
