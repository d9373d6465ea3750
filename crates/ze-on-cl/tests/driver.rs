//! What the loader sees of the library, and what the driver says about itself and the device.

mod support;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use object::{Object, ObjectSymbol};
use support::*;
use ze_on_cl::table;

#[test]
fn only_getters_of_tables_are_exported_and_all_that_the_loader_needs() {
    let file = std::fs::read(driver_path()).unwrap();
    let file = object::File::parse(&*file).unwrap();
    let exported: Vec<&str> =
        file.dynamic_symbols().filter(|s| s.is_definition()).map(|symbol| symbol.name().unwrap()).collect();
    for name in &exported {
        assert!(name.starts_with("ze") && name.ends_with("ProcAddrTable"), "{name} is exported");
    }
    let needed = "ze: Global Driver Device Context CommandQueue CommandList Event EventPool Fence Image Kernel Mem Module \
        ModuleBuildLog PhysicalMem Sampler VirtualMem zet: CommandList Context Debug Device Kernel Metric MetricGroup \
        MetricQuery MetricQueryPool MetricStreamer Module TracerExp zes: Device Driver Diagnostics Engine FabricPort Fan \
        Firmware Frequency Led Memory PerformanceFactor Power Psu Ras Scheduler Standby Temperature";
    let (mut prefix, mut count) = ("", 0);
    for word in needed.split_whitespace() {
        match word.strip_suffix(':') {
            Some(family) => prefix = family,
            None => {
                let name = format!("{prefix}Get{word}ProcAddrTable");
                assert!(exported.contains(&&*name), "{name} is missing");
                count += 1;
            }
        }
    }
    assert_eq!(count, 46);
}

#[test]
fn a_table_is_filled_no_further_than_the_version_that_is_asked_for() {
    let mut lists = ze_command_list_dditable_t::default();
    // SAFETY: the table has more slots than the version.
    let result = unsafe { table::zeGetCommandListProcAddrTable(ZE_API_VERSION_1_4, &mut lists) };
    assert_eq!(result, ZE_RESULT_SUCCESS);
    assert!(lists.pfnAppendImageCopyFromMemoryExt.is_some());
    assert!(lists.pfnHostSynchronize.is_none());
    // SAFETY: as above.
    unsafe { table::zeGetCommandListProcAddrTable(ZE_API_VERSION_1_9, &mut lists) };
    assert!(lists.pfnHostSynchronize.is_some() && lists.pfnIsImmediate.is_some());

    let mut kernels = ze_kernel_exp_dditable_t::default();
    // SAFETY: as above.
    unsafe { table::zeGetKernelExpProcAddrTable(ZE_API_VERSION_1_11, &mut kernels) };
    assert!(kernels.pfnSetGlobalOffsetExp.is_some() && kernels.pfnGetBinaryExp.is_none());
}

