//! Windows that slide along a loop: most of what one position reads, the one before it has read.
//!
//! The columns of a window are reduced each by itself, and kept. The next position adds the columns that are new to it and forgets as many.
//! So a point takes as many loads as its window is high, not as it is large. Columns that are outside of the image count as nothing. Whether all
//! elements of a column lie inside of it from top to bottom is asked once, not at each of them.

use super::Sweep;
use super::emit::Rest;
use super::inside::Worst;
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// Most vectors that are kept, and most columns of a window.
const MOST_KEPT: i64 = 16;
const MOST_COLUMNS: i64 = 5;

/// A reduction of windows that overlap.
#[derive(Clone)]
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
    /// Conditions that hold for all elements.
    known: Vec<E>,
}

impl Sweep {
    /// Emits the loop over the axis at a depth, around that over the lanes, if windows slide along it. Tells whether it did.
    pub(super) fn run_sliding(&self, emitter: &mut Emitter<'_>, below: &Rest, first: &str, last: &str) -> bool {
        let axis = self.order[below.depth - 1];
        let Some(ring) = self.ring(below, axis) else { return false };
        let conditions = self.across_columns(&ring, axis);
        if conditions.is_empty() {
            self.run_ring(emitter, below, &ring, axis, [first, last]);
            return true;
        }
        let mut tests = Vec::new();
        emitter.open("");
        for (condition, worst) in &conditions {
            self.bind_worst(emitter, worst);
            tests.push(emitter.scalar(*condition));
        }
        emitter.open(format!("if ({})", tests.join(" && ")));
        let inside = Ring { known: conditions.into_iter().map(|(condition, _)| condition).collect(), ..ring.clone() };
        self.run_ring(emitter, below, &inside, axis, [first, last]);
        emitter.close();
        emitter.open("else");
        self.run_ring(emitter, below, &ring, axis, [first, last]);
        emitter.close();
        emitter.close();
        true
    }

    /// Conditions on the elements of a column that are the same for all columns, and where each is least likely to hold.
    fn across_columns(&self, ring: &Ring, axis: AxisId) -> Vec<Worst> {
        let program = &self.program;
        let conditions = program.all_count_where(&[(ring.op, ring.body)], self.lanes.map(|(lanes, _)| lanes));
        let is_same = |&condition: &E| ![axis, ring.columns].iter().any(|&of| program.depends_on(condition, of));
        let worst = |condition: E| Some((condition, self.worst_case(condition, axis, &ring.others)?));
        conditions.into_iter().filter(is_same).filter_map(worst).collect()
    }

    /// What slides along an axis around that of the lanes, if it is all that there is to reduce and strips fill the lanes.
    fn ring(&self, below: &Rest, axis: AxisId) -> Option<Ring> {
        let (program, (lanes, count)) = (&self.program, self.lanes?);
        if self.order[below.depth..] != [lanes] || !below.inside || self.windows.is_some() {
            return None;
        }
        let reductions = program.reductions(below.stores.iter().map(|store| store.value));
        let &[reduction] = &reductions[..] else { return None };
        let Node::Reduce { op, ref axes, body } = *program.node(reduction) else { return None };
        let (&columns, others) = axes.split_last()?;
        let &Node::Index(window) = program.node(program.axis(columns).extent) else { return None };
        let mut steps = Vec::new();
        let fits = self.column_steps(body, axis, columns, &mut steps);
        let asks = |&condition: &E| program.depends_on(condition, lanes);
        let (&new, rest) = steps.split_first().filter(|_| fits)?;
        let is_filled = program.extent(lanes)? % (self.strip * count) == 0;
        if !rest.iter().all(|&other| other == new)
            || !(1..window).contains(&new)
            || window > MOST_COLUMNS
            || window * self.strip > MOST_KEPT
            || others.is_empty()
            || !program.depends_on(reduction, lanes)
            || program.counts_where(op, body).iter().any(asks)
            || !is_filled
            || !below.conditions.is_empty()
        {
            return None;
        }
        Some(Ring { reduction, op, body, columns, count: window, new, others: others.to_vec(), known: Vec::new() })
    }

    /// How many columns farther each position is at the next turn of the loop, where all that depends on either does so by such positions.
    fn column_steps(&self, e: E, axis: AxisId, columns: AxisId, steps: &mut Vec<i64>) -> bool {
        let program = &self.program;
        if !program.depends_on(e, axis) && !program.depends_on(e, columns) {
            return true;
        }
        if program.ty(e) == Ty::Index && program.is_linear(e, axis) && program.is_linear(e, columns) {
            let (by, column) = (program.step(e, axis).unwrap_or(0), program.step(e, columns).unwrap_or(0));
            let fits = column != 0 && by % column == 0;
            steps.extend(fits.then(|| by / column));
            return fits;
        }
        let operands = match *program.node(e) {
            Node::Reduce { .. } => return false,
            _ => program.operands(e),
        };
        !operands.is_empty() && operands.into_iter().all(|x| self.column_steps(x, axis, columns, steps))
    }

