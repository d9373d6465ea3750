//! The types of Level Zero that the runtime uses, generated from the headers of Debian's `libze-dev` 1.32.0-1 (Level Zero 1.17)
//! with bindgen-cli 0.73.2. Made with
//!
//! ```text
//! printf '#include <level_zero/ze_api.h>\n#include <level_zero/ze_ddi.h>\n' > wrapper.h
//! bindgen wrapper.h --rust-target 1.88 --rust-edition 2024 --generate types --no-doc-comments \
//!     --no-prepend-enum-name --no-layout-tests --with-derive-default --allowlist-type "$(cat bindings.allow)"
//! ```
//!
//! and this paragraph put before it. Do not edit.

pub type ze_bool_t = u8;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_driver_handle_t {
    _unused: [u8; 0],
}
pub type ze_driver_handle_t = *mut _ze_driver_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_device_handle_t {
    _unused: [u8; 0],
}
pub type ze_device_handle_t = *mut _ze_device_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_context_handle_t {
    _unused: [u8; 0],
}
pub type ze_context_handle_t = *mut _ze_context_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_command_list_handle_t {
    _unused: [u8; 0],
}
pub type ze_command_list_handle_t = *mut _ze_command_list_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_event_pool_handle_t {
    _unused: [u8; 0],
}
pub type ze_event_pool_handle_t = *mut _ze_event_pool_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_event_handle_t {
    _unused: [u8; 0],
}
pub type ze_event_handle_t = *mut _ze_event_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_module_handle_t {
    _unused: [u8; 0],
}
pub type ze_module_handle_t = *mut _ze_module_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_module_build_log_handle_t {
    _unused: [u8; 0],
}
pub type ze_module_build_log_handle_t = *mut _ze_module_build_log_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_kernel_handle_t {
    _unused: [u8; 0],
}
pub type ze_kernel_handle_t = *mut _ze_kernel_handle_t;
pub const ZE_RESULT_SUCCESS: _ze_result_t = 0;
pub const ZE_RESULT_NOT_READY: _ze_result_t = 1;
pub const ZE_RESULT_ERROR_DEVICE_LOST: _ze_result_t = 1879048193;
pub const ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY: _ze_result_t = 1879048194;
pub const ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY: _ze_result_t = 1879048195;
pub const ZE_RESULT_ERROR_MODULE_BUILD_FAILURE: _ze_result_t = 1879048196;
pub const ZE_RESULT_ERROR_MODULE_LINK_FAILURE: _ze_result_t = 1879048197;
pub const ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET: _ze_result_t = 1879048198;
pub const ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE: _ze_result_t = 1879048199;
pub const ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX: _ze_result_t = 2146435073;
pub const ZE_RESULT_EXP_ERROR_VERTEX_IS_NOT_DEVICE: _ze_result_t = 2146435074;
pub const ZE_RESULT_EXP_ERROR_REMOTE_DEVICE: _ze_result_t = 2146435075;
pub const ZE_RESULT_EXP_ERROR_OPERANDS_INCOMPATIBLE: _ze_result_t = 2146435076;
pub const ZE_RESULT_EXP_RTAS_BUILD_RETRY: _ze_result_t = 2146435077;
pub const ZE_RESULT_EXP_RTAS_BUILD_DEFERRED: _ze_result_t = 2146435078;
pub const ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS: _ze_result_t = 1879113728;
pub const ZE_RESULT_ERROR_NOT_AVAILABLE: _ze_result_t = 1879113729;
pub const ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE: _ze_result_t = 1879179264;
pub const ZE_RESULT_WARNING_DROPPED_DATA: _ze_result_t = 1879179265;
pub const ZE_RESULT_ERROR_UNINITIALIZED: _ze_result_t = 2013265921;
pub const ZE_RESULT_ERROR_UNSUPPORTED_VERSION: _ze_result_t = 2013265922;
pub const ZE_RESULT_ERROR_UNSUPPORTED_FEATURE: _ze_result_t = 2013265923;
pub const ZE_RESULT_ERROR_INVALID_ARGUMENT: _ze_result_t = 2013265924;
pub const ZE_RESULT_ERROR_INVALID_NULL_HANDLE: _ze_result_t = 2013265925;
pub const ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE: _ze_result_t = 2013265926;
pub const ZE_RESULT_ERROR_INVALID_NULL_POINTER: _ze_result_t = 2013265927;
pub const ZE_RESULT_ERROR_INVALID_SIZE: _ze_result_t = 2013265928;
pub const ZE_RESULT_ERROR_UNSUPPORTED_SIZE: _ze_result_t = 2013265929;
pub const ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT: _ze_result_t = 2013265930;
pub const ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT: _ze_result_t = 2013265931;
pub const ZE_RESULT_ERROR_INVALID_ENUMERATION: _ze_result_t = 2013265932;
pub const ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION: _ze_result_t = 2013265933;
pub const ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT: _ze_result_t = 2013265934;
pub const ZE_RESULT_ERROR_INVALID_NATIVE_BINARY: _ze_result_t = 2013265935;
pub const ZE_RESULT_ERROR_INVALID_GLOBAL_NAME: _ze_result_t = 2013265936;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_NAME: _ze_result_t = 2013265937;
pub const ZE_RESULT_ERROR_INVALID_FUNCTION_NAME: _ze_result_t = 2013265938;
pub const ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION: _ze_result_t = 2013265939;
pub const ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION: _ze_result_t = 2013265940;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX: _ze_result_t = 2013265941;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE: _ze_result_t = 2013265942;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE: _ze_result_t = 2013265943;
pub const ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED: _ze_result_t = 2013265944;
pub const ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE: _ze_result_t = 2013265945;
pub const ZE_RESULT_ERROR_OVERLAPPING_REGIONS: _ze_result_t = 2013265946;
pub const ZE_RESULT_WARNING_ACTION_REQUIRED: _ze_result_t = 2013265947;
pub const ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE: _ze_result_t = 2013265948;
pub const ZE_RESULT_EXT_RTAS_BUILD_RETRY: _ze_result_t = 2013265949;
pub const ZE_RESULT_EXT_RTAS_BUILD_DEFERRED: _ze_result_t = 2013265950;
pub const ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE: _ze_result_t = 2013265951;
pub const ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED: _ze_result_t = 2013265952;
pub const ZE_RESULT_ERROR_ADDRESS_NOT_FOUND: _ze_result_t = 2013265953;
pub const ZE_RESULT_QUERY_TRUE: _ze_result_t = 2013265954;
pub const ZE_RESULT_QUERY_FALSE: _ze_result_t = 2013265955;
pub const ZE_RESULT_ERROR_INVALID_GRAPH: _ze_result_t = 2013265956;
pub const ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED: _ze_result_t = 2013265957;
pub const ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED: _ze_result_t = 2013265958;
pub const ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT: _ze_result_t = 2013265959;
pub const ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING: _ze_result_t = 2013265960;
pub const ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS: _ze_result_t = 2013265961;
pub const ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT: _ze_result_t = 2013265962;
pub const ZE_RESULT_ERROR_UNKNOWN: _ze_result_t = 2147483646;
pub const ZE_RESULT_FORCE_UINT32: _ze_result_t = 2147483647;
pub type _ze_result_t = ::std::os::raw::c_uint;
pub use self::_ze_result_t as ze_result_t;
pub const ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES: _ze_structure_type_t = 1;
pub const ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES: _ze_structure_type_t = 2;
pub const ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES: _ze_structure_type_t = 3;
pub const ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES: _ze_structure_type_t = 4;
pub const ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES: _ze_structure_type_t = 5;
pub const ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES: _ze_structure_type_t = 6;
pub const ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES: _ze_structure_type_t = 7;
pub const ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES: _ze_structure_type_t = 8;
pub const ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES: _ze_structure_type_t = 9;
pub const ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES: _ze_structure_type_t = 10;
pub const ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES: _ze_structure_type_t = 11;
pub const ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES: _ze_structure_type_t = 12;
pub const ZE_STRUCTURE_TYPE_CONTEXT_DESC: _ze_structure_type_t = 13;
pub const ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC: _ze_structure_type_t = 14;
pub const ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC: _ze_structure_type_t = 15;
pub const ZE_STRUCTURE_TYPE_EVENT_POOL_DESC: _ze_structure_type_t = 16;
pub const ZE_STRUCTURE_TYPE_EVENT_DESC: _ze_structure_type_t = 17;
pub const ZE_STRUCTURE_TYPE_FENCE_DESC: _ze_structure_type_t = 18;
pub const ZE_STRUCTURE_TYPE_IMAGE_DESC: _ze_structure_type_t = 19;
pub const ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES: _ze_structure_type_t = 20;
pub const ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC: _ze_structure_type_t = 21;
pub const ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC: _ze_structure_type_t = 22;
pub const ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES: _ze_structure_type_t = 23;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC: _ze_structure_type_t = 24;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD: _ze_structure_type_t = 25;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD: _ze_structure_type_t = 26;
pub const ZE_STRUCTURE_TYPE_MODULE_DESC: _ze_structure_type_t = 27;
pub const ZE_STRUCTURE_TYPE_MODULE_PROPERTIES: _ze_structure_type_t = 28;
pub const ZE_STRUCTURE_TYPE_KERNEL_DESC: _ze_structure_type_t = 29;
pub const ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES: _ze_structure_type_t = 30;
pub const ZE_STRUCTURE_TYPE_SAMPLER_DESC: _ze_structure_type_t = 31;
pub const ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC: _ze_structure_type_t = 32;
pub const ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES: _ze_structure_type_t = 33;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_WIN32: _ze_structure_type_t = 34;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_WIN32: _ze_structure_type_t = 35;
pub const ZE_STRUCTURE_TYPE_DEVICE_RAYTRACING_EXT_PROPERTIES: _ze_structure_type_t = 65537;
pub const ZE_STRUCTURE_TYPE_RAYTRACING_MEM_ALLOC_EXT_DESC: _ze_structure_type_t = 65538;
pub const ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES: _ze_structure_type_t = 65539;
pub const ZE_STRUCTURE_TYPE_CACHE_RESERVATION_EXT_DESC: _ze_structure_type_t = 65540;
pub const ZE_STRUCTURE_TYPE_EU_COUNT_EXT: _ze_structure_type_t = 65541;
pub const ZE_STRUCTURE_TYPE_SRGB_EXT_DESC: _ze_structure_type_t = 65542;
pub const ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC: _ze_structure_type_t = 65543;
pub const ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES: _ze_structure_type_t = 65544;
pub const ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES: _ze_structure_type_t = 65545;
pub const ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC: _ze_structure_type_t = 65546;
pub const ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC: _ze_structure_type_t = 65547;
pub const ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES: _ze_structure_type_t = 65548;
pub const ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES: _ze_structure_type_t = 65549;
pub const ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES: _ze_structure_type_t = 65550;
pub const ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT: _ze_structure_type_t = 65551;
pub const ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC: _ze_structure_type_t = 65552;
pub const ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_PROPERTIES: _ze_structure_type_t =
    65553;
