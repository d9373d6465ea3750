//! Local response normalization and its gradient.

use super::float_type;
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{AlgKind, Attr, Lrn, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// Most neighbours along a dimension that are part of a kernel's structure, and along how many dimensions.
const MOST_WRITTEN_OUT: i64 = 5;
const MOST_DIMS_WRITTEN_OUT: usize = 2;

/// The neighbourhood of an element.
struct Around<'a, 'b> {
    b: &'b Builder,
    op: &'a Lrn,
    ty: Ty,
}

impl<'b> Around<'_, 'b> {
    /// The dimensions along which there are neighbours.
    fn dims(&self) -> std::ops::Range<usize> {
        if self.op.alg == AlgKind::LrnAcrossChannels { 1..2 } else { 2..self.op.src.ndims() }
    }

    /// The sum of a value over the neighbourhood; `value` gets a neighbour's index and whether it exists.
    fn sum(&self, index: &[Expr<'b>], value: impl FnOnce(&[Expr<'b>], Expr<'b>) -> Expr<'b>) -> Expr<'b> {
        let half = ((self.op.local_size - 1) / 2).max(0);
        let mut at = index.to_vec();
        let mut exists = self.b.bool(true);
        let mut axes: Vec<AxisId> = Vec::new();
        for d in self.dims() {
            // Few neighbours are written out.
            let count = 2 * half + 1;
            let is_short = self.dims().len() <= MOST_DIMS_WRITTEN_OUT && count <= MOST_WRITTEN_OUT;
            let of_structure = |value: i64| if is_short { self.b.index(value) } else { self.b.param(value) };
            let axis = self.b.axis("near", of_structure(count));
            let shift = if half == 0 { self.b.index(0) } else { of_structure(half) };
            at[d] = index[d] + self.b.at(axis) - shift;
            exists = exists & at[d].ge(0) & at[d].lt(self.b.extent(self.op.src.dims()[d]));
            axes.push(axis);
        }
        self.b.reduce(ReduceOp::Sum, &axes, value(&at, exists))
    }

    /// Alpha divided by how many elements a neighbourhood has.
    fn alpha(&self) -> Expr<'b> {
        let elements = self.op.local_size.max(1).pow(self.dims().len() as u32);
        self.b.scalar(self.op.alpha.0).to(self.ty) / self.b.param(elements).to(self.ty)
    }

    /// What is kept of a neighbourhood: its weighted sum, or, where beta is the usual one, the inverse of that number's fourth root, of
    /// which all that is needed later are products.
    fn omega(&self, src: &View<'b>, index: &[Expr<'b>]) -> Expr<'b> {
        let squares = self.sum(index, |at, exists| {
            let x = src.load_if(exists, at, self.ty);
            x * x
        });
        let omega = self.b.scalar(self.op.k.0).to(self.ty) + self.alpha() * squares;
        if !self.keeps_roots() {
            return omega;
        }
        let one = omega.number(1.0);
        let root = one / omega.sqrt();
        root * (one / root.sqrt())
    }

    fn keeps_roots(&self) -> bool {
        self.op.beta.0 == 0.75
    }

    /// The weighted sum to the power of minus beta, of what is kept.
    fn power(&self, kept: Expr<'b>) -> Expr<'b> {
        if self.keeps_roots() { kept * kept * kept } else { kept.pow(-self.beta()) }
    }

    /// One over the weighted sum, of what is kept.
    fn inverse(&self, kept: Expr<'b>) -> Expr<'b> {
        if self.keeps_roots() { kept * kept * (kept * kept) } else { kept.number(1.0) / kept }
    }

    fn beta(&self) -> Expr<'b> {
        self.b.scalar(self.op.beta.0).to(self.ty)
    }
}

pub fn lower(b: &Builder, op: &Lrn, _attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    let around = Around { b, op, ty };
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    // What is read of neighbours goes through the scratchpad, so that the result may take the place of what is read.
    let near = |name| View::scratch_like(b, name, &op.src.with_data_type(ty.storage()));
    let omega = near("omega")?;
    statistic::fill(b, "lrn_omega", &omega, |index| Ok(around.omega(&src, index)))?;
    let Some(diff) = &op.diff else {
        let dst = View::new(b, "dst", arg::DST, &op.dst)?;
        let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
        let y = src.load(&index, ty) * around.power(omega.load(&index, ty));
        b.stage("lrn", axes, bounds, vec![dst.store(&index, y)]);
        return Ok(());
    };
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &diff.dst)?;
    let share = near("share")?;
    statistic::fill(b, "lrn_share", &share, |index| {
        let omega = omega.load(index, ty);
        Ok(gradient.load(index, ty) * around.power(omega) * around.inverse(omega) * src.load(index, ty))
    })?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &diff.src)?;
    let Domain { axes, index, bounds } = Domain::of(b, &diff.src)?;
    let others = around.sum(&index, |at, exists| share.load_if(exists, at, ty));
    let own = gradient.load(&index, ty) * around.power(omega.load(&index, ty));
    let x = own - others * src.load(&index, ty) * (around.alpha() * around.beta() * 2.0);
    b.stage("lrn_backward", axes, bounds, vec![out.store(&index, x)]);
    Ok(())
}
