/*
 * A program that has its own Level Zero context, command list and memory, and lets the library compute inside them.
 *
 * Three commands on one out-of-order command list, which nothing but their events puts in order:
 *
 *     bytes to floats (this program)  →  matmul, bias, ReLU (the library)  →  best class (this program)
 *
 * After `cargo build --release -p oxidnn-capi`:
 *
 *     ln -sf libdnnl.so target/release/libdnnl.so.3
 *     cc -Iinclude examples/c/level_zero.c -Ltarget/release -ldnnl -lze_loader -o target/level_zero
 *     LD_LIBRARY_PATH=target/release target/level_zero
 *
 * Without an Intel GPU, `cargo build --release -p ze-on-cl` makes a driver that runs on any OpenCL device:
 * ZE_ENABLE_ALT_DRIVERS=$PWD/target/release/libze_on_cl.so before the last line.
 */

#include <level_zero/ze_api.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_ze.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 64, PIXELS = 784, CLASSES = 100 };

/* Drivers take OpenCL C as an extension, and no header names the format. */
#define OPENCL_C ((ze_module_format_t)3)

static const char *kernels
        = "kernel void bytes_to_floats(global const uchar *bytes, global float *floats) {\n"
          "    floats[get_global_id(0)] = bytes[get_global_id(0)] / 255.0f;\n"
          "}\n"
          "kernel void best_class(global const float *scores, global int *best, int classes) {\n"
          "    global const float *row = scores + get_global_id(0) * classes;\n"
          "    int found = 0;\n"
          "    for (int i = 1; i < classes; i++)\n"
          "        if (row[i] > row[found]) found = i;\n"
          "    best[get_global_id(0)] = found;\n"
          "}\n";

static void ze(ze_result_t code, const char *what) {
    if (code == ZE_RESULT_SUCCESS) return;
    fprintf(stderr, "%s: Level Zero error %#x\n", what, (unsigned)code);
    exit(1);
}

static void dnn(dnnl_status_t status, const char *what) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s: %s\n", what, dnnl_status2str(status));
    exit(1);
}

#define ZE(call) ze((call), #call)
#define DNN(call) dnn((call), #call)

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;

/* Memory that host and device share. */
static void *shared(size_t bytes) {
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    ZE(zeMemAllocShared(context, &on_device, &on_host, bytes, 64, device, &pointer));
    return pointer;
}

static ze_kernel_handle_t kernel(ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    ZE(zeKernelCreate(module, &desc, &kernel));
    ZE(zeKernelSetGroupSize(kernel, 1, 1, 1));
    return kernel;
}

static dnnl_memory_desc_t matrix(dnnl_dim_t rows, dnnl_dim_t columns) {
    dnnl_memory_desc_t desc;
    dnnl_dims_t dims = {rows, columns};
    DNN(dnnl_memory_desc_create_with_tag(&desc, 2, dims, dnnl_f32, dnnl_ab));
    return desc;
}

int main(void) {
    /* The program's own objects. */
    uint32_t one = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&one, &driver) != ZE_RESULT_SUCCESS || one == 0) {
        fprintf(stderr, "there is no Level Zero driver\n");
        return 1;
    }
    ZE(zeDeviceGet(driver, &one, &device));
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ZE(zeDeviceGetProperties(device, &properties));
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ZE(zeContextCreate(driver, &context_desc, &context));
    ze_command_queue_desc_t list_desc
            = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    ZE(zeCommandListCreateImmediate(context, device, &list_desc, &list));
    ze_event_pool_desc_t pool_desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 2};
    ze_event_pool_handle_t pool = NULL;
    ZE(zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    ze_event_handle_t converted = NULL, multiplied = NULL, chosen = NULL;
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ZE(zeEventCreate(pool, &event_desc, &converted));
    event_desc.index = 1;
    ZE(zeEventCreate(pool, &event_desc, &chosen));
    ze_module_desc_t module_desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = OPENCL_C,
            .inputSize = strlen(kernels),
            .pInputModule = (const uint8_t *)kernels,
            .pBuildFlags = ""};
    ze_module_handle_t module = NULL;
    ZE(zeModuleCreate(context, device, &module_desc, &module, NULL));
    ze_kernel_handle_t bytes_to_floats = kernel(module, "bytes_to_floats"), best_class = kernel(module, "best_class");

    unsigned char *bytes = shared(PICTURES * PIXELS);
    float *src = shared(PICTURES * PIXELS * sizeof(float)), *weights = shared(PIXELS * CLASSES * sizeof(float));
    float *bias = shared(CLASSES * sizeof(float)), *scores = shared(PICTURES * CLASSES * sizeof(float));
    int *classes = shared(PICTURES * sizeof(int));
    for (int i = 0; i < PICTURES * PIXELS; i++) bytes[i] = (unsigned char)rand();
    for (int i = 0; i < PIXELS * CLASSES; i++) weights[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    for (int i = 0; i < CLASSES; i++) bias[i] = (float)rand() / (float)RAND_MAX * 2 - 1;

    /* The library refers to them, and they stay the program's. */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    DNN(dnnl_ze_interop_engine_create(&engine, driver, device, context));
    DNN(dnnl_ze_interop_stream_create(&stream, engine, list, 0));
    dnnl_memory_desc_t mds[4] = {
            matrix(PICTURES, PIXELS), matrix(PIXELS, CLASSES), matrix(1, CLASSES), matrix(PICTURES, CLASSES)};
    dnnl_post_ops_t post_ops;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t matmul;
    DNN(dnnl_post_ops_create(&post_ops));
    DNN(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    DNN(dnnl_primitive_attr_create(&attr));
    DNN(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    DNN(dnnl_matmul_primitive_desc_create(&desc, engine, mds[0], mds[1], mds[2], mds[3], attr));
    DNN(dnnl_primitive_create(&matmul, desc));
    void *pointers[4] = {src, weights, bias, scores};
    int numbers[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    dnnl_exec_arg_t args[4];
    for (int i = 0; i < 4; i++) {
        args[i].arg = numbers[i];
        DNN(dnnl_ze_interop_memory_create(&args[i].memory, mds[i], engine, 1, &pointers[i]));
    }

    /* Three commands, each after the event of the one before. */
    ze_group_count_t pixels = {PICTURES * PIXELS, 1, 1}, rows = {PICTURES, 1, 1};
    int columns = CLASSES;
    ZE(zeKernelSetArgumentValue(bytes_to_floats, 0, sizeof(bytes), &bytes));
    ZE(zeKernelSetArgumentValue(bytes_to_floats, 1, sizeof(src), &src));
    ZE(zeCommandListAppendLaunchKernel(list, bytes_to_floats, &pixels, converted, 0, NULL));
    DNN(dnnl_ze_interop_primitive_execute(matmul, stream, 4, args, 1, &converted, &multiplied));
    ZE(zeKernelSetArgumentValue(best_class, 0, sizeof(scores), &scores));
    ZE(zeKernelSetArgumentValue(best_class, 1, sizeof(classes), &classes));
    ZE(zeKernelSetArgumentValue(best_class, 2, sizeof(columns), &columns));
    ZE(zeCommandListAppendLaunchKernel(list, best_class, &rows, chosen, 1, &multiplied));
    ZE(zeEventHostSynchronize(chosen, UINT64_MAX));

    double difference = 0;
    int wrong = 0;
    for (int p = 0; p < PICTURES; p++) {
        for (int c = 0; c < CLASSES; c++) {
            double sum = bias[c];
            for (int i = 0; i < PIXELS; i++)
                sum += (double)((float)bytes[p * PIXELS + i] / 255.0f) * weights[i * CLASSES + c];
            double off = scores[p * CLASSES + c] - (sum > 0 ? sum : 0);
            if (off < 0) off = -off;
            if (off > difference) difference = off;
            wrong += scores[p * CLASSES + c] > scores[p * CLASSES + classes[p]];
        }
    }
    printf("%s: largest difference from the host %.1e, %d better classes missed\n", properties.name, difference, wrong);

    /* The library's objects go first: they only refer to the program's. The event of the matmul goes with the stream. */
    for (int i = 0; i < 4; i++) {
        DNN(dnnl_memory_destroy(args[i].memory));
        DNN(dnnl_memory_desc_destroy(mds[i]));
    }
    DNN(dnnl_primitive_destroy(matmul));
    DNN(dnnl_primitive_desc_destroy(desc));
    DNN(dnnl_primitive_attr_destroy(attr));
    DNN(dnnl_post_ops_destroy(post_ops));
    DNN(dnnl_stream_destroy(stream));
    DNN(dnnl_engine_destroy(engine));
    for (int i = 0; i < 4; i++) ZE(zeMemFree(context, pointers[i]));
    ZE(zeMemFree(context, bytes));
    ZE(zeMemFree(context, classes));
    ZE(zeKernelDestroy(bytes_to_floats));
    ZE(zeKernelDestroy(best_class));
    ZE(zeModuleDestroy(module));
    ZE(zeEventDestroy(converted));
    ZE(zeEventDestroy(chosen));
    ZE(zeEventPoolDestroy(pool));
    ZE(zeCommandListDestroy(list));
    ZE(zeContextDestroy(context));
    return difference > 1e-4 || wrong > 0;
}
