//! Level Zero through the real loader, with this driver as the only one.

#![allow(dead_code, non_snake_case, missing_docs)]

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use libloading::Library;
pub use ze_on_cl::bindings::*;

macro_rules! functions {
    ($($name:ident: $type:ident,)*) => {
        /// The loader's functions; those that an older one lacks are none.
        pub struct Functions {
            $(pub $name: $type,)*
        }

        impl Functions {
            fn find(library: &Library) -> Functions {
                // SAFETY: each symbol has the type that the headers give it.
                unsafe {
                    Functions {
                        $($name: library.get::<$type>(stringify!($name)).ok().and_then(|symbol| *symbol),)*
                    }
                }
            }
        }
    };
}

functions! {
    zeInit: ze_pfnInit_t,
    zeInitDrivers: ze_pfnInitDrivers_t,
    zeDriverGet: ze_pfnDriverGet_t,
    zeDriverGetApiVersion: ze_pfnDriverGetApiVersion_t,
    zeDriverGetProperties: ze_pfnDriverGetProperties_t,
    zeDriverGetExtensionProperties: ze_pfnDriverGetExtensionProperties_t,
    zeDriverGetExtensionFunctionAddress: ze_pfnDriverGetExtensionFunctionAddress_t,
    zeDeviceGet: ze_pfnDeviceGet_t,
    zeDeviceGetSubDevices: ze_pfnDeviceGetSubDevices_t,
    zeDeviceGetProperties: ze_pfnDeviceGetProperties_t,
    zeDeviceGetComputeProperties: ze_pfnDeviceGetComputeProperties_t,
    zeDeviceGetModuleProperties: ze_pfnDeviceGetModuleProperties_t,
    zeDeviceGetMemoryProperties: ze_pfnDeviceGetMemoryProperties_t,
    zeDeviceGetMemoryAccessProperties: ze_pfnDeviceGetMemoryAccessProperties_t,
    zeDeviceGetCacheProperties: ze_pfnDeviceGetCacheProperties_t,
    zeDeviceGetImageProperties: ze_pfnDeviceGetImageProperties_t,
    zeDeviceGetCommandQueueGroupProperties: ze_pfnDeviceGetCommandQueueGroupProperties_t,
    zeDeviceGetGlobalTimestamps: ze_pfnDeviceGetGlobalTimestamps_t,
    zeDeviceGetStatus: ze_pfnDeviceGetStatus_t,
    zeContextCreate: ze_pfnContextCreate_t,
    zeContextDestroy: ze_pfnContextDestroy_t,
    zeContextGetStatus: ze_pfnContextGetStatus_t,
    zeContextMakeMemoryResident: ze_pfnContextMakeMemoryResident_t,
    zeContextEvictMemory: ze_pfnContextEvictMemory_t,
    zeMemAllocDevice: ze_pfnMemAllocDevice_t,
    zeMemAllocHost: ze_pfnMemAllocHost_t,
    zeMemAllocShared: ze_pfnMemAllocShared_t,
    zeMemFree: ze_pfnMemFree_t,
    zeMemFreeExt: ze_pfnMemFreeExt_t,
    zeMemGetAllocProperties: ze_pfnMemGetAllocProperties_t,
    zeMemGetAddressRange: ze_pfnMemGetAddressRange_t,
    zeMemGetIpcHandle: ze_pfnMemGetIpcHandle_t,
    zeCommandQueueCreate: ze_pfnCommandQueueCreate_t,
    zeCommandQueueDestroy: ze_pfnCommandQueueDestroy_t,
    zeCommandQueueExecuteCommandLists: ze_pfnCommandQueueExecuteCommandLists_t,
    zeCommandQueueSynchronize: ze_pfnCommandQueueSynchronize_t,
    zeFenceCreate: ze_pfnFenceCreate_t,
    zeFenceDestroy: ze_pfnFenceDestroy_t,
    zeFenceHostSynchronize: ze_pfnFenceHostSynchronize_t,
    zeFenceQueryStatus: ze_pfnFenceQueryStatus_t,
    zeFenceReset: ze_pfnFenceReset_t,
    zeCommandListCreate: ze_pfnCommandListCreate_t,
    zeCommandListCreateImmediate: ze_pfnCommandListCreateImmediate_t,
    zeCommandListDestroy: ze_pfnCommandListDestroy_t,
    zeCommandListClose: ze_pfnCommandListClose_t,
    zeCommandListReset: ze_pfnCommandListReset_t,
    zeCommandListHostSynchronize: ze_pfnCommandListHostSynchronize_t,
    zeCommandListGetContextHandle: ze_pfnCommandListGetContextHandle_t,
    zeCommandListGetDeviceHandle: ze_pfnCommandListGetDeviceHandle_t,
    zeCommandListIsImmediate: ze_pfnCommandListIsImmediate_t,
    zeCommandListAppendBarrier: ze_pfnCommandListAppendBarrier_t,
    zeCommandListAppendMemoryCopy: ze_pfnCommandListAppendMemoryCopy_t,
    zeCommandListAppendMemoryCopyRegion: ze_pfnCommandListAppendMemoryCopyRegion_t,
    zeCommandListAppendMemoryFill: ze_pfnCommandListAppendMemoryFill_t,
    zeCommandListAppendSignalEvent: ze_pfnCommandListAppendSignalEvent_t,
    zeCommandListAppendWaitOnEvents: ze_pfnCommandListAppendWaitOnEvents_t,
    zeCommandListAppendEventReset: ze_pfnCommandListAppendEventReset_t,
    zeCommandListAppendQueryKernelTimestamps: ze_pfnCommandListAppendQueryKernelTimestamps_t,
    zeCommandListAppendWriteGlobalTimestamp: ze_pfnCommandListAppendWriteGlobalTimestamp_t,
    zeCommandListAppendLaunchKernel: ze_pfnCommandListAppendLaunchKernel_t,
    zeCommandListAppendLaunchKernelIndirect: ze_pfnCommandListAppendLaunchKernelIndirect_t,
    zeCommandListAppendLaunchMultipleKernelsIndirect: ze_pfnCommandListAppendLaunchMultipleKernelsIndirect_t,
    zeEventPoolCreate: ze_pfnEventPoolCreate_t,
    zeEventPoolDestroy: ze_pfnEventPoolDestroy_t,
    zeEventCreate: ze_pfnEventCreate_t,
    zeEventDestroy: ze_pfnEventDestroy_t,
    zeEventHostSignal: ze_pfnEventHostSignal_t,
    zeEventHostReset: ze_pfnEventHostReset_t,
    zeEventHostSynchronize: ze_pfnEventHostSynchronize_t,
    zeEventQueryStatus: ze_pfnEventQueryStatus_t,
    zeEventQueryKernelTimestamp: ze_pfnEventQueryKernelTimestamp_t,
    zeModuleCreate: ze_pfnModuleCreate_t,
    zeModuleDestroy: ze_pfnModuleDestroy_t,
    zeModuleDynamicLink: ze_pfnModuleDynamicLink_t,
    zeModuleGetKernelNames: ze_pfnModuleGetKernelNames_t,
    zeModuleGetNativeBinary: ze_pfnModuleGetNativeBinary_t,
    zeModuleGetGlobalPointer: ze_pfnModuleGetGlobalPointer_t,
    zeModuleGetProperties: ze_pfnModuleGetProperties_t,
    zeModuleBuildLogGetString: ze_pfnModuleBuildLogGetString_t,
    zeModuleBuildLogDestroy: ze_pfnModuleBuildLogDestroy_t,
    zeKernelCreate: ze_pfnKernelCreate_t,
    zeKernelDestroy: ze_pfnKernelDestroy_t,
    zeKernelSetArgumentValue: ze_pfnKernelSetArgumentValue_t,
    zeKernelSetGroupSize: ze_pfnKernelSetGroupSize_t,
    zeKernelSuggestGroupSize: ze_pfnKernelSuggestGroupSize_t,
    zeKernelGetName: ze_pfnKernelGetName_t,
    zeKernelGetProperties: ze_pfnKernelGetProperties_t,
    zeKernelGetBinaryExp: ze_pfnKernelGetBinaryExp_t,
    zeKernelSetGlobalOffsetExp: ze_pfnKernelSetGlobalOffsetExp_t,
    zeImageCreate: ze_pfnImageCreate_t,
}

