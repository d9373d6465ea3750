//! Neighbours that share a word: elements of bf16 that become vectors of those at even positions and of those at odd ones.
//!
//! Half of a word is a float but for zeros, so that a shift or a mask takes the place of spreading a vector of short elements over
//! two, and of packing two again.

use std::collections::BTreeSet;

use super::Sweep;
use super::emit::Rest;
use super::row::CHAINS;
use crate::codegen::opencl::{ALIGNED, Emitter, Value};
use crate::desc::DataType;
use crate::program::*;

/// Most elements of a buffer of numbers that all rows share.
const LONGEST: i64 = 4096;
/// Rows that are worth filling one.
const FEWEST_ROWS: i64 = 4;

impl Sweep {
    /// Whether what is stored at the end of the loops is computed of pairs of bf16 along the lanes, of what is in buffers in the same
    /// order, and of nothing else that changes along them.
    pub(super) fn takes_pairs(&self, below: &Rest, axis: AxisId) -> bool {
        let [store] = below.stores[..] else { return false };
        let mut known: Vec<E> = below.halves.iter().map(|(e, _)| *e).collect();
        known.extend(self.kept.as_ref().map(|kept| kept.value));
        self.is_bf16(store.tensor)
            && below.has_no_vectors()
            && (self.kept.is_none() || self.keeps_halves())
            && self.is_of_pairs(store.value, axis, &known)
    }

    /// Whether a reduction along a row reads pairs of bf16 and nothing else; what is kept of it is read in the same order.
    pub(super) fn reduces_pairs(&self, e: E, axis: AxisId, lanes: i64) -> bool {
        let Node::Reduce { body, .. } = *self.program.node(e) else { return false };
        let keeps = self.kept.as_ref().is_some_and(|kept| kept.reduction == e);
        lanes == 16 && self.is_of_pairs(body, axis, &[]) && (!keeps || self.keeps_halves())
    }

    /// Whether all that changes along an axis is computed of loads of bf16 side by side, of which there are some, and of `known` values.
    pub(super) fn is_of_pairs(&self, value: E, axis: AxisId, known: &[E]) -> bool {
        let program = &self.program;
        let (mut left, mut seen, mut pairs) = (vec![value], BTreeSet::new(), 0);
        while let Some(e) = left.pop() {
            if !program.depends_on(e, axis) || !seen.insert(e) {
                continue;
            }
            match *program.node(e) {
                _ if known.contains(&e) => pairs += 1,
                Node::Load { tensor, offset, guard: None, ty: Ty::F32 }
                    if self.is_bf16(tensor) && program.constant_step(offset, axis) == Some(1) =>
                {
                    pairs += 1;
                }
                Node::Unary(..) | Node::Binary(..) | Node::Select(..) | Node::Convert(..) => {
                    left.extend(program.operands(e));
                }
                _ => return false,
            }
        }
        pairs > 0
    }

    pub(super) fn is_bf16(&self, tensor: TensorId) -> bool {
        self.program.tensor(tensor).data_type == DataType::Bf16
    }

    /// Whether the values that are kept of a row lie in the order of pairs: those who write and who read them take the same steps.
    fn keeps_halves(&self) -> bool {
        let (Some(kept), [store]) = (&self.kept, &self.stage.stores[..]) else { return false };
        let Node::Reduce { body, .. } = *self.program.node(kept.reduction) else { return false };
        let rows_of = |(e, axis, lanes): &(E, AxisId, i64)| *e == kept.reduction && *axis == kept.axis && *lanes == 16;
        self.lanes == Some((kept.axis, 16))
            && self.strip == CHAINS
            && self.stage.bounds.is_none()
            && self.rows.iter().any(rows_of)
            && self.is_bf16(store.tensor)
            && self.program.constant_step(store.offset, kept.axis) == Some(1)
            && self.order.last() == Some(&kept.axis)
            && self.is_of_pairs(body, kept.axis, &[])
            && self.is_of_pairs(kept.value, kept.axis, &[])
            && self.is_of_pairs(store.value, kept.axis, &[kept.value])
    }

    /// Numbers that all rows share, a scale and a shift, where they are worth buffers in the order of pairs.
    pub(super) fn shared_in_pairs(&self) -> Vec<E> {
        let program = &self.program;
        let ([axis, lane_axis], Some((of, 16))) = (&self.order[..], self.lanes) else { return Vec::new() };
        let extent = program.extent(*lane_axis).filter(|extent| (self.strip * 16..=LONGEST).contains(extent));
        if extent.is_none() || of != *lane_axis || self.fixed != 1 || self.strip % 2 != 0 {
            return Vec::new();
        }
        let elements = |store: &&Store| program.depends_on(store.offset, of) && self.is_bf16(store.tensor);
        let stores: Vec<&Store> = self.stage.stores.iter().filter(elements).collect();
        let ([store], true) = (&stores[..], program.value(self.chunk).is_some_and(|rows| rows >= FEWEST_ROWS)) else {
            return Vec::new();
        };
        let mut shared = Vec::new();
        for e in program.outside_of_reductions([store.value]) {
            if let Node::Load { offset, guard: None, ty: Ty::F32, tensor } = *program.node(e)
                && program.tensor(tensor).data_type == DataType::F32
                && program.constant_step(offset, of) == Some(1)
                && !program.depends_on(offset, *axis)
            {
                shared.push(e);
            }
        }
        if shared.is_empty() || self.stage.bounds.is_some() || !self.is_of_pairs(store.value, of, &shared) {
            return Vec::new();
        }
        shared
    }

