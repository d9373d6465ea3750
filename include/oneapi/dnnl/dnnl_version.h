/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_VERSION_H
#define DNNL_VERSION_H

/* The version of the API. */
#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 14
#define DNNL_VERSION_PATCH 0

#endif
