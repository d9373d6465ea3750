//! Tensors one after another along a dimension: stages that write their parts of the destination, one for some that are alike.

use super::copy_type;
use super::epilogue::Attributes;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Concat, Dims, MemoryDesc, arg};
use crate::program::{Builder, Store, Ty};

/// Most sources that one stage copies.
const MOST_SIDE_BY_SIDE: usize = 4;

pub fn lower(b: &Builder, op: &Concat, attr: &Attr) -> Result<()> {
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    if op.dst.has_padding() {
        let Domain { axes, index, .. } = Domain::of(b, &op.dst)?;
        b.stage("clear", axes, None, vec![dst.store(&index, b.constant(Ty::F32, 0.0))]);
    }
    let mut start = 0;
    let mut stage: Option<(&Dims, Domain<'_>, Vec<Store>)> = None;
    for (i, src) in op.srcs.iter().enumerate() {
        let number = arg::multiple_src(i);
        let ty = copy_type(src.data_type(), op.dst.data_type(), attr);
        let view = View::new(b, "src", number, src)?;
        let most = if is_copied_in_order(src, &op.dst) { MOST_SIDE_BY_SIDE } else { 1 };
        let joins = |dims: &Dims, stores: &[Store]| dims == src.dims() && stores.len() < most;
        let (dims, domain, mut stores) = match stage.take() {
            Some((dims, domain, stores)) if joins(dims, &stores) => (dims, domain, stores),
            before => {
                finish(b, before);
                (src.dims(), Domain::inside(b, src.dims(), &op.dst)?, Vec::new())
            }
        };
        let mut x = view.load(&domain.index, ty);
        if let Some(scale) = (Attributes { b, attr, ty }).scale(number, src, &domain.index)? {
            x = x * scale;
        }
        let mut target = domain.index.clone();
        if start > 0 {
            target[op.axis] = target[op.axis] + b.param(start);
        }
        stores.push(dst.store(&target, x));
        start += src.dims()[op.axis];
        stage = Some((dims, domain, stores));
        if most == 1 {
            finish(b, stage.take());
        }
    }
    finish(b, stage);
    Ok(())
}

fn finish(b: &Builder, stage: Option<(&Dims, Domain<'_>, Vec<Store>)>) {
    if let Some((_, Domain { axes, bounds, .. }, stores)) = stage {
        b.stage("concat", axes, bounds, stores);
    }
}

/// Whether a source is read in the order in which it is written, in whole vectors: a byte is less than a lane, and what is turned or in
/// blocks is better copied by itself.
fn is_copied_in_order(src: &MemoryDesc, dst: &MemoryDesc) -> bool {
    let order = |md: &MemoryDesc| -> Option<Vec<usize>> {
        let strides = md.strides().filter(|_| md.inner_blocks().is_empty())?;
        let mut order: Vec<usize> = (0..md.ndims()).collect();
        order.sort_by_key(|&d| std::cmp::Reverse(strides[d]));
        Some(order)
    };
    let is_wide = |md: &MemoryDesc| md.data_type().bits() >= 16;
    is_wide(src) && is_wide(dst) && order(src).is_some() && order(src) == order(dst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{DataType, FormatTag, Op};

    #[test]
    fn neighbours_that_are_alike_are_one_stage() {
        let tagged = |dims: &[i64], data_type: DataType, tag: &str| {
            MemoryDesc::with_tag(dims, data_type, FormatTag::from_name(tag).unwrap()).unwrap()
        };
        for (channels, data_type, from, to, stages) in [
            (vec![16, 16], DataType::F32, "abcd", "abcd", 1),
            (vec![16; 6], DataType::F32, "abcd", "abcd", 2),
            (vec![16, 16, 8], DataType::Bf16, "acdb", "acdb", 2),
            (vec![16, 16], DataType::S8, "abcd", "abcd", 2),
            (vec![16, 16], DataType::F32, "acdb", "abcd", 2),
            (vec![16, 16], DataType::F32, "aBcd16b", "abcd", 2),
        ] {
            let dst = tagged(&[2, channels.iter().sum(), 5, 7], data_type, to);
            let srcs: Vec<MemoryDesc> = channels.iter().map(|&c| tagged(&[2, c, 5, 7], data_type, from)).collect();
            let op: Op = Concat::new(1, &srcs, Some(&dst)).unwrap().into();
            let program = crate::lower::lower(&op, &Attr::new()).unwrap();
            assert_eq!(program.stages.len(), stages, "{channels:?} of {data_type} from {from} to {to}");
        }
    }
}
