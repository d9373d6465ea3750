/* Made by `UPDATE_HEADERS=1 cargo test -p oxidnn-capi --test headers`. */

#ifndef DNNL_CONFIG_H
#define DNNL_CONFIG_H

/* How the library was built. Its engines of kind gpu are OpenCL devices of any vendor. */

#if defined _WIN32 || defined __CYGWIN__
#ifdef DNNL_DLL_EXPORTS
#define DNNL_API __declspec(dllexport)
#else
#define DNNL_API __declspec(dllimport)
#endif
#elif defined __GNUC__
#define DNNL_API __attribute__((visibility("default")))
#else
#define DNNL_API
#endif

#if defined __GNUC__
#define DNNL_DEPRECATED __attribute__((deprecated))
#elif defined _MSC_VER
#define DNNL_DEPRECATED __declspec(deprecated)
#else
#define DNNL_DEPRECATED
#endif

/* Runtimes. The first ones are of CPU engines, those from 256 on of GPU engines. */
#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u

#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u

/* A program that uses Level Zero sets DNNL_GPU_RUNTIME itself; the library has both. */
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_SEQ
#ifndef DNNL_GPU_RUNTIME
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_OCL
#endif
#define DNNL_GPU_VENDOR DNNL_VENDOR_GENERIC

#define ONEDNN_BUILD_GRAPH
#ifndef DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_PROFILING
#endif
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1

#define BUILD_TRAINING 1
#define BUILD_INFERENCE 0
#define BUILD_PRIMITIVE_ALL 1

#endif
