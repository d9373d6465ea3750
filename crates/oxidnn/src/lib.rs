//! Deep-learning primitives that run inside the caller's own OpenCL or Level Zero objects.

mod engine;
mod error;
mod memory;
mod stream;

pub mod codegen;
pub mod desc;
pub mod interop;
mod lower;
pub mod observe;
pub mod primitive;
pub mod program;
pub mod runtime;
mod schedule;

pub use engine::Engine;
pub use error::{Error, Result, Status};
pub use memory::{Element, Memory};
pub use primitive::{Primitive, PrimitiveDesc};
pub use stream::Stream;

/// The examples of the front page are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FrontPage;
