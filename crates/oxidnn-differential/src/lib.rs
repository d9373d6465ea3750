//! Drives two libraries that speak oneDNN's C API with the same calls and compares what they compute.
//!
//! A case is generated from a seed, so it is never stored: a failure prints the arguments that make it again. Three parties
//! answer it: the *reference* (oneDNN's own CPU library), the library *under test*, and the [`oracle`], a plain evaluation
//! in `f64` that also bounds the error an honest single-precision computation may make. Each library lives in a
//! [`worker`] process of its own: they need different loader paths and OpenCL drivers, and a crash in one is a verdict,
//! not the end of the run.
//!
//! What a newcomer would get wrong: a tolerance is never a constant. The oracle carries an error bound along with each value,
//! and an output is right when it lies between the roundings of the two ends (see [`compare`]).

#![forbid(unsafe_code)]

pub use dnnl_dynamic::{api, dtype, handle, layout};

pub mod attributes;
pub mod case;
pub mod cases;
pub mod compare;
pub mod known;
pub mod oracle;
pub mod outcome;
mod philox;
pub mod prove;
pub mod report;
pub mod rng;
pub mod run;
pub mod tape;
pub mod worker;
