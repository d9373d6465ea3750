//! Layers with weights: each pass sums products of two of the three tensors into the third.
//!
//! An operation only says which elements meet: [`Term`]. Types, quantization, bias and post-ops are here.

use super::epilogue::Attributes;
use super::float_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Layer, MemoryDesc, PropKind, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// An element of a factor: its logical index, and where it is one.
pub struct Element<'b> {
    pub index: Vec<Expr<'b>>,
    pub guard: Option<Expr<'b>>,
}

impl<'b> Element<'b> {
    /// An element that is there at every point.
    pub fn at(index: Vec<Expr<'b>>) -> Element<'b> {
        Element { index, guard: None }
    }
}

/// The products that are summed for an element of the output.
///
/// Forward it is source times weights, backward by data gradient of the destination times weights, backward by weights
/// source times gradient of the destination.
pub struct Term<'b> {
    /// What the sum runs over.
    pub axes: Vec<AxisId>,
    pub left: Element<'b>,
    pub right: Element<'b>,
}

/// An axis to sum over, added to `axes`, and the position along it. One element needs no axis.
pub fn summed<'b>(b: &'b Builder, axes: &mut Vec<AxisId>, name: &'static str, extent: i64) -> Expr<'b> {
    let axis = b.sized_axis(name, extent);
    if extent != 1 {
        axes.push(axis);
    }
    b.at(axis)
}

/// Tensors of a pass that are no arguments, because it is one of several in a primitive. Backwards they are gradients.
#[derive(Default)]
pub struct Inner<'b> {
    pub src: Option<View<'b>>,
    pub dst: Option<View<'b>>,
}

/// One of the two factors.
struct Factor<'a, 'b> {
    attributes: Attributes<'a, 'b>,
    name: &'static str,
    arg: i32,
    md: &'a MemoryDesc,
    inner: Option<View<'b>>,
}

impl<'b> Factor<'_, 'b> {
    /// Its value less its zero point, and zero where it is not there.
    fn value(&self, element: &Element<'b>, ty: Ty) -> Result<Expr<'b>> {
        let view = match &self.inner {
            Some(inner) => inner.clone(),
            None => View::new(self.attributes.b, self.name, self.arg, self.md)?,
        };
        self.attributes.allow_rounding(&view);
        let x = match element.guard {
            None => view.load(&element.index, ty),
            Some(guard) => view.load_if(guard, &element.index, ty),
        };
        let Some(zero_point) = self.attributes.zero_point(self.arg, self.md, &element.index, ty)? else { return Ok(x) };
        let x = x - zero_point;
        Ok(element.guard.map_or(x, |guard| guard.select(x, 0.0)))
    }
}

/// Lowers a pass. `term` tells the products for a logical index of the output.
pub fn lower<'b>(
    b: &'b Builder,
    name: &'static str,
    layer: &Layer,
    attr: &Attr,
    inner: Inner<'b>,
    term: impl FnOnce(&[Expr<'b>]) -> Term<'b>,
) -> Result<()> {
    let Layer { prop, src, weights, bias, dst } = layer;
    let ty = float_type([src.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let factor = |name, arg, md, inner| Factor { attributes, name, arg, md, inner };
    let (left, right, out_arg, inner_out) = match prop {
        PropKind::BackwardData => {
            let diff_dst = factor("diff_dst", arg::DIFF_DST, dst, inner.dst);
            (diff_dst, factor("weights", arg::WEIGHTS, weights, None), arg::DIFF_SRC, inner.src)
        }
        PropKind::BackwardWeights => {
            let diff_dst = factor("diff_dst", arg::DIFF_DST, dst, inner.dst);
            (factor("src", arg::SRC, src, inner.src), diff_dst, arg::DIFF_WEIGHTS, None)
        }
        _ => {
            let src = factor("src", arg::SRC, src, inner.src);
            (src, factor("weights", arg::WEIGHTS, weights, None), arg::DST, inner.dst)
        }
    };
    let out = match inner_out {
        Some(out) => out,
        None => View::new(b, "out", out_arg, layer.output())?,
    };
    let Domain { axes, index, bounds } = Domain::of(b, &out.md)?;
    let term = term(&index);
    let factor_ty = if layer.is_integer() { Ty::S32 } else { ty };
    // A tensor without elements has no memory that a kernel could be given.
    let mut x = if is_empty(left.md) || is_empty(right.md) {
        b.constant(ty, 0.0)
    } else {
        let product = left.value(&term.left, factor_ty)? * right.value(&term.right, factor_ty)?;
        b.reduce(ReduceOp::Sum, &term.axes, product).to(ty)
    };
    for (factor, element) in [(&left, &term.left), (&right, &term.right)] {
        if let Some(scale) = attributes.scale(factor.arg, factor.md, &element.index)? {
            x = x * scale;
        }
    }
    if let Some(bias) = bias.as_ref().filter(|_| prop.is_forward()) {
        x = x + View::new(b, "bias", arg::BIAS, bias)?.load(&[index[1]], ty);
    }
    b.stage(name, axes, bounds, attributes.finish(x, &out, out_arg, &index)?);
    match bias {
        Some(bias) if *prop == PropKind::BackwardWeights => lower_bias_gradient(b, bias, dst, ty),
        _ => Ok(()),
    }
}

/// The gradient of a bias is the sum of the destination's gradient over all but the channels.
fn lower_bias_gradient(b: &Builder, bias: &MemoryDesc, dst: &MemoryDesc, ty: Ty) -> Result<()> {
    let out = View::new(b, "diff_bias", arg::DIFF_BIAS, bias)?;
    let diff_dst = View::new(b, "diff_dst", arg::DIFF_DST, dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, bias)?;
    let mut reduced = Vec::new();
    let at: Vec<Expr<'_>> = dst
        .dims()
        .iter()
        .enumerate()
        .map(|(d, &dim)| if d == 1 { index[0] } else { summed(b, &mut reduced, "i", dim) })
        .collect();
    let x = if is_empty(dst) { b.constant(ty, 0.0) } else { b.reduce(ReduceOp::Sum, &reduced, diff_dst.load(&at, ty)) };
    b.stage("diff_bias", axes, bounds, vec![out.store(&index, x)]);
    Ok(())
}

fn is_empty(md: &MemoryDesc) -> bool {
    md.nelems(false) == 0
}
