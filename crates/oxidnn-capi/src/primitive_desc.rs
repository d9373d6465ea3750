//! Primitive descriptors: what is the same for every operation. [`ops`](crate::ops) creates them.

use std::collections::HashMap;
use std::ffi::{CString, c_int};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use oxidnn::desc::{self, Op, arg};
use oxidnn::{Error, Result};

use crate::attr::Attr;
use crate::boundary::{Status, query_status, status, value};
use crate::engine::Engine;
use crate::handle::{Const, Dim, Enum, Handle, Head, Mut, Out, Untyped};
use crate::memory_desc::MemoryDesc;
use crate::op_queries;
use crate::vocabulary::{AlgKind, PrimitiveKind, PropKind, Query};

/// What `dnnl_primitive_desc_t` points to.
#[repr(C)]
#[derive(Debug)]
pub struct PrimitiveDesc {
    head: Head,
    desc: oxidnn::PrimitiveDesc,
    engines: Engines,
    lent: Lent,
}

/// The engines of a descriptor by the handles it was made with; only reorders can have different ones.
#[derive(Clone, Debug)]
pub struct Engines {
    /// Of the source.
    pub src: Arc<Engine>,
    /// Of the destination.
    pub dst: Arc<Engine>,
}

/// What queries lend, made when first asked for. It does not move while the descriptor lives.
#[derive(Debug, Default)]
struct Lent {
    attr: OnceLock<Attr>,
    implementation: OnceLock<CString>,
    cache_blob_id: OnceLock<Vec<u8>>,
    descs: Mutex<HashMap<c_int, Box<MemoryDesc>>>,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for PrimitiveDesc {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"pdsc"));
    const NAME: &'static str = "primitive descriptor";
    type Owner = Box<PrimitiveDesc>;
}

impl PrimitiveDesc {
    /// The object for a descriptor of the library.
    pub fn new(desc: oxidnn::PrimitiveDesc, engines: Engines) -> PrimitiveDesc {
        PrimitiveDesc { head: Head::new::<PrimitiveDesc>(), desc, engines, lent: Lent::default() }
    }

    /// The library's descriptor.
    pub fn desc(&self) -> &oxidnn::PrimitiveDesc {
        &self.desc
    }

    /// The engine that computes.
    fn engine(&self) -> &Arc<Engine> {
        let Engines { src, dst } = &self.engines;
        if dst.engine() == self.desc.engine() { dst } else { src }
    }

    /// Lends the descriptor of an execution argument, which is the empty one for arguments that there are not.
    fn lend_arg(&self, arg: c_int) -> Const<MemoryDesc> {
        static ZERO: LazyLock<MemoryDesc> = LazyLock::new(|| MemoryDesc::new(&desc::MemoryDesc::ZERO));
        let md = self.desc.arg(arg).or_else(|| op_queries::unused(self.desc.op(), arg));
        let Some(md) = md else { return Const::lend(&ZERO) };
        let mut descs = self.lent.descs.lock().unwrap_or_else(|e| e.into_inner());
        Const::lend(descs.entry(arg).or_insert_with(|| Box::new(MemoryDesc::new(md))))
    }

    /// The execution argument that a query of a memory descriptor is about.
    fn queried_arg(&self, what: Query, index: c_int) -> Result<c_int> {
        let nth = |first: c_int| first.checked_add(index).filter(|_| index >= 0);
        let first_or = |first: c_int, second: c_int| [first, second].get(usize::try_from(index).ok()?).copied();
        let only = |arg: c_int| (index == 0).then_some(arg);
        if let Some(number) = op_queries::tensor(self.desc.op(), what, index) {
            return Ok(number);
        }
        let number = match what {
            Query::SrcMd if matches!(self.desc.op(), Op::Concat(_) | Op::Sum(_)) => nth(arg::MULTIPLE_SRC),
            Query::SrcMd => nth(arg::SRC_0).filter(|&number| number <= arg::SRC_3).or(Some(arg::UNDEF)),
            Query::DstMd => nth(arg::DST_0).filter(|&number| number <= arg::DST_2).or(Some(arg::UNDEF)),
            Query::WeightsMd => first_or(arg::WEIGHTS, arg::BIAS).or(Some(arg::UNDEF)),
            Query::DiffSrcMd => nth(arg::DIFF_SRC_0).filter(|&number| number <= arg::DIFF_SRC_3).or(Some(arg::UNDEF)),
            Query::DiffDstMd => nth(arg::DIFF_DST_0).filter(|&number| number <= arg::DIFF_DST_2).or(Some(arg::UNDEF)),
            Query::DiffWeightsMd => first_or(arg::DIFF_WEIGHTS, arg::DIFF_BIAS).or(Some(arg::UNDEF)),
            Query::WorkspaceMd => only(arg::WORKSPACE),
            Query::ScratchpadMd => only(arg::SCRATCHPAD),
            Query::ExecArgMd => Some(index),
            _ => None,
        };
        number.ok_or_else(|| Error::invalid(format!("{what:?} with index {index} is no memory descriptor")))
    }

