//! Settings of the whole library, profiling, and work on memory that programs' tests ask for.
//!
//! What is about code that oneDNN makes for CPUs is accepted and changes nothing: this library makes none.

use std::ffi::{c_int, c_uint};

use oxidnn::Error;
use oxidnn::primitive::{primitive_cache_capacity, set_primitive_cache_capacity};

use crate::boundary::{Status, execution_status, status};
use crate::handle::{Const, Enum, Mut, Opt, Out, Text};
use crate::later::later;
use crate::memory::Memory;
use crate::stream::Stream;
use crate::vocabulary::{CpuIsa, CpuIsaHints, EngineKind, ProfilingDataKind};

/// How many primitives are kept for programs that create them again.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_get_primitive_cache_capacity(capacity: Out<c_int>) -> Status {
    status(|| capacity.set(primitive_cache_capacity().try_into().unwrap_or(c_int::MAX)))
}

/// Sets how many primitives are kept; 0 keeps none.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_primitive_cache_capacity(capacity: c_int) -> Status {
    status(|| {
        let count = usize::try_from(capacity).map_err(|_| Error::invalid(format!("a capacity of {capacity}")))?;
        set_primitive_cache_capacity(count);
        Ok(())
    })
}

/// Sets whether code made for the CPU is written to files. There is none.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_jit_dump(enable: c_int) -> Status {
    let _ = enable;
    Status::SUCCESS
}

/// Sets which profilers are told of code made for the CPU. There is none.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_jit_profiling_flags(flags: c_uint) -> Status {
    let _ = flags;
    Status::SUCCESS
}

/// Sets where files for profilers are written. There are none.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_jit_profiling_jitdumpdir(dir: Text) -> Status {
    status(|| dir.get().map(drop))
}

/// Sets the latest instruction set that the CPU engine may use. It uses what the library was compiled for.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_max_cpu_isa(isa: Enum<CpuIsa>) -> Status {
    status(|| Err(Error::unimplemented(format!("limiting the CPU engine to the instruction set {:#x}", isa.number()))))
}

/// The instruction set that the CPU engine uses: no particular one.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_get_effective_cpu_isa() -> Enum<CpuIsa> {
    Enum::of(0)
}

/// Sets hints on instruction sets. None are followed.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_cpu_isa_hints(isa_hints: Enum<CpuIsaHints>) -> Status {
    status(|| Err(Error::unimplemented(format!("the instruction set hints {:#x}", isa_hints.number()))))
}

/// The hints on instruction sets: none.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_get_cpu_isa_hints() -> Enum<CpuIsaHints> {
    Enum::of(0)
}

later! {
    /// Forgets the profiling data of a stream.
    fn dnnl_reset_profiling(stream: Mut<Stream>);
    /// Reads the profiling data of a stream: one number for each execution since the last reset.
    fn dnnl_query_profiling_data(
        stream: Mut<Stream>, data_kind: Enum<ProfilingDataKind>, num_entries: Out<c_int>, data: Opt<Out<u64>>,
    );
}

#[doc(hidden)]
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_impl_notify_profiling_complete(stream: Mut<Stream>) -> Status {
    status(|| match stream.get()?.stream().engine().kind() {
        EngineKind::Gpu => Ok(()),
        kind => Err(Error::unimplemented(format!("profiling of a {kind} engine"))),
    })
}

#[doc(hidden)]
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_impl_zero_pad(memory: Const<Memory>, stream: Mut<Stream>) -> Status {
    execution_status(|| memory.get()?.memory().zero_pad(stream.get()?.stream()))
}

#[doc(hidden)]
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_impl_gpu_fill_random(
    stream: Mut<Stream>,
    size: usize,
    memory: Mut<Memory>,
    buffer_index: c_int,
    seed: u32,
) -> Status {
    execution_status(|| match buffer_index {
        0 => memory.get()?.memory().fill_random(stream.get()?.stream(), size, seed),
        _ => Err(Error::unimplemented(format!("filling buffer {buffer_index} of a memory"))),
    })
}
