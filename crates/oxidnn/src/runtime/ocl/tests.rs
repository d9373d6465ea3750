//! Every test runs on every OpenCL device there is.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use opencl_sys::cl_function_types::*;
use opencl_sys::*;

use super::api::Api;
use super::device::Pointers;
use super::handle::info;
use super::*;
use crate::runtime::{self, Arg, DeviceType, MemoryKind, NdRange, Order, UsmSupport};
use crate::{Result, Status};

/// Functions that only a program that plays the caller needs.
#[allow(non_snake_case)]
struct Caller {
    clCreateUserEvent: clCreateUserEvent_fn,
    clSetUserEventStatus: clSetUserEventStatus_fn,
    clCreateSubBuffer: clCreateSubBuffer_fn,
    clCreateSubDevices: clCreateSubDevices_fn,
}

fn caller() -> Caller {
    let name = std::env::var_os("OXIDNN_OPENCL_LIB").unwrap_or("libOpenCL.so.1".into());
    // SAFETY: the loader is open already; each symbol has the type of its C declaration.
    unsafe {
        let library = libloading::Library::new(name).unwrap();
        let caller = Caller {
            clCreateUserEvent: *library.get("clCreateUserEvent").unwrap(),
            clSetUserEventStatus: *library.get("clSetUserEventStatus").unwrap(),
            clCreateSubBuffer: *library.get("clCreateSubBuffer").unwrap(),
            clCreateSubDevices: *library.get("clCreateSubDevices").unwrap(),
        };
        std::mem::forget(library);
        caller
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

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect()
}

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

#[test]
fn a_kernel_computes_on_every_kind_of_memory() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let kernel = module.kernel("axpy", &[(3, &4i32.to_ne_bytes())]).unwrap();
        for kind in kinds(device) {
            for order in [Order::InOrder, Order::OutOfOrder] {
                let queue = device.create_queue(order, false).unwrap();
                let x = device.allocate(kind, 16).unwrap();
                let y = device.allocate(kind, 16).unwrap();
                assert_eq!(x.kind(), kind);
                assert_eq!(x.size(), Some(16));
                queue.write(&x, &bytes_of(&[1., 2., 3., 4.]), &[]).unwrap();
                queue.write(&y, &bytes_of(&[10., 20., 30., 40.]), &[]).unwrap();
                let (bx, by) = (buffer(&x), buffer(&y));
                let scale = 2f32.to_ne_bytes();
                let args = [Arg::Buffer(&bx), Arg::Buffer(&by), Arg::Value(&scale), Arg::Preset];
                let event = queue.launch(&kernel, &args, line(4), &[], true).unwrap().unwrap();
                let mut out = [0; 16];
                queue.read(&y, &mut out, &[runtime::Event::Ocl(event)]).unwrap();
                assert_eq!(floats(&out), [12., 24., 36., 48.]);
            }
        }
    });
}

#[test]
fn a_replaced_preset_is_back_at_the_next_launch() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let y = device.allocate(MemoryKind::Buffer, 4).unwrap();
        let by = buffer(&y);
        let other = 9i32.to_ne_bytes();
        let mut out = [0; 4];
        for (arg, expected) in [(Arg::Preset, 7), (Arg::Value(&other), 9), (Arg::Preset, 7)] {
            queue.launch(&kernel, &[Arg::Buffer(&by), arg], line(1), &[], false).unwrap();
            queue.read(&y, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [expected]);
        }
    });
}

#[test]
fn wrong_arguments_are_errors_and_leave_the_kernel_usable() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let kernel = module.kernel("set", &[]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let y = device.allocate(MemoryKind::Buffer, 4).unwrap();
        let by = buffer(&y);
        let value = 3i32.to_ne_bytes();
        let launch = |args: &[Arg<'_>]| queue.launch(&kernel, args, line(1), &[], false).map(|_| ());
        let invalid = |result: Result<()>| assert_eq!(result.unwrap_err().status(), Status::InvalidArguments);
        invalid(launch(&[Arg::Buffer(&by)]));
        invalid(launch(&[Arg::Buffer(&by), Arg::Preset]));
        let host = runtime::Buffer::Cpu(runtime::cpu::Buffer::allocate(4).unwrap());
        invalid(launch(&[Arg::Buffer(&host), Arg::Value(&value)]));
        assert!(launch(&[Arg::Buffer(&by), Arg::Value(&[1, 2])]).is_err());
        launch(&[Arg::Buffer(&by), Arg::Value(&value)]).unwrap();
        let mut out = [0; 4];
        queue.read(&y, &mut out, &[]).unwrap();
        assert_eq!(ints(&out), [3]);
        assert!(module.kernel("no_such_kernel", &[]).unwrap_err().message().contains("no_such_kernel"));
    });
}

