//! Operations, and what is the same for all of them: execution arguments, attributes, verbose text.

use super::arg;
use super::attr::Attr;
use super::dims::Dims;
use super::memory::MemoryDesc;
use super::post_ops::PostOp;
use super::quant::Quant;
use super::tag::Layout;
use super::types::{DataType, PrimitiveKind, PropKind};
use crate::Result;

/// Whether an execution argument is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is read.
    Input,
    /// It is written.
    Output,
}

/// An execution argument of a primitive.
///
/// The tensors of attributes (scales, zero points, prelu weights) may also be passed in any other shape that holds the same
/// elements in the same order, such as without the dimensions of one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArgDesc {
    /// Its number, see [`arg`].
    pub arg: i32,
    /// What it must hold.
    pub md: MemoryDesc,
    /// Whether it is read or written.
    pub role: Role,
}

impl ArgDesc {
    pub(super) fn input(arg: i32, md: &MemoryDesc) -> ArgDesc {
        ArgDesc { arg, md: md.clone(), role: Role::Input }
    }

    pub(super) fn output(arg: i32, md: &MemoryDesc) -> ArgDesc {
        ArgDesc { arg, md: md.clone(), role: Role::Output }
    }
}

/// The gradients of an operation with one source and one destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diff {
    /// The gradient of the source.
    pub src: MemoryDesc,
    /// The gradient of the destination.
    pub dst: MemoryDesc,
}

/// What every description of an operation can tell.
pub trait Operation {
    /// Its kind.
    fn kind(&self) -> PrimitiveKind;

    /// The pass it belongs to.
    fn prop_kind(&self) -> PropKind {
        PropKind::Undef
    }

    /// The execution arguments of the operation itself, without those of attributes.
    fn tensors(&self) -> Vec<ArgDesc>;

    /// The output that post-ops and dropout apply to.
    fn dst(&self) -> &MemoryDesc;

    /// Replaces layouts that were left to the library.
    fn resolve(&mut self) -> Result<()>;

    /// Checks that it can be done with these attributes.
    fn check_attr(&self, attr: &Attr) -> Result<()>;

    /// The tensors as verbose lines show them: a label and the tensor each.
    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)>;

    /// The parameters as verbose lines show them.
    fn verbose_parameters(&self) -> String {
        String::new()
    }

    /// The shape as verbose lines show it.
    fn verbose_shape(&self) -> String;
}

/// From one list: the enumeration, a match over all of it, and conversions to it.
macro_rules! operations {
    ($($file:ident::$name:ident)+) => {
        $(use super::$file::$name;)+

        /// Any operation.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[allow(clippy::large_enum_variant, reason = "there are few of them, and matching is easier without boxes")]
        #[allow(missing_docs)]
        pub enum Op {
            $($name($name),)+
        }

        impl Op {
            /// The operation behind the common interface.
            pub fn operation(&self) -> &dyn Operation {
                match self {
                    $(Op::$name(op) => op,)+
                }
            }

            fn operation_mut(&mut self) -> &mut dyn Operation {
                match self {
                    $(Op::$name(op) => op,)+
                }
            }
        }

        $(impl From<$name> for Op {
            fn from(op: $name) -> Op {
                Op::$name(op)
            }
        })+
    };
}

operations! {
    reorder::Reorder
    eltwise::Eltwise
    binary::Binary
    sum::Sum
    concat::Concat
    matmul::Matmul
    inner_product::InnerProduct
    convolution::Convolution
    lrn::Lrn
    resampling::Resampling
    shuffle::Shuffle
    prelu::Prelu
    pooling::Pooling
    reduction::Reduction
    normalization::Normalization
    softmax::Softmax
    rnn::Rnn
    sdpa::Sdpa
}

impl Op {
    /// Its kind.
    pub fn kind(&self) -> PrimitiveKind {
        self.operation().kind()
    }

    /// The pass it belongs to.
    pub fn prop_kind(&self) -> PropKind {
        self.operation().prop_kind()
    }

    /// Checks that it can be done with these attributes.
    pub fn check_attr(&self, attr: &Attr) -> Result<()> {
        self.operation().check_attr(attr)
    }

    /// Replaces layouts that were left to the library, in the operation and in its attributes.
    pub fn resolve(&mut self, attr: &mut Attr) -> Result<()> {
        self.operation_mut().resolve()?;
        if let Op::Convolution(op) = self {
            op.fuse(attr)?;
        }
        attr.resolve(self.operation().dst())
    }

