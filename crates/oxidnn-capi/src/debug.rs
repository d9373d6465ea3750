//! Names of the API's values, for people.
//!
//! Every function returns a string that lives as long as the library, for any number.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::sync::{LazyLock, Mutex};

use oxidnn::desc::FormatTag;

use crate::handle::{Enum, Vocabulary};
use crate::vocabulary::*;

/// A name with the zero that C wants at its end. Each name is converted once and kept.
pub fn c_text(name: &'static str) -> *const c_char {
    static TEXTS: LazyLock<Mutex<HashMap<&'static str, CString>>> = LazyLock::new(Default::default);
    let mut texts = TEXTS.lock().unwrap_or_else(|e| e.into_inner());
    texts.entry(name).or_insert_with(|| CString::new(name).unwrap_or_default()).as_ptr()
}

fn name<T: Vocabulary>(value: &Enum<T>, unknown: &'static CStr) -> *const c_char {
    match T::from_c(value.number()) {
        Some(known) => c_text(known.name()),
        None => unknown.as_ptr(),
    }
}

fn listed(value: c_int, names: &[(c_int, &'static CStr)], unknown: &'static CStr) -> *const c_char {
    names.iter().find(|(listed, _)| *listed == value).map_or(unknown, |(_, name)| name).as_ptr()
}

/// The largest value of some enumerations, there so that C compilers use wide enough integers for them.
const MAX: c_int = 0x7fff;

/// The name of a status.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_status2str(v: Enum<oxidnn::Status>) -> *const c_char {
    const NAMES: &[(c_int, &CStr)] = &[
        (0, c"success"),
        (1, c"out_of_memory"),
        (2, c"invalid_arguments"),
        (3, c"unimplemented"),
        (4, c"last_impl_reached"),
        (5, c"runtime_error"),
        (6, c"not_required"),
        (7, c"invalid_graph"),
        (8, c"invalid_graph_op"),
        (9, c"invalid_shape"),
        (10, c"invalid_data_type"),
    ];
    listed(v.number(), NAMES, c"unknown status")
}

/// The name of a data type.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_dt2str(v: Enum<DataType>) -> *const c_char {
    if v.number() == MAX { c"data_type_max".as_ptr() } else { name(&v, c"unknown dt") }
}

/// The name of a floating-point math mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_fpmath_mode2str(v: Enum<FpmathMode>) -> *const c_char {
    name(&v, c"unknown fpmath_mode")
}

/// The name of an accumulation mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_accumulation_mode2str(v: Enum<AccumulationMode>) -> *const c_char {
    name(&v, c"unknown accumulation_mode")
}

/// The name of an engine kind.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_engine_kind2str(v: Enum<EngineKind>) -> *const c_char {
    name(&v, c"unknown engine_kind")
}

/// The name of a sparse encoding.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_sparse_encoding2str(v: Enum<SparseEncoding>) -> *const c_char {
    name(&v, c"unknown sparse_encoding")
}

/// The name of a format tag, in letters: the tag of `nchw` is called `abcd`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_fmt_tag2str(v: Enum<FormatTag>) -> *const c_char {
    match FormatTag::from_c(v.number()) {
        Some(tag) => c_text(tag.name()),
        // One more than the last tag is the enumeration's own end mark.
        None if FormatTag::from_c(v.number().wrapping_sub(1)).is_some() => c"format_tag_last".as_ptr(),
        None => c"unknown fmt_tag".as_ptr(),
    }
}

/// The name of a propagation kind.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_prop_kind2str(v: Enum<PropKind>) -> *const c_char {
    name(&v, c"unknown prop_kind")
}

/// The name of a primitive kind.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_prim_kind2str(v: Enum<PrimitiveKind>) -> *const c_char {
    if v.number() == MAX { c"primitive_kind_max".as_ptr() } else { name(&v, c"unknown prim_kind") }
}

/// The name of an algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_alg_kind2str(v: Enum<AlgKind>) -> *const c_char {
    name(&v, c"unknown alg_kind")
}

/// The name of RNN flags.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_rnn_flags2str(v: Enum<RnnFlags>) -> *const c_char {
    listed(v.number(), &[(0, c"undef"), (1, c"rnn_flags_diff_weights_overwrite")], c"unknown rnn_flags")
}

/// The name of an RNN direction.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_rnn_direction2str(v: Enum<RnnDirection>) -> *const c_char {
    name(&v, c"unknown rnn_direction")
}

/// The name of a scratchpad mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_scratchpad_mode2str(v: Enum<ScratchpadMode>) -> *const c_char {
    name(&v, c"unknown scratchpad_mode")
}

/// The name of a rounding mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_rounding_mode2str(v: Enum<RoundingMode>) -> *const c_char {
    name(&v, c"unknown rounding_mode")
}

/// The name of a quantization mode.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_quantization_mode2str(v: Enum<QuantizationMode>) -> *const c_char {
    name(&v, c"unknown quantization_mode")
}

/// The name of a CPU instruction set.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_cpu_isa2str(v: Enum<CpuIsa>) -> *const c_char {
    const NAMES: &[(c_int, &CStr)] = &[
        (0x0, c"cpu_isa_default"),
        (0x1, c"cpu_isa_sse41"),
        (0x3, c"cpu_isa_avx"),
        (0x7, c"cpu_isa_avx2"),
        (0xf, c"cpu_isa_avx2_vnni"),
        (0x1f, c"cpu_isa_avx2_vnni_2"),
        (0x27, c"cpu_isa_avx512_core"),
        (0x67, c"cpu_isa_avx512_core_vnni"),
        (0xe7, c"cpu_isa_avx512_core_bf16"),
        (0x1ef, c"cpu_isa_avx10_1_512"),
        (0xfef, c"cpu_isa_avx10_1_512_amx"),
        (0x1fef, c"cpu_isa_avx10_1_512_amx_fp16"),
        (0x201ff, c"cpu_isa_avx10_2"),
        (0x22fff, c"cpu_isa_avx10_2_amx_2"),
        (0xa03ff, c"cpu_isa_avx10_2_ace"),
    ];
    listed(v.number(), NAMES, c"unknown cpu_isa")
}

/// The name of hints on CPU instruction sets.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_cpu_isa_hints2str(v: Enum<CpuIsaHints>) -> *const c_char {
    listed(v.number(), &[(0, c"cpu_isa_no_hints"), (1, c"cpu_isa_prefer_ymm")], c"unknown cpu_isa_hints")
}

/// The name of a runtime, one of the `DNNL_RUNTIME_*` values.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_runtime2str(v: c_uint) -> *const c_char {
    const NAMES: &[(c_int, &CStr)] = &[
        (0, c"none"),
        (1, c"sequential"),
        (2, c"OpenMP"),
        (4, c"TBB"),
        (8, c"threadpool"),
        (256, c"OpenCL"),
        (512, c"SYCL"),
        (1024, c"Level Zero"),
    ];
    listed(v.cast_signed(), NAMES, c"unknown")
}

/// The name of a format kind.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_fmt_kind2str(v: Enum<FormatKind>) -> *const c_char {
    if v.number() == MAX { c"max".as_ptr() } else { name(&v, c"unknown fmt_kind") }
}
