//! All the tests, step by step, and a table of what came out.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::c_programs::{self, Program};
use crate::counts::Counts;
use crate::install::{self, INTEL, LEVEL_ZERO, LOADER, OCLGRIND_LIB};
use crate::opencl::Runtime;
use crate::process::{self, Finished};
use crate::workspace::Workspace;

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    All,
    /// The Rust crates on one runtime: for while one works.
    Quick,
}

/// No command takes this long; one that does hangs.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// How long the library is compared with oneDNN on each engine, in seconds.
const DIFFERENTIAL: u32 = 30;

/// How long it is compared in a simulator, in seconds.
const OCLGRIND: u32 = 30;

/// oneDNN for CPUs in the virtual environment.
const REFERENCE: &str = "lib/libdnnl.so.3";

/// How the counts of a step are told from what its commands printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counting {
    /// It is no test but a check; nothing is counted unless it fails.
    Check,
    /// Rust's test runner.
    RustTests,
    /// Programs that close with `N passed, N failed, N skipped`.
    ClosingLine,
    /// Each program is a test.
    Program,
}

/// A step that has run.
struct Row {
    step: String,
    counts: Option<Counts>,
    success: bool,
    time: Duration,
}

/// A step that is to run. `judge` may see a command's end otherwise than its exit status does.
struct Step<Judge = fn(&mut Finished)> {
    name: String,
    commands: Vec<Command>,
    counting: Counting,
    judge: Judge,
}

impl<Judge: Fn(&mut Finished)> Step<Judge> {
    fn run(self) -> Row {
        let Step { name, commands, counting, judge } = self;
        println!("{name} …");
        let mut row = Row { step: name.clone(), counts: None, success: true, time: Duration::ZERO };
        for mut command in commands {
            let mut finished = process::run(&mut command, LIMIT);
            judge(&mut finished);
            if let Some(counts) = count(&mut finished, counting) {
                *row.counts.get_or_insert_default() += counts;
            }
            if !finished.success {
                println!("{}\n{name} FAILED: {}", finished.text.trim_end(), command.get_program().display());
            }
            row.success &= finished.success;
            row.time += finished.time;
        }
        row
    }
}

/// Whether devices on this machine's processor have vectors of 64 bytes.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Whether this machine's processor multiplies tiles by itself. Then all tests do, and the description of tiles, which it takes without asking
/// anyone, does not reach the instructions in software.
fn has_amx() -> bool {
    fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.split_whitespace().any(|flag| flag == "amx_tile"))
}

struct Run<'a> {
    workspace: &'a Workspace,
    rows: Vec<Row>,
}

/// Installs what is missing, runs everything and prints the summary. True if nothing failed.
pub fn run(workspace: &Workspace, extent: Extent) -> crate::Outcome {
    let start = Instant::now();
    match extent {
        Extent::All => install::all(workspace)?,
        Extent::Quick => install::install(workspace, &[LOADER, INTEL, LEVEL_ZERO])?,
    }
    let mut run = Run { workspace, rows: Vec::new() };
    run.rows.push(Row { step: "setup".into(), counts: None, success: true, time: start.elapsed() });
    run.checks();
    if run.build() {
        match extent {
            Extent::All => run.everything()?,
            Extent::Quick => {
                let step = run.rust_tests(&Runtime::intel(workspace)?);
                run.rows.push(step.run());
            }
        }
    }
    Ok(run.summary(start))
}