#[test]
fn other_major_versions_and_missing_tables_are_refused() {
    let mut global = ze_global_dditable_t::default();
    // SAFETY: the table is not written to, or not there.
    unsafe {
        assert_eq!(table::zeGetGlobalProcAddrTable(2 << 16, &mut global), ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
        assert_eq!(table::zeGetGlobalProcAddrTable(1 << 16, null_mut()), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    assert!(global.pfnInit.is_none());
}

#[test]
fn the_device_has_plausible_properties() {
    let Some(ze) = Ze::new() else { return };
    let mut device = ze_device_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, ..Default::default() };
    ok!(ze, zeDeviceGetProperties(ze.device, &mut device));
    assert_eq!(device.type_, ZE_DEVICE_TYPE_GPU);
    assert!(device.maxMemAllocSize > 0 && device.numEUsPerSubslice > 0 && device.kernelTimestampValidBits < 64);
    assert_eq!(device.timerResolution, 1);
    // SAFETY: the name is terminated.
    assert!(!unsafe { CStr::from_ptr(device.name.as_ptr()) }.is_empty());
    let mut again = ze_device_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2, ..Default::default() };
    ok!(ze, zeDeviceGetProperties(ze.device, &mut again));
    assert_eq!(again.timerResolution, 1_000_000_000);
    assert_eq!(again.uuid.id, device.uuid.id);

    let mut compute = ze_device_compute_properties_t::default();
    ok!(ze, zeDeviceGetComputeProperties(ze.device, &mut compute));
    assert!(compute.maxTotalGroupSize > 0 && compute.maxGroupSizeX > 0 && compute.maxGroupCountX > 0);

    let mut access = ze_device_memory_access_properties_t::default();
    ok!(ze, zeDeviceGetMemoryAccessProperties(ze.device, &mut access));
    assert_ne!(access.deviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW, 0);

    let mut images = ze_device_image_properties_t { maxSamplers: 77, ..Default::default() };
    ok!(ze, zeDeviceGetImageProperties(ze.device, &mut images));
    assert_eq!((images.maxImageDims2D, images.maxSamplers), (0, 0), "there are no images");

    let mut count = 0;
    ok!(ze, zeDeviceGetSubDevices(ze.device, &mut count, null_mut()));
    assert_eq!(count, 0);
    ok!(ze, zeDeviceGetStatus(ze.device));
}

#[test]
fn there_is_a_queue_group_for_everything_and_one_that_only_copies() {
    let Some(ze) = Ze::new() else { return };
    let mut count = 0;
    ok!(ze, zeDeviceGetCommandQueueGroupProperties(ze.device, &mut count, null_mut()));
    let mut groups = vec![ze_command_queue_group_properties_t::default(); count as usize];
    ok!(ze, zeDeviceGetCommandQueueGroupProperties(ze.device, &mut count, groups.as_mut_ptr()));
    let computes =
        |g: &ze_command_queue_group_properties_t| g.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0;
    let copies = |g: &ze_command_queue_group_properties_t| g.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY != 0;
    assert!(groups.iter().all(|group| copies(group) && group.numQueues > 0 && group.maxMemoryFillPatternSize >= 16));
    assert!(computes(&groups[0]));
    assert!(groups.iter().any(|group| !computes(group)));
}

#[test]
fn the_clock_runs_and_is_the_one_of_timestamps() {
    let Some(ze) = Ze::new() else { return };
    let (mut host, mut first, mut second) = (0, 0, 0);
    ok!(ze, zeDeviceGetGlobalTimestamps(ze.device, &mut host, &mut first));
    let events = ze.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1);
    let memory = ze.device_memory(1 << 20);
    let list = ze.immediate();
    let zero = 0u8;
    let (to, size) = (memory.pointer, memory.size);
    let from = (&raw const zero).cast();
    ok!(ze, zeCommandListAppendMemoryFill(list, to, from, 1, size, events.get(0), 0, null_mut()));
    ok!(ze, zeEventHostSynchronize(events.get(0), u64::MAX));
    let mut times = ze_kernel_timestamp_result_t::default();
    ok!(ze, zeEventQueryKernelTimestamp(events.get(0), &mut times));
    ok!(ze, zeDeviceGetGlobalTimestamps(ze.device, &mut host, &mut second));
    assert!(first < second);
    assert!(times.global.kernelStart <= times.global.kernelEnd);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn the_version_is_three_numbers() {
    let Some(ze) = Ze::new() else { return };
    type Get = unsafe extern "C" fn(ze_driver_handle_t, *mut c_char, *mut usize) -> ze_result_t;
    let mut address: *mut c_void = null_mut();
    let name = c"zeIntelGetDriverVersionString";
    ok!(ze, zeDriverGetExtensionFunctionAddress(ze.driver, name.as_ptr(), &mut address));
    // SAFETY: the function of this name has this type.
    let get = unsafe { std::mem::transmute::<*mut c_void, Get>(address) };
    let (mut size, mut text) = (0, [0u8; 64]);
    // SAFETY: a size of 0 and no room.
    assert_eq!(unsafe { get(ze.driver, null_mut(), &mut size) }, ZE_RESULT_SUCCESS);
    let length = size;
    size += 1;
    // SAFETY: there is room for that many.
    assert_eq!(unsafe { get(ze.driver, text.as_mut_ptr().cast(), &mut size) }, ZE_RESULT_SUCCESS);
    let text = CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
    assert_eq!(text.len(), length);
    assert_eq!(text.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3, "{text}");

    let unknown = code!(ze, zeDriverGetExtensionFunctionAddress(ze.driver, c"zeNoSuch".as_ptr(), &mut address));
    assert_eq!(unknown, ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

#[test]
fn handles_that_are_none_or_of_another_kind_are_refused() {
    let Some(ze) = Ze::new() else { return };
    let mut properties = ze_device_properties_t::default();
    let null = code!(ze, zeDeviceGetProperties(null_mut(), &mut properties));
    assert_eq!(null, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    let other = code!(ze, zeDeviceGetProperties(ze.context.cast(), &mut properties));
    assert_eq!(other, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    let nowhere = code!(ze, zeDeviceGetProperties(ze.device, null_mut()));
    assert_eq!(nowhere, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_eq!(code!(ze, zeContextGetStatus(ze.device.cast())), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

#[test]
fn what_opencl_cannot_do_is_unsupported() {
    let Some(ze) = Ze::new() else { return };
    let desc = ze_image_desc_t { stype: ZE_STRUCTURE_TYPE_IMAGE_DESC, ..Default::default() };
    let mut image = null_mut();
    let code = code!(ze, zeImageCreate(ze.context, ze.device, &desc, &mut image));
    assert_eq!(code, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    let memory = ze.device_memory(64);
    let mut ipc = ze_ipc_mem_handle_t::default();
    let code = code!(ze, zeMemGetIpcHandle(ze.context, memory.pointer, &mut ipc));
    assert_eq!(code, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/// Calls functions of a table, whatever their arguments are, with zeros.
macro_rules! unsupported {
    ($getter:ident($table:ty) { $($slot:ident($($zero:expr),*),)* }) => {
        let mut table = <$table>::default();
        // SAFETY: the table has the slots of the version.
        assert_eq!(unsafe { table::$getter(ZE_API_VERSION_1_12, &mut table) }, ZE_RESULT_SUCCESS);
        $(
            let function = table.$slot.expect(stringify!($slot));
            // SAFETY: a function that looks at none of its arguments.
            let code = unsafe { function($($zero),*) };
            assert_eq!(code, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "{}", stringify!($slot));
        )*
    };
}

#[test]
fn images_samplers_sharing_and_virtual_memory_are_unsupported_in_every_call() {
    use std::ptr::null;
    unsupported!(zeGetImageProcAddrTable(ze_image_dditable_t) {
        pfnGetProperties(null_mut(), null(), null_mut()),
        pfnCreate(null_mut(), null_mut(), null(), null_mut()),
        pfnDestroy(null_mut()),
        pfnGetAllocPropertiesExt(null_mut(), null_mut(), null_mut()),
        pfnViewCreateExt(null_mut(), null_mut(), null(), null_mut(), null_mut()),
    });
    unsupported!(zeGetSamplerProcAddrTable(ze_sampler_dditable_t) {
        pfnCreate(null_mut(), null_mut(), null(), null_mut()),
        pfnDestroy(null_mut()),
    });
    unsupported!(zeGetMemProcAddrTable(ze_mem_dditable_t) {
        pfnGetIpcHandle(null_mut(), null(), null_mut()),
        pfnOpenIpcHandle(null_mut(), null_mut(), ze_ipc_mem_handle_t::default(), 0, null_mut()),
        pfnCloseIpcHandle(null_mut(), null()),
        pfnPutIpcHandle(null_mut(), ze_ipc_mem_handle_t::default()),
    });
    unsupported!(zeGetEventPoolProcAddrTable(ze_event_pool_dditable_t) {
        pfnGetIpcHandle(null_mut(), null_mut()),
        pfnOpenIpcHandle(null_mut(), ze_ipc_event_pool_handle_t::default(), null_mut()),
        pfnCloseIpcHandle(null_mut()),
        pfnPutIpcHandle(null_mut(), ze_ipc_event_pool_handle_t::default()),
    });
    unsupported!(zeGetPhysicalMemProcAddrTable(ze_physical_mem_dditable_t) {
        pfnCreate(null_mut(), null_mut(), null_mut(), null_mut()),
        pfnDestroy(null_mut(), null_mut()),
    });
    unsupported!(zeGetVirtualMemProcAddrTable(ze_virtual_mem_dditable_t) {
        pfnReserve(null_mut(), null(), 0, null_mut()),
        pfnFree(null_mut(), null(), 0),
        pfnQueryPageSize(null_mut(), null_mut(), 0, null_mut()),
        pfnMap(null_mut(), null(), 0, null_mut(), 0, 0),
        pfnUnmap(null_mut(), null(), 0),
        pfnSetAccessAttribute(null_mut(), null(), 0, 0),
        pfnGetAccessAttribute(null_mut(), null(), 0, null_mut(), null_mut()),
    });
    unsupported!(zeGetCommandListProcAddrTable(ze_command_list_dditable_t) {
        pfnAppendImageCopy(null_mut(), null_mut(), null_mut(), null_mut(), 0, null_mut()),
        pfnAppendImageCopyToMemory(null_mut(), null_mut(), null_mut(), null(), null_mut(), 0, null_mut()),
        pfnAppendImageCopyFromMemory(null_mut(), null_mut(), null(), null(), null_mut(), 0, null_mut()),
    });
}

#[test]
fn init_succeeds_or_finds_no_device() {
    let (_, result) = loader();
    println!("zeInit {result:#x}");
    assert!([ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_UNINITIALIZED].contains(result));
}

#[test]
fn the_variable_chooses_among_the_devices_or_none() {
    let Some(ze) = Ze::new() else { return };
    let mut device = ze_device_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, ..Default::default() };
    ok!(ze, zeDeviceGetProperties(ze.device, &mut device));
    // SAFETY: the name is terminated.
    let name = unsafe { CStr::from_ptr(device.name.as_ptr()) }.to_str().unwrap().to_uppercase();
    let init = |variable: &str| {
        // The choice is made once in a process.
        let mut other = std::process::Command::new(std::env::current_exe().unwrap());
        other.args(["--exact", "init_succeeds_or_finds_no_device", "--nocapture"]).env("ZE_ON_CL_DEVICE", variable);
        String::from_utf8(other.output().unwrap().stdout).unwrap()
    };
    for (variable, code) in [("0", 0), (&*name, 0), ("9999", 0x7800_0001), ("no such device", 0x7800_0001)] {
        let printed = init(variable);
        assert!(printed.contains(&format!("zeInit {code:#x}\n")), "{variable}: {printed}");
    }
}
