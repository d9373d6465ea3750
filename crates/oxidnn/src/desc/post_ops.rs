//! Post-ops: what happens to a primitive's result, element by element, before it is stored.

use std::fmt::Write;
use std::ops::Deref;

use super::eltwise::check_eltwise;
use super::float::Float;
use super::memory::{Format, MemoryDesc};
use super::types::{AlgKind, DataType, PrimitiveKind};
use crate::{Error, Result, Status, ensure};

/// The most post-ops a primitive can have.
pub const MAX_POST_OPS: usize = 32;

/// One step after the main operation. `x` is the result so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::large_enum_variant, reason = "lists of post-ops are short, and matching is easier without boxes")]
pub enum PostOp {
    /// `x + scale * (dst - zero_point)`, with the destination's values before execution.
    Sum {
        /// The factor of the previous value.
        scale: Float,
        /// What is subtracted from the previous value.
        zero_point: i32,
        /// How the previous bits are read; [`DataType::Undef`] for the destination's type.
        data_type: DataType,
    },
    /// A function of `x`.
    Eltwise {
        /// The function.
        alg: AlgKind,
        /// Its first parameter.
        alpha: Float,
        /// Its second parameter.
        beta: Float,
    },
    /// A depthwise convolution that follows a 1x1 convolution.
    DepthwiseConv(DepthwiseConv),
    /// A function of `x` and another tensor, which is broadcast along dimensions of one element.
    Binary {
        /// The function.
        alg: AlgKind,
        /// The other tensor.
        src1: MemoryDesc,
        /// The condition of [`AlgKind::BinarySelect`].
        src2: Option<MemoryDesc>,
    },
    /// `x` where it is positive, `x * weight` elsewhere. The weights vary along the dimensions in the mask.
    Prelu {
        /// The dimensions along which weights vary.
        mask: i32,
    },
}

/// The parameters of a depthwise convolution post-op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthwiseConv {
    /// The type of the weights.
    pub weights: DataType,
    /// The type of the bias; [`DataType::Undef`] for none.
    pub bias: DataType,
    /// The type of the result.
    pub dst: DataType,
    /// The extent of the filter, the same in each direction.
    pub kernel: i64,
    /// The step of the filter.
    pub stride: i64,
    /// The padding on the left and on the top.
    pub padding: i64,
}

impl PostOp {
    /// The primitive kind that the API reports for it.
    pub fn kind(&self) -> PrimitiveKind {
        match self {
            PostOp::Sum { .. } => PrimitiveKind::Sum,
            PostOp::Eltwise { .. } => PrimitiveKind::Eltwise,
            PostOp::DepthwiseConv(_) => PrimitiveKind::Convolution,
            PostOp::Binary { .. } => PrimitiveKind::Binary,
            PostOp::Prelu { .. } => PrimitiveKind::Prelu,
        }
    }
}

/// A list of up to [`MAX_POST_OPS`] post-ops. Reads like a slice.
///
/// ```
/// use oxidnn::desc::{AlgKind, PostOps};
/// let post_ops = PostOps::new().sum(0.5).unwrap().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0).unwrap();
/// assert_eq!(post_ops.len(), 2);
/// assert_eq!(post_ops.verbose(), "sum:0.5+eltwise_relu");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PostOps(Vec<PostOp>);

impl PostOps {
    /// No post-ops.
    pub fn new() -> PostOps {
        PostOps::default()
    }

    /// Adds the destination's previous value times `scale`.
    pub fn sum(self, scale: f32) -> Result<PostOps> {
        self.with(PostOp::Sum { scale: Float(scale), zero_point: 0, data_type: DataType::Undef })
    }

    /// Applies a function.
    pub fn eltwise(self, alg: AlgKind, alpha: f32, beta: f32) -> Result<PostOps> {
        self.with(PostOp::Eltwise { alg, alpha: Float(alpha), beta: Float(beta) })
    }

    /// Combines with another tensor.
    pub fn binary(self, alg: AlgKind, src1: MemoryDesc) -> Result<PostOps> {
        self.with(PostOp::Binary { alg, src1, src2: None })
    }

    /// Chooses between the result and another tensor where the condition is not zero.
    pub fn select(self, src1: MemoryDesc, condition: MemoryDesc) -> Result<PostOps> {
        self.with(PostOp::Binary { alg: AlgKind::BinarySelect, src1, src2: Some(condition) })
    }

    /// Applies a parametric relu.
    pub fn prelu(self, mask: i32) -> Result<PostOps> {
        self.with(PostOp::Prelu { mask })
    }

