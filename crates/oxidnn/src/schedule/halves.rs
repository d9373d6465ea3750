//! Long reductions to few numbers in two steps: parts of them first, each by itself, then the parts.
//!
//! The parts are the same however many work-items there are, so a result does not change from run to run.

use std::collections::HashMap;

use super::contract::Contraction;
use super::{ceil, takes_rows};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Elements that are worth a second stage.
const WORTH: i64 = 1 << 16;
/// Numbers that are enough to keep a compute unit busy.
const ENOUGH: i64 = 1024;
/// Parts for each compute unit.
const PARTS: i64 = 16;

/// Splits the reductions that gain by it.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((parts, whole)) = split_stage(program, &stage, profile) {
            program.stages[index] = whole;
            program.stages.insert(index, parts);
            index += 1;
        }
        index += 1;
    }
}

fn split_stage(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Stage)> {
    if !takes_rows(program, stage, profile)
        || stage.bounds.is_some()
        || Contraction::of(program, stage, profile).is_some()
    {
        return None;
    }
    let [reduction] = program.reductions(program.roots(stage))[..] else { return None };
    let Node::Reduce { op, axes, body } = program.node(reduction).clone() else { return None };
    let ty = program.ty(reduction);
    if matches!(ty, Ty::Bool | Ty::Index) {
        return None;
    }
    // Only what depends on the whole domain: a row's numbers belong to the row.
    if stage.axes.iter().any(|&axis| !program.depends_on(reduction, axis)) {
        return None;
    }
    let (count, length) = (program.points(&stage.axes)?, program.points(&axes)?);
    let units = profile.compute_units as i64;
    let (&first, rest) = axes.split_first()?;
    let longest = program.extent(first)?;
    if count * length < WORTH || count >= ENOUGH * units || !program.free_axes(program.axis(first).extent).is_empty() {
        return None;
    }
    let parts = (PARTS * units).min(longest).min(length / 64);
    if parts < 2 || rest.iter().any(|&axis| program.depends_on(program.axis(axis).extent, first)) {
        return None;
    }
    let size = ceil(longest, parts);
    let parts = ceil(longest, size);
    let (tensor, start) = program.add_scratch("parts", ty.storage(), (parts * count) as usize);

    let (part_count, part_size) = (program.param(parts), program.param(size));
    let part = program.add_axis("part", part_count);
    let part_at = program.at(part);
    let begin = program.mul(part_at, part_size);
    let whole = program.axis(first).extent;
    let left = program.sub(whole, begin);
    let part_extent = program.min(part_size, left);
    let within = program.add_axis(program.axis(first).name, part_extent);
    let within_at = program.at(within);
    let position = program.add(begin, within_at);
    let replace = HashMap::from([(first, position)]);
    let part_body = program.substitute(body, &replace);
    let mut part_axes = axes.clone();
    part_axes[0] = within;
    let value = program.reduce(op, part_axes, part_body);
    let offset = |program: &mut Program, part: E| {
        let linear = program.row_major(part, &stage.axes);
        program.add(start, linear)
    };
    let to = offset(program, part_at);
    let domain: Vec<AxisId> = std::iter::once(part).chain(stage.axes.iter().copied()).collect();
    let parts_stage = Stage {
        name: "parts",
        axes: domain,
        bounds: None,
        stores: vec![Store { tensor, offset: to, value }],
        repeat: stage.repeat,
    };

    let combined = program.add_axis("part", part_count);
    let combined_at = program.at(combined);
    let from = offset(program, combined_at);
    let loaded = program.load(tensor, from, ty);
    let sum = program.reduce(op, vec![combined], loaded);
    let mut stage = stage.clone();
    program.replace_in(&mut stage, reduction, sum);
    Some((parts_stage, stage))
}