    /// Emits such buffers.
    pub(super) fn halve(&self, emitter: &mut Emitter<'_>) -> Vec<(E, String)> {
        let (program, shared) = (&self.program, self.shared_in_pairs());
        let Some((of, extent)) = self.lanes.and_then(|(of, _)| Some((of, program.extent(of)?))) else {
            return Vec::new();
        };
        if shared.is_empty() {
            return Vec::new();
        }
        let named: Vec<(E, String)> = shared.into_iter().map(|e| (e, emitter.fresh("shared"))).collect();
        for (_, name) in &named {
            emitter.line(format!("float {name}[{}] {ALIGNED};", (extent as u64).next_power_of_two()));
        }
        let (index, position) = (emitter.index_type(), emitter.fresh("i"));
        let extent = emitter.scalar(program.axis(of).extent);
        emitter.open(format!("for ({index} {position} = 0; {position} + 32 <= {extent}; {position} += 32)"));
        emitter.set_lanes(Some((of, 16)));
        for (e, name) in &named {
            let parts = [0, 16].map(|part| {
                emitter.bind(of, format!("({position} + {part})"));
                // What is none gets bits that rounding does not carry out of; compilers take one NaN for another, but not bits for others.
                let value = emitter.wide_value(*e);
                format!("as_float16(select(as_int16({value}), (int16)(0x7fc00000), isnan({value})))")
            });
            for (half, at) in [("even", 0), ("odd", 16)] {
                let [low, high] = &parts;
                emitter.line(format!(
                    "vstore16((float16)(({low}).{half}, ({high}).{half}), 0, {name} + {position} + {at});"
                ));
            }
        }
        emitter.set_lanes(None);
        emitter.close();
        named
    }

    /// A strip of pairs, stored in whole cache lines. No row is asked for ahead: arithmetic takes longer than memory.
    pub(super) fn pairs(&self, emitter: &mut Emitter<'_>, below: &Rest, axis: AxisId, first: &str, lanes: i64) {
        let store = &below.stores[0];
        if below.next.is_some() {
            self.unroll(emitter);
        }
        emitter.open(format!("for (int s = 0; s < {}; s += 2)", self.strip));
        emitter.set_lanes(Some((axis, lanes as usize)));
        let float_type = emitter.type_name(Ty::F32, true);
        let position = format!("({first} + s * {lanes})");
        emitter.bind(axis, position.clone());
        self.prefetch_page(emitter, axis, 0);
        let halves = [0, 1].map(|half| {
            let name = emitter.fresh("half");
            emitter.line(format!("{float_type} {name};"));
            emitter.open("");
            emitter.set_half(Some(half));
            emitter.bind(axis, position.clone());
            let at = format!("({first} + (s + {half}) * {lanes})");
            self.bind_kept(emitter, axis, &at, below);
            for (e, buffer) in &below.halves {
                let loaded = emitter.fresh("v");
                emitter.line(format!("const {float_type} {loaded} = vload{lanes}(0, {buffer} + {at});"));
                emitter.define(*e, Value { text: loaded, vector: true });
            }
            let value = emitter.wide_value(store.value);
            emitter.line(format!("{name} = {value};"));
            emitter.set_half(None);
            emitter.close();
            name
        });
        self.add_next(emitter, below, &position, "s");
        emitter.set_lanes(Some((axis, lanes as usize)));
        emitter.bind(axis, position);
        let known: Vec<E> = below.halves.iter().map(|(e, _)| *e).collect();
        emitter.store_halves(store, &halves, &known);
        emitter.set_lanes(None);
        emitter.close();
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::*;
    use crate::schedule::sweep::sample::text;

    #[test]
    fn only_what_may_carry_is_asked_whether_it_is_a_number() {
        let (prop, short) = (PropKind::ForwardInference, DataType::Bf16);
        let plain = |data_type| MemoryDesc::with_strides(&[4096, 1024], data_type, None).unwrap();
        let asks = |op: Op| text(op).contains("round_bf16(");
        let eltwise = |alg| Eltwise::forward(prop, alg, &plain(short), &plain(short), 0.0, 0.0).unwrap().into();
        assert!(!asks(eltwise(AlgKind::EltwiseGeluErf)) && !asks(eltwise(AlgKind::EltwiseTanh)));
        assert!(asks(eltwise(AlgKind::EltwiseLog)), "a device's own function");
        let add = |data_type| {
            Binary::new(AlgKind::BinaryAdd, &plain(short), &plain(data_type), None, &plain(short)).unwrap().into()
        };
        assert!(!asks(add(short)) && !asks(add(DataType::S8)));
        assert!(asks(add(DataType::F32)) && asks(add(DataType::F16)));
        // Halfway between two numbers there is a sum, and coarse functions by chance.
        let is_even = |op: Op| text(op).contains("even_bf16(");
        assert!(is_even(add(short)) && is_even(eltwise(AlgKind::EltwiseTanh)));
        assert!(!is_even(eltwise(AlgKind::EltwiseGeluErf)) && !is_even(eltwise(AlgKind::EltwiseElu)));
        // What rows share was changed to what does not carry.
        let flags = NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
        let md = plain(short);
        assert!(!asks(Normalization::forward(Sharing::Layer, prop, &md, &md, None, None, 1e-3, flags).unwrap().into()));
    }
}
