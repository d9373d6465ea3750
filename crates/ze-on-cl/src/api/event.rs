//! `zeEventPool*` and `zeEvent*`.

use std::sync::Arc;

use super::ready;
use crate::bindings::*;
use crate::boundary::entries;
use crate::core::context::Context;
use crate::core::device::{Device, timestamps};
use crate::core::driver::Driver;
use crate::core::event::{Event, EventPool};
use crate::core::signal::{Deadline, Times};
use crate::{Error, Result, handle, pointer};

entries! {
    fn zeEventPoolCreate(
        context: ze_context_handle_t,
        desc: *const ze_event_pool_desc_t,
        count: u32,
        devices: *mut ze_device_handle_t,
        pool: *mut ze_event_pool_handle_t,
    ) {
        let context = handle::get::<Context>(context)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(pool)?;
        if !devices.is_null() {
            handle::get_all::<Device>(pointer::slice(devices, count as usize)?)?;
        }
        if desc.count == 0 {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        let known = ZE_EVENT_POOL_FLAG_HOST_VISIBLE
            | ZE_EVENT_POOL_FLAG_IPC
            | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
            | ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP;
        super::enumerator(desc.flags & !known == 0)?;
        let counter_based = pointer::chain(desc.pNext).find_map(|link| {
            let stype = ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC;
            link.get::<ze_event_pool_counter_based_exp_desc_t>(stype).map(|desc| desc.flags)
        });
        pointer::write(pool, EventPool::create(Arc::clone(context), desc.flags, counter_based, desc.count))
    }

    fn zeEventPoolDestroy(pool: ze_event_pool_handle_t) {
        handle::destroy::<EventPool>(pool).map(drop)
    }

    fn zeEventPoolGetContextHandle(pool: ze_event_pool_handle_t, context: *mut ze_context_handle_t) {
        pointer::write(context, handle::get::<EventPool>(pool)?.context.handle())
    }

    fn zeEventPoolGetFlags(pool: ze_event_pool_handle_t, flags: *mut ze_event_pool_flags_t) {
        pointer::write(flags, handle::get::<EventPool>(pool)?.flags)
    }

    fn zeEventCreate(
        pool: ze_event_pool_handle_t,
        desc: *const ze_event_desc_t,
        event: *mut ze_event_handle_t,
    ) {
        let pool = handle::get::<EventPool>(pool)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(event)?;
        check_scopes(desc.signal, desc.wait)?;
        pointer::write(event, handle::create(Arc::new(Event::new(Driver::device()?, Arc::clone(pool), desc)?)))
    }

    fn zeEventCounterBasedCreate(
        context: ze_context_handle_t,
        device: ze_device_handle_t,
        desc: *const ze_event_counter_based_desc_t,
        event: *mut ze_event_handle_t,
    ) {
        let context = handle::get::<Context>(context)?;
        let device = handle::get::<Device>(device)?;
        let desc = pointer::required(desc)?;
        pointer::non_null(event)?;
        check_scopes(desc.signal, desc.wait)?;
        let kinds = [
            (ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE, ZE_EVENT_POOL_FLAG_HOST_VISIBLE),
            (ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP),
            (ZE_EVENT_COUNTER_BASED_FLAG_HOST_TIMESTAMP, ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP),
        ];
        let flags = kinds.iter().filter(|(flag, _)| desc.flags & flag != 0).fold(0, |flags, (_, flag)| flags | flag);
        let pool = EventPool::unseen(Arc::clone(context), flags, desc.flags);
        let desc = ze_event_desc_t { signal: desc.signal, wait: desc.wait, ..Default::default() };
        pointer::write(event, handle::create(Arc::new(Event::new(device, pool, &desc)?)))
    }

    fn zeEventDestroy(event: ze_event_handle_t) {
        handle::destroy::<Event>(event).map(drop)
    }

    fn zeEventHostSignal(event: ze_event_handle_t) {
        let event = handle::get::<Event>(event)?;
        if event.pool.counter_based.is_some() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
        }
        event.signal().set(Times::default());
        Ok(())
    }

    fn zeEventHostSynchronize(event: ze_event_handle_t, timeout: u64) {
        ready(handle::get::<Event>(event)?.signal().wait(Deadline::after(timeout))?)
    }

    fn zeEventQueryStatus(event: ze_event_handle_t) {
        ready(handle::get::<Event>(event)?.signal().is_up()?)
    }

    fn zeEventHostReset(event: ze_event_handle_t) {
        let event = handle::get::<Event>(event)?;
        if event.pool.counter_based.is_some() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
        }
        event.signal().reset();
        Ok(())
    }

    fn zeEventQueryKernelTimestamp(event: ze_event_handle_t, result: *mut ze_kernel_timestamp_result_t) {
        let event = handle::get::<Event>(event)?;
        pointer::non_null(result)?;
        if !event.keeps_times() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT));
        }
        let times = event.signal().times().ok_or(Error(ZE_RESULT_NOT_READY))?;
        pointer::write(result, timestamps(times))
    }

    fn zeEventQueryTimestampsExp(
        event: ze_event_handle_t,
        device: ze_device_handle_t,
        count: *mut u32,
        results: *mut ze_kernel_timestamp_result_t,
    ) {
        let event = handle::get::<Event>(event)?;
        handle::get::<Device>(device)?;
        let times = event.signal().times().ok_or(Error(ZE_RESULT_NOT_READY))?;
        pointer::list(count, results, &[timestamps(times)])
    }

    fn zeEventQueryKernelTimestampsExt(
        event: ze_event_handle_t,
        device: ze_device_handle_t,
        count: *mut u32,
        results: *mut ze_event_query_kernel_timestamps_results_ext_properties_t,
    ) {
        let event = handle::get::<Event>(event)?;
        handle::get::<Device>(device)?;
        let times = event.signal().times().ok_or(Error(ZE_RESULT_NOT_READY))?;
        let Some(results) = pointer::optional(results) else {
            return pointer::write(count, 1);
        };
        let times = timestamps(times);
        pointer::list(count, results.pKernelTimestampsBuffer, &[times])?;
        let mapped = event.pool.flags & ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP != 0;
        if mapped && !results.pSynchronizedTimestampsBuffer.is_null() {
            // The host's clock is the device's.
            let data = ze_synchronized_timestamp_data_ext_t {
                kernelStart: times.global.kernelStart,
                kernelEnd: times.global.kernelEnd,
            };
            let both = ze_synchronized_timestamp_result_ext_t { global: data, context: data };
            pointer::write(results.pSynchronizedTimestampsBuffer, both)?;
        }
        Ok(())
    }

    fn zeEventGetEventPool(event: ze_event_handle_t, pool: *mut ze_event_pool_handle_t) {
        let found = handle::get::<Event>(event)?.pool.handle();
        // A counter-based event may have none.
        if found.is_null() { Err(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT)) } else { pointer::write(pool, found) }
    }

    fn zeEventGetSignalScope(event: ze_event_handle_t, scope: *mut ze_event_scope_flags_t) {
        pointer::write(scope, handle::get::<Event>(event)?.signal_scope)
    }

    fn zeEventGetWaitScope(event: ze_event_handle_t, scope: *mut ze_event_scope_flags_t) {
        pointer::write(scope, handle::get::<Event>(event)?.wait_scope)
    }
}

fn check_scopes(signal: ze_event_scope_flags_t, wait: ze_event_scope_flags_t) -> Result {
    let known = ZE_EVENT_SCOPE_FLAG_SUBDEVICE | ZE_EVENT_SCOPE_FLAG_DEVICE | ZE_EVENT_SCOPE_FLAG_HOST;
    super::enumerator((signal | wait) & !known == 0)
}
