//! Device memory seen from the host: maps that are open, and host memory that stands in for the device's.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

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

/// One map of a buffer that is not unmapped yet.
pub(super) struct Mapping {
    /// Only compared and handed on. Atomic, since plain pointers do not go from thread to thread.
    address: AtomicPtr<c_void>,
    /// What is copied back when it ends, for memory that only the device can reach.
    staging: Option<(Staging, Access)>,
}

impl Mapping {
    /// The memory itself.
    pub(super) fn direct(address: *mut c_void) -> Mapping {
        Mapping { address: address.into(), staging: None }
    }

    /// A copy of it.
    pub(super) fn staged(mut room: Staging, access: Access) -> Mapping {
        let address: *mut c_void = room.as_mut_slice().as_mut_ptr().cast();
        Mapping { address: address.into(), staging: Some((room, access)) }
    }

    /// Where the host finds it.
    pub(super) fn address(&self) -> *mut c_void {
        self.address.load(Ordering::Relaxed)
    }

    /// Takes the map at an address out of those of a buffer.
    pub(super) fn take(mappings: &mut Vec<Mapping>, address: *mut c_void) -> Result<Mapping> {
        let found = mappings.iter().position(|mapping| mapping.address() == address);
        let found = found.ok_or_else(|| Error::invalid("the address is not one that the buffer is mapped at"))?;
        Ok(mappings.swap_remove(found))
    }

    /// The copy, if the host may have written to it.
    pub(super) fn into_written(self) -> Option<Staging> {
        match self.staging {
            Some((room, Access::Write | Access::ReadWrite)) => Some(room),
            Some((_, Access::Read)) | None => None,
        }
    }
}

/// Host memory that stands in for device memory.
pub(super) struct Staging {
    room: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Staging {
    /// What host code may expect of an allocation's alignment.
    const ALIGNMENT: usize = 64;

    pub(super) fn new(bytes: usize) -> Result<Staging> {
        let mut room = Vec::new();
        room.try_reserve_exact(bytes + Staging::ALIGNMENT)
            .map_err(|_| Error::out_of_memory(format!("cannot map {bytes} bytes on the host")))?;
        room.resize(bytes + Staging::ALIGNMENT, 0);
        let start = room.as_ptr().align_offset(Staging::ALIGNMENT);
        Ok(Staging { room, start, bytes })
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.room[self.start..][..self.bytes]
    }
}
