//! Calls any library that speaks oneDNN's C API (`libdnnl.so.3`), loaded at run time.
//!
//! [`api`] finds the functions, [`handle`] owns what they create, [`create`] makes primitive descriptors. Element types, format tags
//! and layouts are written here from their definitions and share no code with the library: what drives the tests must not be
//! what is tested.

pub mod algorithm;
pub mod api;
pub mod attr;
pub mod buffer;
pub mod create;
pub mod dtype;
pub mod handle;
pub mod host;
pub mod layout;
pub mod opencl;
pub mod pages;
pub mod process;
pub mod recurrent;