    /// Emits a loop over an axis from one position to another, around that over the lanes. Vectors that are kept have a name each: arrays of them
    /// would not stay in registers.
    fn run_ring(&self, emitter: &mut Emitter<'_>, below: &Rest, ring: &Ring, axis: AxisId, range: [&str; 2]) {
        let Some((lane_axis, lanes)) = self.lanes else { return };
        let (index, strip, count) = (emitter.index_type(), self.strip, ring.count);
        let kept = count - ring.new;
        let [first, position, name, total] = ["i", "i", "ring", "strip"].map(|name| emitter.fresh(name));
        let extent = emitter.scalar(self.program.axis(lane_axis).extent);
        emitter.open(format!("for ({index} {first} = 0; {first} < {extent}; {first} += {})", strip * lanes));
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        let type_name = emitter.type_name(self.program.ty(ring.body), true);
        emitter.set_lanes(None);
        let kept_at = |column: i64, vector: i64| format!("{name}_{column}_{vector}");
        let all: Vec<String> = (0..count * strip).map(|at| kept_at(at / strip, at % strip)).collect();
        emitter.line(format!("{type_name} {};", all.join(", ")));
        emitter.open("");
        emitter.bind(axis, range[0]);
        (0..kept).for_each(|column| self.fill_ring(emitter, below, ring, column, &kept_at, &first));
        emitter.close();
        emitter.open(format!("for ({index} {position} = {}; {position} < {}; ++{position})", range[0], range[1]));
        self.bind(emitter, axis, &position, below);
        (kept..count).for_each(|column| self.fill_ring(emitter, below, ring, column, &kept_at, &first));
        let totals = (0..strip).map(|vector| {
            let columns = (0..count).map(|column| kept_at(column, vector));
            columns.reduce(|a, b| Emitter::combine(ring.op, &a, &b)).unwrap_or_default()
        });
        let totals: Vec<String> = totals.collect();
        emitter.line(format!("const {type_name} {total}[{strip}] = {{{}}};", totals.join(", ")));
        for (column, vector) in (0..kept).flat_map(|column| (0..strip).map(move |vector| (column, vector))) {
            emitter.line(format!("{} = {};", kept_at(column, vector), kept_at(column + ring.new, vector)));
        }
        let mut below = Rest { depth: self.order.len(), ..below.clone() };
        below.strips.push((ring.reduction, total));
        self.finish_strips(emitter, below, lane_axis, &first, lanes);
        emitter.close();
        emitter.close();
    }

    /// Reduces a column of the window at which the axes stand.
    fn fill_ring(
        &self,
        emitter: &mut Emitter<'_>,
        below: &Rest,
        ring: &Ring,
        column: i64,
        kept_at: &dyn Fn(i64, i64) -> String,
        first: &str,
    ) {
        let Some((lane_axis, lanes)) = self.lanes else { return };
        let reductions = [(ring.op, ring.body)];
        let start = Emitter::identity(ring.op, self.program.ty(ring.body));
        for vector in 0..self.strip {
            emitter.line(format!("{} = {start};", kept_at(column, vector)));
        }
        emitter.open("");
        emitter.bind(ring.columns, column.to_string());
        let depth = emitter.open_reduction(&ring.others);
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        emitter.know_conditions(&reductions, &ring.known);
        let blocks = emitter.open_where_it_counts(&reductions);
        for vector in 0..self.strip {
            emitter.open("");
            self.bind(emitter, lane_axis, &format!("({first} + {})", vector * lanes), below);
            let target = kept_at(column, vector);
            let combined = self.combined(emitter, ring.op, &target, ring.body);
            emitter.line(format!("{target} = {combined};"));
            emitter.close();
        }
        emitter.set_lanes(None);
        (0..depth + blocks + 1).for_each(|_| emitter.close());
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
                    // With and without questions about its rows.
                    let rings = text.lines().filter(|line| line.trim_start().starts_with("float16 ring")).count();
                    assert_eq!(rings, if kept { 2 } else { 0 }, "{tag}, {alg} by {stride}\n{text}");
                }
            }
        }
        // Neighbours in memory are neighbours in a window, and what asks for numbers knows which column is which.
        let [across, numbers] = [("abcd", PropKind::ForwardInference), ("acdb", PropKind::ForwardTraining)]
            .map(|(tag, prop)| pooled(prop, AlgKind::PoolingMax, tag, 1, 1));
        assert!(!across.contains("ring") && !numbers.contains("ring"), "{across}\n{numbers}");
    }
}
