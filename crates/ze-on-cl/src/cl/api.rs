//! The functions of the OpenCL loader, found at run time.

use std::ffi::{CStr, OsString, c_char, c_void};
use std::sync::OnceLock;

use libloading::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;

/// The function behind the `Option<fn>` types of the bindings.
pub(super) trait Callable {
    type Function;
}

impl<F> Callable for Option<F> {
    type Function = F;
}

macro_rules! functions {
    (required { $($name:ident: $type:ty,)* } optional { $($opt_name:ident: $opt_type:ty,)* }) => {
        /// Every function of the loader that is used here, under its C name.
        #[allow(non_snake_case)]
        pub(super) struct Api {
            $(pub $name: <$type as Callable>::Function,)*
            $(pub $opt_name: $opt_type,)*
        }

        impl Api {
            fn find(library: &Library) -> Result<Api, libloading::Error> {
                // SAFETY: each symbol is looked up under the name whose C declaration the type was made from.
                unsafe {
                    Ok(Api {
                        $($name: *library.get(stringify!($name))?,)*
                        $($opt_name: library.get(stringify!($opt_name)).ok().map(|symbol| *symbol),)*
                    })
                }
            }
        }
    };
}

functions! {
    required {
        clBuildProgram: clBuildProgram_fn,
        clCompileProgram: clCompileProgram_fn,
        clCreateCommandQueue: clCreateCommandQueue_fn,
        clCreateContext: clCreateContext_fn,
        clCreateKernel: clCreateKernel_fn,
        clCreateProgramWithBinary: clCreateProgramWithBinary_fn,
        clCreateProgramWithSource: clCreateProgramWithSource_fn,
        clEnqueueBarrierWithWaitList: clEnqueueBarrierWithWaitList_fn,
        clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_fn,
        clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_fn,
        clFinish: clFinish_fn,
        clFlush: clFlush_fn,
        clGetDeviceIDs: clGetDeviceIDs_fn,
        clGetDeviceInfo: clGetDeviceInfo_fn,
        clGetEventInfo: clGetEventInfo_fn,
        clGetEventProfilingInfo: clGetEventProfilingInfo_fn,
        clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_fn,
        clGetKernelArgInfo: clGetKernelArgInfo_fn,
        clGetKernelInfo: clGetKernelInfo_fn,
        clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_fn,
        clGetPlatformIDs: clGetPlatformIDs_fn,
        clGetPlatformInfo: clGetPlatformInfo_fn,
        clGetProgramBuildInfo: clGetProgramBuildInfo_fn,
        clGetProgramInfo: clGetProgramInfo_fn,
        clLinkProgram: clLinkProgram_fn,
        clReleaseCommandQueue: clReleaseCommandQueue_fn,
        clReleaseEvent: clReleaseEvent_fn,
        clReleaseKernel: clReleaseKernel_fn,
        clReleaseProgram: clReleaseProgram_fn,
        clRetainEvent: clRetainEvent_fn,
        clSetEventCallback: clSetEventCallback_fn,
        clSetKernelArg: clSetKernelArg_fn,
        clWaitForEvents: clWaitForEvents_fn,
    }
    optional {
        clCreateProgramWithIL: clCreateProgramWithIL_fn,
        clEnqueueSVMMemFill: clEnqueueSVMMemFill_fn,
        clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_fn,
        clGetDeviceAndHostTimer: clGetDeviceAndHostTimer_fn,
        clGetKernelSubGroupInfo: clGetKernelSubGroupInfo_fn,
        clSVMAlloc: clSVMAlloc_fn,
        clSVMFree: clSVMFree_fn,
        clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_fn,
        clSetKernelExecInfo: clSetKernelExecInfo_fn,
        clSetProgramSpecializationConstant: clSetProgramSpecializationConstant_fn,
    }
}

/// The functions of core shared virtual memory (OpenCL 2.0).
#[allow(non_snake_case)]
#[derive(Clone, Copy)]
pub(super) struct Svm {
    pub clEnqueueSVMMemFill: <clEnqueueSVMMemFill_fn as Callable>::Function,
    pub clEnqueueSVMMemcpy: <clEnqueueSVMMemcpy_fn as Callable>::Function,
    pub clSVMAlloc: <clSVMAlloc_fn as Callable>::Function,
    pub clSVMFree: <clSVMFree_fn as Callable>::Function,
    pub clSetKernelArgSVMPointer: <clSetKernelArgSVMPointer_fn as Callable>::Function,
}

