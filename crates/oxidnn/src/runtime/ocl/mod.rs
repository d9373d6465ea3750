//! OpenCL 1.2 and later, inside the caller's own objects.
//!
//! The loader is opened at first use, so a program linked with this library starts on a machine that has no OpenCL and
//! then sees no devices. Objects handed in are retained and released on drop; getters do not retain.
//!
//! The fact a newcomer gets wrong: `clSetKernelArg` is the one call that is not safe from several threads, so a
//! [`Kernel`] is a pool of `cl_kernel`s and not one of them.

mod api;
mod code;
mod device;
mod event;
mod faults;
mod handle;
mod kernel;
mod map;
mod memory;
mod module;
mod queue;

pub use device::{Device, DeviceId};
pub use event::{Event, EventStatus};
pub use faults::{FAULTS, Fault, KnownFault};
pub use kernel::Kernel;
pub use memory::Buffer;
pub use module::{Module, Standard};
pub use opencl_sys::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_mem};
pub use queue::Queue;

#[cfg(test)]
mod tests;
