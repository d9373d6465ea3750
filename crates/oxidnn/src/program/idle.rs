//! Steps of reductions that change nothing: where a condition does not hold, what is added is zero, or the least of all numbers is
//! asked whether it is the greatest.
//!
//! The taps of a window that lie in the padding are such steps. Where a condition is the same for all lanes of a vector, such a step is
//! left out, with all that it would read.

use super::*;

impl Program {
    /// Conditions of which each must hold for a step of a reduction to change anything.
    pub fn counts_where(&self, op: ReduceOp, body: E) -> Vec<E> {
        let mut found = match op {
            ReduceOp::Sum => self.differs_from_zero_where(body),
            ReduceOp::Min | ReduceOp::Max => self.differs_from_identity_where(op, body),
            ReduceOp::Prod => Vec::new(),
        };
        found.sort();
        found.dedup();
        found
    }

    /// Conditions, the same for all lanes, of which each must hold for a step to change any of some reductions.
    pub fn all_count_where(&self, reductions: &[(ReduceOp, E)], lanes: Option<AxisId>) -> Vec<E> {
        let counts = |&(op, body): &(ReduceOp, E)| self.counts_where(op, body);
        let Some((first, others)) = reductions.split_first() else { return Vec::new() };
        let mut conditions = counts(first);
        for other in others {
            let needed = counts(other);
            conditions.retain(|condition| needed.contains(condition));
        }
        conditions.retain(|&condition| lanes.is_none_or(|axis| !self.depends_on(condition, axis)));
        conditions
    }

    fn differs_from_zero_where(&self, e: E) -> Vec<E> {
        match *self.node(e) {
            Node::Load { guard: Some(guard), .. } => self.conjuncts(guard),
            Node::Select(condition, a, b) if self.is_identity(ReduceOp::Sum, b) => {
                [self.conjuncts(condition), self.differs_from_zero_where(a)].concat()
            }
            Node::Binary(BinaryOp::Mul, a, b) => {
                [self.differs_from_zero_where(a), self.differs_from_zero_where(b)].concat()
            }
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                let others = self.differs_from_zero_where(b);
                self.differs_from_zero_where(a).into_iter().filter(|condition| others.contains(condition)).collect()
            }
            Node::Binary(BinaryOp::Div, x, _) | Node::Convert(_, x) | Node::Unary(UnaryOp::Neg | UnaryOp::Abs, x) => {
                self.differs_from_zero_where(x)
            }
            _ => Vec::new(),
        }
    }

    fn differs_from_identity_where(&self, op: ReduceOp, e: E) -> Vec<E> {
        match *self.node(e) {
            Node::Select(condition, a, b) if self.is_identity(op, b) => {
                [self.conjuncts(condition), self.differs_from_identity_where(op, a)].concat()
            }
            _ => Vec::new(),
        }
    }

    /// Whether a reduction starts with a number, which changes no other.
    fn is_identity(&self, op: ReduceOp, e: E) -> bool {
        let limit = match op {
            ReduceOp::Sum => 0.0,
            ReduceOp::Prod => 1.0,
            ReduceOp::Min => f64::INFINITY,
            ReduceOp::Max => f64::NEG_INFINITY,
        };
        match *self.node(e) {
            Node::F32(bits) => f64::from(f32::from_bits(bits)) == limit,
            Node::F64(bits) => f64::from_bits(bits) == limit,
            // The limits of integers are the nearest to infinity that there are.
            Node::S32(value) => value == limit as i32,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_counts_where_its_factors_are_there() {
        let mut p = Program::new();
        let tensor = p.add_tensor("x", DataType::F32, Binding::Arg { arg: 1, handle: 0 });
        let extent = p.param(5);
        let axis = p.add_axis("i", extent);
        let (at, zero, one) = (p.at(axis), p.index(0), p.index(1));
        let [first, second] = [zero, one].map(|from| p.binary(BinaryOp::Le, from, at));
        let both = p.and(first, second);
        let [x, y, z] = [first, second, both].map(|guard| p.load_if(guard, tensor, at, Ty::F32));
        let product = p.mul(x, y);
        assert_eq!(p.counts_where(ReduceOp::Sum, product), [first, second]);
        let sum = p.add(x, z);
        assert_eq!(p.counts_where(ReduceOp::Sum, sum), [first]);
        assert_eq!(p.counts_where(ReduceOp::Max, x), []);
        let least = p.constant(Ty::F32, f64::NEG_INFINITY);
        let greatest = p.select(both, z, least);
        assert_eq!(p.counts_where(ReduceOp::Max, greatest), [first, second]);
        assert_eq!(p.counts_where(ReduceOp::Min, greatest), []);
    }
}
