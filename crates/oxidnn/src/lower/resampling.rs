//! Nearest and linear resampling and their gradients.
//!
//! An element at `o` of `n_out` lies at `(o + 1/2) * n_in / n_out - 1/2` of the input. Which elements are its neighbours is
//! integer arithmetic; only the weights are floats.

use super::epilogue::Attributes;
use super::float_type;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{AlgKind, Attr, Resampling, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// The largest factor that is a constant of a kernel.
const MOST_CONSTANT: i64 = 8;

/// One spatial dimension.
struct Scale<'b> {
    b: &'b Builder,
    input: i64,
    output: i64,
    n_in: Expr<'b>,
    n_out: Expr<'b>,
    ty: Ty,
}

impl<'b> Scale<'b> {
    fn all(b: &'b Builder, op: &Resampling, ty: Ty) -> Vec<Scale<'b>> {
        let sizes = op.src.dims().iter().zip(op.dst.dims().iter()).skip(2);
        let scale = |(&input, &output): (&i64, &i64)| {
            let (n_in, n_out) = (b.extent(input), b.extent(output));
            Scale { b, input, output, n_in, n_out, ty }
        };
        sizes.map(scale).collect()
    }

    /// `2 * n_out * (position + 1/2)` of an output.
    fn numerator(&self, o: Expr<'b>) -> Expr<'b> {
        (o * 2 + 1) * self.n_in
    }

    /// How many times larger the output is, where that is a small whole number: then divisions are by constants.
    fn factor(&self) -> Option<i64> {
        (self.input > 0 && self.output % self.input == 0 && self.output / self.input <= MOST_CONSTANT)
            .then(|| self.output / self.input)
    }

    fn nearest(&self, o: Expr<'b>) -> Expr<'b> {
        if let Some(factor) = self.factor() {
            return o / factor;
        }
        self.numerator(o) / (self.n_out * 2)
    }

    /// The neighbours of an output and the second one's weight.
    fn neighbours(&self, o: Expr<'b>) -> (Expr<'b>, Expr<'b>, Expr<'b>) {
        let zero = self.b.index(0);
        if let Some(factor) = self.factor() {
            let position = (o * 2 + 1 - factor).max(zero);
            let left = position / (2 * factor);
            let right = ((position + (2 * factor - 1)) / (2 * factor)).min(self.n_in - 1);
            let exact = (o.to(self.ty) + 0.5) / (factor as f64) - 0.5;
            return (left, right, (exact - left.to(self.ty)).abs());
        }
        let whole = self.n_out * 2;
        let position = (self.numerator(o) - self.n_out).max(zero);
        let left = position / whole;
        let right = ((position + whole - 1) / whole).min(self.n_in - 1);
        let exact = (o.to(self.ty) + 0.5) * self.n_in.to(self.ty) / self.n_out.to(self.ty) - 0.5;
        (left, right, (exact - left.to(self.ty)).abs())
    }

    /// `ceil(max(a, 0) / (2 * n_in))`: the first output whose numerator reaches `a + n_in`.
    fn first_output(&self, a: Expr<'b>) -> Expr<'b> {
        let whole = self.n_in * 2;
        (a.max(self.b.index(0)) + whole - 1) / whole
    }

    /// The outputs that an input at `i` is nearest to: the one at which `axis` stands, whether it exists, and its weight.
    fn outputs(&self, linear: bool, axis: AxisId, i: Expr<'b>) -> (Expr<'b>, Expr<'b>, Expr<'b>) {
        match self.factor() {
            Some(factor) if linear && factor > 1 => {
                let o = i * factor - factor / 2 + self.b.at(axis);
                let share = self.share((o.to(self.ty) + 0.5) / (factor as f64) - 0.5, i);
                return (o, o.ge(0) & o.lt(self.n_out), share);
            }
            Some(factor) => {
                return (i * factor + self.b.at(axis), self.b.bool(true), self.b.constant(self.ty, 1.0));
            }
            None => {}
        }
        // Those less than one element away on either side, or less than half of one.
        let [low, high] = if linear { [i * 2 - 1, i * 2 + 3] } else { [i * 2, i * 2 + 2] };
        let [first, end] = [low, high].map(|reach| self.first_output(reach * self.n_out - self.n_in));
        let o = first + self.b.at(axis);
        let exact = (o.to(self.ty) + 0.5) * self.n_in.to(self.ty) / self.n_out.to(self.ty) - 0.5;
        let share = if linear { self.share(exact, i) } else { self.b.constant(self.ty, 1.0) };
        (o, o.lt(end.min(self.n_out)), share)
    }

    /// How much an input at `i` counts for an output that lies `exact`ly there.
    fn share(&self, exact: Expr<'b>, i: Expr<'b>) -> Expr<'b> {
        let (zero, last) = (self.b.constant(self.ty, 0.0), (self.n_in - 1).to(self.ty));
        (-(exact.clamp(zero, last) - i.to(self.ty)).abs() + 1.0).max(0.0)
    }

    /// How many outputs there are at most that an input has a part in.
    fn window(&self, linear: bool) -> i64 {
        let span = if linear { 2 } else { 1 };
        if let Some(factor) = self.factor() {
            // Of odd factors one lies where the input does, and those that lie where its neighbours do are none of its.
            return if linear { 2 * factor - factor % 2 } else { factor };
        }
        (span * self.output / self.input.max(1) + 2).min(self.output)
    }
}

pub fn lower(b: &Builder, op: &Resampling, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    let linear = op.alg == AlgKind::ResamplingLinear;
    let scales = Scale::all(b, op, ty);
    if !op.prop.is_forward() {
        return backward(b, op, &scales, linear, ty);
    }
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let y = if linear {
        interpolate(&src, &scales, &index, &mut index[..2].to_vec(), ty)
    } else {
        let near = scales.iter().zip(&index[2..]).map(|(scale, &o)| scale.nearest(o));
        let at: Vec<Expr<'_>> = index[..2].iter().copied().chain(near).collect();
        src.load(&at, ty)
    };
    b.stage("resampling", axes, bounds, Attributes { b, attr, ty }.finish(y, &dst, arg::DST, &index)?);
    Ok(())
}

/// Interpolates along the dimensions that `at` does not have yet, the last one outermost.
fn interpolate<'b>(
    src: &View<'b>,
    scales: &[Scale<'b>],
    index: &[Expr<'b>],
    at: &mut Vec<Expr<'b>>,
    ty: Ty,
) -> Expr<'b> {
    let Some((scale, rest)) = scales.split_first() else { return src.load(at, ty) };
    if scale.factor() == Some(1) {
        at.push(index[at.len()]);
        let y = interpolate(src, rest, index, at, ty);
        at.pop();
        return y;
    }
    let (left, right, weight) = scale.neighbours(index[at.len()]);
    at.push(left);
    let a = interpolate(src, rest, index, at, ty);
    at.pop();
    at.push(right);
    let b = interpolate(src, rest, index, at, ty);
    at.pop();
    a * (-weight + 1.0) + b * weight
}

fn backward(b: &Builder, op: &Resampling, scales: &[Scale<'_>], linear: bool, ty: Ty) -> Result<()> {
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &op.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &op.src)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.src)?;
    let mut at = index[..2].to_vec();
    let mut exists = b.bool(true);
    let mut weight = b.constant(ty, 1.0);
    let mut reduced = Vec::new();
    for (scale, &i) in scales.iter().zip(&index[2..]) {
        let axis = b.sized_axis("window", scale.window(linear));
        let (o, inside, share) = scale.outputs(linear, axis, i);
        at.push(o);
        exists = exists & inside;
        weight = weight * share;
        reduced.push(axis);
    }
    let x = b.reduce(ReduceOp::Sum, &reduced, gradient.load_if(exists, &at, ty) * weight);
    b.stage("resampling_backward", axes, bounds, vec![out.store(&index, x)]);
    Ok(())
}
