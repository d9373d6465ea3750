//! Device memory seen from the host.

use std::ffi::c_void;
use std::ptr;

use opencl_sys::*;

use super::code::check;
use super::device::{Pointers, same_context};
use super::memory::{Buffer, Memory, Place};
use super::queue::Queue;
use crate::{Error, Result};

/// What the host does with mapped memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only reads.
    Read,
    /// Writes some of it.
    Write,
    /// Reads and writes.
    ReadWrite,
}

impl Access {
    fn flags(self) -> cl_map_flags {
        match self {
            Access::Read => CL_MAP_READ,
            Access::Write => CL_MAP_WRITE,
            Access::ReadWrite => CL_MAP_READ | CL_MAP_WRITE,
        }
    }
}

/// One map of a buffer that is not unmapped yet.
pub(super) struct Mapping {
    address: *mut c_void,
    /// What is copied back when it ends, for memory that only the device can reach.
    staging: Option<(Staging, Access)>,
}

// SAFETY: an address that is compared and handed to the driver, never dereferenced here.
unsafe impl Send for Mapping {}

/// Host memory that stands in for device memory.
struct Staging {
    room: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Staging {
    /// What host code may expect of an allocation's alignment.
    const ALIGNMENT: usize = 64;

    fn new(bytes: usize) -> Result<Staging> {
        let mut room = Vec::new();
        room.try_reserve_exact(bytes + Staging::ALIGNMENT)
            .map_err(|_| Error::out_of_memory(format!("cannot map {bytes} bytes on the host")))?;
        room.resize(bytes + Staging::ALIGNMENT, 0);
        let start = room.as_ptr().align_offset(Staging::ALIGNMENT);
        Ok(Staging { room, start, bytes })
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.room[self.start..][..self.bytes]
    }
}

impl Queue {
    /// Gives the host access to the first `bytes` bytes of a buffer, after everything submitted to this queue. Blocks.
    ///
    /// A buffer may be mapped several times; each map has its [`unmap`](Queue::unmap).
    pub fn map(&self, buffer: &Buffer, bytes: usize, access: Access) -> Result<*mut c_void> {
        same_context(buffer.device(), self.device(), "buffer")?;
        buffer.check_range(bytes)?;
        self.wait()?;
        let mut staging = None;
        let address = match (buffer.memory(), self.device().pointers()) {
            (Memory::Object(object), _) => {
                let mut code = CL_SUCCESS;
                // SAFETY: a live queue and object of one context; the range is in the object.
                let address = unsafe {
                    (self.device().api().clEnqueueMapBuffer)(
                        self.raw(),
                        object.raw(),
                        CL_TRUE,
                        access.flags(),
                        0,
                        bytes.max(1),
                        0,
                        ptr::null(),
                        ptr::null_mut(),
                        &mut code,
                    )
                };
                check(code, "clEnqueueMapBuffer")?;
                address
            }
            (Memory::Pointer(pointer), Pointers::Svm { api, .. }) if pointer.place == Place::CoarseSvm => {
                // SAFETY: a live queue and SVM memory of its context.
                let code = unsafe {
                    let (address, flags) = (pointer.address, access.flags());
                    let map = api.clEnqueueSVMMap;
                    map(self.raw(), CL_TRUE, flags, address, bytes.max(1), 0, ptr::null(), ptr::null_mut())
                };
                check(code, "clEnqueueSVMMap")?;
                pointer.address
            }
            (Memory::Pointer(pointer), _) if pointer.place == Place::Device => {
                let (room, _) = staging.insert((Staging::new(bytes)?, access));
                self.read(buffer, room.as_mut_slice(), &[])?;
                room.as_mut_slice().as_mut_ptr().cast()
            }
            (Memory::Pointer(pointer), _) => pointer.address,
        };
        buffer.mappings().push(Mapping { address, staging });
        Ok(address)
    }

    /// Ends a map; `address` is what [`map`](Queue::map) gave. Blocks until what the host wrote is in the buffer.
    pub fn unmap(&self, buffer: &Buffer, address: *mut c_void) -> Result<()> {
        same_context(buffer.device(), self.device(), "buffer")?;
        let Mapping { address, staging } = {
            let mut mappings = buffer.mappings();
            let found = mappings.iter().position(|mapping| mapping.address == address);
            mappings.swap_remove(
                found.ok_or_else(|| Error::invalid("the address is not one that the buffer is mapped at"))?,
            )
        };
        match (buffer.memory(), self.device().pointers()) {
            (Memory::Object(object), _) => {
                // SAFETY: a live queue and object of one context, mapped at this address.
                let code = unsafe {
                    let unmap = self.device().api().clEnqueueUnmapMemObject;
                    unmap(self.raw(), object.raw(), address, 0, ptr::null(), ptr::null_mut())
                };
                check(code, "clEnqueueUnmapMemObject")?;
                self.wait()
            }
            (Memory::Pointer(pointer), Pointers::Svm { api, .. }) if pointer.place == Place::CoarseSvm => {
                // SAFETY: a live queue and SVM memory of its context, mapped at this address.
                let code = unsafe { (api.clEnqueueSVMUnmap)(self.raw(), address, 0, ptr::null(), ptr::null_mut()) };
                check(code, "clEnqueueSVMUnmap")?;
                self.wait()
            }
            (Memory::Pointer(_), _) => match staging {
                Some((mut room, Access::Write | Access::ReadWrite)) => self.write(buffer, room.as_mut_slice(), &[]),
                Some((_, Access::Read)) | None => Ok(()),
            },
        }
    }
}
