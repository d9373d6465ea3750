//! Level Zero's result codes: their names, and what they mean for a caller of this library.

use super::bindings::*;
use crate::{Error, Result, Status};

/// Turns a result code into a result. `call` is the C name of the function that returned it.
pub(super) fn check(code: ze_result_t, call: &str) -> Result<()> {
    if code == ZE_RESULT_SUCCESS { Ok(()) } else { Err(error(code, call)) }
}

/// The error for a code other than success.
#[cold]
pub(super) fn error(code: ze_result_t, call: &str) -> Error {
    Error::new(status(code), format!("{call} failed: {} ({code:#x})", name(code)))
}

fn status(code: ze_result_t) -> Status {
    match code {
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
        | ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
        | ZE_RESULT_ERROR_UNSUPPORTED_SIZE => Status::OutOfMemory,
        ZE_RESULT_ERROR_INVALID_ARGUMENT
        | ZE_RESULT_ERROR_INVALID_NULL_HANDLE
        | ZE_RESULT_ERROR_INVALID_NULL_POINTER
        | ZE_RESULT_ERROR_INVALID_SIZE
        | ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT
        | ZE_RESULT_ERROR_INVALID_NATIVE_BINARY
        | ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE => Status::InvalidArguments,
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE | ZE_RESULT_ERROR_UNSUPPORTED_VERSION => Status::Unimplemented,
        _ => Status::RuntimeError,
    }
}

macro_rules! names {
    ($($code:ident)*) => {
        fn name(code: ze_result_t) -> &'static str {
            match code {
                $($code => stringify!($code),)*
                _ => "unknown code",
            }
        }
    };
}

names! {
    ZE_RESULT_SUCCESS
    ZE_RESULT_NOT_READY
    ZE_RESULT_ERROR_DEVICE_LOST
    ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
    ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
    ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
    ZE_RESULT_ERROR_MODULE_LINK_FAILURE
    ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET
    ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE
    ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS
    ZE_RESULT_ERROR_NOT_AVAILABLE
    ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE
    ZE_RESULT_ERROR_UNINITIALIZED
    ZE_RESULT_ERROR_UNSUPPORTED_VERSION
    ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
    ZE_RESULT_ERROR_INVALID_ARGUMENT
    ZE_RESULT_ERROR_INVALID_NULL_HANDLE
    ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE
    ZE_RESULT_ERROR_INVALID_NULL_POINTER
    ZE_RESULT_ERROR_INVALID_SIZE
    ZE_RESULT_ERROR_UNSUPPORTED_SIZE
    ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT
    ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT
    ZE_RESULT_ERROR_INVALID_ENUMERATION
    ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION
    ZE_RESULT_ERROR_INVALID_NATIVE_BINARY
    ZE_RESULT_ERROR_INVALID_GLOBAL_NAME
    ZE_RESULT_ERROR_INVALID_KERNEL_NAME
    ZE_RESULT_ERROR_INVALID_FUNCTION_NAME
    ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION
    ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION
    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX
    ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE
    ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE
    ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED
    ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE
    ZE_RESULT_ERROR_OVERLAPPING_REGIONS
    ZE_RESULT_ERROR_UNKNOWN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_call_the_code_and_its_number() {
        let error = check(ZE_RESULT_ERROR_DEVICE_LOST, "zeEventHostSynchronize").unwrap_err();
        assert_eq!(error.message(), "zeEventHostSynchronize failed: ZE_RESULT_ERROR_DEVICE_LOST (0x70000001)");
        assert_eq!(error.status(), Status::RuntimeError);
    }

    #[test]
    fn exhausted_memory_and_bad_handles_have_their_own_status() {
        assert_eq!(error(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "").status(), Status::OutOfMemory);
        assert_eq!(error(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "").status(), Status::InvalidArguments);
        assert_eq!(error(9, "").message(), " failed: unknown code (0x9)");
    }
}
