//! What the library says it is: the version of oneDNN whose API it speaks, and its own in the place of the hash.

use std::ffi::{c_char, c_int, c_uint};

/// `dnnl_version_t`
#[repr(C)]
#[derive(Debug)]
pub struct Version {
    major: c_int,
    minor: c_int,
    patch: c_int,
    hash: *const c_char,
    cpu_runtime: c_uint,
    gpu_runtime: c_uint,
}

// SAFETY: the pointer is to a string literal, and nothing in it is ever written.
unsafe impl Sync for Version {}

/// The CPU runtime that calls no other threading library.
const RUNTIME_SEQ: c_uint = 1;
const RUNTIME_OCL: c_uint = 256;

static VERSION: Version = Version {
    major: 3,
    minor: 14,
    patch: 0,
    hash: concat!("oxidnn-", env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
    cpu_runtime: RUNTIME_SEQ,
    gpu_runtime: RUNTIME_OCL,
};

/// Tells which version of the API the library speaks and which runtimes its engines use.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_version() -> &'static Version {
    &VERSION
}
