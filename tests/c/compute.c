/* A reorder and a matmul on every engine there is, compared with loops. All values are exact in single precision. */

#include <stdlib.h>

#include "opencl.h"

static float value(int i) {
    return (float)((i * 7 + 3) % 23 - 11);
}

static dnnl_memory_t filled(dnnl_memory_desc_t md, dnnl_engine_t engine, const float *values, int count) {
    dnnl_memory_t memory = NULL;
    void *mapped = NULL;
    OK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_map_data(memory, &mapped));
    if (CHECK(mapped != NULL)) memcpy(mapped, values, (size_t)count * sizeof(float));
    OK(dnnl_memory_unmap_data(memory, mapped));
    return memory;
}

static void read_memory(dnnl_memory_t memory, float *out, int count) {
    void *mapped = NULL;
    OK(dnnl_memory_map_data(memory, &mapped));
    if (CHECK(mapped != NULL)) memcpy(out, mapped, (size_t)count * sizeof(float));
    OK(dnnl_memory_unmap_data(memory, mapped));
}

static void reorder_on(dnnl_engine_t engine) {
    enum { N = 2, C = 19, H = 3, W = 2, PADDED = 32 };
    dnnl_dims_t dims = {N, C, H, W};
    dnnl_memory_desc_t from = NULL, to = NULL;
    OK(dnnl_memory_desc_create_with_tag(&from, 4, dims, dnnl_f32, dnnl_nchw));
    OK(dnnl_memory_desc_create_with_tag(&to, 4, dims, dnnl_f32, dnnl_nChw16c));
    CHECK(dnnl_memory_desc_get_size(to) == N * PADDED * H * W * sizeof(float));

    float in[N * C * H * W], out[N * PADDED * H * W];
    for (int i = 0; i < N * C * H * W; i++) in[i] = value(i);
    for (int i = 0; i < N * PADDED * H * W; i++) out[i] = 1e30f;
    dnnl_memory_t src = filled(from, engine, in, N * C * H * W);
    dnnl_memory_t dst = filled(to, engine, out, N * PADDED * H * W);
    dnnl_primitive_t reorder = new_reorder(engine, from, to);
    dnnl_stream_t stream = NULL;
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}};
    OK(dnnl_primitive_execute(reorder, stream, 2, args));
    OK(dnnl_stream_wait(stream));
    read_memory(dst, out, N * PADDED * H * W);
    for (int n = 0; n < N; n++)
        for (int c = 0; c < PADDED; c++)
            for (int hw = 0; hw < H * W; hw++) {
                float got = out[((n * PADDED / 16 + c / 16) * H * W + hw) * 16 + c % 16];
                /* Padding is zero. */
                CHECK(got == (c < C ? in[(n * C + c) * H * W + hw] : 0));
            }
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_primitive_destroy(reorder));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_memory_desc_destroy(from));
    OK(dnnl_memory_desc_destroy(to));
}

