//! `zeMem*`.

use std::ffi::c_void;
use std::sync::Arc;

use crate::bindings::*;
use crate::boundary::entries;
use crate::cl::Kind;
use crate::core::context::Context;
use crate::core::device::{Device, Free};
use crate::core::driver::Driver;
use crate::{Error, Result, handle, pointer};

/// What OpenCL leaves out of an allocation's properties.
const PAGE: u64 = 4096;

entries! {
    fn zeMemAllocShared(
        context: ze_context_handle_t,
        device_desc: *const ze_device_mem_alloc_desc_t,
        host_desc: *const ze_host_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        device: ze_device_handle_t,
        out: *mut *mut c_void,
    ) {
        let context = handle::get::<Context>(context)?;
        if !device.is_null() {
            handle::get::<Device>(device)?;
        }
        let flags = pointer::required(device_desc)?.flags;
        pointer::required(host_desc)?;
        check_flags(flags)?;
        allocate(context, Kind::Shared, size, alignment, out)
    }

    fn zeMemAllocDevice(
        context: ze_context_handle_t,
        desc: *const ze_device_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        device: ze_device_handle_t,
        out: *mut *mut c_void,
    ) {
        let context = handle::get::<Context>(context)?;
        handle::get::<Device>(device)?;
        check_flags(pointer::required(desc)?.flags)?;
        allocate(context, Kind::Device, size, alignment, out)
    }

    fn zeMemAllocHost(
        context: ze_context_handle_t,
        desc: *const ze_host_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        out: *mut *mut c_void,
    ) {
        let context = handle::get::<Context>(context)?;
        pointer::required(desc)?;
        allocate(context, Kind::Host, size, alignment, out)
    }

    fn zeMemFree(context: ze_context_handle_t, address: *mut c_void) {
        let context = handle::get::<Context>(context)?;
        pointer::non_null(address)?;
        Driver::device()?.free(context, address, Free::Now)
    }

    fn zeMemFreeExt(
        context: ze_context_handle_t,
        desc: *const ze_memory_free_ext_desc_t,
        address: *mut c_void,
    ) {
        let context = handle::get::<Context>(context)?;
        let policy = pointer::required(desc)?.freePolicy;
        pointer::non_null(address)?;
        Driver::device()?.free(context, address, match policy {
            0 => Free::Now,
            ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE => Free::Blocking,
            ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE => Free::Deferred,
            _ => return Err(Error(ZE_RESULT_ERROR_INVALID_ENUMERATION)),
        })
    }

    fn zeMemGetAllocProperties(
        context: ze_context_handle_t,
        address: *const c_void,
        properties: *mut ze_memory_allocation_properties_t,
        out: *mut ze_device_handle_t,
    ) {
        let context = handle::get::<Context>(context)?;
        pointer::non_null(address)?;
        let properties = pointer::output(properties)?;
        let found = Driver::device()?.memory.find(context, address);
        properties.type_ = match found.as_ref().map(|found| found.kind) {
            None => ZE_MEMORY_TYPE_UNKNOWN,
            Some(Kind::Host) => ZE_MEMORY_TYPE_HOST,
            Some(Kind::Device) => ZE_MEMORY_TYPE_DEVICE,
            Some(Kind::Shared) => ZE_MEMORY_TYPE_SHARED,
        };
        properties.id = found.as_ref().map_or(0, |found| found.id);
        properties.pageSize = if found.is_some() { PAGE } else { 0 };
        if !out.is_null() {
            let has_device = found.is_some_and(|found| found.kind != Kind::Host);
            pointer::write(out, if has_device { Driver::device_handle()? } else { std::ptr::null_mut() })?;
        }
        Ok(())
    }

    fn zeMemGetAddressRange(
        context: ze_context_handle_t,
        address: *const c_void,
        base: *mut *mut c_void,
        size: *mut usize,
    ) {
        let context = handle::get::<Context>(context)?;
        pointer::non_null(address)?;
        let found = Driver::device()?.memory.find(context, address).ok_or(Error(ZE_RESULT_ERROR_ADDRESS_NOT_FOUND))?;
        if !base.is_null() {
            pointer::write(base, found.base as *mut c_void)?;
        }
        if !size.is_null() {
            pointer::write(size, found.size)?;
        }
        Ok(())
    }
}

fn check_flags(flags: ze_device_mem_alloc_flags_t) -> Result {
    let known = ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED
        | ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED
        | ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
    super::enumerator(flags & !known == 0)
}

fn allocate(context: &Arc<Context>, kind: Kind, size: usize, alignment: usize, out: *mut *mut c_void) -> Result {
    pointer::non_null(out)?;
    let device = Driver::device()?;
    if size == 0 || size as u64 > device.largest_allocation() {
        return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_SIZE));
    }
    if alignment != 0 && !alignment.is_power_of_two() {
        return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT));
    }
    pointer::write(out, device.memory.allocate(context, kind, size, alignment)?)
}
