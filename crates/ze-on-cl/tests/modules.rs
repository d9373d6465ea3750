//! Modules and kernels, through the loader.

mod spirv;
mod support;

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use support::*;

fn run(ze: &Ze, kernel: ze_kernel_handle_t) -> u32 {
    let memory = ze.device_memory(4);
    ze.set(kernel, 0, memory.pointer);
    let list = ze.immediate();
    ze.launch(list, kernel, 1, null_mut(), &[]);
    ze.finish(list);
    ok!(ze, zeCommandListDestroy(list));
    ze.read::<u32>(memory.pointer, 1)[0]
}

#[test]
fn a_native_binary_does_what_its_source_does() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module("kernel void a(global uint *p) { *p = 41; } kernel void b(global uint *p) { *p = 42; }");
    let mut count = 0;
    ok!(ze, zeModuleGetKernelNames(module, &mut count, null_mut()));
    let mut names = vec![null(); count as usize];
    ok!(ze, zeModuleGetKernelNames(module, &mut count, names.as_mut_ptr()));
    // SAFETY: the names are terminated and live as long as the module.
    let mut names: Vec<&str> = names.iter().map(|n| unsafe { CStr::from_ptr(*n) }.to_str().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a", "b"]);
    let mut size = 0;
    ok!(ze, zeModuleGetNativeBinary(module, &mut size, null_mut()));
    let mut binary = vec![0; size];
    ok!(ze, zeModuleGetNativeBinary(module, &mut size, binary.as_mut_ptr()));
    ok!(ze, zeModuleDestroy(module));

    let (result, module, log) = ze.try_module(ZE_MODULE_FORMAT_NATIVE, &binary, "");
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    let kernel = ze.kernel(module, "b");
    assert_eq!(run(&ze, kernel), 42);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(module));
    assert_eq!(ze.try_module(ZE_MODULE_FORMAT_NATIVE, b"no code", "").0, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
}

