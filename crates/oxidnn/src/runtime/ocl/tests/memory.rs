//! Memory: allocated, copied, mapped, freed.

use super::*;
use crate::Status;
use crate::runtime::Access;

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
        if skipped(device, Fault::FlushWaits) {
            return;
        }
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
