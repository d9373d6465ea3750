//! Fences.

use std::sync::Arc;

use super::signal::Signal;

/// Raised when a queue has executed the command lists that it was given with.
pub(crate) struct Fence {
    pub signal: Arc<Signal>,
}
