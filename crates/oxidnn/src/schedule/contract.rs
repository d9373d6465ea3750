//! Sums of products of two factors: matrix products, and everything that is one in disguise.
//!
//! The form for CPU-type devices. One work-item computes a tile of rows and columns in registers: columns are the lanes
//! of explicit vectors, taken from the factor that is contiguous along them; the other factor is broadcast, one row at a
//! time. The rest of the expression around the sum is the tile's epilogue, so bias, scales and post-ops cost a pass over
//! registers. [`pack`](super::pack) brings factors that suit this badly into shape first.

use std::collections::HashMap;

use super::map::bind_linear;
use super::{Scheduled, needs_wide_indices};
use crate::Result;
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};

/// A stage seen as a contraction.
#[derive(Debug)]
pub(super) struct Contraction {
    /// The sum.
    pub sum: E,
    /// What it runs over.
    pub reduced: Vec<AxisId>,
    /// The factor whose lanes are columns, and the one that is broadcast.
    pub vector: E,
    pub broadcast: E,
    /// The axis of columns, and of rows if there is one.
    pub columns: AxisId,
    pub rows: Option<AxisId>,
    /// Components of a vector.
    pub lanes: i64,
}

/// Sizes of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub rows: i64,
    pub vectors: i64,
    /// Tiles along the rows that one work-item computes, one after another.
    steps: i64,
}

impl Contraction {
    /// Sees a stage as a contraction on this device, if it is one.
    pub fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Contraction> {
        if profile.device_type != DeviceType::Cpu || stage.bounds.is_some() || profile.vector_bytes < 16 {
            return None;
        }
        let mut sums = Vec::new();
        program.visit(program.roots(stage), &mut |e| {
            if matches!(program.node(e), Node::Reduce { .. }) {
                sums.push(e);
            }
        });
        let [sum] = sums[..] else { return None };
        let Node::Reduce { op: ReduceOp::Sum, axes: reduced, body } = program.node(sum).clone() else { return None };
        let Node::Binary(BinaryOp::Mul, a, b) = *program.node(body) else { return None };
        if stage.stores.iter().any(|store| program.tensor(store.tensor).data_type.is_sub_byte()) {
            return None;
        }
        let lanes = (profile.vector_bytes / if program.ty(sum) == Ty::F64 { 8 } else { 4 }).min(16) as i64;
        let (free_a, free_b) = (program.free_axes(a), program.free_axes(b));
        // Columns are an axis of one factor only; the closer that factor and the output come to being contiguous along
        // it, the better.
        let wide = |axis: &AxisId| program.extent(*axis).is_some_and(|extent| extent >= lanes);
        let candidates =
            stage.axes.iter().copied().filter(|axis| wide(axis) && free_a.contains(axis) != free_b.contains(axis));
        let columns = candidates.max_by_key(|&axis| {
            let factor = if free_a.contains(&axis) { a } else { b };
            let stored = program.constant_step(stage.stores[0].offset, axis) == Some(1);
            (contiguous(program, factor, axis, lanes), stored, program.extent(axis))
        })?;
        let (vector, broadcast) = if free_a.contains(&columns) { (a, b) } else { (b, a) };
        let only_broadcast = |axis: &AxisId| {
            program.depends_on(broadcast, *axis) && !program.depends_on(vector, *axis) && *axis != columns
        };
        let rows = stage.axes.iter().copied().filter(only_broadcast).max_by_key(|&axis| program.extent(axis));
        Some(Contraction { sum, reduced, vector, broadcast, columns, rows, lanes })
    }

    /// How many rows there are.
    pub fn row_count(&self, program: &Program) -> Option<i64> {
        self.rows.map_or(Some(1), |axis| program.extent(axis))
    }

    /// The axes of the domain that are neither rows nor columns.
    pub fn others(&self, stage: &Stage) -> Vec<AxisId> {
        stage.axes.iter().copied().filter(|&axis| axis != self.columns && Some(axis) != self.rows).collect()
    }

    /// The tile that suits the registers and the shape.
    pub fn tile(&self, program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Tile> {
        let columns = program.extent(self.columns)?;
        let row_count = self.row_count(program)?;
        if row_count == 0 {
            return None;
        }
        let (registers, most_rows) = if profile.vector_bytes >= 64 { (32, 12) } else { (16, 6) };
        let ceil = |a: i64, b: i64| (a + b - 1) / b;
        let rows = ceil(row_count, ceil(row_count, most_rows));
        let fit = (registers - 1) / (rows + 1);
        let vectors = [8, 4, 2].into_iter().find(|&v| v <= fit && columns >= v * self.lanes).unwrap_or(1);
        // Enough work-items to go round, and otherwise as many rows as possible for each panel of columns.
        let others: i64 =
            self.others(stage).iter().try_fold(1, |points, &axis| Some(points * program.extent(axis)?))?;
        let panels = others * ceil(columns, vectors * self.lanes);
        let row_tiles = ceil(row_count, rows);
        let steps = (panels * row_tiles / (8 * profile.compute_units as i64)).clamp(1, row_tiles);
        Some(Tile { rows, vectors, steps })
    }
}

/// Whether every load of a factor that moves along an axis moves by one element, for as many steps as a vector has lanes.
pub(super) fn contiguous(program: &Program, factor: E, axis: AxisId, lanes: i64) -> bool {
    let mut all = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, offset, .. } = *program.node(e)
            && program.depends_on(offset, axis)
        {
            let at = |step: i64| program.evaluate(offset, &|other| Some(if other == axis { step } else { 0 }));
            let steps = [1, lanes - 1].into_iter().all(|step| at(step).zip(at(0)).is_some_and(|(a, b)| a - b == step));
            all &= steps && !program.tensor(tensor).data_type.is_sub_byte();
        }
    });
    all
}

