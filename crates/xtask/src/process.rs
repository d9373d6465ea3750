//! Running a command whose output is kept: shown only if it fails, with a sign of life now and then.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running command is reported.
const REPORT: Duration = Duration::from_secs(20);

/// What a command left behind.
pub struct Finished {
    /// Whether it ended well.
    pub success: bool,
    /// All it printed, both streams in the order they came.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

/// Runs a command, and ends it and all it started if it takes longer than the limit.
pub fn run(command: &mut Command, limit: Duration) -> Finished {
    let start = Instant::now();
    let lines = Arc::new(Mutex::new(Vec::<String>::new()));
    let failed = |text: String| Finished { success: false, text, time: start.elapsed() };
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot run {}: {error}\n", command.get_program().display())),
    };
    let readers =
        [collect(child.stdout.take().expect("a pipe"), &lines), collect(child.stderr.take().expect("a pipe"), &lines)];
    let status = wait(&mut child, limit, start, &lines);
    if status.is_ok() {
        for reader in readers {
            let _ = reader.join();
        }
    }
    let mut text: String = lines.lock().unwrap_or_else(|e| e.into_inner()).iter().map(|l| format!("{l}\n")).collect();
    let success = match status {
        Ok(status) => {
            if !status.success() {
                text += &format!("({status})\n");
            }
            status.success()
        }
        Err(message) => {
            text += &format!("{message}\n");
            false
        }
    };
    Finished { success, text, time: start.elapsed() }
}

fn collect(stream: impl Read + Send + 'static, lines: &Arc<Mutex<Vec<String>>>) -> thread::JoinHandle<()> {
    let lines = Arc::clone(lines);
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            lines.lock().unwrap_or_else(|e| e.into_inner()).push(text);
            line.clear();
        }
    })
}

fn wait(
    child: &mut Child,
    limit: Duration,
    start: Instant,
    lines: &Mutex<Vec<String>>,
) -> Result<std::process::ExitStatus, String> {
    let mut spoken = start;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => thread::sleep(Duration::from_millis(50)),
            Err(error) => return Err(format!("cannot wait for it: {error}")),
        }
        if start.elapsed() > limit {
            kill(&descendants(child.id()));
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("ended after {} s, which is more than it may take", limit.as_secs()));
        }
        if spoken.elapsed() > REPORT {
            spoken = Instant::now();
            let lines = lines.lock().unwrap_or_else(|e| e.into_inner());
            let last = lines.iter().rev().find(|line| !line.trim().is_empty());
            let last: String = last.map_or("", |line| line.trim()).chars().take(90).collect();
            println!("    {:>4} s  {last}", start.elapsed().as_secs());
        }
    }
}

fn kill(ids: &[u32]) {
    // The shell's own kill: the program of that name is not on every machine.
    let _ = Command::new("sh").args(["-c", "kill -KILL \"$@\"", "sh"]).args(ids.iter().map(u32::to_string)).output();
}

/// The processes that a process started, and those that these started.
fn descendants(of: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        children.entry(parent.unwrap_or(0)).or_default().push(id);
    }
    let mut found = children.remove(&of).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        found.extend(children.remove(&found[next]).unwrap_or_default());
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Finished {
        run(Command::new("sh").args(["-c", script]), limit)
    }

    #[test]
    fn output_and_success_are_kept() {
        let finished = shell("echo one; echo two >&2", REPORT);
        assert!(finished.success);
        assert!(finished.text.contains("one\n") && finished.text.contains("two\n"), "{}", finished.text);
        let finished = shell("echo before; exit 3", REPORT);
        assert!(!finished.success);
        assert!(finished.text.starts_with("before\n") && finished.text.contains('3'), "{}", finished.text);
    }

    #[test]
    fn a_program_that_is_not_there_is_a_failure() {
        assert!(!run(&mut Command::new("there-is-no-such-program"), REPORT).success);
    }

    #[test]
    fn what_takes_too_long_is_ended_with_all_it_started() {
        let finished = shell("sleep 1000 & echo $!; sleep 1000", Duration::from_millis(300));
        assert!(!finished.success);
        assert!(finished.time < Duration::from_secs(20));
        let id = finished.text.lines().next().unwrap();
        let alive = || {
            let status = fs::read_to_string(format!("/proc/{id}/status"));
            status.is_ok_and(|status| !status.contains("Z (zombie)"))
        };
        // A signal takes a moment to arrive.
        let start = Instant::now();
        while alive() && start.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!alive(), "process {id} is left");
    }
}
