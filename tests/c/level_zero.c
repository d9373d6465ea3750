/* The interoperability API for Level Zero: the caller's objects in and out, events both ways, and what is refused. */

#define CL_TARGET_OPENCL_VERSION 120
#include <level_zero/ze_api.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "test.h"

enum { ROWS = 5, COLUMNS = 7, COUNT = ROWS * COLUMNS };

/* ZE_COMMAND_QUEUE_FLAG_IN_ORDER, which the headers have since Level Zero 1.7. */
enum { IN_ORDER = 1 << 1 };

/* ZE_MODULE_FORMAT_OCLC, which no header has. */
#define OPENCL_C ((ze_module_format_t)3)

/* A call of Level Zero that must succeed. */
#define ZE(call) check((call) == ZE_RESULT_SUCCESS, __FILE__, __LINE__, #call)

typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_event_pool_handle_t pool;
} level_zero_t;

static int open_level_zero(level_zero_t *ze) {
    uint32_t drivers = 1, devices = 1;
    ze->device = NULL;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&drivers, &ze->driver) != ZE_RESULT_SUCCESS || !drivers) return 0;
    if (zeDeviceGet(ze->driver, &devices, &ze->device) != ZE_RESULT_SUCCESS || !devices) return 0;
    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ZE(zeContextCreate(ze->driver, &context, &ze->context));
    ze_event_pool_desc_t pool = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 16};
    ZE(zeEventPoolCreate(ze->context, &pool, 0, NULL, &ze->pool));
    return 1;
}

static void close_level_zero(level_zero_t *ze) {
    ZE(zeEventPoolDestroy(ze->pool));
    ZE(zeContextDestroy(ze->context));
}

#define OPEN_OR_SKIP(ze) \
    level_zero_t ze; \
    if (!open_level_zero(&ze)) SKIP("there is no Level Zero device")

static ze_command_list_handle_t new_list(level_zero_t *ze, unsigned flags) {
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .flags = flags,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    ZE(zeCommandListCreateImmediate(ze->context, ze->device, &desc, &list));
    return list;
}

static ze_event_handle_t new_event(level_zero_t *ze, uint32_t index) {
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .index = index,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = NULL;
    ZE(zeEventCreate(ze->pool, &desc, &event));
    return event;
}

static float *new_floats(level_zero_t *ze) {
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    ZE(zeMemAllocShared(ze->context, &device, &host, COUNT * sizeof(float), 64, ze->device, &pointer));
    for (int i = 0; i < COUNT; i++) ((float *)pointer)[i] = (float)i;
    return pointer;
}

static dnnl_memory_desc_t matrix(dnnl_format_tag_t tag) {
    dnnl_dims_t dims = {ROWS, COLUMNS};
    dnnl_memory_desc_t md = NULL;
    OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, tag));
    return md;
}

static dnnl_memory_t new_memory(dnnl_memory_desc_t md, dnnl_engine_t engine, void *pointer) {
    dnnl_memory_t memory = NULL;
    OK(dnnl_ze_interop_memory_create(&memory, md, engine, 1, &pointer));
    return memory;
}

/* A reorder that transposes a matrix, on the caller's objects. */
typedef struct {
    level_zero_t ze;
    ze_command_list_handle_t list;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_desc_t from, to;
    dnnl_primitive_t reorder;
    float *a, *b;
    dnnl_memory_t src, dst;
    dnnl_exec_arg_t args[2];
} fixture_t;

static int set_up(fixture_t *f, unsigned flags, int profiling) {
    if (!open_level_zero(&f->ze)) return 0;
    f->list = new_list(&f->ze, flags);
    OK(dnnl_ze_interop_engine_create(&f->engine, f->ze.driver, f->ze.device, f->ze.context));
    OK(dnnl_ze_interop_stream_create(&f->stream, f->engine, f->list, profiling));
    f->from = matrix(dnnl_ab);
    f->to = matrix(dnnl_ba);
    dnnl_primitive_desc_t desc = NULL;
    OK(dnnl_reorder_primitive_desc_create(&desc, f->from, f->engine, f->to, f->engine, NULL));
    OK(dnnl_primitive_create(&f->reorder, desc));
    OK(dnnl_primitive_desc_destroy(desc));
    f->a = new_floats(&f->ze);
    f->b = new_floats(&f->ze);
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
    ZE(zeMemFree(f->ze.context, f->a));
    ZE(zeMemFree(f->ze.context, f->b));
    ZE(zeCommandListDestroy(f->list));
    close_level_zero(&f->ze);
}

