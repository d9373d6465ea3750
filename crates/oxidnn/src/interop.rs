//! Interoperability: the caller's own objects in, and out again.
//!
//! A program wraps its raw handles once, where it says why they are valid; from there on everything is safe:
//!
//! ```no_run
//! use oxidnn::interop::ocl;
//! use oxidnn::{Engine, Memory, Stream, desc::*};
//! # use std::ptr::null_mut as handle;
//! # fn main() -> oxidnn::Result<()> {
//! # let (device, context, queue, buffer) = (handle(), handle(), handle(), handle());
//! // SAFETY: the handles are live OpenCL objects of one context.
//! let (device, queue, buffer) = unsafe {
//!     let device = ocl::Device::from_raw(device, context)?;
//!     (device.clone(), ocl::Queue::from_raw(&device, queue)?, ocl::Buffer::from_cl_mem(&device, buffer)?)
//! };
//! let engine = Engine::from_device(device.into());
//! let stream = Stream::from_queue(&engine, queue.into())?;
//! let desc = MemoryDesc::with_strides(&[64, 64], DataType::F32, None)?;
//! let memory = Memory::from_buffer(&engine, &desc, buffer.into())?;
//! # Ok(())
//! # }
//! ```
//!
//! OpenCL objects are retained while the library refers to them; what the getters return is not retained for the caller. An
//! event that [`Primitive::execute_after`](crate::Primitive::execute_after) returns is the caller's.
//!
//! Level Zero counts no references: the caller keeps its objects for as long as the library's refer to them, and an event
//! that was [handed out](ze::Event::hand_out) lives as long as the stream.

/// OpenCL.
pub mod ocl {
    pub use crate::runtime::ocl::{Buffer, Device, Event, Queue};
}

/// Level Zero.
pub mod ze {
    pub use crate::runtime::ze::{Buffer, Device, Event, Queue};
}
