//! Reductions along other axes than that of the lanes: vectors side by side accumulate, in registers.
//!
//! Where there is room for few vectors side by side, several steps are, so that none waits for the one before. What else is stored along a
//! reduction is, at each of its steps.

use std::collections::BTreeSet;

use super::Sweep;
use super::emit::{Rest, share_loops};
use super::row::CHAINS;
use crate::codegen::opencl::{Emitter, Value};
use crate::program::*;

/// Steps of a reduction that are worth accumulators of their own.
const WORTH_CHAINS: i64 = 32;

impl Sweep {
    /// Reductions over the same axes, for each vector of a strip.
    pub(super) fn accumulate(
        &self,
        emitter: &mut Emitter<'_>,
        below: &mut Rest,
        (axis, first, lanes): (AxisId, &str, i64),
        reductions: Vec<E>,
    ) {
        let program = &self.program;
        let reduces = reductions.iter().filter_map(|&e| match program.node(e) {
            Node::Reduce { op, axes, body } => Some((e, *op, axes, *body)),
            _ => None,
        });
        let Some((_, _, axes, _)) = reduces.clone().next() else { return };
        let chains = self.chains_of(axes);
        let size = self.strip * chains;
        let mut strips = Vec::new();
        let mut steady = Vec::new();
        for (e, op, axes, body) in reduces.clone() {
            let name = emitter.fresh("strip");
            emitter.set_lanes(Some((axis, lanes as usize)));
            let type_name = emitter.type_name(program.ty(e), true);
            emitter.line(format!("{type_name} {name}[{size}];"));
            let start = Emitter::identity(op, program.ty(e));
            self.unroll(emitter);
            emitter.line(format!("for (int s = 0; s < {size}; ++s) {name}[s] = {start};"));
            emitter.set_lanes(None);
            emitter.bind(axis, first);
            steady.extend(self.steady(emitter, below, body, (axis, first, lanes), axes));
            strips.push((e, name));
        }
        let picks = self.picks(emitter, &reductions, (axis, lanes));
        let bodies: Vec<(ReduceOp, E)> = reduces.clone().map(|(_, op, _, body)| (op, body)).collect();
        let inside_along = below.inside_along;
        let stored = self.stored_along(below, &reductions, axes);
        let step = |emitter: &mut Emitter<'_>, chain: &str| {
            emitter.set_lanes(Some((axis, lanes as usize)));
            emitter.open("");
            self.know_inside(emitter, &bodies, inside_along);
            let blocks = emitter.open_where_it_counts(&bodies) + 1;
            emitter.set_lanes(None);
            let inner = BTreeSet::from([axis]);
            reduces.clone().for_each(|(_, _, _, body)| self.settle(emitter, body, &inner));
            self.unroll(emitter);
            self.open_strip_and_ask(emitter, below, axis, first, lanes);
            for (e, name) in &steady {
                emitter.define(*e, Value { text: format!("{name}[s]"), vector: true });
            }
            for ((e, op, _, body), (_, name)) in reduces.clone().zip(&strips) {
                let target = format!("{name}[{chain}s]");
                for pick in picks.iter().filter(|pick| pick.of == e) {
                    pick.update(emitter, body, &target);
                }
                let combined = self.combined(emitter, op, &target, body);
                emitter.line(format!("{target} = {combined};"));
            }
            stored.iter().for_each(|store| emitter.store(store));
            self.prefetch_steps(emitter, &reductions, axis);
            emitter.set_lanes(None);
            (0..=blocks).for_each(|_| emitter.close());
        };
        let (&last, outer) = match axes.split_last() {
            Some(split) if chains > 1 => split,
            _ => {
                let depth = emitter.open_reduction(axes);
                step(emitter, "");
                (0..depth).for_each(|_| emitter.close());
                for pick in picks {
                    strips.extend(pick.finish(self, emitter, &strips));
                }
                below.strips.extend(strips);
                below.stores.retain(|store| !stored.contains(store));
                return;
            }
        };
        let depth = emitter.open_reduction(outer);
        let (index, at, extent) = (emitter.index_type(), emitter.fresh("r"), emitter.scalar(program.axis(last).extent));
        emitter.line(format!("{index} {at} = 0;"));
        emitter.open(format!("for (; {at} + {chains} <= {extent}; {at} += {chains})"));
        self.unroll(emitter);
        emitter.open(format!("for (int c = 0; c < {chains}; ++c)"));
        emitter.bind(last, format!("({at} + c)"));
        step(emitter, &format!("c * {} + ", self.strip));
        emitter.close();
        emitter.close();
        emitter.open(format!("for (; {at} < {extent}; ++{at})"));
        emitter.bind(last, at);
        step(emitter, "");
        emitter.close();
        (0..depth).for_each(|_| emitter.close());
        for ((_, op, _, _), (_, name)) in reduces.clone().zip(&strips) {
            let mut half = size / 2;
            while half >= self.strip {
                let combined = Emitter::combine(op, &format!("{name}[s]"), &format!("{name}[s + {half}]"));
                self.unroll(emitter);
                emitter.line(format!("for (int s = 0; s < {half}; ++s) {name}[s] = {combined};"));
                half /= 2;
            }
        }
        below.strips.extend(strips);
        below.stores.retain(|store| !stored.contains(store));
    }

    /// What can be stored while reductions run over the same elements: what is made of none of them. It may take the place of what is read, so
    /// nothing else is read afterwards.
    fn stored_along(&self, below: &Rest, reductions: &[E], axes: &[AxisId]) -> Vec<Store> {
        let (program, inner) = (&self.program, &self.order[below.depth..]);
        let (along, others): (Vec<Store>, Vec<Store>) =
            below.stores.iter().partition(|store| inner.iter().any(|&axis| program.depends_on(store.offset, axis)));
        let is_made = |e: &E| reductions.contains(e) || below.strips.iter().any(|(made, _)| made == e);
        // All steps are taken.
        let is_whole = |&e: &E| match *program.node(e) {
            Node::Reduce { op, body, .. } => program.counts_where(op, body).is_empty(),
            _ => false,
        };
        let fits = inner == axes
            && reductions.iter().all(is_whole)
            && below.inside
            && below.conditions.is_empty()
            && program.reductions(along.iter().map(|store| store.value)).is_empty()
            && program.reductions(others.iter().map(|store| store.value)).iter().all(is_made);
        if fits { along } else { Vec::new() }
    }

    /// Whether reductions of a strip are done and nothing is left but to store along one more axis, and what is made of the reductions alone.
    pub(super) fn runs_across(&self, below: &Rest) -> bool {
        let [inner] = self.order[below.depth..] else { return false };
        let program = &self.program;
        let moves = |store: &&Store| program.depends_on(store.offset, inner);
        let (along, numbers): (Vec<&Store>, Vec<&Store>) = below.stores.iter().partition(moves);
        let done = program.reductions(below.stores.iter().map(|store| store.value));
        // A load could be of what the elements take the place of.
        let outside = program.outside_of_reductions(numbers.iter().map(|store| store.value));
        below.conditions.is_empty()
            && below.inside
            && !below.strips.is_empty()
            && !along.is_empty()
            && !outside.iter().any(|&e| matches!(program.node(e), Node::Load { .. }))
            && done.iter().all(|e| below.strips.iter().any(|(of, _)| of == e))
    }

    /// A loop over one more axis around a strip: memory is read and written in runs as long as the strip.
    pub(super) fn across_strips(&self, emitter: &mut Emitter<'_>, below: Rest, at: (AxisId, &str, i64)) {
        let (axis, first, lanes) = at;
        let inner = self.order[below.depth];
        let (along, numbers): (Vec<Store>, Vec<Store>) =
            below.stores.iter().partition(|store| self.program.depends_on(store.offset, inner));
        emitter.open("");
        let mut steady = Vec::new();
        for store in &along {
            steady.extend(self.steady(emitter, &below, store.value, at, &[inner]));
        }
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(self.program.axis(inner).extent);
        emitter.open(format!("for ({index} {position} = 0; {position} < {extent}; ++{position})"));
        emitter.bind(inner, position);
        let lane_axis = BTreeSet::from([axis]);
        along.iter().for_each(|store| self.settle(emitter, store.value, &lane_axis));
        self.unroll(emitter);
        self.open_strip_and_ask(emitter, &below, axis, first, lanes);
        for (e, name) in &steady {
            emitter.define(*e, Value { text: format!("{name}[s]"), vector: true });
        }
        along.iter().for_each(|store| emitter.store(store));
        emitter.set_lanes(None);
        (0..2).for_each(|_| emitter.close());
        if !numbers.is_empty() {
            self.unroll(emitter);
            self.open_strip(emitter, &below, axis, first, lanes);
            numbers.iter().for_each(|store| emitter.store(store));
            emitter.set_lanes(None);
            emitter.close();
        }
        emitter.close();
    }

    /// How many accumulators a vector has in the reductions across the lanes that come first.
    pub(super) fn chains(&self, rest: &Rest, axis: AxisId) -> i64 {
        match self.across(rest, axis).first().map(|&e| self.program.node(e)) {
            Some(Node::Reduce { axes, .. }) => self.chains_of(axes),
            _ => 1,
        }
    }

    pub(super) fn chains_of(&self, axes: &[AxisId]) -> i64 {
        let long = axes.last().and_then(|&last| self.program.extent(last)).is_some_and(|extent| extent >= WORTH_CHAINS);
        if long { (CHAINS / self.strip).max(1) } else { 1 }
    }

    /// Whether reductions of the same elements are better computed together.
    pub(super) fn has_twins(&self, rest: &Rest, axis: AxisId) -> bool {
        let reductions = self.across(rest, axis);
        matches!(reductions[..], [a, ref rest @ ..] if rest.iter().any(|&b| share_loops(&self.program, a, b)))
    }

    /// The reductions of what is left to store that change along an axis.
    pub(super) fn across(&self, rest: &Rest, axis: AxisId) -> Vec<E> {
        let reductions = self.program.reductions(rest.stores.iter().map(|store| store.value));
        reductions.into_iter().filter(|&e| self.program.depends_on(e, axis)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text};

    #[test]
    fn sums_of_channels_are_made_in_one_walk_and_rows_of_a_strip_are_written_before_them() {
        let md = images("acdb", 512, 15);
        let flags = NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
        let (sharing, prop) = (Sharing::Batch, PropKind::Backward);
        let text = text(Normalization::backward(sharing, prop, &md, &md, &md, None, None, 1e-3, flags).unwrap());
        let (strip, _) = text.split_once("continue;").unwrap();
        assert_eq!(strip.matches("for (int r").count(), 1, "two sums take one walk\n{text}");
        let (rows, numbers) = strip.rsplit_once("for (int s = 0").unwrap();
        assert!(rows.contains("for (int i") && !numbers.contains("vload"), "{text}");
    }
}
