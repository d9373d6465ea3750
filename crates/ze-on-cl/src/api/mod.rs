//! The entry points: each checks its arguments and makes one call. Their names and types are the API's.

pub(crate) mod command_list;
pub(crate) mod command_queue;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod event;
pub(crate) mod fence;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;

use crate::bindings::*;
use crate::{Error, Result};

/// What a wait comes to.
fn ready(is_ready: bool) -> Result {
    if is_ready { Ok(()) } else { Err(Error(ZE_RESULT_NOT_READY)) }
}

/// An error if a value is not one of an enumeration.
fn enumerator(is_one: bool) -> Result {
    if is_one { Ok(()) } else { Err(Error(ZE_RESULT_ERROR_INVALID_ENUMERATION)) }
}
