//! Handles: what the API's opaque pointers point to.
//!
//! A handle starts with a tag that says what it is, so that a handle of another kind is an error and not undefined behaviour.
//! It owns a reference to its object; work under way owns others, so a handle may go before its work is done.

use std::sync::Arc;

use crate::bindings::*;
use crate::{Error, Result};

/// What objects with handles have to say about themselves.
pub(crate) trait Object: Sized + 'static {
    /// What the handle points to in C.
    type Raw;
    /// A number of their own.
    const TAG: u64;
}

#[repr(C)]
struct Handle<T> {
    tag: u64,
    object: Arc<T>,
}

/// Ties the C handles to the objects behind them.
macro_rules! objects {
    ($($type:ty: $raw:ty = $tag:literal,)*) => {
        $(
            impl Object for $type {
                type Raw = $raw;
                const TAG: u64 = u64::from_le_bytes(*$tag);
            }
        )*
    };
}

objects! {
    crate::core::driver::Driver: _ze_driver_handle_t = b"zedriver",
    crate::core::device::Device: _ze_device_handle_t = b"zedevice",
    crate::core::context::Context: _ze_context_handle_t = b"zecontxt",
    crate::core::command_queue::CommandQueue: _ze_command_queue_handle_t = b"zecqueue",
    crate::core::command_list::CommandList: _ze_command_list_handle_t = b"zecmdlst",
    crate::core::fence::Fence: _ze_fence_handle_t = b"ze_fence",
    crate::core::event::EventPool: _ze_event_pool_handle_t = b"ze_epool",
    crate::core::event::Event: _ze_event_handle_t = b"ze_event",
    crate::core::module::Module: _ze_module_handle_t = b"zemodule",
    crate::core::module::BuildLog: _ze_module_build_log_handle_t = b"zebldlog",
    crate::core::kernel::Kernel: _ze_kernel_handle_t = b"zekernel",
}

/// A new handle of an object.
pub(crate) fn create<T: Object>(object: Arc<T>) -> *mut T::Raw {
    create_with(|_| object)
}

/// A new handle of an object that is asked for it later.
pub(crate) fn create_with<T: Object>(make: impl FnOnce(*mut T::Raw) -> Arc<T>) -> *mut T::Raw {
    let mut place = Box::<Handle<T>>::new_uninit();
    let handle = place.as_mut_ptr().cast();
    place.write(Handle { tag: T::TAG, object: make(handle) });
    Box::into_raw(place).cast()
}

/// The object of a handle.
pub(crate) fn get<'a, T: Object>(handle: *mut T::Raw) -> Result<&'a Arc<T>> {
    if handle.is_null() {
        return Err(Error(ZE_RESULT_ERROR_INVALID_NULL_HANDLE));
    }
    let pointer = handle.cast::<Handle<T>>();
    if !pointer.is_aligned() {
        return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    }
    // SAFETY: the API's contract is that a handle is one that was given out and not destroyed yet, and every one starts
    // with a tag.
    if unsafe { (*pointer).tag } != T::TAG {
        return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
    }
    // SAFETY: the tag says that it is one of this type.
    Ok(unsafe { &(*pointer).object })
}

/// The objects of an array of handles.
pub(crate) fn get_all<T: Object>(handles: &[*mut T::Raw]) -> Result<Vec<Arc<T>>> {
    handles.iter().map(|handle| get(*handle).cloned()).collect()
}

/// Ends a handle and gives back its object.
pub(crate) fn destroy<T: Object>(handle: *mut T::Raw) -> Result<Arc<T>> {
    get::<T>(handle)?;
    let pointer = handle.cast::<Handle<T>>();
    // SAFETY: it is a live handle of this type, and with this call the caller gives it up. The tag goes first, for callers
    // that use it once more all the same.
    let handle = unsafe {
        std::ptr::addr_of_mut!((*pointer).tag).write_volatile(0);
        Box::from_raw(pointer)
    };
    Ok(handle.object)
}
