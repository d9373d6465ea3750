//! OpenCL interoperability by the names of the API's first version.

use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, Enum, Mut, Out};
use crate::memory::Memory;
use crate::ocl::{self, cl_command_queue, cl_context, cl_device_id, cl_mem};
use crate::stream::Stream;
use crate::vocabulary::EngineKind;

/// As `dnnl_ocl_interop_engine_create`; the kind must be `dnnl_gpu`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_create_ocl(
    engine: Out<Mut<Engine>>,
    kind: Enum<EngineKind>,
    device: cl_device_id,
    context: cl_context,
) -> Status {
    match status(|| match kind.get()? {
        EngineKind::Gpu => Ok(()),
        kind => Err(oxidnn::Error::invalid(format!("an OpenCL engine of kind {kind}"))),
    }) {
        Status::SUCCESS => ocl::dnnl_ocl_interop_engine_create(engine, device, context),
        failure => failure,
    }
}

/// As `dnnl_ocl_interop_engine_get_context`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_get_ocl_context(engine: Mut<Engine>, context: Out<cl_context>) -> Status {
    ocl::dnnl_ocl_interop_engine_get_context(engine, context)
}

/// As `dnnl_ocl_interop_get_device`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_get_ocl_device(engine: Mut<Engine>, device: Out<cl_device_id>) -> Status {
    ocl::dnnl_ocl_interop_get_device(engine, device)
}

/// As `dnnl_ocl_interop_stream_create`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_create_ocl(
    stream: Out<Mut<Stream>>,
    engine: Mut<Engine>,
    queue: cl_command_queue,
) -> Status {
    ocl::dnnl_ocl_interop_stream_create(stream, engine, queue)
}

/// As `dnnl_ocl_interop_stream_get_command_queue`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_get_ocl_command_queue(stream: Mut<Stream>, queue: Out<cl_command_queue>) -> Status {
    ocl::dnnl_ocl_interop_stream_get_command_queue(stream, queue)
}

/// As `dnnl_ocl_interop_memory_get_mem_object`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_ocl_mem_object(memory: Const<Memory>, mem_object: Out<cl_mem>) -> Status {
    ocl::dnnl_ocl_interop_memory_get_mem_object(memory, mem_object)
}

/// As `dnnl_ocl_interop_memory_set_mem_object`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_set_ocl_mem_object(memory: Mut<Memory>, mem_object: cl_mem) -> Status {
    ocl::dnnl_ocl_interop_memory_set_mem_object(memory, mem_object)
}