pub const ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES:
    _ze_structure_type_t = 65554;
pub const ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES: _ze_structure_type_t = 65555;
pub const ZE_STRUCTURE_TYPE_IMAGE_FORMAT_SUPPORT_EXT_PROPERTIES: _ze_structure_type_t = 65556;
pub const ZE_STRUCTURE_TYPE_DEVICE_READONLY_MEMORY_EXT_PROPERTIES: _ze_structure_type_t = 65557;
pub const ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXT_DESC: _ze_structure_type_t = 65558;
pub const ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC: _ze_structure_type_t = 131073;
pub const ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC: _ze_structure_type_t = 131074;
pub const ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES: _ze_structure_type_t = 131075;
pub const ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_DESC: _ze_structure_type_t = 131076;
pub const ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXP_DESC: _ze_structure_type_t = 131077;
pub const ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2: _ze_structure_type_t = 131078;
pub const ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES: _ze_structure_type_t = 131079;
pub const ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC: _ze_structure_type_t = 131080;
pub const ZE_STRUCTURE_TYPE_COPY_BANDWIDTH_EXP_PROPERTIES: _ze_structure_type_t = 131081;
pub const ZE_STRUCTURE_TYPE_DEVICE_P2P_BANDWIDTH_EXP_PROPERTIES: _ze_structure_type_t = 131082;
pub const ZE_STRUCTURE_TYPE_FABRIC_VERTEX_EXP_PROPERTIES: _ze_structure_type_t = 131083;
pub const ZE_STRUCTURE_TYPE_FABRIC_EDGE_EXP_PROPERTIES: _ze_structure_type_t = 131084;
pub const ZE_STRUCTURE_TYPE_MEMORY_SUB_ALLOCATIONS_EXP_PROPERTIES: _ze_structure_type_t = 131085;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_DESC: _ze_structure_type_t = 131086;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXP_DESC: _ze_structure_type_t = 131087;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_PROPERTIES: _ze_structure_type_t = 131088;
pub const ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXP_PROPERTIES: _ze_structure_type_t = 131089;
pub const ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXP_PROPERTIES: _ze_structure_type_t = 131090;
pub const ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS: _ze_structure_type_t = 131091;
pub const ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC: _ze_structure_type_t = 131092;
pub const ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES: _ze_structure_type_t = 131093;
pub const ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC: _ze_structure_type_t = 131094;
pub const ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC: _ze_structure_type_t = 131095;
pub const ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC: _ze_structure_type_t = 131096;
pub const ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC: _ze_structure_type_t = 131097;
pub const ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC: _ze_structure_type_t = 131098;
pub const ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC: _ze_structure_type_t = 131099;
pub const ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC: _ze_structure_type_t = 131100;
pub const ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES: _ze_structure_type_t = 131101;
pub const ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC: _ze_structure_type_t = 131102;
pub const ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC: _ze_structure_type_t = 131103;
pub const ZE_STRUCTURE_TYPE_MUTABLE_GRAPH_ARGUMENT_EXP_DESC: _ze_structure_type_t = 131104;
pub const ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC: _ze_structure_type_t = 131105;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_EXT_DESC: _ze_structure_type_t = 131106;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WIN32_EXT_DESC: _ze_structure_type_t = 131107;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC: _ze_structure_type_t = 131108;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT: _ze_structure_type_t = 131109;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT: _ze_structure_type_t = 131110;
pub const ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES: _ze_structure_type_t = 131111;
pub const ZE_STRUCTURE_TYPE_DEVICE_CACHELINE_SIZE_EXT: _ze_structure_type_t = 131112;
pub const ZE_STRUCTURE_TYPE_DEVICE_VECTOR_WIDTH_PROPERTIES_EXT: _ze_structure_type_t = 131113;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC: _ze_structure_type_t = 131120;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXT_DESC: _ze_structure_type_t = 131121;
pub const ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_PROPERTIES: _ze_structure_type_t = 131122;
pub const ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXT_PROPERTIES: _ze_structure_type_t = 131123;
pub const ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXT_PROPERTIES: _ze_structure_type_t = 131124;
pub const ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXT_CB_PARAMS: _ze_structure_type_t = 131125;
pub const ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC: _ze_structure_type_t =
    131126;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC: _ze_structure_type_t = 131127;
