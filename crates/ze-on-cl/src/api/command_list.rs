//! `zeCommandList*`: the lists themselves, and commands that only order others.

use std::sync::Arc;

use super::ready;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::command::Operation;
use crate::core::command_list::CommandList;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::driver::Driver;
use crate::core::event::Event;
use crate::core::signal::Deadline;
use crate::{Error, Result, handle, pointer};

/// The events that a command waits for and the one that it raises, as the API gives them.
pub(super) struct Sync {
    waits: Vec<Arc<Event>>,
    raises: Option<Arc<Event>>,
}

impl Sync {
    pub(super) fn new(raises: ze_event_handle_t, count: u32, waits: *mut ze_event_handle_t) -> Result<Sync> {
        if count != 0 && waits.is_null() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        let waits = handle::get_all::<Event>(pointer::slice(waits, count as usize)?)?;
        let raises = if raises.is_null() { None } else { Some(Arc::clone(handle::get::<Event>(raises)?)) };
        Ok(Sync { waits, raises })
    }

    pub(super) fn append(&self, list: &CommandList, operation: Operation) -> Result {
        list.append(operation, &self.waits, self.raises.as_ref())
    }

    fn append_lists(&self, list: &CommandList, lists: &[Arc<CommandList>]) -> Result {
        list.append_lists(lists, &self.waits, self.raises.as_ref())
    }
}

entries! {
    fn zeCommandListCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_list_desc_t,
        list: *mut ze_command_list_handle_t,
    ) {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(list)?;
        let known = ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING
            | ZE_COMMAND_LIST_FLAG_MAXIMIZE_THROUGHPUT
            | ZE_COMMAND_LIST_FLAG_EXPLICIT_ONLY
            | ZE_COMMAND_LIST_FLAG_IN_ORDER
            | ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE
            | ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT;
        super::enumerator(desc.flags & !known == 0)?;
        device.check_queue(desc.commandQueueGroupOrdinal, 0)?;
        let new = CommandList::regular(Arc::clone(context), desc);
        pointer::write(list, handle::create(Arc::new(new)))
    }

    fn zeCommandListCreateImmediate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_queue_desc_t,
        list: *mut ze_command_list_handle_t,
    ) {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(list)?;
        super::command_queue::check(device, desc)?;
        let new = CommandList::immediate(Arc::clone(context), Arc::clone(device), desc)?;
        pointer::write(list, handle::create(Arc::new(new)))
    }

    fn zeCommandListDestroy(list: ze_command_list_handle_t) {
        handle::destroy::<CommandList>(list).map(drop)
    }

    fn zeCommandListClose(list: ze_command_list_handle_t) {
        handle::get::<CommandList>(list)?.close()
    }

    fn zeCommandListReset(list: ze_command_list_handle_t) {
        handle::get::<CommandList>(list)?.reset()
    }

    fn zeCommandListHostSynchronize(list: ze_command_list_handle_t, timeout: u64) {
        ready(handle::get::<CommandList>(list)?.stream()?.synchronize(Deadline::after(timeout))?)
    }

    fn zeCommandListGetDeviceHandle(list: ze_command_list_handle_t, device: *mut ze_device_handle_t) {
        handle::get::<CommandList>(list)?;
        pointer::write(device, Driver::device_handle()?)
    }

    fn zeCommandListGetContextHandle(list: ze_command_list_handle_t, context: *mut ze_context_handle_t) {
        pointer::write(context, handle::get::<CommandList>(list)?.context.handle())
    }

    fn zeCommandListGetOrdinal(list: ze_command_list_handle_t, ordinal: *mut u32) {
        pointer::write(ordinal, handle::get::<CommandList>(list)?.ordinal)
    }

    fn zeCommandListImmediateGetIndex(list: ze_command_list_handle_t, index: *mut u32) {
        let list = handle::get::<CommandList>(list)?;
        list.stream()?;
        pointer::write(index, list.index)
    }

    fn zeCommandListIsImmediate(list: ze_command_list_handle_t, is_immediate: *mut ze_bool_t) {
        pointer::write(is_immediate, handle::get::<CommandList>(list)?.stream().is_ok() as ze_bool_t)
    }

    fn zeCommandListImmediateAppendCommandListsExp(
        list: ze_command_list_handle_t,
        list_count: u32,
        lists: *mut ze_command_list_handle_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(lists)?;
        let lists = handle::get_all::<CommandList>(pointer::slice(lists, list_count as usize)?)?;
        Sync::new(raises, count, waits)?.append_lists(list, &lists)
    }

    fn zeCommandListAppendBarrier(
        list: ze_command_list_handle_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        Sync::new(raises, count, waits)?.append(list, Operation::Barrier)
    }

    fn zeCommandListAppendMemoryRangesBarrier(
        list: ze_command_list_handle_t,
        range_count: u32,
        sizes: *const usize,
        ranges: *mut *const std::ffi::c_void,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(sizes)?;
        pointer::non_null(ranges)?;
        pointer::slice(sizes, range_count as usize)?;
        Sync::new(raises, count, waits)?.append(list, Operation::Barrier)
    }

    fn zeCommandListAppendSignalEvent(list: ze_command_list_handle_t, event: ze_event_handle_t) {
        let list = handle::get::<CommandList>(list)?;
        handle::get::<Event>(event)?;
        Sync::new(event, 0, std::ptr::null_mut())?.append(list, Operation::Mark)
    }

    fn zeCommandListAppendWaitOnEvents(
        list: ze_command_list_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(waits)?;
        Sync::new(std::ptr::null_mut(), count, waits)?.append(list, Operation::Barrier)
    }

    fn zeCommandListAppendEventReset(list: ze_command_list_handle_t, event: ze_event_handle_t) {
        let list = handle::get::<CommandList>(list)?;
        let event = handle::get::<Event>(event)?;
        if event.pool.counter_based.is_some() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
        }
        list.append(Operation::Reset(event.signal()), &[], None)
    }

    fn zeCommandListAppendWriteGlobalTimestamp(
        list: ze_command_list_handle_t,
        to: *mut u64,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(to)?;
        Sync::new(raises, count, waits)?.append(list, Operation::WriteTime { to: to.into() })
    }

    fn zeCommandListAppendQueryKernelTimestamps(
        list: ze_command_list_handle_t,
        event_count: u32,
        events: *mut ze_event_handle_t,
        to: *mut std::ffi::c_void,
        offsets: *const usize,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = handle::get::<CommandList>(list)?;
        pointer::non_null(events)?;
        pointer::non_null(to)?;
        let events = handle::get_all::<Event>(pointer::slice(events, event_count as usize)?)?;
        let signals = events.iter().map(|event| event.signal()).collect();
        let offsets = match pointer::optional(offsets) {
            Some(_) => Some(pointer::slice(offsets, event_count as usize)?.into()),
            None => None,
        };
        let operation = Operation::WriteTimes { signals, to: to.into(), offsets };
        Sync::new(raises, count, waits)?.append(list, operation)
    }
}
