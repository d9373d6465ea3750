//! Kernels: their arguments, and launches with the arguments of a moment.

use std::sync::{Arc, Mutex, OnceLock};

use opencl_sys::*;
use smallvec::SmallVec;

use super::lock;
use super::memory::Generation;
use super::module::Module;
use crate::bindings::*;
use crate::cl::{self, ClError, Order, Queue};
use crate::{Error, Result};

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Value,
    Pointer,
    Local,
}

/// What an argument was given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Bytes(SmallVec<[u8; 16]>),
    Pointer(usize),
    Local(usize),
}

type Values = Vec<Option<Value>>;

/// The version of no settings.
const NO_VERSION: u64 = u64::MAX;

/// OpenCL's kernel with the arguments that it has now.
struct Prepared {
    kernel: cl::Kernel,
    values: Values,
    /// Which of the kernel's settings they are, and the state of memory that the pointers were set in.
    version: u64,
    memory: Generation,
    indirect: ze_kernel_indirect_access_flags_t,
}

/// What the next launch gets.
#[derive(Clone)]
struct Settings {
    values: Arc<Values>,
    /// Another one for other values.
    version: u64,
    group: [u32; 3],
    offset: [u32; 3],
    indirect: ze_kernel_indirect_access_flags_t,
}

/// What group sizes it can have.
struct Limits {
    items: usize,
    axes: [usize; 3],
    /// The one size that its source asks for.
    required: Option<[u32; 3]>,
}

/// A kernel.
pub(crate) struct Kernel {
    pub module: Arc<Module>,
    pub name: String,
    kinds: Vec<Kind>,
    /// How many bytes each argument has, of those that were given one.
    sizes: Vec<OnceLock<usize>>,
    limits: Limits,
    prepared: Mutex<Prepared>,
    settings: Mutex<Settings>,
}

/// A launch of a kernel with its arguments as they were.
#[derive(Clone)]
pub(crate) struct Launch {
    kernel: Arc<Kernel>,
    settings: Settings,
    groups: [u32; 3],
}

impl Kernel {
    pub(crate) fn new(module: Arc<Module>, name: &str) -> Result<Kernel> {
        let cl = module.device.cl;
        let mut kernel = module.program()?.kernel(name)?;
        let count = kernel.argument_count()?;
        let kinds = (0..count).map(|index| kind(cl, &mut kernel, index)).collect();
        let values: Values = vec![None; count as usize];
        let limits = Limits::of(cl, &kernel);
        let required = limits.required.unwrap_or([1; 3]);
        let settings =
            Settings { values: Arc::new(values.clone()), version: 0, group: required, offset: [0; 3], indirect: 0 };
        Ok(Kernel {
            name: name.to_owned(),
            kinds,
            sizes: vec![OnceLock::new(); count as usize],
            limits,
            prepared: Mutex::new(Prepared {
                kernel,
                values,
                version: NO_VERSION,
                memory: Generation::default(),
                indirect: 0,
            }),
            settings: Mutex::new(settings),
            module,
        })
    }

    /// Gives an argument its value; none is a null pointer, or local memory of that size.
    pub(crate) fn set_argument(&self, index: u32, size: usize, bytes: Option<&[u8]>) -> Result {
        let kind = *self.kinds.get(index as usize).ok_or(Error(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX))?;
        let value = match kind {
            Kind::Local => Value::Local(size),
            Kind::Pointer => {
                let mut address = [0; size_of::<usize>()];
                if let Some(bytes) = bytes {
                    let n = bytes.len().min(address.len());
                    address[..n].copy_from_slice(&bytes[..n]);
                }
                Value::Pointer(usize::from_ne_bytes(address))
            }
            Kind::Value => {
                let bytes = bytes.ok_or(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT))?;
                let size = match self.sizes[index as usize].get() {
                    Some(size) => *size,
                    None => {
                        let size = lock(&self.prepared).size_of(index as usize, bytes)?;
                        *self.sizes[index as usize].get_or_init(|| size)
                    }
                };
                Value::Bytes(fitting(bytes, size))
            }
        };
        let settings = &mut *lock(&self.settings);
        if settings.values[index as usize].as_ref() != Some(&value) {
            Arc::make_mut(&mut settings.values)[index as usize] = Some(value);
            settings.version += 1;
        }
        Ok(())
    }

    pub(crate) fn set_group_size(&self, size: [u32; 3]) -> Result {
        let Limits { items, axes, required } = &self.limits;
        let total = size.iter().map(|&n| u64::from(n)).product::<u64>();
        let within = size.iter().zip(axes).all(|(&n, &limit)| n as usize <= limit);
        if total == 0 || total > *items as u64 || !within || required.is_some_and(|required| required != size) {
            return Err(Error(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION));
        }
        lock(&self.settings).group = size;
        Ok(())
    }

    pub(crate) fn set_offset(&self, offset: [u32; 3]) {
        lock(&self.settings).offset = offset;
    }

    pub(crate) fn set_indirect(&self, flags: ze_kernel_indirect_access_flags_t) {
        lock(&self.settings).indirect = flags;
    }

    pub(crate) fn indirect(&self) -> ze_kernel_indirect_access_flags_t {
        lock(&self.settings).indirect
    }

    /// How many work-items a group can have.
    pub(crate) fn max_group_size(&self) -> usize {
        self.limits.items
    }

    /// A good size of groups for so many work-items: one that divides them.
    pub(crate) fn suggest_group_size(&self, global: [u32; 3]) -> [u32; 3] {
        /// Enough to fill vectors, few enough to share the work among cores.
        const ENOUGH: usize = 256;
        if let Some(required) = self.limits.required {
            return required;
        }
        let mut left = self.limits.items.min(ENOUGH);
        let mut size = [1; 3];
        for axis in 0..3 {
            let limit = left.min(self.limits.axes[axis]) as u32;
            let divides = |n: &u32| global[axis].is_multiple_of(*n);
            size[axis] = (1..=limit.min(global[axis].max(1))).rev().find(divides).unwrap_or(1);
            left /= size[axis] as usize;
        }
        size
    }

    /// How many groups are sure to run at once. OpenCL promises no more than one.
    pub(crate) fn max_cooperative_groups(&self) -> u32 {
        1
    }

    pub(crate) fn attributes(&self) -> String {
        lock(&self.prepared).kernel.attributes()
    }

    /// Fills in all that is known about it.
    pub(crate) fn describe(&self, properties: &mut ze_kernel_properties_t) {
        let cl = self.module.device.cl;
        let prepared = lock(&self.prepared);
        let kernel = &prepared.kernel;
        let most = self.limits.items;
        let sub_group =
            |name| kernel.sub_group_number(cl, name, [most, 1, 1]).filter(|&value| value > 0).unwrap_or(1) as u32;
        let required = self.limits.required.unwrap_or([0; 3]);
        properties.numKernelArgs = self.kinds.len() as u32;
        properties.requiredGroupSizeX = required[0];
        properties.requiredGroupSizeY = required[1];
        properties.requiredGroupSizeZ = required[2];
        properties.requiredNumSubGroups = 0;
        properties.requiredSubgroupSize = 0;
        properties.maxSubgroupSize = sub_group(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE);
        properties.maxNumSubgroups = sub_group(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE);
        properties.localMemSize = kernel.number::<cl_ulong>(cl, CL_KERNEL_LOCAL_MEM_SIZE).unwrap_or(0) as u32;
        properties.privateMemSize = kernel.number::<cl_ulong>(cl, CL_KERNEL_PRIVATE_MEM_SIZE).unwrap_or(0) as u32;
        properties.spillMemSize = 0;
        properties.uuid = ze_kernel_uuid_t::default();
    }

    /// A launch with the arguments and the group size that it has now.
    pub(crate) fn launch(self: &Arc<Self>, groups: [u32; 3]) -> Result<Launch> {
        let settings = lock(&self.settings).clone();
        let launch = Launch { kernel: Arc::clone(self), settings, groups };
        launch.check()?;
        Ok(launch)
    }

    /// What group sizes are best multiples of.
    pub(crate) fn preferred_multiple(&self) -> u32 {
        let cl = self.module.device.cl;
        let multiple = lock(&self.prepared).kernel.number::<usize>(cl, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
        multiple.unwrap_or(1) as u32
    }
}

impl Launch {
    fn check(&self) -> Result {
        // OpenCL would take a kernel without its arguments for an error; local memory and pointers may be left out.
        let missing = |(value, kind): (&Option<Value>, &Kind)| value.is_none() && *kind == Kind::Value;
        if self.settings.values.iter().zip(&self.kernel.kinds).any(missing) {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
        }
        Ok(())
    }

    /// The same with other numbers of groups.
    pub(crate) fn with_groups(&self, groups: ze_group_count_t) -> Result<Launch> {
        let groups = [groups.groupCountX, groups.groupCountY, groups.groupCountZ];
        Ok(Launch { groups, ..self.clone() })
    }

    pub(crate) fn enqueue(&self, queue: &Queue, order: Order) -> Result<Option<cl::Event>> {
        if self.groups.contains(&0) {
            return Ok(queue.marker(order)?);
        }
        let Settings { values, version, group, offset, indirect } = &self.settings;
        let cl = self.kernel.module.device.cl;
        let mut prepared = lock(&self.kernel.prepared);
        let memory = self.kernel.module.device.memory.generation();
        if (prepared.version, prepared.memory) != (*version, memory) {
            prepared.version = NO_VERSION;
            prepared.forget_pointers_of_before(memory);
            for (index, kind) in self.kernel.kinds.iter().enumerate() {
                match (&values[index], kind) {
                    (Some(value), _) => prepared.set(cl, index, value)?,
                    (None, Kind::Pointer) => prepared.set(cl, index, &Value::Pointer(0))?,
                    (None, _) => {}
                }
            }
            prepared.version = *version;
        }
        if prepared.indirect != *indirect {
            let has = |flag| indirect & flag != 0;
            prepared.kernel.set_indirect(
                cl,
                has(ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST),
                has(ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE),
                has(ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED),
            )?;
            prepared.indirect = *indirect;
        }
        let local = group.map(|n| n as usize);
        let global = [0, 1, 2].map(|axis| self.groups[axis] as usize * local[axis]);
        Ok(queue.launch(&prepared.kernel, offset.map(|n| n as usize), global, local, order)?)
    }
}

impl Prepared {
    /// OpenCL resolves a pointer when it is set: it must be set again if other memory may be at the address by now.
    fn forget_pointers_of_before(&mut self, memory: Generation) {
        if self.memory != memory {
            self.memory = memory;
            for value in &mut self.values {
                value.take_if(|value| matches!(value, Value::Pointer(_)));
            }
        }
    }

    fn set(&mut self, cl: &cl::Cl, index: usize, value: &Value) -> Result {
        if self.values[index].as_ref() == Some(value) {
            return Ok(());
        }
        let at = index as u32;
        match value {
            Value::Bytes(bytes) => self.kernel.set_bytes(at, bytes)?,
            Value::Pointer(address) => self.kernel.set_pointer(cl, at, *address)?,
            Value::Local(size) => self.kernel.set_local(at, *size)?,
        }
        self.values[index] = Some(value.clone());
        Ok(())
    }

    /// How many bytes an argument wants: callers give too many or too few, and nothing tells but trying.
    fn size_of(&mut self, index: usize, bytes: &[u8]) -> Result<usize> {
        /// No argument is larger.
        const LARGEST: usize = 4096;
        // Whatever it is given here is not what a launch was to get.
        self.values[index] = None;
        self.version = NO_VERSION;
        let above = (bytes.len() + 1..=LARGEST).take(128);
        let below = (1..bytes.len()).rev();
        for size in [bytes.len()].into_iter().chain(above).chain(below) {
            match self.kernel.set_bytes(index as u32, &fitting(bytes, size)) {
                Ok(()) => return Ok(size),
                Err(ClError(CL_INVALID_ARG_SIZE)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE))
    }
}

/// What an argument is: as the program says, else as it behaves when it is given something.
fn kind(cl: &cl::Cl, kernel: &mut cl::Kernel, index: u32) -> Kind {
    match kernel.address_space(index) {
        Some(CL_KERNEL_ARG_ADDRESS_GLOBAL | CL_KERNEL_ARG_ADDRESS_CONSTANT) => Kind::Pointer,
        Some(CL_KERNEL_ARG_ADDRESS_LOCAL) => Kind::Local,
        Some(_) => Kind::Value,
        None if kernel.set_local(index, 1).is_ok() => Kind::Local,
        None if kernel.set_shared_pointer(cl, index, 0).is_ok() => Kind::Pointer,
        None => Kind::Value,
    }
}

/// The bytes of a value, cut or filled up with zeros.
fn fitting(bytes: &[u8], size: usize) -> SmallVec<[u8; 16]> {
    let mut value = SmallVec::from_slice(&bytes[..size.min(bytes.len())]);
    value.resize(size, 0);
    value
}

impl Limits {
    fn of(cl: &cl::Cl, kernel: &cl::Kernel) -> Limits {
        let of_kernel = kernel.number(cl, CL_KERNEL_WORK_GROUP_SIZE);
        let axes = cl.numbers::<usize>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
        let required: Option<[usize; 3]> = kernel.numbers(cl, CL_KERNEL_COMPILE_WORK_GROUP_SIZE).try_into().ok();
        Limits {
            items: of_kernel.or_else(|| cl.number(CL_DEVICE_MAX_WORK_GROUP_SIZE)).unwrap_or(1),
            axes: [0, 1, 2].map(|axis| axes.get(axis).copied().unwrap_or(1)),
            required: required.filter(|sizes| sizes[0] != 0).map(|sizes| sizes.map(|n| n as u32)),
        }
    }
}
