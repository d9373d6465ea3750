//! How exact a function must be: of what only a short type keeps, few bits count.
//!
//! Relative errors stay what they are in products and quotients and in sums of numbers that are not negative, but grow where numbers cancel and
//! in arguments of functions. So a function may be coarse if every way from it to a result is of the former kind and ends in a short type.

use std::collections::BTreeSet;

use super::*;

/// The density of a normal distribution at its mean.
const DENSITY_AT_MEAN: f32 = 0.398_942_3;

impl Program {
    /// The functions of which a stage keeps no more than eight bits, so that relative errors of 2^-13 are small beside those of rounding, which are
    /// up to 2^-9: exponentials, also less one where their exponents are not positive, roots, shares of a normal distribution, slopes of a number
    /// times that share, and logarithms of one more than another share.
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
                Node::Unary(UnaryOp::Expm1, x) => self.is_for_others_than_positive(stage, *e, x),
                Node::Binary(BinaryOp::Add, ..) => self.has_slope_at(*e).is_some(),
                _ => false,
            };
            has_coarse_form && self.ty(*e) == Ty::F32 && !exact.contains(e)
        });
        nodes
    }

    /// Whether it is by chance if a value is halfway between two numbers of bf16, so that it may be rounded to either: one of bf16, or one that some
    /// coarse functions make it.
    pub fn is_halfway_by_chance(&self, e: E, coarse: &BTreeSet<E>) -> bool {
        use BinaryOp::{Add, Div, Max, Min, Mul};
        let (mut inexact, mut by_chance) = (BTreeSet::new(), BTreeSet::new());
        self.visit([e], &mut |e| {
            let is_inexact = match *self.node(e) {
                _ if coarse.contains(&e) => true,
                Node::Unary(UnaryOp::Neg | UnaryOp::Abs, x) => inexact.contains(&x),
                Node::Binary(Mul | Div, a, b) => inexact.contains(&a) || inexact.contains(&b),
                Node::Binary(Add, a, b) => {
                    let is_part = |e| inexact.contains(&e) || self.is_bf16(e);
                    (inexact.contains(&a) || inexact.contains(&b)) && is_part(a) && is_part(b)
                }
                _ => false,
            };
            let is_either = match *self.node(e) {
                Node::Binary(Max | Min, a, b) | Node::Select(_, a, b) => {
                    by_chance.contains(&a) && by_chance.contains(&b)
                }
                _ => is_inexact || self.is_bf16(e),
            };
            inexact.extend(is_inexact.then_some(e));
            by_chance.extend(is_either.then_some(e));
        });
        by_chance.contains(&e)
    }

    /// Whether a function of a number is of use only where that is not positive.
    fn is_for_others_than_positive(&self, stage: &Stage, e: E, x: E) -> bool {
        let is_positive = |c: E| matches!(*self.node(c), Node::Binary(BinaryOp::Lt, zero, y) if y == x && *self.node(zero) == Node::F32(0));
        let (mut left, mut seen) = (self.roots(stage), BTreeSet::new());
        while let Some(user) = left.pop() {
            if user == e {
                return false;
            }
            match *self.node(user) {
                _ if !seen.insert(user) => {}
                Node::Select(c, a, _) if is_positive(c) => left.extend([c, a]),
                _ => left.extend(self.operands(user)),
            }
        }
        true
    }

    /// The number at which a sum is the slope of a number times the share of a normal distribution below it.
    pub fn has_slope_at(&self, e: E) -> Option<E> {
        let Node::Binary(BinaryOp::Add, a, b) = *self.node(e) else { return None };
        let is_number = |e: E, value: f32| matches!(*self.node(e), Node::F32(bits) if f32::from_bits(bits) == value);
        [(a, b), (b, a)].into_iter().find_map(|(share, product)| {
            let Node::Unary(UnaryOp::Phi, x) = *self.node(share) else { return None };
            let is_x = |e: E| e == x;
            let is_density = |e: E| {
                let Node::Unary(UnaryOp::Exp, exponent) = *self.node(e) else { return false };
                self.is_product(exponent, x, [&is_x, &is_x, &|e| is_number(e, -0.5)])
            };
            self.is_product(product, x, [&is_x, &is_density, &|e| is_number(e, DENSITY_AT_MEAN)]).then_some(x)
        })
    }

    /// Whether a number is the product of three, of which one is seen as a whole, in any order.
    fn is_product(&self, e: E, whole: E, tests: [&dyn Fn(E) -> bool; 3]) -> bool {
        let (mut left, mut factors) = (vec![e], Vec::new());
        while let Some(e) = left.pop() {
            match *self.node(e) {
                _ if left.len() + factors.len() >= tests.len() => return false,
                Node::Binary(BinaryOp::Mul, a, b) if e != whole => left.extend([a, b]),
                _ => factors.push(e),
            }
        }
        let found = tests
            .iter()
            .filter(|test| factors.iter().position(|&e| test(e)).map(|at| factors.swap_remove(at)).is_some());
        found.count() == tests.len()
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
        assert_eq!(coarse(EltwiseElu, DataType::Bf16), 1);
        assert_eq!(coarse(EltwiseElu, DataType::F32), 0);
        // What is taken from one, whose difference may be close to zero.
        assert_eq!(coarse(EltwiseTanh, DataType::Bf16), 0);
    }

    #[test]
    fn slopes_are_coarse_as_a_whole() {
        let slopes = |data_type| {
            let md = MemoryDesc::with_strides(&[64], data_type, None).unwrap();
            let op = Eltwise::backward(AlgKind::EltwiseGeluErf, &md, &md, &md, 0.0, 0.0).unwrap();
            let program = crate::lower::lower(&op.into(), &Attr::new()).unwrap();
            let coarse = program.coarse_functions(&program.stages[0]);
            coarse.into_iter().filter(|&e| program.has_slope_at(e).is_some()).count()
        };
        assert_eq!((slopes(DataType::Bf16), slopes(DataType::F32)), (1, 0));
    }

    #[test]
    fn exponentials_less_one_are_coarse_where_none_of_a_positive_number_is_of_use() {
        for (is_elu, coarse) in [(true, 1), (false, 0)] {
            let mut p = Program::new();
            let src = p.add_tensor("src", DataType::Bf16, Binding::Arg { arg: 1, handle: 0 });
            let dst = p.add_tensor("dst", DataType::Bf16, Binding::Arg { arg: 17, handle: 0 });
            let extent = p.param(100);
            let axis = p.add_axis("i", extent);
            let at = p.at(axis);
            let x = p.load(src, at, Ty::F32);
            let (zero, less_one) = (p.constant(Ty::F32, 0.0), p.unary(UnaryOp::Expm1, x));
            let (positive, product) = (p.lt(zero, x), p.mul(x, less_one));
            let value = p.select(positive, if is_elu { x } else { product }, less_one);
            let stores = vec![Store { tensor: dst, offset: at, value }];
            let stage = Stage { name: "elu", axes: vec![axis], bounds: None, stores, repeat: None };
            let found = p.coarse_functions(&stage);
            assert_eq!(found.len(), coarse);
            assert_eq!(p.is_halfway_by_chance(value, &found), is_elu);
        }
    }
}
