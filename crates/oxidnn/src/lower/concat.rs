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
                let is_alike = !src.has_padding() && src.inner_blocks() == op.dst.inner_blocks();
                let domain = match is_alike && !src.inner_blocks().is_empty() {
                    true => Domain::of(b, src)?,
                    false => Domain::inside(b, src.dims(), &op.dst)?,
                };
                (src.dims(), domain, Vec::new())
            }
        };
        let mut x = view.load(&domain.index, ty);
        if let Some(scale) = (Attributes { b, attr, ty }).scale(number, src, &domain.index)? {
            x = x * scale;
        }
        let mut target = domain.index.clone();
        if start > 0 {
            // Whole blocks are so many blocks, and what is in them stays where it is.
            let block: i64 = op.dst.inner_blocks().iter().filter(|of| of.dim == op.axis).map(|of| of.size).product();
            target[op.axis] = match block > 1 && start % block == 0 {
                true => b.param(start / block) * block + target[op.axis],
                false => target[op.axis] + b.param(start),
            };
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
    use crate::program::{BinaryOp, Node};

    fn tagged(dims: &[i64], data_type: DataType, tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, data_type, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn no_position_is_divided_where_all_parts_are_whole_blocks() {
        for (channels, divides) in [(vec![32, 16, 48], false), (vec![16, 8, 16], true)] {
            let dst = tagged(&[2, channels.iter().sum(), 5, 7], DataType::F32, "aBcd16b");
            let part = |&c: &i64| tagged(&[2, c, 5, 7], DataType::F32, "aBcd16b");
            let srcs: Vec<MemoryDesc> = channels.iter().map(part).collect();
            let op: Op = Concat::new(1, &srcs, Some(&dst)).unwrap().into();
            let program = crate::lower::lower(&op, &Attr::new()).unwrap();
            let mut found = false;
            let stores = program.stages.iter().flat_map(|stage| &stage.stores);
            program.visit(stores.flat_map(|store| [store.offset, store.value]), &mut |e| {
                found |= matches!(program.node(e), Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..));
            });
            assert_eq!(found, divides, "{channels:?}\n{program}");
        }
    }

    #[test]
    fn neighbours_that_are_alike_are_one_stage() {
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
