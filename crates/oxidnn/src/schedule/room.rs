//! How much memory copies may take: scratchpads stay below the size of what a primitive reads and writes.

use std::collections::BTreeMap;

use crate::desc::DataType;
use crate::program::*;

/// Bytes that a program's scratchpad leaves of the size of its arguments.
fn room(program: &Program) -> i64 {
    let mut arguments = BTreeMap::new();
    let mut scratchpad = 0;
    for tensor in &program.tensors {
        let bytes = |elements: usize| tensor.data_type.bytes(elements) as i64;
        match tensor.binding {
            Binding::Arg { arg, handle } => {
                arguments.insert((arg, handle), bytes(tensor.elements.unwrap_or(0) as usize));
            }
            Binding::Scratch { elements, .. } => scratchpad += bytes(elements),
            Binding::Table(_) => {}
        }
    }
    arguments.values().sum::<i64>() - scratchpad
}

/// Whether a copy of so many elements leaves the scratchpad small enough.
pub(super) fn has_room(program: &Program, data_type: DataType, elements: i64) -> bool {
    usize::try_from(elements).is_ok_and(|elements| data_type.bytes(elements) as i64 <= room(program))
}
