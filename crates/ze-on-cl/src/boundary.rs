//! What every entry point is wrapped in: its result becomes a code, and no panic leaves it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Result;
use crate::bindings::*;

/// The result code of what an entry point does.
pub(crate) fn code_of(body: impl FnOnce() -> Result) -> ze_result_t {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ZE_RESULT_SUCCESS,
        Ok(Err(error)) => error.0,
        Err(_) => ZE_RESULT_ERROR_UNKNOWN,
    }
}

/// Has a function called when the process ends, before what was set up earlier ends.
pub(crate) fn at_exit(call: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(call: extern "C" fn()) -> std::ffi::c_int;
    }
    // SAFETY: the library is never unloaded. Without room for one more the call does not come, and nothing depends on it.
    unsafe { atexit(call) };
}

/// Entry points: C functions named as in the API, not exported, whose bodies return a [`Result`].
macro_rules! entries {
    ($($(#[$attr:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$attr])*
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> $crate::bindings::ze_result_t {
                $crate::boundary::code_of(move || -> $crate::Result { $body })
            }
        )*
    };
}
pub(crate) use entries;

/// A function of the type `Self` that answers "unsupported" whatever it is asked.
pub(crate) trait Unsupported {
    const UNSUPPORTED: Self;
}

macro_rules! unsupported {
    ($($arg:ident)*) => {
        impl<$($arg),*> Unsupported for unsafe extern "C" fn($($arg),*) -> ze_result_t {
            const UNSUPPORTED: Self = {
                #[allow(non_snake_case)]
                unsafe extern "C" fn answer<$($arg),*>($(_: $arg),*) -> ze_result_t {
                    ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                }
                answer::<$($arg),*>
            };
        }
    };
}
unsupported!();
unsupported!(A);
unsupported!(A B);
unsupported!(A B C);
unsupported!(A B C D);
unsupported!(A B C D E);
unsupported!(A B C D E F);
unsupported!(A B C D E F G);
unsupported!(A B C D E F G H);
unsupported!(A B C D E F G H I);
unsupported!(A B C D E F G H I J);
unsupported!(A B C D E F G H I J K);
unsupported!(A B C D E F G H I J K L);
