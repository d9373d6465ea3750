//! `zeCommandListAppendLaunch*`.

use std::sync::Arc;

use super::command_list::Sync;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::command::{Address, Operation};
use crate::core::command_list::CommandList;
use crate::core::device::QUEUE_GROUPS;
use crate::core::kernel::{Kernel, Launch};
use crate::{Error, Result, handle, pointer};

entries! {
    fn zeCommandListAppendLaunchKernel(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        groups: *const ze_group_count_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        launch(list, kernel, groups, Sync::new(raises, count, waits)?)
    }

    fn zeCommandListAppendLaunchCooperativeKernel(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        groups: *const ze_group_count_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        launch(list, kernel, groups, Sync::new(raises, count, waits)?)
    }

    fn zeCommandListAppendLaunchKernelIndirect(
        list: ze_command_list_handle_t,
        kernel: ze_kernel_handle_t,
        groups: *const ze_group_count_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = computing(list)?;
        let launches = Arc::new([handle::get::<Kernel>(kernel)?.launch([0; 3])?]);
        pointer::non_null(groups)?;
        let operation = Operation::LaunchIndirect { launches, groups: groups.into(), count: None };
        Sync::new(raises, count, waits)?.append(list, operation)
    }

    fn zeCommandListAppendLaunchMultipleKernelsIndirect(
        list: ze_command_list_handle_t,
        kernel_count: u32,
        kernels: *mut ze_kernel_handle_t,
        launch_count: *const u32,
        groups: *const ze_group_count_t,
        raises: ze_event_handle_t,
        count: u32,
        waits: *mut ze_event_handle_t,
    ) {
        let list = computing(list)?;
        pointer::non_null(kernels)?;
        pointer::non_null(launch_count)?;
        pointer::non_null(groups)?;
        let kernels = handle::get_all::<Kernel>(pointer::slice(kernels, kernel_count as usize)?)?;
        let launches: Result<Arc<[Launch]>> = kernels.iter().map(|kernel| kernel.launch([0; 3])).collect();
        let count_at = Some(Address::from(launch_count));
        let operation = Operation::LaunchIndirect { launches: launches?, groups: groups.into(), count: count_at };
        Sync::new(raises, count, waits)?.append(list, operation)
    }
}

fn launch(
    list: ze_command_list_handle_t,
    kernel: ze_kernel_handle_t,
    groups: *const ze_group_count_t,
    sync: Sync,
) -> Result {
    let list = computing(list)?;
    let kernel = handle::get::<Kernel>(kernel)?;
    let groups = pointer::required(groups)?;
    let launch = kernel.launch([groups.groupCountX, groups.groupCountY, groups.groupCountZ])?;
    sync.append(list, Operation::Launch(launch))
}

/// A list of a queue group that runs kernels.
fn computing<'a>(list: ze_command_list_handle_t) -> Result<&'a Arc<CommandList>> {
    let list = handle::get::<CommandList>(list)?;
    let computes = QUEUE_GROUPS[list.ordinal as usize] & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE != 0;
    if computes { Ok(list) } else { Err(Error(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE)) }
}
