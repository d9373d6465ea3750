//! Events, queues, fences and threads, through the loader.

mod support;

use std::ptr::null_mut;
use std::thread;
use std::time::{Duration, Instant};

use support::*;

const SOURCE: &str = "
    kernel void add(global int *to, int value) { to[get_global_id(0)] += value; }
    kernel void busy(global int *to, int rounds) {
        int x = 1;
        for (int i = 0; i < rounds; i++) { x = x * 1664525 + 1013904223; }
        to[get_global_id(0)] += x != 0;
    }";

fn status(ze: &Ze, event: ze_event_handle_t) -> bool {
    match code!(ze, zeEventQueryStatus(event)) {
        ZE_RESULT_SUCCESS => true,
        ZE_RESULT_NOT_READY => false,
        other => panic!("{other:#x}"),
    }
}

#[test]
fn an_event_that_the_host_signals_gates_what_waits_for_it() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let memory = ze.host_memory(4);
    let events = ze.events(0, 2);
    let list = ze.immediate();
    ze.copy(list, memory.pointer, [10i32].as_ptr().cast(), 4, null_mut(), &[]);
    ze.finish(list);
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 1i32);
    ze.launch(list, add, 1, null_mut(), &[events.get(0)]);
    // What comes after it in the list waits as well.
    ze.launch(list, add, 1, events.get(1), &[]);
    thread::sleep(Duration::from_millis(20));
    assert!(!status(&ze, events.get(1)));
    assert_eq!(memory.as_slice::<i32>(), [10]);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
    assert_eq!(memory.as_slice::<i32>(), [12]);
    ok!(ze, zeEventHostReset(events.get(0)));
    assert!(!status(&ze, events.get(0)));
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_timeout_ends_a_wait_without_burning_time() {
    let Some(ze) = Ze::new() else { return };
    let events = ze.events(0, 1);
    let start = Instant::now();
    assert_eq!(code!(ze, zeEventHostSynchronize(events.get(0), 50_000_000)), ZE_RESULT_NOT_READY);
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(code!(ze, zeEventHostSynchronize(events.get(0), 0)), ZE_RESULT_NOT_READY);
}

#[test]
fn a_running_kernel_is_waited_for_no_longer_than_asked() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let busy = ze.kernel(module, "busy");
    let memory = ze.device_memory(4);
    let events = ze.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1);
    let list = ze.immediate();
    ze.set(busy, 0, memory.pointer);
    // Long enough to be seen running, on any machine: doubled until it is.
    let mut rounds = 1 << 24;
    loop {
        ze.set(busy, 1, rounds);
        ze.launch(list, busy, 1, events.get(0), &[]);
        let first = code!(ze, zeEventHostSynchronize(events.get(0), 1000));
        ok!(ze, zeEventHostSynchronize(events.get(0), u64::MAX));
        let mut times = ze_kernel_timestamp_result_t::default();
        ok!(ze, zeEventQueryKernelTimestamp(events.get(0), &mut times));
        assert!(times.global.kernelEnd > times.global.kernelStart);
        if first == ZE_RESULT_NOT_READY || rounds >= 1 << 30 {
            assert_eq!(first, ZE_RESULT_NOT_READY);
            break;
        }
        ok!(ze, zeEventHostReset(events.get(0)));
        rounds *= 2;
    }
    ok!(ze, zeKernelDestroy(busy));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn counter_based_events_are_waited_for_as_they_were_when_the_wait_was_appended() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let mut memory = ze.host_memory(8);
    memory.as_mut_slice::<i32>().fill(0);
    let (counted, gates) = (ze.counter_based_events(1), ze.events(0, 2));
    let (first, second) = (ze.immediate(), ze.immediate());
    assert!(status(&ze, counted.get(0)), "nothing to wait for yet");
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 1i32);
    ze.launch(first, add, 1, counted.get(0), &[]);
    // Waits for the first generation, although the event soon stands for another.
    ze.set(add, 0, memory.pointer.wrapping_byte_add(4));
    ze.launch(second, add, 1, gates.get(1), &[counted.get(0)]);
    ze.launch(first, add, 1, counted.get(0), &[gates.get(0)]);
    ok!(ze, zeEventHostSynchronize(gates.get(1), u64::MAX));
    assert!(!status(&ze, counted.get(0)));
    assert_eq!(memory.as_slice::<i32>(), [1, 1]);
    ok!(ze, zeEventHostSignal(gates.get(0)));
    ok!(ze, zeEventHostSynchronize(counted.get(0), u64::MAX));
    assert_eq!(memory.as_slice::<i32>(), [1, 2]);
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(first));
    ok!(ze, zeCommandListDestroy(second));
}

