//! Owners of the C API's objects: created with a status, destroyed when dropped.
//!
//! Every pointer that reaches the C functions comes from here, so what must hold for the calls is that the owners outlive
//! them, which borrowing sees to.

use crate::api::{ALLOCATE, Api, ConstHandle, ExecArg, FORMAT_KIND_BLOCKED, Handle, query};
use crate::dtype::DataType;
use crate::layout::Layout;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

/// A call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was being done.
    pub stage: String,
    /// The status that came back.
    pub status: i32,
}

/// Turns a status into a result.
pub fn check(stage: &str, status: c_int) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure { stage: stage.to_string(), status }) }
}

macro_rules! owner {
    ($(#[$meta:meta])* $name:ident, $destroy:ident) => {
        $(#[$meta])*
        pub struct $name<'a> {
            api: &'a Api,
            handle: Handle,
        }

        impl<'a> $name<'a> {
            /// Takes what a creation function wrote. `create` must be one call of the C function that makes this kind of object,
            /// with the slot it is given.
            pub fn create(
                api: &'a Api,
                stage: &str,
                create: impl FnOnce(*mut Handle) -> c_int,
            ) -> Result<Self, Failure> {
                let mut handle = ptr::null_mut();
                check(stage, create(&mut handle))?;
                Ok($name { api, handle })
            }

            /// The handle, valid while this owner lives.
            pub fn handle(&self) -> Handle {
                self.handle
            }
        }

        impl Drop for $name<'_> {
            fn drop(&mut self) {
                // SAFETY: the handle came from the matching creation function and is destroyed once.
                unsafe { (self.api.$destroy)(self.handle) };
            }
        }
    };
}

owner!(
    /// An engine.
    Engine,
    engine_destroy
);
owner!(
    /// A stream.
    Stream,
    stream_destroy
);
owner!(
    /// A memory descriptor.
    MemoryDesc,
    memory_desc_destroy
);
owner!(
    /// A memory object.
    Memory,
    memory_destroy
);
owner!(
    /// Primitive attributes.
    Attr,
    primitive_attr_destroy
);
owner!(
    /// A chain of post-ops.
    PostOps,
    post_ops_destroy
);
owner!(
    /// A primitive descriptor.
    PrimitiveDesc,
    primitive_desc_destroy
);
owner!(
    /// A primitive.
    Primitive,
    primitive_destroy
);

/// Which kind of engine, and which one of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineId {
    /// True for `gpu`, false for `cpu`.
    pub gpu: bool,
    /// The index among engines of the kind.
    pub index: usize,
}

impl std::str::FromStr for EngineId {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineId, String> {
        let (kind, index) = text.split_once(':').unwrap_or((text, "0"));
        let index = index.parse().map_err(|_| format!("engine index `{index}` is not a number"))?;
        match kind {
            "cpu" => Ok(EngineId { gpu: false, index }),
            "gpu" => Ok(EngineId { gpu: true, index }),
            _ => Err(format!("engine kind `{kind}` is neither cpu nor gpu")),
        }
    }
}

impl std::fmt::Display for EngineId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", if self.gpu { "gpu" } else { "cpu" }, self.index)
    }
}

/// The engines a library has.
pub fn engines(api: &Api) -> Vec<EngineId> {
    let of_kind = |gpu: bool| {
        // SAFETY: the function only counts.
        let count = unsafe { (api.engine_get_count)(if gpu { 2 } else { 1 }) };
        (0..count).map(move |index| EngineId { gpu, index })
    };
    of_kind(true).chain(of_kind(false)).collect()
}

/// Which OpenCL memory a GPU engine's tensors live in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Whatever `dnnl_memory_create` makes.
    Default,
    /// `cl_mem` buffers.
    Buffer,
    /// Unified shared memory.
    Usm,
}

impl MemoryKind {
    const USM: c_int = 0;
    const BUFFER: c_int = 1;
}

impl std::str::FromStr for MemoryKind {
    type Err = String;

    fn from_str(text: &str) -> Result<MemoryKind, String> {
        match text {
            "default" => Ok(MemoryKind::Default),
            "buffer" => Ok(MemoryKind::Buffer),
            "usm" => Ok(MemoryKind::Usm),
            _ => Err(format!("memory kind `{text}` is none of default, buffer, usm")),
        }
    }
}

/// An engine with a stream on it.
pub struct Device<'a> {
    /// The engine.
    pub engine: Engine<'a>,
    /// Its stream.
    pub stream: Stream<'a>,
    id: EngineId,
    memory: MemoryKind,
}

