//! Attention.
//!
//! Written as three stages: the largest product of each query, the sum of the powers, the mean of the values. Products are
//! computed again in each of them, so that they are never all in memory; a schedule may go through the keys once instead.
//! They are one expression for all three, by which such a schedule knows them.

use super::epilogue::Attributes;
use super::softmax::LOWEST;
use super::view::View;
use crate::Result;
use crate::desc::{AttentionMask, AttentionScale, Attr, MemoryDesc, Sdpa, Unseeing, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// A query and, where it meets keys, its products.
struct Products<'a, 'b> {
    b: &'b Builder,
    op: &'a Sdpa,
    attributes: Attributes<'a, 'b>,
    queries: View<'b>,
    keys: View<'b>,
    values: View<'b>,
    mask: Option<View<'b>>,
    scale: Expr<'b>,
    /// The dimensions before the last two, as queries count them and as keys do.
    outer: Vec<Expr<'b>>,
    shared: Vec<Expr<'b>>,
    token: Expr<'b>,
    channel: AxisId,
}

impl<'b> Products<'_, 'b> {
    /// An element of keys or values as a number, by the last two of its indices.
    fn element(&self, view: &View<'b>, number: i32, last: [Expr<'b>; 2]) -> Result<Expr<'b>> {
        let index: Vec<Expr<'b>> = self.shared.iter().copied().chain(last).collect();
        let mut x = view.load(&index, Ty::F32);
        if let Some(zero_point) = self.attributes.zero_point(number, &view.md, &index, Ty::F32)? {
            x = x - zero_point;
        }
        if let Some(scale) = self.attributes.scale(number, &view.md, &index)? {
            x = x * scale;
        }
        Ok(x)
    }

    /// What the query makes of a key, before the softmax.
    fn product(&self, key: Expr<'b>) -> Result<Expr<'b>> {
        let b = self.b;
        let index =
            |last: Expr<'b>| -> Vec<Expr<'b>> { self.outer.iter().copied().chain([self.token, last]).collect() };
        let channel = b.at(self.channel);
        let query = self.queries.load(&index(channel), Ty::F32);
        let dot = query * self.element(&self.keys, Sdpa::KEYS, [channel, key])?;
        let mut x = b.reduce(ReduceOp::Sum, &[self.channel], dot) * self.scale;
        if let Some(mask) = &self.mask {
            x = x + mask.load(&index(key), Ty::F32);
        }
        let tokens = self.op.queries.ndims() - 2;
        let seen = match self.op.mask {
            AttentionMask::CausalTopLeft => Some(key.le(self.token)),
            // Counted from the last, both positions moved so that none is below zero.
            AttentionMask::CausalBottomRight => {
                let [queries, keys] = [self.op.queries.dims()[tokens], self.op.keys.dims()[tokens + 1]];
                Some((key + b.param(queries)).le(self.token + b.param(keys)))
            }
            AttentionMask::None | AttentionMask::Explicit(_) => None,
        };
        Ok(seen.map_or(x, |seen| seen.select(x, f64::NEG_INFINITY)))
    }
}

pub fn lower(b: &Builder, op: &Sdpa, attr: &Attr) -> Result<()> {
    let rank = op.queries.ndims();
    let mut axes: Vec<AxisId> = Vec::new();
    let (mut outer, mut shared) = (Vec::new(), Vec::new());
    for d in 0..rank - 2 {
        let (queries, keys) = (op.queries.dims()[d], op.keys.dims()[d]);
        let of_keys = b.sized_axis("head", keys);
        axes.push(of_keys);
        let position = b.at(of_keys);
        shared.push(position);
        if queries == keys {
            outer.push(position);
            continue;
        }
        // Neighbouring heads share keys.
        let count = queries / keys;
        let member = b.sized_axis("member", count);
        axes.push(member);
        outer.push(position * b.extent(count) + b.at(member));
    }
    let token = b.sized_axis("token", op.queries.dims()[rank - 2]);
    axes.push(token);
    let number = |number: f32| b.scalar(number);
    let scale = match op.scale {
        AttentionScale::Number(scale) => number(scale.0),
        AttentionScale::Tensor { data_type, divides, on_host } => {
            let scale = if on_host {
                b.host_scalar(arg::SCALE, data_type)
            } else {
                let md = MemoryDesc::with_strides(&[1], data_type, None)?;
                View::new(b, "scale", arg::SCALE, &md)?.load(&[b.index(0)], Ty::F32)
            };
            if divides { b.constant(Ty::F32, 1.0) / scale } else { scale }
        }
    };
    let products = Products {
        b,
        op,
        attributes: Attributes { b, attr, ty: Ty::F32 },
        queries: View::new(b, "queries", Sdpa::QUERIES, &op.queries)?,
        keys: View::new(b, "keys", Sdpa::KEYS, &op.keys)?,
        values: View::new(b, "values", Sdpa::VALUES, &op.values)?,
        mask: match &op.mask {
            AttentionMask::Explicit(mask) => Some(View::new(b, "mask", Sdpa::MASK, mask)?),
            _ => None,
        },
        scale,
        outer,
        shared,
        token: b.at(token),
        channel: b.sized_axis("channel", op.queries.dims()[rank - 1]),
    };
    let axis = b.sized_axis("key", op.keys.dims()[rank - 1]);
    let key = b.at(axis);
    let product = products.product(key)?;
    let rows: Vec<Expr<'_>> = products.outer.iter().copied().chain([products.token]).collect();
    let row_dims = &op.queries.dims()[..rank - 1];

    let largest = View::scratch(b, "largest", row_dims, Ty::F32)?;
    // A query that sees no key has this for its largest product.
    let value = b.reduce(ReduceOp::Max, &[axis], product).max(LOWEST);
    b.stage("attend_max", axes.clone(), None, vec![largest.store(&rows, value)]);

    let sums = View::scratch(b, "sums", row_dims, Ty::F32)?;
    let power = (product - largest.load(&rows, Ty::F32)).exp();
    let value = b.reduce(ReduceOp::Sum, &[axis], power);
    b.stage("attend_sum", axes.clone(), None, vec![sums.store(&rows, value)]);

    let channel = b.sized_axis("out", op.values.dims()[rank - 1]);
    let weighted = power * products.element(&products.values, Sdpa::VALUES, [key, b.at(channel)])?;
    let sum = sums.load(&rows, Ty::F32);
    let mean = b.reduce(ReduceOp::Sum, &[axis], weighted) / sum;
    let mean = match op.unseeing {
        Unseeing::Zeros => sum.equals(0.0).select(mean.number(0.0), mean),
        Unseeing::Nan => mean,
    };
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let index: Vec<Expr<'_>> = rows.iter().copied().chain([b.at(channel)]).collect();
    axes.push(channel);
    b.stage("attend", axes, None, vec![dst.store(&index, mean)]);
    Ok(())
}
