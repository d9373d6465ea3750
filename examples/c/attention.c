/*
 * Attention of a small language model, computed by the library in the program's own OpenCL context: eight heads, of
 * which four share their keys and values, over tokens that see themselves and those before.
 *
 * After `cargo build --release -p oxidnn-capi`:
 *
 *     ln -sf libdnnl.so target/release/libdnnl.so.3
 *     cc -Iinclude examples/c/attention.c -Ltarget/release -ldnnl -lOpenCL -lm -o target/attention
 *     LD_LIBRARY_PATH=target/release target/attention
 */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_ocl.h>
#include <oneapi/dnnl/oxidnn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 8, SHARED = 2, TOKENS = 200, CHANNELS = 64 };

static void cl(cl_int code, const char *call) {
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL error %d\n", call, code);
    exit(1);
}
#define CL(call) cl((call), #call)

static void dnn(dnnl_status_t status, const char *call) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s: %s\n", call, dnnl_status2str(status));
    exit(1);
}
#define DNN(call) dnn((call), #call)

static dnnl_memory_desc_t heads(dnnl_dim_t count, dnnl_dim_t rows, dnnl_dim_t columns, dnnl_format_tag_t tag) {
    dnnl_dims_t dims = {1, count, rows, columns};
    dnnl_memory_desc_t md;
    DNN(dnnl_memory_desc_create_with_tag(&md, 4, dims, dnnl_f32, tag));
    return md;
}

/* The same for one query of one head, in a plain loop. */
static void attend(const float *query, const float *keys, const float *values, int seen, double *out) {
    double weights[TOKENS], top = -INFINITY, total = 0;
    for (int k = 0; k < seen; k++) {
        weights[k] = 0;
        for (int c = 0; c < CHANNELS; c++) weights[k] += (double)query[c] * keys[k * CHANNELS + c];
        weights[k] /= sqrt(CHANNELS);
        if (weights[k] > top) top = weights[k];
    }
    for (int k = 0; k < seen; k++) total += weights[k] = exp(weights[k] - top);
    for (int c = 0; c < CHANNELS; c++) {
        out[c] = 0;
        for (int k = 0; k < seen; k++) out[c] += weights[k] / total * values[k * CHANNELS + c];
    }
}

int main(void) {
    enum { LARGE = HEADS * TOKENS * CHANNELS, SMALL = SHARED * TOKENS * CHANNELS };
    static float queries[LARGE], keys[SMALL], values[SMALL], result[LARGE];
    for (int i = 0; i < LARGE; i++) queries[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    for (int i = 0; i < SMALL; i++) keys[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    for (int i = 0; i < SMALL; i++) values[i] = (float)rand() / (float)RAND_MAX * 2 - 1;

    /* The program's own objects. */
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char name[256] = "";
    CL(clGetPlatformIDs(1, &platform, NULL));
    CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    CL(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    cl(code, "clCreateCommandQueue");
    cl_mem buffers[4];
    float *contents[4] = {queries, keys, values, result};
    size_t sizes[4] = {sizeof(queries), sizeof(keys), sizeof(values), sizeof(result)};
    for (int i = 0; i < 4; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes[i], contents[i], &code);
        cl(code, "clCreateBuffer");
    }

    /* Keys are columns to the library. Here they lie as queries and values do, a token after the other: that is the
     * layout `abdc`. The scale is a number on the host. */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    DNN(dnnl_ocl_interop_engine_create(&engine, device, context));
    DNN(dnnl_ocl_interop_stream_create(&stream, engine, queue));
    dnnl_memory_desc_t mds[5] = {
            heads(HEADS, TOKENS, CHANNELS, dnnl_abcd),
            heads(SHARED, CHANNELS, TOKENS, dnnl_abdc),
            heads(SHARED, TOKENS, CHANNELS, dnnl_abcd),
            heads(HEADS, TOKENS, CHANNELS, dnnl_abcd),
    };
    DNN(dnnl_memory_desc_create_host_scalar(&mds[4], dnnl_f32));
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t attention;
    DNN(oxidnn_sdpa_primitive_desc_create(&desc, engine, mds[0], mds[1], mds[2], mds[3], NULL, mds[4], 0,
            oxidnn_attention_mask_causal_top_left, 0, NULL));
    DNN(dnnl_primitive_create(&attention, desc));
    float scale = 1 / sqrtf(CHANNELS);
    int numbers[5] = {OXIDNN_ARG_QUERIES, OXIDNN_ARG_KEYS, OXIDNN_ARG_VALUES, DNNL_ARG_DST, DNNL_ARG_SCALE};
    dnnl_exec_arg_t args[5];
    for (int i = 0; i < 4; i++)
        DNN(dnnl_ocl_interop_memory_create(&args[i].memory, mds[i], engine, dnnl_ocl_interop_buffer, buffers[i]));
    DNN(dnnl_memory_create_host_scalar(&args[4].memory, mds[4], &scale));
    for (int i = 0; i < 5; i++) args[i].arg = numbers[i];

    /* The queue is in order: reading waits for the attention. */
    DNN(dnnl_ocl_interop_primitive_execute(attention, stream, 5, args, NULL, 0, NULL));
    CL(clEnqueueReadBuffer(queue, buffers[3], CL_TRUE, 0, sizeof(result), result, 0, NULL, NULL));

    double difference = 0;
    for (int row = 0; row < HEADS * TOKENS; row++) {
        double expected[CHANNELS];
        int shared = row / TOKENS * SHARED / HEADS * TOKENS * CHANNELS;
        attend(queries + row * CHANNELS, keys + shared, values + shared, row % TOKENS + 1, expected);
        for (int c = 0; c < CHANNELS; c++)
            difference = fmax(difference, fabs(result[row * CHANNELS + c] - expected[c]));
    }
    printf("%s: largest difference from the host %.1e\n", name, difference);

    for (int i = 0; i < 5; i++) {
        DNN(dnnl_memory_destroy(args[i].memory));
        DNN(dnnl_memory_desc_destroy(mds[i]));
    }
    DNN(dnnl_primitive_destroy(attention));
    DNN(dnnl_primitive_desc_destroy(desc));
    DNN(dnnl_stream_destroy(stream));
    DNN(dnnl_engine_destroy(engine));
    for (int i = 0; i < 4; i++) CL(clReleaseMemObject(buffers[i]));
    CL(clReleaseCommandQueue(queue));
    CL(clReleaseContext(context));
    return !(difference < 1e-5);
}
