//! Engines.

use std::sync::{Arc, OnceLock};

use oxidnn::Result;
use oxidnn::runtime::{Order, Queue};

use crate::boundary::{Status, status, value};
use crate::handle::{Enum, Handle, Head, Mut, Out};
use crate::vocabulary::EngineKind;

/// What `dnnl_engine_t` points to. Streams, memories and descriptors made with a handle keep its object, so that asking
/// them for their engine gives the very handle.
#[repr(C)]
#[derive(Debug)]
pub struct Engine {
    head: Head,
    engine: oxidnn::Engine,
    service: OnceLock<Queue>,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for Engine {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"engn"));
    const NAME: &'static str = "engine";
    type Owner = Arc<Engine>;
}

impl Engine {
    /// The object for an engine of the library.
    pub fn new(engine: oxidnn::Engine) -> Arc<Engine> {
        Arc::new(Engine { head: Head::new::<Engine>(), engine, service: OnceLock::new() })
    }

    /// The library's engine.
    pub fn engine(&self) -> &oxidnn::Engine {
        &self.engine
    }

    /// A queue for mapping memory.
    pub fn service_queue(&self) -> Result<&Queue> {
        if let Some(queue) = self.service.get() {
            return Ok(queue);
        }
        let queue = self.engine.device().create_queue(Order::InOrder, false)?;
        Ok(self.service.get_or_init(|| queue))
    }
}

/// The number of engines of a kind.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_get_count(kind: Enum<EngineKind>) -> usize {
    value(0, || Ok(oxidnn::Engine::count(kind.get()?)))
}

/// Creates the engine of a kind with an index below their number.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_create(engine: Out<Mut<Engine>>, kind: Enum<EngineKind>, index: usize) -> Status {
    status(|| {
        engine.check()?;
        engine.give(Engine::new(oxidnn::Engine::new(kind.get()?, index)?))
    })
}

/// The kind of an engine.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_get_kind(engine: Mut<Engine>, kind: Out<Enum<EngineKind>>) -> Status {
    status(|| kind.set(engine.get()?.engine.kind().into()))
}

/// Destroys an engine. What was made with it goes on working.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_destroy(engine: Mut<Engine>) -> Status {
    status(|| engine.destroy())
}
