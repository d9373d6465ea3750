//! The host as a device: kernels are Rust functions, commands run at once on the calling thread and its helpers.
//!
//! Memory is behind [`HostMemory`] because it may be the user's, reached through a raw pointer: the C ABI implements the
//! trait there, and this room stays free of unsafe code.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use super::{Arg, DeviceProfile, DeviceType, SubGroups, UsmSupport};
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

    /// Reads elements of `width` bytes (1, 2, 4 or 8), the i-th at byte offset `offset + i * stride`, packed into `out`.
    fn gather(&self, offset: usize, stride: isize, width: usize, out: &mut [u8]) {
        for (i, element) in out.chunks_exact_mut(width).enumerate() {
            self.read(offset.wrapping_add_signed(stride * i as isize), element);
        }
    }

    /// Writes elements of `width` bytes (1, 2, 4 or 8), the i-th to byte offset `offset + i * stride`.
    fn scatter(&self, offset: usize, stride: isize, width: usize, data: &[u8]) {
        for (i, element) in data.chunks_exact(width).enumerate() {
            self.write(offset.wrapping_add_signed(stride * i as isize), element);
        }
    }
}

/// Memory the library allocated itself.
///
/// Words are atomic so that threads may write to neighbouring bytes without locks, and C code through the address.
#[derive(Debug)]
struct Owned {
    words: Box<[AtomicU64]>,
    size: usize,
}

const WORD: usize = size_of::<u64>();

impl Owned {
    fn zeroed(size: usize) -> Result<Owned> {
        let count = size.div_ceil(WORD);
        let mut words = Vec::new();
        words
            .try_reserve_exact(count)
            .map_err(|_| Error::out_of_memory(format!("cannot allocate {size} bytes on the host")))?;
        words.resize_with(count, AtomicU64::default);
        Ok(Owned { words: words.into_boxed_slice(), size })
    }

    fn check(&self, offset: usize, length: usize) {
        let inside = offset.checked_add(length).is_some_and(|end| end <= self.size);
        assert!(inside, "{length} bytes at {offset} are out of range of a memory of {} bytes", self.size);
    }

