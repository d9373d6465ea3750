//! Post-ops.

use std::ffi::c_int;

use oxidnn::desc::{self, DepthwiseConv, PostOp};
use oxidnn::{Error, Result};

use crate::boundary::{Status, status, value};
use crate::handle::{Const, Dim, Enum, Handle, Head, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::vocabulary::{AlgKind, DataType, PrimitiveKind};

/// What `dnnl_post_ops_t` points to.
#[repr(C)]
#[derive(Debug)]
pub struct PostOps {
    head: Head,
    ops: desc::PostOps,
    /// For each post-op the descriptors that its getter lends; boxed, so that appending moves none.
    descs: Vec<Option<Box<[MemoryDesc; 2]>>>,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for PostOps {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"pops"));
    const NAME: &'static str = "post-ops";
    type Owner = Box<PostOps>;
}

impl PostOps {
    /// The object for post-ops of the library.
    pub fn new(ops: desc::PostOps) -> PostOps {
        let descs = ops.iter().map(lendable).collect();
        PostOps { head: Head::new::<PostOps>(), ops, descs }
    }

    /// The library's post-ops.
    pub fn ops(&self) -> &desc::PostOps {
        &self.ops
    }

    fn push(&mut self, op: PostOp) -> Result<()> {
        let desc = lendable(&op);
        self.ops.push(op)?;
        self.descs.push(desc);
        Ok(())
    }

    fn op(&self, index: c_int) -> Result<&PostOp> {
        let op = usize::try_from(index).ok().and_then(|index| self.ops.get(index));
        op.ok_or_else(|| Error::invalid(format!("post-op {index} of {}", self.ops.len())))
    }
}

fn lendable(op: &PostOp) -> Option<Box<[MemoryDesc; 2]>> {
    match op {
        PostOp::Binary { src1, src2, .. } => {
            let src2 = src2.clone().unwrap_or(desc::MemoryDesc::ZERO);
            Some(Box::new([MemoryDesc::new(src1), MemoryDesc::new(&src2)]))
        }
        PostOp::Sum { .. } | PostOp::Eltwise { .. } | PostOp::DepthwiseConv(_) | PostOp::Prelu { .. } => None,
    }
}

fn another(kind: PrimitiveKind, op: &PostOp) -> Error {
    Error::invalid(format!("parameters of {kind} asked of a post-op of kind {}", op.kind()))
}

/// Creates an empty list of post-ops.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_create(post_ops: Out<Mut<PostOps>>) -> Status {
    status(|| post_ops.give_new(PostOps::new(desc::PostOps::new())))
}

/// Copies a list of post-ops.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_clone(post_ops: Out<Mut<PostOps>>, existing_post_ops: Const<PostOps>) -> Status {
    status(|| post_ops.give_new(PostOps::new(existing_post_ops.get()?.ops.clone())))
}

/// Destroys a list of post-ops.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_destroy(post_ops: Mut<PostOps>) -> Status {
    status(|| post_ops.destroy())
}

/// The number of post-ops in a list.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_len(post_ops: Opt<Const<PostOps>>) -> c_int {
    value(0, || Ok(post_ops.get()?.map_or(0, |post_ops| post_ops.ops.len() as c_int)))
}

/// The kind of a post-op, `dnnl_undefined_primitive` if there is none with that index.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_kind(post_ops: Opt<Const<PostOps>>, index: c_int) -> Enum<PrimitiveKind> {
    let undefined = PrimitiveKind::Undef;
    value(undefined, || {
        Ok(post_ops.get()?.and_then(|post_ops| post_ops.op(index).ok()).map_or(undefined, PostOp::kind))
    })
    .into()
}

/// Appends a sum: the result plus `scale * (dst - zero_point)`, with the bits of `dst` read as `data_type`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_sum(
    mut post_ops: Mut<PostOps>,
    scale: f32,
    zero_point: i32,
    data_type: Enum<DataType>,
) -> Status {
    status(|| {
        let data_type = data_type.get()?;
        post_ops.get_mut()?.push(PostOp::Sum { scale: scale.into(), zero_point, data_type })
    })
}

/// The parameters of a sum. Null pointers are left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_sum(
    post_ops: Const<PostOps>,
    index: c_int,
    scale: Opt<Out<f32>>,
    zero_point: Opt<Out<i32>>,
    data_type: Opt<Out<Enum<DataType>>>,
) -> Status {
    status(|| match post_ops.get()?.op(index)? {
        PostOp::Sum { scale: s, zero_point: z, data_type: t } => {
            scale.set(s.0);
            zero_point.set(*z);
            data_type.set((*t).into());
            Ok(())
        }
        op => Err(another(PrimitiveKind::Sum, op)),
    })
}

/// Appends an element-wise function.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_eltwise(
    mut post_ops: Mut<PostOps>,
    alg_kind: Enum<AlgKind>,
    alpha: f32,
    beta: f32,
) -> Status {
    status(|| {
        let alg = alg_kind.get()?;
        post_ops.get_mut()?.push(PostOp::Eltwise { alg, alpha: alpha.into(), beta: beta.into() })
    })
}

/// The parameters of an element-wise function. Null pointers are left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_eltwise(
    post_ops: Const<PostOps>,
    index: c_int,
    alg_kind: Opt<Out<Enum<AlgKind>>>,
    alpha: Opt<Out<f32>>,
    beta: Opt<Out<f32>>,
) -> Status {
    status(|| match post_ops.get()?.op(index)? {
        PostOp::Eltwise { alg, alpha: a, beta: b } => {
            alg_kind.set((*alg).into());
            alpha.set(a.0);
            beta.set(b.0);
            Ok(())
        }
        op => Err(another(PrimitiveKind::Eltwise, op)),
    })
}

