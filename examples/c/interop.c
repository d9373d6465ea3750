/*
 * A program that has its own OpenCL device, context, queue and buffers, and lets the library compute inside them.
 *
 * Three commands on one queue, which nothing but their events puts in order:
 *
 *     bytes to floats (this program)  →  matmul, bias, ReLU (the library)  →  best class (this program)
 *
 * After `cargo build --release -p oxidnn-capi`:
 *
 *     ln -sf libdnnl.so target/release/libdnnl.so.3
 *     cc -Iinclude examples/c/interop.c -Ltarget/release -ldnnl -lOpenCL -o target/interop
 *     LD_LIBRARY_PATH=target/release target/interop
 */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl_ocl.h>

#include <stdio.h>
#include <stdlib.h>

enum { PICTURES = 64, PIXELS = 784, CLASSES = 100 };

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

static cl_mem buffer(cl_context context, size_t size, void *content) {
    cl_int code;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | (content ? CL_MEM_COPY_HOST_PTR : 0), size, content, &code);
    cl(code, "clCreateBuffer");
    return memory;
}

static dnnl_memory_desc_t matrix(dnnl_dim_t rows, dnnl_dim_t columns) {
    dnnl_dims_t dims = {rows, columns};
    dnnl_memory_desc_t md;
    DNN(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    return md;
}

int main(void) {
    static unsigned char pictures[PICTURES * PIXELS];
    static float weights[PIXELS * CLASSES], bias[CLASSES], scores[PICTURES * CLASSES];
    static int classes[PICTURES];
    for (int i = 0; i < PICTURES * PIXELS; i++) pictures[i] = (unsigned char)rand();
    for (int i = 0; i < PIXELS * CLASSES; i++) weights[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    for (int i = 0; i < CLASSES; i++) bias[i] = (float)rand() / (float)RAND_MAX * 2 - 1;

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
    cl_command_queue_properties properties;
    CL(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL));
    properties &= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    cl_command_queue queue = clCreateCommandQueue(context, device, properties, &code);
    cl(code, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &kernels, NULL, &code);
    cl(code, "clCreateProgramWithSource");
    CL(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel bytes_to_floats = clCreateKernel(program, "bytes_to_floats", &code);
    cl(code, "clCreateKernel");
    cl_kernel best_class = clCreateKernel(program, "best_class", &code);
    cl(code, "clCreateKernel");
    cl_mem bytes = buffer(context, sizeof(pictures), pictures), src = buffer(context, PICTURES * PIXELS * sizeof(float), NULL);
    cl_mem wei = buffer(context, sizeof(weights), weights), bia = buffer(context, sizeof(bias), bias);
    cl_mem dst = buffer(context, sizeof(scores), NULL), best = buffer(context, sizeof(classes), NULL);

    /* The library takes them in: it retains what it is given. */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    DNN(dnnl_ocl_interop_engine_create(&engine, device, context));
    DNN(dnnl_ocl_interop_stream_create(&stream, engine, queue));
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
    cl_mem buffers[4] = {src, wei, bia, dst};
    int numbers[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};
    dnnl_exec_arg_t args[4];
    for (int i = 0; i < 4; i++) {
        args[i].arg = numbers[i];
        DNN(dnnl_ocl_interop_memory_create(&args[i].memory, mds[i], engine, dnnl_ocl_interop_buffer, buffers[i]));
    }

    /* Three commands, each after the event of the one before. */
    size_t pixels = PICTURES * PIXELS, rows = PICTURES;
    cl_int columns = CLASSES;
    cl_event converted, multiplied, chosen;
    CL(clSetKernelArg(bytes_to_floats, 0, sizeof(bytes), &bytes));
    CL(clSetKernelArg(bytes_to_floats, 1, sizeof(src), &src));
    CL(clEnqueueNDRangeKernel(queue, bytes_to_floats, 1, NULL, &pixels, NULL, 0, NULL, &converted));
    DNN(dnnl_ocl_interop_primitive_execute(matmul, stream, 4, args, &converted, 1, &multiplied));
    CL(clSetKernelArg(best_class, 0, sizeof(dst), &dst));
    CL(clSetKernelArg(best_class, 1, sizeof(best), &best));
    CL(clSetKernelArg(best_class, 2, sizeof(columns), &columns));
    CL(clEnqueueNDRangeKernel(queue, best_class, 1, NULL, &rows, NULL, 1, &multiplied, &chosen));
    CL(clEnqueueReadBuffer(queue, dst, CL_TRUE, 0, sizeof(scores), scores, 1, &multiplied, NULL));
    CL(clEnqueueReadBuffer(queue, best, CL_TRUE, 0, sizeof(classes), classes, 1, &chosen, NULL));

    double difference = 0;
    int wrong = 0;
    for (int p = 0; p < PICTURES; p++) {
        for (int c = 0; c < CLASSES; c++) {
            double sum = bias[c];
            for (int i = 0; i < PIXELS; i++)
                sum += (double)((float)pictures[p * PIXELS + i] / 255.0f) * weights[i * CLASSES + c];
            double off = scores[p * CLASSES + c] - (sum > 0 ? sum : 0);
            if (off < 0) off = -off;
            if (off > difference) difference = off;
            wrong += scores[p * CLASSES + c] > scores[p * CLASSES + classes[p]];
        }
    }
    printf("%s: largest difference from the host %.1e, %d better classes missed\n", name, difference, wrong);

    /* The events are the program's to release, the library's objects release what they retained. */
    CL(clReleaseEvent(converted));
    CL(clReleaseEvent(multiplied));
    CL(clReleaseEvent(chosen));
    for (int i = 0; i < 4; i++) {
        DNN(dnnl_memory_destroy(args[i].memory));
        DNN(dnnl_memory_desc_destroy(mds[i]));
        CL(clReleaseMemObject(buffers[i]));
    }
    DNN(dnnl_primitive_destroy(matmul));
    DNN(dnnl_primitive_desc_destroy(desc));
    DNN(dnnl_primitive_attr_destroy(attr));
    DNN(dnnl_post_ops_destroy(post_ops));
    DNN(dnnl_stream_destroy(stream));
    DNN(dnnl_engine_destroy(engine));
    CL(clReleaseMemObject(bytes));
    CL(clReleaseMemObject(best));
    CL(clReleaseKernel(bytes_to_floats));
    CL(clReleaseKernel(best_class));
    CL(clReleaseProgram(program));
    CL(clReleaseCommandQueue(queue));
    CL(clReleaseContext(context));
    return difference > 1e-4 || wrong > 0;
}