#[test]
fn a_closed_list_is_executed_as_often_as_asked_and_raises_the_fence() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let mut memory = ze.shared_memory(4);
    memory.as_mut_slice::<i32>()[0] = 0;
    let (queue, mut list) = (ze.queue(), ze.list());
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 2i32);
    ze.launch(list, add, 1, null_mut(), &[]);
    let open = code!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut list, null_mut()));
    assert_eq!(open, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(ze, zeCommandListClose(list));
    ze.set(add, 1, 1000i32);
    let mut fence = null_mut();
    let desc = ze_fence_desc_t { stype: ZE_STRUCTURE_TYPE_FENCE_DESC, ..Default::default() };
    ok!(ze, zeFenceCreate(queue, &desc, &mut fence));
    assert_eq!(code!(ze, zeFenceQueryStatus(fence)), ZE_RESULT_NOT_READY);
    for _ in 0..3 {
        ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut list, fence));
        ok!(ze, zeFenceHostSynchronize(fence, u64::MAX));
        ok!(ze, zeFenceQueryStatus(fence));
        ok!(ze, zeFenceReset(fence));
    }
    assert_eq!(memory.as_slice::<i32>(), [6]);
    ok!(ze, zeCommandListReset(list));
    ze.launch(list, add, 1, null_mut(), &[]);
    ok!(ze, zeCommandListClose(list));
    ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut list, null_mut()));
    ok!(ze, zeCommandQueueSynchronize(queue, u64::MAX));
    assert_eq!(memory.as_slice::<i32>(), [1006]);
    ok!(ze, zeFenceDestroy(fence));
    ok!(ze, zeCommandListDestroy(list));
    ok!(ze, zeCommandQueueDestroy(queue));
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn a_list_may_wait_for_reset_and_raise_an_event_again() {
    let Some(ze) = Ze::new() else { return };
    let mut memory = ze.host_memory(16);
    memory.as_mut_slice::<u64>().fill(0);
    let events = ze.events(0, 2);
    let (queue, mut list) = (ze.queue(), ze.list());
    let mut start = events.get(0);
    ok!(ze, zeCommandListAppendWaitOnEvents(list, 1, &mut start));
    ok!(ze, zeCommandListAppendEventReset(list, events.get(0)));
    let to = memory.pointer.cast();
    ok!(ze, zeCommandListAppendWriteGlobalTimestamp(list, to, null_mut(), 0, null_mut()));
    ok!(ze, zeCommandListAppendSignalEvent(list, events.get(1)));
    ok!(ze, zeCommandListClose(list));
    let mut last = 0;
    for _ in 0..2 {
        ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut list, null_mut()));
        assert_eq!(code!(ze, zeCommandQueueSynchronize(queue, 10_000_000)), ZE_RESULT_NOT_READY);
        ok!(ze, zeEventHostSignal(events.get(0)));
        ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
        ok!(ze, zeCommandQueueSynchronize(queue, u64::MAX));
        assert!(!status(&ze, events.get(0)));
        let time = memory.as_slice::<u64>()[0];
        assert!(time > last);
        last = time;
        ok!(ze, zeEventHostReset(events.get(1)));
    }
    ok!(ze, zeCommandListDestroy(list));
    ok!(ze, zeCommandQueueDestroy(queue));
}