#[allow(non_camel_case_types)]
type clGetDeviceGlobalVariablePointerINTEL_fn = Option<
    unsafe extern "C" fn(
        device: cl_device_id,
        program: cl_program,
        name: *const c_char,
        size: *mut usize,
        pointer: *mut *mut c_void,
    ) -> cl_int,
>;

#[allow(non_camel_case_types)]
type clGetDeviceFunctionPointerINTEL_fn = Option<
    unsafe extern "C" fn(
        device: cl_device_id,
        program: cl_program,
        name: *const c_char,
        pointer: *mut cl_ulong,
    ) -> cl_int,
>;

macro_rules! extensions {
    ($($(#[$attr:meta])* $group:ident { $($name:ident: $type:ty,)* })*) => {
        $(
            $(#[$attr])*
            #[allow(non_snake_case)]
            #[derive(Clone, Copy)]
            pub(super) struct $group {
                $(pub $name: <$type as Callable>::Function,)*
            }

            impl $group {
                /// The functions, if the platform has all of them.
                pub(super) fn find(platform: cl_platform_id) -> Option<$group> {
                    Some($group {
                        $($name: {
                            let address = extension(platform, const {
                                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                                    Ok(name) => name,
                                    Err(_) => panic!("the name holds a NUL"),
                                }
                            })?;
                            // SAFETY: the extension declares the function of this name with this type.
                            unsafe { std::mem::transmute::<*mut c_void, <$type as Callable>::Function>(address) }
                        },)*
                    })
                }
            }
        )*
    };
}

extensions! {
    /// The functions of `cl_intel_unified_shared_memory`.
    Usm {
        clDeviceMemAllocINTEL: clDeviceMemAllocINTEL_fn,
        clEnqueueMemFillINTEL: clEnqueueMemFillINTEL_fn,
        clEnqueueMemcpyINTEL: clEnqueueMemcpyINTEL_fn,
        clHostMemAllocINTEL: clHostMemAllocINTEL_fn,
        clMemFreeINTEL: clMemFreeINTEL_fn,
        clSetKernelArgMemPointerINTEL: clSetKernelArgMemPointerINTEL_fn,
        clSharedMemAllocINTEL: clSharedMemAllocINTEL_fn,
    }
    /// Addresses of variables in programs.
    Globals { clGetDeviceGlobalVariablePointerINTEL: clGetDeviceGlobalVariablePointerINTEL_fn, }
    /// Addresses of functions in programs.
    Functions { clGetDeviceFunctionPointerINTEL: clGetDeviceFunctionPointerINTEL_fn, }
}

fn extension(platform: cl_platform_id, name: &CStr) -> Option<*mut c_void> {
    let api = Api::get()?;
    // SAFETY: the platform comes from the loader and the name is terminated.
    let address = unsafe { (api.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

impl Api {
    /// The loader's functions, opening it on the first call; `ZE_ON_CL_OPENCL_LIB` names another file.
    pub(super) fn get() -> Option<&'static Api> {
        static API: OnceLock<Option<Api>> = OnceLock::new();
        API.get_or_init(Api::open).as_ref()
    }

    fn open() -> Option<Api> {
        let name = std::env::var_os("ZE_ON_CL_OPENCL_LIB").unwrap_or(OsString::from("libOpenCL.so.1"));
        // SAFETY: an OpenCL loader has no other duty at load time than to set itself up.
        let library = unsafe { Library::new(name) }.ok()?;
        let api = Api::find(&library).ok()?;
        // Drivers start threads and register exit handlers: unloading one is never safe.
        std::mem::forget(library);
        Some(api)
    }

    /// The functions of core shared virtual memory, if the loader has them.
    pub(super) fn svm(&self) -> Option<Svm> {
        Some(Svm {
            clEnqueueSVMMemFill: self.clEnqueueSVMMemFill?,
            clEnqueueSVMMemcpy: self.clEnqueueSVMMemcpy?,
            clSVMAlloc: self.clSVMAlloc?,
            clSVMFree: self.clSVMFree?,
            clSetKernelArgSVMPointer: self.clSetKernelArgSVMPointer?,
        })
    }
}
