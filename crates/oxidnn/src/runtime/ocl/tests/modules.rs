//! Programs from text and from binaries.

use super::*;
use crate::Status;

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
        if skipped(device, Fault::AbortsOnBadBinary) {
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
