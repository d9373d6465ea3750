//! Device memory seen from the host.

use std::ffi::c_void;
use std::ptr;

use opencl_sys::*;

use super::code::check;
use super::device::{Pointers, same_context};
use super::memory::{Buffer, Memory, Place};
use super::queue::Queue;
use crate::Result;
use crate::runtime::staging::{Access, Mapping, Staging};

fn flags(access: Access) -> cl_map_flags {
    match access {
        Access::Read => CL_MAP_READ,
        Access::Write => CL_MAP_WRITE,
        Access::ReadWrite => CL_MAP_READ | CL_MAP_WRITE,
    }
}

impl Queue {
    /// Gives the host access to the first `bytes` bytes of a buffer, after everything submitted to this queue. Blocks.
    ///
    /// A buffer may be mapped several times; each map has its [`unmap`](Queue::unmap).
    pub fn map(&self, buffer: &Buffer, bytes: usize, access: Access) -> Result<*mut c_void> {
        same_context(buffer.device(), self.device(), "buffer")?;
        buffer.check_range(bytes)?;
        self.wait()?;
        let mapping = match (buffer.memory(), self.device().pointers()) {
            (Memory::Object(object), _) => {
                let mut code = CL_SUCCESS;
                // SAFETY: a live queue and object of one context; the range is in the object.
                let address = unsafe {
                    (self.device().api().clEnqueueMapBuffer)(
                        self.raw(),
                        object.raw(),
                        CL_TRUE,
                        flags(access),
                        0,
                        bytes.max(1),
                        0,
                        ptr::null(),
                        ptr::null_mut(),
                        &mut code,
                    )
                };
                check(code, "clEnqueueMapBuffer")?;
                Mapping::direct(address)
            }
            (Memory::Pointer(pointer), Pointers::Svm { api, .. }) if pointer.place == Place::CoarseSvm => {
                // SAFETY: a live queue and SVM memory of its context.
                let code = unsafe {
                    let (address, flags) = (pointer.address, flags(access));
                    let map = api.clEnqueueSVMMap;
                    map(self.raw(), CL_TRUE, flags, address, bytes.max(1), 0, ptr::null(), ptr::null_mut())
                };
                check(code, "clEnqueueSVMMap")?;
                Mapping::direct(pointer.address)
            }
            (Memory::Pointer(pointer), _) if pointer.place == Place::Device => {
                let mut room = Staging::new(bytes)?;
                self.read(buffer, room.as_mut_slice(), &[])?;
                Mapping::staged(room, access)
            }
            (Memory::Pointer(pointer), _) => Mapping::direct(pointer.address),
        };
        let address = mapping.address();
        buffer.mappings().push(mapping);
        Ok(address)
    }

    /// Ends a map; `address` is what [`map`](Queue::map) gave. Blocks until what the host wrote is in the buffer.
    pub fn unmap(&self, buffer: &Buffer, address: *mut c_void) -> Result<()> {
        same_context(buffer.device(), self.device(), "buffer")?;
        let mapping = Mapping::take(&mut buffer.mappings(), address)?;
        match (buffer.memory(), self.device().pointers()) {
            (Memory::Object(object), _) => {
                // SAFETY: a live queue and object of one context, mapped at this address.
                let code = unsafe {
                    let unmap = self.device().api().clEnqueueUnmapMemObject;
                    unmap(self.raw(), object.raw(), mapping.address(), 0, ptr::null(), ptr::null_mut())
                };
                check(code, "clEnqueueUnmapMemObject")?;
                self.wait()
            }
            (Memory::Pointer(pointer), Pointers::Svm { api, .. }) if pointer.place == Place::CoarseSvm => {
                // SAFETY: a live queue and SVM memory of its context, mapped at this address.
                let code =
                    unsafe { (api.clEnqueueSVMUnmap)(self.raw(), mapping.address(), 0, ptr::null(), ptr::null_mut()) };
                check(code, "clEnqueueSVMUnmap")?;
                self.wait()
            }
            (Memory::Pointer(_), _) => match mapping.into_written() {
                Some(mut room) => self.write(buffer, room.as_mut_slice(), &[]),
                None => Ok(()),
            },
        }
    }
}
