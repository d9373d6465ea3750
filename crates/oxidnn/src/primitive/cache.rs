//! What an engine remembers: built modules by their text, plans by what was asked, and which forms were fastest.
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

/// Something that is built by the first who asks for it, while the others wait.
#[derive(Debug)]
struct Slot<T> {
    ready: OnceLock<Arc<T>>,
    building: Mutex<()>,
}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot { ready: OnceLock::new(), building: Mutex::new(()) }
    }
}

impl<T> Slot<T> {
    /// What is there, if it is there.
    fn get(&self) -> Option<Arc<T>> {
        self.ready.get().cloned()
    }

    /// What is there, or is built now. Where building fails, the next who asks tries again.
    fn get_or_build(&self, build: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        if let Some(ready) = self.get() {
            return Ok(ready);
        }
        let _alone = self.building.lock().unwrap_or_else(|e| e.into_inner());
        match self.get() {
            Some(ready) => Ok(ready),
            None => build().map(|built| Arc::clone(self.ready.get_or_init(|| Arc::new(built)))),
        }
    }
}

type Modules = HashMap<ModuleKey, Arc<Slot<Module>>>;

/// The caches of one device in one context.
#[derive(Debug, Default)]
pub struct Caches {
    modules: Mutex<Modules>,
    plans: Mutex<Plans>,
    /// Which forms were fastest, see [`tune`](super::tune).
    ranks: Mutex<HashMap<Key, usize>>,
}

impl Caches {
    /// The module of a source: known, from the disk, or built.
    pub fn module(&self, device: &Device, source: &KernelSource) -> Result<(ModuleKey, Arc<Module>)> {
        let key = Key::of(source.text.as_bytes());
        let slot = Arc::clone(self.lock_modules().entry(key).or_default());
        Ok((key, slot.get_or_build(|| self.build(device, source, &key))?))
    }

    fn build(&self, device: &Device, source: &KernelSource, key: &ModuleKey) -> Result<Module> {
        observe::dump_kernel(&source.entry, &key.to_string(), &source.text);
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
        let load = || device.load(binary).map_err(|e| Error::invalid(format!("the cache blob does not load: {e}")));
        slot.get_or_build(load).map(drop)
    }

    fn lock_modules(&self) -> std::sync::MutexGuard<'_, Modules> {
        self.modules.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// All modules that are built.
    pub fn modules(&self) -> Vec<(ModuleKey, Arc<Module>)> {
        let modules = self.lock_modules();
        modules.iter().filter_map(|(key, slot)| slot.get().map(|module| (*key, module))).collect()
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

    /// The rank of the form that was fastest when it was measured, now or by another process.
    pub fn rank(&self, device: &Device, key: &Key) -> Option<usize> {
        let mut ranks = self.ranks.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(&rank) = ranks.get(key) {
            return Some(rank);
        }
        let payload = disk()?.get(&device.identity(), key)?;
        let rank = usize::from(*payload.first()?);
        ranks.insert(*key, rank);
        Some(rank)
    }

    /// Remembers the rank of a form.
    pub fn keep_rank(&self, device: &Device, key: &Key, rank: usize) {
        self.ranks.lock().unwrap_or_else(|e| e.into_inner()).insert(*key, rank);
        if let (Some(disk), Ok(rank)) = (disk(), u8::try_from(rank)) {
            disk.put(&device.identity(), key, &[rank]);
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn threads_that_want_the_same_thing_wait_for_the_one_that_builds_it() {
        let (slot, started, built) = (Slot::default(), Barrier::new(8), AtomicUsize::new(0));
        let build = || {
            thread::sleep(Duration::from_millis(20));
            Ok(built.fetch_add(1, Ordering::SeqCst))
        };
        let ask = || {
            started.wait();
            slot.get_or_build(build).unwrap()
        };
        let found: Vec<Arc<usize>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(built.load(Ordering::SeqCst), 1);
        assert!(found.iter().all(|one| Arc::ptr_eq(one, &found[0])));
    }

    #[test]
    fn what_failed_to_build_is_tried_again() {
        let slot = Slot::default();
        assert!(slot.get_or_build(|| Err(Error::runtime("not today"))).is_err());
        assert_eq!(*slot.get_or_build(|| Ok(7)).unwrap(), 7);
        assert_eq!(*slot.get_or_build(|| Err(Error::runtime("not needed"))).unwrap(), 7);
    }
}
