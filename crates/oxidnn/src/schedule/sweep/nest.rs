//! Windows of several dimensions as windows along the lanes, of sums across them.
//!
//! What a window sums along one dimension its neighbours along another sum as well. Where lanes run along one of a window's dimensions, the
//! sums along the others are made first, once for each position, and windows of these remain.

use crate::program::*;

/// Makes windows of several dimensions, of which one is that of the lanes, such sums of sums.
pub(super) fn nest(program: &mut Program, stage: &mut Stage, lanes: AxisId) {
    let values: Vec<E> = stage.stores.iter().map(|store| store.value).collect();
    for e in program.outside_of_reductions(values) {
        if let Some(nested) = nested(program, e, lanes) {
            program.replace_in(stage, e, nested);
        }
    }
}

fn nested(program: &mut Program, e: E, lanes: AxisId) -> Option<E> {
    let Node::Reduce { op: ReduceOp::Sum, axes, body } = program.node(e).clone() else { return None };
    let conditions: Vec<E> = program
        .counts_where(ReduceOp::Sum, body)
        .into_iter()
        .filter(|&condition| program.depends_on(condition, lanes))
        .collect();
    let moves = |axis: &&AxisId| conditions.iter().any(|&condition| program.depends_on(condition, **axis));
    let (&[along], across) = (&axes.iter().filter(moves).copied().collect::<Vec<_>>()[..], axes.len() - 1) else {
        return None;
    };
    if across == 0 {
        return None;
    }
    let (holds, zero) = (program.bool(true), program.constant(program.ty(body), 0.0));
    let (mut within, mut inside) = (body, holds);
    for condition in conditions {
        within = program.replace(within, condition, holds);
        inside = program.and(inside, condition);
    }
    let others = axes.into_iter().filter(|&axis| axis != along).collect();
    let sum = program.reduce(ReduceOp::Sum, others, within);
    let counted = program.select(inside, sum, zero);
    Some(program.reduce(ReduceOp::Sum, vec![along], counted))
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{self, images, pooled, window};

    #[test]
    fn averages_along_the_lanes_are_sums_of_rows_that_are_summed_first() {
        let alg = AlgKind::PoolingAvgExcludePadding;
        let forward = |tag: &str| pooled(PropKind::ForwardInference, alg, tag, 1, 1);
        let backward = |tag: &str| {
            let md = images(tag, 32, 33);
            sample::text(Pooling::backward(alg, &md, &md, window(1, 1), None).unwrap())
        };
        for (tag, nests) in [("abcd", true), ("acdb", false), ("aBcd16b", false)] {
            for text in [forward(tag), backward(tag)] {
                assert_eq!(text.contains("float room_"), nests, "{tag}\n{text}");
            }
        }
    }
}