impl Run<'_> {
    /// Two lanes, since most steps keep one core busy: PoCL builds one kernel at a time, whatever the number of threads, and generated
    /// cases come one by one.
    fn everything(&mut self) -> Result<(), String> {
        let (runtimes, none) = (Runtime::all(self.workspace)?, Runtime::none(self.workspace)?);
        let (slow, others): (Vec<&Runtime>, _) = runtimes.iter().chain([&none]).partition(|r| r.name() == "pocl");
        let mut lane: Vec<Step> = slow.into_iter().map(|runtime| self.rust_tests(runtime)).collect();
        lane.push(self.differential(&none, "cpu"));
        lane.extend(runtimes.iter().map(|runtime| self.differential(runtime, "gpu")));
        thread::scope(|scope| {
            let meanwhile = scope.spawn(|| lane.into_iter().map(Step::run).collect::<Vec<Row>>());
            let outcome = self.other_steps(&runtimes, &none, &others);
            self.rows.extend(meanwhile.join().expect("a step does not panic"));
            outcome
        })
    }

    fn other_steps(&mut self, runtimes: &[Runtime], none: &Runtime, tested: &[&Runtime]) -> Result<(), String> {
        for runtime in tested {
            let step = self.rust_tests(runtime);
            self.rows.push(step.run());
        }
        self.other_forms(runtimes);
        self.doc_tests(&runtimes[0]);
        if self.build_c_programs()? {
            for runtime in runtimes.iter().chain([none]) {
                self.c_programs(runtime)?;
            }
        }
        for runtime in runtimes {
            self.examples(runtime)?;
        }
        self.differential_of_itself();
        self.level_zero(&runtimes[0])?;
        self.oclgrind();
        Ok(())
    }

    fn checks(&mut self) {
        self.step("format", self.workspace.cargo(&["fmt", "--all", "--check"]), Counting::Check);
        let clippy = self.workspace.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
        self.step("clippy", clippy, Counting::Check);
        let mut docs = self.workspace.cargo(&["doc", "--workspace", "--no-deps"]);
        docs.env("RUSTDOCFLAGS", "-D warnings");
        self.step("documentation", docs, Counting::Check);
    }

    fn build(&mut self) -> bool {
        let build = self.workspace.cargo(&["build", "--workspace", "--examples", "--lib", "--bins"]);
        let tests = self.workspace.cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--no-run"]);
        self.step("build", build, Counting::Check) && self.step("build tests", tests, Counting::Check)
    }

    fn rust_tests(&self, runtime: &Runtime) -> Step {
        // The differential suite has steps of its own.
        let packages = ["test", "--workspace", "--exclude", "oxidnn-differential"];
        let targets = ["--lib", "--bins", "--tests", "--no-fail-fast", "--", "--show-output"];
        let mut tests = self.workspace.cargo(&[&packages[..], &targets[..]].concat());
        tests.env("OXIDNN_LIB", self.workspace.target("debug/libdnnl.so"));
        if runtime.name() == "pocl" {
            // PoCL builds a kernel once more when it is asked for the binary, and keeps what it has built itself.
            tests.env("OXIDNN_DISK_CACHE", "0");
            // It also takes long to build one. Kernels are those of Intel's runtime, where all cases are tried.
            tests.env("OXIDNN_TEST_EVERY", "4");
        }
        let judge = match runtime.name() {
            "rusticl" => forgive_crash_at_exit,
            _ => |_: &mut Finished| {},
        };
        let name = format!("tests on {}", runtime.name());
        Step { name, commands: vec![self.on(runtime, tests)], counting: Counting::RustTests, judge }
    }

    /// Forms of the schedules that a device does not have by itself: those for GPU-type devices, those for processors with vectors of
    /// another length, and those that multiply tiles, by instructions in software where the processor has none.
    fn other_forms(&mut self, runtimes: &[Runtime]) {
        // The other suites are about forms that only CPUs have.
        let suites =
            ["first_primitives", "layers", "contractions", "convolution_forms", "matmul_forms", "rows_and_windows"];
        let suites = [&suites[..], &["sweeps", "bytes", "rnn", "sdpa"]].concat();
        self.forms(&runtimes[0], "taken for a GPU", "gpu", &suites, &[]);
        let suites = ["contractions", "scratchpads", "bytes", "rows_and_windows"];
        let (how, profile) = match has_avx512() {
            true => ("with short vectors", "avx2"),
            false => ("with long vectors", "avx512"),
        };
        self.forms(&runtimes[0], how, profile, &suites, &[]);
        let words = ["short", "groups", "products", "padding"];
        self.forms(&runtimes[0], "with dot products of short vectors", "avxvnni", &["contractions", "bytes"], &words);
        if has_amx() {
            return;
        }
        for runtime in runtimes.iter().filter(|runtime| runtime.name() != "rusticl") {
            // PoCL takes long to build kernels; a few show that it takes the instructions.
            let words: &[&str] =
                if runtime.name() == "pocl" { &["products_in_groups", "pointwise"] } else { &["short", "padding"] };
            self.forms(runtime, "with AMX in software", "amx", &["contractions"], words);
            let (suites, words) = (["sdpa", "halves"], ["parts_left_over", "smallest"]);
            self.forms(runtime, "with attention and halves by AMX in software", "amx", &suites, &words);
        }
    }

    /// Test suites, or those of their tests that have names with one of some words, on a device that is taken for what a profile says.
    fn forms(&mut self, runtime: &Runtime, how: &str, profile: &str, suites: &[&str], words: &[&str]) {
        let mut args = vec!["test", "--package", "oxidnn", "--no-fail-fast"];
        args.extend(suites.iter().flat_map(|suite| ["--test", suite]));
        args.extend(["--", "--show-output"].iter().chain(words));
        let mut tests = self.on(runtime, self.workspace.cargo(&args));
        tests.env("OXIDNN_DEVICE_PROFILE", profile);
        if profile == "amx" {
            tests.env("LD_PRELOAD", self.workspace.target("debug/libamx_in_software.so"));
        }
        self.step(&format!("tests on {} {how}", runtime.name()), tests, Counting::RustTests);
    }

    fn doc_tests(&mut self, runtime: &Runtime) {
        let tests = self.workspace.cargo(&["test", "--workspace", "--doc", "--no-fail-fast", "--", "--show-output"]);
        self.step("documentation tests", self.on(runtime, tests), Counting::RustTests);
    }

    fn build_c_programs(&mut self) -> Result<bool, String> {
        c_programs::prepare(self.workspace)?;
        let mut programs = Program::all(self.workspace, "tests/c")?;
        programs.extend(Program::all(self.workspace, "examples/c")?);
        let compilers = programs.iter().map(|program| program.compile(self.workspace)).collect();
        Ok(self.steps("build C programs", compilers, Counting::Check))
    }

    fn c_programs(&mut self, runtime: &Runtime) -> Result<(), String> {
        let programs = self.programs("tests/c", |program| !program.uses_level_zero())?;
        let mut commands: Vec<Command> = programs.into_iter().map(|program| self.on(runtime, program)).collect();
        if runtime.name() == "pocl" {
            // It takes long to build kernels. Lists go through forms in turn; this number has a divisor in common with none of them.
            for command in &mut commands {
                command.env("OXIDNN_TEST_EVERY", "13");
            }
        }
        self.steps(&format!("C programs on {}", runtime.name()), commands, Counting::ClosingLine);
        Ok(())
    }

    fn examples(&mut self, runtime: &Runtime) -> Result<(), String> {
        let mut commands = vec![self.workspace.command(self.workspace.target("debug/examples/interop"))];
        commands.extend(self.programs("examples/c", |program| !program.uses_level_zero())?);
        let commands = commands.into_iter().map(|command| self.on(runtime, command)).collect();
        self.steps(&format!("examples on {}", runtime.name()), commands, Counting::Program);
        Ok(())
    }

    /// Programs of a directory, ready to run.
    fn programs(&self, dir: &str, which: fn(&Program) -> bool) -> Result<Vec<Command>, String> {
        let programs = Program::all(self.workspace, dir)?;
        Ok(programs.iter().filter(|program| which(program)).map(|program| program.run(self.workspace)).collect())
    }

    /// The library on Level Zero, which the driver of this repository offers on an OpenCL runtime.
    fn level_zero(&mut self, runtime: &Runtime) -> Result<(), String> {
        let driver = self.workspace.target("debug/libze_on_cl.so");
        let on = |run: &Run, command: Command| {
            let mut command = run.on(runtime, command);
            command.env("ZE_ENABLE_ALT_DRIVERS", &driver).env("OXIDNN_GPU_RUNTIME", "ze").env("OXIDNN_TEST_EVERY", "4");
            command
        };
        let cargo = |args: &[&str]| self.workspace.cargo(&[&["test", "--package", "oxidnn"], args].concat());
        let runtime_tests = cargo(&["--lib", "--", "--show-output", "runtime::ze", "observe"]);
        // Kernels are those of OpenCL: what differs is how they are built, launched, given memory and waited for.
        let suites =
            ["first_primitives", "layers", "matmul_forms", "rnn", "sdpa", "bytes", "scratchpads", "far_offsets"];
        let suites: Vec<&str> = suites.iter().flat_map(|suite| ["--test", suite]).collect();
        let suites = cargo(&[&suites[..], &["--no-fail-fast", "--", "--show-output"]].concat());
        let tests = [runtime_tests, suites].into_iter().map(|command| on(self, command)).collect();
        self.steps("tests on Level Zero", tests, Counting::RustTests);

        let programs = self.programs("tests/c", Program::uses_level_zero)?;
        let programs = programs.into_iter().map(|program| on(self, program)).collect();
        self.steps("C programs on Level Zero", programs, Counting::ClosingLine);

        let mut examples = vec![self.workspace.command(self.workspace.target("debug/examples/level_zero"))];
        examples.extend(self.programs("examples/c", Program::uses_level_zero)?);
        let examples = examples.into_iter().map(|example| on(self, example)).collect();
        self.steps("examples on Level Zero", examples, Counting::Program);

        let cases = on(self, self.cases("gpu", DIFFERENTIAL));
        self.step("differential on Level Zero", cases, Counting::ClosingLine);
        Ok(())
    }

    /// oneDNN compared with itself: tests the comparison. The library has steps of its own.
    fn differential_of_itself(&mut self) {
        let args = ["test", "--package", "oxidnn-differential", "--", "--show-output", "--skip", "oxidnn_agrees"];
        let mut tests = self.workspace.cargo(&args);
        tests.env("OXIDNN_REFERENCE_LIB", self.workspace.venv(REFERENCE));
        self.step("differential of itself", tests, Counting::RustTests);
    }

    /// The library compared with oneDNN on generated cases, as many as fit into the time.
    fn differential(&self, runtime: &Runtime, engine: &str) -> Step {
        let on = if engine == "cpu" { engine } else { runtime.name() };
        let mut cases = self.on(runtime, self.cases(engine, DIFFERENTIAL));
        if on == "intel" {
            // It computes in the memory of the process. Other tests have buffers, and so do other runtimes here.
            cases.arg("--guarded");
        }
        let commands = vec![cases];
        Step { name: format!("differential on {on}"), commands, counting: Counting::ClosingLine, judge: |_| {} }
    }

    fn cases(&self, engine: &str, seconds: u32) -> Command {
        let mut cases = self.workspace.command(self.workspace.target("debug/oxidnn-differential"));
        cases.arg("--lib").arg(self.workspace.target("debug/libdnnl.so"));
        cases.arg("--reference").arg(self.workspace.venv(REFERENCE));
        cases.args(["--engine", &format!("{engine}:0"), "--cases", "3000", "--seconds", &seconds.to_string()]);
        cases
    }

    /// Runs kernels in a simulator that reports accesses out of bounds, races and values nobody wrote.
    fn oclgrind(&mut self) {
        // A kernel that does all of it: if that goes unnoticed, silence means nothing.
        let mut control = self.workspace.command("oclgrind-kernel");
        control.current_dir(self.workspace.source("tests/oclgrind"));
        control.args(["--data-races", "--uninitialized", "--build-options", "-cl-opt-disable", "faulty.sim"]);
        self.steps_with("Oclgrind finds faults", vec![control], Counting::Program, |finished| {
            let reports = ["Invalid write", "data race", "Uninitialized value"];
            finished.success &= reports.iter().all(|report| finished.text.contains(report));
        });

        let args = ["--package", "oxidnn", "--test", "first_primitives", "--", "--test-threads=1", "--show-output"];
        let mut tests = self.workspace.cargo(&[&["test"], &args[..]].concat());
        // Without optimisation: the check for unwritten values does not know all that the optimiser emits.
        tests.env("OCLGRIND_UNINITIALIZED", "1").env("OCLGRIND_BUILD_OPTIONS", "-cl-opt-disable");
        self.under_oclgrind("Oclgrind, tests", tests, Counting::RustTests);
        // Without that check: it takes memory that the host wrote through a mapping for unwritten.
        self.under_oclgrind("Oclgrind, differential", self.cases("gpu", OCLGRIND), Counting::ClosingLine);
    }

    fn under_oclgrind(&mut self, name: &str, mut command: Command, counting: Counting) {
        let log = self.workspace.target("oclgrind.log");
        let _ = fs::remove_file(&log);
        command.env("OCLGRIND_CHECK_API", "1").env("OCLGRIND_DATA_RACES", "1").env("OCLGRIND_LOG", &log);
        command.env("OXIDNN_OPENCL_LIB", OCLGRIND_LIB).env("OXIDNN_DISK_CACHE", "0");
        self.steps_with(name, vec![command], counting, |finished| {
            let reports = fs::read_to_string(&log).unwrap_or_else(|error| format!("no log: {error}"));
            if !reports.trim().is_empty() {
                finished.success = false;
                finished.text += &format!("Oclgrind reports:\n{reports}");
            }
        });
    }

    /// A command that uses one runtime, finds oneDNN's headers, and keeps what it caches in the target directory.
    fn on(&self, runtime: &Runtime, mut command: Command) -> Command {
        runtime.choose_for(&mut command);
        command.env("OXIDNN_CACHE_DIR", self.workspace.target("kernels"));
        command.env("POCL_CACHE_DIR", self.workspace.target("pocl"));
        command.env("OXIDNN_REFERENCE_INCLUDE", self.workspace.venv("include"));
        command
    }

    fn step(&mut self, name: &str, command: Command, counting: Counting) -> bool {
        self.steps(name, vec![command], counting)
    }

    fn steps(&mut self, name: &str, commands: Vec<Command>, counting: Counting) -> bool {
        self.steps_with(name, commands, counting, |_| {})
    }

    /// Runs the commands of a step.
    fn steps_with(
        &mut self,
        name: &str,
        commands: Vec<Command>,
        counting: Counting,
        judge: impl Fn(&mut Finished),
    ) -> bool {
        let row = Step { name: name.into(), commands, counting, judge }.run();
        let success = row.success;
        self.rows.push(row);
        success
    }

    fn summary(&self, start: Instant) -> bool {
        println!("\n{:<28}{:>8}{:>8}{:>9}{:>9}", "step", "passed", "failed", "skipped", "seconds");
        for row in &self.rows {
            let number = |count: fn(&Counts) -> u64| row.counts.as_ref().map_or("–".into(), |c| count(c).to_string());
            println!(
                "{:<28}{:>8}{:>8}{:>9}{:>9.1}{}",
                row.step,
                number(|c| c.passed),
                number(|c| c.failed),
                number(|c| c.skipped),
                row.time.as_secs_f64(),
                if row.success { "" } else { "  FAILED" }
            );
        }
        let total: Counts = self.rows.iter().filter_map(|row| row.counts).sum();
        println!("{:<53}{:>9.1}\n", "all", start.elapsed().as_secs_f64());
        println!("{} passed, {} failed, {} skipped", total.passed, total.failed, total.skipped);
        self.rows.iter().all(|row| row.success)
    }
}

