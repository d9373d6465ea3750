/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_OCL_H
#define DNNL_OCL_H

#include <CL/cl.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OpenCL interoperability. Objects handed in are retained and released with the oneDNN object; getters do not retain. */

/*
 * Creates a memory. The handle is a USM pointer or a cl_mem, as the kind says, DNNL_MEMORY_NONE or
 * DNNL_MEMORY_ALLOCATE.
 */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind, void *handle);

/* Creates a memory with several buffers. */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles, void **handles);

/* Whether a memory's buffers are USM pointers or cl_mem objects. */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_get_memory_kind(const_dnnl_memory_t memory,
        dnnl_ocl_interop_memory_kind_t *memory_kind);

/* The cl_mem of a memory, null if it is not set. */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_get_mem_object(const_dnnl_memory_t memory, cl_mem *mem_object);

/* Sets the cl_mem of a memory. */
dnnl_status_t DNNL_API dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object);

/*
 * Writes bytes that are equal for devices whose engines can share a cache blob. With a null cache_blob_id only their
 * number is written to size.
 */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_cache_blob_id(cl_device_id device, size_t *size,
        uint8_t *cache_blob_id);

/* Writes what an engine has built as bytes. With a null cache_blob only their number is written to size. */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size,
        uint8_t *cache_blob);

/* Creates an engine on the caller's device and context with what dnnl_ocl_interop_engine_get_cache_blob wrote. */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine, cl_device_id device,
        cl_context context, size_t size, const uint8_t *cache_blob);

/* Creates an engine on the caller's device and context. */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_create(dnnl_engine_t *engine, cl_device_id device,
        cl_context context);

/* The context of an engine. */
dnnl_status_t DNNL_API dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context *context);

/* The device of an engine. */
dnnl_status_t DNNL_API dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device);

/* Creates a stream on the caller's queue, whose properties it has. */
dnnl_status_t DNNL_API dnnl_ocl_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
        cl_command_queue queue);

/* The queue of a stream. */
dnnl_status_t DNNL_API dnnl_ocl_interop_stream_get_command_queue(dnnl_stream_t stream, cl_command_queue *queue);

/* Submits an execution of a primitive that starts after deps. The event that is returned is the caller's to release. */
dnnl_status_t DNNL_API dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
        int nargs, const dnnl_exec_arg_t *args, const cl_event *deps, int ndeps, cl_event *return_event);

/* Names of the first version of the API. */

/* As dnnl_ocl_interop_engine_create; the kind must be dnnl_gpu. */
dnnl_status_t DNNL_API dnnl_engine_create_ocl(dnnl_engine_t *engine, dnnl_engine_kind_t kind, cl_device_id device,
        cl_context context);

/* As dnnl_ocl_interop_engine_get_context. */
dnnl_status_t DNNL_API dnnl_engine_get_ocl_context(dnnl_engine_t engine, cl_context *context);

/* As dnnl_ocl_interop_get_device. */
dnnl_status_t DNNL_API dnnl_engine_get_ocl_device(dnnl_engine_t engine, cl_device_id *device);

/* As dnnl_ocl_interop_stream_create. */
dnnl_status_t DNNL_API dnnl_stream_create_ocl(dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue);

/* As dnnl_ocl_interop_stream_get_command_queue. */
dnnl_status_t DNNL_API dnnl_stream_get_ocl_command_queue(dnnl_stream_t stream, cl_command_queue *queue);

/* As dnnl_ocl_interop_memory_get_mem_object. */
dnnl_status_t DNNL_API dnnl_memory_get_ocl_mem_object(const_dnnl_memory_t memory, cl_mem *mem_object);

/* As dnnl_ocl_interop_memory_set_mem_object. */
dnnl_status_t DNNL_API dnnl_memory_set_ocl_mem_object(dnnl_memory_t memory, cl_mem mem_object);

#ifdef __cplusplus
}
#endif

#endif
