//! The host as a device: kernels are Rust functions, commands run at once on the calling thread and its helpers.
//!
//! Memory is behind [`HostMemory`] because it may be the user's, reached through a raw pointer: the C ABI implements the
//! trait there, and this room stays free of unsafe code.

use std::fmt;
use std::sync::{Arc, OnceLock, RwLock};

use super::{Arg, DeviceProfile, DeviceType, UsmSupport};
use crate::{Error, Result};

/// Bytes on the host that several threads may read and write. Offsets are in bytes; an access past the end panics.
///
/// Writers of one kernel write disjoint elements; a sub-byte pair counts as one element.
pub trait HostMemory: Send + Sync + fmt::Debug {
    /// Its size in bytes.
    fn size(&self) -> usize;

    /// Where it is, for handing out to C. Null if it has no stable address.
    fn address(&self) -> *mut u8;

    /// Copies `out.len()` bytes starting at `offset`.
    fn read(&self, offset: usize, out: &mut [u8]);

    /// Overwrites `data.len()` bytes starting at `offset`.
    fn write(&self, offset: usize, data: &[u8]);

    /// Reads elements of `width` bytes, the i-th at byte offset `offset + i * stride`, packed into `out`.
    fn gather(&self, offset: usize, stride: isize, width: usize, out: &mut [u8]) {
        for (i, element) in out.chunks_exact_mut(width).enumerate() {
            self.read(offset.wrapping_add_signed(stride * i as isize), element);
        }
    }

    /// Writes elements of `width` bytes, the i-th to byte offset `offset + i * stride`.
    fn scatter(&self, offset: usize, stride: isize, width: usize, data: &[u8]) {
        for (i, element) in data.chunks_exact(width).enumerate() {
            self.write(offset.wrapping_add_signed(stride * i as isize), element);
        }
    }
}

/// Memory the library allocated itself.
#[derive(Debug)]
struct Owned(RwLock<Box<[u8]>>);

impl HostMemory for Owned {
    fn size(&self) -> usize {
        self.0.read().unwrap_or_else(|e| e.into_inner()).len()
    }

    fn address(&self) -> *mut u8 {
        self.0.write().unwrap_or_else(|e| e.into_inner()).as_mut_ptr()
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.0.read().unwrap_or_else(|e| e.into_inner())[offset..offset + out.len()]);
    }

    fn write(&self, offset: usize, data: &[u8]) {
        self.0.write().unwrap_or_else(|e| e.into_inner())[offset..offset + data.len()].copy_from_slice(data);
    }
}

/// A counted reference to host memory.
#[derive(Clone, Debug)]
pub struct Buffer(Arc<dyn HostMemory>);

impl Buffer {
    /// Wraps memory that somebody else provides.
    pub fn new(memory: Arc<dyn HostMemory>) -> Buffer {
        Buffer(memory)
    }

    /// Allocates zeroed memory.
    pub fn allocate(bytes: usize) -> Result<Buffer> {
        let mut data = Vec::new();
        data.try_reserve_exact(bytes)
            .map_err(|_| Error::out_of_memory(format!("cannot allocate {bytes} bytes on the host")))?;
        data.resize(bytes, 0);
        Ok(Buffer(Arc::new(Owned(RwLock::new(data.into_boxed_slice())))))
    }

    /// The memory.
    pub fn memory(&self) -> &dyn HostMemory {
        &*self.0
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    pub(super) fn copy_to(&self, dst: &Buffer, bytes: usize) {
        let mut staging = vec![0; bytes.min(1 << 20)];
        let mut done = 0;
        while done < bytes {
            let part = staging.len().min(bytes - done);
            self.0.read(done, &mut staging[..part]);
            dst.0.write(done, &staging[..part]);
            done += part;
        }
    }
}

/// A function of the host that computes one stage.
pub trait HostKernel: Send + Sync + fmt::Debug {
    /// Into how many independent parts the work may be split.
    fn parts(&self) -> usize;

    /// Computes part `part`. `memories` and `params` are the launch's arguments in order.
    fn run(&self, part: usize, memories: &[&dyn HostMemory], params: &[u8]);
}

/// A host kernel with the parameter block it was created with.
#[derive(Debug)]
pub struct Kernel {
    code: Box<dyn HostKernel>,
    params: Vec<u8>,
}

impl Kernel {
    /// Binds a parameter block to a function.
    pub fn new(code: Box<dyn HostKernel>, params: Vec<u8>) -> Kernel {
        Kernel { code, params }
    }
}

/// The host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Device;

impl Device {
    /// What is known of it.
    pub fn profile(&self) -> &'static DeviceProfile {
        static PROFILE: OnceLock<DeviceProfile> = OnceLock::new();
        PROFILE.get_or_init(|| DeviceProfile {
            device_type: DeviceType::Cpu,
            name: "host".into(),
            vendor: String::new(),
            driver: String::new(),
            frequency: None,
            compute_units: std::thread::available_parallelism().map_or(1, usize::from),
            max_work_group: 1,
            local_memory: 0,
            max_allocation: isize::MAX as u64,
            vector_bytes: 64,
            fp64: true,
            fp16: true,
            subgroups: false,
            clang_builtins: false,
            usm: UsmSupport::Usm,
        })
    }
}

/// Runs commands on the calling thread and a few helpers.
#[derive(Clone, Debug, Default)]
pub struct Queue;

impl Queue {
    /// A queue.
    pub fn new() -> Queue {
        Queue
    }

    pub(super) fn launch(&self, kernel: &Kernel, args: &[Arg<'_>]) -> Result<()> {
        let mut memories: Vec<&dyn HostMemory> = Vec::with_capacity(args.len());
        let mut params = kernel.params.as_slice();
        for arg in args {
            match arg {
                Arg::Buffer(super::Buffer::Cpu(buffer)) => memories.push(buffer.memory()),
                Arg::Buffer(_) => return Err(super::mismatch("the buffer")),
                Arg::Value(value) => params = value,
                Arg::Preset => {}
            }
        }
        let parts = kernel.code.parts();
        let threads = Device.profile().compute_units.min(parts);
        if threads <= 1 {
            (0..parts).for_each(|part| kernel.code.run(part, &memories, params));
            return Ok(());
        }
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || loop {
            let part = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if part >= parts {
                break;
            }
            kernel.code.run(part, &memories, params);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        Ok(())
    }
}
