//! Softmax and normalizations: creating the descriptors of the primitives that compute them.

use std::ffi::{c_int, c_uint};

use oxidnn::desc::{self, NormFlags, Normalization, Op, Sharing, Softmax};
use oxidnn::{Error, Result};

use crate::attr::Attr;
use crate::boundary::Status;
use crate::engine::Engine;
use crate::handle::{Const, Dim, Enum, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::ops::give;
use crate::primitive_desc::PrimitiveDesc;
use crate::vocabulary::{AlgKind, DataType, PropKind};

/// The number of a dimension.
pub(crate) fn dimension(axis: c_int) -> Result<usize> {
    usize::try_from(axis).map_err(|_| Error::invalid(format!("axis {axis}")))
}

/// Creates a primitive descriptor of softmax.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_softmax_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    softmax_axis: c_int,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Softmax::forward(prop_kind.get()?, alg_kind.get()?, &src, &dst, dimension(softmax_axis)?)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of softmax.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_softmax_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    softmax_axis: c_int,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let diff = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let dst = dst_desc.get()?.desc()?;
        Ok(Softmax::backward(alg_kind.get()?, &diff[0], &diff[1], &dst, dimension(softmax_axis)?)?.into())
    })
}

/// The types of statistics, and of scale and shift, where the caller of a normalization states them.
#[derive(Default)]
struct Stated {
    stat: Option<desc::MemoryDesc>,
    scale_shift: Option<DataType>,
}

fn forward(
    sharing: Sharing,
    prop_kind: &Enum<PropKind>,
    [src, dst]: [&Const<MemoryDesc>; 2],
    stated: Stated,
    epsilon: f32,
    flags: c_uint,
) -> Result<Op> {
    let [src, dst] = [src.get()?.desc()?, dst.get()?.desc()?];
    let Stated { stat, scale_shift } = stated;
    let flags = NormFlags(flags);
    let prop = prop_kind.get()?;
    Ok(Normalization::forward(sharing, prop, &src, &dst, stat.as_ref(), scale_shift, epsilon, flags)?.into())
}

fn backward(
    sharing: Sharing,
    prop_kind: &Enum<PropKind>,
    [diff_src, diff_dst, src]: [&Const<MemoryDesc>; 3],
    stated: Stated,
    epsilon: f32,
    flags: c_uint,
) -> Result<Op> {
    let [diff_src, diff_dst, src] = [diff_src.get()?.desc()?, diff_dst.get()?.desc()?, src.get()?.desc()?];
    let Stated { stat, scale_shift } = stated;
    let (prop, flags) = (prop_kind.get()?, NormFlags(flags));
    let stat = stat.as_ref();
    Ok(Normalization::backward(sharing, prop, &diff_src, &diff_dst, &src, stat, scale_shift, epsilon, flags)?.into())
}

/// Creates a primitive descriptor of batch normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_batch_normalization_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    epsilon: f32,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        forward(Sharing::Batch, &prop_kind, [&src_desc, &dst_desc], Stated::default(), epsilon, flags)
    })
}

/// Creates a primitive descriptor of the gradient of batch normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_batch_normalization_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    src_desc: Const<MemoryDesc>,
    epsilon: f32,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = [&diff_src_desc, &diff_dst_desc, &src_desc];
        backward(Sharing::Batch, &prop_kind, tensors, Stated::default(), epsilon, flags)
    })
}

/// Creates a primitive descriptor of group normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_group_normalization_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    groups: Dim,
    epsilon: f32,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let sharing = Sharing::Group { groups };
        forward(sharing, &prop_kind, [&src_desc, &dst_desc], Stated::default(), epsilon, flags)
    })
}

/// Creates a primitive descriptor of the gradient of group normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_group_normalization_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    src_desc: Const<MemoryDesc>,
    groups: Dim,
    epsilon: f32,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = [&diff_src_desc, &diff_dst_desc, &src_desc];
        backward(Sharing::Group { groups }, &prop_kind, tensors, Stated::default(), epsilon, flags)
    })
}

/// Creates a primitive descriptor of layer normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_layer_normalization_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    stat_desc: Opt<Const<MemoryDesc>>,
    epsilon: f32,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let stated = Stated { stat: desc_if_given(&stat_desc)?, scale_shift: None };
        forward(Sharing::Layer, &prop_kind, [&src_desc, &dst_desc], stated, epsilon, flags)
    })
}

/// Creates a primitive descriptor of the gradient of layer normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_layer_normalization_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    src_desc: Const<MemoryDesc>,
    stat_desc: Opt<Const<MemoryDesc>>,
    epsilon: f32,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let stated = Stated { stat: desc_if_given(&stat_desc)?, scale_shift: None };
        let tensors = [&diff_src_desc, &diff_dst_desc, &src_desc];
        backward(Sharing::Layer, &prop_kind, tensors, stated, epsilon, flags)
    })
}

/// Creates a primitive descriptor of layer normalization, with types for scale and shift.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_layer_normalization_forward_primitive_desc_create_v2(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    stat_desc: Opt<Const<MemoryDesc>>,
    scale_shift_data_type: Enum<DataType>,
    epsilon: f32,
    flags: c_uint,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let stated = Stated { stat: desc_if_given(&stat_desc)?, scale_shift: Some(scale_shift_data_type.get()?) };
        forward(Sharing::Layer, &prop_kind, [&src_desc, &dst_desc], stated, epsilon, flags)
    })
}

/// Creates a primitive descriptor of the gradient of layer normalization, with types for scale and shift.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_layer_normalization_backward_primitive_desc_create_v2(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    src_desc: Const<MemoryDesc>,
    stat_desc: Opt<Const<MemoryDesc>>,
    diff_scale_shift_data_type: Enum<DataType>,
    scale_shift_data_type: Enum<DataType>,
    epsilon: f32,
    flags: c_uint,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let (data_type, diff_type) = (scale_shift_data_type.get()?, diff_scale_shift_data_type.get()?);
        let gradients = prop_kind.get()? == PropKind::Backward;
        if gradients && data_type != diff_type {
            return Err(Error::unimplemented(format!("scale and shift of type {data_type}, gradients of {diff_type}")));
        }
        let stated = Stated { stat: desc_if_given(&stat_desc)?, scale_shift: Some(data_type) };
        let tensors = [&diff_src_desc, &diff_dst_desc, &src_desc];
        backward(Sharing::Layer, &prop_kind, tensors, stated, epsilon, flags)
    })
}
