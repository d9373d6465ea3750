//! From a stage to something that runs: OpenCL C text for devices, a Rust evaluator for the host.
//!
//! Codegen translates nodes; which loops run where, and how wide, is a schedule's choice.

mod args;
pub mod float;
pub mod host;
pub mod opencl;

pub use args::{Param, ParamBlock, Slot};