#define SET_UP_OR_SKIP(f, flags, profiling) \
    fixture_t f; \
    if (!set_up(&f, flags, profiling)) SKIP("there is no Level Zero device")

static int is_transposed(const float *b) {
    for (int i = 0; i < COUNT; i++)
        if (b[i % COLUMNS * ROWS + i / COLUMNS] != (float)i) return 0;
    return 1;
}

static void objects_go_in_and_come_out(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t device = NULL;
    ze_context_handle_t context = NULL;
    ze_command_list_handle_t list = NULL;
    OK(dnnl_ze_interop_engine_get_driver(f.engine, &driver));
    OK(dnnl_ze_interop_engine_get_device(f.engine, &device));
    OK(dnnl_ze_interop_engine_get_context(f.engine, &context));
    OK(dnnl_ze_interop_stream_get_list(f.stream, &list));
    CHECK(driver == f.ze.driver && device == f.ze.device && context == f.ze.context && list == f.list);
    void *handle = NULL;
    OK(dnnl_memory_get_data_handle(f.src, &handle));
    CHECK(handle == f.a);
    dnnl_engine_kind_t kind = dnnl_any_engine;
    OK(dnnl_engine_get_kind(f.engine, &kind));
    CHECK(kind == dnnl_gpu);
    tear_down(&f);
}

static void memory_is_allocated_or_none_or_the_callers(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    dnnl_memory_t allocated = new_memory(f.to, f.engine, DNNL_MEMORY_ALLOCATE);
    dnnl_memory_t none = new_memory(f.to, f.engine, DNNL_MEMORY_NONE);
    void *handle = f.a;
    OK(dnnl_memory_get_data_handle(none, &handle));
    CHECK(handle == NULL);
    dnnl_exec_arg_t args[2] = {f.args[0], {DNNL_ARG_TO, none}};
    INVALID(dnnl_primitive_execute(f.reorder, f.stream, 2, args));
    args[1].memory = allocated;
    OK(dnnl_primitive_execute(f.reorder, f.stream, 2, args));
    OK(dnnl_stream_wait(f.stream));
    OK(dnnl_memory_map_data(allocated, &handle));
    CHECK(handle && is_transposed(handle));
    OK(dnnl_memory_unmap_data(allocated, handle));
    OK(dnnl_memory_set_data_handle(none, f.b));
    args[1].memory = none;
    OK(dnnl_primitive_execute(f.reorder, f.stream, 2, args));
    OK(dnnl_stream_wait(f.stream));
    CHECK(is_transposed(f.b));
    OK(dnnl_memory_destroy(allocated));
    OK(dnnl_memory_destroy(none));
    tear_down(&f);
}

static void an_execution_waits_for_its_dependency_and_does_not_block(unsigned flags) {
    SET_UP_OR_SKIP(f, flags, 0);
    ze_event_handle_t gate = new_event(&f.ze, 0), done = NULL;
    OK(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 1, &gate, &done));
    CHECK(done != NULL);
    thrd_sleep(&(struct timespec) {.tv_nsec = 20000000}, NULL);
    CHECK(zeEventQueryStatus(done) == ZE_RESULT_NOT_READY);
    CHECK(!is_transposed(f.b));
    ZE(zeEventHostSignal(gate));
    ZE(zeEventHostSynchronize(done, UINT64_MAX));
    CHECK(is_transposed(f.b));
    ZE(zeEventDestroy(gate));
    tear_down(&f);
}

static void an_execution_waits_in_order(void) { an_execution_waits_for_its_dependency_and_does_not_block(IN_ORDER); }
static void an_execution_waits_out_of_order(void) { an_execution_waits_for_its_dependency_and_does_not_block(0); }

