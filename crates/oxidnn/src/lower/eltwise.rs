//! A function of each element, or its derivative.

use super::activation::Activation;
use super::epilogue::Attributes;
use super::float_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Eltwise, arg};
use crate::program::Builder;

pub fn lower(b: &Builder, op: &Eltwise, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    let function = Activation::new(b, op.alg, op.alpha.0, op.beta.0, ty);
    let Some(diff) = &op.diff else {
        let src = View::new(b, "src", arg::SRC, &op.src)?;
        let dst = View::new(b, "dst", arg::DST, &op.dst)?;
        let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
        let y = function.forward(src.load(&index, ty))?;
        b.stage("eltwise", axes, bounds, Attributes { b, attr, ty }.finish(y, &dst, arg::DST, &index)?);
        return Ok(());
    };
    let data =
        if op.uses_dst() { View::new(b, "dst", arg::DST, &op.dst)? } else { View::new(b, "src", arg::SRC, &op.src)? };
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &diff.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &diff.src)?;
    let Domain { axes, index, bounds } = Domain::of(b, &diff.src)?;
    let y = function.backward(gradient.load(&index, ty), data.load(&index, ty))?;
    b.stage("eltwise_backward", axes, bounds, vec![out.store(&index, y)]);
    Ok(())
}
