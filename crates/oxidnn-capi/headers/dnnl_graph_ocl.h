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

//@ functions graph_ocl

#ifdef __cplusplus
}
#endif

#endif
