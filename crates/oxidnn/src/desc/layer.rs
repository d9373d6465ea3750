//! What layers with weights share: inner products, convolutions and deconvolutions, in every pass.

use super::arg;
use super::attr::Attr;
use super::check;
use super::memory::MemoryDesc;
use super::op::ArgDesc;
use super::support::{Accepted, QuantSupport};
use super::tag::Layout;
use super::types::{DataType, PrimitiveKind, PropKind};
use crate::{Result, ensure, supported};

/// The tensors of a layer with weights.
///
/// In a backward pass the tensors that it computes, and the destination, are gradients: `diff_src` and `diff_dst` for
/// [`BackwardData`](PropKind::BackwardData), `diff_weights`, `diff_bias` and `diff_dst` for
/// [`BackwardWeights`](PropKind::BackwardWeights).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layer {
    /// The pass.
    pub prop: PropKind,
    /// The source, or its gradient.
    pub src: MemoryDesc,
    /// The weights, or their gradient.
    pub weights: MemoryDesc,
    /// The bias, one for each channel of the destination, or its gradient.
    pub bias: Option<MemoryDesc>,
    /// The destination, or its gradient.
    pub dst: MemoryDesc,
}

impl Layer {
    pub(super) fn new(
        prop: PropKind,
        src: &MemoryDesc,
        weights: &MemoryDesc,
        bias: Option<&MemoryDesc>,
        dst: &MemoryDesc,
    ) -> Result<Layer> {
        use PropKind::{BackwardData, BackwardWeights};
        ensure!(prop.is_forward() || matches!(prop, BackwardData | BackwardWeights), "a layer with weights in {prop}");
        let bias = bias.filter(|bias| !bias.is_zero());
        check::is_dense("src", src)?;
        check::is_dense_or_transformed("weights", weights)?;
        check::is_dense("dst", dst)?;
        for (name, md) in [("src", src), ("weights", weights), ("dst", dst)] {
            check::is_known(name, md)?;
        }
        if let Some(bias) = bias {
            check::is_dense("bias", bias)?;
            check::is_known("bias", bias)?;
            ensure!(prop != BackwardData, "a bias in {prop}");
        }
        ensure!(weights.nelems(false) != 0, "weights have no elements");
        let layer = Layer { prop, src: src.clone(), weights: weights.clone(), bias: bias.cloned(), dst: dst.clone() };
        layer.check_types()?;
        Ok(layer)
    }

    pub(super) fn check_bias(&self) -> Result<()> {
        if let Some(bias) = &self.bias {
            let channels = self.dst.dims()[1];
            ensure!(*bias.dims() == [channels], "a bias of {} for {channels} channels", bias.dims());
        }
        Ok(())
    }

    /// Whether the sum is one of integers.
    pub fn is_integer(&self) -> bool {
        let (src, weights, dst) = (self.src.data_type(), self.weights.data_type(), self.dst.data_type());
        match self.prop {
            PropKind::BackwardData => is_int8(dst) && is_int8(weights),
            PropKind::BackwardWeights => false,
            _ => is_int8(src) && is_int8(weights),
        }
    }

    /// Doubles with doubles, integers with integers, floats with floats; integers also as rounded results.
    fn check_types(&self) -> Result<()> {
        use DataType::*;
        let (src, weights, dst) = (self.src.data_type(), self.weights.data_type(), self.dst.data_type());
        let bias = self.bias.as_ref().map(MemoryDesc::data_type);
        let is_float = |data_type: DataType| matches!(data_type, F32 | F16 | Bf16 | F8E5m2 | F8E4m3 | F4E2m1);
        let [left, right, result] = match self.prop {
            PropKind::BackwardData => [dst, weights, src],
            PropKind::BackwardWeights => [src, dst, weights],
            _ => [src, weights, dst],
        };
        let is_known = if [src, weights, dst].contains(&F64) {
            [src, weights, dst] == [F64; 3]
        } else if self.is_integer() {
            matches!(result, U8 | S8 | S32 | F32 | F16 | Bf16)
        } else {
            // Gradients of a quantized result may be of its type.
            let quantized = self.prop == PropKind::BackwardWeights && left == Bf16 && is_int8(right);
            is_float(left)
                && (is_float(right) || quantized)
                && (is_float(result) || (self.prop.is_forward() && is_int8(result)))
        };
        supported!(is_known, "{} with src of type {src}, weights of {weights} and dst of {dst}", self.prop);
        let bias_known = match bias {
            None => true,
            Some(F64) => src == F64,
            Some(bias) if self.is_integer() => matches!(bias, U8 | S8 | S32 | F32 | F16 | Bf16),
            Some(bias) => is_float(bias) && src != F64,
        };
        supported!(bias_known, "a bias of type {} for src of type {src}", bias.unwrap_or(DataType::Undef));
        Ok(())
    }

