/* Dependencies in, events out: on an out-of-order queue where the device has one, nothing else puts commands in order. */

#include "opencl.h"

enum { ROWS = 5, COLUMNS = 7, COUNT = ROWS * COLUMNS };

static const char *source
        = "kernel void fill(global float *y, float start) { y[get_global_id(0)] = start + get_global_id(0); }\n"
          "kernel void twice(global const float *x, global float *y) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }\n";

/* A reorder that transposes a matrix, on the caller's objects. */
typedef struct {
    opencl_t ocl;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t from, to;
    dnnl_primitive_t reorder;
    cl_mem a, b, c;
    dnnl_memory_t src, dst;
    dnnl_exec_arg_t args[2];
} fixture_t;

static int set_up(fixture_t *f) {
    if (!open_opencl(&f->ocl)) return 0;
    f->engine = new_engine(&f->ocl);
    f->stream = new_stream(&f->ocl, f->engine);
    f->from = matrix(ROWS, COLUMNS, dnnl_ab);
    f->to = matrix(ROWS, COLUMNS, dnnl_ba);
    f->reorder = new_reorder(f->engine, f->from, f->to);
    float content[COUNT];
    for (int i = 0; i < COUNT; i++) content[i] = (float)i;
    f->a = new_buffer(f->ocl.context, sizeof(content), content);
    f->b = new_buffer(f->ocl.context, sizeof(content), NULL);
    f->c = new_buffer(f->ocl.context, sizeof(content), NULL);
    f->src = new_memory(f->from, f->engine, f->a);
    f->dst = new_memory(f->to, f->engine, f->b);
    f->args[0] = (dnnl_exec_arg_t) {DNNL_ARG_FROM, f->src};
    f->args[1] = (dnnl_exec_arg_t) {DNNL_ARG_TO, f->dst};
    return 1;
}

static void tear_down(fixture_t *f) {
    OK(dnnl_memory_destroy(f->src));
    OK(dnnl_memory_destroy(f->dst));
    OK(dnnl_primitive_destroy(f->reorder));
    OK(dnnl_memory_desc_destroy(f->from));
    OK(dnnl_memory_desc_destroy(f->to));
    OK(dnnl_stream_destroy(f->stream));
    OK(dnnl_engine_destroy(f->engine));
    CL(clReleaseMemObject(f->a));
    CL(clReleaseMemObject(f->b));
    CL(clReleaseMemObject(f->c));
    close_opencl(&f->ocl);
}

#define SET_UP_OR_SKIP(f) \
    fixture_t f; \
    if (!set_up(&f)) SKIP("there is no OpenCL device")

static void read_floats(fixture_t *f, cl_mem buffer, float *out, cl_uint ndeps, const cl_event *deps) {
    CL(clEnqueueReadBuffer(f->ocl.queue, buffer, CL_TRUE, 0, COUNT * sizeof(float), out, ndeps, deps, NULL));
}

static cl_event gate_of(fixture_t *f) {
    cl_int code;
    cl_event gate = clCreateUserEvent(f->ocl.context, &code);
    CL(code);
    return gate;
}

static cl_uint event_references(cl_event event) {
    cl_uint count = 0;
    CL(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    return count;
}

static void an_execution_waits_for_its_dependency_and_does_not_block(void) {
    SET_UP_OR_SKIP(f);
    cl_event gate = gate_of(&f), done = NULL;
    OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, &gate, 1, &done));
    CL(clFlush(f.ocl.queue));
    CHECK(event_status(done) > CL_COMPLETE);
    CL(clSetUserEventStatus(gate, CL_COMPLETE));
    CL(clWaitForEvents(1, &done));
    CHECK(event_status(done) == CL_COMPLETE);

    cl_command_queue queue = NULL;
    CL(clGetEventInfo(done, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
    CHECK(queue == f.ocl.queue);
    float out[COUNT];
    read_floats(&f, f.b, out, 0, NULL);
    for (int i = 0; i < COUNT; i++) CHECK(out[i] == (float)(i % ROWS * COLUMNS + i / ROWS));
    CL(clReleaseEvent(done));
    CL(clReleaseEvent(gate));
    tear_down(&f);
}

static void every_dependency_counts(void) {
    SET_UP_OR_SKIP(f);
    cl_event gates[3] = {gate_of(&f), gate_of(&f), gate_of(&f)}, done = NULL;
    OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, gates, 3, &done));
    CL(clFlush(f.ocl.queue));
    for (int i = 0; i < 3; i++) {
        CHECK(event_status(done) > CL_COMPLETE);
        CL(clSetUserEventStatus(gates[i], CL_COMPLETE));
    }
    CL(clWaitForEvents(1, &done));
    CL(clReleaseEvent(done));
    for (int i = 0; i < 3; i++) CL(clReleaseEvent(gates[i]));
    tear_down(&f);
}

static void the_event_is_the_callers(void) {
    SET_UP_OR_SKIP(f);
    cl_event done = NULL, again = NULL;
    OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, NULL, 0, &done));
    CL(clWaitForEvents(1, &done));
    CL(clFinish(f.ocl.queue));
    /* A further reference keeps it beyond the stream; the caller's own is the last one. */
    OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, &done, 1, &again));
    CL(clWaitForEvents(1, &again));
    CL(clFinish(f.ocl.queue));
    CL(clRetainEvent(again));
    cl_uint held = event_references(again);
    CL(clReleaseEvent(again));
    CHECK(event_references(again) == held - 1);
    CHECK(event_references(again) >= 1);
    tear_down(&f);
    CHECK(event_status(done) == CL_COMPLETE);
    CHECK(event_status(again) == CL_COMPLETE);
    CL(clReleaseEvent(done));
    CL(clReleaseEvent(again));
}

