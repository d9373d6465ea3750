//! Reductions on GPU-type devices: a work-group for each row, or for a few columns side by side.
//!
//! The work-items of a group take turns along what is reduced, each accumulates what it met, and the parts meet in local memory, those
//! of sums a sub-group at a time.
//! Where neighbours in memory belong to different results, a group computes some of those at once, so that its work-items
//! read neighbours all the same. What is computed of a row's numbers at its elements follows in the same group.

use std::collections::BTreeSet;

use super::map::bind_linear;
use super::{Scheduled, attend, needs_wide_indices};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange, SubGroups};

/// Work-items of the largest group.
const MOST: i64 = 256;
/// Those of the smallest, and the shortest reductions that are worth one.
const LEAST: i64 = 32;
/// Columns that a group computes side by side.
const COLUMNS: i64 = 16;
/// Results that keep a compute unit busy if each has a work-item of its own.
const ENOUGH: i64 = 2048;

/// A stage as work-groups.
#[derive(Debug)]
struct Groups {
    /// Reductions of the whole group, those that others need first.
    reductions: Vec<E>,
    /// The axes that reductions depend on: each point of them is a row.
    fixed: Vec<AxisId>,
    /// The axes along a row.
    inner: Vec<AxisId>,
    /// Rows of a group side by side, over the last of the fixed axes.
    columns: i64,
    /// Work-items of a group.
    size: i64,
    /// Whether sub-groups add up what their work-items have.
    by_sub_groups: bool,
}

/// Whether stages can be scheduled here.
pub(super) fn takes(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    Groups::of(program, stage, profile).is_some()
}

/// Takes a stage that reduces, on a device with local memory.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Scheduled> {
    Some(Groups::of(program, stage, profile)?.schedule(program, stage))
}

impl Groups {
    fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Groups> {
        let group = (profile.max_work_group as i64).min(profile.local_memory as i64 / 16).min(MOST);
        if profile.device_type == DeviceType::Cpu
            || group < LEAST
            || attend::takes(program, stage, profile)
            || stage.stores.iter().any(|store| program.tensor(store.tensor).data_type.is_sub_byte())
            || !stage.axes.iter().all(|&axis| program.extent(axis).is_some_and(|extent| extent > 0))
        {
            return None;
        }
        let of_stage = |e: &E| program.free_axes(*e).iter().all(|axis| stage.axes.contains(axis));
        let reductions: Vec<E> = program.reductions(program.roots(stage)).into_iter().filter(of_stage).collect();
        let mut length = 0;
        for &e in &reductions {
            let Node::Reduce { axes, .. } = program.node(e) else { continue };
            let depends = |axis: AxisId| program.free_axes(program.axis(axis).extent).iter().any(|a| axes.contains(a));
            if axes.iter().any(|&axis| depends(axis)) {
                return None;
            }
            length = length.max(points(program, axes)?);
        }
        if length < LEAST {
            return None;
        }
        let is_fixed = |axis: &AxisId| reductions.iter().any(|&e| program.depends_on(e, *axis));
        let (mut fixed, inner): (Vec<AxisId>, Vec<AxisId>) = stage.axes.iter().copied().partition(is_fixed);
        let across = across(program, &reductions, &fixed);
        let enough = points(program, &fixed)? >= ENOUGH * profile.compute_units as i64;
        if inner.is_empty() && enough && across.is_some_and(|axis| stage.axes.last() == Some(&axis)) {
            return None;
        }
        // Padding is the same for all of a group, so that all of them reach its barriers.
        let padded = |axis: AxisId| stage.bounds.is_some_and(|bounds| program.depends_on(bounds, axis));
        let across = across.filter(|&axis| !padded(axis) && program.extent(axis).is_some_and(|extent| extent >= 4));
        let columns = across.map_or(1, |_| COLUMNS);
        if let Some(axis) = across {
            fixed.retain(|&other| other != axis);
            fixed.push(axis);
        }
        let wanted = (length as u64).next_power_of_two() as i64 * columns;
        let largest = 1 << (group as u64).ilog2();
        let by_sub_groups = columns == 1 && profile.sub_groups != SubGroups::None;
        Some(Groups { reductions, fixed, inner, columns, size: wanted.clamp(LEAST, largest), by_sub_groups })
    }

