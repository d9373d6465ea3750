//! The C functions of one library, loaded from a file.
//!
//! Only the functions that are called, in one list. Two libraries of the same soname can be loaded side by side: nothing here is
//! linked, and symbols stay local to the handle they came from.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{c_int, c_uint, c_void};
use std::path::Path;

/// Any handle of the C API.
pub type Handle = *mut c_void;
/// A constant handle of the C API.
pub type ConstHandle = *const c_void;

/// One argument of `dnnl_primitive_execute`.
#[repr(C)]
pub struct ExecArg {
    /// The argument's index.
    pub index: c_int,
    /// Its memory.
    pub memory: Handle,
}

/// The dimension value that is only known when a primitive runs.
pub const RUNTIME_DIM: i64 = i64::MIN;
/// The format tag that leaves the choice to the primitive.
pub const TAG_ANY: c_int = 1;
/// The format kind of strided and blocked layouts.
pub const FORMAT_KIND_BLOCKED: c_int = 2;
/// The handle that asks for an allocation.
pub const ALLOCATE: Handle = usize::MAX as Handle;

/// What a query asks for.
#[allow(missing_docs)]
pub mod query {
    pub const IMPL_INFO: i32 = 8;
    pub const STRIDES: i32 = 14;
    pub const WORKSPACE_MD: i32 = 135;
    pub const SCRATCHPAD_MD: i32 = 136;
    pub const EXEC_ARG_MD: i32 = 255;
    pub const NDIMS: i32 = 256;
    pub const DIMS: i32 = 257;
    pub const PADDED_DIMS: i32 = 260;
    pub const FORMAT_KIND: i32 = 262;
    pub const INNER_NBLKS: i32 = 263;
    pub const INNER_BLKS: i32 = 264;
    pub const INNER_IDXS: i32 = 265;
}

/// Indices of execution arguments.
#[allow(missing_docs)]
pub mod arg {
    pub const SRC: i32 = 1;
    pub const SRC_1: i32 = 2;
    pub const SRC_2: i32 = 3;
    pub const SRC_3: i32 = 4;
    pub const DST: i32 = 17;
    pub const DST_1: i32 = 18;
    pub const DST_2: i32 = 19;
    pub const WEIGHTS: i32 = 33;
    pub const WEIGHTS_1: i32 = 34;
    pub const WEIGHTS_2: i32 = 35;
    pub const WEIGHTS_3: i32 = 36;
    pub const BIAS: i32 = 41;
    pub const MEAN: i32 = 49;
    pub const VARIANCE: i32 = 50;
    pub const SCALE: i32 = 51;
    pub const SHIFT: i32 = 52;
    pub const WORKSPACE: i32 = 64;
    pub const SCRATCHPAD: i32 = 80;
    pub const DIFF_SRC: i32 = 129;
    pub const DIFF_SRC_1: i32 = 130;
    pub const DIFF_SRC_2: i32 = 131;
    pub const DIFF_SRC_3: i32 = 132;
    pub const DIFF_DST: i32 = 145;
    pub const DIFF_DST_1: i32 = 146;
    pub const DIFF_DST_2: i32 = 147;
    pub const DIFF_WEIGHTS: i32 = 161;
    pub const DIFF_WEIGHTS_1: i32 = 162;
    pub const DIFF_WEIGHTS_2: i32 = 163;
    pub const DIFF_WEIGHTS_3: i32 = 164;
    pub const DIFF_BIAS: i32 = 169;
    pub const DIFF_SCALE: i32 = 255;
    pub const DIFF_SHIFT: i32 = 256;
    pub const DROPOUT_OFFSET: i32 = 507;
    pub const ROUNDING_SEED: i32 = 508;
    pub const DROPOUT_MASK: i32 = 509;
    pub const DROPOUT_PROBABILITY: i32 = 510;
    pub const DROPOUT_SEED: i32 = 511;
    pub const MULTIPLE_SRC: i32 = 1024;
    pub const SCALES: i32 = 4096;
    pub const ZERO_POINTS: i32 = 8192;
    pub const DEPTHWISE: i32 = 16384;

