//! The threads that hold work back. A file of its own: it counts the threads of the process.

mod support;

use std::ptr::null_mut;
use std::thread;
use std::time::{Duration, Instant};

use support::*;

/// The driver's own, by their name: OpenCL has some, too.
fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "ze-on-cl").count()
}

/// Waits for the threads to be so many; how many there are in the end.
fn settled(expected: usize) -> usize {
    let start = Instant::now();
    while threads() != expected && start.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(10));
    }
    threads()
}

#[test]
fn a_thread_comes_with_work_that_must_wait_and_goes_with_its_list() {
    const LISTS: usize = 20;
    let Some(ze) = Ze::new() else { return };
    let events = ze.events(0, LISTS as u32 + 1);
    let memory = ze.device_memory(64);
    let zero = [0u8];
    let fill = |list, raises, count, waits| {
        let from = zero.as_ptr().cast();
        ok!(ze, zeCommandListAppendMemoryFill(list, memory.pointer, from, 1, 64, raises, count, waits));
    };
    let lists: Vec<_> = (0..LISTS).map(|_| ze.immediate()).collect();
    // Work that need not wait needs no thread.
    for list in &lists {
        fill(*list, null_mut(), 0, null_mut());
        ze.finish(*list);
    }
    assert_eq!(threads(), 0);
    let mut gate = events.get(LISTS);
    for (index, list) in lists.iter().enumerate() {
        fill(*list, events.get(index), 1, &mut gate);
    }
    assert_eq!(settled(LISTS), LISTS);
    ok!(ze, zeEventHostSignal(gate));
    for (index, list) in lists.iter().enumerate() {
        ok!(ze, zeEventHostSynchronize(events.get(index), u64::MAX));
        ok!(ze, zeCommandListDestroy(*list));
    }
    assert_eq!(settled(0), 0);
}
