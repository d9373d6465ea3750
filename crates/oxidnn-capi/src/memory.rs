//! Memory.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use oxidnn::desc;
use oxidnn::runtime::{Access, Buffer, Device, MemoryKind, ocl, ze};
use oxidnn::{Error, Result};

use crate::boundary::{Status, status};
use crate::engine::Engine;
use crate::handle::{Const, ConstUntyped, Handle, Head, Items, Mut, Opt, Out, Pointer, Untyped};
use crate::host_memory;
use crate::memory_desc::{MemoryDesc, desc_or_zero};

/// What `dnnl_memory_t` points to.
#[repr(C)]
#[derive(Debug)]
pub struct Memory {
    head: Head,
    memory: oxidnn::Memory,
    /// Host scalars belong to none.
    engine: Option<Arc<Engine>>,
    desc: OnceLock<MemoryDesc>,
    /// Copies of a host scalar that it is mapped to.
    mapped: Mutex<Vec<Arc<AtomicU64>>>,
}

// SAFETY: `repr(C)` and starts with a head for this type.
unsafe impl Handle for Memory {
    const TAG: Option<u32> = Some(u32::from_le_bytes(*b"memo"));
    const NAME: &'static str = "memory";
    type Owner = Box<Memory>;
}

/// In the place of a handle: the library allocates the buffer.
const ALLOCATE: usize = usize::MAX;

impl Memory {
    fn new(memory: oxidnn::Memory, engine: Option<Arc<Engine>>) -> Memory {
        Memory { head: Head::new::<Memory>(), memory, engine, desc: OnceLock::new(), mapped: Mutex::default() }
    }

    /// Memory over handles: one per buffer, of the kind that they say.
    pub fn over(engine: Arc<Engine>, desc: &desc::MemoryDesc, kind: MemoryKind, handles: &[Pointer]) -> Result<Memory> {
        let memory = oxidnn::Memory::empty(engine.engine(), desc, kind)?;
        if handles.len() != desc.num_handles() {
            return Err(Error::invalid(format!("{} handles for {} buffers", handles.len(), desc.num_handles())));
        }
        for (i, handle) in handles.iter().enumerate() {
            memory.set_buffer(i, buffer(engine.engine(), desc, kind, i, *handle)?)?;
        }
        Ok(Memory::new(memory, Some(engine)))
    }

    /// The library's memory.
    pub fn memory(&self) -> &oxidnn::Memory {
        &self.memory
    }

    /// Its engine's object.
    pub fn engine(&self) -> Result<&Arc<Engine>> {
        self.engine.as_ref().ok_or_else(|| Error::invalid("a host scalar belongs to no engine"))
    }

    fn get_handle(&self, index: c_int) -> Result<Pointer> {
        let buffer = self.memory.buffer(buffer_index(index)?)?;
        Ok(buffer.map_or(std::ptr::null_mut(), |buffer| address(&buffer)))
    }

    fn set_handle(&self, handle: Pointer, index: c_int) -> Result<()> {
        let (engine, index) = (self.engine()?.engine(), buffer_index(index)?);
        self.memory.set_buffer(index, buffer(engine, self.memory.desc(), self.memory.kind(), index, handle)?)
    }

    fn map(&self, index: c_int) -> Result<Pointer> {
        let index = buffer_index(index)?;
        if self.memory.desc().is_host_scalar() {
            return self.map_scalar();
        }
        let bytes = room(self.memory.desc(), index);
        match self.memory.buffer(index)?.filter(|_| bytes > 0) {
            None => Ok(std::ptr::null_mut()),
            Some(Buffer::Cpu(buffer)) => Ok(buffer.memory().address().cast()),
            Some(buffer) => self.engine()?.service_queue()?.map(&buffer, bytes, Access::ReadWrite),
        }
    }

    fn unmap(&self, mapped: Pointer, index: c_int) -> Result<()> {
        if self.memory.desc().is_host_scalar() {
            return self.unmap_scalar(mapped);
        }
        match self.memory.buffer(buffer_index(index)?)? {
            Some(buffer) if !mapped.is_null() => self.engine()?.service_queue()?.unmap(&buffer, mapped),
            _ => Ok(()),
        }
    }

    fn map_scalar(&self) -> Result<Pointer> {
        let mut value = [0; 8];
        let bytes = self.memory.host_scalar_value()?;
        value[..bytes.len()].copy_from_slice(&bytes);
        let copy = Arc::new(AtomicU64::new(u64::from_ne_bytes(value)));
        let address = copy.as_ptr().cast();
        self.mapped.lock().unwrap_or_else(|e| e.into_inner()).push(copy);
        Ok(address)
    }

