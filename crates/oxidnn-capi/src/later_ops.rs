//! Operations whose primitives come later.

use std::ffi::{c_char, c_uint};

use crate::attr::Attr;
use crate::engine::Engine;
use crate::handle::{Const, Dim, Enum, In, Mut, Opt, Out};
use crate::later::later;
use crate::memory_desc::MemoryDesc;
use crate::primitive_desc::PrimitiveDesc;
use crate::vocabulary::{AlgKind, PropKind, RnnDirection};

later! {
    /// Creates a primitive descriptor of vanilla RNN.
    fn dnnl_vanilla_rnn_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        activation: Enum<AlgKind>, direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>,
        src_iter_desc: Opt<Const<MemoryDesc>>, weights_layer_desc: Const<MemoryDesc>,
        weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>,
        dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, alpha: f32, beta: f32, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of vanilla RNN.
    fn dnnl_vanilla_rnn_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        activation: Enum<AlgKind>, direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>,
        src_iter_desc: Opt<Const<MemoryDesc>>, weights_layer_desc: Const<MemoryDesc>,
        weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>,
        dst_iter_desc: Opt<Const<MemoryDesc>>, diff_src_layer_desc: Const<MemoryDesc>,
        diff_src_iter_desc: Opt<Const<MemoryDesc>>, diff_weights_layer_desc: Const<MemoryDesc>,
        diff_weights_iter_desc: Const<MemoryDesc>, diff_bias_desc: Opt<Const<MemoryDesc>>,
        diff_dst_layer_desc: Const<MemoryDesc>, diff_dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, alpha: f32,
        beta: f32, hint_fwd_pd: Opt<Const<PrimitiveDesc>>, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of LSTM.
    fn dnnl_lstm_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        src_iter_c_desc: Opt<Const<MemoryDesc>>, weights_layer_desc: Const<MemoryDesc>,
        weights_iter_desc: Const<MemoryDesc>, weights_peephole_desc: Opt<Const<MemoryDesc>>,
        weights_projection_desc: Opt<Const<MemoryDesc>>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        dst_iter_c_desc: Opt<Const<MemoryDesc>>, flags: c_uint, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of LSTM.
    fn dnnl_lstm_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        src_iter_c_desc: Opt<Const<MemoryDesc>>, weights_layer_desc: Const<MemoryDesc>,
        weights_iter_desc: Const<MemoryDesc>, weights_peephole_desc: Opt<Const<MemoryDesc>>,
        weights_projection_desc: Opt<Const<MemoryDesc>>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        dst_iter_c_desc: Opt<Const<MemoryDesc>>, diff_src_layer_desc: Const<MemoryDesc>,
        diff_src_iter_desc: Opt<Const<MemoryDesc>>, diff_src_iter_c_desc: Opt<Const<MemoryDesc>>,
        diff_weights_layer_desc: Const<MemoryDesc>, diff_weights_iter_desc: Const<MemoryDesc>,
        diff_weights_peephole_desc: Opt<Const<MemoryDesc>>, diff_weights_projection_desc: Opt<Const<MemoryDesc>>,
        diff_bias_desc: Opt<Const<MemoryDesc>>, diff_dst_layer_desc: Const<MemoryDesc>,
        diff_dst_iter_desc: Opt<Const<MemoryDesc>>, diff_dst_iter_c_desc: Opt<Const<MemoryDesc>>, flags: c_uint,
        hint_fwd_pd: Opt<Const<PrimitiveDesc>>, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of GRU.
    fn dnnl_gru_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of GRU.
    fn dnnl_gru_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        diff_src_layer_desc: Const<MemoryDesc>, diff_src_iter_desc: Opt<Const<MemoryDesc>>,
        diff_weights_layer_desc: Const<MemoryDesc>, diff_weights_iter_desc: Const<MemoryDesc>,
        diff_bias_desc: Opt<Const<MemoryDesc>>, diff_dst_layer_desc: Const<MemoryDesc>,
        diff_dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
        attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of linear-before-reset GRU.
    fn dnnl_lbr_gru_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of linear-before-reset GRU.
    fn dnnl_lbr_gru_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>, bias_desc: Opt<Const<MemoryDesc>>,
        dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        diff_src_layer_desc: Const<MemoryDesc>, diff_src_iter_desc: Opt<Const<MemoryDesc>>,
        diff_weights_layer_desc: Const<MemoryDesc>, diff_weights_iter_desc: Const<MemoryDesc>,
        diff_bias_desc: Opt<Const<MemoryDesc>>, diff_dst_layer_desc: Const<MemoryDesc>,
        diff_dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint, hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
        attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of attentional GRU.
    fn dnnl_augru_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        attention_desc: Const<MemoryDesc>, weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>,
        bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        flags: c_uint, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of attentional GRU.
    fn dnnl_augru_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        attention_desc: Const<MemoryDesc>, weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>,
        bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        diff_src_layer_desc: Const<MemoryDesc>, diff_src_iter_desc: Opt<Const<MemoryDesc>>,
        diff_attention_desc: Const<MemoryDesc>, diff_weights_layer_desc: Const<MemoryDesc>,
        diff_weights_iter_desc: Const<MemoryDesc>, diff_bias_desc: Opt<Const<MemoryDesc>>,
        diff_dst_layer_desc: Const<MemoryDesc>, diff_dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint,
        hint_fwd_pd: Opt<Const<PrimitiveDesc>>, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of linear-before-reset attentional GRU.
    fn dnnl_lbr_augru_forward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        attention_desc: Const<MemoryDesc>, weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>,
        bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        flags: c_uint, attr: Opt<Const<Attr>>,
    );

    /// Creates a primitive descriptor of the gradient of linear-before-reset attentional GRU.
    fn dnnl_lbr_augru_backward_primitive_desc_create(
        primitive_desc: Out<Mut<PrimitiveDesc>>, engine: Mut<Engine>, prop_kind: Enum<PropKind>,
        direction: Enum<RnnDirection>, src_layer_desc: Const<MemoryDesc>, src_iter_desc: Opt<Const<MemoryDesc>>,
        attention_desc: Const<MemoryDesc>, weights_layer_desc: Const<MemoryDesc>, weights_iter_desc: Const<MemoryDesc>,
        bias_desc: Opt<Const<MemoryDesc>>, dst_layer_desc: Const<MemoryDesc>, dst_iter_desc: Opt<Const<MemoryDesc>>,
        diff_src_layer_desc: Const<MemoryDesc>, diff_src_iter_desc: Opt<Const<MemoryDesc>>,
        diff_attention_desc: Const<MemoryDesc>, diff_weights_layer_desc: Const<MemoryDesc>,
        diff_weights_iter_desc: Const<MemoryDesc>, diff_bias_desc: Opt<Const<MemoryDesc>>,
        diff_dst_layer_desc: Const<MemoryDesc>, diff_dst_iter_desc: Opt<Const<MemoryDesc>>, flags: c_uint,
        hint_fwd_pd: Opt<Const<PrimitiveDesc>>, attr: Opt<Const<Attr>>,
    );

    /// Multiplies f32 matrices on the CPU, row-major: `C = alpha * op(A) * op(B) + beta * C`.
    fn dnnl_sgemm(
        transa: c_char, transb: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<f32>, lda: Dim, b: In<f32>, ldb: Dim,
        beta: f32, c: Out<f32>, ldc: Dim,
    );

    /// Multiplies u8 by s8 matrices on the CPU, row-major, with offsets.
    fn dnnl_gemm_u8s8s32(
        transa: c_char, transb: c_char, offsetc: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<u8>, lda: Dim,
        ao: u8, b: In<i8>, ldb: Dim, bo: i8, beta: f32, c: Out<i32>, ldc: Dim, co: In<i32>,
    );

    /// Multiplies s8 by s8 matrices on the CPU, row-major, with offsets.
    fn dnnl_gemm_s8s8s32(
        transa: c_char, transb: c_char, offsetc: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<i8>, lda: Dim,
        ao: i8, b: In<i8>, ldb: Dim, bo: i8, beta: f32, c: Out<i32>, ldc: Dim, co: In<i32>,
    );
}
