//! The types of Level Zero 1.17, generated from the headers of Debian's `libze-dev` 1.32.0-1 with bindgen-cli 0.73.2. Made with
//!
//! ```text
//! printf '#include <level_zero/ze_api.h>\n#include <level_zero/ze_ddi.h>\n' > wrapper.h
//! bindgen wrapper.h --rust-target 1.88 --rust-edition 2024 --generate types,vars --no-doc-comments \
//!     --no-prepend-enum-name --no-layout-tests --with-derive-default \
//!     --allowlist-type '_?ze_.*_(dditable|properties|desc|flags?|ext|exp|type)_t' --allowlist-var 'ZE_.*'
//! ```
//!
//! and `cargo fmt`, with this paragraph put before it. Do not edit.

pub const ZE_MAX_IPC_HANDLE_SIZE: u32 = 64;
pub const ZE_MAX_UUID_SIZE: u32 = 16;
pub const ZE_MAX_DRIVER_UUID_SIZE: u32 = 16;
pub const ZE_MAX_EXTENSION_NAME: u32 = 256;
pub const ZE_MAX_DEVICE_UUID_SIZE: u32 = 16;
pub const ZE_MAX_DEVICE_NAME: u32 = 256;
pub const ZE_SUBGROUPSIZE_COUNT: u32 = 8;
pub const ZE_DEVICE_COMPUTE_DOTPRODUCT_PROPERTIES_EXT_NAME: &[u8; 54] =
    b"ZE_extension_device_compute_dotproduct_ext_properties\0";
pub const ZE_MAX_NATIVE_KERNEL_UUID_SIZE: u32 = 16;
pub const ZE_MAX_KERNEL_UUID_SIZE: u32 = 16;
pub const ZE_MAX_MODULE_UUID_SIZE: u32 = 16;
pub const ZE_MODULE_PROGRAM_EXP_NAME: &[u8; 31] = b"ZE_experimental_module_program\0";
pub const ZE_RAYTRACING_EXT_NAME: &[u8; 24] = b"ZE_extension_raytracing\0";
pub const ZE_FLOAT_ATOMICS_EXT_NAME: &[u8; 27] = b"ZE_extension_float_atomics\0";
pub const ZE_GLOBAL_OFFSET_EXP_NAME: &[u8; 30] = b"ZE_experimental_global_offset\0";
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXT_NAME: &[u8; 39] = b"ZE_extension_relaxed_allocation_limits\0";
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME: &[u8; 42] = b"ZE_experimental_relaxed_allocation_limits\0";
pub const ZE_CACHE_RESERVATION_EXT_NAME: &[u8; 31] = b"ZE_extension_cache_reservation\0";
pub const ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME: &[u8; 39] = b"ZE_experimental_event_query_timestamps\0";
pub const ZE_IMAGE_MEMORY_PROPERTIES_EXP_NAME: &[u8; 40] = b"ZE_experimental_image_memory_properties\0";
pub const ZE_IMAGE_VIEW_EXT_NAME: &[u8; 24] = b"ZE_extension_image_view\0";
pub const ZE_IMAGE_VIEW_EXP_NAME: &[u8; 27] = b"ZE_experimental_image_view\0";
pub const ZE_IMAGE_VIEW_PLANAR_EXT_NAME: &[u8; 31] = b"ZE_extension_image_view_planar\0";
pub const ZE_IMAGE_VIEW_PLANAR_EXP_NAME: &[u8; 34] = b"ZE_experimental_image_view_planar\0";
pub const ZE_KERNEL_SCHEDULING_HINTS_EXP_NAME: &[u8; 33] = b"ZE_experimental_scheduling_hints\0";
pub const ZE_LINKONCE_ODR_EXT_NAME: &[u8; 26] = b"ZE_extension_linkonce_odr\0";
pub const ZE_CONTEXT_POWER_SAVING_HINT_EXP_NAME: &[u8; 34] = b"ZE_experimental_power_saving_hint\0";
pub const ZE_SUBGROUPS_EXT_NAME: &[u8; 23] = b"ZE_extension_subgroups\0";
pub const ZE_EU_COUNT_EXT_NAME: &[u8; 22] = b"ZE_extension_eu_count\0";
pub const ZE_PCI_PROPERTIES_EXT_NAME: &[u8; 28] = b"ZE_extension_pci_properties\0";
pub const ZE_SRGB_EXT_NAME: &[u8; 18] = b"ZE_extension_srgb\0";
pub const ZE_IMAGE_COPY_EXT_NAME: &[u8; 24] = b"ZE_extension_image_copy\0";
pub const ZE_IMAGE_QUERY_ALLOC_PROPERTIES_EXT_NAME: &[u8; 42] = b"ZE_extension_image_query_alloc_properties\0";
pub const ZE_LINKAGE_INSPECTION_EXT_NAME: &[u8; 32] = b"ZE_extension_linkage_inspection\0";
pub const ZE_MEMORY_COMPRESSION_HINTS_EXT_NAME: &[u8; 38] = b"ZE_extension_memory_compression_hints\0";
pub const ZE_MEMORY_FREE_POLICIES_EXT_NAME: &[u8; 34] = b"ZE_extension_memory_free_policies\0";
pub const ZE_BANDWIDTH_PROPERTIES_EXP_NAME: &[u8; 37] = b"ZE_experimental_bandwidth_properties\0";
pub const ZE_DEVICE_LUID_EXT_NAME: &[u8; 25] = b"ZE_extension_device_luid\0";
pub const ZE_MAX_DEVICE_LUID_SIZE_EXT: u32 = 8;
pub const ZE_FABRIC_EXP_NAME: &[u8; 23] = b"ZE_experimental_fabric\0";
pub const ZE_MAX_FABRIC_EDGE_MODEL_EXP_SIZE: u32 = 256;
pub const ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME: &[u8; 38] = b"ZE_extension_device_memory_properties\0";
pub const ZE_BFLOAT16_CONVERSIONS_EXT_NAME: &[u8; 34] = b"ZE_extension_bfloat16_conversions\0";
pub const ZE_DEVICE_IP_VERSION_EXT_NAME: &[u8; 31] = b"ZE_extension_device_ip_version\0";
pub const ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME: &[u8; 46] = b"ZE_extension_kernel_max_group_size_properties\0";
pub const ZE_SUB_ALLOCATIONS_EXP_NAME: &[u8; 32] = b"ZE_experimental_sub_allocations\0";
pub const ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME: &[u8; 43] = b"ZE_extension_event_query_kernel_timestamps\0";
pub const ZE_RTAS_BUILDER_EXP_NAME: &[u8; 29] = b"ZE_experimental_rtas_builder\0";
pub const ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME: &[u8; 41] = b"ZE_experimental_event_pool_counter_based\0";
pub const ZE_BINDLESS_IMAGE_EXP_NAME: &[u8; 31] = b"ZE_experimental_bindless_image\0";
pub const ZE_COMMAND_LIST_CLONE_EXP_NAME: &[u8; 35] = b"ZE_experimental_command_list_clone\0";
pub const ZE_IMMEDIATE_COMMAND_LIST_APPEND_EXP_NAME: &[u8; 46] = b"ZE_experimental_immediate_command_list_append\0";
pub const ZE_MUTABLE_COMMAND_LIST_EXP_NAME: &[u8; 37] = b"ZE_experimental_mutable_command_list\0";
pub const ZE_GET_KERNEL_BINARY_EXP_NAME: &[u8; 31] = b"ZE_extension_kernel_binary_exp\0";
pub const ZE_DRIVER_DDI_HANDLES_EXT_NAME: &[u8; 32] = b"ZE_extension_driver_ddi_handles\0";
pub const ZE_EXTERNAL_SEMAPHORES_EXTENSION_NAME: &[u8; 33] = b"ZE_extension_external_semaphores\0";
pub const ZE_CACHELINE_SIZE_EXT_NAME: &[u8; 36] = b"ZE_extension_device_cache_line_size\0";
pub const ZE_RTAS_EXT_NAME: &[u8; 18] = b"ZE_extension_rtas\0";
pub const ZE_DEVICE_VECTOR_SIZES_EXT_NAME: &[u8; 33] = b"ZE_extension_device_vector_sizes\0";
pub const ZE_EXTERNAL_MEMORY_MAPPING_EXT_NAME: &[u8; 36] = b"ZE_extension_external_memmap_sysmem\0";
pub const ZE_GET_KERNEL_ALLOCATION_PROPERTIES_EXP_NAME: &[u8; 45] = b"ZE_experimental_kernel_allocation_properties\0";
pub const ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME: &[u8; 46] = b"ZE_extension_device_usablemem_size_properties\0";
pub const ZE_IMAGE_FORMAT_SUPPORT_EXT_NAME: &[u8; 34] = b"ZE_extension_image_format_support\0";
pub const ZE_IPC_MEM_HANDLE_TYPE_EXT_NAME: &[u8; 33] = b"ZE_extension_ipc_mem_handle_type\0";
pub const ZE_RECORD_REPLAY_GRAPH_EXT_NAME: &[u8; 33] = b"ZE_extension_record_replay_graph\0";
pub const ZE_VIRTUAL_MEM_READONLY_PROPERTIES_EXT_NAME: &[u8; 45] = b"ZE_extension_virtual_mem_readonly_properties\0";
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
pub struct _ze_command_queue_handle_t {
    _unused: [u8; 0],
}
pub type ze_command_queue_handle_t = *mut _ze_command_queue_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_command_list_handle_t {
    _unused: [u8; 0],
}
pub type ze_command_list_handle_t = *mut _ze_command_list_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_fence_handle_t {
    _unused: [u8; 0],
}
pub type ze_fence_handle_t = *mut _ze_fence_handle_t;
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
pub struct _ze_image_handle_t {
    _unused: [u8; 0],
}
pub type ze_image_handle_t = *mut _ze_image_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_module_handle_t {
    _unused: [u8; 0],
}
pub type ze_module_handle_t = *mut _ze_module_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_graph_handle_t {
    _unused: [u8; 0],
}
pub type ze_graph_handle_t = *mut _ze_graph_handle_t;
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
#[repr(C)]
#[derive(Debug)]
pub struct _ze_sampler_handle_t {
    _unused: [u8; 0],
}
pub type ze_sampler_handle_t = *mut _ze_sampler_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_physical_mem_handle_t {
    _unused: [u8; 0],
}
pub type ze_physical_mem_handle_t = *mut _ze_physical_mem_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_fabric_vertex_handle_t {
    _unused: [u8; 0],
}
pub type ze_fabric_vertex_handle_t = *mut _ze_fabric_vertex_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_fabric_edge_handle_t {
    _unused: [u8; 0],
}
pub type ze_fabric_edge_handle_t = *mut _ze_fabric_edge_handle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_ipc_mem_handle_t {
    pub data: [::std::os::raw::c_char; 64usize],
}
impl Default for _ze_ipc_mem_handle_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_ipc_mem_handle_t = _ze_ipc_mem_handle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_ipc_event_pool_handle_t {
    pub data: [::std::os::raw::c_char; 64usize],
}
impl Default for _ze_ipc_event_pool_handle_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_ipc_event_pool_handle_t = _ze_ipc_event_pool_handle_t;
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
pub const ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_PROPERTIES: _ze_structure_type_t = 65553;
pub const ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_RESULTS_EXT_PROPERTIES: _ze_structure_type_t = 65554;
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
pub const ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC: _ze_structure_type_t = 131126;
pub const ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC: _ze_structure_type_t = 131127;
pub const ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO: _ze_structure_type_t = 131128;
pub const ZE_STRUCTURE_TYPE_KERNEL_ALLOCATION_PROPERTIES: _ze_structure_type_t = 131129;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC: _ze_structure_type_t = 131130;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC: _ze_structure_type_t = 131131;
pub const ZE_STRUCTURE_TYPE_EVENT_SYNC_MODE_DESC: _ze_structure_type_t = 131132;
pub const ZE_STRUCTURE_TYPE_IPC_MEM_HANDLE_TYPE_EXT_DESC: _ze_structure_type_t = 131133;
pub const ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES: _ze_structure_type_t = 131134;
pub const ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC: _ze_structure_type_t = 131135;
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
pub type ze_external_memory_type_flags_t = u32;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD: _ze_external_memory_type_flag_t = 1;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF: _ze_external_memory_type_flag_t = 2;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_WIN32: _ze_external_memory_type_flag_t = 4;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_WIN32_KMT: _ze_external_memory_type_flag_t = 8;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D11_TEXTURE: _ze_external_memory_type_flag_t = 16;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D11_TEXTURE_KMT: _ze_external_memory_type_flag_t = 32;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_HEAP: _ze_external_memory_type_flag_t = 64;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_D3D12_RESOURCE: _ze_external_memory_type_flag_t = 128;
pub const ZE_EXTERNAL_MEMORY_TYPE_FLAG_FORCE_UINT32: _ze_external_memory_type_flag_t = 2147483647;
pub type _ze_external_memory_type_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_external_memory_type_flag_t as ze_external_memory_type_flag_t;
pub const ZE_BANDWIDTH_UNIT_UNKNOWN: _ze_bandwidth_unit_t = 0;
pub const ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC: _ze_bandwidth_unit_t = 1;
pub const ZE_BANDWIDTH_UNIT_BYTES_PER_CLOCK: _ze_bandwidth_unit_t = 2;
pub const ZE_BANDWIDTH_UNIT_FORCE_UINT32: _ze_bandwidth_unit_t = 2147483647;
pub type _ze_bandwidth_unit_t = ::std::os::raw::c_uint;
pub use self::_ze_bandwidth_unit_t as ze_bandwidth_unit_t;
pub const ZE_LATENCY_UNIT_UNKNOWN: _ze_latency_unit_t = 0;
pub const ZE_LATENCY_UNIT_NANOSEC: _ze_latency_unit_t = 1;
pub const ZE_LATENCY_UNIT_CLOCK: _ze_latency_unit_t = 2;
pub const ZE_LATENCY_UNIT_HOP: _ze_latency_unit_t = 3;
pub const ZE_LATENCY_UNIT_FORCE_UINT32: _ze_latency_unit_t = 2147483647;
pub type _ze_latency_unit_t = ::std::os::raw::c_uint;
pub use self::_ze_latency_unit_t as ze_latency_unit_t;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_uuid_t {
    pub id: [u8; 16usize],
}
pub type ze_uuid_t = _ze_uuid_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_base_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
}
impl Default for _ze_base_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_base_properties_t = _ze_base_properties_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_base_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
}
impl Default for _ze_base_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_base_desc_t = _ze_base_desc_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_ipc_event_counter_based_handle_t {
    pub data: [::std::os::raw::c_char; 64usize],
}
impl Default for _ze_ipc_event_counter_based_handle_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_ipc_event_counter_based_handle_t = _ze_ipc_event_counter_based_handle_t;
pub type ze_init_driver_type_desc_t = _ze_init_driver_type_desc_t;
pub type ze_driver_uuid_t = _ze_driver_uuid_t;
pub type ze_driver_properties_t = _ze_driver_properties_t;
pub type ze_driver_ipc_properties_t = _ze_driver_ipc_properties_t;
pub type ze_driver_extension_properties_t = _ze_driver_extension_properties_t;
pub type ze_device_uuid_t = _ze_device_uuid_t;
pub type ze_device_properties_t = _ze_device_properties_t;
pub type ze_device_compute_properties_t = _ze_device_compute_properties_t;
pub type ze_device_compute_dotproduct_ext_properties_t = _ze_device_compute_dotproduct_ext_properties_t;
pub type ze_native_kernel_uuid_t = _ze_native_kernel_uuid_t;
pub type ze_device_module_properties_t = _ze_device_module_properties_t;
pub type ze_command_queue_group_properties_t = _ze_command_queue_group_properties_t;
pub type ze_device_memory_properties_t = _ze_device_memory_properties_t;
pub type ze_device_memory_access_properties_t = _ze_device_memory_access_properties_t;
pub type ze_device_cache_properties_t = _ze_device_cache_properties_t;
pub type ze_device_image_properties_t = _ze_device_image_properties_t;
pub type ze_device_external_memory_properties_t = _ze_device_external_memory_properties_t;
pub type ze_device_p2p_properties_t = _ze_device_p2p_properties_t;
pub type ze_device_event_properties_t = _ze_device_event_properties_t;
pub type ze_runtime_requirements_module_desc_t = _ze_runtime_requirements_module_desc_t;
pub type ze_runtime_requirements_graph_desc_t = _ze_runtime_requirements_graph_desc_t;
pub type ze_validate_runtime_requirements_output_t = _ze_validate_runtime_requirements_output_t;
pub type ze_context_desc_t = _ze_context_desc_t;
pub type ze_command_queue_desc_t = _ze_command_queue_desc_t;
pub type ze_command_list_desc_t = _ze_command_list_desc_t;
pub type ze_copy_region_t = _ze_copy_region_t;
pub type ze_image_region_t = _ze_image_region_t;
pub type ze_event_pool_desc_t = _ze_event_pool_desc_t;
pub type ze_event_sync_mode_desc_t = _ze_event_sync_mode_desc_t;
pub type ze_event_desc_t = _ze_event_desc_t;
pub type ze_event_counter_based_desc_t = _ze_event_counter_based_desc_t;
pub type ze_event_counter_based_external_sync_allocation_desc_t =
    _ze_event_counter_based_external_sync_allocation_desc_t;
pub type ze_event_counter_based_external_aggregate_storage_desc_t =
    _ze_event_counter_based_external_aggregate_storage_desc_t;
pub type ze_kernel_timestamp_data_t = _ze_kernel_timestamp_data_t;
pub type ze_kernel_timestamp_result_t = _ze_kernel_timestamp_result_t;
pub type ze_fence_desc_t = _ze_fence_desc_t;
pub type ze_image_format_t = _ze_image_format_t;
pub type ze_image_desc_t = _ze_image_desc_t;
pub type ze_image_properties_t = _ze_image_properties_t;
pub type ze_device_mem_alloc_desc_t = _ze_device_mem_alloc_desc_t;
pub type ze_host_mem_alloc_desc_t = _ze_host_mem_alloc_desc_t;
pub type ze_memory_allocation_properties_t = _ze_memory_allocation_properties_t;
pub type ze_external_memory_export_desc_t = _ze_external_memory_export_desc_t;
pub type ze_module_constants_t = _ze_module_constants_t;
pub type ze_module_desc_t = _ze_module_desc_t;
pub type ze_command_list_append_launch_kernel_param_cooperative_desc_t =
    _ze_command_list_append_launch_kernel_param_cooperative_desc_t;
pub type ze_module_properties_t = _ze_module_properties_t;
pub type ze_kernel_desc_t = _ze_kernel_desc_t;
pub type ze_kernel_uuid_t = _ze_kernel_uuid_t;
pub type ze_kernel_properties_t = _ze_kernel_properties_t;
pub type ze_kernel_preferred_group_size_properties_t = _ze_kernel_preferred_group_size_properties_t;
pub type ze_group_count_t = _ze_group_count_t;
pub type ze_group_size_t = _ze_group_size_t;
pub type ze_module_program_exp_desc_t = _ze_module_program_exp_desc_t;
pub type ze_device_raytracing_ext_properties_t = _ze_device_raytracing_ext_properties_t;
pub type ze_raytracing_mem_alloc_ext_desc_t = _ze_raytracing_mem_alloc_ext_desc_t;
pub type ze_sampler_desc_t = _ze_sampler_desc_t;
pub type ze_physical_mem_desc_t = _ze_physical_mem_desc_t;
pub type ze_physical_mem_properties_t = _ze_physical_mem_properties_t;
pub type ze_float_atomic_ext_properties_t = _ze_float_atomic_ext_properties_t;
pub type ze_relaxed_allocation_limits_ext_desc_t = _ze_relaxed_allocation_limits_ext_desc_t;
pub type ze_relaxed_allocation_limits_exp_desc_t = _ze_relaxed_allocation_limits_exp_desc_t;
pub type ze_cache_reservation_ext_desc_t = _ze_cache_reservation_ext_desc_t;
pub type ze_image_memory_properties_exp_t = _ze_image_memory_properties_exp_t;
pub type ze_image_view_planar_ext_desc_t = _ze_image_view_planar_ext_desc_t;
pub type ze_image_view_planar_exp_desc_t = _ze_image_view_planar_exp_desc_t;
pub type ze_scheduling_hint_exp_properties_t = _ze_scheduling_hint_exp_properties_t;
pub type ze_scheduling_hint_exp_desc_t = _ze_scheduling_hint_exp_desc_t;
pub type ze_context_power_saving_hint_exp_desc_t = _ze_context_power_saving_hint_exp_desc_t;
pub type ze_eu_count_ext_t = _ze_eu_count_ext_t;
pub type ze_pci_address_ext_t = _ze_pci_address_ext_t;
pub type ze_pci_speed_ext_t = _ze_pci_speed_ext_t;
pub type ze_pci_ext_properties_t = _ze_pci_ext_properties_t;
pub type ze_srgb_ext_desc_t = _ze_srgb_ext_desc_t;
pub type ze_image_allocation_ext_properties_t = _ze_image_allocation_ext_properties_t;
pub type ze_linkage_inspection_ext_desc_t = _ze_linkage_inspection_ext_desc_t;
pub type ze_memory_compression_hints_ext_desc_t = _ze_memory_compression_hints_ext_desc_t;
pub type ze_driver_memory_free_ext_properties_t = _ze_driver_memory_free_ext_properties_t;
pub type ze_memory_free_ext_desc_t = _ze_memory_free_ext_desc_t;
pub type ze_device_p2p_bandwidth_exp_properties_t = _ze_device_p2p_bandwidth_exp_properties_t;
pub type ze_copy_bandwidth_exp_properties_t = _ze_copy_bandwidth_exp_properties_t;
pub type ze_device_luid_ext_t = _ze_device_luid_ext_t;
pub type ze_device_luid_ext_properties_t = _ze_device_luid_ext_properties_t;
pub type ze_fabric_vertex_pci_exp_address_t = _ze_fabric_vertex_pci_exp_address_t;
pub type ze_fabric_vertex_exp_properties_t = _ze_fabric_vertex_exp_properties_t;
pub type ze_fabric_edge_exp_properties_t = _ze_fabric_edge_exp_properties_t;
pub type ze_device_memory_ext_properties_t = _ze_device_memory_ext_properties_t;
pub type ze_device_ip_version_ext_t = _ze_device_ip_version_ext_t;
pub type ze_kernel_max_group_size_properties_ext_t = _ze_kernel_max_group_size_properties_ext_t;
pub type ze_sub_allocation_t = _ze_sub_allocation_t;
pub type ze_memory_sub_allocations_exp_properties_t = _ze_memory_sub_allocations_exp_properties_t;
pub type ze_event_query_kernel_timestamps_ext_properties_t = _ze_event_query_kernel_timestamps_ext_properties_t;
pub type ze_synchronized_timestamp_data_ext_t = _ze_synchronized_timestamp_data_ext_t;
pub type ze_synchronized_timestamp_result_ext_t = _ze_synchronized_timestamp_result_ext_t;
pub type ze_event_query_kernel_timestamps_results_ext_properties_t =
    _ze_event_query_kernel_timestamps_results_ext_properties_t;
