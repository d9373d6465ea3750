//! Commands: what an append call leaves behind, with its arguments as they were then.

use std::ffi::c_void;
use std::sync::Arc;

use smallvec::SmallVec;

use super::device::Device;
use super::kernel::Launch;
use super::signal::{InOrder, Signal, Times};
use crate::Result;
use crate::bindings::*;
use crate::cl::{self, Order, Queue};

/// An address of the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(pub usize);

impl<T> From<*const T> for Address {
    fn from(pointer: *const T) -> Address {
        Address(pointer as usize)
    }
}

impl<T> From<*mut T> for Address {
    fn from(pointer: *mut T) -> Address {
        Address(pointer as usize)
    }
}

/// A copy between boxes of memory.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub to: Address,
    pub to_pitch: [usize; 2],
    pub from: Address,
    pub from_pitch: [usize; 2],
    /// Bytes per row, rows, slices.
    pub extent: [usize; 3],
}

/// What a command does.
#[derive(Clone)]
pub(crate) enum Operation {
    /// What follows begins when the events are up; without any, when all that came before is done.
    Barrier,
    /// Comes when all that came before is done.
    Mark,
    Launch(Launch),
    /// A launch whose numbers of groups are read from memory when it is its turn; at most as many as the number at `count`.
    LaunchIndirect {
        launches: Arc<[Launch]>,
        groups: Address,
        count: Option<Address>,
    },
    Copy {
        to: Address,
        from: Address,
        size: usize,
    },
    CopyRegion(Region),
    Fill {
        to: Address,
        pattern: SmallVec<[u8; 16]>,
        size: usize,
    },
    Reset(Arc<Signal>),
    WriteTime {
        to: Address,
    },
    /// Writes the times of events, each at its own offset or one after the other.
    WriteTimes {
        signals: Arc<[Arc<Signal>]>,
        to: Address,
        offsets: Option<Arc<[usize]>>,
    },
}

/// A command.
#[derive(Clone)]
pub(crate) struct Command {
    pub operation: Operation,
    pub waits: SmallVec<[Arc<Signal>; 2]>,
    pub raises: Option<Arc<Signal>>,
}

/// How commands that wait to be handed to OpenCL hold each other back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    /// It comes after all before it.
    pub by_earlier: bool,
    /// All after it come after it.
    pub later: bool,
}

/// Where commands are handed to.
pub(crate) struct Target<'a> {
    pub device: &'a Device,
    pub queue: &'a Queue,
    /// Its number, if it is in order.
    pub order: Option<InOrder>,
}

impl Command {
    /// Without events.
    pub(crate) fn plain(operation: Operation) -> Command {
        Command { operation, waits: SmallVec::new(), raises: None }
    }

    /// A command that does nothing but raise a signal.
    pub(crate) fn raising(signal: Arc<Signal>) -> Command {
        Command { raises: Some(signal), ..Command::plain(Operation::Mark) }
    }

    /// Whether OpenCL knows all that it waits for.
    pub(crate) fn is_known(&self) -> bool {
        self.waits.iter().all(|signal| signal.is_known())
    }

    /// What it holds back, and what holds it back, where nothing else keeps commands in order.
    pub(crate) fn hold(&self) -> Hold {
        match self.operation {
            Operation::Barrier => Hold { by_earlier: self.waits.is_empty(), later: true },
            Operation::Mark => Hold { by_earlier: true, later: false },
            _ => Hold { by_earlier: self.runs_on_host(), later: self.runs_on_host() },
        }
    }

    /// Whether it is done here and not by OpenCL, after all that came before.
    pub(crate) fn runs_on_host(&self) -> bool {
        match self.operation {
            Operation::Reset(_)
            | Operation::WriteTime { .. }
            | Operation::WriteTimes { .. }
            | Operation::LaunchIndirect { .. } => true,
            Operation::Fill { to, ref pattern, size } => !is_pattern(to, pattern, size),
            Operation::Barrier
            | Operation::Mark
            | Operation::Launch(_)
            | Operation::Copy { .. }
            | Operation::CopyRegion(_) => false,
        }
    }

    /// Hands it to OpenCL; the signals that it waits for are known.
    pub(crate) fn enqueue(&self, target: &Target) -> Result {
        match (self.try_enqueue(target), &self.raises) {
            (Ok(Some(event)), Some(signal)) => signal.bind(event, target.order),
            (Ok(None), Some(signal)) => signal.set(Times::default()),
            (Err(error), signal) => {
                signal.iter().for_each(|signal| signal.fail(error));
                return Err(error);
            }
            (Ok(_), None) => {}
        }
        Ok(())
    }

    fn try_enqueue(&self, target: &Target) -> Result<Option<cl::Event>> {
        let mut waits = SmallVec::<[cl::Event; 4]>::new();
        for signal in &self.waits {
            waits.extend(signal.dependency(target.order)?);
        }
        let order = Order { waits: &waits, event: self.raises.is_some() };
        if !self.runs_on_host() {
            return self.enqueue_operation(target.queue, order);
        }
        for event in &waits {
            event.wait()?;
        }
        target.queue.finish()?;
        self.run_on_host(target.device, target.queue)?;
        if self.raises.is_some() { Ok(target.queue.marker(Order { waits: &[], event: true })?) } else { Ok(None) }
    }

