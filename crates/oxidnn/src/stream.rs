//! A stream: where primitives are submitted.

use std::sync::{Arc, Mutex};

use crate::engine::Engine;
use crate::observe::{Pending, Profiler};
use crate::runtime::{Device, Event, Order, Queue};
use crate::{Error, Result};

/// A queue of executions on an engine. Cloning clones a reference.
///
/// ```
/// use oxidnn::{Engine, Stream, desc::EngineKind};
/// let engine = Engine::new(EngineKind::Cpu, 0)?;
/// let stream = Stream::new(&engine)?;
/// stream.wait()?;
/// # Ok::<(), oxidnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    queue: Queue,
    /// The last execution whose caller gave no events, on an out-of-order queue: the next such one follows it.
    last: Mutex<Option<Event>>,
    /// Where the queue profiles.
    profiler: Option<Profiler>,
    pending: Pending,
}

impl Stream {
    /// An in-order stream.
    pub fn new(engine: &Engine) -> Result<Stream> {
        Stream::with_order(engine, Order::InOrder, false)
    }

    /// A stream of the given order; `profiling` makes executions leave their times.
    pub fn with_order(engine: &Engine, order: Order, profiling: bool) -> Result<Stream> {
        let queue = engine.device().create_queue(order, profiling)?;
        Stream::from_queue(engine, queue)
    }

    /// A stream on a queue of the caller's own. Order and profiling are the queue's.
    pub fn from_queue(engine: &Engine, queue: Queue) -> Result<Stream> {
        let fits = match (&queue, engine.device()) {
            (Queue::Ocl(queue), Device::Ocl(device)) => queue.device() == device,
            (Queue::Ze(queue), Device::Ze(device)) => queue.device() == device,
            (Queue::Cpu(_), Device::Cpu(_)) => true,
            _ => false,
        };
        if !fits {
            return Err(Error::invalid("the queue belongs to another device or context than the engine"));
        }
        if queue.profiling() && queue.order() == Order::OutOfOrder {
            return Err(Error::unimplemented("a stream cannot be profiled and run out of order at the same time"));
        }
        let profiler = queue.profiling().then(|| Profiler::new(engine.device().profile().frequency));
        let (last, pending) = (Mutex::new(None), Pending::default());
        Ok(Stream(Arc::new(Inner { engine: engine.clone(), queue, last, profiler, pending })))
    }

    /// The engine it belongs to.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The queue underneath.
    pub fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// Waits until everything submitted has completed.
    pub fn wait(&self) -> Result<()> {
        self.0.queue.wait()?;
        *self.last() = None;
        self.0.pending.finish();
        Ok(())
    }

    /// The times of executions, if the queue profiles.
    pub fn profiler(&self) -> Option<&Profiler> {
        self.0.profiler.as_ref()
    }

    /// The verbose lines that wait for the device.
    pub(crate) fn pending(&self) -> &Pending {
        &self.0.pending
    }

    pub(crate) fn last(&self) -> std::sync::MutexGuard<'_, Option<Event>> {
        self.0.last.lock().unwrap_or_else(|e| e.into_inner())
    }
}
