//! Texts of kernels in files, for those who want to see what runs: `ONEDNN_JIT_DUMP=1`, or [`set_dump`].
//!
//! Files go to the current directory. A text that was built before, by this process or an earlier one, is written too, once for
//! each engine that uses it.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Settings, verbose};

fn wanted() -> &'static AtomicBool {
    static WANTED: OnceLock<AtomicBool> = OnceLock::new();
    WANTED.get_or_init(|| AtomicBool::new(Settings::get().jit_dump))
}

/// Sets whether the text of each kernel is written to a file of the current directory from now on.
///
/// ```
/// oxidnn::observe::set_dump(false);
/// ```
pub fn set_dump(enable: bool) {
    wanted().store(enable, Ordering::Relaxed);
}

/// Writes the text of a kernel, if that is wanted, under its name and what tells it from others of that name.
pub(crate) fn kernel(name: &str, distinction: &str, text: &str) {
    if wanted().load(Ordering::Relaxed) {
        let path = format!("dnnl_dump_{name}.{distinction}.cl");
        if let Err(error) = fs::write(&path, text) {
            verbose::warn("dump", format_args!("{path} cannot be written: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::child;

    #[test]
    fn texts_are_written_where_they_are_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        let test = concat!(module_path!(), "::texts_are_written_where_they_are_asked_for");
        let body = || {
            std::env::set_current_dir(std::env::var_os("OXIDNN_TEST_DIR").unwrap()).unwrap();
            kernel("sum", "1", "asked by the environment");
            set_dump(false);
            kernel("sum", "2", "not asked any more");
            set_dump(true);
            kernel("sum", "3", "asked again");
        };
        let Some(output) = child::run(test, &[("ONEDNN_JIT_DUMP", "1"), ("OXIDNN_TEST_DIR", path)], body) else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let read = |number| fs::read_to_string(dir.path().join(format!("dnnl_dump_sum.{number}.cl"))).ok();
        assert_eq!(read(1).as_deref(), Some("asked by the environment"));
        assert_eq!(read(2), None);
        assert_eq!(read(3).as_deref(), Some("asked again"));
    }
}
