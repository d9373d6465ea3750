//! Primitive descriptors and primitives: an operation on an engine, and its compiled plan.

mod args;
pub mod blob;
mod cache;
pub mod disk;
mod execute;
mod gemm;
mod layouts;
mod plan;
mod service;
mod tune;

use std::sync::Arc;

pub use args::Args;
pub use cache::{Caches, ModuleKey, Origin, primitive_cache_capacity, set_primitive_cache_capacity};
pub use plan::{Layout, Plan};

use crate::desc::{ArgDesc, Attr, DataType, MemoryDesc, Op, PrimitiveKind, Role, ScratchpadMode, arg};
use crate::engine::Engine;
use crate::memory::Memory;
use crate::observe::{Settings, verbose};
use crate::runtime::{Device, MemoryKind};
use crate::{Error, Result};
use cache::Ready;

/// An operation with attributes on an engine: everything decided, nothing built. Cloning clones a reference.
///
/// ```
/// use oxidnn::{Engine, PrimitiveDesc, desc::*};
/// let engine = Engine::new(EngineKind::Cpu, 0)?;
/// let md = MemoryDesc::with_strides(&[2, 3], DataType::F32, None)?;
/// let relu = Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseRelu, &md, &md, 0.0, 0.0)?;
/// let desc = PrimitiveDesc::new(&engine, relu, &Attr::new())?;
/// assert_eq!(desc.args().len(), 2);
/// # Ok::<(), oxidnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PrimitiveDesc(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    /// Where source and destination are, for a reorder between engines.
    across: Option<(Engine, Engine)>,
    asked: Op,
    op: Op,
    attr: Attr,
    resolved_attr: Attr,
    args: Vec<ArgDesc>,
    scratchpad: MemoryDesc,
    /// Absent while dimensions are open.
    layout: Option<Arc<Layout>>,
    implementation: String,
}

impl PrimitiveDesc {
    /// Describes an operation on an engine.
    pub fn new(engine: &Engine, op: impl Into<Op>, attr: &Attr) -> Result<PrimitiveDesc> {
        PrimitiveDesc::create(engine, None, op.into(), attr, Settings::get().tune)
    }

    /// Describes an operation on an engine, and measures which of the forms that a contraction can have on the device is fastest, unless
    /// that was done before.
    ///
    /// It takes as long as building the forms and running each of them for some milliseconds. The result is kept on disk, and
    /// [`new`](PrimitiveDesc::new) takes it from there, in later processes too. `OXIDNN_TUNE=1` makes every
    /// descriptor one of these.
    ///
    /// ```
    /// use oxidnn::{Engine, PrimitiveDesc, desc::*};
    /// let engine = Engine::new(EngineKind::Cpu, 0)?;
    /// let md = MemoryDesc::with_strides(&[64, 64], DataType::F32, None)?;
    /// let desc = PrimitiveDesc::tuned(&engine, Matmul::new(&md, &md, None, &md)?, &Attr::new())?;
    /// assert_eq!(desc.kind(), PrimitiveKind::Matmul);
    /// # Ok::<(), oxidnn::Error>(())
    /// ```
    pub fn tuned(engine: &Engine, op: impl Into<Op>, attr: &Attr) -> Result<PrimitiveDesc> {
        PrimitiveDesc::create(engine, None, op.into(), attr, true)
    }

    /// Describes a reorder from memory of one engine to memory of another.
    pub fn across(src: &Engine, dst: &Engine, op: crate::desc::Reorder, attr: &Attr) -> Result<PrimitiveDesc> {
        if src == dst {
            return PrimitiveDesc::new(src, op, attr);
        }
        // The device computes; between two devices, the destination's does.
        let host = |engine: &Engine| engine.kind() == crate::desc::EngineKind::Cpu;
        let engine = if host(dst) { src } else { dst };
        PrimitiveDesc::create(engine, Some((src.clone(), dst.clone())), op.into(), attr, false)
    }

    fn create(
        engine: &Engine,
        across: Option<(Engine, Engine)>,
        asked: Op,
        attr: &Attr,
        tuned: bool,
    ) -> Result<PrimitiveDesc> {
        asked.check_attr(attr)?;
        let mut op = asked.clone();
        let mut resolved_attr = attr.clone();
        layouts::choose(&mut op, &mut resolved_attr, engine.device())?;
        let args = op.args(&resolved_attr)?;
        check_types(engine, &args)?;
        let layout = if args.iter().any(|desc| desc.md.has_runtime_dims_or_strides()) {
            None
        } else {
            if tuned {
                tune::measure(engine, &op, &resolved_attr, &args)?;
            }
            Some(match engine.shared().caches.find(&op, &resolved_attr) {
                Some(ready) => ready.layout,
                None => Arc::new(tune::layout(engine, &op, &resolved_attr)?),
            })
        };
        let bytes = layout.as_ref().map_or(0, |layout| layout.scratchpad());
        let scratchpad = match (bytes, attr.scratchpad()) {
            (0, _) | (_, ScratchpadMode::Library) => MemoryDesc::ZERO,
            (bytes, ScratchpadMode::User) => MemoryDesc::with_strides(&[bytes as i64], DataType::U8, None)?,
        };
        let schedule = layout.as_ref().map_or("runtime_dims", |layout| layout.name());
        let implementation = match engine.device() {
            Device::Cpu(_) => "oxidnn:host:ref:any".to_string(),
            Device::Ocl(_) => format!("oxidnn:ocl:{schedule}"),
            Device::Ze(_) => format!("oxidnn:ze:{schedule}"),
        };
        Ok(PrimitiveDesc(Arc::new(Inner {
            engine: engine.clone(),
            across,
            asked,
            op,
            attr: attr.clone(),
            resolved_attr,
            args,
            scratchpad,
            layout,
            implementation,
        })))
    }

