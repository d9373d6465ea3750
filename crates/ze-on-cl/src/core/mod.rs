//! The objects of Level Zero and what they do. Arguments were checked before.

pub(crate) mod command;
pub(crate) mod command_list;
pub(crate) mod command_queue;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod event;
pub(crate) mod fence;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod signal;
mod spirv;
pub(crate) mod stream;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what a panicked thread left behind is still whole, as every change is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