pub const ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO: _ze_structure_type_t =
    131128;
pub const ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES: _ze_structure_type_t = 131129;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC: _ze_structure_type_t = 131130;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC:
    _ze_structure_type_t = 131131;
pub const ZE_STRUCTURE_TYPE_EVENT_SYNC_MODE_DESC: _ze_structure_type_t = 131132;
pub const ZE_STRUCTURE_TYPE_IPC_MEM_HANDLE_TYPE_EXT_DESC: _ze_structure_type_t = 131133;
pub const ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES: _ze_structure_type_t = 131134;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC:
    _ze_structure_type_t = 131135;
pub const ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES: _ze_structure_type_t = 131136;
pub const ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES: _ze_structure_type_t = 131137;
pub const ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC: _ze_structure_type_t = 131138;
pub const ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES: _ze_structure_type_t = 131139;
pub const ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC: _ze_structure_type_t = 131140;
pub const ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_GRAPH_DESC: _ze_structure_type_t = 131141;
pub const ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT: _ze_structure_type_t = 131142;
pub const ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_PROPERTIES: _ze_structure_type_t = 131143;
pub const ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC: _ze_structure_type_t = 131144;
pub const ZE_STRUCTURE_TYPE_FORCE_UINT32: _ze_structure_type_t = 2147483647;
pub type _ze_structure_type_t = ::std::os::raw::c_uint;
pub use self::_ze_structure_type_t as ze_structure_type_t;
pub type ze_init_driver_type_desc_t = _ze_init_driver_type_desc_t;
pub type ze_driver_uuid_t = _ze_driver_uuid_t;
pub type ze_driver_properties_t = _ze_driver_properties_t;
pub type ze_device_uuid_t = _ze_device_uuid_t;
pub type ze_device_properties_t = _ze_device_properties_t;
pub type ze_device_compute_properties_t = _ze_device_compute_properties_t;
pub type ze_native_kernel_uuid_t = _ze_native_kernel_uuid_t;
pub type ze_device_module_properties_t = _ze_device_module_properties_t;
pub type ze_command_queue_group_properties_t = _ze_command_queue_group_properties_t;
pub type ze_device_memory_access_properties_t = _ze_device_memory_access_properties_t;
pub type ze_device_cache_properties_t = _ze_device_cache_properties_t;
pub type ze_context_desc_t = _ze_context_desc_t;
pub type ze_command_queue_desc_t = _ze_command_queue_desc_t;
pub type ze_command_list_desc_t = _ze_command_list_desc_t;
pub type ze_event_pool_desc_t = _ze_event_pool_desc_t;
pub type ze_event_desc_t = _ze_event_desc_t;
pub type ze_kernel_timestamp_data_t = _ze_kernel_timestamp_data_t;
pub type ze_kernel_timestamp_result_t = _ze_kernel_timestamp_result_t;
pub type ze_device_mem_alloc_desc_t = _ze_device_mem_alloc_desc_t;
pub type ze_host_mem_alloc_desc_t = _ze_host_mem_alloc_desc_t;
pub type ze_memory_allocation_properties_t = _ze_memory_allocation_properties_t;
pub type ze_module_constants_t = _ze_module_constants_t;
pub type ze_module_desc_t = _ze_module_desc_t;
pub type ze_kernel_desc_t = _ze_kernel_desc_t;
pub type ze_kernel_uuid_t = _ze_kernel_uuid_t;
pub type ze_kernel_properties_t = _ze_kernel_properties_t;
pub type ze_group_count_t = _ze_group_count_t;
pub type ze_driver_memory_free_ext_properties_t = _ze_driver_memory_free_ext_properties_t;
pub type ze_memory_free_ext_desc_t = _ze_memory_free_ext_desc_t;
pub type ze_init_flags_t = u32;
pub type ze_init_driver_type_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_init_driver_type_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_init_driver_type_flags_t,
}
impl Default for _ze_init_driver_type_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_API_VERSION_1_0: _ze_api_version_t = 65536;
pub const ZE_API_VERSION_1_1: _ze_api_version_t = 65537;
pub const ZE_API_VERSION_1_2: _ze_api_version_t = 65538;
pub const ZE_API_VERSION_1_3: _ze_api_version_t = 65539;
pub const ZE_API_VERSION_1_4: _ze_api_version_t = 65540;
pub const ZE_API_VERSION_1_5: _ze_api_version_t = 65541;
pub const ZE_API_VERSION_1_6: _ze_api_version_t = 65542;
pub const ZE_API_VERSION_1_7: _ze_api_version_t = 65543;
pub const ZE_API_VERSION_1_8: _ze_api_version_t = 65544;
pub const ZE_API_VERSION_1_9: _ze_api_version_t = 65545;
pub const ZE_API_VERSION_1_10: _ze_api_version_t = 65546;
pub const ZE_API_VERSION_1_11: _ze_api_version_t = 65547;
pub const ZE_API_VERSION_1_12: _ze_api_version_t = 65548;
pub const ZE_API_VERSION_1_13: _ze_api_version_t = 65549;
pub const ZE_API_VERSION_1_14: _ze_api_version_t = 65550;
pub const ZE_API_VERSION_1_15: _ze_api_version_t = 65551;
pub const ZE_API_VERSION_1_16: _ze_api_version_t = 65552;
pub const ZE_API_VERSION_1_17: _ze_api_version_t = 65553;
pub const ZE_API_VERSION_CURRENT: _ze_api_version_t = 65553;
pub const ZE_API_VERSION_FORCE_UINT32: _ze_api_version_t = 2147483647;
pub type _ze_api_version_t = ::std::os::raw::c_uint;
pub use self::_ze_api_version_t as ze_api_version_t;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_driver_uuid_t {
    pub id: [u8; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_driver_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub uuid: ze_driver_uuid_t,
    pub driverVersion: u32,
}
impl Default for _ze_driver_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_DEVICE_TYPE_GPU: _ze_device_type_t = 1;
pub const ZE_DEVICE_TYPE_CPU: _ze_device_type_t = 2;
pub const ZE_DEVICE_TYPE_FPGA: _ze_device_type_t = 3;
pub const ZE_DEVICE_TYPE_MCA: _ze_device_type_t = 4;
pub const ZE_DEVICE_TYPE_VPU: _ze_device_type_t = 5;
pub const ZE_DEVICE_TYPE_FORCE_UINT32: _ze_device_type_t = 2147483647;
pub type _ze_device_type_t = ::std::os::raw::c_uint;
pub use self::_ze_device_type_t as ze_device_type_t;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_device_uuid_t {
    pub id: [u8; 16usize],
}
pub type ze_device_property_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub type_: ze_device_type_t,
    pub vendorId: u32,
    pub deviceId: u32,
    pub flags: ze_device_property_flags_t,
    pub subdeviceId: u32,
    pub coreClockRate: u32,
    pub maxMemAllocSize: u64,
    pub maxHardwareContexts: u32,
    pub maxCommandQueuePriority: u32,
    pub numThreadsPerEU: u32,
    pub physicalEUSimdWidth: u32,
    pub numEUsPerSubslice: u32,
    pub numSubslicesPerSlice: u32,
    pub numSlices: u32,
    pub timerResolution: u64,
    pub timestampValidBits: u32,
    pub kernelTimestampValidBits: u32,
    pub uuid: ze_device_uuid_t,
    pub name: [::std::os::raw::c_char; 256usize],
}
impl Default for _ze_device_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_compute_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub maxTotalGroupSize: u32,
    pub maxGroupSizeX: u32,
    pub maxGroupSizeY: u32,
    pub maxGroupSizeZ: u32,
    pub maxGroupCountX: u32,
    pub maxGroupCountY: u32,
    pub maxGroupCountZ: u32,
    pub maxSharedLocalMemory: u32,
    pub numSubGroupSizes: u32,
    pub subGroupSizes: [u32; 8usize],
}
impl Default for _ze_device_compute_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_native_kernel_uuid_t {
    pub id: [u8; 16usize],
}
pub type ze_device_module_flags_t = u32;
pub const ZE_DEVICE_MODULE_FLAG_FP16: _ze_device_module_flag_t = 1;
pub const ZE_DEVICE_MODULE_FLAG_FP64: _ze_device_module_flag_t = 2;
pub const ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS: _ze_device_module_flag_t = 4;
pub const ZE_DEVICE_MODULE_FLAG_DP4A: _ze_device_module_flag_t = 8;
pub const ZE_DEVICE_MODULE_FLAG_FORCE_UINT32: _ze_device_module_flag_t = 2147483647;
pub type _ze_device_module_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_module_flag_t as ze_device_module_flag_t;
pub type ze_device_fp_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_module_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub spirvVersionSupported: u32,
    pub flags: ze_device_module_flags_t,
    pub fp16flags: ze_device_fp_flags_t,
    pub fp32flags: ze_device_fp_flags_t,
    pub fp64flags: ze_device_fp_flags_t,
    pub maxArgumentsSize: u32,
    pub printfBufferSize: u32,
    pub nativeKernelSupported: ze_native_kernel_uuid_t,
}
impl Default for _ze_device_module_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_command_queue_group_property_flags_t = u32;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE: _ze_command_queue_group_property_flag_t = 1;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY: _ze_command_queue_group_property_flag_t = 2;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS:
    _ze_command_queue_group_property_flag_t = 4;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS: _ze_command_queue_group_property_flag_t = 8;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_FORCE_UINT32:
    _ze_command_queue_group_property_flag_t = 2147483647;
