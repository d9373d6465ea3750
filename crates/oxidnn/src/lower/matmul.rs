//! Products of matrices, in batches, with everything that quantization adds.
//!
//! Scales that do not vary along the reduced dimension multiply the result; those that do multiply the factors. Integer
//! factors accumulate as integers as long as no scale stands between them.

use super::epilogue::Attributes;
use super::float_type;
use super::view::{Domain, View};
use crate::desc::{Attr, DataType, Matmul, MemoryDesc, arg};
use crate::program::{Builder, Expr, ReduceOp, Ty};
use crate::{Result, supported};

/// One of the two factors.
struct Factor<'a, 'b> {
    attributes: Attributes<'a, 'b>,
    arg: i32,
    view: View<'b>,
    /// The logical index at a point of the domain and the reduction.
    index: Vec<Expr<'b>>,
    /// Which of the dimensions is reduced.
    reduced: usize,
}

impl<'b> Factor<'_, 'b> {
    fn md(&self) -> &MemoryDesc {
        &self.view.md
    }

    /// Whether its scales vary along the reduced dimension.
    fn scales_inside(&self) -> bool {
        self.attributes.attr.scales(self.arg).is_some_and(|quant| quant.mask >> self.reduced & 1 == 1)
    }

    /// Its value less its zero point, in type `ty`, and its scale where that belongs inside.
    fn value(&self, ty: Ty) -> Result<Expr<'b>> {
        let mut x = self.view.load(&self.index, ty);
        if let Some(zero_point) = self.attributes.zero_point(self.arg, self.md(), &self.index, ty)? {
            x = x - zero_point;
        }
        if self.scales_inside()
            && let Some(scale) = self.attributes.scale(self.arg, self.md(), &self.index)?
        {
            x = x.to(self.attributes.ty) * scale;
        }
        Ok(x)
    }

    /// Its scale where that belongs outside.
    fn outer_scale(&self) -> Result<Option<Expr<'b>>> {
        if self.scales_inside() {
            return Ok(None);
        }
        self.attributes.scale(self.arg, self.md(), &self.index)
    }
}

fn is_byte_or_less(data_type: DataType) -> bool {
    matches!(data_type, DataType::S8 | DataType::U8 | DataType::S4 | DataType::U4)
}

pub fn lower(b: &Builder, op: &Matmul, attr: &Attr) -> Result<()> {
    let tensors = [&op.src, &op.weights, &op.dst];
    supported!(tensors.iter().all(|md| md.sparse().is_none()), "a matmul of sparse or grouped tensors");
    let ty = float_type([op.src.data_type(), op.weights.data_type(), op.dst.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let rank = op.dst.ndims();
    let k = b.sized_axis("k", op.src.dims()[rank - 1]);
    let mut src_index = index.clone();
    src_index[rank - 1] = b.at(k);
    let mut weights_index = index.clone();
    weights_index[rank - 2] = b.at(k);
    let src = Factor {
        attributes,
        arg: arg::SRC,
        view: View::new(b, "src", arg::SRC, &op.src)?,
        index: src_index,
        reduced: rank - 1,
    };
    let weights = Factor {
        attributes,
        arg: arg::WEIGHTS,
        view: View::new(b, "weights", arg::WEIGHTS, &op.weights)?,
        index: weights_index,
        reduced: rank - 2,
    };
    let integers = is_byte_or_less(op.src.data_type()) && is_byte_or_less(op.weights.data_type());
    let factor_ty = if integers { Ty::S32 } else { ty };
    let (left, right) = (src.value(factor_ty)?, weights.value(factor_ty)?);
    let product_ty = if src.scales_inside() || weights.scales_inside() { ty } else { factor_ty };
    let mut x = b.reduce(ReduceOp::Sum, &[k], left.to(product_ty) * right.to(product_ty)).to(ty);
    for factor in [&src, &weights] {
        if let Some(scale) = factor.outer_scale()? {
            x = x * scale;
        }
    }
    if let Some(bias) = &op.bias {
        x = x + View::new(b, "bias", arg::BIAS, bias)?.load(&index, ty);
    }
    b.stage("matmul", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}
