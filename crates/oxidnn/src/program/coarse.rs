//! How exact a function must be: of what only a short type keeps, few bits count.
//!
//! Relative errors stay what they are in products and quotients and in sums of numbers that are not negative, but grow where numbers cancel and
//! in arguments of functions. So a function may be coarse if every way from it to a result is of the former kind and ends in a short type.

use std::collections::BTreeSet;

use super::*;

impl Program {
    /// The exponentials and shares of a normal distribution of which a stage keeps no more than eight bits, so that relative errors of 2^-14
    /// are small beside those of rounding, which are up to 2^-9.
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
            let is_function = matches!(self.node(*e), Node::Unary(UnaryOp::Exp | UnaryOp::Phi, _));
            is_function && self.ty(*e) == Ty::F32 && !exact.contains(e)
        });
        nodes
    }

    /// Whether the relative error of an operand becomes no larger in a node.
    fn keeps_relative_error(&self, e: E, operand: E) -> bool {
        use BinaryOp::{Add, Div, Max, Min, Mul};
        match *self.node(e) {
            Node::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sqrt, _) => true,
            Node::Binary(Mul | Div | Min | Max, ..) => true,
            Node::Binary(Add, a, b) => self.is_not_negative(a) && self.is_not_negative(b),
            Node::Select(condition, ..) => operand != condition,
            _ => false,
        }
    }

    fn is_not_negative(&self, e: E) -> bool {
        match *self.node(e) {
            Node::F32(bits) => f32::from_bits(bits) >= 0.0,
            Node::Unary(UnaryOp::Exp | UnaryOp::Phi | UnaryOp::Abs | UnaryOp::Sqrt, _) => true,
            Node::Binary(BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div, a, b) => {
                self.is_not_negative(a) && self.is_not_negative(b)
            }
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
        for alg in [EltwiseGeluErf, EltwiseExp, EltwiseLogistic, EltwiseSwish, EltwiseMish] {
            assert_eq!(coarse(alg, DataType::Bf16), 1, "{alg} in bf16");
            assert_eq!(coarse(alg, DataType::F32), 0, "{alg} in f32");
            assert_eq!(coarse(alg, DataType::F16), 0, "{alg} in f16");
        }
        // An argument of a logarithm, whose result may be close to zero.
        assert_eq!(coarse(EltwiseSoftRelu, DataType::Bf16), 0);
    }
}