pub type ze_rtas_builder_exp_desc_t = _ze_rtas_builder_exp_desc_t;
pub type ze_rtas_builder_exp_properties_t = _ze_rtas_builder_exp_properties_t;
pub type ze_rtas_parallel_operation_exp_properties_t = _ze_rtas_parallel_operation_exp_properties_t;
pub type ze_rtas_device_exp_properties_t = _ze_rtas_device_exp_properties_t;
pub type ze_rtas_float3_exp_t = _ze_rtas_float3_exp_t;
pub type ze_rtas_transform_float3x4_column_major_exp_t = _ze_rtas_transform_float3x4_column_major_exp_t;
pub type ze_rtas_transform_float3x4_aligned_column_major_exp_t = _ze_rtas_transform_float3x4_aligned_column_major_exp_t;
pub type ze_rtas_transform_float3x4_row_major_exp_t = _ze_rtas_transform_float3x4_row_major_exp_t;
pub type ze_rtas_aabb_exp_t = _ze_rtas_aabb_exp_t;
pub type ze_rtas_triangle_indices_uint32_exp_t = _ze_rtas_triangle_indices_uint32_exp_t;
pub type ze_rtas_quad_indices_uint32_exp_t = _ze_rtas_quad_indices_uint32_exp_t;
pub type ze_rtas_builder_geometry_info_exp_t = _ze_rtas_builder_geometry_info_exp_t;
pub type ze_rtas_builder_triangles_geometry_info_exp_t = _ze_rtas_builder_triangles_geometry_info_exp_t;
pub type ze_rtas_builder_quads_geometry_info_exp_t = _ze_rtas_builder_quads_geometry_info_exp_t;
pub type ze_rtas_geometry_aabbs_exp_cb_params_t = _ze_rtas_geometry_aabbs_exp_cb_params_t;
pub type ze_rtas_builder_procedural_geometry_info_exp_t = _ze_rtas_builder_procedural_geometry_info_exp_t;
pub type ze_rtas_builder_instance_geometry_info_exp_t = _ze_rtas_builder_instance_geometry_info_exp_t;
pub type ze_rtas_builder_build_op_exp_desc_t = _ze_rtas_builder_build_op_exp_desc_t;
pub type ze_event_pool_counter_based_exp_desc_t = _ze_event_pool_counter_based_exp_desc_t;
pub type ze_image_bindless_exp_desc_t = _ze_image_bindless_exp_desc_t;
pub type ze_image_pitched_exp_desc_t = _ze_image_pitched_exp_desc_t;
pub type ze_device_pitched_alloc_exp_properties_t = _ze_device_pitched_alloc_exp_properties_t;
pub type ze_custom_pitch_exp_desc_t = _ze_custom_pitch_exp_desc_t;
pub type ze_mutable_command_id_exp_desc_t = _ze_mutable_command_id_exp_desc_t;
pub type ze_mutable_command_list_exp_properties_t = _ze_mutable_command_list_exp_properties_t;
pub type ze_mutable_command_list_exp_desc_t = _ze_mutable_command_list_exp_desc_t;
pub type ze_mutable_commands_exp_desc_t = _ze_mutable_commands_exp_desc_t;
pub type ze_mutable_kernel_argument_exp_desc_t = _ze_mutable_kernel_argument_exp_desc_t;
pub type ze_mutable_group_count_exp_desc_t = _ze_mutable_group_count_exp_desc_t;
pub type ze_mutable_group_size_exp_desc_t = _ze_mutable_group_size_exp_desc_t;
pub type ze_mutable_global_offset_exp_desc_t = _ze_mutable_global_offset_exp_desc_t;
pub type ze_mutable_graph_argument_exp_desc_t = _ze_mutable_graph_argument_exp_desc_t;
pub type ze_driver_ddi_handles_ext_properties_t = _ze_driver_ddi_handles_ext_properties_t;
pub type ze_external_semaphore_ext_desc_t = _ze_external_semaphore_ext_desc_t;
pub type ze_external_semaphore_win32_ext_desc_t = _ze_external_semaphore_win32_ext_desc_t;
pub type ze_external_semaphore_fd_ext_desc_t = _ze_external_semaphore_fd_ext_desc_t;
pub type ze_external_semaphore_signal_params_ext_t = _ze_external_semaphore_signal_params_ext_t;
pub type ze_external_semaphore_wait_params_ext_t = _ze_external_semaphore_wait_params_ext_t;
pub type ze_device_cache_line_size_ext_t = _ze_device_cache_line_size_ext_t;
pub type ze_rtas_builder_ext_desc_t = _ze_rtas_builder_ext_desc_t;
pub type ze_rtas_builder_ext_properties_t = _ze_rtas_builder_ext_properties_t;
pub type ze_rtas_parallel_operation_ext_properties_t = _ze_rtas_parallel_operation_ext_properties_t;
pub type ze_rtas_device_ext_properties_t = _ze_rtas_device_ext_properties_t;
pub type ze_rtas_float3_ext_t = _ze_rtas_float3_ext_t;
pub type ze_rtas_transform_float3x4_column_major_ext_t = _ze_rtas_transform_float3x4_column_major_ext_t;
pub type ze_rtas_transform_float3x4_aligned_column_major_ext_t = _ze_rtas_transform_float3x4_aligned_column_major_ext_t;
pub type ze_rtas_transform_float3x4_row_major_ext_t = _ze_rtas_transform_float3x4_row_major_ext_t;
pub type ze_rtas_aabb_ext_t = _ze_rtas_aabb_ext_t;
pub type ze_rtas_triangle_indices_uint32_ext_t = _ze_rtas_triangle_indices_uint32_ext_t;
pub type ze_rtas_quad_indices_uint32_ext_t = _ze_rtas_quad_indices_uint32_ext_t;
pub type ze_rtas_builder_geometry_info_ext_t = _ze_rtas_builder_geometry_info_ext_t;
pub type ze_rtas_builder_triangles_geometry_info_ext_t = _ze_rtas_builder_triangles_geometry_info_ext_t;
pub type ze_rtas_builder_quads_geometry_info_ext_t = _ze_rtas_builder_quads_geometry_info_ext_t;
pub type ze_rtas_geometry_aabbs_ext_cb_params_t = _ze_rtas_geometry_aabbs_ext_cb_params_t;
pub type ze_rtas_builder_procedural_geometry_info_ext_t = _ze_rtas_builder_procedural_geometry_info_ext_t;
pub type ze_rtas_builder_instance_geometry_info_ext_t = _ze_rtas_builder_instance_geometry_info_ext_t;
pub type ze_rtas_builder_build_op_ext_desc_t = _ze_rtas_builder_build_op_ext_desc_t;
pub type ze_device_vector_width_properties_ext_t = _ze_device_vector_width_properties_ext_t;
pub type ze_external_memmap_sysmem_ext_desc_t = _ze_external_memmap_sysmem_ext_desc_t;
pub type ze_kernel_allocation_exp_properties_t = _ze_kernel_allocation_exp_properties_t;
pub type ze_device_usablemem_size_ext_properties_t = _ze_device_usablemem_size_ext_properties_t;
pub type ze_image_format_support_ext_properties_t = _ze_image_format_support_ext_properties_t;
pub type ze_ipc_mem_handle_type_ext_desc_t = _ze_ipc_mem_handle_type_ext_desc_t;
pub type ze_record_replay_graph_ext_properties_t = _ze_record_replay_graph_ext_properties_t;
pub type ze_record_replay_graph_ext_dump_desc_t = _ze_record_replay_graph_ext_dump_desc_t;
pub type ze_device_readonly_memory_ext_properties_t = _ze_device_readonly_memory_ext_properties_t;
pub type ze_init_flags_t = u32;
pub const ZE_INIT_FLAG_GPU_ONLY: _ze_init_flag_t = 1;
pub const ZE_INIT_FLAG_VPU_ONLY: _ze_init_flag_t = 2;
pub const ZE_INIT_FLAG_FORCE_UINT32: _ze_init_flag_t = 2147483647;
pub type _ze_init_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_init_flag_t as ze_init_flag_t;
pub type ze_init_driver_type_flags_t = u32;
pub const ZE_INIT_DRIVER_TYPE_FLAG_GPU: _ze_init_driver_type_flag_t = 1;
pub const ZE_INIT_DRIVER_TYPE_FLAG_NPU: _ze_init_driver_type_flag_t = 2;
pub const ZE_INIT_DRIVER_TYPE_FLAG_FORCE_UINT32: _ze_init_driver_type_flag_t = 2147483647;
pub type _ze_init_driver_type_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_init_driver_type_flag_t as ze_init_driver_type_flag_t;
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
pub type ze_ipc_property_flags_t = u32;
pub const ZE_IPC_PROPERTY_FLAG_MEMORY: _ze_ipc_property_flag_t = 1;
pub const ZE_IPC_PROPERTY_FLAG_EVENT_POOL: _ze_ipc_property_flag_t = 2;
pub const ZE_IPC_PROPERTY_FLAG_FABRIC_ACCESSIBLE: _ze_ipc_property_flag_t = 4;
pub const ZE_IPC_PROPERTY_FLAG_FORCE_UINT32: _ze_ipc_property_flag_t = 2147483647;
pub type _ze_ipc_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_ipc_property_flag_t as ze_ipc_property_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_driver_ipc_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_ipc_property_flags_t,
}
impl Default for _ze_driver_ipc_properties_t {
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
pub struct _ze_driver_extension_properties_t {
    pub name: [::std::os::raw::c_char; 256usize],
    pub version: u32,
}
impl Default for _ze_driver_extension_properties_t {
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
pub const ZE_DEVICE_PROPERTY_FLAG_INTEGRATED: _ze_device_property_flag_t = 1;
pub const ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE: _ze_device_property_flag_t = 2;
pub const ZE_DEVICE_PROPERTY_FLAG_ECC: _ze_device_property_flag_t = 4;
pub const ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING: _ze_device_property_flag_t = 8;
pub const ZE_DEVICE_PROPERTY_FLAG_FORCE_UINT32: _ze_device_property_flag_t = 2147483647;
pub type _ze_device_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_property_flag_t as ze_device_property_flag_t;
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
pub type ze_device_dp_capability_flags_t = u32;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_NON_SYSTOLIC_DPA4_SIMD_ALL: _ze_device_dp_capability_flag_t = 1;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_DPAS_SIMD8: _ze_device_dp_capability_flag_t = 2;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_DPAS_SIMD16: _ze_device_dp_capability_flag_t = 4;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_BDPAS_SIMD16: _ze_device_dp_capability_flag_t = 8;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_DPAS_DEPTH4: _ze_device_dp_capability_flag_t = 16;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_DPAS_DEPTH8: _ze_device_dp_capability_flag_t = 32;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_BDPAS_DEPTH8: _ze_device_dp_capability_flag_t = 64;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_OUTPUT_MATRIX_ROWCOUNT_UPTO8: _ze_device_dp_capability_flag_t =
    128;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_DEVICE_SYSTOLIC_OUTPUT_MATRIX_ROWCOUNT_FIXED8: _ze_device_dp_capability_flag_t =
    256;
pub const ZE_DEVICE_DP_CAPABILITY_FLAG_FORCE_UINT32: _ze_device_dp_capability_flag_t = 2147483647;
pub type _ze_device_dp_capability_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_dp_capability_flag_t as ze_device_dp_capability_flag_t;
pub type ze_device_input_data_type_flags_t = u32;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_TYPE_NONE: _ze_device_input_data_type_flag_t = 1;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_ZE_DEVICE_INPUT_DATA_INT8_PACK4_PER_SIMD_LANE:
    _ze_device_input_data_type_flag_t = 2;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_INT4_PACK8_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    4;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_INT2_PACK8_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    8;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_TF32_PACK1_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    16;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_FP16_PACK2_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    32;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_BF16_PACK2_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    64;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_FP8_PACK4_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    128;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_BF8_PACK4_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    256;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_E2M1_PACK8_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    512;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_E3M0_PACK8_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    1024;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_INT8_PACK4_PER_SIMD_LANE: _ze_device_input_data_type_flag_t =
    2048;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_SCALING_UINT8: _ze_device_input_data_type_flag_t = 4096;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_SCALING_UE5M3: _ze_device_input_data_type_flag_t = 8192;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_DEVICE_INPUT_DATA_SCALING_UE4M3: _ze_device_input_data_type_flag_t = 16384;
pub const ZE_DEVICE_INPUT_DATA_TYPE_FLAG_FORCE_UINT32: _ze_device_input_data_type_flag_t = 2147483647;
pub type _ze_device_input_data_type_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_input_data_type_flag_t as ze_device_input_data_type_flag_t;
pub type ze_device_output_data_type_flags_t = u32;
pub const ZE_DEVICE_OUTPUT_DATA_TYPE_FLAG_DEVICE_OUTPUT_DATA_INT32: _ze_device_output_data_type_flag_t = 1;
pub const ZE_DEVICE_OUTPUT_DATA_TYPE_FLAG_DEVICE_OUTPUT_DATA_FP32: _ze_device_output_data_type_flag_t = 2;
pub const ZE_DEVICE_OUTPUT_DATA_TYPE_FLAG_DEVICE_OUTPUT_DATA_FP16: _ze_device_output_data_type_flag_t = 4;
pub const ZE_DEVICE_OUTPUT_DATA_TYPE_FLAG_DEVICE_OUTPUT_DATA_BF16: _ze_device_output_data_type_flag_t = 8;
pub const ZE_DEVICE_OUTPUT_DATA_TYPE_FLAG_FORCE_UINT32: _ze_device_output_data_type_flag_t = 2147483647;
pub type _ze_device_output_data_type_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_output_data_type_flag_t as ze_device_output_data_type_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_compute_dotproduct_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub dp_caps: ze_device_dp_capability_flags_t,
    pub dpv4_input_types: ze_device_input_data_type_flags_t,
    pub dpv4_output_types: ze_device_output_data_type_flags_t,
    pub dpas_input_types: ze_device_input_data_type_flags_t,
    pub dpas_output_types: ze_device_output_data_type_flags_t,
    pub bdpas_input_types: ze_device_input_data_type_flags_t,
    pub bdpas_output_types: ze_device_output_data_type_flags_t,
}
impl Default for _ze_device_compute_dotproduct_ext_properties_t {
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
pub const ZE_DEVICE_FP_FLAG_DENORM: _ze_device_fp_flag_t = 1;
pub const ZE_DEVICE_FP_FLAG_INF_NAN: _ze_device_fp_flag_t = 2;
pub const ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST: _ze_device_fp_flag_t = 4;
pub const ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO: _ze_device_fp_flag_t = 8;
pub const ZE_DEVICE_FP_FLAG_ROUND_TO_INF: _ze_device_fp_flag_t = 16;
pub const ZE_DEVICE_FP_FLAG_FMA: _ze_device_fp_flag_t = 32;
pub const ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT: _ze_device_fp_flag_t = 64;
pub const ZE_DEVICE_FP_FLAG_SOFT_FLOAT: _ze_device_fp_flag_t = 128;
pub const ZE_DEVICE_FP_FLAG_FORCE_UINT32: _ze_device_fp_flag_t = 2147483647;
pub type _ze_device_fp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_fp_flag_t as ze_device_fp_flag_t;
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
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS: _ze_command_queue_group_property_flag_t = 4;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_METRICS: _ze_command_queue_group_property_flag_t = 8;
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_FORCE_UINT32: _ze_command_queue_group_property_flag_t = 2147483647;
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
pub type ze_device_memory_property_flags_t = u32;
pub const ZE_DEVICE_MEMORY_PROPERTY_FLAG_TBD: _ze_device_memory_property_flag_t = 1;
pub const ZE_DEVICE_MEMORY_PROPERTY_FLAG_FORCE_UINT32: _ze_device_memory_property_flag_t = 2147483647;
pub type _ze_device_memory_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_memory_property_flag_t as ze_device_memory_property_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_memory_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_device_memory_property_flags_t,
    pub maxClockRate: u32,
    pub maxBusWidth: u32,
    pub totalSize: u64,
    pub name: [::std::os::raw::c_char; 256usize],
}
impl Default for _ze_device_memory_properties_t {
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
pub const ZE_DEVICE_CACHE_PROPERTY_FLAG_USER_CONTROL: _ze_device_cache_property_flag_t = 1;
pub const ZE_DEVICE_CACHE_PROPERTY_FLAG_FORCE_UINT32: _ze_device_cache_property_flag_t = 2147483647;
pub type _ze_device_cache_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_cache_property_flag_t as ze_device_cache_property_flag_t;
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
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_image_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub maxImageDims1D: u32,
    pub maxImageDims2D: u32,
    pub maxImageDims3D: u32,
    pub maxImageBufferSize: u64,
    pub maxImageArraySlices: u32,
    pub maxSamplers: u32,
    pub maxReadImageArgs: u32,
    pub maxWriteImageArgs: u32,
}
impl Default for _ze_device_image_properties_t {
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
pub struct _ze_device_external_memory_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub memoryAllocationImportTypes: ze_external_memory_type_flags_t,
    pub memoryAllocationExportTypes: ze_external_memory_type_flags_t,
    pub imageImportTypes: ze_external_memory_type_flags_t,
    pub imageExportTypes: ze_external_memory_type_flags_t,
}
impl Default for _ze_device_external_memory_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_p2p_property_flags_t = u32;
pub const ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS: _ze_device_p2p_property_flag_t = 1;
pub const ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS: _ze_device_p2p_property_flag_t = 2;
pub const ZE_DEVICE_P2P_PROPERTY_FLAG_FORCE_UINT32: _ze_device_p2p_property_flag_t = 2147483647;
pub type _ze_device_p2p_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_p2p_property_flag_t as ze_device_p2p_property_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_p2p_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_device_p2p_property_flags_t,
}
impl Default for _ze_device_p2p_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_event_properties_flags_t = u32;
pub const ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE: _ze_device_event_properties_flag_t =
    1;
pub const ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_IPC: _ze_device_event_properties_flag_t = 2;
pub const ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION: _ze_device_event_properties_flag_t =
    4;
pub const ZE_DEVICE_EVENT_PROPERTIES_FLAG_COUNTER_BASED_EXTERNAL_INTERRUPT_WAIT: _ze_device_event_properties_flag_t = 8;
pub const ZE_DEVICE_EVENT_PROPERTIES_FLAG_FORCE_UINT32: _ze_device_event_properties_flag_t = 2147483647;
pub type _ze_device_event_properties_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_event_properties_flag_t as ze_device_event_properties_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_event_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_device_event_properties_flags_t,
}
impl Default for _ze_device_event_properties_t {
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
pub struct _ze_runtime_requirements_module_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub requirementsSrc: ze_module_handle_t,
}
impl Default for _ze_runtime_requirements_module_desc_t {
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
pub struct _ze_runtime_requirements_graph_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub requirementsSrc: ze_graph_handle_t,
}
impl Default for _ze_runtime_requirements_graph_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE: _ze_validate_runtime_requirements_result_t = 0;
pub const ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET: _ze_validate_runtime_requirements_result_t = 1;
pub const ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET_RECOMPILATION_ADVISABLE:
    _ze_validate_runtime_requirements_result_t = 2;