    fn enqueue_operation(&self, queue: &Queue, order: Order) -> Result<Option<cl::Event>> {
        match &self.operation {
            Operation::Launch(launch) => launch.enqueue(queue, order),
            Operation::Copy { size: 0, .. } | Operation::Fill { size: 0, .. } => nothing(queue, order),
            Operation::Copy { to, from, size } => {
                // SAFETY: the API's contract: the memory is valid until the command is done.
                Ok(unsafe { queue.copy(to.0 as *mut c_void, from.0 as *const c_void, *size, order) }?)
            }
            Operation::CopyRegion(region) => region.enqueue(queue, order),
            Operation::Fill { to, pattern, size } => {
                // SAFETY: as above.
                Ok(unsafe { queue.fill(to.0 as *mut c_void, pattern, *size, order) }?)
            }
            Operation::Barrier if !queue.is_in_order() => Ok(queue.barrier(order)?),
            _ => nothing(queue, order),
        }
    }

    fn run_on_host(&self, device: &Device, queue: &Queue) -> Result {
        match &self.operation {
            Operation::Reset(signal) => signal.reset(),
            Operation::Fill { to, pattern, size } => {
                let text: Vec<u8> = pattern.iter().copied().cycle().take(*size).collect();
                let order = Order { waits: &[], event: false };
                // SAFETY: the API's contract: the memory is valid until the command is done. The text is as well.
                unsafe { queue.copy(to.0 as *mut c_void, text.as_ptr().cast(), *size, order) }?;
                queue.finish()?;
            }
            Operation::WriteTime { to } => {
                // SAFETY: the API's contract: there is room for a time.
                unsafe { (to.0 as *mut u64).write_unaligned(device.time()) };
            }
            Operation::WriteTimes { signals, to, offsets } => {
                for (index, signal) in signals.iter().enumerate() {
                    let step = index * size_of::<ze_kernel_timestamp_result_t>();
                    let offset = offsets.as_ref().map_or(step, |offsets| offsets[index]);
                    let times = super::device::timestamps(signal.times().unwrap_or_default());
                    // SAFETY: the API's contract: there is room for the times of each event.
                    unsafe { ((to.0 + offset) as *mut ze_kernel_timestamp_result_t).write_unaligned(times) };
                }
            }
            Operation::LaunchIndirect { launches, groups, count } => {
                // SAFETY: the API's contract: a number is there.
                let most = count.map_or(u32::MAX, |address| unsafe { (address.0 as *const u32).read_unaligned() });
                for (index, launch) in launches.iter().take(most as usize).enumerate() {
                    let address = groups.0 as *const ze_group_count_t;
                    // SAFETY: the API's contract: as many numbers of groups as kernels.
                    let groups = unsafe { address.add(index).read_unaligned() };
                    let launch = launch.with_groups(groups)?;
                    launch.enqueue(queue, Order { waits: &[], event: false })?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A command that only waits and raises; if it does neither, there is nothing to do.
fn nothing(queue: &Queue, order: Order) -> Result<Option<cl::Event>> {
    if order.waits.is_empty() && !order.event { Ok(None) } else { Ok(queue.marker(order)?) }
}

/// Whether OpenCL can fill with a pattern.
fn is_pattern(to: Address, pattern: &[u8], size: usize) -> bool {
    let n = pattern.len();
    n.is_power_of_two() && n <= 128 && to.0.is_multiple_of(n) && size.is_multiple_of(n)
}

impl Region {
    /// As few copies as the shape allows, the last with the event.
    fn enqueue(&self, queue: &Queue, order: Order) -> Result<Option<cl::Event>> {
        let [width, height, depth] = self.extent;
        if width * height * depth == 0 {
            return nothing(queue, order);
        }
        // Rows that follow each other on both sides are one.
        let whole_rows = self.to_pitch[0] == width && self.from_pitch[0] == width;
        let (width, height) = if whole_rows { (width * height, 1) } else { (width, height) };
        let whole_slices = height == 1 && self.to_pitch[1] == width && self.from_pitch[1] == width;
        let (width, depth) = if whole_slices { (width * depth, 1) } else { (width, depth) };
        let rows = (0..depth).flat_map(|z| (0..height).map(move |y| (z, y)));
        let copy = |(z, y): (usize, usize), order: Order| {
            let to = self.to.0 + z * self.to_pitch[1] + y * self.to_pitch[0];
            let from = self.from.0 + z * self.from_pitch[1] + y * self.from_pitch[0];
            // SAFETY: the API's contract: the memory is valid until the command is done.
            unsafe { queue.copy(to as *mut c_void, from as *const c_void, width, order) }
        };
        if height * depth == 1 {
            return Ok(copy((0, 0), order)?);
        }
        if !queue.is_in_order() {
            let each = rows.map(|row| copy(row, Order { waits: order.waits, event: true }));
            let each: Vec<cl::Event> = each.filter_map(cl::Result::transpose).collect::<cl::Result<_>>()?;
            return if order.event { Ok(queue.marker(Order { waits: &each, event: true })?) } else { Ok(None) };
        }
        let mut last = None;
        for row in rows {
            let (is_first, is_last) = (row == (0, 0), row == (depth - 1, height - 1));
            let waits = if is_first { order.waits } else { &[] };
            last = copy(row, Order { waits, event: order.event && is_last })?;
        }
        Ok(last)
    }
}
