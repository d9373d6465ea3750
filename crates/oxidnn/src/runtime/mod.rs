//! Devices, memory, kernels, queues and events: what a computation runs on.
//!
//! Nothing here knows of tensors. There are three runtimes, [`ocl`], [`ze`] and [`cpu`], behind one set of enums; the
//! methods of the enums are the contract. The caller has validated everything it can: a kernel, a buffer and a queue
//! that meet in one call belong to the same device (a mismatch is an `invalid_arguments` error, never a crash), offsets
//! and sizes are in range. What can still fail is the runtime itself: `out_of_memory` or `runtime_error`.
//!
//! The fact a newcomer gets wrong: a [`Buffer`] is not owned memory. It is a counted reference to memory that may be the
//! user's.

pub mod cpu;
pub mod ocl;
pub mod ze;

mod list;
mod loader;
mod processor;
mod profile;
mod staging;

pub use list::{DeviceId, Runtime};
pub use profile::{DeviceProfile, DeviceType, LEAST_CACHE, SubGroups, UsmSupport};
pub use staging::Access;

use std::ffi::c_void;

use crate::{Error, Result};

/// What kind of device memory a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum MemoryKind {
    /// A pointer that host and device share.
    Usm = 0,
    /// An opaque memory object (`cl_mem`). Level Zero has none, and gives a pointer to memory of the device.
    Buffer = 1,
}

/// Whether commands of a queue run in the order they were submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Each command starts after the one before it.
    InOrder,
    /// Only events order commands.
    OutOfOrder,
    /// The caller knows: a command list of Level Zero does not tell. Commands of one execution are ordered by events;
    /// executions without events rely on the list.
    Unknown,
}

/// The index space of a launch. Dimensions beyond the used ones are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NdRange {
    /// Number of work-items in each dimension; a multiple of `local` where that is given.
    pub global: [usize; 3],
    /// Work-group size, or the runtime's choice.
    pub local: Option<[usize; 3]>,
}

/// One argument of a kernel launch.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// Device memory.
    Buffer(&'a Buffer),
    /// A value of any size.
    Value(&'a [u8]),
    /// The value that the kernel was created with.
    Preset,
}

/// A device in a context: what an engine stands for. Cloning clones a reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// An OpenCL device in an OpenCL context.
    Ocl(ocl::Device),
    /// A Level Zero device in a Level Zero context.
    Ze(ze::Device),
    /// The host.
    Cpu(cpu::Device),
}

/// A counted reference to memory of a device.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// A `cl_mem`, USM or SVM pointer.
    Ocl(ocl::Buffer),
    /// A Level Zero pointer.
    Ze(ze::Buffer),
    /// Host memory.
    Cpu(cpu::Buffer),
}

/// A built program.
#[derive(Clone, Debug)]
pub enum Module {
    /// A `cl_program` built for one device.
    Ocl(ocl::Module),
    /// A `ze_module_handle_t`.
    Ze(ze::Module),
}

/// A kernel ready to launch, from any thread.
#[derive(Debug)]
pub enum Kernel {
    /// `cl_kernel`s, one for each thread that launches at the same time.
    Ocl(ocl::Kernel),
    /// `ze_kernel_handle_t`s, one for each thread that launches at the same time.
    Ze(ze::Kernel),
    /// A function of the host.
    Cpu(cpu::Kernel),
}

/// Where commands are submitted.
#[derive(Clone, Debug)]
pub enum Queue {
    /// A `cl_command_queue`.
    Ocl(ocl::Queue),
    /// An immediate `ze_command_list_handle_t`.
    Ze(ze::Queue),
    /// The calling thread.
    Cpu(cpu::Queue),
}

/// A counted reference to the completion of a command.
#[derive(Clone, Debug)]
pub enum Event {
    /// A `cl_event`.
    Ocl(ocl::Event),
    /// A `ze_event_handle_t`.
    Ze(ze::Event),
    /// Already complete: the host runs commands at once.
    Done,
}

macro_rules! from_inner {
    ($($name:ident)+) => {$(
        impl From<ocl::$name> for $name {
            fn from(inner: ocl::$name) -> $name {
                $name::Ocl(inner)
            }
        }

        impl From<ze::$name> for $name {
            fn from(inner: ze::$name) -> $name {
                $name::Ze(inner)
            }
        }
    )+};
}

from_inner!(Device Buffer Queue Event);

/// Checks that a buffer has as many bytes as are asked of it, where its size is known.
fn check_range(size: Option<usize>, bytes: usize) -> Result<()> {
    match size {
        Some(size) if bytes > size => Err(Error::invalid(format!("{bytes} bytes asked of a buffer that has {size}"))),
        _ => Ok(()),
    }
}

fn mismatch(what: &str) -> Error {
    Error::invalid(format!("{what} belongs to another runtime than the engine it is used with"))
}

impl Device {
    /// What schedules need to know of it.
    pub fn profile(&self) -> &DeviceProfile {
        match self {
            Device::Ocl(d) => d.profile(),
            Device::Ze(d) => d.profile(),
            Device::Cpu(d) => d.profile(),
        }
    }

