#ifndef DNNL_ZE_H
#define DNNL_ZE_H

#include <level_zero/ze_api.h>

#include "oneapi/dnnl/dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Level Zero interoperability. Objects handed in are only referenced: they must outlive the oneDNN object. */

//@ functions ze

#ifdef __cplusplus
}
#endif

#endif