    fn query(&self, what: Query, index: c_int, result: &Untyped) -> Result<()> {
        result.check()?;
        let desc = &self.desc;
        match (what, desc.op()) {
            (Query::Engine | Query::ScratchpadEngine, _) => result.set(Mut::lend(self.engine())),
            (Query::PrimitiveKind, _) => result.set::<Enum<PrimitiveKind>>(desc.kind().into()),
            (Query::NumInputs, _) => result.set(desc.input_count() as c_int),
            (Query::NumOutputs, _) => result.set(desc.output_count() as c_int),
            (Query::MemoryConsumption, _) => result.set(desc.memory_consumption() as Dim),
            (Query::ImplInfo, _) => {
                let text = || CString::new(desc.implementation()).unwrap_or_default();
                result.set(self.lent.implementation.get_or_init(text).as_ptr())
            }
            (Query::CacheBlobIdSize, _) => result.set(self.cache_blob_id().len() as Dim),
            (Query::CacheBlobId, _) => result.set(self.cache_blob_id().as_ptr()),
            (Query::ReorderSrcEngine, Op::Reorder(_)) => result.set(Mut::lend(&self.engines.src)),
            (Query::ReorderDstEngine, Op::Reorder(_)) => result.set(Mut::lend(&self.engines.dst)),
            (Query::PropKind, Op::Eltwise(op)) => result.set::<Enum<PropKind>>(op.prop.into()),
            (Query::AlgKind, Op::Eltwise(op)) => result.set::<Enum<AlgKind>>(op.alg.into()),
            (Query::Alpha, Op::Eltwise(op)) => result.set(op.alpha.0),
            (Query::Beta, Op::Eltwise(op)) => result.set(op.beta.0),
            (Query::AlgKind, Op::Binary(op)) => result.set::<Enum<AlgKind>>(op.alg.into()),
            (Query::PropKind, Op::InnerProduct(_) | Op::Convolution(_)) => {
                result.set::<Enum<PropKind>>(desc.op().prop_kind().into())
            }
            (Query::AlgKind, Op::Convolution(op)) => result.set::<Enum<AlgKind>>(op.alg.into()),
            (Query::Strides, Op::Convolution(op)) => result.set(op.window.strides.as_ptr()),
            (Query::Dilations, Op::Convolution(op)) => result.set(op.window.dilations.as_ptr()),
            (Query::PaddingL, Op::Convolution(op)) => result.set(op.window.padding_l.as_ptr()),
            (Query::PaddingR, Op::Convolution(op)) => result.set(op.window.padding_r.as_ptr()),
            (Query::Axis, Op::Concat(op)) => result.set(op.axis as c_int),
            (_, op) if let Some(answer) = op_queries::parameter(op, what, result) => answer,
            _ if is_md(what) => result.set(self.lend_arg(self.queried_arg(what, index)?)),
            _ => Err(Error::unimplemented(format!("the query {what:?} of {}", desc.kind()))),
        }
    }

    fn cache_blob_id(&self) -> &[u8] {
        self.lent.cache_blob_id.get_or_init(|| self.desc.cache_blob_id())
    }
}

/// The same description; what was lent stays with the original.
impl Clone for PrimitiveDesc {
    fn clone(&self) -> PrimitiveDesc {
        PrimitiveDesc::new(self.desc.clone(), self.engines.clone())
    }
}

fn is_md(what: Query) -> bool {
    (Query::SomeMd as c_int + 1..=Query::ExecArgMd as c_int).contains(&(what as c_int))
}

/// Moves a descriptor on to the next implementation. There is one for each operation, so there is never another.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_next_impl(primitive_desc: Mut<PrimitiveDesc>) -> Status {
    status(|| {
        primitive_desc.get()?;
        Err(Error::new(oxidnn::Status::LastImplReached, "there is one implementation"))
    })
}

/// Copies a descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_clone(
    primitive_desc: Out<Mut<PrimitiveDesc>>,
    existing_primitive_desc: Const<PrimitiveDesc>,
) -> Status {
    status(|| primitive_desc.give_new(existing_primitive_desc.get()?.clone()))
}

/// The attributes of a descriptor. They stay the descriptor's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_get_attr(primitive_desc: Const<PrimitiveDesc>, attr: Out<Const<Attr>>) -> Status {
    status(|| {
        let desc = primitive_desc.get()?;
        attr.set(Const::lend(desc.lent.attr.get_or_init(|| Attr::new(desc.desc.attr().clone()))))
    })
}

/// Destroys a descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_destroy(primitive_desc: Mut<PrimitiveDesc>) -> Status {
    status(|| primitive_desc.destroy())
}

/// Queries a descriptor. Handles, strings and arrays stay the descriptor's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_query(
    primitive_desc: Const<PrimitiveDesc>,
    what: Enum<Query>,
    index: c_int,
    result: Untyped,
) -> Status {
    query_status(|| primitive_desc.get()?.query(what.get()?, index, &result))
}

/// The memory descriptor of a tensor or an execution argument, of 0 dimensions if there is none; null if the query is not
/// one for memory descriptors. It stays the descriptor's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_query_md(
    primitive_desc: Const<PrimitiveDesc>,
    what: Enum<Query>,
    index: c_int,
) -> Const<MemoryDesc> {
    value(Const::NULL, || {
        let desc = primitive_desc.get()?;
        Ok(desc.lend_arg(desc.queried_arg(what.get()?, index)?))
    })
}

/// The number of inputs or outputs; 0 if the query is another.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_desc_query_s32(
    primitive_desc: Const<PrimitiveDesc>,
    what: Enum<Query>,
    index: c_int,
) -> c_int {
    let _ = index;
    value(0, || {
        let desc = primitive_desc.get()?.desc();
        Ok(match what.get()? {
            Query::NumInputs => desc.input_count() as c_int,
            Query::NumOutputs => desc.output_count() as c_int,
            _ => 0,
        })
    })
}
