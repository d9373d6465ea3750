//! The Graph API in the caller's own OpenCL objects, which comes later.

use std::ffi::{c_int, c_void};

use crate::engine::Engine;
use crate::graph::{GraphAllocator, GraphCompiledPartition, GraphTensor};
use crate::handle::{Const, In, Items, Mut, Opt, Out};
use crate::later::later;
use crate::ocl::{cl_context, cl_device_id, cl_event};
use crate::stream::Stream;

type OclAllocate =
    Option<extern "C" fn(size: usize, alignment: usize, device: cl_device_id, context: cl_context) -> *mut c_void>;
type OclDeallocate =
    Option<extern "C" fn(memory: *mut c_void, device: cl_device_id, context: cl_context, event: cl_event)>;

later! {
    fn dnnl_graph_ocl_interop_allocator_create(
        allocator: Out<Mut<GraphAllocator>>, ocl_malloc: OclAllocate,
        ocl_free: OclDeallocate,
    );
    fn dnnl_graph_ocl_interop_make_engine_with_allocator(
        engine: Out<Mut<Engine>>, device: cl_device_id, context: cl_context, alloc: Const<GraphAllocator>,
    );
    fn dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(
        engine: Out<Mut<Engine>>, device: cl_device_id, context: cl_context, alloc: Const<GraphAllocator>, size: usize,
        cache_blob: In<u8>,
    );
    fn dnnl_graph_ocl_interop_compiled_partition_execute(
        compiled_partition: Const<GraphCompiledPartition>, stream: Mut<Stream>, num_inputs: usize,
        inputs: Items<Const<GraphTensor>>, num_outputs: usize, outputs: Items<Const<GraphTensor>>, deps: Opt<In<cl_event>>,
        ndeps: c_int, return_event: Opt<Out<cl_event>>,
    );
    fn dnnl_graph_ocl_interop_compiled_partition_execute_v2(
        compiled_partition: Const<GraphCompiledPartition>, stream: Mut<Stream>, num_inputs: usize,
        inputs: Items<Const<GraphTensor>>, num_outputs: usize, outputs: Items<Const<GraphTensor>>,
        scratchpad: Const<GraphTensor>, deps: Opt<In<cl_event>>, ndeps: c_int, return_event: Opt<Out<cl_event>>,
    );
}
