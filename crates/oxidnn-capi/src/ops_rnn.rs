//! Recurrent networks: creating the descriptors of the primitives that compute them.

use std::ffi::c_uint;

use oxidnn::desc::{self, Rnn, RnnCell, RnnTensors};
use oxidnn::{Error, Result};

use crate::attr::Attr;
use crate::boundary::Status;
use crate::engine::Engine;
use crate::handle::{Const, Enum, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::ops::give;
use crate::primitive_desc::PrimitiveDesc;
use crate::vocabulary::{AlgKind, PropKind, RnnDirection};

/// A tensor that must be given.
fn required(md: &Const<MemoryDesc>) -> Result<desc::MemoryDesc> {
    md.get()?.desc()
}

/// A tensor that may be missing.
fn optional(md: &Opt<Const<MemoryDesc>>) -> Result<desc::MemoryDesc> {
    Ok(desc_if_given(md)?.unwrap_or(desc::MemoryDesc::ZERO))
}

fn check_backward(prop_kind: &Enum<PropKind>) -> Result<()> {
    match prop_kind.get()? {
        PropKind::Backward => Ok(()),
        other => Err(Error::invalid(format!("{other} is not the backward pass of a recurrent network"))),
    }
}

/// Creates a primitive descriptor of vanilla RNN.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_vanilla_rnn_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    activation: Enum<AlgKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    alpha: f32,
    beta: f32,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(
            prop_kind.get()?,
            RnnCell::vanilla(activation.get()?, alpha, beta),
            direction.get()?,
            tensors,
            flags,
        )?
        .into())
    })
}

/// Creates a primitive descriptor of the gradient of vanilla RNN.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_vanilla_rnn_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    activation: Enum<AlgKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    alpha: f32,
    beta: f32,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::vanilla(activation.get()?, alpha, beta), direction.get()?, tensors, diff, flags)?
            .into())
    })
}

/// Creates a primitive descriptor of LSTM.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lstm_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    src_iter_c_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    weights_peephole_desc: Opt<Const<MemoryDesc>>,
    weights_projection_desc: Opt<Const<MemoryDesc>>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    dst_iter_c_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            src_iter_c: optional(&src_iter_c_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            weights_peephole: optional(&weights_peephole_desc)?,
            weights_projection: optional(&weights_projection_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            dst_iter_c: optional(&dst_iter_c_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(prop_kind.get()?, RnnCell::new(AlgKind::VanillaLstm), direction.get()?, tensors, flags)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of LSTM.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lstm_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    src_iter_c_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    weights_peephole_desc: Opt<Const<MemoryDesc>>,
    weights_projection_desc: Opt<Const<MemoryDesc>>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    dst_iter_c_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_iter_c_desc: Opt<Const<MemoryDesc>>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_weights_peephole_desc: Opt<Const<MemoryDesc>>,
    diff_weights_projection_desc: Opt<Const<MemoryDesc>>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_dst_iter_c_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            src_iter_c: optional(&src_iter_c_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            weights_peephole: optional(&weights_peephole_desc)?,
            weights_projection: optional(&weights_projection_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            dst_iter_c: optional(&dst_iter_c_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            src_iter_c: optional(&diff_src_iter_c_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            weights_peephole: optional(&diff_weights_peephole_desc)?,
            weights_projection: optional(&diff_weights_projection_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            dst_iter_c: optional(&diff_dst_iter_c_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::new(AlgKind::VanillaLstm), direction.get()?, tensors, diff, flags)?.into())
    })
}

/// Creates a primitive descriptor of GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_gru_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(prop_kind.get()?, RnnCell::new(AlgKind::VanillaGru), direction.get()?, tensors, flags)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_gru_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::new(AlgKind::VanillaGru), direction.get()?, tensors, diff, flags)?.into())
    })
}

/// Creates a primitive descriptor of linear-before-reset GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lbr_gru_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(prop_kind.get()?, RnnCell::new(AlgKind::LbrGru), direction.get()?, tensors, flags)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of linear-before-reset GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lbr_gru_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::new(AlgKind::LbrGru), direction.get()?, tensors, diff, flags)?.into())
    })
}

/// Creates a primitive descriptor of attentional GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_augru_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    attention_desc: Const<MemoryDesc>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            attention: required(&attention_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(prop_kind.get()?, RnnCell::new(AlgKind::VanillaAugru), direction.get()?, tensors, flags)?
            .into())
    })
}

/// Creates a primitive descriptor of the gradient of attentional GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_augru_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    attention_desc: Const<MemoryDesc>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_attention_desc: Const<MemoryDesc>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            attention: required(&attention_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            attention: required(&diff_attention_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::new(AlgKind::VanillaAugru), direction.get()?, tensors, diff, flags)?.into())
    })
}

/// Creates a primitive descriptor of linear-before-reset attentional GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lbr_augru_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    attention_desc: Const<MemoryDesc>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            attention: required(&attention_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::forward(prop_kind.get()?, RnnCell::new(AlgKind::LbrAugru), direction.get()?, tensors, flags)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of linear-before-reset attentional GRU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lbr_augru_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    direction: Enum<RnnDirection>,
    src_layer_desc: Const<MemoryDesc>,
    src_iter_desc: Opt<Const<MemoryDesc>>,
    attention_desc: Const<MemoryDesc>,
    weights_layer_desc: Const<MemoryDesc>,
    weights_iter_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_layer_desc: Const<MemoryDesc>,
    dst_iter_desc: Opt<Const<MemoryDesc>>,
    diff_src_layer_desc: Const<MemoryDesc>,
    diff_src_iter_desc: Opt<Const<MemoryDesc>>,
    diff_attention_desc: Const<MemoryDesc>,
    diff_weights_layer_desc: Const<MemoryDesc>,
    diff_weights_iter_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_layer_desc: Const<MemoryDesc>,
    diff_dst_iter_desc: Opt<Const<MemoryDesc>>,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        check_backward(&prop_kind)?;
        let tensors = RnnTensors {
            src_layer: required(&src_layer_desc)?,
            src_iter: optional(&src_iter_desc)?,
            attention: required(&attention_desc)?,
            weights_layer: required(&weights_layer_desc)?,
            weights_iter: required(&weights_iter_desc)?,
            bias: optional(&bias_desc)?,
            dst_layer: required(&dst_layer_desc)?,
            dst_iter: optional(&dst_iter_desc)?,
            ..RnnTensors::default()
        };
        let diff = RnnTensors {
            src_layer: required(&diff_src_layer_desc)?,
            src_iter: optional(&diff_src_iter_desc)?,
            attention: required(&diff_attention_desc)?,
            weights_layer: required(&diff_weights_layer_desc)?,
            weights_iter: required(&diff_weights_iter_desc)?,
            bias: optional(&diff_bias_desc)?,
            dst_layer: required(&diff_dst_layer_desc)?,
            dst_iter: optional(&diff_dst_iter_desc)?,
            ..RnnTensors::default()
        };
        Ok(Rnn::backward(RnnCell::new(AlgKind::LbrAugru), direction.get()?, tensors, diff, flags)?.into())
    })
}
