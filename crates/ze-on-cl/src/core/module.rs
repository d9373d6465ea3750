//! Modules: programs and their linking.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::sync::{Arc, Mutex, OnceLock};

use opencl_sys::*;

use super::device::Device;
use super::lock;
use super::spirv::{self, Linkage};
use crate::bindings::*;
use crate::cl::{Cl, ClError, Program};
use crate::{Error, Result, pointer};

/// The form that a program is given in. OpenCL C has no name in the headers; the number is the one that Intel's driver uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Spirv,
    Native,
    OpenClC,
}

/// A part of a module.
pub(crate) struct Input<'a> {
    pub code: &'a [u8],
    pub options: String,
    /// Numbers of specialization constants and addresses of their values.
    pub constants: Vec<(u32, usize)>,
}

/// What the compiler or the linker had to say.
pub(crate) struct BuildLog {
    pub text: CString,
}

impl BuildLog {
    pub(crate) fn new(text: String) -> BuildLog {
        BuildLog { text: CString::new(text.replace('\0', " ")).unwrap_or_default() }
    }
}

/// A module.
pub(crate) struct Module {
    pub device: Arc<Device>,
    state: Mutex<State>,
    /// The names of its kernels: callers keep pointers to them.
    names: OnceLock<Vec<CString>>,
}

enum State {
    /// Complete. One that defines functions for others keeps its compiled form, too: OpenCL links nothing else.
    Linked { program: Arc<Program>, part: Option<Arc<Program>> },
    /// Compiled; functions that others define are missing.
    Unlinked(Arc<Program>),
}

impl Module {
    /// Builds a module, and says what the compiler said.
    pub(crate) fn new(device: Arc<Device>, format: Format, inputs: &[Input]) -> (Result<Module>, String) {
        let (state, log) = build(device.cl, format, inputs);
        (state.map(|state| Module { device, state: Mutex::new(state), names: OnceLock::new() }), log)
    }

    /// The program, if nothing is missing.
    pub(crate) fn program(&self) -> Result<Arc<Program>> {
        match &*lock(&self.state) {
            State::Linked { program, .. } => Ok(Arc::clone(program)),
            State::Unlinked(_) => Err(Error(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED)),
        }
    }

    /// Whether functions are missing that another module has to define.
    pub(crate) fn is_unlinked(&self) -> bool {
        matches!(*lock(&self.state), State::Unlinked(_))
    }

    /// What it brings along when it is linked.
    fn part(&self) -> Option<Arc<Program>> {
        match &*lock(&self.state) {
            State::Linked { part, .. } => part.clone(),
            State::Unlinked(program) => Some(Arc::clone(program)),
        }
    }

    /// Links modules with each other, and says what the linker said.
    pub(crate) fn link(modules: &[Arc<Module>]) -> (Result, String) {
        let Some(first) = modules.iter().find(|module| module.is_unlinked()) else { return (Ok(()), String::new()) };
        let parts: Vec<Arc<Program>> = modules.iter().filter_map(|module| module.part()).collect();
        let parts: Vec<&Program> = parts.iter().map(|part| &**part).collect();
        let (outcome, program) = Program::link(first.device.cl, &parts, c"");
        let log = program.as_ref().map(Program::log).unwrap_or_default();
        match (outcome, program) {
            (Ok(()), Some(program)) => {
                let program = Arc::new(program);
                for module in modules.iter().filter(|module| module.is_unlinked()) {
                    let part = module.part();
                    *lock(&module.state) = State::Linked { program: Arc::clone(&program), part };
                }
                (Ok(()), log)
            }
            _ => (Err(Error(ZE_RESULT_ERROR_MODULE_LINK_FAILURE)), log),
        }
    }

    pub(crate) fn kernel_names(&self) -> Result<&[CString]> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let found = self.program()?.kernel_names()?;
        Ok(self.names.get_or_init(|| found.into_iter().filter_map(|name| CString::new(name).ok()).collect()))
    }

    pub(crate) fn binary(&self) -> Result<Vec<u8>> {
        Ok(self.program()?.binary()?)
    }

    /// The size and address of a variable.
    pub(crate) fn global(&self, name: &CStr) -> Result<(usize, *mut c_void)> {
        if !self.device.cl.knows_globals() {
            return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE));
        }
        self.program()?.global(name).map_err(|_| Error(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME))
    }

    /// The address of a function.
    pub(crate) fn function(&self, name: &CStr) -> Result<*mut c_void> {
        if !self.device.cl.knows_functions() {
            return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE));
        }
        self.program()?.function(name).map_err(|_| Error(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME))
    }
}

