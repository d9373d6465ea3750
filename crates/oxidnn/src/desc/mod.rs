//! What the user asked for, validated. Nothing here knows of devices or kernels.

mod types;

pub use types::*;
