//! Launches, markers and the order among them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::{Result, Status};

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect()
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
        if skipped(device, Fault::FlushWaits) {
            return;
        }
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
        if skipped(device, Fault::FlushWaits) {
            return;
        }
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
fn threads_share_a_kernel() {
    on_each_device(|device| {
        if skipped(device, Fault::SingleThreaded) {
            return;
        }
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
