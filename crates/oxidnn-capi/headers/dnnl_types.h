#ifndef DNNL_TYPES_H
#define DNNL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The family of a memory format. */
//@ enum FormatKind

/* How a sparse tensor is encoded. */
//@ enum SparseEncoding

/* What dnnl_query_profiling_data() can tell of an execution. */
typedef enum {
    dnnl_profiling_data_kind_undef = 0,
    /* How long it took, in nanoseconds. */
    dnnl_profiling_data_kind_time = 1,
    dnnl_profiling_data_max = 0x7fff,
} dnnl_profiling_data_kind_t;

/*
 * Names of layouts. The letters before the first digit are the dimensions from the outermost to the innermost, capital
 * where they are split into blocks; what follows are the blocks, from the outermost to the innermost, each as a size and
 * the dimension it is of. The second part has the same layouts by what the dimensions usually mean.
 */
//@ enum FormatTag

/* Which pass a primitive belongs to. */
//@ enum PropKind

/* Which operation a primitive computes. */
//@ enum PrimitiveKind

/* The algorithm of an operation or post-op. */
//@ enum AlgKind

/* Options of normalizations. */
typedef enum {
    dnnl_normalization_flags_none = 0x0,
    /* Mean and variance are inputs. */
    dnnl_use_global_stats = 0x1,
    dnnl_use_scale = 0x2,
    dnnl_use_shift = 0x4,
    /* A ReLU follows. */
    dnnl_fuse_norm_relu = 0x8,
    /* An addition and a ReLU follow. */
    dnnl_fuse_norm_add_relu = 0x10,
    /* Root mean square normalization: the mean is not subtracted. */
    dnnl_rms_norm = 0x20,
} dnnl_normalization_flags_t;

/* A dimension or stride that is only known at execution. */
#define DNNL_RUNTIME_DIM_VAL INT64_MIN

/* The size of a tensor that is only known at execution. */
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

/* Values of parameters that are only known at execution. */
static const union {
    unsigned u;
    float f;
} DNNL_RUNTIME_F32_VAL_REP = {0x7fc000d0};
#define DNNL_RUNTIME_F32_VAL (DNNL_RUNTIME_F32_VAL_REP.f)
static const int DNNL_RUNTIME_S32_VAL_REP = INT32_MIN;
#define DNNL_RUNTIME_S32_VAL DNNL_RUNTIME_S32_VAL_REP

/* Describes a tensor: dimensions, element type, layout. */
struct dnnl_memory_desc;
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;

/* A tensor in memory. */
struct dnnl_memory;
typedef struct dnnl_memory *dnnl_memory_t;
typedef const struct dnnl_memory *const_dnnl_memory_t;

/* Options of recurrent networks. */
typedef enum {
    dnnl_rnn_flags_undef = 0x0,
    /* Gradients of weights are stored, not added to what is there. */
    dnnl_rnn_flags_diff_weights_overwrite = 0x1,
} dnnl_rnn_flags_t;

/* In which directions a recurrent network reads its input. */
typedef enum {
    dnnl_rnn_direction_undef = 0,
    dnnl_unidirectional_left2right = 1,
    dnnl_unidirectional_right2left = 2,
    dnnl_bidirectional_concat = 3,
    dnnl_bidirectional_sum = 4,
} dnnl_rnn_direction_t;

/* An operation with all its parameters, and an implementation that was found for it. */
struct dnnl_primitive_desc;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;

/* Who provides the scratchpad. */
//@ enum ScratchpadMode

/* How values are rounded when an output is stored. */
//@ enum RoundingMode

/* Who computes scales: the caller beforehand, or the primitive while it runs. */
//@ enum QuantizationMode

/* What a primitive does besides its operation. */
struct dnnl_primitive_attr;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;

/* What happens to a result before it is stored. */
struct dnnl_post_ops;
typedef struct dnnl_post_ops *dnnl_post_ops_t;
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;

/* A computation that is ready to run. */
struct dnnl_primitive;
typedef struct dnnl_primitive *dnnl_primitive_t;
typedef const struct dnnl_primitive *const_dnnl_primitive_t;

/* Arguments of executions. An argument that an attribute adds has the attribute's number and that of the argument that
 * it belongs to, combined with `|`. */
//@ args

/* The argument of post-op number idx. */
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))

typedef struct {
    /* One of the DNNL_ARG_* numbers. */
    int arg;
    dnnl_memory_t memory;
} dnnl_exec_arg_t;

/* What can be asked of primitive descriptors and memory descriptors. The ending of a name tells the type of the answer. */
//@ enum Query

#define DNNL_JIT_PROFILE_NONE 0u
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_PERFMAP 2u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP 4u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u
#define DNNL_JIT_PROFILE_LINUX_PERF (DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_PERFMAP)

/* CPU instruction sets. */
typedef enum {
    dnnl_cpu_isa_default = 0x0,
    dnnl_cpu_isa_sse41 = 0x1,
    dnnl_cpu_isa_avx = 0x3,
    dnnl_cpu_isa_avx2 = 0x7,
    dnnl_cpu_isa_avx2_vnni = 0xf,
    dnnl_cpu_isa_avx2_vnni_2 = 0x1f,
    dnnl_cpu_isa_avx512_core = 0x27,
    dnnl_cpu_isa_avx512_core_vnni = 0x67,
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
    dnnl_cpu_isa_avx10_1_512 = 0x1ef,
    dnnl_cpu_isa_avx512_core_fp16 = dnnl_cpu_isa_avx10_1_512,
    dnnl_cpu_isa_avx10_1_512_amx = 0xfef,
    dnnl_cpu_isa_avx512_core_amx = dnnl_cpu_isa_avx10_1_512_amx,
    dnnl_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef,
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    dnnl_cpu_isa_avx10_2 = 0x201ff,
    dnnl_cpu_isa_avx10_2_512 = dnnl_cpu_isa_avx10_2,
    dnnl_cpu_isa_avx10_2_amx_2 = 0x22fff,
    dnnl_cpu_isa_avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
    dnnl_cpu_isa_avx10_2_ace = 0xa03ff,
} dnnl_cpu_isa_t;

typedef enum {
    dnnl_cpu_isa_no_hints = 0x0,
    dnnl_cpu_isa_prefer_ymm = 0x1,
} dnnl_cpu_isa_hints_t;

#ifdef __cplusplus
}
#endif

#endif
