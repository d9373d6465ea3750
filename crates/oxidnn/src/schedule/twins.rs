//! Reductions of the same elements become one stage: what they read comes from memory once.
//!
//! The gradients of a scale and of a shift are sums over the same rows, one of a product, one of a factor of it.

use std::collections::HashMap;

use super::{is_swept, read, touches_results};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Joins neighbouring stages that reduce alike.
pub(super) fn join(program: &mut Program, profile: &DeviceProfile) {
    let mut at = 0;
    while at + 1 < program.stages.len() {
        match joined(program, at, profile) {
            Some(stage) => {
                program.stages[at] = stage;
                program.stages.remove(at + 1);
            }
            None => at += 1,
        }
    }
}

/// A stage and the next as one.
fn joined(program: &mut Program, at: usize, profile: &DeviceProfile) -> Option<Stage> {
    let (stage, next) = (program.stages[at].clone(), program.stages[at + 1].clone());
    let fits = |stage: &Stage| is_swept(program, stage, profile);
    let apart = !touches_results(program, &stage, &next) && !touches_results(program, &next, &stage);
    let [store] = next.stores[..] else { return None };
    if !fits(&stage) || !fits(&next) || !apart {
        return None;
    }
    let (reduction, twin) = (only_reduction(program, stage.stores.first()?)?, only_reduction(program, &store)?);
    let Node::Reduce { axes, body, .. } = program.node(reduction).clone() else { return None };
    let Node::Reduce { op, axes: twin_axes, body: twin_body } = program.node(twin).clone() else { return None };
    let points = positions(program, &next.axes, &stage.axes)?;
    let steps = positions(program, &twin_axes, &axes)?;
    if read(program, body).is_disjoint(&read(program, twin_body)) {
        return None;
    }
    let twin_body = program.substitute(twin_body, &steps);
    let renamed = program.reduce(op, axes, twin_body);
    let value = program.replace(store.value, twin, renamed);
    let (value, offset) = (program.substitute(value, &points), program.substitute(store.offset, &points));
    let mut stage = stage;
    stage.stores.push(Store { tensor: store.tensor, offset, value });
    Some(stage)
}

/// The one reduction of a store; there is none inside of it.
fn only_reduction(program: &Program, store: &Store) -> Option<E> {
    match program.reductions([store.value])[..] {
        [reduction] => Some(reduction),
        _ => None,
    }
}

/// Axes in place of others that are as long, one by one.
fn positions(program: &mut Program, from: &[AxisId], to: &[AxisId]) -> Option<HashMap<AxisId, E>> {
    let is_known = |axis: &AxisId| program.free_axes(program.axis(*axis).extent).is_empty();
    if from.len() != to.len() || !from.iter().chain(to).all(is_known) {
        return None;
    }
    let alike =
        from.iter().zip(to).all(|(a, b)| program.extent(*a).is_some() && program.extent(*a) == program.extent(*b));
    alike.then(|| from.iter().zip(to).map(|(&axis, &other)| (axis, program.at(other))).collect())
}
