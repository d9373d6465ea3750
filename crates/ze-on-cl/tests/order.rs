//! Lists that are not in order: only events and barriers hold their commands back.

mod support;

use std::ptr::null_mut;
use std::thread;
use std::time::Duration;

use support::*;

const SOURCE: &str = "
    kernel void add(global int *to, int value) { to[get_global_id(0)] += value; }
    kernel void node(global int *nodes, int to, int a, int b) { nodes[to] = nodes[a] + nodes[b] + 1; }
    kernel void scale(global int *to, int value) { to[get_global_id(0)] *= value; }";

fn is_up(ze: &Ze, event: ze_event_handle_t) -> bool {
    match code!(ze, zeEventQueryStatus(event)) {
        ZE_RESULT_SUCCESS => true,
        ZE_RESULT_NOT_READY => false,
        other => panic!("{other:#x}"),
    }
}

/// A kernel that adds to numbers of its own, one for each command.
struct Counters<'a> {
    ze: &'a Ze,
    module: ze_module_handle_t,
    add: ze_kernel_handle_t,
    memory: Memory<'a>,
}

impl<'a> Counters<'a> {
    fn new(ze: &'a Ze) -> Counters<'a> {
        let module = ze.module(SOURCE);
        let mut memory = ze.host_memory(64);
        memory.as_mut_slice::<i32>().fill(0);
        Counters { ze, module, add: ze.kernel(module, "add"), memory }
    }

    fn add(
        &self,
        list: ze_command_list_handle_t,
        number: usize,
        raises: ze_event_handle_t,
        waits: &[ze_event_handle_t],
    ) {
        self.ze.set(self.add, 0, self.memory.pointer.wrapping_byte_add(4 * number));
        self.ze.set(self.add, 1, 1i32);
        self.ze.launch(list, self.add, 1, raises, waits);
    }

    fn values(&self) -> &[i32] {
        &self.memory.as_slice::<i32>()[..4]
    }
}

impl Drop for Counters<'_> {
    fn drop(&mut self) {
        ok!(self.ze, zeKernelDestroy(self.add));
        ok!(self.ze, zeModuleDestroy(self.module));
    }
}

#[test]
fn commands_pass_one_that_must_wait() {
    let Some(ze) = Ze::new() else { return };
    let counters = Counters::new(&ze);
    let events = ze.events(0, 3);
    let list = ze.unordered();
    counters.add(list, 0, events.get(1), &[events.get(0)]);
    counters.add(list, 1, events.get(2), &[]);
    ok!(ze, zeEventHostSynchronize(events.get(2), u64::MAX));
    assert!(!is_up(&ze, events.get(1)));
    assert_eq!(counters.values(), [0, 1, 0, 0]);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
    assert_eq!(counters.values(), [1, 1, 0, 0]);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_barrier_comes_after_all_before_it_and_before_all_after_it() {
    let Some(ze) = Ze::new() else { return };
    let counters = Counters::new(&ze);
    let events = ze.events(0, 5);
    let list = ze.unordered();
    counters.add(list, 0, events.get(1), &[events.get(0)]);
    ok!(ze, zeCommandListAppendBarrier(list, events.get(2), 0, null_mut()));
    counters.add(list, 1, events.get(3), &[]);
    // A signal comes after all before it, too.
    ok!(ze, zeCommandListAppendSignalEvent(list, events.get(4)));
    thread::sleep(Duration::from_millis(20));
    assert!((1..5).all(|index| !is_up(&ze, events.get(index))));
    assert_eq!(counters.values(), [0; 4]);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(4), u64::MAX));
    assert!((1..4).all(|index| is_up(&ze, events.get(index))));
    assert_eq!(counters.values(), [1, 1, 0, 0]);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_barrier_with_events_waits_for_them_and_for_no_other_command() {
    let Some(ze) = Ze::new() else { return };
    let counters = Counters::new(&ze);
    let events = ze.events(0, 4);
    let list = ze.unordered();
    counters.add(list, 0, events.get(2), &[events.get(0)]);
    let mut gate = events.get(1);
    ok!(ze, zeCommandListAppendWaitOnEvents(list, 1, &mut gate));
    counters.add(list, 1, events.get(3), &[]);
    thread::sleep(Duration::from_millis(20));
    assert!(!is_up(&ze, events.get(3)));
    ok!(ze, zeEventHostSignal(gate));
    ok!(ze, zeEventHostSynchronize(events.get(3), u64::MAX));
    assert!(!is_up(&ze, events.get(2)));
    assert_eq!(counters.values(), [0, 1, 0, 0]);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(2), u64::MAX));
    assert_eq!(counters.values(), [1, 1, 0, 0]);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn waiting_for_a_list_waits_for_what_is_held_back() {
    let Some(ze) = Ze::new() else { return };
    if ze.zeCommandListHostSynchronize.is_none() {
        println!("skipped: the loader has no zeCommandListHostSynchronize");
        return;
    }
    let counters = Counters::new(&ze);
    let events = ze.events(0, 1);
    let list = ze.unordered();
    counters.add(list, 0, null_mut(), &[events.get(0)]);
    counters.add(list, 1, null_mut(), &[]);
    assert_eq!(code!(ze, zeCommandListHostSynchronize(list, 10_000_000)), ZE_RESULT_NOT_READY);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeCommandListHostSynchronize(list, u64::MAX));
    assert_eq!(counters.values(), [1, 1, 0, 0]);
    ok!(ze, zeCommandListDestroy(list));
}