static void matmul_on(dnnl_engine_t engine) {
    enum { M = 13, K = 17, N = 19 };
    dnnl_memory_desc_t src_md = matrix(M, K, dnnl_ab), weights_md = matrix(K, N, dnnl_ba);
    dnnl_memory_desc_t bias_md = matrix(1, N, dnnl_ab), dst_md = matrix(M, N, dnnl_ab);
    dnnl_post_ops_t post_ops = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t matmul = NULL;
    OK(dnnl_post_ops_create(&post_ops));
    OK(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    OK(dnnl_matmul_primitive_desc_create(&desc, engine, src_md, weights_md, bias_md, dst_md, attr));
    OK(dnnl_primitive_create(&matmul, desc));

    float a[M * K], b[K * N], c[N], d[M * N];
    for (int i = 0; i < M * K; i++) a[i] = value(i);
    for (int i = 0; i < K * N; i++) b[i] = value(i + 5);
    for (int i = 0; i < N; i++) c[i] = value(i + 9);
    for (int i = 0; i < M * N; i++) d[i] = 1e30f;
    dnnl_memory_t src = filled(src_md, engine, a, M * K), weights = filled(weights_md, engine, b, K * N);
    dnnl_memory_t bias = filled(bias_md, engine, c, N), dst = filled(dst_md, engine, d, M * N);
    dnnl_exec_arg_t args[4]
            = {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}};
    dnnl_stream_t stream = NULL;
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    OK(dnnl_primitive_execute(matmul, stream, 4, args));
    OK(dnnl_stream_wait(stream));
    read_memory(dst, d, M * N);
    int positive = 0;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = c[n];
            for (int k = 0; k < K; k++) sum += a[m * K + k] * b[n * K + k];
            positive += sum > 0;
            CHECK(d[m * N + n] == (sum > 0 ? sum : 0));
        }
    CHECK(positive > 0 && positive < M * N);

    OK(dnnl_stream_destroy(stream));
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(weights));
    OK(dnnl_memory_destroy(bias));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_primitive_destroy(matmul));
    OK(dnnl_primitive_desc_destroy(desc));
    OK(dnnl_primitive_attr_destroy(attr));
    OK(dnnl_post_ops_destroy(post_ops));
    OK(dnnl_memory_desc_destroy(src_md));
    OK(dnnl_memory_desc_destroy(weights_md));
    OK(dnnl_memory_desc_destroy(bias_md));
    OK(dnnl_memory_desc_destroy(dst_md));
}

static void on_engines_of(dnnl_engine_kind_t kind, void (*test)(dnnl_engine_t)) {
    size_t count = dnnl_engine_get_count(kind);
    if (count == 0) SKIP("there is no engine of this kind");
    for (size_t i = 0; i < count; i++) {
        dnnl_engine_t engine = NULL;
        OK(dnnl_engine_create(&engine, kind, i));
        if (engine) test(engine);
        OK(dnnl_engine_destroy(engine));
    }
}

static void a_reorder_on_gpu_engines(void) {
    on_engines_of(dnnl_gpu, reorder_on);
}

static void a_reorder_on_the_cpu_engine(void) {
    on_engines_of(dnnl_cpu, reorder_on);
}

static void a_matmul_on_gpu_engines(void) {
    on_engines_of(dnnl_gpu, matmul_on);
}

static void a_matmul_on_the_cpu_engine(void) {
    on_engines_of(dnnl_cpu, matmul_on);
}

static void a_reorder_from_the_host_to_the_device_and_back(void) {
    OPEN_OR_SKIP(ocl);
    enum { ROWS = 9, COLUMNS = 6, COUNT = ROWS * COLUMNS };
    dnnl_engine_t device = new_engine(&ocl), host = NULL;
    OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_desc_t plain = matrix(ROWS, COLUMNS, dnnl_ab), turned = matrix(ROWS, COLUMNS, dnnl_ba);
    float in[COUNT], out[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) in[i] = value(i);
    dnnl_memory_t src = NULL, middle = NULL, dst = NULL;
    OK(dnnl_memory_create(&src, plain, host, in));
    OK(dnnl_memory_create(&middle, turned, device, DNNL_MEMORY_ALLOCATE));
    OK(dnnl_memory_create(&dst, plain, host, out));
    dnnl_stream_t stream = new_stream(&ocl, device);
    dnnl_engine_t engines[3] = {host, device, host};
    dnnl_memory_desc_t mds[3] = {plain, turned, plain};
    dnnl_memory_t memories[3] = {src, middle, dst};
    for (int i = 0; i < 2; i++) {
        dnnl_primitive_desc_t desc = NULL;
        dnnl_primitive_t reorder = NULL;
        OK(dnnl_reorder_primitive_desc_create(&desc, mds[i], engines[i], mds[i + 1], engines[i + 1], NULL));
        OK(dnnl_primitive_create(&reorder, desc));
        dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, memories[i]}, {DNNL_ARG_TO, memories[i + 1]}};
        OK(dnnl_primitive_execute(reorder, stream, 2, args));
        OK(dnnl_stream_wait(stream));
        OK(dnnl_primitive_destroy(reorder));
        OK(dnnl_primitive_desc_destroy(desc));
    }
    for (int i = 0; i < COUNT; i++) CHECK(out[i] == in[i]);
    OK(dnnl_memory_destroy(src));
    OK(dnnl_memory_destroy(middle));
    OK(dnnl_memory_destroy(dst));
    OK(dnnl_memory_desc_destroy(plain));
    OK(dnnl_memory_desc_destroy(turned));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(device));
    OK(dnnl_engine_destroy(host));
    close_opencl(&ocl);
}

