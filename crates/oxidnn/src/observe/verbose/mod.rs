//! Verbose lines, in oneDNN's format.
//!
//! `ONEDNN_VERBOSE` (or `DNNL_VERBOSE`) is a comma-separated list:
//!
//! | word | what is printed |
//! |---|---|
//! | `none`, `0` | nothing; also forgets the words before it |
//! | `error` | what failed while running (the default) |
//! | `warn` | what is not as it should be |
//! | `check` | arguments that were refused, and why |
//! | `dispatch` | valid requests that an implementation did not take, and why |
//! | `profile_create`, `profile_exec`, `profile` | creations, executions, or both, with their times |
//! | `info` | how the library set itself up, for instance where the disk cache is |
//! | `all` | all of the above but `none` |
//! | `1`, `2` | `warn,profile_exec` and `warn,profile` |
//! | `filter=<regular expression>` | profiling lines only of matching components: `primitive`, `graph`, `gemm_api`, or a kind |
//! | `debuginfo=<n>` | internals up to this level |
//!
//! `ONEDNN_VERBOSE_TIMESTAMP=1` adds the time of the call, in milliseconds since 1970, as the third column.
//!
//! Lines go to stdout, each with one write and a flush, or to the [sink](set_sink). Asking whether a level is on is one
//! relaxed load, so it is asked before anything is measured or put into words:
//!
//! ```
//! use std::time::Instant;
//! use oxidnn::observe::verbose::{self, Outcome};
//!
//! let start = Instant::now();
//! // ... create the primitive ...
//! verbose::created(Outcome::CacheMiss, || "gpu,matmul,oxidnn:ocl:contract,undef,,,,2x3:3x4".to_owned(), start);
//! ```
//!
//! The fact a newcomer gets wrong: the first line brings the header with it, which starts OpenCL drivers. The runtimes
//! themselves therefore print nothing; errors are told of where they leave the library.

mod choice;
mod header;

use std::cell::Cell;
use std::fmt::Display;
use std::io::Write;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Once, OnceLock, RwLock};
use std::time::{Duration, Instant, SystemTime};

use crate::desc::Float;
use crate::observe::Settings;
use crate::primitive::Origin;
use crate::{Error, Result, Status};

pub use choice::Level;
use choice::{Choice, Flags};
pub use header::{API_VERSION, BUILD};

/// The flags before the environment was read. No choice has this bit.
const UNREAD: Flags = 1 << 23;

static FLAGS: AtomicU32 = AtomicU32::new(UNREAD);
static COMPONENTS: AtomicU32 = AtomicU32::new(u32::MAX);

/// Which step of a primitive's life a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Descriptions, descriptors and creation.
    Create,
    /// Execution.
    Exec,
}

/// Where a created primitive came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was built from source.
    CacheMiss,
    /// The primitive cache had it.
    CacheHit,
    /// It is new, but its kernels were there.
    KernelCacheHit,
    /// Its kernels came from a cache blob or the disk cache.
    PersistentCacheHit,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::CacheMiss => "cache_miss",
            Outcome::CacheHit => "cache_hit",
            Outcome::KernelCacheHit => "kernel_cache_hit",
            Outcome::PersistentCacheHit => "persistent_cache_hit",
        }
    }
}

impl From<Origin> for Outcome {
    fn from(origin: Origin) -> Outcome {
        match origin {
            Origin::Fresh => Outcome::CacheMiss,
            Origin::Blob => Outcome::PersistentCacheHit,
            Origin::Cached => Outcome::CacheHit,
        }
    }
}

/// Whether lines of this level are printed.
#[inline]
pub fn enabled(level: Level) -> bool {
    flags() & level as Flags != 0
}

/// What `dnnl_set_verbose` does: 0 is nothing, 1 executions, 2 creations and executions. Takes precedence over the
/// environment, except for its filter.
pub fn set_level(level: i32) -> Result<()> {
    let chosen = choice::of_number(level)
        .ok_or_else(|| Error::invalid(format!("the verbose level is {level}; it must be 0, 1 or 2")))?;
    flags();
    FLAGS.store(chosen, Relaxed);
    Ok(())
}

/// Receives lines, each with its newline.
pub type Sink = Arc<dyn Fn(&str) + Send + Sync>;

static SINK: RwLock<Option<Sink>> = RwLock::new(None);

/// Sends lines somewhere else than to stdout; `None` sends them to stdout again. Returns the sink before.
pub fn set_sink(sink: Option<Sink>) -> Option<Sink> {
    std::mem::replace(&mut *SINK.write().unwrap_or_else(|e| e.into_inner()), sink)
}

/// Tells of an error where it leaves the library, at the level that suits its status.
///
/// A wrong argument is told at `check`, what is not supported at `dispatch`, the rest at `error`. That a search ended
/// or a queried element does not exist is no error and not told of.
#[track_caller]
pub fn report(phase: Phase, component: &str, error: &Error) {
    match error.status() {
        Status::LastImplReached | Status::NotRequired => {}
        Status::Unimplemented => dispatch(component, "", error),
        Status::InvalidArguments
        | Status::InvalidGraph
        | Status::InvalidGraphOp
        | Status::InvalidShape
        | Status::InvalidDataType => check(phase, component, error),
        Status::RuntimeError | Status::OutOfMemory => self::error(component, error),
    }
}

/// Tells of what failed while running.
#[track_caller]
pub fn error(component: &str, message: impl Display) {
    said(Level::Error, "common,error", component, message);
}

/// Tells of what is not as it should be.
#[track_caller]
pub fn warn(component: &str, message: impl Display) {
    said(Level::Warn, "common,warning", component, message);
}

