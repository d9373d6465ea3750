/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_ZE_H
#define DNNL_ZE_H

#include <level_zero/ze_api.h>

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Level Zero interoperability. Objects handed in are only referenced: they must outlive the oneDNN object. */

/*
 * Writes bytes that are equal for devices whose engines can share a cache blob. With a null cache_blob_id only their
 * number is written to size.
 */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver, ze_device_handle_t device,
        size_t *size, uint8_t *cache_blob_id);

/* Writes what an engine has built as bytes. With a null cache_blob only their number is written to size. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_get_cache_blob(dnnl_engine_t engine, size_t *size,
        uint8_t *cache_blob);

/* Creates an engine on the caller's objects with what dnnl_ze_interop_engine_get_cache_blob wrote. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context, size_t size,
        const uint8_t *cache_blob);

/* Creates an engine on the caller's driver, device and context. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_create(dnnl_engine_t *engine, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context);

/* The context of an engine. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t *context);

/* The device of an engine. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t *device);

/* The driver of an engine. */
dnnl_status_t DNNL_API dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t *driver);

/*
 * Creates a stream on the caller's immediate command list. Where it is out of order, executions need events to follow
 * each other.
 */
dnnl_status_t DNNL_API dnnl_ze_interop_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine,
        ze_command_list_handle_t list, int profiling);

/* The command list of a stream. */
dnnl_status_t DNNL_API dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t *list);

/* Creates a memory. Each handle is a USM pointer, DNNL_MEMORY_NONE or DNNL_MEMORY_ALLOCATE. */
dnnl_status_t DNNL_API dnnl_ze_interop_memory_create(dnnl_memory_t *memory, const_dnnl_memory_desc_t memory_desc,
        dnnl_engine_t engine, int nhandles, void **handles);

/*
 * Submits an execution of a primitive that starts after deps. The event that is returned lives as long as the stream.
 */
dnnl_status_t DNNL_API dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
        int nargs, const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *return_event);

#ifdef __cplusplus
}
#endif

#endif
