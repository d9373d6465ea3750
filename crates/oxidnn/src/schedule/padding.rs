//! Padding that shares vectors with what it pads: whole vectors are computed, and zeros take the place of those lanes.
//!
//! Of 24 channels in blocks of 16 every second vector is half padding. What its lanes would be is computed of whatever the padding of the
//! inputs holds, and not stored. Where an input has no padding there, nothing is read.

use super::{contract, sweep};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The smallest blocks that are worth whole vectors.
const SMALLEST: i64 = 4;

/// Fills up the vectors of all stages that allow for it.
pub(super) fn fill(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some(filled) = filled(program, stage, profile) {
            program.stages[index] = filled;
        }
    }
}

/// A stage that selects zeros where padding begins inside of a block.
fn filled(program: &mut Program, mut stage: Stage, profile: &DeviceProfile) -> Option<Stage> {
    let takes = |program: &Program, stage: &Stage| {
        sweep::takes(program, stage, profile) && !contract::takes(program, stage, profile)
    };
    let (bounds, &lanes) = (stage.bounds?, stage.axes.last()?);
    let Node::Index(block) = *program.node(program.axis(lanes).extent) else { return None };
    let stores_along = |store: &Store| program.constant_step(store.offset, lanes) == Some(1);
    let by_lane = |&e: &E| program.depends_on(e, lanes);
    let reductions = program.reductions(program.roots(&stage));
    if block < SMALLEST
        || !takes(program, &stage)
        || !stage.stores.iter().all(stores_along)
        || !reductions.iter().all(by_lane)
    {
        return None;
    }
    let (mut along, others): (Vec<E>, Vec<E>) = program.conjuncts(bounds).into_iter().partition(by_lane);
    let mut inside = along.pop()?;
    for condition in along {
        inside = program.and(inside, condition);
    }
    let mut loads = Vec::new();
    program.visit(stage.stores.iter().map(|store| store.value), &mut |e| {
        if let Node::Load { tensor, offset, guard, ty } = *program.node(e)
            && program.depends_on(offset, lanes)
        {
            loads.push((e, tensor, offset, guard, ty));
        }
    });
    if !loads.iter().all(|&(_, _, offset, _, _)| program.constant_step(offset, lanes) == Some(1)) {
        return None;
    }
    loads.retain(|&(_, tensor, offset, _, _)| !stays_inside(program, tensor, offset));
    for (e, tensor, offset, guard, ty) in loads {
        let guard = guard.map_or(inside, |guard| program.and(guard, inside));
        let loaded = program.load_if(guard, tensor, offset, ty);
        program.replace_in(&mut stage, e, loaded);
    }
    for store in &mut stage.stores {
        let zero = program.constant(program.ty(store.value), 0.0);
        store.value = program.select(inside, store.value, zero);
    }
    stage.bounds = others.into_iter().reduce(|a, b| program.and(a, b));
    takes(program, &stage).then_some(stage)
}

/// Whether a tensor has an element at every point, in the padding as well.
fn stays_inside(program: &Program, tensor: TensorId, offset: E) -> bool {
    let last = program.evaluate(offset, &|axis| program.extent(axis).map(|extent| extent - 1));
    grows(program, offset) && program.tensor(tensor).elements.zip(last).is_some_and(|(elements, last)| last < elements)
}

/// Whether an index is the larger the larger the positions along axes are.
fn grows(program: &Program, e: E) -> bool {
    let is_fixed = |e: E| program.free_axes(e).is_empty() && program.value(e).is_some_and(|value| value >= 0);
    match *program.node(e) {
        Node::Axis(_) => true,
        Node::Binary(BinaryOp::Add | BinaryOp::Min | BinaryOp::Max, a, b) => grows(program, a) && grows(program, b),
        Node::Binary(BinaryOp::Mul, a, b) => (is_fixed(a) && grows(program, b)) || (is_fixed(b) && grows(program, a)),
        Node::Binary(BinaryOp::Sub | BinaryOp::Div, a, b) => is_fixed(b) && grows(program, a),
        _ => is_fixed(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;
    use crate::runtime::DeviceType;

    /// How many stages select zeros, of how many guarded loads, and how many have bounds; after [`fill`].
    fn forms(op: impl Into<Op>) -> (usize, usize, usize) {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, ..host };
        let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
        super::super::blocks::split(&mut program, &profile);
        program.merge_axes();
        fill(&mut program, &profile);
        let selects = |store: &&Store| matches!(program.node(store.value), Node::Select(..));
        let selecting = program.stages.iter().flat_map(|stage| &stage.stores).filter(selects).count();
        let mut guarded = 0;
        program.visit(program.stages.iter().flat_map(|stage| program.roots(stage)), &mut |e| {
            guarded += usize::from(matches!(program.node(e), Node::Load { guard: Some(_), .. }));
        });
        (selecting, guarded, program.stages.iter().filter(|stage| stage.bounds.is_some()).count())
    }

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, DataType::F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn vectors_are_whole_where_inputs_are_padded_too_and_guarded_where_not() {
        let (blocked, other) = (tagged(&[2, 24, 5, 7], "aBcd16b"), tagged(&[2, 24, 5, 7], "acdb"));
        let sum = |slopes: &str| {
            let slopes = tagged(&[1, 24, 1, 1], slopes);
            Binary::new(AlgKind::BinaryAdd, &blocked, &slopes, None, &blocked).unwrap()
        };
        assert_eq!(forms(sum("aBcd16b")), (1, 0, 0));
        assert_eq!(forms(sum("abcd")), (1, 1, 0));
        assert_eq!(forms(Reorder::new(&other, &blocked).unwrap()), (1, 1, 0));
    }

    #[test]
    fn what_is_turned_keeps_its_bounds_and_what_blocks_fill_has_none() {
        let (blocked, plain) = (tagged(&[2, 24, 5, 7], "aBcd16b"), tagged(&[2, 24, 5, 7], "abcd"));
        assert_eq!(forms(Reorder::new(&plain, &blocked).unwrap()), (0, 0, 1));
        let whole = tagged(&[2, 32, 5, 7], "aBcd16b");
        let exp = Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseExp, &whole, &whole, 0.0, 0.0);
        assert_eq!(forms(exp.unwrap()), (0, 0, 0));
    }
}