    /// The engine it runs on.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The engine whose memory an argument must be.
    pub fn engine_of(&self, arg: i32) -> &Engine {
        match (&self.0.across, arg) {
            (Some((src, _)), arg::SRC) => src,
            (Some((_, dst)), arg::DST) => dst,
            _ => &self.0.engine,
        }
    }

    /// The operation, with every layout decided.
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The operation's kind.
    pub fn kind(&self) -> PrimitiveKind {
        self.0.op.kind()
    }

    /// The attributes as they were given.
    pub fn attr(&self) -> &Attr {
        &self.0.attr
    }

    /// The attributes with every layout decided.
    pub fn resolved_attr(&self) -> &Attr {
        &self.0.resolved_attr
    }

    /// What an execution needs, without the scratchpad.
    pub fn args(&self) -> &[ArgDesc] {
        &self.0.args
    }

    /// The descriptor of one execution argument.
    pub fn arg(&self, arg: i32) -> Option<&MemoryDesc> {
        match arg {
            arg::SCRATCHPAD if !self.0.scratchpad.is_zero() => Some(&self.0.scratchpad),
            _ => self.0.args.iter().find(|desc| desc.arg == arg).map(|desc| &desc.md),
        }
    }

    /// How many tensors are read: those of the operation and of its post-ops.
    pub fn input_count(&self) -> usize {
        self.tensor_count(Role::Input)
    }

    /// How many tensors are written.
    pub fn output_count(&self) -> usize {
        self.tensor_count(Role::Output)
    }

    fn tensor_count(&self, role: Role) -> usize {
        let attribute = |number: i32| {
            let quantization = arg::ATTR_SCALES | arg::ATTR_ZERO_POINTS;
            let others = arg::ATTR_DROPOUT_OFFSET..=arg::ATTR_OUTPUT_SCALES;
            number & quantization != 0 || number & arg::ATTR_PRECOMPUTED_REDUCTIONS != 0 || others.contains(&number)
        };
        self.0.args.iter().filter(|desc| desc.role == role && !attribute(desc.arg)).count()
    }

    /// The scratchpad the user must provide; empty unless that was asked for and is needed.
    pub fn scratchpad(&self) -> &MemoryDesc {
        &self.0.scratchpad
    }

    /// Bytes of memory the library allocates for it besides its arguments.
    pub fn memory_consumption(&self) -> usize {
        match self.0.attr.scratchpad() {
            ScratchpadMode::Library => self.0.layout.as_ref().map_or(0, |layout| layout.scratchpad()),
            ScratchpadMode::User => 0,
        }
    }

    /// A name for the implementation.
    pub fn implementation(&self) -> &str {
        &self.0.implementation
    }

    /// The problem as verbose lines print it.
    pub fn verbose(&self) -> String {
        let Inner { engine, op, asked, resolved_attr, implementation, .. } = &*self.0;
        format!(
            "{},{},{implementation},{},{}",
            engine.kind(),
            op.kind(),
            op.prop_kind(),
            op.verbose(asked, resolved_attr)
        )
    }

    /// Bytes that are equal for descriptors whose primitives can share a cache blob.
    pub fn cache_blob_id(&self) -> Vec<u8> {
        let asked = format!("{:?}|{:?}", self.0.op, self.0.resolved_attr);
        blob::Blob::id(&self.engine().device().identity(), asked.as_bytes())
    }
}

/// A scratchpad of the library's own, if one is needed.
fn allocate_scratchpad(engine: &Engine, bytes: usize) -> Result<Option<Memory>> {
    if bytes == 0 {
        return Ok(None);
    }
    let md = MemoryDesc::with_strides(&[bytes as i64], DataType::U8, None)?;
    Memory::allocate(engine, &md, MemoryKind::Buffer).map(Some)
}

/// A device without doubles cannot compute them.
fn check_types(engine: &Engine, args: &[ArgDesc]) -> Result<()> {
    let doubles = args.iter().any(|desc| desc.md.data_type() == DataType::F64);
    let empty = args.iter().filter(|desc| desc.role == Role::Output).all(|desc| desc.md.has_zero_dim());
    if doubles && !empty && !engine.device().profile().fp64 {
        return Err(Error::unimplemented("the device has no double precision"));
    }
    Ok(())
}

