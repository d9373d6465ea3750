//! Windows that lie inside of an image, all of them: no step of such a reduction asks whether its element exists.
//!
//! A condition that moves one way along a window holds at all of its elements if it does at the first one, or at the last one; and where
//! it holds, it does so from one position of a loop to another. So the loop runs up to the first such position, along all of them without a
//! question, and on to its end. What does not change along the loop is asked as before.

use super::Sweep;
use super::emit::Rest;
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// A condition on the steps of a reduction, and where it is least likely to hold: axes, and whether they stand at their last position.
pub(super) type Worst = (E, Vec<(AxisId, bool)>);

impl Sweep {
    /// Emits the loop over the axis at a depth, around that over the lanes, if windows may lie inside along it. Tells whether it did.
    pub(super) fn run_inside(&self, emitter: &mut Emitter<'_>, below: &Rest, first: &str, last: &str) -> bool {
        let (axis, Some((lanes, _))) = (self.order[below.depth - 1], self.lanes) else { return false };
        let is_written_out = matches!(self.program.node(self.program.axis(axis).extent), Node::Index(_));
        let around = self.order[below.depth..] == [lanes] && below.inside && self.windows.is_none() && !is_written_out;
        let Some(conditions) = self.worst_cases(below, axis, lanes).filter(|_| around) else { return false };
        let test = |emitter: &mut Emitter<'_>, at: &str| {
            let mut tests = Vec::new();
            for (condition, worst) in &conditions {
                emitter.bind(axis, at);
                self.bind_worst(emitter, worst);
                tests.push(emitter.scalar(*condition));
            }
            tests.join(" && ")
        };
        self.run_cut(emitter, below, [first, last], test, |emitter| {
            self.walk(emitter, Rest { inside_along: Some(axis), ..below.clone() });
        });
        true
    }

    /// Emits the loop over the axis at a depth, cut where a test holds: from the first such position to the last one it does something else.
    pub(super) fn run_cut(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        [first, last]: [&str; 2],
        test: impl Fn(&mut Emitter<'_>, &str) -> String,
        inside: impl FnOnce(&mut Emitter<'_>),
    ) {
        let (axis, index) = (self.order[below.depth - 1], emitter.index_type());
        let [position, start, end] = ["i", "start", "end"].map(|name| emitter.fresh(name));
        emitter.line(format!("{index} {start} = {first}, {end} = {last};"));
        for (at, step) in [(start.clone(), format!("++{start}")), (format!("({end} - 1)"), format!("--{end}"))] {
            emitter.open(format!("while ({start} < {end})"));
            let holds = test(emitter, &at);
            emitter.line(format!("if ({holds}) break;"));
            emitter.line(format!("{step};"));
            emitter.close();
        }
        emitter.line(format!("{index} {position} = {first};"));
        emitter.open(format!("while ({position} < {last})"));
        emitter.open(format!("for (; {position} >= {start} && {position} < {end}; ++{position})"));
        self.bind(emitter, axis, &position, below);
        inside(emitter);
        emitter.close();
        emitter.open(format!("if ({position} < {last})"));
        self.bind(emitter, axis, &position, below);
        self.walk(emitter, below.clone());
        emitter.close();
        emitter.line(format!("++{position};"));
        emitter.close();
    }

    /// Where each condition on the steps of windows must hold to hold at all of them, if that depends on an axis and can be told.
    fn worst_cases(&self, below: &Rest, axis: AxisId, lanes: AxisId) -> Option<Vec<Worst>> {
        let program = &self.program;
        let mut found: Vec<Worst> = Vec::new();
        for e in self.across(below, lanes) {
            let Node::Reduce { op, ref axes, body } = *program.node(e) else { continue };
            let is_here = program.free_axes(e).iter().all(|free| self.order.contains(free));
            // Where neighbours in memory share a window, each vector asks anyway.
            let asks = |&condition: &E| {
                matches!(program.node(condition), Node::Binary(BinaryOp::Lt | BinaryOp::Le, a, _) if program.ty(*a) == Ty::Index)
                    && program.depends_on(condition, lanes)
            };
            if !is_here || program.counts_where(op, body).iter().any(asks) {
                return None;
            }
            let conditions = program.all_count_where(&[(op, body)], Some(lanes));
            for condition in conditions.into_iter().filter(|&condition| program.depends_on(condition, axis)) {
                let worst = (condition, self.worst_case(condition, axis, axes)?);
                if !found.contains(&worst) {
                    found.push(worst);
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Makes axes stand at their first or last position.
    pub(super) fn bind_worst(&self, emitter: &mut Emitter<'_>, worst: &[(AxisId, bool)]) {
        for &(reduced, at_last) in worst {
            let extent = emitter.scalar(self.program.axis(reduced).extent);
            emitter.bind(reduced, if at_last { format!("({extent} - 1)") } else { "0".into() });
        }
    }

    /// Makes known that conditions on the steps of reductions hold which depend on an axis along which windows lie inside.
    pub(super) fn know_inside(&self, emitter: &mut Emitter<'_>, reductions: &[(ReduceOp, E)], along: Option<AxisId>) {
        let Some(axis) = along else { return };
        let mut conditions = self.program.all_count_where(reductions, self.lanes.map(|(lanes, _)| lanes));
        conditions.retain(|&condition| self.program.depends_on(condition, axis));
        emitter.know_conditions(reductions, &conditions);
    }

    pub(super) fn worst_case(&self, condition: E, axis: AxisId, axes: &[AxisId]) -> Option<Vec<(AxisId, bool)>> {
        let program = &self.program;
        let Node::Binary(BinaryOp::Lt | BinaryOp::Le, small, large) = *program.node(condition) else { return None };
        let mut worst = Vec::new();
        for &moved in axes.iter().chain([&axis]).filter(|&&moved| program.depends_on(condition, moved)) {
            let moving = if program.depends_on(small, moved) { small } else { large };
            let one_way = program.is_linear(moving, moved) && program.extent(moved).is_some_and(|extent| extent > 0);
            if !one_way || (program.depends_on(small, moved) && program.depends_on(large, moved)) {
                return None;
            }
            let grows = program.step(moving, moved)? >= 0;
            if moved != axis {
                worst.push((moved, grows == (moving == small)));
            }
        }
        Some(worst)
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::pooled;

    #[test]
    fn loops_are_cut_where_windows_lie_inside_and_only_if_some_do_not() {
        for (tag, is_cut) in [("acdb", true), ("aBcd16b", true), ("abcd", false)] {
            let texts = [1, 0].map(|padding| pooled(PropKind::ForwardTraining, AlgKind::PoolingMax, tag, 2, padding));
            assert_eq!(texts.map(|text| text.contains("++start")), [is_cut, false], "{tag}");
        }
    }
}
