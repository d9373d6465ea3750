//! Products of matrices, in batches, with everything that quantization adds.
//!
//! Scales that do not vary along the reduced dimension multiply the result; those that do multiply the factors. Integer
//! factors accumulate as integers as long as no scale stands between them.

use super::epilogue::Attributes;
use super::view::{Domain, View};
use super::{dynamic, float_type, grouped, sparse};
use crate::Result;
use crate::desc::{Attr, DataType, Matmul, MemoryDesc, Quant, Sparse, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// One of the two factors.
pub struct Factor<'a, 'b> {
    /// What quantizes it.
    pub attributes: Attributes<'a, 'b>,
    /// Which argument it is.
    pub arg: i32,
    /// Its elements.
    pub view: View<'b>,
    /// The logical index at a point of the domain and the reduction.
    pub index: Vec<Expr<'b>>,
    /// Which of the dimensions is reduced.
    pub reduced: usize,
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
            if self.may_be_bf16() {
                x = x.nearly(DataType::Bf16);
            }
        }
        Ok(x)
    }

    /// Whether the math mode allows integers to become bf16.
    fn may_be_bf16(&self) -> bool {
        let Attributes { attr, ty, .. } = self.attributes;
        let of_integers = is_byte_or_less(self.md().data_type()) && attr.fpmath_applies_to_int();
        ty == Ty::F32 && of_integers && attr.fpmath().allows_bf16()
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

/// The sum over `k` of the products of two factors, with their scales and zero points.
pub fn sum_of_products<'b>(src: &Factor<'_, 'b>, weights: &Factor<'_, 'b>, k: AxisId) -> Result<Expr<'b>> {
    let Attributes { b, ty, .. } = src.attributes;
    let integers = is_byte_or_less(src.md().data_type()) && is_byte_or_less(weights.md().data_type());
    let factor_ty = if integers { Ty::S32 } else { ty };
    let (left, right) = (src.value(factor_ty)?, weights.value(factor_ty)?);
    let product_ty = if src.scales_inside() || weights.scales_inside() { ty } else { factor_ty };
    let mut x = b.reduce(ReduceOp::Sum, &[k], left.to(product_ty) * right.to(product_ty)).to(ty);
    for factor in [src, weights] {
        if let Some(scale) = factor.outer_scale()? {
            x = x * scale;
        }
    }
    Ok(x)
}

pub fn lower(b: &Builder, op: &Matmul, attr: &Attr) -> Result<()> {
    match op.src.sparse().or(op.weights.sparse()) {
        Some(Sparse::Grouped { .. }) => grouped::lower(b, op, attr),
        Some(encoding) => sparse::lower(b, op, attr, encoding),
        None => lower_dense(b, op, attr),
    }
}

fn lower_dense<'b>(b: &'b Builder, op: &Matmul, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.weights.data_type(), op.dst.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let rank = op.dst.ndims();
    let value = |index: &[Expr<'b>]| {
        let k = b.sized_axis("k", op.src.dims()[rank - 1]);
        let factor = |name, arg, md, reduced: usize| -> Result<Factor<'_, 'b>> {
            let mut index = index.to_vec();
            index[reduced] = b.at(k);
            Ok(Factor { attributes, arg, view: attributes.factor(name, arg, md)?, index, reduced })
        };
        let src = factor("src", arg::SRC, &op.src, rank - 1)?;
        let weights = factor("weights", arg::WEIGHTS, &op.weights, rank - 2)?;
        let x = sum_of_products(&src, &weights, k)?;
        match &op.bias {
            Some(bias) => Ok(x + View::new(b, "bias", arg::BIAS, bias)?.load(index, ty)),
            None => Ok(x),
        }
    };
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    if attr.scales(arg::DST).is_some_and(Quant::is_dynamic) {
        return dynamic::lower(attributes, "matmul", &dst, arg::DST, value);
    }
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let x = value(&index)?;
    b.stage("matmul", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}
