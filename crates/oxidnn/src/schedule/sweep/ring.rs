//! Windows that slide along a loop: most of what one position reads, the one before it has read.
//!
//! The columns of a window are reduced each by itself, and kept. The next position adds the columns that are new to it and forgets as many.
//! So a point takes as many loads as its window is high, not as it is large.

use super::Sweep;
use super::emit::Rest;
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// Most vectors that are kept, and most columns of a window.
const MOST_KEPT: i64 = 16;
const MOST_COLUMNS: i64 = 5;

/// A reduction of windows that overlap.
pub(super) struct Ring {
    reduction: E,
    op: ReduceOp,
    body: E,
    /// The axis of the columns of a window, how many there are, and how many are new at a position.
    columns: AxisId,
    count: i64,
    new: i64,
    /// The other axes of the reduction.
    others: Vec<AxisId>,
}

impl Sweep {
    /// What slides along an axis around that of the lanes, if it is all that there is to reduce and strips fill the lanes.
    pub(super) fn ring(&self, below: &Rest, axis: AxisId) -> Option<Ring> {
        let (program, (lanes, count)) = (&self.program, self.lanes?);
        let reductions = program.reductions(below.stores.iter().map(|store| store.value));
        let &[reduction] = &reductions[..] else { return None };
        let Node::Reduce { op, ref axes, body } = *program.node(reduction) else { return None };
        let (&columns, others) = axes.split_last()?;
        let &Node::Index(window) = program.node(program.axis(columns).extent) else { return None };
        let conditions = program.all_count_where(&[(op, body)], Some(lanes));
        let mut steps = Vec::new();
        let fits = self.column_steps(body, axis, columns, &conditions, &mut steps);
        let (&new, rest) = steps.split_first().filter(|_| fits)?;
        let is_filled = program.extent(lanes)? % (self.strip * count) == 0;
        if !rest.iter().all(|&other| other == new)
            || !(1..window).contains(&new)
            || window > MOST_COLUMNS
            || window * self.strip > MOST_KEPT
            || others.is_empty()
            || !program.depends_on(reduction, lanes)
            || !is_filled
            || !below.conditions.is_empty()
        {
            return None;
        }
        Some(Ring { reduction, op, body, columns, count: window, new, others: others.to_vec() })
    }

    /// How many columns farther each load is at the next position, where nothing but loads depends on either.
    fn column_steps(&self, e: E, axis: AxisId, columns: AxisId, known: &[E], steps: &mut Vec<i64>) -> bool {
        let program = &self.program;
        if !program.depends_on(e, axis) && !program.depends_on(e, columns) {
            return true;
        }
        if program.ty(e) == Ty::Bool {
            return program.conjuncts(e).iter().all(|part| known.contains(part));
        }
        match *program.node(e) {
            Node::Load { offset, guard, .. } => {
                let is_linear = program.is_linear(offset, axis) && program.is_linear(offset, columns);
                let is_known = |guard: E| self.column_steps(guard, axis, columns, known, &mut Vec::new());
                let (by, column) =
                    (program.step(offset, axis).unwrap_or(0), program.step(offset, columns).unwrap_or(0));
                if !is_linear || column <= 0 || by % column != 0 || !guard.is_none_or(is_known) {
                    return false;
                }
                steps.push(by / column);
                true
            }
            Node::Reduce { .. } | Node::Axis(_) => false,
            _ if program.ty(e) == Ty::Index => false,
            _ => program.operands(e).into_iter().all(|x| self.column_steps(x, axis, columns, known, steps)),
        }
    }

