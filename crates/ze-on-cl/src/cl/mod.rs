//! OpenCL: the device that everything runs on, and owned forms of its objects.
//!
//! There is one context for the whole process: Level Zero lets objects of different contexts meet, OpenCL does not.

mod api;
mod device;
mod event;
mod program;
mod queue;

pub(crate) use device::{Cl, Kind};
pub(crate) use event::Event;
pub(crate) use program::{Kernel, Program};
pub(crate) use queue::{Order, Queue, Traits};

use opencl_sys::cl_int;

/// An error code of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClError(pub cl_int);

pub(crate) type Result<T = ()> = std::result::Result<T, ClError>;

fn check(code: cl_int) -> Result {
    if code == 0 { Ok(()) } else { Err(ClError(code)) }
}

/// The loader's functions. Objects of OpenCL exist only after it was found.
fn api() -> &'static api::Api {
    api::Api::get().expect("the loader that made this object")
}

/// What an OpenCL query of varying size returns.
fn info<T: Copy + Default>(query: impl Fn(usize, *mut std::ffi::c_void, *mut usize) -> cl_int) -> Result<Vec<T>> {
    let mut size = 0;
    check(query(0, std::ptr::null_mut(), &mut size))?;
    let mut values = vec![T::default(); size / size_of::<T>()];
    check(query(size_of_val(&values[..]), values.as_mut_ptr().cast(), std::ptr::null_mut()))?;
    Ok(values)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
}
