//! The form of a contraction for GPU-type devices.
//!
//! A work-group computes a square of the output. It brings a slice of both factors to local memory, each element once,
//! whatever its layout, type or padding, and then every work-item multiplies a few rows by a few columns from there.

use super::{Product, products};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};
use crate::schedule::map::bind_linear;
use crate::schedule::{Scheduled, ceil, needs_wide_indices};

/// Work-items along each side of a work-group.
const GROUP: i64 = 16;
/// Rows and columns of a work-item.
const OWN: i64 = 4;
/// Rows and columns of a work-group.
const SIDE: i64 = GROUP * OWN;
/// Steps of the reduction that are in local memory at a time.
const DEPTH: i64 = 16;
/// Rows, columns and steps below which a work-item for each element does as well.
const WORTH: i64 = 8;

/// One side of the product: a factor and the axes that only it has.
struct Side {
    name: &'static str,
    factor: E,
    axes: Vec<AxisId>,
    /// Whether neighbours along the reduction are neighbours in memory, rather than neighbours along its own axes.
    along_reduction: bool,
}

/// Takes a stage that is a contraction, on a device with local memory.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Scheduled> {
    let (sums, reduced) = products(program, stage)?;
    let [Product { sum, factors: [a, b] }] = sums[..] else { return None };
    let bytes = if program.ty(sum) == Ty::F64 { 8 } else { 4 };
    let local = (2 * (SIDE + 1) * DEPTH * bytes) as usize;
    if profile.device_type == DeviceType::Cpu
        || profile.local_memory < local
        || profile.max_work_group < (GROUP * GROUP) as usize
    {
        return None;
    }
    let side = |name, factor: E, other: E| {
        let axes: Vec<AxisId> = stage
            .axes
            .iter()
            .copied()
            .filter(|&axis| program.depends_on(factor, axis) && !program.depends_on(other, axis))
            .collect();
        let along_reduction = reduced.last().is_some_and(|&last| steps_by_one(program, factor, last));
        Side { name, factor, axes, along_reduction }
    };
    let (mut rows, mut columns) = (side("rows", a, b), side("columns", b, a));
    // Neighbouring work-items store neighbouring columns.
    let stored =
        |side: &Side| side.axes.iter().any(|&axis| program.constant_step(stage.stores[0].offset, axis) == Some(1));
    if stored(&rows) && !stored(&columns) {
        std::mem::swap(&mut rows, &mut columns);
        (rows.name, columns.name) = ("rows", "columns");
    }
    let (row_count, column_count, depth) =
        (program.points(&rows.axes)?, program.points(&columns.axes)?, program.points(&reduced)?);
    if [row_count, column_count, depth].iter().any(|&extent| extent < WORTH) {
        return None;
    }
    let is_side = |axis: &AxisId| rows.axes.contains(axis) || columns.axes.contains(axis);
    let batch: Vec<AxisId> = stage.axes.iter().copied().filter(|axis| !is_side(axis)).collect();
    let batch_count = program.points(&batch)?;

    let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
    let index = emitter.index_type();
    let ty = program.ty(sum);
    let scalar = emitter.type_name(ty, false);
    let count = |emitter: &mut Emitter<'_>, name: &str, axes: &[AxisId]| {
        let extents: Vec<String> = axes.iter().map(|&axis| emitter.scalar(program.axis(axis).extent)).collect();
        emitter.line(format!("const {index} {name} = {};", extents.join(" * ")));
    };
    for side in [&rows, &columns] {
        emitter.line(format!("__local {scalar} {}_tile[{}];", side.name, DEPTH * (SIDE + 1)));
        count(&mut emitter, &format!("{}_count", side.name), &side.axes);
    }
    count(&mut emitter, "depth", &reduced);
    emitter.line("const int x = get_local_id(0), y = get_local_id(1);");
    emitter.line(format!("const {index} columns_start = ({index})get_group_id(0) * {SIDE};"));
    emitter.line(format!("const {index} rows_start = ({index})get_group_id(1) * {SIDE};"));
    if !batch.is_empty() {
        emitter.line(format!("const {index} batch = ({index})get_global_id(2);"));
        bind_linear(&mut emitter, program, &batch, "batch".into());
    }
    emitter.line(format!("{scalar} acc[{}];", OWN * OWN));
    emitter.line(format!("for (int i = 0; i < {}; ++i) acc[i] = 0;", OWN * OWN));
    emitter.open(format!("for ({index} k0 = 0; k0 < depth; k0 += {DEPTH})"));
    for side in [&rows, &columns] {
        fetch(&mut emitter, program, side, &reduced);
    }
    emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
    emitter.open(format!("for (int k = 0; k < {DEPTH}; ++k)"));
    emitter.open(format!("for (int r = 0; r < {OWN}; ++r)"));
    emitter.line(format!("const {scalar} a = rows_tile[k * {} + y + r * {GROUP}];", SIDE + 1));
    let term = if ty.is_float() { "fma(a, b, acc[i])" } else { "acc[i] + a * b" };
    emitter.open(format!("for (int c = 0; c < {OWN}; ++c)"));
    emitter.line(format!("const int i = r * {OWN} + c;"));
    emitter.line(format!("const {scalar} b = columns_tile[k * {} + x + c * {GROUP}];", SIDE + 1));
    emitter.line(format!("acc[i] = {term};"));
    (0..3).for_each(|_| emitter.close());
    emitter.line("barrier(CLK_LOCAL_MEM_FENCE);");
    emitter.close();

    emitter.open(format!("for (int i = 0; i < {}; ++i)", OWN * OWN));
    emitter.line(format!("const {index} row = rows_start + y + i / {OWN} * {GROUP};"));
    emitter.line(format!("const {index} column = columns_start + x + i % {OWN} * {GROUP};"));
    emitter.line("if (row >= rows_count || column >= columns_count) continue;");
    bind_linear(&mut emitter, program, &rows.axes, "row".into());
    bind_linear(&mut emitter, program, &columns.axes, "column".into());
    emitter.define(sum, Value { text: "acc[i]".into(), vector: false });
    stage.stores.iter().for_each(|store| emitter.store(store));
    emitter.close();

    let groups = |points: i64| (ceil(points, SIDE) * GROUP) as usize;
    let range = NdRange {
        global: [groups(column_count), groups(row_count), batch_count as usize],
        local: Some([GROUP as usize, GROUP as usize, 1]),
    };
    let attribute = format!("__attribute__((reqd_work_group_size({GROUP}, {GROUP}, 1)))\n");
    let source = emitter.finish(stage.name, &attribute, &program.stage_tensors(stage));
    Some(Scheduled::new(program, "contract", source, range))
}

