//! Loops around a single vector of lanes: blocks of channels.
//!
//! What is the same at every turn of such a loop stays in registers, and a turn is one vector.

use std::collections::BTreeSet;

use super::emit::Rest;
use super::{Sweep, UNROLL};
use crate::codegen::opencl::Emitter;
use crate::program::*;

impl Sweep {
    /// Emits the loop over the axis at a depth if the lanes are all that is inside of it, a vector of them, and nothing is reduced.
    /// Tells whether it did.
    pub(super) fn run_block(&self, emitter: &mut Emitter<'_>, rest: &Rest, first: &str, last: &str) -> bool {
        let program = &self.program;
        let ([axis, lane_axis], Some((of, lanes))) = (&self.order[rest.depth..], self.lanes) else { return false };
        let (&axis, &lane_axis) = (axis, lane_axis);
        let roots: Vec<E> = rest.stores.iter().map(|store| store.value).collect();
        let changes =
            |store: &Store| program.depends_on(store.offset, axis) && program.depends_on(store.offset, lane_axis);
        if of != lane_axis
            || *program.node(program.axis(lane_axis).extent) != Node::Index(lanes)
            || !rest.inside
            || !rest.conditions.is_empty()
            || !program.reductions(roots.iter().copied()).is_empty()
            || !rest.stores.iter().all(changes)
            || self.windows.is_some()
        {
            return false;
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
            emitter.bind(axis, at);
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
}
