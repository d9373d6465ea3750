//! The oracle's arithmetic: values in `f64`, each with a bound on the error of an honest computation in the intermediate type.
//!
//! A bound grows only where a computation really rounds. A result the intermediate type holds exactly has bound zero, so copies,
//! integer products and powers of two are compared bit by bit, while a chain of transcendental functions is allowed what
//! its own cancellations cost. It shares nothing with the libraries it judges.

use crate::cases::algorithm::{Binary, Eltwise};

/// A value and how far an honest computation may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approx {
    /// The value.
    pub v: f64,
    /// The bound on the error, in absolute terms.
    pub e: f64,
}

impl Approx {
    /// A value without error.
    pub fn exact(v: f64) -> Approx {
        Approx { v, e: 0.0 }
    }
}

/// Which type intermediate results have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Math {
    /// Single precision, as for everything but f64 primitives.
    F32,
    /// Double precision.
    F64,
}

/// Rounding steps a division or a square root may be off by; OpenCL allows 2.5 and 3 units in the last place.
const DIVISION: f64 = 6.0;
/// The same for exponentials and logarithms.
const EXPONENTIAL: f64 = 8.0;
/// The same for hyperbolic functions.
const HYPERBOLIC: f64 = 16.0;
/// The same for powers and the error function.
const POWER: f64 = 32.0;

impl Math {
    fn unit(self) -> f64 {
        match self {
            Math::F32 => 2f64.powi(-24),
            // The oracle itself computes in f64, so its own roundings count as well.
            Math::F64 => 2f64.powi(-50),
        }
    }

    fn holds(self, value: f64) -> bool {
        match self {
            Math::F32 => f64::from(value as f32) == value || value.is_nan(),
            Math::F64 => value.fract() == 0.0 && value.abs() < 2f64.powi(50) || !value.is_finite(),
        }
    }

    /// Ends an operation: adds `steps` roundings unless the result is exact, and overflows like the intermediate type.
    fn finish(self, v: f64, e: f64, steps: f64) -> Approx {
        if v.is_nan() {
            return Approx { v, e: 0.0 };
        }
        if self == Math::F32 && v.abs() > f64::from(f32::MAX) {
            // Within the error of the largest finite value either answer is right.
            let near = v.abs() <= f64::from(f32::MAX) * (1.0 + 1e-6) + e;
            return if near { Approx { v, e: e + v.abs() * 1e-6 } } else { Approx::exact(v.signum() * f64::INFINITY) };
        }
        if e == 0.0 && steps <= 1.0 && self.holds(v) {
            return Approx::exact(v);
        }
        // A device may flush results below the smallest normal number to zero.
        let flush = if self == Math::F32 && v != 0.0 && v.abs() < 1.2e-38 { 1.2e-38 } else { 0.0 };
        Approx { v, e: e + steps * self.unit() * (v.abs() + e) + flush }
    }

    /// A loaded element in the intermediate type.
    pub fn load(self, v: f64) -> Approx {
        self.finish(v, 0.0, 1.0)
    }

    /// The sum.
    pub fn add(self, a: Approx, b: Approx) -> Approx {
        self.finish(a.v + b.v, a.e + b.e, 1.0)
    }

    /// The difference.
    pub fn sub(self, a: Approx, b: Approx) -> Approx {
        self.finish(a.v - b.v, a.e + b.e, 1.0)
    }

    /// The product.
    pub fn mul(self, a: Approx, b: Approx) -> Approx {
        let e = if a.e == 0.0 && b.e == 0.0 { 0.0 } else { a.v.abs() * b.e + b.v.abs() * a.e + a.e * b.e };
        self.finish(a.v * b.v, e, 1.0)
    }

    /// The quotient.
    pub fn div(self, a: Approx, b: Approx) -> Approx {
        let v = a.v / b.v;
        let e = if a.e == 0.0 && b.e == 0.0 {
            0.0
        } else {
            (a.e + v.abs() * b.e) / (b.v.abs() - b.e).max(f64::MIN_POSITIVE)
        };
        let power_of_two = b.v.abs().to_bits() & ((1 << 52) - 1) == 0;
        self.finish(v, e, if power_of_two { 1.0 } else { DIVISION })
    }

    /// A function of one value: exact in `f64`, its error from the ends of the argument's interval and `steps` roundings.
    pub fn map(self, a: Approx, steps: f64, f: impl Fn(f64) -> f64) -> Approx {
        let v = f(a.v);
        let e = if a.e == 0.0 {
            0.0
        } else {
            let spread = |x: f64| match (f(x) - v).abs() {
                d if d.is_nan() => 0.0,
                d => d,
            };
            spread(a.v - a.e).max(spread(a.v + a.e))
        };
        self.finish(v, e, steps)
    }

