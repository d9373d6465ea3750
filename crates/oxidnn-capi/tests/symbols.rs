//! The shared library exports the functions that oneDNN's headers declare, those that its programs look for besides, and
//! nothing else.

mod declarations;
mod library;
mod reference;

use std::collections::BTreeSet;

use object::{Object, ObjectSymbol};

fn exported() -> BTreeSet<String> {
    let bytes = std::fs::read(library::path()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    symbols.map(|symbol| symbol.name().unwrap().to_owned()).collect()
}

/// What the sources declare.
fn declared() -> BTreeSet<String> {
    declarations::all().into_iter().map(|function| function.name).collect()
}

#[test]
fn every_function_of_the_reference_is_exported() {
    let Some(reference) = reference::include_dir() else { return };
    let exported = exported();
    let functions = reference::HEADERS.map(|header| reference::functions(&reference.join("oneapi/dnnl").join(header)));
    let names: BTreeSet<_> = functions.iter().flatten().map(|function| &function.name).collect();
    assert!(names.len() > 270, "only {} functions were found in the reference", names.len());
    let missing: Vec<_> = names.into_iter().filter(|name| !exported.contains(*name)).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
}

#[test]
fn what_programs_look_for_besides_is_exported() {
    const BESIDES: [&str; 15] = [
        "dnnl_memory_desc_create_with_string_tag",
        "dnnl_memory_desc_set_data_type",
        "dnnl_gemm_bf16bf16f32",
        "dnnl_impl_zero_pad",
        "dnnl_impl_gpu_fill_random",
        "dnnl_impl_notify_profiling_complete",
        "dnnl_reset_profiling",
        "dnnl_query_profiling_data",
        "dnnl_engine_create_ocl",
        "dnnl_engine_get_ocl_device",
        "dnnl_engine_get_ocl_context",
        "dnnl_stream_create_ocl",
        "dnnl_stream_get_ocl_command_queue",
        "dnnl_memory_get_ocl_mem_object",
        "dnnl_memory_set_ocl_mem_object",
    ];
    let exported = exported();
    assert_eq!(BESIDES.into_iter().find(|name| !exported.contains(*name)), None);
}

#[test]
fn only_declared_functions_are_exported() {
    assert_eq!(exported(), declared());
}

#[test]
fn the_library_is_called_libdnnl_so_3() {
    let bytes = std::fs::read(library::path()).unwrap();
    let needle = b"libdnnl.so.3\0";
    assert!(bytes.windows(needle.len()).any(|window| window == needle));
}