static void the_callers_kernels_and_ours_make_one_chain(void) {
    SET_UP_OR_SKIP(f, 0, 0);
    const char *source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }";
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = OPENCL_C,
            .inputSize = strlen(source),
            .pInputModule = (const uint8_t *)source,
            .pBuildFlags = ""};
    ze_module_handle_t module = NULL;
    ZE(zeModuleCreate(f.ze.context, f.ze.device, &desc, &module, NULL));
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "twice"};
    ze_kernel_handle_t before = NULL, after = NULL;
    ZE(zeKernelCreate(module, &kernel_desc, &before));
    ZE(zeKernelCreate(module, &kernel_desc, &after));
    ZE(zeKernelSetArgumentValue(before, 0, sizeof(f.a), &f.a));
    ZE(zeKernelSetArgumentValue(after, 0, sizeof(f.b), &f.b));
    ZE(zeKernelSetGroupSize(before, 1, 1, 1));
    ZE(zeKernelSetGroupSize(after, 1, 1, 1));
    ze_group_count_t groups = {COUNT, 1, 1};
    ze_event_handle_t first = new_event(&f.ze, 0), second = NULL, third = new_event(&f.ze, 1);
    ZE(zeCommandListAppendLaunchKernel(f.list, before, &groups, first, 0, NULL));
    OK(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 1, &first, &second));
    ZE(zeCommandListAppendLaunchKernel(f.list, after, &groups, third, 1, &second));
    ZE(zeEventHostSynchronize(third, UINT64_MAX));
    for (int i = 0; i < COUNT; i++) f.b[i] /= 4;
    CHECK(is_transposed(f.b));
    ZE(zeKernelDestroy(before));
    ZE(zeKernelDestroy(after));
    ZE(zeModuleDestroy(module));
    ZE(zeEventDestroy(first));
    ZE(zeEventDestroy(third));
    tear_down(&f);
}

/* Nothing but events keeps the commands of such a list in order: the executions of a chain, and the kernels of each. */
static void a_list_out_of_order_runs_a_chain_of_several_kernels_each(void) {
    enum { BATCH = 4, CHANNELS = 8, PIXELS = 64, ALL = BATCH * CHANNELS * PIXELS, LINKS = 24 };
    SET_UP_OR_SKIP(f, 0, 0);
    dnnl_dims_t dims = {BATCH, CHANNELS, PIXELS, 1}, channels = {CHANNELS};
    dnnl_memory_desc_t data = NULL, stats = NULL;
    OK(dnnl_memory_desc_create_with_tag(&data, 4, dims, dnnl_f32, dnnl_abcd));
    OK(dnnl_memory_desc_create_with_tag(&stats, 1, channels, dnnl_f32, dnnl_a));
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t norm = NULL;
    OK(dnnl_batch_normalization_forward_primitive_desc_create(
            &desc, f.engine, dnnl_forward_training, data, data, 0.0f, dnnl_normalization_flags_none, NULL));
    OK(dnnl_primitive_create(&norm, desc));
    OK(dnnl_primitive_desc_destroy(desc));
    dnnl_memory_t tensors[2] = {new_memory(data, f.engine, DNNL_MEMORY_ALLOCATE),
            new_memory(data, f.engine, DNNL_MEMORY_ALLOCATE)};
    dnnl_memory_t mean = new_memory(stats, f.engine, DNNL_MEMORY_ALLOCATE);
    dnnl_memory_t variance = new_memory(stats, f.engine, DNNL_MEMORY_ALLOCATE);
    void *values = NULL;
    OK(dnnl_memory_map_data(tensors[0], &values));
    for (int i = 0; i < ALL; i++) ((float *)values)[i] = i % 2 ? 7.0f : 3.0f;
    OK(dnnl_memory_unmap_data(tensors[0], values));
    ze_event_handle_t gate = new_event(&f.ze, 0), last = gate;
    for (int i = 0; i < LINKS; i++) {
        dnnl_exec_arg_t args[4] = {{DNNL_ARG_SRC, tensors[i % 2]}, {DNNL_ARG_DST, tensors[1 - i % 2]},
                {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance}};
        OK(dnnl_ze_interop_primitive_execute(norm, f.stream, 4, args, 1, &last, &last));
    }
    thrd_sleep(&(struct timespec) {.tv_nsec = 20000000}, NULL);
    CHECK(zeEventQueryStatus(last) == ZE_RESULT_NOT_READY);
    ZE(zeEventHostSignal(gate));
    ZE(zeEventHostSynchronize(last, UINT64_MAX));
    OK(dnnl_memory_map_data(tensors[LINKS % 2], &values));
    int wrong = 0;
    /* The first link makes them 1 and -1, the others leave them. */
    for (int i = 0; i < ALL; i++) wrong += fabsf(((float *)values)[i] - (i % 2 ? 1.0f : -1.0f)) > 1e-4f;
    CHECK(wrong == 0);
    OK(dnnl_memory_unmap_data(tensors[LINKS % 2], values));
    for (int i = 0; i < 2; i++) OK(dnnl_memory_destroy(tensors[i]));
    OK(dnnl_memory_destroy(mean));
    OK(dnnl_memory_destroy(variance));
    OK(dnnl_primitive_destroy(norm));
    OK(dnnl_memory_desc_destroy(data));
    OK(dnnl_memory_desc_destroy(stats));
    ZE(zeEventDestroy(gate));
    tear_down(&f);
}

