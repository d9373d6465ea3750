//! Level Zero interoperability.
//!
//! What the caller hands in is only referenced and must outlive the library's objects. An event handed out lives as long as
//! the stream that it came from.

use std::ffi::c_int;

use oxidnn::primitive::blob::Blob;
pub use oxidnn::runtime::ze::{
    ze_command_list_handle_t, ze_context_handle_t, ze_device_handle_t, ze_driver_handle_t, ze_event_handle_t,
};
use oxidnn::runtime::{Device, Event, MemoryKind, Order, Queue, ze};
use oxidnn::{Error, Result};

use crate::boundary::{Status, execution_status, status};
use crate::engine::Engine;
use crate::handle::{Const, In, Items, Mut, Opt, Out, Pointer, hand_out};
use crate::memory::Memory;
use crate::memory_desc::{MemoryDesc, desc_or_zero};
use crate::primitive::{ExecArg, Primitive, memories};
use crate::stream::Stream;

/// The Level Zero device and context of an engine.
fn device(engine: &oxidnn::Engine) -> Result<&ze::Device> {
    match engine.device() {
        Device::Ze(device) => Ok(device),
        Device::Ocl(_) | Device::Cpu(_) => Err(Error::invalid("the engine is not a Level Zero one")),
    }
}

/// The caller's driver, device and context.
fn open(driver: ze_driver_handle_t, device: ze_device_handle_t, context: ze_context_handle_t) -> Result<Device> {
    // SAFETY: the API asks for live objects; null is refused inside.
    unsafe { ze::Device::from_raw(driver, device, context) }.map(Device::Ze)
}

/// Writes bytes that are equal for devices whose engines can share a cache blob. With a null `cache_blob_id` only their
/// number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_get_cache_blob_id(
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    size: Out<usize>,
    cache_blob_id: Opt<Out<u8>>,
) -> Status {
    status(|| {
        // SAFETY: the API asks for live objects; null is refused inside.
        let identity = unsafe { ze::Device::identity_of(driver, device) }?;
        hand_out(&Blob::id(&identity, b"engine"), &size, &cache_blob_id)
    })
}

/// Writes what an engine has built as bytes. With a null `cache_blob` only their number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_get_cache_blob(
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

/// Creates an engine on the caller's objects with what `dnnl_ze_interop_engine_get_cache_blob` wrote.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_create_from_cache_blob(
    engine: Out<Mut<Engine>>,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    context: ze_context_handle_t,
    size: usize,
    cache_blob: In<u8>,
) -> Status {
    status(|| {
        engine.check()?;
        let blob = cache_blob.slice(size)?;
        engine.give(Engine::new(oxidnn::Engine::from_cache_blob(open(driver, device, context)?, blob)?))
    })
}

/// Creates an engine on the caller's driver, device and context.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_create(
    engine: Out<Mut<Engine>>,
    driver: ze_driver_handle_t,
    device: ze_device_handle_t,
    context: ze_context_handle_t,
) -> Status {
    status(|| {
        engine.check()?;
        engine.give(Engine::new(oxidnn::Engine::from_device(open(driver, device, context)?)))
    })
}

/// The context of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_get_context(engine: Mut<Engine>, context: Out<ze_context_handle_t>) -> Status {
    status(|| context.set(self::device(engine.get()?.engine())?.raw_context()))
}

/// The device of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_get_device(engine: Mut<Engine>, device: Out<ze_device_handle_t>) -> Status {
    status(|| device.set(self::device(engine.get()?.engine())?.raw_device()))
}

/// The driver of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_engine_get_driver(engine: Mut<Engine>, driver: Out<ze_driver_handle_t>) -> Status {
    status(|| driver.set(self::device(engine.get()?.engine())?.raw_driver()))
}

/// Creates a stream on the caller's immediate command list. Where it is out of order, executions need events to follow each
/// other.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_stream_create(
    stream: Out<Mut<Stream>>,
    engine: Mut<Engine>,
    list: ze_command_list_handle_t,
    profiling: c_int,
) -> Status {
    status(|| {
        stream.check()?;
        let engine = engine.share()?;
        // SAFETY: the API asks for a live command list.
        let queue = unsafe { ze::Queue::from_raw(device(engine.engine())?, list, Order::Unknown, profiling != 0)? };
        let created = oxidnn::Stream::from_queue(engine.engine(), Queue::Ze(queue))?;
        stream.give_new(Stream::new(engine, created))
    })
}

/// The command list of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_stream_get_list(stream: Mut<Stream>, list: Out<ze_command_list_handle_t>) -> Status {
    status(|| match stream.get()?.stream().queue() {
        Queue::Ze(of) => list.set(of.raw()),
        Queue::Ocl(_) | Queue::Cpu(_) => Err(Error::invalid("the stream is not a Level Zero one")),
    })
}

/// Creates a memory. Each handle is a USM pointer, `DNNL_MEMORY_NONE` or `DNNL_MEMORY_ALLOCATE`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_memory_create(
    memory: Out<Mut<Memory>>,
    memory_desc: Opt<Const<MemoryDesc>>,
    engine: Mut<Engine>,
    nhandles: c_int,
    handles: Items<Pointer>,
) -> Status {
    status(|| {
        memory.check()?;
        let engine = engine.share()?;
        device(engine.engine())?;
        let desc = desc_or_zero(&memory_desc)?;
        memory.give_new(Memory::over(engine, &desc, MemoryKind::Usm, handles.list(nhandles)?)?)
    })
}

/// Submits an execution of a primitive that starts after `deps`. The event that is returned lives as long as the stream.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_ze_interop_primitive_execute(
    primitive: Const<Primitive>,
    stream: Mut<Stream>,
    nargs: c_int,
    args: In<ExecArg>,
    ndeps: c_int,
    deps: In<ze_event_handle_t>,
    return_event: Opt<Out<ze_event_handle_t>>,
) -> Status {
    execution_status(|| {
        let (primitive, stream) = (primitive.get()?.primitive(), stream.get()?.stream());
        let device = device(stream.engine())?;
        let memories = memories(args.list(nargs)?)?;
        // SAFETY: the API asks for live events.
        let deps = deps.list(ndeps)?.iter().map(|&dep| unsafe { ze::Event::from_raw(device, dep) }.map(Event::Ze));
        let deps = deps.collect::<Result<Vec<_>>>()?;
        if deps.is_empty() && !return_event.is_wanted() {
            return primitive.execute(stream, &memories);
        }
        let event = primitive.execute_after(stream, &memories, &deps)?;
        if let (Event::Ze(event), true) = (event, return_event.is_wanted()) {
            return_event.set(event.hand_out());
        }
        Ok(())
    })
}
