//! A Level Zero driver that runs on any OpenCL device with shared memory (USM or SVM).
//!
//! The library is for the Level Zero loader, which is told of it by `ZE_ENABLE_ALT_DRIVERS`; it exports the functions that
//! hand out tables and nothing else. A call goes through three rooms: [`table`] says which function stands in which slot
//! of which table, `api` checks a call's arguments, `core` holds the objects and their behaviour, and `cl` is the only
//! one that speaks OpenCL.

#[allow(missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals)]
#[allow(clippy::all, clippy::undocumented_unsafe_blocks)]
pub mod bindings;
pub mod table;

mod api;
mod boundary;
mod cl;
mod core;
mod error;
mod handle;
mod pointer;

use error::{Error, Result};