#[test]
fn an_empty_launch_keeps_its_place_among_events() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        let y = device.allocate(MemoryKind::Buffer, 0).unwrap();
        assert_eq!(y.size(), Some(0));
        let by = buffer(&y);
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = device.create_queue(order, false).unwrap();
            let args = [Arg::Buffer(&by), Arg::Preset];
            assert!(queue.launch(&kernel, &args, line(0), &[], false).unwrap().is_none());
            let event = queue.launch(&kernel, &args, line(0), &[], true).unwrap().unwrap();
            event.wait().unwrap();
            assert_eq!(event.status().unwrap(), EventStatus::Complete);
            queue.copy(&y, &y, 0, &[], true).unwrap().unwrap().wait().unwrap();
            queue.fill(&y, &[0], 0, &[], true).unwrap().unwrap().wait().unwrap();
            queue.read(&y, &mut [], &[]).unwrap();
            queue.write(&y, &[], &[]).unwrap();
        }
    });
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

fn references(getter: super::handle::Getter, object: *mut c_void, what: cl_uint) -> u32 {
    // SAFETY: callers pass live objects of the getter's kind.
    unsafe { info(getter, object, what).unwrap() }
}

/// Counts once they no longer change: a driver's threads let go of a command a little after it is complete.
fn settled<const N: usize>(count: impl Fn() -> [u32; N]) -> [u32; N] {
    let mut last = count();
    let mut calm = 0;
    while calm < 50 {
        thread::sleep(std::time::Duration::from_millis(1));
        let now = count();
        calm = if now == last { calm + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn what_the_caller_hands_in_has_the_same_references_afterwards() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        let (queue, mem, event) = (theirs.queue(0), theirs.mem(4), theirs.user_event());
        complete(event);
        // PoCL's queue holds on to its last command, and with it to itself: it needs one to start with.
        let mut out = [0; 4];
        // SAFETY: live objects, room for four bytes.
        unsafe {
            let data = out.as_mut_ptr().cast();
            (api().clEnqueueReadBuffer)(queue, mem, CL_TRUE, 0, 4, data, 0, ptr::null(), ptr::null_mut());
        }
        let count = || {
            [
                theirs.context.references(),
                references(api().clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT),
                references(api().clGetMemObjectInfo, mem, CL_MEM_REFERENCE_COUNT),
                references(api().clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT),
            ]
        };
        let before = settled(count);
        {
            // SAFETY: live objects.
            let (ours, our_queue, our_mem, our_event) = unsafe {
                let ours = Device::from_raw(device.raw_device(), theirs.context.0).unwrap();
                let our_queue = Queue::from_raw(&ours, queue).unwrap();
                let our_mem = Buffer::from_cl_mem(&ours, mem).unwrap();
                let our_event = Event::from_raw(&ours, event).unwrap();
                (ours, our_queue, our_mem, our_event)
            };
            assert_eq!(ours.raw_context(), theirs.context.0);
            assert_eq!(ours.raw_device(), device.raw_device());
            assert_eq!(our_queue.raw(), queue);
            assert_eq!(our_mem.cl_mem(), Some(mem));
            assert_eq!(our_mem.pointer(), None);
            assert_eq!(our_event.raw(), event);
            assert!(count().iter().zip(before).all(|(during, before)| *during > before), "nothing was retained");
            let module = ours.compile(SOURCE).unwrap();
            let kernel = module.kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
            let by = buffer(&our_mem);
            let deps = [runtime::Event::Ocl(our_event)];
            let done = our_queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Preset], line(1), &deps, true).unwrap();
            done.unwrap().wait().unwrap();
            let marker = our_queue.marker(&[]).unwrap().into_raw();
            our_queue.wait().unwrap();
            assert_eq!(settled(|| [references(api().clGetEventInfo, marker, CL_EVENT_REFERENCE_COUNT)]), [1]);
            // SAFETY: the reference was handed over.
            unsafe { (api().clReleaseEvent)(marker) };
            our_queue.read(&our_mem, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [7]);
        }
        assert_eq!(settled(count), before);
        // SAFETY: this test's own references.
        unsafe {
            (api().clReleaseEvent)(event);
            (api().clReleaseMemObject)(mem);
            (api().clReleaseCommandQueue)(queue);
        }
    });
}