pub const ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET: _ze_validate_runtime_requirements_result_t = 3;
pub const ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_FORCE_UINT32: _ze_validate_runtime_requirements_result_t = 2147483647;
pub type _ze_validate_runtime_requirements_result_t = ::std::os::raw::c_uint;
pub use self::_ze_validate_runtime_requirements_result_t as ze_validate_runtime_requirements_result_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_validate_runtime_requirements_output_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub result: ze_validate_runtime_requirements_result_t,
}
impl Default for _ze_validate_runtime_requirements_output_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_context_flags_t = u32;
pub const ZE_CONTEXT_FLAG_TBD: _ze_context_flag_t = 1;
pub const ZE_CONTEXT_FLAG_FORCE_UINT32: _ze_context_flag_t = 2147483647;
pub type _ze_context_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_context_flag_t as ze_context_flag_t;
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
pub const ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING: _ze_command_list_flag_t = 1;
pub const ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT: _ze_command_list_flag_t = 2;
pub const ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY: _ze_command_list_flag_t = 4;
pub const ZE_COMMAND_LIST_FLAG_IN_ORDER: _ze_command_list_flag_t = 8;
pub const ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE: _ze_command_list_flag_t = 16;
pub const ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT: _ze_command_list_flag_t = 32;
pub const ZE_COMMAND_LIST_FLAG_FORCE_UINT32: _ze_command_list_flag_t = 2147483647;
pub type _ze_command_list_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_command_list_flag_t as ze_command_list_flag_t;
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
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_copy_region_t {
    pub originX: u32,
    pub originY: u32,
    pub originZ: u32,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_image_region_t {
    pub originX: u32,
    pub originY: u32,
    pub originZ: u32,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
}
pub const ZE_MEMORY_ADVICE_SET_READ_MOSTLY: _ze_memory_advice_t = 0;
pub const ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY: _ze_memory_advice_t = 1;
pub const ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION: _ze_memory_advice_t = 2;
pub const ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION: _ze_memory_advice_t = 3;
pub const ZE_MEMORY_ADVICE_SET_NON_ATOMIC_MOSTLY: _ze_memory_advice_t = 4;
pub const ZE_MEMORY_ADVICE_CLEAR_NON_ATOMIC_MOSTLY: _ze_memory_advice_t = 5;
pub const ZE_MEMORY_ADVICE_BIAS_CACHED: _ze_memory_advice_t = 6;
pub const ZE_MEMORY_ADVICE_BIAS_UNCACHED: _ze_memory_advice_t = 7;
pub const ZE_MEMORY_ADVICE_SET_SYSTEM_MEMORY_PREFERRED_LOCATION: _ze_memory_advice_t = 8;
pub const ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION: _ze_memory_advice_t = 9;
pub const ZE_MEMORY_ADVICE_FORCE_UINT32: _ze_memory_advice_t = 2147483647;
pub type _ze_memory_advice_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_advice_t as ze_memory_advice_t;
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
pub type ze_event_counter_based_flags_t = u32;
pub const ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE: _ze_event_counter_based_flag_t = 1;
pub const ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE: _ze_event_counter_based_flag_t = 2;
pub const ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE: _ze_event_counter_based_flag_t = 4;
pub const ZE_EVENT_COUNTER_BASED_FLAG_IPC: _ze_event_counter_based_flag_t = 8;
pub const ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP: _ze_event_counter_based_flag_t = 16;
pub const ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP: _ze_event_counter_based_flag_t = 32;
pub const ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL: _ze_event_counter_based_flag_t = 64;
pub const ZE_EVENT_COUNTER_BASED_FLAG_FORCE_UINT32: _ze_event_counter_based_flag_t = 2147483647;
pub type _ze_event_counter_based_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_counter_based_flag_t as ze_event_counter_based_flag_t;
pub type ze_event_sync_mode_flags_t = u32;
pub const ZE_EVENT_SYNC_MODE_FLAG_LOW_POWER_WAIT: _ze_event_sync_mode_flag_t = 1;
pub const ZE_EVENT_SYNC_MODE_FLAG_SIGNAL_INTERRUPT: _ze_event_sync_mode_flag_t = 2;
pub const ZE_EVENT_SYNC_MODE_FLAG_EXTERNAL_INTERRUPT_WAIT: _ze_event_sync_mode_flag_t = 4;
pub const ZE_EVENT_SYNC_MODE_FLAG_FORCE_UINT32: _ze_event_sync_mode_flag_t = 2147483647;
pub type _ze_event_sync_mode_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_sync_mode_flag_t as ze_event_sync_mode_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_sync_mode_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub syncModeFlags: ze_event_sync_mode_flags_t,
    pub externalInterruptId: u32,
}
impl Default for _ze_event_sync_mode_desc_t {
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
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_counter_based_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_event_counter_based_flags_t,
    pub signal: ze_event_scope_flags_t,
    pub wait: ze_event_scope_flags_t,
}
impl Default for _ze_event_counter_based_desc_t {
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
pub struct _ze_event_counter_based_external_sync_allocation_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub deviceAddress: *mut u64,
    pub hostAddress: *mut u64,
    pub completionValue: u64,
}
impl Default for _ze_event_counter_based_external_sync_allocation_desc_t {
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
pub struct _ze_event_counter_based_external_aggregate_storage_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub deviceAddress: *mut u64,
    pub incrementValue: u64,
    pub completionValue: u64,
}
impl Default for _ze_event_counter_based_external_aggregate_storage_desc_t {
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
pub type ze_fence_flags_t = u32;
pub const ZE_FENCE_FLAG_SIGNALED: _ze_fence_flag_t = 1;
pub const ZE_FENCE_FLAG_FORCE_UINT32: _ze_fence_flag_t = 2147483647;
pub type _ze_fence_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_fence_flag_t as ze_fence_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_fence_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_fence_flags_t,
}
impl Default for _ze_fence_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_image_flags_t = u32;
pub const ZE_IMAGE_FLAG_KERNEL_WRITE: _ze_image_flag_t = 1;
pub const ZE_IMAGE_FLAG_BIAS_UNCACHED: _ze_image_flag_t = 2;
pub const ZE_IMAGE_FLAG_FORCE_UINT32: _ze_image_flag_t = 2147483647;
pub type _ze_image_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_image_flag_t as ze_image_flag_t;
pub const ZE_IMAGE_TYPE_1D: _ze_image_type_t = 0;
pub const ZE_IMAGE_TYPE_1DARRAY: _ze_image_type_t = 1;
pub const ZE_IMAGE_TYPE_2D: _ze_image_type_t = 2;
pub const ZE_IMAGE_TYPE_2DARRAY: _ze_image_type_t = 3;
pub const ZE_IMAGE_TYPE_3D: _ze_image_type_t = 4;
pub const ZE_IMAGE_TYPE_BUFFER: _ze_image_type_t = 5;
pub const ZE_IMAGE_TYPE_FORCE_UINT32: _ze_image_type_t = 2147483647;
pub type _ze_image_type_t = ::std::os::raw::c_uint;
pub use self::_ze_image_type_t as ze_image_type_t;
pub const ZE_IMAGE_FORMAT_LAYOUT_8: _ze_image_format_layout_t = 0;
pub const ZE_IMAGE_FORMAT_LAYOUT_16: _ze_image_format_layout_t = 1;
pub const ZE_IMAGE_FORMAT_LAYOUT_32: _ze_image_format_layout_t = 2;
pub const ZE_IMAGE_FORMAT_LAYOUT_8_8: _ze_image_format_layout_t = 3;
pub const ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8: _ze_image_format_layout_t = 4;
pub const ZE_IMAGE_FORMAT_LAYOUT_16_16: _ze_image_format_layout_t = 5;
pub const ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16: _ze_image_format_layout_t = 6;
pub const ZE_IMAGE_FORMAT_LAYOUT_32_32: _ze_image_format_layout_t = 7;
pub const ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32: _ze_image_format_layout_t = 8;
pub const ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2: _ze_image_format_layout_t = 9;
pub const ZE_IMAGE_FORMAT_LAYOUT_11_11_10: _ze_image_format_layout_t = 10;
pub const ZE_IMAGE_FORMAT_LAYOUT_5_6_5: _ze_image_format_layout_t = 11;
pub const ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1: _ze_image_format_layout_t = 12;
pub const ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4: _ze_image_format_layout_t = 13;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y8: _ze_image_format_layout_t = 14;
pub const ZE_IMAGE_FORMAT_LAYOUT_NV12: _ze_image_format_layout_t = 15;
pub const ZE_IMAGE_FORMAT_LAYOUT_YUYV: _ze_image_format_layout_t = 16;
pub const ZE_IMAGE_FORMAT_LAYOUT_VYUY: _ze_image_format_layout_t = 17;
pub const ZE_IMAGE_FORMAT_LAYOUT_YVYU: _ze_image_format_layout_t = 18;
pub const ZE_IMAGE_FORMAT_LAYOUT_UYVY: _ze_image_format_layout_t = 19;
pub const ZE_IMAGE_FORMAT_LAYOUT_AYUV: _ze_image_format_layout_t = 20;
pub const ZE_IMAGE_FORMAT_LAYOUT_P010: _ze_image_format_layout_t = 21;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y410: _ze_image_format_layout_t = 22;
pub const ZE_IMAGE_FORMAT_LAYOUT_P012: _ze_image_format_layout_t = 23;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y16: _ze_image_format_layout_t = 24;
pub const ZE_IMAGE_FORMAT_LAYOUT_P016: _ze_image_format_layout_t = 25;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y216: _ze_image_format_layout_t = 26;
pub const ZE_IMAGE_FORMAT_LAYOUT_P216: _ze_image_format_layout_t = 27;
pub const ZE_IMAGE_FORMAT_LAYOUT_P8: _ze_image_format_layout_t = 28;
pub const ZE_IMAGE_FORMAT_LAYOUT_YUY2: _ze_image_format_layout_t = 29;
pub const ZE_IMAGE_FORMAT_LAYOUT_A8P8: _ze_image_format_layout_t = 30;
pub const ZE_IMAGE_FORMAT_LAYOUT_IA44: _ze_image_format_layout_t = 31;
pub const ZE_IMAGE_FORMAT_LAYOUT_AI44: _ze_image_format_layout_t = 32;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y416: _ze_image_format_layout_t = 33;
pub const ZE_IMAGE_FORMAT_LAYOUT_Y210: _ze_image_format_layout_t = 34;
pub const ZE_IMAGE_FORMAT_LAYOUT_I420: _ze_image_format_layout_t = 35;
pub const ZE_IMAGE_FORMAT_LAYOUT_YV12: _ze_image_format_layout_t = 36;
pub const ZE_IMAGE_FORMAT_LAYOUT_400P: _ze_image_format_layout_t = 37;
pub const ZE_IMAGE_FORMAT_LAYOUT_422H: _ze_image_format_layout_t = 38;
pub const ZE_IMAGE_FORMAT_LAYOUT_422V: _ze_image_format_layout_t = 39;
pub const ZE_IMAGE_FORMAT_LAYOUT_444P: _ze_image_format_layout_t = 40;
pub const ZE_IMAGE_FORMAT_LAYOUT_RGBP: _ze_image_format_layout_t = 41;
pub const ZE_IMAGE_FORMAT_LAYOUT_BRGP: _ze_image_format_layout_t = 42;
pub const ZE_IMAGE_FORMAT_LAYOUT_8_8_8: _ze_image_format_layout_t = 43;
pub const ZE_IMAGE_FORMAT_LAYOUT_16_16_16: _ze_image_format_layout_t = 44;
pub const ZE_IMAGE_FORMAT_LAYOUT_32_32_32: _ze_image_format_layout_t = 45;
pub const ZE_IMAGE_FORMAT_LAYOUT_FORCE_UINT32: _ze_image_format_layout_t = 2147483647;
pub type _ze_image_format_layout_t = ::std::os::raw::c_uint;
pub use self::_ze_image_format_layout_t as ze_image_format_layout_t;
pub const ZE_IMAGE_FORMAT_TYPE_UINT: _ze_image_format_type_t = 0;
pub const ZE_IMAGE_FORMAT_TYPE_SINT: _ze_image_format_type_t = 1;
pub const ZE_IMAGE_FORMAT_TYPE_UNORM: _ze_image_format_type_t = 2;
pub const ZE_IMAGE_FORMAT_TYPE_SNORM: _ze_image_format_type_t = 3;
pub const ZE_IMAGE_FORMAT_TYPE_FLOAT: _ze_image_format_type_t = 4;
pub const ZE_IMAGE_FORMAT_TYPE_FORCE_UINT32: _ze_image_format_type_t = 2147483647;
pub type _ze_image_format_type_t = ::std::os::raw::c_uint;
pub use self::_ze_image_format_type_t as ze_image_format_type_t;
pub const ZE_IMAGE_FORMAT_SWIZZLE_R: _ze_image_format_swizzle_t = 0;
pub const ZE_IMAGE_FORMAT_SWIZZLE_G: _ze_image_format_swizzle_t = 1;
pub const ZE_IMAGE_FORMAT_SWIZZLE_B: _ze_image_format_swizzle_t = 2;
pub const ZE_IMAGE_FORMAT_SWIZZLE_A: _ze_image_format_swizzle_t = 3;
pub const ZE_IMAGE_FORMAT_SWIZZLE_0: _ze_image_format_swizzle_t = 4;
pub const ZE_IMAGE_FORMAT_SWIZZLE_1: _ze_image_format_swizzle_t = 5;
pub const ZE_IMAGE_FORMAT_SWIZZLE_X: _ze_image_format_swizzle_t = 6;
pub const ZE_IMAGE_FORMAT_SWIZZLE_D: _ze_image_format_swizzle_t = 7;
pub const ZE_IMAGE_FORMAT_SWIZZLE_FORCE_UINT32: _ze_image_format_swizzle_t = 2147483647;
pub type _ze_image_format_swizzle_t = ::std::os::raw::c_uint;
pub use self::_ze_image_format_swizzle_t as ze_image_format_swizzle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_image_format_t {
    pub layout: ze_image_format_layout_t,
    pub type_: ze_image_format_type_t,
    pub x: ze_image_format_swizzle_t,
    pub y: ze_image_format_swizzle_t,
    pub z: ze_image_format_swizzle_t,
    pub w: ze_image_format_swizzle_t,
}
impl Default for _ze_image_format_t {
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
pub struct _ze_image_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_image_flags_t,
    pub type_: ze_image_type_t,
    pub format: ze_image_format_t,
    pub width: u64,
    pub height: u32,
    pub depth: u32,
    pub arraylevels: u32,
    pub miplevels: u32,
}
impl Default for _ze_image_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_image_sampler_filter_flags_t = u32;
pub const ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT: _ze_image_sampler_filter_flag_t = 1;
pub const ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR: _ze_image_sampler_filter_flag_t = 2;
pub const ZE_IMAGE_SAMPLER_FILTER_FLAG_FORCE_UINT32: _ze_image_sampler_filter_flag_t = 2147483647;
pub type _ze_image_sampler_filter_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_image_sampler_filter_flag_t as ze_image_sampler_filter_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_image_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub samplerFilterFlags: ze_image_sampler_filter_flags_t,
}
impl Default for _ze_image_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_mem_alloc_flags_t = u32;
pub const ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED: _ze_device_mem_alloc_flag_t = 1;
pub const ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED: _ze_device_mem_alloc_flag_t = 2;
pub const ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT: _ze_device_mem_alloc_flag_t = 4;
pub const ZE_DEVICE_MEM_ALLOC_FLAG_FORCE_UINT32: _ze_device_mem_alloc_flag_t = 2147483647;
pub type _ze_device_mem_alloc_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_mem_alloc_flag_t as ze_device_mem_alloc_flag_t;
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
pub const ZE_HOST_MEM_ALLOC_FLAG_BIAS_CACHED: _ze_host_mem_alloc_flag_t = 1;
pub const ZE_HOST_MEM_ALLOC_FLAG_BIAS_UNCACHED: _ze_host_mem_alloc_flag_t = 2;
pub const ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED: _ze_host_mem_alloc_flag_t = 4;
pub const ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT: _ze_host_mem_alloc_flag_t = 8;
pub const ZE_HOST_MEM_ALLOC_FLAG_MEM_READ_ONLY: _ze_host_mem_alloc_flag_t = 16;
pub const ZE_HOST_MEM_ALLOC_FLAG_FORCE_UINT32: _ze_host_mem_alloc_flag_t = 2147483647;
pub type _ze_host_mem_alloc_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_host_mem_alloc_flag_t as ze_host_mem_alloc_flag_t;
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
pub type ze_ipc_memory_flags_t = u32;
pub const ZE_IPC_MEMORY_FLAG_BIAS_CACHED: _ze_ipc_memory_flag_t = 1;
pub const ZE_IPC_MEMORY_FLAG_BIAS_UNCACHED: _ze_ipc_memory_flag_t = 2;
pub const ZE_IPC_MEMORY_FLAG_FORCE_UINT32: _ze_ipc_memory_flag_t = 2147483647;
pub type _ze_ipc_memory_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_ipc_memory_flag_t as ze_ipc_memory_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_external_memory_export_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_external_memory_type_flags_t,
}
impl Default for _ze_external_memory_export_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_memory_atomic_attr_exp_flags_t = u32;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 1;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_HOST_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 2;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 4;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_DEVICE_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 8;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 16;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_NO_SYSTEM_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 32;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_SYSTEM_ATOMICS: _ze_memory_atomic_attr_exp_flag_t = 64;
pub const ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_FORCE_UINT32: _ze_memory_atomic_attr_exp_flag_t = 2147483647;
pub type _ze_memory_atomic_attr_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_atomic_attr_exp_flag_t as ze_memory_atomic_attr_exp_flag_t;
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
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_command_list_append_launch_kernel_param_cooperative_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub isCooperative: ze_bool_t,
}
impl Default for _ze_command_list_append_launch_kernel_param_cooperative_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_module_property_flags_t = u32;
pub const ZE_MODULE_PROPERTY_FLAG_IMPORTS: _ze_module_property_flag_t = 1;
pub const ZE_MODULE_PROPERTY_FLAG_FORCE_UINT32: _ze_module_property_flag_t = 2147483647;
pub type _ze_module_property_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_module_property_flag_t as ze_module_property_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_module_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_module_property_flags_t,
}
impl Default for _ze_module_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_kernel_flags_t = u32;
pub const ZE_KERNEL_FLAG_FORCE_RESIDENCY: _ze_kernel_flag_t = 1;
pub const ZE_KERNEL_FLAG_EXPLICIT_RESIDENCY: _ze_kernel_flag_t = 2;
pub const ZE_KERNEL_FLAG_FORCE_UINT32: _ze_kernel_flag_t = 2147483647;
pub type _ze_kernel_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_kernel_flag_t as ze_kernel_flag_t;
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
pub type ze_kernel_indirect_access_flags_t = u32;
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST: _ze_kernel_indirect_access_flag_t = 1;
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE: _ze_kernel_indirect_access_flag_t = 2;
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED: _ze_kernel_indirect_access_flag_t = 4;
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_FORCE_UINT32: _ze_kernel_indirect_access_flag_t = 2147483647;
pub type _ze_kernel_indirect_access_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_kernel_indirect_access_flag_t as ze_kernel_indirect_access_flag_t;
pub type ze_cache_config_flags_t = u32;
pub const ZE_CACHE_CONFIG_FLAG_LARGE_SLM: _ze_cache_config_flag_t = 1;
pub const ZE_CACHE_CONFIG_FLAG_LARGE_DATA: _ze_cache_config_flag_t = 2;
pub const ZE_CACHE_CONFIG_FLAG_FORCE_UINT32: _ze_cache_config_flag_t = 2147483647;
pub type _ze_cache_config_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_cache_config_flag_t as ze_cache_config_flag_t;
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
#[derive(Debug, Copy, Clone)]
pub struct _ze_kernel_preferred_group_size_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub preferredMultiple: u32,
}
impl Default for _ze_kernel_preferred_group_size_properties_t {
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
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_group_size_t {
    pub groupSizeX: u32,
    pub groupSizeY: u32,
    pub groupSizeZ: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_module_program_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub count: u32,
    pub inputSizes: *const usize,
    pub pInputModules: *mut *const u8,
    pub pBuildFlags: *mut *const ::std::os::raw::c_char,
    pub pConstants: *mut *const ze_module_constants_t,
}
impl Default for _ze_module_program_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_raytracing_ext_flags_t = u32;
pub const ZE_DEVICE_RAYTRACING_EXT_FLAG_RAYQUERY: _ze_device_raytracing_ext_flag_t = 1;
pub const ZE_DEVICE_RAYTRACING_EXT_FLAG_FORCE_UINT32: _ze_device_raytracing_ext_flag_t = 2147483647;
pub type _ze_device_raytracing_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_raytracing_ext_flag_t as ze_device_raytracing_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_raytracing_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_device_raytracing_ext_flags_t,
    pub maxBVHLevels: u32,
}
impl Default for _ze_device_raytracing_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_raytracing_mem_alloc_ext_flags_t = u32;
pub const ZE_RAYTRACING_MEM_ALLOC_EXT_FLAG_TBD: _ze_raytracing_mem_alloc_ext_flag_t = 1;
pub const ZE_RAYTRACING_MEM_ALLOC_EXT_FLAG_FORCE_UINT32: _ze_raytracing_mem_alloc_ext_flag_t = 2147483647;
pub type _ze_raytracing_mem_alloc_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_raytracing_mem_alloc_ext_flag_t as ze_raytracing_mem_alloc_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_raytracing_mem_alloc_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_raytracing_mem_alloc_ext_flags_t,
}
impl Default for _ze_raytracing_mem_alloc_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_SAMPLER_ADDRESS_MODE_NONE: _ze_sampler_address_mode_t = 0;
pub const ZE_SAMPLER_ADDRESS_MODE_REPEAT: _ze_sampler_address_mode_t = 1;
pub const ZE_SAMPLER_ADDRESS_MODE_CLAMP: _ze_sampler_address_mode_t = 2;
pub const ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER: _ze_sampler_address_mode_t = 3;
pub const ZE_SAMPLER_ADDRESS_MODE_MIRROR: _ze_sampler_address_mode_t = 4;
pub const ZE_SAMPLER_ADDRESS_MODE_FORCE_UINT32: _ze_sampler_address_mode_t = 2147483647;
pub type _ze_sampler_address_mode_t = ::std::os::raw::c_uint;
pub use self::_ze_sampler_address_mode_t as ze_sampler_address_mode_t;
pub const ZE_SAMPLER_FILTER_MODE_NEAREST: _ze_sampler_filter_mode_t = 0;
pub const ZE_SAMPLER_FILTER_MODE_LINEAR: _ze_sampler_filter_mode_t = 1;
pub const ZE_SAMPLER_FILTER_MODE_FORCE_UINT32: _ze_sampler_filter_mode_t = 2147483647;
pub type _ze_sampler_filter_mode_t = ::std::os::raw::c_uint;
pub use self::_ze_sampler_filter_mode_t as ze_sampler_filter_mode_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_sampler_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub addressMode: ze_sampler_address_mode_t,
    pub filterMode: ze_sampler_filter_mode_t,
    pub isNormalized: ze_bool_t,
}
impl Default for _ze_sampler_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_MEMORY_ACCESS_ATTRIBUTE_NONE: _ze_memory_access_attribute_t = 0;
pub const ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE: _ze_memory_access_attribute_t = 1;
pub const ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY: _ze_memory_access_attribute_t = 2;
pub const ZE_MEMORY_ACCESS_ATTRIBUTE_FORCE_UINT32: _ze_memory_access_attribute_t = 2147483647;
pub type _ze_memory_access_attribute_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_access_attribute_t as ze_memory_access_attribute_t;
pub type ze_physical_mem_flags_t = u32;
pub const ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_DEVICE: _ze_physical_mem_flag_t = 1;
pub const ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST: _ze_physical_mem_flag_t = 2;
pub const ZE_PHYSICAL_MEM_FLAG_FORCE_UINT32: _ze_physical_mem_flag_t = 2147483647;
pub type _ze_physical_mem_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_physical_mem_flag_t as ze_physical_mem_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_physical_mem_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_physical_mem_flags_t,
    pub size: usize,
}
impl Default for _ze_physical_mem_desc_t {
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
pub struct _ze_physical_mem_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub id: u64,
    pub size: u64,
}
impl Default for _ze_physical_mem_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_device_fp_atomic_ext_flags_t = u32;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE: _ze_device_fp_atomic_ext_flag_t = 1;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD: _ze_device_fp_atomic_ext_flag_t = 2;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX: _ze_device_fp_atomic_ext_flag_t = 4;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE: _ze_device_fp_atomic_ext_flag_t = 65536;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD: _ze_device_fp_atomic_ext_flag_t = 131072;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX: _ze_device_fp_atomic_ext_flag_t = 262144;
pub const ZE_DEVICE_FP_ATOMIC_EXT_FLAG_FORCE_UINT32: _ze_device_fp_atomic_ext_flag_t = 2147483647;
pub type _ze_device_fp_atomic_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_device_fp_atomic_ext_flag_t as ze_device_fp_atomic_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_float_atomic_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub fp16Flags: ze_device_fp_atomic_ext_flags_t,
    pub fp32Flags: ze_device_fp_atomic_ext_flags_t,
    pub fp64Flags: ze_device_fp_atomic_ext_flags_t,
}
impl Default for _ze_float_atomic_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_relaxed_allocation_limits_ext_flags_t = u32;
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXT_FLAG_MAX_SIZE: _ze_relaxed_allocation_limits_ext_flag_t = 1;
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXT_FLAG_FORCE_UINT32: _ze_relaxed_allocation_limits_ext_flag_t = 2147483647;
pub type _ze_relaxed_allocation_limits_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_relaxed_allocation_limits_ext_flag_t as ze_relaxed_allocation_limits_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_relaxed_allocation_limits_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_relaxed_allocation_limits_ext_flags_t,
}
impl Default for _ze_relaxed_allocation_limits_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_relaxed_allocation_limits_exp_flags_t = u32;
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE: _ze_relaxed_allocation_limits_exp_flag_t = 1;
pub const ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_FORCE_UINT32: _ze_relaxed_allocation_limits_exp_flag_t = 2147483647;
pub type _ze_relaxed_allocation_limits_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_relaxed_allocation_limits_exp_flag_t as ze_relaxed_allocation_limits_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_relaxed_allocation_limits_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_relaxed_allocation_limits_exp_flags_t,
}
impl Default for _ze_relaxed_allocation_limits_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_CACHE_EXT_REGION_ZE_CACHE_REGION_DEFAULT: _ze_cache_ext_region_t = 0;
pub const ZE_CACHE_EXT_REGION_ZE_CACHE_RESERVE_REGION: _ze_cache_ext_region_t = 1;
pub const ZE_CACHE_EXT_REGION_ZE_CACHE_NON_RESERVED_REGION: _ze_cache_ext_region_t = 2;
pub const ZE_CACHE_EXT_REGION_DEFAULT: _ze_cache_ext_region_t = 0;
pub const ZE_CACHE_EXT_REGION_RESERVED: _ze_cache_ext_region_t = 1;
pub const ZE_CACHE_EXT_REGION_NON_RESERVED: _ze_cache_ext_region_t = 2;
pub const ZE_CACHE_EXT_REGION_FORCE_UINT32: _ze_cache_ext_region_t = 2147483647;
pub type _ze_cache_ext_region_t = ::std::os::raw::c_uint;
pub use self::_ze_cache_ext_region_t as ze_cache_ext_region_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_cache_reservation_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub maxCacheReservationSize: usize,
}
impl Default for _ze_cache_reservation_ext_desc_t {
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
pub struct _ze_image_memory_properties_exp_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub size: u64,
    pub rowPitch: u64,
    pub slicePitch: u64,
}
impl Default for _ze_image_memory_properties_exp_t {
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
pub struct _ze_image_view_planar_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub planeIndex: u32,
}
impl Default for _ze_image_view_planar_ext_desc_t {
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
pub struct _ze_image_view_planar_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub planeIndex: u32,
}
impl Default for _ze_image_view_planar_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_scheduling_hint_exp_flags_t = u32;
pub const ZE_SCHEDULING_HINT_EXP_FLAG_OLDEST_FIRST: _ze_scheduling_hint_exp_flag_t = 1;
pub const ZE_SCHEDULING_HINT_EXP_FLAG_ROUND_ROBIN: _ze_scheduling_hint_exp_flag_t = 2;
pub const ZE_SCHEDULING_HINT_EXP_FLAG_STALL_BASED_ROUND_ROBIN: _ze_scheduling_hint_exp_flag_t = 4;
pub const ZE_SCHEDULING_HINT_EXP_FLAG_FORCE_UINT32: _ze_scheduling_hint_exp_flag_t = 2147483647;
pub type _ze_scheduling_hint_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_scheduling_hint_exp_flag_t as ze_scheduling_hint_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_scheduling_hint_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub schedulingHintFlags: ze_scheduling_hint_exp_flags_t,
}
impl Default for _ze_scheduling_hint_exp_properties_t {
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
pub struct _ze_scheduling_hint_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_scheduling_hint_exp_flags_t,
}
impl Default for _ze_scheduling_hint_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_POWER_SAVING_HINT_TYPE_MIN: _ze_power_saving_hint_type_t = 0;
pub const ZE_POWER_SAVING_HINT_TYPE_MAX: _ze_power_saving_hint_type_t = 100;
pub const ZE_POWER_SAVING_HINT_TYPE_FORCE_UINT32: _ze_power_saving_hint_type_t = 2147483647;
pub type _ze_power_saving_hint_type_t = ::std::os::raw::c_uint;
pub use self::_ze_power_saving_hint_type_t as ze_power_saving_hint_type_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_context_power_saving_hint_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub hint: u32,
}
impl Default for _ze_context_power_saving_hint_exp_desc_t {
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
pub struct _ze_eu_count_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub numTotalEUs: u32,
}
impl Default for _ze_eu_count_ext_t {
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
pub struct _ze_pci_address_ext_t {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub function: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_pci_speed_ext_t {
    pub genVersion: i32,
    pub width: i32,
    pub maxBandwidth: i64,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_pci_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub address: ze_pci_address_ext_t,
    pub maxSpeed: ze_pci_speed_ext_t,
}
impl Default for _ze_pci_ext_properties_t {
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
pub struct _ze_srgb_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub sRGB: ze_bool_t,
}
impl Default for _ze_srgb_ext_desc_t {
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
pub struct _ze_image_allocation_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub id: u64,
}
impl Default for _ze_image_allocation_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_linkage_inspection_ext_flags_t = u32;
pub const ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS: _ze_linkage_inspection_ext_flag_t = 1;
pub const ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS: _ze_linkage_inspection_ext_flag_t = 2;
pub const ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS: _ze_linkage_inspection_ext_flag_t = 4;
pub const ZE_LINKAGE_INSPECTION_EXT_FLAG_FORCE_UINT32: _ze_linkage_inspection_ext_flag_t = 2147483647;
pub type _ze_linkage_inspection_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_linkage_inspection_ext_flag_t as ze_linkage_inspection_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_linkage_inspection_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_linkage_inspection_ext_flags_t,
}
impl Default for _ze_linkage_inspection_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_memory_compression_hints_ext_flags_t = u32;
pub const ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_COMPRESSED: _ze_memory_compression_hints_ext_flag_t = 1;
pub const ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_UNCOMPRESSED: _ze_memory_compression_hints_ext_flag_t = 2;
pub const ZE_MEMORY_COMPRESSION_HINTS_EXT_FLAG_FORCE_UINT32: _ze_memory_compression_hints_ext_flag_t = 2147483647;
pub type _ze_memory_compression_hints_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_memory_compression_hints_ext_flag_t as ze_memory_compression_hints_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_memory_compression_hints_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_memory_compression_hints_ext_flags_t,
}
impl Default for _ze_memory_compression_hints_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_driver_memory_free_policy_ext_flags_t = u32;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE: _ze_driver_memory_free_policy_ext_flag_t = 1;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE: _ze_driver_memory_free_policy_ext_flag_t = 2;
pub const ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_FORCE_UINT32: _ze_driver_memory_free_policy_ext_flag_t = 2147483647;
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
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_p2p_bandwidth_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub logicalBandwidth: u32,
    pub physicalBandwidth: u32,
    pub bandwidthUnit: ze_bandwidth_unit_t,
    pub logicalLatency: u32,
    pub physicalLatency: u32,
    pub latencyUnit: ze_latency_unit_t,
}
impl Default for _ze_device_p2p_bandwidth_exp_properties_t {
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
pub struct _ze_copy_bandwidth_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub copyBandwidth: u32,
    pub copyBandwidthUnit: ze_bandwidth_unit_t,
}
impl Default for _ze_copy_bandwidth_exp_properties_t {
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
pub struct _ze_device_luid_ext_t {
    pub id: [u8; 8usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_luid_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub luid: ze_device_luid_ext_t,
    pub nodeMask: u32,
}
impl Default for _ze_device_luid_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_FABRIC_VERTEX_EXP_TYPE_UNKNOWN: _ze_fabric_vertex_exp_type_t = 0;
pub const ZE_FABRIC_VERTEX_EXP_TYPE_DEVICE: _ze_fabric_vertex_exp_type_t = 1;
pub const ZE_FABRIC_VERTEX_EXP_TYPE_SUBDEVICE: _ze_fabric_vertex_exp_type_t = 2;
pub const ZE_FABRIC_VERTEX_EXP_TYPE_SWITCH: _ze_fabric_vertex_exp_type_t = 3;
pub const ZE_FABRIC_VERTEX_EXP_TYPE_FORCE_UINT32: _ze_fabric_vertex_exp_type_t = 2147483647;
pub type _ze_fabric_vertex_exp_type_t = ::std::os::raw::c_uint;
pub use self::_ze_fabric_vertex_exp_type_t as ze_fabric_vertex_exp_type_t;
pub const ZE_FABRIC_EDGE_EXP_DUPLEXITY_UNKNOWN: _ze_fabric_edge_exp_duplexity_t = 0;
pub const ZE_FABRIC_EDGE_EXP_DUPLEXITY_HALF_DUPLEX: _ze_fabric_edge_exp_duplexity_t = 1;
pub const ZE_FABRIC_EDGE_EXP_DUPLEXITY_FULL_DUPLEX: _ze_fabric_edge_exp_duplexity_t = 2;
pub const ZE_FABRIC_EDGE_EXP_DUPLEXITY_FORCE_UINT32: _ze_fabric_edge_exp_duplexity_t = 2147483647;
pub type _ze_fabric_edge_exp_duplexity_t = ::std::os::raw::c_uint;
pub use self::_ze_fabric_edge_exp_duplexity_t as ze_fabric_edge_exp_duplexity_t;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_fabric_vertex_pci_exp_address_t {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub function: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_fabric_vertex_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub uuid: ze_uuid_t,
    pub type_: ze_fabric_vertex_exp_type_t,
    pub remote: ze_bool_t,
    pub address: ze_fabric_vertex_pci_exp_address_t,
}
impl Default for _ze_fabric_vertex_exp_properties_t {
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
pub struct _ze_fabric_edge_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub uuid: ze_uuid_t,
    pub model: [::std::os::raw::c_char; 256usize],
    pub bandwidth: u32,
    pub bandwidthUnit: ze_bandwidth_unit_t,
    pub latency: u32,
    pub latencyUnit: ze_latency_unit_t,
    pub duplexity: ze_fabric_edge_exp_duplexity_t,
}
impl Default for _ze_fabric_edge_exp_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM: _ze_device_memory_ext_type_t = 0;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM2: _ze_device_memory_ext_type_t = 1;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_DDR: _ze_device_memory_ext_type_t = 2;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_DDR2: _ze_device_memory_ext_type_t = 3;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_DDR3: _ze_device_memory_ext_type_t = 4;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_DDR4: _ze_device_memory_ext_type_t = 5;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_DDR5: _ze_device_memory_ext_type_t = 6;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR: _ze_device_memory_ext_type_t = 7;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR3: _ze_device_memory_ext_type_t = 8;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR4: _ze_device_memory_ext_type_t = 9;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR5: _ze_device_memory_ext_type_t = 10;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_SRAM: _ze_device_memory_ext_type_t = 11;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_L1: _ze_device_memory_ext_type_t = 12;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_L3: _ze_device_memory_ext_type_t = 13;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GRF: _ze_device_memory_ext_type_t = 14;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_SLM: _ze_device_memory_ext_type_t = 15;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR4: _ze_device_memory_ext_type_t = 16;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR5: _ze_device_memory_ext_type_t = 17;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR5X: _ze_device_memory_ext_type_t = 18;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR6: _ze_device_memory_ext_type_t = 19;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR6X: _ze_device_memory_ext_type_t = 20;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_GDDR7: _ze_device_memory_ext_type_t = 21;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM2E: _ze_device_memory_ext_type_t = 22;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM3: _ze_device_memory_ext_type_t = 23;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM3E: _ze_device_memory_ext_type_t = 24;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_HBM4: _ze_device_memory_ext_type_t = 25;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR5X: _ze_device_memory_ext_type_t = 26;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR6: _ze_device_memory_ext_type_t = 27;
pub const ZE_DEVICE_MEMORY_EXT_TYPE_FORCE_UINT32: _ze_device_memory_ext_type_t = 2147483647;
pub type _ze_device_memory_ext_type_t = ::std::os::raw::c_uint;
pub use self::_ze_device_memory_ext_type_t as ze_device_memory_ext_type_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_memory_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub type_: ze_device_memory_ext_type_t,
    pub physicalSize: u64,
    pub readBandwidth: u32,
    pub writeBandwidth: u32,
    pub bandwidthUnit: ze_bandwidth_unit_t,
}
impl Default for _ze_device_memory_ext_properties_t {
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
pub struct _ze_device_ip_version_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub ipVersion: u32,
}
impl Default for _ze_device_ip_version_ext_t {
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
pub struct _ze_kernel_max_group_size_properties_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub maxGroupSize: u32,
}
impl Default for _ze_kernel_max_group_size_properties_ext_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_kernel_max_group_size_ext_properties_t = ze_kernel_max_group_size_properties_ext_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_sub_allocation_t {
    pub base: *mut ::std::os::raw::c_void,
    pub size: usize,
}
impl Default for _ze_sub_allocation_t {
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
pub struct _ze_memory_sub_allocations_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub pCount: *mut u32,
    pub pSubAllocations: *mut ze_sub_allocation_t,
}
impl Default for _ze_memory_sub_allocations_exp_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_event_query_kernel_timestamps_ext_flags_t = u32;
pub const ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL: _ze_event_query_kernel_timestamps_ext_flag_t = 1;
pub const ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED: _ze_event_query_kernel_timestamps_ext_flag_t = 2;
pub const ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_FORCE_UINT32: _ze_event_query_kernel_timestamps_ext_flag_t =
    2147483647;
pub type _ze_event_query_kernel_timestamps_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_query_kernel_timestamps_ext_flag_t as ze_event_query_kernel_timestamps_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_query_kernel_timestamps_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_event_query_kernel_timestamps_ext_flags_t,
}
impl Default for _ze_event_query_kernel_timestamps_ext_properties_t {
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
pub struct _ze_synchronized_timestamp_data_ext_t {
    pub kernelStart: u64,
    pub kernelEnd: u64,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_synchronized_timestamp_result_ext_t {
    pub global: ze_synchronized_timestamp_data_ext_t,
    pub context: ze_synchronized_timestamp_data_ext_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_query_kernel_timestamps_results_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub pKernelTimestampsBuffer: *mut ze_kernel_timestamp_result_t,
    pub pSynchronizedTimestampsBuffer: *mut ze_synchronized_timestamp_result_ext_t,
}
impl Default for _ze_event_query_kernel_timestamps_results_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_RTAS_BUILDER_EXP_VERSION_1_0: _ze_rtas_builder_exp_version_t = 65536;
pub const ZE_RTAS_BUILDER_EXP_VERSION_CURRENT: _ze_rtas_builder_exp_version_t = 65536;
pub const ZE_RTAS_BUILDER_EXP_VERSION_FORCE_UINT32: _ze_rtas_builder_exp_version_t = 2147483647;
pub type _ze_rtas_builder_exp_version_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_exp_version_t as ze_rtas_builder_exp_version_t;
pub type ze_rtas_device_exp_flags_t = u32;
pub const ZE_RTAS_DEVICE_EXP_FLAG_RESERVED: _ze_rtas_device_exp_flag_t = 1;
pub const ZE_RTAS_DEVICE_EXP_FLAG_FORCE_UINT32: _ze_rtas_device_exp_flag_t = 2147483647;
pub type _ze_rtas_device_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_device_exp_flag_t as ze_rtas_device_exp_flag_t;
pub const ZE_RTAS_FORMAT_EXP_INVALID: _ze_rtas_format_exp_t = 0;
pub const ZE_RTAS_FORMAT_EXP_MAX: _ze_rtas_format_exp_t = 2147483646;
pub const ZE_RTAS_FORMAT_EXP_FORCE_UINT32: _ze_rtas_format_exp_t = 2147483647;
pub type _ze_rtas_format_exp_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_format_exp_t as ze_rtas_format_exp_t;
pub type ze_rtas_builder_exp_flags_t = u32;
pub const ZE_RTAS_BUILDER_EXP_FLAG_RESERVED: _ze_rtas_builder_exp_flag_t = 1;
pub const ZE_RTAS_BUILDER_EXP_FLAG_FORCE_UINT32: _ze_rtas_builder_exp_flag_t = 2147483647;
pub type _ze_rtas_builder_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_exp_flag_t as ze_rtas_builder_exp_flag_t;
pub type ze_rtas_parallel_operation_exp_flags_t = u32;
pub const ZE_RTAS_PARALLEL_OPERATION_EXP_FLAG_RESERVED: _ze_rtas_parallel_operation_exp_flag_t = 1;
pub const ZE_RTAS_PARALLEL_OPERATION_EXP_FLAG_FORCE_UINT32: _ze_rtas_parallel_operation_exp_flag_t = 2147483647;
pub type _ze_rtas_parallel_operation_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_parallel_operation_exp_flag_t as ze_rtas_parallel_operation_exp_flag_t;
pub type ze_rtas_builder_geometry_exp_flags_t = u32;
pub const ZE_RTAS_BUILDER_GEOMETRY_EXP_FLAG_NON_OPAQUE: _ze_rtas_builder_geometry_exp_flag_t = 1;
pub const ZE_RTAS_BUILDER_GEOMETRY_EXP_FLAG_FORCE_UINT32: _ze_rtas_builder_geometry_exp_flag_t = 2147483647;
pub type _ze_rtas_builder_geometry_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_geometry_exp_flag_t as ze_rtas_builder_geometry_exp_flag_t;
pub type ze_rtas_builder_packed_geometry_exp_flags_t = u8;
pub type ze_rtas_builder_instance_exp_flags_t = u32;
pub const ZE_RTAS_BUILDER_INSTANCE_EXP_FLAG_TRIANGLE_CULL_DISABLE: _ze_rtas_builder_instance_exp_flag_t = 1;
pub const ZE_RTAS_BUILDER_INSTANCE_EXP_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE: _ze_rtas_builder_instance_exp_flag_t = 2;
pub const ZE_RTAS_BUILDER_INSTANCE_EXP_FLAG_TRIANGLE_FORCE_OPAQUE: _ze_rtas_builder_instance_exp_flag_t = 4;
pub const ZE_RTAS_BUILDER_INSTANCE_EXP_FLAG_TRIANGLE_FORCE_NON_OPAQUE: _ze_rtas_builder_instance_exp_flag_t = 8;
pub const ZE_RTAS_BUILDER_INSTANCE_EXP_FLAG_FORCE_UINT32: _ze_rtas_builder_instance_exp_flag_t = 2147483647;
pub type _ze_rtas_builder_instance_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_instance_exp_flag_t as ze_rtas_builder_instance_exp_flag_t;
pub type ze_rtas_builder_packed_instance_exp_flags_t = u8;
pub type ze_rtas_builder_build_op_exp_flags_t = u32;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXP_FLAG_COMPACT: _ze_rtas_builder_build_op_exp_flag_t = 1;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXP_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION: _ze_rtas_builder_build_op_exp_flag_t = 2;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXP_FLAG_FORCE_UINT32: _ze_rtas_builder_build_op_exp_flag_t = 2147483647;
pub type _ze_rtas_builder_build_op_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_build_op_exp_flag_t as ze_rtas_builder_build_op_exp_flag_t;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXP_LOW: _ze_rtas_builder_build_quality_hint_exp_t = 0;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXP_MEDIUM: _ze_rtas_builder_build_quality_hint_exp_t = 1;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXP_HIGH: _ze_rtas_builder_build_quality_hint_exp_t = 2;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXP_FORCE_UINT32: _ze_rtas_builder_build_quality_hint_exp_t = 2147483647;
pub type _ze_rtas_builder_build_quality_hint_exp_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_build_quality_hint_exp_t as ze_rtas_builder_build_quality_hint_exp_t;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_TRIANGLES: _ze_rtas_builder_geometry_type_exp_t = 0;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_QUADS: _ze_rtas_builder_geometry_type_exp_t = 1;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_PROCEDURAL: _ze_rtas_builder_geometry_type_exp_t = 2;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_INSTANCE: _ze_rtas_builder_geometry_type_exp_t = 3;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_FORCE_UINT32: _ze_rtas_builder_geometry_type_exp_t = 2147483647;
pub type _ze_rtas_builder_geometry_type_exp_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_geometry_type_exp_t as ze_rtas_builder_geometry_type_exp_t;
pub type ze_rtas_builder_packed_geometry_type_exp_t = u8;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_FLOAT3: _ze_rtas_builder_input_data_format_exp_t = 0;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_FLOAT3X4_COLUMN_MAJOR: _ze_rtas_builder_input_data_format_exp_t = 1;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_FLOAT3X4_ALIGNED_COLUMN_MAJOR:
    _ze_rtas_builder_input_data_format_exp_t = 2;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_FLOAT3X4_ROW_MAJOR: _ze_rtas_builder_input_data_format_exp_t = 3;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_AABB: _ze_rtas_builder_input_data_format_exp_t = 4;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_TRIANGLE_INDICES_UINT32: _ze_rtas_builder_input_data_format_exp_t = 5;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_QUAD_INDICES_UINT32: _ze_rtas_builder_input_data_format_exp_t = 6;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXP_FORCE_UINT32: _ze_rtas_builder_input_data_format_exp_t = 2147483647;
pub type _ze_rtas_builder_input_data_format_exp_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_input_data_format_exp_t as ze_rtas_builder_input_data_format_exp_t;
pub type ze_rtas_builder_packed_input_data_format_exp_t = u8;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_rtas_builder_exp_handle_t {
    _unused: [u8; 0],
}
pub type ze_rtas_builder_exp_handle_t = *mut _ze_rtas_builder_exp_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_rtas_parallel_operation_exp_handle_t {
    _unused: [u8; 0],
}
pub type ze_rtas_parallel_operation_exp_handle_t = *mut _ze_rtas_parallel_operation_exp_handle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub builderVersion: ze_rtas_builder_exp_version_t,
}
impl Default for _ze_rtas_builder_exp_desc_t {
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
pub struct _ze_rtas_builder_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_builder_exp_flags_t,
    pub rtasBufferSizeBytesExpected: usize,
    pub rtasBufferSizeBytesMaxRequired: usize,
    pub scratchBufferSizeBytes: usize,
}
impl Default for _ze_rtas_builder_exp_properties_t {
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
pub struct _ze_rtas_parallel_operation_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_parallel_operation_exp_flags_t,
    pub maxConcurrency: u32,
}
impl Default for _ze_rtas_parallel_operation_exp_properties_t {
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
pub struct _ze_rtas_device_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_device_exp_flags_t,
    pub rtasFormat: ze_rtas_format_exp_t,
    pub rtasBufferAlignment: u32,
}
impl Default for _ze_rtas_device_exp_properties_t {
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
pub struct _ze_rtas_float3_exp_t {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_column_major_exp_t {
    pub vx_x: f32,
    pub vx_y: f32,
    pub vx_z: f32,
    pub vy_x: f32,
    pub vy_y: f32,
    pub vy_z: f32,
    pub vz_x: f32,
    pub vz_y: f32,
    pub vz_z: f32,
    pub p_x: f32,
    pub p_y: f32,
    pub p_z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_aligned_column_major_exp_t {
    pub vx_x: f32,
    pub vx_y: f32,
    pub vx_z: f32,
    pub pad0: f32,
    pub vy_x: f32,
    pub vy_y: f32,
    pub vy_z: f32,
    pub pad1: f32,
    pub vz_x: f32,
    pub vz_y: f32,
    pub vz_z: f32,
    pub pad2: f32,
    pub p_x: f32,
    pub p_y: f32,
    pub p_z: f32,
    pub pad3: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_row_major_exp_t {
    pub vx_x: f32,
    pub vy_x: f32,
    pub vz_x: f32,
    pub p_x: f32,
    pub vx_y: f32,
    pub vy_y: f32,
    pub vz_y: f32,
    pub p_y: f32,
    pub vx_z: f32,
    pub vy_z: f32,
    pub vz_z: f32,
    pub p_z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_aabb_exp_t {
    pub lower: ze_rtas_float3_exp_t,
    pub upper: ze_rtas_float3_exp_t,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_triangle_indices_uint32_exp_t {
    pub v0: u32,
    pub v1: u32,
    pub v2: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_quad_indices_uint32_exp_t {
    pub v0: u32,
    pub v1: u32,
    pub v2: u32,
    pub v3: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_builder_geometry_info_exp_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_exp_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_triangles_geometry_info_exp_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_exp_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_exp_flags_t,
    pub geometryMask: u8,
    pub triangleFormat: ze_rtas_builder_packed_input_data_format_exp_t,
    pub vertexFormat: ze_rtas_builder_packed_input_data_format_exp_t,
    pub triangleCount: u32,
    pub vertexCount: u32,
    pub triangleStride: u32,
    pub vertexStride: u32,
    pub pTriangleBuffer: *mut ::std::os::raw::c_void,
    pub pVertexBuffer: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_triangles_geometry_info_exp_t {
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
pub struct _ze_rtas_builder_quads_geometry_info_exp_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_exp_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_exp_flags_t,
    pub geometryMask: u8,
    pub quadFormat: ze_rtas_builder_packed_input_data_format_exp_t,
    pub vertexFormat: ze_rtas_builder_packed_input_data_format_exp_t,
    pub quadCount: u32,
    pub vertexCount: u32,
    pub quadStride: u32,
    pub vertexStride: u32,
    pub pQuadBuffer: *mut ::std::os::raw::c_void,
    pub pVertexBuffer: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_quads_geometry_info_exp_t {
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
pub struct _ze_rtas_geometry_aabbs_exp_cb_params_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub primID: u32,
    pub primIDCount: u32,
    pub pGeomUserPtr: *mut ::std::os::raw::c_void,
    pub pBuildUserPtr: *mut ::std::os::raw::c_void,
    pub pBoundsOut: *mut ze_rtas_aabb_exp_t,
}
impl Default for _ze_rtas_geometry_aabbs_exp_cb_params_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_rtas_geometry_aabbs_cb_exp_t =
    ::std::option::Option<unsafe extern "C" fn(params: *mut ze_rtas_geometry_aabbs_exp_cb_params_t)>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_procedural_geometry_info_exp_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_exp_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_exp_flags_t,
    pub geometryMask: u8,
    pub reserved: u8,
    pub primCount: u32,
    pub pfnGetBoundsCb: ze_rtas_geometry_aabbs_cb_exp_t,
    pub pGeomUserPtr: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_procedural_geometry_info_exp_t {
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
pub struct _ze_rtas_builder_instance_geometry_info_exp_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_exp_t,
    pub instanceFlags: ze_rtas_builder_packed_instance_exp_flags_t,
    pub geometryMask: u8,
    pub transformFormat: ze_rtas_builder_packed_input_data_format_exp_t,
    pub instanceUserID: u32,
    pub pTransform: *mut ::std::os::raw::c_void,
    pub pBounds: *mut ze_rtas_aabb_exp_t,
    pub pAccelerationStructure: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_instance_geometry_info_exp_t {
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
pub struct _ze_rtas_builder_build_op_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub rtasFormat: ze_rtas_format_exp_t,
    pub buildQuality: ze_rtas_builder_build_quality_hint_exp_t,
    pub buildFlags: ze_rtas_builder_build_op_exp_flags_t,
    pub ppGeometries: *mut *const ze_rtas_builder_geometry_info_exp_t,
    pub numGeometries: u32,
}
impl Default for _ze_rtas_builder_build_op_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_event_pool_counter_based_exp_flags_t = u32;
pub const ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE: _ze_event_pool_counter_based_exp_flag_t = 1;
pub const ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_NON_IMMEDIATE: _ze_event_pool_counter_based_exp_flag_t = 2;
pub const ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_FORCE_UINT32: _ze_event_pool_counter_based_exp_flag_t = 2147483647;
pub type _ze_event_pool_counter_based_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_event_pool_counter_based_exp_flag_t as ze_event_pool_counter_based_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_event_pool_counter_based_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_event_pool_counter_based_exp_flags_t,
}
impl Default for _ze_event_pool_counter_based_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_image_bindless_exp_flags_t = u32;
pub const ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS: _ze_image_bindless_exp_flag_t = 1;
pub const ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE: _ze_image_bindless_exp_flag_t = 2;
pub const ZE_IMAGE_BINDLESS_EXP_FLAG_FORCE_UINT32: _ze_image_bindless_exp_flag_t = 2147483647;
pub type _ze_image_bindless_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_image_bindless_exp_flag_t as ze_image_bindless_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_image_bindless_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_image_bindless_exp_flags_t,
}
impl Default for _ze_image_bindless_exp_desc_t {
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
pub struct _ze_image_pitched_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub ptr: *mut ::std::os::raw::c_void,
}
impl Default for _ze_image_pitched_exp_desc_t {
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
pub struct _ze_device_pitched_alloc_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub maxImageLinearWidth: usize,
    pub maxImageLinearHeight: usize,
}
impl Default for _ze_device_pitched_alloc_exp_properties_t {
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
pub struct _ze_custom_pitch_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub rowPitch: usize,
    pub slicePitch: usize,
}
impl Default for _ze_custom_pitch_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_mutable_command_exp_flags_t = u32;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_ARGUMENTS: _ze_mutable_command_exp_flag_t = 1;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_COUNT: _ze_mutable_command_exp_flag_t = 2;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_GROUP_SIZE: _ze_mutable_command_exp_flag_t = 4;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_GLOBAL_OFFSET: _ze_mutable_command_exp_flag_t = 8;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT: _ze_mutable_command_exp_flag_t = 16;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_WAIT_EVENTS: _ze_mutable_command_exp_flag_t = 32;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_KERNEL_INSTRUCTION: _ze_mutable_command_exp_flag_t = 64;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_GRAPH_ARGUMENTS: _ze_mutable_command_exp_flag_t = 128;
pub const ZE_MUTABLE_COMMAND_EXP_FLAG_FORCE_UINT32: _ze_mutable_command_exp_flag_t = 2147483647;
pub type _ze_mutable_command_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_mutable_command_exp_flag_t as ze_mutable_command_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_mutable_command_id_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_mutable_command_exp_flags_t,
}
impl Default for _ze_mutable_command_id_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_mutable_command_list_exp_flags_t = u32;
pub const ZE_MUTABLE_COMMAND_LIST_EXP_FLAG_RESERVED: _ze_mutable_command_list_exp_flag_t = 1;
pub const ZE_MUTABLE_COMMAND_LIST_EXP_FLAG_FORCE_UINT32: _ze_mutable_command_list_exp_flag_t = 2147483647;
pub type _ze_mutable_command_list_exp_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_mutable_command_list_exp_flag_t as ze_mutable_command_list_exp_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_mutable_command_list_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub mutableCommandListFlags: ze_mutable_command_list_exp_flags_t,
    pub mutableCommandFlags: ze_mutable_command_exp_flags_t,
}
impl Default for _ze_mutable_command_list_exp_properties_t {
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
pub struct _ze_mutable_command_list_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_mutable_command_list_exp_flags_t,
}
impl Default for _ze_mutable_command_list_exp_desc_t {
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
pub struct _ze_mutable_commands_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: u32,
}
impl Default for _ze_mutable_commands_exp_desc_t {
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
pub struct _ze_mutable_kernel_argument_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandId: u64,
    pub argIndex: u32,
    pub argSize: usize,
    pub pArgValue: *const ::std::os::raw::c_void,
}
impl Default for _ze_mutable_kernel_argument_exp_desc_t {
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
pub struct _ze_mutable_group_count_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandId: u64,
    pub pGroupCount: *const ze_group_count_t,
}
impl Default for _ze_mutable_group_count_exp_desc_t {
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
pub struct _ze_mutable_group_size_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandId: u64,
    pub groupSizeX: u32,
    pub groupSizeY: u32,
    pub groupSizeZ: u32,
}
impl Default for _ze_mutable_group_size_exp_desc_t {
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
pub struct _ze_mutable_global_offset_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandId: u64,
    pub offsetX: u32,
    pub offsetY: u32,
    pub offsetZ: u32,
}
impl Default for _ze_mutable_global_offset_exp_desc_t {
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
pub struct _ze_mutable_graph_argument_exp_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub commandId: u64,
    pub argIndex: u32,
    pub pArgValue: *const ::std::os::raw::c_void,
}
impl Default for _ze_mutable_graph_argument_exp_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_driver_ddi_handle_ext_flags_t = u32;
pub const ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED: _ze_driver_ddi_handle_ext_flag_t = 1;
pub const ZE_DRIVER_DDI_HANDLE_EXT_FLAG_FORCE_UINT32: _ze_driver_ddi_handle_ext_flag_t = 2147483647;
pub type _ze_driver_ddi_handle_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_driver_ddi_handle_ext_flag_t as ze_driver_ddi_handle_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_driver_ddi_handles_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_driver_ddi_handle_ext_flags_t,
}
impl Default for _ze_driver_ddi_handles_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug)]
pub struct _ze_external_semaphore_ext_handle_t {
    _unused: [u8; 0],
}
pub type ze_external_semaphore_ext_handle_t = *mut _ze_external_semaphore_ext_handle_t;
pub type ze_external_semaphore_ext_flags_t = u32;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD: _ze_external_semaphore_ext_flag_t = 1;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_WIN32: _ze_external_semaphore_ext_flag_t = 2;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_WIN32_KMT: _ze_external_semaphore_ext_flag_t = 4;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_D3D12_FENCE: _ze_external_semaphore_ext_flag_t = 8;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_D3D11_FENCE: _ze_external_semaphore_ext_flag_t = 16;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_KEYED_MUTEX: _ze_external_semaphore_ext_flag_t = 32;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_KEYED_MUTEX_KMT: _ze_external_semaphore_ext_flag_t = 64;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_FD: _ze_external_semaphore_ext_flag_t = 128;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_VK_TIMELINE_SEMAPHORE_WIN32: _ze_external_semaphore_ext_flag_t = 256;
pub const ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_FORCE_UINT32: _ze_external_semaphore_ext_flag_t = 2147483647;
pub type _ze_external_semaphore_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_external_semaphore_ext_flag_t as ze_external_semaphore_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_external_semaphore_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub flags: ze_external_semaphore_ext_flags_t,
}
impl Default for _ze_external_semaphore_ext_desc_t {
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
pub struct _ze_external_semaphore_win32_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub handle: *mut ::std::os::raw::c_void,
    pub name: *const ::std::os::raw::c_char,
}
impl Default for _ze_external_semaphore_win32_ext_desc_t {
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
pub struct _ze_external_semaphore_fd_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub fd: ::std::os::raw::c_int,
}
impl Default for _ze_external_semaphore_fd_ext_desc_t {
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
pub struct _ze_external_semaphore_signal_params_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub value: u64,
}
impl Default for _ze_external_semaphore_signal_params_ext_t {
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
pub struct _ze_external_semaphore_wait_params_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub value: u64,
}
impl Default for _ze_external_semaphore_wait_params_ext_t {
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
pub struct _ze_device_cache_line_size_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub cacheLineSize: usize,
}
impl Default for _ze_device_cache_line_size_ext_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub const ZE_RTAS_BUILDER_EXT_VERSION_1_0: _ze_rtas_builder_ext_version_t = 65536;
pub const ZE_RTAS_BUILDER_EXT_VERSION_CURRENT: _ze_rtas_builder_ext_version_t = 65536;
pub const ZE_RTAS_BUILDER_EXT_VERSION_FORCE_UINT32: _ze_rtas_builder_ext_version_t = 2147483647;
pub type _ze_rtas_builder_ext_version_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_ext_version_t as ze_rtas_builder_ext_version_t;
pub type ze_rtas_device_ext_flags_t = u32;
pub const ZE_RTAS_DEVICE_EXT_FLAG_RESERVED: _ze_rtas_device_ext_flag_t = 1;
pub const ZE_RTAS_DEVICE_EXT_FLAG_FORCE_UINT32: _ze_rtas_device_ext_flag_t = 2147483647;
pub type _ze_rtas_device_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_device_ext_flag_t as ze_rtas_device_ext_flag_t;
pub const ZE_RTAS_FORMAT_EXT_INVALID: _ze_rtas_format_ext_t = 0;
pub const ZE_RTAS_FORMAT_EXT_MAX: _ze_rtas_format_ext_t = 2147483646;
pub const ZE_RTAS_FORMAT_EXT_FORCE_UINT32: _ze_rtas_format_ext_t = 2147483647;
pub type _ze_rtas_format_ext_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_format_ext_t as ze_rtas_format_ext_t;
pub type ze_rtas_builder_ext_flags_t = u32;
pub const ZE_RTAS_BUILDER_EXT_FLAG_RESERVED: _ze_rtas_builder_ext_flag_t = 1;
pub const ZE_RTAS_BUILDER_EXT_FLAG_FORCE_UINT32: _ze_rtas_builder_ext_flag_t = 2147483647;
pub type _ze_rtas_builder_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_ext_flag_t as ze_rtas_builder_ext_flag_t;
pub type ze_rtas_parallel_operation_ext_flags_t = u32;
pub const ZE_RTAS_PARALLEL_OPERATION_EXT_FLAG_RESERVED: _ze_rtas_parallel_operation_ext_flag_t = 1;
pub const ZE_RTAS_PARALLEL_OPERATION_EXT_FLAG_FORCE_UINT32: _ze_rtas_parallel_operation_ext_flag_t = 2147483647;
pub type _ze_rtas_parallel_operation_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_parallel_operation_ext_flag_t as ze_rtas_parallel_operation_ext_flag_t;
pub type ze_rtas_builder_geometry_ext_flags_t = u32;
pub const ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE: _ze_rtas_builder_geometry_ext_flag_t = 1;
pub const ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_FORCE_UINT32: _ze_rtas_builder_geometry_ext_flag_t = 2147483647;
pub type _ze_rtas_builder_geometry_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_geometry_ext_flag_t as ze_rtas_builder_geometry_ext_flag_t;
pub type ze_rtas_builder_packed_geometry_ext_flags_t = u8;
pub type ze_rtas_builder_instance_ext_flags_t = u32;
pub const ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_CULL_DISABLE: _ze_rtas_builder_instance_ext_flag_t = 1;
pub const ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE: _ze_rtas_builder_instance_ext_flag_t = 2;
pub const ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_OPAQUE: _ze_rtas_builder_instance_ext_flag_t = 4;
pub const ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_NON_OPAQUE: _ze_rtas_builder_instance_ext_flag_t = 8;
pub const ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_FORCE_UINT32: _ze_rtas_builder_instance_ext_flag_t = 2147483647;
pub type _ze_rtas_builder_instance_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_instance_ext_flag_t as ze_rtas_builder_instance_ext_flag_t;
pub type ze_rtas_builder_packed_instance_ext_flags_t = u8;
pub type ze_rtas_builder_build_op_ext_flags_t = u32;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_COMPACT: _ze_rtas_builder_build_op_ext_flag_t = 1;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION: _ze_rtas_builder_build_op_ext_flag_t = 2;
pub const ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_FORCE_UINT32: _ze_rtas_builder_build_op_ext_flag_t = 2147483647;
pub type _ze_rtas_builder_build_op_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_build_op_ext_flag_t as ze_rtas_builder_build_op_ext_flag_t;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_LOW: _ze_rtas_builder_build_quality_hint_ext_t = 0;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM: _ze_rtas_builder_build_quality_hint_ext_t = 1;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH: _ze_rtas_builder_build_quality_hint_ext_t = 2;
pub const ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_FORCE_UINT32: _ze_rtas_builder_build_quality_hint_ext_t = 2147483647;
pub type _ze_rtas_builder_build_quality_hint_ext_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_build_quality_hint_ext_t as ze_rtas_builder_build_quality_hint_ext_t;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES: _ze_rtas_builder_geometry_type_ext_t = 0;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_QUADS: _ze_rtas_builder_geometry_type_ext_t = 1;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL: _ze_rtas_builder_geometry_type_ext_t = 2;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE: _ze_rtas_builder_geometry_type_ext_t = 3;
pub const ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_FORCE_UINT32: _ze_rtas_builder_geometry_type_ext_t = 2147483647;
pub type _ze_rtas_builder_geometry_type_ext_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_geometry_type_ext_t as ze_rtas_builder_geometry_type_ext_t;
pub type ze_rtas_builder_packed_geometry_type_ext_t = u8;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3: _ze_rtas_builder_input_data_format_ext_t = 0;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_COLUMN_MAJOR: _ze_rtas_builder_input_data_format_ext_t = 1;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ALIGNED_COLUMN_MAJOR:
    _ze_rtas_builder_input_data_format_ext_t = 2;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ROW_MAJOR: _ze_rtas_builder_input_data_format_ext_t = 3;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_AABB: _ze_rtas_builder_input_data_format_ext_t = 4;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32: _ze_rtas_builder_input_data_format_ext_t = 5;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_QUAD_INDICES_UINT32: _ze_rtas_builder_input_data_format_ext_t = 6;
pub const ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FORCE_UINT32: _ze_rtas_builder_input_data_format_ext_t = 2147483647;
pub type _ze_rtas_builder_input_data_format_ext_t = ::std::os::raw::c_uint;
pub use self::_ze_rtas_builder_input_data_format_ext_t as ze_rtas_builder_input_data_format_ext_t;
pub type ze_rtas_builder_packed_input_data_format_ext_t = u8;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_rtas_builder_ext_handle_t {
    _unused: [u8; 0],
}
pub type ze_rtas_builder_ext_handle_t = *mut _ze_rtas_builder_ext_handle_t;
#[repr(C)]
#[derive(Debug)]
pub struct _ze_rtas_parallel_operation_ext_handle_t {
    _unused: [u8; 0],
}
pub type ze_rtas_parallel_operation_ext_handle_t = *mut _ze_rtas_parallel_operation_ext_handle_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub builderVersion: ze_rtas_builder_ext_version_t,
}
impl Default for _ze_rtas_builder_ext_desc_t {
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
pub struct _ze_rtas_builder_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_builder_ext_flags_t,
    pub rtasBufferSizeBytesExpected: usize,
    pub rtasBufferSizeBytesMaxRequired: usize,
    pub scratchBufferSizeBytes: usize,
}
impl Default for _ze_rtas_builder_ext_properties_t {
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
pub struct _ze_rtas_parallel_operation_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_parallel_operation_ext_flags_t,
    pub maxConcurrency: u32,
}
impl Default for _ze_rtas_parallel_operation_ext_properties_t {
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
pub struct _ze_rtas_device_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub flags: ze_rtas_device_ext_flags_t,
    pub rtasFormat: ze_rtas_format_ext_t,
    pub rtasBufferAlignment: u32,
}
impl Default for _ze_rtas_device_ext_properties_t {
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
pub struct _ze_rtas_float3_ext_t {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_column_major_ext_t {
    pub vx_x: f32,
    pub vx_y: f32,
    pub vx_z: f32,
    pub vy_x: f32,
    pub vy_y: f32,
    pub vy_z: f32,
    pub vz_x: f32,
    pub vz_y: f32,
    pub vz_z: f32,
    pub p_x: f32,
    pub p_y: f32,
    pub p_z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_aligned_column_major_ext_t {
    pub vx_x: f32,
    pub vx_y: f32,
    pub vx_z: f32,
    pub pad0: f32,
    pub vy_x: f32,
    pub vy_y: f32,
    pub vy_z: f32,
    pub pad1: f32,
    pub vz_x: f32,
    pub vz_y: f32,
    pub vz_z: f32,
    pub pad2: f32,
    pub p_x: f32,
    pub p_y: f32,
    pub p_z: f32,
    pub pad3: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_transform_float3x4_row_major_ext_t {
    pub vx_x: f32,
    pub vy_x: f32,
    pub vz_x: f32,
    pub p_x: f32,
    pub vx_y: f32,
    pub vy_y: f32,
    pub vz_y: f32,
    pub p_y: f32,
    pub vx_z: f32,
    pub vy_z: f32,
    pub vz_z: f32,
    pub p_z: f32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_aabb_ext_t {
    pub lower: ze_rtas_float3_ext_t,
    pub upper: ze_rtas_float3_ext_t,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_triangle_indices_uint32_ext_t {
    pub v0: u32,
    pub v1: u32,
    pub v2: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_quad_indices_uint32_ext_t {
    pub v0: u32,
    pub v1: u32,
    pub v2: u32,
    pub v3: u32,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_builder_geometry_info_ext_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_ext_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_triangles_geometry_info_ext_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_ext_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_ext_flags_t,
    pub geometryMask: u8,
    pub triangleFormat: ze_rtas_builder_packed_input_data_format_ext_t,
    pub vertexFormat: ze_rtas_builder_packed_input_data_format_ext_t,
    pub triangleCount: u32,
    pub vertexCount: u32,
    pub triangleStride: u32,
    pub vertexStride: u32,
    pub pTriangleBuffer: *mut ::std::os::raw::c_void,
    pub pVertexBuffer: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_triangles_geometry_info_ext_t {
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
pub struct _ze_rtas_builder_quads_geometry_info_ext_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_ext_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_ext_flags_t,
    pub geometryMask: u8,
    pub quadFormat: ze_rtas_builder_packed_input_data_format_ext_t,
    pub vertexFormat: ze_rtas_builder_packed_input_data_format_ext_t,
    pub quadCount: u32,
    pub vertexCount: u32,
    pub quadStride: u32,
    pub vertexStride: u32,
    pub pQuadBuffer: *mut ::std::os::raw::c_void,
    pub pVertexBuffer: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_quads_geometry_info_ext_t {
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
pub struct _ze_rtas_geometry_aabbs_ext_cb_params_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub primID: u32,
    pub primIDCount: u32,
    pub pGeomUserPtr: *mut ::std::os::raw::c_void,
    pub pBuildUserPtr: *mut ::std::os::raw::c_void,
    pub pBoundsOut: *mut ze_rtas_aabb_ext_t,
}
impl Default for _ze_rtas_geometry_aabbs_ext_cb_params_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_rtas_geometry_aabbs_cb_ext_t =
    ::std::option::Option<unsafe extern "C" fn(params: *mut ze_rtas_geometry_aabbs_ext_cb_params_t)>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_rtas_builder_procedural_geometry_info_ext_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_ext_t,
    pub geometryFlags: ze_rtas_builder_packed_geometry_ext_flags_t,
    pub geometryMask: u8,
    pub reserved: u8,
    pub primCount: u32,
    pub pfnGetBoundsCb: ze_rtas_geometry_aabbs_cb_ext_t,
    pub pGeomUserPtr: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_procedural_geometry_info_ext_t {
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
pub struct _ze_rtas_builder_instance_geometry_info_ext_t {
    pub geometryType: ze_rtas_builder_packed_geometry_type_ext_t,
    pub instanceFlags: ze_rtas_builder_packed_instance_ext_flags_t,
    pub geometryMask: u8,
    pub transformFormat: ze_rtas_builder_packed_input_data_format_ext_t,
    pub instanceUserID: u32,
    pub pTransform: *mut ::std::os::raw::c_void,
    pub pBounds: *mut ze_rtas_aabb_ext_t,
    pub pAccelerationStructure: *mut ::std::os::raw::c_void,
}
impl Default for _ze_rtas_builder_instance_geometry_info_ext_t {
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
pub struct _ze_rtas_builder_build_op_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub rtasFormat: ze_rtas_format_ext_t,
    pub buildQuality: ze_rtas_builder_build_quality_hint_ext_t,
    pub buildFlags: ze_rtas_builder_build_op_ext_flags_t,
    pub ppGeometries: *mut *const ze_rtas_builder_geometry_info_ext_t,
    pub numGeometries: u32,
}
impl Default for _ze_rtas_builder_build_op_ext_desc_t {
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
pub struct _ze_device_vector_width_properties_ext_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub vector_width_size: u32,
    pub preferred_vector_width_char: u32,
    pub preferred_vector_width_short: u32,
    pub preferred_vector_width_int: u32,
    pub preferred_vector_width_long: u32,
    pub preferred_vector_width_float: u32,
    pub preferred_vector_width_double: u32,
    pub preferred_vector_width_half: u32,
    pub native_vector_width_char: u32,
    pub native_vector_width_short: u32,
    pub native_vector_width_int: u32,
    pub native_vector_width_long: u32,
    pub native_vector_width_float: u32,
    pub native_vector_width_double: u32,
    pub native_vector_width_half: u32,
}
impl Default for _ze_device_vector_width_properties_ext_t {
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
pub struct _ze_external_memmap_sysmem_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub pSystemMemory: *mut ::std::os::raw::c_void,
    pub size: u64,
}
impl Default for _ze_external_memmap_sysmem_ext_desc_t {
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
pub struct _ze_kernel_allocation_exp_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub base: u64,
    pub size: usize,
    pub type_: ze_memory_type_t,
    pub argIndex: u32,
}
impl Default for _ze_kernel_allocation_exp_properties_t {
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
pub struct _ze_device_usablemem_size_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub currUsableMemSize: u64,
}
impl Default for _ze_device_usablemem_size_ext_properties_t {
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
pub struct _ze_image_format_support_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub supported: ze_bool_t,
}
impl Default for _ze_image_format_support_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_ipc_mem_handle_type_flags_t = u32;
pub const ZE_IPC_MEM_HANDLE_TYPE_FLAG_DEFAULT: _ze_ipc_mem_handle_type_flag_t = 1;
pub const ZE_IPC_MEM_HANDLE_TYPE_FLAG_FABRIC_ACCESSIBLE: _ze_ipc_mem_handle_type_flag_t = 2;
pub const ZE_IPC_MEM_HANDLE_TYPE_FLAG_FORCE_UINT32: _ze_ipc_mem_handle_type_flag_t = 2147483647;
pub type _ze_ipc_mem_handle_type_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_ipc_mem_handle_type_flag_t as ze_ipc_mem_handle_type_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_ipc_mem_handle_type_ext_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub typeFlags: ze_ipc_mem_handle_type_flags_t,
}
impl Default for _ze_ipc_mem_handle_type_ext_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_record_replay_graph_ext_flags_t = u32;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_IMMUTABLE_GRAPH: _ze_record_replay_graph_ext_flag_t = 1;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_MUTABLE_GRAPH: _ze_record_replay_graph_ext_flag_t = 2;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_SUBGRAPHS: _ze_record_replay_graph_ext_flag_t = 4;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_APPEND_COMMANDLIST: _ze_record_replay_graph_ext_flag_t = 8;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_CB_EXTERNAL_IPC: _ze_record_replay_graph_ext_flag_t = 16;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_FLAG_FORCE_UINT32: _ze_record_replay_graph_ext_flag_t = 2147483647;
pub type _ze_record_replay_graph_ext_flag_t = ::std::os::raw::c_uint;
pub use self::_ze_record_replay_graph_ext_flag_t as ze_record_replay_graph_ext_flag_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_record_replay_graph_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub graphFlags: ze_record_replay_graph_ext_flags_t,
}
impl Default for _ze_record_replay_graph_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug)]
pub struct _ze_executable_graph_handle_t {
    _unused: [u8; 0],
}
pub type ze_executable_graph_handle_t = *mut _ze_executable_graph_handle_t;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_DETAILED: _ze_record_replay_graph_ext_dump_mode_t = 0;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE: _ze_record_replay_graph_ext_dump_mode_t = 1;
pub const ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_FORCE_UINT32: _ze_record_replay_graph_ext_dump_mode_t = 2147483647;
pub type _ze_record_replay_graph_ext_dump_mode_t = ::std::os::raw::c_uint;
pub use self::_ze_record_replay_graph_ext_dump_mode_t as ze_record_replay_graph_ext_dump_mode_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_record_replay_graph_ext_dump_desc_t {
    pub stype: ze_structure_type_t,
    pub pNext: *const ::std::os::raw::c_void,
    pub mode: ze_record_replay_graph_ext_dump_mode_t,
}
impl Default for _ze_record_replay_graph_ext_dump_desc_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type zex_mem_graph_free_callback_fn_t =
    ::std::option::Option<unsafe extern "C" fn(pUserData: *mut ::std::os::raw::c_void)>;
pub type ze_host_function_callback_t =
    ::std::option::Option<unsafe extern "C" fn(pUserData: *mut ::std::os::raw::c_void)>;
pub const ZE_DEVICE_READONLY_MEMORY_CAPABILITY_NONE: _ze_device_readonly_memory_capability_t = 0;
pub const ZE_DEVICE_READONLY_MEMORY_CAPABILITY_HINT: _ze_device_readonly_memory_capability_t = 1;
pub const ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED: _ze_device_readonly_memory_capability_t = 2;
pub const ZE_DEVICE_READONLY_MEMORY_CAPABILITY_FORCE_UINT32: _ze_device_readonly_memory_capability_t = 2147483647;
pub type _ze_device_readonly_memory_capability_t = ::std::os::raw::c_uint;
pub use self::_ze_device_readonly_memory_capability_t as ze_device_readonly_memory_capability_t;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct _ze_device_readonly_memory_ext_properties_t {
    pub stype: ze_structure_type_t,
    pub pNext: *mut ::std::os::raw::c_void,
    pub readonlyCapability: ze_device_readonly_memory_capability_t,
}
impl Default for _ze_device_readonly_memory_ext_properties_t {
    fn default() -> Self {
        let mut s = ::std::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::std::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type ze_pfnRTASBuilderCreateExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ze_rtas_builder_ext_desc_t,
        arg3: *mut ze_rtas_builder_ext_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderGetBuildPropertiesExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_builder_ext_handle_t,
        arg2: *const ze_rtas_builder_build_op_ext_desc_t,
        arg3: *mut ze_rtas_builder_ext_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderBuildExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_builder_ext_handle_t,
        arg2: *const ze_rtas_builder_build_op_ext_desc_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: usize,
        arg5: *mut ::std::os::raw::c_void,
        arg6: usize,
        arg7: ze_rtas_parallel_operation_ext_handle_t,
        arg8: *mut ::std::os::raw::c_void,
        arg9: *mut ze_rtas_aabb_ext_t,
        arg10: *mut usize,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderCommandListAppendCopyExt_t = ::std::option::Option<
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
pub type ze_pfnRTASBuilderDestroyExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_builder_ext_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_builder_dditable_t {
    pub pfnCreateExt: ze_pfnRTASBuilderCreateExt_t,
    pub pfnGetBuildPropertiesExt: ze_pfnRTASBuilderGetBuildPropertiesExt_t,
    pub pfnBuildExt: ze_pfnRTASBuilderBuildExt_t,
    pub pfnCommandListAppendCopyExt: ze_pfnRTASBuilderCommandListAppendCopyExt_t,
    pub pfnDestroyExt: ze_pfnRTASBuilderDestroyExt_t,
}
pub type ze_rtas_builder_dditable_t = _ze_rtas_builder_dditable_t;
pub type ze_pfnRTASBuilderCreateExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ze_rtas_builder_exp_desc_t,
        arg3: *mut ze_rtas_builder_exp_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderGetBuildPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_builder_exp_handle_t,
        arg2: *const ze_rtas_builder_build_op_exp_desc_t,
        arg3: *mut ze_rtas_builder_exp_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderBuildExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_builder_exp_handle_t,
        arg2: *const ze_rtas_builder_build_op_exp_desc_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: usize,
        arg5: *mut ::std::os::raw::c_void,
        arg6: usize,
        arg7: ze_rtas_parallel_operation_exp_handle_t,
        arg8: *mut ::std::os::raw::c_void,
        arg9: *mut ze_rtas_aabb_exp_t,
        arg10: *mut usize,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASBuilderDestroyExp_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_builder_exp_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_builder_exp_dditable_t {
    pub pfnCreateExp: ze_pfnRTASBuilderCreateExp_t,
    pub pfnGetBuildPropertiesExp: ze_pfnRTASBuilderGetBuildPropertiesExp_t,
    pub pfnBuildExp: ze_pfnRTASBuilderBuildExp_t,
    pub pfnDestroyExp: ze_pfnRTASBuilderDestroyExp_t,
}
pub type ze_rtas_builder_exp_dditable_t = _ze_rtas_builder_exp_dditable_t;
pub type ze_pfnRTASParallelOperationCreateExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_rtas_parallel_operation_ext_handle_t) -> ze_result_t,
>;
pub type ze_pfnRTASParallelOperationGetPropertiesExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_parallel_operation_ext_handle_t,
        arg2: *mut ze_rtas_parallel_operation_ext_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASParallelOperationJoinExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_parallel_operation_ext_handle_t) -> ze_result_t>;
pub type ze_pfnRTASParallelOperationDestroyExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_parallel_operation_ext_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_parallel_operation_dditable_t {
    pub pfnCreateExt: ze_pfnRTASParallelOperationCreateExt_t,
    pub pfnGetPropertiesExt: ze_pfnRTASParallelOperationGetPropertiesExt_t,
    pub pfnJoinExt: ze_pfnRTASParallelOperationJoinExt_t,
    pub pfnDestroyExt: ze_pfnRTASParallelOperationDestroyExt_t,
}
pub type ze_rtas_parallel_operation_dditable_t = _ze_rtas_parallel_operation_dditable_t;
pub type ze_pfnRTASParallelOperationCreateExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_rtas_parallel_operation_exp_handle_t) -> ze_result_t,
>;
pub type ze_pfnRTASParallelOperationGetPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_rtas_parallel_operation_exp_handle_t,
        arg2: *mut ze_rtas_parallel_operation_exp_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnRTASParallelOperationJoinExp_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_parallel_operation_exp_handle_t) -> ze_result_t>;
pub type ze_pfnRTASParallelOperationDestroyExp_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_rtas_parallel_operation_exp_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_rtas_parallel_operation_exp_dditable_t {
    pub pfnCreateExp: ze_pfnRTASParallelOperationCreateExp_t,
    pub pfnGetPropertiesExp: ze_pfnRTASParallelOperationGetPropertiesExp_t,
    pub pfnJoinExp: ze_pfnRTASParallelOperationJoinExp_t,
    pub pfnDestroyExp: ze_pfnRTASParallelOperationDestroyExp_t,
}
pub type ze_rtas_parallel_operation_exp_dditable_t = _ze_rtas_parallel_operation_exp_dditable_t;
pub type ze_pfnInit_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_init_flags_t) -> ze_result_t>;
pub type ze_pfnInitDrivers_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: *mut u32,
        arg2: *mut ze_driver_handle_t,
        arg3: *mut ze_init_driver_type_desc_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_global_dditable_t {
    pub pfnInit: ze_pfnInit_t,
    pub pfnInitDrivers: ze_pfnInitDrivers_t,
}
pub type ze_global_dditable_t = _ze_global_dditable_t;
pub type ze_pfnDriverGet_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: *mut u32, arg2: *mut ze_driver_handle_t) -> ze_result_t>;
pub type ze_pfnDriverGetApiVersion_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_api_version_t) -> ze_result_t>;
pub type ze_pfnDriverGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_driver_properties_t) -> ze_result_t,
>;
pub type ze_pfnDriverGetIpcProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut ze_driver_ipc_properties_t) -> ze_result_t,
>;
pub type ze_pfnDriverGetExtensionProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_driver_extension_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDriverGetExtensionFunctionAddress_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnDriverGetLastErrorDescription_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut *const ::std::os::raw::c_char) -> ze_result_t,
>;
pub type ze_pfnDriverRTASFormatCompatibilityCheckExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: ze_rtas_format_ext_t,
        arg3: ze_rtas_format_ext_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDriverGetDefaultContext_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_driver_handle_t) -> ze_context_handle_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_driver_dditable_t {
    pub pfnGet: ze_pfnDriverGet_t,
    pub pfnGetApiVersion: ze_pfnDriverGetApiVersion_t,
    pub pfnGetProperties: ze_pfnDriverGetProperties_t,
    pub pfnGetIpcProperties: ze_pfnDriverGetIpcProperties_t,
    pub pfnGetExtensionProperties: ze_pfnDriverGetExtensionProperties_t,
    pub pfnGetExtensionFunctionAddress: ze_pfnDriverGetExtensionFunctionAddress_t,
    pub pfnGetLastErrorDescription: ze_pfnDriverGetLastErrorDescription_t,
    pub pfnRTASFormatCompatibilityCheckExt: ze_pfnDriverRTASFormatCompatibilityCheckExt_t,
    pub pfnGetDefaultContext: ze_pfnDriverGetDefaultContext_t,
}
pub type ze_driver_dditable_t = _ze_driver_dditable_t;
pub type ze_pfnDriverRTASFormatCompatibilityCheckExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: ze_rtas_format_exp_t,
        arg3: ze_rtas_format_exp_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_driver_exp_dditable_t {
    pub pfnRTASFormatCompatibilityCheckExp: ze_pfnDriverRTASFormatCompatibilityCheckExp_t,
}
pub type ze_driver_exp_dditable_t = _ze_driver_exp_dditable_t;
pub type ze_pfnDeviceGet_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut u32, arg3: *mut ze_device_handle_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetSubDevices_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut u32, arg3: *mut ze_device_handle_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetComputeProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_compute_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetModuleProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_module_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetCommandQueueGroupProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_command_queue_group_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetMemoryProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_memory_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetMemoryAccessProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_memory_access_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetCacheProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_cache_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetImageProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_image_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetExternalMemoryProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_external_memory_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetP2PProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut ze_device_p2p_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceCanAccessPeer_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: ze_device_handle_t, arg3: *mut ze_bool_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetStatus_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t) -> ze_result_t>;
pub type ze_pfnDeviceGetGlobalTimestamps_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut u64, arg3: *mut u64) -> ze_result_t,
>;
pub type ze_pfnDeviceReserveCacheExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: usize, arg3: usize) -> ze_result_t>;
pub type ze_pfnDeviceSetCacheAdviceExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: usize,
        arg4: ze_cache_ext_region_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDevicePciGetPropertiesExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_pci_ext_properties_t) -> ze_result_t,
