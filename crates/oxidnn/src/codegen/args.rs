//! The integer and floating-point arguments of a kernel.
//!
//! On the host they are one block: all integers as i64, then all floats as f32, each list of at least one element. On a
//! device each one that a kernel uses is an argument of its own, set once when the kernel is made; only host scalars and
//! what changes from one run of a repeat to the next are set again at every launch.

use crate::Result;
use crate::desc::DataType;
use crate::program::{ParamId, Program, ScalarId, Source};

/// Which argument of a program a kernel argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// An integer, 8 bytes wide or 4.
    Integer {
        /// Which.
        param: ParamId,
        /// Whether it takes 8 bytes.
        wide: bool,
    },
    /// An f32.
    Float(ScalarId),
}

/// Where a value comes from that is not known before a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Late {
    HostScalar { arg: i32, data_type: DataType },
    Step { first: i64, by: i64 },
}

impl Late {
    fn value(self, scalar: &impl Fn(i32, DataType) -> Result<f64>, run: i64) -> Result<f64> {
        match self {
            Late::HostScalar { arg, data_type } => scalar(arg, data_type),
            Late::Step { first, by } => Ok((first + by * run) as f64),
        }
    }
}

/// The value of a kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    slot: Slot,
    bytes: Vec<u8>,
    late: Option<Late>,
}

impl Slot {
    fn encode(self, value: f64) -> Vec<u8> {
        match self {
            Slot::Integer { wide: true, .. } => (value as i64).to_ne_bytes().to_vec(),
            Slot::Integer { wide: false, .. } => (value as i64 as i32).to_ne_bytes().to_vec(),
            Slot::Float(_) => float_bytes(value as f32),
        }
    }
}

/// The bytes of a number; of what is none, those of one that can be rounded as if it were.
fn float_bytes(value: f32) -> Vec<u8> {
    let value = if value.is_nan() { f32::NAN } else { value };
    value.to_ne_bytes().to_vec()
}

impl Param {
    /// The argument that a program has for a slot.
    pub fn new(program: &Program, slot: Slot) -> Param {
        let late = |late| Param { slot, bytes: slot.encode(0.0), late: Some(late) };
        match slot {
            Slot::Integer { param, wide } => match program.params[param.index()] {
                Source::Known(value) => {
                    let bytes = if wide { value.to_ne_bytes().to_vec() } else { (value as i32).to_ne_bytes().to_vec() };
                    Param { slot, bytes, late: None }
                }
                Source::HostScalar { arg, data_type } => late(Late::HostScalar { arg, data_type }),
                Source::Step { first, by, .. } => late(Late::Step { first, by }),
            },
            Slot::Float(scalar) => match program.scalars[scalar.index()] {
                Source::HostScalar { arg, data_type } => late(Late::HostScalar { arg, data_type }),
                Source::Known(value) | Source::Step { first: value, .. } => {
                    Param { slot, bytes: float_bytes(value), late: None }
                }
            },
        }
    }

    /// Its bytes; zeros where they are not known yet.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes if they are only known when the primitive executes: `scalar` gives the value of an execution argument,
    /// `run` is how many times the repeat ran before.
    pub fn late(&self, scalar: impl Fn(i32, DataType) -> Result<f64>, run: i64) -> Result<Option<Vec<u8>>> {
        self.late.map(|late| late.value(&scalar, run).map(|value| self.slot.encode(value))).transpose()
    }
}

/// The block of arguments of a host kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamBlock {
    bytes: Vec<u8>,
    late: Vec<(usize, Slot, Late)>,
}

impl ParamBlock {
    /// The block of a program; what is not known yet is zero until [`late`](ParamBlock::late) fills it in.
    pub fn new(program: &Program) -> ParamBlock {
        let mut block = ParamBlock { bytes: Vec::new(), late: Vec::new() };
        for index in 0..program.params.len() {
            block.push(Param::new(program, Slot::Integer { param: ParamId(index as u32), wide: true }));
        }
        block.bytes.resize(program.params.len().max(1) * 8, 0);
        for index in 0..program.scalars.len() {
            block.push(Param::new(program, Slot::Float(ScalarId(index as u32))));
        }
        if program.scalars.is_empty() {
            block.bytes.extend_from_slice(&[0; 4]);
        }
        block
    }

    fn push(&mut self, param: Param) {
        if let Some(late) = param.late {
            self.late.push((self.bytes.len(), param.slot, late));
        }
        self.bytes.extend_from_slice(&param.bytes);
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes with everything filled in, if something was left open.
    pub fn late(&self, scalar: impl Fn(i32, DataType) -> Result<f64>, run: i64) -> Result<Option<Vec<u8>>> {
        if self.late.is_empty() {
            return Ok(None);
        }
        let mut bytes = self.bytes.clone();
        for (offset, slot, late) in &self.late {
            let value = slot.encode(late.value(&scalar, run)?);
            bytes[*offset..*offset + value.len()].copy_from_slice(&value);
        }
        Ok(Some(bytes))
    }
}