#[test]
fn a_module_may_have_no_kernel() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module("int function(int x) { return x; }");
    let mut count = 77;
    ok!(ze, zeModuleGetKernelNames(module, &mut count, null_mut()));
    assert_eq!(count, 0);
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn options_reach_the_compiler_except_those_of_gpus() {
    let Some(ze) = Ze::new() else { return };
    let source = b"kernel void k(global uint *p) { *p = VALUE; }";
    let options =
        "-DVALUE=7 -ze-opt-level=2 -ze-intel-has-buffer-offset-arg -cl-std=CL2.0 -cl-intel-256-GRF-per-thread";
    let (result, module, log) = ze.try_module(OPENCL_C, source, options);
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    let kernel = ze.kernel(module, "k");
    assert_eq!(run(&ze, kernel), 7);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn errors_of_the_compiler_are_in_the_log() {
    let Some(ze) = Ze::new() else { return };
    let (result, _, log) = ze.try_module(OPENCL_C, b"kernel void k() { undeclared = 1; }", "");
    assert_eq!(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert!(log.contains("undeclared"), "{log}");
    assert_eq!(ze.try_module(9, b"x", "").0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

#[test]
fn values_are_cut_or_extended_to_what_the_kernel_takes() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module("kernel void k(global uint *p, uint a, ulong b) { *p = a + (uint)(b >> 32) + (uint)b; }");
    let kernel = ze.kernel(module, "k");
    ze.set(kernel, 1, 0xffff_ffff_0000_0005_u64);
    ze.set(kernel, 2, 6u32);
    assert_eq!(run(&ze, kernel), 11);
    let value = 1u32;
    let beyond = code!(ze, zeKernelSetArgumentValue(kernel, 3, 4, (&raw const value).cast()));
    assert_eq!(beyond, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn a_kernel_knows_its_name_its_arguments_and_its_group_sizes() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(
        "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global uint *p) { *p = get_local_size(0); }
         kernel void open(global uint *p, int x) { *p = x; }",
    );
    let (fixed, open) = (ze.kernel(module, "fixed"), ze.kernel(module, "open"));
    let mut properties = ze_kernel_properties_t { stype: ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, ..Default::default() };
    ok!(ze, zeKernelGetProperties(fixed, &mut properties));
    assert_eq!(properties.numKernelArgs, 1);
    let required = (properties.requiredGroupSizeX, properties.requiredGroupSizeY, properties.requiredGroupSizeZ);
    assert_eq!(required, (4, 2, 1));
    assert_eq!(code!(ze, zeKernelSetGroupSize(fixed, 2, 4, 1)), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_eq!(code!(ze, zeKernelSetGroupSize(open, 0, 1, 1)), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    assert_eq!(code!(ze, zeKernelSetGroupSize(open, 1 << 20, 1, 1)), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    let (mut x, mut y, mut z) = (0, 0, 0);
    ok!(ze, zeKernelSuggestGroupSize(open, 96, 10, 1, &mut x, &mut y, &mut z));
    assert!(x > 1 && 96 % x == 0 && 10 % y == 0 && z == 1, "{x} {y} {z}");
    let (mut size, mut name) = (0, [0u8; 8]);
    ok!(ze, zeKernelGetName(open, &mut size, null_mut()));
    assert_eq!(size, 5);
    ok!(ze, zeKernelGetName(open, &mut size, name.as_mut_ptr().cast()));
    assert_eq!(&name[..5], b"open\0");
    let desc = ze_kernel_desc_t { pKernelName: c"missing".as_ptr(), ..Default::default() };
    let mut kernel = null_mut();
    assert_eq!(code!(ze, zeKernelCreate(module, &desc, &mut kernel)), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    // Kernels outlive their module's handle.
    ok!(ze, zeModuleDestroy(module));
    ze.set(open, 1, 3i32);
    assert_eq!(run(&ze, open), 3);
    ok!(ze, zeKernelDestroy(fixed));
    ok!(ze, zeKernelDestroy(open));
}

#[test]
fn spirv_takes_specialization_constants() {
    let Some(ze) = Ze::new() else { return };
    if !ze.takes_spirv() {
        println!("skipped: the device takes no SPIR-V");
        return;
    }
    let code = spirv::constant_kernel(5);
    let (result, module, log) = ze.try_module(ZE_MODULE_FORMAT_IL_SPIRV, &code, "-ze-opt-disable");
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    let kernel = ze.kernel(module, "k");
    assert_eq!(run(&ze, kernel), 5);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(module));

    let (id, value) = (0u32, 99u32);
    let mut values = [(&raw const value).cast()];
    let constants = ze_module_constants_t { numConstants: 1, pConstantIds: &id, pConstantValues: values.as_mut_ptr() };
    let desc = ze_module_desc_t {
        stype: ZE_STRUCTURE_TYPE_MODULE_DESC,
        format: ZE_MODULE_FORMAT_IL_SPIRV,
        inputSize: code.len(),
        pInputModule: code.as_ptr(),
        pConstants: &constants,
        ..Default::default()
    };
    let mut module = null_mut();
    ok!(ze, zeModuleCreate(ze.context, ze.device, &desc, &mut module, null_mut()));
    let kernel = ze.kernel(module, "k");
    assert_eq!(run(&ze, kernel), 99);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(module));
}

#[test]
fn modules_link_with_those_that_define_what_they_lack() {
    let Some(ze) = Ze::new() else { return };
    if !ze.takes_spirv() {
        println!("skipped: the device takes no SPIR-V");
        return;
    }
    let (result, user, log) = ze.try_module(ZE_MODULE_FORMAT_IL_SPIRV, &spirv::importing_kernel("seven"), "");
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    let mut properties = ze_module_properties_t { stype: ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, ..Default::default() };
    ok!(ze, zeModuleGetProperties(user, &mut properties));
    assert_eq!(properties.flags, ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    let desc = ze_kernel_desc_t { pKernelName: c"k".as_ptr(), ..Default::default() };
    let mut kernel = null_mut();
    assert_eq!(code!(ze, zeKernelCreate(user, &desc, &mut kernel)), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);

    let (result, library, log) =
        ze.try_module(ZE_MODULE_FORMAT_IL_SPIRV, &spirv::exporting_library("seven", 7), "-library-compilation");
    assert_eq!(result, ZE_RESULT_SUCCESS, "{log}");
    let mut log = null_mut();
    ok!(ze, zeModuleDynamicLink(2, [user, library].as_mut_ptr(), &mut log));
    ze.log(log);
    let kernel = ze.kernel(user, "k");
    assert_eq!(run(&ze, kernel), 7);
    ok!(ze, zeKernelDestroy(kernel));
    ok!(ze, zeModuleDestroy(user));
    ok!(ze, zeModuleDestroy(library));
}
