//! What the user asked for, validated. Nothing here knows of devices or kernels.

pub mod arg;
mod attr;
mod dims;
mod eltwise;
mod float;
mod memory;
mod post_ops;
mod tag;
mod types;

pub use attr::*;
pub use dims::*;
pub use float::*;
pub use memory::*;
pub use post_ops::*;
pub use tag::*;
pub use types::*;
