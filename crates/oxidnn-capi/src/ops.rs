//! Operations: creating the descriptors of the primitives that compute them.

use std::ffi::c_int;

use oxidnn::desc::{self, Binary, Concat, Eltwise, Matmul, Op, Reorder, Sum};
use oxidnn::{Error, Result};

use crate::attr::{Attr, attr_or_default};
use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, Enum, In, Mut, Opt, Out};
use crate::memory_desc::{MemoryDesc, desc_if_given};
use crate::primitive_desc::{Engines, PrimitiveDesc};
use crate::vocabulary::{AlgKind, PropKind};

/// Gives C the descriptor of an operation.
#[track_caller]
pub(crate) fn give(
    primitive_desc: &Out<Mut<PrimitiveDesc>>,
    engine: &Mut<Engine>,
    attr: &Opt<Const<Attr>>,
    op: impl FnOnce() -> Result<Op>,
) -> Status {
    status(|| {
        primitive_desc.check()?;
        let engine = engine.share()?;
        let desc = oxidnn::PrimitiveDesc::new(engine.engine(), op()?, &attr_or_default(attr)?)?;
        primitive_desc.give_new(PrimitiveDesc::new(desc, Engines { src: engine.clone(), dst: engine }))
    })
}

/// Creates a primitive descriptor of a reorder, which copies a tensor into another layout, type or engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_reorder_primitive_desc_create(
    reorder_primitive_desc: Out<Mut<PrimitiveDesc>>,
    src_desc: Const<MemoryDesc>,
    src_engine: Mut<Engine>,
    dst_desc: Const<MemoryDesc>,
    dst_engine: Mut<Engine>,
    attr: Opt<Const<Attr>>,
) -> Status {
    status(|| {
        reorder_primitive_desc.check()?;
        let engines = Engines { src: src_engine.share()?, dst: dst_engine.share()? };
        let op = Reorder::new(&src_desc.get()?.desc()?, &dst_desc.get()?.desc()?)?;
        let (src, dst) = (engines.src.engine(), engines.dst.engine());
        let desc = oxidnn::PrimitiveDesc::across(src, dst, op, &attr_or_default(&attr)?)?;
        reorder_primitive_desc.give_new(PrimitiveDesc::new(desc, engines))
    })
}

/// Creates a primitive descriptor of concatenation along one dimension. A null `dst_desc` leaves its layout open.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_concat_primitive_desc_create(
    concat_primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    dst_desc: Opt<Const<MemoryDesc>>,
    n: c_int,
    concat_dimension: c_int,
    src_descs: In<Const<MemoryDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&concat_primitive_desc, &engine, &attr, || {
        let axis = usize::try_from(concat_dimension)
            .map_err(|_| Error::invalid(format!("concatenation along dimension {concat_dimension}")))?;
        Ok(Concat::new(axis, &descs(&src_descs, n)?, desc_if_given(&dst_desc)?.as_ref())?.into())
    })
}

/// Creates a primitive descriptor of a sum of tensors, each with a factor. A null `dst_desc` leaves its layout open.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_sum_primitive_desc_create(
    sum_primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    dst_desc: Opt<Const<MemoryDesc>>,
    n: c_int,
    scales: In<f32>,
    src_descs: In<Const<MemoryDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&sum_primitive_desc, &engine, &attr, || {
        Ok(Sum::new(scales.list(n)?, &descs(&src_descs, n)?, desc_if_given(&dst_desc)?.as_ref())?.into())
    })
}

fn descs(list: &In<Const<MemoryDesc>>, n: c_int) -> Result<Vec<desc::MemoryDesc>> {
    if n <= 0 {
        return Err(Error::invalid(format!("{n} sources")));
    }
    list.list(n)?.iter().map(|md| md.get()?.desc()).collect()
}

/// Creates a primitive descriptor of a function of two tensors.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_binary_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    src0_desc: Const<MemoryDesc>,
    src1_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src0, src1, dst] = [src0_desc.get()?.desc()?, src1_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Binary::new(alg_kind.get()?, &src0, &src1, None, &dst)?.into())
    })
}

/// Creates a primitive descriptor of a function of up to three tensors.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_binary_primitive_desc_create_v2(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    src0_desc: Const<MemoryDesc>,
    src1_desc: Const<MemoryDesc>,
    src2_desc: Opt<Const<MemoryDesc>>,
    dst_desc: Const<MemoryDesc>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src0, src1, dst] = [src0_desc.get()?.desc()?, src1_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Binary::new(alg_kind.get()?, &src0, &src1, desc_if_given(&src2_desc)?.as_ref(), &dst)?.into())
    })
}

/// Creates a primitive descriptor of an element-wise function.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_eltwise_forward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    prop_kind: Enum<PropKind>,
    alg_kind: Enum<AlgKind>,
    src_desc: Const<MemoryDesc>,
    dst_desc: Const<MemoryDesc>,
    alpha: f32,
    beta: f32,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, dst] = [src_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Eltwise::forward(prop_kind.get()?, alg_kind.get()?, &src, &dst, alpha, beta)?.into())
    })
}

/// Creates a primitive descriptor of the gradient of an element-wise function. `data_desc` is the source of the forward
/// pass, or its destination for the algorithms that use that.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_eltwise_backward_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    alg_kind: Enum<AlgKind>,
    diff_src_desc: Const<MemoryDesc>,
    diff_dst_desc: Const<MemoryDesc>,
    data_desc: Const<MemoryDesc>,
    alpha: f32,
    beta: f32,
    hint_fwd_pd: Opt<Const<PrimitiveDesc>>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        hint_fwd_pd.get()?;
        let diff = [diff_src_desc.get()?.desc()?, diff_dst_desc.get()?.desc()?];
        let data = data_desc.get()?.desc()?;
        Ok(Eltwise::backward(alg_kind.get()?, &diff[0], &diff[1], &data, alpha, beta)?.into())
    })
}

/// Creates a primitive descriptor of a matrix product, with batches and a bias that null leaves out.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_matmul_primitive_desc_create(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    engine: Mut<Engine>,
    src_desc: Const<MemoryDesc>,
    weights_desc: Const<MemoryDesc>,
    bias_desc: Opt<Const<MemoryDesc>>,
    dst_desc: Const<MemoryDesc>,
    attr: Opt<Const<Attr>>,
) -> Status {
    give(&primitive_desc, &engine, &attr, || {
        let [src, weights, dst] = [src_desc.get()?.desc()?, weights_desc.get()?.desc()?, dst_desc.get()?.desc()?];
        Ok(Matmul::new(&src, &weights, desc_if_given(&bias_desc)?.as_ref(), &dst)?.into())
    })
}
