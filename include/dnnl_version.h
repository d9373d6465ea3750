/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#include "oneapi/dnnl/dnnl_version.h"
