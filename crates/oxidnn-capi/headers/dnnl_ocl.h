#ifndef DNNL_OCL_H
#define DNNL_OCL_H

#include <CL/cl.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ocl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OpenCL interoperability. Objects handed in are retained and released with the oneDNN object; getters do not retain. */

//@ functions ocl

/* Names of the first version of the API. */

//@ functions ocl_v1

#ifdef __cplusplus
}
#endif

#endif