    /// Some of the list.
    pub(super) fn part(&self, positions: std::ops::Range<usize>) -> PostOps {
        PostOps(self.0[positions].to_vec())
    }

    /// Appends a depthwise convolution.
    pub fn depthwise_conv(self, conv: DepthwiseConv) -> Result<PostOps> {
        self.with(PostOp::DepthwiseConv(conv))
    }

    /// The list with one more post-op.
    pub fn with(mut self, post_op: PostOp) -> Result<PostOps> {
        self.push(post_op)?;
        Ok(self)
    }

    /// Appends a post-op after checking its parameters.
    pub fn push(&mut self, post_op: PostOp) -> Result<()> {
        if self.0.len() >= MAX_POST_OPS {
            return Err(Error::new(Status::OutOfMemory, format!("more than {MAX_POST_OPS} post-ops")));
        }
        check(&post_op)?;
        self.0.push(post_op);
        Ok(())
    }

    /// Replaces layouts left to the library: a tensor that is broadcast but for one dimension becomes row-major, any other
    /// gets the destination's layout.
    pub fn resolve(&mut self, dst: &MemoryDesc) -> Result<()> {
        for post_op in &mut self.0 {
            if let PostOp::Binary { src1, src2, .. } = post_op {
                for md in std::iter::once(src1).chain(src2) {
                    let is_vector = md.dims().iter().filter(|&&dim| dim != 1).count() <= 1;
                    *md = if is_vector { md.resolve_plain()? } else { md.resolve_like(dst)? };
                }
            }
        }
        Ok(())
    }

    /// The list as verbose lines print it.
    pub fn verbose(&self) -> String {
        self.0.iter().map(verbose).collect::<Vec<_>>().join("+")
    }
}

impl Deref for PostOps {
    type Target = [PostOp];

    fn deref(&self) -> &[PostOp] {
        &self.0
    }
}

fn check(post_op: &PostOp) -> Result<()> {
    match post_op {
        PostOp::Sum { scale, .. } => {
            ensure!(!scale.is_runtime_marker(), "the scale of a sum post-op must be known");
        }
        PostOp::Eltwise { alg, alpha, beta } => {
            check_eltwise(DataType::F32, *alg, alpha.0, beta.0)?;
            let known = !alpha.is_runtime_marker() && !beta.is_runtime_marker();
            ensure!(known, "the parameters of an eltwise post-op must be known");
        }
        PostOp::DepthwiseConv(conv) => {
            let typed = conv.weights != DataType::Undef && conv.dst != DataType::Undef;
            ensure!(typed, "a depthwise post-op needs types of weights and destination");
            let DepthwiseConv { kernel, stride, padding, .. } = *conv;
            ensure!(kernel > 0 && stride > 0, "a depthwise post-op of kernel {kernel} and stride {stride}");
            ensure!(padding < kernel, "a depthwise post-op whose kernel of {kernel} lies in its padding of {padding}");
        }
        PostOp::Binary { alg, src1, src2 } => {
            ensure!(alg.is_binary(), "{alg} is not an algorithm of binary post-ops");
            ensure!(!src1.has_runtime_dims(), "the dimensions of a binary post-op's tensor must be known");
            let needs_src2 = *alg == AlgKind::BinarySelect;
            ensure!(!needs_src2 || src2.is_some(), "a select post-op needs a condition");
            let known = src2.as_ref().is_none_or(|src2| !src2.has_runtime_dims());
            ensure!(known, "the dimensions of a select post-op's condition must be known");
        }
        PostOp::Prelu { .. } => {}
    }
    Ok(())
}

