//! Settings of the whole library, profiling, and work on memory that programs' tests ask for.
//!
//! What is about code that oneDNN makes for CPUs is accepted and changes nothing: this library makes none.

use std::ffi::{c_int, c_uint};

use oxidnn::observe::{Profiler, ProfilingKind};
use oxidnn::primitive::{primitive_cache_capacity, set_primitive_cache_capacity};
use oxidnn::{Error, Result};

use crate::boundary::{Status, execution_status, status};
use crate::handle::{Const, Enum, Mut, Opt, Out, Text};
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

/// Sets whether the texts of kernels are written to files of the current directory.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_jit_dump(enable: c_int) -> Status {
    status(|| {
        oxidnn::observe::set_dump(enable != 0);
        Ok(())
    })
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

/// Forgets the profiling data of a stream.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_reset_profiling(stream: Mut<Stream>) -> Status {
    status(|| {
        profiler(stream.get()?.stream())?.reset();
        Ok(())
    })
}

/// Reads the profiling data of a stream: a number for each execution since the last reset. With a null `data` only their
/// number is written to `num_entries`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_query_profiling_data(
    stream: Mut<Stream>,
    data_kind: Enum<ProfilingDataKind>,
    num_entries: Out<c_int>,
    data: Opt<Out<u64>>,
) -> Status {
    status(|| {
        num_entries.check()?;
        let profiler = profiler(stream.get()?.stream())?;
        let kind = ProfilingKind::from_c(data_kind.number());
        let kind = kind.ok_or_else(|| Error::invalid(format!("{} is no profiling data", data_kind.number())))?;
        if !data.is_wanted() {
            return num_entries.set(profiler.entries(kind).try_into().unwrap_or(c_int::MAX));
        }
        let entries = profiler.query(kind)?;
        let room = usize::try_from(num_entries.get()?).unwrap_or(0);
        if room < entries.len() {
            return Err(Error::invalid(format!("{} entries do not fit an array of {room}", entries.len())));
        }
        data.fill(&entries)?;
        num_entries.set(entries.len() as c_int)
    })
}

fn profiler(stream: &oxidnn::Stream) -> Result<&Profiler> {
    if stream.engine().kind() != EngineKind::Gpu {
        return Err(Error::unimplemented(format!("profiling of a {} engine", stream.engine().kind())));
    }
    stream.profiler().ok_or_else(|| Error::invalid("the stream was created without profiling"))
}

#[doc(hidden)]
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_impl_notify_profiling_complete(stream: Mut<Stream>) -> Status {
    status(|| profiler(stream.get()?.stream()).map(drop))
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
