//! What the bits of a value that is no number can be.
//!
//! A float is rounded to bf16 by adding to its bits, which carries out of a NaN whose bits are all ones. Types as short as bf16 have no such NaN,
//! and what operations make of theirs keeps their bits or has one of its own; so most values of such types need not be asked.

use std::collections::BTreeSet;

use super::whole::is_part_of_bf16;
use super::*;

impl Program {
    /// Whether a NaN stays one if a value is rounded to bf16 by adding to its bits. Of `known` values it does.
    pub fn rounds_nans(&self, e: E, known: &[E]) -> bool {
        use BinaryOp::{Add, Div, Max, Min, Mul, Sub};
        use UnaryOp::{Abs, Exp, Expm1, Floor, Log1p, Neg, Phi, Rint, Sqrt, Tanh};
        let (mut left, mut seen) = (vec![e], BTreeSet::new());
        while let Some(e) = left.pop() {
            if !seen.insert(e) || known.contains(&e) {
                continue;
            }
            match *self.node(e) {
                _ if self.ty(e) != Ty::F32 => return false,
                Node::Load { tensor, .. } => {
                    let data_type = self.tensor(tensor).data_type;
                    if !is_part_of_bf16(data_type) && !data_type.is_integer() {
                        return false;
                    }
                }
                // Arguments that are none have the bits of this one.
                Node::F32(bits) if !f32::from_bits(bits).is_nan() || bits == f32::NAN.to_bits() => {}
                Node::Scalar(_) => {}
                Node::Convert(_, x) if matches!(self.ty(x), Ty::S32 | Ty::Index | Ty::Bool) => {}
                // These are operations of devices, or of the prelude; of others nobody knows.
                Node::Unary(Neg | Abs | Sqrt | Exp | Expm1 | Log1p | Tanh | Phi | Rint | Floor, x) => left.push(x),
                Node::Binary(Add | Sub | Mul | Div | Min | Max, a, b) | Node::Select(_, a, b) => left.extend([a, b]),
                Node::Reduce { body, .. } => left.push(body),
                _ => return false,
            }
        }
        true
    }
}