#[test]
fn numbers_of_groups_are_read_when_the_launch_comes_to_its_turn() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let mut kernels = [ze.kernel(module, "add"), ze.kernel(module, "add")];
    let mut memory = ze.host_memory(64);
    memory.as_mut_slice::<i32>().fill(0);
    let mut groups = ze.host_memory(64);
    let events = ze.events(0, 1);
    let list = ze.immediate();
    for (kernel, value) in kernels.iter().zip([1i32, 10]) {
        ze.set(*kernel, 0, memory.pointer);
        ze.set(*kernel, 1, value);
    }
    let mut gate = events.get(0);
    ok!(ze, zeCommandListAppendWaitOnEvents(list, 1, &mut gate));
    let at = groups.pointer.cast::<ze_group_count_t>();
    ok!(ze, zeCommandListAppendLaunchKernelIndirect(list, kernels[0], at, null_mut(), 0, null_mut()));
    let count_at = groups.pointer.wrapping_byte_add(48).cast();
    ok!(
        ze,
        zeCommandListAppendLaunchMultipleKernelsIndirect(
            list,
            2,
            kernels.as_mut_ptr(),
            count_at,
            at,
            null_mut(),
            0,
            null_mut()
        )
    );
    groups.as_mut_slice::<u32>()[..6].copy_from_slice(&[3, 1, 1, 2, 1, 1]);
    groups.as_mut_slice::<u32>()[12] = 2;
    ok!(ze, zeEventHostSignal(gate));
    ze.finish(list);
    assert_eq!(memory.as_slice::<i32>()[..5], [12, 12, 2, 0, 0]);
    for kernel in kernels {
        ok!(ze, zeKernelDestroy(kernel));
    }
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_list_that_only_copies_runs_no_kernel() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let desc = ze_command_queue_desc_t {
        stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        mode: ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
        ordinal: 1,
        ..Default::default()
    };
    let mut list = null_mut();
    ok!(ze, zeCommandListCreateImmediate(ze.context, ze.device, &desc, &mut list));
    let memory = ze.device_memory(4);
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 1i32);
    let groups = ze_group_count_t { groupCountX: 1, groupCountY: 1, groupCountZ: 1 };
    let refused = code!(ze, zeCommandListAppendLaunchKernel(list, add, &groups, null_mut(), 0, null_mut()));
    assert_eq!(refused, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    // The list is synchronous: the copies are done when the calls return.
    let (source, mut target) = ([7i32], [0i32]);
    ze.copy(list, memory.pointer, source.as_ptr().cast(), 4, null_mut(), &[]);
    ze.copy(list, target.as_mut_ptr().cast(), memory.pointer, 4, null_mut(), &[]);
    assert_eq!(target, source);
    let none = ze_command_queue_desc_t { ordinal: 9, ..desc };
    let mut other = null_mut();
    let code = code!(ze, zeCommandListCreateImmediate(ze.context, ze.device, &none, &mut other));
    assert_eq!(code, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn everything_may_be_destroyed_while_work_is_held_back() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let mut memory = ze.host_memory(4);
    memory.as_mut_slice::<i32>()[0] = 0;
    let events = ze.events(0, 2);
    let list = ze.immediate();
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 5i32);
    ze.launch(list, add, 1, events.get(1), &[events.get(0)]);
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
    assert_eq!(memory.as_slice::<i32>(), [5]);
}

#[test]
fn an_index_of_a_pool_is_free_again_when_its_event_is_gone() {
    let Some(ze) = Ze::new() else { return };
    let desc = ze_event_pool_desc_t { stype: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, count: 1, ..Default::default() };
    let mut pool = null_mut();
    ok!(ze, zeEventPoolCreate(ze.context, &desc, 0, null_mut(), &mut pool));
    let desc = ze_event_desc_t { stype: ZE_STRUCTURE_TYPE_EVENT_DESC, ..Default::default() };
    let (mut event, mut other) = (null_mut(), null_mut());
    ok!(ze, zeEventCreate(pool, &desc, &mut event));
    assert_eq!(code!(ze, zeEventCreate(pool, &desc, &mut other)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    let beyond = ze_event_desc_t { index: 1, ..desc };
    assert_eq!(code!(ze, zeEventCreate(pool, &beyond, &mut other)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(ze, zeEventDestroy(event));
    ok!(ze, zeEventCreate(pool, &desc, &mut event));
    ok!(ze, zeEventDestroy(event));
    ok!(ze, zeEventPoolDestroy(pool));
}

#[test]
fn lists_of_several_threads_do_not_disturb_each_other() {
    const ROUNDS: i32 = 50;
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE) as usize;
    let shared = &ze;
    thread::scope(|scope| {
        for value in 1..=4i32 {
            scope.spawn(move || {
                // A context of its own, and the module of another one.
                let ze = Ze::new().unwrap();
                let add = ze.kernel(module as ze_module_handle_t, "add");
                let memory = ze.device_memory(64);
                let list = ze.immediate();
                let zero = 0i32;
                let from = (&raw const zero).cast();
                ok!(ze, zeCommandListAppendMemoryFill(list, memory.pointer, from, 4, 64, null_mut(), 0, null_mut()));
                ze.set(add, 0, memory.pointer);
                for round in 0..ROUNDS {
                    ze.set(add, 1, value * round);
                    ze.launch(list, add, 16, null_mut(), &[]);
                }
                ze.finish(list);
                assert_eq!(ze.read::<i32>(memory.pointer, 16), [value * ROUNDS * (ROUNDS - 1) / 2; 16]);
                ok!(ze, zeKernelDestroy(add));
                ok!(ze, zeCommandListDestroy(list));
            });
        }
    });
    ok!(shared, zeModuleDestroy(module as ze_module_handle_t));
}
