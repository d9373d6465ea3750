//! `cargo xtask`: the project's own commands.
//!
//! Every command first installs what it needs and does not find. What runs, and in what order, is in [`demo`] and [`mod@test`];
//! what can be installed, and how, is in [`install`].

mod c_programs;
mod counts;
mod demo;
mod install;
mod opencl;
mod process;
mod test;
mod workspace;

use std::process::ExitCode;

use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  demo             run a matmul in an OpenCL context of the program's own
  test [--quick]   run all tests; with --quick only those of the Rust crates, on one OpenCL runtime
  setup            only install what the tests need

What is missing is installed: Debian packages with apt-get, Python packages into a virtual environment in the target
directory.";

/// What a command ends with: whether everything went well, or why it could not go on.
type Outcome = Result<bool, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let workspace = Workspace::find();
    let outcome = match words[..] {
        ["demo"] => demo::run(&workspace),
        ["test"] => test::run(&workspace, test::Extent::All),
        ["test", "--quick"] => test::run(&workspace, test::Extent::Quick),
        ["setup"] => install::all(&workspace).map(|()| true),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(true)
        }
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
