//! Devices and what they say of themselves.

use super::*;
use crate::Status;
use crate::runtime::{DeviceType, SubGroups};

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
                profile.sub_groups != SubGroups::None,
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
        for class in ["cpu", "avx2", "avxvnni", "avx512", "gpu"] {
            in_child("the_class_of_a_device_can_be_set_for_tests", VARIABLE, class);
        }
        return;
    };
    on_each_device(|device| match class.as_str() {
        "gpu" => assert_eq!(device.profile().device_type, DeviceType::Gpu),
        "avx2" => {
            let profile = device.profile();
            assert!(profile.device_type == DeviceType::Cpu && profile.vector_bytes <= 32 && !profile.dot_int8);
            assert!(!profile.pairs_int8 || profile.vector_bytes == 32);
        }
        "avxvnni" => {
            let profile = device.profile();
            assert!(profile.device_type == DeviceType::Cpu && profile.vector_bytes <= 32 && !profile.dot_bf16);
            assert!(profile.dot_int8 || !profile.dot_vex);
        }
        "avx512" => {
            let profile = device.profile();
            let wrong = device.has_fault(Fault::WrongVectors);
            assert!(profile.device_type == DeviceType::Cpu && profile.vector_bytes == if wrong { 4 } else { 64 });
        }
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
