//! Deep-learning primitives that run inside the caller's own OpenCL or Level Zero objects.

mod error;

pub mod codegen;
pub mod desc;
mod lower;
pub mod program;
pub mod runtime;

pub use error::{Error, Result, Status};
