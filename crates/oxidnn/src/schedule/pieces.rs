//! Long contractions piece by piece: only as much of the reduction at a time as leaves the columns of a tile in the cache.
//!
//! Where there are few sums each piece has its own, side by side; else pieces add to the same ones, one after another. Results
//! do not change from run to run.

use std::collections::HashMap;

use super::ceil;
use super::contract::{Contraction, Dot, Taps};
use super::pack::read_elements;
use super::room::has_room;
use super::widen::loads_halves;
use crate::desc::DataType;
use crate::program::*;
use crate::runtime::DeviceProfile;

/// What part of a core's own cache the columns of a tile may take where rows lie along the sum.
const CACHED: i64 = 3;
/// Bytes of them elsewhere: each step reads a line of memory for each row, too.
const CACHED_ACROSS: i64 = 1 << 18;
/// Rows from which on the same columns are read often enough.
const WORTH_ROWS: i64 = 48;
/// Steps of a piece, at least: each piece reads and writes all sums.
const SHORTEST: i64 = 512;
/// How many times fewer sums of all pieces there have to be than elements that are read.
const MOST_SUMS: i64 = 4;

/// Splits the contractions that gain by it.
pub(super) fn split(program: &mut Program, profile: &DeviceProfile) {
    let mut index = 0;
    while index < program.stages.len() {
        let stage = program.stages[index].clone();
        if let Some((pieces, rest)) = split_stage(program, &stage, profile) {
            program.stages.splice(index..=index, std::iter::once(pieces).chain(rest));
            index += 1;
        }
        index += 1;
    }
}

/// How a reduction is cut: one point of some axes and so many of the next one are a piece.
pub(super) struct Cut {
    pub single: Vec<AxisId>,
    pub axis: AxisId,
    pub size: i64,
    /// How many pieces there are.
    pub count: i64,
}

impl Cut {
    /// Cuts pieces of `most` steps at the most, all of one size, where there are more.
    fn of(program: &Program, reduced: &[AxisId], most: i64) -> Option<Cut> {
        if program.points(reduced)? <= most {
            return None;
        }
        for (at, &axis) in reduced.iter().enumerate() {
            let (extent, inner) = (program.extent(axis)?, program.points(&reduced[at + 1..])?);
            if inner > most {
                continue;
            }
            let longest = (most / inner).min(if at == 0 { extent / 2 } else { extent });
            let size = (1..=longest).rev().find(|size| extent % size == 0 && size * inner >= SHORTEST)?;
            let single = reduced[..at].to_vec();
            return Some(Cut { count: program.points(&single)? * (extent / size), single, axis, size });
        }
        None
    }

    /// A sum over the piece of this number.
    fn sum(&self, program: &mut Program, whole: E, number: E) -> E {
        let Node::Reduce { op, axes, body } = program.node(whole).clone() else { return whole };
        let (positions, step) = self.positions(program, number);
        let body = program.substitute(body, &positions);
        let left = axes.into_iter().filter(|axis| !self.single.contains(axis));
        let axes = left.map(|axis| if axis == self.axis { step } else { axis }).collect();
        program.reduce(op, axes, body)
    }

    /// The position along each axis that is cut, in a piece of this number, and the axis of the steps that are left.
    fn positions(&self, program: &mut Program, number: E) -> (HashMap<AxisId, E>, AxisId) {
        let extent = program.extent(self.axis).unwrap_or(0);
        let (size, parts) = (program.param(self.size), program.param(extent / self.size));
        let step = program.add_axis(program.axis(self.axis).name, size);
        let (at, mut number) = (program.at(step), number);
        let mut digit = |program: &mut Program, base: E| {
            let digit = program.rem(number, base);
            number = program.div(number, base);
            digit
        };
        let part = digit(program, parts);
        let start = program.mul(part, size);
        let mut positions = HashMap::from([(self.axis, program.add(start, at))]);
        for &axis in self.single.iter().rev() {
            let extent = program.axis(axis).extent;
            positions.insert(axis, digit(program, extent));
        }
        (positions, step)
    }
}