    pub(super) fn tensors(&self) -> Vec<ArgDesc> {
        let Layer { prop, src, weights, bias, dst } = self;
        match prop {
            PropKind::BackwardData => vec![
                ArgDesc::input(arg::DIFF_DST, dst),
                ArgDesc::input(arg::WEIGHTS, weights),
                ArgDesc::output(arg::DIFF_SRC, src),
            ],
            PropKind::BackwardWeights => [
                ArgDesc::input(arg::SRC, src),
                ArgDesc::input(arg::DIFF_DST, dst),
                ArgDesc::output(arg::DIFF_WEIGHTS, weights),
            ]
            .into_iter()
            .chain(bias.iter().map(|bias| ArgDesc::output(arg::DIFF_BIAS, bias)))
            .collect(),
            _ => [ArgDesc::input(arg::SRC, src), ArgDesc::input(arg::WEIGHTS, weights)]
                .into_iter()
                .chain(bias.iter().map(|bias| ArgDesc::input(arg::BIAS, bias)))
                .chain([ArgDesc::output(arg::DST, dst)])
                .collect(),
        }
    }

    /// The tensor that the pass computes, besides the gradient of the bias.
    pub fn output(&self) -> &MemoryDesc {
        match self.prop {
            PropKind::BackwardData => &self.src,
            PropKind::BackwardWeights => &self.weights,
            _ => &self.dst,
        }
    }

    pub(super) fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        let bias = self.bias.as_ref().unwrap_or(&MemoryDesc::ZERO);
        vec![("src", &self.src), ("wei", &self.weights), ("bia", bias), ("dst", &self.dst)]
    }

    pub(super) fn resolve_bias(&mut self) -> Result<()> {
        if let Some(bias) = &mut self.bias {
            *bias = bias.resolve_plain()?;
        }
        Ok(())
    }

    /// Whether values are so narrow that scales and zero points make sense.
    pub(super) fn is_quantized(&self) -> bool {
        use DataType::{F4E2m1, F8E4m3, F8E5m2, S8, S32, U8};
        let is_small = |data_type| matches!(data_type, S8 | U8 | F8E4m3 | F8E5m2 | F4E2m1);
        is_small(self.src.data_type()) || is_small(self.dst.data_type()) || self.dst.data_type() == S32
    }

    /// Checks attributes. `more` says what this layer accepts besides what all do.
    pub(super) fn check_attr(&self, attr: &Attr, more: Accepted<'_>) -> Result<()> {
        if !self.prop.is_forward() {
            return Accepted { accumulation: true, ..Accepted::default() }.check(attr, self.output());
        }
        let quantized: &[i32] = if self.is_quantized() { &[arg::SRC, arg::WEIGHTS, arg::DST] } else { &[] };
        Accepted {
            scales: QuantSupport { args: quantized, types: true, groups: false },
            post_ops: &[PrimitiveKind::Sum, PrimitiveKind::Eltwise, PrimitiveKind::Binary, PrimitiveKind::Prelu],
            sum_type: true,
            sum_zero_point: is_int8(self.src.data_type()) || self.dst.data_type().is_integer(),
            ..more
        }
        .check(attr, &self.dst)
    }
}

/// Checks that quantization parameters of an argument vary only as one of `masks` says.
pub(super) fn check_mask(what: &str, arg: i32, mask: Option<i32>, masks: &[i32]) -> Result<()> {
    let mask = mask.unwrap_or(0);
    supported!(masks.contains(&mask), "{what} with mask {mask} for argument {arg}");
    Ok(())
}

fn is_int8(data_type: DataType) -> bool {
    matches!(data_type, DataType::S8 | DataType::U8)
}

/// A tensor with its dimensions in an order of the library's choice, where the layout was left to it.
pub(super) fn resolve_order(md: &MemoryDesc, order: impl Iterator<Item = usize>) -> Result<MemoryDesc> {
    if !md.is_any() {
        return Ok(md.clone());
    }
    MemoryDesc::with_layout(md.dims(), md.data_type(), &Layout { order: order.collect(), inner: Vec::new() })
}
