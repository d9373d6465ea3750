//! Programs that no operation asks for: clearing the padding of a tensor, filling memory.

use super::view::{Domain, View};
use crate::Result;
use crate::desc::{DataType, MemoryDesc, arg};
use crate::program::{Binding, Builder, Program, Store, Ty};

/// Writes zeros to the padding of the tensor in argument [`arg::DST`] and leaves its elements as they are.
pub fn zero_pad(md: &MemoryDesc) -> Result<Program> {
    let b = Builder::new();
    {
        // Elements are moved as a type whose every bit pattern survives a load and a store.
        let (data_type, ty) = match md.data_type().bits() {
            4 => (DataType::U4, Ty::S32),
            8 => (DataType::U8, Ty::S32),
            16 => (DataType::Bf16, Ty::F32),
            32 => (DataType::S32, Ty::S32),
            _ => (DataType::F64, Ty::F64),
        };
        let tensor = View::new(&b, "dst", arg::DST, &md.with_data_type(data_type))?;
        let Domain { axes, index, bounds } = Domain::of(&b, md)?;
        b.stage("zero_pad", axes, bounds, vec![tensor.store(&index, tensor.load(&index, ty))]);
    }
    Ok(b.finish())
}

/// Fills the bytes of argument [`arg::DST`] with random numbers that are finite in every data type.
pub fn fill_random(bytes: usize, seed: u32) -> Program {
    let b = Builder::new();
    {
        let tensor = b.tensor("dst", DataType::U8, Binding::Arg { arg: arg::DST, handle: 0 });
        let axis = b.sized_axis("i", bytes as i64);
        let position = b.at(axis);
        let word = (position / 4).to(Ty::S32);
        let zero = b.constant(Ty::S32, 0.0);
        let seed = b.param(i64::from(seed)).to(Ty::S32);
        let random = b.philox([word, zero, zero, zero], [seed, seed], (position % 4).to(Ty::S32));
        // A top byte below 0x40 is a small positive number in all float types.
        let byte = random & 0x3f;
        b.stage("fill", vec![axis], None, vec![Store { tensor, offset: position.node(), value: byte.node() }]);
    }
    b.finish()
}
