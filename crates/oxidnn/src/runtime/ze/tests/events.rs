//! Events: the caller's, those handed to the caller, and those that come back.

use std::time::Duration;

use super::*;

#[test]
fn work_waits_for_the_callers_event_and_submitting_does_not() {
    on_each_device(|device| {
        let caller = Caller::new(device);
        let own = caller.device();
        let kernel = own.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let y = own.allocate(MemoryKind::Usm, 4).unwrap();
        let by = buffer(&y);
        for flags in [ZE_COMMAND_QUEUE_FLAG_IN_ORDER, 0] {
            let (list, gate) = (caller.list(flags), caller.event(0));
            // SAFETY: live objects of one context.
            let (queue, after) = unsafe {
                let queue = Queue::from_raw(&own, list, Order::Unknown, false).unwrap();
                (queue, Event::from_raw(&own, gate).unwrap())
            };
            let args = [Arg::Buffer(&by), Arg::Preset];
            let event = queue.launch(&kernel, &args, line(1), &[runtime::Event::Ze(after)], true).unwrap().unwrap();
            thread::sleep(Duration::from_millis(20));
            assert!(!event.is_complete());
            caller.signal(gate);
            event.wait().unwrap();
            assert!(event.is_complete());
            // SAFETY: shared memory, written by a command that is done.
            assert_eq!(unsafe { y.pointer().cast::<i32>().read() }, 5);
            drop(queue);
            caller.destroy_list(list);
            caller.destroy_event(gate);
        }
    });
}

#[test]
fn events_that_nobody_holds_are_used_again() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let y = buffer(&device.allocate(MemoryKind::Buffer, 4).unwrap());
        let args = [Arg::Buffer(&y), Arg::Preset];
        for order in [Order::InOrder, Order::OutOfOrder] {
            let queue = device.create_queue(order, false).unwrap();
            let mut last: Vec<runtime::Event> = Vec::new();
            for i in 0..10_000 {
                let event = queue.launch(&kernel, &args, line(1), &last, true).unwrap().unwrap();
                if i % 64 == 0 {
                    event.wait().unwrap();
                }
                last = vec![runtime::Event::Ze(event)];
            }
            assert!(queue.event_count() <= 256, "{} events", queue.event_count());
        }
    });
}

#[test]
fn events_of_the_caller_stay_until_the_queue_goes() {
    on_each_device(|device| {
        let kernel = device.compile(SOURCE).unwrap().kernel("set", &[(1, &5i32.to_ne_bytes())]).unwrap();
        let y = buffer(&device.allocate(MemoryKind::Buffer, 4).unwrap());
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let mut raw = Vec::new();
        for _ in 0..10_000 {
            let event = queue.launch(&kernel, &[Arg::Buffer(&y), Arg::Preset], line(1), &[], true).unwrap().unwrap();
            raw.push(event.hand_out());
        }
        queue.wait().unwrap();
        // Waiting may have taken one.
        assert!((10_000..=10_001).contains(&queue.event_count()));
        for &event in &raw {
            // SAFETY: the queue lives.
            assert_eq!(unsafe { (api().zeEventQueryStatus)(event) }, ZE_RESULT_SUCCESS);
        }
        raw.sort();
        raw.dedup();
        assert_eq!(raw.len(), 10_000);
    });
}

#[test]
fn a_queue_that_profiles_tells_times_and_another_does_not() {
    on_each_device(|device| {
        let text = "kernel void spin(global int *y, int n) {
            int v = y[get_global_id(0)];
            for (int i = 0; i < n; i++) v = v * 1664525 + 1013904223;
            y[get_global_id(0)] = v;
        }";
        let kernel = device.compile(text).unwrap().kernel("spin", &[]).unwrap();
        let y = buffer(&device.allocate(MemoryKind::Buffer, 4 * 256).unwrap());
        let run = |profiling: bool, n: i32| {
            let queue = device.create_queue(Order::InOrder, profiling).unwrap();
            let value = n.to_ne_bytes();
            let args = [Arg::Buffer(&y), Arg::Value(&value)];
            queue.launch(&kernel, &args, line(256), &[], true).unwrap().unwrap().elapsed().unwrap()
        };
        // The least of some: other programs take their time too.
        let least = |n: i32| (0..5).map(|_| run(true, n).unwrap()).min().unwrap();
        let (short, long) = (least(1), least(100_000));
        assert!(0 < short && short < long, "{short} {long}");
        assert_eq!(run(false, 1), None);
    });
}

#[test]
fn events_of_other_runtimes_and_contexts_are_refused() {
    on_each_device(|device| {
        let queue = device.create_queue(Order::InOrder, false).unwrap();
        let elsewhere = Device::open(DeviceId::of(device)).unwrap();
        let foreign = elsewhere.create_queue(Order::InOrder, false).unwrap().marker(&[]).unwrap();
        assert!(invalid(queue.marker(&[runtime::Event::Ze(foreign)])).contains("another Level Zero context"));
        queue.marker(&[runtime::Event::Done]).unwrap().wait().unwrap();
    });
}