    /// A sum of products accumulated in any order. `whole` says that the accumulator is a wide integer.
    pub fn dot(self, terms: &[(Approx, Approx)], whole: bool) -> Approx {
        let (mut v, mut size, mut grain) = (0.0, 0.0, f64::INFINITY);
        let (mut e, mut squares) = (0.0, 0.0);
        for (a, b) in terms {
            let product = a.v * b.v;
            v += product;
            size += product.abs();
            if a.e != 0.0 || b.e != 0.0 {
                let error = a.v.abs() * b.e + b.v.abs() * a.e + a.e * b.e;
                e += error;
                squares += error * error;
            }
            if product != 0.0 {
                grain = lowest_bit(product).min(grain);
            }
        }
        // The operands' errors are independent: four times their spread bounds the sum.
        let e: f64 = f64::min(e, 4.0 * f64::sqrt(squares));
        let digits = if self == Math::F32 { 24 } else { 50 };
        if whole || (e == 0.0 && size <= grain * 2f64.powi(digits)) {
            return self.finish(v, e, 1.0);
        }
        let length = terms.len() as f64 + 1.0;
        let roundings = length.min(4.0 * length.sqrt()) + 1.0;
        self.finish(v, e + roundings * self.unit() * size, 1.0)
    }

    /// The exponential.
    pub fn exp(self, a: Approx) -> Approx {
        self.map(a, EXPONENTIAL, f64::exp)
    }

    /// The natural logarithm.
    pub fn ln(self, a: Approx) -> Approx {
        self.map(a, EXPONENTIAL, f64::ln).or(self.unit())
    }

    /// The square root.
    pub fn sqrt(self, a: Approx) -> Approx {
        self.map(a, DIVISION, f64::sqrt)
    }

    /// A power with a known exponent.
    pub fn powf(self, a: Approx, exponent: f64) -> Approx {
        self.map(a, POWER, |x| x.powf(exponent))
    }

    /// The error of a position in an image that took a few roundings to compute.
    pub fn position_error(self, position: f64) -> f64 {
        4.0 * self.unit() * (position.abs() + 1.0)
    }

    /// A sum in any order.
    pub fn sum(self, terms: impl IntoIterator<Item = Approx>) -> Approx {
        let terms: Vec<(Approx, Approx)> = terms.into_iter().map(|x| (x, Approx::exact(1.0))).collect();
        self.dot(&terms, false)
    }

    /// The hyperbolic tangent.
    pub fn tanh(self, a: Approx) -> Approx {
        self.map(a, HYPERBOLIC, f64::tanh)
    }

    /// The logistic function.
    pub fn logistic(self, a: Approx) -> Approx {
        let negative = Approx { v: -a.v, e: a.e };
        let below = self.add(Approx::exact(1.0), self.exp(negative));
        if below.v.is_infinite() { Approx { v: 0.0, e: 1.2e-38 } } else { self.div(Approx::exact(1.0), below) }
    }

    fn softplus(self, a: Approx) -> Approx {
        if a.v > 40.0 {
            return a;
        }
        // 1 + exp is rounded by implementations without log1p.
        let grown = self.exp(a);
        let v = self.map(grown, EXPONENTIAL, f64::ln_1p);
        Approx { v: v.v, e: v.e + self.unit() }
    }

    /// An eltwise algorithm, forwards.
    pub fn eltwise(self, algorithm: Eltwise, s: Approx, alpha: f64, beta: f64) -> Approx {
        use Eltwise::*;
        let one = Approx::exact(1.0);
        let (alpha, beta) = (Approx::exact(alpha), Approx::exact(beta));
        if s.v.is_nan() {
            return s;
        }
        match algorithm {
            Relu => self.map(s, 1.0, |x| if x > 0.0 { x } else { x * alpha.v }),
            Tanh => self.tanh(s),
            Elu if s.v > s.e => s,
            Elu => {
                let below = self.mul(alpha, self.sub(self.exp(s), one));
                if s.v + s.e > 0.0 { Approx { v: below.v, e: below.e + s.v.abs() + s.e } } else { below }
            }
            Square => self.mul(s, s),
            Abs => self.map(s, 1.0, f64::abs),
            Sqrt => self.map(s, DIVISION, f64::sqrt),
            Linear => self.add(self.mul(alpha, s), beta),
            SoftRelu => self.div(self.softplus(self.mul(alpha, s)), alpha),
            Hardsigmoid => self.map(self.add(self.mul(alpha, s), beta), 1.0, |x| x.clamp(0.0, 1.0)),
            Logistic => self.logistic(s),
            Exp => self.exp(s),
            GeluTanh => {
                let (_, curve) = self.gelu_tanh(s);
                self.mul(self.mul(Approx::exact(0.5), s), self.add(one, curve))
            }
            Swish => self.mul(s, self.logistic(self.mul(alpha, s))),
            Log => self.map(s, EXPONENTIAL, f64::ln).or(self.unit()),
            Clip | ClipV2 => self.map(s, 1.0, |x| x.clamp(alpha.v, beta.v)),
            Pow => self.mul(alpha, self.map(s, POWER, |x| x.powf(beta.v))),
            GeluErf => {
                let curve = self.map(self.mul(s, Approx::exact(std::f64::consts::FRAC_1_SQRT_2)), POWER, erf);
                self.mul(self.mul(Approx::exact(0.5), s), self.add(one, curve))
            }
            Round => self.map(s, 1.0, f64::round_ties_even),
            Mish => self.mul(s, self.tanh(self.softplus(s))),
            Hardswish => {
                let gate = self.map(self.add(self.mul(alpha, s), beta), 1.0, |x| x.clamp(0.0, 1.0));
                self.mul(s, gate)
            }
        }
    }

