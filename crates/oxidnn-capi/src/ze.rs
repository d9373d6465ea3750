//! Level Zero interoperability, which comes later.

use std::ffi::c_int;

use crate::engine::Engine;
use crate::handle::{Const, In, Items, Mut, Opt, Out, Pointer};
use crate::later::later;
use crate::memory::Memory;
use crate::memory_desc::MemoryDesc;
use crate::primitive::{ExecArg, Primitive};
use crate::stream::Stream;

/// Declares the Level Zero handles that programs pass in.
macro_rules! ze_handles {
    ($($name:ident,)+) => { $(#[allow(non_camel_case_types)] type $name = Pointer;)+ };
}

ze_handles! {
    ze_driver_handle_t,
    ze_device_handle_t,
    ze_context_handle_t,
    ze_command_list_handle_t,
    ze_event_handle_t,
}

later! {
    fn dnnl_ze_interop_engine_get_cache_blob_id(
        driver: ze_driver_handle_t, device: ze_device_handle_t, size: Out<usize>, cache_blob_id: Opt<Out<u8>>,
    );
    fn dnnl_ze_interop_engine_get_cache_blob(engine: Mut<Engine>, size: Out<usize>, cache_blob: Opt<Out<u8>>);
    fn dnnl_ze_interop_engine_create_from_cache_blob(
        engine: Out<Mut<Engine>>, driver: ze_driver_handle_t, device: ze_device_handle_t, context: ze_context_handle_t,
        size: usize, cache_blob: In<u8>,
    );
    fn dnnl_ze_interop_engine_create(
        engine: Out<Mut<Engine>>, driver: ze_driver_handle_t, device: ze_device_handle_t, context: ze_context_handle_t,
    );
    fn dnnl_ze_interop_engine_get_context(engine: Mut<Engine>, context: Out<ze_context_handle_t>);
    fn dnnl_ze_interop_engine_get_device(engine: Mut<Engine>, device: Out<ze_device_handle_t>);
    fn dnnl_ze_interop_engine_get_driver(engine: Mut<Engine>, driver: Out<ze_driver_handle_t>);
    fn dnnl_ze_interop_stream_create(
        stream: Out<Mut<Stream>>, engine: Mut<Engine>, list: ze_command_list_handle_t, profiling: c_int,
    );
    fn dnnl_ze_interop_stream_get_list(stream: Mut<Stream>, list: Out<ze_command_list_handle_t>);
    fn dnnl_ze_interop_memory_create(
        memory: Out<Mut<Memory>>, memory_desc: Const<MemoryDesc>, engine: Mut<Engine>, nhandles: c_int,
        handles: Items<Pointer>,
    );
    fn dnnl_ze_interop_primitive_execute(
        primitive: Const<Primitive>, stream: Mut<Stream>, nargs: c_int, args: In<ExecArg>, ndeps: c_int,
        deps: Opt<In<ze_event_handle_t>>, return_event: Opt<Out<ze_event_handle_t>>,
    );
}