/// Tells how the library set itself up.
pub fn info(component: &str, message: impl Display) {
    if enabled(Level::Info) {
        print(SystemTime::now(), format_args!("common,info,{component},{message}"));
    }
}

/// Tells of an argument that was refused.
#[track_caller]
pub fn check(phase: Phase, component: &str, message: impl Display) {
    match phase {
        Phase::Create => said(Level::Check, "primitive,create:check", component, message),
        Phase::Exec => said(Level::Check, "primitive,exec:check", component, message),
    }
}

/// Tells of a valid request that an implementation did not take. `problem` is its description in the columns of
/// profiling lines, or empty.
#[track_caller]
pub fn dispatch(component: &str, problem: &str, message: impl Display) {
    let separator = if problem.is_empty() { "" } else { "," };
    said(Level::Dispatch, "primitive,create:dispatch", component, format_args!("{problem}{separator}{message}"));
}

/// Tells of internals, if the level of debug information is at least `level`.
#[track_caller]
pub fn debuginfo(level: u8, component: &str, message: impl Display) {
    if choice::debuginfo(flags()) >= level {
        let place = Place(Location::caller());
        print(SystemTime::now(), format_args!("primitive,debuginfo,{component},{message},{place}"));
    }
}

/// Tells that a primitive was created in the time since `start`. `problem` gives the columns from the engine to the
/// problem; it is only asked if the line is wanted.
pub fn created(outcome: impl Into<Outcome>, problem: impl Fn() -> String, start: Instant) {
    if enabled(Level::ProfileCreate) {
        let step = format!("create:{}", outcome.into().name());
        profiled(&step, &problem(), start, start.elapsed());
    }
}

/// Tells that a primitive was executed in the time since `start`. `problem` gives the columns from the engine to the
/// problem; it is only asked if the line is wanted.
pub fn executed(problem: impl Fn() -> String, start: Instant) {
    if enabled(Level::ProfileExec) {
        profiled("exec", &problem(), start, start.elapsed());
    }
}

/// As [`executed`], with the time that the device measured.
pub fn executed_in(time: Duration, problem: &str, start: Instant) {
    if enabled(Level::ProfileExec) {
        profiled("exec", problem, start, time);
    }
}

fn profiled(step: &str, problem: &str, start: Instant, time: Duration) {
    if COMPONENTS.load(Relaxed) & choice::components_of(problem) != 0 {
        let time = Milliseconds(time);
        print(SystemTime::now() - start.elapsed(), format_args!("primitive,{step},{problem},{time}"));
    }
}

#[track_caller]
fn said(level: Level, kind: &str, component: &str, message: impl Display) {
    if enabled(level) {
        let (message, place) = (one_line(message.to_string()), Place(Location::caller()));
        print(SystemTime::now(), format_args!("{kind},{component},{message},{place}"));
    }
}

#[inline]
fn flags() -> Flags {
    let flags = FLAGS.load(Relaxed);
    if flags == UNREAD { read_environment() } else { flags }
}

fn environment() -> &'static Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    CHOICE.get_or_init(|| Choice::parse(&Settings::get().verbose))
}

#[cold]
fn read_environment() -> Flags {
    let choice = environment();
    COMPONENTS.store(choice.filter.mask(), Relaxed);
    // Another thread may have set a level meanwhile.
    match FLAGS.compare_exchange(UNREAD, choice.flags, Relaxed, Relaxed) {
        Ok(_) => choice.flags,
        Err(set) => set,
    }
}

/// Prints a line, after the header if it is the first.
#[cold]
fn print(time: SystemTime, body: impl Display) {
    print_header();
    if !Settings::get().verbose_timestamp {
        return write_line(body);
    }
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    write_line(format_args!("{:.6},{body}", since.as_micros() as f64 / 1e3));
}

fn print_header() {
    static HEADER: Once = Once::new();
    thread_local! {
        static PRINTING: Cell<bool> = const { Cell::new(false) };
    }
    // A line that comes of making the header does not wait for it.
    if HEADER.is_completed() || PRINTING.replace(true) {
        return;
    }
    HEADER.call_once_force(|_| {
        let choice = environment();
        let devices = (flags() != Level::Error as Flags).then(header::devices);
        let settings = Settings::get();
        let runtime = settings.gpu_runtime;
        for line in header::lines(runtime, devices.as_deref(), settings.verbose_timestamp, &choice.filter) {
            write_line(line);
        }
    });
    PRINTING.set(false);
}

fn write_line(body: impl Display) {
    let line = one_line(format!("onednn_verbose,v1,{body}")) + "\n";
    let sink = SINK.read().unwrap_or_else(|e| e.into_inner()).clone();
    match sink {
        Some(sink) => sink(&line),
        None => {
            // A program that has closed its stdout does not want to hear of it.
            let mut out = std::io::stdout().lock();
            let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        }
    }
}

/// Build logs and the like have many lines; a verbose line is one.
fn one_line(text: String) -> String {
    if !text.contains(['\n', '\r']) {
        return text;
    }
    let parts: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// A time as C's `%g` prints milliseconds.
struct Milliseconds(Duration);

impl Display for Milliseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Float((self.0.as_secs_f64() * 1e3) as f32).fmt(f)
    }
}

/// A place in the source, from the crate on.
struct Place(&'static Location<'static>);

impl Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = self.0.file();
        let start = file.rfind("crates/").unwrap_or(0);
        write!(f, "{}:{}", &file[start..], self.0.line())
    }
}

#[cfg(test)]
mod tests;