/// Brings a slice of a factor to local memory; zero beyond its end.
fn fetch(emitter: &mut Emitter<'_>, program: &Program, side: &Side, reduced: &[AxisId]) {
    let index = emitter.index_type();
    let name = side.name;
    emitter.open(format!("for (int i = y * {GROUP} + x; i < {}; i += {})", SIDE * DEPTH, GROUP * GROUP));
    let (own, step) = if side.along_reduction {
        (format!("i / {DEPTH}"), format!("i % {DEPTH}"))
    } else {
        (format!("i % {SIDE}"), format!("i / {SIDE}"))
    };
    emitter.line(format!("const int own = {own}, step = {step};"));
    emitter.line(format!("const {index} position = {name}_start + own;"));
    emitter.line(format!("const {index} k = k0 + step;"));
    bind_linear(emitter, program, &side.axes, "position".into());
    bind_linear(emitter, program, reduced, "k".into());
    let value = emitter.value_if(&format!("position < {name}_count && k < depth"), side.factor);
    emitter.line(format!("{name}_tile[step * {} + own] = {};", SIDE + 1, value.text));
    emitter.close();
}

/// Whether every load of a factor that moves along an axis moves by one element.
pub(in crate::schedule) fn steps_by_one(program: &Program, factor: E, axis: AxisId) -> bool {
    let mut all = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e) {
            all &= !program.depends_on(offset, axis) || program.constant_step(offset, axis) == Some(1);
        }
    });
    all
}
