//! The functions of the OpenCL loader, found at run time.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use libloading::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;

use crate::runtime::loader::{Callable, functions};
use crate::{Error, Result};

functions! {
    loader {
        /// Unless a loader was named, what the program's own calls reach comes first: a loader that it brought along, or a
        /// tool that was preloaded.
        variable: "OXIDNN_OPENCL_LIB",
        file: "libOpenCL.so.1",
    }
    required {
        clBuildProgram: clBuildProgram_fn,
        clCreateBuffer: clCreateBuffer_fn,
        clCreateCommandQueue: clCreateCommandQueue_fn,
        clCreateContext: clCreateContext_fn,
        clCreateKernel: clCreateKernel_fn,
        clCreateKernelsInProgram: clCreateKernelsInProgram_fn,
        clCreateProgramWithBinary: clCreateProgramWithBinary_fn,
        clCreateProgramWithSource: clCreateProgramWithSource_fn,
        clEnqueueCopyBuffer: clEnqueueCopyBuffer_fn,
        clEnqueueFillBuffer: clEnqueueFillBuffer_fn,
        clEnqueueMapBuffer: clEnqueueMapBuffer_fn,
        clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_fn,
        clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_fn,
        clEnqueueReadBuffer: clEnqueueReadBuffer_fn,
        clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_fn,
        clEnqueueWriteBuffer: clEnqueueWriteBuffer_fn,
        clFinish: clFinish_fn,
        clFlush: clFlush_fn,
        clGetCommandQueueInfo: clGetCommandQueueInfo_fn,
        clGetContextInfo: clGetContextInfo_fn,
        clGetDeviceIDs: clGetDeviceIDs_fn,
        clGetDeviceInfo: clGetDeviceInfo_fn,
        clGetEventInfo: clGetEventInfo_fn,
        clGetEventProfilingInfo: clGetEventProfilingInfo_fn,
        clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_fn,
        clGetKernelInfo: clGetKernelInfo_fn,
        clGetMemObjectInfo: clGetMemObjectInfo_fn,
        clGetPlatformIDs: clGetPlatformIDs_fn,
        clGetPlatformInfo: clGetPlatformInfo_fn,
        clGetProgramBuildInfo: clGetProgramBuildInfo_fn,
        clGetProgramInfo: clGetProgramInfo_fn,
        clReleaseCommandQueue: clReleaseCommandQueue_fn,
        clReleaseContext: clReleaseContext_fn,
        clReleaseDevice: clReleaseDevice_fn,
        clReleaseEvent: clReleaseEvent_fn,
        clReleaseKernel: clReleaseKernel_fn,
        clReleaseMemObject: clReleaseMemObject_fn,
        clReleaseProgram: clReleaseProgram_fn,
        clRetainCommandQueue: clRetainCommandQueue_fn,
        clRetainContext: clRetainContext_fn,
        clRetainDevice: clRetainDevice_fn,
        clRetainEvent: clRetainEvent_fn,
        clRetainKernel: clRetainKernel_fn,
        clRetainMemObject: clRetainMemObject_fn,
        clRetainProgram: clRetainProgram_fn,
        clSetKernelArg: clSetKernelArg_fn,
        clWaitForEvents: clWaitForEvents_fn,
    }
    optional {
        clEnqueueSVMMap: clEnqueueSVMMap_fn,
        clEnqueueSVMMemFill: clEnqueueSVMMemFill_fn,
        clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_fn,
        clEnqueueSVMUnmap: clEnqueueSVMUnmap_fn,
        clSVMAlloc: clSVMAlloc_fn,
        clSVMFree: clSVMFree_fn,
        clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_fn,
    }
}

/// The functions of core shared virtual memory (OpenCL 2.0).
#[allow(non_snake_case)]
#[derive(Clone, Copy)]
pub(super) struct Svm {
    pub clEnqueueSVMMap: <clEnqueueSVMMap_fn as Callable>::Function,
    pub clEnqueueSVMMemFill: <clEnqueueSVMMemFill_fn as Callable>::Function,
    pub clEnqueueSVMMemcpy: <clEnqueueSVMMemcpy_fn as Callable>::Function,
    pub clEnqueueSVMUnmap: <clEnqueueSVMUnmap_fn as Callable>::Function,
    pub clSVMAlloc: <clSVMAlloc_fn as Callable>::Function,
    pub clSVMFree: <clSVMFree_fn as Callable>::Function,
    pub clSetKernelArgSVMPointer: <clSetKernelArgSVMPointer_fn as Callable>::Function,
}

