//! A reduction of a whole row to one number: lanes run along the row.
//!
//! What else is stored along the row and is not made of the number is stored at each step, so that the row is walked once. Of several numbers,
//! each made of the one before, the first is made a row ahead, so that processors need not wait for all of them in turn.

use std::collections::BTreeSet;

use super::emit::Rest;
use super::overlap::begin_anywhere;
use super::{Sweep, is_transcendental};
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Vectors that accumulate independently, so that one need not wait for another.
pub(super) const CHAINS: i64 = 4;

/// Elements of a row that fit into an inner cache next to the row before.
const LONGEST_PREFETCHED: i64 = 65536;
/// Those that fit into the innermost one.
const LONGEST_PREFETCHED_CLOSE: i64 = 4096;
/// Those of rows so short that making their numbers is mostly waiting.
const LONGEST_AHEAD: i64 = 512;
/// Bits of a cache line.
const LINE_BITS: i64 = 512;
/// How many bytes ahead a row is asked for that is only read: a page, beyond which processors do not look by themselves.
const PAGE: i64 = 4096;

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
        let close = close && stored.is_empty() && (!pairs || self.is_costly(e, axis));
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
                for (tensor, offset, ahead) in next.iter().filter(|next| self.starts_line(next.0, at_chain)) {
                    emitter.prefetch_ahead(*tensor, *offset, ahead, close);
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
    fn last_of_row(
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
    fn fold(
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

    /// What a reduction of a row asks for ahead, and how far. Where the row's elements are walked again after it, the next row
    /// is asked for then, unless arithmetic leaves time for it here; of pairs it is the row after the next.
    fn next_row(
        &self,
        emitter: &mut Emitter<'_>,
        e: E,
        axis: AxisId,
        close: bool,
        pairs: bool,
    ) -> Vec<(TensorId, E, String)> {
        let is_last = self.rows.last().is_some_and(|(last, _, _)| *last == e);
        if !is_last || self.streams.is_none() {
            return Vec::new();
        }
        if self.order.len() > self.fixed {
            let has_time = !close || self.is_costly(e, axis);
            let next = if has_time || pairs { self.along_rows(emitter, e, axis) } else { Vec::new() };
            let rows = if has_time { "" } else { "2 * " };
            return next.into_iter().map(|(tensor, offset, row)| (tensor, offset, format!("{rows}{row}"))).collect();
        }
        if !self.reads_far {
            return Vec::new();
        }
        let program = &self.program;
        let mut read = Vec::new();
        program.visit([e], &mut |load| {
            if let Node::Load { tensor, offset, .. } = *program.node(load)
                && program.constant_step(offset, axis) == Some(1)
            {
                let elements = 8 * PAGE / program.tensor(tensor).data_type.bits() as i64;
                read.push((tensor, offset, elements.to_string()));
            }
        });
        read
    }

    /// Whether arithmetic at each element of a row takes longer than memory.
    fn is_costly(&self, e: E, axis: AxisId) -> bool {
        let Node::Reduce { body, .. } = *self.program.node(e) else { return false };
        let mut found = false;
        self.program.visit([body], &mut |x| {
            found |= is_transcendental(self.program.node(x)) && self.program.depends_on(x, axis);
        });
        found
    }

    /// Whether an element of a row that starts with a cache line starts one, too.
    fn starts_line(&self, tensor: TensorId, element: i64) -> bool {
        element * self.program.tensor(tensor).data_type.bits() as i64 % LINE_BITS == 0
    }

    /// Asks for the elements of the row after the next, while those of this one are written; not where arithmetic takes
    /// longer than memory.
    pub(super) fn prefetch_rows(&self, emitter: &mut Emitter<'_>, axis: AxisId, element: i64) {
        let is_cheap = self.kept.is_none();
        let Some(&(e, row, _)) = self.rows.last().filter(|(_, row, _)| *row == axis && is_cheap) else { return };
        let next = self.after_next(emitter, e, row);
        for (tensor, offset, ahead) in next.into_iter().filter(|next| self.starts_line(next.0, element)) {
            emitter.prefetch_ahead(tensor, offset, &ahead, false);
        }
    }

    /// Asks for what is read a page later where nothing is reduced: arithmetic fills the window in which a processor looks for loads by itself.
    pub(super) fn prefetch_page(&self, emitter: &mut Emitter<'_>, axis: AxisId, element: i64) {
        let (program, values) = (&self.program, self.stage.stores.iter().map(|store| store.value));
        let is_plain = self.streams.is_some() && program.reductions(values.clone()).is_empty();
        if !is_plain || !self.reads_far || !self.computes_long(axis) {
            return;
        }
        let mut read = Vec::new();
        program.visit(values, &mut |e| {
            if let Node::Load { tensor, offset, .. } = *program.node(e)
                && program.constant_step(offset, axis) == Some(1)
                && self.starts_line(tensor, element)
            {
                read.push((tensor, offset, 8 * PAGE / program.tensor(tensor).data_type.bits() as i64));
            }
        });
        for (tensor, offset, page) in read {
            emitter.prefetch_ahead(tensor, offset, &page.to_string(), false);
        }
    }

    /// Whether elements along an axis take more than a few instructions each: powers and the like, or rounding to short types.
    fn computes_long(&self, axis: AxisId) -> bool {
        let program = &self.program;
        let rounds = |store: &Store| {
            let is_short = program.tensor(store.tensor).data_type.bits() < 32;
            is_short && program.ty(store.value) == Ty::F32 && !program.is_bf16(store.value)
        };
        let mut found = self.stage.stores.iter().any(rounds);
        program.visit(self.stage.stores.iter().map(|store| store.value), &mut |e| {
            found |= is_transcendental(program.node(e)) && program.depends_on(e, axis);
        });
        found
    }

    /// What a reduction of a row reads along it, and how far ahead the row after the next is.
    fn after_next(&self, emitter: &mut Emitter<'_>, e: E, axis: AxisId) -> Vec<(TensorId, E, String)> {
        let next = self.along_rows(emitter, e, axis);
        next.into_iter().map(|(tensor, offset, row)| (tensor, offset, format!("2 * {row}"))).collect()
    }

    /// What a reduction of a row reads along it, and how far ahead the next row is.
    fn along_rows(&self, emitter: &mut Emitter<'_>, e: E, axis: AxisId) -> Vec<(TensorId, E, String)> {
        let program = &self.program;
        let short = program.extent(axis).is_some_and(|extent| extent <= LONGEST_PREFETCHED);
        let Node::Reduce { axes, body, .. } = program.node(e) else { return Vec::new() };
        let Some(&outer) = self.order[..self.fixed].last().filter(|_| short && self.streams.is_some()) else {
            return Vec::new();
        };
        if axes.len() != 1 {
            return Vec::new();
        }
        let mut next = Vec::new();
        let body = *body;
        program.visit([body], &mut |load| {
            if let Node::Load { tensor, offset, .. } = *program.node(load)
                && program.constant_step(offset, axis) == Some(1)
                && program.is_linear(offset, outer)
                && let Some(&(_, ahead)) = self.ahead.iter().find(|(of, _)| *of == offset)
            {
                next.push((tensor, offset, ahead));
            }
        });
        next.into_iter().map(|(tensor, offset, ahead)| (tensor, offset, emitter.scalar(ahead))).collect()
    }

    /// Asks for what reductions across the lanes read at a later step: the next one, or what is a page ahead.
    pub(super) fn prefetch_steps(&self, emitter: &mut Emitter<'_>, reductions: &[E], axis: AxisId) {
        let program = &self.program;
        if self.streams.is_none() {
            return;
        }
        let Some(Node::Reduce { axes, .. }) = reductions.first().map(|&e| program.node(e)) else { return };
        // What a reduction inside of another reads is here already.
        let is_here = |offset: E| program.free_axes(offset).iter().all(|a| self.order.contains(a) || axes.contains(a));
        let mut read = Vec::new();
        program.visit(reductions.iter().copied(), &mut |load| {
            if let Node::Load { tensor, offset, .. } = *program.node(load)
                && program.constant_step(offset, axis) == Some(1)
                && is_here(offset)
                && let Some(&(_, step)) = self.steps.iter().find(|(of, _)| *of == offset)
            {
                let page = 8 * PAGE / program.tensor(tensor).data_type.bits() as i64;
                let far = program.value(step).is_some_and(|step| step > page);
                // What is side by side in a cache comes by itself.
                if far || self.reads_far {
                    read.push((tensor, offset, if far { Err(step) } else { Ok(page) }));
                }
            }
        });
        for (tensor, offset, ahead) in read {
            let ahead = ahead.map_or_else(|step| emitter.scalar(step), |page| page.to_string());
            let bits = program.tensor(tensor).data_type.bits() as i64 * emitter.lane_count() as i64;
            emitter.open(if bits < LINE_BITS { format!("if (s % {} == 0)", LINE_BITS / bits) } else { String::new() });
            emitter.prefetch_ahead(tensor, offset, &ahead, false);
            emitter.close();
        }
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
