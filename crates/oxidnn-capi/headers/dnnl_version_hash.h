#ifndef DNNL_VERSION_HASH_H
#define DNNL_VERSION_HASH_H

/* What the library has in the place of the hash of its sources. */
//@ hash

#endif
