//! Sums of rows that the next stage walks anyway are taken aside there, and only put together afterwards.
//!
//! The gradient of a channel's slope is a sum over all images, of what the gradient by data reads as well. That stage writes
//! the sum of each row before it writes the row, which is in a cache by then; what was a pass over memory is a sum of
//! a few numbers. Where channels lie in blocks, a row is one of vectors, and so is its sum.

use std::collections::HashMap;

use super::fuse::unify;
use super::{is_swept, touches_results};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Elements that are worth a second stage.
const WORTH: i64 = 1 << 16;
/// The shortest and the longest rows: their elements are many times their sum, and stay in an inner cache.
const ROWS: std::ops::RangeInclusive<i64> = 128..=1 << 14;
/// The longest rows of vectors, in elements, and the longest vectors.
const LONGEST_OF_VECTORS: i64 = 1 << 16;
const LONGEST_VECTOR: i64 = 64;

/// Takes aside what can be.
pub(super) fn take(program: &mut Program, profile: &DeviceProfile) {
    for at in 1..program.stages.len() {
        if let Some((rows, sums)) = taken(program, at - 1, profile) {
            program.stages[at - 1] = rows;
            program.stages[at] = sums;
        }
    }
}

/// Two neighbouring stages as one that walks rows and takes their sums aside, and one that puts those together.
fn taken(program: &mut Program, at: usize, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    let (mut sums, mut walk) = (program.stages[at].clone(), program.stages[at + 1].clone());
    let fits = |stage: &Stage| is_swept(program, stage, profile);
    let reductions = program.reductions(program.roots(&sums));
    let &[reduction] = &reductions[..] else { return None };
    if !fits(&sums) || !fits(&walk) || !program.reductions(program.roots(&walk)).is_empty() {
        return None;
    }
    let Node::Reduce { op, axes, body } = program.node(reduction).clone() else { return None };
    let (&row, outer) = axes.split_last()?;
    let all: Vec<AxisId> = sums.axes.iter().chain(&axes).copied().collect();
    let places = places(program, body, &walk, &all)?;
    let stands_for = |axis: AxisId, walked: AxisId| {
        places.get(&axis).is_some_and(|e| matches!(program.node(*e), Node::Axis(of) if *of == walked))
    };
    // The row, and what its elements are vectors along.
    let (&last, front) = walk.axes.split_last()?;
    let (inner, lanes, rows) = match front.split_last() {
        _ if stands_for(row, last) => (last, None, front),
        Some((&inner, rows)) if stands_for(row, inner) => (inner, Some(last), rows),
        _ => return None,
    };
    let (count, length) = (program.points(rows)?, program.extent(inner)?);
    let width = lanes.map_or(Some(1), |lanes| program.extent(lanes))?;
    let side_by_side = match lanes {
        None => row,
        Some(lanes) => *sums.axes.iter().find(|&&axis| stands_for(axis, lanes))?,
    };
    if outer.is_empty()
        || !contiguous(program, body, side_by_side)
        || !ROWS.contains(&length)
        || width > LONGEST_VECTOR
        || (width > 1 && width * length > LONGEST_OF_VECTORS)
        || count < 4 * profile.compute_units as i64
        || count * length * width < WORTH
        || touches_results(program, &walk, &sums)
    {
        return None;
    }

    let ty = program.ty(reduction);
    let (tensor, start) = program.add_scratch("rows", ty.storage(), (count * width) as usize);
    let within = program.substitute(body, &places);
    let value = program.reduce(op, vec![inner], within);
    let (&first, others) = rows.split_first()?;
    let first = program.at(first);
    let others: Vec<AxisId> = others.iter().copied().chain(lanes).collect();
    let to = program.row_major(first, &others);
    walk.stores.push(Store { tensor, offset: program.add(start, to), value });

    // The same place, as the axes of the sum see it.
    let mut seen = HashMap::new();
    for (axis, e) in &places {
        if let Node::Axis(of) = *program.node(*e) {
            seen.insert(of, program.at(*axis));
        }
    }
    let from = program.substitute(to, &seen);
    let offset = program.add(start, from);
    let loaded = program.load(tensor, offset, ty);
    let sum = program.reduce(op, outer.to_vec(), loaded);
    program.replace_in(&mut sums, reduction, sum);
    Some((walk, sums))
}

/// Which axes of a stage that reads the same elements stand for those of a reduction: each for one, and all are there.
fn places(program: &Program, body: E, walk: &Stage, axes: &[AxisId]) -> Option<HashMap<AxisId, E>> {
    let loads = |roots: Vec<E>| {
        let mut found = Vec::new();
        program.visit(roots, &mut |e| {
            if let Node::Load { tensor, offset, .. } = *program.node(e) {
                found.push((tensor, offset));
            }
        });
        found
    };
    let walked = loads(program.roots(walk));
    let mut places = HashMap::new();
    for (tensor, offset) in loads(vec![body]) {
        let &(_, other) = walked.iter().find(|(of, _)| *of == tensor)?;
        if !unify(program, offset, other, axes, &mut places) {
            return None;
        }
    }
    let stands_for = |axis: &AxisId| match program.node(*places.get(axis)?) {
        Node::Axis(of) if walk.axes.contains(of) && program.extent(*of) == program.extent(*axis) => Some(*of),
        _ => None,
    };
    let mut found: Vec<AxisId> = axes.iter().map(stands_for).collect::<Option<_>>()?;
    found.sort();
    found.dedup();
    (found.len() == axes.len() && found.len() == walk.axes.len()).then_some(places)
}

fn contiguous(program: &Program, body: E, row: AxisId) -> bool {
    let mut all = true;
    program.visit([body], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            all &= program.constant_step(offset, row) == Some(1);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;
    use crate::runtime::DeviceType;

    #[test]
    fn sums_of_slopes_are_taken_aside_in_rows_of_elements_and_of_vectors() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, compute_units: 2, ..host };
        for (tag, size, is_aside) in
            [("abcd", 56, true), ("aBcd16b", 56, true), ("aBcd8b", 56, true), ("aBcd16b", 8, false)]
        {
            let tag_of = FormatTag::from_name(tag).unwrap();
            let md = |dims: &[i64]| MemoryDesc::with_tag(dims, DataType::F32, tag_of).unwrap();
            let (data, slopes) = (md(&[4, 64, size, size]), md(&[1, 64, 1, 1]));
            let op = Prelu::backward(&data, &slopes, &data, &slopes, &data).unwrap();
            let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
            super::super::prepare(&mut program, &profile);
            let walks = |stage: &&Stage| stage.stores.len() == 2;
            assert_eq!(program.stages.iter().find(walks).is_some(), is_aside, "{tag} {size}\n{program}");
        }
    }
}
