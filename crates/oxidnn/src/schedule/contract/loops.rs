//! What the loops of a contraction look like before they are text: bounds, rows, where loads start.

use std::collections::{BTreeMap, HashMap};

use super::presence::{self, Bound};
use super::{Contraction, Tile};
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// A row of a tile. It has axes of its own, so that what depends on it alone can be hoisted.
pub(super) struct Row {
    pub axes: Vec<AxisId>,
    /// The broadcast factor, for each vector where it has lanes, and for the ragged edge.
    pub factors: Vec<E>,
    /// Offsets that the innermost loop starts from.
    pub bases: Vec<(AxisId, E)>,
    /// Whether the row counts, where that depends on the row.
    pub present: Option<E>,
}

/// A loop of the reduction.
pub(super) struct Loop {
    pub axis: AxisId,
    pub bounds: Vec<Bound>,
    /// Conditions that are asked at every step.
    pub tests: Vec<E>,
    /// The extent, where it and those of all loops inside are short enough to unroll.
    pub short: Option<i64>,
}

/// The last loop but the innermost one, where every row of a tile goes as far in each of its steps, and so do the columns.
pub(super) struct Run {
    /// By how many elements.
    pub row_step: E,
    pub column_step: E,
}

impl Run {
    pub(super) fn of(p: &mut Program, loops: &[Loop], rows: &[Row], columns: E) -> Option<Run> {
        let [.., Loop { axis, bounds, tests, .. }, _] = loops else { return None };
        if !bounds.is_empty() || !tests.is_empty() {
            return None;
        }
        let Node::Load { offset, .. } = *p.node(columns) else { return None };
        let (column_step, _) = p.linear(offset, *axis)?;
        let mut row_step = None;
        for row in rows {
            let &[(_, start)] = &row.bases[..] else { return None };
            let (step, _) = p.linear(start, *axis)?;
            if *row_step.get_or_insert(step) != step {
                return None;
            }
        }
        Some(Run { row_step: row_step?, column_step })
    }
}

/// Rows from which on leaving out a single one of a tile gains little.
const TALL_TILE: i64 = 10;
/// Innermost loops of no more steps than this get their lengths as constants, so that they can be unrolled.
pub(super) const SHORT_LOOPS: i64 = 24;

/// The condition under which all rows of a tile count at every step of the reduction.
pub(super) fn interior(
    program: &mut Program,
    c: &Contraction,
    tile: &Tile,
    conditions: &[E],
    rows: &[Row],
) -> Option<E> {
    let [line] = tile.row_axes[..] else { return None };
    let tiles = program.extent(line)? / tile.rows;
    if conditions.is_empty() || tiles < if tile.rows < TALL_TILE { 8 } else { 4 } {
        return None;
    }
    let holds = program.bool(true);
    let mut all = holds;
    for &condition in conditions {
        let Node::Binary(op @ (BinaryOp::Lt | BinaryOp::Le), a, b) = *program.node(condition) else { return None };
        let position = if op == BinaryOp::Lt { a } else { b };
        // It holds everywhere if it holds where the position comes closest to the limit.
        let mut extremes = HashMap::new();
        for &axis in &c.reduced {
            if !program.depends_on(condition, axis) {
                continue;
            }
            let (coefficient, _) = program.linear(position, axis)?;
            let grows = program.value(coefficient)? > 0;
            let (zero, one) = (program.index(0), program.index(1));
            let last = program.sub(program.axis(axis).extent, one);
            extremes.insert(axis, if grows == (op == BinaryOp::Lt) { last } else { zero });
        }
        program.linear(position, line)?;
        for row in [rows.first()?, rows.last()?] {
            let mut at = extremes.clone();
            at.insert(line, program.at(*row.axes.first()?));
            let here = program.substitute(condition, &at);
            all = program.and(all, here);
        }
    }
    Some(all)
}

/// The conditions that depend on the rows of a tile, and those that do not. What depends on columns stays in the loads.
pub(super) fn split_conditions(program: &Program, c: &Contraction, tile: &Tile) -> (Vec<E>, Vec<E>) {
    let mut all = Vec::new();
    for factor in [c.vector, c.broadcast] {
        let conditions = presence::conditions(program, factor);
        if !conditions.iter().any(|&condition| program.depends_on(condition, c.columns)) {
            all.extend(conditions);
        }
    }
    all.into_iter().partition(|&condition| tile.row_axes.iter().any(|&row| program.depends_on(condition, row)))
}

/// The loops of a reduction, each with the conditions that are decided there.
pub(super) fn loops(program: &mut Program, reduced: &[AxisId], conditions: &[E]) -> Vec<Loop> {
    let mut loops: Vec<Loop> =
        reduced.iter().map(|&axis| Loop { axis, bounds: Vec::new(), tests: Vec::new(), short: None }).collect();
    let mut points = 1;
    for level in loops.iter_mut().rev() {
        let Some(extent) = program.extent(level.axis) else { break };
        points *= extent;
        if points > SHORT_LOOPS {
            break;
        }
        level.short = Some(extent);
    }
    for &condition in conditions {
        let depth = reduced.iter().rposition(|&axis| program.depends_on(condition, axis));
        let level = &mut loops[depth.unwrap_or(0)];
        match Bound::of(program, condition, level.axis) {
            Some(bound) => level.bounds.push(bound),
            None => level.tests.push(condition),
        }
    }
    loops
}

