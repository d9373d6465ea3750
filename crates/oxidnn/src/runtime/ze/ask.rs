//! Questions to a device: what it is, what it can do, and how it counts time.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use super::api::Api;
use super::bindings::*;
use super::code::{check, error};
use super::device::DeviceId;
use crate::Result;
use crate::runtime::profile::Asked;
use crate::runtime::{DeviceProfile, DeviceType, LEAST_CACHE, SubGroups, UsmSupport, processor};

/// Questions to one device.
pub(super) struct Asker {
    pub(super) api: &'static Api,
    pub(super) id: DeviceId,
}

impl Asker {
    pub(super) fn properties(&self) -> Result<ze_device_properties_t> {
        // The 1.2 form asks for the timer in cycles a second, not in nanoseconds a cycle.
        let mut properties =
            ze_device_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2, ..Default::default() };
        // SAFETY: made only for live devices; the structure says what it is.
        let code = unsafe { (self.api.zeDeviceGetProperties)(self.id.raw_device(), &mut properties) };
        check(code, "zeDeviceGetProperties")?;
        Ok(properties)
    }

    pub(super) fn profile(&self, properties: &ze_device_properties_t) -> Result<DeviceProfile> {
        let mut compute =
            ze_device_compute_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES, ..Default::default() };
        let mut module =
            ze_device_module_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, ..Default::default() };
        // SAFETY: made only for live devices; the structures say what they are.
        unsafe {
            let code = (self.api.zeDeviceGetComputeProperties)(self.id.raw_device(), &mut compute);
            check(code, "zeDeviceGetComputeProperties")?;
            let code = (self.api.zeDeviceGetModuleProperties)(self.id.raw_device(), &mut module);
            check(code, "zeDeviceGetModuleProperties")?;
        }
        let device_type = class(properties);
        let units = [properties.numSlices, properties.numSubslicesPerSlice, properties.numEUsPerSubslice];
        Ok(DeviceProfile {
            device_type,
            name: text(&properties.name),
            vendor: format!("{:#06x}", properties.vendorId),
            driver: self.driver_version(),
            frequency: Some(u64::from(properties.coreClockRate) * 1_000_000).filter(|&hertz| hertz > 0),
            compute_units: units.iter().map(|&count| count.max(1) as usize).product(),
            max_work_group: compute.maxTotalGroupSize as usize,
            local_memory: compute.maxSharedLocalMemory as usize,
            max_allocation: properties.maxMemAllocSize,
            vector_bytes: match device_type {
                DeviceType::Cpu => Asked::vector_bytes(4 * properties.physicalEUSimdWidth.clamp(1, 16) as usize),
                DeviceType::Gpu | DeviceType::Accelerator => 4,
            },
            cache_bytes: self.cache().max(LEAST_CACHE),
            core_cache_bytes: processor::core_cache(),
            drops_outward: processor::drops_outward(),
            fp64: module.flags & ZE_DEVICE_MODULE_FLAG_FP64 != 0,
            fp16: module.flags & ZE_DEVICE_MODULE_FLAG_FP16 != 0,
            slow_halves: processor::has_slow_halves(),
            sub_groups: if compute.numSubGroupSizes > 0 { SubGroups::Any } else { SubGroups::None },
            clang_builtins: false,
            dot_int8: false,
            dot_vex: false,
            long_registers: false,
            pairs_int8: false,
            dot_bf16: false,
            amx_int8: false,
            amx_bf16: false,
            usm: UsmSupport::Usm,
            rank: 0,
        })
    }

    /// The bytes of its largest cache; 0 if it does not tell.
    fn cache(&self) -> usize {
        let ask = self.api.zeDeviceGetCacheProperties;
        let blank =
            ze_device_cache_properties_t { stype: ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, ..Default::default() };
        let mut caches = [blank; 8];
        let mut count = caches.len() as u32;
        // SAFETY: made only for live devices; room for as many as the count says, and structures that say what they are.
        let code = unsafe { ask(self.id.raw_device(), &mut count, caches.as_mut_ptr()) };
        let known = if code == ZE_RESULT_SUCCESS { count as usize } else { 0 };
        caches.iter().take(known).map(|cache| cache.cacheSize).max().unwrap_or(0)
    }

    pub(super) fn abilities(&self) -> Result<Abilities> {
        let mut access = ze_device_memory_access_properties_t {
            stype: ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES,
            ..Default::default()
        };
        // SAFETY: made only for live devices; the structure says what it is.
        let code = unsafe { (self.api.zeDeviceGetMemoryAccessProperties)(self.id.raw_device(), &mut access) };
        check(code, "zeDeviceGetMemoryAccessProperties")?;
        let can = |flags: ze_memory_access_cap_flags_t| flags & ZE_MEMORY_ACCESS_CAP_FLAG_RW != 0;
        Ok(Abilities {
            shared: can(access.sharedSingleDeviceAllocCapabilities),
            system: can(access.sharedSystemAllocCapabilities),
            in_order: self.api_version() >= IN_ORDER_SINCE,
            compute_group: self.compute_group()?,
            free: self.free(),
        })
    }

    fn api_version(&self) -> u32 {
        let mut version = 0;
        // SAFETY: a live driver and a place for what it writes.
        let code = unsafe { (self.api.zeDriverGetApiVersion)(self.id.raw_driver(), &mut version) };
        if code == ZE_RESULT_SUCCESS { version } else { 0 }
    }

    /// The first group of queues that takes kernels.
    fn compute_group(&self) -> Result<u32> {
        let ask = self.api.zeDeviceGetCommandQueueGroupProperties;
        let mut count = 0;
        // SAFETY: made only for live devices; only the number is asked for.
        let code = unsafe { ask(self.id.raw_device(), &mut count, ptr::null_mut()) };
        check(code, "zeDeviceGetCommandQueueGroupProperties")?;
        let blank = ze_command_queue_group_properties_t {
            stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES,
            ..Default::default()
        };
        let mut groups = vec![blank; count as usize];
        // SAFETY: room for as many as the driver said.
        let code = unsafe { ask(self.id.raw_device(), &mut count, groups.as_mut_ptr()) };
        check(code, "zeDeviceGetCommandQueueGroupProperties")?;
        let takes_kernels = |group: &ze_command_queue_group_properties_t| {
            group.flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0 && group.numQueues > 0
        };
        let found = groups.iter().position(takes_kernels);
        found.map(|index| index as u32).ok_or_else(|| error(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a queue for kernels"))
    }

    fn free(&self) -> Free {
        let mut policies = ze_driver_memory_free_ext_properties_t {
            stype: ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES,
            ..Default::default()
        };
        let mut properties = ze_driver_properties_t {
            stype: ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
            pNext: (&raw mut policies).cast(),
            ..Default::default()
        };
        // SAFETY: a live driver and a chain of structures that say what they are; unknown ones are left as they are.
        let code = unsafe { (self.api.zeDriverGetProperties)(self.id.raw_driver(), &mut properties) };
        let offered = if code == ZE_RESULT_SUCCESS { policies.freePolicies } else { 0 };
        match () {
            () if self.api.zeMemFreeExt.is_none() => Free::Immediate,
            () if offered & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE != 0 => Free::Deferred,
            () if offered & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE != 0 => Free::Blocking,
            () => Free::Immediate,
        }
    }

    /// The text that Intel's extension gives, else the number.
    fn driver_version(&self) -> String {
        type GetVersionString = unsafe extern "C" fn(ze_driver_handle_t, *mut c_char, *mut usize) -> ze_result_t;
        let name = c"zeIntelGetDriverVersionString";
        let mut address = ptr::null_mut();
        // SAFETY: a live driver, a terminated name and a place for what it writes.
        let code = unsafe {
            (self.api.zeDriverGetExtensionFunctionAddress)(self.id.raw_driver(), name.as_ptr(), &mut address)
        };
        if code == ZE_RESULT_SUCCESS && !address.is_null() {
            // SAFETY: the extension declares the function of this name with this type.
            let get = unsafe { std::mem::transmute::<*mut c_void, GetVersionString>(address) };
            let mut size = 0;
            // SAFETY: a live driver; only the size is asked for.
            let code = unsafe { get(self.id.raw_driver(), ptr::null_mut(), &mut size) };
            let mut version = vec![0; size + 1];
            // SAFETY: room for the size that the driver said, and a zero after it.
            let filled = unsafe { get(self.id.raw_driver(), version.as_mut_ptr().cast(), &mut size) };
            if code == ZE_RESULT_SUCCESS
                && filled == ZE_RESULT_SUCCESS
                && let Ok(version) = CStr::from_bytes_until_nul(&version)
            {
                return version.to_string_lossy().trim().to_owned();
            }
        }
        let mut properties =
            ze_driver_properties_t { stype: ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, ..Default::default() };
        // SAFETY: a live driver and a structure that says what it is.
        unsafe { (self.api.zeDriverGetProperties)(self.id.raw_driver(), &mut properties) };
        properties.driverVersion.to_string()
    }

    /// What a binary depends on.
    pub(super) fn identity(&self, properties: &ze_device_properties_t) -> Vec<u8> {
        let parts = [
            "Level Zero".to_owned(),
            self.driver_version(),
            self.api_version().to_string(),
            text(&properties.name),
            properties.vendorId.to_string(),
            properties.deviceId.to_string(),
            properties.physicalEUSimdWidth.to_string(),
        ];
        parts.join("\0").into_bytes()
    }
}

/// Level Zero 1.7 brought lists that keep their commands in order.
const IN_ORDER_SINCE: u32 = 1 << 16 | 7;

fn class(properties: &ze_device_properties_t) -> DeviceType {
    Asked::get().map(Asked::class).unwrap_or(match properties.type_ {
        ZE_DEVICE_TYPE_CPU => DeviceType::Cpu,
        // Cores that run one thread at a time are a processor's, whatever the driver calls them to please its clients.
        ZE_DEVICE_TYPE_GPU if properties.numThreadsPerEU == 1 => DeviceType::Cpu,
        ZE_DEVICE_TYPE_GPU => DeviceType::Gpu,
        _ => DeviceType::Accelerator,
    })
}

pub(super) fn text(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// How the device counts time in events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    ticks_per_second: u64,
    valid_bits: u32,
}

impl Clock {
    pub(super) fn of(properties: &ze_device_properties_t) -> Clock {
        Clock { ticks_per_second: properties.timerResolution, valid_bits: properties.kernelTimestampValidBits }
    }

    /// Nanoseconds between two counts, which may have wrapped around once.
    pub(super) fn nanoseconds(self, start: u64, end: u64) -> u64 {
        let mask = if self.valid_bits >= 64 { u64::MAX } else { (1 << self.valid_bits) - 1 };
        let ticks = end.wrapping_sub(start) & mask;
        (u128::from(ticks) * 1_000_000_000 / u128::from(self.ticks_per_second.max(1))) as u64
    }
}

/// What drivers may or may not do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Abilities {
    /// Allocations that host and device share.
    pub(super) shared: bool,
    /// The device reaches all of the host's memory.
    pub(super) system: bool,
    /// Immediate command lists that keep their commands in order.
    pub(super) in_order: bool,
    /// Which queues take kernels.
    pub(super) compute_group: u32,
    /// Freeing memory that commands still use.
    pub(super) free: Free,
}

/// What happens to commands that use memory when it is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Free {
    /// It goes when they are done.
    Deferred,
    /// The call waits for them.
    Blocking,
    /// They break: queues must keep the memory.
    Immediate,
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn times_survive_a_counter_that_wraps_around() {
        let clock = Clock { ticks_per_second: 500_000_000, valid_bits: 32 };
        assert_eq!(clock.nanoseconds(10, 60), 100);
        assert_eq!(clock.nanoseconds(u64::from(u32::MAX) - 9, 40), 100);
        let whole = Clock { ticks_per_second: 1_000_000_000, valid_bits: 64 };
        assert_eq!(whole.nanoseconds(u64::MAX, 4), 5);
    }
}
