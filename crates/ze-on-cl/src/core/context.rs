//! Contexts: the owners of everything else. All of them share OpenCL's one.

use std::sync::Arc;

use crate::bindings::*;
use crate::handle;

/// A context.
pub(crate) struct Context {
    /// Its own handle, as a number.
    handle: usize,
}

impl Context {
    /// The handle of a new context.
    pub(crate) fn create() -> ze_context_handle_t {
        handle::create_with(|handle| Arc::new(Context { handle: handle as usize }))
    }

    /// Its own handle.
    pub(crate) fn handle(&self) -> ze_context_handle_t {
        self.handle as ze_context_handle_t
    }
}
