//! A kernel that any thread may launch: a pool of `cl_kernel`s.
//!
//! The arguments of a `cl_kernel` are state that two threads must not set at the same time, so each launch takes an
//! instance out of the pool and puts it back when it is enqueued; the pool grows to the number of threads that ever
//! launched together. Preset arguments are set once for each instance. The others are set at every launch, even to the
//! value they have: a driver resolves a `cl_mem` when it is set, and the address of a released one may come back as
//! another's.

use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use opencl_sys::*;

use super::code::{check, error};
use super::device::{Device, Pointers, same_context};
use super::handle::{Handle, KernelKind, info};
use super::memory::{Buffer, Memory};
use super::module::Module;
use crate::runtime::{self, Arg};
use crate::{Error, Result, ensure};

/// A kernel with its preset arguments, ready to launch from any thread.
#[derive(Debug)]
pub struct Kernel {
    module: Module,
    name: CString,
    preset: Vec<(u32, Box<[u8]>)>,
    arguments: usize,
    idle: Mutex<Vec<Handle<KernelKind>>>,
}

impl Kernel {
    pub(super) fn new(module: &Module, name: &str, preset: &[(u32, &[u8])]) -> Result<Kernel> {
        let mut kernel = Kernel {
            module: module.clone(),
            name: CString::new(name).map_err(|_| Error::invalid("the kernel's name holds a NUL"))?,
            preset: preset.iter().map(|&(index, value)| (index, value.into())).collect(),
            arguments: 0,
            idle: Mutex::default(),
        };
        let first = kernel.instance()?;
        // SAFETY: a live kernel.
        let count = unsafe { info::<cl_uint>(first.api().clGetKernelInfo, first.raw(), CL_KERNEL_NUM_ARGS) };
        kernel.arguments = count.map_err(|code| error(code, "clGetKernelInfo"))? as usize;
        kernel.put_back(first);
        Ok(kernel)
    }

    /// The device it was built for.
    pub fn device(&self) -> &Device {
        self.module.device()
    }

    fn instance(&self) -> Result<Handle<KernelKind>> {
        let api = self.device().api();
        let mut code = CL_SUCCESS;
        // SAFETY: a live program and a terminated name.
        let mut instance = unsafe {
            let raw = (api.clCreateKernel)(self.module.program().raw(), self.name.as_ptr(), &mut code);
            Handle::created(api, raw, code, "clCreateKernel")
        }
        .map_err(|e| Error::new(e.status(), format!("kernel {}: {e}", self.name.to_string_lossy())))?;
        for (index, value) in &self.preset {
            set_value(&mut instance, *index, value)?;
        }
        Ok(instance)
    }

    /// An instance with every argument set. If that fails the instance is lost and not its next user's problem.
    pub(super) fn bind(&self, args: &[Arg<'_>]) -> Result<Handle<KernelKind>> {
        ensure!(
            args.len() == self.arguments,
            "kernel {} has {} arguments, {} were given",
            self.name.to_string_lossy(),
            self.arguments,
            args.len()
        );
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut instance = match idle {
            Some(instance) => instance,
            None => self.instance()?,
        };
        for (index, arg) in (0..).zip(args) {
            match arg {
                Arg::Buffer(runtime::Buffer::Ocl(buffer)) => self.set_buffer(&mut instance, index, buffer)?,
                Arg::Buffer(_) => return Err(runtime::mismatch("the buffer")),
                Arg::Value(value) => set_value(&mut instance, index, value)?,
                Arg::Preset => ensure!(self.preset_value(index).is_some(), "argument {index} has no preset value"),
            }
        }
        Ok(instance)
    }

    /// Gives an instance back after its launch, with the presets that `args` replaced in place again.
    pub(super) fn restore(&self, mut instance: Handle<KernelKind>, args: &[Arg<'_>]) {
        for (index, arg) in (0..).zip(args) {
            if let (Arg::Value(_) | Arg::Buffer(_), Some(value)) = (arg, self.preset_value(index))
                && set_value(&mut instance, index, value).is_err()
            {
                return;
            }
        }
        self.put_back(instance);
    }

    fn preset_value(&self, index: u32) -> Option<&[u8]> {
        self.preset.iter().find(|(i, _)| *i == index).map(|(_, value)| &**value)
    }

    fn put_back(&self, instance: Handle<KernelKind>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(instance);
    }

    fn set_buffer(&self, instance: &mut Handle<KernelKind>, index: u32, buffer: &Buffer) -> Result<()> {
        same_context(buffer.device(), self.device(), "buffer")?;
        let raw = instance.raw();
        // SAFETY: a live kernel that nobody else holds, live memory of its context.
        let (code, call) = unsafe {
            match (buffer.memory(), self.device().pointers()) {
                (Memory::Object(object), _) => {
                    let object = object.raw();
                    let set = instance.api().clSetKernelArg;
                    (set(raw, index, size_of::<cl_mem>(), (&raw const object).cast()), "clSetKernelArg")
                }
                (Memory::Pointer(p), Pointers::Usm { api, .. }) => {
                    ((api.clSetKernelArgMemPointerINTEL)(raw, index, p.address), "clSetKernelArgMemPointerINTEL")
                }
                (Memory::Pointer(p), Pointers::Svm { api, .. }) => {
                    ((api.clSetKernelArgSVMPointer)(raw, index, p.address), "clSetKernelArgSVMPointer")
                }
                (Memory::Pointer(_), Pointers::None) => {
                    return Err(Error::invalid("the kernel's device has no pointers"));
                }
            }
        };
        check(code, call).map_err(|e| self.at(index, e))
    }

    #[cold]
    fn at(&self, index: u32, e: Error) -> Error {
        Error::new(e.status(), format!("argument {index} of kernel {}: {e}", self.name.to_string_lossy()))
    }
}

fn set_value(instance: &mut Handle<KernelKind>, index: u32, value: &[u8]) -> Result<()> {
    // SAFETY: a live kernel that nobody else holds; the driver copies the bytes and checks their number.
    let code = unsafe { (instance.api().clSetKernelArg)(instance.raw(), index, value.len(), value.as_ptr().cast()) };
    if code == CL_SUCCESS {
        return Ok(());
    }
    let e = error(code, "clSetKernelArg");
    Err(Error::new(e.status(), format!("argument {index}, {} bytes: {e}", value.len())))
}
