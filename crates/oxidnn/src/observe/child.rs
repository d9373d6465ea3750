//! Tests in a process of their own, for what is a process's state: the environment, stdout, files others write.

use std::process::{Command, Output};

const MARK: &str = "OXIDNN_TEST_CHILD";

/// Runs a test again in a process of its own with these variables: in that process, runs `body` and gives nothing;
/// in the first, gives what the other did. `test` is the test's path with the crate.
pub(crate) fn run(test: &str, variables: &[(&str, &str)], body: impl Fn()) -> Option<Output> {
    if std::env::var_os(MARK).is_some() {
        body();
        return None;
    }
    Some(command(test, variables).output().unwrap())
}

/// The command that runs a test in a process of its own.
pub(crate) fn command(test: &str, variables: &[(&str, &str)]) -> Command {
    let path = test.split_once("::").unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "--test-threads=1", path]);
    for name in ["VERBOSE", "VERBOSE_TIMESTAMP"] {
        command.env_remove(format!("ONEDNN_{name}")).env_remove(format!("DNNL_{name}"));
    }
    command.env_remove("OXIDNN_DISK_CACHE");
    command.env(MARK, "1").envs(variables.iter().copied());
    command
}

/// As [`run`], and gives the verbose lines that were printed, without what they all start with.
pub(crate) fn lines_of(test: &str, variables: &[(&str, &str)], body: impl Fn()) -> Option<Vec<String>> {
    let output = run(test, variables, body)?;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    const START: &str = "onednn_verbose,v1,";
    Some(text.lines().filter_map(|line| Some(line[line.find(START)? + START.len()..].to_owned())).collect())
}

/// Whether this is the process that [`run`] or [`command`] started.
pub(crate) fn is_child() -> bool {
    std::env::var_os(MARK).is_some()
}
