/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_COMMON_H
#define DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Engines and streams. */

/* The number of engines of a kind. */
size_t DNNL_API dnnl_engine_get_count(dnnl_engine_kind_t kind);

/* Creates the engine of a kind with an index below their number. */
dnnl_status_t DNNL_API dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/* The kind of an engine. */
dnnl_status_t DNNL_API dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/* Destroys an engine. What was made with it goes on working. */
dnnl_status_t DNNL_API dnnl_engine_destroy(dnnl_engine_t engine);

/* Creates a stream. The flags are a combination of dnnl_stream_flags_t values. */
dnnl_status_t DNNL_API dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/* The engine of a stream. It stays the stream's. */
dnnl_status_t DNNL_API dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/* Waits until everything submitted to a stream has completed. */
dnnl_status_t DNNL_API dnnl_stream_wait(dnnl_stream_t stream);

/* Destroys a stream. What was submitted to it still completes. */
dnnl_status_t DNNL_API dnnl_stream_destroy(dnnl_stream_t stream);

/* The library as a whole. */

/* Tells which version of the API the library speaks and which runtimes its engines use. */
const dnnl_version_t DNNL_API *dnnl_version(void);

/* The floating-point math mode of attributes that are not told otherwise. */
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/* Sets the floating-point math mode of attributes that are not told otherwise. */
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

/* Sets what verbose lines tell: 0 nothing, 1 executions, 2 creations too. Takes precedence over ONEDNN_VERBOSE. */
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

/* Whether verbose lines with execution times are on. */
dnnl_status_t DNNL_API dnnl_verbose_profiling_enabled(int *enabled);

#ifdef __cplusplus
}
#endif

#endif
