//! The functions of the Level Zero loader, found at run time.

use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::bindings::*;
use super::code::check;
use crate::runtime::loader::{Callable, functions};
use crate::{Error, Result};

functions! {
    loader {
        /// Unless a loader was named, the one that the program's own calls reach comes first: handles of two loaders do not
        /// mix.
        variable: "OXIDNN_LEVEL_ZERO_LIB",
        file: "libze_loader.so.1",
    }
    required {
        zeCommandListAppendBarrier: ze_pfnCommandListAppendBarrier_t,
        zeCommandListAppendLaunchKernel: ze_pfnCommandListAppendLaunchKernel_t,
        zeCommandListAppendMemoryCopy: ze_pfnCommandListAppendMemoryCopy_t,
        zeCommandListCreateImmediate: ze_pfnCommandListCreateImmediate_t,
        zeCommandListDestroy: ze_pfnCommandListDestroy_t,
        zeContextCreate: ze_pfnContextCreate_t,
        zeContextDestroy: ze_pfnContextDestroy_t,
        zeContextGetStatus: ze_pfnContextGetStatus_t,
        zeDeviceGet: ze_pfnDeviceGet_t,
        zeDeviceGetCacheProperties: ze_pfnDeviceGetCacheProperties_t,
        zeDeviceGetCommandQueueGroupProperties: ze_pfnDeviceGetCommandQueueGroupProperties_t,
        zeDeviceGetComputeProperties: ze_pfnDeviceGetComputeProperties_t,
        zeDeviceGetMemoryAccessProperties: ze_pfnDeviceGetMemoryAccessProperties_t,
        zeDeviceGetModuleProperties: ze_pfnDeviceGetModuleProperties_t,
        zeDeviceGetProperties: ze_pfnDeviceGetProperties_t,
        zeDeviceGetSubDevices: ze_pfnDeviceGetSubDevices_t,
        zeDriverGet: ze_pfnDriverGet_t,
        zeDriverGetApiVersion: ze_pfnDriverGetApiVersion_t,
        zeDriverGetExtensionFunctionAddress: ze_pfnDriverGetExtensionFunctionAddress_t,
        zeDriverGetProperties: ze_pfnDriverGetProperties_t,
        zeEventCreate: ze_pfnEventCreate_t,
        zeEventDestroy: ze_pfnEventDestroy_t,
        zeEventHostReset: ze_pfnEventHostReset_t,
        zeEventHostSynchronize: ze_pfnEventHostSynchronize_t,
        zeEventPoolCreate: ze_pfnEventPoolCreate_t,
        zeEventPoolDestroy: ze_pfnEventPoolDestroy_t,
        zeEventQueryKernelTimestamp: ze_pfnEventQueryKernelTimestamp_t,
        zeEventQueryStatus: ze_pfnEventQueryStatus_t,
        zeInit: ze_pfnInit_t,
        zeKernelCreate: ze_pfnKernelCreate_t,
        zeKernelDestroy: ze_pfnKernelDestroy_t,
        zeKernelGetProperties: ze_pfnKernelGetProperties_t,
        zeKernelSetArgumentValue: ze_pfnKernelSetArgumentValue_t,
        zeKernelSetGroupSize: ze_pfnKernelSetGroupSize_t,
        zeKernelSuggestGroupSize: ze_pfnKernelSuggestGroupSize_t,
        zeMemAllocDevice: ze_pfnMemAllocDevice_t,
        zeMemAllocHost: ze_pfnMemAllocHost_t,
        zeMemAllocShared: ze_pfnMemAllocShared_t,
        zeMemFree: ze_pfnMemFree_t,
        zeMemGetAddressRange: ze_pfnMemGetAddressRange_t,
        zeMemGetAllocProperties: ze_pfnMemGetAllocProperties_t,
        zeModuleBuildLogDestroy: ze_pfnModuleBuildLogDestroy_t,
        zeModuleBuildLogGetString: ze_pfnModuleBuildLogGetString_t,
        zeModuleCreate: ze_pfnModuleCreate_t,
        zeModuleDestroy: ze_pfnModuleDestroy_t,
        zeModuleGetNativeBinary: ze_pfnModuleGetNativeBinary_t,
    }
    optional {
        zeCommandListGetContextHandle: ze_pfnCommandListGetContextHandle_t,
        zeCommandListGetDeviceHandle: ze_pfnCommandListGetDeviceHandle_t,
        zeCommandListHostSynchronize: ze_pfnCommandListHostSynchronize_t,
        zeCommandListIsImmediate: ze_pfnCommandListIsImmediate_t,
        zeInitDrivers: ze_pfnInitDrivers_t,
        zeMemFreeExt: ze_pfnMemFreeExt_t,
    }
}

impl Api {
    /// The loader's functions; the first call opens and initialises it.
    pub(super) fn get() -> Result<&'static Api> {
        static API: OnceLock<Result<Api, Error>> = OnceLock::new();
        API.get_or_init(Api::open).as_ref().map_err(Error::clone)
    }

    fn open() -> Result<Api> {
        let name = loader_name();
        let fail = |e| Error::runtime(format!("no Level Zero loader ({}): {e}", name.display()));
        let library = open_loader(&name).map_err(fail)?;
        let api = Api::find(&library).map_err(fail)?;
        // Drivers start threads and register exit handlers: unloading one is never safe.
        std::mem::forget(library);
        // SAFETY: no flags: drivers of every kind. Any number of calls is allowed.
        let code = unsafe { (api.zeInit)(0) };
        // One driver that fails must not hide the others.
        if api.drivers().is_empty() {
            check(code, "zeInit")?;
        }
        Ok(api)
    }

    /// The drivers there are.
    pub(super) fn drivers(&self) -> Vec<ze_driver_handle_t> {
        self.drivers_of_every_kind().unwrap_or_else(|| {
            // SAFETY: `out` has room for as many drivers as `count` says.
            list(|count, out| unsafe { (self.zeDriverGet)(count, out) })
        })
    }

    /// Whether the log of a failed build can be read. Loaders before 1.18 hand out a log that they cannot read themselves when
    /// they wrap handles, which they do for several drivers and on demand.
    pub(super) fn gives_logs(&self) -> bool {
        let wraps = || self.drivers().len() > 1 || std::env::var_os("ZE_ENABLE_LOADER_INTERCEPT").is_some();
        self.zeInitDrivers.is_some() || !wraps()
    }

    /// Initialises the drivers and lists them the way that Level Zero 1.10 brought, where that finds any.
    fn drivers_of_every_kind(&self) -> Option<Vec<ze_driver_handle_t>> {
        let init = self.zeInitDrivers?;
        let stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC;
        let mut desc = ze_init_driver_type_desc_t { stype, flags: u32::MAX, ..Default::default() };
        // SAFETY: `out` has room for as many drivers as `count` says. Any number of calls is allowed.
        let drivers = list(|count, out| unsafe { init(count, out, &mut desc) });
        (!drivers.is_empty()).then_some(drivers)
    }
}

/// Reads a list that a `ze…Get` call gives; nothing found and failure are both an empty list.
pub(super) fn list<T>(mut call: impl FnMut(*mut u32, *mut *mut T) -> ze_result_t) -> Vec<*mut T> {
    let mut count = 0;
    if call(&mut count, ptr::null_mut()) != ZE_RESULT_SUCCESS || count == 0 {
        return Vec::new();
    }
    let mut found = vec![ptr::null_mut(); count as usize];
    if call(&mut count, found.as_mut_ptr()) != ZE_RESULT_SUCCESS {
        return Vec::new();
    }
    found.truncate(count as usize);
    found
}
