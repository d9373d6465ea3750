/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_DEBUG_H
#define DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of values, as strings that stay the library's. */

/* The name of a status. */
const char DNNL_API *dnnl_status2str(dnnl_status_t v);

/* The name of a data type. */
const char DNNL_API *dnnl_dt2str(dnnl_data_type_t v);

/* The name of a floating-point math mode. */
const char DNNL_API *dnnl_fpmath_mode2str(dnnl_fpmath_mode_t v);

/* The name of an accumulation mode. */
const char DNNL_API *dnnl_accumulation_mode2str(dnnl_accumulation_mode_t v);

/* The name of an engine kind. */
const char DNNL_API *dnnl_engine_kind2str(dnnl_engine_kind_t v);

/* The name of a sparse encoding. */
const char DNNL_API *dnnl_sparse_encoding2str(dnnl_sparse_encoding_t v);

/* The name of a format tag, in letters: the tag of nchw is called abcd. */
const char DNNL_API *dnnl_fmt_tag2str(dnnl_format_tag_t v);

/* The name of a propagation kind. */
const char DNNL_API *dnnl_prop_kind2str(dnnl_prop_kind_t v);

/* The name of a primitive kind. */
const char DNNL_API *dnnl_prim_kind2str(dnnl_primitive_kind_t v);

/* The name of an algorithm. */
const char DNNL_API *dnnl_alg_kind2str(dnnl_alg_kind_t v);

/* The name of RNN flags. */
const char DNNL_API *dnnl_rnn_flags2str(dnnl_rnn_flags_t v);

/* The name of an RNN direction. */
const char DNNL_API *dnnl_rnn_direction2str(dnnl_rnn_direction_t v);

/* The name of a scratchpad mode. */
const char DNNL_API *dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v);

/* The name of a rounding mode. */
const char DNNL_API *dnnl_rounding_mode2str(dnnl_rounding_mode_t v);

/* The name of a quantization mode. */
const char DNNL_API *dnnl_quantization_mode2str(dnnl_quantization_mode_t v);

/* The name of a CPU instruction set. */
const char DNNL_API *dnnl_cpu_isa2str(dnnl_cpu_isa_t v);

/* The name of hints on CPU instruction sets. */
const char DNNL_API *dnnl_cpu_isa_hints2str(dnnl_cpu_isa_hints_t v);

/* The name of a runtime, one of the DNNL_RUNTIME_* values. */
const char DNNL_API *dnnl_runtime2str(unsigned v);

/* The name of a format kind. */
const char DNNL_API *dnnl_fmt_kind2str(dnnl_format_kind_t v);

#ifdef __cplusplus
}
#endif

#endif