static void the_callers_kernels_and_ours_make_one_chain(void) {
    SET_UP_OR_SKIP(f);
    cl_int code;
    cl_program program = clCreateProgramWithSource(f.ocl.context, 1, &source, NULL, &code);
    CL(code);
    CL(clBuildProgram(program, 1, &f.ocl.device, "", NULL, NULL));
    cl_kernel fill = clCreateKernel(program, "fill", &code), twice = clCreateKernel(program, "twice", &code);
    CL(code);
    CL(clSetKernelArg(fill, 0, sizeof(cl_mem), &f.a));
    CL(clSetKernelArg(twice, 0, sizeof(cl_mem), &f.b));
    CL(clSetKernelArg(twice, 1, sizeof(cl_mem), &f.c));
    size_t count = COUNT;
    for (int round = 0; round < 20; round++) {
        cl_float start = (cl_float)round;
        CL(clSetKernelArg(fill, 1, sizeof(start), &start));
        cl_event gate = gate_of(&f), filled = NULL, turned = NULL, doubled = NULL;
        CL(clEnqueueNDRangeKernel(f.ocl.queue, fill, 1, NULL, &count, NULL, 1, &gate, &filled));
        OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, &filled, 1, &turned));
        CL(clEnqueueNDRangeKernel(f.ocl.queue, twice, 1, NULL, &count, NULL, 1, &turned, &doubled));
        CL(clFlush(f.ocl.queue));
        CL(clSetUserEventStatus(gate, CL_COMPLETE));
        float out[COUNT];
        read_floats(&f, f.c, out, 1, &doubled);
        for (int i = 0; i < COUNT; i++) CHECK(out[i] == 2 * (start + (float)(i % ROWS * COLUMNS + i / ROWS)));
        CL(clReleaseEvent(gate));
        CL(clReleaseEvent(filled));
        CL(clReleaseEvent(turned));
        CL(clReleaseEvent(doubled));
    }
    CL(clReleaseKernel(fill));
    CL(clReleaseKernel(twice));
    CL(clReleaseProgram(program));
    tear_down(&f);
}

static void executions_without_events_follow_each_other(void) {
    SET_UP_OR_SKIP(f);
    dnnl_primitive_t back = new_reorder(f.engine, f.to, f.from);
    dnnl_memory_t end = new_memory(f.from, f.engine, f.c);
    dnnl_exec_arg_t back_args[2] = {{DNNL_ARG_FROM, f.dst}, {DNNL_ARG_TO, end}};
    for (int round = 0; round < 20; round++) {
        float out[COUNT] = {0};
        CL(clEnqueueWriteBuffer(f.ocl.queue, f.c, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
        OK(dnnl_primitive_execute(f.reorder, f.stream, 2, f.args));
        OK(dnnl_primitive_execute(back, f.stream, 2, back_args));
        OK(dnnl_stream_wait(f.stream));
        read_floats(&f, f.c, out, 0, NULL);
        for (int i = 0; i < COUNT; i++) CHECK(out[i] == (float)i);
    }
    OK(dnnl_memory_destroy(end));
    OK(dnnl_primitive_destroy(back));
    tear_down(&f);
}

static void a_tensor_without_elements_still_has_an_event(void) {
    SET_UP_OR_SKIP(f);
    dnnl_memory_desc_t from = matrix(0, COLUMNS, dnnl_ab), to = matrix(0, COLUMNS, dnnl_ba);
    dnnl_primitive_t reorder = new_reorder(f.engine, from, to);
    dnnl_memory_t src = NULL, dst = NULL;
    OK(dnnl_ocl_interop_memory_create(&src, from, f.engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_ocl_interop_memory_create(&dst, to, f.engine, dnnl_ocl_interop_buffer, DNNL_MEMORY_ALLOCATE));
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    cl_event gate = gate_of(&f), done = NULL;
    OK(dnnl_ocl_interop_primitive_execute(reorder, f.stream, 2, args, &gate, 1, &done));
    if (CHECK(done != NULL)) {
        CL(clFlush(f.ocl.queue));
        CHECK(event_status(done) > CL_COMPLETE);
        CL(clSetUserEventStatus(gate, CL_COMPLETE));
        CL(clWaitForEvents(1, &done));
        CL(clReleaseEvent(done));
    }
    CL(clReleaseEvent(gate));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_primitive_destroy(reorder));
    OK(dnnl_memory_desc_destroy(from));
    OK(dnnl_memory_desc_destroy(to));
    tear_down(&f);
}

static void what_waits_for_a_failed_command_fails(void) {
    SET_UP_OR_SKIP(f);
    if (is_on_platform(f.ocl.device, "Intel(R) OpenCL")) {
        tear_down(&f);
        SKIP("Intel's runtime crashes when an out-of-order queue goes that had a failed command");
    }
    cl_event gate = gate_of(&f), done = NULL;
    OK(dnnl_ocl_interop_primitive_execute(f.reorder, f.stream, 2, f.args, &gate, 1, &done));
    CL(clSetUserEventStatus(gate, -1));
    cl_int code = clWaitForEvents(1, &done);
    CHECK(code != CL_SUCCESS || event_status(done) < 0);
    CL(clReleaseEvent(done));
    CL(clReleaseEvent(gate));
    tear_down(&f);
}

int main(void) {
    const test_t tests[] = {
            TEST(an_execution_waits_for_its_dependency_and_does_not_block),
            TEST(every_dependency_counts),
            TEST(the_event_is_the_callers),
            TEST(the_callers_kernels_and_ours_make_one_chain),
            TEST(executions_without_events_follow_each_other),
            TEST(a_tensor_without_elements_still_has_an_event),
            TEST(what_waits_for_a_failed_command_fails),
    };
    return RUN(tests);
}
