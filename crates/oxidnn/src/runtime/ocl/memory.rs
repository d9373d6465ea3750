//! Memory objects and pointers behind one type.
//!
//! A buffer belongs to a context, not to one device of it.

use std::ffi::c_void;
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::*;

use super::code::{check, error};
use super::device::{Device, Pointers};
use super::handle::{Handle, MemKind, info};
use super::queue::Tail;
use crate::runtime::staging::Mapping;
use crate::runtime::{self, MemoryKind};
use crate::{Error, Result, ensure};

/// A counted reference to a `cl_mem`, a USM pointer or an SVM pointer, the user's or the library's.
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

struct Inner {
    device: Device,
    memory: Memory,
    size: Option<usize>,
    mappings: Mutex<Vec<Mapping>>,
    /// Queues with commands that may still use the library's own SVM memory.
    users: Mutex<Vec<Arc<Tail>>>,
}

pub(super) enum Memory {
    Object(Handle<MemKind>),
    Pointer(Pointer),
}

/// Memory that is known by its address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) address: *mut c_void,
    pub(super) place: Place,
    owned: bool,
}

// SAFETY: an address in memory that devices share; it is dereferenced by the driver only.
unsafe impl Send for Pointer {}
// SAFETY: as above.
unsafe impl Sync for Pointer {}

/// Who can reach what a pointer points to, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Host and device, at any time they do not use it both.
    Shared,
    /// The device only.
    Device,
    /// The device; the host while it is mapped.
    CoarseSvm,
}

impl Buffer {
    pub(super) fn allocate(device: &Device, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        // Neither clCreateBuffer nor the pointer functions take a size of zero.
        let room = bytes.max(1);
        let memory = match kind {
            MemoryKind::Buffer => {
                let mut code = CL_SUCCESS;
                // SAFETY: a live context and no host pointer.
                let object = unsafe {
                    let create = device.api().clCreateBuffer;
                    let raw = create(device.raw_context(), CL_MEM_READ_WRITE, room, ptr::null_mut(), &mut code);
                    Handle::created(device.api(), raw, code, "clCreateBuffer")
                };
                Memory::Object(object.map_err(|e| Error::new(e.status(), format!("{room} bytes: {e}")))?)
            }
            MemoryKind::Usm => Memory::Pointer(allocate_pointer(device, room)?),
        };
        Ok(Buffer::new(device, memory, Some(bytes)))
    }