static void events_never_run_out_and_stay_valid(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    enum { EXECUTIONS = 100000 };
    ze_event_handle_t *events = calloc(EXECUTIONS, sizeof(*events));
    int failures = 0, not_ready = 0;
    for (int i = 0; i < EXECUTIONS; i++)
        failures += dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 0, NULL, &events[i])
                != dnnl_success;
    CHECK(failures == 0);
    OK(dnnl_stream_wait(f.stream));
    for (int i = 0; i < EXECUTIONS; i++) not_ready += zeEventQueryStatus(events[i]) != ZE_RESULT_SUCCESS;
    CHECK(not_ready == 0);
    CHECK(events[0] != events[EXECUTIONS - 1]);
    CHECK(is_transposed(f.b));
    free(events);
    tear_down(&f);
}

static void a_stream_may_go_while_its_work_waits(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    for (int i = 0; i < 100; i++) OK(dnnl_primitive_execute(f.reorder, f.stream, 2, f.args));
    OK(dnnl_stream_destroy(f.stream));
    CHECK(is_transposed(f.b));
    OK(dnnl_ze_interop_stream_create(&f.stream, f.engine, f.list, 0));
    tear_down(&f);
}

static void profiling_is_as_the_stream_says(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 1);
    for (int i = 0; i < 3; i++) OK(dnnl_primitive_execute(f.reorder, f.stream, 2, f.args));
    OK(dnnl_stream_wait(f.stream));
#ifdef DNNL_EXPERIMENTAL_PROFILING
    int count = 0;
    OK(dnnl_query_profiling_data(f.stream, dnnl_profiling_data_kind_time, &count, NULL));
    CHECK(count == 3);
    uint64_t times[3] = {0};
    OK(dnnl_query_profiling_data(f.stream, dnnl_profiling_data_kind_time, &count, times));
    CHECK(times[0] > 0 && times[1] > 0 && times[2] > 0);
#endif
    tear_down(&f);
}

static void an_engine_comes_back_from_its_blob(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    size_t id_size = 0, size = 0;
    OK(dnnl_ze_interop_engine_get_cache_blob_id(f.ze.driver, f.ze.device, &id_size, NULL));
    CHECK(id_size > 0);
    uint8_t *id = calloc(2, id_size);
    OK(dnnl_ze_interop_engine_get_cache_blob_id(f.ze.driver, f.ze.device, &id_size, id));
    OK(dnnl_ze_interop_engine_get_cache_blob_id(f.ze.driver, f.ze.device, &id_size, id + id_size));
    CHECK(memcmp(id, id + id_size, id_size) == 0);
    OK(dnnl_ze_interop_engine_get_cache_blob(f.engine, &size, NULL));
    uint8_t *blob = calloc(1, size);
    size_t too_small = size - 1;
    INVALID(dnnl_ze_interop_engine_get_cache_blob(f.engine, &too_small, blob));
    OK(dnnl_ze_interop_engine_get_cache_blob(f.engine, &size, blob));
    dnnl_engine_t again = NULL;
    OK(dnnl_ze_interop_engine_create_from_cache_blob(&again, f.ze.driver, f.ze.device, f.ze.context, size, blob));
    OK(dnnl_engine_destroy(again));
    blob[size / 2] ^= 1;
    INVALID(dnnl_ze_interop_engine_create_from_cache_blob(&again, f.ze.driver, f.ze.device, f.ze.context, size, blob));
    INVALID(dnnl_ze_interop_engine_create_from_cache_blob(&again, f.ze.driver, f.ze.device, f.ze.context, size, NULL));
    free(id);
    free(blob);
    tear_down(&f);
}

