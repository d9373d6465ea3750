//! Splits axes that are walked in blocks, so that an index that was divided becomes a sum of products.
//!
//! The offset of a channel `c` of a blocked tensor is `c / 16 * stride + c % 16`. With `c` as `outer * 16 + inner` it is
//! `outer * stride + inner`: contiguous along an axis. So it is with groups of channels. Where blocks do not fill the axis, sums of what
//! is in whole blocks are one stage, and those of what is in the last one another.

use std::collections::{BTreeSet, HashMap};

use super::contract::{Contraction, factors, has_own_form};
use super::{is_swept, sweep};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// The smallest blocks that are worth an axis, and the smallest groups of products.
const SMALLEST: i64 = 4;
const SMALLEST_GROUP: i64 = 2;
/// Elements that are worth a second stage.
const WORTH_REST: i64 = 1 << 14;

/// Splits the axes of all stages until they are contractions.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    for index in 0..program.stages.len() {
        let stage = &program.stages[index];
        if !sweep::takes(program, stage, profile) || Contraction::of(program, stage, profile).is_some() {
            continue;
        }
        let mut stage = program.stages[index].clone();
        if let Some(split) = with_own_form(program, &stage, profile) {
            program.stages[index] = split;
            continue;
        }
        // Panels are found by the contraction that the axes of groups leave; split too, they would be no panels.
        while Contraction::of(program, &stage, profile).is_none()
            && let Some((axis, block)) = find(program, &stage)
        {
            stage = split_axis(program, &stage, axis, block);
        }
        program.stages[index] = stage;
    }
}

/// Splits stages that reduce what is in blocks, to numbers for each position of an axis that these do not fill.
pub(super) fn split_rest(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some(parts) = whole_and_rest(program, &stage, profile) {
            let count = parts.len();
            program.stages.splice(index..=index, parts);
            index += count;
        } else {
            index += 1;
        }
    }
}

