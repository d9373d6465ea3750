//! From what the user asked to what it means: one file per operation, and the attributes once for all.
//!
//! A lowering sees resolved descriptors (no `any`, no runtime dimensions) and returns a [`Program`]. It knows no device:
//! which of its loops run where is the schedule's business.

mod activation;
mod binary;
mod concat;
mod convolution;
mod dynamic;
mod eltwise;
mod epilogue;
pub mod gemm;
mod grouped;
mod inner_product;
mod layer;
mod lrn;
mod matmul;
mod normalization;
mod pooling;
mod prelu;
mod reduction;
mod reorder;
mod resampling;
mod rnn;
mod sdpa;
pub mod service;
mod shuffle;
mod softmax;
mod sparse;
mod statistic;
mod sum;
mod view;
mod winograd;

use crate::Result;
pub use convolution::Detours;

use crate::desc::{Attr, DataType, Op};
use crate::program::{Builder, Program, Ty};

/// What an operation with its attributes computes.
pub fn lower(op: &Op, attr: &Attr) -> Result<Program> {
    lower_through(op, attr, &Detours::default())
}

/// The same where images of a convolution go through other layouts.
pub fn lower_through(op: &Op, attr: &Attr, detours: &Detours) -> Result<Program> {
    let b = Builder::new();
    match op {
        Op::Reorder(op) => reorder::lower(&b, op, attr),
        Op::Eltwise(op) => eltwise::lower(&b, op, attr),
        Op::Binary(op) => binary::lower(&b, op, attr),
        Op::Sum(op) => sum::lower(&b, op, attr),
        Op::Concat(op) => concat::lower(&b, op, attr),
        Op::Matmul(op) => matmul::lower(&b, op, attr),
        Op::InnerProduct(op) => inner_product::lower(&b, op, attr),
        Op::Convolution(op) => convolution::lower(&b, op, attr, detours),
        Op::Lrn(op) => lrn::lower(&b, op, attr),
        Op::Resampling(op) => resampling::lower(&b, op, attr),
        Op::Shuffle(op) => shuffle::lower(&b, op, attr),
        Op::Prelu(op) => prelu::lower(&b, op, attr),
        Op::Pooling(op) => pooling::lower(&b, op, attr),
        Op::Reduction(op) => reduction::lower(&b, op, attr),
        Op::Normalization(op) => normalization::lower(&b, op, attr),
        Op::Softmax(op) => softmax::lower(&b, op, attr),
        Op::Rnn(op) => rnn::lower(&b, op, attr),
        Op::Sdpa(op) => sdpa::lower(&b, op, attr),
    }?;
    Ok(b.finish())
}

/// The type in which values of these storage types are computed: f32, unless there are doubles.
fn float_type(types: impl IntoIterator<Item = DataType>) -> Ty {
    if types.into_iter().any(|data_type| data_type == DataType::F64) { Ty::F64 } else { Ty::F32 }
}

/// The type in which a value is copied: integers stay integers where nothing is done to them.
fn copy_type(src: DataType, dst: DataType, attr: &Attr) -> Ty {
    let untouched = attr.all_scales().is_empty() && attr.all_zero_points().is_empty() && attr.post_ops().is_empty();
    if src.is_integer() && dst.is_integer() && untouched { Ty::S32 } else { float_type([src, dst]) }
}