fn verbose(post_op: &PostOp) -> String {
    let mut text = String::new();
    match post_op {
        PostOp::Sum { scale, zero_point, data_type } => {
            text.push_str("sum");
            let has_type = *data_type != DataType::Undef;
            if scale.0 != 1.0 || *zero_point != 0 || has_type {
                let _ = write!(text, ":{scale}");
            }
            if *zero_point != 0 || has_type {
                let _ = write!(text, ":{zero_point}");
            }
            if has_type {
                let _ = write!(text, ":{data_type}");
            }
        }
        PostOp::Eltwise { alg, alpha, beta } => {
            text.push_str(alg.name());
            if alpha.0 != 0.0 || beta.0 != 0.0 {
                let _ = write!(text, ":{alpha}");
            }
            if beta.0 != 0.0 {
                let _ = write!(text, ":{beta}");
            }
        }
        PostOp::DepthwiseConv(conv) => {
            let _ = write!(text, "dw:k{}s{}p{}", conv.kernel, conv.stride, conv.padding);
            if conv.weights == DataType::S8 || conv.dst != DataType::F32 {
                let _ = write!(text, ":{}", conv.dst);
            }
        }
        PostOp::Binary { alg, src1, .. } => {
            let full = src1.dims().iter().enumerate().filter(|(_, dim)| **dim != 1);
            let mask: u32 = full.clone().map(|(d, _)| 1 << d).sum();
            let _ = write!(text, "{alg}:{}:{mask}", src1.data_type());
            match src1.format() {
                Format::Blocked(_) if full.count() > 1 => {
                    let _ = write!(text, ":{}", src1.tag_name());
                    let strides = src1.strides_text();
                    if !strides.is_empty() {
                        let _ = write!(text, ":{strides}");
                    }
                }
                Format::Any => text.push_str(":any"),
                Format::Sparse(_) => text.push_str(":grouped"),
                Format::Blocked(_) | Format::Transformed(_) | Format::Undef | Format::HostScalar => {}
            }
        }
        PostOp::Prelu { mask } => {
            let _ = write!(text, "prelu:{mask}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{FormatTag, RUNTIME_DIM};

    fn md(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
    }

    #[test]
    fn the_list_is_bounded() {
        let mut post_ops = PostOps::new();
        for _ in 0..32 {
            post_ops.push(PostOp::Prelu { mask: 2 }).unwrap();
        }
        assert_eq!(post_ops.push(PostOp::Prelu { mask: 2 }).unwrap_err().status(), Status::OutOfMemory);
    }

    #[test]
    fn wrong_parameters_are_invalid() {
        let conv = DepthwiseConv {
            weights: DataType::F32,
            bias: DataType::Undef,
            dst: DataType::F32,
            kernel: 3,
            stride: 1,
            padding: 1,
        };
        assert!(PostOps::new().depthwise_conv(conv).is_ok());
        let runtime = MemoryDesc::with_tag(&[RUNTIME_DIM, 2], DataType::F32, FormatTag::AB).unwrap();
        for result in [
            PostOps::new().sum(f32::from_bits(0x7fc0_00d0)),
            PostOps::new().eltwise(AlgKind::BinaryAdd, 0.0, 0.0),
            PostOps::new().eltwise(AlgKind::EltwiseClip, 1.0, 0.0),
            PostOps::new().binary(AlgKind::EltwiseAbs, md(&[2, 2])),
            PostOps::new().binary(AlgKind::BinarySelect, md(&[2, 2])),
            PostOps::new().binary(AlgKind::BinaryAdd, runtime),
            PostOps::new().depthwise_conv(DepthwiseConv { padding: 3, ..conv }),
            PostOps::new().depthwise_conv(DepthwiseConv { stride: 0, ..conv }),
            PostOps::new().depthwise_conv(DepthwiseConv { weights: DataType::Undef, ..conv }),
        ] {
            assert_eq!(result.unwrap_err().status(), Status::InvalidArguments);
        }
    }

    #[test]
    fn open_layouts_follow_the_destination() {
        let any = MemoryDesc::any(&[2, 16, 3, 3], DataType::F32).unwrap();
        let vector = MemoryDesc::any(&[1, 16, 1, 1], DataType::F32).unwrap();
        let dst = MemoryDesc::with_tag(&[2, 16, 3, 3], DataType::S8, FormatTag::NHWC).unwrap();
        let mut post_ops = PostOps::new().binary(AlgKind::BinaryAdd, any).unwrap();
        post_ops.push(PostOp::Binary { alg: AlgKind::BinaryMul, src1: vector, src2: None }).unwrap();
        assert_eq!(post_ops.verbose(), "binary_add:f32:15:any+binary_mul:f32:2:any");
        post_ops.resolve(&dst).unwrap();
        assert_eq!(post_ops.verbose(), "binary_add:f32:15:acdb+binary_mul:f32:2");
    }

    #[test]
    fn default_parameters_are_not_printed() {
        let post_ops = PostOps::new()
            .sum(1.0)
            .and_then(|list| list.with(PostOp::Sum { scale: Float(1.0), zero_point: 3, data_type: DataType::S8 }))
            .and_then(|list| list.eltwise(AlgKind::EltwiseLinear, 0.0, 2.0))
            .and_then(|list| list.prelu(2))
            .unwrap();
        assert_eq!(post_ops.verbose(), "sum+sum:1:3:s8+eltwise_linear:0:2+prelu:2");
    }
}
