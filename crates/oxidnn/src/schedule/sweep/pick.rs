//! Which element of a window is the largest: the question takes no walk of its own.
//!
//! As a program it is the least of the numbers of those elements that equal the maximum. The first element that is larger than all before it,
//! and than which none after it is larger, is that one, so its number is kept next to the maximum.

use super::Sweep;
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;

/// A reduction that is made while another one is.
pub(super) struct Pick {
    /// The maximum, and the reduction that finds its number.
    pub of: E,
    reduction: E,
    /// The number of an element.
    number: E,
    /// What the maximum is if it is no less than it.
    least: Option<E>,
    /// What stands for the number where there is none, and the value that says so.
    none: i32,
    stands: Option<E>,
    /// The array that holds the numbers of a strip.
    name: String,
}

impl Sweep {
    /// Whether what is left to store asks which element of a window is the largest.
    pub(super) fn picks_any(&self, reductions: &[E]) -> bool {
        let picked = |&of: &E| reductions.iter().any(|&reduction| self.picked(of, reduction).is_some());
        reductions.iter().any(picked)
    }

    /// The reductions that are made along with some others, and room for them.
    pub(super) fn picks(&self, emitter: &mut Emitter<'_>, of: &[E], (axis, lanes): (AxisId, i64)) -> Vec<Pick> {
        let all = self.program.reductions(self.program.roots(&self.stage));
        let mut found = Vec::new();
        for (&of, &reduction) in of.iter().flat_map(|of| all.iter().map(move |reduction| (of, reduction))) {
            let Some((number, least)) = self.picked(of, reduction) else { continue };
            let name = emitter.fresh("strip");
            emitter.set_lanes(Some((axis, lanes as usize)));
            let type_name = emitter.type_name(Ty::S32, true);
            emitter.set_lanes(None);
            emitter.line(format!("{type_name} {name}[{}];", self.strip));
            self.unroll(emitter);
            let (none, stands) = match self.instead(reduction) {
                Some((none, stands)) => (none, Some(stands)),
                None => (i32::MAX, None),
            };
            emitter.line(format!("for (int s = 0; s < {}; ++s) {name}[s] = {none};", self.strip));
            found.push(Pick { of, reduction, number, least, none, stands, name });
        }
        found
    }

    /// The number of an element, and the least that a maximum counts as, where `reduction` finds the first element that equals the maximum `of`.
    fn picked(&self, of: E, reduction: E) -> Option<(E, Option<E>)> {
        let program = &self.program;
        let (
            Node::Reduce { op: ReduceOp::Max, axes, body },
            Node::Reduce { op: ReduceOp::Min, axes: steps, body: chosen },
        ) = (program.node(of), program.node(reduction))
        else {
            return None;
        };
        let Node::Select(condition, number, none) = *program.node(*chosen) else { return None };
        if axes != steps
            || self.chains_of(axes) > 1
            || program.ty(of) != Ty::F32
            || *program.node(none) != Node::S32(i32::MAX)
            || !self.counts_up(number, axes)
        {
            return None;
        }
        let (x, mut exists) = match *program.node(*body) {
            Node::Select(exists, x, _) if !program.counts_where(ReduceOp::Max, *body).is_empty() => {
                (x, program.conjuncts(exists))
            }
            _ => (*body, Vec::new()),
        };
        let mut least = None;
        let mut equals = |e: E| match *program.node(e) {
            Node::Binary(BinaryOp::Eq, a, y) if a == x => match *program.node(y) {
                _ if y == of => true,
                Node::Binary(BinaryOp::Max, a, limit) if a == of && program.free_axes(limit).is_empty() => {
                    least = Some(limit);
                    true
                }
                _ => false,
            },
            _ => false,
        };
        let mut others = program.conjuncts(condition);
        let at = others.iter().position(|&e| equals(e))?;
        others.remove(at);
        others.sort();
        exists.sort();
        let least = least.filter(|&least| !self.is_lowest(least, x));
        (others == exists).then_some((number, least))
    }

