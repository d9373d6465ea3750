//! The command line.

use crate::batch::Collector;
use crate::measure::{Plan, measure};
use crate::problem::{DRIVERS, Problem};
use crate::spec::Spec;
use crate::table::{Format, Report, Row, brief};
use crate::worker::{EngineName, Target, Worker, serve};
use std::path::{Path, PathBuf};

fn usage() -> String {
    let drivers: Vec<String> = DRIVERS.iter().map(|driver| format!("--{}", driver.name)).collect();
    format!(
        "\
usage: oxibench [options] --PRIMITIVE [its options] PROBLEM… [--PRIMITIVE …]

primitives: {}

options
  --mode=p|c          measure (default), or check results
  --engine=E          gpu, gpu:1, cpu, ocl, ze (default gpu)
  --lib=FILE          our library (default $OXIDNN_LIB, or libdnnl.so beside this program)
  --against=FILE      another libdnnl.so.3 to compare with, in turns
  --against-engine=E  its engine (default cpu)
  --batch=FILE        words of the command line from a file, # for comments
  --seconds=S         time for each problem and library (default 0.5)
  --turns=N           how often the libraries take turns (default 5)
  --cold-cache        empty the caches before each run
  --format=F          text (default), markdown, csv, json
  --out=FILE          where to write instead of standard output
  --quiet             no progress

Problems are named as in benchdnn: --matmul 1024x1024:1024x1024, --conv ic64ih56oc64oh56kh3ph1.",
        drivers.join(" ")
    )
}

struct Options {
    engine: EngineName,
    library: Option<PathBuf>,
    against: Option<PathBuf>,
    against_engine: EngineName,
    plan: Plan,
    format: Format,
    out: Option<PathBuf>,
    quiet: bool,
    specs: Vec<Spec>,
}

/// Does what the words ask for. `false` when a check failed.
pub fn run(words: Vec<String>) -> Result<bool, String> {
    if let [first, library, engine] = &words[..]
        && first == "worker"
    {
        return serve(Path::new(library), engine.parse()?).map(|()| true);
    }
    let mut options = Options {
        engine: "gpu".parse()?,
        library: None,
        against: None,
        against_engine: "cpu".parse()?,
        plan: Plan { seconds: 0.5, turns: 5, cold: false },
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
            "--help" | "-h" => {
                println!("{}", usage());
                return Ok(true);
            }
            "--mode" => match value()?.as_str() {
                "p" | "P" => {}
                other => return Err(format!("--mode={other} is neither p nor c")),
            },
            "--engine" => options.engine = value()?.parse()?,
            "--lib" => options.library = Some(value()?.into()),
            "--against" => options.against = Some(value()?.into()),
            "--against-engine" => options.against_engine = value()?.parse()?,
            "--seconds" => options.plan.seconds = number(value()?)?.clamp(0.0, 600.0),
            "--turns" => options.plan.turns = number(value()?)?.clamp(1.0, 1000.0) as usize,
            "--cold-cache" => options.plan.cold = true,
            "--format" => options.format = value()?.parse()?,
            "--out" | "-o" => options.out = Some(value()?.into()),
            "--quiet" => options.quiet = true,
            _ => collector.word(&word)?,
        }
    }
    options.specs = collector.finish()?;
    if options.specs.is_empty() {
        return Err(format!("nothing to do\n{}", usage()));
    }
    perform(&options)
}

fn perform(options: &Options) -> Result<bool, String> {
    let library = our_library(options)?;
    let ours = Target { library: library.clone(), engine: options.engine.clone() };
    let mut ours_worker = Worker::start(ours)?;
    let mut their_worker = match &options.against {
        Some(library) => {
            let library = library.canonicalize().map_err(|error| format!("{}: {error}", library.display()))?;
            Some(Worker::start(Target { library, engine: options.against_engine.clone() })?)
        }
        None => None,
    };
    let mut rows = Vec::new();
    for (done, spec) in options.specs.iter().enumerate() {
        let flops = Problem::build(spec)?.flops;
        let mut workers = vec![&mut ours_worker];
        workers.extend(their_worker.as_mut());
        let mut timings = measure(spec, &mut workers, &options.plan).into_iter();
        let ours = timings.next().ok_or("no measurement")?;
        let row = Row { problem: spec.to_string(), driver: spec.driver.clone(), flops, ours, theirs: timings.next() };
        if !options.quiet {
            eprintln!("[{}/{}] {spec}: {}", done + 1, options.specs.len(), brief(&row));
        }
        rows.push(row);
    }
    let described = |path: &Path, engine: &EngineName| format!("{} on {engine}", path.display());
    let report = Report {
        ours: described(&library, &options.engine),
        theirs: options.against.as_ref().map(|path| described(path, &options.against_engine)),
        peak: None,
        rows,
    };
    let text = report.print(options.format);
    match &options.out {
        Some(file) => {
            std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?
        }
        None => print!("{text}"),
    }
    Ok(true)
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
    let found = named.or_else(beside).ok_or(
        "our library is not here: build it with `cargo build --release -p oxidnn-capi`, or name it with --lib=FILE",
    )?;
    found.canonicalize().map_err(|error| format!("{}: {error}", found.display()))
}