/// Takes a stage that is a contraction, on a device with vectors.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    let contraction = Contraction::of(program, stage, profile)?;
    let tile = contraction.tile(program, stage, profile)?;
    Some(Ok(Kernel::new(program, stage, contraction, tile).emit()))
}

/// One kernel in the making.
struct Kernel {
    program: Program,
    stage: Stage,
    c: Contraction,
    tile: Tile,
    width: i64,
    steps: E,
    /// Columns are `panel * width + vector * lanes + lane`.
    panel: AxisId,
    lane: AxisId,
    /// Each row of the tile has an axis of its own, so that what depends on it alone can be hoisted.
    row_axes: Vec<AxisId>,
    broadcasts: Vec<E>,
    vectors: Vec<E>,
    /// Whether the vector factor can be read beyond the last column, up to a whole panel.
    padded: bool,
}

impl Kernel {
    fn new(program: &Program, stage: &Stage, c: Contraction, tile: Tile) -> Kernel {
        let mut program = program.clone();
        let width = tile.vectors * c.lanes;
        let steps = program.param(tile.steps);
        let columns = program.extent(c.columns).unwrap_or(0);
        let panels = program.param((columns + width - 1) / width);
        let panel = program.add_axis("panel", panels);
        let lanes = program.index(c.lanes);
        let lane = program.add_axis("lane", lanes);
        let vectors: Vec<E> = (0..tile.vectors)
            .map(|v| {
                let (panel, width, lane) = (program.at(panel), program.index(width), program.at(lane));
                let distance = program.index(v * c.lanes);
                let first = program.mul(panel, width);
                let within = program.add(distance, lane);
                let column = program.add(first, within);
                program.substitute(c.vector, &HashMap::from([(c.columns, column)]))
            })
            .collect();
        let mut row_axes = Vec::new();
        let mut broadcasts = Vec::new();
        for _ in 0..tile.rows {
            let Some(rows) = c.rows else {
                broadcasts.push(c.broadcast);
                continue;
            };
            let axis = program.add_axis("row", program.axis(rows).extent);
            let at = program.at(axis);
            row_axes.push(axis);
            broadcasts.push(program.substitute(c.broadcast, &HashMap::from([(rows, at)])));
        }
        let padded = vectors.last().is_some_and(|&last| stays_inside(&program, last, panel, lane));
        let stage = stage.clone();
        Kernel { program, stage, c, tile, width, steps, panel, lane, row_axes, broadcasts, vectors, padded }
    }

