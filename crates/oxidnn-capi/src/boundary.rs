//! The one way from a C entry point into the library: errors become status codes, and no panic gets out.

use std::ffi::{OsStr, c_int};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::path::Path;

use oxidnn::observe::verbose::{self, Phase};
use oxidnn::{Error, Result};

/// What an entry point returns: `dnnl_status_t`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(c_int);

impl Status {
    /// Nothing went wrong.
    pub const SUCCESS: Status = Status(0);

    /// The C value.
    pub fn to_c(self) -> c_int {
        self.0
    }
}

impl From<oxidnn::Status> for Status {
    fn from(status: oxidnn::Status) -> Status {
        Status(status as c_int)
    }
}

/// Runs the body of an entry point that returns a status.
#[track_caller]
pub fn status(body: impl FnOnce() -> Result<()>) -> Status {
    to_status(guarded(Phase::Create, body))
}

/// Runs the body of an entry point that executes a primitive.
#[track_caller]
pub fn execution_status(body: impl FnOnce() -> Result<()>) -> Status {
    to_status(guarded(Phase::Exec, body))
}

/// Runs the body of an entry point that answers a query. Programs ask for what an object may not have, so that it does not
/// is not told of.
pub fn query_status(body: impl FnOnce() -> Result<()>) -> Status {
    to_status(unwinding_stops_here(body))
}

fn to_status(result: Result<()>) -> Status {
    match result {
        Ok(()) => Status::SUCCESS,
        Err(error) => error.status().into(),
    }
}

/// Runs the body of an entry point that returns something else, and `fallback` if it fails.
#[track_caller]
pub fn value<T>(fallback: T, body: impl FnOnce() -> Result<T>) -> T {
    guarded(Phase::Create, body).unwrap_or(fallback)
}

#[track_caller]
fn guarded<T>(phase: Phase, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let result = unwinding_stops_here(body);
    if let Err(error) = &result {
        report(phase, error);
    }
    result
}

fn unwinding_stops_here<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // A panic leaves objects as any early return would: locks of the library recover from poisoning.
    catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|_| Err(Error::runtime("the library failed an internal check; please report this")))
}

/// Tells of an error at the level that suits it. The area of the API that it comes from is the file of its entry point.
#[cold]
#[track_caller]
fn report(phase: Phase, error: &Error) {
    let area = Path::new(Location::caller().file()).file_stem().and_then(OsStr::to_str).unwrap_or("api");
    verbose::report(phase, area, error);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_runtime_error() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(status(|| panic!("no")), oxidnn::Status::RuntimeError.into());
        assert_eq!(value(7, || panic!("no")), 7);
        std::panic::set_hook(hook);
    }

    #[test]
    fn errors_keep_their_status() {
        assert_eq!(status(|| Ok(())), Status::SUCCESS);
        assert_eq!(status(|| Err(Error::unimplemented("x"))).to_c(), 3);
    }
}
