//! Products of matrices that lie one after another, each of another length; the ends of all are in a buffer of offsets.
//!
//! Where groups differ in rows, a row finds the group it belongs to, and with it its weights. Where they differ in the
//! reduced dimension, each product sums over its part of it. Either way lengths are read when the primitive runs.

use super::epilogue::Attributes;
use super::float_type;
use super::matmul::{Factor, sum_of_products};
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, Matmul, MemoryDesc, Sparse, arg};
use crate::program::{Binding, Builder, Expr, ReduceOp, TensorId, Ty};

pub fn lower(b: &Builder, op: &Matmul, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let offsets = b.tensor("offsets", crate::desc::DataType::S32, Binding::Arg { arg: arg::SRC, handle: 1 });
    if op.dst.sparse().is_some() { lower_rows(attributes, op, offsets) } else { lower_depths(attributes, op, offsets) }
}

/// The values of a grouped tensor as one matrix: the groups lie along the outer dimension.
fn dense(md: &MemoryDesc) -> Result<MemoryDesc> {
    match md.sparse() {
        Some(Sparse::Grouped { variable_dim: 1, .. }) => {
            MemoryDesc::with_strides(md.dims(), md.data_type(), Some(&[1, md.dims()[0]]))
        }
        Some(_) => MemoryDesc::with_strides(md.dims(), md.data_type(), None),
        None => Ok(md.clone()),
    }
}

/// Groups of rows, each with its own weights.
fn lower_rows(attributes: Attributes<'_, '_>, op: &Matmul, offsets: TensorId) -> Result<()> {
    let Attributes { b, attr, ty } = attributes;
    let (rows, groups) = (op.src.dims()[0], op.weights.dims()[0]);
    let group_of = View::scratch(b, "group_of_row", &[rows], Ty::S32)?;
    statistic::fill(b, "group_of_row", &group_of, |index| {
        let group = b.sized_axis("group", groups);
        let is_before = b.load(offsets, b.at(group), Ty::S32).le(index[0].to(Ty::S32));
        // What lies behind the last group is no one's, and must not lead outside of the weights.
        let last = b.param(groups - 1).to(Ty::S32);
        Ok(b.reduce(ReduceOp::Sum, &[group], is_before.to(Ty::S32)).min(last))
    })?;

    let dst = View::new(b, "dst", arg::DST, &dense(&op.dst)?)?;
    let Domain { axes, index, bounds } = Domain::of(b, &dst.md)?;
    let [m, n] = [index[0], index[1]];
    let k = b.sized_axis("k", op.src.dims()[1]);
    let group = group_of.load(&[m], Ty::S32).to(Ty::Index);
    let src = Factor {
        attributes,
        arg: arg::SRC,
        view: View::new(b, "src", arg::SRC, &dense(&op.src)?)?,
        index: vec![m, b.at(k)],
        reduced: 1,
    };
    let weights = Factor {
        attributes,
        arg: arg::WEIGHTS,
        view: View::new(b, "weights", arg::WEIGHTS, &op.weights)?,
        index: vec![group, b.at(k), n],
        reduced: 1,
    };
    let mut x = sum_of_products(&src, &weights, k)?;
    if let Some(bias) = &op.bias {
        x = x + View::new(b, "bias", arg::BIAS, bias)?.load(&[group, n], ty);
    }
    let mut stores = Vec::new();
    x = attributes.dropout(x, &dst, &index, &mut stores)?;
    let all = 0..attr.post_ops().len();
    x = attributes.some_post_ops(all, x, &dst, arg::DST, &index, &|name, arg, md, ty| {
        let row = if md.dims()[0] == rows { m } else { group };
        Ok(View::new(b, name, arg, &dense(md)?)?.load(&[row, n], ty))
    })?;
    x = attributes.quantize(x, &dst, arg::DST, &index)?;
    x = attributes.round(x, &dst, arg::DST, &index)?;
    stores.insert(0, dst.store(&index, x));
    b.stage("matmul", axes, bounds, stores);
    Ok(())
}

/// Groups of columns of the source and rows of the weights, each with its own product.
fn lower_depths(attributes: Attributes<'_, '_>, op: &Matmul, offsets: TensorId) -> Result<()> {
    let b = attributes.b;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let [group, m, n] = [index[0], index[1], index[2]];
    let end_of = |group: Expr<'_>| b.load(offsets, group, Ty::S32).to(Ty::Index);
    let start = b.load_if(group.gt(0), offsets, group - 1, Ty::S32).to(Ty::Index);
    let k = b.axis("k", end_of(group) - start);
    let at = start + b.at(k);
    let factor = |name, arg, md, index, reduced| -> Result<Factor<'_, '_>> {
        Ok(Factor { attributes, arg, view: View::new(b, name, arg, &dense(md)?)?, index, reduced })
    };
    let src = factor("src", arg::SRC, &op.src, vec![m, at], 1)?;
    let weights = factor("weights", arg::WEIGHTS, &op.weights, vec![at, n], 0)?;
    let x = sum_of_products(&src, &weights, k)?;
    b.stage("matmul", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}