/// Opens loops one inside of another, each with the conditions that are decided there asked at every step; gives how many blocks
/// these are.
pub(super) fn open_all(emitter: &mut Emitter<'_>, program: &Program, axes: &[AxisId], conditions: &[E]) -> usize {
    let index = emitter.index_type();
    let decided = |condition: E| {
        let depth = axes.iter().rposition(|&axis| program.depends_on(condition, axis));
        depth.map_or(0, |depth| depth + 1)
    };
    let at = |emitter: &mut Emitter<'_>, depth: usize| -> Vec<String> {
        let here = conditions.iter().filter(|&&condition| decided(condition) == depth);
        here.map(|&condition| emitter.scalar(condition)).collect()
    };
    let outside = at(emitter, 0);
    emitter.open(if outside.is_empty() { String::new() } else { format!("if ({})", outside.join(" && ")) });
    for (depth, &axis) in axes.iter().enumerate() {
        let extent = emitter.scalar(program.axis(axis).extent);
        emitter.open(format!("for ({index} o{depth}_ = 0; o{depth}_ < {extent}; ++o{depth}_)"));
        emitter.bind(axis, format!("o{depth}_"));
        for test in at(emitter, depth + 1) {
            emitter.line(format!("if (!({test})) continue;"));
        }
    }
    axes.len() + 1
}

/// Writes the offsets of a factor's loads as a base and a step along the innermost loop; bases are found outside of it.
pub(super) fn rebase(program: &mut Program, factor: E, innermost: AxisId, bases: &mut Vec<(AxisId, E)>) -> E {
    let mut offsets = Vec::new();
    program.visit([factor], &mut |e| {
        if let Node::Load { offset, .. } = *program.node(e)
            && program.depends_on(offset, innermost)
        {
            offsets.push(offset);
        }
    });
    let mut factor = factor;
    for offset in offsets {
        let Some((step, rest)) = program.linear(offset, innermost) else { continue };
        let unknown = program.param(0);
        let base = program.add_axis("base", unknown);
        let (start, at) = (program.at(base), program.at(innermost));
        let distance = program.mul(at, step);
        let rebased = program.add(start, distance);
        factor = program.replace(factor, offset, rebased);
        bases.push((base, rest));
    }
    factor
}

/// What rows read at the last steps of all loops but the innermost one, so that it can be asked for early.
pub(super) struct Later {
    /// The innermost loop's axis, and one of its own to walk along it.
    pub of: AxisId,
    pub position: AxisId,
    /// Elements from one cache line to the next.
    pub step: i64,
    /// The tensor and the offset for each row.
    pub rows: Vec<(TensorId, E)>,
}

/// Bytes that memory brings at once.
const LINE_BYTES: i64 = 64;

/// Finds what to ask for early, where the broadcast factor walks through memory for a line or more.
pub(super) fn later(p: &mut Program, c: &Contraction, tile: &Tile, broadcast: E, rows: &[Row]) -> Option<Later> {
    let (&of, outer) = c.reduced.split_last()?;
    let Node::Load { tensor, offset, guard: None, .. } = *p.node(broadcast) else { return None };
    let step = LINE_BYTES * 8 / p.tensor(tensor).data_type.bits() as i64;
    let walks = p.constant_step(offset, of) == Some(1) && p.extent(of)? >= step;
    let slides = outer.iter().any(|&axis| p.depends_on(offset, axis));
    if !walks || !slides || c.is_lanewise(p) {
        return None;
    }
    let position = p.add_axis("later", p.axis(of).extent);
    let mut last = HashMap::from([(of, p.at(position))]);
    for &axis in outer {
        let one = p.index(1);
        last.insert(axis, p.sub(p.axis(axis).extent, one));
    }
    let offsets = rows
        .iter()
        .map(|row| {
            let mut at = last.clone();
            at.extend(tile.row_axes.iter().zip(&row.axes).map(|(&axis, &own)| (axis, p.at(own))));
            (tensor, p.substitute(offset, &at))
        })
        .collect();
    Some(Later { of, position, step, rows: offsets })
}

/// Bytes that are asked for ahead of their use in each panel, and steps where their distance is not known.
const PREFETCH_BYTES: i64 = 1 << 12;
const PREFETCH_STEPS: i64 = 16;

/// Which loads are asked for ahead of their use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Those that the device does not see coming: it follows what has no gaps by itself.
    Gaps,
    /// Every one.
    All,
    /// Every one, the same number of steps ahead however short these are.
    Steps,
}