/// Appends a depthwise convolution, which a 1x1 convolution can have.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_dw(
    mut post_ops: Mut<PostOps>,
    weights_data_type: Enum<DataType>,
    bias_data_type: Enum<DataType>,
    dst_data_type: Enum<DataType>,
    kernel_size: Dim,
    stride_size: Dim,
    padding_l_size: Dim,
) -> Status {
    status(|| {
        let conv = DepthwiseConv {
            weights: weights_data_type.get()?,
            bias: bias_data_type.get()?,
            dst: dst_data_type.get()?,
            kernel: kernel_size,
            stride: stride_size,
            padding: padding_l_size,
        };
        post_ops.get_mut()?.push(PostOp::DepthwiseConv(conv))
    })
}

/// The parameters of a depthwise convolution. Null pointers are left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_dw(
    post_ops: Const<PostOps>,
    index: c_int,
    weights_data_type: Opt<Out<Enum<DataType>>>,
    bias_data_type: Opt<Out<Enum<DataType>>>,
    dst_data_type: Opt<Out<Enum<DataType>>>,
    kernel_size: Opt<Out<Dim>>,
    stride_size: Opt<Out<Dim>>,
    padding_l_size: Opt<Out<Dim>>,
) -> Status {
    status(|| match post_ops.get()?.op(index)? {
        PostOp::DepthwiseConv(conv) => {
            weights_data_type.set(conv.weights.into());
            bias_data_type.set(conv.bias.into());
            dst_data_type.set(conv.dst.into());
            kernel_size.set(conv.kernel);
            stride_size.set(conv.stride);
            padding_l_size.set(conv.padding);
            Ok(())
        }
        op => Err(another(PrimitiveKind::Convolution, op)),
    })
}

/// Appends a function of the result and another tensor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_binary(
    post_ops: Mut<PostOps>,
    alg_kind: Enum<AlgKind>,
    src1_desc: Const<MemoryDesc>,
) -> Status {
    append_binary(post_ops, alg_kind, &src1_desc, None)
}

/// Appends a function of the result and up to two other tensors.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_binary_v2(
    post_ops: Mut<PostOps>,
    alg_kind: Enum<AlgKind>,
    src1_desc: Const<MemoryDesc>,
    src2_desc: Opt<Const<MemoryDesc>>,
) -> Status {
    append_binary(post_ops, alg_kind, &src1_desc, Some(&src2_desc))
}

#[track_caller]
fn append_binary(
    mut post_ops: Mut<PostOps>,
    alg_kind: Enum<AlgKind>,
    src1: &Const<MemoryDesc>,
    src2: Option<&Opt<Const<MemoryDesc>>>,
) -> Status {
    status(|| {
        let alg = alg_kind.get()?;
        let src1 = src1.get()?.desc()?;
        let src2 = match src2 {
            Some(src2) => desc_if_given(src2)?,
            None => None,
        };
        post_ops.get_mut()?.push(PostOp::Binary { alg, src1, src2 })
    })
}

/// The parameters of a binary post-op. Null pointers are left out; the descriptor stays the list's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_binary(
    post_ops: Const<PostOps>,
    index: c_int,
    alg_kind: Opt<Out<Enum<AlgKind>>>,
    src1_desc: Opt<Out<Const<MemoryDesc>>>,
) -> Status {
    get_params_binary(&post_ops, index, &alg_kind, &src1_desc, None)
}

/// The parameters of a binary post-op. Null pointers are left out; the descriptors stay the list's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_binary_v2(
    post_ops: Const<PostOps>,
    index: c_int,
    alg_kind: Opt<Out<Enum<AlgKind>>>,
    src1_desc: Opt<Out<Const<MemoryDesc>>>,
    src2_desc: Opt<Out<Const<MemoryDesc>>>,
) -> Status {
    get_params_binary(&post_ops, index, &alg_kind, &src1_desc, Some(&src2_desc))
}

#[track_caller]
fn get_params_binary(
    post_ops: &Const<PostOps>,
    index: c_int,
    alg_kind: &Opt<Out<Enum<AlgKind>>>,
    src1_desc: &Opt<Out<Const<MemoryDesc>>>,
    src2_desc: Option<&Opt<Out<Const<MemoryDesc>>>>,
) -> Status {
    status(|| {
        let post_ops = post_ops.get()?;
        let op = post_ops.op(index)?;
        let (PostOp::Binary { alg, .. }, Some(descs)) = (op, &post_ops.descs[index as usize]) else {
            return Err(another(PrimitiveKind::Binary, op));
        };
        alg_kind.set((*alg).into());
        src1_desc.set(Const::lend(&descs[0]));
        src2_desc.inspect(|src2_desc| src2_desc.set(Const::lend(&descs[1])));
        Ok(())
    })
}

/// Appends a parametric ReLU whose weights vary along the dimensions in `mask`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_append_prelu(mut post_ops: Mut<PostOps>, mask: c_int) -> Status {
    status(|| post_ops.get_mut()?.push(PostOp::Prelu { mask }))
}

/// The mask of a parametric ReLU. A null pointer is left out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_post_ops_get_params_prelu(
    post_ops: Const<PostOps>,
    index: c_int,
    mask: Opt<Out<c_int>>,
) -> Status {
    status(|| match post_ops.get()?.op(index)? {
        PostOp::Prelu { mask: m } => {
            mask.set(*m);
            Ok(())
        }
        op => Err(another(PrimitiveKind::Prelu, op)),
    })
}
