//! Launches, copies, markers and the order among them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[test]
fn a_kernel_computes_on_every_kind_of_memory() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let kernel = module.kernel("axpy", &[(3, &4i32.to_ne_bytes())]).unwrap();
        for kind in [MemoryKind::Buffer, MemoryKind::Usm] {
            for order in [Order::InOrder, Order::OutOfOrder] {
                let queue = device.create_queue(order, false).unwrap();
                let (x, y) = (device.allocate(kind, 16).unwrap(), device.allocate(kind, 16).unwrap());
                assert_eq!(x.size(), Some(16));
                let bytes = |values: [f32; 4]| values.map(f32::to_ne_bytes).concat();
                queue.write(&x, &bytes([1., 2., 3., 4.]), &[]).unwrap();
                queue.write(&y, &bytes([10., 20., 30., 40.]), &[]).unwrap();
                let (bx, by) = (buffer(&x), buffer(&y));
                let scale = 2f32.to_ne_bytes();
                let args = [Arg::Buffer(&bx), Arg::Buffer(&by), Arg::Value(&scale), Arg::Preset];
                let event = queue.launch(&kernel, &args, line(4), &[], true).unwrap().unwrap();
                let mut out = [0; 16];
                queue.read(&y, &mut out, &[runtime::Event::Ze(event)]).unwrap();
                assert_eq!(out.to_vec(), bytes([12., 24., 36., 48.]));
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
            queue.wait().unwrap();
            queue.read(&y, &mut out, &[]).unwrap();
            assert_eq!(ints(&out), [expected]);
        }
    });
}

#[test]
fn memory_that_comes_back_at_an_old_address_is_new_memory() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        for bytes in [1 << 12, 1 << 20, 1 << 12, 1 << 22, 1 << 20, 1 << 12].repeat(5) {
            let y = device.allocate(MemoryKind::Usm, bytes).unwrap();
            let by = buffer(&y);
            let value = (bytes as i32).to_ne_bytes();
            queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Value(&value)], line(bytes / 4), &[], false).unwrap();
            queue.wait().unwrap();
            // SAFETY: shared memory, written by a command that is done.
            let last = unsafe { y.pointer().cast::<i32>().add(bytes / 4 - 1).read() };
            assert_eq!(last, bytes as i32);
        }
    });
}

#[test]
fn wrong_arguments_are_errors_and_leave_the_kernel_usable() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let kernel = module.kernel("set", &[]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let y = device.allocate(MemoryKind::Buffer, 12).unwrap();
        let by = buffer(&y);
        let value = 3i32.to_ne_bytes();
        let launch = |args: &[Arg<'_>]| queue.launch(&kernel, args, line(1), &[], false).map(|_| ());
        invalid(launch(&[Arg::Buffer(&by)]));
        invalid(launch(&[Arg::Buffer(&by), Arg::Preset]));
        let host = runtime::Buffer::Cpu(runtime::cpu::Buffer::allocate(4).unwrap());
        invalid(launch(&[Arg::Buffer(&host), Arg::Value(&value)]));
        let elsewhere = Device::open(DeviceId::of(device)).unwrap();
        let other = buffer(&elsewhere.allocate(MemoryKind::Buffer, 4).unwrap());
        assert!(invalid(launch(&[Arg::Buffer(&other), Arg::Value(&value)])).contains("another Level Zero context"));
        let odd = NdRange { global: [3, 1, 1], local: Some([2, 1, 1]) };
        invalid(queue.launch(&kernel, &[Arg::Buffer(&by), Arg::Value(&value)], odd, &[], false));
        launch(&[Arg::Buffer(&by), Arg::Value(&value)]).unwrap();
        queue.wait().unwrap();
        let mut out = [0; 4];
        queue.read(&y, &mut out, &[]).unwrap();
        assert_eq!(ints(&out), [3]);
        assert!(invalid(queue.read(&y, &mut [0; 13], &[])).contains("12"));
        assert!(module.kernel("no_such_kernel", &[]).unwrap_err().message().contains("no_such_kernel"));
    });
}

#[test]
fn events_order_what_the_list_does_not() {
    on_each_device(|device| {
        let module = device.compile(SOURCE).unwrap();
        let (set, step) = (module.kernel("set", &[]).unwrap(), module.kernel("twice_plus", &[]).unwrap());
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = device.create_queue(order, false).unwrap();
            let y = device.allocate(MemoryKind::Buffer, 4 * 64).unwrap();
            let by = buffer(&y);
            for _ in 0..20 {
                let mut last = Vec::new();
                let mut expected = 1;
                for (i, kernel) in [&set, &step, &step, &step, &step].into_iter().enumerate() {
                    let value = (i as i32 + 1).to_ne_bytes();
                    let args = [Arg::Buffer(&by), Arg::Value(&value)];
                    let event = queue.launch(kernel, &args, line(64), &last, true).unwrap();
                    last = event.into_iter().map(runtime::Event::Ze).collect();
                    if i > 0 {
                        expected = 2 * expected + i as i32 + 1;
                    }
                }
                let mut out = [0; 4 * 64];
                queue.read(&y, &mut out, &last).unwrap();
                assert_eq!(ints(&out), [expected; 64]);
            }
        }
    });
}

