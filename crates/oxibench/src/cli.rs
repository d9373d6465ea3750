//! The command line: which options there are, and what is done with them.

use crate::batch::Collector;
use crate::check;
use crate::html;
use crate::measure::{Plan, measure};
use crate::problem::{DRIVERS, Problem};
use crate::spec::Spec;
use crate::table::{Format, Measured, Report, Row, brief};
use crate::worker::{EngineName, Target, Worker, serve};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

fn usage() -> String {
    let drivers: Vec<String> = DRIVERS.iter().map(|driver| format!("--{}", driver.name)).collect();
    format!(
        "\
usage: oxibench [options] --PRIMITIVE [its options] PROBLEM… [--PRIMITIVE …]
       oxibench report FILE.json [-o PAGE.html]

primitives: {}

options
  --mode=p|c          measure (default), or check results
  --engine=E          gpu, gpu:1, cpu, ocl, ze (default gpu); ocl+usm and ocl+buffer choose OpenCL's memory
  --lib=FILE          our library (default $OXIDNN_LIB, or libdnnl.so beside this program)
  --against=FILE      another libdnnl.so.3 to compare with, in turns
  --against-engine=E  its engine (default cpu); without --against, one of our own library to compare with
  --batch=FILE        words of the command line from a file, # for comments
  --seconds=S         time for each problem and library (default 0.5)
  --turns=N           how often the libraries take turns (default 5)
  --cold-cache        empty the caches before each run
  --no-peak           do not measure what the device can do at most
  --format=F          text (default), markdown, csv, json
  --out=FILE, -o FILE where to write instead of standard output
  --quiet             no progress

Problems are named as in benchdnn: --matmul 1024x1024:1024x1024, --conv ic64ih56oc64oh56kh3ph1.
Without --against, --mode=c compares with the host engine of our own library.",
        drivers.join(" ")
    )
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Measure,
    Check,
}

struct Options {
    mode: Mode,
    engine: EngineName,
    library: Option<PathBuf>,
    against: Option<PathBuf>,
    against_engine: Option<EngineName>,
    plan: Plan,
    peak: bool,
    format: Format,
    out: Option<PathBuf>,
    quiet: bool,
    specs: Vec<Spec>,
}

/// Does what the words ask for. `false` when a check failed.
pub fn run(words: Vec<String>) -> Result<bool, String> {
    match words.first().map(String::as_str) {
        // How this program starts itself with a library.
        Some("worker") => match &words[1..] {
            [library, engine, memory] => serve(Path::new(library), engine.parse()?, memory.parse()?).map(|()| true),
            _ => Err("worker LIBRARY ENGINE MEMORY".to_string()),
        },
        Some("report") => report(&words[1..]).map(|()| true),
        _ if words.iter().any(|word| word == "--help" || word == "-h") => {
            println!("{}", usage());
            Ok(true)
        }
        _ => {
            let options = parse(words)?;
            match options.mode {
                Mode::Measure => measure_all(&options).map(|()| true),
                Mode::Check => check_all(&options),
            }
        }
    }
}

fn parse(words: Vec<String>) -> Result<Options, String> {
    let mut options = Options {
        mode: Mode::Measure,
        engine: "gpu".parse()?,
        library: None,
        against: None,
        against_engine: None,
        plan: Plan { seconds: 0.5, turns: 5, cold: false },
        peak: true,
        format: Format::Text,
        out: None,
        quiet: false,
        specs: Vec::new(),
    };
    let mut collector = Collector::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (word.clone(), None),
        };
        let mut value = || inline.clone().or_else(|| words.next()).ok_or_else(|| format!("{name} needs a value"));
        let number = |text: String| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
        match name.as_str() {
            "--mode" => {
                options.mode = match value()?.to_ascii_lowercase().as_str() {
                    "p" => Mode::Measure,
                    "c" => Mode::Check,
                    other => return Err(format!("--mode={other} is neither p nor c")),
                }
            }
            "--engine" => options.engine = value()?.parse()?,
            "--lib" => options.library = Some(value()?.into()),
            "--against" => options.against = Some(value()?.into()),
            "--against-engine" => options.against_engine = Some(value()?.parse()?),
            "--seconds" => options.plan.seconds = number(value()?)?.clamp(0.0, 600.0),
            "--turns" => options.plan.turns = number(value()?)?.clamp(1.0, 1000.0) as usize,
            "--cold-cache" => options.plan.cold = true,
            "--no-peak" => options.peak = false,
            "--format" => options.format = value()?.parse()?,
            "--out" | "-o" => options.out = Some(value()?.into()),
            "--quiet" => options.quiet = true,
            "--batch" => collector.file(Path::new(&value()?))?,
            _ => collector.word(&word)?,
        }
    }
    options.specs = collector.finish()?;
    if options.specs.is_empty() {
        return Err(format!("nothing to do\n{}", usage()));
    }
    Ok(options)
}

/// Progress on standard error: what is being worked on, and what came of it.
struct Progress {
    total: usize,
    quiet: bool,
    terminal: bool,
}

impl Progress {
    fn new(options: &Options) -> Progress {
        Progress { total: options.specs.len(), quiet: options.quiet, terminal: std::io::stderr().is_terminal() }
    }

