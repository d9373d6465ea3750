//! The caller's objects, right and wrong; modules; a machine without Level Zero.

use super::*;
use crate::observe::child;

#[test]
fn the_callers_objects_are_taken_and_left_alone() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let list = caller.list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        {
            let own = caller.device();
            assert_eq!(own.raw_driver(), caller.id.raw_driver());
            assert_eq!(own.raw_device(), caller.id.raw_device());
            assert_eq!(own.raw_context(), caller.context);
            assert_eq!(own.identity(), device.identity());
            // SAFETY: live handles.
            let identity = unsafe { Device::identity_of(own.raw_driver(), own.raw_device()) };
            assert_eq!(identity.unwrap(), device.identity());
            // SAFETY: a live list of the context.
            let queue = unsafe { Queue::from_raw(&own, list, Order::InOrder, true).unwrap() };
            assert_eq!((queue.raw(), queue.order(), queue.profiling()), (list, Order::InOrder, true));
        }
        // SAFETY: both are still the test's.
        assert_eq!(unsafe { (api().zeContextGetStatus)(caller.context) }, ZE_RESULT_SUCCESS);
        caller.destroy_list(list);
    });
}

#[test]
fn wrong_objects_are_refused() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let (driver, id, context) = (caller.id.raw_driver(), caller.id.raw_device(), caller.context);
        let mut nothing = 0u64;
        let nowhere: *mut c_void = (&raw mut nothing).cast();
        // SAFETY: nulls and handles that are only compared with those of the loader.
        unsafe {
            assert!(invalid(Device::from_raw(ptr::null_mut(), id, context)).contains("driver is null"));
            assert!(invalid(Device::from_raw(driver, ptr::null_mut(), context)).contains("device is null"));
            assert!(invalid(Device::from_raw(driver, id, ptr::null_mut())).contains("context is null"));
            assert!(invalid(Device::from_raw(driver, nowhere.cast(), context)).contains("none of the driver's"));
            assert!(invalid(Device::from_raw(nowhere.cast(), id, context)).contains("none that the loader lists"));
            assert!(invalid(Device::identity_of(driver, nowhere.cast())).contains("none of the driver's"));
            let own = caller.device();
            invalid(Queue::from_raw(&own, ptr::null_mut(), Order::Unknown, false));
            invalid(Event::from_raw(&own, ptr::null_mut()));
            invalid(Buffer::from_pointer(&own, ptr::null_mut()));
            if !own.abilities().system {
                assert!(invalid(Buffer::from_pointer(&own, nowhere)).contains("not memory of"));
            }
        }
    });
}

#[test]
fn a_list_of_another_context_or_kind_is_refused_where_the_loader_tells() {
    on_each_device(|device| {
        if api().zeCommandListGetContextHandle.is_none() || api().zeCommandListIsImmediate.is_none() {
            println!("skipped: the loader does not tell what a command list is");
            return;
        }
        let (caller, other) = (Caller::new(device), Caller::new(device));
        let foreign = other.list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let desc = ze_command_list_desc_t { stype: ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, ..Default::default() };
        let mut regular = ptr::null_mut();
        // SAFETY: live objects, and a place for the result.
        unsafe {
            let create = more().zeCommandListCreate.unwrap();
            let code = create(caller.context, caller.id.raw_device(), &desc, &mut regular);
            assert_eq!(code, ZE_RESULT_SUCCESS);
            let own = caller.device();
            let error = invalid(Queue::from_raw(&own, foreign, Order::Unknown, false));
            assert!(error.contains("another Level Zero context"), "{error}");
            let error = invalid(Queue::from_raw(&own, regular, Order::Unknown, false));
            assert!(error.contains("not an immediate one"), "{error}");
        }
        other.destroy_list(foreign);
        caller.destroy_list(regular);
    });
}