/// The stage for whole blocks, if there are any, and for what is in the last one.
fn whole_and_rest(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<Vec<Stage>> {
    let reductions = program.reductions(program.roots(stage));
    let reduced = reductions.iter().filter_map(|&e| match program.node(e) {
        Node::Reduce { axes, .. } => program.points(axes),
        _ => None,
    });
    let points = program.points(&stage.axes)?.checked_mul(reduced.max()?)?;
    if points < WORTH_REST || !is_swept(program, stage, profile) {
        return None;
    }
    let (axis, block) = find_with(program, stage, |extent, size| size >= SMALLEST && extent % size != 0)?;
    let over = |&e: &E| matches!(program.node(e), Node::Reduce { axes, .. } if axes.contains(&axis));
    let is_structure = matches!(program.node(block), Node::Index(_));
    if !is_structure || !stage.axes.contains(&axis) || reductions.iter().any(over) {
        return None;
    }
    // One stage may not overwrite what the next one reads, so results are smaller than that.
    let elements = |tensor: TensorId| program.tensor(tensor).elements.unwrap_or(0);
    let tensors = program.stage_tensors(stage);
    let largest = |written: bool| tensors.iter().filter(|of| of.1 == written).map(|of| elements(of.0)).max();
    if largest(true)? >= largest(false)? {
        return None;
    }
    let (extent, size) = (program.extent(axis)?, program.value(block)?);
    let name = program.axis(axis).name;
    let whole = extent / size;
    let count = program.param(whole);
    let first = program.mul(count, block);
    let mut parts = Vec::new();
    if whole > 0 {
        let mut stage = stage.clone();
        let (outer, inner) = (program.add_axis(name, count), program.add_axis(name, block));
        let (outer_at, inner_at) = (program.at(outer), program.at(inner));
        let start = program.mul(outer_at, block);
        let position = program.add(start, inner_at);
        replace_axis(program, &mut stage, axis, position, &[outer, inner]);
        parts.push(stage);
    }
    let mut stage = stage.clone();
    let left = program.index(extent % size);
    let inner = program.add_axis(name, left);
    let inner_at = program.at(inner);
    let position = if whole > 0 { program.add(first, inner_at) } else { inner_at };
    replace_axis(program, &mut stage, axis, position, &[inner]);
    parts.push(stage);
    Some(parts)
}

/// Lets other axes take the place of one of the domain.
fn replace_axis(program: &mut Program, stage: &mut Stage, axis: AxisId, position: E, axes: &[AxisId]) {
    if let Some(at) = stage.axes.iter().position(|&other| other == axis) {
        stage.axes.splice(at..=at, axes.iter().copied());
        program.replace_axes(stage, &HashMap::from([(axis, position)]));
    }
}

/// A sum of products with one axis split such that it has a form of its own, in which what is left to divide lies in panels.
fn with_own_form(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<Stage> {
    factors(program, stage)?;
    let mut divisors = BTreeSet::new();
    find_with(program, stage, |extent, size| {
        if size >= SMALLEST_GROUP && extent > size && extent % size == 0 {
            divisors.insert(size);
        }
        false
    });
    divisors.into_iter().find_map(|divisor| {
        let (axis, block) = find_with(program, stage, |extent, size| size == divisor && extent % size == 0)?;
        let split = split_axis(program, stage, axis, block);
        has_own_form(program, &split, profile).then_some(split)
    })
}

/// An axis that is divided by something that divides its extent. The largest divisor comes first.
fn find(program: &Program, stage: &Stage) -> Option<(AxisId, E)> {
    let smallest = if factors(program, stage).is_some() { SMALLEST_GROUP } else { SMALLEST };
    find_with(program, stage, |extent, size| size >= smallest && extent >= size && extent % size == 0)
}

/// The same for what extent and divisor fit.
fn find_with(program: &Program, stage: &Stage, mut fits: impl FnMut(i64, i64) -> bool) -> Option<(AxisId, E)> {
    let mut best: Option<(AxisId, E, i64)> = None;
    program.visit(program.roots(stage), &mut |e| {
        if let Node::Binary(BinaryOp::Div | BinaryOp::Rem, a, block) = *program.node(e)
            && let Node::Axis(axis) = *program.node(a)
            && program.ty(e) == Ty::Index
            && let (Some(extent), Some(size)) = (program.extent(axis), program.value(block))
            && size > 1
            && fits(extent, size)
            && best.is_none_or(|(_, _, most)| size > most)
        {
            best = Some((axis, block, size));
        }
    });
    best.map(|(axis, block, _)| (axis, block))
}

/// The stage with one axis split in blocks.
pub(super) fn split_axis(program: &mut Program, stage: &Stage, axis: AxisId, block: E) -> Stage {
    let name = program.axis(axis).name;
    let (extent, size) = (program.extent(axis).unwrap_or(0), program.value(block).unwrap_or(1));
    let count = program.param(extent / size);
    let (outer, inner) = (program.add_axis(name, count), program.add_axis(name, block));
    let (outer_at, inner_at) = (program.at(outer), program.at(inner));
    let first = program.mul(outer_at, block);
    let position = program.add(first, inner_at);
    let replace = HashMap::from([(axis, position)]);
    let mut stage = stage.clone();
    // Reductions over the axis first: below them it is another one.
    let runs_over =
        |program: &Program, e: E| matches!(program.node(e), Node::Reduce { axes, .. } if axes.contains(&axis));
    while let Some(e) = program.reductions(program.roots(&stage)).into_iter().find(|&e| runs_over(program, e)) {
        let Node::Reduce { op, mut axes, body } = program.node(e).clone() else { break };
        let body = program.substitute(body, &replace);
        let at = axes.iter().position(|&other| other == axis).unwrap_or(0);
        axes.splice(at..=at, [outer, inner]);
        let split = program.reduce(op, axes, body);
        program.replace_in(&mut stage, e, split);
    }
    replace_axis(program, &mut stage, axis, position, &[outer, inner]);
    stage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::*;
    use crate::runtime::DeviceType;

    #[test]
    fn nothing_is_divided_in_sums_of_channels_in_blocks() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, ..host };
        for (channels, stages) in [(16, 2), (64, 2), (24, 4), (5, 2)] {
            let tag = FormatTag::from_name("aBcd16b").unwrap();
            let md = MemoryDesc::with_tag(&[4, channels, 64, 17], DataType::F32, tag).unwrap();
            let (sharing, prop, flags) = (Sharing::Batch, PropKind::Backward, NormFlags::USE_GLOBAL_STATS);
            let flags = NormFlags(flags.0 | NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
            let op = Normalization::backward(sharing, prop, &md, &md, &md, None, None, 1e-3, flags).unwrap();
            let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
            split(&mut program, &profile);
            split_rest(&mut program, &profile);
            let reduces = |stage: &&Stage| !program.reductions(program.roots(stage)).is_empty();
            let sums: Vec<&Stage> = program.stages.iter().filter(reduces).collect();
            assert_eq!(sums.len(), stages, "{channels} channels");
            let mut divided = 0;
            program.visit(sums.iter().flat_map(|stage| program.roots(stage)), &mut |e| {
                let divides = matches!(program.node(e), Node::Binary(BinaryOp::Div | BinaryOp::Rem, ..));
                divided += usize::from(divides && program.ty(e) == Ty::Index);
            });
            assert_eq!(divided, 0, "{channels} channels\n{program}");
        }
    }

    #[test]
    fn panels_of_groups_of_channels_stay_panels() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, dot_int8: true, ..host };
        let (groups, channels, side) = (4, 128, 14);
        let image = |data_type| {
            let (all, row) = (groups * channels, side * groups * channels);
            MemoryDesc::with_strides(&[1, all, side, side], data_type, Some(&[side * row, 1, row, all])).unwrap()
        };
        let inner = vec![InnerBlock { dim: 1, size: 64 }, InnerBlock { dim: 2, size: 4 }];
        let layout = Layout { order: vec![0, 1, 3, 4, 2], inner };
        let weights = MemoryDesc::with_layout(&[groups, channels, channels, 3, 3], DataType::S8, &layout).unwrap();
        let both = |value: i64| Dims::from([value, value]);
        let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
        let (src, dst) = (image(DataType::U8), image(DataType::U8));
        let op: Op = Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap().into();
        let mut program = crate::lower::lower(&op, &Attr::new()).unwrap();
        super::super::prepare(&mut program, &profile);
        let names: Vec<&str> = program.stages.iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["convolution"], "weights are read as they lie");
        let text = super::super::schedule(&program, &program.stages[0], &profile).unwrap().source.text;
        assert!(text.contains("vpdpbusd"), "{text}");
    }
}