/// Bytes of a panel that are not in the innermost cache any more when the next tile reads them.
pub(super) const LONG_PANEL: i64 = 1 << 15;
/// Multiplications of a step among which asking costs nothing.
const LONG_STEP: i64 = 24;

impl Ahead {
    /// What to ask for in the panels of a contraction.
    pub(super) fn of(program: &Program, c: &Contraction, tile: &Tile) -> Ahead {
        let step = tile.vectors * c.lanes * 4;
        let is_long = program.points(&c.reduced).is_some_and(|steps| steps * step > LONG_PANEL);
        if is_long && tile.rows * tile.vectors >= LONG_STEP { Ahead::All } else { Ahead::Gaps }
    }
}

/// The offsets that factors will be read from some steps later, where the innermost loop walks through memory by at least
/// `least` bytes.
pub(super) fn prefetches(
    program: &mut Program,
    factors: &[E],
    innermost: AxisId,
    least: i64,
    which: Ahead,
) -> Option<Vec<(TensorId, E)>> {
    let mut ahead = Vec::new();
    for &factor in factors {
        let mut loads = Vec::new();
        program.visit([factor], &mut |e| {
            if let Node::Load { tensor, offset, guard, .. } = *program.node(e) {
                loads.push((tensor, offset, guard));
            }
        });
        // What most steps read again, such as the scales of groups, is there.
        if loads.len() > 1 {
            loads.retain(|&(_, offset, _)| program.step(offset, innermost) != Some(0));
        }
        let [(tensor, offset, None)] = loads[..] else { return None };
        let bytes = |step: i64| program.tensor(tensor).data_type.bytes(step as usize) as i64;
        let known = program.constant_step(offset, innermost);
        let least = match (known, which) {
            (None, Ahead::Gaps) => least.max(factors.len() as i64 * bytes(LINE_BYTES / 4) + 1),
            _ => least,
        };
        program.step(offset, innermost).filter(|&step| step > 0 && bytes(step) >= least)?;
        let known = known.filter(|_| which != Ahead::Steps);
        let distance = known.map_or(PREFETCH_STEPS, |step| (PREFETCH_BYTES / bytes(step).max(1)).max(1));
        let (at, by) = (program.at(innermost), program.index(distance));
        let later = program.add(at, by);
        ahead.push((tensor, program.substitute(offset, &HashMap::from([(innermost, later)]))));
    }
    Some(ahead)
}

/// What is read ahead of the rows of a tile, where each step of the innermost loop reads elsewhere and rows lie together.
pub(super) fn row_prefetches(program: &mut Program, rows: &[Row], innermost: AxisId) -> Option<Vec<(TensorId, E)>> {
    let ends: Vec<E> = [rows.first()?, rows.last()?].into_iter().map(|row| row.factors[0]).collect();
    prefetches(program, &ends, innermost, LINE_BYTES, Ahead::Gaps)
}

/// The largest value of an offset, which each axis moves one way only, if not always forwards.
fn reach(program: &Program, offset: E) -> Option<i64> {
    let goes_on =
        |axis: &AxisId| program.is_linear(offset, *axis) && program.step(offset, *axis).is_some_and(|step| step >= 0);
    let doubtful: Vec<AxisId> = program.free_axes(offset).iter().copied().filter(|axis| !goes_on(axis)).collect();
    let at = |corner: u64| {
        let position = |axis: AxisId| match doubtful.iter().position(|&of| of == axis) {
            Some(number) if corner >> number & 1 == 0 => Some(0),
            _ => program.extent(axis).map(|extent| (extent - 1).max(0)),
        };
        program.evaluate(offset, &position)
    };
    (0..1u64 << doubtful.len().min(16)).map(at).reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b)))?
}

/// The arguments of which loads of a factor may reach beyond the end at the last lane of the last panel, and how many elements they have.
pub(super) fn reaching(program: &Program, factor: E, panel: AxisId, lane: AxisId) -> BTreeMap<TensorId, i64> {
    let mut tensors = BTreeMap::new();
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, .. } = *program.node(e)
            && let Tensor { binding: Binding::Arg { .. }, elements: Some(elements), .. } = *program.tensor(tensor)
            && !stays_inside(program, e, panel, lane)
        {
            tensors.insert(tensor, elements);
        }
    });
    tensors
}

/// Whether all loads of a factor stay inside their tensors even at the last lane of the last panel.
pub(super) fn stays_inside(program: &Program, factor: E, panel: AxisId, lane: AxisId) -> bool {
    let mut inside = true;
    program.visit([factor], &mut |e| {
        if let Node::Load { tensor, offset, guard, .. } = *program.node(e) {
            let moves = program.depends_on(offset, panel) || program.depends_on(offset, lane);
            let elements = program.tensor(tensor).elements;
            let reach = reach(program, offset);
            inside &= !moves || (guard.is_none() && reach.zip(elements).is_some_and(|(reach, size)| reach < size));
        }
    });
    inside
}