    /// The argument and the value of the hyperbolic tangent inside gelu_tanh.
    fn gelu_tanh(self, s: Approx) -> (Approx, Approx) {
        let root = Approx::exact((2.0 / std::f64::consts::PI).sqrt());
        let cubic = self.add(Approx::exact(1.0), self.mul(Approx::exact(0.044715), self.mul(s, s)));
        let argument = self.mul(self.mul(root, s), cubic);
        (argument, self.tanh(argument))
    }

    /// An eltwise algorithm, backwards. `x` is the source, or the destination when `from_dst`.
    pub fn eltwise_backward(
        self,
        algorithm: Eltwise,
        dd: Approx,
        x: Approx,
        alpha: f64,
        beta: f64,
        from_dst: bool,
    ) -> Approx {
        use Eltwise::*;
        let one = Approx::exact(1.0);
        let two = Approx::exact(2.0);
        let (a, b) = (Approx::exact(alpha), Approx::exact(beta));
        let gate = |pass: bool| Approx::exact(if pass { 1.0 } else { 0.0 });
        let derivative = match algorithm {
            Relu => Approx::exact(if x.v > 0.0 { 1.0 } else { alpha }),
            Tanh if from_dst => self.mul(self.sub(one, x), self.add(one, x)),
            Tanh => {
                let t = self.tanh(x);
                self.mul(self.sub(one, t), self.add(one, t))
            }
            Elu if x.v > 0.0 => one,
            Elu if from_dst => self.add(x, a),
            Elu => self.mul(a, self.exp(x)),
            Square => self.mul(two, x),
            Abs => Approx::exact(if x.v > 0.0 {
                1.0
            } else if x.v < 0.0 {
                -1.0
            } else {
                0.0
            }),
            Sqrt if from_dst => return self.div(dd, self.mul(two, x)),
            Sqrt => return self.div(dd, self.mul(two, self.map(x, DIVISION, f64::sqrt))),
            Linear => a,
            SoftRelu => self.logistic(self.mul(a, x)),
            Hardsigmoid => {
                let inner = self.add(self.mul(a, x), b);
                self.mul(a, self.between(inner))
            }
            Logistic => {
                let v = if from_dst { x } else { self.logistic(x) };
                self.mul(v, self.sub(one, v))
            }
            Exp if from_dst => x,
            Exp => self.exp(x),
            GeluTanh => {
                let (_, t) = self.gelu_tanh(x);
                let root = Approx::exact((2.0 / std::f64::consts::PI).sqrt());
                let slope = self.mul(root, self.add(one, self.mul(Approx::exact(0.134145), self.mul(x, x))));
                let tail = self.add(one, self.mul(self.mul(x, self.sub(one, t)), slope));
                self.mul(self.mul(Approx::exact(0.5), self.add(one, t)), tail)
            }
            Swish => {
                let v = self.logistic(self.mul(a, x));
                self.add(v, self.mul(self.mul(self.mul(x, a), v), self.sub(one, v)))
            }
            Log => return self.div(dd, x),
            Clip => gate(alpha < x.v && x.v <= beta),
            ClipV2 => gate(alpha < x.v && x.v < beta),
            Pow if beta == 0.0 => Approx::exact(0.0),
            Pow => self.mul(self.mul(a, b), self.map(x, POWER, |x| x.powf(beta - 1.0))),
            GeluErf => {
                let v = self.mul(x, Approx::exact(std::f64::consts::FRAC_1_SQRT_2));
                let bell = self.exp(self.mul(Approx { v: -v.v, e: v.e }, v));
                let slope = self.mul(self.mul(v, Approx::exact(2.0 / std::f64::consts::PI.sqrt())), bell);
                let curve = self.add(one, self.map(v, POWER, erf));
                self.mul(Approx::exact(0.5), self.add(curve, slope))
            }
            Round => Approx::exact(f64::NAN),
            Mish => {
                let t = self.tanh(self.softplus(x));
                let square = self.sub(one, self.mul(t, t));
                self.add(t, self.mul(self.mul(x, self.logistic(x)), square))
            }
            Hardswish => {
                let inner = self.add(self.mul(a, x), b);
                let doubled = self.mul(self.mul(two, a), x);
                let mut slope = self.add(doubled, b);
                // Some add the product twice instead of doubling it.
                slope.e += self.unit() * (doubled.v.abs() + b.v.abs());
                if inner.v >= 1.0 + inner.e {
                    one
                } else if inner.v <= -inner.e {
                    Approx::exact(0.0)
                } else if inner.v - inner.e > 0.0 && inner.v + inner.e < 1.0 {
                    slope
                } else {
                    // On an edge: anything between the two branches.
                    let other = if inner.v > 0.5 { 1.0 } else { 0.0 };
                    Approx { v: (slope.v + other) / 2.0, e: (slope.v - other).abs() / 2.0 + slope.e }
                }
            }
        };
        self.mul(dd, derivative)
    }

