//! Long reductions to few numbers in two steps: parts of them first, each by itself, then the parts.
//!
//! The parts are the same however many work-items there are, so a result does not change from run to run.

use std::collections::HashMap;

use super::{ceil, contract, sweep, takes_rows};
use crate::program::*;
use crate::runtime::DeviceProfile;

/// Elements that are worth a second stage.
const WORTH: i64 = 1 << 16;
/// Numbers that are enough to keep a compute unit busy where they are the lanes of vectors.
const ENOUGH: i64 = 1024;
/// The same where each is reduced along its own row.
const ENOUGH_ROWS: i64 = 16;
/// Sums of products that work-groups had better compute together than in parts, each by itself.
const ENOUGH_PRODUCTS: i64 = 4096;
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
    if !takes_rows(program, stage, profile) || stage.bounds.is_some() || contract::takes(program, stage, profile) {
        return None;
    }
    let reductions = program.reductions(program.roots(stage));
    let (&first_of_all, others) = reductions.split_first()?;
    let Node::Reduce { axes, .. } = program.node(first_of_all).clone() else { return None };
    // Several reductions share their loops; none is part of another.
    let alike = |&e: &E| matches!(program.node(e), Node::Reduce { axes: of, .. } if *of == axes);
    if !others.iter().all(alike) || reductions.iter().any(|&e| program.reductions([e]).len() > 1) {
        return None;
    }
    // Only what depends on the whole domain: a row's numbers belong to the row.
    let depends = |&e: &E| stage.axes.iter().all(|&axis| program.depends_on(e, axis));
    if !reductions.iter().all(depends) || reductions.iter().any(|&e| matches!(program.ty(e), Ty::Bool | Ty::Index)) {
        return None;
    }
    let (count, length) = (program.points(&stage.axes)?, program.points(&axes)?);
    let units = profile.compute_units as i64;
    // An axis of a single point is no loop that could be cut.
    let cut = axes.iter().position(|&axis| program.extent(axis) != Some(1))?;
    let (first, rest) = (axes[cut], &axes[cut + 1..]);
    let longest = program.extent(first)?;
    let enough = if runs_along_rows(program, stage, &reductions, &axes, profile) { ENOUGH_ROWS } else { ENOUGH };
    let is_shared_out = contract::is_shared_out(program, stage, profile) && count >= ENOUGH_PRODUCTS;
    if count * length < WORTH
        || is_shared_out
        || count >= enough * units
        || !program.free_axes(program.axis(first).extent).is_empty()
    {
        return None;
    }
    let parts = (PARTS * units).min(longest).min(length / 64);
    if parts < 2 || rest.iter().any(|&axis| program.depends_on(program.axis(axis).extent, first)) {
        return None;
    }
    let size = ceil(longest, parts);
    let parts = ceil(longest, size);

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
    let combined = program.add_axis("part", part_count);
    let combined_at = program.at(combined);
    let mut part_axes = axes.clone();
    part_axes[cut] = within;
    let (to, from) = (program.row_major(part_at, &stage.axes), program.row_major(combined_at, &stage.axes));

    let mut stores = Vec::new();
    let mut stage = stage.clone();
    for &reduction in &reductions {
        let Node::Reduce { op, body, .. } = program.node(reduction).clone() else { return None };
        let ty = program.ty(reduction);
        let (tensor, start) = program.add_scratch("parts", ty.storage(), (parts * count) as usize);
        let body = program.substitute(body, &replace);
        let value = program.reduce(op, part_axes.clone(), body);
        stores.push(Store { tensor, offset: program.add(start, to), value });
        let offset = program.add(start, from);
        let loaded = program.load(tensor, offset, ty);
        let sum = program.reduce(op, vec![combined], loaded);
        program.replace_in(&mut stage, reduction, sum);
    }
    let domain: Vec<AxisId> = std::iter::once(part).chain(stage.axes.iter().copied()).collect();
    let parts_stage = Stage { name: "parts", axes: domain, bounds: None, stores, repeat: stage.repeat };
    Some((parts_stage, stage))
}

/// Whether vectors run along what is reduced: neighbours in memory belong to the same number.
fn runs_along_rows(
    program: &Program,
    stage: &Stage,
    reductions: &[E],
    axes: &[AxisId],
    profile: &DeviceProfile,
) -> bool {
    let (mut along, mut across) = (false, false);
    program.visit(reductions.iter().copied(), &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            let is_unit = |&axis: &AxisId| program.constant_step(offset, axis) == Some(1);
            along |= axes.iter().any(is_unit);
            across |= stage.axes.iter().any(is_unit);
        }
    });
    along && !across && sweep::takes(program, stage, profile)
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::runtime::{DeviceProfile, DeviceType};

    #[test]
    fn sums_over_an_axis_of_one_point_and_a_long_one_are_cut_as_others_are() {
        let host = crate::runtime::cpu::Device.profile().clone();
        let profile = DeviceProfile { device_type: DeviceType::Cpu, vector_bytes: 64, compute_units: 2, ..host };
        let md = MemoryDesc::with_tag(&[1, 32, 80, 80], DataType::F32, FormatTag::from_name("acdb").unwrap()).unwrap();
        for groups in [32, 4] {
            let (sharing, prop) = (Sharing::Group { groups }, PropKind::ForwardInference);
            let op = Normalization::forward(sharing, prop, &md, &md, None, None, 1e-3, NormFlags::default()).unwrap();
            let mut program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
            super::super::prepare(&mut program, &profile);
            let in_parts = ["parts", "norm_part_sum", "norm_part_squares"];
            let is_cut = program.stages.iter().any(|stage| in_parts.contains(&stage.name));
            assert!(is_cut, "{groups} groups\n{program}");
        }
    }
}
