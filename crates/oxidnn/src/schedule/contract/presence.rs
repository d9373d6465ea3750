//! Where a product counts: the padding of images, seen from the loops.
//!
//! A factor that is zero where a condition does not hold makes the whole product zero there. So the condition can leave
//! the loads and become a bound of a loop, a step that is skipped, or a row that is left out.

use std::collections::HashMap;

use crate::program::*;

/// The conditions outside which a factor is zero.
pub(in crate::schedule) fn conditions(program: &Program, factor: E) -> Vec<E> {
    match *program.node(factor) {
        Node::Load { guard: Some(guard), .. } => program.conjuncts(guard),
        Node::Convert(_, x) => conditions(program, x),
        Node::Select(condition, _, otherwise) if is_zero(program, otherwise) => program.conjuncts(condition),
        _ => Vec::new(),
    }
}

/// Whether what lies at one place counts for all steps along two axes that lead there. Else they go through different dimensions,
/// and may meet where a line ends and the next one begins.
pub(super) fn meet(program: &Program, conditions: &[E], [a, b]: [AxisId; 2]) -> bool {
    conditions.iter().all(|&condition| program.depends_on(condition, a) == program.depends_on(condition, b))
}

/// Whether all of some axes that decide what counts lead somewhere. Else one place, such as the only column of an image, counts for some of
/// their points and not for others.
pub(super) fn lead_on(program: &Program, conditions: &[E], offset: E, axes: &[AxisId]) -> bool {
    let decides = |axis: AxisId| conditions.iter().any(|&condition| program.depends_on(condition, axis));
    axes.iter().all(|&axis| !decides(axis) || program.step(offset, axis).is_some_and(|step| step != 0))
}

/// The factor without the conditions that are known to hold.
pub(super) fn assume(program: &mut Program, factor: E, known: &[E]) -> E {
    let mut guards = Vec::new();
    program.visit([factor], &mut |e| match *program.node(e) {
        Node::Load { guard: Some(guard), .. } => guards.push(guard),
        Node::Select(condition, _, otherwise) if is_zero(program, otherwise) => guards.push(condition),
        _ => {}
    });
    guards.into_iter().fold(factor, |factor, guard| {
        let unknown: Vec<E> = program.conjuncts(guard).into_iter().filter(|part| !known.contains(part)).collect();
        let unknown = all_of(program, &unknown, &HashMap::new());
        program.replace(factor, guard, unknown)
    })
}

fn is_zero(program: &Program, e: E) -> bool {
    matches!(program.node(e), Node::F32(0) | Node::F64(0) | Node::S32(0))
}

/// A bound that a condition sets for a loop: the axis runs over `coefficient * axis + rest`, compared with `limit`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Its sign is that of the coefficient.
    pub rising: bool,
    /// The size of the coefficient.
    pub step: E,
    /// The part that does not depend on the axis.
    pub rest: E,
    /// What it is compared with.
    pub limit: E,
    /// Whether the position has to be below the limit; else not below.
    pub below: bool,
}

impl Bound {
    /// Sees a condition as a bound of a loop over an axis.
    pub fn of(program: &mut Program, condition: E, axis: AxisId) -> Option<Bound> {
        let Node::Binary(op, a, b) = *program.node(condition) else { return None };
        let (position, limit, below) = match op {
            BinaryOp::Lt if !program.depends_on(b, axis) => (a, b, true),
            BinaryOp::Le if !program.depends_on(a, axis) => (b, a, false),
            _ => return None,
        };
        if program.ty(position) != Ty::Index {
            return None;
        }
        let (step, rest) = program.linear(position, axis)?;
        let value = program.value(step)?;
        let rising = value > 0;
        let step = if rising {
            step
        } else {
            let zero = program.index(0);
            program.sub(zero, step)
        };
        (value != 0).then_some(Bound { rising, step, rest, limit, below })
    }

    /// Whether it sets where the loop ends; else where it starts.
    pub fn is_end(&self) -> bool {
        self.rising == self.below
    }

    /// The bound as text, from the texts of its parts.
    pub fn text(&self, step: &str, rest: &str, limit: &str) -> String {
        if self.rising {
            // The first position at which the limit is reached.
            format!("(max({limit} - {rest}, 0) + {step} - 1) / {step}")
        } else {
            // One past the last position at which it is.
            format!("({rest} - {limit} < 0 ? 0 : ({rest} - {limit}) / {step} + 1)")
        }
    }
}

/// Rebuilds conditions with axes replaced, as one.
pub(super) fn all_of(program: &mut Program, conditions: &[E], replace: &HashMap<AxisId, E>) -> E {
    let holds = program.bool(true);
    conditions.iter().fold(holds, |all, &condition| {
        let condition = program.substitute(condition, replace);
        program.and(all, condition)
    })
}