    /// Emits a loop over an axis from one position to another, around that over the lanes.
    pub(super) fn run_ring(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        ring: &Ring,
        axis: AxisId,
        range: [&str; 2],
    ) {
        let Some((lane_axis, lanes)) = self.lanes else { return };
        let (index, strip, count) = (emitter.index_type(), self.strip, ring.count);
        let kept = count - ring.new;
        let [first, position, name, total] = ["i", "i", "ring", "strip"].map(|name| emitter.fresh(name));
        let extent = emitter.scalar(self.program.axis(lane_axis).extent);
        emitter.open(format!("for ({index} {first} = 0; {first} < {extent}; {first} += {})", strip * lanes));
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        let type_name = emitter.type_name(self.program.ty(ring.body), true);
        emitter.set_lanes(None);
        emitter.line(format!("{type_name} {name}[{}];", count * strip));
        emitter.open("");
        emitter.bind(axis, range[0]);
        self.fill_ring(emitter, below, ring, &name, ("0".into(), kept.to_string()), &first);
        emitter.close();
        emitter.open(format!("for ({index} {position} = {}; {position} < {}; ++{position})", range[0], range[1]));
        self.bind(emitter, axis, &position, below);
        self.fill_ring(emitter, below, ring, &name, (kept.to_string(), count.to_string()), &first);
        emitter.line(format!("{type_name} {total}[{strip}];"));
        emitter.line("#pragma unroll");
        emitter.open(format!("for (int s = 0; s < {strip}; ++s)"));
        let columns = (0..count).map(|column| format!("{name}[{} + s]", column * strip));
        let combined = columns.reduce(|a, b| Emitter::combine(ring.op, &a, &b)).unwrap_or_default();
        emitter.line(format!("{total}[s] = {combined};"));
        emitter.close();
        emitter.line("#pragma unroll");
        emitter.line(format!(
            "for (int s = 0; s < {}; ++s) {name}[s] = {name}[s + {}];",
            kept * strip,
            ring.new * strip
        ));
        let mut below = Rest { depth: self.order.len(), ..below.clone() };
        below.strips.push((ring.reduction, total));
        self.finish_strips(emitter, below, lane_axis, &first, lanes);
        emitter.close();
        emitter.close();
    }

    /// Reduces some columns of the window at which the axes stand.
    fn fill_ring(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        ring: &Ring,
        name: &str,
        (from, to): (String, String),
        first: &str,
    ) {
        let Some((lane_axis, lanes)) = self.lanes else { return };
        let reductions = [(ring.op, ring.body)];
        let start = Emitter::identity(ring.op, self.program.ty(ring.body));
        emitter.line("#pragma unroll");
        emitter.open(format!("for (int k = {from}; k < {to}; ++k)"));
        emitter.bind(ring.columns, "k");
        self.unroll(emitter);
        emitter.line(format!("for (int s = 0; s < {0}; ++s) {name}[k * {0} + s] = {start};", self.strip));
        let depth = emitter.open_reduction(&ring.others);
        self.know_inside(emitter, &reductions, below.inside_along);
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        let blocks = emitter.open_where_it_counts(&reductions);
        emitter.set_lanes(None);
        self.unroll(emitter);
        self.open_strip(emitter, below, lane_axis, first, lanes);
        let target = format!("{name}[k * {} + s]", self.strip);
        let combined = self.combined(emitter, ring.op, &target, ring.body);
        emitter.line(format!("{target} = {combined};"));
        emitter.set_lanes(None);
        (0..depth + blocks + 2).for_each(|_| emitter.close());
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::pooled;

    #[test]
    fn columns_are_kept_where_windows_overlap() {
        for tag in ["acdb", "aBcd16b"] {
            for (stride, kept) in [(1, true), (2, true), (3, false)] {
                for alg in [AlgKind::PoolingMax, AlgKind::PoolingAvgExcludePadding] {
                    let text = pooled(PropKind::ForwardInference, alg, tag, stride, 1);
                    assert_eq!(text.contains("ring"), kept, "{tag}, {alg} by {stride}\n{text}");
                }
            }
        }
        // Neighbours in memory are neighbours in a window, and what asks for numbers knows which column is which.
        let [across, numbers] = [("abcd", PropKind::ForwardInference), ("acdb", PropKind::ForwardTraining)]
            .map(|(tag, prop)| pooled(prop, AlgKind::PoolingMax, tag, 1, 1));
        assert!(!across.contains("ring") && !numbers.contains("ring"), "{across}\n{numbers}");
    }
}
