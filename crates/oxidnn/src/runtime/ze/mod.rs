//! Level Zero, inside the caller's own objects.
//!
//! The loader is opened at first use, so a program linked with this library starts on a machine without Level Zero and then
//! sees no devices. Any loader from 1.8 on works; what newer ones can tell of a command list is used where they are there.
//!
//! The fact a newcomer gets wrong: nothing counts references here. Objects handed in are the caller's, who keeps them for
//! as long as the library's objects live; and what the library made, a kernel or an event, must not go before the device
//! is done with it, so a [`Queue`] keeps what its commands use.

mod api;
mod ask;
#[allow(
    missing_docs,
    dead_code,
    unused_imports,
    non_camel_case_types,
    non_snake_case,
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]
#[rustfmt::skip]
mod bindings;
mod code;
mod device;
mod event;
mod flight;
mod kernel;
mod memory;
mod module;
mod queue;
mod spirv;

pub use bindings::{
    ze_command_list_handle_t, ze_context_handle_t, ze_device_handle_t, ze_driver_handle_t, ze_event_handle_t,
};
pub use device::{Device, DeviceId};
pub use event::Event;
pub use kernel::Kernel;
pub use memory::Buffer;
pub use module::Module;
pub use queue::Queue;

#[cfg(test)]
mod tests;
