//! A process per library. The parent asks, one line of JSON a question; the child has the library loaded and answers.
//!
//! Only one of the processes works at a time. A library's idle threads may spin for a moment after a run, so the parent waits that
//! moment before it asks the other one.

use crate::peak::Peak;
use crate::problem::Problem;
use crate::session::{Flusher, Prepared, Session};
use crate::spec::Spec;
use dnnl_dynamic::api::{Api, status_name};
use dnnl_dynamic::handle::{Device, EngineId, Failure, MemoryKind};
use dnnl_dynamic::process::{Process, parent, with_bundle};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Which engine, of which runtime, and in which memory its tensors are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineName {
    text: String,
    id: EngineId,
    runtime: Option<&'static str>,
    memory: String,
}

impl std::str::FromStr for EngineName {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineName, String> {
        let (name, memory) = text.split_once('+').unwrap_or((text, "default"));
        memory.parse::<MemoryKind>()?;
        let (kind, index) = name.split_once(':').unwrap_or((name, "0"));
        let (kind, runtime) = match kind {
            "ze" => ("gpu", Some("ze")),
            "ocl" => ("gpu", Some("ocl")),
            "cpu" | "gpu" => (kind, None),
            _ => return Err(format!("engine `{text}` is none of cpu, gpu, ocl, ze, with :N for the Nth")),
        };
        let (id, memory) = (format!("{kind}:{index}").parse()?, memory.to_string());
        Ok(EngineName { text: text.to_string(), id, runtime, memory })
    }
}

impl EngineName {
    /// Whether it is the processor itself.
    pub fn is_host(&self) -> bool {
        !self.id.gpu
    }
}

impl std::fmt::Display for EngineName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Which library on which engine.
#[derive(Clone, Debug)]
pub struct Target {
    /// The shared library.
    pub library: PathBuf,
    /// The engine.
    pub engine: EngineName,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.library.display(), self.engine)
    }
}

/// What the parent asks.
#[derive(Debug, Serialize, Deserialize)]
enum Question {
    Prepare(Spec),
    Time { seconds: f64, cold: bool },
    Results,
    Peak,
    Release,
}

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Done,
    Prepared(Preparation),
    Times(Vec<f64>),
    /// The lengths of the outputs, whose bytes follow.
    Results(Vec<usize>),
    Peak(Option<Peak>),
    Refused(String),
}

/// What is known of a problem once its primitive exists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Preparation {
    /// Seconds it took to create.
    pub creation: f64,
    /// What the library calls the implementation.
    pub implementation: String,
    /// Bytes a run must read and write at least.
    pub bytes: u64,
}

/// A running process with a library loaded.
pub struct Worker {
    target: Target,
    careful: bool,
    running: Option<Process>,
}

impl Worker {
    /// Starts a process with a library on an engine.
    pub fn start(target: Target) -> Result<Worker, String> {
        let mut worker = Worker { target, careful: false, running: None };
        worker.restart()?;
        Ok(worker)
    }

