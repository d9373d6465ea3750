//! `zeContext*`.

use std::ffi::c_void;

use crate::bindings::*;
use crate::boundary::entries;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::driver::Driver;
use crate::{Error, handle, pointer};

entries! {
    fn zeContextCreate(
        driver: ze_driver_handle_t,
        desc: *const ze_context_desc_t,
        context: *mut ze_context_handle_t,
    ) {
        handle::get::<Driver>(driver)?;
        pointer::required(desc)?;
        pointer::non_null(context)?;
        pointer::write(context, Context::create())
    }

    fn zeContextCreateEx(
        driver: ze_driver_handle_t,
        desc: *const ze_context_desc_t,
        count: u32,
        devices: *mut ze_device_handle_t,
        context: *mut ze_context_handle_t,
    ) {
        handle::get::<Driver>(driver)?;
        pointer::required(desc)?;
        pointer::non_null(context)?;
        handle::get_all::<Device>(pointer::slice(devices, count as usize)?)?;
        pointer::write(context, Context::create())
    }

    fn zeContextDestroy(context: ze_context_handle_t) {
        handle::destroy::<Context>(context).map(drop)
    }

    fn zeContextGetStatus(context: ze_context_handle_t) {
        handle::get::<Context>(context).map(drop)
    }

    fn zeContextSystemBarrier(context: ze_context_handle_t, device: ze_device_handle_t) {
        handle::get::<Context>(context)?;
        handle::get::<Device>(device).map(drop)
    }

    fn zeContextMakeMemoryResident(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        address: *mut c_void,
        size: usize,
    ) {
        resident(context, device, address, size)
    }

    fn zeContextEvictMemory(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        address: *mut c_void,
        size: usize,
    ) {
        resident(context, device, address, size)
    }
}

/// OpenCL keeps memory where it is wanted: there is nothing to do but to check.
fn resident(
    context: ze_context_handle_t,
    device: ze_device_handle_t,
    address: *mut c_void,
    size: usize,
) -> crate::Result {
    let context = handle::get::<Context>(context)?;
    let device = handle::get::<Device>(device)?;
    pointer::non_null(address)?;
    if size == 0 {
        return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_SIZE));
    }
    let is_known = device.cl.shares_system_memory() || device.memory.find(context, address).is_some();
    if is_known { Ok(()) } else { Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)) }
}
