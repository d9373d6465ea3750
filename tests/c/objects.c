/* Engines, streams and memories made of the caller's OpenCL objects: the getters, and who holds a reference when. */

#include "opencl.h"

static void an_engine_is_the_callers_device_and_context(void) {
    OPEN_OR_SKIP(ocl);
    cl_uint before = context_references(ocl.context);
    dnnl_engine_t engine = new_engine(&ocl);
    CHECK(context_references(ocl.context) > before);

    cl_uint held = context_references(ocl.context);
    cl_context context = NULL;
    cl_device_id device = NULL;
    dnnl_engine_kind_t kind = dnnl_any_engine;
    OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    OK(dnnl_ocl_interop_get_device(engine, &device));
    OK(dnnl_engine_get_kind(engine, &kind));
    CHECK(context == ocl.context);
    CHECK(device == ocl.device);
    CHECK(kind == dnnl_gpu);
    CHECK(context_references(ocl.context) == held);

    OK(dnnl_engine_destroy(engine));
    CHECK(context_references(ocl.context) == before);
    close_opencl(&ocl);
}

static void two_engines_share_a_context(void) {
    OPEN_OR_SKIP(ocl);
    cl_uint before = context_references(ocl.context);
    dnnl_engine_t first = new_engine(&ocl), second = new_engine(&ocl);
    OK(dnnl_engine_destroy(first));
    cl_context context = NULL;
    OK(dnnl_ocl_interop_engine_get_context(second, &context));
    CHECK(context == ocl.context);
    OK(dnnl_engine_destroy(second));
    CHECK(context_references(ocl.context) == before);
    close_opencl(&ocl);
}

