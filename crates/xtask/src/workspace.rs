//! Where things are.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The checkout and its target directory.
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// The workspace this program was built in.
    pub fn find() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("two directories below the root");
        // Cargo puts programs into TARGET/PROFILE; asking the running one respects every way to move the directory.
        let program = std::env::current_exe().expect("the path of this program");
        let target = program.ancestors().nth(2).expect("two directories below the target directory");
        Workspace { root: root.into(), target: target.into() }
    }

    /// A file of the checkout.
    pub fn source(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// A file in the target directory.
    pub fn target(&self, path: &str) -> PathBuf {
        self.target.join(path)
    }

    /// A file of the virtual environment.
    pub fn venv(&self, path: &str) -> PathBuf {
        self.target.join("venv").join(path)
    }

    /// A program in the root of the checkout.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// Cargo, building into the same target directory as this program.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = self.command(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.args(args).env("CARGO_TARGET_DIR", &self.target);
        command
    }
}
