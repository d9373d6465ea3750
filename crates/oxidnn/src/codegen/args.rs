//! The block of integer and floating-point arguments that every kernel takes as its last argument.
//!
//! One block instead of one argument each keeps a launch to a handful of runtime calls. In OpenCL C it is
//! `struct { long i[NI]; float f[NF]; }`, each array of at least one element.

use crate::Result;
use crate::desc::DataType;
use crate::program::{Program, Source};

/// The bytes of a program's parameter block.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamBlock {
    bytes: Vec<u8>,
    /// Byte offset, execution argument, its type, and whether the slot is an integer.
    late: Vec<Late>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Late {
    offset: usize,
    arg: i32,
    data_type: DataType,
    integer: bool,
}

impl ParamBlock {
    /// Number of integer slots a program's block has.
    pub fn integers(program: &Program) -> usize {
        program.params.len().max(1)
    }

    /// Number of floating-point slots a program's block has.
    pub fn floats(program: &Program) -> usize {
        program.scalars.len().max(1)
    }

    /// The block of a program; values of host scalars are zero until [`fill`](ParamBlock::fill).
    pub fn new(program: &Program) -> ParamBlock {
        let integers = ParamBlock::integers(program);
        let size = (integers * 8 + ParamBlock::floats(program) * 4).next_multiple_of(8);
        let mut block = ParamBlock { bytes: vec![0; size], late: Vec::new() };
        for (i, param) in program.params.iter().enumerate() {
            block.slot(i * 8, *param, true, |value| value.to_le_bytes().to_vec());
        }
        for (i, scalar) in program.scalars.iter().enumerate() {
            block.slot(integers * 8 + i * 4, *scalar, false, |value: f32| value.to_le_bytes().to_vec());
        }
        block
    }

    fn slot<T>(&mut self, offset: usize, source: Source<T>, integer: bool, encode: impl Fn(T) -> Vec<u8>) {
        match source {
            Source::Known(value) => {
                let bytes = encode(value);
                self.bytes[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
            Source::HostScalar { arg, data_type } => self.late.push(Late { offset, arg, data_type, integer }),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether values are only known when the primitive executes.
    pub fn is_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// A copy with host scalars filled in: `scalar` gives the value of an execution argument as f64.
    pub fn fill(&self, scalar: impl Fn(i32, DataType) -> Result<f64>) -> Result<Vec<u8>> {
        let mut bytes = self.bytes.clone();
        for late in &self.late {
            let value = scalar(late.arg, late.data_type)?;
            if late.integer {
                bytes[late.offset..late.offset + 8].copy_from_slice(&(value as i64).to_le_bytes());
            } else {
                bytes[late.offset..late.offset + 4].copy_from_slice(&(value as f32).to_le_bytes());
            }
        }
        Ok(bytes)
    }
}
