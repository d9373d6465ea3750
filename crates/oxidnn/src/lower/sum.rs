//! A weighted sum of tensors.

use super::float_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, MemoryDesc, Sum, arg};
use crate::program::Builder;

pub fn lower(b: &Builder, op: &Sum, _attr: &Attr) -> Result<()> {
    let ty = float_type(op.srcs.iter().chain([&op.dst]).map(MemoryDesc::data_type));
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let mut total = b.constant(ty, 0.0);
    for (i, (src, scale)) in op.srcs.iter().zip(&op.scales).enumerate() {
        let x = View::new(b, "src", arg::multiple_src(i), src)?.load(&index, ty);
        total = total + x * b.scalar(scale.0).to(ty);
    }
    b.stage("sum", axes, bounds, vec![dst.store(&index, total)]);
    Ok(())
}
