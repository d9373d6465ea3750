//! Attention in one pass over the keys.
//!
//! A program that computes, for each row, the largest of some products, the sum of their powers and the mean of values
//! weighted with them, in three stages, becomes one kernel for CPU-type devices. A work-item has a few rows. It goes through
//! the keys a panel at a time: products of the panel in registers, the powers relative to the largest product so far, and
//! the sums scaled down whenever a larger one comes. Keys and values are brought into panels of f32 first, so that types,
//! scales and layouts cost one copy.
//!
//! After [`fuse`] the largest product and the sum are loads of memory that no stage writes: the kernel has them in
//! registers.

use std::collections::HashMap;

use super::map::bind_linear;
use super::pack::PanelCopy;
use super::{Scheduled, ceil, needs_wide_indices};
use crate::Result;
use crate::codegen::opencl::{Emitter, Value};
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType, NdRange};

/// Vectors of a panel.
const VECTORS: i64 = 4;
/// Panels of values for which the sums of a row are kept.
const MOST_PANELS: i64 = 4;

/// A stage seen as the last of attention.
struct Attention {
    /// The sum of weighted values, and what it runs over.
    sum: E,
    keys: AxisId,
    /// The product before the power is taken, and the largest one.
    score: E,
    largest: E,
    value: E,
    /// The sum inside the product, and its factors.
    dot: E,
    reduced: AxisId,
    query: E,
    key: E,
    /// The rows of a tile, and the channels of values.
    rows: AxisId,
    channels: AxisId,
}

fn lanes(profile: &DeviceProfile) -> i64 {
    (profile.vector_bytes / 4).min(16) as i64
}

impl Attention {
    fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Attention> {
        let suits = profile.device_type == DeviceType::Cpu && profile.vector_bytes >= 16;
        let [store] = stage.stores[..] else { return None };
        if !suits || stage.bounds.is_some() || program.tensor(store.tensor).data_type.is_sub_byte() {
            return None;
        }
        let (sum, keys, power, value) = program.reductions([store.value]).into_iter().find_map(|e| {
            let Node::Reduce { op: ReduceOp::Sum, axes, body } = program.node(e) else { return None };
            let ([keys], Node::Binary(BinaryOp::Mul, a, b)) = (&axes[..], program.node(*body)) else { return None };
            matches!(program.node(*a), Node::Unary(UnaryOp::Exp, _)).then_some((e, *keys, *a, *b))
        })?;
        let Node::Unary(_, difference) = *program.node(power) else { return None };
        let Node::Binary(BinaryOp::Sub, score, largest) = *program.node(difference) else { return None };
        let Node::Load { .. } = program.node(largest) else { return None };
        let [dot] = program.reductions([score])[..] else { return None };
        let Node::Reduce { op: ReduceOp::Sum, ref axes, body } = *program.node(dot) else { return None };
        let (&[reduced], &Node::Binary(BinaryOp::Mul, query, key)) = (&axes[..], program.node(body)) else {
            return None;
        };
        if program.ty(dot) != Ty::F32 || program.depends_on(query, keys) {
            return None;
        }
        let only_query = |axis: &&AxisId| {
            program.depends_on(query, **axis) && !program.depends_on(key, **axis) && !program.depends_on(value, **axis)
        };
        let rows = *stage.axes.iter().rev().find(only_query)?;
        let of_value = |axis: &&AxisId| program.depends_on(value, **axis) && !program.depends_on(power, **axis);
        let channels = *stage.axes.iter().rev().find(of_value)?;
        let panels = ceil(program.extent(channels)?, lanes(profile) * VECTORS);
        let fits = panels <= MOST_PANELS && program.extent(keys)? > 0 && program.extent(rows)? > 0;
        fits.then_some(Attention { sum, keys, score, largest, value, dot, reduced, query, key, rows, channels })
    }
}

/// Makes one stage of the three of attention.
pub(super) fn fuse(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 2;
    while index < program.stages.len() {
        if let Some(stages) = fuse_stage(program, index, profile) {
            program.stages.splice(index - 2..=index, stages);
        }
        index += 1;
    }
}

