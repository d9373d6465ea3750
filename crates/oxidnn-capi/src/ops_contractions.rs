//! Layers with weights: convolutions, deconvolutions and inner products, in every pass.

use std::ffi::c_int;

use oxidnn::Result;
use oxidnn::desc::{self, Convolution, Dims, InnerProduct, Window};

use crate::attr::Attr;
use crate::boundary::Status;
use crate::engine::Engine;
use crate::handle::{Const, Enum, InDims, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::ops::give;
use crate::primitive_desc::PrimitiveDesc;
use crate::vocabulary::{AlgKind, PropKind};

/// The tensors of a layer as C gives them.
struct Tensors {
    src: desc::MemoryDesc,
    weights: desc::MemoryDesc,
    bias: Option<desc::MemoryDesc>,
    dst: desc::MemoryDesc,
}

impl Tensors {
    fn get(
        src: &Const<MemoryDesc>,
        weights: &Const<MemoryDesc>,
        bias: Option<&Opt<Const<MemoryDesc>>>,
        dst: &Const<MemoryDesc>,
    ) -> Result<Tensors> {
        let [src, weights, dst] = [src.get()?.desc()?, weights.get()?.desc()?, dst.get()?.desc()?];
        let bias = bias.map(desc_if_given).transpose()?.flatten();
        Ok(Tensors { src, weights, bias, dst })
    }

    fn inner_product(self, prop: desc::PropKind) -> Result<desc::Op> {
        Ok(InnerProduct::new(prop, &self.src, &self.weights, self.bias.as_ref(), &self.dst)?.into())
    }

    fn convolution(self, prop: desc::PropKind, alg: desc::AlgKind, window: Window) -> Result<desc::Op> {
        let Tensors { src, weights, bias, dst } = &self;
        Ok(Convolution::new(prop, alg, src, weights, bias.as_ref(), dst, window)?.into())
    }

    fn deconvolution(self, prop: desc::PropKind, alg: desc::AlgKind, window: Window) -> Result<desc::Op> {
        let Tensors { src, weights, bias, dst } = &self;
        Ok(Convolution::transposed(prop, alg, src, weights, bias.as_ref(), dst, window)?.into())
    }

    /// Reads as many values as the source has spatial dimensions. Without dilations there are none, without right
    /// padding it is the left one.
    fn window(
        &self,
        strides: &InDims,
        dilations: &Opt<InDims>,
        padding_l: &InDims,
        padding_r: &Opt<InDims>,
    ) -> Result<Window> {
        let spatial = self.src.ndims().saturating_sub(2);
        let count = spatial as c_int;
        let padding_l = Dims::new(padding_l.get(count)?)?;
        Ok(Window {
            strides: Dims::new(strides.get(count)?)?,
            dilations: dilations.get(count)?.map(Dims::new).transpose()?.unwrap_or(Dims::filled(spatial, 0)),
            padding_r: padding_r.get(count)?.map(Dims::new).transpose()?.unwrap_or(padding_l),
            padding_l,
        })
    }
}

/// The pass that a forward entry point is asked for, which must be a forward one.
fn forward(prop: &Enum<PropKind>) -> Result<desc::PropKind> {
    let prop: desc::PropKind = prop.get()?;
    if prop.is_forward() { Ok(prop) } else { Err(oxidnn::Error::invalid(format!("{prop} is not a forward pass"))) }
}

/// Creates a primitive descriptor of a convolution. A null `dilates` means none, a null `padding_r` the same as `padding_l`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_convolution_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = Tensors::get(&src_desc, &weights_desc, Some(&bias_desc), &dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.convolution(forward(&prop_kind)?, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of the gradient of a convolution with respect to its source.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_convolution_backward_data_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&diff_src_desc, &weights_desc, None, &diff_dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.convolution(desc::PropKind::BackwardData, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of the gradient of a convolution with respect to its weights and bias.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_convolution_backward_weights_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    diff_weights_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&src_desc, &diff_weights_desc, Some(&diff_bias_desc), &diff_dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.convolution(desc::PropKind::BackwardWeights, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of a deconvolution. A null `dilates` means none, a null `padding_r` the same as `padding_l`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_deconvolution_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = Tensors::get(&src_desc, &weights_desc, Some(&bias_desc), &dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.deconvolution(forward(&prop_kind)?, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of the gradient of a deconvolution with respect to its source.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_deconvolution_backward_data_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&diff_src_desc, &weights_desc, None, &diff_dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.deconvolution(desc::PropKind::BackwardData, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of the gradient of a deconvolution with respect to its weights and bias.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_deconvolution_backward_weights_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    diff_weights_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_desc: Const<MemoryDesc>,
    strides: InDims,
    dilates: Opt<InDims>,
    padding_l: InDims,
    padding_r: Opt<InDims>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&src_desc, &diff_weights_desc, Some(&diff_bias_desc), &diff_dst_desc)?;
        let window = tensors.window(&strides, &dilates, &padding_l, &padding_r)?;
        tensors.deconvolution(desc::PropKind::BackwardWeights, alg_kind.get()?, window)
    })
}

/// Creates a primitive descriptor of an inner product, with a bias that null leaves out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_inner_product_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_desc: Const<MemoryDesc>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let tensors = Tensors::get(&src_desc, &weights_desc, Some(&bias_desc), &dst_desc)?;
        tensors.inner_product(forward(&prop_kind)?)
    })
}

/// Creates a primitive descriptor of the gradient of an inner product with respect to its source.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_inner_product_backward_data_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    diff_src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&diff_src_desc, &weights_desc, None, &diff_dst_desc)?;
        tensors.inner_product(desc::PropKind::BackwardData)
    })
}

/// Creates a primitive descriptor of the gradient of an inner product with respect to its weights and bias.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_inner_product_backward_weights_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    src_desc: Const<MemoryDesc>,
    diff_weights_desc: Const<MemoryDesc>,
    diff_bias_desc: Opt<Const<MemoryDesc>>,
    diff_dst_desc: Const<MemoryDesc>,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let tensors = Tensors::get(&src_desc, &diff_weights_desc, Some(&diff_bias_desc), &diff_dst_desc)?;
        tensors.inner_product(desc::PropKind::BackwardWeights)
    })
}
