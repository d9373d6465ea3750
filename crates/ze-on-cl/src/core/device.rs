//! The device and its properties, as OpenCL reports them.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, Weak};
use std::time::Instant;

use opencl_sys::*;

use super::context::Context;
use super::driver::Driver;
use super::lock;
use super::memory::Memory;
use super::signal::Times;
use super::stream::Stream;
use crate::bindings::*;
use crate::cl::{Cl, Kind};
use crate::{Error, Result, pointer};

/// Times are nanoseconds; the API wants to know how many of their bits count.
const TIME_BITS: u32 = 63;

/// What runs everything and what only copies.
pub(crate) const QUEUE_GROUPS: [ze_command_queue_group_property_flags_t; 2] = [
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE
        | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY
        | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
    ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
];

/// What the bindings lack of `cl_ext_float_atomics`.
const SINGLE_FP_ATOMIC_CAPABILITIES: cl_device_info = 0x4231;
const DOUBLE_FP_ATOMIC_CAPABILITIES: cl_device_info = 0x4232;
const HALF_FP_ATOMIC_CAPABILITIES: cl_device_info = 0x4233;

/// How many queues a group has.
pub(crate) const QUEUES: u32 = 4;

/// The largest pattern that OpenCL fills with. Larger ones are taken, and written out here.
pub(crate) const MAX_PATTERN: usize = 128;

/// The device.
pub(crate) struct Device {
    pub cl: &'static Cl,
    pub memory: Memory,
    /// Where commands for it may be under way.
    streams: Mutex<Vec<Weak<Stream>>>,
    /// Whether anybody ever asked for the times of commands.
    keeps_times: AtomicBool,
}

/// When memory goes that is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Free {
    Now,
    /// When the work that may use it is done.
    Deferred,
    /// As before; and the call waits for the work that OpenCL has.
    Blocking,
}

impl Device {
    pub(crate) fn new(cl: &'static Cl) -> Device {
        Device { cl, memory: Memory::new(cl), streams: Mutex::default(), keeps_times: AtomicBool::new(false) }
    }

    /// From now on, the times of commands are wanted.
    pub(crate) fn keep_times(&self) {
        self.keeps_times.store(true, Ordering::Release);
    }

    pub(crate) fn keeps_times(&self) -> bool {
        self.keeps_times.load(Ordering::Acquire)
    }