static void memory_goes_from_engine_to_engine(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    dnnl_engine_t others[2] = {NULL, NULL};
    OK(dnnl_engine_create(&others[0], dnnl_cpu, 0));
    /* The first engine of kind gpu is an OpenCL one where there is OpenCL. */
    OK(dnnl_engine_create(&others[1], dnnl_gpu, 0));
    for (int i = 0; i < 2; i++) {
        dnnl_memory_t middle = NULL;
        OK(dnnl_memory_create(&middle, f.from, others[i], DNNL_MEMORY_ALLOCATE));
        dnnl_primitive_desc_t there = NULL, back = NULL;
        dnnl_primitive_t go = NULL, come = NULL;
        dnnl_stream_t stream = NULL;
        OK(dnnl_reorder_primitive_desc_create(&there, f.from, f.engine, f.from, others[i], NULL));
        OK(dnnl_reorder_primitive_desc_create(&back, f.from, others[i], f.to, f.engine, NULL));
        OK(dnnl_primitive_create(&go, there));
        OK(dnnl_primitive_create(&come, back));
        dnnl_engine_t runs_on = NULL;
        OK(dnnl_primitive_desc_query(there, dnnl_query_engine, 0, &runs_on));
        dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, f.src}, {DNNL_ARG_TO, middle}};
        if (runs_on == f.engine) {
            OK(dnnl_primitive_execute(go, f.stream, 2, args));
            OK(dnnl_stream_wait(f.stream));
        } else {
            OK(dnnl_stream_create(&stream, runs_on, dnnl_stream_default_flags));
            OK(dnnl_primitive_execute(go, stream, 2, args));
            OK(dnnl_stream_wait(stream));
            OK(dnnl_stream_destroy(stream));
        }
        memset(f.b, 0, COUNT * sizeof(float));
        dnnl_exec_arg_t back_args[2] = {{DNNL_ARG_FROM, middle}, {DNNL_ARG_TO, f.dst}};
        OK(dnnl_primitive_execute(come, f.stream, 2, back_args));
        OK(dnnl_stream_wait(f.stream));
        CHECK(is_transposed(f.b));
        OK(dnnl_memory_destroy(middle));
        OK(dnnl_primitive_destroy(go));
        OK(dnnl_primitive_destroy(come));
        OK(dnnl_primitive_desc_destroy(there));
        OK(dnnl_primitive_desc_destroy(back));
        OK(dnnl_engine_destroy(others[i]));
    }
    tear_down(&f);
}

static void nulls_are_refused(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memory = NULL;
    size_t size = 0;
    uint8_t byte = 0;
    void *none = NULL;
    level_zero_t *ze = &f.ze;
    INVALID(dnnl_ze_interop_engine_create(NULL, ze->driver, ze->device, ze->context));
    INVALID(dnnl_ze_interop_engine_create(&engine, NULL, ze->device, ze->context));
    INVALID(dnnl_ze_interop_engine_create(&engine, ze->driver, NULL, ze->context));
    INVALID(dnnl_ze_interop_engine_create(&engine, ze->driver, ze->device, NULL));
    INVALID(dnnl_ze_interop_engine_get_driver(f.engine, NULL));
    INVALID(dnnl_ze_interop_engine_get_device(f.engine, NULL));
    INVALID(dnnl_ze_interop_engine_get_context(f.engine, NULL));
    INVALID(dnnl_ze_interop_engine_get_driver(NULL, &ze->driver));
    INVALID(dnnl_ze_interop_engine_get_device(NULL, &ze->device));
    INVALID(dnnl_ze_interop_engine_get_context(NULL, &ze->context));
    INVALID(dnnl_ze_interop_engine_get_cache_blob_id(NULL, ze->device, &size, NULL));
    INVALID(dnnl_ze_interop_engine_get_cache_blob_id(ze->driver, NULL, &size, NULL));
    INVALID(dnnl_ze_interop_engine_get_cache_blob_id(ze->driver, ze->device, NULL, NULL));
    INVALID(dnnl_ze_interop_engine_get_cache_blob(NULL, &size, NULL));
    INVALID(dnnl_ze_interop_engine_get_cache_blob(f.engine, NULL, NULL));
    INVALID(dnnl_ze_interop_engine_create_from_cache_blob(NULL, ze->driver, ze->device, ze->context, 1, &byte));
    INVALID(dnnl_ze_interop_stream_create(NULL, f.engine, f.list, 0));
    INVALID(dnnl_ze_interop_stream_create(&stream, NULL, f.list, 0));
    INVALID(dnnl_ze_interop_stream_create(&stream, f.engine, NULL, 0));
    INVALID(dnnl_ze_interop_stream_get_list(NULL, &f.list));
    INVALID(dnnl_ze_interop_stream_get_list(f.stream, NULL));
    INVALID(dnnl_ze_interop_memory_create(NULL, f.from, f.engine, 1, &none));
    INVALID(dnnl_ze_interop_memory_create(&memory, f.from, NULL, 1, &none));
    INVALID(dnnl_ze_interop_memory_create(&memory, f.from, f.engine, 1, NULL));
    INVALID(dnnl_ze_interop_memory_create(&memory, f.from, f.engine, 2, &none));
    INVALID(dnnl_ze_interop_memory_create(&memory, f.from, f.engine, -1, &none));
    INVALID(dnnl_ze_interop_primitive_execute(NULL, f.stream, 2, f.args, 0, NULL, NULL));
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, NULL, 2, f.args, 0, NULL, NULL));
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, NULL, 0, NULL, NULL));
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 1, NULL, NULL));
    ze_event_handle_t null_event = NULL;
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 1, &null_event, NULL));
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, -1, NULL, NULL));
    OK(dnnl_ze_interop_primitive_execute(f.reorder, f.stream, 2, f.args, 0, NULL, NULL));
    OK(dnnl_stream_wait(f.stream));
    CHECK(is_transposed(f.b));
    tear_down(&f);
}

