//! Sums of products of two factors: matrix products, and everything that is one in disguise.
//!
//! The form for CPU-type devices. One work-item computes a tile of rows and columns in registers: columns are the lanes
//! of explicit vectors, taken from the factor that is contiguous along them; the other factor is broadcast, one row at a
//! time. The rest of the expression around the sum is the tile's epilogue, so bias, scales and post-ops cost a pass over
//! registers.

use std::collections::HashMap;

use super::map::bind_linear;
use super::{Scheduled, needs_wide_indices};
use crate::Result;
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};

/// Columns left over in front of which a scalar loop runs are worth a smaller tile.
const MAX_ROWS: i64 = 12;

/// A stage seen as a contraction.
struct Contraction {
    /// The sum.
    sum: E,
    /// What it runs over.
    reduced: Vec<AxisId>,
    /// The factor whose lanes are columns, and the one that is broadcast.
    vector: E,
    broadcast: E,
    /// The axis of columns, and of rows if there is one.
    columns: AxisId,
    rows: Option<AxisId>,
}

/// Sizes of a tile.
#[derive(Clone, Copy, Debug)]
struct Tile {
    rows: i64,
    vectors: i64,
    lanes: i64,
    /// Tiles along the rows that one work-item computes, one after another.
    steps: i64,
}

/// Takes a stage that is a contraction, on a device with vectors.
pub fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    if profile.device_type != DeviceType::Cpu || stage.bounds.is_some() || profile.vector_bytes < 16 {
        return None;
    }
    let contraction = recognise(program, stage)?;
    let tile = choose_tile(program, stage, &contraction, profile)?;
    Some(emit(program, stage, &contraction, tile))
}

fn recognise(program: &Program, stage: &Stage) -> Option<Contraction> {
    let mut sums = Vec::new();
    program.visit(program.roots(stage), &mut |e| {
        if matches!(program.node(e), Node::Reduce { .. }) {
            sums.push(e);
        }
    });
    let [sum] = sums[..] else { return None };
    let Node::Reduce { op: ReduceOp::Sum, axes: reduced, body } = program.node(sum).clone() else { return None };
    let Node::Binary(BinaryOp::Mul, a, b) = *program.node(body) else { return None };
    let sub_byte = |store: &Store| program.tensor(store.tensor).data_type.is_sub_byte();
    if stage.stores.iter().any(sub_byte) {
        return None;
    }
    let (free_a, free_b) = (program.free_axes(a), program.free_axes(b));
    // Columns are an axis of one factor only; the closer that factor and the output come to being contiguous along it,
    // the better.
    let candidates = stage.axes.iter().copied().filter(|axis| free_a.contains(axis) != free_b.contains(axis));
    let columns = candidates.max_by_key(|&axis| {
        let factor = if free_a.contains(&axis) { a } else { b };
        let stored = program.constant_step(stage.stores[0].offset, axis) == Some(1);
        (program.extent(axis) > Some(1), contiguous(program, factor, axis), stored)
    })?;
    let (vector, broadcast) = if free_a.contains(&columns) { (a, b) } else { (b, a) };
    let only_broadcast =
        |axis: &AxisId| program.depends_on(broadcast, *axis) && !program.depends_on(vector, *axis) && *axis != columns;
    let rows = stage.axes.iter().copied().filter(only_broadcast).max_by_key(|&axis| program.extent(axis));
    Some(Contraction { sum, reduced, vector, broadcast, columns, rows })
}

/// Whether every load of a factor that moves along an axis moves by one element.
fn contiguous(program: &Program, factor: E, axis: AxisId) -> bool {
    let mut all = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, offset, .. } = *program.node(e)
            && program.depends_on(offset, axis)
        {
            all &= program.constant_step(offset, axis) == Some(1) && !program.tensor(tensor).data_type.is_sub_byte();
        }
    });
    all
}

