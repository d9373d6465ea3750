//! What the caller hands in: counted, checked, refused.

use super::*;
use crate::Status;

fn references(getter: Getter, object: *mut c_void, what: cl_uint) -> u32 {
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