    /// What stands for a number that there is not, and the value in which it does, if the number is of use nowhere else.
    fn instead(&self, number: E) -> Option<(i32, E)> {
        let program = &self.program;
        let (mut uses, mut found) = (0, None);
        program.visit(program.roots(&self.stage), &mut |e| {
            uses += usize::from(program.operands(e).contains(&number));
            if let Node::Select(is_none, none, some) = *program.node(e)
                && some == number
                && let (Node::Binary(BinaryOp::Eq, a, b), Node::S32(none)) = (program.node(is_none), program.node(none))
                && *a == number
                && *program.node(*b) == Node::S32(i32::MAX)
            {
                found = Some((*none, e));
            }
        });
        // The question whether there is one, and the answer.
        found.filter(|_| uses == 2)
    }

    /// Whether no element is less than a limit, unless it is infinite: what is larger than that is no less either.
    fn is_lowest(&self, limit: E, x: E) -> bool {
        let (Node::F32(limit), Node::Load { tensor, .. }) = (self.program.node(limit), self.program.node(x)) else {
            return false;
        };
        let lowest = match self.program.tensor(*tensor).data_type {
            DataType::F32 => f32::MIN,
            // All ones but the last of the exponent, and the sign.
            DataType::Bf16 => f32::from_bits(0xff7f_0000),
            DataType::F16 => -65504.0,
            _ => return false,
        };
        f32::from_bits(*limit) <= lowest
    }

    /// Whether a number grows from step to step of loops over some axes.
    fn counts_up(&self, number: E, axes: &[AxisId]) -> bool {
        let program = &self.program;
        let Node::Convert(_, index) = *program.node(number) else { return false };
        let mut reached = 0;
        axes.iter().rev().all(|&axis| {
            let (step, extent) = (program.step(index, axis).unwrap_or(0), program.extent(axis).unwrap_or(1));
            let grows = program.is_linear(index, axis) && step > reached;
            reached += step * (extent - 1).max(0);
            grows
        })
    }
}

impl Pick {
    /// Keeps the number of an element that is larger than all before it. `maximum` is theirs.
    pub fn update(&self, emitter: &mut Emitter<'_>, body: E, maximum: &str) {
        let (x, number, name) = (emitter.wide_value(body), emitter.wide_value(self.number), &self.name);
        emitter.line(format!("{name}[s] = select({name}[s], {number}, {x} > {maximum});"));
    }

    /// The reduction, and what else it is, and the array that holds them.
    pub fn finish(self, sweep: &Sweep, emitter: &mut Emitter<'_>, strips: &[(E, String)]) -> Vec<(E, String)> {
        let maximum = strips.iter().find(|(e, _)| *e == self.of).map(|(_, name)| name.clone());
        if let (Some(least), Some(maximum)) = (self.least, maximum) {
            let (least, name) = (emitter.scalar(least), &self.name);
            let (none, lanes) = (self.none, sweep.lanes.map_or(1, |(_, lanes)| lanes));
            let kept = format!("select((int{lanes})({none}), {name}[s], {maximum}[s] >= {least})");
            sweep.unroll(emitter);
            emitter.line(format!("for (int s = 0; s < {}; ++s) {name}[s] = {kept};", sweep.strip));
        }
        [Some(self.reduction), self.stands].into_iter().flatten().map(|e| (e, self.name.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::pooled;

    #[test]
    fn the_largest_is_found_in_the_walk_that_finds_its_number() {
        for tag in ["abcd", "acdb", "aBcd16b"] {
            for padding in [0, 1] {
                let text = pooled(PropKind::ForwardTraining, AlgKind::PoolingMax, tag, 2, padding);
                // What follows a strip, if it is not the whole row.
                let strip = text.split_once("continue;").map_or(&text[..], |(strip, _)| strip);
                assert!(strip.contains("= select(strip"), "{tag}\n{text}");
                assert_eq!(strip.matches("for (int r").count(), 2, "rows and columns in {tag}\n{text}");
                // That there is no number needs no question of its own, and no byte is limited that is small.
                let (_, stored) = strip.split_once("> (-3.4028235e38f)").unwrap();
                assert!(!stored.contains("==") && !stored.contains("min("), "{tag}\n{text}");
            }
        }
    }
}
