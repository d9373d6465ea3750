#ifndef DNNL_DEBUG_H
#define DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of values, as strings that stay the library's. */

//@ functions debug

#ifdef __cplusplus
}
#endif

#endif