    /// [`HostMemory::gather`] for one width.
    fn gather_elements<const WIDTH: usize>(&self, offset: usize, stride: isize, out: &mut [u8]) {
        for (i, element) in out.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
            let offset = offset.wrapping_add_signed(stride * i as isize);
            self.check(offset, WIDTH);
            if offset % WORD + WIDTH <= WORD {
                self.read_within(offset, element);
            } else {
                self.read(offset, element);
            }
        }
    }

    /// [`HostMemory::scatter`] for one width.
    fn scatter_elements<const WIDTH: usize>(&self, offset: usize, stride: isize, data: &[u8]) {
        for (i, element) in data.as_chunks::<WIDTH>().0.iter().enumerate() {
            let offset = offset.wrapping_add_signed(stride * i as isize);
            self.check(offset, WIDTH);
            if offset % WORD + WIDTH <= WORD {
                self.write_within(offset, element);
            } else {
                self.write(offset, element);
            }
        }
    }

    /// Bytes of one word.
    #[inline(always)]
    fn read_within(&self, offset: usize, out: &mut [u8]) {
        let start = offset % WORD;
        out.copy_from_slice(&self.words[offset / WORD].load(Relaxed).to_ne_bytes()[start..start + out.len()]);
    }

    /// Bytes of one word; its other bytes keep what other threads write to them.
    #[inline(always)]
    fn write_within(&self, offset: usize, data: &[u8]) {
        let start = offset % WORD;
        let word = &self.words[offset / WORD];
        let mut seen = word.load(Relaxed);
        loop {
            let mut bytes = seen.to_ne_bytes();
            bytes[start..start + data.len()].copy_from_slice(data);
            match word.compare_exchange_weak(seen, u64::from_ne_bytes(bytes), Relaxed, Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}

/// The length of the part of `length` bytes at `offset` that is before the first whole word.
fn head(offset: usize, length: usize) -> usize {
    (offset.next_multiple_of(WORD) - offset).min(length)
}

impl HostMemory for Owned {
    fn size(&self) -> usize {
        self.size
    }

    fn address(&self) -> *mut u8 {
        self.words.first().map_or(std::ptr::null_mut(), |word| word.as_ptr().cast())
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        self.check(offset, out.len());
        let (first, rest) = out.split_at_mut(head(offset, out.len()));
        if !first.is_empty() {
            self.read_within(offset, first);
        }
        let next = (offset + first.len()) / WORD;
        let (whole, last) = rest.as_chunks_mut::<WORD>();
        for (bytes, word) in whole.iter_mut().zip(&self.words[next..]) {
            *bytes = word.load(Relaxed).to_ne_bytes();
        }
        if !last.is_empty() {
            self.read_within((next + whole.len()) * WORD, last);
        }
    }

    fn write(&self, offset: usize, data: &[u8]) {
        self.check(offset, data.len());
        let (first, rest) = data.split_at(head(offset, data.len()));
        if !first.is_empty() {
            self.write_within(offset, first);
        }
        let next = (offset + first.len()) / WORD;
        let (whole, last) = rest.as_chunks::<WORD>();
        for (bytes, word) in whole.iter().zip(&self.words[next..]) {
            word.store(u64::from_ne_bytes(*bytes), Relaxed);
        }
        if !last.is_empty() {
            self.write_within((next + whole.len()) * WORD, last);
        }
    }

    fn gather(&self, offset: usize, stride: isize, width: usize, out: &mut [u8]) {
        match width {
            1 => self.gather_elements::<1>(offset, stride, out),
            2 => self.gather_elements::<2>(offset, stride, out),
            4 => self.gather_elements::<4>(offset, stride, out),
            _ => self.gather_elements::<8>(offset, stride, out),
        }
    }

    fn scatter(&self, offset: usize, stride: isize, width: usize, data: &[u8]) {
        match width {
            1 => self.scatter_elements::<1>(offset, stride, data),
            2 => self.scatter_elements::<2>(offset, stride, data),
            4 => self.scatter_elements::<4>(offset, stride, data),
            _ => self.scatter_elements::<8>(offset, stride, data),
        }
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
        Ok(Buffer(Arc::new(Owned::zeroed(bytes)?)))
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
            cache_bytes: super::LEAST_CACHE,
            core_cache_bytes: super::processor::core_cache(),
            drops_outward: false,
            fp64: true,
            fp16: true,
            slow_halves: false,
            sub_groups: SubGroups::None,
            clang_builtins: false,
            dot_int8: false,
            dot_vex: false,
            long_registers: false,
            pairs_int8: false,
            dot_bf16: false,
            amx_int8: false,
            amx_bf16: false,
            usm: UsmSupport::Usm,
            rank: 0,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_at_any_offset_are_written_and_read() {
        let size = 43;
        let buffer = Buffer::allocate(size).unwrap();
        let mut model = vec![0; size];
        let mut next = 0u8;
        for offset in 0..size {
            for length in 0..=(size - offset).min(20) {
                next = next.wrapping_add(1);
                let data: Vec<u8> = (0..length).map(|i| next.wrapping_mul(i as u8 + 3)).collect();
                buffer.memory().write(offset, &data);
                model[offset..offset + length].copy_from_slice(&data);
                let mut read = vec![0; length + 1];
                let start = offset.saturating_sub(1);
                buffer.memory().read(start, &mut read);
                assert_eq!(read, model[start..start + length + 1]);
            }
        }
    }

    #[test]
    fn strides_may_be_negative() {
        let buffer = Buffer::allocate(24).unwrap();
        buffer.memory().scatter(20, -10, 2, &[1, 2, 3, 4, 5, 6]);
        let mut out = [0; 6];
        buffer.memory().gather(0, 10, 2, &mut out);
        assert_eq!(out, [5, 6, 3, 4, 1, 2]);
    }

    #[test]
    fn threads_write_neighbouring_bytes() {
        let buffer = Buffer::allocate(4096).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let memory = buffer.memory();
                scope.spawn(move || (thread..4096).step_by(4).for_each(|at| memory.write(at, &[thread as u8 + 1])));
            }
        });
        let mut out = vec![0; 4096];
        buffer.memory().read(0, &mut out);
        assert!(out.iter().enumerate().all(|(at, &byte)| usize::from(byte) == at % 4 + 1));
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn bytes_past_the_end_panic() {
        Buffer::allocate(5).unwrap().memory().read(3, &mut [0; 3]);
    }
}
