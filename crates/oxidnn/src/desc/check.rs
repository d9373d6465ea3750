//! The checks that descriptions of operations share.

use super::dims::RUNTIME_DIM;
use super::memory::{Format, MemoryDesc};
use super::types::DataType;
use crate::{Result, ensure, supported};

/// Refuses tensors that are absent, in host memory, sparse or transformed.
pub(super) fn is_dense(name: &str, md: &MemoryDesc) -> Result<()> {
    supported!(md.transformed().is_none(), "{name} is transformed");
    is_dense_or_transformed(name, md)
}

/// Refuses tensors that are absent, in host memory or sparse.
pub(super) fn is_dense_or_transformed(name: &str, md: &MemoryDesc) -> Result<()> {
    ensure!(!md.is_zero(), "{name} is missing");
    ensure!(!md.is_host_scalar(), "{name} is a host scalar");
    supported!(!matches!(md.format(), Format::Sparse(_)), "{name} is sparse");
    Ok(())
}

/// Refuses tensors whose layout is left to the library.
pub(super) fn has_layout(name: &str, md: &MemoryDesc) -> Result<()> {
    ensure!(!md.is_any(), "the layout of {name} must be given");
    Ok(())
}

/// Refuses tensors whose dimensions or strides are only known at execution.
pub(super) fn is_known(name: &str, md: &MemoryDesc) -> Result<()> {
    supported!(!md.has_runtime_dims_or_strides(), "dimensions or strides of {name} are only known at execution");
    Ok(())
}

/// Refuses tensors of different dimensions.
pub(super) fn same_dims(name: &str, md: &MemoryDesc, other_name: &str, other: &MemoryDesc) -> Result<()> {
    ensure!(md.dims() == other.dims(), "{name} is {} but {other_name} is {}", md.dims(), other.dims());
    Ok(())
}

/// Refuses tensors that cannot be broadcast to `dst`: each dimension is the same or 1.
pub(super) fn broadcasts_to(name: &str, md: &MemoryDesc, dst: &MemoryDesc) -> Result<()> {
    let fits = md.ndims() == dst.ndims() && md.dims().iter().zip(&**dst.dims()).all(|(&a, &b)| a == 1 || a == b);
    ensure!(fits, "{name} of {} cannot be broadcast to {}", md.dims(), dst.dims());
    Ok(())
}

/// Whether two dimensions agree; what is only known at execution agrees with what is, too.
pub(super) fn may_equal(a: i64, b: i64) -> bool {
    a == b || a == RUNTIME_DIM || b == RUNTIME_DIM
}

/// Refuses element types outside of those that arithmetic operations take: floats of 8 bits and more, s32, s8 and u8.
pub(super) fn is_numeric(name: &str, data_type: DataType) -> Result<()> {
    use DataType::*;
    let is_numeric = matches!(data_type, F64 | F32 | F16 | Bf16 | F8E5m2 | F8E4m3 | S32 | S8 | U8);
    supported!(is_numeric, "{name} of type {data_type}");
    Ok(())
}
