//! Pooling, resampling and other operations on images: creating the descriptors of the primitives that compute them.

use std::ffi::c_int;

use oxidnn::Result;
use oxidnn::desc::{self, Dims, Lrn, Op, PoolWindow, Pooling, Prelu, Reduction, Resampling, Shuffle};

use crate::attr::Attr;
use crate::boundary::Status;
use crate::engine::Engine;
use crate::handle::{Const, Dim, Enum, In, InDims, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::ops::give;
use crate::ops_norms::dimension;
use crate::primitive_desc::PrimitiveDesc;
use crate::vocabulary::{AlgKind, PropKind};

/// The windows of a pooling of `src`.
fn window(
    src: &desc::MemoryDesc,
    [strides, kernel, dilation, padding_l, padding_r]: [&InDims; 5],
) -> Result<PoolWindow> {
    let spatial = src.ndims().saturating_sub(2) as c_int;
    let dims = |values: &InDims| -> Result<Dims> { Dims::new(values.get(spatial)?) };
    Ok(PoolWindow {
        strides: dims(strides)?,
        kernel: dims(kernel)?,
        dilation: dims(dilation)?,
        padding_l: dims(padding_l)?,
        padding_r: dims(padding_r)?,
    })
}

/// Creates a primitive descriptor of pooling.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_pooling_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    strides: InDims,
    kernel: InDims,
    dilation: InDims,
    padding_l: InDims,
    padding_r: InDims,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        let window = window(&src, [&strides, &kernel, &dilation, &padding_l, &padding_r])?;
        Ok(Pooling::forward(prop_kind.get()?, alg_kind.get()?, &src, &dst, window)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of pooling.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_pooling_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    strides: InDims,
    kernel: InDims,
    dilation: InDims,
    padding_l: InDims,
    padding_r: InDims,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [diff_src, diff_dst] = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let window = window(&diff_src, [&strides, &kernel, &dilation, &padding_l, &padding_r])?;
        let forward = match hint_fwd_pd.get()?.map(|hint| hint.desc().op()) {
            Some(Op::Pooling(forward)) => Some(forward),
            _ => None,
        };
        Ok(Pooling::backward(alg_kind.get()?, &diff_src, &diff_dst, window, forward)?.into())
    })
}

/// Creates a primitive descriptor of resampling. Without a destination, factors tell its size.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_resampling_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    factors: Opt<In<f32>>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Opt<Const<MemoryDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let (src, dst) = (src_desc.get()?.desc()?, desc_if_given(&dst_desc)?);
        let factors = factors.slice(src.ndims().saturating_sub(2))?;
        Ok(Resampling::forward(prop_kind.get()?, alg_kind.get()?, factors, &src, dst.as_ref())?.into())
    })
}

/// Creates a primitive descriptor of the gradient of resampling. Without a gradient of the destination, factors tell its size.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_resampling_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    factors: Opt<In<f32>>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [diff_src, diff_dst] = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let forward = match hint_fwd_pd.get()?.map(|hint| hint.desc().op()) {
            Some(Op::Resampling(forward)) => Some(forward),
            _ => None,
        };
        let factors = factors.slice(diff_src.ndims().saturating_sub(2))?;
        Ok(Resampling::backward(alg_kind.get()?, factors, &diff_src, Some(&diff_dst), forward)?.into())
    })
}

/// Creates a primitive descriptor of a reduction.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_reduction_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    p: f32,
    eps: f32,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Reduction::new(alg_kind.get()?, &src, &dst, p, eps)?.into())
    })
}

/// Creates a primitive descriptor of shuffle.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_shuffle_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    axis: c_int,
    group_size: Dim,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Shuffle::forward(prop_kind.get()?, &src, &dst, dimension(axis)?, group_size)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of shuffle.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_shuffle_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    axis: c_int,
    group_size: Dim,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [diff_src, diff_dst] = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let forward = match hint_fwd_pd.get()?.map(|hint| hint.desc().op()) {
            Some(Op::Shuffle(forward)) => Some(forward),
            _ => None,
        };
        Ok(Shuffle::backward(&diff_src, &diff_dst, dimension(axis)?, group_size, forward)?.into())
    })
}

/// Creates a primitive descriptor of parametric ReLU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_prelu_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, weights, dst] = [src_desc.get()?.desc()?, weights_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Prelu::forward(prop_kind.get()?, &src, &weights, &dst)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of parametric ReLU.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_prelu_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    diff_src_desc: Const<MemoryDesc>,
    diff_weights_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let [src, weights] = [src_desc.get()?.desc()?, weights_desc.get()?.desc()?];
        let [diff_src, diff_weights] = [diff_src_desc.get()?.desc()?, diff_weights_desc.get()?.desc()?];
        Ok(Prelu::backward(&src, &weights, &diff_src, &diff_weights, &diff_dst_desc.get()?.desc()?)?.into())
    })
}

/// Creates a primitive descriptor of local response normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lrn_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    local_size: Dim,
    alpha: f32,
    beta: f32,
    k: f32,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Lrn::forward(prop_kind.get()?, alg_kind.get()?, &src, &dst, local_size, [alpha, beta, k])?.into())
    })
}

/// Creates a primitive descriptor of the gradient of local response normalization.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_lrn_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    src_desc: Const<MemoryDesc>,
    local_size: Dim,
    alpha: f32,
    beta: f32,
    k: f32,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let diff = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let src = src_desc.get()?.desc()?;
        Ok(Lrn::backward(alg_kind.get()?, &diff[0], &diff[1], &src, local_size, [alpha, beta, k])?.into())
    })
}