    /// What tells it from every other device and context that exists at the same time.
    pub fn key(&self) -> [usize; 2] {
        match self {
            Device::Ocl(d) => [d.raw_context() as usize, d.raw_device() as usize],
            Device::Ze(d) => [d.raw_context() as usize, d.raw_device() as usize],
            Device::Cpu(_) => [0, 0],
        }
    }

    /// What a built binary depends on: platform, device and driver, as stable bytes.
    pub fn identity(&self) -> Vec<u8> {
        match self {
            Device::Ocl(d) => d.identity(),
            Device::Ze(d) => d.identity(),
            Device::Cpu(_) => Vec::new(),
        }
    }

    /// Allocates uninitialised memory. Zero bytes give a valid buffer.
    pub fn allocate(&self, kind: MemoryKind, bytes: usize) -> Result<Buffer> {
        Ok(match self {
            Device::Ocl(d) => Buffer::Ocl(d.allocate(kind, bytes)?),
            Device::Ze(d) => Buffer::Ze(d.allocate(kind, bytes)?),
            Device::Cpu(_) => Buffer::Cpu(cpu::Buffer::allocate(bytes)?),
        })
    }

    /// Builds OpenCL C text. The error's message carries the build log.
    pub fn compile(&self, source: &str) -> Result<Module> {
        match self {
            Device::Ocl(d) => Ok(Module::Ocl(d.compile(source)?)),
            Device::Ze(d) => Ok(Module::Ze(d.compile(source)?)),
            Device::Cpu(_) => Err(Error::runtime("the host runtime compiles no OpenCL C")),
        }
    }

    /// Builds a module from what [`Module::binary`] gave for a device of the same identity.
    pub fn load(&self, binary: &[u8]) -> Result<Module> {
        match self {
            Device::Ocl(d) => Ok(Module::Ocl(d.load(binary)?)),
            Device::Ze(d) => Ok(Module::Ze(d.load(binary)?)),
            Device::Cpu(_) => Err(Error::runtime("the host runtime loads no binaries")),
        }
    }

    /// Creates a queue of the library's own.
    pub fn create_queue(&self, order: Order, profiling: bool) -> Result<Queue> {
        Ok(match self {
            Device::Ocl(d) => Queue::Ocl(d.create_queue(order, profiling)?),
            Device::Ze(d) => Queue::Ze(d.create_queue(order, profiling)?),
            Device::Cpu(_) => Queue::Cpu(cpu::Queue::new()),
        })
    }
}

impl Module {
    /// The device binary.
    pub fn binary(&self) -> Result<Vec<u8>> {
        match self {
            Module::Ocl(m) => m.binary(),
            Module::Ze(m) => m.binary(),
        }
    }

    /// A kernel of the module. `preset` holds (argument index, value) pairs that stay the same over launches.
    pub fn kernel(&self, name: &str, preset: &[(u32, &[u8])]) -> Result<Kernel> {
        match self {
            Module::Ocl(m) => Ok(Kernel::Ocl(m.kernel(name, preset)?)),
            Module::Ze(m) => Ok(Kernel::Ze(m.kernel(name, preset)?)),
        }
    }
}

impl Buffer {
    /// What kind of memory it is. Host memory counts as USM.
    pub fn kind(&self) -> MemoryKind {
        match self {
            Buffer::Ocl(b) => b.kind(),
            Buffer::Ze(_) | Buffer::Cpu(_) => MemoryKind::Usm,
        }
    }

    /// Its size in bytes, where that is known (not for the user's USM pointers).
    pub fn size(&self) -> Option<usize> {
        match self {
            Buffer::Ocl(b) => b.size(),
            Buffer::Ze(b) => b.size(),
            Buffer::Cpu(b) => Some(b.size()),
        }
    }
}

impl Queue {
    /// Whether submission order is execution order.
    pub fn order(&self) -> Order {
        match self {
            Queue::Ocl(q) => q.order(),
            Queue::Ze(q) => q.order(),
            Queue::Cpu(_) => Order::InOrder,
        }
    }

    /// Whether its events carry times.
    pub fn profiling(&self) -> bool {
        match self {
            Queue::Ocl(q) => q.profiling(),
            Queue::Ze(q) => q.profiling(),
            Queue::Cpu(_) => false,
        }
    }

