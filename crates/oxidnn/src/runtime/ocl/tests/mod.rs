//! Every test runs on every OpenCL device there is.

mod commands;
mod devices;
mod handles;
mod memory;
mod modules;

use std::ffi::c_void;
use std::ptr;
use std::thread;

use opencl_sys::cl_function_types::*;
use opencl_sys::*;

use super::api::Api;
use super::device::Pointers;
use super::handle::{Getter, info};
use super::*;
use crate::runtime::{self, Arg, MemoryKind, NdRange, Order, UsmSupport};

/// Functions that only a program that plays the caller needs.
#[allow(non_snake_case)]
struct Caller {
    clCreateUserEvent: clCreateUserEvent_fn,
    clSetUserEventStatus: clSetUserEventStatus_fn,
    clCreateSubBuffer: clCreateSubBuffer_fn,
    clCreateSubDevices: clCreateSubDevices_fn,
}

fn caller() -> Caller {
    let library = super::api::open_loader(&super::api::loader_name()).unwrap();
    // SAFETY: each symbol has the type of its C declaration, and the loader stays open.
    unsafe {
        Caller {
            clCreateUserEvent: *library.get("clCreateUserEvent").unwrap(),
            clSetUserEventStatus: *library.get("clSetUserEventStatus").unwrap(),
            clCreateSubBuffer: *library.get("clCreateSubBuffer").unwrap(),
            clCreateSubDevices: *library.get("clCreateSubDevices").unwrap(),
        }
    }
}

fn api() -> &'static Api {
    Api::get().unwrap()
}

fn on_each_device(test: impl Fn(&Device)) {
    let ids = Device::enumerate();
    if ids.is_empty() {
        println!("skipped: no OpenCL device on this machine");
    }
    for &id in ids {
        let device = Device::open(id).unwrap();
        println!("{device:?}");
        test(&device);
        if let Some(coarse) = device.with_coarse_svm() {
            println!("with coarse-grained SVM");
            test(&coarse);
        }
    }
}

/// Whether a known fault of the driver keeps a test from running.
fn skipped(device: &Device, fault: Fault) -> bool {
    let has = device.has_fault(fault);
    if has {
        println!("skipped: {fault:?}");
    }
    has
}

/// A context of the caller's.
struct CallersContext(cl_context);

impl CallersContext {
    fn new(device: cl_device_id) -> CallersContext {
        CallersContext::of(&[device])
    }

    fn of(devices: &[cl_device_id]) -> CallersContext {
        let (count, devices) = (devices.len() as u32, devices.as_ptr());
        let mut code = 0;
        // SAFETY: live devices, as many as it says.
        let context = unsafe { (api().clCreateContext)(ptr::null(), count, devices, None, ptr::null_mut(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        CallersContext(context)
    }

    fn references(&self) -> u32 {
        // SAFETY: a live context.
        unsafe { info(api().clGetContextInfo, self.0, CL_CONTEXT_REFERENCE_COUNT).unwrap() }
    }
}

impl Drop for CallersContext {
    fn drop(&mut self) {
        // SAFETY: its own reference.
        unsafe { (api().clReleaseContext)(self.0) };
    }
}

const SOURCE: &str = "
kernel void axpy(global const float *x, global float *y, float a, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
kernel void set(global int *y, int value) { y[get_global_id(0)] = value; }
kernel void twice_plus(global int *y, int value) { y[get_global_id(0)] = 2 * y[get_global_id(0)] + value; }
";

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|b| i32::from_ne_bytes(b.try_into().unwrap())).collect()
}

fn buffer(buffer: &Buffer) -> runtime::Buffer {
    runtime::Buffer::Ocl(buffer.clone())
}

fn line(n: usize) -> NdRange {
    NdRange { global: [n, 1, 1], local: None }
}

fn kinds(device: &Device) -> Vec<MemoryKind> {
    match device.profile().usm {
        UsmSupport::None => vec![MemoryKind::Buffer],
        _ => vec![MemoryKind::Buffer, MemoryKind::Usm],
    }
}

/// The caller's own queue, memory object and user event, on the caller's own context.
struct CallersObjects {
    context: CallersContext,
    device: cl_device_id,
}

impl CallersObjects {
    fn new(device: cl_device_id) -> CallersObjects {
        CallersObjects { context: CallersContext::new(device), device }
    }

    fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        let mut code = 0;
        // SAFETY: a live context that holds the device.
        let queue = unsafe { (api().clCreateCommandQueue)(self.context.0, self.device, properties, &mut code) };
        assert_eq!(code, CL_SUCCESS);
        queue
    }

    fn mem(&self, bytes: usize) -> cl_mem {
        let mut code = 0;
        // SAFETY: a live context.
        let mem =
            unsafe { (api().clCreateBuffer)(self.context.0, CL_MEM_READ_WRITE, bytes, ptr::null_mut(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        mem
    }

    fn user_event(&self) -> cl_event {
        let mut code = 0;
        // SAFETY: a live context.
        let event = unsafe { caller().clCreateUserEvent.unwrap()(self.context.0, &mut code) };
        assert_eq!(code, CL_SUCCESS);
        event
    }
}

fn complete(user_event: cl_event) {
    // SAFETY: a live user event.
    assert_eq!(unsafe { caller().clSetUserEventStatus.unwrap()(user_event, CL_COMPLETE) }, CL_SUCCESS);
}