    /// One between zero and one, zero outside, either on the edges.
    fn between(self, x: Approx) -> Approx {
        self.map(x, 1.0, |x| if x > 0.0 && x < 1.0 { 1.0 } else { 0.0 })
    }

    /// A binary algorithm.
    pub fn binary(self, algorithm: Binary, a: Approx, b: Approx, chosen: bool) -> Approx {
        use Binary::*;
        let truth = |sure: bool, value: bool| {
            if sure { Approx::exact(f64::from(u8::from(value))) } else { Approx { v: 0.5, e: 0.5 } }
        };
        let apart = a.e + b.e == 0.0 || (a.v - b.v).abs() > a.e + b.e;
        match algorithm {
            Add => self.add(a, b),
            Mul => self.mul(a, b),
            Max => Approx { v: a.v.max(b.v), e: a.e.max(b.e) },
            Min => Approx { v: a.v.min(b.v), e: a.e.max(b.e) },
            Div => self.div(a, b),
            Sub => self.sub(a, b),
            Ge => truth(apart, a.v >= b.v),
            Gt => truth(apart, a.v > b.v),
            Le => truth(apart, a.v <= b.v),
            Lt => truth(apart, a.v < b.v),
            Eq => truth(apart, a.v == b.v),
            Ne => truth(apart, a.v != b.v),
            Select => {
                if chosen {
                    a
                } else {
                    b
                }
            }
        }
    }
}

impl Approx {
    /// At least this error, unless the value is exact.
    fn or(self, e: f64) -> Approx {
        if self.e == 0.0 { self } else { Approx { v: self.v, e: self.e.max(e) } }
    }
}

/// The weight of the lowest set bit of a value.
fn lowest_bit(value: f64) -> f64 {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    2f64.powi(exponent + mantissa.trailing_zeros() as i32)
}

/// The error function, by its series of positive terms.
pub fn erf(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum, mut n) = (magnitude, magnitude, 1.0);
    while term > sum * 1e-18 {
        term *= 2.0 * magnitude * magnitude / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    x.signum() * 2.0 / std::f64::consts::PI.sqrt() * (-magnitude * magnitude).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_arithmetic_has_no_error() {
        let m = Math::F32;
        assert_eq!(m.add(Approx::exact(1.5), Approx::exact(0.25)), Approx::exact(1.75));
        assert_eq!(m.dot(&[(Approx::exact(3.0), Approx::exact(5.0)); 100], false), Approx::exact(1500.0));
        assert!(m.add(Approx::exact(1.0), Approx::exact(1e-10)).e > 0.0);
        assert_eq!(m.div(Approx::exact(3.0), Approx::exact(4.0)), Approx::exact(0.75));
    }

    #[test]
    fn cancellation_keeps_the_error_it_inherited() {
        let m = Math::F32;
        let third = m.div(Approx::exact(1.0), Approx::exact(3.0));
        let nothing = m.sub(third, Approx::exact(1.0 / 3.0));
        assert_eq!(nothing.v, 0.0);
        assert!(nothing.e >= third.e);
    }

    #[test]
    fn the_error_function_matches_known_values() {
        for (x, y) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (-2.0, -0.995_322_265_018_952_7),
            (3.5, 0.999_999_256_901_627_7),
        ] {
            assert!((erf(x) - y).abs() < 5e-15, "{x}: {} {y}", erf(x));
        }
    }

    #[test]
    fn values_beyond_single_precision_are_infinite() {
        assert_eq!(Math::F32.eltwise(Eltwise::Exp, Approx::exact(100.0), 0.0, 0.0), Approx::exact(f64::INFINITY));
    }
}
