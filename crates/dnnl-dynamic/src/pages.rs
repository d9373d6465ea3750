//! Memory that ends where nobody may read, so that whoever reads on is ended by the system.

use std::io;
use std::ptr;
use std::slice;

/// Pages of the process between two that cannot be touched. What is asked for lies at their end.
pub struct Pages {
    mapping: *mut libc::c_void,
    length: usize,
    page: usize,
    size: usize,
}

impl Pages {
    /// Room for so many bytes, which are zero.
    pub fn new(size: usize) -> io::Result<Pages> {
        // SAFETY: the call has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(io::Error::other)?;
        let length = size.next_multiple_of(page) + 2 * page;
        // SAFETY: a new mapping at an address of the system's choice.
        let mapping = unsafe {
            libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let pages = Pages { mapping, length, page, size };
        // SAFETY: the pages between the first and the last one are part of the mapping.
        let status =
            unsafe { libc::mprotect(mapping.byte_add(page), length - 2 * page, libc::PROT_READ | libc::PROT_WRITE) };
        if status == 0 { Ok(pages) } else { Err(io::Error::last_os_error()) }
    }

    /// Where the bytes that were asked for begin.
    pub fn data(&self) -> *mut libc::c_void {
        // SAFETY: they are the last ones before the last page.
        unsafe { self.mapping.byte_add(self.length - self.page - self.size) }
    }

    /// All bytes that can be touched; those that were asked for are the last.
    ///
    /// # Safety
    /// Nobody else touches them as long as they are borrowed.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn bytes(&self) -> &mut [u8] {
        // SAFETY: the pages between the first and the last one can be read and written; the rest is the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.mapping.byte_add(self.page).cast(), self.length - 2 * self.page) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made here and ends once.
        unsafe { libc::munmap(self.mapping, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_is_the_last_one_of_a_page() {
        for size in [1, 100, 4096, 5000] {
            let pages = Pages::new(size).unwrap();
            assert_eq!((pages.data() as usize + size) % pages.page, 0);
            // SAFETY: nobody else has them.
            let bytes = unsafe { pages.bytes() };
            assert_eq!(bytes.as_ptr_range().end as usize, pages.data() as usize + size);
            bytes.fill(7);
        }
    }
}