#[test]
fn a_queue_is_what_its_properties_say() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        // SAFETY: live objects.
        let ours = unsafe { Device::from_raw(device.raw_device(), theirs.context.0).unwrap() };
        let mut cases = vec![(0, Order::InOrder, false), (CL_QUEUE_PROFILING_ENABLE, Order::InOrder, true)];
        if device.create_queue(Order::OutOfOrder, false).unwrap().order() == Order::OutOfOrder {
            let both = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
            cases.push((both, Order::OutOfOrder, true));
        }
        for (properties, order, profiling) in cases {
            let raw = theirs.queue(properties);
            // SAFETY: a live queue, whose reference is given up after use.
            let queue = unsafe {
                let queue = Queue::from_raw(&ours, raw).unwrap();
                (api().clReleaseCommandQueue)(raw);
                queue
            };
            assert_eq!((queue.order(), queue.profiling()), (order, profiling));
            let kernel = ours.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
            let by = buffer(&ours.allocate(MemoryKind::Buffer, 4096).unwrap());
            let event = queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Preset], line(1024), &[], true).unwrap();
            assert_eq!(event.unwrap().elapsed().unwrap().is_some(), profiling);
        }
    });
}

#[test]
fn foreign_and_null_handles_are_invalid_arguments() {
    on_each_device(|device| {
        let other = Device::open(DeviceId::from_device(device)).unwrap();
        assert_ne!(device, &other);
        let theirs = CallersObjects::new(device.raw_device());
        let (queue, mem, event) = (theirs.queue(0), theirs.mem(4), theirs.user_event());
        let invalid = |status: Status, what: &str| assert_eq!(status, Status::InvalidArguments, "{what}");
        // SAFETY: null or live objects.
        unsafe {
            let null = ptr::null_mut();
            invalid(Device::from_raw(null, theirs.context.0).unwrap_err().status(), "null device");
            invalid(Device::from_raw(device.raw_device(), null).unwrap_err().status(), "null context");
            invalid(Queue::from_raw(device, null).unwrap_err().status(), "null queue");
            invalid(Buffer::from_cl_mem(device, null).unwrap_err().status(), "null memory object");
            invalid(Event::from_raw(device, null).unwrap_err().status(), "null event");
            invalid(Queue::from_raw(device, queue).unwrap_err().status(), "queue of another context");
            invalid(Buffer::from_cl_mem(device, mem).unwrap_err().status(), "memory of another context");
            invalid(Event::from_raw(device, event).unwrap_err().status(), "event of another context");
            if device.profile().usm != UsmSupport::None {
                invalid(Buffer::from_pointer(device, null).unwrap_err().status(), "null pointer");
            }
        }
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        let (ours, foreign) =
            (device.allocate(MemoryKind::Buffer, 4).unwrap(), other.allocate(MemoryKind::Buffer, 4).unwrap());
        let (queue_here, queue_there) =
            (device.create_queue(Order::InOrder, false).unwrap(), other.create_queue(Order::InOrder, false).unwrap());
        let launch = |queue: &Queue, memory: &Buffer, deps: &[runtime::Event]| {
            let memory = buffer(memory);
            queue.launch(&kernel, &[Arg::Buffer(&memory), Arg::Preset], line(1), deps, false).map(|_| ())
        };
        launch(&queue_here, &ours, &[]).unwrap();
        invalid(launch(&queue_here, &foreign, &[]).unwrap_err().status(), "buffer of another context");
        invalid(launch(&queue_there, &ours, &[]).unwrap_err().status(), "kernel of another context");
        let foreign_event = runtime::Event::Ocl(queue_there.marker(&[]).unwrap());
        invalid(launch(&queue_here, &ours, &[foreign_event]).unwrap_err().status(), "event of another context");
        invalid(queue_here.copy(&foreign, &ours, 4, &[], false).unwrap_err().status(), "copy across contexts");
        invalid(queue_here.read(&foreign, &mut [0; 4], &[]).unwrap_err().status(), "read across contexts");
        invalid(queue_here.write(&ours, &[0; 5], &[]).unwrap_err().status(), "write past the end");
        // SAFETY: this test's own references.
        unsafe {
            complete(event);
            (api().clReleaseEvent)(event);
            (api().clReleaseMemObject)(mem);
            (api().clReleaseCommandQueue)(queue);
        }
    });
}

