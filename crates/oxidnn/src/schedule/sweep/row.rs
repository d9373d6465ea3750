//! A reduction of a whole row to one number: lanes run along the row.
//!
//! What else is stored along the row and is not made of the number is stored at each step, so that the row is walked once. Of several numbers,
//! each made of the one before, the first is made a row ahead, so that processors need not wait for all of them in turn.

use std::collections::BTreeSet;

use super::ahead::Ahead;
use super::emit::Rest;
use super::overlap::begin_anywhere;
use super::{Sweep, is_transcendental};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Vectors that accumulate independently, so that one need not wait for another.
pub(super) const CHAINS: i64 = 4;

/// Those that fit into the innermost one.
const LONGEST_PREFETCHED_CLOSE: i64 = 4096;
/// Those of rows so short that making their numbers is mostly waiting.
const LONGEST_AHEAD: i64 = 512;

impl Sweep {
    /// Emits a reduction with lanes over one of its axes.
    pub(super) fn row(&self, emitter: &mut Emitter<'_>, e: E, axis: AxisId, lanes: i64) {
        self.row_and_stores(emitter, (e, axis, lanes), &[]);
    }

    /// The first of several numbers of a row, where the loop over an axis is the one over rows.
    pub(super) fn first_of_row(&self, below: &Rest, axis: AxisId) -> Option<(E, AxisId, i64)> {
        let [first, second, ..] = self.rows[..] else { return None };
        let is_short = self.program.extent(first.1).is_some_and(|extent| extent <= LONGEST_AHEAD);
        let is_needed = self.program.reductions([second.0]).contains(&first.0);
        let is_kept = self.kept.as_ref().is_some_and(|kept| kept.reduction == first.0);
        let around = below.depth == self.fixed && self.program.depends_on(first.0, axis);
        (around && below.inside && below.conditions.is_empty() && is_short && is_needed && !is_kept).then_some(first)
    }

