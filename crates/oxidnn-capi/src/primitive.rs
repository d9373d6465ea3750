//! Primitives.

use std::ffi::c_int;

use oxidnn::Result;
use smallvec::SmallVec;

use crate::boundary::{Status, execution_status, status};
use crate::handle::{Const, Handle, Head, In, Mut, Opt, Out, hand_out};
use crate::memory::Memory;
use crate::primitive_desc::PrimitiveDesc;
use crate::stream::Stream;

/// What `dnnl_primitive_t` points to.
#[repr(C)]
#[derive(Debug)]
pub struct Primitive {
    head: Head,
    primitive: oxidnn::Primitive,
    desc: PrimitiveDesc,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for Primitive {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"prim"));
    const NAME: &'static str = "primitive";
    type Owner = Box<Primitive>;
}

impl Primitive {
    fn new(primitive: oxidnn::Primitive, desc: &PrimitiveDesc) -> Primitive {
        Primitive { head: Head::new::<Primitive>(), primitive, desc: desc.clone() }
    }

    /// The library's primitive.
    pub fn primitive(&self) -> &oxidnn::Primitive {
        &self.primitive
    }
}

/// One argument of an execution: `dnnl_exec_arg_t`.
#[repr(C)]
pub struct ExecArg {
    arg: c_int,
    memory: Mut<Memory>,
}

/// The memories of an execution by argument number. Arguments without a memory are left out.
pub fn memories(args: &[ExecArg]) -> Result<SmallVec<[(i32, &oxidnn::Memory); 8]>> {
    let given = args.iter().filter(|arg| !arg.memory.is_null());
    given.map(|arg| Ok((arg.arg, arg.memory.get()?.memory()))).collect()
}

/// Creates a primitive.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_create(
    primitive: Out<Mut<Primitive>>,
    primitive_desc: Const<PrimitiveDesc>,
) -> Status {
    status(|| {
        primitive.check()?;
        let desc = primitive_desc.get()?;
        primitive.give_new(Primitive::new(oxidnn::Primitive::new(desc.desc())?, desc))
    })
}

/// Creates a primitive from the bytes that `dnnl_primitive_get_cache_blob` wrote for an equal one.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_create_from_cache_blob(
    primitive: Out<Mut<Primitive>>,
    primitive_desc: Const<PrimitiveDesc>,
    size: usize,
    cache_blob: In<u8>,
) -> Status {
    status(|| {
        primitive.check()?;
        let desc = primitive_desc.get()?;
        let created = oxidnn::Primitive::from_cache_blob(desc.desc(), cache_blob.slice(size)?)?;
        primitive.give_new(Primitive::new(created, desc))
    })
}

/// Submits an execution of a primitive to a stream.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_execute(
    primitive: Const<Primitive>,
    stream: Mut<Stream>,
    nargs: c_int,
    args: In<ExecArg>,
) -> Status {
    execution_status(|| {
        let memories = memories(args.list(nargs)?)?;
        primitive.get()?.primitive.execute(stream.get()?.stream(), &memories)
    })
}

/// The descriptor of a primitive. It stays the primitive's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_get_primitive_desc(
    primitive: Const<Primitive>,
    primitive_desc: Out<Const<PrimitiveDesc>>,
) -> Status {
    status(|| primitive_desc.set(Const::lend(&primitive.get()?.desc)))
}

/// Writes what was built for a primitive as bytes. With a null `cache_blob` only their number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_get_cache_blob(
    primitive: Const<Primitive>,
    size: Out<usize>,
    cache_blob: Opt<Out<u8>>,
) -> Status {
    status(|| hand_out(&primitive.get()?.primitive.cache_blob()?, &size, &cache_blob))
}

/// Destroys a primitive. Executions that were submitted still complete.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_primitive_destroy(primitive: Mut<Primitive>) -> Status {
    status(|| primitive.destroy())
}
