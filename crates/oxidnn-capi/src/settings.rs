//! Settings of the whole library that the graph API shares.

use std::ffi::c_int;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI32, Ordering};

use oxidnn::observe::Settings;
use oxidnn::observe::verbose::{self, Level};

use crate::boundary::{Status, status};
use crate::handle::{Enum, Out, Vocabulary};
use crate::vocabulary::FpmathMode;

/// The C value of the mode; the environment's until it is set.
static FPMATH: LazyLock<AtomicI32> = LazyLock::new(|| AtomicI32::new(Settings::get().fpmath_mode.to_c()));

/// The floating-point math mode of new attributes.
pub fn default_fpmath() -> FpmathMode {
    FpmathMode::from_c(FPMATH.load(Ordering::Relaxed)).unwrap_or(FpmathMode::Strict)
}

/// The floating-point math mode of attributes that are not told otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_get_default_fpmath_mode(mode: Out<Enum<FpmathMode>>) -> Status {
    status(|| mode.set(default_fpmath().into()))
}

/// Sets the floating-point math mode of attributes that are not told otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_default_fpmath_mode(mode: Enum<FpmathMode>) -> Status {
    status(|| {
        FPMATH.store(mode.get()?.to_c(), Ordering::Relaxed);
        Ok(())
    })
}

/// Sets what verbose lines tell: 0 nothing, 1 executions, 2 creations too. Takes precedence over `ONEDNN_VERBOSE`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_set_verbose(level: c_int) -> Status {
    status(|| verbose::set_level(level))
}

/// Whether verbose lines with execution times are on.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_verbose_profiling_enabled(enabled: Out<c_int>) -> Status {
    status(|| enabled.set(verbose::enabled(Level::ProfileExec).into()))
}
