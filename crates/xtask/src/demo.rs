//! The demo: an example program on whatever OpenCL device there is.

use std::process::Command;

use crate::Outcome;
use crate::install::{self, INTEL, LOADER, POCL};
use crate::opencl::Runtime;
use crate::workspace::Workspace;

/// Builds the example, installs an OpenCL runtime if there is no device, and runs it.
pub fn run(workspace: &Workspace) -> Outcome {
    println!("building the demo (crates/oxidnn/examples/interop.rs)");
    let mut build = workspace.cargo(&["build", "--release", "--package", "oxidnn", "--examples"]);
    if !succeeds(&mut build)? {
        return Ok(false);
    }
    let mut demo = workspace.command(workspace.target("release/examples/interop"));
    if !has_device(workspace)? {
        println!("there is no OpenCL device here; a runtime for the CPU is as good");
        if cfg!(target_arch = "x86_64") {
            install::install(workspace, &[LOADER, INTEL])?;
            Runtime::intel(workspace)?.choose_for(&mut demo);
        } else {
            install::install(workspace, &[LOADER, POCL])?;
        }
    }
    println!();
    succeeds(&mut demo)
}

/// Whether oxidnn finds an engine besides the host.
fn has_device(workspace: &Workspace) -> Result<bool, String> {
    let devices = workspace.command(workspace.target("release/examples/devices")).output();
    let devices = devices.map_err(|error| format!("cannot run the list of devices: {error}"))?;
    Ok(String::from_utf8_lossy(&devices.stdout).lines().any(|line| line.starts_with("gpu")))
}

fn succeeds(command: &mut Command) -> Outcome {
    let status = command.status();
    status.map(|status| status.success()).map_err(|e| format!("cannot run {}: {e}", command.get_program().display()))
}
