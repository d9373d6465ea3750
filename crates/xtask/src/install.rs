//! What the commands need besides Rust, and how each piece is installed.
//!
//! A piece is looked for first, so a machine that has everything is left alone. Debian packages are installed with
//! apt-get, Python packages into a virtual environment in the target directory.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::workspace::Workspace;

/// Something that the commands need.
pub struct Piece {
    what: &'static str,
    is_there: fn(&Workspace) -> bool,
    source: Source,
}

/// Where a piece comes from, by package names.
enum Source {
    Debian(&'static [&'static str]),
    PyPi(&'static [&'static str]),
}

/// The library that programs reach OpenCL through.
pub const LOADER: Piece = Piece {
    what: "the OpenCL loader",
    is_there: |_| has_library("libOpenCL.so.1"),
    source: Source::Debian(&["ocl-icd-libopencl1"]),
};

/// Intel's OpenCL runtime for CPUs. Its wheel does not name the compiler libraries it loads.
pub const INTEL: Piece = Piece {
    what: "Intel's OpenCL runtime for CPUs",
    is_there: |workspace| workspace.venv("lib/libintelocl.so").exists() && workspace.venv("lib/libintlc.so.5").exists(),
    source: Source::PyPi(&["intel-opencl-rt", "intel-cmplr-lib-rt"]),
};

/// The library that programs reach Level Zero through.
pub const LEVEL_ZERO: Piece = Piece {
    what: "the Level Zero loader",
    is_there: |_| has_library("libze_loader.so.1"),
    source: Source::Debian(&["libze1"]),
};

/// PoCL.
pub const POCL: Piece = Piece {
    what: "PoCL",
    is_there: |_| Path::new("/etc/OpenCL/vendors/pocl.icd").exists(),
    source: Source::Debian(&["pocl-opencl-icd"]),
};

/// Rusticl.
pub const RUSTICL: Piece = Piece {
    what: "rusticl",
    is_there: |_| Path::new("/etc/OpenCL/vendors/rusticl.icd").exists(),
    source: Source::Debian(&["mesa-opencl-icd"]),
};

/// Oclgrind as an OpenCL implementation.
pub const OCLGRIND_LIB: &str = "/usr/lib/oclgrind/liboclgrind-rt.so";

/// Everything the tests need.
const ALL: [Piece; 10] = [
    LOADER,
    INTEL,
    LEVEL_ZERO,
    POCL,
    RUSTICL,
    Piece {
        what: "Oclgrind",
        is_there: |_| has_program("oclgrind-kernel") && Path::new(OCLGRIND_LIB).exists(),
        source: Source::Debian(&["oclgrind"]),
    },
    Piece {
        what: "a C and a C++ compiler",
        is_there: |_| has_program("cc") && has_program("c++"),
        source: Source::Debian(&["gcc", "g++", "libc6-dev"]),
    },
    Piece {
        what: "OpenCL for C programs",
        is_there: |_| Path::new("/usr/include/CL/cl.h").exists() && has_library("libOpenCL.so"),
        source: Source::Debian(&["opencl-headers", "ocl-icd-opencl-dev"]),
    },
    Piece {
        what: "Level Zero for C programs",
        is_there: |_| Path::new("/usr/include/level_zero/ze_api.h").exists(),
        source: Source::Debian(&["libze-dev"]),
    },
    Piece {
        what: "oneDNN for CPUs, which the results are compared with, and its headers",
        is_there: |workspace| {
            workspace.venv("lib/libdnnl.so.3").exists() && workspace.venv("include/oneapi/dnnl/dnnl.h").exists()
        },
        source: Source::PyPi(&["onednn", "onednn-devel"]),
    },
];

/// Installs everything the tests need.
pub fn all(workspace: &Workspace) -> Result<(), String> {
    install(workspace, &ALL)
}

/// Installs those of the pieces that are not there.
pub fn install(workspace: &Workspace, pieces: &[Piece]) -> Result<(), String> {
    let missing: Vec<&Piece> = pieces.iter().filter(|piece| !(piece.is_there)(workspace)).collect();
    let (mut debian, mut pypi) = (Vec::new(), Vec::new());
    for piece in &missing {
        let (into, names) = match piece.source {
            Source::Debian(names) => (&mut debian, names),
            Source::PyPi(names) => (&mut pypi, names),
        };
        println!("missing: {} ({})", piece.what, names.join(", "));
        into.extend_from_slice(names);
    }
    if !pypi.is_empty() && !venv_works(workspace) {
        debian.extend(python_packages());
    }
    if !debian.is_empty() {
        apt_get(&debian)?;
    }
    if !pypi.is_empty() {
        pip(workspace, &pypi)?;
    }
    match missing.iter().find(|piece| !(piece.is_there)(workspace)) {
        Some(piece) => Err(format!("{} was installed and is still not found", piece.what)),
        None => Ok(()),
    }
}

fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

fn has_library(name: &str) -> bool {
    let listed = Command::new("/sbin/ldconfig").arg("-p").output();
    listed.is_ok_and(|listed| String::from_utf8_lossy(&listed.stdout).split_whitespace().any(|word| word == name))
}

fn venv_works(workspace: &Workspace) -> bool {
    workspace.venv("bin/pip").exists()
}

/// Debian's Python has the parts that make virtual environments in a package of their own.
fn python_packages() -> Vec<&'static str> {
    let complete = Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
    if complete.is_ok_and(|output| output.status.success()) { Vec::new() } else { vec!["python3", "python3-venv"] }
}

fn apt_get(packages: &[&str]) -> Result<(), String> {
    let by_hand = format!("apt-get install {}", packages.join(" "));
    if !has_program("apt-get") {
        return Err(format!("this machine has no apt-get; install what stands for `{by_hand}` and try again"));
    }
    let as_root = is_root() || has_program("sudo");
    if !as_root {
        return Err(format!("run `{by_hand}` as root and try again: there is no sudo here"));
    }
    let run = |args: &[&str]| {
        let mut command = if is_root() { Command::new("apt-get") } else { Command::new("sudo") };
        if !is_root() {
            command.arg("apt-get");
        }
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        show(command)
    };
    run(&["update", "-q"])?;
    let mut args = vec!["install", "-q", "-y", "--no-install-recommends"];
    args.extend(packages);
    run(&args).map_err(|e| format!("{e}\ninstall them by hand with `{by_hand}`"))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn pip(workspace: &Workspace, packages: &[&str]) -> Result<(), String> {
    if !venv_works(workspace) {
        let mut command = Command::new("python3");
        command.args(["-m", "venv", "--clear"]).arg(workspace.venv(""));
        show(command)?;
    }
    let mut command = Command::new(workspace.venv("bin/pip"));
    command.args(["install", "--disable-pip-version-check", "--no-warn-script-location"]).args(packages);
    show(command)
}

/// Runs a command in the open: what it prints is its progress.
fn show(mut command: Command) -> Result<(), String> {
    let words: Vec<String> = [command.get_program()]
        .into_iter()
        .chain(command.get_args())
        .map(|w: &OsStr| w.display().to_string())
        .collect();
    let text = words.join(" ");
    println!("$ {text}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{text}` failed ({status})")),
        Err(error) => Err(format!("`{text}` cannot run: {error}")),
    }
}
