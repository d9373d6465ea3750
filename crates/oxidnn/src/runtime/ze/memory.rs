//! Pointers that device and host share, or that only the device reaches.
//!
//! A buffer belongs to a context, not to one device of it.

use std::ffi::c_void;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ask::Free;
use super::bindings::*;
use super::code::check;
use super::device::Device;
use crate::runtime::staging::Mapping;
use crate::runtime::{self, MemoryKind};
use crate::{Error, Result, ensure};

/// A counted reference to memory behind a pointer, the user's or the library's.
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

struct Inner {
    device: Device,
    address: *mut c_void,
    place: Place,
    owned: bool,
    size: Option<usize>,
    mappings: Mutex<Vec<Mapping>>,
}

// SAFETY: an address in memory that devices share; it is dereferenced by the driver only.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// Who can reach what a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Host and device.
    Shared,
    /// The device only.
    Device,
}

impl Buffer {
    pub(super) fn allocate(device: &Device, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        // No allocation has a size of zero.
        let room = bytes.max(1);
        let (api, context) = (device.api(), device.raw_context());
        let on_device =
            ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
        let on_host = ze_host_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, ..Default::default() };
        let mut address = ptr::null_mut();
        // SAFETY: a live context and device, structures that say what they are, a place for the result; the default
        // alignment.
        let (code, call, place) = unsafe {
            match kind {
                MemoryKind::Buffer => {
                    let allocate = api.zeMemAllocDevice;
                    let code = allocate(context, &on_device, room, 0, device.raw_device(), &mut address);
                    (code, "zeMemAllocDevice", Place::Device)
                }
                MemoryKind::Usm if device.abilities().shared => {
                    let allocate = api.zeMemAllocShared;
                    let code = allocate(context, &on_device, &on_host, room, 0, device.raw_device(), &mut address);
                    (code, "zeMemAllocShared", Place::Shared)
                }
                MemoryKind::Usm => {
                    let code = (api.zeMemAllocHost)(context, &on_host, room, 0, &mut address);
                    (code, "zeMemAllocHost", Place::Shared)
                }
            }
        };
        check(code, call).map_err(|e| Error::new(e.status(), format!("{room} bytes: {e}")))?;
        if address.is_null() {
            return Err(Error::out_of_memory(format!("{call} cannot allocate {room} bytes")));
        }
        Ok(Buffer::new(device, address, place, true, Some(bytes)))
    }

    /// Takes the caller's pointer, which stays the caller's to free.
    ///
    /// A pointer that the engine's context does not know is an error, unless the device can reach all of the host's
    /// memory.
    ///
    /// # Safety
    /// `pointer` is null or points to live memory, which outlives the last use of the buffer.
    pub unsafe fn from_pointer(device: &Device, pointer: *mut c_void) -> Result<Buffer> {
        ensure!(!pointer.is_null(), "the memory pointer is null");
        let mut properties = ze_memory_allocation_properties_t {
            stype: ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
            ..Default::default()
        };
        let api = device.api();
        // SAFETY: any pointer may be asked about; the structure says what it is, and the device is not asked for.
        let code =
            unsafe { (api.zeMemGetAllocProperties)(device.raw_context(), pointer, &mut properties, ptr::null_mut()) };
        let kind = if code == ZE_RESULT_SUCCESS { properties.type_ } else { ZE_MEMORY_TYPE_UNKNOWN };
        let place = match kind {
            ZE_MEMORY_TYPE_DEVICE => Place::Device,
            ZE_MEMORY_TYPE_HOST | ZE_MEMORY_TYPE_SHARED => Place::Shared,
            _ if device.abilities().system => return Ok(Buffer::new(device, pointer, Place::Shared, false, None)),
            _ => return Err(Error::invalid("the pointer is not memory of the engine's Level Zero context")),
        };
        let (mut base, mut bytes) = (ptr::null_mut(), 0usize);
        // SAFETY: a pointer that the context knows and places for the results.
        let code = unsafe { (api.zeMemGetAddressRange)(device.raw_context(), pointer, &mut base, &mut bytes) };
        let size = (code == ZE_RESULT_SUCCESS).then(|| bytes.saturating_sub(pointer.addr() - base.addr()));
        Ok(Buffer::new(device, pointer, place, false, size))
    }

    fn new(device: &Device, address: *mut c_void, place: Place, owned: bool, size: Option<usize>) -> Buffer {
        Buffer(Arc::new(Inner { device: device.clone(), address, place, owned, size, mappings: Mutex::default() }))
    }

    /// Its size in bytes, where the driver knows it: for a pointer into an allocation, to the end of that.
    pub fn size(&self) -> Option<usize> {
        self.0.size
    }

    /// The pointer.
    pub fn pointer(&self) -> *mut c_void {
        self.0.address
    }

    /// The device it was made for.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    pub(super) fn place(&self) -> Place {
        self.0.place
    }

    /// The maps of it that are not unmapped yet.
    pub(super) fn mappings(&self) -> MutexGuard<'_, Vec<Mapping>> {
        self.0.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that the first `bytes` bytes are there, where the size is known.
    pub(super) fn check_range(&self, bytes: usize) -> Result<()> {
        runtime::check_range(self.0.size, bytes)
    }

    /// Whether a queue must keep it until its commands are done, because freeing it would not wait for them.
    pub(super) fn needs_keeping(&self) -> bool {
        self.0.owned && self.0.device.abilities().free == Free::Immediate
    }

    /// What tells buffers apart.
    pub(super) fn key(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} memory {:p}", self.0.place, self.0.address)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        let (api, context) = (self.device.api(), self.device.raw_context());
        let free_policy = match self.device.abilities().free {
            Free::Deferred => ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE,
            Free::Blocking => ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE,
            Free::Immediate => 0,
        };
        let desc = ze_memory_free_ext_desc_t {
            stype: ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
            freePolicy: free_policy,
            ..Default::default()
        };
        // SAFETY: allocated in this context, and either the policy or the queues see to commands that use it.
        unsafe {
            match api.zeMemFreeExt.filter(|_| free_policy != 0) {
                Some(free) => free(context, &desc, self.address),
                None => (api.zeMemFree)(context, self.address),
            }
        };
    }
}
