//! Calls the entry points of the shared library as C does: by name, with words for arguments.
//!
//! The declarations say which pointers may be null. A call that works is repeated with each of its pointers null.

mod declarations;
mod library;

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::LazyLock;

use declarations::Declaration;
use libloading::Library;

const SUCCESS: i32 = 0;
const INVALID_ARGUMENTS: i32 = 2;
const UNIMPLEMENTED: i32 = 3;
const LAST_IMPL_REACHED: i32 = 4;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    // SAFETY: the library under test; loading it runs no code that needs anything.
    unsafe { Library::new(library::path()).unwrap() }
});

static DECLARATIONS: LazyLock<HashMap<String, Declaration>> =
    LazyLock::new(|| declarations::all().into_iter().map(|function| (function.name.clone(), function)).collect());

/// Calls a function. Words beyond its parameters are ignored; parameters of floating-point type get what is in their
/// registers.
fn call(name: &str, arguments: &[usize]) -> usize {
    type Words = unsafe extern "C" fn(
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
    ) -> usize;
    assert!(DECLARATIONS.contains_key(name), "{name} is not declared");
    let mut a = [0; 32];
    a[..arguments.len()].copy_from_slice(arguments);
    // SAFETY: the tests pass what the declarations ask for, or nulls, which the library must cope with. In the C ABIs of
    // the platforms that have the library, surplus arguments do no harm.
    unsafe {
        let function = LIBRARY.get::<Words>(name).unwrap();
        function(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15],
            a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27], a[28], a[29], a[30],
            a[31],
        )
    }
}

fn status(name: &str, arguments: &[usize]) -> i32 {
    call(name, arguments) as i32
}

/// Calls a function that must succeed.
fn ok(name: &str, arguments: &[usize]) {
    assert_eq!(status(name, arguments), SUCCESS, "{name}");
}

/// Calls a function that writes one word, and gives that.
fn made(name: &str, arguments: impl FnOnce(usize) -> Vec<usize>) -> usize {
    let mut word = 0usize;
    ok(name, &arguments(address_mut(&mut word)));
    word
}

fn address<T>(value: &T) -> usize {
    std::ptr::from_ref(value).addr()
}

fn address_mut<T>(value: &mut T) -> usize {
    std::ptr::from_mut(value).expose_provenance()
}

/// Calls a function that must succeed; then with each pointer null: refused if it must not be, else anything.
fn exercise(name: &str, arguments: &[usize]) {
    ok(name, arguments);
    let Declaration { parameters, required, .. } = &DECLARATIONS[name];
    // Floating-point parameters have registers of their own.
    let in_words = std::iter::zip(parameters, required).filter(|((_, ty), _)| ty != "float");
    assert_eq!(in_words.clone().count(), arguments.len(), "{name}");
    for (i, ((parameter, ty), required)) in in_words.enumerate().filter(|(_, ((_, ty), _))| is_pointer(ty)) {
        let mut with_null = arguments.to_vec();
        with_null[i] = 0;
        let result = status(name, &with_null);
        if *required {
            assert_eq!(result, INVALID_ARGUMENTS, "{name} with a null {parameter} of type {ty}");
        }
    }
}

/// Whether null is a value of a C type that says something other than "nothing".
fn is_pointer(ty: &str) -> bool {
    let is_handle = ty.strip_prefix("const_dnnl_").or(ty.strip_prefix("dnnl_")).is_some_and(|rest| {
        let objects = ["engine", "stream", "memory", "memory_desc", "primitive", "primitive_desc", "primitive_attr"];
        objects.iter().chain(&["post_ops"]).any(|object| rest == format!("{object}_t"))
            || (rest.starts_with("graph_")
                && ["op", "graph", "partition", "tensor", "allocator"]
                    .iter()
                    .any(|object| rest.ends_with(&format!("{object}_t"))))
    });
    let is_bare = ty == "void *";
    is_handle || ty == "const dnnl_dims_t" || (ty.ends_with('*') && !is_bare)
}

const CPU: usize = 1;
const F32: usize = 3;
const TAG_ANY: usize = 1;
const TAG_AB: usize = 3;
const TAG_BA: usize = 14;
const ALLOCATE: usize = usize::MAX;
const SRC: usize = 1;
const DST: usize = 17;

fn cpu_engine() -> usize {
    made("dnnl_engine_create", |out| vec![out, CPU, 0])
}

fn matrix(dims: [i64; 2], tag: usize) -> usize {
    made("dnnl_memory_desc_create_with_tag", |out| vec![out, 2, address(&dims), F32, tag])
}

fn memory(engine: usize, md: usize, handle: usize) -> usize {
    made("dnnl_memory_create", |out| vec![out, md, engine, handle])
}

fn stream(engine: usize) -> usize {
    made("dnnl_stream_create", |out| vec![out, engine, 1])
}

#[test]
fn every_entry_point_refuses_zeros() {
    for Declaration { name, parameters, required, .. } in DECLARATIONS.values().filter(|f| f.returns == "dnnl_status_t")
    {
        let needs_pointer = std::iter::zip(parameters, required).any(|((_, ty), required)| *required && is_pointer(ty));
        if name.ends_with("_destroy") && parameters.len() == 1 {
            assert_eq!(status(name, &[]), SUCCESS, "{name}: destroying nothing is fine");
        } else if needs_pointer {
            assert_eq!(status(name, &[]), INVALID_ARGUMENTS, "{name}");
        }
    }
}

