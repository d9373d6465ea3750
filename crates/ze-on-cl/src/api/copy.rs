//! `zeCommandList*`: copies, fills and hints about memory.

use std::ffi::c_void;

use super::command_list::Sync;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::command::{Address, Operation, Region};
use crate::core::command_list::CommandList;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::{Error, Result, handle, pointer};

entries! {
    fn zeCommandListAppendMemoryCopy(
        list: ze_command_list_handle_t,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        copy(list, to, from, size, Sync::new(raises, count, waits)?)
    }

    fn zeCommandListAppendMemoryCopyFromContext(
        list: ze_command_list_handle_t,
        to: *mut c_void,
        context: ze_context_handle_t,
        from: *const c_void,
        size: usize,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        handle::get::<Context>(context)?;
        copy(list, to, from, size, Sync::new(raises, count, waits)?)
    }

    fn zeCommandListAppendMemoryFill(
        list: ze_command_list_handle_t,
        to: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(to)?;
        pointer::non_null(pattern)?;
        if pattern_size == 0 {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        let pattern = pointer::slice(pattern.cast(), pattern_size)?.into();
        Sync::new(raises, count, waits)?.append(list, Operation::Fill { to: to.into(), pattern, size })
    }

    fn zeCommandListAppendMemoryCopyRegion(
        list: ze_command_list_handle_t,
        to: *mut c_void,
        to_region: *const ze_copy_region_t,
        to_pitch: u32,
        to_slice_pitch: u32,
        from: *const c_void,
        from_region: *const ze_copy_region_t,
        from_pitch: u32,
        from_slice_pitch: u32,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(to)?;
        pointer::non_null(from)?;
        let (to_region, from_region) = (pointer::required(to_region)?, pointer::required(from_region)?);
        let extent = |region: &ze_copy_region_t| [region.width, region.height, region.depth];
        if extent(to_region) != extent(from_region) {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        let place = |address: Address, region: &ze_copy_region_t, pitch: u32, slice_pitch: u32| {
            let (pitch, slice_pitch) = (pitch as usize, slice_pitch as usize);
            let [x, y, z] = [region.originX, region.originY, region.originZ].map(|n| n as usize);
            (Address(address.0 + x + y * pitch + z * slice_pitch), [pitch, slice_pitch])
        };
        let (to, to_pitch) = place(to.into(), to_region, to_pitch, to_slice_pitch);
        let (from, from_pitch) = place(from.into(), from_region, from_pitch, from_slice_pitch);
        let [width, height, depth] = extent(to_region).map(|n| n as usize);
        // A depth of 0 is that of a plane.
        let region = Region { to, to_pitch, from, from_pitch, extent: [width, height, depth.max(1)] };
        Sync::new(raises, count, waits)?.append(list, Operation::CopyRegion(region))
    }

    fn zeCommandListAppendMemoryPrefetch(list: ze_command_list_handle_t, address: *const c_void, _size: usize) {
        handle::get::<CommandList>(list)?;
        pointer::non_null(address)
    }

    fn zeCommandListAppendMemAdvise(
        list: ze_command_list_handle_t,
        device: ze_device_handle_t,
        address: *const c_void,
        _size: usize,
        advice: ze_memory_advice_t,
    ) {
        handle::get::<CommandList>(list)?;
        handle::get::<Device>(device)?;
        pointer::non_null(address)?;
        super::enumerator(advice <= ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION)
    }
}

fn copy(list: ze_command_list_handle_t, to: *mut c_void, from: *const c_void, size: usize, sync: Sync) -> Result {
    let list = handle::get::<CommandList>(list)?;
    pointer::non_null(to)?;
    pointer::non_null(from)?;
    sync.append(list, Operation::Copy { to: to.into(), from: from.into(), size })
}
