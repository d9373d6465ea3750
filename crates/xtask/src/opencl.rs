//! The OpenCL runtimes that tests run on, one at a time.
//!
//! A runtime is chosen by a directory with one `.icd` file in it, which every loader takes from `OCL_ICD_VENDORS`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::Workspace;

const INSTALLED: &str = "/etc/OpenCL/vendors";

/// An OpenCL runtime, or the lack of one.
pub struct Runtime {
    name: String,
    vendors: PathBuf,
    environment: &'static [(&'static str, &'static str)],
}

impl Runtime {
    /// Intel's runtime for CPUs in the virtual environment.
    pub fn intel(workspace: &Workspace) -> Result<Runtime, String> {
        Runtime::of(workspace, "intel", &workspace.venv("lib/libintelocl.so").display().to_string())
    }

    /// A machine without any device.
    pub fn none(workspace: &Workspace) -> Result<Runtime, String> {
        Runtime::of(workspace, "none", "")
    }

    /// Every runtime that is installed, Intel's first.
    pub fn all(workspace: &Workspace) -> Result<Vec<Runtime>, String> {
        let mut runtimes = vec![Runtime::intel(workspace)?];
        let mut files: Vec<PathBuf> =
            fs::read_dir(INSTALLED).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files {
            let (Some(name), Ok(library)) =
                (file.file_stem().and_then(|name| name.to_str()), fs::read_to_string(&file))
            else {
                continue;
            };
            // Mesa's older OpenCL has no CPU device and is gone from newer versions.
            if name != "mesa" {
                runtimes.push(Runtime::of(workspace, name, library.trim())?);
            }
        }
        Ok(runtimes)
    }

    fn of(workspace: &Workspace, name: &str, library: &str) -> Result<Runtime, String> {
        let vendors = workspace.target("opencl").join(name);
        let write = || {
            fs::create_dir_all(&vendors)?;
            if library.is_empty() { Ok(()) } else { write_if_changed(&vendors.join(format!("{name}.icd")), library) }
        };
        write().map_err(|error: std::io::Error| format!("cannot write to {}: {error}", vendors.display()))?;
        let environment: &[_] = if name == "rusticl" { &[("RUSTICL_ENABLE", "llvmpipe")] } else { &[] };
        Ok(Runtime { name: name.into(), vendors, environment })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes a command, and what it starts, see this runtime only.
    pub fn choose_for(&self, command: &mut Command) {
        command.env("OCL_ICD_VENDORS", &self.vendors).envs(self.environment.iter().copied());
        command.env_remove("OPENCL_VENDOR_PATH").env_remove("OCL_ICD_FILENAMES");
    }
}

fn write_if_changed(path: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    fs::write(path, text)
}
