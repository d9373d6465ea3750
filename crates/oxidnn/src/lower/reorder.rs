//! A copy to another layout or type.

use super::epilogue::Attributes;
use super::view::{Domain, View};
use super::{copy_type, winograd};
use crate::desc::{Attr, Reorder, arg};
use crate::program::{Builder, Expr, Ty};
use crate::{Error, Result};

pub fn lower(b: &Builder, op: &Reorder, attr: &Attr) -> Result<()> {
    if op.dst.is_zero() {
        return Ok(());
    }
    match (op.src.transformed(), op.dst.transformed()) {
        (None, None) => copy(b, op, attr),
        (None, Some(to)) => winograd::transform_kernels(b, op, to),
        (Some(from), None) => winograd::transform_kernels_back(b, op, attr, from),
        (Some(_), Some(_)) => match (op.src.stored(), op.dst.stored()) {
            (Some(src), Some(dst)) => copy(b, &Reorder { src, dst }, attr),
            _ => Err(Error::invalid("transformed kernels without a layout")),
        },
    }
}

fn copy(b: &Builder, op: &Reorder, attr: &Attr) -> Result<()> {
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
    if attr.has_rnn_scales() && !op.src.data_type().is_integer() {
        x = rnn_integer(b, op, attr, &index, x)?;
    }
    b.stage("reorder", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}

/// A number as the integers of a recurrent network stand for it.
fn rnn_integer<'b>(b: &'b Builder, op: &Reorder, attr: &Attr, index: &[Expr<'b>], x: Expr<'b>) -> Result<Expr<'b>> {
    let ty = x.ty();
    let Some(scales) = op.rnn_scales(attr) else {
        let (scale, shift) = attr.rnn_data();
        return Ok(x * b.scalar(scale).to(ty) + b.scalar(shift).to(ty));
    };
    if scales.mask == 0 {
        return Ok(x * b.scalar(scales.scales[0].0).to(ty));
    }
    let numbers = scales.scales.iter().map(|scale| scale.0).collect();
    let table = View::list(b, b.table("scales", numbers), scales.scales.len() as i64)?;
    let mut position = b.index(0);
    for (d, &i) in index.iter().enumerate().filter(|(d, _)| scales.mask >> d & 1 == 1) {
        position = position * b.extent(op.dst.dims()[d]) + i;
    }
    Ok(x * table.load(&[position], Ty::F32).to(ty))
}