/// The result code of a call.
macro_rules! code {
    ($ze:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let function = $ze.$name.expect(concat!("the loader has no ", stringify!($name)));
        // SAFETY: the test gives valid pointers, or such that the driver must refuse.
        #[allow(clippy::macro_metavars_in_unsafe)]
        unsafe { function($($arg),*) }
    }};
}

/// A call that must succeed.
macro_rules! ok {
    ($ze:expr, $name:ident($($arg:expr),* $(,)?)) => {
        assert_eq!(code!($ze, $name($($arg),*)), ZE_RESULT_SUCCESS, stringify!($name))
    };
}
pub(crate) use {code, ok};

/// OpenCL C as a format of modules.
pub const OPENCL_C: ze_module_format_t = 3;

/// The driver that was built along with the tests.
pub fn driver_path() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    let path = program.with_file_name("libze_on_cl.so");
    assert!(path.exists(), "no driver at {}", path.display());
    path
}

/// The loader, initialised with this driver; and what `zeInit` returned.
pub fn loader() -> &'static (Functions, ze_result_t) {
    static LOADER: OnceLock<(Functions, ze_result_t)> = OnceLock::new();
    LOADER.get_or_init(|| {
        // SAFETY: nobody else reads or writes the environment while the first test is in here.
        unsafe { std::env::set_var("ZE_ENABLE_ALT_DRIVERS", driver_path()) };
        let name = std::env::var_os("ZE_LOADER_LIB").unwrap_or("libze_loader.so.1".into());
        // SAFETY: the loader sets itself up and nothing else.
        let library = unsafe { Library::new(&name) };
        let library = library.unwrap_or_else(|e| panic!("{} is needed (Debian: libze1): {e}", name.display()));
        let functions = Functions::find(&library);
        std::mem::forget(library);
        let result = code!(functions, zeInit(0));
        (functions, result)
    })
}

