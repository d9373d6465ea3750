//! What is the same at every turn of a loop though it changes from lane to lane: roots and quotients of a channel's
//! statistics, where channels are neighbours, or where in an image of another size a point lies. They are computed once, into a buffer of the
//! work-item, or, for the vectors of a strip, into registers. So is what all lanes of a block have in common and each position of a row anew:
//! by how much its neighbours count.

use std::collections::BTreeSet;

use super::emit::{Rest, contains};
use super::{Sweep, is_transcendental};
use crate::codegen::opencl::{ALIGNED, Emitter, Value};
use crate::program::*;

/// Most elements of a buffer.
pub(super) const LONGEST: i64 = 2048;
/// Turns of the loop that are worth filling one.
const FEWEST_TURNS: i64 = 4;

/// Vectors side by side that leave registers for what they have in common.
const MOST_LOADED: i64 = 2;

/// A value and the buffer that holds it for all positions of an axis.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    value: E,
    ty: Ty,
    name: String,
    axis: AxisId,
    /// Whether the axis is that of the lanes.
    is_lanes: bool,
}

impl Sweep {
    /// Emits buffers in front of the loop at a depth, the last one inside of which is that over the lanes.
    pub(super) fn settle_lanes(&self, emitter: &mut Emitter<'_>, rest: &Rest) -> Vec<Settled> {
        let program = &self.program;
        let Some((&lane_axis, axes)) = self.order[rest.depth..].split_last() else { return Vec::new() };
        let Some((_, lanes)) = self.lanes.filter(|(of, _)| *of == lane_axis) else { return Vec::new() };
        let Some(extent) = program.extent(lane_axis).filter(|&extent| extent <= LONGEST) else { return Vec::new() };
        let Some((&first, inner)) = axes.split_first() else { return Vec::new() };
        let outer = if rest.depth == self.looped { program.value(self.chunk) } else { program.extent(first) };
        let turns = outer.zip(program.points(inner)).map_or(0, |(outer, inner)| outer * inner);
        let is_padded = rest.conditions.iter().any(|&condition| program.depends_on(condition, lane_axis));
        if !rest.inside || is_padded || turns < FEWEST_TURNS {
            return Vec::new();
        }
        let roots = rest.stores.iter().map(|store| store.value);
        let known: Vec<E> = rest.settled.iter().map(|settled| settled.value).collect();
        let takes_long = |e: E| {
            matches!(program.ty(e), Ty::F32 | Ty::Index) && takes_long(program, e, lane_axis) && !self.reads_row(e)
        };
        let values = self.outermost(roots, axes, lane_axis, takes_long).into_iter().filter(|e| !known.contains(e));
        self.fill_buffers(emitter, values.collect(), (lane_axis, extent), (lanes, true))
    }

    /// Emits buffers in front of the loop around that over an axis, inside of which is a block of lanes that have the position in common.
    pub(super) fn settle_positions(&self, emitter: &mut Emitter<'_>, rest: &Rest) -> Vec<Settled> {
        let program = &self.program;
        let (&[outer, axis, lane_axis], Some((of, lanes))) = (&self.order[rest.depth..], self.lanes) else {
            return Vec::new();
        };
        let is_block = of == lane_axis && *program.node(program.axis(lane_axis).extent) == Node::Index(lanes);
        let turns = if rest.depth == self.looped { program.value(self.chunk) } else { program.extent(outer) };
        let Some(extent) = program.extent(axis).filter(|&extent| extent <= LONGEST) else { return Vec::new() };
        let takes_turns = turns.is_some_and(|turns| turns >= FEWEST_TURNS);
        if !self.weighs || !is_block || !takes_turns || !rest.inside || !rest.conditions.is_empty() {
            return Vec::new();
        }
        let divides = |e: E| {
            let mut found = false;
            program.visit([e], &mut |x| found |= matches!(program.node(x), Node::Binary(BinaryOp::Div, ..)));
            found && matches!(program.ty(e), Ty::F32 | Ty::Index) && !self.reads_row(e)
        };
        let roots = rest.stores.iter().map(|store| store.value);
        let values = self.outermost(roots, &[outer, lane_axis], axis, divides);
        self.fill_buffers(emitter, values, (axis, extent), (lanes, false))
    }

    /// Emits a buffer of each value along an axis, and a loop that fills them all.
    fn fill_buffers(
        &self,
        emitter: &mut Emitter<'_>,
        values: Vec<E>,
        (axis, extent): (AxisId, i64),
        (lanes, is_lanes): (i64, bool),
    ) -> Vec<Settled> {
        let settled: Vec<Settled> = values
            .into_iter()
            .map(|value| {
                let ty = self.program.ty(value);
                let (name, type_name) = (emitter.fresh("steady"), emitter.type_name(ty, false));
                emitter.line(format!("{type_name} {name}[{}] {ALIGNED};", (extent as u64).next_power_of_two()));
                Settled { value, ty, name, axis, is_lanes }
            })
            .collect();
        if !settled.is_empty() {
            self.fill(emitter, &settled, axis, lanes);
        }
        settled
    }

    fn fill(&self, emitter: &mut Emitter<'_>, settled: &[Settled], axis: AxisId, lanes: i64) {
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(self.program.axis(axis).extent);
        emitter.line(format!("{index} {position} = 0;"));
        emitter.open(format!("for (; {position} + {lanes} <= {extent}; {position} += {lanes})"));
        emitter.set_lanes(Some((axis, lanes as usize)));
        emitter.bind(axis, position.clone());
        for Settled { value, name, .. } in settled {
            let value = emitter.wide_value(*value);
            emitter.line(format!("vstore{lanes}({value}, 0, {name} + {position});"));
        }
        emitter.set_lanes(None);
        emitter.close();
        emitter.open(format!("for (; {position} < {extent}; ++{position})"));
        emitter.bind(axis, position.clone());
        for Settled { value, name, .. } in settled {
            let value = emitter.scalar(*value);
            emitter.line(format!("{name}[{position}] = {value};"));
        }
        emitter.close();
    }

