//! What steps cost, roughly, in nanoseconds: enough to choose which axis lanes run over.
//!
//! A width of zero is a step that is the same in all lanes.

use crate::desc::DataType;
use crate::program::{BinaryOp, Ty, UnaryOp};

/// One turn of a loop.
pub const TURN: f64 = 4.0;

/// How the elements of an access lie for one lane after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stride {
    /// All the same element.
    One,
    /// Next to each other.
    Unit,
    /// At some stride.
    Other,
    /// Anywhere.
    None,
}

fn lanes(width: f64, each: f64) -> f64 {
    if width == 0.0 { 2.0 + each } else { 10.0 + width * each }
}

/// A step that is one instruction or two.
pub fn arithmetic(ty: Ty, width: f64) -> f64 {
    lanes(width, if matches!(ty, Ty::Index | Ty::F64) { 0.3 } else { 0.15 })
}

/// A function of one value.
pub fn unary(op: UnaryOp, width: f64) -> f64 {
    match op {
        UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Not | UnaryOp::ToBits | UnaryOp::FromBits | UnaryOp::Nearly(_) => {
            lanes(width, 0.15)
        }
        UnaryOp::Rint | UnaryOp::Floor | UnaryOp::Sqrt | UnaryOp::Quantize(_) => lanes(width, 1.0),
        _ => lanes(width, 5.0),
    }
}

/// A function of two values.
pub fn binary(op: BinaryOp, ty: Ty, width: f64) -> f64 {
    match op {
        BinaryOp::Pow => lanes(width, 10.0),
        BinaryOp::Div | BinaryOp::Rem if !ty.is_float() => lanes(width, 2.0),
        _ => arithmetic(ty, width),
    }
}

/// Random bits.
pub fn philox(width: f64) -> f64 {
    lanes(width, 10.0)
}

/// A load or a store.
pub fn access(data_type: DataType, stride: Stride, width: f64) -> f64 {
    const CALL: f64 = 20.0;
    let conversion = match data_type {
        DataType::F32 | DataType::F64 | DataType::S32 => 0.0,
        _ => 0.5,
    };
    CALL + match stride {
        Stride::One => 0.0,
        Stride::Unit => lanes(width, 0.1 + conversion),
        Stride::Other => lanes(width, 1.5 + conversion),
        Stride::None => lanes(width, 6.0 + conversion),
    }
}
