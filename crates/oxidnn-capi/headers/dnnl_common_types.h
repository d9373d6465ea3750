#ifndef DNNL_COMMON_TYPES_H
#define DNNL_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. */
typedef enum {
    dnnl_success = 0,
    /* Not enough memory on the host or the device. */
    dnnl_out_of_memory = 1,
    /* An argument is wrong. */
    dnnl_invalid_arguments = 2,
    /* The request is valid but not supported. */
    dnnl_unimplemented = 3,
    /* A primitive descriptor has no further implementation. */
    dnnl_last_impl_reached = 4,
    /* The runtime or the device failed. */
    dnnl_runtime_error = 5,
    /* The object has no such part. */
    dnnl_not_required = 6,
    /* The graph is not legitimate. */
    dnnl_invalid_graph = 7,
    /* A graph operation does not fit its schema. */
    dnnl_invalid_graph_op = 8,
    /* A shape of a graph cannot be inferred or compiled. */
    dnnl_invalid_shape = 9,
    /* A data type of a graph cannot be inferred or compiled. */
    dnnl_invalid_data_type = 10,
} dnnl_status_t;

/* How one element is stored. */
//@ enum DataType

/* The most dimensions a tensor can have. */
#define DNNL_MAX_NDIMS 12

/* A dimension, a stride, an offset or a number of elements. */
typedef int64_t dnnl_dim_t;

/* One value per dimension. Functions read as many as the tensor has dimensions. */
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

/* Which implicit down-conversions of f32 a primitive may make. */
//@ enum FpmathMode

/* Which accumulator a primitive may use. */
//@ enum AccumulationMode

/* Where an engine computes. */
//@ enum EngineKind

/* A device in a context. */
struct dnnl_engine;
typedef struct dnnl_engine *dnnl_engine_t;

typedef enum {
    /* Each execution starts after the one before it. */
    dnnl_stream_in_order = 0x1,
    /* Only events order executions. */
    dnnl_stream_out_of_order = 0x2,
    dnnl_stream_default_flags = dnnl_stream_in_order,
    /* Executions leave their times, see dnnl_query_profiling_data(). */
    dnnl_stream_profiling = 0x4,
    dnnl_stream_flags_max = 0x7fff,
} dnnl_stream_flags_t;

/* Where primitives are submitted. */
struct dnnl_stream;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;

typedef struct {
    int major;
    int minor;
    int patch;
    /* Which library this is. */
    const char *hash;
    /* DNNL_RUNTIME_* of the CPU engine. */
    unsigned cpu_runtime;
    /* DNNL_RUNTIME_* of the GPU engines. */
    unsigned gpu_runtime;
} dnnl_version_t;

/* In the place of a handle: a memory without a buffer. */
#define DNNL_MEMORY_NONE (NULL)

/* In the place of a handle: the library allocates the buffer. */
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif
