/* No kernel touches memory outside of the tensors that it is given, and of the scratchpad: lengths that fill no vector, windows that
 * reach into padding, images in planes. */

#include "guarded.h"
#include "oneapi/dnnl/dnnl_debug.h"

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static dnnl_memory_desc_t desc(dnnl_data_type_t type, dnnl_format_tag_t tag, int ndims, const dnnl_dims_t dims) {
    dnnl_memory_desc_t md = NULL;
    OK(dnnl_memory_desc_create_with_tag(&md, ndims, dims, type, tag));
    return md;
}

/* Whoever makes a descriptor here lets go of it there. */
static void destroy(dnnl_memory_desc_t *mds, int count) {
    for (int i = 0; i < count; i++) OK(dnnl_memory_desc_destroy(mds[i]));
}

/* Attributes with the scratchpad in the caller's hands. */
static dnnl_primitive_attr_t new_attr(void) {
    dnnl_primitive_attr_t attr = NULL;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    return attr;
}

/* Convolutions: each shape in each form. Images have channels last and weights a layout of the library's choice, or both are in planes. */
typedef struct {
    const char *name;
    dnnl_prop_kind_t pass;
    dnnl_data_type_t src, weights, dst;
    int in_planes;
} form_t;

static const form_t forms[] = {
        {"FWD f32", dnnl_forward_inference, dnnl_f32, dnnl_f32, dnnl_f32, 0},
        {"BWD_D f32", dnnl_backward_data, dnnl_f32, dnnl_f32, dnnl_f32, 0},
        {"BWD_W f32", dnnl_backward_weights, dnnl_f32, dnnl_f32, dnnl_f32, 0},
        {"FWD bf16", dnnl_forward_inference, dnnl_bf16, dnnl_bf16, dnnl_bf16, 0},
        {"BWD_D bf16", dnnl_backward_data, dnnl_bf16, dnnl_bf16, dnnl_bf16, 0},
        {"BWD_W bf16", dnnl_backward_weights, dnnl_bf16, dnnl_f32, dnnl_bf16, 0},
        {"FWD u8", dnnl_forward_inference, dnnl_u8, dnnl_s8, dnnl_u8, 0},
        {"FWD f32 planes", dnnl_forward_inference, dnnl_f32, dnnl_f32, dnnl_f32, 1},
        {"BWD_D f32 planes", dnnl_backward_data, dnnl_f32, dnnl_f32, dnnl_f32, 1},
        {"BWD_W f32 planes", dnnl_backward_weights, dnnl_f32, dnnl_f32, dnnl_f32, 1},
        {"FWD u8 planes", dnnl_forward_inference, dnnl_u8, dnnl_s8, dnnl_f32, 1},
        {"BWD_W bf16 planes", dnnl_backward_weights, dnnl_bf16, dnnl_bf16, dnnl_bf16, 1},
};

/* Channels are those of all groups. */
typedef struct {
    int groups, ic, oc, ih, iw, kh, kw, stride, ph, pw;
} shape_t;

