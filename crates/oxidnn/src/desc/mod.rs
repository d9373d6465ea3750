//! What the user asked for, validated. Nothing here knows of devices or kernels.
//!
//! A tensor is a [`MemoryDesc`], what happens besides an operation is an [`Attr`], and each operation has a file with its
//! description: its tensors and parameters, and the rules they must keep. [`Op`] is any of them.

pub mod arg;
mod attr;
mod binary;
mod check;
mod concat;
mod convolution;
mod dims;
mod eltwise;
mod float;
mod gemm;
mod inner_product;
mod layer;
mod lrn;
mod matmul;
mod memory;
mod normalization;
mod op;
mod pooling;
mod post_ops;
mod prelu;
mod quant;
mod reduction;
mod reorder;
mod resampling;
mod rnn;
mod sdpa;
mod shuffle;
mod softmax;
mod specify;
mod sum;
mod support;
mod tag;
mod types;
mod winograd;

pub use attr::*;
pub use binary::*;
pub use concat::*;
pub use convolution::*;
pub use dims::*;
pub use eltwise::*;
pub use float::*;
pub use gemm::*;
pub use inner_product::*;
pub use layer::Layer;
pub use lrn::*;
pub use matmul::*;
pub use memory::*;
pub use normalization::*;
pub use op::*;
pub use pooling::*;
pub use post_ops::*;
pub use prelu::*;
pub use quant::*;
pub use reduction::*;
pub use reorder::*;
pub use resampling::*;
pub use rnn::*;
pub use sdpa::*;
pub use shuffle::*;
pub use softmax::*;
pub use sum::*;
pub use tag::*;
pub use types::*;
pub(crate) use winograd::{
    WINOGRAD_OUTPUT, WINOGRAD_TILE, WinogradOrder, WinogradParts, WinogradResults, winograd_stride,
};
