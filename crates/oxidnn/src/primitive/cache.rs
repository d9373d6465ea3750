//! What an engine remembers: built modules by their text, and plans by what was asked.
//!
//! A module is found by a hash of its source. Because sizes are arguments, a new shape of a known structure and tile finds
//! its module here and compiles nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::blob::Key;
use super::disk::DiskCache;
use super::{Layout, Plan};
use crate::codegen::opencl::KernelSource;
use crate::desc::{Attr, Op};
use crate::runtime::{Device, Module};
use crate::{Error, Result, observe};

/// What a built module is found by.
pub type ModuleKey = Key;

/// Where a plan came from, for verbose lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was made, its modules built or found.
    Fresh,
    /// It was made from a cache blob.
    Blob,
    /// The same was made before.
    Cached,
}

/// A plan and the layout it was built from.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What was scheduled.
    pub layout: Arc<Layout>,
    /// What was built.
    pub plan: Arc<Plan>,
}

/// How many plans each engine keeps.
fn capacity() -> &'static AtomicUsize {
    static CAPACITY: OnceLock<AtomicUsize> = OnceLock::new();
    CAPACITY.get_or_init(|| AtomicUsize::new(observe::env::primitive_cache_capacity()))
}

/// How many primitives are kept at the most.
pub fn primitive_cache_capacity() -> usize {
    capacity().load(Ordering::Relaxed)
}

/// Sets how many primitives are kept at the most; zero keeps none.
pub fn set_primitive_cache_capacity(count: usize) {
    capacity().store(count, Ordering::Relaxed);
    crate::engine::for_all_caches(|caches| caches.trim());
}

fn disk() -> Option<&'static DiskCache> {
    static DISK: OnceLock<Option<DiskCache>> = OnceLock::new();
    DISK.get_or_init(DiskCache::from_env).as_ref()
}

#[derive(Debug, Default)]
struct Plans {
    entries: HashMap<(Op, Attr), (Ready, u64)>,
    clock: u64,
}

/// The caches of one device in one context.
#[derive(Debug, Default)]
pub struct Caches {
    modules: Mutex<HashMap<ModuleKey, Arc<OnceLock<Arc<Module>>>>>,
    plans: Mutex<Plans>,
}

impl Caches {
    /// The module of a source: known, from the disk, or built. Threads that want the same new one at once each build it, and
    /// keep the one that was ready first.
    pub fn module(&self, device: &Device, source: &KernelSource) -> Result<(ModuleKey, Arc<Module>)> {
        let key = Key::of(source.text.as_bytes());
        let slot = Arc::clone(self.lock_modules().entry(key).or_default());
        if let Some(module) = slot.get() {
            return Ok((key, Arc::clone(module)));
        }
        let module = Arc::new(self.build(device, source, &key)?);
        Ok((key, Arc::clone(slot.get_or_init(|| module))))
    }

    fn build(&self, device: &Device, source: &KernelSource, key: &ModuleKey) -> Result<Module> {
        let identity = device.identity();
        if let Some(module) =
            disk().and_then(|disk| disk.get(&identity, key)).and_then(|binary| device.load(&binary).ok())
        {
            return Ok(module);
        }
        let module = device.compile(&source.text)?;
        if let Some(disk) = disk() {
            // Some drivers compile when a kernel is made, so the binary is taken after that.
            drop(module.kernel(&source.entry, &[])?);
            if let Ok(binary) = module.binary() {
                disk.put(&identity, key, &binary);
            }
        }
        Ok(module)
    }

    /// Takes in a module from a blob, unless it is known.
    pub fn preload(&self, device: &Device, key: ModuleKey, binary: &[u8]) -> Result<()> {
        let slot = Arc::clone(self.lock_modules().entry(key).or_default());
        if slot.get().is_none() {
            let module = Arc::new(
                device.load(binary).map_err(|e| Error::invalid(format!("the cache blob does not load: {e}")))?,
            );
            slot.get_or_init(|| module);
        }
        Ok(())
    }

    fn lock_modules(&self) -> std::sync::MutexGuard<'_, HashMap<ModuleKey, Arc<OnceLock<Arc<Module>>>>> {
        self.modules.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// All modules that are built.
    pub fn modules(&self) -> Vec<(ModuleKey, Arc<Module>)> {
        let modules = self.lock_modules();
        modules.iter().filter_map(|(key, slot)| slot.get().map(|module| (*key, Arc::clone(module)))).collect()
    }

    /// A plan made before for the same operation and attributes.
    pub fn find(&self, op: &Op, attr: &Attr) -> Option<Ready> {
        let mut plans = self.plans.lock().unwrap_or_else(|e| e.into_inner());
        plans.clock += 1;
        let now = plans.clock;
        let (ready, used) = plans.entries.get_mut(&(op.clone(), attr.clone()))?;
        *used = now;
        Some(ready.clone())
    }

    /// Keeps a plan; the one unused for the longest goes where there are too many.
    pub fn keep(&self, op: &Op, attr: &Attr, ready: &Ready) {
        let limit = primitive_cache_capacity();
        let mut plans = self.plans.lock().unwrap_or_else(|e| e.into_inner());
        plans.clock += 1;
        let now = plans.clock;
        if limit > 0 {
            plans.entries.insert((op.clone(), attr.clone()), (ready.clone(), now));
        }
        plans.trim(limit);
    }

    /// Lets go of what the capacity no longer allows.
    fn trim(&self) {
        self.plans.lock().unwrap_or_else(|e| e.into_inner()).trim(primitive_cache_capacity());
    }
}

impl Plans {
    /// The entries unused for the longest go until there are not more than `limit`.
    fn trim(&mut self, limit: usize) {
        while self.entries.len() > limit {
            let Some(oldest) = self.entries.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone())
            else {
                break;
            };
            self.entries.remove(&oldest);
        }
    }
}
