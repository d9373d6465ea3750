//! A memory: a descriptor and the buffers that hold its elements.

use std::sync::{Arc, RwLock};

use crate::desc::{DataType, MemoryDesc};
use crate::engine::Engine;
use crate::runtime::{Buffer, Device, MemoryKind};
use crate::{Error, Result, ensure};

/// A tensor in memory. Cloning clones a reference.
///
/// ```
/// use oxidnn::{Engine, Memory, desc::{DataType, EngineKind, MemoryDesc}};
/// let engine = Engine::new(EngineKind::Cpu, 0)?;
/// let desc = MemoryDesc::with_strides(&[2, 3], DataType::F32, None)?;
/// let memory = Memory::new(&engine, &desc)?;
/// memory.write_from(&[1f32, 2., 3., 4., 5., 6.])?;
/// assert_eq!(memory.read_to::<f32>()?[4], 5.0);
/// # Ok::<(), oxidnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    desc: MemoryDesc,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Buffers { engine: Engine, kind: MemoryKind, handles: RwLock<Vec<Option<Buffer>>> },
    HostScalar(RwLock<[u8; 8]>),
}

/// A number that can be read from and written to memory.
pub trait Element: Copy + Default {
    /// Its bytes, in the order of the host.
    fn to_bytes(self) -> impl AsRef<[u8]>;
    /// From its bytes, as many as [`to_bytes`](Element::to_bytes) gives.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($t:ty)*) => {$(
        impl Element for $t {
            fn to_bytes(self) -> impl AsRef<[u8]> {
                self.to_ne_bytes()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                <$t>::from_ne_bytes(bytes.try_into().expect("the size of an element"))
            }
        }
    )*};
}

elements!(f32 f64 i8 u8 i16 u16 i32 u32 i64 u64);

impl Memory {
    /// Memory that the library allocates, as device buffers.
    pub fn new(engine: &Engine, desc: &MemoryDesc) -> Result<Memory> {
        Memory::allocate(engine, desc, MemoryKind::Buffer)
    }

    /// Memory that the library allocates, of a kind.
    pub fn allocate(engine: &Engine, desc: &MemoryDesc, kind: MemoryKind) -> Result<Memory> {
        let handles = (0..desc.num_handles())
            .map(|handle| engine.device().allocate(kind, desc.size_of_handle(handle)).map(Some))
            .collect::<Result<_>>()?;
        Memory::from_buffers(engine, desc, kind, handles)
    }

    /// Memory without buffers; they are set later.
    pub fn empty(engine: &Engine, desc: &MemoryDesc, kind: MemoryKind) -> Result<Memory> {
        Memory::from_buffers(engine, desc, kind, vec![None; desc.num_handles()])
    }

    /// Memory over buffers of the caller's own.
    pub fn from_buffers(
        engine: &Engine,
        desc: &MemoryDesc,
        kind: MemoryKind,
        handles: Vec<Option<Buffer>>,
    ) -> Result<Memory> {
        ensure!(!desc.is_any(), "a memory needs a definite format, not any");
        ensure!(!desc.is_host_scalar(), "a host scalar has no buffers");
        ensure!(
            !desc.has_runtime_dims_or_strides(),
            "a memory needs definite dimensions and strides, some are only known at run time"
        );
        ensure!(
            handles.len() == desc.num_handles(),
            "{} buffers were given, the descriptor has {}",
            handles.len(),
            desc.num_handles()
        );
        for buffer in handles.iter().flatten() {
            check_buffer(engine, kind, buffer)?;
        }
        let kind = match engine.device() {
            Device::Ocl(_) => kind,
            // There are pointers only.
            Device::Ze(_) | Device::Cpu(_) => MemoryKind::Usm,
        };
        let content = Content::Buffers { engine: engine.clone(), kind, handles: RwLock::new(handles) };
        Ok(Memory(Arc::new(Inner { desc: desc.clone(), content })))
    }

    /// Memory over one buffer of the caller's own.
    pub fn from_buffer(engine: &Engine, desc: &MemoryDesc, buffer: Buffer) -> Result<Memory> {
        let kind = buffer.kind();
        Memory::from_buffers(engine, desc, kind, vec![Some(buffer)])
    }

    /// One value in host memory, by its bytes.
    pub fn host_scalar(desc: &MemoryDesc, value: &[u8]) -> Result<Memory> {
        ensure!(desc.is_host_scalar(), "the descriptor is not a host scalar's");
        let memory = Memory(Arc::new(Inner { desc: desc.clone(), content: Content::HostScalar(RwLock::new([0; 8])) }));
        memory.set_host_scalar(value)?;
        Ok(memory)
    }

    /// What it holds and how.
    pub fn desc(&self) -> &MemoryDesc {
        &self.0.desc
    }

    /// The engine it belongs to; a host scalar belongs to none.
    pub fn engine(&self) -> Option<&Engine> {
        match &self.0.content {
            Content::Buffers { engine, .. } => Some(engine),
            Content::HostScalar(_) => None,
        }
    }

    /// The kind of its buffers.
    pub fn kind(&self) -> MemoryKind {
        match &self.0.content {
            Content::Buffers { kind, .. } => *kind,
            Content::HostScalar(_) => MemoryKind::Usm,
        }
    }

    /// One of its buffers, if it is set.
    pub fn buffer(&self, index: usize) -> Result<Option<Buffer>> {
        let handles = self.handles()?.read().unwrap_or_else(|e| e.into_inner());
        handles.get(index).cloned().ok_or_else(|| self.no_such_handle(index))
    }