>;
pub type ze_pfnDeviceGetRootDevice_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_device_handle_t) -> ze_result_t>;
pub type ze_pfnDeviceImportExternalSemaphoreExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *const ze_external_semaphore_ext_desc_t,
        arg3: *mut ze_external_semaphore_ext_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceReleaseExternalSemaphoreExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_external_semaphore_ext_handle_t) -> ze_result_t>;
pub type ze_pfnDeviceGetVectorWidthPropertiesExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_device_vector_width_properties_ext_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t) -> ze_result_t>;
pub type ze_pfnDeviceGetAggregatedCopyOffloadIncrementValue_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnDeviceGetRuntimeRequirements_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut usize,
        arg4: *mut ::std::os::raw::c_char,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetRuntimeRequirementsKey_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut *const ::std::os::raw::c_char) -> ze_result_t,
>;
pub type ze_pfnDeviceValidateRuntimeRequirements_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *mut ze_validate_runtime_requirements_output_t,
    ) -> ze_result_t,
>;
pub type ze_pfnDeviceGetCounterBasedEventMaxValue_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut u64) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_device_dditable_t {
    pub pfnGet: ze_pfnDeviceGet_t,
    pub pfnGetSubDevices: ze_pfnDeviceGetSubDevices_t,
    pub pfnGetProperties: ze_pfnDeviceGetProperties_t,
    pub pfnGetComputeProperties: ze_pfnDeviceGetComputeProperties_t,
    pub pfnGetModuleProperties: ze_pfnDeviceGetModuleProperties_t,
    pub pfnGetCommandQueueGroupProperties: ze_pfnDeviceGetCommandQueueGroupProperties_t,
    pub pfnGetMemoryProperties: ze_pfnDeviceGetMemoryProperties_t,
    pub pfnGetMemoryAccessProperties: ze_pfnDeviceGetMemoryAccessProperties_t,
    pub pfnGetCacheProperties: ze_pfnDeviceGetCacheProperties_t,
    pub pfnGetImageProperties: ze_pfnDeviceGetImageProperties_t,
    pub pfnGetExternalMemoryProperties: ze_pfnDeviceGetExternalMemoryProperties_t,
    pub pfnGetP2PProperties: ze_pfnDeviceGetP2PProperties_t,
    pub pfnCanAccessPeer: ze_pfnDeviceCanAccessPeer_t,
    pub pfnGetStatus: ze_pfnDeviceGetStatus_t,
    pub pfnGetGlobalTimestamps: ze_pfnDeviceGetGlobalTimestamps_t,
    pub pfnReserveCacheExt: ze_pfnDeviceReserveCacheExt_t,
    pub pfnSetCacheAdviceExt: ze_pfnDeviceSetCacheAdviceExt_t,
    pub pfnPciGetPropertiesExt: ze_pfnDevicePciGetPropertiesExt_t,
    pub pfnGetRootDevice: ze_pfnDeviceGetRootDevice_t,
    pub pfnImportExternalSemaphoreExt: ze_pfnDeviceImportExternalSemaphoreExt_t,
    pub pfnReleaseExternalSemaphoreExt: ze_pfnDeviceReleaseExternalSemaphoreExt_t,
    pub pfnGetVectorWidthPropertiesExt: ze_pfnDeviceGetVectorWidthPropertiesExt_t,
    pub pfnSynchronize: ze_pfnDeviceSynchronize_t,
    pub pfnGetAggregatedCopyOffloadIncrementValue: ze_pfnDeviceGetAggregatedCopyOffloadIncrementValue_t,
    pub pfnGetRuntimeRequirements: ze_pfnDeviceGetRuntimeRequirements_t,
    pub pfnGetRuntimeRequirementsKey: ze_pfnDeviceGetRuntimeRequirementsKey_t,
    pub pfnValidateRuntimeRequirements: ze_pfnDeviceValidateRuntimeRequirements_t,
    pub pfnGetCounterBasedEventMaxValue: ze_pfnDeviceGetCounterBasedEventMaxValue_t,
}
pub type ze_device_dditable_t = _ze_device_dditable_t;
pub type ze_pfnDeviceGetFabricVertexExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_device_handle_t, arg2: *mut ze_fabric_vertex_handle_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_device_exp_dditable_t {
    pub pfnGetFabricVertexExp: ze_pfnDeviceGetFabricVertexExp_t,
}
pub type ze_device_exp_dditable_t = _ze_device_exp_dditable_t;
pub type ze_pfnContextCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ze_context_desc_t,
        arg3: *mut ze_context_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnContextDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t) -> ze_result_t>;
