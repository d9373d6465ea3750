//! The one error type of the library.
//!
//! An [`Error`] carries a [`Status`], which is what a C caller sees, and a message for people, which says what was
//! wrong and with which argument. Messages reach the user at `ONEDNN_VERBOSE=error`; nothing is ever only logged.

use std::borrow::Cow;
use std::fmt;

/// What went wrong, in the terms of the API. The discriminants are the C API's `dnnl_status_t` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Status {
    /// Not enough memory on the host or the device.
    OutOfMemory = 1,
    /// An argument is wrong.
    InvalidArguments = 2,
    /// The request is valid but not supported.
    Unimplemented = 3,
    /// The last implementation was reached while iterating.
    LastImplReached = 4,
    /// The runtime or the device failed.
    RuntimeError = 5,
    /// The queried element is not part of this object.
    NotRequired = 6,
    /// The graph is not legitimate.
    InvalidGraph = 7,
    /// The operation does not fit its schema.
    InvalidGraphOp = 8,
    /// A shape cannot be inferred or compiled.
    InvalidShape = 9,
    /// A data type cannot be inferred or compiled.
    InvalidDataType = 10,
}

/// An error with its [`Status`] and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: Cow<'static, str>,
}

/// A result whose error is the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of the given status.
    pub fn new(status: Status, message: impl Into<Cow<'static, str>>) -> Error {
        Error { status, message: message.into() }
    }

    /// An [`InvalidArguments`](Status::InvalidArguments) error.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Status::InvalidArguments, message)
    }

    /// An [`Unimplemented`](Status::Unimplemented) error.
    pub fn unimplemented(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Status::Unimplemented, message)
    }

    /// A [`RuntimeError`](Status::RuntimeError) error.
    pub fn runtime(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Status::RuntimeError, message)
    }

    /// An [`OutOfMemory`](Status::OutOfMemory) error.
    pub fn out_of_memory(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Status::OutOfMemory, message)
    }

    /// The status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Returns an [`InvalidArguments`](Status::InvalidArguments) error with the formatted message unless the condition holds.
#[macro_export]
#[doc(hidden)]
macro_rules! ensure {
    ($cond:expr, $($message:tt)+) => {
        if !$cond {
            return Err($crate::Error::invalid(format!($($message)+)));
        }
    };
}

/// Returns an [`Unimplemented`](Status::Unimplemented) error with the formatted message unless the condition holds.
#[macro_export]
#[doc(hidden)]
macro_rules! supported {
    ($cond:expr, $($message:tt)+) => {
        if !$cond {
            return Err($crate::Error::unimplemented(format!($($message)+)));
        }
    };
}