    fn start(&self, done: usize, what: &impl std::fmt::Display) {
        if self.terminal && !self.quiet {
            eprint!("[{}/{}] {what} …\r", done + 1, self.total);
            // What is lost is only what one would see.
            let _ = std::io::stderr().flush();
        }
    }

    fn end(&self, done: usize, what: &impl std::fmt::Display, came: &str) {
        if !self.quiet {
            let clear = if self.terminal { "\x1b[K" } else { "" };
            eprintln!("{clear}[{}/{}] {what}: {came}", done + 1, self.total);
        }
    }
}

fn measure_all(options: &Options) -> Result<(), String> {
    let ours = Target { library: our_library(options)?, engine: options.engine.clone() };
    let theirs = other(options, &ours.library)?;
    let mut our_worker = Worker::start(ours.clone())?;
    let mut their_worker = theirs.clone().map(Worker::start).transpose()?;
    let peak = if options.peak { our_worker.peak() } else { None };
    let progress = Progress::new(options);
    let mut report =
        Report { ours: ours.to_string(), theirs: theirs.map(|target| target.to_string()), peak, rows: Vec::new() };
    for (done, spec) in options.specs.iter().enumerate() {
        progress.start(done, spec);
        let flops = Problem::build(spec)?.flops;
        let mut workers = vec![&mut our_worker];
        workers.extend(their_worker.as_mut());
        let mut measured = measure(spec, &mut workers, &options.plan).into_iter().map(Measured::from);
        let ours = measured.next().ok_or("no measurement")?;
        let row = Row::new(spec, flops, ours, measured.next(), peak);
        progress.end(done, spec, &brief(&row));
        report.rows.push(row);
        if let Some(file) = &options.out {
            // A run that is cut short leaves what it has.
            write(Some(file), &report.print(options.format))?;
        }
    }
    match options.out {
        Some(_) => Ok(()),
        None => write(None, &report.print(options.format)),
    }
}

fn check_all(options: &Options) -> Result<bool, String> {
    let library = our_library(options)?;
    let other = match other(options, &library)? {
        Some(other) => other,
        None if options.engine.is_host() => {
            return Err("--mode=c on the host engine needs a library to compare with: --against=FILE".to_string());
        }
        None => Target { library: library.clone(), engine: "cpu".parse()? },
    };
    let mut ours = Worker::start(Target { library, engine: options.engine.clone() })?;
    let mut theirs = Worker::start(other)?;
    let progress = Progress::new(options);
    let mut rows = Vec::new();
    for (done, spec) in options.specs.iter().enumerate() {
        progress.start(done, spec);
        let row = check::check(spec, &mut ours, &mut theirs)?;
        progress.end(done, spec, &row.brief());
        rows.push(row);
    }
    write(options.out.as_deref(), &check::print(&rows, options.format))?;
    Ok(rows.iter().all(|row| !row.verdict.is_fault()))
}

/// `report FILE.json -o PAGE.html`.
fn report(words: &[String]) -> Result<(), String> {
    let (mut file, mut out) = (None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("--out=") {
            Some(path) => out = Some(PathBuf::from(path)),
            None if word == "-o" || word == "--out" => {
                out = Some(PathBuf::from(words.next().ok_or("-o needs a file")?));
            }
            None => file = Some(PathBuf::from(word)),
        }
    }
    let file = file.ok_or("report needs the JSON file of a run: oxibench --format=json -o FILE.json …")?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    write(out.as_deref(), &html::page(&report))
}

fn write(out: Option<&Path>, text: &str) -> Result<(), String> {
    match out {
        Some(file) => std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display())),
        None => std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string()),
    }
}

/// What our library is compared with: another library, or another of its own engines.
fn other(options: &Options, library: &Path) -> Result<Option<Target>, String> {
    let (against, engine) = (options.against.as_deref(), options.against_engine.clone());
    Ok(match (against, engine) {
        (None, None) => None,
        (None, Some(engine)) => Some(Target { library: library.to_path_buf(), engine }),
        (Some(file), Some(engine)) => Some(Target { library: found(file)?, engine }),
        (Some(file), None) => Some(Target { library: found(file)?, engine: "cpu".parse()? }),
    })
}

fn found(library: &Path) -> Result<PathBuf, String> {
    library.canonicalize().map_err(|error| format!("{}: {error}", library.display()))
}

/// The library to measure: named, or of the same build as this program, or where programs are installed.
fn our_library(options: &Options) -> Result<PathBuf, String> {
    let named = options.library.clone().or_else(|| std::env::var_os("OXIDNN_LIB").map(PathBuf::from));
    let beside = || {
        let program = std::env::current_exe().ok()?;
        let directory = program.parent()?;
        let places = ["libdnnl.so.3", "libdnnl.so", "../lib/libdnnl.so.3"];
        places.iter().map(|place| directory.join(place)).find(|path| path.exists())
    };
    let path = named.or_else(beside).ok_or(
        "our library is not here: build it with `cargo build --release -p oxidnn-capi`, or name it with --lib=FILE",
    )?;
    found(&path)
}