    fn restart(&mut self) -> Result<(), String> {
        let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let mut command = Command::new(&program);
        let engine = &self.target.engine;
        command.arg("worker").arg(&self.target.library).arg(engine.id.to_string()).arg(&engine.memory);
        command.stdout(io::stderr());
        if is_bundle(&self.target.library) {
            with_bundle(&mut command, &self.target.library);
        }
        for (name, value) in [("ONEDNN_VERBOSE", "none"), ("KMP_BLOCKTIME", "5")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        if let Some(runtime) = self.target.engine.runtime {
            command.env("OXIDNN_GPU_RUNTIME", runtime);
        }
        if self.careful {
            command.env("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16");
        }
        let started = Process::start(command, PATIENCE);
        self.running = Some(started.map_err(|error| format!("cannot start {}: {error}", program.display()))?);
        match self.answer() {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("{} on engine {}: {error}", self.target.library.display(), self.target.engine)),
        }
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, String> {
        if self.running.is_none() {
            self.restart()?;
        }
        let process = self.running.as_mut().ok_or("the process does not start")?;
        let mut line = serde_json::to_vec(question).map_err(|error| error.to_string())?;
        line.push(b'\n');
        // A failure to write shows as the end of the answer.
        let _ = process.socket.write_all(&line);
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, String> {
        let process = self.running.take().ok_or("the process is gone")?;
        match receive(&process) {
            Ok(answer) => {
                self.running = Some(process);
                match answer {
                    Answer::Refused(why) => Err(why),
                    answer => Ok(answer),
                }
            }
            Err(error) => Err(format!("crashed, {}", process.end(&error))),
        }
    }

    /// Creates a problem's primitive and tensors.
    pub fn prepare(&mut self, spec: &Spec) -> Result<Preparation, String> {
        match self.ask(&Question::Prepare(spec.clone()))? {
            Answer::Prepared(preparation) => Ok(preparation),
            other => Err(format!("unexpected answer {other:?}")),
        }
    }

    /// Keeps the library from AMX from now on. Some virtual machines have it but hide what is needed to use it.
    pub fn be_careful(&mut self) -> bool {
        if self.careful || !is_bundle(&self.target.library) {
            return false;
        }
        self.careful = true;
        if let Some(process) = self.running.take() {
            process.close();
        }
        true
    }

    /// Runs the prepared problem for some time and returns seconds per run.
    pub fn time(&mut self, seconds: f64, cold: bool) -> Result<Vec<f64>, String> {
        match self.ask(&Question::Time { seconds, cold })? {
            Answer::Times(times) => Ok(times),
            other => Err(format!("unexpected answer {other:?}")),
        }
    }

    /// Runs the prepared problem once and returns its outputs' bytes in row-major order.
    pub fn results(&mut self) -> Result<Vec<Vec<u8>>, String> {
        let lengths = match self.ask(&Question::Results)? {
            Answer::Results(lengths) => lengths,
            other => return Err(format!("unexpected answer {other:?}")),
        };
        let process = self.running.as_mut().ok_or("the process is gone")?;
        let read = |length: usize| {
            let mut bytes = vec![0; length];
            process.socket.read_exact(&mut bytes).map(|()| bytes).map_err(|error| error.to_string())
        };
        lengths.into_iter().map(read).collect()
    }

    /// What the engine's device can do at most, if that can be found out.
    pub fn peak(&mut self) -> Option<Peak> {
        match self.ask(&Question::Peak) {
            Ok(Answer::Peak(peak)) => peak,
            _ => None,
        }
    }

    /// Frees the prepared problem.
    pub fn release(&mut self) {
        if self.running.is_some() {
            // A worker that died is started again for the next problem.
            let _ = self.ask(&Question::Release);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(process) = self.running.take() {
            process.close();
        }
    }
}

/// Whether a library brings a threading runtime or an OpenCL driver along, as Intel's build does.
fn is_bundle(library: &Path) -> bool {
    let beside = |name: &&str| library.parent().is_some_and(|directory| directory.join(name).exists());
    ["libsycl.so", "libtbb.so.12", "libintelocl.so"].iter().any(beside)
}

/// Reads a line byte by byte: what follows it is not ours to buffer.
fn receive(process: &Process) -> io::Result<Answer> {
    let mut line = Vec::new();
    let mut byte = [0];
    let mut socket = &process.socket;
    loop {
        socket.read_exact(&mut byte)?;
        if byte[0] == b'\n' {
            break;
        }
        line.push(byte[0]);
    }
    serde_json::from_slice(&line).map_err(io::Error::other)
}

/// The child's side: loads the library and answers until the parent hangs up.
pub fn serve(library: &Path, engine: EngineId, memory: MemoryKind) -> Result<(), String> {
    let socket = parent().map_err(|error| format!("no parent to talk to: {error}"))?;
    let copy = socket.try_clone().map_err(|error| error.to_string())?;
    let mut answers = BufWriter::new(copy);
    let mut send = |answer: &Answer, blobs: &[Vec<u8>]| -> Result<(), String> {
        let mut line = serde_json::to_vec(answer).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let all = [&line].into_iter().chain(blobs);
        all.into_iter()
            .try_for_each(|bytes| answers.write_all(bytes))
            .and_then(|()| answers.flush())
            .map_err(|e| e.to_string())
    };
    let api = match Api::load(library) {
        Ok(api) => api,
        Err(error) => return send(&Answer::Refused(error), &[]),
    };
    let device = match Device::open(&api, engine, memory) {
        Ok(device) => device,
        Err(failure) => return send(&Answer::Refused(said(&failure)), &[]),
    };
    let session = Session { api: &api, device };
    send(&Answer::Done, &[])?;

    let mut prepared: Option<Prepared<'_>> = None;
    let mut flusher: Option<Flusher<'_>> = None;
    for line in BufReader::new(socket).lines() {
        let line = line.map_err(|error| error.to_string())?;
        let question: Question = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let mut blobs = Vec::new();
        let answer = match question {
            Question::Prepare(spec) => {
                prepared = None;
                Problem::build(&spec).and_then(|problem| session.prepare(&problem).map_err(|f| said(&f))).map(|made| {
                    let creation = made.creation.as_secs_f64();
                    let (implementation, bytes) = (made.implementation.clone(), made.bytes);
                    prepared = Some(made);
                    Answer::Prepared(Preparation { creation, implementation, bytes })
                })
            }
            Question::Time { seconds, cold } => match &prepared {
                Some(prepared) => {
                    let made = match cold && flusher.is_none() {
                        true => Flusher::new(&session).map(|made| flusher = Some(made)),
                        false => Ok(()),
                    };
                    let budget = Duration::from_secs_f64(seconds);
                    let times = made.and_then(|()| session.time(prepared, budget, flusher.as_ref().filter(|_| cold)));
                    times.map(Answer::Times).map_err(|failure| said(&failure))
                }
                None => Err("nothing is prepared".to_string()),
            },
            Question::Results => match &prepared {
                Some(prepared) => session.results(prepared).map_err(|failure| said(&failure)).map(|results| {
                    blobs = results;
                    Answer::Results(blobs.iter().map(Vec::len).collect())
                }),
                None => Err("nothing is prepared".to_string()),
            },
            Question::Peak => Ok(Answer::Peak(Peak::measure(&session))),
            Question::Release => {
                prepared = None;
                Ok(Answer::Done)
            }
        };
        send(&answer.unwrap_or_else(Answer::Refused), &blobs)?;
    }
    Ok(())
}

fn said(failure: &Failure) -> String {
    format!("{}: {}", failure.stage, status_name(failure.status))
}
