//! Programs in C and C++ that use the built library: `tests/c` and `examples/c`.
//!
//! Each is compiled with this project's headers and with oneDNN's. The latter are configured for another runtime where they
//! are installed, so one of them is replaced by a copy that says OpenCL.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::Workspace;

/// Whose headers a program is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// Those in `include/`.
    Ours,
    /// Those of oneDNN, in the virtual environment.
    Reference,
}

/// A program, compiled with certain headers.
#[derive(Clone, Debug)]
pub struct Program {
    source: PathBuf,
    headers: Headers,
}

impl Program {
    /// The programs of a directory of the checkout, in order.
    pub fn all(workspace: &Workspace, dir: &str) -> Result<Vec<Program>, String> {
        let dir = workspace.source(dir);
        let entries = fs::read_dir(&dir).map_err(|error| format!("cannot read {}: {error}", dir.display()))?;
        let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        sources.retain(|path| is_cpp(path) || path.extension().is_some_and(|extension| extension == "c"));
        sources.sort();
        let mut programs = Vec::new();
        for source in sources {
            // There is no C++ API of our own.
            if !is_cpp(&source) {
                programs.push(Program { source: source.clone(), headers: Headers::Ours });
            }
            programs.push(Program { source, headers: Headers::Reference });
        }
        Ok(programs)
    }

    /// Whether it uses Level Zero, not OpenCL.
    pub fn uses_level_zero(&self) -> bool {
        self.source.file_stem().is_some_and(|name| name == "level_zero")
    }

    /// Tests and examples may have the same name, so each kind has a place of its own.
    fn binary(&self, workspace: &Workspace) -> PathBuf {
        let name = self.source.file_stem().expect("a file").display();
        let kind = self.source.ancestors().nth(2).and_then(Path::file_name).expect("a directory of programs");
        let file = format!("{}-{name}-{:?}", kind.display(), self.headers);
        workspace.target("c").join(file.to_lowercase())
    }

    /// The compiler on it. [`prepare`] comes first.
    pub fn compile(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.command(if is_cpp(&self.source) { "c++" } else { "cc" });
        command.arg(if is_cpp(&self.source) { "-std=c++17" } else { "-std=c11" });
        command.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
        match self.headers {
            Headers::Ours => command.arg("-DOXIDNN_HEADERS").arg("-I").arg(workspace.source("include")),
            Headers::Reference => {
                command.arg("-I").arg(reference_config(workspace)).arg("-isystem").arg(workspace.venv("include"));
                // What oneDNN does not have comes from here.
                command.arg("-idirafter").arg(workspace.source("include"))
            }
        };
        command.arg(&self.source).arg("-o").arg(self.binary(workspace));
        // Every symbol must be there when the program starts.
        command.arg("-L").arg(library_dir(workspace)).args(["-ldnnl", "-Wl,-z,now", "-Wl,--as-needed"]);
        command.args(["-lOpenCL", "-lze_loader", "-lm"]);
        command
    }

    /// The program.
    pub fn run(&self, workspace: &Workspace) -> Command {
        let mut command = workspace.command(self.binary(workspace));
        command.env("LD_LIBRARY_PATH", library_dir(workspace));
        command
    }
}

fn is_cpp(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cpp")
}

fn library_dir(workspace: &Workspace) -> PathBuf {
    workspace.target("c/lib")
}

fn reference_config(workspace: &Workspace) -> PathBuf {
    workspace.target("c/include")
}

/// Puts the library where programs find it under its own name, and writes the changed header.
pub fn prepare(workspace: &Workspace) -> Result<(), String> {
    let prepare = || -> io::Result<()> {
        let lib = library_dir(workspace);
        fs::create_dir_all(&lib)?;
        for name in ["libdnnl.so", "libdnnl.so.3"] {
            let link = lib.join(name);
            let _ = fs::remove_file(&link);
            symlink(workspace.target("debug/libdnnl.so"), link)?;
        }
        let config = reference_config(workspace).join("oneapi/dnnl");
        fs::create_dir_all(&config)?;
        let original = fs::read_to_string(workspace.venv("include/oneapi/dnnl/dnnl_config.h"))?;
        fs::write(config.join("dnnl_config.h"), for_opencl(&original))
    };
    prepare().map_err(|error| format!("cannot prepare the C programs: {error}"))
}

/// oneDNN's configuration as a build for OpenCL has it.
fn for_opencl(config: &str) -> String {
    let line = |line: &str| match line.split_whitespace().nth(1) {
        Some(name @ ("DNNL_CPU_THREADING_RUNTIME" | "DNNL_CPU_RUNTIME")) if line.starts_with("#define") => {
            format!("#define {name} DNNL_RUNTIME_SEQ\n")
        }
        Some("DNNL_GPU_RUNTIME") if line.starts_with("#define") => "#define DNNL_GPU_RUNTIME DNNL_RUNTIME_OCL\n".into(),
        Some("DNNL_WITH_SYCL") if line.starts_with("#define") => String::new(),
        _ => format!("{line}\n"),
    };
    config.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_runtimes_of_the_configuration_change() {
        let config = "\
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_TBB
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_SYCL
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_SYCL
#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_SYCL
#define DNNL_WITH_SYCL
";
        let expected = "\
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_SEQ
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_OCL
#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_SYCL
";
        assert_eq!(for_opencl(config), expected);
    }
}
