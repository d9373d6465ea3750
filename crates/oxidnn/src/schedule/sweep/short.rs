//! Few elements side by side: the three colours of a pixel fill no vector, those of a row of pixels do.
//!
//! Where what is read does not follow what is written, pixels and colours do not become one axis by themselves. Here they do, for the sake of
//! what is written; which element is read at each position is the same in all rows, and is [kept](super::steady).

use std::collections::HashMap;

use super::steady::LONGEST;
use crate::program::*;

/// Elements that fill a vector.
const FILLED: i64 = 4;
/// Rows that are worth finding out where their elements come from.
const FEWEST_ROWS: i64 = 8;

/// Makes one axis of the last one and of that along which the results next to it lie.
pub(super) fn merge(program: &Program, stage: &Stage) -> Option<(Program, Stage)> {
    let roots = program.roots(stage);
    let store = stage.stores.first()?;
    let steps =
        |offset: E, axis: AxisId, by: i64| program.is_linear(offset, axis) && program.step(offset, axis) == Some(by);
    let inner = *stage.axes.iter().find(|&&axis| program.constant_step(store.offset, axis) == Some(1))?;
    let few = program.extent(inner).filter(|few| (2..FILLED).contains(few))?;
    let outer = *stage.axes.iter().find(|&&axis| axis != inner && steps(store.offset, axis, few))?;
    let length = program.extent(outer)? * few;
    let is_row = |offset: E| steps(offset, inner, 1) && steps(offset, outer, few);
    if stage.bounds.is_some()
        || !program.reductions(roots.iter().copied()).is_empty()
        || !(4 * FILLED..=LONGEST).contains(&length)
        || program.points(&stage.axes)? < FEWEST_ROWS * length
        || !stage.stores.iter().all(|store| is_row(store.offset))
    {
        return None;
    }
    let (mut offsets, mut is_scattered) = (Vec::new(), false);
    program.visit(roots, &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            if is_row(offset) {
                offsets.push(offset);
            } else {
                is_scattered |= program.depends_on(offset, inner) && !program.is_linear(offset, outer);
            }
        }
    });
    if !is_scattered {
        return None;
    }
    let (mut program, mut stage) = (program.clone(), stage.clone());
    let (count, few) = (program.param(length), program.axis(inner).extent);
    let merged = program.add_axis(program.axis(outer).name, count);
    let at = program.at(merged);
    let along = |program: &mut Program, offset: E| {
        let (_, rest) = program.linear(offset, outer)?;
        let (_, rest) = program.linear(rest, inner)?;
        Some(program.add(rest, at))
    };
    for offset in offsets {
        let moved = along(&mut program, offset)?;
        program.replace_in(&mut stage, offset, moved);
    }
    for store in &mut stage.stores {
        store.offset = along(&mut program, store.offset)?;
    }
    let (of_outer, of_inner) = (program.div(at, few), program.rem(at, few));
    program.replace_axes(&mut stage, &HashMap::from([(outer, of_outer), (inner, of_inner)]));
    stage.axes.retain(|&axis| axis != outer && axis != inner);
    stage.axes.push(merged);
    Some((program, stage))
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{self, images};

    /// The text of images of some colours that get larger.
    fn text(colours: i64, to: i64) -> String {
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ResamplingLinear);
        let (src, dst) = (images("acdb", colours, 64), images("acdb", colours, to));
        sample::text(Resampling::forward(prop, alg, None, &src, Some(&dst)).unwrap())
    }

    #[test]
    fn rows_of_pixels_are_written_in_vectors_and_their_places_found_once() {
        let (three, many) = (text(3, 100), text(16, 100));
        // Stores to elements of a vector one by one.
        assert!(!three.contains(".s0] ="), "{three}");
        assert!(three.contains("int steady") && !many.contains("int steady"), "{three}\n{many}");
        // Another size is another set of arguments.
        assert_eq!(three, text(3, 90));
    }
}