impl<'a> Device<'a> {
    /// Opens an engine and a stream.
    pub fn open(api: &'a Api, id: EngineId, memory: MemoryKind) -> Result<Device<'a>, Failure> {
        let engine = Engine::create(api, "engine create", |out| {
            // SAFETY: `out` points to a live handle slot.
            unsafe { (api.engine_create)(out, if id.gpu { 2 } else { 1 }, id.index) }
        })?;
        let stream = Stream::create(api, "stream create", |out| {
            // SAFETY: the engine is alive and `out` points to a live handle slot.
            unsafe { (api.stream_create)(out, engine.handle(), 1) }
        })?;
        Ok(Device { engine, stream, id, memory })
    }

    /// Which engine it is.
    pub fn id(&self) -> EngineId {
        self.id
    }

    /// Waits for everything on the stream.
    pub fn wait(&self) -> Result<(), Failure> {
        // SAFETY: the stream is alive.
        check("stream wait", unsafe { (self.stream.api.stream_wait)(self.stream.handle()) })
    }

    pub(crate) fn allocate(&self, api: &'a Api, md: ConstHandle) -> Result<Memory<'a>, Failure> {
        Memory::create(api, "memory create", |out| match (self.id.gpu, self.memory) {
            // SAFETY: descriptor and engine are alive, `out` points to a live handle slot.
            (true, MemoryKind::Buffer) => unsafe {
                let kind = MemoryKind::BUFFER;
                (api.ocl_interop_memory_create)(out, md, self.engine.handle(), kind, ALLOCATE)
            },
            // SAFETY: as above.
            (true, MemoryKind::Usm) => unsafe {
                let kind = MemoryKind::USM;
                (api.ocl_interop_memory_create)(out, md, self.engine.handle(), kind, ALLOCATE)
            },
            // SAFETY: as above.
            _ => unsafe { (api.memory_create)(out, md, self.engine.handle(), ALLOCATE) },
        })
    }

    /// A memory over memory of the process.
    ///
    /// # Safety
    /// `data` points to as much as the descriptor says, which outlives the memory.
    pub(crate) unsafe fn over_pointer(
        &self,
        api: &'a Api,
        md: ConstHandle,
        data: Handle,
    ) -> Result<Memory<'a>, Failure> {
        Memory::create(api, "memory create", |out| {
            if self.id.gpu {
                // SAFETY: descriptor and engine are alive; the rest is the caller's promise.
                unsafe { (api.ocl_interop_memory_create)(out, md, self.engine.handle(), MemoryKind::USM, data) }
            } else {
                // SAFETY: as above.
                unsafe { (api.memory_create)(out, md, self.engine.handle(), data) }
            }
        })
    }

    /// A second memory over the allocation of the first.
    pub(crate) fn view(&self, api: &'a Api, md: ConstHandle, over: &Memory<'_>) -> Result<Memory<'a>, Failure> {
        let mut data = ptr::null_mut();
        // SAFETY: the memory is alive and `data` a live slot.
        check("memory handle", unsafe { (api.memory_get_data_handle)(over.handle(), &mut data) })?;
        let mut kind = MemoryKind::USM;
        if self.id.gpu {
            // Engines of other runtimes than OpenCL refuse the question: they have pointers only.
            // SAFETY: the memory is alive, `kind` is a live slot.
            unsafe { (api.ocl_interop_memory_get_memory_kind)(over.handle(), &mut kind) };
        }
        Memory::create(api, "memory create", |out| {
            if self.id.gpu && kind == MemoryKind::BUFFER {
                // SAFETY: descriptor, engine and the allocation behind `data` are alive.
                unsafe { (api.ocl_interop_memory_create)(out, md, self.engine.handle(), kind, data) }
            } else {
                // SAFETY: as above.
                unsafe { (api.memory_create)(out, md, self.engine.handle(), data) }
            }
        })
    }
}

impl<'a> MemoryDesc<'a> {
    /// A descriptor from a tag's value.
    pub fn with_tag(api: &'a Api, dims: &[i64], dt: DataType, tag: i32) -> Result<Self, Failure> {
        MemoryDesc::create(api, "memory descriptor", |out| {
            // SAFETY: `dims` holds as many values as said.
            unsafe { (api.memory_desc_create_with_tag)(out, dims.len() as c_int, dims.as_ptr(), dt as c_int, tag) }
        })
    }