pub type ze_pfnContextGetStatus_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t) -> ze_result_t>;
pub type ze_pfnContextSystemBarrier_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_device_handle_t) -> ze_result_t>;
pub type ze_pfnContextMakeMemoryResident_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: usize,
    ) -> ze_result_t,
>;
pub type ze_pfnContextEvictMemory_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: usize,
    ) -> ze_result_t,
>;
pub type ze_pfnContextMakeImageResident_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_device_handle_t, arg3: ze_image_handle_t) -> ze_result_t,
>;
pub type ze_pfnContextEvictImage_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_device_handle_t, arg3: ze_image_handle_t) -> ze_result_t,
>;
pub type ze_pfnContextCreateEx_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_driver_handle_t,
        arg2: *const ze_context_desc_t,
        arg3: u32,
        arg4: *mut ze_device_handle_t,
        arg5: *mut ze_context_handle_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_context_dditable_t {
    pub pfnCreate: ze_pfnContextCreate_t,
    pub pfnDestroy: ze_pfnContextDestroy_t,
    pub pfnGetStatus: ze_pfnContextGetStatus_t,
    pub pfnSystemBarrier: ze_pfnContextSystemBarrier_t,
    pub pfnMakeMemoryResident: ze_pfnContextMakeMemoryResident_t,
    pub pfnEvictMemory: ze_pfnContextEvictMemory_t,
    pub pfnMakeImageResident: ze_pfnContextMakeImageResident_t,
    pub pfnEvictImage: ze_pfnContextEvictImage_t,
    pub pfnCreateEx: ze_pfnContextCreateEx_t,
}
pub type ze_context_dditable_t = _ze_context_dditable_t;
pub type ze_pfnCommandQueueCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_command_queue_desc_t,
        arg4: *mut ze_command_queue_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandQueueDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_queue_handle_t) -> ze_result_t>;