/// Numbers that are random enough.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit
    }
}

/// Each node is one more than the sum of two earlier ones; only events say so. Node by node they are in one list after the
/// other, and all of a list is appended before the next, so what a command waits for may come later. `run` then runs them.
fn graph(ze: &Ze, seed: u32, lists: &[ze_command_list_handle_t], run: impl FnOnce()) {
    const NODES: usize = 120;
    let mut random = Random(seed);
    let edges: Vec<[usize; 2]> = (0..NODES).map(|to| [random.below(to.max(1)), random.below(to.max(1))]).collect();
    let mut expected = vec![0i32; NODES];
    for (to, [a, b]) in edges.iter().enumerate() {
        expected[to] = expected[*a].wrapping_add(expected[*b]).wrapping_add(1);
    }
    let module = ze.module(SOURCE);
    let node = ze.kernel(module, "node");
    let mut memory = ze.host_memory(4 * NODES);
    memory.as_mut_slice::<i32>().fill(0);
    let events = ze.events(0, NODES as u32);
    for (first, list) in lists.iter().enumerate() {
        for to in (first..NODES).step_by(lists.len()) {
            let [a, b] = edges[to];
            ze.set(node, 0, memory.pointer);
            for (index, number) in [to, a, b].into_iter().enumerate() {
                ze.set(node, index as u32 + 1, number as i32);
            }
            let waits = [events.get(a), events.get(b)];
            ze.launch(*list, node, 1, events.get(to), if to == 0 { &[] } else { &waits });
        }
    }
    run();
    for to in 0..NODES {
        ok!(ze, zeEventHostSynchronize(events.get(to), u64::MAX));
    }
    assert_eq!(memory.as_slice::<i32>(), expected);
    ok!(ze, zeKernelDestroy(node));
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn events_put_a_graph_of_commands_in_order() {
    let Some(ze) = Ze::new() else { return };
    for seed in 0..5 {
        let lists: Vec<_> = (0..=seed as usize % 3).map(|_| ze.unordered()).collect();
        graph(&ze, seed, &lists, || {});
        for list in lists {
            ok!(ze, zeCommandListDestroy(list));
        }
    }
}

#[test]
fn events_put_regular_lists_of_several_queues_in_order() {
    let Some(ze) = Ze::new() else { return };
    for seed in 0..3 {
        let queues = [ze.queue(), ze.queue()];
        let mut lists = [ze.list(), ze.list()];
        let in_turn = lists;
        graph(&ze, seed, &in_turn, || {
            for (list, queue) in lists.iter_mut().zip(queues) {
                ok!(ze, zeCommandListClose(*list));
                ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, list, null_mut()));
            }
        });
        for (list, queue) in lists.into_iter().zip(queues) {
            ok!(ze, zeCommandListDestroy(list));
            ok!(ze, zeCommandQueueDestroy(queue));
        }
    }
}