    /// A descriptor from strides.
    pub fn with_strides(api: &'a Api, dims: &[i64], dt: DataType, strides: &[i64]) -> Result<Self, Failure> {
        let ndims = dims.len() as c_int;
        MemoryDesc::create(api, "memory descriptor", |out| {
            // SAFETY: `dims` and `strides` hold as many values as said.
            unsafe { (api.memory_desc_create_with_strides)(out, ndims, dims.as_ptr(), dt as c_int, strides.as_ptr()) }
        })
    }

    /// A descriptor of one value on the host.
    pub fn host_scalar(api: &'a Api, dt: DataType) -> Result<Self, Failure> {
        // SAFETY: `out` points to a live handle slot.
        MemoryDesc::create(api, "host scalar descriptor", |out| unsafe {
            (api.memory_desc_create_host_scalar)(out, dt as c_int)
        })
    }

    /// Bytes the tensor takes.
    pub fn size(&self) -> usize {
        size_of(self.api, self.handle)
    }
}

fn size_of(api: &Api, md: ConstHandle) -> usize {
    // SAFETY: the descriptor is alive.
    unsafe { (api.memory_desc_get_size)(md) }
}

/// A descriptor that someone else owns.
#[derive(Clone, Copy)]
pub struct BorrowedDesc<'a> {
    api: &'a Api,
    handle: ConstHandle,
}

impl<'a> BorrowedDesc<'a> {
    /// The handle.
    pub fn handle(&self) -> ConstHandle {
        self.handle
    }

    /// Bytes the tensor takes.
    pub fn size(&self) -> usize {
        size_of(self.api, self.handle)
    }

    /// Whether two descriptors describe the same tensor.
    pub fn same(&self, other: BorrowedDesc<'_>) -> bool {
        // SAFETY: both descriptors are alive.
        unsafe { (self.api.memory_desc_equal)(self.handle, other.handle) != 0 }
    }

    /// The layout, when it is strided or blocked.
    pub fn layout(&self) -> Result<Option<Layout>, Failure> {
        let number = |what| {
            let mut value: c_int = 0;
            // SAFETY: the query writes an int.
            let status = unsafe { (self.api.memory_desc_query)(self.handle, what, (&raw mut value).cast()) };
            check("descriptor query", status).map(|()| value)
        };
        let list = |what, length: usize| {
            let mut values: *const i64 = ptr::null();
            // SAFETY: the query writes a pointer to an array inside the descriptor.
            let status = unsafe { (self.api.memory_desc_query)(self.handle, what, (&raw mut values).cast()) };
            // SAFETY: the array holds twelve values, and `length` of them are set.
            check("descriptor query", status).map(|()| unsafe { std::slice::from_raw_parts(values, length) }.to_vec())
        };
        if number(query::FORMAT_KIND)? != FORMAT_KIND_BLOCKED {
            return Ok(None);
        }
        let ndims = number(query::NDIMS)? as usize;
        let blocks = number(query::INNER_NBLKS)? as usize;
        let sizes = list(query::INNER_BLKS, blocks)?;
        let axes = list(query::INNER_IDXS, blocks)?;
        Ok(Some(Layout {
            dims: list(query::DIMS, ndims)?,
            padded: list(query::PADDED_DIMS, ndims)?,
            strides: list(query::STRIDES, ndims)?,
            blocks: axes.into_iter().map(|axis| axis as usize).zip(sizes).collect(),
        }))
    }
}

impl<'a> MemoryDesc<'a> {
    /// Lends the descriptor.
    pub fn borrow(&self) -> BorrowedDesc<'_> {
        BorrowedDesc { api: self.api, handle: self.handle }
    }
}

