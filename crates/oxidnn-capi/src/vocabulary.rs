//! The library's enumerations as C passes them.

use std::ffi::c_int;

use oxidnn::desc;

use crate::handle::Vocabulary;

macro_rules! vocabularies {
    ($($name:ident $text:literal,)+) => {
        $(
            pub use desc::$name;

            impl Vocabulary for $name {
                const NAME: &'static str = $text;

                fn from_c(value: c_int) -> Option<Self> {
                    $name::from_c(value)
                }

                fn to_c(self) -> c_int {
                    self as c_int
                }

                fn name(self) -> &'static str {
                    $name::name(self)
                }
            }
        )+
    };
}

vocabularies! {
    DataType "data type",
    FpmathMode "floating-point math mode",
    AccumulationMode "accumulation mode",
    EngineKind "engine kind",
    FormatKind "format kind",
    SparseEncoding "sparse encoding",
    PropKind "propagation kind",
    PrimitiveKind "primitive kind",
    AlgKind "algorithm",
    ScratchpadMode "scratchpad mode",
    RoundingMode "rounding mode",
    QuantizationMode "quantization mode",
    RnnDirection "direction of a recurrent network",
}

pub use desc::FormatTag;

impl Vocabulary for FormatTag {
    const NAME: &'static str = "format tag";

    fn from_c(value: c_int) -> Option<Self> {
        FormatTag::from_c(value)
    }

    fn to_c(self) -> c_int {
        FormatTag::to_c(self)
    }

    fn name(self) -> &'static str {
        FormatTag::name(self)
    }
}

/// Enumerations that entry points take but the library does not use yet.
macro_rules! placeholders {
    ($($(#[$meta:meta])* $name:ident,)+) => {
        $(
            $(#[$meta])*
            pub enum $name {}
        )+
    };
}

placeholders! {
    /// `dnnl_rnn_flags_t`
    RnnFlags,
    /// `dnnl_cpu_isa_t`
    CpuIsa,
    /// `dnnl_cpu_isa_hints_t`
    CpuIsaHints,
    /// `dnnl_profiling_data_kind_t`
    ProfilingDataKind,
    /// `dnnl_graph_layout_type_t`
    GraphLayoutType,
    /// `dnnl_graph_tensor_property_t`
    GraphTensorProperty,
    /// `dnnl_graph_partition_policy_t`
    GraphPartitionPolicy,
    /// `dnnl_graph_op_kind_t`
    GraphOpKind,
    /// `dnnl_graph_op_attr_t`
    GraphOpAttr,
    /// `dnnl_graph_dump_mode_t`
    GraphDumpMode,
}

/// Declares an enumeration that only the C API has.
macro_rules! c_vocabulary {
    ($(#[$meta:meta])* $name:ident $text:literal { $($variant:ident = $value:literal $c_name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name { $(#[doc = $c_name] $variant = $value,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];
        }

        impl Vocabulary for $name {
            const NAME: &'static str = $text;

            fn from_c(value: c_int) -> Option<Self> {
                match value { $($value => Some($name::$variant),)+ _ => None }
            }

            fn to_c(self) -> c_int {
                self as c_int
            }

            fn name(self) -> &'static str {
                match self { $($name::$variant => $c_name,)+ }
            }
        }
    };
}

c_vocabulary! {
    /// What can be asked of a primitive descriptor or a memory descriptor.
    Query "query" {
        Undef = 0 "undef", Engine = 1 "engine", PrimitiveKind = 2 "primitive_kind", NumInputs = 3 "num_of_inputs_s32",
        NumOutputs = 4 "num_of_outputs_s32", TimeEstimate = 5 "time_estimate_f64",
        MemoryConsumption = 6 "memory_consumption_s64", ScratchpadEngine = 7 "scratchpad_engine",
        ImplInfo = 8 "impl_info_str", ReorderSrcEngine = 9 "reorder_src_engine",
        ReorderDstEngine = 10 "reorder_dst_engine", PropKind = 11 "prop_kind",
        CacheBlobIdSize = 12 "cache_blob_id_size_s64", CacheBlobId = 13 "cache_blob_id", Strides = 14 "strides",
        Dilations = 15 "dilations", PaddingL = 16 "padding_l", PaddingR = 17 "padding_r", Epsilon = 18 "epsilon_f32",
        Flags = 19 "flags", AlgKind = 20 "alg_kind", Alpha = 21 "alpha_f32", Beta = 22 "beta_f32", Axis = 23 "axis_s32",
        LocalSize = 24 "local_size_s64", K = 25 "k_f32", P = 26 "p_f32", Factors = 27 "factors",
        CellKind = 28 "cell_kind", Direction = 29 "direction", ActivationKind = 30 "activation_kind",
        Kernel = 31 "kernel", GroupSize = 32 "group_size_s64",
        SomeMd = 128 "some_md", SrcMd = 129 "src_md", DiffSrcMd = 130 "diff_src_md", WeightsMd = 131 "weights_md",
        DiffWeightsMd = 132 "diff_weights_md", DstMd = 133 "dst_md", DiffDstMd = 134 "diff_dst_md",
        WorkspaceMd = 135 "workspace_md", ScratchpadMd = 136 "scratchpad_md", ExecArgMd = 255 "exec_arg_md",
        Ndims = 256 "ndims_s32", Dims = 257 "dims", DataType = 258 "data_type",
        SubmemoryOffset = 259 "submemory_offset_s64", PaddedDims = 260 "padded_dims",
        PaddedOffsets = 261 "padded_offsets", FormatKind = 262 "format_kind", InnerNblks = 263 "inner_nblks_s32",
        InnerBlks = 264 "inner_blks", InnerIdxs = 265 "inner_idxs", SparseEncoding = 266 "sparse_encoding",
        Nnz = 267 "nnz_s64", NumHandles = 268 "num_handles_s32",
    }
}

c_vocabulary! {
    /// What the buffers of a memory on an OpenCL engine are.
    OclInteropMemoryKind "memory kind" { Usm = 0 "usm", Buffer = 1 "buffer", }
}