/// What the driver's own `zeInit` returns.
fn init_without_loader() -> ze_result_t {
    let mut table = ze_global_dditable_t::default();
    // SAFETY: the table has the slots of the version.
    let result = unsafe { ze_on_cl::table::zeGetGlobalProcAddrTable(ZE_API_VERSION_CURRENT, &mut table) };
    assert_eq!(result, ZE_RESULT_SUCCESS);
    // SAFETY: any number may be given.
    unsafe { table.pfnInit.expect("a slot of every version")(0) }
}

/// The device with a context.
pub struct Ze {
    pub functions: &'static Functions,
    pub driver: ze_driver_handle_t,
    pub device: ze_device_handle_t,
    pub context: ze_context_handle_t,
}

impl std::ops::Deref for Ze {
    type Target = Functions;

    fn deref(&self) -> &Functions {
        self.functions
    }
}

impl Drop for Ze {
    fn drop(&mut self) {
        ok!(self, zeContextDestroy(self.context));
    }
}

impl Ze {
    /// None, and said so, if OpenCL has no device with shared memory here.
    pub fn new() -> Option<Ze> {
        let (functions, result) = loader();
        if *result != ZE_RESULT_SUCCESS {
            assert_eq!(*result, ZE_RESULT_ERROR_UNINITIALIZED);
            // It must be the lack of a device, not that loader and driver do not get along.
            assert_eq!(init_without_loader(), ZE_RESULT_ERROR_UNINITIALIZED);
            println!("skipped: no OpenCL device with shared memory");
            return None;
        }
        let (mut count, mut driver, mut device, mut context) = (1, null_mut(), null_mut(), null_mut());
        ok!(functions, zeDriverGet(&mut count, &mut driver));
        assert_eq!(count, 1, "drivers");
        ok!(functions, zeDeviceGet(driver, &mut count, &mut device));
        assert_eq!(count, 1, "devices");
        let desc = ze_context_desc_t { stype: ZE_STRUCTURE_TYPE_CONTEXT_DESC, ..Default::default() };
        ok!(functions, zeContextCreate(driver, &desc, &mut context));
        Some(Ze { functions, driver, device, context })
    }

