//! A rectifier whose slope for negative values is a tensor, and its gradients.

use super::float_type;
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Prelu, arg};
use crate::program::{AxisId, Builder, ReduceOp};

pub fn lower(b: &Builder, op: &Prelu, _attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.weights.data_type(), op.dst.data_type()]);
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let weights = View::new(b, "weights", arg::WEIGHTS, &op.weights)?;
    let Some(diff) = &op.diff else {
        let dst = View::new(b, "dst", arg::DST, &op.dst)?;
        let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
        let x = src.load(&index, ty);
        let y = x.gt(0.0).select(x, x * weights.load(&index, ty));
        b.stage("prelu", axes, bounds, vec![dst.store(&index, y)]);
        return Ok(());
    };
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &diff.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &diff.src)?;
    let slope = View::new(b, "diff_weights", arg::DIFF_WEIGHTS, &diff.weights)?;
    statistic::fill(b, "prelu_weights", &slope, |index| {
        let mut at = index.to_vec();
        let mut reduced: Vec<AxisId> = Vec::new();
        for (d, (&from, &to)) in op.src.dims().iter().zip(op.weights.dims().iter()).enumerate() {
            if from != to {
                let axis = b.sized_axis("row", from);
                at[d] = b.at(axis);
                reduced.push(axis);
            }
        }
        let x = src.load(&at, ty);
        Ok(b.reduce(ReduceOp::Sum, &reduced, x.min(0.0) * gradient.load(&at, ty)))
    })?;
    let Domain { axes, index, bounds } = Domain::of(b, &diff.src)?;
    let (x, d) = (src.load(&index, ty), gradient.load(&index, ty));
    let y = x.gt(0.0).select(d, d * weights.load(&index, ty));
    b.stage("prelu_backward", axes, bounds, vec![out.store(&index, y)]);
    Ok(())
}
