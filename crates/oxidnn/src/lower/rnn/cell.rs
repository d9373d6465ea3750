//! What cells are made of: activations of gates, bias, and the numbers of integer networks.

use super::Net;
use crate::Result;
use crate::desc::{AlgKind, RnnScales};
use crate::lower::activation::Activation;
use crate::lower::view::View;
use crate::program::{Expr, Ty};

impl<'b> Net<'_, 'b> {
    fn activation(&self, alg: AlgKind, alpha: f32, gate: usize, x: Expr<'b>) -> Result<Expr<'b>> {
        match self.attr.rnn_linear() {
            Some(linear) => Ok(x * self.b.scalar(linear.scales[gate].0)),
            None => Activation::new(self.b, alg, alpha, 0.0, Ty::F32).forward(x),
        }
    }

    /// A gate that opens from zero to one.
    pub fn sigmoid(&self, gate: usize, x: Expr<'b>) -> Result<Expr<'b>> {
        self.activation(AlgKind::EltwiseLogistic, 0.0, gate, x)
    }

    /// A gate between minus one and one.
    pub fn tanh(&self, gate: usize, x: Expr<'b>) -> Result<Expr<'b>> {
        self.activation(AlgKind::EltwiseTanh, 0.0, gate, x)
    }

    /// The gate of a vanilla cell.
    pub fn vanilla(&self, x: Expr<'b>) -> Result<Expr<'b>> {
        let cell = &self.op.cell;
        self.activation(cell.activation, cell.alpha.0, 0, x)
    }

    /// The gradient of a vanilla cell's gate before its activation, from that after it.
    pub fn vanilla_slope(&self, gradient: Expr<'b>, value: Expr<'b>) -> Result<Expr<'b>> {
        let cell = &self.op.cell;
        if let Some(linear) = self.attr.rnn_linear() {
            return Ok(gradient * value * self.b.scalar(linear.scales[0].0));
        }
        let from_result = match cell.activation {
            AlgKind::EltwiseTanh => AlgKind::EltwiseTanhUseDst,
            AlgKind::EltwiseLogistic => AlgKind::EltwiseLogisticUseDst,
            relu => relu,
        };
        Activation::new(self.b, from_result, cell.alpha.0, 0.0, Ty::F32).backward(gradient, value)
    }

    /// What LSTM makes of its second state.
    pub fn cell_output(&self, x: Expr<'b>) -> Expr<'b> {
        match self.attr.rnn_linear() {
            Some(linear) => x * self.b.scalar(linear.cell.0),
            None => x.tanh(),
        }
    }

    /// How much of the state before a step an update gate keeps, where attention may weaken it.
    pub fn kept(&self, update: Expr<'b>, time: Expr<'b>, n: Expr<'b>) -> Expr<'b> {
        match &self.attention {
            Some(attention) => update * (-attention.load(&[time, n, self.b.index(0)], Ty::F32) + 1.0),
            None => update,
        }
    }

    /// The number that a state stands for in memory.
    pub fn quantize(&self, x: Expr<'b>) -> Expr<'b> {
        if !self.op.is_integer() {
            return x;
        }
        let (scale, shift) = self.attr.rnn_data();
        x * self.b.scalar(scale) + self.b.scalar(shift)
    }

    /// The state that a number in memory stands for.
    pub fn dequantize(&self, x: Expr<'b>) -> Expr<'b> {
        self.dequantize_sum(x, 1.0)
    }

    /// The state that the sum of `count` numbers in memory stands for.
    pub fn dequantize_sum(&self, x: Expr<'b>, count: f32) -> Expr<'b> {
        if !self.op.is_integer() {
            return x;
        }
        let (scale, shift) = self.attr.rnn_data();
        (x - self.b.scalar(shift * count)) * self.b.scalar(1.0 / scale)
    }

    /// Factors that turn sums of products of integers into what they stand for.
    pub fn factors(&self, scales: &RnnScales) -> Result<Option<Factors<'b>>> {
        if !self.op.is_integer() {
            return Ok(None);
        }
        let factor = |scale: f32| 1.0 / (scale * self.attr.rnn_data().0);
        Ok(Some(match scales.mask {
            0 => Factors::Same(self.b.scalar(factor(scales.scales[0].0))),
            _ => {
                let numbers = scales.scales.iter().map(|scale| factor(scale.0)).collect();
                let tensor = self.b.table("factors", numbers);
                Factors::Each(Box::new(View::list(self.b, tensor, scales.scales.len() as i64)?))
            }
        }))
    }
}

/// What sums of products of integers are multiplied with.
pub(super) enum Factors<'b> {
    Same(Expr<'b>),
    Each(Box<View<'b>>),
}

impl<'b> Factors<'b> {
    /// The factor of an output.
    pub fn at(&self, output: Expr<'b>) -> Expr<'b> {
        match self {
            Factors::Same(factor) => *factor,
            Factors::Each(factors) => factors.load(&[output], Ty::F32),
        }
    }
}