    fn unmap_scalar(&self, address: Pointer) -> Result<()> {
        let mut mapped = self.mapped.lock().unwrap_or_else(|e| e.into_inner());
        let found = mapped.iter().position(|copy| copy.as_ptr().addr() == address.addr());
        let found = found.ok_or_else(|| Error::invalid("the memory is not mapped at that address"))?;
        let value = mapped.swap_remove(found).load(Ordering::Relaxed).to_ne_bytes();
        self.memory.set_host_scalar(&value[..self.memory.desc().data_type().bytes(1)])
    }
}

fn buffer_index(index: c_int) -> Result<usize> {
    usize::try_from(index).map_err(|_| Error::invalid(format!("buffer {index}")))
}

/// The bytes that a buffer needs: those of the tensor and those before it.
fn room(desc: &desc::MemoryDesc, index: usize) -> usize {
    let before = if index == 0 { desc.offset0().max(0) as usize } else { 0 };
    match desc.size_of_handle(index) {
        0 => 0,
        bytes => desc.data_type().bytes(before) + bytes,
    }
}

/// The buffer that a handle stands for.
fn buffer(
    engine: &oxidnn::Engine,
    desc: &desc::MemoryDesc,
    kind: MemoryKind,
    index: usize,
    handle: Pointer,
) -> Result<Option<Buffer>> {
    let bytes = room(desc, index);
    Ok(Some(match (engine.device(), handle.addr()) {
        (_, 0) => return Ok(None),
        (Device::Cpu(_), ALLOCATE) => Buffer::Cpu(host_memory::allocate(bytes)?),
        // SAFETY: the API asks for a pointer to as much memory as the descriptor says, for as long as it is used.
        (Device::Cpu(_), _) => Buffer::Cpu(unsafe { host_memory::foreign(handle, bytes) }),
        (Device::Ocl(device), ALLOCATE) => Buffer::Ocl(device.allocate(kind, bytes)?),
        (Device::Ocl(device), _) => Buffer::Ocl(match kind {
            // SAFETY: the API asks for a live memory object.
            MemoryKind::Buffer => unsafe { ocl::Buffer::from_cl_mem(device, handle)? },
            // SAFETY: the API asks for a pointer to memory that lives as long as it is used.
            MemoryKind::Usm => unsafe { ocl::Buffer::from_pointer(device, handle)? },
        }),
        (Device::Ze(device), ALLOCATE) => Buffer::Ze(device.allocate(MemoryKind::Usm, bytes)?),
        // SAFETY: the API asks for a pointer to memory that lives as long as it is used.
        (Device::Ze(device), _) => Buffer::Ze(unsafe { ze::Buffer::from_pointer(device, handle)? }),
    }))
}

/// The handle of a buffer.
fn address(buffer: &Buffer) -> Pointer {
    match buffer {
        Buffer::Cpu(buffer) => buffer.memory().address().cast(),
        Buffer::Ocl(buffer) => buffer.cl_mem().or(buffer.pointer()).unwrap_or(std::ptr::null_mut()),
        Buffer::Ze(buffer) => buffer.pointer(),
    }
}

/// What buffers of an engine are if nothing is said about them.
fn default_kind(engine: &oxidnn::Engine) -> MemoryKind {
    match engine.device() {
        Device::Ze(_) | Device::Cpu(_) => MemoryKind::Usm,
        Device::Ocl(_) => MemoryKind::Buffer,
    }
}

/// Creates a memory. The handle is a pointer of the CPU or of Level Zero, a `cl_mem` of OpenCL engines, `DNNL_MEMORY_NONE` or
/// `DNNL_MEMORY_ALLOCATE`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_create(
    memory: Out<Mut<Memory>>,
    memory_desc: Opt<Const<MemoryDesc>>,
    engine: Mut<Engine>,
    handle: Pointer,
) -> Status {
    status(|| {
        memory.check()?;
        let (engine, desc) = (engine.share()?, desc_or_zero(&memory_desc)?);
        // The two special handles are for each buffer, another is of one.
        let is_special = matches!(handle.addr(), 0 | ALLOCATE);
        let handles = vec![handle; if is_special { desc.num_handles() } else { 1 }];
        let kind = default_kind(engine.engine());
        memory.give_new(Memory::over(engine, &desc, kind, &handles)?)
    })
}

