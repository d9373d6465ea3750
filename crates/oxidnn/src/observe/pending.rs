//! Executions whose verbose line waits for the device.
//!
//! On a queue that profiles, a line of `profile_exec` carries the device's own time, and execute does not wait for it:
//! the line is printed at a later call on the stream, when the kernels have finished.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::verbose;
use crate::Result;
use crate::runtime::Event;

#[derive(Debug)]
struct Execution {
    start: Instant,
    problem: String,
    kernels: SmallVec<[Event; 2]>,
}

/// The executions of a stream that no line has told of yet, in the order they were submitted.
///
/// A stream [polls](Pending::poll) after each execute and [finishes](Pending::finish) when it is waited for. What is left
/// when it is dropped is waited for there.
///
/// ```
/// use std::time::Instant;
/// use oxidnn::observe::{Pending, verbose::{self, Level}};
///
/// let pending = Pending::default();
/// if verbose::enabled(Level::ProfileExec) {
///     let start = Instant::now();
///     // ... launch the kernels ...
///     pending.push(start, "gpu,matmul,oxidnn:ocl:contract,undef,,,,2x3:3x4".to_owned(), []);
///     pending.poll();
/// }
/// ```
#[derive(Debug, Default)]
pub struct Pending(Mutex<VecDeque<Execution>>);

impl Pending {
    /// Adds an execution with the events of its kernels.
    pub fn push(&self, start: Instant, problem: String, kernels: impl IntoIterator<Item = Event>) {
        let kernels = kernels.into_iter().collect();
        self.executions().push_back(Execution { start, problem, kernels });
    }

    /// Prints the lines of what has finished, up to the first that has not. Does not wait.
    pub fn poll(&self) {
        let mut executions = self.executions();
        while executions.front().is_some_and(|execution| execution.kernels.iter().all(Event::is_over)) {
            executions.pop_front().iter().for_each(tell);
        }
    }

    /// Waits for everything and prints its lines.
    pub fn finish(&self) {
        let executions = std::mem::take(&mut *self.executions());
        executions.iter().for_each(tell);
    }

    fn executions(&self) -> MutexGuard<'_, VecDeque<Execution>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.finish();
    }
}

fn tell(execution: &Execution) {
    let time = execution.kernels.iter().map(|kernel| Ok(kernel.elapsed()?.unwrap_or(0))).sum::<Result<u64>>();
    match time {
        Ok(ns) => verbose::executed_in(Duration::from_nanos(ns), &execution.problem, execution.start),
        Err(error) => verbose::error("runtime", format_args!("{},{error}", execution.problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::gpus;
    use crate::observe::child;
    use crate::runtime::{Arg, Device, MemoryKind, NdRange, Order};

    #[test]
    fn lines_wait_for_the_device_and_keep_their_order() {
        let name = concat!(module_path!(), "::lines_wait_for_the_device_and_keep_their_order");
        let Some(lines) = child::lines_of(name, &[("ONEDNN_VERBOSE", "profile_exec")], || {
            for &id in gpus() {
                let device = Device::open(id).unwrap();
                let queue = device.create_queue(Order::InOrder, true).unwrap();
                let source = "kernel void set(global int *y) { y[get_global_id(0)] = 1; }";
                let kernel = device.compile(source).unwrap().kernel("set", &[]).unwrap();
                let buffer = device.allocate(MemoryKind::Buffer, 64 * 4).unwrap();
                let pending = Pending::default();
                for i in 0..10 {
                    let start = Instant::now();
                    let range = NdRange { global: [64, 1, 1], local: None };
                    let event = queue.launch(&kernel, &[Arg::Buffer(&buffer)], range, &[], true).unwrap();
                    pending.push(start, i.to_string(), event);
                    pending.poll();
                }
                if id != gpus()[0] {
                    pending.finish();
                    assert!(pending.executions().is_empty());
                }
            }
        }) else {
            return;
        };
        let said: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("primitive,exec,")).collect();
        assert_eq!(said.len(), 10 * gpus().len());
        for (i, line) in said.iter().enumerate() {
            let (problem, time) = line.split_once(',').unwrap();
            assert_eq!(problem, (i % 10).to_string());
            assert!(time.parse::<f64>().unwrap() > 0.0);
        }
    }
}
