//! Stages that read windows, along rows, of what stages before them wrote become one.
//!
//! A gradient sums what its neighbours hand out, and what each of them hands out depends on a sum of its own neighbours. The values take the
//! place of the loads, wherever these are, if a schedule computes each but once: it goes through a row several times, in memory of the
//! work-item.

use std::collections::{BTreeSet, HashMap};

use super::fuse::{is_exact, unify};
use super::sweep;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Loads that values take the place of, at most.
const MOST_LOADS: usize = 16;

/// Fuses all that such stages read.
pub(super) fn fuse(program: &mut Program, profile: &DeviceProfile) {
    let mut at = 1;
    while at < program.stages.len() {
        match chained(program, at, profile) {
            Some((first, stage)) => {
                program.stages.splice(first..=at, [stage]);
                at = first + 1;
            }
            None => at += 1,
        }
    }
}

/// A stage with those before it in place of what it reads of them, and the first of these.
fn chained(program: &mut Program, at: usize, profile: &DeviceProfile) -> Option<(usize, Stage)> {
    let mut stage = program.stages[at].clone();
    let (mut makers, mut windows, mut replaced) = (BTreeSet::new(), false, 0);
    while let Some((load, maker)) = made_before(program, &stage, at) {
        let Node::Load { offset, guard, ty, .. } = *program.node(load) else { return None };
        // Where one load decides what another one reads, values in their places would grow without end.
        program.evaluate(offset, &|_| Some(0))?;
        replaced += 1;
        if replaced > MOST_LOADS {
            return None;
        }
        windows |= guard.is_some();
        let value = value_at(program, &program.stages[maker].clone(), offset, ty)?;
        let zero = program.constant(ty, 0.0);
        let value = guard.map_or(value, |guard| program.select(guard, value, zero));
        program.replace_in(&mut stage, load, value);
        makers.insert(maker);
    }
    let &first = makers.first().filter(|_| windows)?;
    let written: Vec<TensorId> = makers.iter().map(|&maker| program.stages[maker].stores[0].tensor).collect();
    let reads = |stage: &Stage| program.stage_tensors(stage).iter().any(|(tensor, _)| written.contains(tensor));
    if makers.len() != at - first || program.stages[at + 1..].iter().any(reads) {
        return None;
    }
    sweep::windows_along(program, &stage, profile)?;
    Some((first, stage))
}

/// A load of what a stage before the one at a position wrote to the scratchpad, and that stage.
fn made_before(program: &Program, stage: &Stage, at: usize) -> Option<(E, usize)> {
    let mut found = None;
    program.visit(program.roots(stage), &mut |e| {
        if let Node::Load { tensor, .. } = *program.node(e)
            && matches!(program.tensor(tensor).binding, Binding::Scratch { .. })
        {
            let writes = |stage: &Stage| stage.stores.iter().any(|store| store.tensor == tensor);
            found = found.or_else(|| program.stages[..at].iter().position(writes).map(|maker| (e, maker)));
        }
    });
    found
}

/// What a stage stores at an offset.
fn value_at(program: &mut Program, maker: &Stage, offset: E, ty: Ty) -> Option<E> {
    let [store] = maker.stores[..] else { return None };
    let simple = maker.bounds.is_none() && maker.repeat.is_none();
    if !simple || ty != program.ty(store.value) || !is_exact(program, &store) {
        return None;
    }
    let mut positions = HashMap::new();
    let found = unify(program, store.offset, offset, &maker.axes, &mut positions)
        && maker.axes.iter().all(|axis| positions.contains_key(axis) || program.extent(*axis) == Some(1));
    found.then(|| program.substitute(store.value, &positions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;
    use crate::runtime::DeviceType;

    /// The stages of local response normalization of channels, and of its gradient.
    fn stages(tag: &str, channels: i64, device_type: DeviceType) -> [usize; 2] {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type, vector_bytes: 32, ..host };
        let md = MemoryDesc::with_tag(&[2, channels, 5, 7], DataType::F32, FormatTag::from_name(tag).unwrap()).unwrap();
        let (prop, alg, factors) = (PropKind::ForwardTraining, AlgKind::LrnAcrossChannels, [0.5, 0.75, 1.0]);
        let forward = Lrn::forward(prop, alg, &md, &md, 5, factors).unwrap();
        let backward = Lrn::backward(alg, &md, &md, &md, 5, factors).unwrap();
        [Op::from(forward), Op::from(backward)].map(|op| {
            let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
            super::super::prepare(&mut program, &profile);
            program.stages.len()
        })
    }

    #[test]
    fn neighbours_of_neighbours_along_a_row_are_one_stage() {
        for (tag, channels) in [("acdb", 64), ("acdb", 21), ("aBcd16b", 64), ("aBcd8b", 24)] {
            assert_eq!(stages(tag, channels, DeviceType::Cpu), [1, 1], "{channels} channels in {tag}");
        }
        // Rows that are padded, or are not those of neighbours in memory, or devices that share rows out.
        assert_eq!(stages("aBcd16b", 21, DeviceType::Cpu), [2, 3]);
        assert_eq!(stages("abcd", 64, DeviceType::Cpu), [2, 2]);
        assert_eq!(stages("acdb", 64, DeviceType::Gpu), [2, 3]);
    }
}