#[test]
fn a_context_without_the_device_is_refused() {
    let ids = Device::enumerate();
    for &a in ids {
        for &b in ids {
            let context = CallersContext::new(a.raw());
            // SAFETY: live objects.
            let result = unsafe { Device::from_raw(b.raw(), context.0) };
            match result {
                Ok(device) => assert_eq!(a, b, "{device:?}"),
                Err(e) => {
                    assert_ne!(a, b);
                    assert_eq!(e.status(), Status::InvalidArguments);
                }
            }
        }
    }
}

#[test]
fn a_sub_device_works_in_its_context() {
    on_each_device(|device| {
        // SAFETY: a live device.
        let parts: u32 =
            unsafe { info(api().clGetDeviceInfo, device.raw_device(), CL_DEVICE_PARTITION_MAX_SUB_DEVICES) }.unwrap();
        if parts < 2 {
            println!("cannot be divided");
            return;
        }
        let mut subs = [ptr::null_mut(); 2];
        let properties = [CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
        // SAFETY: a live device, terminated properties, room for two.
        let code = unsafe {
            let create = caller().clCreateSubDevices.unwrap();
            create(device.raw_device(), properties.as_ptr(), 2, subs.as_mut_ptr(), ptr::null_mut())
        };
        assert_eq!(code, CL_SUCCESS);
        let sub = subs[1];
        let count = || references(api().clGetDeviceInfo, sub, CL_DEVICE_REFERENCE_COUNT);
        let before = count();
        let context = CallersContext::of(&subs);
        {
            // SAFETY: live objects.
            let ours = unsafe { Device::from_raw(sub, context.0).unwrap() };
            assert!(count() > before);
            assert_eq!(ours.profile().compute_units, 1);
            let queue = ours.create_queue(Order::InOrder, false).unwrap();
            let module = ours.compile(SOURCE).unwrap();
            let kernel = module.kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
            let y = ours.allocate(MemoryKind::Buffer, 4).unwrap();
            queue.launch(&kernel, &[Arg::Buffer(&buffer(&y)), Arg::Preset], line(1), &[], false).unwrap();
            let mut out = [0; 4];
            queue.read(&y, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [7]);
            ours.load(&module.binary().unwrap()).unwrap().kernel("set", &[]).unwrap();
        }
        drop(context);
        assert_eq!(count(), before);
        for sub in subs {
            // SAFETY: this test's own references.
            unsafe { (api().clReleaseDevice)(sub) };
        }
    });
}

#[test]
fn a_sub_buffer_is_the_part_it_names() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        // SAFETY: live objects.
        let ours = unsafe { Device::from_raw(device.raw_device(), theirs.context.0).unwrap() };
        let mem = theirs.mem(8192);
        let region = cl_buffer_region { origin: 4096, size: 4096 };
        let mut code = 0;
        // SAFETY: a live memory object and a region inside it; references are given up after use.
        let (whole, part) = unsafe {
            let kind = CL_BUFFER_CREATE_TYPE_REGION;
            let create = caller().clCreateSubBuffer.unwrap();
            let sub = create(mem, CL_MEM_READ_WRITE, kind, (&raw const region).cast(), &mut code);
            assert_eq!(code, CL_SUCCESS);
            let both = (Buffer::from_cl_mem(&ours, mem).unwrap(), Buffer::from_cl_mem(&ours, sub).unwrap());
            (api().clReleaseMemObject)(sub);
            (api().clReleaseMemObject)(mem);
            both
        };
        assert_eq!(part.size(), Some(4096));
        let queue = ours.create_queue(Order::InOrder, false).unwrap();
        let kernel = ours.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        queue.fill(&whole, &[0], 8192, &[], false).unwrap();
        queue.launch(&kernel, &[Arg::Buffer(&buffer(&part)), Arg::Preset], line(1024), &[], false).unwrap();
        queue.wait().unwrap();
        let mut out = vec![1; 8192];
        queue.read(&whole, &mut out, &[]).unwrap();
        let values = ints(&out);
        assert!(values[..1024].iter().all(|&v| v == 0) && values[1024..].iter().all(|&v| v == 7));
    });
}

