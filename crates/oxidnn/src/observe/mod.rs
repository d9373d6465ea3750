//! What the library tells of itself: verbose lines, profiling data, texts of kernels, and the environment variables that ask for them.
//!
//! Nothing here decides anything. The fact a newcomer gets wrong: verbose lines go to *stdout*, as oneDNN's do, and at the
//! level `error`, which is on unless `ONEDNN_VERBOSE=0`.

#[cfg(test)]
pub(crate) mod child;
mod dump;
pub mod env;
mod pending;
pub mod profiling;
pub mod verbose;

pub(crate) use dump::kernel as dump_kernel;
pub use dump::set_dump;
pub use env::Settings;
pub use pending::Pending;
pub use profiling::{Profiler, ProfilingKind};
