//! Runs the comparison: oneDNN with itself, to prove the oracle and the comparison, then oxidnn with oneDNN on every engine.
//!
//! `OXIDNN_DIFFERENTIAL_CASES` sets how many cases each engine gets, `OXIDNN_DIFFERENTIAL_SECONDS` how much time.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reference() -> PathBuf {
    let path = std::env::var_os("OXIDNN_REFERENCE_LIB").map(PathBuf::from).unwrap_or_default();
    assert!(
        path.exists(),
        "oneDNN is not here. Install it with `python3 -m venv .venv && .venv/bin/pip install onednn` and set \
         OXIDNN_REFERENCE_LIB=$PWD/.venv/lib/libdnnl.so.3"
    );
    path
}

fn cases(default: usize) -> String {
    std::env::var("OXIDNN_DIFFERENTIAL_CASES").unwrap_or(default.to_string())
}

fn seconds() -> String {
    std::env::var("OXIDNN_DIFFERENTIAL_SECONDS").unwrap_or("120".to_string())
}

fn differential(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oxidnn-differential"))
        .args(arguments)
        .env("OXIDNN_REFERENCE_LIB", reference())
        .output()
        .expect("the program starts")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The number in a column of the summary's last row.
fn total(output: &str, column: usize) -> usize {
    let row =
        output.lines().find(|line| line.starts_with("total ")).unwrap_or_else(|| panic!("no summary in\n{output}"));
    row.split_whitespace().nth(column).and_then(|word| word.parse().ok()).expect("a number in the summary")
}

#[test]
fn the_reference_agrees_with_the_oracle_and_a_moved_element_is_noticed() {
    let output = differential(&["--self", "--prove", "--cases", &cases(900), "--seed", "1"]);
    let printed = text(&output);
    assert!(output.status.success(), "{printed}");
    let (passed, odd) = (total(&printed, 1), total(&printed, 8));
    assert!(passed >= 400, "only {passed} cases ran\n{printed}");
    assert!(odd * 25 <= passed, "oneDNN and the oracle disagree too often\n{printed}");
}

#[test]
fn oxidnn_agrees_with_the_reference_on_every_engine() {
    reference();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Command::new(env!("CARGO")).args(["build", "-p", "oxidnn-capi"]).current_dir(&workspace).status();
    assert!(built.is_ok_and(|status| status.success()), "`cargo build -p oxidnn-capi` failed");
    let listed = differential(&["--engines"]);
    assert!(listed.status.success(), "{}", text(&listed));
    let engines = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(engines.lines().count() > 0, "oxidnn has no engine");
    let mut failed = Vec::new();
    for engine in engines.lines() {
        // An engine whose driver compiles slowly gets through fewer cases.
        let output =
            differential(&["--cases", &cases(600), "--seconds", &seconds(), "--engine", engine, "--seed", "1"]);
        println!("{}", text(&output));
        if !output.status.success() {
            failed.push(engine);
        }
    }
    assert!(failed.is_empty(), "oxidnn and oneDNN differ on {}", failed.join(", "));
}
