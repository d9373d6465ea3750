//! The tables of functions that the loader asks for, from one list of names, slots and versions.
//!
//! A loader asks with the version of the API that it was made for, and its table ends where that version's does: a slot is
//! written only if that version has it. A `-` stands for a function that answers "unsupported"; what came after the version
//! that the driver speaks is left out instead, unless it is there. The slots' types are the
//! headers', so a function with another signature does not compile. These getters are all that the library exports; had it
//! symbols named like the API, a program that links the loader would make the driver call itself.

use std::ffi::c_void;

use crate::api::{
    command_list::*, command_queue::*, context::*, copy::*, device::*, driver::*, event::*, fence::*, kernel::*,
    launch::*, memory::*, module::*,
};
use crate::bindings::*;
use crate::boundary::Unsupported;

/// The answer to a getter: major versions must be the same.
fn check<T>(version: ze_api_version_t, table: *mut T) -> ze_result_t {
    const MAJOR: ze_api_version_t = 1;
    if table.is_null() {
        ZE_RESULT_ERROR_INVALID_NULL_POINTER
    } else if version >> 16 != MAJOR {
        ZE_RESULT_ERROR_UNSUPPORTED_VERSION
    } else {
        ZE_RESULT_SUCCESS
    }
}

/// Whether a version has what came with a minor version.
fn has(version: ze_api_version_t, minor: ze_api_version_t) -> bool {
    version & 0xffff >= minor
}

/// Makes a slot's function of the list's word for it.
macro_rules! function {
    (-) => {
        Some(Unsupported::UNSUPPORTED)
    };
    ($name:ident) => {
        Some($name)
    };
}

macro_rules! tables {
    ($($getter:ident($table:ty) { $($slot:ident: $function:tt since $minor:literal,)* })*) => {
        $(
            /// Fills a table.
            ///
            /// # Safety
            /// The table has the slots of the version that is asked for.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $getter(version: ze_api_version_t, table: *mut $table) -> ze_result_t {
                let answer = check(version, table);
                if answer == ZE_RESULT_SUCCESS {
                    $(
                        if has(version, $minor) {
                            // SAFETY: the caller's promise. Only the slot's address is taken: the table may end behind it.
                            unsafe { (&raw mut (*table).$slot).write(function!($function)) };
                        }
                    )*
                }
                answer
            }
        )*
    };
}

macro_rules! empty_tables {
    ($($getter:ident)*) => {
        $(
            /// Leaves a table empty: the driver has none of these functions.
            ///
            /// # Safety
            /// The table is not used.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $getter(version: ze_api_version_t, table: *mut c_void) -> ze_result_t {
                check(version, table)
            }
        )*
    };
}