    /// Whether modules can be made of SPIR-V.
    pub fn takes_spirv(&self) -> bool {
        let mut properties =
            ze_device_module_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, ..Default::default() };
        ok!(self, zeDeviceGetModuleProperties(self.device, &mut properties));
        properties.spirvVersionSupported != 0
    }

    /// An in-order immediate command list.
    pub fn immediate(&self) -> ze_command_list_handle_t {
        self.immediate_with(ZE_COMMAND_QUEUE_FLAG_IN_ORDER)
    }

    /// An immediate command list that only events and barriers keep in order.
    pub fn unordered(&self) -> ze_command_list_handle_t {
        self.immediate_with(0)
    }

    fn immediate_with(&self, flags: ze_command_queue_flags_t) -> ze_command_list_handle_t {
        let desc = ze_command_queue_desc_t {
            stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            flags,
            ..Default::default()
        };
        let mut list = null_mut();
        ok!(self, zeCommandListCreateImmediate(self.context, self.device, &desc, &mut list));
        list
    }

    /// A regular command list.
    pub fn list(&self) -> ze_command_list_handle_t {
        self.list_with(0)
    }

    /// A regular command list of a kind.
    pub fn list_with(&self, flags: ze_command_list_flags_t) -> ze_command_list_handle_t {
        let desc = ze_command_list_desc_t { stype: ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, flags, ..Default::default() };
        let mut list = null_mut();
        ok!(self, zeCommandListCreate(self.context, self.device, &desc, &mut list));
        list
    }

    /// An asynchronous queue.
    pub fn queue(&self) -> ze_command_queue_handle_t {
        let desc = ze_command_queue_desc_t {
            stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        };
        let mut queue = null_mut();
        ok!(self, zeCommandQueueCreate(self.context, self.device, &desc, &mut queue));
        queue
    }

    /// Waits for all that a list was given, also with loaders that lack the function for it.
    pub fn finish(&self, list: ze_command_list_handle_t) {
        let events = self.events(0, 1);
        ok!(self, zeCommandListAppendBarrier(list, events.get(0), 0, null_mut()));
        ok!(self, zeEventHostSynchronize(events.get(0), u64::MAX));
    }

    /// A pool with all its events.
    pub fn events(&self, flags: ze_event_pool_flags_t, count: u32) -> Events<'_> {
        self.events_with(flags, count, null())
    }

    /// A pool of counter-based events.
    pub fn counter_based_events(&self, count: u32) -> Events<'_> {
        let desc = ze_event_pool_counter_based_exp_desc_t {
            stype: ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC,
            flags: ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE,
            ..Default::default()
        };
        self.events_with(0, count, (&raw const desc).cast())
    }

    fn events_with(&self, flags: ze_event_pool_flags_t, count: u32, next: *const c_void) -> Events<'_> {
        let desc = ze_event_pool_desc_t {
            stype: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            flags: flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            count,
            pNext: next,
        };
        let mut pool = null_mut();
        ok!(self, zeEventPoolCreate(self.context, &desc, 0, null_mut(), &mut pool));
        let create = |index| {
            let desc = ze_event_desc_t {
                stype: ZE_STRUCTURE_TYPE_EVENT_DESC,
                index,
                signal: ZE_EVENT_SCOPE_FLAG_HOST,
                wait: ZE_EVENT_SCOPE_FLAG_HOST,
                ..Default::default()
            };
            let mut event = null_mut();
            ok!(self, zeEventCreate(pool, &desc, &mut event));
            event
        };
        Events { ze: self, pool, events: (0..count).map(create).collect() }
    }

    /// Device memory.
    pub fn device_memory(&self, size: usize) -> Memory<'_> {
        let desc = ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
        let mut pointer = null_mut();
        ok!(self, zeMemAllocDevice(self.context, &desc, size, 64, self.device, &mut pointer));
        Memory { ze: self, pointer, size }
    }

    /// Host memory.
    pub fn host_memory(&self, size: usize) -> Memory<'_> {
        let desc = ze_host_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, ..Default::default() };
        let mut pointer = null_mut();
        ok!(self, zeMemAllocHost(self.context, &desc, size, 64, &mut pointer));
        Memory { ze: self, pointer, size }
    }

    /// Shared memory.
    pub fn shared_memory(&self, size: usize) -> Memory<'_> {
        let device =
            ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
        let host = ze_host_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, ..Default::default() };
        let mut pointer = null_mut();
        ok!(self, zeMemAllocShared(self.context, &device, &host, size, 64, self.device, &mut pointer));
        Memory { ze: self, pointer, size }
    }

    /// Tries to make a module; the code, the module and the log.
    pub fn try_module(
        &self,
        format: ze_module_format_t,
        input: &[u8],
        options: &str,
    ) -> (ze_result_t, ze_module_handle_t, String) {
        let options = CString::new(options).unwrap();
        let desc = ze_module_desc_t {
            stype: ZE_STRUCTURE_TYPE_MODULE_DESC,
            format,
            inputSize: input.len(),
            pInputModule: input.as_ptr(),
            pBuildFlags: options.as_ptr(),
            ..Default::default()
        };
        let (mut module, mut log) = (null_mut(), null_mut());
        let result = code!(self, zeModuleCreate(self.context, self.device, &desc, &mut module, &mut log));
        (result, module, self.log(log))
    }

    /// The text of a log, which is then destroyed.
    pub fn log(&self, log: ze_module_build_log_handle_t) -> String {
        if log.is_null() {
            return String::new();
        }
        let mut size = 0;
        ok!(self, zeModuleBuildLogGetString(log, &mut size, null_mut()));
        let mut text = vec![0u8; size];
        ok!(self, zeModuleBuildLogGetString(log, &mut size, text.as_mut_ptr().cast()));
        ok!(self, zeModuleBuildLogDestroy(log));
        String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
    }

    /// A module of OpenCL C.
    pub fn module(&self, source: &str) -> ze_module_handle_t {
        let (result, module, log) = self.try_module(OPENCL_C, source.as_bytes(), "");
        assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
        module
    }

    /// A kernel of a module.
    pub fn kernel(&self, module: ze_module_handle_t, name: &str) -> ze_kernel_handle_t {
        let name = CString::new(name).unwrap();
        let desc =
            ze_kernel_desc_t { stype: ZE_STRUCTURE_TYPE_KERNEL_DESC, pKernelName: name.as_ptr(), ..Default::default() };
        let mut kernel = null_mut();
        ok!(self, zeKernelCreate(module, &desc, &mut kernel));
        kernel
    }

    /// Gives a kernel an argument by value; pointers are values, too.
    pub fn set<T: Copy>(&self, kernel: ze_kernel_handle_t, index: u32, value: T) {
        ok!(self, zeKernelSetArgumentValue(kernel, index, size_of::<T>(), (&raw const value).cast()));
    }

    /// Launches so many groups.
    pub fn launch(
        &self,
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        groups: u32,
        raises: ze_event_handle_t,
        waits: &[ze_event_handle_t],
    ) {
        let groups = ze_group_count_t { groupCountX: groups, groupCountY: 1, groupCountZ: 1 };
        let mut waits = waits.to_vec();
        let waits_at = if waits.is_empty() { null_mut() } else { waits.as_mut_ptr() };
        let count = waits.len() as u32;
        ok!(self, zeCommandListAppendLaunchKernel(list, kernel, &groups, raises, count, waits_at));
    }

    /// Copies.
    pub fn copy(
        &self,
        list: ze_command_list_handle_t,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        raises: ze_event_handle_t,
        waits: &[ze_event_handle_t],
    ) {
        let mut waits = waits.to_vec();
        let waits_at = if waits.is_empty() { null_mut() } else { waits.as_mut_ptr() };
        let count = waits.len() as u32;
        ok!(self, zeCommandListAppendMemoryCopy(list, to, from, size, raises, count, waits_at));
    }

    /// What is in device memory.
    pub fn read<T: Copy + Default>(&self, memory: *const c_void, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        let list = self.immediate();
        self.copy(list, values.as_mut_ptr().cast(), memory, count * size_of::<T>(), null_mut(), &[]);
        self.finish(list);
        ok!(self, zeCommandListDestroy(list));
        values
    }
}

/// An allocation, freed at the end.
pub struct Memory<'a> {
    ze: &'a Ze,
    pub pointer: *mut c_void,
    pub size: usize,
}

impl Memory<'_> {
    /// Its content, for memory that the host may read.
    pub fn as_slice<T: Copy>(&self) -> &[T] {
        // SAFETY: the memory is the host's to read, and as large.
        unsafe { std::slice::from_raw_parts(self.pointer.cast(), self.size / size_of::<T>()) }
    }

    /// Its content, for memory that the host may write.
    pub fn as_mut_slice<T: Copy>(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), self.size / size_of::<T>()) }
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        ok!(self.ze, zeMemFree(self.ze.context, self.pointer));
    }
}

/// A pool and its events, destroyed at the end.
pub struct Events<'a> {
    ze: &'a Ze,
    pool: ze_event_pool_handle_t,
    events: Vec<ze_event_handle_t>,
}

impl Events<'_> {
    pub fn get(&self, index: usize) -> ze_event_handle_t {
        self.events[index]
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        for event in &self.events {
            ok!(self.ze, zeEventDestroy(*event));
        }
        ok!(self.ze, zeEventPoolDestroy(self.pool));
    }
}
