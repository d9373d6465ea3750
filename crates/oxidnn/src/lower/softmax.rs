//! Softmax and its logarithm along one dimension. A row's maximum and sum come first, so that no element overflows.

use super::epilogue::Attributes;
use super::float_type;
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{AlgKind, Attr, Softmax, arg};
use crate::program::{Builder, ReduceOp};

/// Below every number that counts, and not infinite.
pub const LOWEST: f64 = -3.0e38;

pub fn lower(b: &Builder, op: &Softmax, attr: &Attr) -> Result<()> {
    match &op.diff {
        None => forward(b, op, attr),
        Some(_) => backward(b, op),
    }
}

fn forward(b: &Builder, op: &Softmax, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let dims = op.dst.dims();
    let zeros = op.alg == AlgKind::SoftmaxAccurateInfAsZero;
    let max = statistic::of_rows(b, "softmax_max", dims, op.axis, ty, |index, row| {
        let largest = b.reduce(ReduceOp::Max, &[row], src.load(index, ty));
        if zeros { largest.max(LOWEST) } else { largest }
    })?;
    let sum = statistic::of_rows(b, "softmax_sum", dims, op.axis, ty, |index, row| {
        b.reduce(ReduceOp::Sum, &[row], (src.load(index, ty) - max.load(index, ty)).exp())
    })?;
    let attributes = Attributes { b, attr, ty };
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let x = src.load(&index, ty) - max.load(&index, ty);
    let sum = sum.load(&index, ty);
    let mut y = if op.alg == AlgKind::SoftmaxLog { x - sum.log() } else { x.exp() * (sum.number(1.0) / sum) };
    if zeros {
        y = sum.equals(0.0).select(y.number(0.0), y);
    }
    // The source's scale does not reach the exponent: it is one of the result.
    if let Some(scale) = attributes.scale(arg::SRC, &op.src, &index)? {
        y = y * scale;
    }
    b.stage("softmax", axes, bounds, attributes.finish(y, &dst, arg::DST, &index)?);
    Ok(())
}

fn backward(b: &Builder, op: &Softmax) -> Result<()> {
    let Some(diff) = &op.diff else { return Ok(()) };
    let ty = float_type([op.dst.data_type(), diff.src.data_type(), diff.dst.data_type()]);
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &diff.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &diff.src)?;
    let log = op.alg == AlgKind::SoftmaxLog;
    let sum = statistic::of_rows(b, "softmax_diff_sum", op.dst.dims(), op.axis, ty, |index, row| {
        let d = gradient.load(index, ty);
        b.reduce(ReduceOp::Sum, &[row], if log { d } else { d * dst.load(index, ty) })
    })?;
    let Domain { axes, index, bounds } = Domain::of(b, &diff.src)?;
    let (d, y, sum) = (gradient.load(&index, ty), dst.load(&index, ty), sum.load(&index, ty));
    let x = if log { d - y.exp() * sum } else { y * (d - sum) };
    b.stage("softmax_backward", axes, bounds, vec![out.store(&index, x)]);
    Ok(())
}