fn fuse_stage(program: &mut Program, index: usize, profile: &DeviceProfile) -> Option<[Stage; 3]> {
    let stage = program.stages[index].clone();
    let attention = Attention::of(program, &stage, profile)?;
    let [first, second] = [program.stages[index - 2].clone(), program.stages[index - 1].clone()];
    if !is_largest(program, &first, &attention) || !is_sum(program, &second, &attention) {
        return None;
    }
    let width = lanes(profile) * VECTORS;
    let (copy_keys, key) = panels(program, &stage, attention.key, &[attention.reduced], attention.keys, width)?;
    let (copy_values, value) = panels(program, &stage, attention.value, &[attention.keys], attention.channels, width)?;
    let mut fused = stage;
    program.replace_in(&mut fused, attention.key, key);
    program.replace_in(&mut fused, attention.value, value);
    Some([copy_keys, copy_values, fused])
}

/// Whether a stage finds the largest product of each row for an attention to load.
fn is_largest(program: &mut Program, stage: &Stage, attention: &Attention) -> bool {
    let [store] = stage.stores[..] else { return false };
    let Node::Load { tensor, offset, .. } = *program.node(attention.largest) else { return false };
    let Node::Binary(BinaryOp::Max, largest, _) = *program.node(store.value) else { return false };
    let Node::Reduce { op: ReduceOp::Max, axes, body } = program.node(largest).clone() else { return false };
    let [axis] = axes[..] else { return false };
    let at = program.at(attention.keys);
    store.tensor == tensor
        && store.offset == offset
        && program.substitute(body, &HashMap::from([(axis, at)])) == attention.score
}

/// Whether a stage sums the powers of each row's products.
fn is_sum(program: &mut Program, stage: &Stage, attention: &Attention) -> bool {
    let [store] = stage.stores[..] else { return false };
    let Node::Reduce { op: ReduceOp::Sum, axes, body } = program.node(store.value).clone() else { return false };
    let [axis] = axes[..] else { return false };
    let at = program.at(attention.keys);
    let power = program.substitute(body, &HashMap::from([(axis, at)]));
    let difference = program.binary(BinaryOp::Sub, attention.score, attention.largest);
    power == program.unary(UnaryOp::Exp, difference)
}

/// The stage that copies a factor into panels along an axis, and the factor as it is read from there.
fn panels(
    program: &mut Program,
    stage: &Stage,
    factor: E,
    reduced: &[AxisId],
    columns: AxisId,
    width: i64,
) -> Option<(Stage, E)> {
    let in_batch = |&axis: &AxisId| axis != columns && program.depends_on(factor, axis);
    let batch: Vec<AxisId> = stage.axes.iter().copied().filter(in_batch).collect();
    let copy = PanelCopy { name: "attend_pack", factor, batch: &batch, columns, reduced, width, group: 1 };
    let (copy, from_panels) = copy.build(program, DataType::F32)?;
    Some((Stage { repeat: stage.repeat, ..copy }, from_panels))
}

/// Whether a stage is an attention, which is left as it is.
pub(super) fn takes(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    Attention::of(program, stage, profile).is_some()
}

/// Takes a stage that [`fuse`] made.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    let attention = Attention::of(program, stage, profile)?;
    let unwritten = |e: E| match *program.node(e) {
        Node::Load { tensor, .. } => {
            let written = program.stages.iter().flat_map(|stage| &stage.stores).any(|store| store.tensor == tensor);
            matches!(program.tensor(tensor).binding, Binding::Scratch { .. }) && !written
        }
        _ => false,
    };
    if !unwritten(attention.largest) {
        return None;
    }
    let mut total = None;
    program.visit([stage.stores[0].value], &mut |e| {
        if unwritten(e) && e != attention.largest {
            total = Some(e);
        }
    });
    Some(Ok(Kernel::new(program, stage, attention, total?, profile).emit()))
}

/// One kernel in the making.
struct Kernel {
    program: Program,
    stage: Stage,
    a: Attention,
    /// The load of the sum of powers.
    total: E,
    lanes: i64,
    width: i64,
    rows: i64,
    /// Panels of values.
    panels: i64,
    /// Keys are `panel * width + vector * lanes + lane`, channels likewise.
    panel: AxisId,
    lane: AxisId,
    row_axes: Vec<AxisId>,
    queries: Vec<E>,
    keys: Vec<E>,
    /// For each panel, its vectors.
    values: Vec<Vec<E>>,
    /// The product with what is beyond the last key left out.
    score: E,
}