#[test]
fn out_of_order_commands_follow_their_events() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let (set, twice) = (module.kernel("set", &[]).unwrap(), module.kernel("twice_plus", &[]).unwrap());
        let queue = device.create_queue(Order::OutOfOrder, false).unwrap();
        for kind in kinds(device) {
            let y = device.allocate(kind, 4096).unwrap();
            let by = buffer(&y);
            for round in 0..20i32 {
                let launch = |kernel: &Kernel, value: i32, deps: &[runtime::Event]| {
                    let value = value.to_ne_bytes();
                    let args = [Arg::Buffer(&by), Arg::Value(&value)];
                    runtime::Event::Ocl(queue.launch(kernel, &args, line(1024), deps, true).unwrap().unwrap())
                };
                let first = launch(&set, round, &[]);
                let second = launch(&twice, 1, &[first]);
                let third = launch(&twice, 5, &[second]);
                let mut out = vec![0; 4096];
                queue.read(&y, &mut out, &[third]).unwrap();
                assert!(ints(&out).iter().all(|&v| v == 2 * (2 * round + 1) + 5));
            }
        }
    });
}

#[test]
fn a_marker_waits_for_its_list_and_for_what_came_before() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        // SAFETY: live objects.
        let ours = unsafe { Device::from_raw(device.raw_device(), theirs.context.0).unwrap() };
        let kernel = ours.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        let by = buffer(&ours.allocate(MemoryKind::Buffer, 4096).unwrap());
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = ours.create_queue(order, false).unwrap();
            let gates = [theirs.user_event(), theirs.user_event()];
            // SAFETY: live events, whose references are given up after use.
            let [before, listed] = gates.map(|gate| unsafe {
                let event = runtime::Event::Ocl(Event::from_raw(&ours, gate).unwrap());
                (api().clReleaseEvent)(gate);
                event
            });
            let args = [Arg::Buffer(&by), Arg::Preset];
            queue.launch(&kernel, &args, line(1024), std::slice::from_ref(&before), false).unwrap();
            let marker = queue.marker(std::slice::from_ref(&listed)).unwrap();
            queue.flush().unwrap();
            let pending = || assert_ne!(marker.status().unwrap(), EventStatus::Complete);
            pending();
            complete(gates[1]);
            thread::sleep(std::time::Duration::from_millis(20));
            pending();
            complete(gates[0]);
            marker.wait().unwrap();
            assert_eq!(marker.status().unwrap(), EventStatus::Complete);
        }
    });
}

#[test]
fn a_launch_does_not_wait_for_its_dependencies() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        // SAFETY: live objects.
        let ours = unsafe { Device::from_raw(device.raw_device(), theirs.context.0).unwrap() };
        let kernel = ours.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        for kind in kinds(device) {
            for order in [Order::InOrder, Order::OutOfOrder] {
                let queue = ours.create_queue(order, false).unwrap();
                let (x, y) = (ours.allocate(kind, 4).unwrap(), ours.allocate(kind, 4).unwrap());
                queue.write(&x, &[0; 4], &[]).unwrap();
                let gate = theirs.user_event();
                // SAFETY: a live event, whose reference is given up after use.
                let dep = unsafe {
                    let event = runtime::Event::Ocl(Event::from_raw(&ours, gate).unwrap());
                    (api().clReleaseEvent)(gate);
                    event
                };
                let bx = buffer(&x);
                let args = [Arg::Buffer(&bx), Arg::Preset];
                let ran = queue.launch(&kernel, &args, line(1), std::slice::from_ref(&dep), true).unwrap().unwrap();
                let copied = queue.copy(&x, &y, 4, &[runtime::Event::Ocl(ran.clone())], true).unwrap().unwrap();
                queue.flush().unwrap();
                assert_ne!(ran.status().unwrap(), EventStatus::Complete);
                complete(gate);
                copied.wait().unwrap();
                let mut out = [0; 4];
                queue.read(&y, &mut out, &[]).unwrap();
                assert_eq!(ints(&out), [7]);
            }
        }
    });
}

#[test]
fn bytes_are_copied_between_all_kinds_of_memory() {
    on_each_device(|device| {
        let data: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = device.create_queue(order, false).unwrap();
            for from in memories(device, 1000) {
                for to in memories(device, 1000) {
                    let filled = queue.fill(&to.0, &[0xab, 0xcd], 1000, &[], true).unwrap().unwrap();
                    queue.write(&from.0, &data, &[]).unwrap();
                    let deps = [runtime::Event::Ocl(filled)];
                    let copied = queue.copy(&from.0, &to.0, 999, &deps, true).unwrap().unwrap();
                    let mut out = vec![0; 1000];
                    queue.read(&to.0, &mut out, &[runtime::Event::Ocl(copied)]).unwrap();
                    assert_eq!(out[..999], data[..999]);
                    assert_eq!(out[999], 0xcd);
                }
            }
        }
    });
}

