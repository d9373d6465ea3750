//! `zeInit*` and `zeDriver*`.

use std::ffi::{CStr, c_char, c_void};

use crate::bindings::*;
use crate::boundary::entries;
use crate::core::driver::Driver;
use crate::{Error, Result, handle, pointer};

/// The version of the API that the driver speaks: the newest whose functions all have an answer.
const VERSION: ze_api_version_t = ZE_API_VERSION_1_12;

/// What it can do beyond the core, with versions.
const EXTENSIONS: &[(&str, u32)] = &[
    ("ZE_experimental_module_program", 1 << 16),
    ("ZE_extension_float_atomics", 1 << 16),
    ("ZE_experimental_global_offset", 1 << 16),
    ("ZE_extension_eu_count", 1 << 16),
    ("ZE_extension_memory_free_policies", 1 << 16),
    ("ZE_extension_device_ip_version", 1 << 16),
    ("ZE_extension_kernel_max_group_size_properties", 1 << 16),
    ("ZE_extension_event_query_kernel_timestamps", 1 << 16),
    ("ZE_experimental_event_pool_counter_based", 1 << 16),
    ("ZE_experimental_immediate_command_list_append", 1 << 16),
    ("ZE_extension_kernel_binary_exp", 1 << 16),
    ("ZE_extension_linkonce_odr", 1 << 16),
    ("ZE_extension_subgroups", 1 << 16),
];

entries! {
    fn zeInit(flags: ze_init_flags_t) {
        if flags & !(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY) != 0 {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ENUMERATION));
        }
        if flags == ZE_INIT_FLAG_VPU_ONLY {
            return Err(Error(ZE_RESULT_ERROR_UNINITIALIZED));
        }
        Driver::handle().map(drop)
    }

    fn zeInitDrivers(
        count: *mut u32,
        drivers: *mut ze_driver_handle_t,
        desc: *mut ze_init_driver_type_desc_t,
    ) {
        let flags = pointer::required(desc)?.flags;
        if flags == 0 {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ENUMERATION));
        }
        let found = if flags & ZE_INIT_DRIVER_TYPE_FLAG_GPU != 0 { vec![Driver::handle()?] } else { Vec::new() };
        pointer::list(count, drivers, &found)
    }

    fn zeDriverGet(count: *mut u32, drivers: *mut ze_driver_handle_t) {
        pointer::list(count, drivers, &[Driver::handle()?])
    }

    fn zeDriverGetApiVersion(driver: ze_driver_handle_t, version: *mut ze_api_version_t) {
        handle::get::<Driver>(driver)?;
        pointer::write(version, VERSION)
    }

    fn zeDriverGetProperties(driver: ze_driver_handle_t, properties: *mut ze_driver_properties_t) {
        handle::get::<Driver>(driver)?;
        let properties = pointer::output(properties)?;
        properties.uuid = ze_driver_uuid_t { id: *b"ze-on-cl driver\0" };
        properties.driverVersion = 1;
        for link in pointer::chain(properties.pNext) {
            let free = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES;
            if let Some(free) = link.get::<ze_driver_memory_free_ext_properties_t>(free) {
                free.freePolicies = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE
                    | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
            }
        }
        Ok(())
    }

    fn zeDriverGetIpcProperties(driver: ze_driver_handle_t, properties: *mut ze_driver_ipc_properties_t) {
        handle::get::<Driver>(driver)?;
        pointer::output(properties)?.flags = 0;
        Ok(())
    }

    fn zeDriverGetExtensionProperties(
        driver: ze_driver_handle_t,
        count: *mut u32,
        properties: *mut ze_driver_extension_properties_t,
    ) {
        handle::get::<Driver>(driver)?;
        pointer::structures(count, properties, EXTENSIONS.len(), |index, properties| {
            let (name, version) = EXTENSIONS[index];
            pointer::name(&mut properties.name, name);
            properties.version = version;
        })
    }

    fn zeDriverGetExtensionFunctionAddress(
        driver: ze_driver_handle_t,
        name: *const c_char,
        address: *mut *mut c_void,
    ) {
        handle::get::<Driver>(driver)?;
        pointer::write(address, extension(pointer::text(name)?)?)
    }

    fn zeDriverGetLastErrorDescription(driver: ze_driver_handle_t, text: *mut *const c_char) {
        handle::get::<Driver>(driver)?;
        pointer::write(text, c"".as_ptr())
    }

    /// An extension of Intel's driver: the version as a text. The loader does not stand between: the handle may be one of its own.
    fn zeIntelGetDriverVersionString(driver: ze_driver_handle_t, text: *mut c_char, size: *mut usize) {
        pointer::non_null(driver)?;
        let driver = handle::get::<Driver>(Driver::handle()?)?;
        let (version, size) = (driver.version.to_bytes_with_nul(), pointer::output(size)?);
        // As Intel's driver has it, the size is without the end.
        let length = version.len() - 1;
        if !text.is_null() && *size != 0 {
            let count = if *size > length { version.len() } else { *size };
            pointer::copy(text.cast(), &version[..count])?;
        }
        *size = length;
        Ok(())
    }
}

fn extension(name: &CStr) -> Result<*mut c_void> {
    match name.to_bytes() {
        b"zeIntelGetDriverVersionString" => Ok(zeIntelGetDriverVersionString as *mut c_void),
        _ => Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)),
    }
}
