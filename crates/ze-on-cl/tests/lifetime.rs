//! What a process spends and keeps: time while it waits, memory, threads at its end. Programs of their own: they measure the whole
//! process.

mod support;

use std::process::{Command, Output};
use std::ptr::null_mut;
use std::thread;
use std::time::{Duration, Instant};

use support::*;

const CHILD: &str = "ZE_ON_CL_TEST_CHILD";

/// Runs the body of a test in a process of its own; none inside of that one.
fn alone(name: &str, body: impl FnOnce()) -> Option<Output> {
    if std::env::var_os(CHILD).is_some() {
        body();
        return None;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(CHILD, "1");
    Some(child.output().unwrap())
}

/// Passes on what became of a test in a process of its own.
fn succeeded(output: Option<Output>) {
    let Some(output) = output else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| line.starts_with("skipped:")) {
        println!("{line}");
    }
    assert!(output.status.success(), "{:?}\n{text}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// The seconds that all threads of the process have worked.
fn worked() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / TICKS_PER_SECOND
}

/// The bytes of memory that the process has.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn fill(ze: &Ze, list: ze_command_list_handle_t, to: &Memory, raises: ze_event_handle_t, waits: &[ze_event_handle_t]) {
    let (zero, mut waits) = ([0u8], waits.to_vec());
    let (count, at) = (waits.len() as u32, if waits.is_empty() { null_mut() } else { waits.as_mut_ptr() });
    let from = zero.as_ptr().cast();
    ok!(ze, zeCommandListAppendMemoryFill(list, to.pointer, from, 1, to.size, raises, count, at));
}

#[test]
fn nobody_is_busy_with_waiting() {
    succeeded(alone("nobody_is_busy_with_waiting", || {
        let Some(ze) = Ze::new() else { return };
        let memory = ze.device_memory(64);
        let events = ze.events(0, 3);
        let (first, second) = (ze.immediate(), ze.unordered());
        let queue = ze.queue();
        let mut list = ze.list();
        fill(&ze, list, &memory, events.get(2), &[events.get(0)]);
        ok!(ze, zeCommandListClose(list));
        // Held back in an immediate list, in one without an order, and in a queue.
        fill(&ze, first, &memory, events.get(1), &[events.get(0)]);
        fill(&ze, second, &memory, null_mut(), &[events.get(1)]);
        ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut list, null_mut()));
        // OpenCL's own threads look for work for a moment before they sleep.
        thread::sleep(Duration::from_millis(300));
        let before = worked();
        let start = Instant::now();
        assert_eq!(code!(ze, zeEventHostSynchronize(events.get(1), 500_000_000)), ZE_RESULT_NOT_READY);
        assert_eq!(code!(ze, zeCommandQueueSynchronize(queue, 500_000_000)), ZE_RESULT_NOT_READY);
        assert!(start.elapsed() >= Duration::from_secs(1));
        let spent = worked() - before;
        assert!(spent < 0.2, "{spent} s of a second's wait");
        ok!(ze, zeEventHostSignal(events.get(0)));
        ok!(ze, zeEventHostSynchronize(events.get(2), u64::MAX));
        ok!(ze, zeCommandQueueSynchronize(queue, u64::MAX));
        ze.finish(second);
        ok!(ze, zeCommandListDestroy(list));
        ok!(ze, zeCommandQueueDestroy(queue));
        ok!(ze, zeCommandListDestroy(first));
        ok!(ze, zeCommandListDestroy(second));
    }));
}

#[test]
fn a_list_from_before_keeps_times_when_they_are_asked_for() {
    succeeded(alone("a_list_from_before_keeps_times_when_they_are_asked_for", || {
        let Some(ze) = Ze::new() else { return };
        let module = ze.module("kernel void twice_plus(global int *to, int value) { to[0] = 2 * to[0] + value; }");
        let step = ze.kernel(module, "twice_plus");
        let mut memory = ze.host_memory(4);
        let gates = ze.events(0, 2);
        for (list, gate) in [(ze.immediate(), 0), (ze.unordered(), 1)] {
            memory.as_mut_slice::<i32>()[0] = 0;
            ze.set(step, 0, memory.pointer);
            ze.set(step, 1, 1i32);
            ze.launch(list, step, 1, null_mut(), &[gates.get(gate)]);
            let events = ze.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1);
            ok!(ze, zeCommandListAppendBarrier(list, null_mut(), 0, null_mut()));
            ze.set(step, 1, 5i32);
            ze.launch(list, step, 1, events.get(0), &[]);
            ok!(ze, zeEventHostSignal(gates.get(gate)));
            ok!(ze, zeEventHostSynchronize(events.get(0), u64::MAX));
            let mut times = ze_kernel_timestamp_result_t::default();
            ok!(ze, zeEventQueryKernelTimestamp(events.get(0), &mut times));
            assert!(0 < times.global.kernelStart && times.global.kernelStart <= times.global.kernelEnd);
            assert_eq!(memory.as_slice::<i32>(), [7], "in order");
            ok!(ze, zeCommandListDestroy(list));
        }
        ok!(ze, zeKernelDestroy(step));
        ok!(ze, zeModuleDestroy(module));
    }));
}

