//! One owned reference to an OpenCL object, and the questions one can ask any of them.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use opencl_sys::*;

use super::api::Api;
use super::code::check;
use crate::{Error, Result};

/// What an object is: how its references are counted, and what it is called in messages.
pub(super) trait Kind {
    const NAME: &'static str;
    fn retain(api: &Api) -> unsafe extern "C" fn(*mut c_void) -> cl_int;
    fn release(api: &Api) -> unsafe extern "C" fn(*mut c_void) -> cl_int;
}

macro_rules! kinds {
    ($($kind:ident $name:literal $retain:ident $release:ident;)*) => {
        $(
            pub(super) enum $kind {}

            impl Kind for $kind {
                const NAME: &'static str = $name;

                fn retain(api: &Api) -> unsafe extern "C" fn(*mut c_void) -> cl_int {
                    api.$retain
                }

                fn release(api: &Api) -> unsafe extern "C" fn(*mut c_void) -> cl_int {
                    api.$release
                }
            }
        )*
    };
}

kinds! {
    DeviceKind "device" clRetainDevice clReleaseDevice;
    ContextKind "context" clRetainContext clReleaseContext;
    QueueKind "command queue" clRetainCommandQueue clReleaseCommandQueue;
    MemKind "memory object" clRetainMemObject clReleaseMemObject;
    ProgramKind "program" clRetainProgram clReleaseProgram;
    KernelKind "kernel" clRetainKernel clReleaseKernel;
    EventKind "event" clRetainEvent clReleaseEvent;
}

/// One reference to an object, given back on drop.
pub(super) struct Handle<K: Kind> {
    api: &'static Api,
    raw: *mut c_void,
    kind: PhantomData<K>,
}

// SAFETY: OpenCL objects may be used from any thread. The exception, setting the arguments of one kernel from two
// threads, takes `&mut Handle<KernelKind>` here.
unsafe impl<K: Kind> Send for Handle<K> {}
// SAFETY: as above.
unsafe impl<K: Kind> Sync for Handle<K> {}

impl<K: Kind> Handle<K> {
    /// Adds a reference to somebody else's object.
    ///
    /// # Safety
    /// `raw` is null or a live object of the kind.
    pub(super) unsafe fn retain(api: &'static Api, raw: *mut c_void) -> Result<Handle<K>> {
        if raw.is_null() {
            return Err(Error::invalid(format!("the {} is null", K::NAME)));
        }
        // SAFETY: the caller promises a live object.
        let code = unsafe { K::retain(api)(raw) };
        if code != CL_SUCCESS {
            let reason = check(code, "retaining it").unwrap_err();
            return Err(Error::invalid(format!("not a valid {}: {reason}", K::NAME)));
        }
        Ok(Handle { api, raw, kind: PhantomData })
    }

    /// Takes over the reference that a `clCreate…` or `clEnqueue…` call returned along with `code`.
    ///
    /// # Safety
    /// If `code` is success, `raw` is an object of the kind with a reference that nobody else releases.
    pub(super) unsafe fn created(api: &'static Api, raw: *mut c_void, code: cl_int, call: &str) -> Result<Handle<K>> {
        check(code, call)?;
        if raw.is_null() {
            return Err(Error::runtime(format!("{call} returned no {} and no error", K::NAME)));
        }
        Ok(Handle { api, raw, kind: PhantomData })
    }

    /// The object; no reference is added.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// Hands the reference over to the caller.
    pub(super) fn into_raw(self) -> *mut c_void {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }

    pub(super) fn api(&self) -> &'static Api {
        self.api
    }
}

impl<K: Kind> Clone for Handle<K> {
    fn clone(&self) -> Handle<K> {
        // SAFETY: the object is alive while this reference exists.
        unsafe { K::retain(self.api)(self.raw) };
        Handle { api: self.api, raw: self.raw, kind: PhantomData }
    }
}

impl<K: Kind> Drop for Handle<K> {
    fn drop(&mut self) {
        // SAFETY: the reference is this handle's own.
        unsafe { K::release(self.api)(self.raw) };
    }
}

impl<K: Kind> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:p}", K::NAME, self.raw)
    }
}

/// A `clGet…Info` function.
pub(super) type Getter = unsafe extern "C" fn(*mut c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;

/// A plain type that `clGet…Info` writes.
///
/// # Safety
/// Every bit pattern, zero among them, is a value of the type.
pub(super) unsafe trait Plain: Copy {}

// SAFETY: an integer.
unsafe impl Plain for cl_int {}
// SAFETY: an integer.
unsafe impl Plain for cl_uint {}
// SAFETY: an integer.
unsafe impl Plain for cl_ulong {}
// SAFETY: an integer.
unsafe impl Plain for usize {}
// SAFETY: an address that is not dereferenced.
unsafe impl Plain for *mut c_void {}

/// Asks for one value. A driver that answers with fewer bytes leaves the rest zero.
///
/// # Safety
/// `object` is a live object of the kind that `getter` takes.
pub(super) unsafe fn info<T: Plain>(getter: Getter, object: *mut c_void, what: cl_uint) -> Result<T, cl_int> {
    // SAFETY: zero is a value of a plain type.
    let mut value: T = unsafe { std::mem::zeroed() };
    // SAFETY: the caller promises a live object; the size is that of the value.
    let code = unsafe { getter(object, what, size_of::<T>(), (&raw mut value).cast(), ptr::null_mut()) };
    if code == CL_SUCCESS { Ok(value) } else { Err(code) }
}

/// Asks for a list of values.
///
/// # Safety
/// `object` is a live object of the kind that `getter` takes.
pub(super) unsafe fn info_list<T: Plain>(getter: Getter, object: *mut c_void, what: cl_uint) -> Result<Vec<T>, cl_int> {
    let mut bytes = 0;
    // SAFETY: the caller promises a live object; no value is asked for, only its size.
    let code = unsafe { getter(object, what, 0, ptr::null_mut(), &mut bytes) };
    if code != CL_SUCCESS {
        return Err(code);
    }
    let count = bytes / size_of::<T>();
    let mut values = Vec::<T>::with_capacity(count);
    if count == 0 {
        return Ok(values);
    }
    // SAFETY: the vector has room for what the driver said it would write, and each of its values is plain; the memory
    // is zeroed first in case the driver writes less.
    unsafe {
        ptr::write_bytes(values.as_mut_ptr(), 0, count);
        let code = getter(object, what, count * size_of::<T>(), values.as_mut_ptr().cast(), ptr::null_mut());
        if code != CL_SUCCESS {
            return Err(code);
        }
        values.set_len(count);
    }
    Ok(values)
}

// SAFETY: an integer.
unsafe impl Plain for u8 {}

/// Asks for a string.
///
/// # Safety
/// `object` is a live object of the kind that `getter` takes.
pub(super) unsafe fn info_string(getter: Getter, object: *mut c_void, what: cl_uint) -> Result<String, cl_int> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { info_list::<u8>(getter, object, what)? };
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Ok(String::from_utf8_lossy(&bytes[..end]).trim().to_owned())
}