fn build(cl: &'static Cl, format: Format, inputs: &[Input]) -> (Result<State>, String) {
    let mut log = String::new();
    let state = match inputs {
        [input] => build_one(cl, format, input, &mut log),
        inputs => build_several(cl, format, inputs, &mut log),
    };
    (state, log)
}

fn build_one(cl: &'static Cl, format: Format, input: &Input, log: &mut String) -> Result<State> {
    let linkage = if format == Format::Spirv { spirv::linkage(input.code) } else { Linkage::default() };
    if linkage.imports {
        return Ok(State::Unlinked(Arc::new(make(cl, format, input, Program::compile, log)?)));
    }
    let program = Arc::new(make(cl, format, input, Program::build, log)?);
    let mut compile = || make(cl, format, input, Program::compile, log).map(Arc::new);
    let part = if linkage.exports { Some(compile()?) } else { None };
    Ok(State::Linked { program, part })
}

fn build_several(cl: &'static Cl, format: Format, inputs: &[Input], log: &mut String) -> Result<State> {
    let parts: Result<Vec<Program>> =
        inputs.iter().map(|input| make(cl, format, input, Program::compile, log)).collect();
    let parts = parts?;
    let (outcome, program) = Program::link(cl, &parts.iter().collect::<Vec<_>>(), c"");
    *log += &program.as_ref().map(Program::log).unwrap_or_default();
    match (outcome, program) {
        (Ok(()), Some(program)) => Ok(State::Linked { program: Arc::new(program), part: None }),
        _ => Err(Error(ZE_RESULT_ERROR_MODULE_LINK_FAILURE)),
    }
}

/// A program, compiled or built.
fn make(
    cl: &'static Cl,
    format: Format,
    input: &Input,
    step: fn(&Program, &CStr) -> std::result::Result<(), ClError>,
    log: &mut String,
) -> Result<Program> {
    let program = program(cl, format, input)?;
    let mut outcome = step(&program, &options(cl, format, &input.options));
    if outcome == Err(ClError(CL_INVALID_BUILD_OPTIONS)) || outcome == Err(ClError(CL_INVALID_COMPILER_OPTIONS)) {
        // A GPU's option that the list below does not know: better without it than not at all.
        outcome = step(&program, c"");
    }
    *log += &program.log();
    match (outcome, format) {
        (Ok(()), _) => Ok(program),
        (Err(_), Format::Native) => Err(Error(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY)),
        (Err(_), Format::Spirv | Format::OpenClC) => Err(Error(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)),
    }
}

fn program(cl: &'static Cl, format: Format, input: &Input) -> Result<Program> {
    let program = match format {
        Format::OpenClC => {
            let end = input.code.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            Program::from_source(cl, &input.code[..end])?
        }
        Format::Spirv if !cl.takes_spirv() => return Err(Error(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)),
        Format::Spirv => {
            Program::from_spirv(cl, input.code).map_err(|_| Error(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE))?
        }
        Format::Native => {
            Program::from_binary(cl, input.code).map_err(|_| Error(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY))?
        }
    };
    let types = if format == Format::Spirv { spirv::constant_sizes(input.code) } else { HashMap::new() };
    for (id, address) in &input.constants {
        let size = *types.get(id).ok_or(Error(ZE_RESULT_ERROR_INVALID_ARGUMENT))?;
        program.specialize(*id, pointer::slice(*address as *const u8, size)?)?;
    }
    Ok(program)
}

/// The options that OpenCL's compiler can take.
fn options(cl: &Cl, format: Format, text: &str) -> CString {
    let is_gpu = cl.number::<cl_device_type>(CL_DEVICE_TYPE).unwrap_or(0) & CL_DEVICE_TYPE_GPU != 0;
    let mut kept = Vec::new();
    let mut words = words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        match word {
            "-ze-opt-disable" => kept.push("-cl-opt-disable"),
            // These come with a word of their own.
            "-ze-opt-level" | "-igc_opts" | "-Xfinalizer" => drop(words.next()),
            "-library-compilation" | "-vc-codegen" | "-doubleGRF" => {}
            word if word.starts_with("-ze-") => {}
            word if word.starts_with("-cl-intel-") && !is_gpu => {}
            // The rest of the preprocessor's and the language's options mean nothing to a program without a text.
            word if format != Format::OpenClC && !word.starts_with("-cl-") => {}
            word => kept.push(word),
        }
    }
    CString::new(kept.join(" ")).unwrap_or_default()
}

/// The words of a line, quoted parts in one.
fn words(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"' || c == '\'';
        !quoted && c.is_whitespace()
    })
    .filter(|word| !word.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn options_are_split_at_spaces_outside_quotes() {
        assert_eq!(words(r#" -DA=1  -I"a b" -w"#), ["-DA=1", r#"-I"a b""#, "-w"]);
    }
}