    /// Takes the caller's memory object, or a sub-buffer; it is retained until the last clone is dropped.
    ///
    /// # Safety
    /// `object` is null or a live memory object.
    pub unsafe fn from_cl_mem(device: &Device, object: cl_mem) -> Result<Buffer> {
        let api = device.api();
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::<MemKind>::retain(api, object)? };
        let fail = |code| error(code, "clGetMemObjectInfo");
        // SAFETY: a live memory object, as retaining it has shown.
        let (context, kind, size) = unsafe {
            (
                info::<cl_context>(api.clGetMemObjectInfo, object, CL_MEM_CONTEXT).map_err(fail)?,
                info::<cl_uint>(api.clGetMemObjectInfo, object, CL_MEM_TYPE).map_err(fail)?,
                info::<usize>(api.clGetMemObjectInfo, object, CL_MEM_SIZE).map_err(fail)?,
            )
        };
        ensure!(context == device.raw_context(), "the memory object belongs to another OpenCL context than the engine");
        ensure!(kind == CL_MEM_OBJECT_BUFFER, "the memory object is not a buffer (type {kind:#x})");
        Ok(Buffer::new(device, Memory::Object(handle), Some(size)))
    }

    /// Takes the caller's USM or SVM pointer, which stays the caller's to free.
    ///
    /// A pointer that the USM extension does not know in the engine's context is an error, unless the device can
    /// reach all of the host's memory. Core SVM has no way to ask.
    ///
    /// # Safety
    /// `pointer` is null or points to live memory, which outlives the last use of the buffer.
    pub unsafe fn from_pointer(device: &Device, pointer: *mut c_void) -> Result<Buffer> {
        ensure!(!pointer.is_null(), "the memory pointer is null");
        let place = match device.pointers() {
            Pointers::None => return Err(no_pointers(device)),
            Pointers::Svm { fine_grained: true, .. } => Place::Shared,
            Pointers::Svm { fine_grained: false, .. } => Place::CoarseSvm,
            Pointers::Usm { api, system, .. } => {
                let mut kind: cl_uint = CL_MEM_TYPE_UNKNOWN_INTEL;
                // SAFETY: any pointer may be asked about; the size is that of the value.
                let code = unsafe {
                    (api.clGetMemAllocInfoINTEL)(
                        device.raw_context(),
                        pointer,
                        CL_MEM_ALLOC_TYPE_INTEL,
                        size_of::<cl_uint>(),
                        (&raw mut kind).cast(),
                        ptr::null_mut(),
                    )
                };
                match kind {
                    CL_MEM_TYPE_DEVICE_INTEL if code == CL_SUCCESS => Place::Device,
                    CL_MEM_TYPE_HOST_INTEL | CL_MEM_TYPE_SHARED_INTEL if code == CL_SUCCESS => Place::Shared,
                    _ if *system => Place::Shared,
                    _ => return Err(Error::invalid("the pointer is not USM memory of the engine's OpenCL context")),
                }
            }
        };
        Ok(Buffer::new(device, Memory::Pointer(Pointer { address: pointer, place, owned: false }), None))
    }

    fn new(device: &Device, memory: Memory, size: Option<usize>) -> Buffer {
        Buffer(Arc::new(Inner {
            device: device.clone(),
            memory,
            size,
            mappings: Mutex::default(),
            users: Mutex::default(),
        }))
    }

    /// What kind of memory it is.
    pub fn kind(&self) -> MemoryKind {
        match self.0.memory {
            Memory::Object(_) => MemoryKind::Buffer,
            Memory::Pointer(_) => MemoryKind::Usm,
        }
    }

    /// Its size in bytes; unknown for the caller's pointers.
    pub fn size(&self) -> Option<usize> {
        self.0.size
    }

    /// The memory object, if it is one; no reference is added.
    pub fn cl_mem(&self) -> Option<cl_mem> {
        match &self.0.memory {
            Memory::Object(object) => Some(object.raw()),
            Memory::Pointer(_) => None,
        }
    }

    /// The USM or SVM pointer, if it is one.
    pub fn pointer(&self) -> Option<*mut c_void> {
        match &self.0.memory {
            Memory::Object(_) => None,
            Memory::Pointer(pointer) => Some(pointer.address),
        }
    }

    /// The device it was made for.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.0.memory
    }

    /// The maps of it that are not unmapped yet.
    pub(super) fn mappings(&self) -> MutexGuard<'_, Vec<Mapping>> {
        self.0.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that the first `bytes` bytes are there, where the size is known.
    pub(super) fn check_range(&self, bytes: usize) -> Result<()> {
        runtime::check_range(self.0.size, bytes)
    }

    /// Whether freeing it must wait for the queues that used it, because the driver does not.
    pub(super) fn needs_users(&self) -> bool {
        matches!(self.0.memory, Memory::Pointer(Pointer { owned: true, .. }))
            && matches!(self.0.device.pointers(), Pointers::Svm { .. })
    }

    pub(super) fn add_user(&self, queue: &Arc<Tail>) {
        let mut users = self.0.users.lock().unwrap_or_else(PoisonError::into_inner);
        if !users.iter().any(|user| Arc::ptr_eq(user, queue)) {
            users.retain(|user| user.open());
            users.push(queue.clone());
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.memory {
            Memory::Object(object) => object.fmt(f),
            Memory::Pointer(pointer) => pointer.fmt(f),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Memory::Pointer(Pointer { address, owned: true, .. }) = self.memory else { return };
        match self.device.pointers() {
            // SAFETY: allocated by this extension in this context; the call waits for commands that use it.
            Pointers::Usm { api, .. } => unsafe {
                (api.clMemBlockingFreeINTEL)(self.device.raw_context(), address);
            },
            Pointers::Svm { api, .. } => {
                for queue in self.users.get_mut().unwrap_or_else(PoisonError::into_inner) {
                    queue.finish();
                }
                // SAFETY: allocated by clSVMAlloc in this context, and no command uses it any more.
                unsafe { (api.clSVMFree)(self.device.raw_context(), address) };
            }
            Pointers::None => {}
        }
    }
}

fn no_pointers(device: &Device) -> Error {
    Error::unimplemented(format!(
        "{} has neither cl_intel_unified_shared_memory nor shared virtual memory: use buffers",
        device.profile().name
    ))
}

fn allocate_pointer(device: &Device, bytes: usize) -> Result<Pointer> {
    let context = device.raw_context();
    let mut code = CL_SUCCESS;
    // SAFETY: a live context and device; no properties; the default alignment.
    let (address, place, call) = unsafe {
        match *device.pointers() {
            Pointers::None => return Err(no_pointers(device)),
            Pointers::Usm { api, shared: true, .. } => {
                let address =
                    (api.clSharedMemAllocINTEL)(context, device.raw_device(), ptr::null(), bytes, 0, &mut code);
                (address, Place::Shared, "clSharedMemAllocINTEL")
            }
            Pointers::Usm { api, host: true, .. } => {
                let address = (api.clHostMemAllocINTEL)(context, ptr::null(), bytes, 0, &mut code);
                (address, Place::Shared, "clHostMemAllocINTEL")
            }
            Pointers::Usm { api, .. } => {
                let address =
                    (api.clDeviceMemAllocINTEL)(context, device.raw_device(), ptr::null(), bytes, 0, &mut code);
                (address, Place::Device, "clDeviceMemAllocINTEL")
            }
            Pointers::Svm { api, fine_grained } => {
                let fine = if fine_grained { CL_MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
                let address = (api.clSVMAlloc)(context, CL_MEM_READ_WRITE | fine, bytes, 0);
                (address, if fine_grained { Place::Shared } else { Place::CoarseSvm }, "clSVMAlloc")
            }
        }
    };
    check(code, call)?;
    if address.is_null() {
        return Err(Error::out_of_memory(format!("{call} cannot allocate {bytes} bytes")));
    }
    Ok(Pointer { address, place, owned: true })
}