/// Memory of each kind the device has, the caller's USM allocations among it.
fn memories(device: &Device, bytes: usize) -> Vec<(Buffer, Option<CallersUsm>)> {
    let mut all: Vec<_> = kinds(device).into_iter().map(|k| (device.allocate(k, bytes).unwrap(), None)).collect();
    if let Pointers::Usm { .. } = device.pointers() {
        for place in [CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL, CL_MEM_TYPE_SHARED_INTEL] {
            let theirs = CallersUsm::new(device, place, bytes);
            // SAFETY: live memory, which is freed after the buffer is dropped.
            let buffer = unsafe { Buffer::from_pointer(device, theirs.address).unwrap() };
            assert_eq!((buffer.kind(), buffer.size()), (MemoryKind::Usm, None));
            assert_eq!(buffer.pointer(), Some(theirs.address));
            all.push((buffer, Some(theirs)));
        }
    }
    all
}

/// USM memory of the caller's.
struct CallersUsm {
    device: Device,
    address: *mut c_void,
}

impl CallersUsm {
    fn new(device: &Device, place: cl_uint, bytes: usize) -> CallersUsm {
        let Pointers::Usm { api, .. } = device.pointers() else { panic!("no USM") };
        let (context, id, none) = (device.raw_context(), device.raw_device(), ptr::null());
        let mut code = 0;
        // SAFETY: a live context and device.
        let address = unsafe {
            match place {
                CL_MEM_TYPE_HOST_INTEL => (api.clHostMemAllocINTEL)(context, none, bytes, 0, &mut code),
                CL_MEM_TYPE_DEVICE_INTEL => (api.clDeviceMemAllocINTEL)(context, id, none, bytes, 0, &mut code),
                _ => (api.clSharedMemAllocINTEL)(context, id, none, bytes, 0, &mut code),
            }
        };
        assert_eq!(code, CL_SUCCESS);
        CallersUsm { device: device.clone(), address }
    }
}

impl Drop for CallersUsm {
    fn drop(&mut self) {
        let Pointers::Usm { api, .. } = self.device.pointers() else { return };
        // SAFETY: allocated in this context.
        unsafe { (api.clMemBlockingFreeINTEL)(self.device.raw_context(), self.address) };
    }
}

#[test]
fn a_pointer_the_context_does_not_know_is_refused() {
    on_each_device(|device| {
        let Pointers::Usm { system, .. } = device.pointers() else { return };
        let mut local = [0u8; 64];
        // SAFETY: live memory.
        let result = unsafe { Buffer::from_pointer(device, local.as_mut_ptr().cast()) };
        match result {
            Ok(_) => assert!(system),
            Err(e) => assert_eq!(e.status(), Status::InvalidArguments),
        }
    });
}

#[test]
fn usm_without_usm_is_unimplemented() {
    on_each_device(|device| {
        let result = device.allocate(MemoryKind::Usm, 4);
        match device.profile().usm {
            UsmSupport::None => assert_eq!(result.unwrap_err().status(), Status::Unimplemented),
            UsmSupport::Svm | UsmSupport::Usm => assert!(result.is_ok()),
        }
    });
}

#[test]
fn too_much_memory_is_out_of_memory() {
    on_each_device(|device| {
        for kind in kinds(device) {
            let e = device.allocate(kind, usize::MAX / 4).unwrap_err();
            assert_eq!(e.status(), Status::OutOfMemory, "{e}");
        }
    });
}

#[test]
fn a_map_shows_the_device_memory_and_unmap_stores_it() {
    on_each_device(|device| {
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = device.create_queue(order, false).unwrap();
            let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
            for (y, _theirs) in memories(device, 64) {
                queue.launch(&kernel, &[Arg::Buffer(&buffer(&y)), Arg::Preset], line(16), &[], false).unwrap();
                let outer = queue.map(&y, 64, Access::ReadWrite).unwrap();
                let inner = queue.map(&y, 8, Access::Read).unwrap();
                // SAFETY: mapped for 64 and 8 bytes.
                unsafe {
                    assert_eq!(*inner.cast::<i32>(), 7);
                    assert_eq!(*outer.cast::<i32>().add(15), 7);
                    *outer.cast::<i32>().add(15) = 9;
                }
                queue.unmap(&y, inner).unwrap();
                queue.unmap(&y, outer).unwrap();
                assert_eq!(queue.unmap(&y, outer).unwrap_err().status(), Status::InvalidArguments);
                let mut out = [0; 64];
                queue.read(&y, &mut out, &[]).unwrap();
                assert_eq!(ints(&out)[14..], [7, 9]);
                let empty = queue.map(&y, 0, Access::ReadWrite).unwrap();
                queue.unmap(&y, empty).unwrap();
            }
        }
    });
}

