//! The Graph API, which comes later.

use std::ffi::{c_int, c_void};

use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, Enum, Handle, Head, In, InDims, Items, Mut, Out, Parameter, Pointer, Text};
use crate::later::later;
use crate::stream::Stream;
use crate::vocabulary::*;

/// Objects that nobody can make yet, with the entry point that destroys them.
macro_rules! objects {
    ($($name:ident $tag:literal $text:literal $destroy:ident($parameter:ident);)+) => {
        $(
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name {
                head: Head,
            }

            // SAFETY: `repr(C)` and starts with a head for this type.
            unsafe impl Handle for $name {
                const TAG: Option<u32> = Some(u32::from_le_bytes(*$tag));
                const NAME: &'static str = $text;
                type Owner = Box<$name>;
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn $destroy($parameter: Mut<$name>) -> Status {
                status(|| $parameter.destroy())
            }
        )+
    };
}

objects! {
    GraphOp b"gop\0" "graph operation" dnnl_graph_op_destroy(op);
    GraphGraph b"grph" "graph" dnnl_graph_graph_destroy(graph);
    GraphPartition b"gprt" "graph partition" dnnl_graph_partition_destroy(partition);
    GraphCompiledPartition b"gcmp" "compiled partition" dnnl_graph_compiled_partition_destroy(compiled_partition);
    GraphTensor b"gten" "graph tensor" dnnl_graph_tensor_destroy(tensor);
    GraphAllocator b"gall" "graph allocator" dnnl_graph_allocator_destroy(allocator);
}

/// `dnnl_graph_logical_tensor_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphLogicalTensor {
    id: usize,
    ndims: c_int,
    dims: [i64; 12],
    data_type: c_int,
    property: c_int,
    layout_type: c_int,
    layout: [i64; 12],
}

/// `dnnl_graph_inplace_pair_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphInplacePair {
    input_id: usize,
    output_id: usize,
}

type HostAllocate = Option<extern "C" fn(size: usize, alignment: usize) -> *mut c_void>;
type HostDeallocate = Option<extern "C" fn(memory: *mut c_void)>;

impl<F> Parameter for Option<F> {}

