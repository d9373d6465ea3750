/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef OXIDNN_H
#define OXIDNN_H

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What this library has besides oneDNN's API. */

/* Which keys a query of attention sees. */
typedef enum {
    /* All. */
    oxidnn_attention_mask_none = 0,
    /* What is added to the products says: OXIDNN_ARG_MASK. */
    oxidnn_attention_mask_buffer = 1,
    /* Those up to its own position, counted from the first. */
    oxidnn_attention_mask_causal_top_left = 2,
    /* Those up to its own position, counted from the last. */
    oxidnn_attention_mask_causal_bottom_right = 3,
} oxidnn_attention_mask_t;

/* Execution arguments of attention, besides DNNL_ARG_DST and DNNL_ARG_SCALE. */
#define OXIDNN_ARG_QUERIES DNNL_ARG_SRC_0
#define OXIDNN_ARG_KEYS DNNL_ARG_SRC_1
#define OXIDNN_ARG_VALUES DNNL_ARG_SRC_2
#define OXIDNN_ARG_MASK DNNL_ARG_SHIFT

/*
 * Creates a primitive descriptor of attention, softmax(query * key * scale + mask) * value. All have the dimensions of
 * batches and heads, and then: the query tokens and channels, the key channels and tokens, the value tokens and
 * channels. Keys and values may have fewer heads, by a divisor; neighbouring heads share them. They may be integers,
 * with scales and zero points of the arguments OXIDNN_ARG_KEYS and OXIDNN_ARG_VALUES. Products are multiplied by the
 * one element of scale_desc, a tensor or a host scalar, or divided if invert_scale is not zero; null is no scale.
 * mask_type is an oxidnn_attention_mask_t. A query that sees no key gives zeros if inf_as_zero is not zero, else NaN.
 */
dnnl_status_t DNNL_API oxidnn_sdpa_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc,
        int invert_scale, int mask_type, int inf_as_zero, const_dnnl_primitive_attr_t attr);

#ifdef __cplusplus
}
#endif

#endif