impl Kernel {
    fn new(program: &Program, stage: &Stage, a: Attention, total: E, profile: &DeviceProfile) -> Kernel {
        let mut program = program.clone();
        let lanes = lanes(profile);
        let width = lanes * VECTORS;
        let rows = if profile.vector_bytes >= 64 { 6 } else { 2 };
        let extent = |program: &Program, axis| program.extent(axis).unwrap_or(0);
        let panels = ceil(extent(&program, a.channels), width);
        let key_panels = program.param(ceil(extent(&program, a.keys), width));
        let panel = program.add_axis("panel", key_panels);
        let lanes_e = program.index(lanes);
        let lane = program.add_axis("lane", lanes_e);
        let within = |program: &mut Program, first: E, vector: i64| {
            let (lane, distance) = (program.at(lane), program.index(vector * lanes));
            let rest = program.add(distance, lane);
            program.add(first, rest)
        };
        let keys = (0..VECTORS)
            .map(|v| {
                let (at, width_e) = (program.at(panel), program.index(width));
                let first = program.mul(at, width_e);
                let key = within(&mut program, first, v);
                program.substitute(a.key, &HashMap::from([(a.keys, key)]))
            })
            .collect();
        let values = (0..panels)
            .map(|p| {
                let vector = |v: i64| {
                    let first = program.index(p * width);
                    let channel = within(&mut program, first, v);
                    program.substitute(a.value, &HashMap::from([(a.channels, channel)]))
                };
                (0..VECTORS).map(vector).collect()
            })
            .collect();
        let mut row_axes = Vec::new();
        let mut queries = Vec::new();
        for _ in 0..rows {
            let axis = program.add_axis("row", program.axis(a.rows).extent);
            let at = program.at(axis);
            row_axes.push(axis);
            queries.push(program.substitute(a.query, &HashMap::from([(a.rows, at)])));
        }
        let score = if extent(&program, a.keys) % width == 0 { a.score } else { guarded(&mut program, &a) };
        let stage = stage.clone();
        Kernel {
            program,
            stage,
            a,
            total,
            lanes,
            width,
            rows,
            panels,
            panel,
            lane,
            row_axes,
            queries,
            keys,
            values,
            score,
        }
    }

    fn emit(&self) -> Scheduled {
        let Kernel { program, stage, a, lanes, rows, panels, .. } = self;
        let mut emitter = Emitter::new(program, needs_wide_indices(program, stage));
        let index = emitter.index_type();
        let row_count = emitter.scalar(program.axis(a.rows).extent);
        let others: Vec<AxisId> =
            stage.axes.iter().copied().filter(|&axis| axis != a.rows && axis != a.channels).collect();
        emitter.line(format!("const {index} first = ({index})get_global_id(0) * {rows};"));
        emitter.line(format!("const {index} other = ({index})get_global_id(1);"));
        bind_linear(&mut emitter, program, &others, "other".into());
        emitter.line(format!("float{lanes} sums[{}];", rows * panels * VECTORS));
        emitter.line(format!("for (int i = 0; i < {}; ++i) sums[i] = 0;", rows * panels * VECTORS));
        emitter.line(format!("float largest[{rows}], total[{rows}];"));
        emitter.line(format!("for (int r = 0; r < {rows}; ++r) {{ largest[r] = -3.0e38f; total[r] = 0; }}"));
        for (r, &row) in self.row_axes.iter().enumerate() {
            emitter.line(format!("const {index} row{r} = min(first + {r}, {row_count} - 1);"));
            emitter.bind(row, format!("row{r}"));
        }
        let panel_count = emitter.scalar(program.axis(self.panel).extent);
        emitter.open(format!("for ({index} panel = 0; panel < {panel_count}; ++panel)"));
        emitter.bind(self.panel, "panel");
        self.products(&mut emitter);
        self.powers(&mut emitter, &row_count);
        self.weigh(&mut emitter);
        emitter.close();
        self.store(&mut emitter, &row_count);
        let source = emitter.finish(stage.name, "", &program.stage_tensors(stage));
        let extent = |axis: AxisId| program.extent(axis).unwrap_or(0).max(0) as usize;
        let global = [extent(a.rows).div_ceil(*rows as usize), others.iter().map(|&axis| extent(axis)).product(), 1];
        Scheduled::new(program, "attend", source, NdRange { global, local: Some([1; 3]) })
    }