/// Creates a memory with several buffers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_create_v2(
    memory: Out<Mut<Memory>>,
    memory_desc: Opt<Const<MemoryDesc>>,
    engine: Mut<Engine>,
    nhandles: c_int,
    handles: Items<Pointer>,
) -> Status {
    status(|| {
        memory.check()?;
        let (engine, desc) = (engine.share()?, desc_or_zero(&memory_desc)?);
        let kind = default_kind(engine.engine());
        memory.give_new(Memory::over(engine, &desc, kind, handles.list(nhandles)?)?)
    })
}

/// Creates a memory of one value in host memory, which is copied.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_create_host_scalar(
    memory: Out<Mut<Memory>>,
    memory_desc: Const<MemoryDesc>,
    scalar_ptr: Untyped,
) -> Status {
    status(|| {
        memory.check()?;
        let desc = memory_desc.get()?.desc()?;
        let value = scalar_ptr.bytes(desc.data_type().bytes(1))?;
        memory.give_new(Memory::new(oxidnn::Memory::host_scalar(&desc, value)?, None))
    })
}

/// The descriptor of a memory. It stays the memory's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_memory_desc(memory: Const<Memory>, memory_desc: Out<Const<MemoryDesc>>) -> Status {
    status(|| {
        let memory = memory.get()?;
        let desc = memory.desc.get_or_init(|| MemoryDesc::new(memory.memory.desc()));
        memory_desc.set(Const::lend(desc))
    })
}

/// The engine of a memory, null for a host scalar. It stays the memory's.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_engine(memory: Const<Memory>, engine: Out<Mut<Engine>>) -> Status {
    status(|| engine.set(memory.get()?.engine.as_ref().map_or(Mut::NULL, Mut::lend)))
}

/// Maps a memory's buffer for the host. What was submitted to streams must have completed.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_map_data(memory: Const<Memory>, mapped_ptr: Out<Pointer>) -> Status {
    status(|| {
        mapped_ptr.check()?;
        mapped_ptr.set(memory.get()?.map(0)?)
    })
}

/// Maps one of a memory's buffers for the host.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_map_data_v2(memory: Const<Memory>, mapped_ptr: Out<Pointer>, index: c_int) -> Status {
    status(|| {
        mapped_ptr.check()?;
        mapped_ptr.set(memory.get()?.map(index)?)
    })
}

/// Ends a mapping.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_unmap_data(memory: Const<Memory>, mapped_ptr: Pointer) -> Status {
    status(|| memory.get()?.unmap(mapped_ptr, 0))
}

/// Ends a mapping of one of the buffers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_unmap_data_v2(memory: Const<Memory>, mapped_ptr: Pointer, index: c_int) -> Status {
    status(|| memory.get()?.unmap(mapped_ptr, index))
}

/// The handle of a memory's buffer, null for a null memory.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_data_handle(memory: Opt<Const<Memory>>, handle: Out<Pointer>) -> Status {
    status(|| handle.set(memory.get()?.map_or(Ok(std::ptr::null_mut()), |memory| memory.get_handle(0))?))
}

/// Sets the handle of a memory's buffer.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_set_data_handle(memory: Mut<Memory>, handle: Pointer) -> Status {
    status(|| memory.get()?.set_handle(handle, 0))
}

/// The handle of one of a memory's buffers, null for a null memory.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_data_handle_v2(
    memory: Opt<Const<Memory>>,
    handle: Out<Pointer>,
    index: c_int,
) -> Status {
    status(|| handle.set(memory.get()?.map_or(Ok(std::ptr::null_mut()), |memory| memory.get_handle(index))?))
}

/// Sets the handle of one of a memory's buffers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_set_data_handle_v2(memory: Mut<Memory>, handle: Pointer, index: c_int) -> Status {
    status(|| memory.get()?.set_handle(handle, index))
}

/// Reads a host scalar.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_get_host_scalar_value(memory: Const<Memory>, value: Untyped) -> Status {
    status(|| value.fill(&memory.get()?.memory.host_scalar_value()?))
}

/// Changes a host scalar.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_set_host_scalar_value(memory: Mut<Memory>, value: ConstUntyped) -> Status {
    status(|| {
        let memory = &memory.get()?.memory;
        memory.set_host_scalar(value.bytes(memory.desc().data_type().bytes(1))?)
    })
}

/// Destroys a memory. Buffers that the library did not allocate stay.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_destroy(memory: Mut<Memory>) -> Status {
    status(|| memory.destroy())
}
