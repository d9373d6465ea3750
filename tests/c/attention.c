/* Attention in the caller's own context, on its queue and buffers, compared with loops. */

#include <math.h>

#include "oneapi/dnnl/oxidnn.h"
#include "opencl.h"

enum { BATCH = 2, HEADS = 4, SHARED = 2, CHANNELS = 24, WIDTH = 20, MOST = 37 };

typedef struct {
    int queries, keys;
    oxidnn_attention_mask_t mask;
    dnnl_data_type_t type; /* of keys: f32, or s8 with a scale for each head */
    int divides, inf_as_zero;
} problem_t;

static const float SCALE = 0.25f;

static float queries[BATCH * HEADS * MOST * CHANNELS], keys[BATCH * SHARED * MOST * CHANNELS];
static int8_t small_keys[BATCH * SHARED * MOST * CHANNELS];
static float key_scales[BATCH * SHARED];
static float values[BATCH * SHARED * MOST * WIDTH], mask[BATCH * MOST * MOST];
static float got[BATCH * HEADS * MOST * WIDTH];

static float value(int i) {
    return (float)((i * 37 + 11) % 101 - 50) / 50.0f;
}

static void fill(void) {
    for (int i = 0; i < BATCH * HEADS * MOST * CHANNELS; i++) queries[i] = value(i);
    for (int i = 0; i < BATCH * SHARED * MOST * CHANNELS; i++) {
        keys[i] = value(i + 3);
        small_keys[i] = (int8_t)((i * 29 + 5) % 255 - 127);
    }
    for (int i = 0; i < BATCH * SHARED; i++) key_scales[i] = (float)(i + 1) / 256.0f;
    for (int i = 0; i < BATCH * SHARED * MOST * WIDTH; i++) values[i] = value(i + 7);
    for (int i = 0; i < BATCH * MOST * MOST; i++) mask[i] = i % 5 == 0 ? -INFINITY : value(i) * 2;
    for (int i = 0; i < BATCH * HEADS * MOST * WIDTH; i++) got[i] = 1e30f;
}

/* Four dimensions, the last two as given or as they lie the other way round in memory. */
static dnnl_memory_desc_t tensor(
        dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    dnnl_dims_t dims = {a, b, c, d};
    dnnl_memory_desc_t md = NULL;
    OK(dnnl_memory_desc_create_with_tag(&md, 4, dims, type, tag));
    return md;
}

static int sees(const problem_t *p, int query, int key) {
    switch (p->mask) {
        case oxidnn_attention_mask_causal_top_left: return key <= query;
        case oxidnn_attention_mask_causal_bottom_right: return key <= query + p->keys - p->queries;
        default: return 1;
    }
}

static double product(const problem_t *p, int batch, int head, int query, int key) {
    int at = batch * SHARED + head * SHARED / HEADS;
    const float *q = queries + ((batch * HEADS + head) * p->queries + query) * CHANNELS;
    int k = (at * p->keys + key) * CHANNELS;
    double sum = 0;
    for (int c = 0; c < CHANNELS; c++)
        sum += (double)q[c] * (p->type == dnnl_s8 ? small_keys[k + c] * (double)key_scales[at] : keys[k + c]);
    sum = p->divides ? sum / SCALE : sum * SCALE;
    if (p->mask == oxidnn_attention_mask_buffer) sum += mask[(batch * p->queries + query) * p->keys + key];
    return sees(p, query, key) ? sum : -INFINITY;
}

static void compare(const problem_t *p) {
    double largest = 0;
    int blind = 0;
    for (int row = 0; row < BATCH * HEADS * p->queries; row++) {
        int batch = row / (HEADS * p->queries), head = row / p->queries % HEADS, query = row % p->queries;
        double weights[MOST], top = -INFINITY, total = 0;
        for (int k = 0; k < p->keys; k++) {
            weights[k] = product(p, batch, head, query, k);
            if (weights[k] > top) top = weights[k];
        }
        const float *out = got + row * WIDTH;
        if (top == -INFINITY) {
            blind++;
            for (int c = 0; c < WIDTH; c++) CHECK(p->inf_as_zero ? out[c] == 0 : isnan(out[c]));
            continue;
        }
        for (int k = 0; k < p->keys; k++) total += weights[k] = exp(weights[k] - top);
        const float *of_head = values + (batch * SHARED + head * SHARED / HEADS) * p->keys * WIDTH;
        for (int c = 0; c < WIDTH; c++) {
            double sum = 0;
            for (int k = 0; k < p->keys; k++) sum += weights[k] / total * of_head[k * WIDTH + c];
            double off = fabs(sum - (double)out[c]);
            if (!(off <= largest)) largest = off;
        }
    }
    /* Values are at most one, and so are their means. */
    CHECK(largest < 2e-5);
    int unseeing = p->mask == oxidnn_attention_mask_causal_bottom_right ? p->queries - p->keys : 0;
    CHECK(blind == (unseeing > 0 ? BATCH * HEADS * unseeing : 0));
}

