//! Every test runs on every Level Zero device there is.

mod commands;
mod events;
mod objects;

use std::ffi::c_void;
use std::ptr;
use std::thread;

use super::api::Api;
use super::bindings::*;
use super::*;
use crate::runtime::{self, Access, Arg, MemoryKind, NdRange, Order};
use crate::{Result, Status};

fn api() -> &'static Api {
    Api::get().unwrap()
}

/// Functions that only a program that plays the caller needs.
#[allow(non_snake_case)]
struct More {
    zeEventHostSignal: ze_pfnEventHostSignal_t,
    zeCommandListCreate: ze_pfnCommandListCreate_t,
}

fn more() -> More {
    let library = super::api::open_loader(&super::api::loader_name()).unwrap();
    // SAFETY: each symbol has the type of its C declaration, and the loader stays open.
    unsafe {
        More {
            zeEventHostSignal: *library.get("zeEventHostSignal").unwrap(),
            zeCommandListCreate: *library.get("zeCommandListCreate").unwrap(),
        }
    }
}

fn on_each_device(test: impl Fn(&Device)) {
    let ids = Device::enumerate();
    if ids.is_empty() {
        println!("skipped: no Level Zero device on this machine");
    }
    for &id in ids {
        let device = Device::open(id).unwrap();
        println!("{device:?}");
        test(&device);
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
    runtime::Buffer::Ze(buffer.clone())
}

fn line(n: usize) -> NdRange {
    NdRange { global: [n, 1, 1], local: None }
}

fn invalid<T>(result: Result<T>) -> String {
    let error = result.err().expect("an error");
    assert_eq!(error.status(), Status::InvalidArguments, "{error}");
    error.message().to_owned()
}

/// A context, command lists and events of the caller's.
struct Caller {
    id: DeviceId,
    context: ze_context_handle_t,
    pool: ze_event_pool_handle_t,
}

impl Caller {
    fn new(device: &Device) -> Caller {
        let id = DeviceId::of(device);
        let desc = ze_context_desc_t { stype: ZE_STRUCTURE_TYPE_CONTEXT_DESC, ..Default::default() };
        let (mut context, mut pool) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: a live driver, and places for the results.
        unsafe {
            assert_eq!((api().zeContextCreate)(id.raw_driver(), &desc, &mut context), ZE_RESULT_SUCCESS);
            let desc = ze_event_pool_desc_t {
                stype: ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                flags: ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                count: 4,
                ..Default::default()
            };
            assert_eq!((api().zeEventPoolCreate)(context, &desc, 0, ptr::null_mut(), &mut pool), ZE_RESULT_SUCCESS);
        }
        Caller { id, context, pool }
    }

    fn device(&self) -> Device {
        // SAFETY: live objects, which outlive the device in every test.
        unsafe { Device::from_raw(self.id.raw_driver(), self.id.raw_device(), self.context).unwrap() }
    }

    fn list(&self, flags: u32) -> ze_command_list_handle_t {
        let desc = ze_command_queue_desc_t {
            stype: ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            flags,
            mode: ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ..Default::default()
        };
        let mut list = ptr::null_mut();
        // SAFETY: live objects and a place for the result.
        let code =
            unsafe { (api().zeCommandListCreateImmediate)(self.context, self.id.raw_device(), &desc, &mut list) };
        assert_eq!(code, ZE_RESULT_SUCCESS);
        list
    }

    fn event(&self, index: u32) -> ze_event_handle_t {
        let desc = ze_event_desc_t {
            stype: ZE_STRUCTURE_TYPE_EVENT_DESC,
            index,
            signal: ZE_EVENT_SCOPE_FLAG_HOST,
            wait: ZE_EVENT_SCOPE_FLAG_HOST,
            ..Default::default()
        };
        let mut event = ptr::null_mut();
        // SAFETY: a live pool and a place for the result.
        assert_eq!(unsafe { (api().zeEventCreate)(self.pool, &desc, &mut event) }, ZE_RESULT_SUCCESS);
        event
    }

    fn signal(&self, event: ze_event_handle_t) {
        // SAFETY: a live event.
        assert_eq!(unsafe { more().zeEventHostSignal.unwrap()(event) }, ZE_RESULT_SUCCESS);
    }

    fn destroy_list(&self, list: ze_command_list_handle_t) {
        // SAFETY: the test's own list, idle.
        assert_eq!(unsafe { (api().zeCommandListDestroy)(list) }, ZE_RESULT_SUCCESS);
    }

    fn destroy_event(&self, event: ze_event_handle_t) {
        // SAFETY: the test's own event, which no command uses any more.
        assert_eq!(unsafe { (api().zeEventDestroy)(event) }, ZE_RESULT_SUCCESS);
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // SAFETY: its own, unused.
        unsafe {
            (api().zeEventPoolDestroy)(self.pool);
            (api().zeContextDestroy)(self.context);
        }
    }
}
