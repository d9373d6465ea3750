//! Finds the shared library.

use std::path::PathBuf;

/// The shared library, which is built with the tests.
pub fn path() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let dirs = [tests.parent().unwrap(), tests.parent().unwrap().parent().unwrap()];
    let found = dirs.iter().map(|dir| dir.join("libdnnl.so")).find(|path| path.exists());
    found.expect("libdnnl.so is built next to the tests")
}
