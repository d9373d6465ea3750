/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_GRAPH_OCL_H
#define DNNL_GRAPH_OCL_H

#include <CL/cl.h>

#include "oneapi/dnnl/dnnl_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates a USM pointer of the device and context. */
typedef void *(*dnnl_graph_ocl_allocate_f)(size_t size, size_t alignment, cl_device_id device, cl_context context);

/* Frees such a pointer once the event is complete. */
typedef void (*dnnl_graph_ocl_deallocate_f)(void *memory, cl_device_id device, cl_context context, cl_event event);

dnnl_status_t DNNL_API dnnl_graph_ocl_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_ocl_allocate_f ocl_malloc, dnnl_graph_ocl_deallocate_f ocl_free);

dnnl_status_t DNNL_API dnnl_graph_ocl_interop_make_engine_with_allocator(dnnl_engine_t *engine, cl_device_id device,
        cl_context context, const_dnnl_graph_allocator_t alloc);

dnnl_status_t DNNL_API dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, const_dnnl_graph_allocator_t alloc, size_t size,
        const uint8_t *cache_blob);


        dnnl_status_t DNNL_API dnnl_graph_ocl_interop_compiled_partition_execute(const_dnnl_graph_compiled_partition_t compiled_partition,
        dnnl_stream_t stream, size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const cl_event *deps, int ndeps, cl_event *return_event);


        dnnl_status_t DNNL_API dnnl_graph_ocl_interop_compiled_partition_execute_v2(const_dnnl_graph_compiled_partition_t compiled_partition,
        dnnl_stream_t stream, size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad, const cl_event *deps, int ndeps,
        cl_event *return_event);

#ifdef __cplusplus
}
#endif

#endif
