//! Host memory behind pointers: the caller's, and what the library allocates where C gets to see the address.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::Arc;

use oxidnn::runtime::cpu::{Buffer, HostMemory};
use oxidnn::{Error, Result};

use crate::handle::Pointer;

/// Bytes at an address. Kernels of several threads read and write them at once, in different places.
#[derive(Debug)]
struct Region {
    address: *mut u8,
    size: usize,
    /// How the library allocated it; `None` if it is the caller's.
    owned: Option<Layout>,
}

// SAFETY: the address is valid for any thread, and only plain bytes are behind it.
unsafe impl Send for Region {}
// SAFETY: accesses are through raw pointers, never references, so concurrent ones to different bytes are sound; that they
// are to different bytes is the promise of `HostMemory`'s users, and of the caller for what it does meanwhile.
unsafe impl Sync for Region {}

/// What programs may expect of an allocation's address.
const ALIGNMENT: usize = 64;

/// The caller's memory.
///
/// # Safety
/// `size` bytes at `address` can be read and written until the buffer is gone, from any thread.
pub unsafe fn foreign(address: Pointer, size: usize) -> Buffer {
    Buffer::new(Arc::new(Region { address: address.cast(), size, owned: None }))
}

/// New memory, zeroed.
pub fn allocate(size: usize) -> Result<Buffer> {
    let failed = || Error::out_of_memory(format!("cannot allocate {size} bytes on the host"));
    let layout = Layout::from_size_align(size.max(1), ALIGNMENT).map_err(|_| failed())?;
    // SAFETY: the layout has at least one byte.
    let address = unsafe { alloc_zeroed(layout) };
    if address.is_null() {
        return Err(failed());
    }
    Ok(Buffer::new(Arc::new(Region { address, size, owned: Some(layout) })))
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(layout) = self.owned {
            // SAFETY: allocated with this very layout.
            unsafe { dealloc(self.address, layout) };
        }
    }
}

impl Region {
    /// The address of `len` bytes from `offset` on, which must be inside.
    fn at(&self, offset: usize, len: usize) -> *mut u8 {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.size);
        assert!(inside, "{len} bytes at {offset} are not inside a memory of {}", self.size);
        self.address.wrapping_add(offset)
    }

    /// The address of the first of `count` elements, `stride` bytes apart, all of which must be inside.
    fn spread(&self, offset: usize, stride: isize, width: usize, count: usize) -> *mut u8 {
        let last = offset.wrapping_add_signed(stride.wrapping_mul(count.saturating_sub(1) as isize));
        self.at(last, width);
        self.at(offset, width)
    }
}

/// Copies elements of `WIDTH` bytes between places that are `stride` bytes apart on each side.
///
/// # Safety
/// `count` elements can be read from `from` and written to `to`, at their strides, and none overlaps another.
unsafe fn copy_spread<const WIDTH: usize>(
    from: *const u8,
    from_stride: isize,
    to: *mut u8,
    to_stride: isize,
    count: usize,
) {
    let (mut from, mut to) = (from.cast::<[u8; WIDTH]>(), to.cast::<[u8; WIDTH]>());
    for _ in 0..count {
        // SAFETY: the caller's promise for this element.
        unsafe { to.write(from.read()) };
        (from, to) = (from.wrapping_byte_offset(from_stride), to.wrapping_byte_offset(to_stride));
    }
}

/// [`copy_spread`] for a width that is not known.
///
/// # Safety
/// As [`copy_spread`].
unsafe fn copy_elements(
    width: usize,
    (from, from_stride): (*const u8, isize),
    (to, to_stride): (*mut u8, isize),
    count: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match width {
            1 => copy_spread::<1>(from, from_stride, to, to_stride, count),
            2 => copy_spread::<2>(from, from_stride, to, to_stride, count),
            4 => copy_spread::<4>(from, from_stride, to, to_stride, count),
            8 => copy_spread::<8>(from, from_stride, to, to_stride, count),
            _ => {
                for i in 0..count as isize {
                    let (from, to) = (from.wrapping_offset(from_stride * i), to.wrapping_offset(to_stride * i));
                    std::ptr::copy_nonoverlapping(from, to, width);
                }
            }
        }
    }
}

impl HostMemory for Region {
    fn size(&self) -> usize {
        self.size
    }

    fn address(&self) -> *mut u8 {
        self.address
    }

    fn read(&self, offset: usize, out: &mut [u8]) {
        let from = self.at(offset, out.len());
        // SAFETY: checked to be inside, and `out` is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), out.len()) };
    }

    fn write(&self, offset: usize, data: &[u8]) {
        let to = self.at(offset, data.len());
        // SAFETY: checked to be inside, and `data` is not part of it: nobody has references to it.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to, data.len()) };
    }

    fn gather(&self, offset: usize, stride: isize, width: usize, out: &mut [u8]) {
        let count = out.len() / width;
        if count > 0 {
            let from = self.spread(offset, stride, width, count);
            // SAFETY: the first and the last element are inside, so are those between; `out` has room for `count`.
            unsafe { copy_elements(width, (from, stride), (out.as_mut_ptr(), width as isize), count) };
        }
    }

    fn scatter(&self, offset: usize, stride: isize, width: usize, data: &[u8]) {
        let count = data.len() / width;
        if count > 0 {
            let to = self.spread(offset, stride, width, count);
            // SAFETY: the first and the last element are inside, so are those between; `data` has `count`.
            unsafe { copy_elements(width, (data.as_ptr(), width as isize), (to, stride), count) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_zeroed_and_readable() {
        let buffer = allocate(100).unwrap();
        let memory = buffer.memory();
        assert_eq!(memory.address() as usize % ALIGNMENT, 0);
        memory.write(98, &[1, 2]);
        let mut out = [9; 4];
        memory.read(96, &mut out);
        assert_eq!(out, [0, 0, 1, 2]);
        assert_eq!(allocate(0).unwrap().size(), 0);
        assert!(allocate(usize::MAX / 2).is_err());
    }

    #[test]
    fn elements_spread_out_and_gather_back() {
        let buffer = allocate(64).unwrap();
        let memory = buffer.memory();
        for width in [1, 2, 3, 4, 8] {
            let data: Vec<u8> = (1..=3 * width as u8).collect();
            memory.scatter(16, 16, width, &data);
            let mut out = vec![0; data.len()];
            memory.gather(16, 16, width, &mut out);
            assert_eq!(out, data);
            memory.gather(48, -16, width, &mut out);
            assert_eq!(out[..width], data[2 * width..]);
        }
    }

    #[test]
    #[should_panic(expected = "not inside")]
    fn an_access_past_the_end_panics() {
        allocate(8).unwrap().memory().write(7, &[0, 0]);
    }

    #[test]
    #[should_panic(expected = "not inside")]
    fn a_gather_past_the_end_panics() {
        allocate(8).unwrap().memory().gather(0, 4, 4, &mut [0; 12]);
    }
}