    /// The base index of the arguments of post-op number `index`.
    pub fn post_op(index: usize) -> i32 {
        32768 * (index as i32 + 1)
    }
}

/// Creates attention, which only some libraries have a function for.
pub type CreateAttention = unsafe extern "C" fn(
    pd: *mut Handle,
    engine: Handle,
    query: ConstHandle,
    key: ConstHandle,
    value: ConstHandle,
    dst: ConstHandle,
    mask: ConstHandle,
    scale: ConstHandle,
    invert_scale: c_int,
    mask_type: c_int,
    inf_as_zero: c_int,
    attr: ConstHandle,
) -> c_int;

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        /// Function pointers into one library.
        #[allow(missing_docs)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument: $type),*) -> $result,)+
            pub sdpa_primitive_desc_create: Option<CreateAttention>,
            // Dropped last: the pointers above are valid while it is loaded.
            _library: Library,
        }

        impl Api {
            /// Loads a library and finds every function in it.
            pub fn load(path: &Path) -> Result<Api, String> {
                // SAFETY: loading runs the library's initialisers; both libraries are made to be loaded this way.
                let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
                    .map_err(|error| {
                        let cause = std::error::Error::source(&error).map_or(String::new(), |cause| format!(": {cause}"));
                        format!("cannot load {}: {error}{cause}", path.display())
                    })?;
                Ok(Api {
                    $($name: {
                        // SAFETY: the signature is the one the API's header declares for this name.
                        let symbol = unsafe {
                            library.get::<unsafe extern "C" fn($($type),*) -> $result>(
                                concat!("dnnl_", stringify!($name), "\0").as_bytes())
                        };
                        *symbol.map_err(|_| format!("{} has no dnnl_{}", path.display(), stringify!($name)))?
                    },)+
                    sdpa_primitive_desc_create: {
                        // SAFETY: the signature is the one the header declares for this name.
                        let symbol = unsafe { library.get::<CreateAttention>(b"oxidnn_sdpa_primitive_desc_create\0") };
                        symbol.ok().map(|symbol| *symbol)
                    },
                    _library: library,
                })
            }
        }
    };
}

