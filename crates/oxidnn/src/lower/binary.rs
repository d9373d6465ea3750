//! A function of two tensors, either of which may be broadcast; or a choice between them by a third.

use super::epilogue::{self, Attributes};
use super::float_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Binary, MemoryDesc, arg};
use crate::program::{Builder, Ty};

pub fn lower(b: &Builder, op: &Binary, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src0.data_type(), op.src1.data_type(), op.dst.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let input = |name, number: i32, md: &MemoryDesc| -> Result<_> {
        let x = View::new(b, name, number, md)?.load(&index, ty);
        Ok(match attributes.scale(number, md, &index)? {
            Some(scale) => x * scale,
            None => x,
        })
    };
    let x0 = input("src0", arg::SRC_0, &op.src0)?;
    let x1 = input("src1", arg::SRC_1, &op.src1)?;
    let y = match &op.src2 {
        Some(src2) => {
            let condition = View::new(b, "src2", arg::SRC_2, src2)?.load(&index, Ty::S32);
            condition.differs(0).select(x0, x1)
        }
        None => epilogue::binary(op.alg, x0, x1)?,
    };
    b.stage("binary", axes, bounds, attributes.finish(y, &dst, arg::DST, &index)?);
    Ok(())
}
