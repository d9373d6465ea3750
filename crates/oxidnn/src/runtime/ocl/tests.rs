//! Every test runs on every OpenCL device there is.

use super::*;
use crate::runtime::{self, Arg, MemoryKind, NdRange, Order, UsmSupport};
use crate::{Result, Status};

fn on_each_device(test: impl Fn(&Device)) {
    let ids = Device::enumerate();
    if ids.is_empty() {
        println!("skipped: no OpenCL device on this machine");
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
