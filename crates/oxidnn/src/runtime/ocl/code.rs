//! OpenCL's error codes: their names, and what they mean for a caller of this library.

use opencl_sys::*;

use crate::{Error, Result, Status};

/// Turns a return code into a result. `call` is the C name of the function that returned it.
pub(super) fn check(code: cl_int, call: &str) -> Result<()> {
    if code == CL_SUCCESS { Ok(()) } else { Err(error(code, call)) }
}

/// The error for a code other than success.
#[cold]
pub(super) fn error(code: cl_int, call: &str) -> Error {
    Error::new(status(code), format!("{call} failed: {} ({code})", name(code)))
}

fn status(code: cl_int) -> Status {
    match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY | CL_INVALID_BUFFER_SIZE => {
            Status::OutOfMemory
        }
        CL_INVALID_VALUE
        | CL_INVALID_DEVICE_TYPE
        | CL_INVALID_PLATFORM
        | CL_INVALID_DEVICE
        | CL_INVALID_CONTEXT
        | CL_INVALID_QUEUE_PROPERTIES
        | CL_INVALID_COMMAND_QUEUE
        | CL_INVALID_HOST_PTR
        | CL_INVALID_MEM_OBJECT
        | CL_INVALID_BINARY
        | CL_INVALID_EVENT_WAIT_LIST
        | CL_INVALID_EVENT
        | CL_MEM_COPY_OVERLAP
        | CL_MISALIGNED_SUB_BUFFER_OFFSET => Status::InvalidArguments,
        CL_COMPILER_NOT_AVAILABLE | CL_LINKER_NOT_AVAILABLE => Status::Unimplemented,
        _ => Status::RuntimeError,
    }
}

macro_rules! names {
    ($($code:ident)*) => {
        fn name(code: cl_int) -> &'static str {
            match code {
                $($code => stringify!($code),)*
                _ => "unknown code",
            }
        }
    };
}

names! {
    CL_SUCCESS
    CL_DEVICE_NOT_FOUND
    CL_DEVICE_NOT_AVAILABLE
    CL_COMPILER_NOT_AVAILABLE
    CL_MEM_OBJECT_ALLOCATION_FAILURE
    CL_OUT_OF_RESOURCES
    CL_OUT_OF_HOST_MEMORY
    CL_PROFILING_INFO_NOT_AVAILABLE
    CL_MEM_COPY_OVERLAP
    CL_IMAGE_FORMAT_MISMATCH
    CL_IMAGE_FORMAT_NOT_SUPPORTED
    CL_BUILD_PROGRAM_FAILURE
    CL_MAP_FAILURE
    CL_MISALIGNED_SUB_BUFFER_OFFSET
    CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    CL_COMPILE_PROGRAM_FAILURE
    CL_LINKER_NOT_AVAILABLE
    CL_LINK_PROGRAM_FAILURE
    CL_DEVICE_PARTITION_FAILED
    CL_KERNEL_ARG_INFO_NOT_AVAILABLE
    CL_INVALID_VALUE
    CL_INVALID_DEVICE_TYPE
    CL_INVALID_PLATFORM
    CL_INVALID_DEVICE
    CL_INVALID_CONTEXT
    CL_INVALID_QUEUE_PROPERTIES
    CL_INVALID_COMMAND_QUEUE
    CL_INVALID_HOST_PTR
    CL_INVALID_MEM_OBJECT
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    CL_INVALID_IMAGE_SIZE
    CL_INVALID_SAMPLER
    CL_INVALID_BINARY
    CL_INVALID_BUILD_OPTIONS
    CL_INVALID_PROGRAM
    CL_INVALID_PROGRAM_EXECUTABLE
    CL_INVALID_KERNEL_NAME
    CL_INVALID_KERNEL_DEFINITION
    CL_INVALID_KERNEL
    CL_INVALID_ARG_INDEX
    CL_INVALID_ARG_VALUE
    CL_INVALID_ARG_SIZE
    CL_INVALID_KERNEL_ARGS
    CL_INVALID_WORK_DIMENSION
    CL_INVALID_WORK_GROUP_SIZE
    CL_INVALID_WORK_ITEM_SIZE
    CL_INVALID_GLOBAL_OFFSET
    CL_INVALID_EVENT_WAIT_LIST
    CL_INVALID_EVENT
    CL_INVALID_OPERATION
    CL_INVALID_GL_OBJECT
    CL_INVALID_BUFFER_SIZE
    CL_INVALID_MIP_LEVEL
    CL_INVALID_GLOBAL_WORK_SIZE
    CL_INVALID_PROPERTY
    CL_INVALID_IMAGE_DESCRIPTOR
    CL_INVALID_COMPILER_OPTIONS
    CL_INVALID_LINKER_OPTIONS
    CL_INVALID_DEVICE_PARTITION_COUNT
    CL_INVALID_PIPE_SIZE
    CL_INVALID_DEVICE_QUEUE
    CL_INVALID_SPEC_ID
    CL_MAX_SIZE_RESTRICTION_EXCEEDED
    CL_PLATFORM_NOT_FOUND_KHR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_call_the_code_and_its_number() {
        let error = check(CL_INVALID_WORK_GROUP_SIZE, "clEnqueueNDRangeKernel").unwrap_err();
        assert_eq!(error.message(), "clEnqueueNDRangeKernel failed: CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert_eq!(error.status(), Status::RuntimeError);
    }

    #[test]
    fn exhausted_memory_and_bad_handles_have_their_own_status() {
        assert_eq!(error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "").status(), Status::OutOfMemory);
        assert_eq!(error(CL_OUT_OF_RESOURCES, "").status(), Status::OutOfMemory);
        assert_eq!(error(CL_INVALID_CONTEXT, "").status(), Status::InvalidArguments);
        assert_eq!(error(-9999, "").message(), " failed: unknown code (-9999)");
    }
}
