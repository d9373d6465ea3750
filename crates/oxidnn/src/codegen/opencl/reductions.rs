//! Reductions as loops, and what is computed in front of them.

use std::collections::BTreeSet;

use super::emit::{Emitter, Value};
use crate::program::*;

/// Steps that are written out, where the structure says that there are no more.
const FEW_STEPS: i64 = 5;

impl Emitter<'_> {
    pub(super) fn reduce(&mut self, op: ReduceOp, axes: &[AxisId], body: E) -> Value {
        let ty = self.program.ty(body);
        let vector = self.lane_axis().is_some_and(|axis| self.depends(body, axis));
        self.uses_double |= ty == Ty::F64;
        self.hoist(body, axes);
        let acc = self.fresh("acc");
        let type_name = self.type_name(ty, vector);
        self.line(format!("{type_name} {acc} = {};", Emitter::identity(op, ty)));
        let depth = self.open_reduction(axes) + self.open_where_it_counts(&[(op, body)]);
        let x = self.value(body).text;
        self.line(format!("{acc} = {};", Emitter::combine(op, &acc, &x)));
        (0..depth).for_each(|_| self.close());
        Value { text: acc, vector }
    }

    /// Opens the loops of a reduction; returns how many blocks are to be closed.
    pub fn open_reduction(&mut self, axes: &[AxisId]) -> usize {
        let extents: Vec<String> = axes
            .iter()
            .map(|&axis| {
                let extent = self.program.axis(axis).extent;
                let inner = self.program.free_axes(extent).iter().any(|outer| axes.contains(outer));
                if inner { String::new() } else { self.scalar(extent) }
            })
            .collect();
        for (&axis, extent) in axes.iter().zip(extents) {
            let extent = if extent.is_empty() { self.scalar(self.program.axis(axis).extent) } else { extent };
            let name = self.fresh("r");
            let index_type = self.index_type();
            if matches!(*self.program.node(self.program.axis(axis).extent), Node::Index(steps) if steps <= FEW_STEPS) {
                self.line("#pragma unroll");
            }
            self.open(format!("for ({index_type} {name} = 0; {name} < {extent}; ++{name})"));
            self.bind(axis, name);
        }
        axes.len()
    }

    /// Opens a block for a step of reductions, unless it changes none of them for any lane. Returns how many blocks are to be closed.
    pub fn open_where_it_counts(&mut self, reductions: &[(ReduceOp, E)]) -> usize {
        let conditions = self.program.all_count_where(reductions, self.lane_axis());
        if conditions.is_empty() {
            return 0;
        }
        let tests: Vec<String> = conditions.iter().map(|&condition| self.scalar(condition)).collect();
        self.open(format!("if ({})", tests.join(" && ")));
        self.know_conditions(reductions, &conditions);
        1
    }

    /// Makes it known in the current block that conditions on the steps of reductions hold.
    pub fn know_conditions(&mut self, reductions: &[(ReduceOp, E)], conditions: &[E]) {
        let program = self.program;
        let mut hold = Vec::new();
        program.visit(reductions.iter().map(|(_, body)| *body), &mut |e| {
            if program.ty(e) == Ty::Bool && program.conjuncts(e).iter().all(|part| conditions.contains(part)) {
                hold.push(e);
            }
        });
        hold.into_iter().for_each(|e| self.define(e, Value { text: "1".into(), vector: false }));
    }

    /// An accumulator combined with a value as a reduction does.
    pub fn combine(op: ReduceOp, a: &str, b: &str) -> String {
        match op {
            ReduceOp::Sum => format!("({a} + {b})"),
            ReduceOp::Prod => format!("({a} * {b})"),
            // Not fmin and fmax, which would test the accumulator for NaN, too: it is none.
            ReduceOp::Min => format!("({b} < {a} ? {b} : {a})"),
            ReduceOp::Max => format!("({b} > {a} ? {b} : {a})"),
        }
    }

    /// Where a reduction starts.
    pub fn identity(op: ReduceOp, ty: Ty) -> &'static str {
        match (op, ty) {
            (ReduceOp::Sum, _) => "0",
            (ReduceOp::Prod, _) => "1",
            (ReduceOp::Min, Ty::F32 | Ty::F64) => "INFINITY",
            (ReduceOp::Max, Ty::F32 | Ty::F64) => "-INFINITY",
            (ReduceOp::Min, _) => "INT_MAX",
            (ReduceOp::Max, _) => "INT_MIN",
        }
    }

    /// Emits what a loop's body needs but does not change in it. Loads stay inside: the loop may be empty.
    pub fn hoist(&mut self, e: E, axes: &[AxisId]) {
        let mut bound: BTreeSet<AxisId> = axes.iter().copied().collect();
        self.hoist_outside(e, &mut bound, &mut BTreeSet::new());
    }

    fn hoist_outside(&mut self, e: E, inner: &mut BTreeSet<AxisId>, seen: &mut BTreeSet<E>) {
        if !seen.insert(e) {
            return;
        }
        if !self.contains_load(e) && self.program.free_axes(e).is_disjoint(inner) {
            self.value(e);
            return;
        }
        let added: Vec<AxisId> = match self.program.node(e) {
            Node::Reduce { axes, .. } => axes.iter().copied().filter(|axis| inner.insert(*axis)).collect(),
            _ => Vec::new(),
        };
        for operand in self.program.operands(e) {
            self.hoist_outside(operand, inner, seen);
        }
        added.iter().for_each(|axis| {
            inner.remove(axis);
        });
    }

    fn contains_load(&self, e: E) -> bool {
        let mut found = false;
        self.program
            .visit([e], &mut |x| found |= matches!(self.program.node(x), Node::Load { .. } | Node::Reduce { .. }));
        found
    }
}