fn choose_tile(program: &Program, stage: &Stage, c: &Contraction, profile: &DeviceProfile) -> Option<Tile> {
    let size = if program.ty(c.sum) == Ty::F64 { 8 } else { 4 };
    let lanes = (profile.vector_bytes / size).min(16) as i64;
    let columns = program.extent(c.columns)?;
    let row_count = c.rows.map_or(Some(1), |axis| program.extent(axis))?;
    if columns < lanes || row_count == 0 {
        return None;
    }
    let registers = if profile.vector_bytes >= 64 { 32 } else { 16 };
    let rows = row_count.min(if registers == 32 { MAX_ROWS } else { 4 });
    let fit = (registers - 1) / (rows + 1);
    let vectors = [4, 2, 1].into_iter().find(|&v| v <= fit && columns >= v * lanes).unwrap_or(1);
    // Enough work-items to go round, and otherwise as many rows as possible for each panel of columns.
    let others: i64 = stage
        .axes
        .iter()
        .filter(|&&axis| axis != c.columns && Some(axis) != c.rows)
        .try_fold(1, |n, &axis| Some(n * program.extent(axis)?))?;
    let panels = others * (columns / (vectors * lanes)).max(1);
    let row_tiles = (row_count + rows - 1) / rows;
    let wanted = 8 * profile.compute_units as i64;
    let steps = (panels * row_tiles / wanted).clamp(1, row_tiles.min(16));
    Some(Tile { rows, vectors, lanes, steps })
}

fn emit(program: &Program, stage: &Stage, c: &Contraction, tile: Tile) -> Result<Scheduled> {
    let mut program = program.clone();
    let tensors = program.stage_tensors(stage);
    let steps = program.param(tile.steps);
    // Each row of the tile has an axis of its own, each vector of columns a constant distance from the first.
    let row_axes: Vec<AxisId> = (0..tile.rows)
        .map(|_| c.rows.map_or(c.columns, |axis| program.add_axis("row", program.axis(axis).extent)))
        .collect();
    let broadcasts: Vec<E> = row_axes
        .iter()
        .map(|&row| match c.rows {
            Some(axis) => {
                let at = program.at(row);
                program.substitute(c.broadcast, &HashMap::from([(axis, at)]))
            }
            None => c.broadcast,
        })
        .collect();
    let vectors: Vec<E> = (0..tile.vectors)
        .map(|v| {
            let (at, distance) = (program.at(c.columns), program.index(v * tile.lanes));
            let shifted = program.add(at, distance);
            program.substitute(c.vector, &HashMap::from([(c.columns, shifted)]))
        })
        .collect();
    let program = program;
    let mut emitter = Emitter::new(&program, needs_wide_indices(&program, stage));
    let width = tile.vectors * tile.lanes;
    let index = emitter.index_type();
    let column_count = emitter.scalar(program.axis(c.columns).extent);
    let row_count = c.rows.map_or("1".into(), |axis| emitter.scalar(program.axis(axis).extent));
    let steps = emitter.scalar(steps);
    let others: Vec<AxisId> =
        stage.axes.iter().copied().filter(|&axis| axis != c.columns && Some(axis) != c.rows).collect();
    emitter.line(format!("const {index} n0 = ({index})get_global_id(0) * {width};"));
    if !others.is_empty() {
        emitter.line(format!("const {index} rest = ({index})get_global_id(2);"));
        bind_linear(&mut emitter, &program, &others, "rest".into());
    }
    emitter.open(format!("for ({index} step = 0; step < {steps}; ++step)"));
    emitter.line(format!("const {index} m0 = (({index})get_global_id(1) * {steps} + step) * {};", tile.rows));
    emitter.line(format!("if (m0 >= {row_count}) break;"));

    emitter.open(format!("if (n0 + {width} <= {column_count})"));
    full_tile(&mut emitter, &program, stage, c, tile, &row_axes, &broadcasts, &vectors, &row_count);
    emitter.close();
    emitter.open("else");
    edge(&mut emitter, stage, c, tile, &row_count, &column_count);
    emitter.close();
    emitter.close();

    let ceil = |a: i64, b: i64| (a + b - 1) / b;
    let extent = |axis: AxisId| program.extent(axis).unwrap_or(0);
    let rows = c.rows.map_or(1, extent);
    let global = [
        ceil(extent(c.columns), width) as usize,
        ceil(ceil(rows, tile.rows), tile.steps) as usize,
        others.iter().map(|&axis| extent(axis) as usize).product(),
    ];
    let source = emitter.finish(stage.name, "__attribute__((reqd_work_group_size(1, 1, 1)))\n", &tensors);
    Ok(Scheduled::new(&program, "contract", stage, source, NdRange { global, local: Some([1; 3]) }))
}

