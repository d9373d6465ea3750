//! Streams.

use std::ffi::c_uint;
use std::sync::Arc;

use oxidnn::runtime::Order;
use oxidnn::{Error, Result};

use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, Handle, Head, Mut, Out};
use crate::vocabulary::EngineKind;

/// What `dnnl_stream_t` points to.
#[repr(C)]
#[derive(Debug)]
pub struct Stream {
    head: Head,
    engine: Arc<Engine>,
    stream: oxidnn::Stream,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for Stream {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"strm"));
    const NAME: &'static str = "stream";
    type Owner = Box<Stream>;
}

impl Stream {
    /// The object for a stream of the library.
    pub fn new(engine: Arc<Engine>, stream: oxidnn::Stream) -> Stream {
        Stream { head: Head::new::<Stream>(), engine, stream }
    }

    /// The library's stream.
    pub fn stream(&self) -> &oxidnn::Stream {
        &self.stream
    }
}

const OUT_OF_ORDER: c_uint = 2;
const PROFILING: c_uint = 4;

/// Creates a stream. The flags are a combination of `dnnl_stream_flags_t` values.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_create(stream: Out<Mut<Stream>>, engine: Mut<Engine>, flags: c_uint) -> Status {
    status(|| {
        stream.check()?;
        let engine = engine.share()?;
        let (order, profiling) = options(flags, engine.engine().kind())?;
        let created = oxidnn::Stream::with_order(engine.engine(), order, profiling)?;
        stream.give_new(Stream::new(engine, created))
    })
}

fn options(flags: c_uint, kind: EngineKind) -> Result<(Order, bool)> {
    let profiling = flags & PROFILING != 0;
    if profiling && kind != EngineKind::Gpu {
        return Err(Error::unimplemented("profiling of the CPU engine"));
    }
    if profiling && flags & OUT_OF_ORDER != 0 {
        return Err(Error::unimplemented("profiling of a queue of the library that is out of order"));
    }
    let order = if flags & OUT_OF_ORDER != 0 { Order::OutOfOrder } else { Order::InOrder };
    Ok((order, profiling))
}

/// The engine of a stream. It stays the stream's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_get_engine(stream: Const<Stream>, engine: Out<Mut<Engine>>) -> Status {
    status(|| engine.set(Mut::lend(&stream.get()?.engine)))
}

/// Waits until everything submitted to a stream has completed.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_wait(stream: Mut<Stream>) -> Status {
    status(|| stream.get()?.stream.wait())
}

/// Destroys a stream. What was submitted to it still completes.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_stream_destroy(stream: Mut<Stream>) -> Status {
    status(|| stream.destroy())
}