    /// All execution arguments except the scratchpad.
    ///
    /// ```
    /// use oxidnn::desc::{AlgKind, Attr, DataType, Eltwise, MemoryDesc, Op, PostOps, PropKind, arg};
    /// let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None).unwrap();
    /// let relu = Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseRelu, &md, &md, 0.0, 0.0).unwrap();
    /// let attr = Attr::new().with_post_ops(PostOps::new().binary(AlgKind::BinaryAdd, md).unwrap());
    /// let args: Vec<i32> = Op::from(relu).args(&attr).unwrap().iter().map(|arg| arg.arg).collect();
    /// assert_eq!(args, [arg::SRC, arg::DST, arg::post_op(0) | arg::SRC_1]);
    /// ```
    pub fn args(&self, attr: &Attr) -> Result<Vec<ArgDesc>> {
        let mut args = self.operation().tensors();
        let mut extra = Vec::new();
        let quant = |base: i32, arg: i32, quant: &Quant| -> Result<Option<ArgDesc>> {
            // The result of a fused convolution is the destination, by either name.
            let known = if arg == arg::ATTR_POST_OP_DW | arg::DST { arg::DST } else { arg };
            let Some(of) = args.iter().find(|desc| desc.arg == known) else { return Ok(None) };
            let role = if quant.is_dynamic() { Role::Output } else { Role::Input };
            Ok(Some(ArgDesc { arg: base | arg, md: quant.memory_desc(&of.md)?, role }))
        };
        for (&arg, scales) in attr.all_scales() {
            extra.extend(quant(arg::ATTR_SCALES, arg, scales)?);
        }
        for (&arg, zero_points) in attr.all_zero_points() {
            extra.extend(quant(arg::ATTR_ZERO_POINTS, arg, zero_points)?);
        }
        for (&arg, reductions) in attr.all_precomputed_reductions() {
            extra.extend(quant(arg::ATTR_PRECOMPUTED_REDUCTIONS, arg, reductions)?);
        }
        args.extend(extra);

        let dst = self.operation().dst();
        for (i, post_op) in attr.post_ops().iter().enumerate() {
            match post_op {
                PostOp::Binary { src1, src2, .. } => {
                    args.push(ArgDesc::input(arg::post_op(i) | arg::SRC_1, src1));
                    args.extend(src2.iter().map(|src2| ArgDesc::input(arg::post_op(i) | arg::SRC_2, src2)));
                }
                PostOp::Prelu { mask } => {
                    args.push(ArgDesc::input(arg::post_op(i) | arg::WEIGHTS, &prelu_weights(*mask, dst)?));
                }
                PostOp::Sum { .. } | PostOp::Eltwise { .. } | PostOp::DepthwiseConv(_) => {}
            }
        }
        if let Some(dropout) = attr.dropout() {
            let scalar = |data_type| match dropout.use_host_scalars {
                true => MemoryDesc::host_scalar(data_type),
                false => MemoryDesc::with_strides(&[1], data_type, None),
            };
            if !dropout.mask.is_zero() {
                args.push(ArgDesc::output(arg::ATTR_DROPOUT_MASK, &dropout.mask));
            }
            args.push(ArgDesc::input(arg::ATTR_DROPOUT_PROBABILITY, &scalar(DataType::F32)?));
            args.push(ArgDesc::input(arg::ATTR_DROPOUT_SEED, &scalar(dropout.seed)?));
            if dropout.use_offset {
                args.push(ArgDesc::input(arg::ATTR_DROPOUT_OFFSET, &scalar(DataType::S64)?));
            }
        }
        if !attr.all_rounding().is_empty() {
            let seed = MemoryDesc::with_strides(&[1], DataType::S32, None)?;
            args.push(ArgDesc::input(arg::ATTR_ROUNDING_SEED, &seed));
        }
        Ok(args)
    }

    /// The problem as verbose lines print it: tensors, attributes, parameters and shape, separated by commas.
    ///
    /// `asked` is the same operation before [`resolve`](Op::resolve), which tells the layouts that were left open.
    pub fn verbose(&self, asked: &Op, attr: &Attr) -> String {
        let (op, asked) = (self.operation(), asked.operation());
        let tensors: Vec<String> = op
            .verbose_tensors()
            .into_iter()
            .zip(asked.verbose_tensors())
            .map(|((label, md), (_, asked))| match label {
                // The bias of a product also tells along which dimensions it is not broadcast.
                "bia" if op.kind() == PrimitiveKind::Matmul => {
                    format!("{label}:{}_mask{}", md.verbose(asked.is_any()), full_dims_mask(md))
                }
                _ => format!("{label}:{}", md.verbose(asked.is_any())),
            })
            .collect();
        format!("{},{},{},{}", tensors.join(" "), attr.verbose(), op.verbose_parameters(), op.verbose_shape())
    }
}

/// A bit for each dimension that has not one element.
fn full_dims_mask(md: &MemoryDesc) -> u32 {
    md.dims().iter().enumerate().filter(|(_, dim)| **dim != 1).map(|(d, _)| 1 << d).sum()
}