#[test]
fn a_binary_gives_the_same_program() {
    on_each_device(|device| {
        for with_kernel_first in [true, false] {
            let module = device.compile(SOURCE).unwrap();
            if with_kernel_first {
                module.kernel("set", &[]).unwrap();
            }
            let binary = module.binary().unwrap();
            let kernel = device.load(&binary).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
            let queue = device.create_queue(Order::InOrder, false).unwrap();
            let y = device.allocate(MemoryKind::Buffer, 4).unwrap();
            queue.launch(&kernel, &[Arg::Buffer(&buffer(&y)), Arg::Preset], line(1), &[], false).unwrap();
            let mut out = [0; 4];
            queue.read(&y, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [7]);
        }
    });
}

#[test]
fn what_is_no_binary_is_invalid() {
    on_each_device(|device| {
        if device.has_fault(Fault::AbortsOnBadBinary) {
            println!("skipped: the driver ends the process");
            return;
        }
        for garbage in [&b""[..], b"x", b"this is not a program binary at all, whatever the driver"] {
            let e = device.load(garbage).unwrap_err();
            assert_eq!(e.status(), Status::InvalidArguments, "{e}");
        }
    });
}

#[test]
fn a_compile_error_carries_the_log() {
    on_each_device(|device| {
        let e = device.compile("kernel void f(global int *x) { *x = no_such_name; }").unwrap_err();
        assert_eq!(e.status(), Status::RuntimeError);
        assert!(e.message().contains("CL_BUILD_PROGRAM_FAILURE") && e.message().contains("no_such_name"), "{e}");
    });
}

#[test]
fn threads_share_a_kernel() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[]).unwrap();
        let shared = device.create_queue(Order::InOrder, false).unwrap();
        let wrong = AtomicUsize::new(0);
        thread::scope(|scope| {
            for id in 0..4i32 {
                let (kernel, shared, wrong) = (&kernel, &shared, &wrong);
                scope.spawn(move || {
                    let own = device.create_queue(Order::InOrder, false).unwrap();
                    let queue = if id % 2 == 0 { &own } else { shared };
                    let y = device.allocate(MemoryKind::Buffer, 256).unwrap();
                    let by = buffer(&y);
                    for round in 0..50 {
                        let value = (id * 1000 + round).to_ne_bytes();
                        let args = [Arg::Buffer(&by), Arg::Value(&value)];
                        queue.launch(kernel, &args, line(64), &[], false).unwrap();
                        let mut out = [0; 256];
                        queue.read(&y, &mut out, &[]).unwrap();
                        if ints(&out).iter().any(|&v| v != id * 1000 + round) {
                            wrong.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(wrong.into_inner(), 0);
    });
}

#[test]
fn a_write_is_seen_by_other_queues() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("twice_plus", &[(1, &1i32.to_ne_bytes())]).unwrap();
        let writer = device.create_queue(Order::InOrder, false).unwrap();
        let runner = device.create_queue(Order::InOrder, false).unwrap();
        let y = device.allocate(MemoryKind::Buffer, 4 << 10).unwrap();
        for round in 0..100i32 {
            writer.write(&y, &round.to_ne_bytes().repeat(1 << 10), &[]).unwrap();
            runner.launch(&kernel, &[Arg::Buffer(&buffer(&y)), Arg::Preset], line(1 << 10), &[], false).unwrap();
            let mut out = vec![0; 4 << 10];
            runner.read(&y, &mut out, &[]).unwrap();
            assert!(ints(&out).iter().all(|&v| v == 2 * round + 1), "round {round}");
        }
    });
}

#[test]
fn freeing_memory_waits_for_the_commands_that_use_it() {
    on_each_device(|device| {
        let theirs = CallersObjects::new(device.raw_device());
        // SAFETY: live objects.
        let ours = unsafe { Device::from_raw(device.raw_device(), theirs.context.0).unwrap() };
        let kernel = ours.compile(SOURCE).unwrap().kernel("set", &[(1, &7i32.to_ne_bytes())]).unwrap();
        for kind in kinds(device) {
            let queue = ours.create_queue(Order::InOrder, false).unwrap();
            let y = ours.allocate(kind, 1 << 20).unwrap();
            let gate = theirs.user_event();
            // SAFETY: a live event.
            let dep = runtime::Event::Ocl(unsafe { Event::from_raw(&ours, gate).unwrap() });
            let ran = {
                let args = [Arg::Buffer(&buffer(&y)), Arg::Preset];
                queue.launch(&kernel, &args, line(1 << 18), &[dep], true).unwrap().unwrap()
            };
            queue.flush().unwrap();
            let freed = thread::scope(|scope| {
                let free = scope.spawn(move || drop(y));
                thread::sleep(std::time::Duration::from_millis(20));
                let early = free.is_finished();
                complete(gate);
                free.join().unwrap();
                early
            });
            // A memory object counts its users by itself; a pointer must not be gone yet.
            assert!(kind == MemoryKind::Buffer || !freed, "freed while in use");
            ran.wait().unwrap();
            assert_eq!(ran.status().unwrap(), EventStatus::Complete);
            // SAFETY: this test's own reference.
            unsafe { (api().clReleaseEvent)(gate) };
        }
    });
}

#[test]
fn a_profile_promises_what_the_compiler_keeps() {
    on_each_device(|device| {
        let profile = device.profile();
        println!("{profile:?}");
        let promises = [
            (true, "kernel void f(global float *x) { x[0] += vload_half(0, (global half *)x); }"),
            (
                profile.fp64,
                "#pragma OPENCL EXTENSION cl_khr_fp64 : enable
                 kernel void f(global double *x) { x[0] = x[0] * x[1]; }",
            ),
            (
                profile.fp16,
                "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
                 kernel void f(global half *x) { x[0] = x[0] * x[1]; }",
            ),
            (
                profile.subgroups,
                "kernel void f(global int *x) {
                     x[get_global_id(0)] = sub_group_reduce_add(x[get_global_id(0)]) + (int)get_sub_group_size();
                 }",
            ),
            (
                profile.clang_builtins,
                "kernel void f(global float16 *x) {
                     __builtin_prefetch((__private const void *)(size_t)(x + 1), 0, 3);
                     __builtin_nontemporal_store(x[0], x + 1);
                 }",
            ),
        ];
        for (promised, source) in promises {
            if promised {
                device.compile(source).unwrap().kernel("f", &[]).unwrap();
            }
        }
        assert!(profile.compute_units > 0 && profile.max_work_group > 0 && profile.max_allocation > 0);
        assert_eq!(profile.vector_bytes % 4, 0);
    });
}

