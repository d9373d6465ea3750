//! `oxidnn-differential`: compares a library with oneDNN over generated cases.

use oxidnn_differential::api::Api;
use oxidnn_differential::cases::{CaseId, kind_names};
use oxidnn_differential::handle::{EngineId, MemoryKind, engines};
use oxidnn_differential::known::Known;
use oxidnn_differential::outcome::Outcome;
use oxidnn_differential::prove::steps;
use oxidnn_differential::report::{Summary, Verdict, judge};
use oxidnn_differential::worker::{Target, Worker, serve};
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: oxidnn-differential [options]
  --cases N           how many cases, spread over the kinds (default 600)
  --kinds A,B         which kinds (default all)
  --seed N            the seed of the cases (default 1)
  --case KIND:N       only this case, with everything that is known about it; KIND:A..B for several in a row
  --seconds N         stop after this time, however many cases are left
  --engine KIND:I     engine of the library under test: gpu:0, cpu:0, … (default $OXIDNN_ENGINE or gpu:0)
  --memory KIND       default, buffer or usm, for tensors on a gpu engine
  --guarded           tensors end at pages that nobody may read, on devices that compute in the memory of the process
  --lib PATH          library under test (default $OXIDNN_LIB or libdnnl.so beside this program)
  --reference PATH    oneDNN (default $OXIDNN_REFERENCE_LIB)
  --self              the library under test is the reference itself, on its cpu engine
  --known FILE        known gaps and faults (default known.txt of this crate)
  --show N            how many failures to print for each kind (default 10)
  --engines           print the engines of the library under test
  --trace             print every case with its verdict
  --prove             also move one element of every passed output, and fail if that goes unnoticed";

struct Options {
    cases: u64,
    kinds: Vec<String>,
    seed: u64,
    case: Option<(String, Range<u64>)>,
    seconds: u64,
    target: Target,
    reference: PathBuf,
    known: Known,
    show: usize,
    prove: bool,
    against_itself: bool,
    trace: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("oxidnn-differential: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let mut given = std::collections::HashMap::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (word, None),
        };
        let value = match name.as_str() {
            "--prove" | "--guarded" | "--self" | "--trace" | "--engines" => String::new(),
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(true);
            }
            "--cases" | "--kinds" | "--seed" | "--case" | "--engine" | "--memory" | "--lib" | "--reference"
            | "--known" | "--show" | "--seconds" | "--worker" => {
                value.or_else(|| words.next()).ok_or_else(|| format!("{name} needs a value"))?
            }
            _ => return Err(format!("unknown option {name}\n{USAGE}")),
        };
        given.insert(name, value);
    }
    let option = |name: &str| given.get(name).cloned();
    let number = |name: &str, default| match option(name) {
        Some(text) => text.parse::<u64>().map_err(|_| format!("{name} {text} is not a number")),
        None => Ok(default),
    };
    let engine: EngineId =
        option("--engine").or_else(|| std::env::var("OXIDNN_ENGINE").ok()).unwrap_or("gpu:0".to_string()).parse()?;
    let memory: MemoryKind = option("--memory").unwrap_or("default".to_string()).parse()?;
    let guarded = given.contains_key("--guarded");
    if let Some(library) = option("--worker") {
        let target = Target { library: library.into(), engine, memory, guarded, bundled: false };
        return serve(&target).map(|()| true).map_err(|error| error.to_string());
    }

    let path = |name: &str, variable: &str| {
        option(name).map(PathBuf::from).or_else(|| std::env::var_os(variable).map(PathBuf::from))
    };
    let tested = || {
        path("--lib", "OXIDNN_LIB").or_else(built_library).filter(|path| path.exists()).ok_or(
            "the library under test is not here. Build it with `cargo build -p oxidnn-capi`, or name it with OXIDNN_LIB",
        )
    };
    if given.contains_key("--engines") {
        engines(&Api::load(&tested()?)?).iter().for_each(|engine| println!("{engine}"));
        return Ok(true);
    }
    let reference = path("--reference", "OXIDNN_REFERENCE_LIB").filter(|path| path.exists()).ok_or(
        "oneDNN is not here. Install it with `python3 -m venv .venv && .venv/bin/pip install onednn` and set \
         OXIDNN_REFERENCE_LIB=.venv/lib/libdnnl.so.3",
    )?;
    let target = if given.contains_key("--self") {
        let engine = EngineId { gpu: false, index: 0 };
        Target { library: reference.clone(), engine, memory: MemoryKind::Default, guarded, bundled: true }
    } else {
        let library = tested()?;
        Target { library, engine, memory, guarded, bundled: false }
    };
    let known = match option("--known") {
        Some(file) => std::fs::read_to_string(&file).map_err(|error| format!("cannot read {file}: {error}"))?,
        None => include_str!("../known.txt").to_string(),
    };
    let case = match option("--case") {
        Some(text) => {
            let (kind, numbers) = text.split_once(':').ok_or("--case is KIND:NUMBER")?;
            let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
            let range = match numbers.split_once("..") {
                Some((first, end)) => number(first)?..number(end)?,
                None => number(numbers)?..number(numbers)? + 1,
            };
            Some((kind.to_string(), range))
        }
        None => None,
    };
    let kinds = match option("--kinds") {
        Some(list) => list.split(',').map(str::to_string).collect(),
        None => kind_names().into_iter().map(str::to_string).collect::<Vec<_>>(),
    };
    if let Some(unknown) = kinds.iter().find(|kind| !kind_names().contains(&kind.as_str())) {
        return Err(format!("no kind `{unknown}`; there are {}", kind_names().join(", ")));
    }
    compare(&Options {
        cases: number("--cases", 600)?,
        kinds,
        seed: number("--seed", 1)?,
        case,
        seconds: number("--seconds", u64::MAX)?,
        target,
        reference,
        known: Known::parse(&known)?,
        show: number("--show", 10)? as usize,
        prove: given.contains_key("--prove"),
        against_itself: given.contains_key("--self"),
        trace: given.contains_key("--trace"),
    })
}