/// The functions of `cl_intel_unified_shared_memory`, as one platform has them.
#[allow(non_snake_case)]
#[derive(Clone, Copy)]
pub(super) struct Usm {
    pub clDeviceMemAllocINTEL: <clDeviceMemAllocINTEL_fn as Callable>::Function,
    pub clEnqueueMemFillINTEL: <clEnqueueMemFillINTEL_fn as Callable>::Function,
    pub clEnqueueMemcpyINTEL: <clEnqueueMemcpyINTEL_fn as Callable>::Function,
    pub clGetMemAllocInfoINTEL: <clGetMemAllocInfoINTEL_fn as Callable>::Function,
    pub clHostMemAllocINTEL: <clHostMemAllocINTEL_fn as Callable>::Function,
    pub clMemBlockingFreeINTEL: <clMemBlockingFreeINTEL_fn as Callable>::Function,
    pub clSetKernelArgMemPointerINTEL: <clSetKernelArgMemPointerINTEL_fn as Callable>::Function,
    pub clSharedMemAllocINTEL: <clSharedMemAllocINTEL_fn as Callable>::Function,
}

impl Api {
    /// The loader's functions, opening it on the first call.
    pub(super) fn get() -> Result<&'static Api> {
        static API: OnceLock<Result<Api, Error>> = OnceLock::new();
        API.get_or_init(Api::open).as_ref().map_err(Error::clone)
    }

    fn open() -> Result<Api> {
        let name = loader_name();
        let fail = |e| Error::runtime(format!("no OpenCL loader ({}): {e}", name.display()));
        let library = open_loader(&name).map_err(fail)?;
        let api = Api::find(&library).map_err(fail)?;
        // Drivers start threads and register exit handlers: unloading one is never safe.
        std::mem::forget(library);
        Ok(api)
    }

    /// The functions of core shared virtual memory, if the loader has them.
    pub(super) fn svm(&self) -> Option<Svm> {
        Some(Svm {
            clEnqueueSVMMap: self.clEnqueueSVMMap?,
            clEnqueueSVMMemFill: self.clEnqueueSVMMemFill?,
            clEnqueueSVMMemcpy: self.clEnqueueSVMMemcpy?,
            clEnqueueSVMUnmap: self.clEnqueueSVMUnmap?,
            clSVMAlloc: self.clSVMAlloc?,
            clSVMFree: self.clSVMFree?,
            clSetKernelArgSVMPointer: self.clSetKernelArgSVMPointer?,
        })
    }

    /// The functions of `cl_intel_unified_shared_memory`, if the platform has all of them.
    pub(super) fn usm(&self, platform: cl_platform_id) -> Option<Usm> {
        let find = |name: &CStr| {
            // SAFETY: the platform comes from the loader and the name is terminated.
            let address = unsafe { (self.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        macro_rules! usm {
            ($($name:ident: $type:ty,)*) => {
                Some(Usm {
                    $($name: {
                        let address = find(const {
                            match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                                Ok(name) => name,
                                Err(_) => panic!("the name holds a NUL"),
                            }
                        })?;
                        // SAFETY: the extension declares the function of this name with this type.
                        unsafe { std::mem::transmute::<*mut c_void, <$type as Callable>::Function>(address) }
                    },)*
                })
            };
        }
        usm! {
            clDeviceMemAllocINTEL: clDeviceMemAllocINTEL_fn,
            clEnqueueMemFillINTEL: clEnqueueMemFillINTEL_fn,
            clEnqueueMemcpyINTEL: clEnqueueMemcpyINTEL_fn,
            clGetMemAllocInfoINTEL: clGetMemAllocInfoINTEL_fn,
            clHostMemAllocINTEL: clHostMemAllocINTEL_fn,
            clMemBlockingFreeINTEL: clMemBlockingFreeINTEL_fn,
            clSetKernelArgMemPointerINTEL: clSetKernelArgMemPointerINTEL_fn,
            clSharedMemAllocINTEL: clSharedMemAllocINTEL_fn,
        }
    }
}