    fn emit(&self) -> Scheduled {
        let Kernel { program, stage, c, tile, width, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        let index = emitter.index_type();
        let columns = emitter.scalar(program.axis(c.columns).extent);
        let rows = c.rows.map_or("1".into(), |axis| emitter.scalar(program.axis(axis).extent));
        let steps = emitter.scalar(self.steps);
        let others = c.others(stage);
        emitter.line(format!("const {index} panel = ({index})get_global_id(0);"));
        emitter.line(format!("const {index} n0 = panel * {width};"));
        if !others.is_empty() {
            emitter.line(format!("const {index} rest = ({index})get_global_id(2);"));
            bind_linear(&mut emitter, program, &others, "rest".into());
        }
        emitter.open(format!("for ({index} step = 0; step < {steps}; ++step)"));
        emitter.line(format!("const {index} m0 = (({index})get_global_id(1) * {steps} + step) * {};", tile.rows));
        emitter.line(format!("if (m0 >= {rows}) break;"));
        if self.padded {
            self.accumulate(&mut emitter, &rows);
            emitter.open(format!("if (n0 + {width} <= {columns})"));
            self.store_vectors(&mut emitter, &rows);
            emitter.close();
            emitter.open("else");
            self.store_elements(&mut emitter, &rows, &columns);
            emitter.close();
        } else {
            emitter.open(format!("if (n0 + {width} <= {columns})"));
            self.accumulate(&mut emitter, &rows);
            self.store_vectors(&mut emitter, &rows);
            emitter.close();
            emitter.open("else");
            self.element_by_element(&mut emitter, &rows, &columns);
            emitter.close();
        }
        emitter.close();

        let ceil = |a: i64, b: i64| (a + b - 1) / b;
        let extent = |axis: AxisId| program.extent(axis).unwrap_or(0);
        let row_count = c.rows.map_or(1, extent);
        let global = [
            ceil(extent(c.columns), *width) as usize,
            ceil(ceil(row_count, tile.rows), tile.steps) as usize,
            others.iter().map(|&axis| extent(axis) as usize).product(),
        ];
        let tensors = program.stage_tensors(stage);
        let source = emitter.finish(stage.name, "__attribute__((reqd_work_group_size(1, 1, 1)))\n", &tensors);
        Scheduled::new(program, "contract", source, NdRange { global, local: Some([1; 3]) })
    }

    /// Fills the array `tile` with the sums of a whole tile.
    fn accumulate(&self, emitter: &mut Emitter<'_>, row_count: &str) {
        let Kernel { program, c, tile, .. } = self;
        let index = emitter.index_type();
        let ty = program.ty(c.sum);
        emitter.set_lanes(Some((self.lane, c.lanes as usize)));
        let vector_type = emitter.type_name(ty, true);
        emitter.bind(self.lane, "0");
        emitter.bind(self.panel, "panel");
        for (r, &row) in self.row_axes.iter().enumerate() {
            emitter.line(format!("const {index} m{r}_ = min(m0 + {r}, {row_count} - 1);"));
            emitter.bind(row, format!("m{r}_"));
        }
        for r in 0..tile.rows {
            let names: Vec<String> = (0..tile.vectors).map(|v| format!("acc{r}_{v}_ = 0")).collect();
            emitter.line(format!("{vector_type} {};", names.join(", ")));
        }
        for &factor in self.broadcasts.iter().chain(&self.vectors) {
            emitter.hoist(factor, &c.reduced);
        }
        for (depth, &axis) in c.reduced.iter().enumerate() {
            let extent = emitter.scalar(program.axis(axis).extent);
            emitter.open(format!("for ({index} k{depth}_ = 0; k{depth}_ < {extent}; ++k{depth}_)"));
            emitter.bind(axis, format!("k{depth}_"));
        }
        let columns: Vec<String> = self.vectors.iter().map(|&e| emitter.wide_value(e)).collect();
        for (r, &factor) in self.broadcasts.iter().enumerate() {
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
        emitter.set_lanes(None);
    }

    fn open_rows(&self, emitter: &mut Emitter<'_>, row_count: &str) {
        emitter.open(format!("for (int r = 0; r < {} && m0 + r < {row_count}; ++r)", self.tile.rows));
        if let Some(axis) = self.c.rows {
            emitter.bind(axis, "(m0 + r)");
        }
    }

    /// Epilogue and stores of a whole tile, a vector at a time.
    fn store_vectors(&self, emitter: &mut Emitter<'_>, row_count: &str) {
        let Kernel { c, tile, .. } = self;
        self.open_rows(emitter, row_count);
        emitter.open(format!("for (int v = 0; v < {}; ++v)", tile.vectors));
        emitter.set_lanes(Some((c.columns, c.lanes as usize)));
        emitter.bind(c.columns, format!("(n0 + v * {})", c.lanes));
        emitter.define(c.sum, Value { text: format!("tile[r * {} + v]", tile.vectors), vector: true });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();
        emitter.close();
    }

    /// Epilogue and stores of a tile that reaches beyond the last column, an element at a time.
    fn store_elements(&self, emitter: &mut Emitter<'_>, row_count: &str, column_count: &str) {
        let Kernel { program, c, width, .. } = self;
        let (index, scalar) = (emitter.index_type(), emitter.type_name(program.ty(c.sum), false));
        self.open_rows(emitter, row_count);
        emitter.open(format!("for ({index} n = n0; n < {column_count}; ++n)"));
        emitter.bind(c.columns, "n");
        let sum = format!("((const {scalar} *)tile)[r * {width} + (n - n0)]");
        emitter.define(c.sum, Value { text: sum, vector: false });
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }

    /// The columns that do not fill a tile, each with its own sum.
    fn element_by_element(&self, emitter: &mut Emitter<'_>, row_count: &str, column_count: &str) {
        let index = emitter.index_type();
        self.open_rows(emitter, row_count);
        emitter.open(format!("for ({index} n = n0; n < {column_count}; ++n)"));
        emitter.bind(self.c.columns, "n");
        self.stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}

/// Whether all loads of a factor stay inside their tensors even at the last lane of the last panel.
fn stays_inside(program: &Program, factor: E, panel: AxisId, lane: AxisId) -> bool {
    let last = |axis: AxisId| program.extent(axis).map(|extent| (extent - 1).max(0));
    let mut inside = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, offset, guard, .. } = *program.node(e) {
            let moves = program.depends_on(offset, panel) || program.depends_on(offset, lane);
            let elements = program.tensor(tensor).elements;
            let reach = program.evaluate(offset, &last);
            inside &= !moves || (guard.is_none() && reach.zip(elements).is_some_and(|(reach, size)| reach < size));
        }
    });
    inside
}
