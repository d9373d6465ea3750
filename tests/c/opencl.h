/* What a program that uses OpenCL has before it meets the library: a device, a context and queues. */

#ifndef OPENCL_H
#define OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "oneapi/dnnl/dnnl_ocl.h"
#include "test.h"

/* A call of OpenCL that must succeed. */
#define CL(call) check((call) == CL_SUCCESS, __FILE__, __LINE__, #call)

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* out of order where the device can */
} opencl_t;

/* The first device there is, null if there is none. */
static inline cl_device_id first_device(void) {
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return NULL;
    for (cl_uint i = 0; i < platform_count && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) return device;
    }
    return NULL;
}

static inline int is_on_platform(cl_device_id device, const char *name) {
    cl_platform_id platform = NULL;
    char found[256] = "";
    CL(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL));
    CL(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(found), found, NULL));
    return strcmp(found, name) == 0;
}

static inline cl_context new_context(cl_device_id device) {
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CL(code);
    return context;
}

static inline int is_out_of_order(cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

static inline cl_command_queue new_queue(cl_context context, cl_device_id device) {
    cl_command_queue_properties properties = 0;
    CL(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(
            context, device, properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    CL(code);
    return queue;
}

/* Opens the first device; false if there is none. */
static inline int open_opencl(opencl_t *ocl) {
    ocl->device = first_device();
    if (!ocl->device) return 0;
    ocl->context = new_context(ocl->device);
    ocl->queue = new_queue(ocl->context, ocl->device);
    return ocl->context && ocl->queue;
}

static inline void close_opencl(opencl_t *ocl) {
    CL(clReleaseCommandQueue(ocl->queue));
    CL(clReleaseContext(ocl->context));
}

#define OPEN_OR_SKIP(ocl) \
    opencl_t ocl; \
    if (!open_opencl(&ocl)) SKIP("there is no OpenCL device")

static inline cl_mem new_buffer(cl_context context, size_t size, const void *content) {
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(context, flags, size, (void *)content, &code);
    CL(code);
    return buffer;
}

static inline cl_uint context_references(cl_context context) {
    cl_uint count = 0;
    CL(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static inline cl_uint queue_references(cl_command_queue queue) {
    cl_uint count = 0;
    CL(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static inline cl_uint buffer_references(cl_mem buffer) {
    cl_uint count = 0;
    CL(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static inline cl_int event_status(cl_event event) {
    cl_int status = 0;
    CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    return status;
}

/* A dense matrix of floats. */
static inline dnnl_memory_desc_t matrix(dnnl_dim_t rows, dnnl_dim_t columns, dnnl_format_tag_t tag) {
    dnnl_dims_t dims = {rows, columns};
    dnnl_memory_desc_t md = NULL;
    OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, tag));
    return md;
}

static inline dnnl_engine_t new_engine(const opencl_t *ocl) {
    dnnl_engine_t engine = NULL;
    OK(dnnl_ocl_interop_engine_create(&engine, ocl->device, ocl->context));
    return engine;
}

static inline dnnl_stream_t new_stream(const opencl_t *ocl, dnnl_engine_t engine) {
    dnnl_stream_t stream = NULL;
    OK(dnnl_ocl_interop_stream_create(&stream, engine, ocl->queue));
    return stream;
}

static inline dnnl_memory_t new_memory(dnnl_memory_desc_t md, dnnl_engine_t engine, cl_mem buffer) {
    dnnl_memory_t memory = NULL;
    OK(dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_buffer, (void *)buffer));
    return memory;
}

/* A reorder between two descriptors of one engine. */
static inline dnnl_primitive_t new_reorder(dnnl_engine_t engine, dnnl_memory_desc_t from, dnnl_memory_desc_t to) {
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t primitive = NULL;
    OK(dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL));
    OK(dnnl_primitive_create(&primitive, desc));
    OK(dnnl_primitive_desc_destroy(desc));
    return primitive;
}

#endif
