//! A copy to another layout or type.

use super::copy_type;
use super::epilogue::Attributes;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Reorder, arg};
use crate::program::Builder;

pub fn lower(b: &Builder, op: &Reorder, attr: &Attr) -> Result<()> {
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let ty = copy_type(op.src.data_type(), op.dst.data_type(), attr);
    let attributes = Attributes { b, attr, ty };
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let mut x = src.load(&index, ty);
    if let Some(zero_point) = attributes.zero_point(arg::SRC, &op.src, &index, ty)? {
        x = x - zero_point;
    }
    if let Some(scale) = attributes.scale(arg::SRC, &op.src, &index)? {
        x = x * scale;
    }
    b.stage("reorder", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}
