/* Every argument of the OpenCL interoperability functions that can be wrong, and the status it gets. */

#include "opencl.h"

static void creating_an_engine(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = NULL;
    INVALID(dnnl_ocl_interop_engine_create(NULL, ocl.device, ocl.context));
    INVALID(dnnl_ocl_interop_engine_create(&engine, NULL, ocl.context));
    INVALID(dnnl_ocl_interop_engine_create(&engine, ocl.device, NULL));
    CHECK(engine == NULL);
    close_opencl(&ocl);
}

static void reading_an_engine(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), host = NULL;
    cl_context context = NULL;
    cl_device_id device = NULL;
    INVALID(dnnl_ocl_interop_engine_get_context(NULL, &context));
    INVALID(dnnl_ocl_interop_engine_get_context(engine, NULL));
    INVALID(dnnl_ocl_interop_get_device(NULL, &device));
    INVALID(dnnl_ocl_interop_get_device(engine, NULL));

    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    INVALID(dnnl_ocl_interop_engine_get_context(host, &context));
    INVALID(dnnl_ocl_interop_get_device(host, &device));
    CHECK(context == NULL && device == NULL);
    OK(dnnl_engine_destroy(host));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void creating_and_reading_a_stream(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), host = NULL;
    dnnl_stream_t stream = NULL, host_stream = NULL;
    cl_command_queue queue = NULL;
    INVALID(dnnl_ocl_interop_stream_create(NULL, engine, ocl.queue));
    INVALID(dnnl_ocl_interop_stream_create(&stream, NULL, ocl.queue));
    INVALID(dnnl_ocl_interop_stream_create(&stream, engine, NULL));

    cl_context other = new_context(ocl.device);
    cl_command_queue others_queue = new_queue(other, ocl.device);
    INVALID(dnnl_ocl_interop_stream_create(&stream, engine, others_queue));
    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    INVALID(dnnl_ocl_interop_stream_create(&stream, host, ocl.queue));
    CHECK(stream == NULL);

    stream = new_stream(&ocl, engine);
    INVALID(dnnl_ocl_interop_stream_get_command_queue(NULL, &queue));
    INVALID(dnnl_ocl_interop_stream_get_command_queue(stream, NULL));
    OK(dnnl_stream_create(&host_stream, host, dnnl_stream_default_flags));
    INVALID(dnnl_ocl_interop_stream_get_command_queue(host_stream, &queue));
    CHECK(queue == NULL);

    OK(dnnl_stream_destroy(host_stream));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(host));
    OK(dnnl_engine_destroy(engine));
    CL(clReleaseCommandQueue(others_queue));
    CL(clReleaseContext(other));
    close_opencl(&ocl);
}

static void creating_a_memory(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), host = NULL;
    dnnl_memory_desc_t md = matrix(2, 2, dnnl_ab);
    dnnl_memory_t memory = NULL;
    void *none = DNNL_MEMORY_NONE;
    dnnl_ocl_interop_memory_kind_t no_kind = (dnnl_ocl_interop_memory_kind_t)7;
    INVALID(dnnl_ocl_interop_memory_create(NULL, md, engine, dnnl_ocl_interop_buffer, none));
    INVALID(dnnl_ocl_interop_memory_create(&memory, md, NULL, dnnl_ocl_interop_buffer, none));
    INVALID(dnnl_ocl_interop_memory_create(&memory, md, engine, no_kind, none));
    INVALID(dnnl_ocl_interop_memory_create_v2(NULL, md, engine, dnnl_ocl_interop_buffer, 1, &none));
    INVALID(dnnl_ocl_interop_memory_create_v2(&memory, md, NULL, dnnl_ocl_interop_buffer, 1, &none));
    INVALID(dnnl_ocl_interop_memory_create_v2(&memory, md, engine, dnnl_ocl_interop_buffer, 1, NULL));
    INVALID(dnnl_ocl_interop_memory_create_v2(&memory, md, engine, dnnl_ocl_interop_buffer, 2, &none));
    INVALID(dnnl_ocl_interop_memory_create_v2(&memory, md, engine, no_kind, 1, &none));

    cl_context other = new_context(ocl.device);
    cl_mem others_buffer = new_buffer(other, 64, NULL);
    INVALID(dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_buffer, (void *)others_buffer));
    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    INVALID(dnnl_ocl_interop_memory_create(&memory, md, host, dnnl_ocl_interop_buffer, none));

    dnnl_dims_t dims = {2, 2};
    dnnl_memory_desc_t open_format = NULL;
    OK(dnnl_memory_desc_create_with_tag(&open_format, 2, dims, dnnl_f32, dnnl_format_tag_any));
    INVALID(dnnl_ocl_interop_memory_create(&memory, open_format, engine, dnnl_ocl_interop_buffer, none));
    CHECK(memory == NULL);

    OK(dnnl_memory_desc_destroy(open_format));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(host));
    OK(dnnl_engine_destroy(engine));
    CL(clReleaseMemObject(others_buffer));
    CL(clReleaseContext(other));
    close_opencl(&ocl);
}

