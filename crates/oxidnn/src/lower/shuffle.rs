//! A transposition inside one dimension.

use super::copy_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Shuffle, arg};
use crate::program::Builder;

pub fn lower(b: &Builder, op: &Shuffle, attr: &Attr) -> Result<()> {
    let forward = op.prop.is_forward();
    let (from, to) = if forward { (&op.src, &op.dst) } else { (&op.dst, &op.src) };
    let (from_arg, to_arg) = if forward { (arg::SRC, arg::DST) } else { (arg::DIFF_DST, arg::DIFF_SRC) };
    let src = View::new(b, "src", from_arg, from)?;
    let dst = View::new(b, "dst", to_arg, to)?;
    let groups = op.src.dims()[op.axis] / op.group_size;
    // The destination's dimension as a matrix; the source's is its transpose.
    let (rows, columns) = if forward { (op.group_size, groups) } else { (groups, op.group_size) };
    let (rows, columns) = (b.extent(rows), b.extent(columns));
    let Domain { axes, index, bounds } = Domain::of(b, to)?;
    let position = index[op.axis];
    let mut at = index.clone();
    at[op.axis] = position % columns * rows + position / columns;
    let x = src.load(&at, copy_type(from.data_type(), to.data_type(), attr));
    // OpenCL C has a function `shuffle`, and the stage becomes one.
    b.stage("shuffle_groups", axes, bounds, vec![dst.store(&index, x)]);
    Ok(())
}
