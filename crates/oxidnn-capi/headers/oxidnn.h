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

//@ functions ops_sdpa

#ifdef __cplusplus
}
#endif

#endif