    fn registers(&self, name: &str) -> Vec<String> {
        (0..self.rows).flat_map(|r| (0..VECTORS).map(move |v| format!("{name}{r}_{v}_"))).collect()
    }

    /// The array `scores` with the sums of products of all rows with a panel of keys.
    fn products(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, rows, .. } = self;
        let index = emitter.index_type();
        emitter.set_lanes(Some((self.lane, *lanes as usize)));
        emitter.bind(self.lane, "0");
        let all = self.registers("dot");
        emitter.line(format!("float{lanes} scores[{}];", rows * VECTORS));
        emitter.open("");
        emitter
            .line(format!("float{lanes} {};", all.iter().map(|x| format!("{x} = 0")).collect::<Vec<_>>().join(", ")));
        for &factor in self.queries.iter().chain(&self.keys) {
            emitter.hoist(factor, &[a.reduced]);
        }
        let extent = emitter.scalar(program.axis(a.reduced).extent);
        emitter.open(format!("for ({index} k = 0; k < {extent}; ++k)"));
        emitter.bind(a.reduced, "k");
        let keys: Vec<String> = self.keys.iter().map(|&e| emitter.wide_value(e)).collect();
        for (r, &query) in self.queries.iter().enumerate() {
            let query = emitter.value(query).text;
            for (v, key) in keys.iter().enumerate() {
                emitter.line(format!("dot{r}_{v}_ = fma((float{lanes})({query}), {key}, dot{r}_{v}_);"));
            }
        }
        emitter.close();
        for (i, register) in all.iter().enumerate() {
            emitter.line(format!("scores[{i}] = {register};"));
        }
        emitter.close();
        emitter.set_lanes(None);
    }

    /// Turns `scores` into powers, and brings largest products and sums up to date.
    fn powers(&self, emitter: &mut Emitter<'_>, row_count: &str) {
        let Kernel { a, lanes, width, rows, panels, .. } = self;
        let index = emitter.index_type();
        emitter.open(format!("for (int r = 0; r < {rows}; ++r)"));
        emitter.line(format!("const {index} row = min(first + r, {row_count} - 1);"));
        emitter.bind(a.rows, "row");
        emitter.line(format!("float{lanes} most = -3.0e38f;"));
        emitter.open(format!("for (int v = 0; v < {VECTORS}; ++v)"));
        emitter.set_lanes(Some((a.keys, *lanes as usize)));
        emitter.bind(a.keys, format!("(panel * {width} + v * {lanes})"));
        emitter.define(a.dot, Value { text: format!("scores[r * {VECTORS} + v]"), vector: true });
        let score = emitter.wide_value(self.score);
        emitter.line(format!("scores[r * {VECTORS} + v] = {score};"));
        emitter.line(format!("most = fmax(most, {score});"));
        emitter.set_lanes(None);
        emitter.close();
        emitter.line("float found = largest[r];");
        emitter.line(format!("for (int i = 0; i < {lanes}; ++i) found = fmax(found, ((const float *)&most)[i]);"));
        emitter.line("const float shrink = exp(largest[r] - found);");
        emitter.line("largest[r] = found;");
        emitter.line(format!("float{lanes} sum = 0;"));
        emitter.open(format!("for (int v = 0; v < {VECTORS}; ++v)"));
        emitter.line(format!("const float{lanes} power = exp(scores[r * {VECTORS} + v] - found);"));
        emitter.line(format!("scores[r * {VECTORS} + v] = power;"));
        emitter.line("sum += power;");
        emitter.close();
        emitter.line("float added = 0;");
        emitter.line(format!("for (int i = 0; i < {lanes}; ++i) added += ((const float *)&sum)[i];"));
        emitter.line("total[r] = total[r] * shrink + added;");
        let vectors = panels * VECTORS;
        emitter.line(format!("for (int v = 0; v < {vectors}; ++v) sums[r * {vectors} + v] *= shrink;"));
        emitter.close();
    }

    /// Adds the values of a panel of keys, weighted with the powers.
    fn weigh(&self, emitter: &mut Emitter<'_>) {
        let Kernel { program, a, lanes, width, panels, .. } = self;
        let index = emitter.index_type();
        let extent = emitter.scalar(program.axis(a.keys).extent);
        emitter.line(format!("const {index} keys = min(({index}){width}, {extent} - panel * {width});"));
        emitter.line("const float *powers = (const float *)scores;");
        for (p, vectors) in self.values.iter().enumerate() {
            let all = self.registers("sum");
            let slot = |r: i64, v: i64| format!("sums[{}]", (r * panels + p as i64) * VECTORS + v);
            let slots: Vec<String> =
                (0..self.rows).flat_map(|r| (0..VECTORS).map(move |v| (r, v))).map(|(r, v)| slot(r, v)).collect();
            emitter.open("");
            let loads: Vec<String> = all.iter().zip(&slots).map(|(x, slot)| format!("{x} = {slot}")).collect();
            emitter.line(format!("float{lanes} {};", loads.join(", ")));
            emitter.set_lanes(Some((self.lane, *lanes as usize)));
            emitter.bind(self.lane, "0");
            emitter.open(format!("for ({index} j = 0; j < keys; ++j)"));
            emitter.bind(a.keys, format!("(panel * {width} + j)"));
            let values: Vec<String> = vectors.iter().map(|&e| emitter.wide_value(e)).collect();
            for r in 0..self.rows {
                emitter.line(format!("const float power{r} = powers[{} + j];", r * width));
                for (v, value) in values.iter().enumerate() {
                    emitter.line(format!("sum{r}_{v}_ = fma((float{lanes})(power{r}), {value}, sum{r}_{v}_);"));
                }
            }
            emitter.close();
            emitter.set_lanes(None);
            for (register, slot) in all.iter().zip(&slots) {
                emitter.line(format!("{slot} = {register};"));
            }
            emitter.close();
        }
    }

    fn store(&self, emitter: &mut Emitter<'_>, row_count: &str) {
        let Kernel { program, stage, a, lanes, width, rows, panels, .. } = self;
        let index = emitter.index_type();
        let channels = emitter.scalar(program.axis(a.channels).extent);
        emitter.open(format!("for (int r = 0; r < {rows} && first + r < {row_count}; ++r)"));
        emitter.bind(a.rows, "(first + r)");
        emitter.define(self.total, Value { text: "total[r]".into(), vector: false });
        emitter.open(format!("for ({index} v = 0; v < {channels} / {lanes}; ++v)"));
        emitter.set_lanes(Some((a.channels, *lanes as usize)));
        emitter.bind(a.channels, format!("(v * {lanes})"));
        emitter.define(a.sum, Value { text: format!("sums[r * {} + v]", panels * VECTORS), vector: true });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        emitter.close();
        emitter.open(format!("for ({index} c = {channels} / {lanes} * {lanes}; c < {channels}; ++c)"));
        emitter.bind(a.channels, "c");
        let text = format!("((const float *)sums)[r * {} + c]", panels * width);
        emitter.define(a.sum, Value { text, vector: false });
        stage.stores.iter().for_each(|store| emitter.store(store));
        emitter.close();
        emitter.close();
    }
}

/// The product before the power, infinitely low beyond the last key, and without loads there.
fn guarded(program: &mut Program, a: &Attention) -> E {
    let (at, extent) = (program.at(a.keys), program.axis(a.keys).extent);
    let inside = program.lt(at, extent);
    let mut loads = Vec::new();
    let mut seen_dot = Vec::new();
    program.visit([a.dot], &mut |e| seen_dot.push(e));
    program.visit([a.score], &mut |e| {
        if let Node::Load { tensor, offset, guard: None, ty } = *program.node(e)
            && !seen_dot.contains(&e)
        {
            loads.push((e, tensor, offset, ty));
        }
    });
    let mut score = a.score;
    for (load, tensor, offset, ty) in loads {
        if program.depends_on(offset, a.keys) {
            let guarded = program.load_if(inside, tensor, offset, ty);
            score = program.replace(score, load, guarded);
        }
    }
    let lowest = program.constant(Ty::F32, f64::NEG_INFINITY);
    program.select(inside, score, lowest)
}
