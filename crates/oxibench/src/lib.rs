//! The parts of `oxibench`, the tool that measures and checks any library with oneDNN's C API.
//!
//! Problems are named benchdnn's way ([`batch`], [`spec`], [`problem`]). A library lives in a process of its own ([`worker`],
//! [`session`]), so that ours and the one it is compared with share neither a loader path nor threads; [`measure`] gives them turns,
//! [`check`] holds their results together. [`table`] and [`html`] print what was found.

#![forbid(unsafe_code)]

pub mod batch;
pub mod check;
pub mod cli;
pub mod compare;
pub mod fields;
pub mod html;
pub mod measure;
pub mod peak;
pub mod problem;
pub mod session;
pub mod spec;
pub mod table;
pub mod tag;
pub mod worker;
