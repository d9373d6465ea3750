//! Attention in one pass over the keys.
//!
//! A program that computes, for each row, the largest of some products, the sum of their powers and the mean of values
//! weighted with them, in three stages, becomes one kernel that never has all products in memory. It goes through the keys
//! a block at a time: products of the block, the powers relative to the largest product so far, and the sums scaled down
//! whenever a larger one comes. Blocks that a causal mask hides from all rows at hand end the loop.
//!
//! [`tile`] is the form for CPU-type devices with vectors, in registers; [`dots`] multiplies bf16 for it, and [`tiles`] does where
//! there is AMX. [`grid`] is the one for all others, through local memory.
//!
//! After [`fuse`] the largest product and the sum are loads of memory that no stage writes: the kernel has them in
//! registers.

mod dots;
mod grid;
mod tile;
mod tiles;

use std::collections::HashMap;

use super::contract::contiguous;
use super::pack::PanelCopy;
use super::{Scheduled, ceil};
use crate::Result;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::{DeviceProfile, DeviceType};

/// Vectors of a panel.
const VECTORS: i64 = 4;
/// Panels of keys of a block.
const PANELS: i64 = 2;
/// Panels of values for which the sums of a row are kept.
const MOST_PANELS: i64 = 4;
/// Channels of queries that are kept with a tile.
const MOST_CHANNELS: i64 = 512;
/// Rows up to which keys and values are read where they lie: each element is used for so few products that copying it to
/// panels does not pay.
const FEW_ROWS: i64 = 4;
/// Where the search for the largest product starts; below all that count, and not infinite.
const LOWEST: &str = "-3.0e38f";

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
    /// The axes that queries have and keys and values do not, outermost first.
    rows: Vec<AxisId>,
    /// The channels of values.
    channels: AxisId,
    /// All other axes of the stage.
    others: Vec<AxisId>,
}

/// Whether a device has vectors for tiles in registers.
fn has_vectors(profile: &DeviceProfile) -> bool {
    profile.device_type == DeviceType::Cpu && profile.vector_bytes >= 16
}

fn lanes(profile: &DeviceProfile) -> i64 {
    (profile.vector_bytes / 4).min(16) as i64
}

