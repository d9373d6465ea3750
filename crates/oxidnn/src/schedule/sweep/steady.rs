//! What is the same at every turn of a loop though it changes from lane to lane: roots and quotients of a channel's
//! statistics, where channels are neighbours, or where in an image of another size a point lies. They are computed once, into a buffer of the
//! work-item.

use std::collections::BTreeSet;

use super::emit::Rest;
use super::{Sweep, is_transcendental};
use crate::codegen::opencl::{ALIGNED, Emitter, Value};
use crate::program::*;

/// Most elements of a buffer.
pub(super) const LONGEST: i64 = 2048;
/// Turns of the loop that are worth filling one.
const FEWEST_TURNS: i64 = 4;

/// A value and the buffer that holds it for all lanes.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    value: E,
    ty: Ty,
    name: String,
    lane_axis: AxisId,
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
        let settled: Vec<Settled> = self
            .outermost(roots, axes, lane_axis, &known)
            .into_iter()
            .map(|value| {
                let (name, type_name) = (emitter.fresh("steady"), emitter.type_name(program.ty(value), false));
                emitter.line(format!("{type_name} {name}[{}] {ALIGNED};", (extent as u64).next_power_of_two()));
                Settled { value, ty: program.ty(value), name, lane_axis }
            })
            .collect();
        if !settled.is_empty() {
            self.fill(emitter, &settled, lane_axis, lanes);
        }
        settled
    }

    fn fill(&self, emitter: &mut Emitter<'_>, settled: &[Settled], lane_axis: AxisId, lanes: i64) {
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(self.program.axis(lane_axis).extent);
        emitter.line(format!("{index} {position} = 0;"));
        emitter.open(format!("for (; {position} + {lanes} <= {extent}; {position} += {lanes})"));
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        emitter.bind(lane_axis, position.clone());
        for Settled { value, name, .. } in settled {
            let value = emitter.wide_value(*value);
            emitter.line(format!("vstore{lanes}({value}, 0, {name} + {position});"));
        }
        emitter.set_lanes(None);
        emitter.close();
        emitter.open(format!("for (; {position} < {extent}; ++{position})"));
        emitter.bind(lane_axis, position.clone());
        for Settled { value, name, .. } in settled {
            let value = emitter.scalar(*value);
            emitter.line(format!("{name}[{position}] = {value};"));
        }
        emitter.close();
    }

    /// The outermost parts of expressions that take long, change along the lanes and not from turn to turn; but those that are `known`.
    fn outermost(&self, roots: impl Iterator<Item = E>, axes: &[AxisId], lane_axis: AxisId, known: &[E]) -> Vec<E> {
        let program = &self.program;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut left: Vec<E> = roots.collect();
        while let Some(e) = left.pop() {
            if !program.depends_on(e, lane_axis) || known.contains(&e) || !seen.insert(e) {
                continue;
            }
            let is_steady = |of: &AxisId| self.order.contains(of) && !axes.contains(of);
            if matches!(program.ty(e), Ty::F32 | Ty::Index)
                && program.free_axes(e).iter().all(is_steady)
                && takes_long(program, e, lane_axis)
                && program.reductions([e]).is_empty()
                && !self.reads_row(e)
            {
                found.push(e);
            } else {
                left.extend(program.operands(e));
            }
        }
        found
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
    /// Takes the value from its buffer where the axis of the lanes stands at a position.
    pub(super) fn define(&self, emitter: &mut Emitter<'_>, axis: AxisId, position: &str) {
        if axis != self.lane_axis {
            return;
        }
        let (loaded, lanes) = (emitter.fresh("v"), emitter.lane_count());
        let vector = lanes > 1;
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