/// An operation ready to run. Cloning clones a reference.
///
/// It may be executed from several threads at once, unless it has a scratchpad that the library provides.
#[derive(Clone, Debug)]
pub struct Primitive(Arc<PrimitiveInner>);

#[derive(Debug)]
struct PrimitiveInner {
    desc: PrimitiveDesc,
    plan: Option<Arc<Plan>>,
    scratchpad: Option<Memory>,
    /// The plan of the last execution with open dimensions, and what it was made for.
    resolved: std::sync::Mutex<Option<Resolved>>,
}

/// A plan for definite dimensions.
#[derive(Debug)]
struct Resolved {
    op: Op,
    attr: Attr,
    ready: Ready,
    scratchpad: Option<Memory>,
}

impl Primitive {
    /// Builds a primitive, or takes it from the cache.
    pub fn new(desc: &PrimitiveDesc) -> Result<Primitive> {
        Primitive::create(desc, false)
    }

    /// Builds a primitive from what [`cache_blob`](Primitive::cache_blob) gave for an equal descriptor.
    pub fn from_cache_blob(desc: &PrimitiveDesc, bytes: &[u8]) -> Result<Primitive> {
        let device = desc.engine().device();
        for (key, binary) in blob::Blob::read(bytes, blob::Kind::Primitive, &device.identity())? {
            desc.engine().shared().caches.preload(device, key, &binary)?;
        }
        Primitive::create(desc, true)
    }

    fn create(desc: &PrimitiveDesc, from_blob: bool) -> Result<Primitive> {
        let start = std::time::Instant::now();
        let Inner { engine, op, resolved_attr: attr, layout, .. } = &*desc.0;
        let caches = &engine.shared().caches;
        let mut origin = if from_blob { Origin::Blob } else { Origin::Fresh };
        let plan = match layout {
            None => None,
            Some(layout) => match caches.find(op, attr) {
                Some(ready) => {
                    origin = Origin::Cached;
                    Some(ready.plan)
                }
                None => {
                    let plan = Arc::new(Plan::new(layout, engine.device(), caches)?);
                    caches.keep(op, attr, &Ready { layout: Arc::clone(layout), plan: Arc::clone(&plan) });
                    Some(plan)
                }
            },
        };
        let scratchpad = allocate_scratchpad(engine, desc.memory_consumption())?;
        verbose::created(origin, || desc.verbose(), start);
        Ok(Primitive(Arc::new(PrimitiveInner { desc: desc.clone(), plan, scratchpad, resolved: Default::default() })))
    }

    /// What it computes.
    pub fn desc(&self) -> &PrimitiveDesc {
        &self.0.desc
    }

    /// What was built for it, for [`from_cache_blob`](Primitive::from_cache_blob) in another process.
    pub fn cache_blob(&self) -> Result<Vec<u8>> {
        let resolved = self.0.resolved.lock().unwrap_or_else(|e| e.into_inner());
        // With open dimensions, what the last execution used; nothing before the first.
        let plan = self.0.plan.as_ref().or(resolved.as_ref().map(|resolved| &resolved.ready.plan));
        let modules = plan.map_or(&[][..], |plan| plan.modules());
        let entries = modules.iter().map(|(key, module)| Ok((*key, module.binary()?))).collect::<Result<Vec<_>>>()?;
        Ok(blob::Blob::write(blob::Kind::Primitive, &self.desc().engine().device().identity(), &entries))
    }
}

impl Engine {
    /// How many kernel modules, built or loaded, are kept for the device and context.
    ///
    /// A primitive of a shape that is new but of a known structure does not add to it: sizes are arguments.
    pub fn module_count(&self) -> usize {
        self.shared().caches.modules().len()
    }

    /// Everything built that is kept for the device and context, for [`from_cache_blob`](Engine::from_cache_blob).
    pub fn cache_blob(&self) -> Result<Vec<u8>> {
        let mut entries = self
            .shared()
            .caches
            .modules()
            .iter()
            .map(|(key, module)| Ok((*key, module.binary()?)))
            .collect::<Result<Vec<_>>>()?;
        entries.sort_by_key(|(key, _)| key.as_bytes());
        Ok(blob::Blob::write(blob::Kind::Engine, &self.device().identity(), &entries))
    }

    /// An engine that knows what another one of an equal device had built.
    pub fn from_cache_blob(device: crate::runtime::Device, bytes: &[u8]) -> Result<Engine> {
        let entries = blob::Blob::read(bytes, blob::Kind::Engine, &device.identity())?;
        let engine = Engine::from_device(device);
        for (key, binary) in entries {
            engine.shared().caches.preload(engine.device(), key, &binary)?;
        }
        Ok(engine)
    }
}
