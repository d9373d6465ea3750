//! `zeDevice*`.

use crate::bindings::*;
use crate::boundary::entries;
use crate::core::device::{Device, MAX_PATTERN, QUEUE_GROUPS, QUEUES};
use crate::core::driver::Driver;
use crate::{handle, pointer};

entries! {
    fn zeDeviceGet(driver: ze_driver_handle_t, count: *mut u32, devices: *mut ze_device_handle_t) {
        handle::get::<Driver>(driver)?;
        pointer::list(count, devices, &[Driver::device_handle()?])
    }

    fn zeDeviceGetRootDevice(device: ze_device_handle_t, root: *mut ze_device_handle_t) {
        handle::get::<Device>(device)?;
        pointer::write(root, std::ptr::null_mut())
    }

    fn zeDeviceGetSubDevices(device: ze_device_handle_t, count: *mut u32, devices: *mut ze_device_handle_t) {
        handle::get::<Device>(device)?;
        pointer::list(count, devices, &[])
    }

    fn zeDeviceGetProperties(device: ze_device_handle_t, properties: *mut ze_device_properties_t) {
        handle::get::<Device>(device)?.describe(pointer::output(properties)?);
        Ok(())
    }

    fn zeDeviceGetComputeProperties(device: ze_device_handle_t, properties: *mut ze_device_compute_properties_t) {
        handle::get::<Device>(device)?.describe_compute(pointer::output(properties)?);
        Ok(())
    }

    fn zeDeviceGetModuleProperties(device: ze_device_handle_t, properties: *mut ze_device_module_properties_t) {
        handle::get::<Device>(device)?.describe_modules(pointer::output(properties)?);
        Ok(())
    }

    fn zeDeviceGetCommandQueueGroupProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_command_queue_group_properties_t,
    ) {
        handle::get::<Device>(device)?;
        pointer::structures(count, properties, QUEUE_GROUPS.len(), |index, properties| {
            properties.flags = QUEUE_GROUPS[index];
            properties.maxMemoryFillPatternSize = MAX_PATTERN;
            properties.numQueues = QUEUES;
        })
    }

    fn zeDeviceGetMemoryProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_device_memory_properties_t,
    ) {
        let device = handle::get::<Device>(device)?;
        pointer::structures(count, properties, 1, |_, properties| device.describe_memory(properties))
    }

    fn zeDeviceGetMemoryAccessProperties(
        device: ze_device_handle_t,
        properties: *mut ze_device_memory_access_properties_t,
    ) {
        handle::get::<Device>(device)?.describe_access(pointer::output(properties)?);
        Ok(())
    }

    fn zeDeviceGetCacheProperties(
        device: ze_device_handle_t,
        count: *mut u32,
        properties: *mut ze_device_cache_properties_t,
    ) {
        let device = handle::get::<Device>(device)?;
        pointer::structures(count, properties, 1, |_, properties| device.describe_cache(properties))
    }

    fn zeDeviceGetImageProperties(device: ze_device_handle_t, properties: *mut ze_device_image_properties_t) {
        handle::get::<Device>(device)?;
        let properties = pointer::output(properties)?;
        // No images.
        *properties = ze_device_image_properties_t {
            stype: properties.stype,
            pNext: properties.pNext,
            ..Default::default()
        };
        Ok(())
    }

    fn zeDeviceGetExternalMemoryProperties(
        device: ze_device_handle_t,
        properties: *mut ze_device_external_memory_properties_t,
    ) {
        handle::get::<Device>(device)?;
        let properties = pointer::output(properties)?;
        properties.memoryAllocationImportTypes = 0;
        properties.memoryAllocationExportTypes = 0;
        properties.imageImportTypes = 0;
        properties.imageExportTypes = 0;
        Ok(())
    }

    fn zeDeviceGetP2PProperties(
        device: ze_device_handle_t,
        peer: ze_device_handle_t,
        properties: *mut ze_device_p2p_properties_t,
    ) {
        handle::get::<Device>(device)?;
        handle::get::<Device>(peer)?;
        pointer::output(properties)?.flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
        Ok(())
    }

    fn zeDeviceCanAccessPeer(device: ze_device_handle_t, peer: ze_device_handle_t, value: *mut ze_bool_t) {
        handle::get::<Device>(device)?;
        handle::get::<Device>(peer)?;
        pointer::write(value, 1)
    }

    fn zeDeviceGetStatus(device: ze_device_handle_t) {
        handle::get::<Device>(device).map(drop)
    }

    fn zeDeviceGetGlobalTimestamps(device: ze_device_handle_t, host: *mut u64, on_device: *mut u64) {
        let device = handle::get::<Device>(device)?;
        pointer::non_null(host)?;
        pointer::non_null(on_device)?;
        let (host_time, device_time) = device.times();
        pointer::write(host, host_time)?;
        pointer::write(on_device, device_time)
    }

    fn zeDevicePciGetPropertiesExt(device: ze_device_handle_t, properties: *mut ze_pci_ext_properties_t) {
        handle::get::<Device>(device)?;
        let properties = pointer::output(properties)?;
        properties.address = ze_pci_address_ext_t::default();
        // -1 stands for unknown.
        properties.maxSpeed = ze_pci_speed_ext_t { genVersion: -1, width: -1, maxBandwidth: -1 };
        Ok(())
    }
}