/// The stage that sums the pieces, and the rest of the expression.
fn split_stage(program: &mut Program, stage: &Stage, profile: &DeviceProfile) -> Option<(Stage, Option<Stage>)> {
    let c = Contraction::of(program, stage, profile)?;
    if stage.repeat.is_none()
        && program.ty(c.sum) == Ty::F32
        && let Some(taps) = Taps::of(program, &c, profile)
    {
        let (axis, size) = taps.pieces(program, &c, profile)?;
        let count = program.extent(axis)? / size;
        let (cut, sums) = (Cut { single: Vec::new(), axis, size, count }, program.points(&stage.axes)?);
        let has_room = has_room(program, DataType::F32, sums.checked_mul(count)?);
        return has_room.then(|| side_by_side(program, stage, &c, &cut, sums));
    }
    let tile = c.tile(program, profile)?;
    if stage.repeat.is_some()
        || c.dot.is_some()
        || !c.more.is_empty()
        || program.ty(c.sum) != Ty::F32
        || c.row_count(program)? < WORTH_ROWS
    {
        return None;
    }
    let innermost = *c.reduced.last()?;
    let is_along = matches!(*program.node(c.broadcast), Node::Load { offset, .. }
        if program.constant_step(offset, innermost) == Some(1));
    let cached = if is_along { profile.core_cache_bytes as i64 / CACHED } else { CACHED_ACROSS };
    let bytes = if loads_halves(program, c.vector, profile) { 2 } else { 4 };
    let cut = Cut::of(program, &c.reduced, cached / (bytes * tile.vectors * c.lanes))?;
    let sums = program.points(&stage.axes)?;
    let read = read_elements(program, c.vector).saturating_add(read_elements(program, c.broadcast));
    // Where columns will be copied into panels, those of one piece after another take less room.
    let (width, columns) = (c.width(&tile), program.extent(c.columns)?);
    let panels = read_elements(program, c.vector) / columns * ceil(columns, width) * width;
    let copied = if c.is_packed(program, width) { 0 } else { panels * bytes / 4 };
    // So do rows that will be lined up.
    let tiles = sums / (tile.rows * tile.vectors * c.lanes);
    let lined_up = Dot::if_lined_up(program, &c, profile).is_some() && tiles >= profile.compute_units as i64;
    let of_all = sums.checked_mul(cut.count)?;
    let few = of_all <= read / MOST_SUMS && has_room(program, DataType::F32, of_all.saturating_add(copied));
    if few && !lined_up {
        return Some(side_by_side(program, stage, &c, &cut, sums));
    }
    let in_place = in_place(program, stage, &c);
    (in_place.is_some() || lined_up || has_room(program, DataType::F32, sums.saturating_add(copied / cut.count)))
        .then(|| one_after_another(program, stage, &c, &cut, in_place))
}

/// Where a stage stores its sums, if as they are.
pub(super) fn in_place(program: &Program, stage: &Stage, c: &Contraction) -> Option<(TensorId, E)> {
    match stage.stores[..] {
        [Store { tensor, offset, value }] if value == c.sum && program.tensor(tensor).data_type == DataType::F32 => {
            Some((tensor, offset))
        }
        _ => None,
    }
}

/// The axes of the sums, columns last.
fn domain(c: &Contraction) -> Vec<AxisId> {
    c.batch.iter().chain(&c.row_axes).chain([&c.columns]).copied().collect()
}

/// Each piece has sums of its own, and the rest of the expression adds them up.
fn side_by_side(program: &mut Program, stage: &Stage, c: &Contraction, cut: &Cut, sums: i64) -> (Stage, Option<Stage>) {
    let extent = program.param(cut.count);
    let (piece, summed) = (program.add_axis("piece", extent), program.add_axis("piece", extent));
    let (number, of) = (program.at(piece), program.at(summed));
    let value = cut.sum(program, c.sum, number);
    let domain = domain(c);
    let (tensor, start) = program.add_scratch("sums", DataType::F32, (sums * cut.count) as usize);
    let offset = |program: &mut Program, number: E| {
        let linear = program.row_major(number, &domain);
        program.add(start, linear)
    };
    let (to, from) = (offset(program, number), offset(program, of));
    let axes = std::iter::once(piece).chain(stage.axes.iter().copied()).collect();
    let pieces = Stage { axes, stores: vec![Store { tensor, offset: to, value }], ..stage.clone() };
    let loaded = program.load(tensor, from, Ty::F32);
    let sum = program.reduce(ReduceOp::Sum, vec![summed], loaded);
    let mut rest = stage.clone();
    program.replace_in(&mut rest, c.sum, sum);
    (pieces, Some(rest))
}

/// Each piece is a run of a repeat that adds to the sums of those before. Where the sums are the result there is no rest.
pub(super) fn one_after_another(
    program: &mut Program,
    stage: &Stage,
    c: &Contraction,
    cut: &Cut,
    result: Option<(TensorId, E)>,
) -> (Stage, Option<Stage>) {
    let repeat = program.add_repeat(cut.count);
    let number = program.step_param(repeat, 0, 1);
    let piece = cut.sum(program, c.sum, number);
    let zero = program.index(0);
    let (tensor, offset) = result.unwrap_or_else(|| {
        let domain = domain(c);
        let sums = program.points(&domain).unwrap_or(0);
        let (tensor, start) = program.add_scratch("sums", DataType::F32, sums as usize);
        let linear = program.row_major(zero, &domain);
        (tensor, program.add(start, linear))
    });
    let goes_on = program.lt(zero, number);
    let before = program.load_if(goes_on, tensor, offset, Ty::F32);
    let value = program.add(before, piece);
    let pieces = Stage { stores: vec![Store { tensor, offset, value }], repeat: Some(repeat), ..stage.clone() };
    let rest = result.is_none().then(|| {
        let sum = program.load(tensor, offset, Ty::F32);
        let mut rest = stage.clone();
        program.replace_in(&mut rest, c.sum, sum);
        rest
    });
    (pieces, rest)
}
