//! Tensors whose surroundings are watched: bytes beside them that must stay as they are, or a page behind them that nobody may touch.

use crate::api::{Api, Handle};
use crate::dtype::DataType;
use crate::handle::{BorrowedDesc, Device, Failure, Memory, MemoryDesc, mapped};
use crate::layout::Tag;
use crate::pages::Pages;

/// What a tensor lies in.
enum Backing<'a> {
    /// Memory of the library, with guard bytes behind the tensor.
    Allocated(Memory<'a>),
    /// Memory of the process: before the tensor are guard bytes, behind it there is nothing.
    Pages(Pages),
}

/// A tensor's bytes on a device, with guard bytes beside them.
pub struct Buffer<'a> {
    view: Memory<'a>,
    backing: Backing<'a>,
    size: usize,
}

impl<'a> Buffer<'a> {
    const GUARD: usize = 64;
    const PATTERN: u8 = 0xa5;

    /// Allocates a tensor; its bytes are `0xa5` until it is filled.
    pub fn new(api: &'a Api, device: &Device<'a>, md: BorrowedDesc<'_>) -> Result<Buffer<'a>, Failure> {
        let size = md.size();
        let bytes = MemoryDesc::with_tag(api, &[(size + Self::GUARD) as i64], DataType::U8, Tag::named("a").value)?;
        let backing = device.allocate(api, bytes.handle())?;
        let view = device.view(api, md.handle(), &backing)?;
        Buffer { view, backing: Backing::Allocated(backing), size }.untouched()
    }

    /// The same in memory of the process that ends with the tensor. The device has to take such memory.
    pub fn before_a_guard(api: &'a Api, device: &Device<'a>, md: BorrowedDesc<'_>) -> Result<Buffer<'a>, Failure> {
        let size = md.size();
        let failed = |error| Failure { stage: format!("guarded memory: {error}"), status: 1 };
        let pages = Pages::new(size).map_err(failed)?;
        // SAFETY: the pages outlive the memory.
        let view = unsafe { device.over_pointer(api, md.handle(), pages.data())? };
        Buffer { view, backing: Backing::Pages(pages), size }.untouched()
    }

    fn untouched(self) -> Result<Buffer<'a>, Failure> {
        self.mapped(|tensor, guard| {
            tensor.fill(Self::PATTERN);
            guard.fill(Self::PATTERN);
        })?;
        Ok(self)
    }

    /// The memory object to hand to a primitive.
    pub fn memory(&self) -> Handle {
        self.view.handle()
    }

    /// Hands out the tensor's bytes and those of the guard.
    fn mapped<T>(&self, work: impl FnOnce(&mut [u8], &mut [u8]) -> T) -> Result<T, Failure> {
        match &self.backing {
            Backing::Allocated(memory) => mapped(memory, self.size + Self::GUARD, |bytes| {
                let (tensor, guard) = bytes.split_at_mut(self.size);
                work(tensor, guard)
            }),
            Backing::Pages(pages) => {
                // SAFETY: primitives have ended when this is asked for, and one buffer is one thread's.
                let bytes = unsafe { pages.bytes() };
                let (guard, tensor) = bytes.split_at_mut(bytes.len() - self.size);
                Ok(work(tensor, guard))
            }
        }
    }

    /// Writes the tensor's bytes.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.mapped(|tensor, _| tensor[..bytes.len()].copy_from_slice(bytes))
    }

    /// Reads the tensor's bytes; the second value says whether the guard is intact.
    pub fn read(&self) -> Result<(Vec<u8>, bool), Failure> {
        self.mapped(|tensor, guard| (tensor.to_vec(), guard.iter().all(|byte| *byte == Self::PATTERN)))
    }

    /// What an untouched byte looks like.
    pub fn pattern() -> u8 {
        Self::PATTERN
    }
}
