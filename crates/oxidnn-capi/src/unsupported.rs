//! Entry points of other runtimes and of CPU-only extras: there, so that programs which refer to them load.

use crate::later::later;

later! {
    #[doc(hidden)]
    fn dnnl_threadpool_interop_stream_create();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_stream_get_threadpool();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_set_max_concurrency();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_get_max_concurrency();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_sgemm();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_gemm_u8s8s32();
    #[doc(hidden)]
    fn dnnl_threadpool_interop_gemm_s8s8s32();
    #[doc(hidden)]
    fn dnnl_sycl_interop_engine_create();
    #[doc(hidden)]
    fn dnnl_sycl_interop_engine_get_context();
    #[doc(hidden)]
    fn dnnl_sycl_interop_engine_get_device();
    #[doc(hidden)]
    fn dnnl_sycl_interop_memory_create();
    #[doc(hidden)]
    fn dnnl_sycl_interop_memory_create_v2();
    #[doc(hidden)]
    fn dnnl_sycl_interop_memory_get_memory_kind();
    #[doc(hidden)]
    fn dnnl_sycl_interop_memory_set_buffer();
    #[doc(hidden)]
    fn dnnl_sycl_interop_stream_create();
    #[doc(hidden)]
    fn dnnl_sycl_interop_stream_get_queue();
    #[doc(hidden)]
    fn dnnl_sycl_interop_primitive_execute();
    #[doc(hidden)]
    fn dnnl_graph_sycl_interop_allocator_create();
    #[doc(hidden)]
    fn dnnl_graph_sycl_interop_make_engine_with_allocator();
    #[doc(hidden)]
    fn dnnl_graph_sycl_interop_compiled_partition_execute();
    #[doc(hidden)]
    fn dnnl_graph_sycl_interop_compiled_partition_execute_v2();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_create();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_set_post_ops_args();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_set_A_scales();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_set_B_scales();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_set_D_scales();
    #[doc(hidden)]
    fn dnnl_ukernel_attr_params_destroy();
    #[doc(hidden)]
    fn dnnl_brgemm_create();
    #[doc(hidden)]
    fn dnnl_brgemm_set_add_C();
    #[doc(hidden)]
    fn dnnl_brgemm_set_post_ops();
    #[doc(hidden)]
    fn dnnl_brgemm_set_A_scales();
    #[doc(hidden)]
    fn dnnl_brgemm_set_B_scales();
    #[doc(hidden)]
    fn dnnl_brgemm_set_D_scales();
    #[doc(hidden)]
    fn dnnl_brgemm_finalize();
    #[doc(hidden)]
    fn dnnl_brgemm_get_B_pack_type();
    #[doc(hidden)]
    fn dnnl_brgemm_get_scratchpad_size();
    #[doc(hidden)]
    fn dnnl_brgemm_is_execute_postops_valid();
    #[doc(hidden)]
    fn dnnl_brgemm_set_hw_context();
    #[doc(hidden)]
    fn dnnl_brgemm_release_hw_context();
    #[doc(hidden)]
    fn dnnl_brgemm_generate();
    #[doc(hidden)]
    fn dnnl_brgemm_execute();
    #[doc(hidden)]
    fn dnnl_brgemm_execute_postops();
    #[doc(hidden)]
    fn dnnl_brgemm_destroy();
    #[doc(hidden)]
    fn dnnl_transform_create();
    #[doc(hidden)]
    fn dnnl_transform_generate();
    #[doc(hidden)]
    fn dnnl_transform_execute();
    #[doc(hidden)]
    fn dnnl_transform_destroy();
}