pub type _ze_command_queue_group_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_command_queue_group_property_flag_t as ze_command_queue_group_property_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_command_queue_group_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_command_queue_group_property_flags_t,
    pub maxMemoryFillPatternSize: usize,
    pub numQueues: u32,
}
impl Default for _ze_command_queue_group_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_memory_access_cap_flags_t = u32;
pub const ZE_MEMORY_ACCESS_CAP_FLAG_RW: _ze_memory_access_cap_flag_t = 1;
pub const ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC: _ze_memory_access_cap_flag_t = 2;
pub const ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT: _ze_memory_access_cap_flag_t = 4;
pub const ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC: _ze_memory_access_cap_flag_t = 8;
pub const ZE_MEMORY_ACCESS_CAP_FLAG_FORCE_UINT32: _ze_memory_access_cap_flag_t = 2147483647;
pub type _ze_memory_access_cap_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_access_cap_flag_t as ze_memory_access_cap_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_memory_access_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub hostAllocCapabilities: ze_memory_access_cap_flags_t,
    pub deviceAllocCapabilities: ze_memory_access_cap_flags_t,
    pub sharedSingleDeviceAllocCapabilities: ze_memory_access_cap_flags_t,
    pub sharedCrossDeviceAllocCapabilities: ze_memory_access_cap_flags_t,
    pub sharedSystemAllocCapabilities: ze_memory_access_cap_flags_t,
}
impl Default for _ze_device_memory_access_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_cache_property_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_cache_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_device_cache_property_flags_t,
    pub cacheSize: usize,
}
impl Default for _ze_device_cache_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_context_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_context_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_context_flags_t,
}
impl Default for _ze_context_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_command_queue_flags_t = u32;
pub const ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY: _ze_command_queue_flag_t = 1;
pub const ZE_COMMAND_QUEUE_FLAG_IN_ORDER: _ze_command_queue_flag_t = 2;
pub const ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT: _ze_command_queue_flag_t = 4;
pub const ZE_COMMAND_QUEUE_FLAG_FORCE_UINT32: _ze_command_queue_flag_t = 2147483647;
pub type _ze_command_queue_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_command_queue_flag_t as ze_command_queue_flag_t;
pub const ZE_COMMAND_QUEUE_MODE_DEFAULT: _ze_command_queue_mode_t = 0;
pub const ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS: _ze_command_queue_mode_t = 1;
pub const ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS: _ze_command_queue_mode_t = 2;
pub const ZE_COMMAND_QUEUE_MODE_FORCE_UINT32: _ze_command_queue_mode_t = 2147483647;
pub type _ze_command_queue_mode_t = ::std::os::raw::c_uint;
pub use self::_ze_command_queue_mode_t as ze_command_queue_mode_t;
pub const ZE_COMMAND_QUEUE_PRIORITY_NORMAL: _ze_command_queue_priority_t = 0;
pub const ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW: _ze_command_queue_priority_t = 1;
pub const ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH: _ze_command_queue_priority_t = 2;
pub const ZE_COMMAND_QUEUE_PRIORITY_FORCE_UINT32: _ze_command_queue_priority_t = 2147483647;
pub type _ze_command_queue_priority_t = ::std::os::raw::c_uint;
pub use self::_ze_command_queue_priority_t as ze_command_queue_priority_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_command_queue_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub ordinal: u32,
    pub index: u32,
    pub flags: ze_command_queue_flags_t,
    pub mode: ze_command_queue_mode_t,
    pub priority: ze_command_queue_priority_t,
}
impl Default for _ze_command_queue_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_command_list_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_command_list_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandQueueGroupOrdinal: u32,
    pub flags: ze_command_list_flags_t,
}
impl Default for _ze_command_list_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_event_pool_flags_t = u32;
pub const ZE_EVENT_POOL_FLAG_HOST_VISIBLE: _ze_event_pool_flag_t = 1;
pub const ZE_EVENT_POOL_FLAG_IPC: _ze_event_pool_flag_t = 2;
pub const ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP: _ze_event_pool_flag_t = 4;
pub const ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP: _ze_event_pool_flag_t = 8;
pub const ZE_EVENT_POOL_FLAG_FORCE_UINT32: _ze_event_pool_flag_t = 2147483647;
pub type _ze_event_pool_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_pool_flag_t as ze_event_pool_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_pool_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_event_pool_flags_t,
    pub count: u32,
}
impl Default for _ze_event_pool_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_event_scope_flags_t = u32;
pub const ZE_EVENT_SCOPE_FLAG_SUBDEVICE: _ze_event_scope_flag_t = 1;
pub const ZE_EVENT_SCOPE_FLAG_DEVICE: _ze_event_scope_flag_t = 2;
pub const ZE_EVENT_SCOPE_FLAG_HOST: _ze_event_scope_flag_t = 4;
pub const ZE_EVENT_SCOPE_FLAG_FORCE_UINT32: _ze_event_scope_flag_t = 2147483647;
pub type _ze_event_scope_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_scope_flag_t as ze_event_scope_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub index: u32,
    pub signal: ze_event_scope_flags_t,
    pub wait: ze_event_scope_flags_t,
}
impl Default for _ze_event_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_kernel_timestamp_data_t {
    pub kernelStart: u64,
    pub kernelEnd: u64,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_kernel_timestamp_result_t {
    pub global: ze_kernel_timestamp_data_t,
    pub context: ze_kernel_timestamp_data_t,
}
pub type ze_device_mem_alloc_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_mem_alloc_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_device_mem_alloc_flags_t,
    pub ordinal: u32,
}
impl Default for _ze_device_mem_alloc_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_host_mem_alloc_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_host_mem_alloc_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_host_mem_alloc_flags_t,
}
impl Default for _ze_host_mem_alloc_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_MEMORY_TYPE_UNKNOWN: _ze_memory_type_t = 0;
pub const ZE_MEMORY_TYPE_HOST: _ze_memory_type_t = 1;
pub const ZE_MEMORY_TYPE_DEVICE: _ze_memory_type_t = 2;
pub const ZE_MEMORY_TYPE_SHARED: _ze_memory_type_t = 3;
pub const ZE_MEMORY_TYPE_HOST_IMPORTED: _ze_memory_type_t = 4;
pub const ZE_MEMORY_TYPE_FORCE_UINT32: _ze_memory_type_t = 2147483647;
pub type _ze_memory_type_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_type_t as ze_memory_type_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_memory_allocation_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub type_: ze_memory_type_t,
    pub id: u64,
    pub pageSize: u64,
}
impl Default for _ze_memory_allocation_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_MODULE_FORMAT_IL_SPIRV: _ze_module_format_t = 0;
pub const ZE_MODULE_FORMAT_NATIVE: _ze_module_format_t = 1;
pub const ZE_MODULE_FORMAT_FORCE_UINT32: _ze_module_format_t = 2147483647;
pub type _ze_module_format_t = ::std::os::raw::c_uint;
pub use self::_ze_module_format_t as ze_module_format_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_module_constants_t {
    pub numConstants: u32,
    pub pConstantIds: *const u32,
    pub pConstantValues: *mut *const ::std::os::raw::c_void,
}
impl Default for _ze_module_constants_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_module_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub format: ze_module_format_t,
    pub inputSize: usize,
    pub pInputModule: *const u8,
    pub pBuildFlags: *const ::std::os::raw::c_char,
    pub pConstants: *const ze_module_constants_t,
}
impl Default for _ze_module_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_kernel_flags_t = u32;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_kernel_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_kernel_flags_t,
    pub pKernelName: *const ::std::os::raw::c_char,
}
impl Default for _ze_kernel_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_kernel_uuid_t {
    pub kid: [u8; 16usize],
    pub mid: [u8; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_kernel_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub numKernelArgs: u32,
    pub requiredGroupSizeX: u32,
    pub requiredGroupSizeY: u32,
    pub requiredGroupSizeZ: u32,
    pub requiredNumSubGroups: u32,
    pub requiredSubgroupSize: u32,
    pub maxSubgroupSize: u32,
    pub maxNumSubgroups: u32,
    pub localMemSize: u32,
    pub privateMemSize: u32,
    pub spillMemSize: u32,
    pub uuid: ze_kernel_uuid_t,
}
impl Default for _ze_kernel_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_group_count_t {
    pub groupCountX: u32,
    pub groupCountY: u32,
    pub groupCountZ: u32,
}
pub type ze_driver_memory_free_policy_ext_flags_t = u32;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE:
    _ze_driver_memory_free_policy_ext_flag_t = 1;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE:
    _ze_driver_memory_free_policy_ext_flag_t = 2;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_FORCE_UINT32:
    _ze_driver_memory_free_policy_ext_flag_t = 2147483647;
pub type _ze_driver_memory_free_policy_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_driver_memory_free_policy_ext_flag_t as ze_driver_memory_free_policy_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_driver_memory_free_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub freePolicies: ze_driver_memory_free_policy_ext_flags_t,
}
impl Default for _ze_driver_memory_free_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_memory_free_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub freePolicy: ze_driver_memory_free_policy_ext_flags_t,
}
impl Default for _ze_memory_free_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_pfnInit_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_init_flags_t) -> ze_result_t>;
pub type ze_pfnInitDrivers_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: *mut u32,
        arg2: *mut ze_driver_handle_t,
        arg3: *mut ze_init_driver_type_desc_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDriverGet_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: *mut u32, arg2: *mut ze_driver_handle_t) -> ze_result_t,
