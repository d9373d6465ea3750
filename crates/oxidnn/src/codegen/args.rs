//! The integer and floating-point arguments of a kernel.
//!
//! On the host they are one block: all integers as i64, then all floats as f32, each list of at least one element. On a
//! device each one that a kernel uses is an argument of its own, set once when the kernel is made; only host scalars are
//! set again at every launch.

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

/// Where a host scalar's value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Late {
    arg: i32,
    data_type: DataType,
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
            Slot::Float(_) => (value as f32).to_ne_bytes().to_vec(),
        }
    }
}

impl Param {
    /// The argument that a program has for a slot.
    pub fn new(program: &Program, slot: Slot) -> Param {
        let late = |arg, data_type| Param { slot, bytes: slot.encode(0.0), late: Some(Late { arg, data_type }) };
        match slot {
            Slot::Integer { param, wide } => match program.params[param.index()] {
                Source::Known(value) => {
                    let bytes = if wide { value.to_ne_bytes().to_vec() } else { (value as i32).to_ne_bytes().to_vec() };
                    Param { slot, bytes, late: None }
                }
                Source::HostScalar { arg, data_type } => late(arg, data_type),
            },
            Slot::Float(scalar) => match program.scalars[scalar.index()] {
                Source::Known(value) => Param { slot, bytes: value.to_ne_bytes().to_vec(), late: None },
                Source::HostScalar { arg, data_type } => late(arg, data_type),
            },
        }
    }

    /// Its bytes; zeros for a host scalar.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes if they are only known when the primitive executes: `scalar` gives the value of an execution argument.
    pub fn late(&self, scalar: impl Fn(i32, DataType) -> Result<f64>) -> Result<Option<Vec<u8>>> {
        self.late.map(|late| scalar(late.arg, late.data_type).map(|value| self.slot.encode(value))).transpose()
    }
}

/// The block of arguments of a host kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamBlock {
    bytes: Vec<u8>,
    late: Vec<(usize, Slot, Late)>,
}

impl ParamBlock {
    /// The block of a program; values of host scalars are zero until [`late`](ParamBlock::late) fills them in.
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

    /// The bytes with host scalars filled in, if there are any.
    pub fn late(&self, scalar: impl Fn(i32, DataType) -> Result<f64>) -> Result<Option<Vec<u8>>> {
        if self.late.is_empty() {
            return Ok(None);
        }
        let mut bytes = self.bytes.clone();
        for (offset, slot, late) in &self.late {
            let value = slot.encode(scalar(late.arg, late.data_type)?);
            bytes[*offset..*offset + value.len()].copy_from_slice(&value);
        }
        Ok(Some(bytes))
    }
}
