/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_OCL_TYPES_H
#define DNNL_OCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a memory's buffers are. */
typedef enum {
    /* Pointers that host and device share. */
    dnnl_ocl_interop_usm = 0,
    /* cl_mem objects. */
    dnnl_ocl_interop_buffer = 1,
} dnnl_ocl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif
