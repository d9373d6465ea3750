//! A device in a context, and what it can do.

use std::ffi::c_void;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::{Arc, OnceLock};

use opencl_sys::*;

use super::api::{Api, Svm, Usm};
use super::faults::{self, Fault};
use super::handle::{ContextKind, DeviceKind, Handle, Plain, info, info_list, info_string};
use super::memory::Buffer;
use super::module::{Module, Standard};
use super::queue::Queue;
use crate::runtime::processor::Dots;
use crate::runtime::profile::Asked;
use crate::runtime::{DeviceProfile, DeviceType, LEAST_CACHE, MemoryKind, Order, SubGroups, UsmSupport, processor};
use crate::{Error, Result, ensure, supported};

/// A device that the loader lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(cl_device_id);

// SAFETY: a root device lives as long as the process and may be used from any thread.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

impl DeviceId {
    #[cfg(test)]
    pub(super) fn from_device(device: &Device) -> DeviceId {
        DeviceId(device.raw_device())
    }

    /// The handle; no reference is added.
    pub fn raw(self) -> cl_device_id {
        self.0
    }

    /// What tells the hardware from all other, also in Level Zero, where the driver says it; and its name.
    pub fn uuid_and_name(self) -> Result<(Option<[u8; 16]>, String)> {
        let ask = Asker { api: Api::get()?, device: self.0 };
        // SAFETY: a device of the loader; drivers without the extension refuse the question.
        let uuid = unsafe { info_list::<u8>(ask.api.clGetDeviceInfo, self.0, CL_DEVICE_UUID_KHR) };
        Ok((uuid.ok().and_then(|bytes| bytes.try_into().ok()), ask.text(CL_DEVICE_NAME)?))
    }
}

/// A device in a context: an engine's place. Cloning clones a reference.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    device: Handle<DeviceKind>,
    context: Handle<ContextKind>,
    profile: DeviceProfile,
    identity: Vec<u8>,
    faults: Vec<Fault>,
    standards: Vec<Standard>,
    out_of_order: bool,
    pointers: Pointers,
}

/// How a device shares pointers with the host, with the functions to do it.
#[derive(Clone, Copy)]
pub(super) enum Pointers {
    None,
    Svm { api: Svm, fine_grained: bool },
    Usm { api: Usm, shared: bool, host: bool, system: bool },
}

impl Device {
    /// Every usable device of every platform: GPUs, then accelerators, then CPU-type devices.
    ///
    /// Without OpenCL the list is empty. Platforms that fail are skipped, and so are devices older than OpenCL 1.2 and
    /// those without a compiler. The list is made once, by one thread: drivers set themselves up when they are first asked
    /// for devices, and some (PoCL 3.1) show other threads half of it meanwhile.
    ///
    /// ```
    /// for &id in oxidnn::runtime::ocl::Device::enumerate() {
    ///     let device = oxidnn::runtime::ocl::Device::open(id)?;
    ///     println!("{}", device.profile().name);
    /// }
    /// # Ok::<(), oxidnn::Error>(())
    /// ```
    pub fn enumerate() -> &'static [DeviceId] {
        static DEVICES: OnceLock<Vec<DeviceId>> = OnceLock::new();
        DEVICES.get_or_init(Device::list)
    }

    fn list() -> Vec<DeviceId> {
        let Ok(api) = Api::get() else { return Vec::new() };
        let platforms = list(|count, out, found| {
            // SAFETY: `out` has room for `count` platforms.
            unsafe { (api.clGetPlatformIDs)(count, out, found) }
        });
        let devices = platforms.into_iter().flat_map(|platform| {
            list(|count, out, found| {
                // SAFETY: the platform is the loader's; `out` has room for `count` devices.
                unsafe { (api.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, out, found) }
            })
        });
        let mut ranked: Vec<_> = devices
            .filter_map(|device| {
                let ask = Asker { api, device };
                let usable = ask.version().is_ok_and(|version| version >= (1, 2))
                    && ask.flag(CL_DEVICE_AVAILABLE)
                    && ask.flag(CL_DEVICE_COMPILER_AVAILABLE);
                let rank = match ask.declared_class().ok().filter(|_| usable)? {
                    DeviceType::Gpu => 0,
                    DeviceType::Accelerator => 1,
                    DeviceType::Cpu => 2,
                };
                Some((rank, DeviceId(device)))
            })
            .collect();
        ranked.sort_by_key(|&(rank, _)| rank);
        ranked.into_iter().map(|(_, id)| id).collect()
    }

    /// Opens a device in a context of its own.
    pub fn open(id: DeviceId) -> Result<Device> {
        let api = Api::get()?;
        let platform = Asker { api, device: id.0 }.get::<*mut c_void>(CL_DEVICE_PLATFORM)?;
        let properties = [CL_CONTEXT_PLATFORM as cl_context_properties, platform as cl_context_properties, 0];
        let mut code = CL_SUCCESS;
        // SAFETY: one live device, terminated properties.
        let context = unsafe {
            let raw = (api.clCreateContext)(properties.as_ptr(), 1, &id.0, None, ptr::null_mut(), &mut code);
            Handle::created(api, raw, code, "clCreateContext")?
        };
        // SAFETY: listed by the loader.
        let device = unsafe { Handle::retain(api, id.0)? };
        Device::new(device, context)
    }

    /// Takes the caller's device and context; both are retained until the last clone is dropped.
    ///
    /// Nulls, handles that the driver knows to be wrong and a context that does not hold the device are
    /// `invalid_arguments`.
    ///
    /// # Safety
    /// Each handle is null or a live OpenCL object.
    pub unsafe fn from_raw(device: cl_device_id, context: cl_context) -> Result<Device> {
        ensure!(!device.is_null(), "the OpenCL device is null");
        ensure!(!context.is_null(), "the OpenCL context is null");
        let api = Api::get()?;
        let ask = Asker { api, device };
        let invalid = |e: Error| Error::invalid(format!("not a valid OpenCL device: {e}"));
        let version = ask.version().map_err(invalid)?;
        supported!(version >= (1, 2), "the device has OpenCL {}.{}; 1.2 is needed", version.0, version.1);
        // SAFETY: the caller promises a live context.
        let devices = unsafe { info_list::<*mut c_void>(api.clGetContextInfo, context, CL_CONTEXT_DEVICES) }
            .map_err(|code| Error::invalid(format!("not a valid OpenCL context (code {code})")))?;
        let listed = devices.contains(&device)
            || (faults::of(&ask.platform_text(CL_PLATFORM_NAME)?, &ask.text(CL_DRIVER_VERSION)?)
                .any(|f| f == Fault::SubDeviceNotListed)
                && ask.ancestors().any(|ancestor| devices.contains(&ancestor)));
        ensure!(listed, "the OpenCL context does not hold the device");
        // SAFETY: the caller's promise, and both handles have answered queries.
        unsafe { Device::new(Handle::retain(api, device)?, Handle::retain(api, context)?) }
    }

    /// The [`identity`](Device::identity) of a device that is in no context yet.
    ///
    /// # Safety
    /// The handle is null or a live OpenCL device.
    pub unsafe fn identity_of(device: cl_device_id) -> Result<Vec<u8>> {
        ensure!(!device.is_null(), "the OpenCL device is null");
        Asker { api: Api::get()?, device }
            .identity()
            .map_err(|e| Error::invalid(format!("not a valid OpenCL device: {e}")))
    }

    fn new(device: Handle<DeviceKind>, context: Handle<ContextKind>) -> Result<Device> {
        let ask = Asker { api: device.api(), device: device.raw() };
        let platform = ask.platform_text(CL_PLATFORM_NAME)?;
        let driver = ask.text(CL_DRIVER_VERSION)?;
        let pointers = ask.pointers()?;
        let standards = ask.standards()?;
        let native_floats = ask.get::<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)?.max(1) as usize;
        let vector_bytes = Asked::vector_bytes(4 * native_floats);
        let identity = ask.identity()?;
        let extensions = ask.extensions()?;
        let has = |name: &str| extensions.iter().any(|e| e == name);
        let wrong_vectors = faults::of(&platform, &driver).any(|fault| fault == Fault::WrongVectors);
        let is_known_cpu = matches!(platform.as_str(), "Intel(R) OpenCL" | "Portable Computing Language")
            && ask.get::<cl_ulong>(CL_DEVICE_TYPE)? & CL_DEVICE_TYPE_CPU != 0;
        let dots = if is_known_cpu { processor::dots(vector_bytes) } else { Dots::default() };
        let profile = DeviceProfile {
            device_type: ask.class()?,
            name: ask.text(CL_DEVICE_NAME)?,
            vendor: ask.text(CL_DEVICE_VENDOR)?,
            frequency: ask
                .get::<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY)
                .ok()
                .filter(|&megahertz| megahertz > 0)
                .map(|megahertz| u64::from(megahertz) * 1_000_000),
            compute_units: ask.get::<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS)?.max(1) as usize,
            max_work_group: ask.get::<usize>(CL_DEVICE_MAX_WORK_GROUP_SIZE)?,
            local_memory: ask.get::<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE)? as usize,
            max_allocation: ask.get::<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE)?,
            vector_bytes: if wrong_vectors { 4 } else { vector_bytes },
            cache_bytes: (ask.get::<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)? as usize).max(LEAST_CACHE),
            core_cache_bytes: processor::core_cache(),
            drops_outward: processor::drops_outward(),
            fp64: has("cl_khr_fp64"),
            fp16: has("cl_khr_fp16"),
            slow_halves: processor::has_slow_halves(),
            sub_groups: match standards.iter().any(|&standard| standard > Standard::Cl12) {
                true => ask.sub_groups(&extensions),
                false => SubGroups::None,
            },
            clang_builtins: is_known_cpu,
            dot_int8: dots.int8,
            dot_vex: dots.vex,
            long_registers: false,
            dot_bf16: dots.bf16,
            pairs_int8: dots.pairs,
            amx_int8: false,
            amx_bf16: false,
            usm: match pointers {
                Pointers::None => UsmSupport::None,
                Pointers::Svm { .. } => UsmSupport::Svm,
                Pointers::Usm { .. } => UsmSupport::Usm,
            },
            rank: 0,
            driver: driver.clone(),
        };
        let out_of_order =
            ask.get::<cl_ulong>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)? & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let faults = faults::of(&platform, &driver).collect();
        let inner = Inner { device, context, profile, identity, faults, standards, out_of_order, pointers };
        let mut device = Device(Arc::new(inner));
        if is_known_cpu && vector_bytes == 64 {
            let tiles = processor::tiles(device.identity(), |text| device.compile(text).is_ok());
            if let Some(inner) = Arc::get_mut(&mut device.0) {
                inner.profile.amx_int8 = tiles.int8;
                inner.profile.amx_bf16 = tiles.bf16;
            }
        }
        if dots != Dots::default() && vector_bytes == 32 {
            let long_registers = processor::has_long_registers(device.identity(), |text| device.compile(text).is_ok());
            if let Some(inner) = Arc::get_mut(&mut device.0) {
                inner.profile.long_registers = long_registers;
            }
        }
        Ok(device)
    }

    /// The device; no reference is added.
    pub fn raw_device(&self) -> cl_device_id {
        self.0.device.raw()
    }

    /// The context; no reference is added.
    pub fn raw_context(&self) -> cl_context {
        self.0.context.raw()
    }

    /// What schedules need to know of it. `OXIDNN_DEVICE_PROFILE` overrides some of it.
    pub fn profile(&self) -> &DeviceProfile {
        &self.0.profile
    }

    /// Platform, device and driver, as stable bytes.
    pub fn identity(&self) -> Vec<u8> {
        self.0.identity.clone()
    }

    /// Whether the device's driver is known to have a fault.
    pub fn has_fault(&self, fault: Fault) -> bool {
        self.0.faults.contains(&fault)
    }

    /// Allocates uninitialised memory. Zero bytes give a valid buffer.
    pub fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        Buffer::allocate(self, kind, bytes)
    }

    /// Builds OpenCL C text by the standard that [`standard_for`](Device::standard_for) chooses.
    pub fn compile(&self, source: &str) -> Result<Module> {
        Module::compile(self, source)
    }

    /// Builds a module from what [`Module::binary`] gave for a device of the same identity.
    ///
    /// What a driver does not accept is `invalid_arguments`. Drivers check little ([`Fault::AbortsOnBadBinary`]), so bytes
    /// that were out of the library's hands need a checksum before they come here.
    pub fn load(&self, binary: &[u8]) -> Result<Module> {
        Module::load(self, binary)
    }

    /// The version of OpenCL C a text is built as: 1.2, which every driver has and which promises the most; only text
    /// that uses sub-groups gets the newest version the device has.
    pub fn standard_for(&self, source: &str) -> Standard {
        if source.contains("sub_group") {
            self.0.standards.iter().copied().max().unwrap_or(Standard::Cl12)
        } else {
            Standard::Cl12
        }
    }

    /// Creates a queue of the library's own. A device without out-of-order queues gives an in-order one, which keeps
    /// every promise of the other.
    pub fn create_queue(&self, order: Order, profiling: bool) -> Result<Queue> {
        let order = if self.0.out_of_order { order } else { Order::InOrder };
        Queue::create(self, order, profiling)
    }

    pub(super) fn api(&self) -> &'static Api {
        self.0.context.api()
    }

    pub(super) fn pointers(&self) -> &Pointers {
        &self.0.pointers
    }

    /// The same device, its pointers taken for coarse-grained SVM as if it had nothing better.
    #[cfg(test)]
    pub(super) fn with_coarse_svm(&self) -> Option<Device> {
        let ask = Asker { api: self.api(), device: self.raw_device() };
        let abilities = ask.get::<cl_ulong>(CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
        let api = self.api().svm().filter(|_| abilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0)?;
        let Device(inner) = Device::new(self.0.device.clone(), self.0.context.clone()).ok()?;
        let mut inner = Arc::into_inner(inner)?;
        inner.pointers = Pointers::Svm { api, fine_grained: false };
        inner.profile.usm = UsmSupport::Svm;
        Some(Device(Arc::new(inner)))
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.raw_device() == other.raw_device() && self.raw_context() == other.raw_context()
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw_device().hash(state);
        self.raw_context().hash(state);
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}, {:?})", self.0.profile.name, self.0.device, self.0.context)
    }
}

/// Reads a list that a `clGet…IDs` call gives; nothing found and failure are both an empty list.
fn list(call: impl Fn(cl_uint, *mut *mut c_void, *mut cl_uint) -> cl_int) -> Vec<*mut c_void> {
    let mut count = 0;
    if call(0, ptr::null_mut(), &mut count) != CL_SUCCESS || count == 0 {
        return Vec::new();
    }
    let mut found = vec![ptr::null_mut(); count as usize];
    if call(count, found.as_mut_ptr(), &mut count) != CL_SUCCESS {
        return Vec::new();
    }
    found.truncate(count as usize);
    found
}

/// Questions to one device.
struct Asker {
    api: &'static Api,
    device: cl_device_id,
}

impl Asker {
    fn get<T: Plain>(&self, what: cl_uint) -> Result<T> {
        // SAFETY: made only for live devices.
        unsafe { info(self.api.clGetDeviceInfo, self.device, what) }.map_err(|code| self.fail(code))
    }

    fn text(&self, what: cl_uint) -> Result<String> {
        // SAFETY: made only for live devices.
        unsafe { info_string(self.api.clGetDeviceInfo, self.device, what) }.map_err(|code| self.fail(code))
    }

    fn platform_text(&self, what: cl_uint) -> Result<String> {
        let platform = self.get::<*mut c_void>(CL_DEVICE_PLATFORM)?;
        // SAFETY: the platform of a live device.
        unsafe { info_string(self.api.clGetPlatformInfo, platform, what) }.map_err(|code| self.fail(code))
    }

    fn fail(&self, code: cl_int) -> Error {
        super::code::error(code, "clGetDeviceInfo")
    }

    /// What a binary depends on.
    fn identity(&self) -> Result<Vec<u8>> {
        let parts = [
            self.platform_text(CL_PLATFORM_NAME)?,
            self.platform_text(CL_PLATFORM_VERSION)?,
            self.text(CL_DEVICE_NAME)?,
            self.get::<cl_uint>(CL_DEVICE_VENDOR_ID)?.to_string(),
            self.text(CL_DRIVER_VERSION)?,
            self.text(CL_DEVICE_VERSION)?,
            // Virtual machines of one name may have different instruction sets.
            self.get::<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)?.to_string(),
        ];
        Ok(parts.join("\0").into_bytes())
    }

    fn flag(&self, what: cl_uint) -> bool {
        self.get::<cl_uint>(what).is_ok_and(|flag| flag != 0)
    }

    /// From `OpenCL <major>.<minor> <vendor's own>`.
    fn version(&self) -> Result<(u32, u32)> {
        let text = self.text(CL_DEVICE_VERSION)?;
        parse_version(text.strip_prefix("OpenCL ").unwrap_or_default())
            .ok_or_else(|| Error::runtime(format!("the device reports the version {text:?}")))
    }

    fn extensions(&self) -> Result<Vec<String>> {
        Ok(self.text(CL_DEVICE_EXTENSIONS)?.split_ascii_whitespace().map(str::to_owned).collect())
    }

    fn ancestors(&self) -> impl Iterator<Item = cl_device_id> {
        std::iter::successors(Some(self.device), |&device| {
            let parent = Asker { api: self.api, device }.get::<*mut c_void>(CL_DEVICE_PARENT_DEVICE).ok()?;
            (!parent.is_null()).then_some(parent)
        })
    }

    fn class(&self) -> Result<DeviceType> {
        Asked::get().map_or_else(|| self.declared_class(), |asked| Ok(asked.class()))
    }

    fn declared_class(&self) -> Result<DeviceType> {
        let bits = self.get::<cl_ulong>(CL_DEVICE_TYPE)?;
        Ok(if bits & CL_DEVICE_TYPE_GPU != 0 {
            DeviceType::Gpu
        } else if bits & CL_DEVICE_TYPE_CPU != 0 {
            DeviceType::Cpu
        } else {
            DeviceType::Accelerator
        })
    }

    /// What the compiler knows of sub-groups, and which size of those that a kernel may require suits most kernels.
    fn sub_groups(&self, extensions: &[String]) -> SubGroups {
        let has = |name: &str| extensions.iter().any(|e| e == name);
        let core = || {
            self.version().is_ok_and(|version| version >= (2, 1))
                && self.get::<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS).is_ok_and(|count| count > 0)
        };
        if !has("cl_khr_subgroups") && !has("cl_intel_subgroups") && !core() {
            return SubGroups::None;
        }
        if !has("cl_intel_required_subgroup_size") {
            return SubGroups::Any;
        }
        // SAFETY: made only for live devices; the extension defines the question.
        let sizes =
            unsafe { info_list::<usize>(self.api.clGetDeviceInfo, self.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL) };
        let sizes = sizes.unwrap_or_default();
        [16, 32, 8].into_iter().find(|size| sizes.contains(size)).map_or(SubGroups::Any, SubGroups::Of)
    }

    /// The versions of OpenCL C that the compiler knows, among those used here.
    fn standards(&self) -> Result<Vec<Standard>> {
        // SAFETY: made only for live devices; drivers before OpenCL 3.0 refuse the question.
        let records = unsafe {
            info_list::<cl_name_version>(self.api.clGetDeviceInfo, self.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS)
        };
        let mut known = vec![Standard::Cl12];
        match records {
            Ok(records) => {
                let majors = || records.iter().map(|record| record.version >> 22);
                known.extend(majors().any(|major| major == 2).then_some(Standard::Cl20));
                known.extend(majors().any(|major| major == 3).then_some(Standard::Cl30));
            }
            Err(_) => {
                let text = self.text(CL_DEVICE_OPENCL_C_VERSION)?;
                let version = parse_version(text.strip_prefix("OpenCL C ").unwrap_or_default());
                known.extend(version.is_some_and(|v| v >= (2, 0)).then_some(Standard::Cl20));
            }
        }
        Ok(known)
    }

    fn pointers(&self) -> Result<Pointers> {
        let can = |what| self.get::<cl_ulong>(what).unwrap_or(0) & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL != 0;
        if self.extensions()?.iter().any(|e| e == "cl_intel_unified_shared_memory")
            && let Some(api) = self.api.usm(self.get::<*mut c_void>(CL_DEVICE_PLATFORM)?)
        {
            return Ok(Pointers::Usm {
                api,
                shared: can(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL),
                host: can(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL),
                system: can(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL),
            });
        }
        if self.version()? >= (2, 0)
            && let Some(api) = self.api.svm()
        {
            let abilities = self.get::<cl_ulong>(CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
            if abilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0 {
                return Ok(Pointers::Svm { api, fine_grained: abilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 });
            }
        }
        Ok(Pointers::None)
    }
}

// SAFETY: integers.
unsafe impl Plain for cl_name_version {}

/// Reads `major.minor` at the start of a text.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.split_once('.')?;
    let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Checks that two objects meet in one context.
pub(super) fn same_context(a: &Device, b: &Device, what: &str) -> Result<()> {
    ensure!(a.raw_context() == b.raw_context(), "the {what} belongs to another OpenCL context");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        assert_eq!(parse_version("3.0 PoCL HSTR: pthread"), Some((3, 0)));
        assert_eq!(parse_version("1.2"), Some((1, 2)));
        assert_eq!(parse_version("3.1 (Build 0)"), Some((3, 1)));
        assert_eq!(parse_version("CUDA"), None);
    }
}
