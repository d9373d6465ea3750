//! Numbers that are whole and small, whatever type they are computed in.
//!
//! Bytes are converted to floats so that every operation sees floats; a maximum, a sum or a comparison of bytes is the same in integers,
//! which devices convert and compare for less.

use std::collections::{BTreeSet, HashMap};

use super::*;

/// Whole numbers up to this are exact in single precision.
const EXACT: i64 = 1 << 24;

/// The least and the greatest of some whole numbers.
type Range = (i64, i64);

impl Program {
    /// Between which whole numbers a value is, where it is always one and single precision holds it exactly.
    pub fn whole_range(&self, e: E) -> Option<Range> {
        self.find_range(e, &mut HashMap::new())
    }

    fn find_range(&self, e: E, known: &mut HashMap<E, Option<Range>>) -> Option<Range> {
        if let Some(&range) = known.get(&e) {
            return range;
        }
        let range = self.range_of_parts(e, known).filter(|&(low, high)| low >= -EXACT && high <= EXACT);
        known.insert(e, range);
        range
    }

    fn range_of_parts(&self, e: E, known: &mut HashMap<E, Option<Range>>) -> Option<Range> {
        let mut of = |x: E| self.find_range(x, known);
        match *self.node(e) {
            Node::S32(value) => Some((value.into(), value.into())),
            Node::F32(bits) => {
                let value = f32::from_bits(bits);
                (value.fract() == 0.0 && value.abs() <= EXACT as f32).then_some((value as i64, value as i64))
            }
            Node::Load { tensor, guard, ty: Ty::F32 | Ty::S32, .. } => {
                let (low, high) = range_of(self.tensor(tensor).data_type)?;
                Some(if guard.is_some() { (low.min(0), high.max(0)) } else { (low, high) })
            }
            Node::Unary(UnaryOp::Neg, x) => of(x).map(|(low, high)| (-high, -low)),
            Node::Unary(UnaryOp::Abs, x) => {
                let (low, high) = of(x)?;
                Some((0.max(low).max(-high), high.max(-low)))
            }
            Node::Unary(UnaryOp::Rint | UnaryOp::Floor, x) => of(x),
            Node::Binary(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match op {
                    BinaryOp::Add => Some((a.0 + b.0, a.1 + b.1)),
                    BinaryOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
                    BinaryOp::Mul => {
                        let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                        Some((products.into_iter().min()?, products.into_iter().max()?))
                    }
                    BinaryOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
                    BinaryOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
                    _ => None,
                }
            }
            Node::Select(c, a, b) => {
                let a = of(a)?;
                let b = match *self.node(c) {
                    // What is replaced by another is none of the numbers.
                    Node::Binary(BinaryOp::Eq, x, none) if x == b => self.range_without(b, none, known)?,
                    _ => of(b)?,
                };
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Node::Convert(Ty::F32 | Ty::S32, x) if matches!(self.ty(x), Ty::F32 | Ty::S32) => of(x),
            Node::Convert(Ty::S32, x) if self.ty(x) == Ty::Index => self.limits(x),
            Node::Reduce { op: ReduceOp::Min | ReduceOp::Max, ref axes, body } => {
                let some = axes.iter().all(|&axis| self.extent(axis).is_some_and(|extent| extent > 0));
                of(body).filter(|_| some)
            }
            _ => None,
        }
    }

    /// The same of a value that can also be a certain one.
    fn range_without(&self, e: E, none: E, known: &mut HashMap<E, Option<Range>>) -> Option<Range> {
        match *self.node(e) {
            Node::Select(_, a, b) if b == none => self.range_without(a, none, known),
            Node::Reduce { op: ReduceOp::Min | ReduceOp::Max, body, .. } => self.range_without(body, none, known),
            _ => self.find_range(e, known),
        }
    }

    /// Whether a value is always one of those that bf16 has: a small integer, or an element of that type or of a shorter one that was chosen, not
    /// computed.
    pub fn is_bf16(&self, e: E) -> bool {
        let (mut left, mut seen) = (vec![e], BTreeSet::new());
        while let Some(e) = left.pop() {
            if !seen.insert(e) {
                continue;
            }
            match *self.node(e) {
                Node::Load { tensor, ty: Ty::F32, .. } if is_part_of_bf16(self.tensor(tensor).data_type) => {}
                _ if self.ty(e) == Ty::F32
                    && self.whole_range(e).is_some_and(|(low, high)| -256 <= low && high <= 256) => {}
                Node::F32(bits) if bits & 0xffff == 0 => {}
                Node::Unary(UnaryOp::Neg | UnaryOp::Abs, x) => left.push(x),
                Node::Binary(BinaryOp::Min | BinaryOp::Max, a, b) | Node::Select(_, a, b) => left.extend([a, b]),
                Node::Reduce { op: ReduceOp::Min | ReduceOp::Max, body, .. } => left.push(body),
                _ => return false,
            }
        }
        true
    }

    /// The same of values that may be rounded to it.
    pub fn may_be_bf16(&self, e: E) -> bool {
        match *self.node(e) {
            Node::Unary(UnaryOp::Nearly(DataType::Bf16), _) => true,
            Node::Load { tensor, .. } if self.tensor(tensor).may_be_bf16 => true,
            _ => self.is_bf16(e),
        }
    }

    /// Computes what a stage stores in integers, where all of it is whole numbers that are stored as integers.
    pub fn count_in_integers(&mut self, stage: &mut Stage) {
        // Integers that single precision does not hold are beyond any byte, rounded or not.
        for store in &mut stage.stores {
            let bytes = matches!(self.tensor(store.tensor).data_type, DataType::S8 | DataType::U8);
            if let Node::Convert(Ty::F32, x) = *self.node(store.value)
                && bytes
                && self.ty(x) == Ty::S32
            {
                store.value = x;
            }
        }
        let is_whole = |store: &Store| {
            let integers = matches!(self.tensor(store.tensor).data_type, DataType::S8 | DataType::U8 | DataType::S32);
            let ty = self.ty(store.value);
            integers && (ty == Ty::S32 || (ty == Ty::F32 && self.whole_range(store.value).is_some()))
        };
        let has_floats = stage.stores.iter().any(|store| self.ty(store.value) == Ty::F32);
        if !has_floats || !stage.stores.iter().all(is_whole) {
            return;
        }
        let mut known = HashMap::new();
        for store in &mut stage.stores {
            store.value = self.in_integers(store.value, &mut known);
        }
    }

    /// The same value as an integer, or the same condition on integers; the node itself where that is all there is.
    fn in_integers(&mut self, e: E, known: &mut HashMap<E, E>) -> E {
        if let Some(&integer) = known.get(&e) {
            return integer;
        }
        let integer = self.in_integers_of_parts(e, known);
        known.insert(e, integer);
        integer
    }

    fn in_integers_of_parts(&mut self, e: E, known: &mut HashMap<E, E>) -> E {
        let ty = self.ty(e);
        let whole = |program: &Program, x: E| program.ty(x) == Ty::F32 && program.whole_range(x).is_some();
        match self.node(e).clone() {
            Node::F32(bits) => self.constant(Ty::S32, f64::from(f32::from_bits(bits))),
            Node::Load { tensor, offset, guard, ty: Ty::F32 } => match guard {
                Some(guard) => self.load_if(guard, tensor, offset, Ty::S32),
                None => self.load(tensor, offset, Ty::S32),
            },
            Node::Unary(UnaryOp::Rint | UnaryOp::Floor, x) if ty == Ty::F32 => self.in_integers(x, known),
            Node::Unary(op @ (UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Not), x) => {
                let x = self.in_integers(x, known);
                self.unary(op, x)
            }
            Node::Binary(op, a, b) => {
                let compares = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne);
                if matches!(self.ty(a), Ty::Index | Ty::F64)
                    || (compares && self.ty(a) == Ty::F32 && !(whole(self, a) && whole(self, b)))
                {
                    return e;
                }
                let (a, b) = (self.in_integers(a, known), self.in_integers(b, known));
                self.binary(op, a, b)
            }
            Node::Select(c, a, b) if ty != Ty::Index => {
                let c = self.in_integers(c, known);
                let (a, b) = (self.in_integers(a, known), self.in_integers(b, known));
                self.select(c, a, b)
            }
            Node::Convert(Ty::F32 | Ty::S32, x) if self.ty(x) == Ty::S32 || whole(self, x) => {
                self.in_integers(x, known)
            }
            Node::Reduce { op, axes, body } if ty != Ty::Index => {
                let body = self.in_integers(body, known);
                self.reduce(op, axes, body)
            }
            _ => e,
        }
    }
}

