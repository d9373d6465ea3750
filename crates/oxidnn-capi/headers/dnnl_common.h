#ifndef DNNL_COMMON_H
#define DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Engines and streams. */

//@ functions engine stream

/* The library as a whole. */

//@ functions version settings

#ifdef __cplusplus
}
#endif

#endif
