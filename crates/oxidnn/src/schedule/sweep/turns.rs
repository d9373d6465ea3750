//! Points that take turns: a gradient of windows asks at each point how far it is into a stride. Points that lie a stride apart get the same
//! answer, so those of one stride become an axis of their own, which is written out, and each of them knows its answer before it runs.

use std::collections::HashMap;

use super::cells::{MOST_POINTS, is_comparison};
use crate::program::*;

/// Most points that are written out.
pub(super) const MOST: i64 = 4;

/// Splits the loop around that over the lanes, where a reduction divides its position by a number that is part of the structure. Where the
/// lanes have no say in what is reduced, the loops around that one are split, too, and the points are inside of them all.
pub(super) fn split(program: &Program, stage: &Stage, lanes: AxisId) -> Option<(Program, Stage)> {
    let mut others = stage.axes.iter().copied().rev().filter(|&axis| axis != lanes);
    let (mut program, mut stage) = (program.clone(), stage.clone());
    let mut points = vec![split_axis(&mut program, &mut stage, others.next()?, MOST)?];
    let asks = |e: &E| match *program.node(*e) {
        Node::Reduce { op, body, .. } => {
            let asks = |&e: &E| is_comparison(&program, e) && program.depends_on(e, lanes);
            program.counts_where(op, body).iter().any(asks)
        }
        _ => false,
    };
    if !program.reductions(program.roots(&stage)).iter().any(asks) {
        for axis in others {
            let most = MOST_POINTS / program.points(&points)?;
            points.extend(split_axis(&mut program, &mut stage, axis, most));
        }
    }
    stage.axes.retain(|axis| !points.contains(axis));
    stage.axes.extend(points.into_iter().rev());
    Some((program, stage))
}

/// Splits an axis, if its points take turns, no more than so many; returns the axis of those of one stride.
fn split_axis(program: &mut Program, stage: &mut Stage, axis: AxisId, most: i64) -> Option<AxisId> {
    let extent = program.extent(axis)?;
    let reductions = program.reductions(program.roots(stage));
    let mut found: Vec<(E, i64)> = Vec::new();
    program.visit(reductions, &mut |e| {
        if let Node::Binary(BinaryOp::Rem, position, by) = *program.node(e)
            && let Node::Index(by) = *program.node(by)
            && program.free_axes(position).len() == 1
            && program.constant_step(position, axis) == Some(1)
        {
            found.push((position, by));
        }
    });
    let &(_, by) = found.first()?;
    if !(2..=MOST.min(most)).contains(&by) || extent % by != 0 || extent / by < 2 {
        return None;
    }
    let (count, stride) = (program.param(extent / by), program.index(by));
    let (turn, point) = (program.add_axis(program.axis(axis).name, count), program.add_axis("point", stride));
    let (at_turn, at_point) = (program.at(turn), program.at(point));
    let start = program.mul(at_turn, stride);
    for (position, _) in found.into_iter().filter(|&(_, other)| other == by) {
        let (_, rest) = program.linear(position, axis)?;
        let within = program.add(at_point, rest);
        let at = program.add(start, within);
        program.replace_in(stage, position, at);
    }
    let at = program.add(start, at_point);
    program.replace_axes(stage, &HashMap::from([(axis, at)]));
    stage.axes.iter_mut().filter(|other| **other == axis).for_each(|other| *other = turn);
    Some(point)
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{self, images, window};

    /// The text of the gradient of averages of 3 by 3 elements, a `stride` apart.
    fn text(tag: &str, extent: i64, stride: i64) -> String {
        let (src, dst) = (images(tag, 32, extent), images(tag, 32, (extent - 1) / stride + 1));
        let alg = AlgKind::PoolingAvgExcludePadding;
        sample::text(Pooling::backward(alg, &src, &dst, window(stride, 1), None).unwrap())
    }

    #[test]
    fn points_of_a_stride_are_written_out_where_strides_fill_an_axis() {
        let turns = |text: &str| text.matches("#pragma unroll\n").count();
        for tag in ["acdb", "aBcd16b", "abcd"] {
            let [whole, rest, single] = [(32, 2), (33, 2), (32, 1)].map(|(extent, stride)| text(tag, extent, stride));
            assert!(turns(&whole) > turns(&rest), "{tag}\n{whole}\n{rest}");
            assert!(!single.contains("% 2"), "{tag}\n{single}");
        }
    }

    #[test]
    fn shares_of_windows_are_computed_once_for_all_rows() {
        // They change along the lanes where neighbours in memory belong to different windows.
        for (tag, changes) in [("abcd", true), ("acdb", false), ("aBcd16b", false)] {
            let text = text(tag, 32, 2);
            assert_eq!(text.contains("float steady"), changes, "{tag}\n{text}");
        }
    }
}
