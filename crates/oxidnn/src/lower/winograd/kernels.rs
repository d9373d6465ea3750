//! Kernels, and the numbers that Winograd's algorithm multiplies instead: one made from the other.

use super::transforms::{KERNEL, OF_KERNEL, transform};
use super::{TILE, stores};
use crate::desc::{Attr, Blocking, DataType, Dims, Format, InnerBlock, MemoryDesc, Reorder, Transformed, arg};
use crate::lower::epilogue::Attributes;
use crate::lower::view::{Domain, View};
use crate::program::{Builder, Expr, Ty};
use crate::{Error, Result};

/// Which kernel it is that is transformed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kernels {
    /// Whether a result is a sum over input channels.
    pub sums_inputs: bool,
    /// Whether the kernel is turned around.
    pub turned: bool,
}

impl From<&Transformed> for Kernels {
    fn from(&Transformed { sums_inputs, turned, .. }: &Transformed) -> Kernels {
        Kernels { sums_inputs, turned }
    }
}

impl Kernels {
    /// The kernel of a group, a channel that is summed and a channel of results, transformed.
    pub fn transformed<'b>(
        self,
        b: &'b Builder,
        weights: &View<'b>,
        [g, s, c]: [Expr<'b>; 3],
    ) -> [[Expr<'b>; TILE]; TILE] {
        let has_groups = weights.md.ndims() == 5;
        let [o, i] = if self.sums_inputs { [c, s] } else { [s, c] };
        let place = |k: usize| b.index(if self.turned { KERNEL - 1 - k } else { k } as i64);
        let kernel = std::array::from_fn(|y| {
            std::array::from_fn(|x| {
                let index = has_groups.then_some(g).into_iter().chain([o, i, place(y), place(x)]);
                weights.load(&index.collect::<Vec<_>>(), Ty::F32)
            })
        });
        transform(&OF_KERNEL, &kernel)
    }
}

/// A copy to transformed kernels.
pub fn transform_kernels(b: &Builder, op: &Reorder, to: &Transformed) -> Result<()> {
    let stored = stored(&op.dst)?;
    let weights = View::new(b, "weights", arg::SRC, &op.src)?;
    let target = View::new(b, "kernels", arg::DST, &stored)?;
    let Domain { axes, index, bounds } = Domain::of(b, &of_a_position(&stored)?)?;
    let at = [index[0], index[1], index[2]];
    let tile = Kernels::from(to).transformed(b, &weights, at);
    b.stage("winograd_kernels", axes, bounds, stores(b, &target, &tile, &at));
    Ok(())
}

/// A copy from transformed kernels.
pub fn transform_kernels_back(b: &Builder, op: &Reorder, attr: &Attr, from: &Transformed) -> Result<()> {
    let kernels = View::new(b, "kernels", arg::SRC, &stored(&op.src)?)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let (group, filter) = index.split_at(index.len() - 4);
    let g = group.first().copied().unwrap_or_else(|| b.index(0));
    let [s, c] = if from.sums_inputs { [filter[1], filter[0]] } else { [filter[0], filter[1]] };
    let [lines, places] = [filter[2], filter[3]]
        .map(|at| untransformed(b, if from.turned { b.index(KERNEL as i64 - 1) - at } else { at }));
    let terms = lines.iter().flat_map(|&(y, above)| {
        places.map(|(x, beside)| above * beside * kernels.load(&[y * TILE as i64 + x, g, s, c], Ty::F32))
    });
    let value = terms.reduce(|sum, term| sum + term).unwrap_or_else(|| b.constant(Ty::F32, 0.0));
    let attributes = Attributes { b, attr, ty: Ty::F32 };
    b.stage("winograd_kernels_back", axes, bounds, attributes.finish(value, &dst, arg::DST, &index)?);
    Ok(())
}

/// A number of a kernel, along one side, from what it was transformed to: which of these, and their factors. The first is four times
/// the first of them, the last is the last one, and the one between three times what the third is larger than the second.
fn untransformed<'b>(b: &'b Builder, at: Expr<'b>) -> [(Expr<'b>, Expr<'b>); 2] {
    let (is_first, is_last) = (at.equals(0), at.equals(KERNEL as i64 - 1));
    let factor = |value: f64| b.constant(Ty::F32, value);
    let place = is_first.select(b.index(0), is_last.select(b.index(TILE as i64 - 1), b.index(2)));
    let first = (place, is_first.select(factor(4.0), is_last.select(factor(1.0), factor(3.0))));
    let second = (b.index(1), (is_first | is_last).select(factor(0.0), factor(-3.0)));
    [first, second]
}

/// The tensor that transformed kernels are stored in.
fn stored(md: &MemoryDesc) -> Result<MemoryDesc> {
    md.stored().ok_or_else(|| Error::invalid("kernels that are not transformed"))
}

/// What is stored for one position in a tile: groups, summed channels and channels of results.
fn of_a_position(stored: &MemoryDesc) -> Result<MemoryDesc> {
    let blocking = stored.blocking().ok_or_else(|| Error::invalid("transformed kernels without a layout"))?;
    let inner = blocking.inner.iter().map(|block| InnerBlock { dim: block.dim - 1, size: block.size }).collect();
    let blocking = Blocking { strides: Dims::new(&blocking.strides[1..])?, inner };
    let (dims, padded) = (&stored.dims()[1..], &stored.padded_dims()[1..]);
    MemoryDesc::from_parts(dims, DataType::F32, padded, &[0; 3], 0, Format::Blocked(blocking))
}