#[allow(clippy::too_many_arguments, reason = "the parts of one kernel")]
fn full_tile(
    emitter: &mut Emitter<'_>,
    program: &Program,
    stage: &Stage,
    c: &Contraction,
    tile: Tile,
    row_axes: &[AxisId],
    broadcasts: &[E],
    vectors: &[E],
    row_count: &str,
) {
    let index = emitter.index_type();
    let ty = program.ty(c.sum);
    emitter.set_lanes(Some((c.columns, tile.lanes as usize)));
    let vector_type = emitter.type_name(ty, true);
    emitter.bind(c.columns, "n0");
    if c.rows.is_some() {
        for (r, &row) in row_axes.iter().enumerate() {
            emitter.line(format!("const {index} m{r}_ = min(m0 + {r}, {row_count} - 1);"));
            emitter.bind(row, format!("m{r}_"));
        }
    }
    for r in 0..tile.rows {
        let names: Vec<String> = (0..tile.vectors).map(|v| format!("acc{r}_{v}_ = 0")).collect();
        emitter.line(format!("{vector_type} {};", names.join(", ")));
    }
    for &factor in broadcasts.iter().chain(vectors) {
        emitter.hoist(factor, &c.reduced);
    }
    for (depth, &axis) in c.reduced.iter().enumerate() {
        let extent = emitter.scalar(program.axis(axis).extent);
        emitter.open(format!("for ({index} k{depth}_ = 0; k{depth}_ < {extent}; ++k{depth}_)"));
        emitter.bind(axis, format!("k{depth}_"));
    }
    let columns: Vec<String> = vectors.iter().map(|&e| emitter.wide_value(e)).collect();
    for (r, &factor) in broadcasts.iter().enumerate() {
        let a = emitter.value(factor).text;
        for (v, column) in columns.iter().enumerate() {
            emitter.line(if ty.is_float() {
                format!("acc{r}_{v}_ = fma(({vector_type})({a}), {column}, acc{r}_{v}_);")
            } else {
                format!("acc{r}_{v}_ += {a} * {column};")
            });
        }
    }
    c.reduced.iter().for_each(|_| emitter.close());

    // The tile goes to memory of its own, so that the epilogue is written once, as a loop.
    let all: Vec<String> =
        (0..tile.rows).flat_map(|r| (0..tile.vectors).map(move |v| format!("acc{r}_{v}_"))).collect();
    emitter.line(format!("const {vector_type} tile[{}] = {{{}}};", tile.rows * tile.vectors, all.join(", ")));
    emitter.open(format!("for (int r = 0; r < {} && m0 + r < {row_count}; ++r)", tile.rows));
    emitter.open(format!("for (int v = 0; v < {}; ++v)", tile.vectors));
    if let Some(axis) = c.rows {
        emitter.bind(axis, "(m0 + r)");
    }
    emitter.bind(c.columns, format!("(n0 + v * {})", tile.lanes));
    emitter.define(c.sum, Value { text: format!("tile[r * {} + v]", tile.vectors), vector: true });
    stage.stores.iter().for_each(|store| emitter.store(store));
    emitter.close();
    emitter.close();
    emitter.set_lanes(None);
}

/// The columns that do not fill a tile, one element at a time.
fn edge(emitter: &mut Emitter<'_>, stage: &Stage, c: &Contraction, tile: Tile, row_count: &str, column_count: &str) {
    let index = emitter.index_type();
    emitter.open(format!("for (int r = 0; r < {} && m0 + r < {row_count}; ++r)", tile.rows));
    emitter.open(format!("for ({index} n = n0; n < {column_count}; ++n)"));
    if let Some(axis) = c.rows {
        emitter.bind(axis, "(m0 + r)");
    }
    emitter.bind(c.columns, "n");
    stage.stores.iter().for_each(|store| emitter.store(store));
    emitter.close();
    emitter.close();
}
