//! `zeCommandQueue*`.

use std::sync::Arc;

use super::ready;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::command_list::CommandList;
use crate::core::command_queue::CommandQueue;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::fence::Fence;
use crate::core::signal::Deadline;
use crate::{Error, Result, handle, pointer};

entries! {
    fn zeCommandQueueCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_command_queue_desc_t,
        queue: *mut ze_command_queue_handle_t,
    ) {
        handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(queue)?;
        check(device, desc)?;
        let new = CommandQueue::new(Arc::clone(device), desc)?;
        pointer::write(queue, handle::create(Arc::new(new)))
    }

    fn zeCommandQueueDestroy(queue: ze_command_queue_handle_t) {
        handle::destroy::<CommandQueue>(queue).map(drop)
    }

    fn zeCommandQueueExecuteCommandLists(
        queue: ze_command_queue_handle_t,
        count: u32,
        lists: *mut ze_command_list_handle_t,
        fence: ze_fence_handle_t,
    ) {
        let queue = handle::get::<CommandQueue>(queue)?;
        pointer::non_null(lists)?;
        if count == 0 {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        let lists = handle::get_all::<CommandList>(pointer::slice(lists, count as usize)?)?;
        let fence = if fence.is_null() { None } else { Some(handle::get::<Fence>(fence)?) };
        if lists.iter().any(|list| list.ordinal != queue.desc.ordinal) {
            return Err(Error(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE));
        }
        queue.execute(&lists, fence.map(|fence| &**fence))
    }

    fn zeCommandQueueSynchronize(queue: ze_command_queue_handle_t, timeout: u64) {
        ready(handle::get::<CommandQueue>(queue)?.stream.synchronize(Deadline::after(timeout))?)
    }

    fn zeCommandQueueGetOrdinal(queue: ze_command_queue_handle_t, ordinal: *mut u32) {
        pointer::write(ordinal, handle::get::<CommandQueue>(queue)?.desc.ordinal)
    }

    fn zeCommandQueueGetIndex(queue: ze_command_queue_handle_t, index: *mut u32) {
        pointer::write(index, handle::get::<CommandQueue>(queue)?.desc.index)
    }
}

/// An error if there is no such queue as a description asks for.
pub(super) fn check(device: &Device, desc: &ze_command_queue_desc_t) -> Result {
    let known =
        ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY | ZE_COMMAND_QUEUE_FLAG_IN_ORDER | ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT;
    super::enumerator(desc.flags & !known == 0)?;
    super::enumerator(desc.mode <= ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)?;
    super::enumerator(desc.priority <= ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)?;
    device.check_queue(desc.ordinal, desc.index)
}