functions! {
    engine_get_count(kind: c_int) -> usize;
    engine_create(engine: *mut Handle, kind: c_int, index: usize) -> c_int;
    engine_destroy(engine: Handle) -> c_int;
    stream_create(stream: *mut Handle, engine: Handle, flags: c_uint) -> c_int;
    stream_wait(stream: Handle) -> c_int;
    stream_destroy(stream: Handle) -> c_int;

    memory_desc_create_with_tag(md: *mut Handle, ndims: c_int, dims: *const i64, dt: c_int, tag: c_int) -> c_int;
    memory_desc_create_with_strides(md: *mut Handle, ndims: c_int, dims: *const i64, dt: c_int, strides: *const i64) -> c_int;
    memory_desc_create_host_scalar(md: *mut Handle, dt: c_int) -> c_int;
    memory_desc_destroy(md: Handle) -> c_int;
    memory_desc_query(md: ConstHandle, what: c_int, result: Handle) -> c_int;
    memory_desc_equal(left: ConstHandle, right: ConstHandle) -> c_int;
    memory_desc_get_size(md: ConstHandle) -> usize;

    memory_create(memory: *mut Handle, md: ConstHandle, engine: Handle, handle: Handle) -> c_int;
    memory_create_host_scalar(memory: *mut Handle, md: ConstHandle, value: Handle) -> c_int;
    memory_get_data_handle(memory: ConstHandle, handle: *mut Handle) -> c_int;
    memory_map_data(memory: ConstHandle, pointer: *mut Handle) -> c_int;
    memory_unmap_data(memory: ConstHandle, pointer: Handle) -> c_int;
    memory_destroy(memory: Handle) -> c_int;
    ocl_interop_engine_get_context(engine: Handle, context: *mut Handle) -> c_int;
    ocl_interop_get_device(engine: Handle, device: *mut Handle) -> c_int;
    ocl_interop_memory_create(memory: *mut Handle, md: ConstHandle, engine: Handle, kind: c_int, handle: Handle) -> c_int;
    ocl_interop_memory_get_memory_kind(memory: ConstHandle, kind: *mut c_int) -> c_int;

    primitive_attr_create(attr: *mut Handle) -> c_int;
    primitive_attr_destroy(attr: Handle) -> c_int;
    primitive_attr_set_scales_v2(attr: Handle, arg: c_int, mask: c_int, ndims: c_int, groups: *const i64, dt: c_int, on_host: c_int) -> c_int;
    primitive_attr_set_zero_points_v2(attr: Handle, arg: c_int, mask: c_int, ndims: c_int, groups: *const i64, dt: c_int, on_host: c_int) -> c_int;
    primitive_attr_set_fpmath_mode_v2(attr: Handle, mode: c_int, apply_to_int: c_int) -> c_int;
    primitive_attr_set_scratchpad_mode(attr: Handle, mode: c_int) -> c_int;
    primitive_attr_set_deterministic(attr: Handle, value: c_int) -> c_int;
    primitive_attr_set_rounding(attr: Handle, arg: c_int, mode: c_int) -> c_int;
    primitive_attr_set_dropout_v2(attr: Handle, mask: ConstHandle, seed_dt: c_int, use_offset: c_int, host: c_int) -> c_int;
    primitive_attr_set_rnn_data_qparams(attr: Handle, scale: f32, shift: f32) -> c_int;
    primitive_attr_set_rnn_weights_qparams(attr: Handle, count: i64, mask: c_int, scales: *const f32) -> c_int;
    primitive_attr_set_rnn_weights_projection_qparams(attr: Handle, count: i64, mask: c_int, scales: *const f32) -> c_int;
    primitive_attr_set_post_ops(attr: Handle, post_ops: ConstHandle) -> c_int;
    post_ops_create(post_ops: *mut Handle) -> c_int;
    post_ops_destroy(post_ops: Handle) -> c_int;
    post_ops_append_sum(post_ops: Handle, scale: f32, zero_point: i32, dt: c_int) -> c_int;
    post_ops_append_eltwise(post_ops: Handle, algorithm: c_int, alpha: f32, beta: f32) -> c_int;
    post_ops_append_binary_v2(post_ops: Handle, algorithm: c_int, src1: ConstHandle, src2: ConstHandle) -> c_int;
    post_ops_append_prelu(post_ops: Handle, mask: c_int) -> c_int;
    post_ops_append_dw(post_ops: Handle, weights_dt: c_int, bias_dt: c_int, dst_dt: c_int, kernel: i64, stride: i64, padding: i64) -> c_int;

    reorder_primitive_desc_create(pd: *mut Handle, src: ConstHandle, src_engine: Handle, dst: ConstHandle, dst_engine: Handle, attr: ConstHandle) -> c_int;
    eltwise_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, dst: ConstHandle, alpha: f32, beta: f32, attr: ConstHandle) -> c_int;
    eltwise_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, data: ConstHandle, alpha: f32, beta: f32, hint: ConstHandle, attr: ConstHandle) -> c_int;
    binary_primitive_desc_create_v2(pd: *mut Handle, engine: Handle, algorithm: c_int, src0: ConstHandle, src1: ConstHandle, src2: ConstHandle, dst: ConstHandle, attr: ConstHandle) -> c_int;
    sum_primitive_desc_create(pd: *mut Handle, engine: Handle, dst: ConstHandle, n: c_int, scales: *const f32, srcs: *const ConstHandle, attr: ConstHandle) -> c_int;
    concat_primitive_desc_create(pd: *mut Handle, engine: Handle, dst: ConstHandle, n: c_int, axis: c_int, srcs: *const ConstHandle, attr: ConstHandle) -> c_int;
    matmul_primitive_desc_create(pd: *mut Handle, engine: Handle, src: ConstHandle, weights: ConstHandle, bias: ConstHandle, dst: ConstHandle, attr: ConstHandle) -> c_int;
    convolution_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, weights: ConstHandle, bias: ConstHandle, dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, attr: ConstHandle) -> c_int;
    convolution_backward_data_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, weights: ConstHandle, diff_dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, hint: ConstHandle, attr: ConstHandle) -> c_int;
    convolution_backward_weights_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, src: ConstHandle, diff_weights: ConstHandle, diff_bias: ConstHandle, diff_dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, hint: ConstHandle, attr: ConstHandle) -> c_int;
    deconvolution_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, weights: ConstHandle, bias: ConstHandle, dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, attr: ConstHandle) -> c_int;
    deconvolution_backward_data_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, weights: ConstHandle, diff_dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, hint: ConstHandle, attr: ConstHandle) -> c_int;
    deconvolution_backward_weights_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, src: ConstHandle, diff_weights: ConstHandle, diff_bias: ConstHandle, diff_dst: ConstHandle, strides: *const i64, dilates: *const i64, padding_l: *const i64, padding_r: *const i64, hint: ConstHandle, attr: ConstHandle) -> c_int;

    inner_product_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, weights: ConstHandle, bias: ConstHandle, dst: ConstHandle, attr: ConstHandle) -> c_int;
    inner_product_backward_data_primitive_desc_create(pd: *mut Handle, engine: Handle, diff_src: ConstHandle, weights: ConstHandle, diff_dst: ConstHandle, hint: ConstHandle, attr: ConstHandle) -> c_int;
    inner_product_backward_weights_primitive_desc_create(pd: *mut Handle, engine: Handle, src: ConstHandle, diff_weights: ConstHandle, diff_bias: ConstHandle, diff_dst: ConstHandle, hint: ConstHandle, attr: ConstHandle) -> c_int;
    softmax_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, dst: ConstHandle, axis: c_int, attr: ConstHandle) -> c_int;
    softmax_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, dst: ConstHandle, axis: c_int, hint: ConstHandle, attr: ConstHandle) -> c_int;
    batch_normalization_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, dst: ConstHandle, epsilon: f32, flags: c_uint, attr: ConstHandle) -> c_int;
    batch_normalization_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, src: ConstHandle, epsilon: f32, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    group_normalization_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, dst: ConstHandle, groups: i64, epsilon: f32, flags: c_uint, attr: ConstHandle) -> c_int;
    group_normalization_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, src: ConstHandle, groups: i64, epsilon: f32, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    layer_normalization_forward_primitive_desc_create_v2(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, dst: ConstHandle, stat: ConstHandle, scale_dt: c_int, epsilon: f32, flags: c_uint, attr: ConstHandle) -> c_int;
    layer_normalization_backward_primitive_desc_create_v2(pd: *mut Handle, engine: Handle, prop: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, src: ConstHandle, stat: ConstHandle, diff_scale_dt: c_int, scale_dt: c_int, epsilon: f32, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    pooling_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, dst: ConstHandle, strides: *const i64, kernel: *const i64, dilation: *const i64, padding_l: *const i64, padding_r: *const i64, attr: ConstHandle) -> c_int;
    pooling_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, strides: *const i64, kernel: *const i64, dilation: *const i64, padding_l: *const i64, padding_r: *const i64, hint: ConstHandle, attr: ConstHandle) -> c_int;
    resampling_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, factors: *const f32, src: ConstHandle, dst: ConstHandle, attr: ConstHandle) -> c_int;
    resampling_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, factors: *const f32, diff_src: ConstHandle, diff_dst: ConstHandle, hint: ConstHandle, attr: ConstHandle) -> c_int;
    reduction_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, src: ConstHandle, dst: ConstHandle, p: f32, eps: f32, attr: ConstHandle) -> c_int;
    shuffle_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, dst: ConstHandle, axis: c_int, group: i64, attr: ConstHandle) -> c_int;
    shuffle_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, diff_src: ConstHandle, diff_dst: ConstHandle, axis: c_int, group: i64, hint: ConstHandle, attr: ConstHandle) -> c_int;
    prelu_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, src: ConstHandle, weights: ConstHandle, dst: ConstHandle, attr: ConstHandle) -> c_int;
    prelu_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, src: ConstHandle, weights: ConstHandle, diff_src: ConstHandle, diff_weights: ConstHandle, diff_dst: ConstHandle, hint: ConstHandle, attr: ConstHandle) -> c_int;
    lrn_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, algorithm: c_int, src: ConstHandle, dst: ConstHandle, local_size: i64, alpha: f32, beta: f32, k: f32, attr: ConstHandle) -> c_int;
    lrn_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, algorithm: c_int, diff_src: ConstHandle, diff_dst: ConstHandle, src: ConstHandle, local_size: i64, alpha: f32, beta: f32, k: f32, hint: ConstHandle, attr: ConstHandle) -> c_int;
    vanilla_rnn_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, activation: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, flags: c_uint, alpha: f32, beta: f32, attr: ConstHandle) -> c_int;
    vanilla_rnn_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, activation: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, flags: c_uint, alpha: f32, beta: f32, hint: ConstHandle, attr: ConstHandle) -> c_int;
    lstm_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, src_iter_c: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, weights_peephole: ConstHandle, weights_projection: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, dst_iter_c: ConstHandle, flags: c_uint, attr: ConstHandle) -> c_int;
    lstm_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, src_iter_c: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, weights_peephole: ConstHandle, weights_projection: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, dst_iter_c: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_src_iter_c: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_weights_peephole: ConstHandle, diff_weights_projection: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, diff_dst_iter_c: ConstHandle, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    gru_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, flags: c_uint, attr: ConstHandle) -> c_int;
    gru_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    lbr_gru_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, flags: c_uint, attr: ConstHandle) -> c_int;
    lbr_gru_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    augru_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, attention: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, flags: c_uint, attr: ConstHandle) -> c_int;
    augru_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, attention: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_attention: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;
    lbr_augru_forward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, attention: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, flags: c_uint, attr: ConstHandle) -> c_int;
    lbr_augru_backward_primitive_desc_create(pd: *mut Handle, engine: Handle, prop: c_int, direction: c_int, src_layer: ConstHandle, src_iter: ConstHandle, attention: ConstHandle, weights_layer: ConstHandle, weights_iter: ConstHandle, bias: ConstHandle, dst_layer: ConstHandle, dst_iter: ConstHandle, diff_src_layer: ConstHandle, diff_src_iter: ConstHandle, diff_attention: ConstHandle, diff_weights_layer: ConstHandle, diff_weights_iter: ConstHandle, diff_bias: ConstHandle, diff_dst_layer: ConstHandle, diff_dst_iter: ConstHandle, flags: c_uint, hint: ConstHandle, attr: ConstHandle) -> c_int;

    primitive_desc_query(pd: ConstHandle, what: c_int, index: c_int, result: Handle) -> c_int;
    primitive_desc_query_md(pd: ConstHandle, what: c_int, index: c_int) -> ConstHandle;
    primitive_desc_destroy(pd: Handle) -> c_int;
    primitive_create(primitive: *mut Handle, pd: ConstHandle) -> c_int;
    primitive_execute(primitive: ConstHandle, stream: Handle, nargs: c_int, args: *const ExecArg) -> c_int;
    primitive_destroy(primitive: Handle) -> c_int;
}

/// The name of a status code.
pub fn status_name(status: i32) -> &'static str {
    match status {
        0 => "success",
        1 => "out_of_memory",
        2 => "invalid_arguments",
        3 => "unimplemented",
        4 => "last_impl_reached",
        5 => "runtime_error",
        6 => "not_required",
        _ => "unknown status",
    }
}