static void reading_and_changing_a_memory(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), host = NULL;
    dnnl_memory_desc_t md = matrix(2, 2, dnnl_ab);
    cl_mem buffer = new_buffer(ocl.context, 64, NULL), object = NULL;
    dnnl_memory_t memory = new_memory(md, engine, buffer), host_memory = NULL;
    dnnl_ocl_interop_memory_kind_t kind;
    INVALID(dnnl_ocl_interop_memory_get_memory_kind(NULL, &kind));
    INVALID(dnnl_ocl_interop_memory_get_memory_kind(memory, NULL));
    INVALID(dnnl_ocl_interop_memory_get_mem_object(NULL, &object));
    INVALID(dnnl_ocl_interop_memory_get_mem_object(memory, NULL));
    INVALID(dnnl_ocl_interop_memory_set_mem_object(NULL, buffer));

    cl_context other = new_context(ocl.device);
    cl_mem others_buffer = new_buffer(other, 64, NULL);
    INVALID(dnnl_ocl_interop_memory_set_mem_object(memory, others_buffer));
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    CHECK(object == buffer);

    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    OK(dnnl_memory_create(&host_memory, md, host, DNNL_MEMORY_ALLOCATE));
    INVALID(dnnl_ocl_interop_memory_get_memory_kind(host_memory, &kind));
    INVALID(dnnl_ocl_interop_memory_get_mem_object(host_memory, &object));
    INVALID(dnnl_ocl_interop_memory_set_mem_object(host_memory, buffer));

    OK(dnnl_memory_destroy(host_memory));
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(host));
    OK(dnnl_engine_destroy(engine));
    CL(clReleaseMemObject(buffer));
    CL(clReleaseMemObject(others_buffer));
    CL(clReleaseContext(other));
    close_opencl(&ocl);
}

static void executing_a_primitive(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), other_engine = NULL;
    dnnl_stream_t stream = new_stream(&ocl, engine), other_stream = NULL;
    dnnl_memory_desc_t from = matrix(3, 4, dnnl_ab), to = matrix(3, 4, dnnl_ba), wrong_md = matrix(2, 4, dnnl_ab);
    dnnl_primitive_t reorder = new_reorder(engine, from, to);
    dnnl_memory_t src = new_memory(from, engine, NULL), dst = new_memory(to, engine, NULL), wrong = NULL, unset = NULL;
    cl_mem a = new_buffer(ocl.context, 64, NULL), b = new_buffer(ocl.context, 64, NULL);
    OK(dnnl_ocl_interop_memory_set_mem_object(src, a));
    OK(dnnl_ocl_interop_memory_set_mem_object(dst, b));
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    cl_event event = NULL, no_event = NULL;

    INVALID(dnnl_ocl_interop_primitive_execute(NULL, stream, 2, args, NULL, 0, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, NULL, 2, args, NULL, 0, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, NULL, NULL, 0, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, -1, args, NULL, 0, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, args, NULL, 1, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, args, &no_event, 1, &event));
    /* An argument is missing. */
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 1, args, NULL, 0, &event));
    /* A memory of another shape. */
    wrong = new_memory(wrong_md, engine, a);
    dnnl_exec_arg_t wrong_args[2] = {{DNNL_ARG_FROM, wrong}, {DNNL_ARG_TO, dst}};
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, wrong_args, NULL, 0, &event));
    /* A memory without a buffer. */
    OK(dnnl_ocl_interop_memory_create(&unset, from, engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_NONE));
    dnnl_exec_arg_t unset_args[2] = {{DNNL_ARG_FROM, unset}, {DNNL_ARG_TO, dst}};
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, unset_args, NULL, 0, &event));

    /* The stream, the memory and the event of another context. */
    opencl_t other;
    CHECK(open_opencl(&other));
    other_engine = new_engine(&other);
    other_stream = new_stream(&other, other_engine);
    cl_mem others_buffer = new_buffer(other.context, 64, NULL);
    dnnl_memory_t others_memory = new_memory(from, other_engine, others_buffer);
    dnnl_exec_arg_t other_args[2] = {{DNNL_ARG_FROM, others_memory}, {DNNL_ARG_TO, dst}};
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, other_stream, 2, args, NULL, 0, &event));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, other_args, NULL, 0, &event));
    cl_event others_event = clCreateUserEvent(other.context, NULL);
    CL(clSetUserEventStatus(others_event, CL_COMPLETE));
    INVALID(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, args, &others_event, 1, &event));
    CHECK(event == NULL);

    /* The same call with everything right, with and without an event. */
    OK(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, args, NULL, 0, NULL));
    OK(dnnl_ocl_interop_primitive_execute(reorder, stream, 2, args, NULL, 0, &event));
    if (CHECK(event != NULL)) {
        CL(clWaitForEvents(1, &event));
        CL(clReleaseEvent(event));
    }
    OK(dnnl_stream_wait(stream));

    CL(clReleaseEvent(others_event));
    OK(dnnl_memory_destroy(others_memory));
    OK(dnnl_memory_destroy(wrong));
    OK(dnnl_memory_destroy(unset));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_primitive_destroy(reorder));
    OK(dnnl_memory_desc_destroy(from));
    OK(dnnl_memory_desc_destroy(to));
    OK(dnnl_memory_desc_destroy(wrong_md));
    OK(dnnl_stream_destroy(other_stream));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(other_engine));
    OK(dnnl_engine_destroy(engine));
    CL(clReleaseMemObject(a));
    CL(clReleaseMemObject(b));
    CL(clReleaseMemObject(others_buffer));
    close_opencl(&other);
    close_opencl(&ocl);
}