impl PrimitiveDesc<'_> {
    /// The descriptor the primitive wants for an argument.
    pub fn argument(&self, index: i32) -> BorrowedDesc<'_> {
        // SAFETY: the primitive descriptor is alive.
        let handle = unsafe { (self.api.primitive_desc_query_md)(self.handle, query::EXEC_ARG_MD, index) };
        BorrowedDesc { api: self.api, handle }
    }

    /// The descriptor of what a forward pass keeps for the backward pass.
    pub fn workspace(&self) -> BorrowedDesc<'_> {
        // SAFETY: the primitive descriptor is alive.
        let handle = unsafe { (self.api.primitive_desc_query_md)(self.handle, query::WORKSPACE_MD, 0) };
        BorrowedDesc { api: self.api, handle }
    }

    /// What the library calls the implementation it chose.
    pub fn implementation(&self) -> String {
        let mut name: *const c_char = ptr::null();
        // SAFETY: the query writes a pointer to a string that lives as long as the descriptor.
        let status =
            unsafe { (self.api.primitive_desc_query)(self.handle, query::IMPL_INFO, 0, (&raw mut name).cast()) };
        if status != 0 || name.is_null() {
            return String::new();
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    /// The scratchpad's descriptor.
    pub fn scratchpad(&self) -> BorrowedDesc<'_> {
        // SAFETY: the primitive descriptor is alive.
        let handle = unsafe { (self.api.primitive_desc_query_md)(self.handle, query::SCRATCHPAD_MD, 0) };
        BorrowedDesc { api: self.api, handle }
    }
}

/// Hands out the bytes of a memory object, of which there are `size`, on the host.
pub(crate) fn mapped<T>(memory: &Memory<'_>, size: usize, work: impl FnOnce(&mut [u8]) -> T) -> Result<T, Failure> {
    let api = memory.api;
    if size == 0 {
        return Ok(work(&mut []));
    }
    let mut pointer = ptr::null_mut();
    // SAFETY: the memory is alive and `pointer` a live slot.
    check("map", unsafe { (api.memory_map_data)(memory.handle(), &mut pointer) })?;
    if pointer.is_null() {
        return Err(Failure { stage: "map returned no pointer".to_string(), status: 5 });
    }
    // SAFETY: the mapping covers the whole allocation, and nothing else touches it until it is unmapped.
    let result = work(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), size) });
    // SAFETY: the pointer is the one map returned.
    check("unmap", unsafe { (api.memory_unmap_data)(memory.handle(), pointer) })?;
    Ok(result)
}

/// A tensor's bytes on a device, as the primitive is given them.
pub struct Tensor<'a> {
    memory: Memory<'a>,
    size: usize,
}

impl<'a> Tensor<'a> {
    /// Allocates a tensor.
    pub fn new(api: &'a Api, device: &Device<'a>, md: BorrowedDesc<'_>) -> Result<Tensor<'a>, Failure> {
        Ok(Tensor { memory: device.allocate(api, md.handle())?, size: md.size() })
    }

    /// The memory object to hand to a primitive.
    pub fn memory(&self) -> Handle {
        self.memory.handle()
    }

    /// Bytes it takes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Hands out the bytes, on the host.
    pub fn mapped<T>(&self, work: impl FnOnce(&mut [u8]) -> T) -> Result<T, Failure> {
        mapped(&self.memory, self.size, work)
    }
}

/// A value on the host as a memory object.
pub fn host_scalar<'a>(api: &'a Api, dt: DataType, bits: u64) -> Result<Memory<'a>, Failure> {
    let md = MemoryDesc::host_scalar(api, dt)?;
    let mut bytes = bits.to_le_bytes();
    Memory::create(api, "host scalar memory", |out| {
        // SAFETY: the value is copied from eight live bytes, the most any type takes.
        unsafe { (api.memory_create_host_scalar)(out, md.handle(), bytes.as_mut_ptr().cast()) }
    })
}

/// Arguments as the C API takes them.
pub fn exec_args(args: &[(i32, Handle)]) -> Vec<ExecArg> {
    args.iter().map(|&(index, memory)| ExecArg { index, memory }).collect()
}

impl<'a> Primitive<'a> {
    /// Creates the primitive of a descriptor.
    pub fn new(api: &'a Api, pd: &PrimitiveDesc<'_>) -> Result<Primitive<'a>, Failure> {
        // SAFETY: the primitive descriptor is alive.
        Primitive::create(api, "primitive create", |out| unsafe { (api.primitive_create)(out, pd.handle()) })
    }

    /// Runs it on a device and waits.
    pub fn execute(&self, device: &Device<'_>, args: &[(i32, Handle)]) -> Result<(), Failure> {
        self.submit(device, &exec_args(args))?;
        device.wait()
    }

    /// Puts it on a device's stream. The memories of the arguments must stay alive until the stream was waited for.
    pub fn submit(&self, device: &Device<'_>, args: &[ExecArg]) -> Result<(), Failure> {
        // SAFETY: primitive, stream and all memories are alive, and `args` holds as many values as said.
        check("execute", unsafe {
            (self.api.primitive_execute)(self.handle, device.stream.handle(), args.len() as c_int, args.as_ptr())
        })
    }
}
