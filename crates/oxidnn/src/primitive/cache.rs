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

/// What is built once for each key, and when it was last asked for.
#[derive(Debug)]
struct Kept<T> {
    entries: HashMap<Key, (Arc<Slot<T>>, u64)>,
    clock: u64,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { entries: HashMap::new(), clock: 0 }
    }
}

impl<T> Kept<T> {
    /// The place of a key.
    fn slot(&mut self, key: Key) -> Arc<Slot<T>> {
        self.clock += 1;
        let (slot, used) = self.entries.entry(key).or_default();
        *used = self.clock;
        Arc::clone(slot)
    }

    /// Lets go of what nobody else holds, those unused for the longest first, until there is not more than `limit`.
    fn trim(&mut self, limit: usize) {
        let excess = self.entries.len().saturating_sub(limit);
        if excess == 0 {
            return;
        }
        let is_unused = |slot: &Arc<Slot<T>>| {
            Arc::strong_count(slot) == 1 && slot.ready.get().is_none_or(|built| Arc::strong_count(built) == 1)
        };
        let unused = self.entries.iter().filter(|(_, (slot, _))| is_unused(slot));
        let mut unused: Vec<(u64, Key)> = unused.map(|(key, (_, used))| (*used, *key)).collect();
        unused.sort_by_key(|(used, _)| *used);
        for (_, key) in unused.into_iter().take(excess) {
            self.entries.remove(&key);
        }
    }
}

/// Modules that an engine keeps beside those of primitives that are alive: a driver takes megabytes for one.
const MOST_MODULES: usize = 512;

/// The caches of one device in one context.
#[derive(Debug, Default)]
pub struct Caches {
    modules: Mutex<Kept<Module>>,
    plans: Mutex<Plans>,
    /// Which forms were fastest, see [`tune`](super::tune).
    ranks: Mutex<HashMap<Key, usize>>,
}

impl Caches {
    /// The module of a source: known, from the disk, or built.
    pub fn module(&self, device: &Device, source: &KernelSource) -> Result<(ModuleKey, Arc<Module>)> {
        let key = Key::of(source.text.as_bytes());
        let slot = self.lock_modules().slot(key);
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
        let slot = self.lock_modules().slot(key);
        let load = || device.load(binary).map_err(|e| Error::invalid(format!("the cache blob does not load: {e}")));
        slot.get_or_build(load).map(drop)
    }

    fn lock_modules(&self) -> std::sync::MutexGuard<'_, Kept<Module>> {
        self.modules.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// All modules that are kept.
    pub fn modules(&self) -> Vec<(ModuleKey, Arc<Module>)> {
        let modules = self.lock_modules();
        modules.entries.iter().filter_map(|(key, (slot, _))| slot.get().map(|module| (*key, module))).collect()
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
        self.trim_modules(&mut plans);
    }

    /// Lets go of modules where there are too many, with the plans that use them if it must be.
    fn trim_modules(&self, plans: &mut Plans) {
        let mut modules = self.lock_modules();
        modules.trim(MOST_MODULES);
        while modules.entries.len() > MOST_MODULES && !plans.entries.is_empty() {
            // Some at a time: looking for what is unused takes as long for many as for one.
            plans.trim(plans.entries.len() - plans.entries.len().div_ceil(8));
            modules.trim(MOST_MODULES);
        }
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

    #[test]
    fn what_is_unused_for_the_longest_goes_first_and_what_is_held_stays() {
        let mut kept: Kept<usize> = Kept::default();
        let key = |number: usize| Key::of(&[number as u8]);
        let built: Vec<Arc<usize>> =
            (0..8).map(|number| kept.slot(key(number)).get_or_build(|| Ok(number)).unwrap()).collect();
        kept.trim(4);
        assert_eq!(kept.entries.len(), 8, "all are held");
        let held = Arc::clone(&built[1]);
        drop(built);
        kept.slot(key(0));
        kept.trim(4);
        let left: Vec<usize> = (0..8).filter(|&number| kept.entries.contains_key(&key(number))).collect();
        assert_eq!(left, [0, 1, 6, 7]);
        kept.trim(0);
        assert_eq!(kept.entries.keys().copied().collect::<Vec<_>>(), [key(1)]);
        assert_eq!(*held, 1);
    }
}