impl Attention {
    fn of(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Attention> {
        let [store] = stage.stores[..] else { return None };
        if stage.bounds.is_some() || program.tensor(store.tensor).data_type.is_sub_byte() {
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
        let of_value = |axis: &&AxisId| program.depends_on(value, **axis) && !program.depends_on(power, **axis);
        let channels = *stage.axes.iter().rev().find(of_value)?;
        let only_query = |axis: &AxisId| {
            program.depends_on(query, *axis) && !program.depends_on(key, *axis) && !program.depends_on(value, *axis)
        };
        let (rows, others) = stage.axes.iter().copied().filter(|&axis| axis != channels).partition(only_query);
        let attention =
            Attention { sum, keys, score, largest, value, dot, reduced, query, key, rows, channels, others };
        attention.fits(program, profile)?.then_some(attention)
    }

    /// Whether a kernel can keep what it needs, and there is something to do.
    fn fits(&self, program: &Program, profile: &DeviceProfile) -> Option<bool> {
        let (channels, reduced) = (program.extent(self.channels)?, program.extent(self.reduced)?);
        // Of a single key no position is left to tell what is beyond it.
        let some = program.extent(self.keys)? > 1 && self.row_count(program)? > 0 && channels > 0;
        let fits = if has_vectors(profile) {
            ceil(channels, lanes(profile) * VECTORS) <= MOST_PANELS && reduced <= MOST_CHANNELS
        } else {
            grid::fits(channels, profile)
        };
        Some(some && fits)
    }

    fn row_count(&self, program: &Program) -> Option<i64> {
        program.points(&self.rows)
    }

    /// Whether the channels of a key are multiplied as they lie, side by side, for few rows.
    fn along_channels(&self, program: &Program, lanes: i64) -> bool {
        self.row_count(program).is_some_and(|rows| rows <= FEW_ROWS)
            && contiguous(program, self.key, self.reduced, lanes)
            && program.depends_on(self.key, self.reduced)
    }

    /// What a causal mask asks of a key, as a condition that can only cease to hold as keys go on. Where it does not hold for
    /// the last of some rows along one axis, it does for none of them.
    fn sight(&self, program: &Program) -> Option<E> {
        let Node::Select(condition, _, hidden) = *program.node(self.score) else { return None };
        let Node::Binary(BinaryOp::Le, key, row) = *program.node(condition) else { return None };
        let hides = *program.node(hidden) == Node::F32(f32::NEG_INFINITY.to_bits());
        let of_key = program.constant_step(key, self.keys) == Some(1) && !program.depends_on(row, self.keys);
        let of_rows = self.rows.iter().all(|&axis| {
            !program.depends_on(key, axis) && program.constant_step(row, axis).is_some_and(|step| step >= 0)
        });
        (hides && of_key && of_rows && program.ty(key) == Ty::Index).then_some(condition)
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

fn fuse_stage(program: &mut Program, index: usize, profile: &DeviceProfile) -> Option<Vec<Stage>> {
    let mut stage = program.stages[index].clone();
    let a = Attention::of(program, &stage, profile)?;
    let [first, second] = [program.stages[index - 2].clone(), program.stages[index - 1].clone()];
    if !is_largest(program, &first, &a) || !is_sum(program, &second, &a) {
        return None;
    }
    let mut stages = Vec::new();
    if has_vectors(profile) {
        for (factor, copied) in panels(program, &stage, &a, profile)? {
            let (copy, from_panels) = copied;
            program.replace_in(&mut stage, factor, from_panels);
            stages.push(copy);
        }
    }
    stages.push(stage);
    Some(stages)
}

/// Whether a stage finds the largest product of each row for an attention to load.
fn is_largest(program: &Program, stage: &Stage, a: &Attention) -> bool {
    let [store] = stage.stores[..] else { return false };
    let Node::Load { tensor, offset, .. } = *program.node(a.largest) else { return false };
    let Node::Binary(BinaryOp::Max, largest, _) = *program.node(store.value) else { return false };
    let expected = Node::Reduce { op: ReduceOp::Max, axes: vec![a.keys], body: a.score };
    store.tensor == tensor && store.offset == offset && *program.node(largest) == expected
}

/// Whether a stage sums the powers of each row's products.
fn is_sum(program: &mut Program, stage: &Stage, a: &Attention) -> bool {
    let [store] = stage.stores[..] else { return false };
    let difference = program.sub(a.score, a.largest);
    let power = program.unary(UnaryOp::Exp, difference);
    store.value == program.reduce(ReduceOp::Sum, vec![a.keys], power)
}

/// How factors lie in panels.
#[derive(Clone, Copy)]
struct Panels {
    /// Columns of a panel.
    width: i64,
    /// Where steps are pairs of bf16, what there is a whole multiple of; the rest is zeros.
    pairs: Option<i64>,
}

impl Panels {
    fn of(program: &Program, a: &Attention, profile: &DeviceProfile) -> Option<Panels> {
        let is_bf16 = |&factor: &E| stored_as(program, factor) == Some(DataType::Bf16);
        let short = a.row_count(program)? > FEW_ROWS && [a.query, a.key, a.value].iter().all(is_bf16);
        let reduced = program.extent(a.reduced)?;
        Some(match short {
            true if tiles::are_there(profile) && reduced > 1 => tiles::PANELS,
            true if profile.dot_bf16 && reduced % 2 == 0 => Panels { width: lanes(profile) * VECTORS, pairs: Some(1) },
            _ => Panels { width: lanes(profile) * VECTORS, pairs: None },
        })
    }
}

/// The type that a factor has in memory, if it is what lies there.
fn stored_as(program: &Program, factor: E) -> Option<DataType> {
    match *program.node(factor) {
        Node::Load { tensor, guard: None, .. } => Some(program.tensor(tensor).data_type),
        _ => None,
    }
}

/// The factors that should lie in panels, each with the stage that copies it and how it is read from there.
fn panels(
    program: &mut Program,
    stage: &Stage,
    a: &Attention,
    profile: &DeviceProfile,
) -> Option<Vec<(E, (Stage, E))>> {
    let lanes = lanes(profile);
    let few = a.row_count(program)? <= FEW_ROWS;
    let panels = Panels::of(program, a, profile)?;
    let whole = program.extent(a.channels)? % lanes == 0;
    let flat = |factor: E, axis: AxisId| contiguous(program, factor, axis, lanes);
    let keys_stay = few && (flat(a.key, a.reduced) || flat(a.key, a.keys));
    let floats = panels.pairs.is_none() && stored_as(program, a.value) == Some(DataType::F32);
    let values_stay = flat(a.value, a.channels) && (few || (whole && floats));
    let mut copies = Vec::new();
    if !keys_stay {
        copies.push((a.key, copy(program, stage, a.key, a.reduced, a.keys, panels)?));
    }
    if !values_stay {
        copies.push((a.value, copy(program, stage, a.value, a.keys, a.channels, panels)?));
    }
    Some(copies)
}

/// The stage that copies a factor into panels along an axis, and the factor as it is read from there; of pairs only the
/// address counts.
fn copy(
    program: &mut Program,
    stage: &Stage,
    factor: E,
    steps: AxisId,
    columns: AxisId,
    panels: Panels,
) -> Option<(Stage, E)> {
    let in_batch = |&axis: &AxisId| axis != columns && program.depends_on(factor, axis);
    let batch: Vec<AxisId> = stage.axes.iter().copied().filter(in_batch).collect();
    let Panels { width, pairs } = panels;
    let (reduced, factor, data_type) = match pairs {
        Some(multiple) => dots::pairs(program, factor, steps, multiple)?,
        None => (steps, factor, DataType::F32),
    };
    let copy = PanelCopy { name: "attend_pack", factor, batch: &batch, columns, reduced: &[reduced], width, group: 1 };
    let (copy, mut from_panels) = copy.build(program, data_type)?;
    if pairs.is_some()
        && let Node::Load { tensor, offset, .. } = *program.node(from_panels)
    {
        let (at, two) = (program.at(steps), program.index(2));
        let pair = program.div(at, two);
        let offset = program.substitute(offset, &HashMap::from([(reduced, pair)]));
        from_panels = program.load(tensor, offset, Ty::F32);
    }
    Some((Stage { repeat: stage.repeat, ..copy }, from_panels))
}

/// An expression whose loads that move along an axis read only where a condition holds; those below `except` stay.
fn guarded(program: &mut Program, e: E, axis: AxisId, inside: E, except: &[E]) -> E {
    let mut kept = Vec::new();
    program.visit(except.iter().copied(), &mut |e| kept.push(e));
    let mut loads = Vec::new();
    program.visit([e], &mut |e| {
        if let Node::Load { tensor, offset, guard, ty } = *program.node(e)
            && !kept.contains(&e)
            && program.depends_on(offset, axis)
        {
            loads.push((e, tensor, offset, guard, ty));
        }
    });
    let mut result = e;
    for (load, tensor, offset, guard, ty) in loads {
        let both = guard.map_or(inside, |guard| program.and(guard, inside));
        let within = program.load_if(both, tensor, offset, ty);
        result = program.replace(result, load, within);
    }
    result
}

/// The product before the power, infinitely low beyond the last key, and without loads there.
fn bounded_score(program: &mut Program, a: &Attention) -> E {
    let (at, extent) = (program.at(a.keys), program.axis(a.keys).extent);
    let inside = program.lt(at, extent);
    let score = guarded(program, a.score, a.keys, inside, &[a.dot]);
    let lowest = program.constant(Ty::F32, f64::NEG_INFINITY);
    program.select(inside, score, lowest)
}

/// Whether a stage is an attention, which is left as it is.
pub(super) fn takes(program: &Program, stage: &Stage, profile: &DeviceProfile) -> bool {
    Attention::of(program, stage, profile).is_some()
}

/// Takes a stage that [`fuse`] made.
pub(super) fn schedule(program: &Program, stage: &Stage, profile: &DeviceProfile) -> Option<Result<Scheduled>> {
    let a = Attention::of(program, stage, profile)?;
    let unwritten = |e: E| match *program.node(e) {
        Node::Load { tensor, .. } => {
            let written = program.stages.iter().flat_map(|stage| &stage.stores).any(|store| store.tensor == tensor);
            matches!(program.tensor(tensor).binding, Binding::Scratch { .. }) && !written
        }
        _ => false,
    };
    if !unwritten(a.largest) {
        return None;
    }
    let mut total = None;
    program.visit([stage.stores[0].value], &mut |e| {
        if unwritten(e) && e != a.largest {
            total = Some(e);
        }
    });
    Some(Ok(if has_vectors(profile) {
        tile::Kernel::new(program, stage, a, total?, profile).emit()
    } else {
        grid::emit(program, stage, &a, total?)
    }))
}