static void foreign_objects_are_refused(void) {
    SET_UP_OR_SKIP(f, IN_ORDER, 0);
    dnnl_engine_t engine = NULL, cpu = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memory = NULL;
    float system[COUNT];
    void *pointer = system;
    /* Handles that no driver gave. */
    INVALID(dnnl_ze_interop_engine_create(&engine, f.ze.driver, (ze_device_handle_t)(void *)system, f.ze.context));
    INVALID(dnnl_ze_interop_engine_create(&engine, (ze_driver_handle_t)(void *)system, f.ze.device, f.ze.context));
    /* Memory that the context does not know. */
    ze_device_memory_access_properties_t access = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ZE(zeDeviceGetMemoryAccessProperties(f.ze.device, &access));
    if (!(access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW)) {
        INVALID(dnnl_ze_interop_memory_create(&memory, f.from, f.engine, 1, &pointer));
        INVALID(dnnl_memory_set_data_handle(f.src, pointer));
    }
    /* Engines of other kinds. */
    OK(dnnl_engine_create(&cpu, dnnl_cpu, 0));
    ze_context_handle_t context = NULL;
    size_t size = 0;
    INVALID(dnnl_ze_interop_engine_get_context(cpu, &context));
    INVALID(dnnl_ze_interop_engine_get_cache_blob(cpu, &size, NULL));
    INVALID(dnnl_ze_interop_stream_create(&stream, cpu, f.list, 0));
    INVALID(dnnl_ze_interop_memory_create(&memory, f.from, cpu, 1, &pointer));
    OK(dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags));
    ze_command_list_handle_t list = NULL;
    INVALID(dnnl_ze_interop_stream_get_list(stream, &list));
    INVALID(dnnl_ze_interop_primitive_execute(f.reorder, stream, 2, f.args, 0, NULL, NULL));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(cpu));
    /* A Level Zero engine where an OpenCL one is asked for. */
    cl_context opencl = NULL;
    INVALID(dnnl_ocl_interop_engine_get_context(f.engine, &opencl));
    INVALID(dnnl_ocl_interop_memory_create(&memory, f.from, f.engine, dnnl_ocl_interop_usm, f.a));
    tear_down(&f);
}

int main(void) {
    const test_t tests[] = {
            TEST(objects_go_in_and_come_out),
            TEST(memory_is_allocated_or_none_or_the_callers),
            TEST(an_execution_waits_in_order),
            TEST(an_execution_waits_out_of_order),
            TEST(the_callers_kernels_and_ours_make_one_chain),
            TEST(a_list_out_of_order_runs_a_chain_of_several_kernels_each),
            TEST(events_never_run_out_and_stay_valid),
            TEST(a_stream_may_go_while_its_work_waits),
            TEST(profiling_is_as_the_stream_says),
            TEST(an_engine_comes_back_from_its_blob),
            TEST(memory_goes_from_engine_to_engine),
            TEST(nulls_are_refused),
            TEST(foreign_objects_are_refused),
    };
    return RUN(tests);
}