static void attend(const problem_t *p) {
    OPEN_OR_SKIP(ocl);
    fill();
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_stream_t stream = new_stream(&ocl, engine);
    dnnl_memory_desc_t mds[5] = {
            tensor(BATCH, HEADS, p->queries, CHANNELS, dnnl_f32, dnnl_abcd),
            tensor(BATCH, SHARED, CHANNELS, p->keys, p->type, dnnl_abdc),
            tensor(BATCH, SHARED, p->keys, WIDTH, dnnl_f32, dnnl_abcd),
            tensor(BATCH, HEADS, p->queries, WIDTH, dnnl_f32, dnnl_abcd),
            tensor(BATCH, 1, p->queries, p->keys, dnnl_f32, dnnl_abcd),
    };
    int numbers[5] = {OXIDNN_ARG_QUERIES, OXIDNN_ARG_KEYS, OXIDNN_ARG_VALUES, DNNL_ARG_DST, OXIDNN_ARG_MASK};
    const void *contents[5] = {queries, p->type == dnnl_s8 ? (void *)small_keys : keys, values, got, mask};
    cl_mem buffers[6];
    dnnl_exec_arg_t args[7];
    for (int i = 0; i < 5; i++) {
        buffers[i] = new_buffer(ocl.context, dnnl_memory_desc_get_size(mds[i]), contents[i]);
        args[i].arg = numbers[i];
        args[i].memory = new_memory(mds[i], engine, buffers[i]);
    }
    dnnl_memory_desc_t scale_md = NULL, key_scales_md = tensor(BATCH, SHARED, 1, 1, dnnl_f32, dnnl_abcd);
    OK(dnnl_memory_desc_create_host_scalar(&scale_md, dnnl_f32));
    float scale = SCALE;
    args[5].arg = DNNL_ARG_SCALE;
    OK(dnnl_memory_create_host_scalar(&args[5].memory, scale_md, &scale));
    buffers[5] = new_buffer(ocl.context, sizeof(key_scales), key_scales);
    args[6].arg = DNNL_ARG_ATTR_SCALES | OXIDNN_ARG_KEYS;
    args[6].memory = new_memory(key_scales_md, engine, buffers[5]);

    dnnl_primitive_attr_t attr = NULL;
    OK(dnnl_primitive_attr_create(&attr));
    if (p->type == dnnl_s8) OK(dnnl_primitive_attr_set_scales_mask(attr, OXIDNN_ARG_KEYS, 3));
    dnnl_memory_desc_t mask_md = p->mask == oxidnn_attention_mask_buffer ? mds[4] : NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t attention = NULL;
    OK(oxidnn_sdpa_primitive_desc_create(&desc, engine, mds[0], mds[1], mds[2], mds[3], mask_md, scale_md, p->divides,
            p->mask, p->inf_as_zero, attr));
    OK(dnnl_primitive_create(&attention, desc));
    cl_event done = NULL;
    OK(dnnl_ocl_interop_primitive_execute(attention, stream, 7, args, NULL, 0, &done));
    CHECK(done != NULL);
    size_t size = dnnl_memory_desc_get_size(mds[3]);
    CL(clEnqueueReadBuffer(ocl.queue, buffers[3], CL_TRUE, 0, size, got, 1, &done, NULL));
    compare(p);

    CL(clReleaseEvent(done));
    OK(dnnl_primitive_destroy(attention));
    OK(dnnl_primitive_desc_destroy(desc));
    OK(dnnl_primitive_attr_destroy(attr));
    for (int i = 0; i < 7; i++) OK(dnnl_memory_destroy(args[i].memory));
    for (int i = 0; i < 5; i++) OK(dnnl_memory_desc_destroy(mds[i]));
    OK(dnnl_memory_desc_destroy(scale_md));
    OK(dnnl_memory_desc_destroy(key_scales_md));
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(engine));
    for (int i = 0; i < 6; i++) CL(clReleaseMemObject(buffers[i]));
    close_opencl(&ocl);
}