static void cache_blobs_of_an_engine(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), host = NULL, made = NULL;
    size_t size = 0;
    uint8_t junk[100] = {1, 2, 3};
    INVALID(dnnl_ocl_interop_engine_get_cache_blob_id(NULL, &size, NULL));
    INVALID(dnnl_ocl_interop_engine_get_cache_blob_id(ocl.device, NULL, NULL));
    INVALID(dnnl_ocl_interop_engine_get_cache_blob(NULL, &size, NULL));
    INVALID(dnnl_ocl_interop_engine_get_cache_blob(engine, NULL, NULL));
    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    INVALID(dnnl_ocl_interop_engine_get_cache_blob(host, &size, NULL));

    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(NULL, ocl.device, ocl.context, sizeof(junk), junk));
    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(&made, NULL, ocl.context, sizeof(junk), junk));
    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(&made, ocl.device, NULL, sizeof(junk), junk));
    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(&made, ocl.device, ocl.context, 0, junk));
    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(&made, ocl.device, ocl.context, sizeof(junk), NULL));
    INVALID(dnnl_ocl_interop_engine_create_from_cache_blob(&made, ocl.device, ocl.context, sizeof(junk), junk));
    CHECK(made == NULL);
    OK(dnnl_engine_destroy(host));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void a_context_that_does_not_hold_the_device(void) {
    OPEN_OR_SKIP(ocl);
    cl_device_partition_property ways[8] = {0}, single[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    CL(clGetDeviceInfo(ocl.device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(ways), ways, NULL));
    int divides = 0;
    for (int i = 0; i < 8; i++) divides |= ways[i] == CL_DEVICE_PARTITION_EQUALLY;
    cl_device_id parts[64], listed = NULL;
    cl_uint count = 0;
    if (!divides || clCreateSubDevices(ocl.device, single, 64, parts, &count) != CL_SUCCESS) {
        close_opencl(&ocl);
        SKIP("the device cannot be divided");
    }
    dnnl_engine_t engine = NULL;
    cl_context of_part = new_context(parts[0]);
    CL(clGetContextInfo(of_part, CL_CONTEXT_DEVICES, sizeof(listed), &listed, NULL));
    /* PoCL 3 lists the whole device in place of a part, so nobody can tell the contexts of the two apart. */
    if (listed == parts[0]) INVALID(dnnl_ocl_interop_engine_create(&engine, parts[0], ocl.context));
    OK(dnnl_ocl_interop_engine_create(&engine, parts[0], of_part));
    cl_device_id device = NULL;
    OK(dnnl_ocl_interop_get_device(engine, &device));
    CHECK(device == parts[0]);
    OK(dnnl_engine_destroy(engine));
    CL(clReleaseContext(of_part));
    for (cl_uint i = 0; i < count && i < 64; i++) CL(clReleaseDevice(parts[i]));
    close_opencl(&ocl);
}

int main(void) {
    const test_t tests[] = {
            TEST(creating_an_engine),
            TEST(reading_an_engine),
            TEST(creating_and_reading_a_stream),
            TEST(creating_a_memory),
            TEST(reading_and_changing_a_memory),
            TEST(executing_a_primitive),
            TEST(cache_blobs_of_an_engine),
            TEST(a_context_that_does_not_hold_the_device),
    };
    return RUN(tests);
}