    fn schedule(&self, program: &Program, stage: &Stage) -> Scheduled {
        let Groups { reductions, fixed, columns, size, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        let types: BTreeSet<String> = reductions.iter().map(|&e| emitter.type_name(program.ty(e), false)).collect();
        for name in types {
            emitter.line(format!("__local {name} {name}_parts[{size}];"));
        }
        let index = emitter.index_type();
        emitter.line(format!("const int x = get_local_id(0) % {columns}, y = get_local_id(0) / {columns};"));
        emitter.line(format!("const {index} group = ({index})get_group_id(0);"));
        let mut groups = 1;
        if *columns == 1 {
            bind_linear(&mut emitter, program, fixed, "group".into());
            groups = points(program, fixed).unwrap_or(0);
        } else if let Some((&axis, others)) = fixed.split_last() {
            let extent = emitter.scalar(program.axis(axis).extent);
            emitter.line(format!("const {index} blocks = ({extent} + {}) / {columns};", columns - 1));
            emitter.line(format!("const {index} column = group % blocks * {columns} + x, rest = group / blocks;"));
            bind_linear(&mut emitter, program, others, "rest".into());
            // Columns beyond the last compute what that one does, and keep it for themselves.
            emitter.line(format!("const {index} own = min(column, {extent} - 1);"));
            emitter.bind(axis, "own");
            let blocks = (program.extent(axis).unwrap_or(0) + columns - 1) / columns;
            groups = points(program, others).unwrap_or(0) * blocks;
        }
        self.body(&mut emitter, program, stage);
        let attribute = format!("__attribute__((reqd_work_group_size({size}, 1, 1)))\n");
        let source = emitter.finish(stage.name, &attribute, &program.stage_tensors(stage));
        let range = NdRange { global: [(groups * size) as usize, 1, 1], local: Some([*size as usize, 1, 1]) };
        Scheduled::new(program, "group", source, range)
    }

    fn body(&self, emitter: &mut Emitter<'_>, program: &Program, stage: &Stage) {
        let moves = |e: E| self.inner.iter().any(|&axis| program.depends_on(e, axis));
        let conditions = stage.bounds.map_or_else(Vec::new, |bounds| program.conjuncts(bounds));
        let (within, around): (Vec<E>, Vec<E>) = conditions.into_iter().partition(|&c| moves(c));
        if !around.is_empty() {
            let tests: Vec<String> = around.iter().map(|&c| emitter.scalar(c)).collect();
            emitter.open(format!("if (!({}))", tests.join(" && ")));
            self.stores(emitter, program, stage, &[], false);
            emitter.line("return;");
            emitter.close();
        }
        for &e in &self.reductions {
            self.reduce(emitter, program, e);
        }
        self.stores(emitter, program, stage, &within, true);
    }

    /// A reduction by all work-items of the group.
    fn reduce(&self, emitter: &mut Emitter<'_>, program: &Program, e: E) {
        let Groups { columns, size, .. } = self;
        let Node::Reduce { op, axes, body } = program.node(e).clone() else { return };
        let ty = program.ty(e);
        let rows = size / columns;
        let index = emitter.index_type();
        let scalar = emitter.type_name(ty, false);
        let (mine, result) = (emitter.fresh("part"), emitter.fresh("row"));
        emitter.line(format!("{scalar} {mine} = {};", Emitter::identity(op, ty)));
        let (depth, last) = match axes.split_last() {
            // A long innermost axis is shared, the others are walked by everybody.
            Some((&last, others)) if longest(program, last) >= rows => (emitter.open_reduction(others), vec![last]),
            _ => (0, axes.clone()),
        };
        let extents: Vec<String> = last.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        let count = emitter.fresh("count");
        emitter.line(format!("const {index} {count} = {};", extents.join(" * ")));
        let step = emitter.fresh("k");
        emitter.open(format!("for ({index} {step} = y; {step} < {count}; {step} += {rows})"));
        bind_linear(emitter, program, &last, step);
        let x = emitter.scalar(body);
        emitter.line(format!("{mine} = {};", Emitter::combine(op, &mine, &x)));
        (0..=depth).for_each(|_| emitter.close());
        let parts = format!("{scalar}_parts");
        // Not so maxima and minima, of which sub-groups do not say what they make of numbers that are none.
        if self.by_sub_groups && op == ReduceOp::Sum {
            emitter.line(format!("{mine} = sub_group_reduce_add({mine});"));
            emitter.line(format!("if (get_sub_group_local_id() == 0) {parts}[get_sub_group_id()] = {mine};"));
            emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
            emitter.line(format!("{scalar} {result} = {parts}[0];"));
            let others = format!("for (uint i = 1; i < get_num_sub_groups(); ++i) {result} += {parts}[i];");
            emitter.line(others);
            emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
            emitter.define(e, Value { text: result, vector: false });
            return;
        }
        emitter.line(format!("{parts}[y * {columns} + x] = {mine};"));
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.open(format!("for (int half_rows = {}; half_rows > 0; half_rows /= 2)", rows / 2));
        let (own, other) = (format!("{parts}[y * {columns} + x]"), format!("{parts}[(y + half_rows) * {columns} + x]"));
        emitter.line(format!("if (y < half_rows) {own} = {};", Emitter::combine(op, &own, &other)));
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.close();
        emitter.line(format!("const {scalar} {result} = {parts}[x];"));
        emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
        emitter.define(e, Value { text: result, vector: false });
    }

    /// Stores what a row is one number of, and its elements; zeros where it is padding.
    fn stores(&self, emitter: &mut Emitter<'_>, program: &Program, stage: &Stage, within: &[E], inside: bool) {
        let Groups { columns, size, inner, .. } = self;
        let moves = |e: E| inner.iter().any(|&axis| program.depends_on(e, axis));
        let (elements, numbers): (Vec<&Store>, Vec<&Store>) = stage.stores.iter().partition(|s| moves(s.offset));
        let put = |emitter: &mut Emitter<'_>, stores: &[&Store], inside: bool| {
            for store in stores {
                if inside { emitter.store(store) } else { emitter.store_zero(store) }
            }
        };
        let own = if *columns > 1 { "column == own" } else { "1" };
        if !numbers.is_empty() {
            emitter.open(format!("if (y == 0 && {own})"));
            put(emitter, &numbers, inside);
            emitter.close();
        }
        if elements.is_empty() {
            return;
        }
        let index = emitter.index_type();
        let extents: Vec<String> = inner.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        emitter.open(format!("for ({index} k = y; k < {}; k += {})", extents.join(" * "), size / columns));
        bind_linear(emitter, program, inner, "k".into());
        emitter.open(format!("if ({own})"));
        if within.is_empty() {
            put(emitter, &elements, inside);
        } else {
            let tests: Vec<String> = within.iter().map(|&c| emitter.scalar(c)).collect();
            emitter.open(format!("if ({})", tests.join(" && ")));
            put(emitter, &elements, inside);
            emitter.close();
            emitter.open("else");
            put(emitter, &elements, false);
            emitter.close();
        }
        emitter.close();
        emitter.close();
    }
}

/// The extent of an axis; where that depends on others, at their start.
fn longest(program: &Program, axis: AxisId) -> i64 {
    program.evaluate(program.axis(axis).extent, &|_| Some(0)).unwrap_or(0)
}

fn points(program: &Program, axes: &[AxisId]) -> Option<i64> {
    axes.iter().try_fold(1i64, |all, &axis| all.checked_mul(longest(program, axis)))
}

/// The axis of results along which reductions read neighbours, where they do not along what they reduce.
fn across(program: &Program, reductions: &[E], fixed: &[AxisId]) -> Option<AxisId> {
    let mut offsets = Vec::new();
    let mut along = BTreeSet::new();
    for &e in reductions {
        if let Node::Reduce { axes, .. } = program.node(e) {
            along.extend(axes.iter().copied());
        }
    }
    program.visit(reductions.iter().copied(), &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            offsets.push(offset);
        }
    });
    let unit = |axis: AxisId| offsets.iter().filter(|&&offset| program.constant_step(offset, axis) == Some(1)).count();
    if along.into_iter().any(|axis| unit(axis) > 0) {
        return None;
    }
    fixed.iter().copied().find(|&axis| unit(axis) > 0)
}
