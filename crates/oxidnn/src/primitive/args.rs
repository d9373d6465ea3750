//! The memories of one execution, by argument number.

use crate::desc::{ArgDesc, MemoryDesc, Sparse};
use crate::engine::Engine;
use crate::memory::Memory;
use crate::runtime::Buffer;
use crate::{Error, Result, ensure};

/// Memories by argument number.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a>(pub &'a [(i32, &'a Memory)]);

impl<'a> Args<'a> {
    /// The memory of an argument.
    pub fn get(&self, arg: i32) -> Option<&'a Memory> {
        self.0.iter().find(|(number, _)| *number == arg).map(|(_, memory)| *memory)
    }

    fn memory(&self, arg: i32) -> Result<&'a Memory> {
        self.get(arg).ok_or_else(|| Error::invalid(format!("argument {arg} is missing")))
    }

    /// A buffer of an argument.
    pub fn buffer(&self, arg: i32, handle: usize) -> Result<Buffer> {
        self.memory(arg)?
            .buffer(handle)?
            .ok_or_else(|| Error::invalid(format!("the memory of argument {arg} has no buffer {handle} yet")))
    }

    /// The value of a host-scalar argument.
    pub fn host_number(&self, arg: i32) -> Result<f64> {
        self.memory(arg)?.host_number()
    }

    /// Checks that every argument is there, belongs to the engine that `engine_of` says, and fits its descriptor.
    pub fn check<'e>(&self, expected: &[ArgDesc], engine_of: impl Fn(i32) -> &'e Engine) -> Result<()> {
        for desc in expected {
            let memory = match self.get(desc.arg) {
                Some(memory) => memory,
                // A tensor without elements needs no memory.
                None if desc.md.is_zero() => continue,
                None => return Err(Error::invalid(format!("argument {} is missing", desc.arg))),
            };
            ensure!(
                fits(&desc.md, memory.desc()),
                "argument {} is {}, expected is {}",
                desc.arg,
                memory.desc().verbose(false),
                desc.md.verbose(false)
            );
            if let Some(engine) = memory.engine() {
                ensure!(
                    engine == engine_of(desc.arg),
                    "the memory of argument {} belongs to another engine than the primitive",
                    desc.arg
                );
            }
        }
        Ok(())
    }

    /// Checks that the ends of groups rise, stay inside of their tensors and are those of the other tensors. Reads them, so only
    /// the host can afford it: its commands have run when the call that submits them returns.
    pub fn check_groups(&self, expected: &[ArgDesc]) -> Result<()> {
        let mut first: Option<(i32, Vec<i32>)> = None;
        for &ArgDesc { arg, ref md, .. } in expected {
            let Some(Sparse::Grouped { variable_dim, .. }) = md.sparse() else { continue };
            let ends = self.memory(arg)?.read_handle_to::<i32>(1)?;
            let length = md.dims()[*variable_dim];
            let rise = ends.iter().try_fold(0, |start, &end| (end >= start).then_some(end));
            ensure!(
                rise.is_some_and(|last| i64::from(last) <= length),
                "the groups of argument {arg} do not rise from 0 to at most {length}"
            );
            match &first {
                None => first = Some((arg, ends)),
                Some((other, known)) => {
                    ensure!(*known == ends, "the groups of argument {arg} end elsewhere than those of argument {other}")
                }
            }
        }
        Ok(())
    }
}

/// Whether a memory can stand where a descriptor is expected: equal, or of definite sizes where those were left open, or
/// the same elements in the same order for the dense tensors of attributes. Signed integers may lie in memory of unsigned ones and
/// the other way round: a sum may take its destination for either.
fn fits(expected: &MemoryDesc, given: &MemoryDesc) -> bool {
    if expected == given || expected.is_zero() {
        return true;
    }
    let (wanted, found) = (expected.data_type(), given.data_type());
    let integers = wanted.is_integer() && found.is_integer() && wanted.bits() == found.bits();
    // Kernels that are transformed in another way are equal in all but this.
    let is_transformed = expected.transformed().is_some();
    if (wanted != found && !integers) || is_transformed || expected.format_kind() != given.format_kind() {
        return false;
    }
    if expected.has_runtime_dims_or_strides() {
        // Another rank is looked at again when the dimensions are definite.
        let open = |a: i64, b: i64| a == crate::desc::RUNTIME_DIM || a == b;
        return (expected.ndims() != given.ndims() && given.is_row_major())
            || (expected.ndims() == given.ndims()
                && expected.dims().iter().zip(given.dims().iter()).all(|(&a, &b)| open(a, b)));
    }
    if expected.has_same_layout(given) || is_part(expected, given) {
        return true;
    }
    expected.is_row_major() && given.is_row_major() && expected.nelems(false) == given.nelems(false)
}

/// Whether a tensor can be a part of another: the same distances between elements, and no more of them.
fn is_part(part: &MemoryDesc, whole: &MemoryDesc) -> bool {
    part.ndims() == whole.ndims()
        && part.blocking() == whole.blocking()
        && part.dims().iter().zip(whole.dims().iter()).all(|(part, whole)| part <= whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType;

    #[test]
    fn integers_of_one_width_lie_in_memory_of_each_other_and_floats_do_not() {
        let md = |data_type| MemoryDesc::with_strides(&[3, 4], data_type, None).unwrap();
        for (expected, given, can) in [
            (DataType::S8, DataType::U8, true),
            (DataType::U8, DataType::S8, true),
            (DataType::S8, DataType::S32, false),
            (DataType::Bf16, DataType::F16, false),
            (DataType::F32, DataType::S32, false),
        ] {
            assert_eq!(fits(&md(expected), &md(given)), can, "{given} for {expected}");
        }
    }
}