static void every_query_sees_every_key(void) {
    attend(&(problem_t){19, 37, oxidnn_attention_mask_none, dnnl_f32, 0, 0});
}

static void a_mask_is_added_for_all_heads(void) {
    attend(&(problem_t){19, 37, oxidnn_attention_mask_buffer, dnnl_f32, 1, 0});
}

static void positions_count_from_the_first_query_and_key(void) {
    attend(&(problem_t){33, 21, oxidnn_attention_mask_causal_top_left, dnnl_f32, 0, 0});
}

static void positions_count_from_the_last_query_and_key(void) {
    attend(&(problem_t){21, 33, oxidnn_attention_mask_causal_bottom_right, dnnl_f32, 0, 0});
}

static void a_query_that_sees_nothing_gives_zeros_or_nan(void) {
    attend(&(problem_t){17, 9, oxidnn_attention_mask_causal_bottom_right, dnnl_f32, 0, 1});
    attend(&(problem_t){17, 9, oxidnn_attention_mask_causal_bottom_right, dnnl_f32, 0, 0});
}

static void keys_of_bytes_have_a_scale_for_each_head(void) {
    attend(&(problem_t){19, 37, oxidnn_attention_mask_none, dnnl_s8, 0, 0});
}

static void wrong_arguments_are_refused(void) {
    OPEN_OR_SKIP(ocl);
    dnnl_engine_t engine = new_engine(&ocl);
    dnnl_memory_desc_t query = tensor(BATCH, HEADS, 8, CHANNELS, dnnl_f32, dnnl_abcd);
    dnnl_memory_desc_t key = tensor(BATCH, SHARED, CHANNELS, 9, dnnl_f32, dnnl_abcd);
    dnnl_memory_desc_t val = tensor(BATCH, SHARED, 9, WIDTH, dnnl_f32, dnnl_abcd);
    dnnl_memory_desc_t dst = tensor(BATCH, HEADS, 8, WIDTH, dnnl_f32, dnnl_abcd);
    dnnl_memory_desc_t wide = tensor(BATCH, HEADS, 8, WIDTH + 1, dnnl_f32, dnnl_abcd);
    dnnl_memory_desc_t three = tensor(BATCH, 3, CHANNELS, 9, dnnl_f32, dnnl_abcd);
    dnnl_primitive_desc_t desc = NULL;
    INVALID(oxidnn_sdpa_primitive_desc_create(NULL, engine, query, key, val, dst, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, NULL, query, key, val, dst, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, NULL, key, val, dst, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, NULL, val, dst, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, key, NULL, dst, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, key, val, NULL, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, key, val, wide, NULL, NULL, 0, 0, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, three, val, dst, NULL, NULL, 0, 0, 0, NULL));
    /* A mask without its descriptor, and no kind of mask. */
    INVALID(oxidnn_sdpa_primitive_desc_create(
            &desc, engine, query, key, val, dst, NULL, NULL, 0, oxidnn_attention_mask_buffer, 0, NULL));
    INVALID(oxidnn_sdpa_primitive_desc_create(&desc, engine, query, key, val, dst, NULL, NULL, 0, 4, 0, NULL));
    CHECK(desc == NULL);
    dnnl_memory_desc_t all[6] = {query, key, val, dst, wide, three};
    for (int i = 0; i < 6; i++) OK(dnnl_memory_desc_destroy(all[i]));
    OK(dnnl_engine_destroy(engine));
    close_opencl(&ocl);
}

int main(void) {
    const test_t tests[] = {
            TEST(every_query_sees_every_key),
            TEST(a_mask_is_added_for_all_heads),
            TEST(positions_count_from_the_first_query_and_key),
            TEST(positions_count_from_the_last_query_and_key),
            TEST(a_query_that_sees_nothing_gives_zeros_or_nan),
            TEST(keys_of_bytes_have_a_scale_for_each_head),
            TEST(wrong_arguments_are_refused),
    };
    return RUN(tests);
}