    /// Notes a new stream.
    pub(crate) fn add_stream(&self, stream: &Arc<Stream>) {
        static AT_EXIT: Once = Once::new();
        // OpenCL is loaded by now, so its own end comes after.
        AT_EXIT.call_once(|| crate::boundary::at_exit(finish_all));
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// Frees an allocation.
    pub(crate) fn free(&self, context: &Arc<Context>, pointer: *mut c_void, when: Free) -> Result {
        if when == Free::Now {
            return self.memory.free(context, pointer, Vec::new());
        }
        let streams: Vec<Arc<Stream>> = lock(&self.streams).iter().filter_map(Weak::upgrade).collect();
        let mut after = Vec::new();
        for stream in &streams {
            after.extend(stream.mark()?);
            if when == Free::Blocking {
                stream.finish()?;
            }
        }
        self.memory.free(context, pointer, after)
    }

    /// The device's time in nanoseconds.
    pub(crate) fn time(&self) -> u64 {
        self.times().1
    }

    /// The host's and the device's time in nanoseconds, at once.
    pub(crate) fn times(&self) -> (u64, u64) {
        static START: OnceLock<Instant> = OnceLock::new();
        match self.cl.timers() {
            Some((device, host)) => (host, device),
            None => {
                let time = START.get_or_init(Instant::now).elapsed().as_nanos() as u64;
                (time, time)
            }
        }
    }

    fn number(&self, name: cl_device_info) -> u64 {
        u64::from(self.cl.number::<cl_uint>(name).unwrap_or(0))
    }

    pub(crate) fn describe(&self, properties: &mut ze_device_properties_t) {
        let cl = self.cl;
        let units = self.number(CL_DEVICE_MAX_COMPUTE_UNITS).max(1) as u32;
        let unified = cl.number::<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) == Some(CL_TRUE);
        properties.type_ = ZE_DEVICE_TYPE_GPU;
        properties.vendorId = self.number(CL_DEVICE_VENDOR_ID) as u32;
        properties.deviceId = self.number(CL_DEVICE_ID_INTEL) as u32;
        properties.flags = if unified { ZE_DEVICE_PROPERTY_FLAG_INTEGRATED } else { 0 };
        if cl.number::<cl_bool>(CL_DEVICE_ERROR_CORRECTION_SUPPORT) == Some(CL_TRUE) {
            properties.flags |= ZE_DEVICE_PROPERTY_FLAG_ECC;
        }
        properties.subdeviceId = 0;
        properties.coreClockRate = self.number(CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32;
        properties.maxMemAllocSize = cl.number(CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap_or(0);
        properties.maxHardwareContexts = 1;
        properties.maxCommandQueuePriority = 0;
        properties.numThreadsPerEU = 1;
        properties.physicalEUSimdWidth = self.number(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).max(1) as u32;
        properties.numEUsPerSubslice = units;
        properties.numSubslicesPerSlice = 1;
        properties.numSlices = 1;
        // One structure number says the time of a tick in nanoseconds, the other the ticks of a second.
        let in_hertz = properties.stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        properties.timerResolution = if in_hertz { 1_000_000_000 } else { 1 };
        properties.timestampValidBits = TIME_BITS;
        properties.kernelTimestampValidBits = TIME_BITS;
        properties.uuid = self.uuid();
        pointer::name(&mut properties.name, &cl.text(CL_DEVICE_NAME));
        for link in pointer::chain(properties.pNext) {
            if let Some(count) = link.get::<ze_eu_count_ext_t>(ZE_STRUCTURE_TYPE_EU_COUNT_EXT) {
                count.numTotalEUs = units;
            }
            if let Some(ip) = link.get::<ze_device_ip_version_ext_t>(ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT) {
                ip.ipVersion = cl.number::<cl_uint>(CL_DEVICE_IP_VERSION_INTEL).unwrap_or(0);
            }
        }
    }

    /// OpenCL's number for the device; where it has none, one made of the names.
    fn uuid(&self) -> ze_device_uuid_t {
        let known = self.cl.numbers::<u8>(CL_DEVICE_UUID_KHR).try_into().ok();
        let id = known.unwrap_or_else(|| {
            let name = self.cl.platform_text(CL_PLATFORM_NAME) + &self.cl.text(CL_DEVICE_NAME);
            let mut id = *b"ze-on-cl\0\0\0\0\0\0\0\0";
            for (index, byte) in name.bytes().enumerate() {
                let place = &mut id[8 + index % 8];
                *place = place.rotate_left(3) ^ byte;
            }
            id
        });
        ze_device_uuid_t { id }
    }

    pub(crate) fn describe_compute(&self, properties: &mut ze_device_compute_properties_t) {
        let cl = self.cl;
        let sizes = cl.numbers::<usize>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
        let size = |axis: usize| sizes.get(axis).copied().unwrap_or(1) as u32;
        properties.maxTotalGroupSize = cl.number::<usize>(CL_DEVICE_MAX_WORK_GROUP_SIZE).unwrap_or(1) as u32;
        properties.maxGroupSizeX = size(0);
        properties.maxGroupSizeY = size(1);
        properties.maxGroupSizeZ = size(2);
        properties.maxGroupCountX = u32::MAX;
        properties.maxGroupCountY = u32::MAX;
        properties.maxGroupCountZ = u32::MAX;
        properties.maxSharedLocalMemory = cl.number::<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE).unwrap_or(0) as u32;
        let sub_groups = cl.numbers::<usize>(CL_DEVICE_SUB_GROUP_SIZES_INTEL);
        properties.subGroupSizes = Default::default();
        for (place, size) in properties.subGroupSizes.iter_mut().zip(&sub_groups) {
            *place = *size as u32;
        }
        properties.numSubGroupSizes = sub_groups.len().min(ZE_SUBGROUPSIZE_COUNT as usize) as u32;
    }

    pub(crate) fn describe_modules(&self, properties: &mut ze_device_module_properties_t) {
        let cl = self.cl;
        properties.spirvVersionSupported = self.spirv_version();
        let flags = [
            ("cl_khr_fp16", ZE_DEVICE_MODULE_FLAG_FP16),
            ("cl_khr_fp64", ZE_DEVICE_MODULE_FLAG_FP64),
            ("cl_khr_int64_base_atomics", ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS),
        ];
        properties.flags = flags.iter().filter(|(name, _)| cl.has(name)).fold(0, |flags, (_, flag)| flags | flag);
        if self.number(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR) != 0 || cl.has("cl_khr_integer_dot_product") {
            properties.flags |= ZE_DEVICE_MODULE_FLAG_DP4A;
        }
        properties.fp16flags = floats(cl, CL_DEVICE_HALF_FP_CONFIG);
        properties.fp32flags = floats(cl, CL_DEVICE_SINGLE_FP_CONFIG);
        properties.fp64flags = floats(cl, CL_DEVICE_DOUBLE_FP_CONFIG);
        properties.maxArgumentsSize = cl.number::<usize>(CL_DEVICE_MAX_PARAMETER_SIZE).unwrap_or(1024) as u32;
        properties.printfBufferSize = cl.number::<usize>(CL_DEVICE_PRINTF_BUFFER_SIZE).unwrap_or(0) as u32;
        properties.nativeKernelSupported = ze_native_kernel_uuid_t::default();
        for link in pointer::chain(properties.pNext) {
            let atomics = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES;
            if let Some(atomics) = link.get::<ze_float_atomic_ext_properties_t>(atomics) {
                atomics.fp16Flags = float_atomics(cl, HALF_FP_ATOMIC_CAPABILITIES);
                atomics.fp32Flags = float_atomics(cl, SINGLE_FP_ATOMIC_CAPABILITIES);
                atomics.fp64Flags = float_atomics(cl, DOUBLE_FP_ATOMIC_CAPABILITIES);
            }
        }
    }

    /// The newest version of SPIR-V that it takes; 0 if none.
    fn spirv_version(&self) -> u32 {
        if !self.cl.takes_spirv() {
            return 0;
        }
        let versions = self.cl.text(CL_DEVICE_IL_VERSION);
        let parse = |word: &str| {
            let (major, minor) = word.strip_prefix("SPIR-V_")?.split_once('.')?;
            Some(major.parse::<u32>().ok()? << 16 | minor.parse::<u32>().ok()?)
        };
        versions.split(' ').filter_map(parse).max().unwrap_or(0)
    }

    pub(crate) fn describe_memory(&self, properties: &mut ze_device_memory_properties_t) {
        properties.flags = 0;
        properties.maxClockRate = self.number(CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32;
        properties.maxBusWidth = self.number(CL_DEVICE_ADDRESS_BITS) as u32;
        properties.totalSize = self.cl.number(CL_DEVICE_GLOBAL_MEM_SIZE).unwrap_or(0);
        pointer::name(&mut properties.name, "global");
    }

    pub(crate) fn describe_access(&self, properties: &mut ze_device_memory_access_properties_t) {
        let plain = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
        let shared_atomics = if self.cl.shares_atomics() {
            plain | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC
        } else {
            plain
        };
        let of = |kind| if self.cl.can_allocate(kind) { shared_atomics } else { 0 };
        properties.hostAllocCapabilities = of(Kind::Host);
        properties.deviceAllocCapabilities = plain;
        properties.sharedSingleDeviceAllocCapabilities = of(Kind::Shared);
        properties.sharedCrossDeviceAllocCapabilities = 0;
        properties.sharedSystemAllocCapabilities = if self.cl.shares_system_memory() { shared_atomics } else { 0 };
    }

    pub(crate) fn describe_cache(&self, properties: &mut ze_device_cache_properties_t) {
        properties.flags = 0;
        properties.cacheSize = self.cl.number::<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE).unwrap_or(0) as usize;
    }

    /// How many bytes an allocation can have.
    pub(crate) fn largest_allocation(&self) -> u64 {
        self.cl.number(CL_DEVICE_MAX_MEM_ALLOC_SIZE).unwrap_or(0)
    }

    /// An error if there is no such queue.
    pub(crate) fn check_queue(&self, ordinal: u32, index: u32) -> Result {
        let exists = (ordinal as usize) < QUEUE_GROUPS.len() && index < QUEUES;
        if exists { Ok(()) } else { Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)) }
    }
}