    /// The outermost parts of expressions that change along the lanes and not from turn to turn, of those that are `wanted`.
    pub(super) fn outermost(
        &self,
        roots: impl Iterator<Item = E>,
        axes: &[AxisId],
        lane_axis: AxisId,
        wanted: impl Fn(E) -> bool,
    ) -> Vec<E> {
        let program = &self.program;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut left: Vec<E> = roots.collect();
        while let Some(e) = left.pop() {
            if !program.depends_on(e, lane_axis) || !seen.insert(e) {
                continue;
            }
            let is_steady = |of: &AxisId| self.order.contains(of) && !axes.contains(of);
            if program.free_axes(e).iter().all(is_steady) && wanted(e) && program.reductions([e]).is_empty() {
                found.push(e);
            } else {
                left.extend(program.operands(e));
            }
        }
        found
    }

    /// Quotients, roots and the like in loops over `axes` that only change from vector to vector, computed once for each; and loads, where there
    /// are registers for them.
    pub(super) fn steady(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        body: E,
        (axis, first, lanes): (AxisId, &str, i64),
        axes: &[AxisId],
    ) -> Vec<(E, String)> {
        let program = &self.program;
        let mut found = Vec::new();
        program.visit([body], &mut |e| {
            let slow = match program.node(e) {
                Node::Binary(BinaryOp::Div, ..) | Node::Unary(UnaryOp::Sqrt, _) => true,
                // Where there are registers to hold it.
                Node::Load { .. } => self.strip <= MOST_LOADED,
                node => is_transcendental(node),
            };
            if slow
                && program.ty(e).is_float()
                && program.depends_on(e, axis)
                && !axes.iter().any(|&reduced| program.depends_on(e, reduced))
                && program.free_axes(e).iter().all(|free| self.order.contains(free))
            {
                found.push(e);
            }
        });
        // A root in a quotient is not needed by itself.
        let inside = |e: E| found.iter().any(|&other| other != e && contains(program, other, e));
        let outermost: Vec<E> = found.iter().copied().filter(|&e| !inside(e)).collect();
        let at = (axis, first, lanes);
        outermost.into_iter().map(|e| (e, self.name_strip(emitter, below, e, at))).collect()
    }

    /// The name of an array of a value at each vector of a strip.
    pub(super) fn name_strip(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        e: E,
        (axis, first, lanes): (AxisId, &str, i64),
    ) -> String {
        let name = emitter.fresh("steady");
        emitter.set_lanes(Some((axis, lanes as usize)));
        let type_name = emitter.type_name(self.program.ty(e), true);
        emitter.set_lanes(None);
        emitter.line(format!("{type_name} {name}[{}];", self.strip));
        self.unroll(emitter);
        self.open_strip(emitter, below, axis, first, lanes);
        let value = emitter.wide_value(e);
        emitter.line(format!("{name}[s] = {value};"));
        emitter.set_lanes(None);
        emitter.close();
        name
    }

    /// Whether an expression reads memory of the work-item that is written anew at each turn.
    fn reads_row(&self, e: E) -> bool {
        let mut found = false;
        self.program.visit([e], &mut |x| {
            if let Node::Load { tensor, .. } = self.program.node(x) {
                found |= self.windows.as_ref().is_some_and(|row| row.holds(*tensor));
            }
        });
        found
    }
}

impl Settled {
    /// Takes the value from its buffer where its axis stands at a position.
    pub(super) fn define(&self, emitter: &mut Emitter<'_>, axis: AxisId, position: &str) {
        if axis != self.axis {
            return;
        }
        let (loaded, lanes) = (emitter.fresh("v"), emitter.lane_count());
        let vector = self.is_lanes && lanes > 1;
        let type_name = emitter.type_name(self.ty, vector);
        emitter.line(if vector {
            format!("const {type_name} {loaded} = vload{lanes}(0, {} + {position});", self.name)
        } else {
            format!("const {type_name} {loaded} = {}[{position}];", self.name)
        });
        emitter.define(self.value, Value { text: loaded, vector });
    }
}

fn takes_long(program: &Program, e: E, lane_axis: AxisId) -> bool {
    let mut found = false;
    program.visit([e], &mut |x| {
        let node = program.node(x);
        found |= match *node {
            // Integers are multiplied in place of a division by a constant, and one division is nothing.
            Node::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) if program.ty(x) == Ty::Index => {
                !matches!(program.node(by), Node::Index(_)) && program.depends_on(x, lane_axis)
            }
            Node::Binary(BinaryOp::Div, ..) | Node::Unary(UnaryOp::Sqrt, _) => program.ty(x).is_float(),
            _ => is_transcendental(node) && program.ty(x).is_float(),
        };
    });
    found
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text};

    #[test]
    fn weights_of_neighbours_are_computed_once_for_all_rows_of_blocks() {
        let resampled = |alg, tag| {
            let (src, dst) = (images(tag, 64, 32), images(tag, 64, 64));
            text(Resampling::forward(PropKind::ForwardInference, alg, None, &src, Some(&dst)).unwrap())
        };
        for (tag, settles) in [("aBcd16b", true), ("acdb", false)] {
            let text = resampled(AlgKind::ResamplingLinear, tag);
            assert_eq!(text.contains("float steady"), settles, "{tag}\n{text}");
        }
        let text = resampled(AlgKind::ResamplingNearest, "aBcd16b");
        assert!(!text.contains("steady"), "nothing is weighed\n{text}");
    }
}