pub type ze_pfnCommandQueueExecuteCommandLists_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_queue_handle_t,
        arg2: u32,
        arg3: *mut ze_command_list_handle_t,
        arg4: ze_fence_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandQueueSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: u64) -> ze_result_t>;
pub type ze_pfnCommandQueueGetOrdinal_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnCommandQueueGetIndex_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnCommandQueueGetFlags_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: *mut ze_command_queue_flags_t) -> ze_result_t,
>;
pub type ze_pfnCommandQueueGetMode_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: *mut ze_command_queue_mode_t) -> ze_result_t,
>;
pub type ze_pfnCommandQueueGetPriority_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_queue_handle_t, arg2: *mut ze_command_queue_priority_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_command_queue_dditable_t {
    pub pfnCreate: ze_pfnCommandQueueCreate_t,
    pub pfnDestroy: ze_pfnCommandQueueDestroy_t,
    pub pfnExecuteCommandLists: ze_pfnCommandQueueExecuteCommandLists_t,
    pub pfnSynchronize: ze_pfnCommandQueueSynchronize_t,
    pub pfnGetOrdinal: ze_pfnCommandQueueGetOrdinal_t,
    pub pfnGetIndex: ze_pfnCommandQueueGetIndex_t,
    pub pfnGetFlags: ze_pfnCommandQueueGetFlags_t,
    pub pfnGetMode: ze_pfnCommandQueueGetMode_t,
    pub pfnGetPriority: ze_pfnCommandQueueGetPriority_t,
}
pub type ze_command_queue_dditable_t = _ze_command_queue_dditable_t;
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
pub type ze_pfnCommandListClose_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListReset_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListAppendWriteGlobalTimestamp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut u64,
        arg3: ze_event_handle_t,
        arg4: u32,
        arg5: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendBarrier_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_event_handle_t,
        arg3: u32,
        arg4: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryRangesBarrier_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *const usize,
        arg4: *mut *const ::std::os::raw::c_void,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
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
pub type ze_pfnCommandListAppendMemoryFill_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: usize,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryCopyRegion_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: *const ze_copy_region_t,
        arg4: u32,
        arg5: u32,
        arg6: *const ::std::os::raw::c_void,
        arg7: *const ze_copy_region_t,
        arg8: u32,
        arg9: u32,
        arg10: ze_event_handle_t,
        arg11: u32,
        arg12: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryCopyFromContext_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: ze_context_handle_t,
        arg4: *const ::std::os::raw::c_void,
        arg5: usize,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopy_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_image_handle_t,
        arg3: ze_image_handle_t,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopyRegion_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_image_handle_t,
        arg3: ze_image_handle_t,
        arg4: *const ze_image_region_t,
        arg5: *const ze_image_region_t,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopyToMemory_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: ze_image_handle_t,
        arg4: *const ze_image_region_t,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopyFromMemory_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_image_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: *const ze_image_region_t,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryPrefetch_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: usize,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemAdvise_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: ze_memory_advice_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendSignalEvent_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListAppendWaitOnEvents_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: u32, arg3: *mut ze_event_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendEventReset_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListAppendQueryKernelTimestamps_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_event_handle_t,
        arg4: *mut ::std::os::raw::c_void,
        arg5: *const usize,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
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
pub type ze_pfnCommandListAppendLaunchCooperativeKernel_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_kernel_handle_t,
        arg3: *const ze_group_count_t,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendLaunchKernelIndirect_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_kernel_handle_t,
        arg3: *const ze_group_count_t,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendLaunchMultipleKernelsIndirect_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_kernel_handle_t,
        arg4: *const u32,
        arg5: *const ze_group_count_t,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopyToMemoryExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: ze_image_handle_t,
        arg4: *const ze_image_region_t,
        arg5: u32,
        arg6: u32,
        arg7: ze_event_handle_t,
        arg8: u32,
        arg9: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendImageCopyFromMemoryExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_image_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: *const ze_image_region_t,
        arg5: u32,
        arg6: u32,
        arg7: ze_event_handle_t,
        arg8: u32,
        arg9: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListHostSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: u64) -> ze_result_t>;
pub type ze_pfnCommandListGetDeviceHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_device_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListGetContextHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_context_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListGetOrdinal_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnCommandListImmediateGetIndex_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnCommandListIsImmediate_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_bool_t) -> ze_result_t>;
pub type ze_pfnCommandListAppendSignalExternalSemaphoreExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_external_semaphore_ext_handle_t,
        arg4: *mut ze_external_semaphore_signal_params_ext_t,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendWaitExternalSemaphoreExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_external_semaphore_ext_handle_t,
        arg4: *mut ze_external_semaphore_wait_params_ext_t,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendLaunchKernelWithParameters_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_kernel_handle_t,
        arg3: *const ze_group_count_t,
        arg4: *const ::std::os::raw::c_void,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendLaunchKernelWithArguments_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_kernel_handle_t,
        arg3: ze_group_count_t,
        arg4: ze_group_size_t,
        arg5: *mut *mut ::std::os::raw::c_void,
        arg6: *const ::std::os::raw::c_void,
        arg7: ze_event_handle_t,
        arg8: u32,
        arg9: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryCopyWithParameters_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: *const ::std::os::raw::c_void,
        arg6: ze_event_handle_t,
        arg7: u32,
        arg8: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendMemoryFillWithParameters_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *mut ::std::os::raw::c_void,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: usize,
        arg6: *const ::std::os::raw::c_void,
        arg7: ze_event_handle_t,
        arg8: u32,
        arg9: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListImmediateAppendCommandListsWithParameters_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_command_list_handle_t,
        arg4: *const ::std::os::raw::c_void,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListGetFlags_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_command_list_flags_t) -> ze_result_t,
>;
pub type ze_pfnCommandListImmediateGetFlags_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_command_queue_flags_t) -> ze_result_t,
>;
pub type ze_pfnCommandListImmediateGetMode_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_command_queue_mode_t) -> ze_result_t,
>;
pub type ze_pfnCommandListImmediateGetPriority_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_command_queue_priority_t) -> ze_result_t,
>;
pub type ze_pfnCommandListBeginGraphCaptureExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *const ::std::os::raw::c_void) -> ze_result_t,
>;
pub type ze_pfnCommandListBeginCaptureIntoGraphExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_graph_handle_t,
        arg3: *const ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListIsGraphCaptureEnabledExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t) -> ze_result_t>;
pub type ze_pfnCommandListEndGraphCaptureExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ze_graph_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListGetGraphExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_graph_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendGraphExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_executable_graph_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListAppendHostFunction_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: ze_host_function_callback_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: *const ::std::os::raw::c_void,
        arg5: ze_event_handle_t,
        arg6: u32,
        arg7: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_command_list_dditable_t {
    pub pfnCreate: ze_pfnCommandListCreate_t,
    pub pfnCreateImmediate: ze_pfnCommandListCreateImmediate_t,
    pub pfnDestroy: ze_pfnCommandListDestroy_t,
    pub pfnClose: ze_pfnCommandListClose_t,
    pub pfnReset: ze_pfnCommandListReset_t,
    pub pfnAppendWriteGlobalTimestamp: ze_pfnCommandListAppendWriteGlobalTimestamp_t,
    pub pfnAppendBarrier: ze_pfnCommandListAppendBarrier_t,
    pub pfnAppendMemoryRangesBarrier: ze_pfnCommandListAppendMemoryRangesBarrier_t,
    pub pfnAppendMemoryCopy: ze_pfnCommandListAppendMemoryCopy_t,
    pub pfnAppendMemoryFill: ze_pfnCommandListAppendMemoryFill_t,
    pub pfnAppendMemoryCopyRegion: ze_pfnCommandListAppendMemoryCopyRegion_t,
    pub pfnAppendMemoryCopyFromContext: ze_pfnCommandListAppendMemoryCopyFromContext_t,
    pub pfnAppendImageCopy: ze_pfnCommandListAppendImageCopy_t,
    pub pfnAppendImageCopyRegion: ze_pfnCommandListAppendImageCopyRegion_t,
    pub pfnAppendImageCopyToMemory: ze_pfnCommandListAppendImageCopyToMemory_t,
    pub pfnAppendImageCopyFromMemory: ze_pfnCommandListAppendImageCopyFromMemory_t,
    pub pfnAppendMemoryPrefetch: ze_pfnCommandListAppendMemoryPrefetch_t,
    pub pfnAppendMemAdvise: ze_pfnCommandListAppendMemAdvise_t,
    pub pfnAppendSignalEvent: ze_pfnCommandListAppendSignalEvent_t,
    pub pfnAppendWaitOnEvents: ze_pfnCommandListAppendWaitOnEvents_t,
    pub pfnAppendEventReset: ze_pfnCommandListAppendEventReset_t,
    pub pfnAppendQueryKernelTimestamps: ze_pfnCommandListAppendQueryKernelTimestamps_t,
    pub pfnAppendLaunchKernel: ze_pfnCommandListAppendLaunchKernel_t,
    pub pfnAppendLaunchCooperativeKernel: ze_pfnCommandListAppendLaunchCooperativeKernel_t,
    pub pfnAppendLaunchKernelIndirect: ze_pfnCommandListAppendLaunchKernelIndirect_t,
    pub pfnAppendLaunchMultipleKernelsIndirect: ze_pfnCommandListAppendLaunchMultipleKernelsIndirect_t,
    pub pfnAppendImageCopyToMemoryExt: ze_pfnCommandListAppendImageCopyToMemoryExt_t,
    pub pfnAppendImageCopyFromMemoryExt: ze_pfnCommandListAppendImageCopyFromMemoryExt_t,
    pub pfnHostSynchronize: ze_pfnCommandListHostSynchronize_t,
    pub pfnGetDeviceHandle: ze_pfnCommandListGetDeviceHandle_t,
    pub pfnGetContextHandle: ze_pfnCommandListGetContextHandle_t,
    pub pfnGetOrdinal: ze_pfnCommandListGetOrdinal_t,
    pub pfnImmediateGetIndex: ze_pfnCommandListImmediateGetIndex_t,
    pub pfnIsImmediate: ze_pfnCommandListIsImmediate_t,
    pub pfnAppendSignalExternalSemaphoreExt: ze_pfnCommandListAppendSignalExternalSemaphoreExt_t,
    pub pfnAppendWaitExternalSemaphoreExt: ze_pfnCommandListAppendWaitExternalSemaphoreExt_t,
    pub pfnAppendLaunchKernelWithParameters: ze_pfnCommandListAppendLaunchKernelWithParameters_t,
    pub pfnAppendLaunchKernelWithArguments: ze_pfnCommandListAppendLaunchKernelWithArguments_t,
    pub pfnAppendMemoryCopyWithParameters: ze_pfnCommandListAppendMemoryCopyWithParameters_t,
    pub pfnAppendMemoryFillWithParameters: ze_pfnCommandListAppendMemoryFillWithParameters_t,
    pub pfnImmediateAppendCommandListsWithParameters: ze_pfnCommandListImmediateAppendCommandListsWithParameters_t,
    pub pfnGetFlags: ze_pfnCommandListGetFlags_t,
    pub pfnImmediateGetFlags: ze_pfnCommandListImmediateGetFlags_t,
    pub pfnImmediateGetMode: ze_pfnCommandListImmediateGetMode_t,
    pub pfnImmediateGetPriority: ze_pfnCommandListImmediateGetPriority_t,
    pub pfnBeginGraphCaptureExt: ze_pfnCommandListBeginGraphCaptureExt_t,
    pub pfnBeginCaptureIntoGraphExt: ze_pfnCommandListBeginCaptureIntoGraphExt_t,
    pub pfnIsGraphCaptureEnabledExt: ze_pfnCommandListIsGraphCaptureEnabledExt_t,
    pub pfnEndGraphCaptureExt: ze_pfnCommandListEndGraphCaptureExt_t,
    pub pfnGetGraphExt: ze_pfnCommandListGetGraphExt_t,
    pub pfnAppendGraphExt: ze_pfnCommandListAppendGraphExt_t,
    pub pfnAppendHostFunction: ze_pfnCommandListAppendHostFunction_t,
}
pub type ze_command_list_dditable_t = _ze_command_list_dditable_t;
pub type ze_pfnCommandListCreateCloneExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_command_list_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListImmediateAppendCommandListsExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut ze_command_list_handle_t,
        arg4: ze_event_handle_t,
        arg5: u32,
        arg6: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListGetNextCommandIdExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *const ze_mutable_command_id_exp_desc_t,
        arg3: *mut u64,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListUpdateMutableCommandsExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *const ze_mutable_commands_exp_desc_t) -> ze_result_t,
>;
pub type ze_pfnCommandListUpdateMutableCommandSignalEventExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: u64, arg3: ze_event_handle_t) -> ze_result_t,
>;
pub type ze_pfnCommandListUpdateMutableCommandWaitEventsExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u64,
        arg3: u32,
        arg4: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListGetNextCommandIdWithKernelsExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: *const ze_mutable_command_id_exp_desc_t,
        arg3: u32,
        arg4: *mut ze_kernel_handle_t,
        arg5: *mut u64,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListUpdateMutableCommandKernelsExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_list_handle_t,
        arg2: u32,
        arg3: *mut u64,
        arg4: *mut ze_kernel_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnCommandListIsMutableExp_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_command_list_handle_t, arg2: *mut ze_bool_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_command_list_exp_dditable_t {
    pub pfnCreateCloneExp: ze_pfnCommandListCreateCloneExp_t,
    pub pfnImmediateAppendCommandListsExp: ze_pfnCommandListImmediateAppendCommandListsExp_t,
    pub pfnGetNextCommandIdExp: ze_pfnCommandListGetNextCommandIdExp_t,
    pub pfnUpdateMutableCommandsExp: ze_pfnCommandListUpdateMutableCommandsExp_t,
    pub pfnUpdateMutableCommandSignalEventExp: ze_pfnCommandListUpdateMutableCommandSignalEventExp_t,
    pub pfnUpdateMutableCommandWaitEventsExp: ze_pfnCommandListUpdateMutableCommandWaitEventsExp_t,
    pub pfnGetNextCommandIdWithKernelsExp: ze_pfnCommandListGetNextCommandIdWithKernelsExp_t,
    pub pfnUpdateMutableCommandKernelsExp: ze_pfnCommandListUpdateMutableCommandKernelsExp_t,
    pub pfnIsMutableExp: ze_pfnCommandListIsMutableExp_t,
}
pub type ze_command_list_exp_dditable_t = _ze_command_list_exp_dditable_t;
pub type ze_pfnImageGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_device_handle_t,
        arg2: *const ze_image_desc_t,
        arg3: *mut ze_image_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnImageCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_image_desc_t,
        arg4: *mut ze_image_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnImageDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_image_handle_t) -> ze_result_t>;
pub type ze_pfnImageGetAllocPropertiesExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_image_handle_t,
        arg3: *mut ze_image_allocation_ext_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnImageViewCreateExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_image_desc_t,
        arg4: ze_image_handle_t,
        arg5: *mut ze_image_handle_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_image_dditable_t {
    pub pfnGetProperties: ze_pfnImageGetProperties_t,
    pub pfnCreate: ze_pfnImageCreate_t,
    pub pfnDestroy: ze_pfnImageDestroy_t,
    pub pfnGetAllocPropertiesExt: ze_pfnImageGetAllocPropertiesExt_t,
    pub pfnViewCreateExt: ze_pfnImageViewCreateExt_t,
}
pub type ze_image_dditable_t = _ze_image_dditable_t;
pub type ze_pfnImageGetMemoryPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_image_handle_t, arg2: *mut ze_image_memory_properties_exp_t) -> ze_result_t,
>;
pub type ze_pfnImageViewCreateExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_image_desc_t,
        arg4: ze_image_handle_t,
        arg5: *mut ze_image_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnImageGetDeviceOffsetExp_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_image_handle_t, arg2: *mut u64) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_image_exp_dditable_t {
    pub pfnGetMemoryPropertiesExp: ze_pfnImageGetMemoryPropertiesExp_t,
    pub pfnViewCreateExp: ze_pfnImageViewCreateExp_t,
    pub pfnGetDeviceOffsetExp: ze_pfnImageGetDeviceOffsetExp_t,
}
pub type ze_image_exp_dditable_t = _ze_image_exp_dditable_t;
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
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: *mut ::std::os::raw::c_void) -> ze_result_t,
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
pub type ze_pfnMemGetIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ze_ipc_mem_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnMemOpenIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: ze_ipc_mem_handle_t,
        arg4: ze_ipc_memory_flags_t,
        arg5: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemCloseIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: *const ::std::os::raw::c_void) -> ze_result_t,
>;
pub type ze_pfnMemFreeExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ze_memory_free_ext_desc_t,
        arg3: *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnMemPutIpcHandle_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_ipc_mem_handle_t) -> ze_result_t>;
pub type ze_pfnMemGetPitchFor2dImage_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: usize,
        arg4: usize,
        arg5: ::std::os::raw::c_uint,
        arg6: *mut usize,
    ) -> ze_result_t,
