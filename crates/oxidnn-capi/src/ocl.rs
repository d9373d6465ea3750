//! OpenCL interoperability.
//!
//! What the caller hands in is retained by the library's objects and released with them; getters do not retain, and an event
//! handed out is the caller's.

use std::ffi::c_int;

use oxidnn::primitive::blob::Blob;
pub use oxidnn::runtime::ocl::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_mem};
use oxidnn::runtime::{Device, Event, MemoryKind, Queue, ocl};
use oxidnn::{Error, Result};

use crate::boundary::{Status, execution_status, status};
use crate::engine::Engine;
use crate::handle::{Const, Enum, In, Items, Mut, Opt, Out, Pointer, hand_out};
use crate::memory::Memory;
use crate::memory_desc::{MemoryDesc, desc_or_zero};
use crate::primitive::{ExecArg, Primitive, memories};
use crate::stream::Stream;
use crate::vocabulary::OclInteropMemoryKind;

/// The OpenCL device and context of an engine.
fn device(engine: &oxidnn::Engine) -> Result<&ocl::Device> {
    match engine.device() {
        Device::Ocl(device) => Ok(device),
        Device::Ze(_) | Device::Cpu(_) => Err(Error::invalid("the engine is not an OpenCL one")),
    }
}

impl From<OclInteropMemoryKind> for MemoryKind {
    fn from(kind: OclInteropMemoryKind) -> MemoryKind {
        match kind {
            OclInteropMemoryKind::Usm => MemoryKind::Usm,
            OclInteropMemoryKind::Buffer => MemoryKind::Buffer,
        }
    }
}

/// Creates a memory. The handle is a USM pointer or a `cl_mem`, as the kind says, `DNNL_MEMORY_NONE` or
/// `DNNL_MEMORY_ALLOCATE`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_memory_create(
    memory: Out<Mut<Memory>>,
    memory_desc: Opt<Const<MemoryDesc>>,
    engine: Mut<Engine>,
    memory_kind: Enum<OclInteropMemoryKind>,
    handle: Pointer,
) -> Status {
    status(|| create_memory(&memory, &memory_desc, &engine, &memory_kind, &[handle]))
}

/// Creates a memory with several buffers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_memory_create_v2(
    memory: Out<Mut<Memory>>,
    memory_desc: Opt<Const<MemoryDesc>>,
    engine: Mut<Engine>,
    memory_kind: Enum<OclInteropMemoryKind>,
    nhandles: c_int,
    handles: Items<Pointer>,
) -> Status {
    status(|| create_memory(&memory, &memory_desc, &engine, &memory_kind, handles.list(nhandles)?))
}

fn create_memory(
    memory: &Out<Mut<Memory>>,
    memory_desc: &Opt<Const<MemoryDesc>>,
    engine: &Mut<Engine>,
    memory_kind: &Enum<OclInteropMemoryKind>,
    handles: &[Pointer],
) -> Result<()> {
    memory.check()?;
    let engine = engine.share()?;
    device(engine.engine())?;
    let desc = desc_or_zero(memory_desc)?;
    memory.give_new(Memory::over(engine, &desc, memory_kind.get()?.into(), handles)?)
}

/// Whether a memory's buffers are USM pointers or `cl_mem` objects.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_memory_get_memory_kind(
    memory: Const<Memory>,
    memory_kind: Out<Enum<OclInteropMemoryKind>>,
) -> Status {
    status(|| {
        let memory = memory.get()?;
        device(memory.engine()?.engine())?;
        let kind = match memory.memory().kind() {
            MemoryKind::Usm => OclInteropMemoryKind::Usm,
            MemoryKind::Buffer => OclInteropMemoryKind::Buffer,
        };
        memory_kind.set(kind.into())
    })
}

/// The `cl_mem` of a memory, null if it is not set.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_memory_get_mem_object(memory: Const<Memory>, mem_object: Out<cl_mem>) -> Status {
    status(|| {
        let memory = object_memory(memory.get()?)?;
        mem_object.set(match memory.buffer(0)? {
            Some(oxidnn::runtime::Buffer::Ocl(buffer)) => buffer.cl_mem().unwrap_or(std::ptr::null_mut()),
            _ => std::ptr::null_mut(),
        })
    })
}

/// Sets the `cl_mem` of a memory.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_memory_set_mem_object(memory: Mut<Memory>, mem_object: cl_mem) -> Status {
    status(|| {
        let memory = object_memory(memory.get()?)?;
        let engine = memory.engine().ok_or_else(|| Error::invalid("a host scalar belongs to no engine"))?;
        let buffer = match mem_object.is_null() {
            true => None,
            // SAFETY: the API asks for a live memory object.
            false => Some(unsafe { ocl::Buffer::from_cl_mem(device(engine)?, mem_object)? }),
        };
        memory.set_buffer(0, buffer.map(oxidnn::runtime::Buffer::Ocl))
    })
}