#[test]
fn a_regular_list_in_order_and_the_lists_of_a_queue_run_one_after_another() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let (add, scale) = (ze.kernel(module, "add"), ze.kernel(module, "scale"));
    let mut memory = ze.host_memory(64 * 4);
    memory.as_mut_slice::<i32>().fill(0);
    let queue = ze.queue();
    let mut lists = [ze.list_with(ZE_COMMAND_LIST_FLAG_IN_ORDER), ze.list()];
    for kernel in [add, scale] {
        ze.set(kernel, 0, memory.pointer);
    }
    for value in [1i32, 2, 3] {
        ze.set(add, 1, value);
        ze.launch(lists[0], add, 64, null_mut(), &[]);
        ze.set(scale, 1, value);
        ze.launch(lists[0], scale, 64, null_mut(), &[]);
    }
    ze.set(add, 1, 7i32);
    ze.launch(lists[1], add, 64, null_mut(), &[]);
    for list in lists {
        ok!(ze, zeCommandListClose(list));
    }
    for _ in 0..2 {
        ok!(ze, zeCommandQueueExecuteCommandLists(queue, 2, lists.as_mut_ptr(), null_mut()));
    }
    ok!(ze, zeCommandQueueSynchronize(queue, u64::MAX));
    let step = |start: i32| (((start + 1) + 2) * 2 + 3) * 3 + 7;
    assert_eq!(memory.as_slice::<i32>(), [step(step(0)); 64]);
    for list in lists {
        ok!(ze, zeCommandListDestroy(list));
    }
    ok!(ze, zeCommandQueueDestroy(queue));
    for kernel in [add, scale] {
        ok!(ze, zeKernelDestroy(kernel));
    }
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn a_copy_of_a_region_is_done_when_its_event_says_so() {
    let Some(ze) = Ze::new() else { return };
    let list = ze.unordered();
    let (mut from, mut to) = (ze.host_memory(64 * 64), ze.host_memory(64 * 64));
    for (index, byte) in from.as_mut_slice::<u8>().iter_mut().enumerate() {
        *byte = index as u8;
    }
    to.as_mut_slice::<u8>().fill(0);
    let events = ze.events(0, 2);
    let region =
        |x, y| ze_copy_region_t { originX: x, originY: y, width: 16, height: 40, depth: 1, ..Default::default() };
    let mut gate = events.get(0);
    ok!(
        ze,
        zeCommandListAppendMemoryCopyRegion(
            list,
            to.pointer,
            &region(3, 5),
            64,
            0,
            from.pointer,
            &region(1, 2),
            64,
            0,
            events.get(1),
            1,
            &mut gate
        )
    );
    assert_eq!(code!(ze, zeEventHostSynchronize(events.get(1), 10_000_000)), ZE_RESULT_NOT_READY);
    assert!(to.as_slice::<u8>().iter().all(|byte| *byte == 0));
    ok!(ze, zeEventHostSignal(gate));
    ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
    for y in 0..40 {
        let (to, from) = (&to.as_slice::<u8>()[(y + 5) * 64 + 3..], &from.as_slice::<u8>()[(y + 2) * 64 + 1..]);
        assert_eq!(to[..16], from[..16], "row {y}");
    }
    ok!(ze, zeCommandListDestroy(list));
}