#[test]
fn an_identity_is_stable_and_names_the_driver() {
    on_each_device(|device| {
        let identity = device.identity();
        assert_eq!(identity, Device::open(DeviceId::from_device(device)).unwrap().identity());
        let text = String::from_utf8(identity).unwrap();
        assert!(text.split('\0').any(|part| part == device.profile().driver), "{text:?}");
    });
}

/// Runs one test of this file in a process of its own, with a variable set.
fn in_child(test: &str, variable: &str, value: &str) {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{}::{test}", module_path!().split_once("::").unwrap().1)])
        .env(variable, value)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && report.contains("1 passed"), "{report}");
}

#[test]
fn the_class_of_a_device_can_be_set_for_tests() {
    const VARIABLE: &str = "OXIDNN_DEVICE_PROFILE";
    let Ok(class) = std::env::var(VARIABLE) else {
        for class in ["cpu", "gpu"] {
            in_child("the_class_of_a_device_can_be_set_for_tests", VARIABLE, class);
        }
        return;
    };
    on_each_device(|device| match class.as_str() {
        "gpu" => assert_eq!(device.profile().device_type, DeviceType::Gpu),
        _ => assert_eq!(device.profile().device_type, DeviceType::Cpu),
    });
}

#[test]
fn without_opencl_there_are_no_devices() {
    const MISSING: &str = "libno-such-loader.so.1";
    if std::env::var_os("OXIDNN_OPENCL_LIB").is_some_and(|name| name == MISSING) {
        assert!(Device::enumerate().is_empty());
        // SAFETY: without a loader nobody looks at the handles.
        let e = unsafe { Device::from_raw(ptr::dangling_mut(), ptr::dangling_mut()).unwrap_err() };
        assert_eq!(e.status(), Status::RuntimeError);
        assert!(e.message().contains(MISSING), "{e}");
        return;
    }
    in_child("without_opencl_there_are_no_devices", "OXIDNN_OPENCL_LIB", MISSING);
}