/// A bit for each dimension that is only known at execution.
pub(super) fn runtime_dims_mask(md: &MemoryDesc) -> u32 {
    md.dims().iter().enumerate().filter(|(_, dim)| **dim == super::RUNTIME_DIM).map(|(d, _)| 1 << d).sum()
}

/// The weights of a prelu post-op: f32, dense, with the second dimension innermost.
pub(crate) fn prelu_weights(mask: i32, dst: &MemoryDesc) -> Result<MemoryDesc> {
    let ndims = dst.ndims();
    let dims: Dims = dst.dims().iter().enumerate().map(|(d, &dim)| if mask >> d & 1 == 1 { dim } else { 1 }).collect();
    let order = (0..ndims).filter(|&d| d != 1).chain((ndims > 1).then_some(1)).collect();
    MemoryDesc::with_layout(&dims, DataType::F32, &Layout { order, inner: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::{AlgKind, Dropout, FormatTag, PostOps, RoundingMode};

    fn md(dims: &[i64]) -> MemoryDesc {
        MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
    }

    fn matmul() -> Op {
        Matmul::new(&md(&[2, 64]), &md(&[64, 3]), None, &md(&[2, 3])).unwrap().into()
    }

    #[test]
    fn every_attribute_adds_its_arguments() {
        let post_ops = PostOps::new()
            .sum(1.0)
            .and_then(|list| list.select(md(&[2, 3]), md(&[1, 3])))
            .and_then(|list| list.prelu(2))
            .unwrap();
        let dropout = Dropout {
            mask: md(&[2, 3]).with_data_type(DataType::U8),
            seed: DataType::S64,
            use_offset: true,
            use_host_scalars: true,
        };
        let attr = Attr::new()
            .with_scales(arg::WEIGHTS, Quant::scales(3).groups(&[32, 1]).unwrap())
            .and_then(|attr| attr.with_scales(arg::SRC, Quant::scales(0).on_host()))
            .and_then(|attr| attr.with_zero_points(arg::DST, Quant::zero_points(2)))
            .and_then(|attr| attr.with_dropout(dropout))
            .and_then(|attr| attr.with_rounding(arg::DST, RoundingMode::Stochastic))
            .unwrap()
            .with_post_ops(post_ops);
        let args = matmul().args(&attr).unwrap();
        let find = |arg: i32| args.iter().find(|desc| desc.arg == arg).unwrap_or_else(|| panic!("{arg}"));
        assert_eq!(args.len(), 3 + 3 + 3 + 4 + 1);
        assert_eq!(*find(arg::ATTR_SCALES | arg::WEIGHTS).md.dims(), [2, 3]);
        assert!(find(arg::ATTR_SCALES | arg::SRC).md.is_host_scalar());
        assert_eq!(*find(arg::ATTR_ZERO_POINTS | arg::DST).md.dims(), [1, 3]);
        assert_eq!(*find(arg::post_op(1) | arg::SRC_2).md.dims(), [1, 3]);
        assert_eq!(*find(arg::post_op(2) | arg::WEIGHTS).md.dims(), [1, 3]);
        assert_eq!(find(arg::ATTR_DROPOUT_MASK).role, Role::Output);
        assert!(find(arg::ATTR_DROPOUT_SEED).md.is_host_scalar());
        assert_eq!(find(arg::ATTR_DROPOUT_OFFSET).md.data_type(), DataType::S64);
        assert_eq!(find(arg::ATTR_ROUNDING_SEED).md.data_type(), DataType::S32);
    }

    #[test]
    fn prelu_weights_have_channels_innermost() {
        let weights = prelu_weights(15, &md(&[2, 3, 4, 5])).unwrap();
        assert!(weights.matches_tag(FormatTag::NHWC));
        assert_eq!(*prelu_weights(1, &md(&[7])).unwrap().dims(), [7]);
    }

    #[test]
    fn verbose_tells_what_was_asked_and_what_was_chosen() {
        let any = |dims: &[i64]| MemoryDesc::any(dims, DataType::F32).unwrap();
        let asked = Op::from(Matmul::new(&md(&[2, 4]), &any(&[4, 3]), Some(&md(&[1, 3])), &any(&[2, 3])).unwrap());
        let mut op = asked.clone();
        let mut attr = Attr::new().with_post_ops(PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0).unwrap());
        op.resolve(&mut attr).unwrap();
        assert_eq!(
            op.verbose(&asked, &attr),
            "src:f32::blocked:ab::f0 wei:f32:a:blocked:ab::f0 bia:f32::blocked:ab::f0_mask2 dst:f32:a:blocked:ab::f0,\
             attr-post-ops:eltwise_relu,,2x4:4x3"
        );
    }
}