/// A memory that must be one of `cl_mem` objects.
fn object_memory(memory: &Memory) -> Result<&oxidnn::Memory> {
    device(memory.engine()?.engine())?;
    match memory.memory().kind() {
        MemoryKind::Buffer => Ok(memory.memory()),
        MemoryKind::Usm => Err(Error::invalid("the memory is a USM pointer, not a cl_mem")),
    }
}

/// Writes bytes that are equal for devices whose engines can share a cache blob. With a null `cache_blob_id` only their
/// number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_engine_get_cache_blob_id(
    device: cl_device_id,
    size: Out<usize>,
    cache_blob_id: Opt<Out<u8>>,
) -> Status {
    status(|| {
        // SAFETY: the API asks for a live device; null is refused inside.
        let identity = unsafe { ocl::Device::identity_of(device) }?;
        hand_out(&Blob::id(&identity, b"engine"), &size, &cache_blob_id)
    })
}

/// Writes what an engine has built as bytes. With a null `cache_blob` only their number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_engine_get_cache_blob(
    engine: Mut<Engine>,
    size: Out<usize>,
    cache_blob: Opt<Out<u8>>,
) -> Status {
    status(|| {
        let engine = engine.get()?.engine();
        self::device(engine)?;
        hand_out(&engine.cache_blob()?, &size, &cache_blob)
    })
}

/// Creates an engine on the caller's device and context with what `dnnl_ocl_interop_engine_get_cache_blob` wrote.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_engine_create_from_cache_blob(
    engine: Out<Mut<Engine>>,
    device: cl_device_id,
    context: cl_context,
    size: usize,
    cache_blob: In<u8>,
) -> Status {
    status(|| {
        engine.check()?;
        let blob = cache_blob.slice(size)?;
        engine.give(Engine::new(oxidnn::Engine::from_cache_blob(open(device, context)?, blob)?))
    })
}

/// The caller's device and context.
fn open(device: cl_device_id, context: cl_context) -> Result<Device> {
    // SAFETY: the API asks for live objects.
    unsafe { ocl::Device::from_raw(device, context) }.map(Device::Ocl)
}

/// Creates an engine on the caller's device and context.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_engine_create(
    engine: Out<Mut<Engine>>,
    device: cl_device_id,
    context: cl_context,
) -> Status {
    status(|| {
        engine.check()?;
        engine.give(Engine::new(oxidnn::Engine::from_device(open(device, context)?)))
    })
}

/// The context of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_engine_get_context(engine: Mut<Engine>, context: Out<cl_context>) -> Status {
    status(|| context.set(self::device(engine.get()?.engine())?.raw_context()))
}

/// The device of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_get_device(engine: Mut<Engine>, device: Out<cl_device_id>) -> Status {
    status(|| device.set(self::device(engine.get()?.engine())?.raw_device()))
}

/// Creates a stream on the caller's queue, whose properties it has.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_stream_create(
    stream: Out<Mut<Stream>>,
    engine: Mut<Engine>,
    queue: cl_command_queue,
) -> Status {
    status(|| {
        stream.check()?;
        let engine = engine.share()?;
        // SAFETY: the API asks for a live queue.
        let queue = Queue::Ocl(unsafe { ocl::Queue::from_raw(device(engine.engine())?, queue)? });
        let created = oxidnn::Stream::from_queue(engine.engine(), queue)?;
        stream.give_new(Stream::new(engine, created))
    })
}

/// The queue of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_stream_get_command_queue(
    stream: Mut<Stream>,
    queue: Out<cl_command_queue>,
) -> Status {
    status(|| match stream.get()?.stream().queue() {
        Queue::Ocl(of) => queue.set(of.raw()),
        Queue::Ze(_) | Queue::Cpu(_) => Err(Error::invalid("the stream is not an OpenCL one")),
    })
}

/// Submits an execution of a primitive that starts after `deps`. The event that is returned is the caller's to release.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ocl_interop_primitive_execute(
    primitive: Const<Primitive>,
    stream: Mut<Stream>,
    nargs: c_int,
    args: In<ExecArg>,
    deps: In<cl_event>,
    ndeps: c_int,
    return_event: Opt<Out<cl_event>>,
) -> Status {
    execution_status(|| {
        let (primitive, stream) = (primitive.get()?.primitive(), stream.get()?.stream());
        let device = device(stream.engine())?;
        let memories = memories(args.list(nargs)?)?;
        // SAFETY: the API asks for live events.
        let deps = deps.list(ndeps)?.iter().map(|&dep| unsafe { ocl::Event::from_raw(device, dep) }.map(Event::Ocl));
        let event = primitive.execute_after(stream, &memories, &deps.collect::<Result<Vec<_>>>()?)?;
        if let (Event::Ocl(event), true) = (event, return_event.is_wanted()) {
            return_event.set(event.into_raw());
        }
        Ok(())
    })
}
