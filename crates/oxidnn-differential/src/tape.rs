//! What was computed, kept for its gradients.
//!
//! Each value knows what it was made of and how it changes with that. Going back over them gives the gradient of a weighted sum of
//! results by every value, and how large the numbers are that were added up to it, which bounds the rounding of an honest
//! computation.

use crate::oracle::{Approx, Math};

/// A value on a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var(usize);

struct Node {
    value: Approx,
    /// What it was made of, and its derivatives by that.
    parents: Vec<(Var, Approx)>,
}

/// Values in the order in which they were computed.
#[derive(Default)]
pub struct Tape(Vec<Node>);

/// A gradient, and the sum of the sizes of what was added up to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gradient {
    /// The gradient.
    pub v: f64,
    /// The sizes.
    pub size: f64,
    /// How far it may be from that since derivatives are not exact.
    pub doubt: f64,
}

const MATH: Math = Math::F32;

impl Tape {
    /// A value that was computed by other means, with its derivatives.
    pub fn push(&mut self, value: Approx, parents: Vec<(Var, Approx)>) -> Var {
        self.0.push(Node { value, parents });
        Var(self.0.len() - 1)
    }

    /// A value that is given.
    pub fn leaf(&mut self, value: Approx) -> Var {
        self.push(value, Vec::new())
    }

    /// The value.
    pub fn value(&self, var: Var) -> Approx {
        self.0[var.0].value
    }

    /// A sum of products, and of further values.
    pub fn dot(&mut self, products: &[(Var, Var)], more: &[Var]) -> Var {
        let mut terms: Vec<(Approx, Approx)> = products.iter().map(|&(a, b)| (self.value(a), self.value(b))).collect();
        terms.extend(more.iter().map(|&x| (self.value(x), Approx::exact(1.0))));
        let by_factors = products.iter().flat_map(|&(a, b)| [(a, self.value(b)), (b, self.value(a))]);
        let parents = by_factors.chain(more.iter().map(|&x| (x, Approx::exact(1.0)))).collect();
        self.push(MATH.dot(&terms, false), parents)
    }

    /// The sum.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        self.dot(&[], &[a, b])
    }

    /// The product.
    pub fn mul(&mut self, a: Var, b: Var) -> Var {
        let value = MATH.mul(self.value(a), self.value(b));
        let parents = vec![(a, self.value(b)), (b, self.value(a))];
        self.push(value, parents)
    }

    /// The logistic function.
    pub fn logistic(&mut self, a: Var) -> Var {
        let value = MATH.logistic(self.value(a));
        let slope = Approx { v: value.v * (1.0 - value.v), e: value.e * ((1.0 - 2.0 * value.v).abs() + value.e) };
        self.push(value, vec![(a, slope)])
    }

    /// The hyperbolic tangent.
    pub fn tanh(&mut self, a: Var) -> Var {
        let value = MATH.tanh(self.value(a));
        let slope = Approx { v: 1.0 - value.v * value.v, e: value.e * (2.0 * value.v.abs() + value.e) };
        self.push(value, vec![(a, slope)])
    }

    /// The positive part.
    pub fn relu(&mut self, a: Var) -> Var {
        let before = self.value(a);
        let value = MATH.map(before, 1.0, |x| x.max(0.0));
        // At zero it is either.
        let slope = match before.v.abs() <= before.e {
            true => Approx { v: 0.5, e: 0.5 },
            false => Approx::exact(if before.v > 0.0 { 1.0 } else { 0.0 }),
        };
        self.push(value, vec![(a, slope)])
    }

    /// The same value after something that changes no gradient, such as rounding.
    pub fn changed(&mut self, a: Var, change: impl FnOnce(Approx) -> Approx) -> Var {
        let value = change(self.value(a));
        self.push(value, vec![(a, Approx::exact(1.0))])
    }

    /// Gradients of the sum of some values, each times its weight, by all values.
    pub fn gradients(&self, weighted: &[(Var, f64)]) -> Vec<Gradient> {
        let mut gradients = vec![Gradient::default(); self.0.len()];
        for &(Var(at), weight) in weighted {
            gradients[at].v += weight;
            gradients[at].size += weight.abs();
        }
        for at in (0..self.0.len()).rev() {
            let Gradient { v, size, doubt } = gradients[at];
            for &(Var(parent), derivative) in &self.0[at].parents {
                gradients[parent].v += v * derivative.v;
                gradients[parent].size += size * derivative.v.abs();
                gradients[parent].doubt += doubt * (derivative.v.abs() + derivative.e) + v.abs() * derivative.e;
            }
        }
        gradients
    }

    /// The gradient of a value among those of all.
    pub fn gradient(gradients: &[Gradient], Var(at): Var) -> Gradient {
        gradients[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_follow_the_chain_rule() {
        let mut tape = Tape::default();
        let (x, y) = (tape.leaf(Approx::exact(0.5)), tape.leaf(Approx::exact(-2.0)));
        let product = tape.mul(x, y);
        let curve = tape.tanh(product);
        let all = tape.gradients(&[(curve, 3.0), (x, 1.0)]);
        let slope = 1.0 - (-1.0f64).tanh().powi(2);
        assert!((Tape::gradient(&all, x).v - (1.0 + 3.0 * slope * -2.0)).abs() < 1e-12);
        assert!((Tape::gradient(&all, y).v - 3.0 * slope * 0.5).abs() < 1e-12);
        assert!((Tape::gradient(&all, x).size - (1.0 + 6.0 * slope)).abs() < 1e-12);
    }
}
