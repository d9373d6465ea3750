//! `oxibench`: measures and checks any library with oneDNN's C API, and compares two of them in one run.

use oxibench::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("oxibench: {message}");
            ExitCode::from(2)
        }
    }
}