#[test]
fn a_program_may_end_while_work_is_held_back() {
    succeeded(alone("a_program_may_end_while_work_is_held_back", || {
        let Some(ze) = Ze::new() else { return };
        let ze: &'static Ze = Box::leak(Box::new(ze));
        let memory = ze.device_memory(64);
        let events = ze.events(0, 1);
        let lists = [ze.immediate(), ze.unordered()];
        for list in lists {
            fill(ze, list, &memory, null_mut(), &[events.get(0)]);
            fill(ze, list, &memory, null_mut(), &[]);
        }
        // None of it is ever released.
        std::mem::forget((memory, events));
    }));
}

#[test]
fn a_program_may_end_while_a_thread_waits() {
    succeeded(alone("a_program_may_end_while_a_thread_waits", || {
        let Some(ze) = Ze::new() else { return };
        let ze: &'static Ze = Box::leak(Box::new(ze));
        let event = Box::leak(Box::new(ze.events(0, 1))).get(0) as usize;
        let functions = ze.functions;
        thread::spawn(move || code!(functions, zeEventHostSynchronize(event as ze_event_handle_t, u64::MAX)));
        thread::sleep(Duration::from_millis(20));
    }));
}

/// Makes one of everything, uses it and destroys it.
fn everything_once(ze: &Ze, module: ze_module_handle_t) {
    let add = ze.kernel(module, "add");
    let memory = ze.device_memory(1 << 16);
    let events = ze.events(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 8);
    let (queue, mut regular) = (ze.queue(), ze.list());
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 1i32);
    ze.launch(regular, add, 16, events.get(2), &[events.get(1)]);
    ok!(ze, zeCommandListClose(regular));
    ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut regular, null_mut()));
    let lists = [ze.immediate(), ze.unordered()];
    for list in lists {
        fill(ze, list, &memory, null_mut(), &[events.get(0)]);
        ze.launch(list, add, 16, null_mut(), &[]);
    }
    ze.launch(lists[0], add, 16, events.get(1), &[]);
    ok!(ze, zeEventHostSignal(events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(2), u64::MAX));
    for list in lists {
        ze.finish(list);
        ok!(ze, zeCommandListDestroy(list));
    }
    ok!(ze, zeCommandQueueSynchronize(queue, u64::MAX));
    ok!(ze, zeCommandListDestroy(regular));
    ok!(ze, zeCommandQueueDestroy(queue));
    ok!(ze, zeKernelDestroy(add));
}

#[test]
fn what_is_destroyed_is_gone() {
    succeeded(alone("what_is_destroyed_is_gone", || {
        const SOURCE: &str = "kernel void add(global int *to, int value) { to[get_global_id(0)] += value; }";
        const ROUNDS: usize = 300;
        let Some(ze) = Ze::new() else { return };
        let module = ze.module(SOURCE);
        for _ in 0..ROUNDS {
            everything_once(&ze, module);
        }
        let before = resident();
        for _ in 0..ROUNDS {
            everything_once(&ze, module);
        }
        let grown = resident().saturating_sub(before);
        // A round's memory alone is 64 KiB.
        assert!(grown < ROUNDS * 8192, "{grown} bytes more after {ROUNDS} rounds");
        ok!(ze, zeModuleDestroy(module));
    }));
}

#[test]
fn objects_go_in_any_order() {
    const SOURCE: &str = "kernel void add(global int *to, int value) { to[get_global_id(0)] += value; }";
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    // Every order of five objects that do not need each other.
    for order in permutations(5) {
        let add = ze.kernel(module, "add");
        let memory = ze.host_memory(4);
        let mut events = Some(ze.events(0, 1));
        let (queue, mut regular, immediate) = (ze.queue(), ze.list(), ze.immediate());
        ze.set(add, 0, memory.pointer);
        ze.set(add, 1, 1i32);
        ze.launch(regular, add, 1, events.as_ref().unwrap().get(0), &[]);
        ok!(ze, zeCommandListClose(regular));
        ze.launch(immediate, add, 1, null_mut(), &[events.as_ref().unwrap().get(0)]);
        ok!(ze, zeCommandQueueExecuteCommandLists(queue, 1, &mut regular, null_mut()));
        ze.finish(immediate);
        for object in order {
            match object {
                0 => ok!(ze, zeCommandQueueDestroy(queue)),
                1 => ok!(ze, zeCommandListDestroy(regular)),
                2 => ok!(ze, zeCommandListDestroy(immediate)),
                3 => events = None,
                _ => ok!(ze, zeKernelDestroy(add)),
            }
        }
        assert!(events.is_none());
    }
    ok!(ze, zeModuleDestroy(module));
}

/// Every order of so many numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let with = |rest: &Vec<usize>, place: usize| {
        let mut order = rest.clone();
        order.insert(place, count - 1);
        order
    };
    shorter.iter().flat_map(|rest| (0..count).map(move |place| with(rest, place))).collect()
}