/// Waits for what OpenCL has been given: Intel's runtime for CPUs (2026.22) was seen to abort when the process ends before that.
extern "C" fn finish_all() {
    let Ok(device) = Driver::device() else { return };
    let streams: Vec<Arc<Stream>> = lock(&device.streams).iter().filter_map(Weak::upgrade).collect();
    for stream in streams {
        // Nobody is left to be told of an error.
        let _ = stream.finish();
    }
}

/// Times in the API's form.
pub(crate) fn timestamps(times: Times) -> ze_kernel_timestamp_result_t {
    let data = ze_kernel_timestamp_data_t { kernelStart: times.start, kernelEnd: times.end };
    ze_kernel_timestamp_result_t { global: data, context: data }
}

fn floats(cl: &Cl, name: cl_device_info) -> ze_device_fp_flags_t {
    let config = cl.number::<cl_bitfield>(name).unwrap_or(0);
    let flags = [
        (CL_FP_DENORM, ZE_DEVICE_FP_FLAG_DENORM),
        (CL_FP_INF_NAN, ZE_DEVICE_FP_FLAG_INF_NAN),
        (CL_FP_ROUND_TO_NEAREST, ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST),
        (CL_FP_ROUND_TO_ZERO, ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO),
        (CL_FP_ROUND_TO_INF, ZE_DEVICE_FP_FLAG_ROUND_TO_INF),
        (CL_FP_FMA, ZE_DEVICE_FP_FLAG_FMA),
        (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT),
        (CL_FP_SOFT_FLOAT, ZE_DEVICE_FP_FLAG_SOFT_FLOAT),
    ];
    flags.iter().filter(|(bit, _)| config & *bit != 0).fold(0, |flags, (_, flag)| flags | flag)
}

/// Which atomics there are on floats. The bits of `cl_ext_float_atomics` are Level Zero's.
fn float_atomics(cl: &Cl, name: cl_device_info) -> ze_device_fp_atomic_ext_flags_t {
    if !cl.has("cl_ext_float_atomics") {
        return 0;
    }
    cl.number::<cl_bitfield>(name).unwrap_or(0) as ze_device_fp_atomic_ext_flags_t
}
