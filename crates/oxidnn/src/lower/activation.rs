//! The eltwise functions and their derivatives.

use crate::desc::AlgKind;
use crate::program::{Builder, Expr, Ty};
use crate::{Error, Result};

/// `sqrt(2 / pi)`.
const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
/// The cubic coefficient of the tanh form of GELU.
const GELU_CUBIC: f64 = 0.044_715;

/// From where on mish is its argument, but for far less than rounding.
const MISH_IS_LINEAR: f64 = 40.0;

/// The parameters of an eltwise function as expressions.
#[derive(Clone, Copy, Debug)]
pub struct Activation<'b> {
    alg: AlgKind,
    alpha: Expr<'b>,
    beta: Expr<'b>,
    /// A zero slope or exponent is a matter of structure: it makes a term vanish, even where the term is infinite.
    alpha_is_zero: bool,
    beta_is_zero: bool,
}

impl<'b> Activation<'b> {
    /// The function on values of type `ty`.
    pub fn new(b: &'b Builder, alg: AlgKind, alpha: f32, beta: f32, ty: Ty) -> Activation<'b> {
        let parameter = |value: f32| b.scalar(value).to(ty);
        let zero = b.constant(ty, 0.0);
        let (uses_alpha, uses_beta) = parameters(alg);
        Activation {
            alg,
            alpha: if uses_alpha { parameter(alpha) } else { zero },
            beta: if uses_beta { parameter(beta) } else { zero },
            alpha_is_zero: alpha == 0.0,
            beta_is_zero: beta == 0.0,
        }
    }

    /// The function's value.
    pub fn forward(&self, x: Expr<'b>) -> Result<Expr<'b>> {
        use AlgKind::*;
        let Activation { alpha, beta, .. } = *self;
        Ok(match self.alg {
            EltwiseRelu | EltwiseReluUseDst if self.alpha_is_zero => x.gt(0.0).select(x, 0.0),
            EltwiseRelu | EltwiseReluUseDst => x.gt(0.0).select(x, x * alpha),
            EltwiseTanh | EltwiseTanhUseDst => x.tanh(),
            EltwiseElu | EltwiseEluUseDst => x.gt(0.0).select(x, alpha * x.expm1()),
            EltwiseSquare => x * x,
            EltwiseAbs => x.abs(),
            EltwiseSqrt | EltwiseSqrtUseDst => x.sqrt(),
            EltwiseLinear => alpha * x + beta,
            EltwiseSoftRelu => soft_relu(alpha * x) * (x.number(1.0) / alpha),
            EltwiseHardsigmoid => (alpha * x + beta).clamp(0.0, 1.0),
            EltwiseLogistic | EltwiseLogisticUseDst => logistic(x),
            EltwiseExp | EltwiseExpUseDst => x.exp(),
            EltwiseGeluTanh => x * 0.5 * (gelu_argument(x).tanh() + 1.0),
            EltwiseSwish => x * logistic(alpha * x),
            EltwiseLog => x.log(),
            EltwiseClip | EltwiseClipV2 | EltwiseClipV2UseDst => x.clamp(alpha, beta),
            EltwisePow if self.beta_is_zero => alpha,
            EltwisePow => alpha * x.pow(beta),
            EltwiseGeluErf => x * x.phi(),
            EltwiseRound => x.rint(),
            EltwiseMish => x * mish_factor(x),
            EltwiseHardswish => x * (alpha * x + beta).clamp(0.0, 1.0),
            _ => return Err(Error::invalid(format!("{} is not an eltwise algorithm", self.alg))),
        })
    }

    /// The derivative times the incoming gradient; `x` is the argument, or the result for the `use_dst` algorithms.
    pub fn backward(&self, gradient: Expr<'b>, x: Expr<'b>) -> Result<Expr<'b>> {
        use AlgKind::*;
        let Activation { alpha, beta, .. } = *self;
        let d = gradient;
        Ok(match self.alg {
            EltwiseRelu | EltwiseReluUseDst if self.alpha_is_zero => x.gt(0.0).select(d, 0.0),
            EltwiseRelu | EltwiseReluUseDst => x.gt(0.0).select(d, d * alpha),
            EltwiseTanh => d * tanh_slope(x.tanh()),
            EltwiseTanhUseDst => d * tanh_slope(x),
            EltwiseElu => x.gt(0.0).select(d, d * alpha * x.exp()),
            EltwiseEluUseDst => x.gt(0.0).select(d, d * (x + alpha)),
            EltwiseSquare => d * x * 2.0,
            EltwiseAbs => x.gt(0.0).select(d, x.lt(0.0).select(-d, 0.0)),
            EltwiseSqrt => d * 0.5 * (x.number(1.0) / x.sqrt()),
            EltwiseSqrtUseDst => d / (x * 2.0),
            EltwiseLinear => d * alpha,
            EltwiseSoftRelu => d * logistic(alpha * x),
            EltwiseHardsigmoid => {
                let v = alpha * x + beta;
                (v.gt(0.0) & v.lt(1.0)).select(d * alpha, 0.0)
            }
            EltwiseLogistic => {
                let v = logistic(x);
                d * v * (-v + 1.0)
            }
            EltwiseLogisticUseDst => d * x * (-x + 1.0),
            EltwiseExp => d * x.exp(),
            EltwiseExpUseDst => d * x,
            EltwiseGeluTanh => {
                let t = gelu_argument(x).tanh();
                let slope = (x * x * (3.0 * GELU_CUBIC) + 1.0) * SQRT_2_OVER_PI;
                d * 0.5 * (t + 1.0) * (x * (-t + 1.0) * slope + 1.0)
            }
            EltwiseSwish => {
                let v = logistic(alpha * x);
                d * (v + x * alpha * v * (-v + 1.0))
            }
            EltwiseLog => d / x,
            EltwiseClip => (x.gt(alpha) & x.le(beta)).select(d, 0.0),
            EltwiseClipV2 | EltwiseClipV2UseDst => (x.gt(alpha) & x.lt(beta)).select(d, 0.0),
            EltwisePow if self.beta_is_zero => d * 0.0,
            EltwisePow => d * alpha * beta * x.pow(beta - 1.0),
            EltwiseGeluErf => {
                let density = (x * x * -0.5).exp() * (0.5 * SQRT_2_OVER_PI);
                d * (x.phi() + x * density)
            }
            EltwiseMish => {
                // With e and n as in `mish_factor`, tanh' is 4 (e + 1)^2 / (n + 2)^2 and the slope within it e / (e + 1).
                let x = x.gt(MISH_IS_LINEAR).select(x.number(MISH_IS_LINEAR), x);
                let e = x.exp();
                let n = e * (e + 2.0);
                let inverse = x.number(1.0) / (n + 2.0);
                d * inverse * (n + x * (e * 4.0 * ((e + 1.0) * inverse)))
            }
            EltwiseHardswish => {
                let v = alpha * x + beta;
                v.le(0.0).select(d * 0.0, v.ge(1.0).select(d, d * (alpha * x * 2.0 + beta)))
            }
            _ => return Err(Error::unimplemented(format!("{} has no backward form", self.alg))),
        })
    }
}

/// Whether an algorithm uses alpha, and beta.
fn parameters(alg: AlgKind) -> (bool, bool) {
    use AlgKind::*;
    match alg {
        EltwiseRelu | EltwiseReluUseDst | EltwiseElu | EltwiseEluUseDst | EltwiseSoftRelu | EltwiseSwish => {
            (true, false)
        }
        EltwiseLinear | EltwiseHardsigmoid | EltwiseClip | EltwiseClipV2 | EltwiseClipV2UseDst | EltwisePow
        | EltwiseHardswish => (true, true),
        _ => (false, false),
    }
}

fn logistic(x: Expr<'_>) -> Expr<'_> {
    let denominator = (-x).exp() + 1.0;
    x.number(1.0) / denominator
}

/// `log(1 + exp(x))`, without overflow.
fn soft_relu(x: Expr<'_>) -> Expr<'_> {
    x.max(0.0) + (-x.abs()).exp().log1p()
}

/// `tanh(log(1 + exp(x)))`, which is `n / (n + 2)` with `n = exp(x) * (exp(x) + 2)`; one long before the exponential
/// overflows.
fn mish_factor(x: Expr<'_>) -> Expr<'_> {
    let e = x.min(MISH_IS_LINEAR).exp();
    let n = e * (e + 2.0);
    n / (n + 2.0)
}

/// The derivative of tanh from its value; factored so that it keeps its precision near one.
fn tanh_slope(t: Expr<'_>) -> Expr<'_> {
    (-t + 1.0) * (t + 1.0)
}

fn gelu_argument(x: Expr<'_>) -> Expr<'_> {
    x * (x * x * GELU_CUBIC + 1.0) * SQRT_2_OVER_PI
}