tables! {
    zeGetGlobalProcAddrTable(ze_global_dditable_t) {
        pfnInit: zeInit since 0,
        pfnInitDrivers: zeInitDrivers since 11,
    }
    zeGetDriverProcAddrTable(ze_driver_dditable_t) {
        pfnGet: zeDriverGet since 0,
        pfnGetApiVersion: zeDriverGetApiVersion since 0,
        pfnGetProperties: zeDriverGetProperties since 0,
        pfnGetIpcProperties: zeDriverGetIpcProperties since 0,
        pfnGetExtensionProperties: zeDriverGetExtensionProperties since 0,
        pfnGetExtensionFunctionAddress: zeDriverGetExtensionFunctionAddress since 1,
        pfnGetLastErrorDescription: zeDriverGetLastErrorDescription since 6,
    }
    zeGetDeviceProcAddrTable(ze_device_dditable_t) {
        pfnGet: zeDeviceGet since 0,
        pfnGetSubDevices: zeDeviceGetSubDevices since 0,
        pfnGetProperties: zeDeviceGetProperties since 0,
        pfnGetComputeProperties: zeDeviceGetComputeProperties since 0,
        pfnGetModuleProperties: zeDeviceGetModuleProperties since 0,
        pfnGetCommandQueueGroupProperties: zeDeviceGetCommandQueueGroupProperties since 0,
        pfnGetMemoryProperties: zeDeviceGetMemoryProperties since 0,
        pfnGetMemoryAccessProperties: zeDeviceGetMemoryAccessProperties since 0,
        pfnGetCacheProperties: zeDeviceGetCacheProperties since 0,
        pfnGetImageProperties: zeDeviceGetImageProperties since 0,
        pfnGetExternalMemoryProperties: zeDeviceGetExternalMemoryProperties since 0,
        pfnGetP2PProperties: zeDeviceGetP2PProperties since 0,
        pfnCanAccessPeer: zeDeviceCanAccessPeer since 0,
        pfnGetStatus: zeDeviceGetStatus since 0,
        pfnGetGlobalTimestamps: zeDeviceGetGlobalTimestamps since 1,
        pfnReserveCacheExt: - since 2,
        pfnSetCacheAdviceExt: - since 2,
        pfnPciGetPropertiesExt: zeDevicePciGetPropertiesExt since 3,
        pfnGetRootDevice: zeDeviceGetRootDevice since 7,
        pfnImportExternalSemaphoreExt: - since 12,
        pfnReleaseExternalSemaphoreExt: - since 12,
    }
    zeGetContextProcAddrTable(ze_context_dditable_t) {
        pfnCreate: zeContextCreate since 0,
        pfnDestroy: zeContextDestroy since 0,
        pfnGetStatus: zeContextGetStatus since 0,
        pfnSystemBarrier: zeContextSystemBarrier since 0,
        pfnMakeMemoryResident: zeContextMakeMemoryResident since 0,
        pfnEvictMemory: zeContextEvictMemory since 0,
        pfnMakeImageResident: - since 0,
        pfnEvictImage: - since 0,
        pfnCreateEx: zeContextCreateEx since 1,
    }
    zeGetCommandQueueProcAddrTable(ze_command_queue_dditable_t) {
        pfnCreate: zeCommandQueueCreate since 0,
        pfnDestroy: zeCommandQueueDestroy since 0,
        pfnExecuteCommandLists: zeCommandQueueExecuteCommandLists since 0,
        pfnSynchronize: zeCommandQueueSynchronize since 0,
        pfnGetOrdinal: zeCommandQueueGetOrdinal since 9,
        pfnGetIndex: zeCommandQueueGetIndex since 9,
    }
    zeGetCommandListProcAddrTable(ze_command_list_dditable_t) {
        pfnCreate: zeCommandListCreate since 0,
        pfnCreateImmediate: zeCommandListCreateImmediate since 0,
        pfnDestroy: zeCommandListDestroy since 0,
        pfnClose: zeCommandListClose since 0,
        pfnReset: zeCommandListReset since 0,
        pfnAppendWriteGlobalTimestamp: zeCommandListAppendWriteGlobalTimestamp since 0,
        pfnAppendBarrier: zeCommandListAppendBarrier since 0,
        pfnAppendMemoryRangesBarrier: zeCommandListAppendMemoryRangesBarrier since 0,
        pfnAppendMemoryCopy: zeCommandListAppendMemoryCopy since 0,
        pfnAppendMemoryFill: zeCommandListAppendMemoryFill since 0,
        pfnAppendMemoryCopyRegion: zeCommandListAppendMemoryCopyRegion since 0,
        pfnAppendMemoryCopyFromContext: zeCommandListAppendMemoryCopyFromContext since 0,
        pfnAppendImageCopy: - since 0,
        pfnAppendImageCopyRegion: - since 0,
        pfnAppendImageCopyToMemory: - since 0,
        pfnAppendImageCopyFromMemory: - since 0,
        pfnAppendMemoryPrefetch: zeCommandListAppendMemoryPrefetch since 0,
        pfnAppendMemAdvise: zeCommandListAppendMemAdvise since 0,
        pfnAppendSignalEvent: zeCommandListAppendSignalEvent since 0,
        pfnAppendWaitOnEvents: zeCommandListAppendWaitOnEvents since 0,
        pfnAppendEventReset: zeCommandListAppendEventReset since 0,
        pfnAppendQueryKernelTimestamps: zeCommandListAppendQueryKernelTimestamps since 0,
        pfnAppendLaunchKernel: zeCommandListAppendLaunchKernel since 0,
        pfnAppendLaunchCooperativeKernel: zeCommandListAppendLaunchCooperativeKernel since 0,
        pfnAppendLaunchKernelIndirect: zeCommandListAppendLaunchKernelIndirect since 0,
        pfnAppendLaunchMultipleKernelsIndirect: zeCommandListAppendLaunchMultipleKernelsIndirect since 0,
        pfnAppendImageCopyToMemoryExt: - since 3,
        pfnAppendImageCopyFromMemoryExt: - since 3,
        pfnHostSynchronize: zeCommandListHostSynchronize since 6,
        pfnGetDeviceHandle: zeCommandListGetDeviceHandle since 9,
        pfnGetContextHandle: zeCommandListGetContextHandle since 9,
        pfnGetOrdinal: zeCommandListGetOrdinal since 9,
        pfnImmediateGetIndex: zeCommandListImmediateGetIndex since 9,
        pfnIsImmediate: zeCommandListIsImmediate since 9,
        pfnAppendSignalExternalSemaphoreExt: - since 12,
        pfnAppendWaitExternalSemaphoreExt: - since 12,
    }
    zeGetCommandListExpProcAddrTable(ze_command_list_exp_dditable_t) {
        pfnCreateCloneExp: - since 12,
        pfnImmediateAppendCommandListsExp: zeCommandListImmediateAppendCommandListsExp since 12,
        pfnGetNextCommandIdExp: - since 12,
        pfnUpdateMutableCommandsExp: - since 12,
        pfnUpdateMutableCommandSignalEventExp: - since 12,
        pfnUpdateMutableCommandWaitEventsExp: - since 12,
        pfnGetNextCommandIdWithKernelsExp: - since 12,
        pfnUpdateMutableCommandKernelsExp: - since 12,
    }
    zeGetFenceProcAddrTable(ze_fence_dditable_t) {
        pfnCreate: zeFenceCreate since 0,
        pfnDestroy: zeFenceDestroy since 0,
        pfnHostSynchronize: zeFenceHostSynchronize since 0,
        pfnQueryStatus: zeFenceQueryStatus since 0,
        pfnReset: zeFenceReset since 0,
    }
    zeGetEventPoolProcAddrTable(ze_event_pool_dditable_t) {
        pfnCreate: zeEventPoolCreate since 0,
        pfnDestroy: zeEventPoolDestroy since 0,
        pfnGetIpcHandle: - since 0,
        pfnOpenIpcHandle: - since 0,
        pfnCloseIpcHandle: - since 0,
        pfnPutIpcHandle: - since 6,
        pfnGetContextHandle: zeEventPoolGetContextHandle since 9,
        pfnGetFlags: zeEventPoolGetFlags since 9,
    }
    zeGetEventProcAddrTable(ze_event_dditable_t) {
        pfnCreate: zeEventCreate since 0,
        pfnDestroy: zeEventDestroy since 0,
        pfnHostSignal: zeEventHostSignal since 0,
        pfnHostSynchronize: zeEventHostSynchronize since 0,
        pfnQueryStatus: zeEventQueryStatus since 0,
        pfnHostReset: zeEventHostReset since 0,
        pfnQueryKernelTimestamp: zeEventQueryKernelTimestamp since 0,
        pfnQueryKernelTimestampsExt: zeEventQueryKernelTimestampsExt since 6,
        pfnGetEventPool: zeEventGetEventPool since 9,
        pfnGetSignalScope: zeEventGetSignalScope since 9,
        pfnGetWaitScope: zeEventGetWaitScope since 9,
        pfnCounterBasedCreate: zeEventCounterBasedCreate since 15,
    }
    zeGetEventExpProcAddrTable(ze_event_exp_dditable_t) {
        pfnQueryTimestampsExp: zeEventQueryTimestampsExp since 2,
    }
    zeGetImageProcAddrTable(ze_image_dditable_t) {
        pfnGetProperties: - since 0,
        pfnCreate: - since 0,
        pfnDestroy: - since 0,
        pfnGetAllocPropertiesExt: - since 3,
        pfnViewCreateExt: - since 5,
    }
    zeGetSamplerProcAddrTable(ze_sampler_dditable_t) {
        pfnCreate: - since 0,
        pfnDestroy: - since 0,
    }
    zeGetMemProcAddrTable(ze_mem_dditable_t) {
        pfnAllocShared: zeMemAllocShared since 0,
        pfnAllocDevice: zeMemAllocDevice since 0,
        pfnAllocHost: zeMemAllocHost since 0,
        pfnFree: zeMemFree since 0,
        pfnGetAllocProperties: zeMemGetAllocProperties since 0,
        pfnGetAddressRange: zeMemGetAddressRange since 0,
        pfnGetIpcHandle: - since 0,
        pfnOpenIpcHandle: - since 0,
        pfnCloseIpcHandle: - since 0,
        pfnFreeExt: zeMemFreeExt since 3,
        pfnPutIpcHandle: - since 6,
        pfnGetPitchFor2dImage: - since 9,
    }
    zeGetPhysicalMemProcAddrTable(ze_physical_mem_dditable_t) {
        pfnCreate: - since 0,
        pfnDestroy: - since 0,
    }
    zeGetVirtualMemProcAddrTable(ze_virtual_mem_dditable_t) {
        pfnReserve: - since 0,
        pfnFree: - since 0,
        pfnQueryPageSize: - since 0,
        pfnMap: - since 0,
        pfnUnmap: - since 0,
        pfnSetAccessAttribute: - since 0,
        pfnGetAccessAttribute: - since 0,
    }
    zeGetModuleProcAddrTable(ze_module_dditable_t) {
        pfnCreate: zeModuleCreate since 0,
        pfnDestroy: zeModuleDestroy since 0,
        pfnDynamicLink: zeModuleDynamicLink since 0,
        pfnGetNativeBinary: zeModuleGetNativeBinary since 0,
        pfnGetGlobalPointer: zeModuleGetGlobalPointer since 0,
        pfnGetKernelNames: zeModuleGetKernelNames since 0,
        pfnGetProperties: zeModuleGetProperties since 0,
        pfnGetFunctionPointer: zeModuleGetFunctionPointer since 0,
        pfnInspectLinkageExt: - since 3,
    }
    zeGetModuleBuildLogProcAddrTable(ze_module_build_log_dditable_t) {
        pfnDestroy: zeModuleBuildLogDestroy since 0,
        pfnGetString: zeModuleBuildLogGetString since 0,
    }
    zeGetKernelProcAddrTable(ze_kernel_dditable_t) {
        pfnCreate: zeKernelCreate since 0,
        pfnDestroy: zeKernelDestroy since 0,
        pfnSetCacheConfig: zeKernelSetCacheConfig since 0,
        pfnSetGroupSize: zeKernelSetGroupSize since 0,
        pfnSuggestGroupSize: zeKernelSuggestGroupSize since 0,
        pfnSuggestMaxCooperativeGroupCount: zeKernelSuggestMaxCooperativeGroupCount since 0,
        pfnSetArgumentValue: zeKernelSetArgumentValue since 0,
        pfnSetIndirectAccess: zeKernelSetIndirectAccess since 0,
        pfnGetIndirectAccess: zeKernelGetIndirectAccess since 0,
        pfnGetSourceAttributes: zeKernelGetSourceAttributes since 0,
        pfnGetProperties: zeKernelGetProperties since 0,
        pfnGetName: zeKernelGetName since 0,
    }
    zeGetKernelExpProcAddrTable(ze_kernel_exp_dditable_t) {
        pfnSetGlobalOffsetExp: zeKernelSetGlobalOffsetExp since 1,
        pfnSchedulingHintExp: zeKernelSchedulingHintExp since 2,
        pfnGetBinaryExp: zeKernelGetBinaryExp since 12,
    }
}