#[test]
fn engines_and_streams_check_each_pointer() {
    let engine = cpu_engine();
    let mut out = 0usize;
    let out = address_mut(&mut out);
    exercise("dnnl_engine_create", &[out, CPU, 0]);
    exercise("dnnl_engine_get_kind", &[engine, out]);
    exercise("dnnl_stream_create", &[out, engine, 1]);
    let stream = stream(engine);
    exercise("dnnl_stream_get_engine", &[stream, out]);
    exercise("dnnl_stream_wait", &[stream]);
    assert_eq!(status("dnnl_engine_create", &[out, CPU, 1]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_engine_create", &[out, 7, 0]), INVALID_ARGUMENTS);
    assert_eq!(call("dnnl_engine_get_count", &[CPU]), 1);
    assert_eq!(call("dnnl_engine_get_count", &[99]), 0);
}

#[test]
fn memory_descriptors_check_each_pointer() {
    let (dims, strides, offsets) = ([4i64, 6], [6i64, 1], [0i64, 0]);
    let md = matrix(dims, TAG_AB);
    let mut out = [0usize; 16];
    let out = address_mut(&mut out);
    let dims = address(&dims);
    exercise("dnnl_memory_desc_create_with_strides", &[out, 2, dims, F32, address(&strides)]);
    exercise("dnnl_memory_desc_create_with_tag", &[out, 2, dims, F32, TAG_AB]);
    exercise("dnnl_memory_desc_create_with_csr_encoding", &[out, 2, dims, F32, 5, 4, 4]);
    exercise("dnnl_memory_desc_create_with_coo_encoding", &[out, 2, dims, F32, 5, 4]);
    exercise("dnnl_memory_desc_create_with_packed_encoding", &[out, 2, dims, F32, 5]);
    exercise("dnnl_memory_desc_create_with_grouped_encoding", &[out, 2, dims, F32, 0, 2, 4]);
    exercise("dnnl_memory_desc_create_host_scalar", &[out, F32]);
    exercise("dnnl_memory_desc_create_with_string_tag", &[out, 2, dims, F32, c"BA4a8b".as_ptr().addr()]);
    exercise("dnnl_memory_desc_clone", &[out, md]);
    exercise("dnnl_memory_desc_create_submemory", &[out, md, dims, address(&offsets)]);
    exercise("dnnl_memory_desc_reshape", &[out, md, 1, address(&[24i64])]);
    exercise("dnnl_memory_desc_permute_axes", &[out, md, address(&[1i32, 0])]);
    exercise("dnnl_memory_desc_query", &[md, 257, out]);
    exercise("dnnl_memory_desc_query_v2", &[md, 268, 0, out]);
    for query in [257, 9999] {
        assert_eq!(status("dnnl_memory_desc_query", &[md, query, 0]), INVALID_ARGUMENTS);
    }
    exercise("dnnl_memory_desc_set_data_type", &[md, F32]);
    assert_eq!(call("dnnl_memory_desc_get_size", &[md]), 4 * 6 * 4);
    assert_eq!(call("dnnl_memory_desc_get_size", &[0]), 0);
    assert_eq!(status("dnnl_memory_desc_create_with_tag", &[out, 13, dims, F32, TAG_AB]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_memory_desc_create_with_tag", &[out, usize::MAX, dims, F32, TAG_AB]), INVALID_ARGUMENTS);
    ok("dnnl_memory_desc_create_with_tag", &[out, 0, 0, 0, 0]);
}

#[test]
fn a_memory_descriptor_survives_being_bytes() {
    let md = matrix([4, 6], TAG_BA);
    let mut size = 0usize;
    exercise("dnnl_memory_desc_get_blob", &[0, address_mut(&mut size), md]);
    let mut blob = vec![0u8; size];
    let too_small = size - 1;
    assert_eq!(
        status("dnnl_memory_desc_get_blob", &[blob.as_mut_ptr().expose_provenance(), address(&too_small), md]),
        INVALID_ARGUMENTS
    );
    ok("dnnl_memory_desc_get_blob", &[blob.as_mut_ptr().expose_provenance(), address(&size), md]);
    let mut copy = 0usize;
    exercise("dnnl_memory_desc_create_with_blob", &[address_mut(&mut copy), blob.as_ptr().expose_provenance()]);
    let copy = made("dnnl_memory_desc_create_with_blob", |out| vec![out, blob.as_ptr().expose_provenance()]);
    assert_eq!(call("dnnl_memory_desc_equal", &[md, copy]), 1);
    assert_eq!(call("dnnl_memory_desc_equal", &[md, 0]), 0);
    blob[0] ^= 1;
    let mut out = 0usize;
    let wrong = [address_mut(&mut out), blob.as_ptr().expose_provenance()];
    assert_eq!(status("dnnl_memory_desc_create_with_blob", &wrong), INVALID_ARGUMENTS);
}

/// The layout that programs were compiled for.
#[repr(C)]
struct HandMade {
    ndims: i32,
    dims: [i64; 12],
    data_type: i32,
    padded_dims: [i64; 12],
    padded_offsets: [i64; 12],
    offset0: i64,
    format_kind: i32,
    strides: [i64; 12],
    inner_nblks: i32,
    inner_blks: [i64; 12],
    inner_idxs: [i64; 12],
    rest: [i64; 3],
    extra: [u64; 16],
}

#[test]
fn a_descriptor_that_the_program_made_itself_works() {
    let first = |values: &[i64]| std::array::from_fn(|i| values.get(i).copied().unwrap_or(0));
    let md = HandMade {
        ndims: 2,
        dims: first(&[1, 1001]),
        data_type: F32 as i32,
        padded_dims: first(&[1, 1008]),
        padded_offsets: [0; 12],
        offset0: 0,
        format_kind: 2,
        strides: first(&[1008, 16]),
        inner_nblks: 1,
        inner_blks: first(&[16]),
        inner_idxs: first(&[1]),
        rest: [0; 3],
        extra: [0; 16],
    };
    assert_eq!(size_of::<HandMade>(), 768);
    assert_eq!(call("dnnl_memory_desc_get_size", &[address(&md)]), 1008 * 4);
    let engine = cpu_engine();
    let memory = memory(engine, address(&md), 0);
    let lent = made("dnnl_memory_get_memory_desc", |out| vec![memory, out]);
    assert_eq!(call("dnnl_memory_desc_equal", &[address(&md), lent]), 1);
}

#[test]
fn transformed_kernels_are_told_by_descriptors_and_their_bytes() {
    const WINOGRAD: usize = 2;
    const WEIGHTS_MD: usize = 131;
    const FORMAT_KIND: usize = 262;
    const FORWARD_INFERENCE: usize = 96;
    const BACKWARD_DATA: usize = 160;
    let engine = cpu_engine();
    let open =
        |dims: [i64; 4]| made("dnnl_memory_desc_create_with_tag", |out| vec![out, 4, address(&dims), F32, TAG_ANY]);
    let (image, kernels) = (open([1, 16, 12, 12]), open([16, 16, 3, 3]));
    let ones = [1i64, 1];
    let zeros = [0i64, 0];
    let transformed = |prop: usize| {
        let create = match prop {
            BACKWARD_DATA => "dnnl_convolution_backward_data_primitive_desc_create",
            _ => "dnnl_convolution_forward_primitive_desc_create",
        };
        let windows = [address(&ones), address(&zeros), address(&ones), address(&ones)];
        let desc = made(create, |out| match prop {
            BACKWARD_DATA => [&[out, engine, WINOGRAD, image, kernels, image][..], &windows, &[0, 0]].concat(),
            _ => [&[out, engine, prop, WINOGRAD, image, kernels, 0, image][..], &windows, &[0]].concat(),
        });
        call("dnnl_primitive_desc_query_md", &[desc, WEIGHTS_MD, 0])
    };
    let [forward, backward] = [FORWARD_INFERENCE, BACKWARD_DATA].map(transformed);
    let mut kind = 0i32;
    ok("dnnl_memory_desc_query", &[forward, FORMAT_KIND, address_mut(&mut kind)]);
    assert_eq!(kind, 3);
    assert_eq!(call("dnnl_memory_desc_get_size", &[forward]), 36 * 16 * 16 * 4);
    assert_eq!(call("dnnl_memory_desc_equal", &[forward, backward]), 0);
    for md in [forward, backward] {
        let mut size = 0usize;
        ok("dnnl_memory_desc_get_blob", &[0, address_mut(&mut size), md]);
        let mut blob = vec![0u8; size];
        ok("dnnl_memory_desc_get_blob", &[blob.as_mut_ptr().expose_provenance(), address(&size), md]);
        let copy = made("dnnl_memory_desc_create_with_blob", |out| vec![out, blob.as_ptr().expose_provenance()]);
        assert_eq!(call("dnnl_memory_desc_equal", &[md, copy]), 1);
        let held = memory(engine, copy, 0);
        let lent = made("dnnl_memory_get_memory_desc", |out| vec![held, out]);
        assert_eq!(call("dnnl_memory_desc_equal", &[md, lent]), 1);
    }
    let mut out = 0usize;
    let dims = [256i64, 9];
    let part = [address_mut(&mut out), forward, 2, address(&dims)];
    assert_eq!(status("dnnl_memory_desc_reshape", &part), INVALID_ARGUMENTS);
    let plain = made("dnnl_memory_desc_create_with_strides", |out| {
        vec![out, 4, address(&[16i64, 16, 3, 3]), F32, address(&[144i64, 9, 3, 1])]
    });
    made("dnnl_reorder_primitive_desc_create", |out| vec![out, plain, engine, forward, engine, 0]);
    let between = [address_mut(&mut out), forward, engine, backward, engine, 0];
    assert_eq!(status("dnnl_reorder_primitive_desc_create", &between), UNIMPLEMENTED);
}

#[test]
fn memories_check_each_pointer() {
    let engine = cpu_engine();
    let md = matrix([4, 6], TAG_AB);
    let mut out = 0usize;
    let out = address_mut(&mut out);
    let mut values = [1f32; 24];
    let handle = values.as_mut_ptr().expose_provenance();
    exercise("dnnl_memory_create", &[out, md, engine, handle]);
    exercise("dnnl_memory_create_v2", &[out, md, engine, 1, address(&handle)]);
    let memory = memory(engine, md, handle);
    exercise("dnnl_memory_get_memory_desc", &[memory, out]);
    exercise("dnnl_memory_get_engine", &[memory, out]);
    exercise("dnnl_memory_map_data", &[memory, out]);
    exercise("dnnl_memory_map_data_v2", &[memory, out, 0]);
    exercise("dnnl_memory_unmap_data", &[memory, handle]);
    exercise("dnnl_memory_unmap_data_v2", &[memory, handle, 0]);
    exercise("dnnl_memory_get_data_handle", &[memory, out]);
    exercise("dnnl_memory_get_data_handle_v2", &[memory, out, 0]);
    exercise("dnnl_memory_set_data_handle", &[memory, handle]);
    exercise("dnnl_memory_set_data_handle_v2", &[memory, handle, 0]);
    assert_eq!(made("dnnl_memory_map_data", |out| vec![memory, out]), handle, "the CPU maps in place");
    assert_eq!(status("dnnl_memory_map_data_v2", &[memory, out, 1]), INVALID_ARGUMENTS);
    let any = made("dnnl_memory_desc_create_with_tag", |out| vec![out, 2, address(&[4i64, 6]), F32, 1]);
    assert_eq!(status("dnnl_memory_create", &[out, any, engine, 0]), INVALID_ARGUMENTS);
}

#[test]
fn host_scalars_are_copied() {
    let md = made("dnnl_memory_desc_create_host_scalar", |out| vec![out, F32]);
    let (mut value, mut read) = (2.5f32, 0f32);
    let mut out = 0usize;
    exercise("dnnl_memory_create_host_scalar", &[address_mut(&mut out), md, address(&value)]);
    let memory = made("dnnl_memory_create_host_scalar", |out| vec![out, md, address(&value)]);
    value = 3.5;
    ok("dnnl_memory_get_host_scalar_value", &[memory, address_mut(&mut read)]);
    assert_eq!(read, 2.5);
    exercise("dnnl_memory_set_host_scalar_value", &[memory, address(&value)]);
    ok("dnnl_memory_get_host_scalar_value", &[memory, address_mut(&mut read)]);
    assert_eq!(read, 3.5);
    let mapped = made("dnnl_memory_map_data", |out| vec![memory, out]);
    // SAFETY: the memory is mapped.
    unsafe { std::ptr::with_exposed_provenance_mut::<f32>(mapped).write(4.5) };
    ok("dnnl_memory_unmap_data", &[memory, mapped]);
    assert_eq!(status("dnnl_memory_unmap_data", &[memory, mapped]), INVALID_ARGUMENTS);
    ok("dnnl_memory_get_host_scalar_value", &[memory, address_mut(&mut read)]);
    assert_eq!(read, 4.5);
    assert_eq!(made("dnnl_memory_get_engine", |out| vec![memory, out]), 0);
    assert_eq!(status("dnnl_memory_get_data_handle", &[memory, address_mut(&mut out)]), INVALID_ARGUMENTS);
}

#[test]
fn attributes_and_post_ops_check_each_pointer() {
    let mut words = [0usize; 8];
    let out = address_mut(&mut words);
    let second = out + 8;
    let attr = made("dnnl_primitive_attr_create", |out| vec![out]);
    let mask = made("dnnl_memory_desc_create_with_tag", |out| vec![out, 2, address(&[4i64, 6]), 6, TAG_AB]);
    let groups = address(&[2i64, 1]);
    let scales = address(&[1f32, 2.0]);
    for (name, arguments) in [
        ("dnnl_primitive_attr_create", vec![out]),
        ("dnnl_primitive_attr_clone", vec![out, attr]),
        ("dnnl_primitive_attr_set_dropout", vec![attr, mask]),
        ("dnnl_primitive_attr_get_dropout", vec![attr, out]),
        ("dnnl_primitive_attr_set_dropout_v2", vec![attr, mask, 16, 1, 0]),
        ("dnnl_primitive_attr_get_dropout_v2", vec![attr, out, second, second + 8, second + 16]),
        ("dnnl_primitive_attr_set_fpmath_mode", vec![attr, 1]),
        ("dnnl_primitive_attr_get_fpmath_mode", vec![attr, out]),
        ("dnnl_primitive_attr_set_fpmath_mode_v2", vec![attr, 1, 1]),
        ("dnnl_primitive_attr_get_fpmath_mode_v2", vec![attr, out, second]),
        ("dnnl_primitive_attr_set_deterministic", vec![attr, 1]),
        ("dnnl_primitive_attr_get_deterministic", vec![attr, out]),
        ("dnnl_primitive_attr_set_accumulation_mode", vec![attr, 1]),
        ("dnnl_primitive_attr_get_accumulation_mode", vec![attr, out]),
        ("dnnl_primitive_attr_set_scratchpad_mode", vec![attr, 1]),
        ("dnnl_primitive_attr_get_scratchpad_mode", vec![attr, out]),
        ("dnnl_primitive_attr_set_scales_mask", vec![attr, SRC, 2]),
        ("dnnl_primitive_attr_set_scales", vec![attr, SRC, 3, 2, groups, F32]),
        ("dnnl_primitive_attr_set_scales_v2", vec![attr, SRC, 3, 2, groups, F32, 0]),
        ("dnnl_primitive_attr_set_scales_v3", vec![attr, SRC, 3, 2, groups, F32, 0, 1]),
        ("dnnl_primitive_attr_set_zero_points_mask", vec![attr, SRC, 2]),
        ("dnnl_primitive_attr_set_zero_points", vec![attr, SRC, 3, 2, groups, 4]),
        ("dnnl_primitive_attr_set_zero_points_v2", vec![attr, SRC, 3, 2, groups, 4, 0]),
        ("dnnl_primitive_attr_set_precomputed_reductions", vec![attr, SRC, 3, 2, groups, 4]),
        ("dnnl_primitive_attr_set_rounding", vec![attr, DST, 1]),
        ("dnnl_primitive_attr_get_rounding", vec![attr, DST, out]),
        ("dnnl_primitive_attr_get_post_ops", vec![attr, out]),
        ("dnnl_primitive_attr_get_rnn_data_qparams", vec![attr, out, second]),
        ("dnnl_primitive_attr_set_rnn_weights_qparams", vec![attr, 2, 1, scales]),
        ("dnnl_primitive_attr_get_rnn_weights_qparams", vec![attr, out, second, second + 8]),
        ("dnnl_primitive_attr_set_rnn_weights_projection_qparams", vec![attr, 2, 1, scales]),
        ("dnnl_primitive_attr_get_rnn_weights_projection_qparams", vec![attr, out, second, second + 8]),
        ("dnnl_post_ops_create", vec![out]),
    ] {
        exercise(name, &arguments);
    }
    let post_ops = made("dnnl_post_ops_create", |out| vec![out]);
    let condition = made("dnnl_memory_desc_create_with_tag", |out| vec![out, 2, address(&[4i64, 6]), 5, TAG_AB]);
    exercise("dnnl_post_ops_append_binary", &[post_ops, 0x1fff0, mask]);
    exercise("dnnl_post_ops_append_binary_v2", &[post_ops, 0x1fff0, mask, condition]);
    exercise("dnnl_post_ops_append_prelu", &[post_ops, 2]);
    exercise("dnnl_post_ops_append_dw", &[post_ops, F32, F32, F32, 3, 1, 1]);
    exercise("dnnl_post_ops_clone", &[out, post_ops]);
    exercise("dnnl_primitive_attr_set_post_ops", &[attr, post_ops]);
    exercise("dnnl_post_ops_get_params_binary", &[post_ops, 0, out, second]);
    let len = call("dnnl_post_ops_len", &[post_ops]) as i32 as usize;
    let of_kind =
        |kind: i32| (0..len).find(|&i| call("dnnl_post_ops_get_kind", &[post_ops, i]) as i32 == kind).unwrap();
    exercise("dnnl_post_ops_get_params_prelu", &[post_ops, of_kind(18), out]);
    let conv = of_kind(5);
    exercise(
        "dnnl_post_ops_get_params_dw",
        &[post_ops, conv, out, second, second + 8, second + 16, second + 24, second + 32],
    );
    assert_eq!(status("dnnl_post_ops_get_params_sum", &[post_ops, 0, 0, 0, 0]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_post_ops_get_params_binary", &[post_ops, 99, 0, 0]), INVALID_ARGUMENTS);
    assert_eq!(call("dnnl_post_ops_len", &[0]) as i32, 0);
}

#[test]
fn post_ops_that_attributes_lend_can_be_set_on_them_again() {
    let attr = made("dnnl_primitive_attr_create", |out| vec![out]);
    let post_ops = made("dnnl_post_ops_create", |out| vec![out]);
    ok("dnnl_post_ops_append_prelu", &[post_ops, 2]);
    ok("dnnl_primitive_attr_set_post_ops", &[attr, post_ops]);
    ok("dnnl_post_ops_destroy", &[post_ops]);
    let lent = made("dnnl_primitive_attr_get_post_ops", |out| vec![attr, out]);
    ok("dnnl_primitive_attr_set_post_ops", &[attr, lent]);
    assert_eq!(call("dnnl_post_ops_len", &[lent]) as i32, 1, "the handle stays good");
    ok("dnnl_primitive_attr_destroy", &[attr]);
}

#[test]
fn primitives_check_each_pointer() {
    let engine = cpu_engine();
    let (plain, transposed) = (matrix([4, 4], TAG_AB), matrix([4, 4], TAG_BA));
    let attr = made("dnnl_primitive_attr_create", |out| vec![out]);
    let mut out = 0usize;
    let out = address_mut(&mut out);
    let (sources, scales) = ([plain, plain], [1f32, 1.0]);
    exercise("dnnl_reorder_primitive_desc_create", &[out, plain, engine, transposed, engine, attr]);
    exercise("dnnl_concat_primitive_desc_create", &[out, engine, 0, 2, 1, address(&sources), attr]);
    exercise("dnnl_sum_primitive_desc_create", &[out, engine, plain, 2, address(&scales), address(&sources), attr]);
    exercise("dnnl_binary_primitive_desc_create", &[out, engine, 0x1fff0, plain, plain, plain, attr]);
    exercise("dnnl_binary_primitive_desc_create_v2", &[out, engine, 0x1fff0, plain, plain, 0, plain, attr]);
    exercise("dnnl_matmul_primitive_desc_create", &[out, engine, plain, plain, 0, plain, attr]);
    exercise("dnnl_eltwise_forward_primitive_desc_create", &[out, engine, 96, 0x24, plain, plain, attr]);
    exercise("dnnl_eltwise_backward_primitive_desc_create", &[out, engine, 0x24, plain, plain, plain, 0, attr]);
    let desc = made("dnnl_reorder_primitive_desc_create", |out| vec![out, plain, engine, transposed, engine, 0]);
    exercise("dnnl_primitive_desc_clone", &[out, desc]);
    exercise("dnnl_primitive_desc_get_attr", &[desc, out]);
    exercise("dnnl_primitive_desc_query", &[desc, 1, 0, out]);
    exercise("dnnl_primitive_create", &[out, desc]);
    assert_eq!(status("dnnl_primitive_desc_next_impl", &[desc]), LAST_IMPL_REACHED);
    assert_eq!(status("dnnl_primitive_desc_next_impl", &[0]), INVALID_ARGUMENTS);
    let primitive = made("dnnl_primitive_create", |out| vec![out, desc]);
    exercise("dnnl_primitive_get_primitive_desc", &[primitive, out]);
}

#[test]
fn what_is_lent_belongs_to_its_parent() {
    let engine = cpu_engine();
    let stream = stream(engine);
    let md = matrix([4, 4], TAG_AB);
    let memory = memory(engine, md, ALLOCATE);
    let desc = made("dnnl_reorder_primitive_desc_create", |out| vec![out, md, engine, md, engine, 0]);
    assert_eq!(made("dnnl_stream_get_engine", |out| vec![stream, out]), engine);
    assert_eq!(made("dnnl_memory_get_engine", |out| vec![memory, out]), engine);
    for query in [1, 9, 10] {
        assert_eq!(made("dnnl_primitive_desc_query", |out| vec![desc, query, 0, out]), engine);
    }
    // The handle may go before what was made with it.
    ok("dnnl_engine_destroy", &[engine]);
    ok("dnnl_memory_desc_destroy", &[md]);
    let src = call("dnnl_primitive_desc_query_md", &[desc, 129, 0]);
    assert_eq!(call("dnnl_primitive_desc_query_md", &[desc, 255, SRC]), src, "the same handle each time");
    assert_eq!(call("dnnl_memory_desc_get_size", &[src]), 64);
    let none = call("dnnl_primitive_desc_query_md", &[desc, 131, 0]);
    assert_eq!(call("dnnl_memory_desc_get_size", &[none]), 0, "a reorder has no weights");
    assert_eq!(call("dnnl_primitive_desc_query_md", &[desc, 1, 0]), 0, "an engine is no memory descriptor");
    let name = made("dnnl_primitive_desc_query", |out| vec![desc, 8, 0, out]);
    // SAFETY: the implementation's name is a string that the descriptor keeps.
    let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance::<c_char>(name)) };
    assert!(!name.to_str().unwrap().contains([' ', ',']));
    for (destroy, object) in
        [("dnnl_memory_destroy", memory), ("dnnl_stream_destroy", stream), ("dnnl_primitive_desc_destroy", desc)]
    {
        ok(destroy, &[object]);
    }
}

#[test]
fn a_handle_of_something_else_is_refused() {
    let engine = cpu_engine();
    let stream = stream(engine);
    let mut out = 0usize;
    let out = address_mut(&mut out);
    assert_eq!(status("dnnl_engine_get_kind", &[stream, out]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_stream_wait", &[engine]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_stream_destroy", &[engine]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_primitive_destroy", &[stream]), INVALID_ARGUMENTS);
    ok("dnnl_stream_wait", &[stream]);
}

#[test]
fn compensation_is_unimplemented_and_other_queries_too() {
    let engine = cpu_engine();
    let (src, dst) = (matrix([4, 4], TAG_AB), matrix([4, 4], TAG_AB));
    let flags = std::ptr::with_exposed_provenance_mut::<u64>(dst + 640);
    // SAFETY: the descriptor has this field there.
    unsafe { flags.write(1) };
    let mut out = 0usize;
    let out = address_mut(&mut out);
    assert_eq!(status("dnnl_reorder_primitive_desc_create", &[out, src, engine, dst, engine, 0]), UNIMPLEMENTED);
    assert_eq!(status("dnnl_memory_desc_query", &[src, 8, out]), UNIMPLEMENTED);
    assert_eq!(status("dnnl_memory_desc_query", &[src, 9999, out]), INVALID_ARGUMENTS);
}

#[test]
fn opencl_interoperability_checks_each_pointer() {
    const GPU: usize = 2;
    let (usm, buffer) = (0, 1);
    if call("dnnl_engine_get_count", &[GPU]) == 0 {
        eprintln!("not tested: no OpenCL device");
        return;
    }
    let library_engine = made("dnnl_engine_create", |out| vec![out, GPU, 0]);
    let mut out = 0usize;
    let out = address_mut(&mut out);
    exercise("dnnl_ocl_interop_get_device", &[library_engine, out]);
    exercise("dnnl_ocl_interop_engine_get_context", &[library_engine, out]);
    let device = made("dnnl_ocl_interop_get_device", |out| vec![library_engine, out]);
    let context = made("dnnl_ocl_interop_engine_get_context", |out| vec![library_engine, out]);
    exercise("dnnl_ocl_interop_engine_create", &[out, device, context]);
    exercise("dnnl_engine_create_ocl", &[out, GPU, device, context]);
    assert_eq!(status("dnnl_engine_create_ocl", &[out, CPU, device, context]), INVALID_ARGUMENTS);
    for nulls in [[out, 0, context], [out, device, 0]] {
        assert_eq!(status("dnnl_ocl_interop_engine_create", &nulls), INVALID_ARGUMENTS);
    }
    let engine = made("dnnl_ocl_interop_engine_create", |out| vec![out, device, context]);
    assert_eq!(made("dnnl_engine_get_ocl_context", |out| vec![engine, out]), context);
    assert_eq!(made("dnnl_engine_get_ocl_device", |out| vec![engine, out]), device);

    let library_stream = stream(engine);
    let queue = made("dnnl_ocl_interop_stream_get_command_queue", |out| vec![library_stream, out]);
    exercise("dnnl_ocl_interop_stream_get_command_queue", &[library_stream, out]);
    exercise("dnnl_ocl_interop_stream_create", &[out, engine, queue]);
    assert_eq!(status("dnnl_ocl_interop_stream_create", &[out, engine, 0]), INVALID_ARGUMENTS);
    let stream = made("dnnl_stream_create_ocl", |out| vec![out, engine, queue]);
    assert_eq!(made("dnnl_stream_get_ocl_command_queue", |out| vec![stream, out]), queue);

    let md = matrix([4, 4], TAG_AB);
    exercise("dnnl_ocl_interop_memory_create", &[out, md, engine, buffer, ALLOCATE]);
    exercise("dnnl_ocl_interop_memory_create_v2", &[out, md, engine, buffer, 1, address(&ALLOCATE)]);
    assert_eq!(status("dnnl_ocl_interop_memory_create", &[out, md, engine, 5, ALLOCATE]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_ocl_interop_memory_create", &[out, md, cpu_engine(), usm, 0]), INVALID_ARGUMENTS);
    let memory = made("dnnl_ocl_interop_memory_create", |out| vec![out, md, engine, buffer, ALLOCATE]);
    exercise("dnnl_ocl_interop_memory_get_memory_kind", &[memory, out]);
    exercise("dnnl_ocl_interop_memory_get_mem_object", &[memory, out]);
    let object = made("dnnl_memory_get_ocl_mem_object", |out| vec![memory, out]);
    assert_eq!(made("dnnl_memory_get_data_handle", |out| vec![memory, out]), object);
    exercise("dnnl_ocl_interop_memory_set_mem_object", &[memory, object]);
    let empty = made("dnnl_ocl_interop_memory_create", |out| vec![out, md, engine, buffer, 0]);
    assert_eq!(made("dnnl_memory_get_ocl_mem_object", |out| vec![empty, out]), 0);
    ok("dnnl_memory_set_ocl_mem_object", &[empty, object]);
    assert_eq!(made("dnnl_memory_get_ocl_mem_object", |out| vec![empty, out]), object);
    // A pointer of the host is no memory object, but only a driver could tell; a USM memory refuses objects.
    if status("dnnl_ocl_interop_memory_create", &[out, md, engine, usm, ALLOCATE]) == SUCCESS {
        let pointer = made("dnnl_ocl_interop_memory_create", |out| vec![out, md, engine, usm, ALLOCATE]);
        assert_eq!(status("dnnl_ocl_interop_memory_set_mem_object", &[pointer, object]), INVALID_ARGUMENTS);
        assert_eq!(status("dnnl_ocl_interop_memory_get_mem_object", &[pointer, out]), INVALID_ARGUMENTS);
    }

    let desc = made("dnnl_reorder_primitive_desc_create", |out| vec![out, md, engine, md, engine, 0]);
    let primitive = made("dnnl_primitive_create", |out| vec![out, desc]);
    let arguments = [SRC, memory, DST, empty];
    let no_memory = [SRC, memory, DST, 0];
    exercise("dnnl_primitive_execute", &[primitive, stream, 2, address(&arguments)]);
    let events = [made("dnnl_ocl_interop_primitive_execute", |event| {
        vec![primitive, stream, 2, address(&arguments), 0, 0, event]
    })];
    assert_ne!(events[0], 0);
    exercise(
        "dnnl_ocl_interop_primitive_execute",
        &[primitive, stream, 2, address(&arguments), address(&events), 1, out],
    );
    for wrong in [
        [primitive, stream, 2, address(&no_memory), 0, 0, 0],
        [primitive, stream, 2, address(&arguments), address(&0usize), 1, 0],
        [primitive, stream, usize::MAX, address(&arguments), 0, 0, 0],
    ] {
        assert_eq!(status("dnnl_ocl_interop_primitive_execute", &wrong), INVALID_ARGUMENTS);
    }
    ok("dnnl_stream_wait", &[stream]);

    let mut size = 0usize;
    exercise("dnnl_ocl_interop_engine_get_cache_blob_id", &[device, address_mut(&mut size), 0]);
    assert_ne!(size, 0);
    exercise("dnnl_ocl_interop_engine_get_cache_blob", &[engine, address_mut(&mut size), 0]);
    let mut blob = vec![0u8; size];
    let bytes = blob.as_mut_ptr().expose_provenance();
    ok("dnnl_ocl_interop_engine_get_cache_blob", &[engine, address(&size), bytes]);
    exercise("dnnl_ocl_interop_engine_create_from_cache_blob", &[out, device, context, size, bytes]);
    exercise("dnnl_primitive_get_cache_blob", &[primitive, address_mut(&mut size), 0]);
    let mut blob = vec![0u8; size];
    let bytes = blob.as_mut_ptr().expose_provenance();
    ok("dnnl_primitive_get_cache_blob", &[primitive, address(&size), bytes]);
    exercise("dnnl_primitive_create_from_cache_blob", &[out, desc, size, bytes]);
    assert_eq!(status("dnnl_primitive_create_from_cache_blob", &[out, desc, 0, 0]), INVALID_ARGUMENTS);
    assert_eq!(status("dnnl_primitive_create_from_cache_blob", &[out, desc, size - 1, bytes]), INVALID_ARGUMENTS);
}

#[test]
fn settings_are_kept() {
    let mut out = 0i32;
    let out = address_mut(&mut out);
    let read = || {
        // SAFETY: the variable above.
        unsafe { std::ptr::with_exposed_provenance::<i32>(out).read() }
    };
    exercise("dnnl_get_primitive_cache_capacity", &[out]);
    ok("dnnl_set_primitive_cache_capacity", &[77]);
    ok("dnnl_get_primitive_cache_capacity", &[out]);
    assert_eq!(read(), 77);
    assert_eq!(status("dnnl_set_primitive_cache_capacity", &[usize::MAX]), INVALID_ARGUMENTS);
    ok("dnnl_set_primitive_cache_capacity", &[1024]);
    exercise("dnnl_get_default_fpmath_mode", &[out]);
    ok("dnnl_set_default_fpmath_mode", &[1]);
    let attr = made("dnnl_primitive_attr_create", |out| vec![out]);
    ok("dnnl_primitive_attr_get_fpmath_mode", &[attr, out]);
    assert_eq!(read(), 1, "new attributes follow the default");
    ok("dnnl_set_default_fpmath_mode", &[0]);
    assert_eq!(status("dnnl_set_default_fpmath_mode", &[9]), INVALID_ARGUMENTS);
    exercise("dnnl_verbose_profiling_enabled", &[out]);
    assert_eq!(status("dnnl_set_verbose", &[3]), INVALID_ARGUMENTS);
}

#[test]
fn names_are_those_of_the_api() {
    let name = |function: &str, value: usize| {
        // SAFETY: the functions return strings that stay.
        let text = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance::<c_char>(call(function, &[value]))) };
        text.to_str().unwrap().to_owned()
    };
    for (function, value, expected) in [
        ("dnnl_status2str", 2, "invalid_arguments"),
        ("dnnl_dt2str", F32, "f32"),
        ("dnnl_dt2str", 99, "unknown dt"),
        ("dnnl_fmt_tag2str", 5, "abcd"),
        ("dnnl_fmt_tag2str", 0, "undef"),
        ("dnnl_prop_kind2str", 96, "forward_inference"),
        ("dnnl_prim_kind2str", 14, "matmul"),
        ("dnnl_alg_kind2str", 0x20, "eltwise_relu"),
        ("dnnl_fpmath_mode2str", 4, "tf32"),
        ("dnnl_accumulation_mode2str", 1, "relaxed"),
        ("dnnl_engine_kind2str", 2, "gpu"),
        ("dnnl_sparse_encoding2str", 1, "csr"),
        ("dnnl_fmt_kind2str", 2, "blocked"),
        ("dnnl_scratchpad_mode2str", 1, "user"),
        ("dnnl_rounding_mode2str", 1, "stochastic"),
        ("dnnl_quantization_mode2str", 2, "dynamic_mx"),
        ("dnnl_rnn_flags2str", 1, "rnn_flags_diff_weights_overwrite"),
        ("dnnl_rnn_direction2str", 4, "bidirectional_sum"),
        ("dnnl_cpu_isa2str", 7, "cpu_isa_avx2"),
        ("dnnl_cpu_isa_hints2str", 0, "cpu_isa_no_hints"),
        ("dnnl_runtime2str", 256, "OpenCL"),
    ] {
        assert_eq!(name(function, value), expected, "{function}");
    }
}