/// Whether bf16 has all numbers of a type of floats.
pub(super) fn is_part_of_bf16(data_type: DataType) -> bool {
    matches!(data_type, DataType::Bf16 | DataType::F8E4m3 | DataType::F8E5m2)
}

/// The numbers that a type of few bits has.
pub fn range_of(data_type: DataType) -> Option<Range> {
    match data_type {
        DataType::S8 => Some((-128, 127)),
        DataType::U8 => Some((0, 255)),
        DataType::S4 => Some((-8, 7)),
        DataType::U4 => Some((0, 15)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(data_type: DataType) -> (Program, AxisId, TensorId, TensorId) {
        let mut p = Program::new();
        let src = p.add_tensor("src", data_type, Binding::Arg { arg: 1, handle: 0 });
        let dst = p.add_tensor("dst", DataType::S8, Binding::Arg { arg: 17, handle: 0 });
        let extent = p.param(100);
        let axis = p.add_axis("i", extent);
        (p, axis, src, dst)
    }

    #[test]
    fn ranges_are_those_of_all_parts() {
        let (mut p, axis, src, _) = program(DataType::U8);
        let at = p.at(axis);
        let x = p.load(src, at, Ty::F32);
        assert_eq!(p.whole_range(x), Some((0, 255)));
        let three = p.constant(Ty::F32, -3.0);
        let product = p.mul(x, three);
        assert_eq!(p.whole_range(product), Some((-765, 0)));
        let limit = p.constant(Ty::F32, -100.0);
        let limited = p.max(product, limit);
        assert_eq!(p.whole_range(limited), Some((-100, 0)));
        let root = p.unary(UnaryOp::Sqrt, x);
        assert_eq!(p.whole_range(root), None);
        let (square, half) = (p.mul(x, x), p.constant(Ty::F32, 0.5));
        let (fourth, share) = (p.mul(square, square), p.mul(x, half));
        assert_eq!(p.whole_range(square), Some((0, 65025)));
        assert_eq!(p.whole_range(fourth), None, "too large to be exact");
        assert_eq!(p.whole_range(share), None);
    }

    #[test]
    fn what_is_chosen_among_elements_is_like_them() {
        let (mut p, axis, src, _) = program(DataType::Bf16);
        let at = p.at(axis);
        let x = p.load(src, at, Ty::F32);
        let (zero, third) = (p.constant(Ty::F32, 0.0), p.constant(Ty::F32, 1.0 / 3.0));
        let positive = p.lt(zero, x);
        let (relu, bounded) = (p.select(positive, x, zero), p.min(x, third));
        assert!(p.is_bf16(relu));
        assert!(!p.is_bf16(bounded), "a third is none of them");
        let twice = p.add(x, x);
        assert!(!p.is_bf16(twice));
        let (mut p, axis, bytes, _) = program(DataType::S8);
        let at = p.at(axis);
        let x = p.load(bytes, at, Ty::F32);
        let (twice, thrice) = (p.add(x, x), p.constant(Ty::F32, 3.0));
        let thrice = p.mul(x, thrice);
        assert!(p.is_bf16(x) && p.is_bf16(twice));
        assert!(!p.is_bf16(thrice), "257 is none of them");
    }

    #[test]
    fn only_what_is_whole_is_counted_in_integers() {
        for (alpha, ty) in [(-2.0, Ty::S32), (0.25, Ty::F32)] {
            let (mut p, axis, src, dst) = program(DataType::S8);
            let at = p.at(axis);
            let x = p.load(src, at, Ty::F32);
            let (zero, alpha) = (p.constant(Ty::F32, 0.0), p.constant(Ty::F32, alpha));
            let (positive, scaled) = (p.lt(zero, x), p.mul(x, alpha));
            let value = p.select(positive, x, scaled);
            let stores = vec![Store { tensor: dst, offset: at, value }];
            let mut stage = Stage { name: "leaky", axes: vec![axis], bounds: None, stores, repeat: None };
            p.count_in_integers(&mut stage);
            let value = stage.stores[0].value;
            assert_eq!(p.ty(value), ty);
            let mut floats = 0;
            p.visit([value], &mut |e| floats += usize::from(p.ty(e) == Ty::F32));
            assert_eq!(floats == 0, ty == Ty::S32);
        }
    }
}