/// Whether test programs only crashed after they had told that all their tests passed. Mesa 22.3's rusticl was seen to do that, once
/// in some ten runs, when its threads outlive the end of `main`.
fn crashed_at_exit_only(text: &str) -> bool {
    let count = |what: &str| text.matches(what).count();
    count("signal: 11, SIGSEGV") > 0
        && count("\ntest result: FAILED") == 0
        && count("     Running ") == count("\ntest result: ok")
}

/// What a command counted. One that should have and did not has failed; one that failed counts at least that.
fn forgive_crash_at_exit(finished: &mut Finished) {
    if crashed_at_exit_only(&finished.text) {
        println!("      rusticl crashed at the exit of a process whose tests had all passed");
        finished.success = true;
    }
}

fn count(finished: &mut Finished, counting: Counting) -> Option<Counts> {
    let mut counts = match counting {
        Counting::Check => None,
        Counting::RustTests => {
            Some(Counts::of_rust_tests(&finished.text)).filter(|counts| *counts != Counts::default())
        }
        Counting::ClosingLine => Counts::of_closing_line(&finished.text),
        Counting::Program => Some(Counts { passed: finished.success.into(), ..Counts::default() }),
    };
    if counts.is_none() && counting != Counting::Check && finished.success {
        finished.success = false;
        finished.text += "no test ran\n";
    }
    if !finished.success && counts.unwrap_or_default().failed == 0 {
        counts.get_or_insert_default().failed = 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_at_exit_is_told_from_one_in_a_test() {
        let after = "     Running a\n\ntest result: ok. 1 passed\n(signal: 11, SIGSEGV: invalid memory reference)\n";
        assert!(crashed_at_exit_only(after));
        assert!(!crashed_at_exit_only("     Running a\n(signal: 11, SIGSEGV: invalid memory reference)\n"));
        assert!(!crashed_at_exit_only(&after.replace("ok", "FAILED")));
        assert!(!crashed_at_exit_only("     Running a\n\ntest result: ok. 1 passed\n"));
    }

    fn finished(success: bool, text: &str) -> Finished {
        Finished { success, text: text.into(), time: Duration::ZERO }
    }

    #[test]
    fn tests_that_did_not_run_have_failed() {
        for counting in [Counting::RustTests, Counting::ClosingLine] {
            let mut nothing = finished(true, "nothing to say");
            assert_eq!(count(&mut nothing, counting), Some(Counts { failed: 1, ..Counts::default() }));
            assert!(!nothing.success);
        }
    }

    #[test]
    fn a_failure_is_counted_even_if_the_tests_count_none() {
        let mut crashed = finished(false, "3 passed, 0 failed, 1 skipped");
        assert_eq!(count(&mut crashed, Counting::ClosingLine), Some(Counts { passed: 3, failed: 1, skipped: 1 }));
        assert_eq!(count(&mut finished(false, ""), Counting::Check), Some(Counts { failed: 1, ..Counts::default() }));
        assert_eq!(count(&mut finished(true, ""), Counting::Check), None);
    }
}
