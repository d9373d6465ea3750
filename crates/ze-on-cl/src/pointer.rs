//! Every read and write through a caller's pointer.
//!
//! The API's contract is that a pointer which is not null points to what its type says, for as long as the call lasts. These
//! functions take that for granted and check the rest; only entry points call them.

use std::ffi::{CStr, c_char, c_void};

use crate::bindings::*;
use crate::{Error, Result};

const NULL_POINTER: Error = Error(ZE_RESULT_ERROR_INVALID_NULL_POINTER);

/// What an input points to.
pub(crate) fn required<'a, T>(pointer: *const T) -> Result<&'a T> {
    optional(pointer).ok_or(NULL_POINTER)
}

/// What an input points to, unless it is null.
pub(crate) fn optional<'a, T>(pointer: *const T) -> Option<&'a T> {
    // SAFETY: the module's contract.
    unsafe { pointer.as_ref() }
}

/// What an output structure points to, some of whose fields are inputs.
pub(crate) fn output<'a, T>(pointer: *mut T) -> Result<&'a mut T> {
    // SAFETY: the module's contract; the structure is the caller's and nobody else uses it during the call.
    unsafe { pointer.as_mut() }.ok_or(NULL_POINTER)
}

/// Gives the caller a value.
pub(crate) fn write<T>(pointer: *mut T, value: T) -> Result {
    non_null(pointer)?;
    // SAFETY: the module's contract. Alignment is not taken for granted: some outputs are `void *`.
    unsafe { pointer.write_unaligned(value) };
    Ok(())
}

/// An error if a pointer is null.
pub(crate) fn non_null<T>(pointer: *const T) -> Result {
    if pointer.is_null() { Err(NULL_POINTER) } else { Ok(()) }
}

/// The elements of an input array; a null pointer is an error unless there are none.
pub(crate) fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    non_null(pointer)?;
    // SAFETY: the module's contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// The text of an input string.
pub(crate) fn text<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    non_null(pointer)?;
    // SAFETY: the module's contract.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// The API's way to hand out lists: a count of 0 asks how many there are, else as many as fit are written.
pub(crate) fn list<T: Clone>(count: *mut u32, out: *mut T, items: &[T]) -> Result {
    let count = output(count)?;
    let total = items.len() as u32;
    if *count == 0 || out.is_null() {
        *count = total;
        return Ok(());
    }
    *count = total.min(*count);
    for (index, item) in items[..*count as usize].iter().enumerate() {
        // SAFETY: the caller said that there is room for that many.
        unsafe { out.add(index).write(item.clone()) };
    }
    Ok(())
}

/// Like [`list`], for structures whose first fields are inputs: `fill` gets each one in place.
pub(crate) fn structures<T>(count: *mut u32, out: *mut T, total: usize, fill: impl Fn(usize, &mut T)) -> Result {
    let count = output(count)?;
    if *count == 0 || out.is_null() {
        *count = total as u32;
        return Ok(());
    }
    *count = (total as u32).min(*count);
    for index in 0..*count as usize {
        // SAFETY: the caller said that there is room for that many.
        fill(index, output(unsafe { out.add(index) })?);
    }
    Ok(())
}

/// The API's way to hand out bytes: a null buffer or a size of 0 asks for their number.
pub(crate) fn bytes(size: *mut usize, out: *mut u8, content: &[u8]) -> Result {
    let size = output(size)?;
    if !out.is_null() && *size != 0 {
        if *size < content.len() {
            return Err(Error(ZE_RESULT_ERROR_INVALID_SIZE));
        }
        copy(out, content)?;
    }
    *size = content.len();
    Ok(())
}

/// Writes bytes for which the caller has said there is room.
pub(crate) fn copy(out: *mut u8, content: &[u8]) -> Result {
    non_null(out)?;
    // SAFETY: the module's contract.
    unsafe { out.copy_from_nonoverlapping(content.as_ptr(), content.len()) };
    Ok(())
}

/// Puts a name into a field of fixed size.
pub(crate) fn name<const N: usize>(field: &mut [c_char; N], name: &str) {
    field.fill(0);
    for (to, from) in field[..N - 1].iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
}

/// A structure in a chain of extensions.
pub(crate) struct Link(*mut c_void);

impl Link {
    /// The structure, if it is of the type that goes with `stype`.
    pub(crate) fn get<'a, T>(&self, stype: ze_structure_type_t) -> Option<&'a mut T> {
        // SAFETY: the module's contract: a structure of that number has that type.
        (self.stype() == stype).then(|| unsafe { &mut *self.0.cast() })
    }

    fn base(&self) -> &ze_base_properties_t {
        // SAFETY: the module's contract: every extension starts with these fields.
        unsafe { &*self.0.cast() }
    }

    fn stype(&self) -> ze_structure_type_t {
        self.base().stype
    }
}

/// The structures that a `pNext` leads to.
pub(crate) fn chain(next: *const c_void) -> impl Iterator<Item = Link> {
    let link = |pointer: *mut c_void| (!pointer.is_null()).then_some(Link(pointer));
    std::iter::successors(link(next.cast_mut()), move |current| link(current.base().pNext))
}
