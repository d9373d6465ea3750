//! Contexts: the owners of everything else. All of them share OpenCL's one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bindings::*;
use crate::handle;

/// A context.
pub(crate) struct Context {
    /// Its own handle: lists are asked for it.
    handle: AtomicUsize,
}

impl Context {
    /// The handle of a new context.
    pub(crate) fn create() -> ze_context_handle_t {
        let context = Arc::new(Context { handle: AtomicUsize::new(0) });
        let handle = handle::create(Arc::clone(&context));
        context.handle.store(handle as usize, Ordering::Relaxed);
        handle
    }

    pub(crate) fn handle(&self) -> ze_context_handle_t {
        self.handle.load(Ordering::Relaxed) as ze_context_handle_t
    }
}