#[test]
fn an_empty_launch_and_an_empty_copy_keep_their_place_among_events() {
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
            let copied = queue.copy(&y, &y, 0, &[runtime::Event::Ze(event)], true).unwrap().unwrap();
            queue.marker(&[runtime::Event::Ze(copied)]).unwrap().wait().unwrap();
        }
    });
}

#[test]
fn a_marker_comes_after_its_events_and_after_all_before_it() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let own = caller.device();
        let kernel = own.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let y = buffer(&own.allocate(MemoryKind::Buffer, 4).unwrap());
        for flags in [ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0] {
            let (list, gates) = (caller.list(flags), [caller.event(0), caller.event(1)]);
            // SAFETY: live objects of one context.
            let queue = unsafe { Queue::from_raw(&own, list, Order::Unknown, false).unwrap() };
            // SAFETY: as above.
            let [first, second] = gates.map(|gate| runtime::Event::Ze(unsafe { Event::from_raw(&own, gate).unwrap() }));
            let args = [Arg::Buffer(&y), Arg::Preset];
            queue.launch(&kernel, &args, line(1), &[first], false).unwrap();
            let marker = queue.marker(&[second]).unwrap();
            caller.signal(gates[1]);
            thread::sleep(std::time::Duration::from_millis(20));
            assert!(!marker.is_complete());
            caller.signal(gates[0]);
            marker.wait().unwrap();
            drop(queue);
            caller.destroy_list(list);
            gates.into_iter().for_each(|gate| caller.destroy_event(gate));
        }
    });
}

#[test]
fn threads_launch_one_kernel_on_one_queue() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[]).unwrap();
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let wrong = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in 0..4i32 {
                let (kernel, queue, wrong, device) = (&kernel, &queue, &wrong, device);
                scope.spawn(move || {
                    let y = device.allocate(MemoryKind::Buffer, 4).unwrap();
                    let by = buffer(&y);
                    for i in 0..100 {
                        let value = (1000 * number + i).to_ne_bytes();
                        let args = [Arg::Buffer(&by), Arg::Value(&value)];
                        let event = queue.launch(kernel, &args, line(1), &[], true).unwrap().unwrap();
                        let mut out = [0; 4];
                        queue.read(&y, &mut out, &[runtime::Event::Ze(event)]).unwrap();
                        wrong.fetch_add(usize::from(ints(&out) != [1000 * number + i]), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(wrong.into_inner(), 0);
    });
}

#[test]
fn memory_is_mapped_and_written_back() {
    on_each_device(|device| {
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        for kind in [MemoryKind::Buffer, MemoryKind::Usm] {
            let memory = device.allocate(kind, 8).unwrap();
            queue.write(&memory, &[1, 2, 3, 4, 5, 6, 7, 8], &[]).unwrap();
            let address = queue.map(&memory, 8, Access::ReadWrite).unwrap();
            // SAFETY: mapped, eight bytes.
            let bytes = unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), 8) };
            assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8]);
            bytes.fill(9);
            queue.unmap(&memory, address).unwrap();
            let mut out = [0; 8];
            queue.read(&memory, &mut out, &[]).unwrap();
            assert_eq!(out, [9; 8]);
            invalid(queue.unmap(&memory, address));
        }
    });
}

#[test]
fn what_runs_is_kept_until_it_is_done() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let own = caller.device();
        let list = caller.list(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let gate = caller.event(0);
        let y = own.allocate(MemoryKind::Usm, 4).unwrap();
        {
            // SAFETY: live objects of one context.
            let (queue, after) = unsafe {
                let queue = Queue::from_raw(&own, list, Order::Unknown, false).unwrap();
                (queue, Event::from_raw(&own, gate).unwrap())
            };
            let kernel = own.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
            let by = buffer(&y);
            let args = [Arg::Buffer(&by), Arg::Preset];
            queue.launch(&kernel, &args, line(1), &[runtime::Event::Ze(after)], false).unwrap();
            // The kernel and its module go while they wait.
            drop(kernel);
            caller.signal(gate);
        }
        let queue = own.create_queue(Order::InOrder, false).unwrap();
        let mut out = [0; 4];
        queue.read(&y, &mut out, &[]).unwrap();
        assert_eq!(ints(&out), [5]);
        caller.destroy_list(list);
        caller.destroy_event(gate);
    });
}