#[test]
fn every_kind_of_the_callers_memory_is_taken() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let own = caller.device();
        let kernel = own.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let queue = own.create_queue(Order::InOrder, false).unwrap();
        let on_device =
            ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
        let on_host = ze_host_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, ..Default::default() };
        for kind in 0..3 {
            let mut pointer = ptr::null_mut();
            // SAFETY: live objects, structures that say what they are, a place for the result.
            let code = unsafe {
                match kind {
                    0 => (api().zeMemAllocDevice)(caller.context, &on_device, 64, 0, own.raw_device(), &mut pointer),
                    1 => (api().zeMemAllocHost)(caller.context, &on_host, 64, 0, &mut pointer),
                    _ => (api().zeMemAllocShared)(
                        caller.context,
                        &on_device,
                        &on_host,
                        64,
                        0,
                        own.raw_device(),
                        &mut pointer,
                    ),
                }
            };
            assert_eq!(code, ZE_RESULT_SUCCESS);
            // SAFETY: inside of the allocation.
            let inside = unsafe { pointer.cast::<u8>().add(16).cast::<c_void>() };
            // SAFETY: live memory.
            let memory = unsafe { Buffer::from_pointer(&own, inside).unwrap() };
            assert_eq!(memory.pointer(), inside);
            assert!(memory.size().is_none_or(|size| size >= 48), "{:?}", memory.size());
            let by = buffer(&memory);
            queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Preset], line(4), &[], false).unwrap();
            queue.wait().unwrap();
            let mut out = [0; 16];
            queue.read(&memory, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [5; 4]);
            drop((memory, by));
            // SAFETY: the test's own allocation, unused.
            assert_eq!(unsafe { (api().zeMemFree)(caller.context, pointer) }, ZE_RESULT_SUCCESS);
        }
    });
}

#[test]
fn binaries_come_back_as_modules_and_nonsense_does_not() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let binary = module.binary().unwrap();
        let again = Device::open(DeviceId::of(device)).unwrap();
        let kernel = again.load(&binary).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let queue = again.create_queue(Order::InOrder, false).unwrap();
        let y = again.allocate(MemoryKind::Usm, 4).unwrap();
        let by = buffer(&y);
        queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Preset], line(1), &[], false).unwrap();
        queue.wait().unwrap();
        // SAFETY: shared memory, written by a command that is done.
        assert_eq!(unsafe { y.pointer().cast::<i32>().read() }, 5);
        invalid(device.load(b""));
        invalid(device.load(b"nonsense, but long enough to look like something that a driver may want to read"));
        let error = device.compile("kernel void broken(global int *y) { y[0] = no_such_name; }").unwrap_err();
        assert_eq!(error.status(), Status::RuntimeError);
        assert!(error.message().contains("no_such_name") || !api().gives_logs(), "{error}");
    });
}

#[test]
fn text_becomes_a_module_through_spirv_too() {
    on_each_device(|device| {
        let module = match Module::through_spirv(device, SOURCE, "-cl-std=CL1.2") {
            Err(error) if error.status() == Status::Unimplemented => {
                println!("skipped: {error}");
                return;
            }
            module => module.unwrap(),
        };
        let kernel = module.kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let y = device.allocate(MemoryKind::Usm, 16).unwrap();
        let by = buffer(&y);
        queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Preset], line(4), &[], false).unwrap();
        queue.wait().unwrap();
        let mut out = [0; 16];
        queue.read(&y, &mut out, &[]).unwrap();
        assert_eq!(ints(&out), [5; 4]);
    });
}

#[test]
fn without_a_loader_there_are_no_devices_and_no_error() {
    let name = concat!(module_path!(), "::without_a_loader_there_are_no_devices_and_no_error");
    let missing = [("OXIDNN_LEVEL_ZERO_LIB", "/nowhere/libze_loader.so.1"), ("OXIDNN_GPU_RUNTIME", "ze")];
    let Some(output) = child::run(name, &missing, || {
        assert!(Device::enumerate().is_empty());
        assert_eq!(crate::Engine::count(crate::desc::EngineKind::Gpu), 0);
        let anything = ptr::dangling_mut::<c_void>();
        // SAFETY: nothing looks behind the handles.
        let error = unsafe { Device::from_raw(anything.cast(), anything.cast(), anything.cast()).unwrap_err() };
        assert_eq!(error.status(), Status::RuntimeError);
        assert!(error.message().contains("no Level Zero loader"), "{error}");
    }) else {
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn without_a_driver_there_are_no_devices_and_no_error() {
    let name = concat!(module_path!(), "::without_a_driver_there_are_no_devices_and_no_error");
    let missing = [("ZE_ENABLE_ALT_DRIVERS", "/nowhere/libdriver.so"), ("OXIDNN_GPU_RUNTIME", "ze")];
    let Some(output) = child::run(name, &missing, || {
        assert!(Device::enumerate().is_empty());
    }) else {
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
