//! How exact a function must be: of what only a short type keeps, few bits count.
//!
//! Relative errors stay what they are in products and quotients and in sums of numbers that are not negative, but grow where numbers cancel and
//! in arguments of functions. So a function may be coarse if every way from it to a result is of the former kind and ends in a short type.

use std::collections::BTreeSet;

use super::*;

impl Program {
    /// The functions of which a stage keeps no more than eight bits, so that relative errors of 2^-13 are small beside those of rounding, which are
    /// up to 2^-9: exponentials, roots, shares of a normal distribution, and logarithms of one more than another share.
    pub fn coarse_functions(&self, stage: &Stage) -> BTreeSet<E> {
        let mut nodes = BTreeSet::new();
        self.visit(self.roots(stage), &mut |e| {
            nodes.insert(e);
        });
        let is_short =
            |tensor| matches!(self.tensor(tensor).data_type, DataType::Bf16 | DataType::F8E5m2 | DataType::F8E4m3);
        let kept = stage.stores.iter().filter(|store| !is_short(store.tensor)).map(|store| store.value);
        let mut exact: BTreeSet<E> = kept.chain(stage.stores.iter().map(|store| store.offset)).collect();
        exact.extend(stage.bounds);
        // Nodes are made after those they are made of.
        for &e in nodes.iter().rev() {
            if exact.contains(&e) {
                exact.extend(self.operands(e));
            } else {
                exact.extend(self.operands(e).into_iter().filter(|&x| !self.keeps_relative_error(e, x)));
            }
        }
        nodes.retain(|e| {
            let has_coarse_form = match *self.node(*e) {
                Node::Unary(UnaryOp::Exp | UnaryOp::Phi | UnaryOp::Sqrt, _) => true,
                Node::Unary(UnaryOp::Log1p, x) => self.is_share(x),
                _ => false,
            };
            has_coarse_form && self.ty(*e) == Ty::F32 && !exact.contains(e)
        });
        nodes
    }

    /// Whether the relative error of an operand becomes no larger in a node.
    fn keeps_relative_error(&self, e: E, operand: E) -> bool {
        use BinaryOp::{Add, Div, Max, Min, Mul};
        match *self.node(e) {
            Node::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt, _) => true,
            Node::Unary(UnaryOp::Log1p, x) => self.is_not_negative(x),
            Node::Binary(Mul | Div | Min | Max, ..) => true,
            Node::Binary(Add, a, b) => self.is_not_negative(a) && self.is_not_negative(b),
            Node::Select(condition, ..) => operand != condition,
            _ => false,
        }
    }

    /// Whether a number is from zero to one: a power of e with a negative exponent, or with zero.
    pub fn is_share(&self, e: E) -> bool {
        let Node::Unary(UnaryOp::Exp, exponent) = *self.node(e) else { return false };
        matches!(*self.node(exponent), Node::Unary(UnaryOp::Neg, x) if self.is_not_negative(x))
    }

    fn is_not_negative(&self, e: E) -> bool {
        match *self.node(e) {
            Node::F32(bits) => f32::from_bits(bits) >= 0.0,
            Node::Unary(UnaryOp::Exp | UnaryOp::Phi | UnaryOp::Abs | UnaryOp::Sqrt, _) => true,
            Node::Unary(UnaryOp::Log1p, x) => self.is_not_negative(x),
            Node::Binary(BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div, a, b) => {
                self.is_not_negative(a) && self.is_not_negative(b)
            }
            Node::Binary(BinaryOp::Max, a, b) => self.is_not_negative(a) || self.is_not_negative(b),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{AlgKind, Attr, Eltwise, MemoryDesc, PropKind};

    /// How many functions of an eltwise operation may be coarse.
    fn coarse(alg: AlgKind, data_type: DataType) -> usize {
        let md = MemoryDesc::with_strides(&[64], data_type, None).unwrap();
        let op = Eltwise::forward(PropKind::ForwardInference, alg, &md, &md, 1.0, 0.0).unwrap();
        let program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
        program.stages.iter().map(|stage| program.coarse_functions(stage).len()).sum()
    }

    #[test]
    fn functions_are_coarse_where_their_errors_neither_grow_nor_are_kept() {
        use AlgKind::*;
        for alg in [EltwiseGeluErf, EltwiseExp, EltwiseLogistic, EltwiseSwish, EltwiseMish, EltwiseSqrt] {
            assert_eq!(coarse(alg, DataType::Bf16), 1, "{alg} in bf16");
            assert_eq!(coarse(alg, DataType::F32), 0, "{alg} in f32");
            assert_eq!(coarse(alg, DataType::F16), 0, "{alg} in f16");
        }
        assert_eq!(coarse(EltwiseSoftRelu, DataType::Bf16), 2);
        assert_eq!(coarse(EltwiseSoftRelu, DataType::F32), 0);
        // What is taken from one, whose difference may be close to zero.
        assert_eq!(coarse(EltwiseElu, DataType::Bf16), 0);
    }
}
