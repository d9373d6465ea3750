//! Loops around few vectors of lanes: blocks of channels, or all channels of a pixel where there are no more.
//!
//! What is the same at every turn of such a loop stays in registers, and a turn is these vectors.

use std::collections::BTreeSet;

use super::emit::Rest;
use super::{Sweep, UNROLL};
use crate::codegen::opencl::Emitter;
use crate::program::*;

/// Most vectors that stay in registers next to those in the making.
const MOST_STEADY: usize = 16;

impl Sweep {
    /// Emits the loop over the axis at a depth if the lanes are all that is inside of it, few vectors of them, and nothing is reduced.
    /// Tells whether it did.
    pub(super) fn run_block(&self, emitter: &mut Emitter<'_>, rest: &Rest, first: &str, last: &str) -> bool {
        let program = &self.program;
        let ([axis, lane_axis], Some((of, lanes))) = (&self.order[rest.depth..], self.lanes) else { return false };
        let (&axis, &lane_axis) = (axis, lane_axis);
        let roots: Vec<E> = rest.stores.iter().map(|store| store.value).collect();
        let changes =
            |store: &Store| program.depends_on(store.offset, axis) && program.depends_on(store.offset, lane_axis);
        if of != lane_axis
            || !rest.inside
            || !rest.conditions.is_empty()
            || !program.reductions(roots.iter().copied()).is_empty()
            || !rest.stores.iter().all(changes)
            || self.windows.is_some()
        {
            return false;
        }
        if *program.node(program.axis(lane_axis).extent) != Node::Index(lanes) {
            return self.run_strip(emitter, rest, [axis, lane_axis], [first, last]);
        }
        emitter.open("");
        emitter.set_lanes(Some((lane_axis, lanes as usize)));
        emitter.bind(lane_axis, "0");
        let inner = BTreeSet::from([axis]);
        roots.iter().for_each(|&root| self.settle(emitter, root, &inner));
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        emitter.line(format!("{index} {position} = {first};"));
        for (count, at) in [(UNROLL, format!("({position} + s)")), (1, position.clone())] {
            emitter.open(format!("for (; {position} + {count} <= {last}; {position} += {count})"));
            if count > 1 {
                self.unroll(emitter);
                emitter.open(format!("for (int s = 0; s < {count}; ++s)"));
            }
            self.bind(emitter, axis, &at, rest);
            self.prefetch_page(emitter, lane_axis, 0);
            rest.stores.iter().for_each(|store| emitter.store(store));
            if count > 1 {
                emitter.close();
            }
            emitter.close();
        }
        emitter.set_lanes(None);
        emitter.close();
        true
    }

    /// The same where the lanes are a strip of vectors, if registers hold what is the same for each of them.
    fn run_strip(
        &self,
        emitter: &mut Emitter<'_>,
        rest: &Rest,
        [axis, lane_axis]: [AxisId; 2],
        [first, last]: [&str; 2],
    ) -> bool {
        let (program, Some((_, lanes))) = (&self.program, self.lanes) else { return false };
        let values = rest.stores.iter().map(|store| store.value);
        let steady = self.outermost(values, &[axis], lane_axis, |e| program.ty(e) == Ty::F32);
        let fits = (1..=MOST_STEADY / self.strip as usize).contains(&steady.len());
        if program.extent(lane_axis) != Some(self.strip * lanes) || !fits {
            return false;
        }
        emitter.open("");
        let mut below = Rest { depth: rest.depth + 2, ..rest.clone() };
        let named = steady.into_iter().map(|e| (e, self.name_strip(emitter, &below, e, (lane_axis, "0", lanes))));
        below.strips = named.collect();
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        emitter.open(format!("for ({index} {position} = {first}; {position} < {last}; ++{position})"));
        emitter.bind(axis, position);
        self.finish_strips(emitter, below, lane_axis, "0", lanes);
        (0..2).for_each(|_| emitter.close());
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::{images, text};

    #[test]
    fn statistics_of_few_channels_stay_in_registers() {
        let flags = NormFlags(NormFlags::USE_GLOBAL_STATS.0 | NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
        for (channels, stay) in [(16, true), (64, true), (48, false), (128, false)] {
            let md = images("acdb", channels, 33);
            let prop = PropKind::ForwardInference;
            let op = Normalization::forward(Sharing::Batch, prop, &md, &md, None, None, 1e-3, flags).unwrap();
            let text = text(op);
            assert_eq!(!text.contains("while"), stay, "{channels} channels\n{text}");
        }
    }
}