static void a_stream_is_the_callers_queue(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    cl_uint before = queue_references(ocl.queue);
    dnnl_stream_t stream = new_stream(&ocl, engine);
    cl_uint held = queue_references(ocl.queue);
    CHECK(held > before);

    cl_command_queue queue = NULL;
    OK(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    CHECK(queue == ocl.queue);
    CHECK(queue_references(ocl.queue) == held);
    dnnl_engine_t of = NULL;
    OK(dnnl_stream_get_engine(stream, &of));
    CHECK(of == engine);

    OK(dnnl_stream_destroy(stream));
    CHECK(queue_references(ocl.queue) == before);
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void a_stream_outlives_its_handles(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_stream_t stream = new_stream(&ocl, engine);
    cl_command_queue mine = ocl.queue, queue = NULL;
    close_opencl(&ocl);
    OK(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    CHECK(queue == mine);
    CL(clFinish(queue));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(engine));
}

static void a_memory_is_the_callers_buffer(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_memory_desc_t md = matrix(3, 5, dnnl_ab);
    cl_mem buffer = new_buffer(ocl.context, dnnl_memory_desc_get_size(md), NULL);
    cl_mem other = new_buffer(ocl.context, dnnl_memory_desc_get_size(md), NULL);
    cl_uint before = buffer_references(buffer);
    dnnl_memory_t memory = new_memory(md, engine, buffer);
    cl_uint held = buffer_references(buffer);
    CHECK(held > before);

    cl_mem object = NULL;
    void *handle = NULL;
    dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_usm;
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    OK(dnnl_memory_get_data_handle(memory, &handle));
    OK(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    CHECK(object == buffer);
    CHECK(handle == (void *)buffer);
    CHECK(kind == dnnl_ocl_interop_buffer);
    CHECK(buffer_references(buffer) == held);

    OK(dnnl_ocl_interop_memory_set_mem_object(memory, other));
    CHECK(buffer_references(buffer) == before);
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    CHECK(object == other);
    OK(dnnl_ocl_interop_memory_set_mem_object(memory, NULL));
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    CHECK(object == NULL);

    OK(dnnl_memory_destroy(memory));
    CHECK(buffer_references(other) == before);
    CL(clReleaseMemObject(buffer));
    CL(clReleaseMemObject(other));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void the_library_allocates_a_buffer_or_none(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_memory_desc_t md = matrix(4, 4, dnnl_ab);
    dnnl_memory_t memory = NULL;
    cl_mem object = NULL;
    OK(dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    size_t size = 0;
    CL(clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof(size), &size, NULL));
    CHECK(size >= dnnl_memory_desc_get_size(md));
    OK(dnnl_memory_destroy(memory));

    OK(dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_NONE));
    OK(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
    CHECK(object == NULL);
    OK(dnnl_memory_destroy(memory));

    /* Without the interoperability API a memory of a GPU engine is a buffer too. */
    dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_usm;
    OK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
    CHECK(kind == dnnl_ocl_interop_buffer);
    OK(dnnl_memory_destroy(memory));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void what_is_written_to_a_map_is_in_the_buffer(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_memory_desc_t md = matrix(2, 3, dnnl_ab);
    cl_mem buffer = new_buffer(ocl.context, 6 * sizeof(float), NULL);
    dnnl_memory_t memory = new_memory(md, engine, buffer);
    void *mapped = NULL;
    OK(dnnl_memory_map_data(memory, &mapped));
    if (CHECK(mapped != NULL))
        for (int i = 0; i < 6; i++) ((float *)mapped)[i] = (float)i + 0.5f;
    OK(dnnl_memory_unmap_data(memory, mapped));
    float found[6] = {0};
    CL(clEnqueueReadBuffer(ocl.queue, buffer, CL_TRUE, 0, sizeof(found), found, 0, NULL, NULL));
    for (int i = 0; i < 6; i++) CHECK(found[i] == (float)i + 0.5f);
    OK(dnnl_memory_destroy(memory));
    CL(clReleaseMemObject(buffer));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void a_usm_memory_has_a_pointer(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_memory_desc_t md = matrix(2, 3, dnnl_ab);
    dnnl_memory_t memory = NULL, same = NULL;
    dnnl_status_t status
            = dnnl_ocl_interop_memory_create(&memory, md, engine, dnnl_ocl_interop_usm, DNNL_MEMORY_ALLOCATE);
    if (status == dnnl_success) {
        void *pointer = NULL;
        cl_mem object = NULL;
        dnnl_ocl_interop_memory_kind_t kind = dnnl_ocl_interop_buffer;
        OK(dnnl_memory_get_data_handle(memory, &pointer));
        OK(dnnl_ocl_interop_memory_get_memory_kind(memory, &kind));
        CHECK(pointer != NULL);
        CHECK(kind == dnnl_ocl_interop_usm);
        INVALID(dnnl_ocl_interop_memory_get_mem_object(memory, &object));
        INVALID(dnnl_ocl_interop_memory_set_mem_object(memory, NULL));
        OK(dnnl_ocl_interop_memory_create(&same, md, engine, dnnl_ocl_interop_usm, pointer));
        OK(dnnl_memory_destroy(same));
        OK(dnnl_memory_destroy(memory));
    } else {
        STATUS(dnnl_unimplemented, status);
        skip_reason = "the device shares no pointers with the host";
    }
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

#ifdef OXIDNN_HEADERS
static void the_names_of_version_1_do_the_same(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    cl_device_id device = NULL;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    OK(dnnl_engine_create_ocl(&engine, dnnl_gpu, ocl.device, ocl.context));
    INVALID(dnnl_engine_create_ocl(&engine, dnnl_cpu, ocl.device, ocl.context));
    OK(dnnl_engine_get_ocl_device(engine, &device));
    OK(dnnl_engine_get_ocl_context(engine, &context));
    OK(dnnl_stream_create_ocl(&stream, engine, ocl.queue));
    OK(dnnl_stream_get_ocl_command_queue(stream, &queue));
    CHECK(device == ocl.device && context == ocl.context && queue == ocl.queue);

    dnnl_memory_desc_t md = matrix(2, 3, dnnl_ab);
    cl_mem buffer = new_buffer(ocl.context, 6 * sizeof(float), NULL), object = NULL;
    dnnl_memory_t memory = NULL;
    OK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_NONE));
    OK(dnnl_memory_set_ocl_mem_object(memory, buffer));
    OK(dnnl_memory_get_ocl_mem_object(memory, &object));
    CHECK(object == buffer);
    OK(dnnl_memory_destroy(memory));
    CL(clReleaseMemObject(buffer));
    OK(dnnl_memory_desc_destroy(md));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}
#endif

int main(void) {
    const test_t tests[] = {
            TEST(an_engine_is_the_callers_device_and_context),
            TEST(two_engines_share_a_context),
            TEST(a_stream_is_the_callers_queue),
            TEST(a_stream_outlives_its_handles),
            TEST(a_memory_is_the_callers_buffer),
            TEST(the_library_allocates_a_buffer_or_none),
            TEST(what_is_written_to_a_map_is_in_the_buffer),
            TEST(a_usm_memory_has_a_pointer),
#ifdef OXIDNN_HEADERS
            TEST(the_names_of_version_1_do_the_same),
#endif
    };
    return RUN(tests);
}
