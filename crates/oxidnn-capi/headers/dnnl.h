#ifndef DNNL_H
#define DNNL_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Primitive descriptors. */

//@ functions primitive_desc

/* Primitives. */

//@ functions primitive

/* Attributes. */

//@ functions attr

/* Post-ops. */

//@ functions post_ops

/* Memory descriptors. */

//@ functions memory_desc

/* Memory. */

//@ functions memory

/* Operations: descriptors of the primitives that compute them. */

//@ functions ops ops_contractions ops_norms ops_pool ops_rnn gemm

/* The library as a whole. */

//@ functions service

#ifdef __cplusplus
}
#endif

#endif
