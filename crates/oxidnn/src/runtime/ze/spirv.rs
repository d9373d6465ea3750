//! OpenCL C to SPIR-V, for drivers that take nothing else.
//!
//! Level Zero asks of drivers to take SPIR-V only; Intel's also takes text. For the others a compiler on the machine makes
//! the SPIR-V: clang, or the program that `OXIDNN_SPIRV_COMPILER` names, which is called with clang's options.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::process::{Command, Stdio};

use crate::{Error, Result};

const VARIABLE: &str = "OXIDNN_SPIRV_COMPILER";

/// SPIR-V of a text. `standard` is the compiler's option for the version of OpenCL C.
pub(super) fn compile(source: &str, standard: &str) -> Result<Vec<u8>> {
    compile_with(&std::env::var_os(VARIABLE).unwrap_or_else(|| OsString::from("clang")), source, standard)
}

fn compile_with(program: &OsStr, source: &str, standard: &str) -> Result<Vec<u8>> {
    let fail = |what: &str| {
        Error::unimplemented(format!(
            "the Level Zero driver takes no OpenCL C, and making SPIR-V of it with {} failed: {what}; {VARIABLE} names \
             another compiler",
            program.display()
        ))
    };
    let mut child = Command::new(program)
        .args(["--target=spirv64", "-x", "cl", standard, "-O2", "-c", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| fail(&e.to_string()))?;
    // The compiler reads all of its input before it writes.
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(source.as_bytes()));
    let output = child.wait_with_output().map_err(|e| fail(&e.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).trim()));
    }
    if !output.stdout.starts_with(&0x0723_0203u32.to_le_bytes()) {
        return Err(fail("what came is no SPIR-V"));
    }
    written.map_err(|e| fail(&e.to_string()))?;
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    #[test]
    fn without_a_compiler_the_error_says_what_is_missing() {
        for (program, reason) in [("/nowhere/clang", "No such file"), ("false", "failed: ;"), ("true", "no SPIR-V")] {
            let error = compile_with(program.as_ref(), "kernel void f() {}", "-cl-std=CL1.2").unwrap_err();
            assert_eq!(error.status(), Status::Unimplemented);
            assert!(error.message().contains(reason) && error.message().contains(VARIABLE), "{error}");
        }
    }
}
