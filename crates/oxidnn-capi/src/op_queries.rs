//! Queries of what only some operations have: parameters, and tensors with numbers of their own.

use std::ffi::c_int;

use oxidnn::Result;
use oxidnn::desc::{MemoryDesc, Op, Rnn, arg};

use crate::handle::{Enum, Untyped};
use crate::vocabulary::{AlgKind, PropKind, Query, RnnDirection};

/// Answers the query of a parameter, if the operation has it.
pub(crate) fn parameter(op: &Op, what: Query, result: &Untyped) -> Option<Result<()>> {
    let algorithm = |alg: AlgKind| result.set::<Enum<AlgKind>>(alg.into());
    Some(match (what, op) {
        (Query::PropKind, _) if op.prop_kind() != PropKind::Undef => {
            result.set::<Enum<PropKind>>(op.prop_kind().into())
        }
        (Query::AlgKind, Op::Softmax(op)) => algorithm(op.alg),
        (Query::Axis, Op::Softmax(op)) => result.set(op.axis as c_int),
        (Query::Epsilon, Op::Normalization(op)) => result.set(op.epsilon.0),
        (Query::Flags, Op::Normalization(op)) => result.set(op.flags.0),
        (Query::GroupSize, Op::Normalization(op)) => match op.sharing {
            oxidnn::desc::Sharing::Group { groups } => result.set(groups),
            _ => return None,
        },
        (Query::AlgKind, Op::Reduction(op)) => algorithm(op.alg),
        (Query::P, Op::Reduction(op)) => result.set(op.p.0),
        (Query::Epsilon, Op::Reduction(op)) => result.set(op.eps.0),
        (Query::AlgKind, Op::Pooling(op)) => algorithm(op.alg),
        (Query::Strides, Op::Pooling(op)) => result.set(op.window.strides.as_ptr()),
        (Query::Kernel, Op::Pooling(op)) => result.set(op.window.kernel.as_ptr()),
        (Query::Dilations, Op::Pooling(op)) => result.set(op.window.dilation.as_ptr()),
        (Query::PaddingL, Op::Pooling(op)) => result.set(op.window.padding_l.as_ptr()),
        (Query::PaddingR, Op::Pooling(op)) => result.set(op.window.padding_r.as_ptr()),
        (Query::AlgKind, Op::Resampling(op)) => algorithm(op.alg),
        (Query::Factors, Op::Resampling(op)) => result.set(op.factors.as_ptr()),
        (Query::Axis, Op::Shuffle(op)) => result.set(op.axis as c_int),
        (Query::GroupSize, Op::Shuffle(op)) => result.set(op.group_size),
        (Query::CellKind, Op::Rnn(op)) => algorithm(op.cell.kind),
        (Query::ActivationKind, Op::Rnn(op)) => algorithm(op.cell.activation),
        (Query::Direction, Op::Rnn(op)) => result.set::<Enum<RnnDirection>>(op.direction.into()),
        (Query::Alpha, Op::Rnn(op)) => result.set(op.cell.alpha.0),
        (Query::AlgKind, Op::Lrn(op)) => algorithm(op.alg),
        (Query::Alpha, Op::Lrn(op)) => result.set(op.alpha.0),
        (Query::Beta, Op::Lrn(op)) => result.set(op.beta.0),
        (Query::K, Op::Lrn(op)) => result.set(op.k.0),
        (Query::LocalSize, Op::Lrn(op)) => result.set(op.local_size),
        _ => return None,
    })
}

/// The execution argument behind a query of a memory descriptor, where the operation numbers its tensors in its own way.
pub(crate) fn tensor(op: &Op, what: Query, index: c_int) -> Option<c_int> {
    let norm = match op {
        Op::Normalization(norm) => norm,
        Op::Rnn(rnn) => return rnn_tensor(rnn, what, index),
        _ => return None,
    };
    match (what, index) {
        (Query::SrcMd, 1 | 2) if norm.stats_are_given() => Some(arg::MEAN + index - 1),
        (Query::SrcMd, 1 | 2) => Some(arg::UNDEF),
        (Query::DstMd, 1 | 2) if norm.stats_are_given() => Some(arg::UNDEF),
        (Query::DstMd, 1 | 2) => Some(arg::MEAN + index - 1),
        (Query::DiffDstMd, 1) if norm.adds() => Some(arg::DIFF_SRC_1),
        (Query::WeightsMd, 0 | 1) => Some(arg::SCALE + index),
        (Query::DiffWeightsMd, 0 | 1) => Some(arg::DIFF_SCALE + index),
        _ => None,
    }
}

/// Weights of a recurrent network are counted without those that are not there; the attention is no source.
fn rnn_tensor(rnn: &Rnn, what: Query, index: c_int) -> Option<c_int> {
    let t = &rnn.tensors;
    let weights = || {
        let all = [
            (arg::WEIGHTS_LAYER, &t.weights_layer),
            (arg::WEIGHTS_ITER, &t.weights_iter),
            (arg::WEIGHTS_PEEPHOLE, &t.weights_peephole),
            (arg::WEIGHTS_PROJECTION, &t.weights_projection),
            (arg::BIAS, &t.bias),
        ];
        let given = all.into_iter().filter(|(_, md)| !md.is_zero()).map(|(number, _)| number);
        usize::try_from(index).ok().and_then(|index| given.into_iter().nth(index)).unwrap_or(arg::UNDEF)
    };
    match (what, index) {
        (Query::SrcMd | Query::DiffSrcMd, 3..) => Some(arg::UNDEF),
        (Query::WeightsMd, _) => Some(weights()),
        (Query::DiffWeightsMd, _) => Some(match weights() {
            arg::UNDEF => arg::UNDEF,
            number => number + (arg::DIFF_WEIGHTS - arg::WEIGHTS),
        }),
        _ => None,
    }
}

/// The descriptor of what is not an argument but could be one: an unused mean, scale or shift still has one.
pub(crate) fn unused(op: &Op, number: c_int) -> Option<&MemoryDesc> {
    let Op::Normalization(norm) = op else { return None };
    let kept = norm.stats_are_given() || norm.prop == PropKind::ForwardTraining;
    match number {
        arg::MEAN if kept => Some(&norm.stat),
        arg::SCALE | arg::SHIFT => Some(&norm.scale_shift),
        arg::DIFF_SCALE | arg::DIFF_SHIFT if norm.has_weight_gradients() => Some(&norm.scale_shift),
        _ => None,
    }
}