>;
pub type ze_pfnMemGetIpcHandleWithProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ::std::os::raw::c_void,
        arg4: *mut ze_ipc_mem_handle_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_mem_dditable_t {
    pub pfnAllocShared: ze_pfnMemAllocShared_t,
    pub pfnAllocDevice: ze_pfnMemAllocDevice_t,
    pub pfnAllocHost: ze_pfnMemAllocHost_t,
    pub pfnFree: ze_pfnMemFree_t,
    pub pfnGetAllocProperties: ze_pfnMemGetAllocProperties_t,
    pub pfnGetAddressRange: ze_pfnMemGetAddressRange_t,
    pub pfnGetIpcHandle: ze_pfnMemGetIpcHandle_t,
    pub pfnOpenIpcHandle: ze_pfnMemOpenIpcHandle_t,
    pub pfnCloseIpcHandle: ze_pfnMemCloseIpcHandle_t,
    pub pfnFreeExt: ze_pfnMemFreeExt_t,
    pub pfnPutIpcHandle: ze_pfnMemPutIpcHandle_t,
    pub pfnGetPitchFor2dImage: ze_pfnMemGetPitchFor2dImage_t,
    pub pfnGetIpcHandleWithProperties: ze_pfnMemGetIpcHandleWithProperties_t,
}
pub type ze_mem_dditable_t = _ze_mem_dditable_t;
pub type ze_pfnMemGetIpcHandleFromFileDescriptorExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: u64, arg3: *mut ze_ipc_mem_handle_t) -> ze_result_t,
>;
pub type ze_pfnMemGetFileDescriptorFromIpcHandleExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_ipc_mem_handle_t, arg3: *mut u64) -> ze_result_t,
>;
pub type ze_pfnMemSetAtomicAccessAttributeExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: ze_memory_atomic_attr_exp_flags_t,
    ) -> ze_result_t,
>;
pub type ze_pfnMemGetAtomicAccessAttributeExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ::std::os::raw::c_void,
        arg4: usize,
        arg5: *mut ze_memory_atomic_attr_exp_flags_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_mem_exp_dditable_t {
    pub pfnGetIpcHandleFromFileDescriptorExp: ze_pfnMemGetIpcHandleFromFileDescriptorExp_t,
    pub pfnGetFileDescriptorFromIpcHandleExp: ze_pfnMemGetFileDescriptorFromIpcHandleExp_t,
    pub pfnSetAtomicAccessAttributeExp: ze_pfnMemSetAtomicAccessAttributeExp_t,
    pub pfnGetAtomicAccessAttributeExp: ze_pfnMemGetAtomicAccessAttributeExp_t,
}
pub type ze_mem_exp_dditable_t = _ze_mem_exp_dditable_t;
pub type ze_pfnFenceCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_command_queue_handle_t,
        arg2: *const ze_fence_desc_t,
        arg3: *mut ze_fence_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnFenceDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_fence_handle_t) -> ze_result_t>;
pub type ze_pfnFenceHostSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_fence_handle_t, arg2: u64) -> ze_result_t>;
pub type ze_pfnFenceQueryStatus_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_fence_handle_t) -> ze_result_t>;
pub type ze_pfnFenceReset_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_fence_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_fence_dditable_t {
    pub pfnCreate: ze_pfnFenceCreate_t,
    pub pfnDestroy: ze_pfnFenceDestroy_t,
    pub pfnHostSynchronize: ze_pfnFenceHostSynchronize_t,
    pub pfnQueryStatus: ze_pfnFenceQueryStatus_t,
    pub pfnReset: ze_pfnFenceReset_t,
}
pub type ze_fence_dditable_t = _ze_fence_dditable_t;
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
pub type ze_pfnEventPoolGetIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_pool_handle_t, arg2: *mut ze_ipc_event_pool_handle_t) -> ze_result_t,
>;
pub type ze_pfnEventPoolOpenIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_ipc_event_pool_handle_t,
        arg3: *mut ze_event_pool_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventPoolCloseIpcHandle_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_pool_handle_t) -> ze_result_t>;
pub type ze_pfnEventPoolPutIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_ipc_event_pool_handle_t) -> ze_result_t,
>;
pub type ze_pfnEventPoolGetContextHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_pool_handle_t, arg2: *mut ze_context_handle_t) -> ze_result_t,
>;
pub type ze_pfnEventPoolGetFlags_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_pool_handle_t, arg2: *mut ze_event_pool_flags_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_event_pool_dditable_t {
    pub pfnCreate: ze_pfnEventPoolCreate_t,
    pub pfnDestroy: ze_pfnEventPoolDestroy_t,
    pub pfnGetIpcHandle: ze_pfnEventPoolGetIpcHandle_t,
    pub pfnOpenIpcHandle: ze_pfnEventPoolOpenIpcHandle_t,
    pub pfnCloseIpcHandle: ze_pfnEventPoolCloseIpcHandle_t,
    pub pfnPutIpcHandle: ze_pfnEventPoolPutIpcHandle_t,
    pub pfnGetContextHandle: ze_pfnEventPoolGetContextHandle_t,
    pub pfnGetFlags: ze_pfnEventPoolGetFlags_t,
}
pub type ze_event_pool_dditable_t = _ze_event_pool_dditable_t;
pub type ze_pfnEventCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_event_pool_handle_t,
        arg2: *const ze_event_desc_t,
        arg3: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostSignal_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostSynchronize_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: u64) -> ze_result_t>;
pub type ze_pfnEventQueryStatus_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventHostReset_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventQueryKernelTimestamp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_kernel_timestamp_result_t) -> ze_result_t,
>;
pub type ze_pfnEventQueryKernelTimestampsExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_event_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut u32,
        arg4: *mut ze_event_query_kernel_timestamps_results_ext_properties_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventGetEventPool_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_event_pool_handle_t) -> ze_result_t,
>;
pub type ze_pfnEventGetSignalScope_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_event_scope_flags_t) -> ze_result_t,
>;
pub type ze_pfnEventGetWaitScope_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_event_scope_flags_t) -> ze_result_t,
>;
pub type ze_pfnEventCounterBasedCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_event_counter_based_desc_t,
        arg4: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventCounterBasedGetIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_ipc_event_counter_based_handle_t) -> ze_result_t,
>;
pub type ze_pfnEventCounterBasedOpenIpcHandle_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_ipc_event_counter_based_handle_t,
        arg3: *mut ze_event_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnEventCounterBasedCloseIpcHandle_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t) -> ze_result_t>;
pub type ze_pfnEventCounterBasedGetDeviceAddress_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut u64, arg3: *mut u64) -> ze_result_t>;
pub type ze_pfnEventGetCounterBasedFlags_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_event_handle_t, arg2: *mut ze_event_counter_based_flags_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_event_dditable_t {
    pub pfnCreate: ze_pfnEventCreate_t,
    pub pfnDestroy: ze_pfnEventDestroy_t,
    pub pfnHostSignal: ze_pfnEventHostSignal_t,
    pub pfnHostSynchronize: ze_pfnEventHostSynchronize_t,
    pub pfnQueryStatus: ze_pfnEventQueryStatus_t,
    pub pfnHostReset: ze_pfnEventHostReset_t,
    pub pfnQueryKernelTimestamp: ze_pfnEventQueryKernelTimestamp_t,
    pub pfnQueryKernelTimestampsExt: ze_pfnEventQueryKernelTimestampsExt_t,
    pub pfnGetEventPool: ze_pfnEventGetEventPool_t,
    pub pfnGetSignalScope: ze_pfnEventGetSignalScope_t,
    pub pfnGetWaitScope: ze_pfnEventGetWaitScope_t,
    pub pfnCounterBasedCreate: ze_pfnEventCounterBasedCreate_t,
    pub pfnCounterBasedGetIpcHandle: ze_pfnEventCounterBasedGetIpcHandle_t,
    pub pfnCounterBasedOpenIpcHandle: ze_pfnEventCounterBasedOpenIpcHandle_t,
    pub pfnCounterBasedCloseIpcHandle: ze_pfnEventCounterBasedCloseIpcHandle_t,
    pub pfnCounterBasedGetDeviceAddress: ze_pfnEventCounterBasedGetDeviceAddress_t,
    pub pfnGetCounterBasedFlags: ze_pfnEventGetCounterBasedFlags_t,
}
pub type ze_event_dditable_t = _ze_event_dditable_t;
pub type ze_pfnEventQueryTimestampsExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_event_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut u32,
        arg4: *mut ze_kernel_timestamp_result_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_event_exp_dditable_t {
    pub pfnQueryTimestampsExp: ze_pfnEventQueryTimestampsExp_t,
}
pub type ze_event_exp_dditable_t = _ze_event_exp_dditable_t;
pub type ze_pfnModuleCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_module_desc_t,
        arg4: *mut ze_module_handle_t,
        arg5: *mut ze_module_build_log_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_module_handle_t) -> ze_result_t>;
pub type ze_pfnModuleDynamicLink_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: u32,
        arg2: *mut ze_module_handle_t,
        arg3: *mut ze_module_build_log_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleGetNativeBinary_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_module_handle_t, arg2: *mut usize, arg3: *mut u8) -> ze_result_t,
>;
pub type ze_pfnModuleGetGlobalPointer_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *mut usize,
        arg4: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleGetKernelNames_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_handle_t,
        arg2: *mut u32,
        arg3: *mut *const ::std::os::raw::c_char,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_module_handle_t, arg2: *mut ze_module_properties_t) -> ze_result_t,
>;
pub type ze_pfnModuleGetFunctionPointer_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnModuleInspectLinkageExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: *mut ze_linkage_inspection_ext_desc_t,
        arg2: u32,
        arg3: *mut ze_module_handle_t,
        arg4: *mut ze_module_build_log_handle_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_module_dditable_t {
    pub pfnCreate: ze_pfnModuleCreate_t,
    pub pfnDestroy: ze_pfnModuleDestroy_t,
    pub pfnDynamicLink: ze_pfnModuleDynamicLink_t,
    pub pfnGetNativeBinary: ze_pfnModuleGetNativeBinary_t,
    pub pfnGetGlobalPointer: ze_pfnModuleGetGlobalPointer_t,
    pub pfnGetKernelNames: ze_pfnModuleGetKernelNames_t,
    pub pfnGetProperties: ze_pfnModuleGetProperties_t,
    pub pfnGetFunctionPointer: ze_pfnModuleGetFunctionPointer_t,
    pub pfnInspectLinkageExt: ze_pfnModuleInspectLinkageExt_t,
}
pub type ze_module_dditable_t = _ze_module_dditable_t;
pub type ze_pfnModuleBuildLogDestroy_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_module_build_log_handle_t) -> ze_result_t>;
pub type ze_pfnModuleBuildLogGetString_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_build_log_handle_t,
        arg2: *mut usize,
        arg3: *mut ::std::os::raw::c_char,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_module_build_log_dditable_t {
    pub pfnDestroy: ze_pfnModuleBuildLogDestroy_t,
    pub pfnGetString: ze_pfnModuleBuildLogGetString_t,
}
pub type ze_module_build_log_dditable_t = _ze_module_build_log_dditable_t;
pub type ze_pfnKernelCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_module_handle_t,
        arg2: *const ze_kernel_desc_t,
        arg3: *mut ze_kernel_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_kernel_handle_t) -> ze_result_t>;
pub type ze_pfnKernelSetCacheConfig_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: ze_cache_config_flags_t) -> ze_result_t>;
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
pub type ze_pfnKernelSuggestMaxCooperativeGroupCount_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut u32) -> ze_result_t>;
pub type ze_pfnKernelSetArgumentValue_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: u32,
        arg3: usize,
        arg4: *const ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelSetIndirectAccess_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: ze_kernel_indirect_access_flags_t) -> ze_result_t,
>;
pub type ze_pfnKernelGetIndirectAccess_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut ze_kernel_indirect_access_flags_t) -> ze_result_t,
>;
pub type ze_pfnKernelGetSourceAttributes_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: *mut u32,
        arg3: *mut *mut ::std::os::raw::c_char,
    ) -> ze_result_t,
>;
pub type ze_pfnKernelGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut ze_kernel_properties_t) -> ze_result_t,
>;
pub type ze_pfnKernelGetName_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut usize, arg3: *mut ::std::os::raw::c_char) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_kernel_dditable_t {
    pub pfnCreate: ze_pfnKernelCreate_t,
    pub pfnDestroy: ze_pfnKernelDestroy_t,
    pub pfnSetCacheConfig: ze_pfnKernelSetCacheConfig_t,
    pub pfnSetGroupSize: ze_pfnKernelSetGroupSize_t,
    pub pfnSuggestGroupSize: ze_pfnKernelSuggestGroupSize_t,
    pub pfnSuggestMaxCooperativeGroupCount: ze_pfnKernelSuggestMaxCooperativeGroupCount_t,
    pub pfnSetArgumentValue: ze_pfnKernelSetArgumentValue_t,
    pub pfnSetIndirectAccess: ze_pfnKernelSetIndirectAccess_t,
    pub pfnGetIndirectAccess: ze_pfnKernelGetIndirectAccess_t,
    pub pfnGetSourceAttributes: ze_pfnKernelGetSourceAttributes_t,
    pub pfnGetProperties: ze_pfnKernelGetProperties_t,
    pub pfnGetName: ze_pfnKernelGetName_t,
}
pub type ze_kernel_dditable_t = _ze_kernel_dditable_t;
pub type ze_pfnKernelSetGlobalOffsetExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: u32, arg3: u32, arg4: u32) -> ze_result_t,
>;
pub type ze_pfnKernelSchedulingHintExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut ze_scheduling_hint_exp_desc_t) -> ze_result_t,
>;
pub type ze_pfnKernelGetBinaryExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_kernel_handle_t, arg2: *mut usize, arg3: *mut u8) -> ze_result_t,
>;
pub type ze_pfnKernelGetAllocationPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_kernel_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_kernel_allocation_exp_properties_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_kernel_exp_dditable_t {
    pub pfnSetGlobalOffsetExp: ze_pfnKernelSetGlobalOffsetExp_t,
    pub pfnSchedulingHintExp: ze_pfnKernelSchedulingHintExp_t,
    pub pfnGetBinaryExp: ze_pfnKernelGetBinaryExp_t,
    pub pfnGetAllocationPropertiesExp: ze_pfnKernelGetAllocationPropertiesExp_t,
}
pub type ze_kernel_exp_dditable_t = _ze_kernel_exp_dditable_t;
pub type ze_pfnSamplerCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *const ze_sampler_desc_t,
        arg4: *mut ze_sampler_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnSamplerDestroy_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_sampler_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_sampler_dditable_t {
    pub pfnCreate: ze_pfnSamplerCreate_t,
    pub pfnDestroy: ze_pfnSamplerDestroy_t,
}
pub type ze_sampler_dditable_t = _ze_sampler_dditable_t;
pub type ze_pfnPhysicalMemCreate_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: *mut ze_physical_mem_desc_t,
        arg4: *mut ze_physical_mem_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnPhysicalMemDestroy_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: ze_physical_mem_handle_t) -> ze_result_t,
>;
pub type ze_pfnPhysicalMemGetProperties_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_physical_mem_handle_t,
        arg3: *mut ze_physical_mem_properties_t,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_physical_mem_dditable_t {
    pub pfnCreate: ze_pfnPhysicalMemCreate_t,
    pub pfnDestroy: ze_pfnPhysicalMemDestroy_t,
    pub pfnGetProperties: ze_pfnPhysicalMemGetProperties_t,
}
pub type ze_physical_mem_dditable_t = _ze_physical_mem_dditable_t;
pub type ze_pfnVirtualMemReserve_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: usize,
        arg4: *mut *mut ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnVirtualMemFree_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: *const ::std::os::raw::c_void, arg3: usize) -> ze_result_t,
>;
pub type ze_pfnVirtualMemQueryPageSize_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: ze_device_handle_t,
        arg3: usize,
        arg4: *mut usize,
    ) -> ze_result_t,
>;
pub type ze_pfnVirtualMemMap_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: usize,
        arg4: ze_physical_mem_handle_t,
        arg5: usize,
        arg6: ze_memory_access_attribute_t,
    ) -> ze_result_t,
>;
pub type ze_pfnVirtualMemUnmap_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_context_handle_t, arg2: *const ::std::os::raw::c_void, arg3: usize) -> ze_result_t,
>;
pub type ze_pfnVirtualMemSetAccessAttribute_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: usize,
        arg4: ze_memory_access_attribute_t,
    ) -> ze_result_t,
>;
pub type ze_pfnVirtualMemGetAccessAttribute_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: usize,
        arg4: *mut ze_memory_access_attribute_t,
        arg5: *mut usize,
    ) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_virtual_mem_dditable_t {
    pub pfnReserve: ze_pfnVirtualMemReserve_t,
    pub pfnFree: ze_pfnVirtualMemFree_t,
    pub pfnQueryPageSize: ze_pfnVirtualMemQueryPageSize_t,
    pub pfnMap: ze_pfnVirtualMemMap_t,
    pub pfnUnmap: ze_pfnVirtualMemUnmap_t,
    pub pfnSetAccessAttribute: ze_pfnVirtualMemSetAccessAttribute_t,
    pub pfnGetAccessAttribute: ze_pfnVirtualMemGetAccessAttribute_t,
}
pub type ze_virtual_mem_dditable_t = _ze_virtual_mem_dditable_t;
pub type ze_pfnFabricVertexGetExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_driver_handle_t, arg2: *mut u32, arg3: *mut ze_fabric_vertex_handle_t) -> ze_result_t,
>;
pub type ze_pfnFabricVertexGetSubVerticesExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_fabric_vertex_handle_t,
        arg2: *mut u32,
        arg3: *mut ze_fabric_vertex_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnFabricVertexGetPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_fabric_vertex_handle_t, arg2: *mut ze_fabric_vertex_exp_properties_t) -> ze_result_t,
>;
pub type ze_pfnFabricVertexGetDeviceExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_fabric_vertex_handle_t, arg2: *mut ze_device_handle_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_fabric_vertex_exp_dditable_t {
    pub pfnGetExp: ze_pfnFabricVertexGetExp_t,
    pub pfnGetSubVerticesExp: ze_pfnFabricVertexGetSubVerticesExp_t,
    pub pfnGetPropertiesExp: ze_pfnFabricVertexGetPropertiesExp_t,
    pub pfnGetDeviceExp: ze_pfnFabricVertexGetDeviceExp_t,
}
pub type ze_fabric_vertex_exp_dditable_t = _ze_fabric_vertex_exp_dditable_t;
pub type ze_pfnFabricEdgeGetExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_fabric_vertex_handle_t,
        arg2: ze_fabric_vertex_handle_t,
        arg3: *mut u32,
        arg4: *mut ze_fabric_edge_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnFabricEdgeGetVerticesExp_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_fabric_edge_handle_t,
        arg2: *mut ze_fabric_vertex_handle_t,
        arg3: *mut ze_fabric_vertex_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnFabricEdgeGetPropertiesExp_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_fabric_edge_handle_t, arg2: *mut ze_fabric_edge_exp_properties_t) -> ze_result_t,
>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_fabric_edge_exp_dditable_t {
    pub pfnGetExp: ze_pfnFabricEdgeGetExp_t,
    pub pfnGetVerticesExp: ze_pfnFabricEdgeGetVerticesExp_t,
    pub pfnGetPropertiesExp: ze_pfnFabricEdgeGetPropertiesExp_t,
}
pub type ze_fabric_edge_exp_dditable_t = _ze_fabric_edge_exp_dditable_t;
pub type ze_pfnGraphCreateExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_context_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ze_graph_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnGraphGetPrimaryCommandListExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_graph_handle_t, arg2: *mut ze_command_list_handle_t) -> ze_result_t,
>;
pub type ze_pfnGraphSetDestructionCallbackExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_graph_handle_t,
        arg2: zex_mem_graph_free_callback_fn_t,
        arg3: *mut ::std::os::raw::c_void,
        arg4: *const ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnGraphInstantiateExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_graph_handle_t,
        arg2: *const ::std::os::raw::c_void,
        arg3: *mut ze_executable_graph_handle_t,
    ) -> ze_result_t,
>;
pub type ze_pfnGraphIsEmptyExt_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_graph_handle_t) -> ze_result_t>;
pub type ze_pfnGraphDumpContentsExt_t = ::std::option::Option<
    unsafe extern "C" fn(
        arg1: ze_graph_handle_t,
        arg2: *const ::std::os::raw::c_char,
        arg3: *const ::std::os::raw::c_void,
    ) -> ze_result_t,
>;
pub type ze_pfnGraphDestroyExt_t = ::std::option::Option<unsafe extern "C" fn(arg1: ze_graph_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_graph_dditable_t {
    pub pfnCreateExt: ze_pfnGraphCreateExt_t,
    pub pfnGetPrimaryCommandListExt: ze_pfnGraphGetPrimaryCommandListExt_t,
    pub pfnSetDestructionCallbackExt: ze_pfnGraphSetDestructionCallbackExt_t,
    pub pfnInstantiateExt: ze_pfnGraphInstantiateExt_t,
    pub pfnIsEmptyExt: ze_pfnGraphIsEmptyExt_t,
    pub pfnDumpContentsExt: ze_pfnGraphDumpContentsExt_t,
    pub pfnDestroyExt: ze_pfnGraphDestroyExt_t,
}
pub type ze_graph_dditable_t = _ze_graph_dditable_t;
pub type ze_pfnExecutableGraphGetSourceGraphExt_t = ::std::option::Option<
    unsafe extern "C" fn(arg1: ze_executable_graph_handle_t, arg2: *mut ze_graph_handle_t) -> ze_result_t,
>;
pub type ze_pfnExecutableGraphDestroyExt_t =
    ::std::option::Option<unsafe extern "C" fn(arg1: ze_executable_graph_handle_t) -> ze_result_t>;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct _ze_executable_graph_dditable_t {
    pub pfnGetSourceGraphExt: ze_pfnExecutableGraphGetSourceGraphExt_t,
    pub pfnDestroyExt: ze_pfnExecutableGraphDestroyExt_t,
}
pub type ze_executable_graph_dditable_t = _ze_executable_graph_dditable_t;