    /// A loop over rows, in which the first number of each is made before the others of the row in front of it.
    pub(super) fn run_rows(&self, emitter: &mut Emitter<'_>, below: Rest, row: (E, AxisId, i64), range: [&str; 2]) {
        let (axis, [first, last]) = (self.order[below.depth - 1], range);
        let (e, along, lanes) = row;
        let [position, next, now] = ["i", "next", "now"].map(|name| emitter.fresh(name));
        let (index, type_name) = (emitter.index_type(), emitter.type_name(self.program.ty(e), false));
        emitter.line(format!("{type_name} {next};"));
        let make = |emitter: &mut Emitter<'_>, at: &str| {
            emitter.open(format!("if ({at} < {last})"));
            emitter.bind(axis, at);
            self.row(emitter, e, along, lanes);
            let made = emitter.scalar(e);
            emitter.line(format!("{next} = {made};"));
            emitter.close();
        };
        make(emitter, first);
        emitter.open(format!("for ({index} {position} = {first}; {position} < {last}; ++{position})"));
        emitter.line(format!("const {type_name} {now} = {next};"));
        make(emitter, &format!("({position} + 1)"));
        self.bind(emitter, axis, &position, &below);
        emitter.define(e, Value { text: now, vector: false });
        self.walk(emitter, below);
        emitter.close();
    }

    /// Emits the only reduction that is left, if what is stored along its row can be meanwhile. That may take the place of what is read, and
    /// nothing is read twice.
    pub(super) fn store_along_row(&self, emitter: &mut Emitter<'_>, rest: &mut Rest) {
        let program = &self.program;
        let (&[inner], &[row]) = (&self.order[rest.depth..], &self.rows[..]) else { return };
        let (along, others): (Vec<Store>, Vec<Store>) =
            rest.stores.iter().partition(|store| program.depends_on(store.offset, inner));
        let (e, axis, lanes) = row;
        let reduces = |stores: &[Store]| program.reductions(stores.iter().map(|store| store.value));
        let is_whole = matches!(program.node(e), Node::Reduce { axes, .. } if axes[..] == [inner]);
        let fits = is_whole
            && self.lanes == Some((axis, lanes))
            && rest.inside
            && rest.conditions.is_empty()
            && rest.has_no_vectors()
            && self.kept.is_none()
            && !self.reduces_pairs(e, axis, lanes)
            && reduces(&along).is_empty()
            && reduces(&others) == [e];
        if fits && !emitter.knows(e) {
            self.row_and_stores(emitter, row, &along);
            rest.stores = others;
        }
    }

    fn row_and_stores(&self, emitter: &mut Emitter<'_>, (e, axis, lanes): (E, AxisId, i64), stored: &[Store]) {
        let program = &self.program;
        let Node::Reduce { op, axes, body } = program.node(e).clone() else { return };
        let ty = program.ty(e);
        let outer: Vec<AxisId> = axes.iter().copied().filter(|&other| other != axis).collect();
        let index = emitter.index_type();
        let inner: BTreeSet<AxisId> = axes.iter().copied().collect();
        if axes.iter().all(|&axis| program.extent(axis).is_some_and(|extent| extent > 0)) {
            self.settle(emitter, body, &inner);
        } else {
            self.settle_reductions(emitter, body);
        }
        let name = emitter.fresh("row");
        let start = Emitter::identity(op, ty);
        emitter.set_lanes(Some((axis, lanes as usize)));
        let vector_type = emitter.type_name(ty, true);
        let scalar_type = emitter.type_name(ty, false);
        emitter.set_lanes(None);
        let chains: Vec<String> = (0..CHAINS).map(|chain| format!("{name}_{chain}")).collect();
        for chain in &chains {
            emitter.line(format!("{vector_type} {chain} = {start};"));
        }
        let keeps = self.kept.as_ref().is_some_and(|kept| kept.reduction == e);
        let pairs = self.reduces_pairs(e, axis, lanes);
        let is_even = program.extent(axis).is_some() && begin_anywhere(program, [body], axis);
        let has_rest = !is_even || !stored.is_empty() || (keeps && pairs);
        if has_rest {
            emitter.line(format!("{scalar_type} {name} = {start};"));
        }
        let depth = emitter.open_reduction(&outer);
        let extent = emitter.scalar(program.axis(axis).extent);
        let position = emitter.fresh("i");
        emitter.line(format!("{index} {position} = 0;"));
        let elements_follow = self.order.len() > self.fixed;
        let close = elements_follow && program.extent(axis).is_some_and(|extent| extent <= LONGEST_PREFETCHED_CLOSE);
        let next = match stored {
            [] => self.next_row(emitter, e, axis, close, pairs),
            _ => self.after_next(emitter, e, axis),
        };
        emitter.hoist(body, &[axis]);
        emitter.set_lanes(Some((axis, lanes as usize)));
        for count in [CHAINS, 1] {
            let pairs = pairs && count > 1;
            emitter.open(format!(
                "for (; {position} + {} <= {extent}; {position} += {})",
                count * lanes,
                count * lanes
            ));
            for (chain, target) in chains.iter().take(count as usize).enumerate() {
                emitter.open("");
                let at_chain = chain as i64 * lanes;
                let at = format!("({position} + {at_chain})");
                let first = if pairs { at_chain - at_chain % (2 * lanes) } else { at_chain };
                emitter.set_half(pairs.then_some(chain % 2));
                emitter.bind(axis, format!("({position} + {first})"));
                let combined = self.combined(emitter, op, target, body);
                emitter.line(format!("{target} = {combined};"));
                stored.iter().for_each(|store| emitter.store(store));
                self.keep(emitter, e, &at);
                for Ahead { tensor, offset, elements, to } in &next {
                    if self.starts_line(*tensor, at_chain) {
                        emitter.ask_ahead(*tensor, *offset, elements, *to);
                    }
                }
                emitter.set_half(None);
                emitter.close();
            }
            emitter.close();
        }
        emitter.set_lanes(None);
        if !has_rest {
            self.last_of_row(emitter, (e, axis, lanes), [&position, &extent], &chains[1]);
        } else {
            emitter.open(format!("for (; {position} < {extent}; ++{position})"));
            emitter.bind(axis, position.clone());
            let x = emitter.scalar(body);
            let combined = Emitter::combine(op, &name, &x);
            emitter.line(format!("{name} = {combined};"));
            stored.iter().for_each(|store| emitter.store(store));
            self.keep(emitter, e, &position);
            emitter.close();
        }
        (0..depth).for_each(|_| emitter.close());
        let all = emitter.fresh("row");
        self.fold(emitter, (op, ty), &chains, has_rest.then_some(&name[..]), &all, lanes);
        emitter.define(e, Value { text: all, vector: false });
    }

    /// What is left of a row that is no whole vector: one that ends with it, of which the lanes that were before do not count.
    pub(super) fn last_of_row(
        &self,
        emitter: &mut Emitter<'_>,
        (e, axis, lanes): (E, AxisId, i64),
        [position, extent]: [&str; 2],
        target: &str,
    ) {
        let Node::Reduce { op, body, .. } = *self.program.node(e) else { return };
        emitter.open(format!("if ({position} < {extent})"));
        emitter.set_lanes(Some((axis, lanes as usize)));
        let start = format!("({extent} - {lanes})");
        emitter.bind(axis, start.clone());
        let combined = self.combined(emitter, op, target, body);
        let numbers: Vec<String> = (0..lanes).map(|lane| lane.to_string()).collect();
        let counts = format!("(int{lanes})({}) >= (int)({position} - {start})", numbers.join(", "));
        let counts = if self.program.ty(e) == Ty::F64 { format!("convert_long{lanes}({counts})") } else { counts };
        emitter.line(format!("{target} = select({target}, {combined}, {counts});"));
        self.keep(emitter, e, &start);
        emitter.set_lanes(None);
        emitter.close();
    }

    /// An accumulator combined with vectors of a value; a product is added in one step.
    pub(super) fn combined(&self, emitter: &mut Emitter<'_>, op: ReduceOp, target: &str, body: E) -> String {
        match *self.program.node(body) {
            Node::Binary(BinaryOp::Mul, a, b)
                if op == ReduceOp::Sum && self.program.ty(body) == Ty::F32 && !emitter.knows(body) =>
            {
                let (a, b) = (emitter.wide_value(a), emitter.wide_value(b));
                format!("fma({a}, {b}, {target})")
            }
            _ => {
                let x = emitter.wide_value(body);
                Emitter::combine(op, target, &x)
            }
        }
    }

    /// Combines the accumulators and their lanes, and what else was accumulated, to a number of a name.
    pub(super) fn fold(
        &self,
        emitter: &mut Emitter<'_>,
        (op, ty): (ReduceOp, Ty),
        chains: &[String],
        rest: Option<&str>,
        name: &str,
        lanes: i64,
    ) {
        let scalar = emitter.type_name(ty, false);
        for (a, b) in [(0, 1), (2, 3), (0, 2)] {
            let combined = Emitter::combine(op, &chains[a], &chains[b]);
            emitter.line(format!("{} = {combined};", chains[a]));
        }
        let mut value = chains[0].clone();
        let mut width = lanes / 2;
        while width >= 2 {
            let half = emitter.fresh("half");
            let combined = Emitter::combine(op, &format!("{value}.lo"), &format!("{value}.hi"));
            emitter.line(format!("const {scalar}{width} {half} = {combined};"));
            value = half;
            width /= 2;
        }
        let both = Emitter::combine(op, &format!("{value}.x"), &format!("{value}.y"));
        let all = rest.map_or(both.clone(), |rest| Emitter::combine(op, rest, &both));
        emitter.line(format!("const {scalar} {name} = {all};"));
    }

    /// Whether arithmetic at each element of a row takes longer than memory.
    pub(super) fn is_costly(&self, e: E, axis: AxisId) -> bool {
        let Node::Reduce { body, .. } = *self.program.node(e) else { return false };
        let mut found = false;
        self.program.visit([body], &mut |x| {
            found |= is_transcendental(self.program.node(x)) && self.program.depends_on(x, axis);
        });
        found
    }

    /// Writes a value that is needed again to the row's buffer.
    fn keep(&self, emitter: &mut Emitter<'_>, e: E, position: &str) {
        let Some(kept) = self.kept.as_ref().filter(|kept| kept.reduction == e) else { return };
        let lanes = emitter.lane_count();
        if lanes > 1 {
            let value = emitter.wide_value(kept.value);
            emitter.line(format!("vstore{lanes}({value}, 0, kept + {position});"));
        } else {
            let value = emitter.scalar(kept.value);
            emitter.line(format!("kept[{position}] = {value};"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::text;

    #[test]
    fn rows_are_walked_once_where_their_sum_and_their_elements_are_wanted() {
        let [md, slopes] =
            [[64, 32, 400], [1, 32, 1]].map(|dims| MemoryDesc::with_strides(&dims, DataType::F32, None).unwrap());
        let prelu = text(Prelu::backward(&md, &slopes, &md, &slopes, &md).unwrap());
        assert_eq!(prelu.matches("while").count(), 0, "{prelu}");
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::SoftmaxAccurate);
        let softmax = text(Softmax::forward(prop, alg, &md, &md, 2).unwrap());
        assert!(softmax.contains("while"), "{softmax}");
    }
}
