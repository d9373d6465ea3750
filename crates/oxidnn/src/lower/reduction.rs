//! Sums, extrema, products and norms over dimensions.

use super::epilogue::Attributes;
use super::float_type;
use super::view::{Domain, View};
use crate::desc::{AlgKind, Attr, Reduction, arg};
use crate::program::{AxisId, Builder, ReduceOp, Ty};
use crate::{Error, Result};

pub fn lower(b: &Builder, op: &Reduction, attr: &Attr) -> Result<()> {
    use AlgKind::*;
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    // Sums and extrema of integers are exact as integers; products soon leave their range.
    let inner = if op.src.data_type().is_integer() && op.alg != ReductionMul { Ty::S32 } else { ty };
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let mut at = index.clone();
    let mut reduced: Vec<AxisId> = Vec::new();
    let mut count = 1;
    for (d, (&from, &to)) in op.src.dims().iter().zip(op.dst.dims().iter()).enumerate() {
        if from != to {
            let axis = b.sized_axis("row", from);
            at[d] = b.at(axis);
            reduced.push(axis);
            count *= from;
        }
    }
    let x = src.load(&at, inner);
    let p = || b.scalar(op.p.0).to(ty);
    let eps = || b.scalar(op.eps.0).to(ty);
    let fold = |how, x| b.reduce(how, &reduced, x).to(ty);
    let powers = || fold(ReduceOp::Sum, x.abs().pow(p()));
    let y = match op.alg {
        ReductionMax => fold(ReduceOp::Max, x),
        ReductionMin => fold(ReduceOp::Min, x),
        ReductionSum => fold(ReduceOp::Sum, x),
        ReductionMul => fold(ReduceOp::Prod, x),
        ReductionMean => fold(ReduceOp::Sum, x) / b.param(count).to(ty),
        ReductionNormLpMax => powers().max(eps()).pow(p().number(1.0) / p()),
        ReductionNormLpSum => (powers() + eps()).pow(p().number(1.0) / p()),
        ReductionNormLpPowerPMax => powers().max(eps()),
        ReductionNormLpPowerPSum => powers() + eps(),
        alg => return Err(Error::invalid(format!("{alg} is not a reduction algorithm"))),
    };
    b.stage("reduction", axes, bounds, Attributes { b, attr, ty }.finish(y, &dst, arg::DST, &index)?);
    Ok(())
}