    /// Sets one of its buffers.
    pub fn set_buffer(&self, index: usize, buffer: Option<Buffer>) -> Result<()> {
        if let (Some(buffer), Content::Buffers { engine, kind, .. }) = (&buffer, &self.0.content) {
            check_buffer(engine, *kind, buffer)?;
        }
        let mut handles = self.handles()?.write().unwrap_or_else(|e| e.into_inner());
        *handles.get_mut(index).ok_or_else(|| self.no_such_handle(index))? = buffer;
        Ok(())
    }

    fn no_such_handle(&self, index: usize) -> Error {
        Error::invalid(format!("the memory has {} buffers, there is none of index {index}", self.desc().num_handles()))
    }

    fn handles(&self) -> Result<&RwLock<Vec<Option<Buffer>>>> {
        match &self.0.content {
            Content::Buffers { handles, .. } => Ok(handles),
            Content::HostScalar(_) => Err(Error::invalid("a host scalar has no buffers")),
        }
    }

    /// The bytes of a host scalar, as many as its type has.
    pub fn host_scalar_value(&self) -> Result<Vec<u8>> {
        match &self.0.content {
            Content::HostScalar(value) => {
                let size = self.desc().data_type().bytes(1);
                Ok(value.read().unwrap_or_else(|e| e.into_inner())[..size].to_vec())
            }
            Content::Buffers { .. } => Err(Error::invalid("the memory is not a host scalar")),
        }
    }

    /// Sets the bytes of a host scalar.
    pub fn set_host_scalar(&self, bytes: &[u8]) -> Result<()> {
        let size = self.desc().data_type().bytes(1);
        ensure!(bytes.len() == size, "a host scalar of type {} has {size} bytes", self.desc().data_type());
        match &self.0.content {
            Content::HostScalar(value) => {
                value.write().unwrap_or_else(|e| e.into_inner())[..size].copy_from_slice(bytes);
                Ok(())
            }
            Content::Buffers { .. } => Err(Error::invalid("the memory is not a host scalar")),
        }
    }

    /// A host scalar's value as a number.
    pub(crate) fn host_number(&self) -> Result<f64> {
        let bytes = self.host_scalar_value()?;
        let bits = bytes.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte));
        Ok(match self.desc().data_type() {
            DataType::S64 => bits as i64 as f64,
            data_type => crate::codegen::float::decode(data_type, bits),
        })
    }

    fn engine_and_buffer(&self, handle: usize) -> Result<(&Engine, Buffer)> {
        let engine = self.engine().ok_or_else(|| Error::invalid("a host scalar has no buffers"))?;
        let missing = || Error::invalid(format!("the memory has no buffer {handle} yet"));
        Ok((engine, self.buffer(handle)?.ok_or_else(missing)?))
    }

    /// The bytes of its first buffer. Waits for work on no queue but the library's own: wait for the stream first.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        self.read_handle(0)
    }

    fn read_handle(&self, handle: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.desc().size_of_handle(handle)];
        if !bytes.is_empty() {
            let (engine, buffer) = self.engine_and_buffer(handle)?;
            engine.service_queue()?.read(&buffer, &mut bytes, &[])?;
        }
        Ok(bytes)
    }

    /// Overwrites the bytes of its first buffer.
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<()> {
        let size = self.desc().size();
        ensure!(bytes.len() == size, "{} bytes were given, the memory has {size}", bytes.len());
        if !bytes.is_empty() {
            let (engine, buffer) = self.engine_and_buffer(0)?;
            engine.service_queue()?.write(&buffer, bytes, &[])?;
        }
        Ok(())
    }

    /// The contents of its first buffer as numbers, in physical order.
    pub fn read_to<T: Element>(&self) -> Result<Vec<T>> {
        self.read_handle_to(0)
    }

    /// The contents of one of its buffers as numbers.
    pub(crate) fn read_handle_to<T: Element>(&self, handle: usize) -> Result<Vec<T>> {
        let bytes = self.read_handle(handle)?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(T::from_bytes).collect())
    }

    /// Overwrites its first buffer with numbers, in physical order.
    pub fn write_from<T: Element>(&self, values: &[T]) -> Result<()> {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        for value in values {
            bytes.extend_from_slice(value.to_bytes().as_ref());
        }
        self.write_bytes(&bytes)
    }
}

/// A buffer must be of the engine's runtime and context, and of the memory's kind.
fn check_buffer(engine: &Engine, kind: MemoryKind, buffer: &Buffer) -> Result<()> {
    match (engine.device(), buffer) {
        (Device::Ocl(device), Buffer::Ocl(inner)) => {
            ensure!(
                inner.device().raw_context() == device.raw_context(),
                "the buffer belongs to another context than the engine"
            );
            ensure!(buffer.kind() == kind, "the memory is of kind {kind:?}, the buffer of kind {:?}", buffer.kind());
            Ok(())
        }
        (Device::Ze(device), Buffer::Ze(inner)) => {
            ensure!(
                inner.device().raw_context() == device.raw_context(),
                "the buffer belongs to another context than the engine"
            );
            Ok(())
        }
        (Device::Cpu(_), Buffer::Cpu(_)) => Ok(()),
        _ => Err(Error::invalid("the buffer belongs to another runtime than the engine")),
    }
}
