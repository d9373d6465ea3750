//! Nodes to OpenCL C.
//!
//! An [`Emitter`] writes the body of one kernel. Schedules open and close scopes, bind axes to variables and ask for
//! values; the emitter writes each node once per scope, converts between storage and value types, and remembers which
//! prelude functions the text needs. With [`lanes`](Emitter::set_lanes) set, everything that depends on the lane axis is
//! a vector.
//!
//! The text is OpenCL C 1.2 without extensions, except doubles where a program has them.

mod emit;
mod functions;
mod loads;
mod operations;
mod prelude;
mod reductions;
mod rename;
mod stores;

pub use emit::{Emitter, Value};
pub use loads::Cache;

use crate::codegen::Slot;
use crate::desc::DataType;
use crate::program::{TensorId, Ty};

/// What goes behind a buffer of the work-item, so that no vector is in two cache lines.
pub const ALIGNED: &str = "__attribute__((aligned(64)))";

/// One kernel as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelSource {
    /// The name of the entry point.
    pub entry: String,
    /// The whole translation unit.
    pub text: String,
    /// The tensors, in the order of the arguments.
    pub tensors: Vec<TensorId>,
    /// The arguments that follow the tensors.
    pub slots: Vec<Slot>,
}

/// The C type that stores an element.
fn storage(data_type: DataType) -> &'static str {
    use DataType::*;
    match data_type {
        F32 => "float",
        F64 => "double",
        F16 => "half",
        Bf16 => "ushort",
        S32 => "int",
        S64 => "long",
        S8 => "char",
        U8 | Boolean | F8E5m2 | F8E4m3 | E8m0 | S4 | U4 | F4E2m1 | F4E3m0 | Undef => "uchar",
    }
}

/// The type of an element's bits, of which OpenCL C has vectors.
fn bits(data_type: DataType) -> &'static str {
    if data_type == DataType::F16 { "ushort" } else { storage(data_type) }
}

/// The value type an element naturally has when loaded.
fn natural(data_type: DataType) -> Ty {
    use DataType::*;
    match data_type {
        S32 | S8 | U8 | S4 | U4 | Boolean | S64 => Ty::S32,
        F64 => Ty::F64,
        _ => Ty::F32,
    }
}