empty_tables! {
    zetGetCommandListProcAddrTable
    zetGetContextProcAddrTable
    zetGetDebugProcAddrTable
    zetGetDeviceProcAddrTable
    zetGetKernelProcAddrTable
    zetGetMetricProcAddrTable
    zetGetMetricGroupProcAddrTable
    zetGetMetricQueryProcAddrTable
    zetGetMetricQueryPoolProcAddrTable
    zetGetMetricStreamerProcAddrTable
    zetGetModuleProcAddrTable
    zetGetTracerExpProcAddrTable
    zesGetDeviceProcAddrTable
    zesGetDriverProcAddrTable
    zesGetDiagnosticsProcAddrTable
    zesGetEngineProcAddrTable
    zesGetFabricPortProcAddrTable
    zesGetFanProcAddrTable
    zesGetFirmwareProcAddrTable
    zesGetFrequencyProcAddrTable
    zesGetLedProcAddrTable
    zesGetMemoryProcAddrTable
    zesGetPerformanceFactorProcAddrTable
    zesGetPowerProcAddrTable
    zesGetPsuProcAddrTable
    zesGetRasProcAddrTable
    zesGetSchedulerProcAddrTable
    zesGetStandbyProcAddrTable
    zesGetTemperatureProcAddrTable
}
