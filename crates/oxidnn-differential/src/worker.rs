//! A process per library: it loads the library, then runs the cases it is asked for. A case travels as its name, since both
//! sides can make it from that.

use crate::api::Api;
use crate::cases::CaseId;
use crate::handle::{Device, EngineId, MemoryKind};
use crate::outcome::Outcome;
use crate::run::Session;
use dnnl_dynamic::process::{Process, parent, with_bundle};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a case may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// Which library on which engine.
#[derive(Clone, Debug)]
pub struct Target {
    /// The shared library.
    pub library: PathBuf,
    /// The engine.
    pub engine: EngineId,
    /// The memory of tensors on a GPU engine.
    pub memory: MemoryKind,
    /// Whether tensors end at pages that cannot be read.
    pub guarded: bool,
    /// Whether it is Intel's build, whose dependencies and OpenCL driver lie beside it.
    pub bundled: bool,
}

/// A running process with a library loaded.
pub struct Worker {
    program: PathBuf,
    target: Target,
    running: Option<Process>,
}

impl Worker {
    /// Starts a process; `program` is this very program.
    pub fn start(program: &Path, target: Target) -> Result<Worker, String> {
        let mut worker = Worker { program: program.to_path_buf(), target, running: None };
        worker.restart()?;
        Ok(worker)
    }

    fn restart(&mut self) -> Result<(), String> {
        let target = self.target.clone();
        let mut command = Command::new(&self.program);
        command.arg("--worker").arg(&target.library).arg("--engine").arg(target.engine.to_string());
        command.arg("--memory").arg(format!("{:?}", target.memory).to_lowercase());
        if target.guarded {
            command.arg("--guarded");
        }
        if std::env::var_os("ONEDNN_VERBOSE").is_none() {
            command.env("ONEDNN_VERBOSE", "none");
        }
        if target.bundled {
            with_bundle(&mut command, &target.library);
        }
        let started = Process::start(command, PATIENCE);
        self.running = Some(started.map_err(|error| format!("cannot start {}: {error}", self.program.display()))?);
        match self.receive() {
            Outcome::Ran { .. } => Ok(()),
            Outcome::Refused { stage, status } => {
                self.running = None;
                Err(format!("{stage} on {} ({})", target.engine, crate::api::status_name(status)))
            }
            Outcome::Crashed(how) => Err(format!("{} on {}: {how}", target.library.display(), target.engine)),
        }
    }

    /// Asks for a case. The answer is fetched with [`receive`](Worker::receive).
    pub fn send(&mut self, id: &CaseId) {
        if self.running.is_none() && self.restart().is_err() {
            return;
        }
        let text = format!("{} {} {}\n", id.seed, id.kind, id.number);
        if let Some(process) = &mut self.running {
            // A failure to write shows as the end of the answer.
            let _ = process.socket.write_all(text.as_bytes());
        }
    }

    /// Waits for the answer.
    pub fn receive(&mut self) -> Outcome {
        let Some(process) = self.running.take() else {
            return Outcome::Crashed("the process does not start again".to_string());
        };
        match Outcome::receive(&mut BufReader::new(&process.socket)) {
            Ok(outcome) => {
                self.running = Some(process);
                outcome
            }
            Err(error) => Outcome::Crashed(process.end(&error)),
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

/// The child's side: loads the library and answers until the parent hangs up.
pub fn serve(target: &Target) -> io::Result<()> {
    let socket = parent()?;
    let mut answers = BufWriter::new(socket.try_clone()?);
    let refused = |stage: String, status| Outcome::Refused { stage, status };
    let api = match Api::load(&target.library) {
        Ok(api) => api,
        Err(error) => return refused(error, 5).send(&mut answers),
    };
    let device = match Device::open(&api, target.engine, target.memory) {
        Ok(device) => device,
        Err(failure) => return refused(failure.stage, failure.status).send(&mut answers),
    };
    let cpu = EngineId { gpu: false, index: 0 };
    let cpu = target.engine.gpu.then(|| Device::open(&api, cpu, MemoryKind::Default).ok()).flatten();
    let session = Session { api: &api, device, cpu, guarded: target.guarded };
    Outcome::Ran { sizes: Vec::new(), outputs: Vec::new() }.send(&mut answers)?;

    let mut requests = BufReader::new(socket);
    while let Some(line) = read_line(&mut requests)? {
        let words: Vec<&str> = line.split(' ').collect();
        let [seed, kind, number] = words[..] else {
            return Err(io::Error::other(format!("request `{line}`")));
        };
        let parse = |text: &str| text.parse::<u64>().map_err(io::Error::other);
        let id = CaseId { seed: parse(seed)?, kind: kind.to_string(), number: parse(number)? };
        let case = id.generate().map_err(io::Error::other)?;
        session.run(&case).send(&mut answers)?;
    }
    Ok(())
}

fn read_line(from: &mut impl Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while from.read(&mut byte)? == 1 {
        if byte[0] == b'\n' {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
        line.push(byte[0]);
    }
    Ok(None)
}