>;
pub type ze_pfnDriverGetApiVersion_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_api_version_t) -> ze_result_t,
>;
pub type ze_pfnDriverGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *mut ze_driver_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDriverGetExtensionFunctionAddress_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGet_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetSubDevices_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut ze_device_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetComputeProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut ze_device_compute_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetModuleProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut ze_device_module_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetCommandQueueGroupProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_command_queue_group_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetMemoryAccessProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut ze_device_memory_access_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetCacheProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_cache_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnContextCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ze_context_desc_t,
        arg3: *mut ze_context_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnContextDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t) -> ze_result_t>;
pub type ze_pfnContextGetStatus_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_command_list_desc_t,
        arg4: *mut ze_command_list_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListCreateImmediate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_command_queue_desc_t,
        arg4: *mut ze_command_list_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListAppendBarrier_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_event_handle_t,
        arg3: u32,
        arg4: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryCopy_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendLaunchKernel_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_kernel_handle_t,
        arg3: *const ze_group_count_t,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListHostSynchronize_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: u64) -> ze_result_t,
>;
pub type ze_pfnCommandListGetDeviceHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ze_device_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListGetContextHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ze_context_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListIsImmediate_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_bool_t) -> ze_result_t,
>;
pub type ze_pfnMemAllocShared_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_device_mem_alloc_desc_t,
        arg3: *const ze_host_mem_alloc_desc_t,
        arg4: usize,
        arg5: usize,
        arg6: ze_device_handle_t,
        arg7: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemAllocDevice_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_device_mem_alloc_desc_t,
        arg3: usize,
        arg4: usize,
        arg5: ze_device_handle_t,
        arg6: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemAllocHost_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_host_mem_alloc_desc_t,
        arg3: usize,
        arg4: usize,
        arg5: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemFree_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemGetAllocProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ze_memory_allocation_properties_t,
        arg4: *mut ze_device_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnMemGetAddressRange_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut *mut ::std::os::raw::c_void,
        arg4: *mut usize,
    ) -> ze_result_t,