static void blobs_make_the_same_primitive_and_corrupt_ones_none(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl), from_blob = NULL;
    dnnl_memory_desc_t plain = matrix(6, 5, dnnl_ab), turned = matrix(6, 5, dnnl_ba);
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t reorder = NULL, again = NULL;
    OK(dnnl_reorder_primitive_desc_create(&desc, plain, engine, turned, engine, NULL));
    OK(dnnl_primitive_create(&reorder, desc));

    size_t id_size = 0, engine_size = 0, size = 0;
    OK(dnnl_ocl_interop_engine_get_cache_blob_id(ocl.device, &id_size, NULL));
    CHECK(id_size > 0);
    OK(dnnl_ocl_interop_engine_get_cache_blob(engine, &engine_size, NULL));
    uint8_t *engine_blob = malloc(engine_size + 1);
    OK(dnnl_ocl_interop_engine_get_cache_blob(engine, &engine_size, engine_blob));
    OK(dnnl_ocl_interop_engine_create_from_cache_blob(&from_blob, ocl.device, ocl.context, engine_size, engine_blob));
    OK(dnnl_engine_destroy(from_blob));

    OK(dnnl_primitive_get_cache_blob(reorder, &size, NULL));
    CHECK(size > 0);
    uint8_t *blob = malloc(size + 1);
    OK(dnnl_primitive_get_cache_blob(reorder, &size, blob));
    OK(dnnl_primitive_create_from_cache_blob(&again, desc, size, blob));
    OK(dnnl_primitive_destroy(again));
    again = NULL;
    INVALID(dnnl_primitive_create_from_cache_blob(&again, desc, size - 1, blob));
    INVALID(dnnl_primitive_create_from_cache_blob(&again, desc, size / 2, blob));
    INVALID(dnnl_primitive_create_from_cache_blob(&again, desc, 1, blob));
    for (size_t at = 0; at < size; at += 1 + size / 37) {
        blob[at] ^= 0x10;
        INVALID(dnnl_primitive_create_from_cache_blob(&again, desc, size, blob));
        blob[at] ^= 0x10;
    }
    CHECK(again == NULL);
    OK(dnnl_primitive_create_from_cache_blob(&again, desc, size, blob));
    OK(dnnl_primitive_destroy(again));
    free(blob);
    free(engine_blob);
    OK(dnnl_primitive_destroy(reorder));
    OK(dnnl_primitive_desc_destroy(desc));
    OK(dnnl_memory_desc_destroy(plain));
    OK(dnnl_memory_desc_destroy(turned));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

static void engines_are_what_opencl_has(void) {
    CHECK(dnnl_engine_get_count(dnnl_cpu) == 1);
    dnnl_engine_t engine = NULL;
    if (!first_device()) {
        CHECK(dnnl_engine_get_count(dnnl_gpu) == 0);
        INVALID(dnnl_engine_create(&engine, dnnl_gpu, 0));
        return;
    }
    CHECK(dnnl_engine_get_count(dnnl_gpu) >= 1);
    cl_device_id device = NULL;
    OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
    OK(dnnl_ocl_interop_get_device(engine, &device));
    CHECK(device != NULL);
    OK(dnnl_engine_destroy(engine));
}

int main(void) {
    const test_t tests[] = {
            TEST(engines_are_what_opencl_has),
            TEST(a_reorder_on_gpu_engines),
            TEST(a_reorder_on_the_cpu_engine),
            TEST(a_matmul_on_gpu_engines),
            TEST(a_matmul_on_the_cpu_engine),
            TEST(a_reorder_from_the_host_to_the_device_and_back),
            TEST(blobs_make_the_same_primitive_and_corrupt_ones_none),
    };
    return RUN(tests);
}
