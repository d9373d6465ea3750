//! Neighbours that share a word: elements of bf16 that become vectors of those at even positions and of those at odd ones.
//!
//! Half of a word is a float but for zeros, so that a shift or a mask takes the place of spreading a vector of short elements over
//! two, and of packing two again.

use std::collections::BTreeSet;

use super::Sweep;
use super::emit::Rest;
use crate::codegen::opencl::Emitter;
use crate::desc::DataType;
use crate::program::*;

impl Sweep {
    /// Whether what is stored at the end of the loops is computed of pairs of bf16 along the lanes, and of nothing else that changes
    /// along them.
    pub(super) fn takes_pairs(&self, below: &Rest, axis: AxisId) -> bool {
        let program = &self.program;
        let [store] = below.stores[..] else { return false };
        let is_bf16 = |tensor: TensorId| program.tensor(tensor).data_type == DataType::Bf16;
        let (mut left, mut seen, mut loads) = (vec![store.value], BTreeSet::new(), 0);
        while let Some(e) = left.pop() {
            if !program.depends_on(e, axis) || !seen.insert(e) {
                continue;
            }
            match *program.node(e) {
                Node::Load { tensor, offset, guard: None, ty: Ty::F32 }
                    if is_bf16(tensor) && program.constant_step(offset, axis) == Some(1) =>
                {
                    loads += 1;
                }
                Node::Unary(..) | Node::Binary(..) | Node::Select(..) | Node::Convert(..) => {
                    left.extend(program.operands(e));
                }
                _ => return false,
            }
        }
        loads > 0 && is_bf16(store.tensor) && self.kept.is_none() && below.has_no_vectors()
    }

    /// A strip of pairs, stored in whole cache lines.
    pub(super) fn pairs(&self, emitter: &mut Emitter<'_>, below: &Rest, axis: AxisId, first: &str, lanes: i64) {
        let store = &below.stores[0];
        emitter.open(format!("for (int s = 0; s < {}; s += 2)", self.strip));
        emitter.set_lanes(Some((axis, lanes as usize)));
        let float_type = emitter.type_name(Ty::F32, true);
        let position = format!("({first} + s * {lanes})");
        let halves = [0, 1].map(|half| {
            let name = emitter.fresh("half");
            emitter.line(format!("{float_type} {name};"));
            emitter.open("");
            emitter.set_half(Some(half));
            self.bind(emitter, axis, &position, below);
            let value = emitter.wide_value(store.value);
            emitter.line(format!("{name} = {value};"));
            self.prefetch_rows(emitter, axis, half as i64 * lanes);
            emitter.set_half(None);
            emitter.close();
            name
        });
        emitter.bind(axis, position);
        emitter.store_halves(store, &halves);
        emitter.set_lanes(None);
        emitter.close();
    }
}
