//! An engine: a device in a context, and what was built for it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use crate::desc::EngineKind;
use crate::observe::Settings;
use crate::primitive::Caches;
use crate::runtime::{self, Device, DeviceId, Order, Queue};
use crate::{Error, Result};

/// Where primitives run. Cloning clones a reference.
///
/// Engines of kind [`Gpu`](EngineKind::Gpu) are devices of a runtime, whatever their hardware: OpenCL GPUs first, then
/// accelerators, then CPU devices, then Level Zero devices that no OpenCL device stands for. `OXIDNN_GPU_RUNTIME` set to
/// `ocl` or `ze` leaves only one runtime's. The one engine of kind [`Cpu`](EngineKind::Cpu) is the host itself.
///
/// ```
/// use oxidnn::{Engine, desc::EngineKind};
/// let host = Engine::new(EngineKind::Cpu, 0)?;
/// assert_eq!(host.kind(), EngineKind::Cpu);
/// # Ok::<(), oxidnn::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    kind: EngineKind,
    index: usize,
    shared: Arc<Shared>,
}

/// What all engines of one device and context have in common. It goes when the last of them goes, so that a context the
/// user handed in is not kept.
pub(crate) struct Shared {
    device: Device,
    pub(crate) caches: Caches,
    service: OnceLock<Queue>,
}

/// The live [`Shared`]s by the addresses of their device and context. Only weak references: the map keeps nothing alive.
static ALL: Mutex<BTreeMap<[usize; 2], Weak<Shared>>> = Mutex::new(BTreeMap::new());

impl Shared {
    fn of(device: Device) -> Arc<Shared> {
        let mut all = ALL.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(shared) = all.get(&device.key()).and_then(Weak::upgrade) {
            return shared;
        }
        let key = device.key();
        let shared = Arc::new(Shared { device, caches: Caches::default(), service: OnceLock::new() });
        all.insert(key, Arc::downgrade(&shared));
        shared
    }
}

/// Calls `visit` with the caches of every device and context in use.
pub(crate) fn for_all_caches(visit: impl Fn(&Caches)) {
    let live: Vec<Arc<Shared>> =
        ALL.lock().unwrap_or_else(|e| e.into_inner()).values().filter_map(Weak::upgrade).collect();
    // The lock is free again: dropping the last reference to a device takes it.
    live.iter().for_each(|shared| visit(&shared.caches));
}

impl Drop for Shared {
    fn drop(&mut self) {
        let mut all = ALL.lock().unwrap_or_else(|e| e.into_inner());
        let key = self.device.key();
        if all.get(&key).is_some_and(|shared| shared.strong_count() == 0) {
            all.remove(&key);
        }
    }
}

/// The devices that are GPU engines, in their order.
pub(crate) fn gpus() -> &'static [DeviceId] {
    static DEVICES: OnceLock<Vec<DeviceId>> = OnceLock::new();
    DEVICES.get_or_init(|| Device::list(Settings::get().gpu_runtime))
}

impl Engine {
    /// How many engines of a kind there are.
    pub fn count(kind: EngineKind) -> usize {
        match kind {
            EngineKind::Cpu => 1,
            EngineKind::Gpu => gpus().len(),
            EngineKind::Any => 0,
        }
    }

    /// The engine of a kind with an index below [`count`](Engine::count).
    pub fn new(kind: EngineKind, index: usize) -> Result<Engine> {
        let count = Engine::count(kind);
        if index >= count {
            return Err(Error::invalid(format!("there is no {kind} engine {index}: {count} of that kind were found")));
        }
        let device = match kind {
            EngineKind::Cpu => Device::Cpu(runtime::cpu::Device),
            _ => Device::open(gpus()[index])?,
        };
        Ok(Engine::assemble(kind, index, device))
    }

    /// An engine on a device of the caller's own, in the caller's own context.
    pub fn from_device(device: Device) -> Engine {
        let kind = match device {
            Device::Cpu(_) => EngineKind::Cpu,
            Device::Ocl(_) | Device::Ze(_) => EngineKind::Gpu,
        };
        Engine::assemble(kind, 0, device)
    }

    fn assemble(kind: EngineKind, index: usize, device: Device) -> Engine {
        Engine(Arc::new(Inner { kind, index, shared: Shared::of(device) }))
    }

    /// Its kind.
    pub fn kind(&self) -> EngineKind {
        self.0.kind
    }

    /// Its index among the engines of its kind.
    pub fn index(&self) -> usize {
        self.0.index
    }

    /// The device and context.
    pub fn device(&self) -> &Device {
        &self.0.shared.device
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0.shared
    }

    /// An in-order queue of the library's own, for mapping and copying memory.
    pub(crate) fn service_queue(&self) -> Result<&Queue> {
        let shared = &self.0.shared;
        if let Some(queue) = shared.service.get() {
            return Ok(queue);
        }
        let queue = shared.device.create_queue(Order::InOrder, false)?;
        Ok(shared.service.get_or_init(|| queue))
    }
}

/// Two engines are equal if they are the same device in the same context.
impl PartialEq for Engine {
    fn eq(&self, other: &Engine) -> bool {
        Arc::ptr_eq(&self.0.shared, &other.0.shared)
    }
}

impl Eq for Engine {}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} ({})", self.kind(), self.index(), self.device().profile().name)
    }
}