static case_t convolution(dnnl_engine_t engine, const form_t *f, const shape_t *s) {
    enum { BATCH = 2 };
    case_t c = {0};
    snprintf(c.name, sizeof(c.name), "convolution %s g%dic%doc%d ih%diw%d kh%dkw%d s%d ph%dpw%d", f->name, s->groups, s->ic,
            s->oc, s->ih, s->iw, s->kh, s->kw, s->stride, s->ph, s->pw);
    dnnl_dims_t src = {BATCH, s->ic, s->ih, s->iw};
    dnnl_dims_t dst = {BATCH, s->oc, (s->ih + 2 * s->ph - s->kh) / s->stride + 1, (s->iw + 2 * s->pw - s->kw) / s->stride + 1};
    dnnl_dims_t plain = {s->oc, s->ic, s->kh, s->kw};
    dnnl_dims_t grouped = {s->groups, s->oc / s->groups, s->ic / s->groups, s->kh, s->kw};
    int in_groups = s->groups > 1;
    dnnl_format_tag_t image = f->in_planes ? dnnl_nchw : dnnl_nhwc, filter = in_groups ? dnnl_goihw : dnnl_oihw;
    if (!f->in_planes) filter = dnnl_format_tag_any;
    dnnl_memory_desc_t mds[] = {
            desc(f->src, image, 4, src),
            desc(f->weights, filter, 4 + in_groups, in_groups ? grouped : plain),
            desc(f->dst, image, 4, dst),
    };
    dnnl_dims_t strides = {s->stride, s->stride}, none = {0, 0}, padding = {s->ph, s->pw};
    dnnl_primitive_attr_t attr = new_attr();
    switch (f->pass) {
        case dnnl_backward_data:
            OK(dnnl_convolution_backward_data_primitive_desc_create(&c.desc, engine, dnnl_convolution_direct, mds[0], mds[1],
                    mds[2], strides, none, padding, padding, NULL, attr));
            break;
        case dnnl_backward_weights:
            OK(dnnl_convolution_backward_weights_primitive_desc_create(&c.desc, engine, dnnl_convolution_direct, mds[0],
                    mds[1], NULL, mds[2], strides, none, padding, padding, NULL, attr));
            break;
        default:
            OK(dnnl_convolution_forward_primitive_desc_create(&c.desc, engine, f->pass, dnnl_convolution_direct, mds[0],
                    mds[1], NULL, mds[2], strides, none, padding, padding, attr));
    }
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

static const shape_t depthwise[] = {
        {24, 24, 24, 9, 9, 3, 3, 1, 1, 1},
        {100, 100, 100, 7, 7, 3, 3, 2, 1, 1},
        {3, 3, 3, 11, 11, 3, 3, 1, 1, 1},
        {24, 24, 24, 13, 13, 5, 5, 1, 2, 2},
        {100, 100, 100, 12, 15, 7, 7, 1, 3, 3},
        {17, 17, 17, 9, 10, 3, 3, 1, 0, 0},
};

static case_t depthwise_convolution(dnnl_engine_t engine, int number) {
    return convolution(engine, &forms[number % COUNT(forms)], &depthwise[number / COUNT(forms)]);
}

static const shape_t thin[] = {
        {1, 13, 19, 9, 1, 3, 1, 1, 1, 0},
        {1, 5, 40, 1, 17, 1, 5, 1, 0, 2},
        {24, 24, 24, 1, 11, 3, 3, 1, 1, 1},
        {100, 100, 100, 11, 1, 3, 3, 1, 1, 1},
        {24, 24, 24, 1, 30, 1, 7, 1, 0, 3},
};

static case_t thin_window(dnnl_engine_t engine, int number) {
    return convolution(engine, &forms[number % COUNT(forms)], &thin[number / COUNT(forms)]);
}

static const shape_t few[] = {
        {1, 3, 19, 15, 15, 3, 3, 2, 1, 1},
        {1, 3, 64, 17, 17, 7, 7, 2, 3, 3},
        {1, 1, 7, 9, 13, 5, 5, 1, 0, 0},
        {1, 17, 3, 9, 9, 3, 3, 1, 1, 1},
        {1, 33, 21, 5, 7, 1, 1, 1, 0, 0},
        {5, 15, 10, 9, 9, 3, 3, 1, 1, 1},
        {2, 38, 26, 7, 7, 3, 3, 2, 1, 1},
        {3, 51, 51, 5, 5, 1, 1, 1, 0, 0},
};

static case_t few_or_odd_channels(dnnl_engine_t engine, int number) {
    return convolution(engine, &forms[number % COUNT(forms)], &few[number / COUNT(forms)]);
}

/* Products of matrices. */
typedef struct {
    dnnl_data_type_t src, weights, dst;
} types_t;

static const types_t product_types[] = {
        {dnnl_f32, dnnl_f32, dnnl_f32},
        {dnnl_bf16, dnnl_bf16, dnnl_f32},
        {dnnl_u8, dnnl_s8, dnnl_s32},
        {dnnl_s8, dnnl_s8, dnnl_f32},
        {dnnl_f16, dnnl_f16, dnnl_f16},
};

static const struct {
    int m, k, n;
    dnnl_format_tag_t src, weights;
} products[] = {
        {13, 17, 19, dnnl_ab, dnnl_ab},
        {1, 1023, 33, dnnl_ab, dnnl_ab},
        {7, 63, 5, dnnl_ab, dnnl_ba},
        {33, 30, 1, dnnl_ab, dnnl_ab},
        {129, 31, 47, dnnl_ba, dnnl_ab},
        {65, 127, 65, dnnl_ab, dnnl_format_tag_any},
        {3, 5, 130, dnnl_ba, dnnl_ba},
};

static case_t product(dnnl_engine_t engine, int number) {
    const types_t *types = &product_types[number % COUNT(product_types)];
    int shape = number / COUNT(product_types), m = products[shape].m, k = products[shape].k, n = products[shape].n;
    case_t c = {0};
    snprintf(c.name, sizeof(c.name), "matmul %s:%s:%s %dx%d:%dx%d %s:%s", dnnl_dt2str(types->src),
            dnnl_dt2str(types->weights), dnnl_dt2str(types->dst), m, k, k, n, dnnl_fmt_tag2str(products[shape].src),
            dnnl_fmt_tag2str(products[shape].weights));
    dnnl_dims_t src = {m, k}, weights = {k, n}, bias = {1, n}, dst = {m, n};
    dnnl_memory_desc_t mds[] = {
            desc(types->src, products[shape].src, 2, src),
            desc(types->weights, products[shape].weights, 2, weights),
            desc(dnnl_f32, dnnl_ab, 2, bias),
            desc(types->dst, dnnl_ab, 2, dst),
    };
    dnnl_primitive_attr_t attr = new_attr();
    OK(dnnl_matmul_primitive_desc_create(&c.desc, engine, mds[0], mds[1], mds[2], mds[3], attr));
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

/* Products with weights of four bits that have a scale for each group of the sum. */
static const struct {
    int m, k, n, group;
    dnnl_data_type_t src, weights;
    dnnl_format_tag_t tag;
} quantized[] = {
        {1, 96, 34, 32, dnnl_f32, dnnl_s4, dnnl_ab},
        {1, 96, 33, 32, dnnl_f32, dnnl_u4, dnnl_ba},
        {17, 64, 22, 16, dnnl_bf16, dnnl_s4, dnnl_ab},
        {5, 32, 6, 16, dnnl_f32, dnnl_u4, dnnl_ab},
        {33, 128, 65, 64, dnnl_f16, dnnl_u4, dnnl_ba},
};

static case_t quantized_product(dnnl_engine_t engine, int number) {
    int m = quantized[number].m, k = quantized[number].k, n = quantized[number].n, group = quantized[number].group;
    case_t c = {.scaled = DNNL_ARG_WEIGHTS};
    snprintf(c.name, sizeof(c.name), "matmul %s:%s %dx%d:%dx%d groups of %d, %s", dnnl_dt2str(quantized[number].src),
            dnnl_dt2str(quantized[number].weights), m, k, k, n, group, dnnl_fmt_tag2str(quantized[number].tag));
    dnnl_dims_t src = {m, k}, weights = {k, n}, dst = {m, n}, groups = {group, 1}, scales = {k / group, n};
    dnnl_memory_desc_t mds[] = {
            desc(quantized[number].src, dnnl_ab, 2, src),
            desc(quantized[number].weights, quantized[number].tag, 2, weights),
            desc(dnnl_f32, dnnl_ab, 2, dst),
    };
    c.scales = desc(dnnl_f32, dnnl_ab, 2, scales);
    dnnl_primitive_attr_t attr = new_attr();
    OK(dnnl_primitive_attr_set_fpmath_mode_v2(attr, dnnl_fpmath_mode_any, 1));
    OK(dnnl_primitive_attr_set_scales(attr, DNNL_ARG_WEIGHTS, 3, 2, groups, dnnl_f32));
    OK(dnnl_matmul_primitive_desc_create(&c.desc, engine, mds[0], mds[1], NULL, mds[2], attr));
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

/* What memory bounds: images with channels last and in planes, of lengths that fill no vector. */
typedef enum { RELU, GELU_BACKWARD, ADD, REORDER, SOFTMAX, SOFTMAX_BACKWARD, LAYER_NORM, LAYER_NORM_BACKWARD, BATCH_NORM,
    MAXIMA, MAXIMA_BACKWARD, AVERAGES, LINEAR, LINEAR_BACKWARD, SUM_OF_ROWS, LRN, LAST_OPERATION } operation_t;

static const char *const operations[] = {"relu", "gelu backward", "add", "reorder", "softmax", "softmax backward",
        "layer normalization", "layer normalization backward", "batch normalization", "maxima", "maxima backward", "averages",
        "linear resampling", "linear resampling backward", "sum of rows", "lrn"};

static const struct {
    dnnl_data_type_t type;
    dnnl_format_tag_t tag;
    int channels, height, width;
} images[] = {
        {dnnl_f32, dnnl_nhwc, 21, 9, 7},
        {dnnl_f32, dnnl_nchw, 5, 9, 11},
        {dnnl_bf16, dnnl_nhwc, 37, 7, 9},
        {dnnl_bf16, dnnl_nchw, 3, 13, 15},
        {dnnl_f32, dnnl_nChw16c, 19, 5, 5},
};

static case_t image_operation(dnnl_engine_t engine, int number) {
    enum { BATCH = 2 };
    operation_t operation = number % LAST_OPERATION;
    int image = number / LAST_OPERATION;
    dnnl_data_type_t type = images[image].type;
    dnnl_format_tag_t tag = images[image].tag;
    int channels = images[image].channels, height = images[image].height, width = images[image].width;
    case_t c = {0};
    snprintf(c.name, sizeof(c.name), "%s %s %s %dx%dx%dx%d", operations[operation], dnnl_dt2str(type),
            dnnl_fmt_tag2str(tag), BATCH, channels, height, width);
    dnnl_dims_t src = {BATCH, channels, height, width}, line = {BATCH, channels, height, 1};
    dnnl_dims_t pooled = {BATCH, channels, (height - 3) / 2 + 1, (width - 3) / 2 + 1};
    dnnl_dims_t larger = {BATCH, channels, 2 * height + 1, 2 * width - 1};
    dnnl_dims_t kernel = {3, 3}, strides = {2, 2}, none = {0, 0};
    dnnl_memory_desc_t mds[] = {
            desc(type, tag, 4, src),
            desc(type, dnnl_nchw, 4, src),
            desc(type, tag, 4, line),
            desc(type, tag, 4, pooled),
            desc(type, tag, 4, larger),
    };
    dnnl_memory_desc_t x = mds[0], small = mds[3], large = mds[4];
    dnnl_primitive_desc_t hint = NULL;
    dnnl_primitive_attr_t attr = new_attr();
    const float epsilon = 1e-3f;
    const dnnl_prop_kind_t inference = dnnl_forward_inference, training = dnnl_forward_training, backward = dnnl_backward;
    const unsigned scaled = dnnl_use_scale | dnnl_use_shift;
    switch (operation) {
        case RELU:
            OK(dnnl_eltwise_forward_primitive_desc_create(&c.desc, engine, inference, dnnl_eltwise_relu, x, x, 0, 0, attr));
            break;
        case GELU_BACKWARD:
            OK(dnnl_eltwise_backward_primitive_desc_create(
                    &c.desc, engine, dnnl_eltwise_gelu_tanh, x, x, x, 0, 0, NULL, attr));
            break;
        case ADD: OK(dnnl_binary_primitive_desc_create(&c.desc, engine, dnnl_binary_add, x, mds[2], x, attr)); break;
        case REORDER:
            if (tag == dnnl_nchw) {
                OK(dnnl_memory_desc_destroy(mds[1]));
                mds[1] = desc(dnnl_s8, dnnl_nhwc, 4, src);
            }
            OK(dnnl_reorder_primitive_desc_create(&c.desc, x, engine, mds[1], engine, attr));
            break;
        case SOFTMAX:
            OK(dnnl_softmax_forward_primitive_desc_create(&c.desc, engine, inference, dnnl_softmax_accurate, x, x, 1, attr));
            break;
        case SOFTMAX_BACKWARD:
            OK(dnnl_softmax_backward_primitive_desc_create(
                    &c.desc, engine, dnnl_softmax_accurate, x, x, x, 3, NULL, attr));
            break;
        case LAYER_NORM:
            OK(dnnl_layer_normalization_forward_primitive_desc_create(
                    &c.desc, engine, training, x, x, NULL, epsilon, scaled, attr));
            break;
        case LAYER_NORM_BACKWARD:
            OK(dnnl_layer_normalization_backward_primitive_desc_create(
                    &c.desc, engine, backward, x, x, x, NULL, epsilon, scaled, NULL, attr));
            break;
        case BATCH_NORM:
            OK(dnnl_batch_normalization_forward_primitive_desc_create(
                    &c.desc, engine, training, x, x, epsilon, scaled, attr));
            break;
        case MAXIMA:
            OK(dnnl_pooling_forward_primitive_desc_create(&c.desc, engine, training, dnnl_pooling_max, x, small, strides,
                    kernel, none, none, none, attr));
            break;
        case MAXIMA_BACKWARD:
            OK(dnnl_pooling_forward_primitive_desc_create(&hint, engine, training, dnnl_pooling_max, x, small, strides,
                    kernel, none, none, none, NULL));
            OK(dnnl_pooling_backward_primitive_desc_create(&c.desc, engine, dnnl_pooling_max, x, small, strides, kernel, none,
                    none, none, hint, attr));
            break;
        case AVERAGES:
            OK(dnnl_pooling_forward_primitive_desc_create(&c.desc, engine, inference, dnnl_pooling_avg_exclude_padding, x, small,
                    strides, kernel, none, none, none, attr));
            break;
        case LINEAR:
            OK(dnnl_resampling_forward_primitive_desc_create(
                    &c.desc, engine, inference, dnnl_resampling_linear, NULL, x, large, attr));
            break;
        case LINEAR_BACKWARD:
            OK(dnnl_resampling_backward_primitive_desc_create(
                    &c.desc, engine, dnnl_resampling_linear, NULL, x, large, NULL, attr));
            break;
        case SUM_OF_ROWS:
            OK(dnnl_reduction_primitive_desc_create(&c.desc, engine, dnnl_reduction_sum, x, mds[2], 0, 0, attr));
            break;
        default:
            OK(dnnl_lrn_forward_primitive_desc_create(
                    &c.desc, engine, inference, dnnl_lrn_across_channels, x, x, 5, 1e-4f, 0.75f, 1, attr));
    }
    OK(dnnl_primitive_desc_destroy(hint));
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

/* Results in blocks that are padding for the most part. */
static const struct {
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t src, dst;
    dnnl_format_tag_t from, to;
} blocked[] = {
        {3, {3, 1, 1}, dnnl_f32, dnnl_f32, dnnl_acb, dnnl_ABc8a8b},
        {3, {3, 1, 1}, dnnl_bf16, dnnl_f32, dnnl_abc, dnnl_ABc16a16b},
        {4, {5, 3, 3, 3}, dnnl_f32, dnnl_bf16, dnnl_abcd, dnnl_ABcd16b16a},
        {4, {17, 5, 1, 1}, dnnl_f32, dnnl_f32, dnnl_acdb, dnnl_ABcd8b8a},
        {4, {1, 7, 5, 3}, dnnl_s8, dnnl_f32, dnnl_abcd, dnnl_aBcd16b},
        {2, {3, 5}, dnnl_f32, dnnl_s8, dnnl_ba, dnnl_AB16b64a},
};

static case_t blocked_reorder(dnnl_engine_t engine, int number) {
    dnnl_memory_desc_t mds[] = {
            desc(blocked[number].src, blocked[number].from, blocked[number].ndims, blocked[number].dims),
            desc(blocked[number].dst, blocked[number].to, blocked[number].ndims, blocked[number].dims),
    };
    case_t c = {0};
    snprintf(c.name, sizeof(c.name), "reorder %s:%s to %s:%s", dnnl_dt2str(blocked[number].src),
            dnnl_fmt_tag2str(blocked[number].from), dnnl_dt2str(blocked[number].dst), dnnl_fmt_tag2str(blocked[number].to));
    dnnl_primitive_attr_t attr = new_attr();
    OK(dnnl_reorder_primitive_desc_create(&c.desc, mds[0], engine, mds[1], engine, attr));
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

static const dnnl_data_type_t cell_types[] = {dnnl_f32, dnnl_bf16};

static case_t cell(dnnl_engine_t engine, int number) {
    enum { STEPS = 3, BATCH = 5, IN = 13, OUT = 19 };
    dnnl_data_type_t type = cell_types[number];
    case_t c = {0};
    snprintf(c.name, sizeof(c.name), "LSTM %s t%dmb%dslc%dsic%d", dnnl_dt2str(type), STEPS, BATCH, IN, OUT);
    dnnl_dims_t src = {STEPS, BATCH, IN}, state = {1, 1, BATCH, OUT}, dst = {STEPS, BATCH, OUT};
    dnnl_dims_t of_layer = {1, 1, IN, 4, OUT}, of_state = {1, 1, OUT, 4, OUT}, bias = {1, 1, 4, OUT};
    dnnl_memory_desc_t mds[] = {
            desc(type, dnnl_tnc, 3, src),
            desc(type, dnnl_ldnc, 4, state),
            desc(dnnl_f32, dnnl_ldnc, 4, state),
            desc(type, dnnl_ldigo, 5, of_layer),
            desc(type, dnnl_ldigo, 5, of_state),
            desc(dnnl_f32, dnnl_ldgo, 4, bias),
            desc(type, dnnl_tnc, 3, dst),
    };
    dnnl_primitive_attr_t attr = new_attr();
    OK(dnnl_lstm_forward_primitive_desc_create(&c.desc, engine, dnnl_forward_inference,
            dnnl_unidirectional_left2right, mds[0], mds[1], mds[2], mds[3], mds[4], NULL, NULL, mds[5], mds[6], mds[1],
            mds[2], dnnl_rnn_flags_undef, attr));
    OK(dnnl_primitive_attr_destroy(attr));
    destroy(mds, COUNT(mds));
    return c;
}

static case_t one_reorder(dnnl_engine_t engine, int number) {
    (void)number;
    case_t c = {.name = "reorder f32 1000"};
    dnnl_memory_desc_t plain = matrix(10, 100, dnnl_ab), turned = matrix(10, 100, dnnl_ba);
    OK(dnnl_reorder_primitive_desc_create(&c.desc, plain, engine, turned, engine, NULL));
    OK(dnnl_memory_desc_destroy(plain));
    OK(dnnl_memory_desc_destroy(turned));
    return c;
}

/* Whether a process ends that reads a tensor of which the last element cannot be read; if not, silence means nothing. */
static int notices;

static void the_last_element_is_missed_where_it_cannot_be_read(void) {
    progress_t told;
    notices = in_children(one_reorder, 1, ACROSS, ACROSS, &told) == 1;
    if (told.without_device) SKIP("there is no OpenCL device that computes in the memory of the process");
    CHECK(notices);
}

static void stay_inside(make_t *make, int count) {
    progress_t told;
    if (!notices) SKIP("what is read outside of tensors goes unnoticed");
    CHECK(in_children(make, count, BEFORE_A_GUARD, BEHIND_A_GUARD, &told) == 0);
    CHECK(told.failed == 0);
}

static void depthwise_convolutions_stay_inside(void) {
    stay_inside(depthwise_convolution, COUNT(depthwise) * COUNT(forms));
}

static void thin_windows_stay_inside(void) {
    stay_inside(thin_window, COUNT(thin) * COUNT(forms));
}

static void convolutions_of_few_or_odd_channels_stay_inside(void) {
    stay_inside(few_or_odd_channels, COUNT(few) * COUNT(forms));
}

static void products_stay_inside(void) {
    stay_inside(product, COUNT(products) * COUNT(product_types));
}

static void products_of_four_bits_stay_inside(void) {
    stay_inside(quantized_product, COUNT(quantized));
}

static void operations_on_images_stay_inside(void) {
    stay_inside(image_operation, COUNT(images) * LAST_OPERATION);
}

static void reorders_to_blocks_stay_inside(void) {
    stay_inside(blocked_reorder, COUNT(blocked));
}

static void cells_stay_inside(void) {
    stay_inside(cell, COUNT(cell_types));
}

int main(void) {
    const test_t tests[] = {
            TEST(the_last_element_is_missed_where_it_cannot_be_read),
            TEST(depthwise_convolutions_stay_inside),
            TEST(thin_windows_stay_inside),
            TEST(convolutions_of_few_or_odd_channels_stay_inside),
            TEST(products_stay_inside),
            TEST(products_of_four_bits_stay_inside),
            TEST(operations_on_images_stay_inside),
            TEST(reorders_to_blocks_stay_inside),
            TEST(cells_stay_inside),
    };
    return RUN(tests);
}
