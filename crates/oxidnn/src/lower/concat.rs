//! Tensors one after another along a dimension: a stage for each, which writes its part of the destination.

use super::copy_type;
use super::epilogue::Attributes;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Concat, arg};
use crate::program::{Builder, Ty};

pub fn lower(b: &Builder, op: &Concat, attr: &Attr) -> Result<()> {
    if op.dst.has_padding() {
        let dst = View::new(b, "dst", arg::DST, &op.dst)?;
        let Domain { axes, index, .. } = Domain::of(b, &op.dst)?;
        b.stage("clear", axes, None, vec![dst.store(&index, b.constant(Ty::F32, 0.0))]);
    }
    let mut start = 0;
    for (i, src) in op.srcs.iter().enumerate() {
        let number = arg::multiple_src(i);
        let ty = copy_type(src.data_type(), op.dst.data_type(), attr);
        let view = View::new(b, "src", number, src)?;
        let dst = View::new(b, "dst", arg::DST, &op.dst)?;
        let Domain { axes, index, bounds } = Domain::inside(b, src.dims(), &op.dst)?;
        let mut x = view.load(&index, ty);
        if let Some(scale) = (Attributes { b, attr, ty }).scale(number, src, &index)? {
            x = x * scale;
        }
        let mut target = index;
        if start > 0 {
            target[op.axis] = target[op.axis] + b.param(start);
        }
        b.stage("concat", axes, bounds, vec![dst.store(&target, x)]);
        start += src.dims()[op.axis];
    }
    Ok(())
}