/// The library of the same build as this program.
fn built_library() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.join("libdnnl.so"))
}

fn compare(options: &Options) -> Result<bool, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let cpu = EngineId { gpu: false, index: 0 };
    let reference = Target {
        library: options.reference.clone(),
        engine: cpu,
        memory: MemoryKind::Default,
        guarded: false,
        bundled: true,
    };
    let mut reference = Worker::start(&program, reference).map_err(|error| format!("the reference: {error}"))?;
    let mut tested =
        Worker::start(&program, options.target.clone()).map_err(|error| format!("the library under test: {error}"))?;
    println!(
        "reference {}, under test {} on {}, seed {}",
        options.reference.display(),
        options.target.library.display(),
        options.target.engine,
        options.seed
    );

    let ids: Vec<CaseId> = match &options.case {
        Some((kind, numbers)) => {
            numbers.clone().map(|number| CaseId { seed: options.seed, kind: kind.clone(), number }).collect()
        }
        None => {
            let kinds = options.kinds.len() as u64;
            let kind = |i: u64| options.kinds[(i % kinds) as usize].clone();
            (0..options.cases).map(|i| CaseId { seed: options.seed, kind: kind(i), number: i / kinds }).collect()
        }
    };
    let mut summary = Summary::default();
    let mut shown = std::collections::HashMap::<(String, &str), usize>::new();
    let (mut spoken, start) = (Instant::now(), Instant::now());
    let mut unnoticed = 0;
    for (done, id) in ids.iter().enumerate() {
        if spoken.elapsed() > Duration::from_secs(5) {
            spoken = Instant::now();
            eprintln!("{done} of {} cases, {} s", ids.len(), start.elapsed().as_secs());
        }
        if start.elapsed().as_secs() >= options.seconds {
            println!("stopped by --seconds {} after {done} of {} cases", options.seconds, ids.len());
            break;
        }
        let case = id.generate()?;
        let withheld = case
            .operation
            .unsafe_for_reference(&case)
            .map(|why| Outcome::Refused { stage: format!("kept from the reference, which {why}"), status: 3 });
        if withheld.is_none() {
            reference.send(id);
        }
        let spared = if options.against_itself { withheld.clone() } else { None };
        if spared.is_none() {
            tested.send(id);
        }
        let description = case.describe();
        let expected = case.operation.expect(&case);
        let theirs = withheld.unwrap_or_else(|| reference.receive());
        let ours = spared.unwrap_or_else(|| tested.receive());
        let name = (id.kind.as_str(), description.as_str());
        let judgement = judge(name, &case, expected.as_deref(), &theirs, &ours, &options.known, options.against_itself);
        summary.count(&id.kind, &judgement, &theirs);

        let mut show = |what: &'static str, text: &str| {
            let count = shown.entry((id.kind.clone(), what)).or_default();
            *count += 1;
            if *count <= options.show || options.case.is_some() || options.trace {
                println!("{what}: {id}\n    {description}\n    {text}");
            }
        };
        match &judgement.verdict {
            Verdict::Failed(why) => show("FAILED", why),
            Verdict::Unimplemented { known: false } => show("UNIMPLEMENTED", &brief(&ours)),
            verdict if options.case.is_some() || options.trace => {
                show("VERDICT", &format!("{verdict:?}; reference: {}; under test: {}", brief(&theirs), brief(&ours)));
            }
            _ => {}
        }
        if let Some(odd) = &judgement.odd_reference {
            show("ODD REFERENCE", odd);
        }
        if options.prove && judgement.verdict == Verdict::Passed {
            let passes = |outcome: &Outcome| {
                let again = judge(name, &case, expected.as_deref(), &theirs, outcome, &options.known, false);
                again.verdict == Verdict::Passed
            };
            for step in steps(&case, &ours) {
                let Some(moved) = step.of(&case, &ours, 1.0).filter(passes) else { continue };
                // What a cancellation left moves further than what it is made of.
                let further = expected.as_deref().and_then(|expected| step.condition(|| id.generate().ok(), expected));
                let Some(moved) = further.map_or(Some(moved), |further| step.of(&case, &ours, further).filter(passes))
                else {
                    continue;
                };
                unnoticed += 1;
                show("UNNOTICED", &brief(&moved));
            }
        }
    }
    if options.prove {
        println!("{unnoticed} moved elements went unnoticed");
    }
    println!("{} s", start.elapsed().as_secs());
    println!("{summary}");
    Ok(summary.is_clean() && unnoticed == 0)
}

fn brief(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { outputs, .. } => {
            let sizes: Vec<String> = outputs.iter().map(|output| output.bits.len().to_string()).collect();
            format!("ran, {} elements out", sizes.join(" and "))
        }
        Outcome::Refused { stage, status } => format!("{stage}: {}", oxidnn_differential::api::status_name(*status)),
        Outcome::Crashed(how) => format!("crashed, {how}"),
    }
}