later! {
    fn dnnl_graph_allocator_create(
        allocator: Out<Mut<GraphAllocator>>, host_malloc: HostAllocate,
        host_free: HostDeallocate,
    );
    fn dnnl_graph_make_engine_with_allocator(
        engine: Out<Mut<Engine>>, kind: Enum<EngineKind>, index: usize, alloc: Const<GraphAllocator>,
    );
    fn dnnl_graph_logical_tensor_init(
        logical_tensor: Out<GraphLogicalTensor>, tid: usize, dtype: Enum<DataType>, ndims: i32,
        ltype: Enum<GraphLayoutType>, ptype: Enum<GraphTensorProperty>,
    );
    fn dnnl_graph_logical_tensor_init_with_dims(
        logical_tensor: Out<GraphLogicalTensor>, tid: usize, dtype: Enum<DataType>, ndims: i32, dims: InDims,
        ltype: Enum<GraphLayoutType>, ptype: Enum<GraphTensorProperty>,
    );
    fn dnnl_graph_logical_tensor_init_with_strides(
        logical_tensor: Out<GraphLogicalTensor>, tid: usize, dtype: Enum<DataType>, ndims: i32, dims: InDims,
        strides: InDims, ptype: Enum<GraphTensorProperty>,
    );
    fn dnnl_graph_logical_tensor_get_mem_size(logical_tensor: In<GraphLogicalTensor>, size: Out<usize>);
    fn dnnl_graph_logical_tensor_is_equal(lt1: In<GraphLogicalTensor>, lt2: In<GraphLogicalTensor>, is_equal: Out<u8>);
    fn dnnl_graph_tensor_create(
        tensor: Out<Mut<GraphTensor>>, logical_tensor: In<GraphLogicalTensor>, engine: Mut<Engine>, handle: Pointer,
    );
    fn dnnl_graph_tensor_create_scalar(
        tensor: Out<Mut<GraphTensor>>, logical_tensor: In<GraphLogicalTensor>, handle: Pointer,
    );
    fn dnnl_graph_tensor_get_data_handle(tensor: Const<GraphTensor>, handle: Out<Pointer>);
    fn dnnl_graph_tensor_set_data_handle(tensor: Mut<GraphTensor>, handle: Pointer);
    fn dnnl_graph_tensor_get_engine(tensor: Const<GraphTensor>, engine: Out<Mut<Engine>>);
    fn dnnl_graph_tensor_get_logical_tensor(tensor: Const<GraphTensor>, logical_tensor: Out<GraphLogicalTensor>);
    fn dnnl_graph_op_create(op: Out<Mut<GraphOp>>, id: usize, kind: Enum<GraphOpKind>, verbose_name: Text);
    fn dnnl_graph_op_add_input(op: Mut<GraphOp>, input: In<GraphLogicalTensor>);
    fn dnnl_graph_op_add_output(op: Mut<GraphOp>, output: In<GraphLogicalTensor>);
    fn dnnl_graph_op_set_attr_f32(op: Mut<GraphOp>, name: Enum<GraphOpAttr>, value: In<f32>, value_len: usize);
    fn dnnl_graph_op_set_attr_bool(op: Mut<GraphOp>, name: Enum<GraphOpAttr>, value: In<u8>, value_len: usize);
    fn dnnl_graph_op_set_attr_s64(op: Mut<GraphOp>, name: Enum<GraphOpAttr>, value: In<i64>, value_len: usize);
    fn dnnl_graph_op_set_attr_str(op: Mut<GraphOp>, name: Enum<GraphOpAttr>, value: Text, value_len: usize);
    fn dnnl_graph_op_get_id(op: Const<GraphOp>, id: Out<usize>);
    fn dnnl_graph_op_get_kind(op: Const<GraphOp>, kind: Out<Enum<GraphOpKind>>);
    fn dnnl_graph_partition_create_with_op(
        partition: Out<Mut<GraphPartition>>, op: Const<GraphOp>, ekind: Enum<EngineKind>,
    );
    fn dnnl_graph_partition_get_op_num(partition: Const<GraphPartition>, num: Out<usize>);
    fn dnnl_graph_partition_get_ops(partition: Mut<GraphPartition>, num: usize, ids: Out<usize>);
    fn dnnl_graph_partition_get_id(partition: Const<GraphPartition>, id: Out<usize>);
    fn dnnl_graph_partition_compile(
        partition: Mut<GraphPartition>, compiled_partition: Mut<GraphCompiledPartition>, in_num: usize,
        inputs: In<In<GraphLogicalTensor>>, out_num: usize, outputs: In<In<GraphLogicalTensor>>, engine: Mut<Engine>,
    );
    fn dnnl_graph_partition_get_input_ports_num(partition: Const<GraphPartition>, num: Out<usize>);
    fn dnnl_graph_partition_get_input_ports(
        partition: Const<GraphPartition>, num: usize, inputs: Out<GraphLogicalTensor>,
    );
    fn dnnl_graph_partition_get_output_ports_num(partition: Const<GraphPartition>, num: Out<usize>);
    fn dnnl_graph_partition_get_output_ports(
        partition: Const<GraphPartition>, num: usize, outputs: Out<GraphLogicalTensor>,
    );
    fn dnnl_graph_partition_is_supported(partition: Const<GraphPartition>, is_supported: Out<u8>);
    fn dnnl_graph_partition_get_engine_kind(partition: Const<GraphPartition>, kind: Out<Enum<EngineKind>>);
    fn dnnl_graph_compiled_partition_create(
        compiled_partition: Out<Mut<GraphCompiledPartition>>, partition: Mut<GraphPartition>,
    );
    fn dnnl_graph_compiled_partition_execute(
        compiled_partition: Const<GraphCompiledPartition>, stream: Mut<Stream>, num_inputs: usize,
        inputs: Items<Const<GraphTensor>>, num_outputs: usize, outputs: Items<Const<GraphTensor>>,
    );
    fn dnnl_graph_compiled_partition_execute_v2(
        compiled_partition: Const<GraphCompiledPartition>, stream: Mut<Stream>, num_inputs: usize,
        inputs: Items<Const<GraphTensor>>, num_outputs: usize, outputs: Items<Const<GraphTensor>>,
        scratchpad: Const<GraphTensor>,
    );
    fn dnnl_graph_compiled_partition_query_logical_tensor(
        compiled_partition: Const<GraphCompiledPartition>, tid: usize, lt: Out<GraphLogicalTensor>,
    );
    fn dnnl_graph_compiled_partition_get_inplace_ports(
        compiled_partition: Const<GraphCompiledPartition>, num_inplace_pairs: Out<usize>,
        inplace_pairs: Out<In<GraphInplacePair>>,
    );
    fn dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        compiled_partition: Const<GraphCompiledPartition>, lt: Out<GraphLogicalTensor>,
    );
    fn dnnl_graph_graph_create(graph: Out<Mut<GraphGraph>>, engine_kind: Enum<EngineKind>);
    fn dnnl_graph_graph_create_with_fpmath_mode(
        graph: Out<Mut<GraphGraph>>, engine_kind: Enum<EngineKind>, mode: Enum<FpmathMode>,
    );
    fn dnnl_graph_graph_set_fpmath_mode(graph: Mut<GraphGraph>, mode: Enum<FpmathMode>, apply_to_int: c_int);
    fn dnnl_graph_graph_get_fpmath_mode(graph: Mut<GraphGraph>, mode: Out<Enum<FpmathMode>>, apply_to_int: Out<c_int>);
    fn dnnl_graph_add_op(graph: Mut<GraphGraph>, op: Mut<GraphOp>);
    fn dnnl_graph_graph_finalize(graph: Mut<GraphGraph>);
    fn dnnl_graph_graph_is_finalized(graph: Mut<GraphGraph>, finalized: Out<u8>);
    fn dnnl_graph_graph_filter(graph: Mut<GraphGraph>, policy: Enum<GraphPartitionPolicy>);
    fn dnnl_graph_graph_get_partition_num(graph: Const<GraphGraph>, num: Out<usize>);
    fn dnnl_graph_graph_get_partitions(graph: Mut<GraphGraph>, num: usize, partitions: Out<Mut<GraphPartition>>);
    fn dnnl_graph_get_compiled_partition_cache_capacity(capacity: Out<c_int>);
    fn dnnl_graph_set_compiled_partition_cache_capacity(capacity: c_int);
    fn dnnl_graph_set_constant_tensor_cache(flag: c_int);
    fn dnnl_graph_get_constant_tensor_cache(flag: Out<c_int>);
    fn dnnl_graph_set_constant_tensor_cache_capacity(eng_kind: Enum<EngineKind>, size: usize);
    fn dnnl_graph_get_constant_tensor_cache_capacity(eng_kind: Enum<EngineKind>, size: Out<usize>);
    fn dnnl_graph_set_dump_mode(modes: Enum<GraphDumpMode>);
}
