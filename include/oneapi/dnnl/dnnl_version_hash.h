/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_VERSION_HASH_H
#define DNNL_VERSION_HASH_H

/* What the library has in the place of the hash of its sources. */
#define DNNL_VERSION_HASH "oxidnn-0.1.0"

#endif
