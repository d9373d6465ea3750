//! How long executions took on the device, for the stream that ran them.
//!
//! A stream whose queue profiles has a [`Profiler`]; each execution of a primitive leaves one entry there, made of the
//! events of its kernels. An entry's time is the sum of its kernels' times: what the device was busy for, without the
//! gaps in which it ran something else.
//!
//! Entries stay until [`reset`](Profiler::reset), but events of kernels that are over are let go after a while, so that a
//! program that profiles for other reasons does not pile them up.

use std::sync::{Mutex, MutexGuard};

use smallvec::SmallVec;

use crate::runtime::Event;
use crate::{Error, Result};

/// What an entry of profiling data is. The discriminants are the C API's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ProfilingKind {
    /// Nothing; asking for it is an error.
    Undef = 0,
    /// Nanoseconds of an execution.
    Time = 1,
    /// Clock cycles of an execution: its time at the device's highest frequency, so an upper bound.
    Cycles = 257,
    /// Nanoseconds of each kernel of each execution.
    TimePerKernel = 258,
}

impl ProfilingKind {
    /// The value with this C discriminant.
    pub fn from_c(value: i32) -> Option<ProfilingKind> {
        use ProfilingKind::*;
        [Undef, Time, Cycles, TimePerKernel].into_iter().find(|&kind| kind as i32 == value)
    }
}

/// A kernel of an execution: its event until it is over, then its time.
#[derive(Clone, Debug)]
enum Kernel {
    Running(Event),
    Took(u64),
}

type Execution = SmallVec<[Kernel; 2]>;

/// After so many executions, the events of those that are over are let go.
const FOLD_EVERY: usize = 256;

/// The executions of a stream since the last reset. Shared between threads.
///
/// ```
/// use oxidnn::observe::{Profiler, ProfilingKind};
///
/// let profiler = Profiler::new(Some(1_000_000_000));
/// profiler.record([]); // an execution that needed no kernel
/// assert_eq!(profiler.query(ProfilingKind::Time)?, [0]);
/// profiler.reset();
/// assert_eq!(profiler.entries(ProfilingKind::Time), 0);
/// # Ok::<(), oxidnn::Error>(())
/// ```
#[derive(Debug)]
pub struct Profiler {
    frequency: Option<u64>,
    executions: Mutex<Vec<Execution>>,
}

impl Profiler {
    /// A profiler of a stream on a device with this highest clock frequency, in Hz, where that is known.
    pub fn new(frequency: Option<u64>) -> Profiler {
        Profiler { frequency, executions: Mutex::default() }
    }

    /// Adds the entry of one execution: the events of all its kernels, from a queue that profiles.
    pub fn record(&self, kernels: impl IntoIterator<Item = Event>) {
        let execution = kernels.into_iter().map(Kernel::Running).collect();
        let mut executions = self.executions();
        executions.push(execution);
        if executions.len().is_multiple_of(FOLD_EVERY) {
            let recent = executions.len().saturating_sub(2 * FOLD_EVERY);
            executions[recent..].iter_mut().flatten().for_each(Kernel::fold);
        }
    }

    /// Forgets all entries.
    pub fn reset(&self) {
        // Events are released outside the lock.
        let _forgotten = std::mem::take(&mut *self.executions());
    }

    /// How many entries [`query`](Profiler::query) gives.
    pub fn entries(&self, kind: ProfilingKind) -> usize {
        let executions = self.executions();
        match kind {
            ProfilingKind::Undef | ProfilingKind::Time | ProfilingKind::Cycles => executions.len(),
            ProfilingKind::TimePerKernel => executions.iter().map(Execution::len).sum(),
        }
    }

    /// The entries, oldest first. Waits for executions that are still running.
    pub fn query(&self, kind: ProfilingKind) -> Result<Vec<u64>> {
        let executions = self.executions().clone();
        let time = |execution: &Execution| execution.iter().map(Kernel::elapsed).sum::<Result<u64>>();
        match kind {
            ProfilingKind::Undef => Err(Error::invalid("the kind of profiling data is undef")),
            ProfilingKind::Time => executions.iter().map(time).collect(),
            ProfilingKind::Cycles => {
                let frequency = self
                    .frequency
                    .ok_or_else(|| Error::unimplemented("the device does not say its clock frequency"))?;
                let cycles = |ns: u64| (u128::from(ns) * u128::from(frequency) / 1_000_000_000) as u64;
                executions.iter().map(|execution| time(execution).map(cycles)).collect()
            }
            ProfilingKind::TimePerKernel => executions.iter().flatten().map(Kernel::elapsed).collect(),
        }
    }

    fn executions(&self) -> MutexGuard<'_, Vec<Execution>> {
        self.executions.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Kernel {
    /// Its nanoseconds; waits for it.
    fn elapsed(&self) -> Result<u64> {
        match self {
            Kernel::Took(time) => Ok(*time),
            Kernel::Running(event) => {
                event.elapsed()?.ok_or_else(|| Error::invalid("the stream's queue was created without profiling"))
            }
        }
    }

    /// Keeps only the time if the kernel is over.
    fn fold(&mut self) {
        if let Kernel::Running(event) = self
            && event.is_over()
            && let Ok(time) = self.elapsed()
        {
            *self = Kernel::Took(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::engine::gpus;
    use crate::runtime::{Arg, Device, MemoryKind, NdRange, Order};

    const SOURCE: &str = "kernel void spin(global int *y, int n) {
        int v = y[get_global_id(0)];
        for (int i = 0; i < n; i++) v = v * 1664525 + 1013904223;
        y[get_global_id(0)] = v;
    }";

    #[test]
    fn an_entry_is_the_sum_of_its_kernels() {
        for &id in gpus() {
            let device = Device::open(id).unwrap();
            let queue = device.create_queue(Order::InOrder, true).unwrap();
            let kernel = device.compile(SOURCE).unwrap().kernel("spin", &[]).unwrap();
            let buffer = device.allocate(MemoryKind::Buffer, 256 * 4).unwrap();
            let run = |n: i32| {
                let args = [Arg::Buffer(&buffer), Arg::Value(&n.to_ne_bytes())];
                let range = NdRange { global: [256, 1, 1], local: None };
                queue.launch(&kernel, &args, range, &[], true).unwrap().unwrap()
            };

            let profiler = Profiler::new(Some(2_000_000_000));
            profiler.record([run(10_000), run(10_000)]);
            profiler.record([run(1)]);
            assert_eq!(profiler.entries(ProfilingKind::Time), 2);
            assert_eq!(profiler.entries(ProfilingKind::TimePerKernel), 3);

            let times = profiler.query(ProfilingKind::Time).unwrap();
            let kernels = profiler.query(ProfilingKind::TimePerKernel).unwrap();
            assert!(kernels.iter().all(|&ns| ns > 0), "{device:?}: {kernels:?}");
            assert_eq!(times, [kernels[0] + kernels[1], kernels[2]]);
            assert_eq!(profiler.query(ProfilingKind::Cycles).unwrap(), [times[0] * 2, times[1] * 2]);

            profiler.reset();
            assert_eq!(profiler.query(ProfilingKind::Time).unwrap(), [0u64; 0]);
        }
    }

    #[test]
    fn what_cannot_be_told_is_an_error() {
        let profiler = Profiler::new(None);
        profiler.record([Event::Done]);
        let status = |kind| profiler.query(kind).unwrap_err().status();
        assert_eq!(status(ProfilingKind::Undef), Status::InvalidArguments);
        assert_eq!(status(ProfilingKind::Time), Status::InvalidArguments);
        assert_eq!(status(ProfilingKind::Cycles), Status::Unimplemented);
        assert_eq!(ProfilingKind::from_c(257), Some(ProfilingKind::Cycles));
        assert_eq!(ProfilingKind::from_c(2), None);
    }

    #[test]
    fn threads_record_without_losing_entries() {
        let profiler = Profiler::new(None);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| profiler.record([])));
            }
        });
        assert_eq!(profiler.entries(ProfilingKind::Time), 400);
    }
}