>;
pub type ze_pfnMemFreeExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_memory_free_ext_desc_t,
        arg3: *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnEventPoolCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_event_pool_desc_t,
        arg3: u32,
        arg4: *mut ze_device_handle_t,
        arg5: *mut ze_event_pool_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventPoolDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_pool_handle_t) -> ze_result_t>;
pub type ze_pfnEventCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_event_pool_handle_t,
        arg2: *const ze_event_desc_t,
        arg3: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostSignal_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: u64) -> ze_result_t>;
pub type ze_pfnEventQueryStatus_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostReset_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventQueryKernelTimestamp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_event_handle_t,
        arg2: *mut ze_kernel_timestamp_result_t,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_module_desc_t,
        arg4: *mut ze_module_handle_t,
        arg5: *mut ze_module_build_log_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_module_handle_t) -> ze_result_t>;
pub type ze_pfnModuleGetNativeBinary_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_module_handle_t, arg2: *mut usize, arg3: *mut u8) -> ze_result_t,
>;
pub type ze_pfnModuleBuildLogDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_module_build_log_handle_t) -> ze_result_t>;
pub type ze_pfnModuleBuildLogGetString_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_build_log_handle_t,
        arg2: *mut usize,
        arg3: *mut ::std::os::raw::c_char,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_handle_t,
        arg2: *const ze_kernel_desc_t,
        arg3: *mut ze_kernel_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_kernel_handle_t) -> ze_result_t>;
pub type ze_pfnKernelSetGroupSize_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: u32, arg3: u32, arg4: u32) -> ze_result_t,
>;
pub type ze_pfnKernelSuggestGroupSize_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: u32,
        arg3: u32,
        arg4: u32,
        arg5: *mut u32,
        arg6: *mut u32,
        arg7: *mut u32,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelSetArgumentValue_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: u32,
        arg3: usize,
        arg4: *const ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: *mut ze_kernel_properties_t,
    ) -> ze_result_t,
>;