    /// Submits a kernel after `deps`; never blocks. The event is there if it was asked for.
    pub fn launch(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        range: NdRange,
        deps: &[Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        match (self, kernel) {
            (Queue::Ocl(q), Kernel::Ocl(k)) => Ok(q.launch(k, args, range, deps, want_event)?.map(Event::Ocl)),
            (Queue::Ze(q), Kernel::Ze(k)) => Ok(q.launch(k, args, range, deps, want_event)?.map(Event::Ze)),
            (Queue::Cpu(q), Kernel::Cpu(k)) => {
                q.launch(k, args)?;
                Ok(want_event.then_some(Event::Done))
            }
            _ => Err(mismatch("the kernel")),
        }
    }

    /// An event that completes when `deps` and everything submitted before it have.
    pub fn marker(&self, deps: &[Event]) -> Result<Event> {
        match self {
            Queue::Ocl(q) => Ok(Event::Ocl(q.marker(deps)?)),
            Queue::Ze(q) => Ok(Event::Ze(q.marker(deps)?)),
            Queue::Cpu(_) => Ok(Event::Done),
        }
    }

    /// Copies bytes between two buffers of the queue's device; does not block.
    pub fn copy(
        &self,
        src: &Buffer,
        dst: &Buffer,
        bytes: usize,
        deps: &[Event],
        want_event: bool,
    ) -> Result<Option<Event>> {
        match (self, src, dst) {
            (Queue::Ocl(q), Buffer::Ocl(s), Buffer::Ocl(d)) => {
                Ok(q.copy(s, d, bytes, deps, want_event)?.map(Event::Ocl))
            }
            (Queue::Ze(q), Buffer::Ze(s), Buffer::Ze(d)) => Ok(q.copy(s, d, bytes, deps, want_event)?.map(Event::Ze)),
            (Queue::Cpu(_), Buffer::Cpu(s), Buffer::Cpu(d)) => {
                s.copy_to(d, bytes);
                Ok(want_event.then_some(Event::Done))
            }
            _ => Err(mismatch("the buffer")),
        }
    }

    /// Reads from the start of a buffer and waits for it.
    pub fn read(&self, src: &Buffer, out: &mut [u8], deps: &[Event]) -> Result<()> {
        match (self, src) {
            (Queue::Ocl(q), Buffer::Ocl(s)) => q.read(s, out, deps),
            (Queue::Ze(q), Buffer::Ze(s)) => q.read(s, out, deps),
            (Queue::Cpu(_), Buffer::Cpu(s)) => {
                s.memory().read(0, out);
                Ok(())
            }
            _ => Err(mismatch("the buffer")),
        }
    }

    /// Writes to the start of a buffer and waits for it.
    pub fn write(&self, dst: &Buffer, data: &[u8], deps: &[Event]) -> Result<()> {
        match (self, dst) {
            (Queue::Ocl(q), Buffer::Ocl(d)) => q.write(d, data, deps),
            (Queue::Ze(q), Buffer::Ze(d)) => q.write(d, data, deps),
            (Queue::Cpu(_), Buffer::Cpu(d)) => {
                d.memory().write(0, data);
                Ok(())
            }
            _ => Err(mismatch("the buffer")),
        }
    }

    /// Gives the host access to the first `bytes` bytes of a buffer, after everything submitted to this queue. Blocks.
    /// A buffer may be mapped several times; each map has its [`unmap`](Queue::unmap).
    pub fn map(&self, buffer: &Buffer, bytes: usize, access: Access) -> Result<*mut c_void> {
        match (self, buffer) {
            (Queue::Ocl(q), Buffer::Ocl(b)) => q.map(b, bytes, access),
            (Queue::Ze(q), Buffer::Ze(b)) => q.map(b, bytes, access),
            (Queue::Cpu(_), Buffer::Cpu(b)) => Ok(b.memory().address().cast()),
            _ => Err(mismatch("the buffer")),
        }
    }

    /// Ends a map; `address` is what [`map`](Queue::map) gave. Blocks until what the host wrote is in the buffer.
    pub fn unmap(&self, buffer: &Buffer, address: *mut c_void) -> Result<()> {
        match (self, buffer) {
            (Queue::Ocl(q), Buffer::Ocl(b)) => q.unmap(b, address),
            (Queue::Ze(q), Buffer::Ze(b)) => q.unmap(b, address),
            (Queue::Cpu(_), Buffer::Cpu(_)) => Ok(()),
            _ => Err(mismatch("the buffer")),
        }
    }

    /// Starts what was submitted, so that other queues can wait for its events; does not block.
    pub fn flush(&self) -> Result<()> {
        match self {
            Queue::Ocl(q) => q.flush(),
            // Immediate command lists start by themselves.
            Queue::Ze(_) | Queue::Cpu(_) => Ok(()),
        }
    }

    /// Waits until everything submitted has completed.
    pub fn wait(&self) -> Result<()> {
        match self {
            Queue::Ocl(q) => q.wait(),
            Queue::Ze(q) => q.wait(),
            Queue::Cpu(_) => Ok(()),
        }
    }
}

impl Event {
    /// Waits until it is complete.
    pub fn wait(&self) -> Result<()> {
        match self {
            Event::Ocl(e) => e.wait(),
            Event::Ze(e) => e.wait(),
            Event::Done => Ok(()),
        }
    }

    /// Whether it is complete or has failed; does not wait.
    pub fn is_over(&self) -> bool {
        match self {
            Event::Ocl(e) => e.is_over(),
            Event::Ze(e) => e.is_complete(),
            Event::Done => true,
        }
    }

    /// Nanoseconds between start and end of the command, if its queue profiles; waits for it.
    pub fn elapsed(&self) -> Result<Option<u64>> {
        match self {
            Event::Ocl(e) => e.elapsed(),
            Event::Ze(e) => e.elapsed(),
            Event::Done => Ok(None),
        }
    }
}
