//! Layouts that were left to the library: those that the schedules of the device read best.

use crate::desc::{Attr, InnerBlock, Layout, MemoryDesc, Op, arg};
use crate::runtime::Device;
use crate::{Result, lower, schedule};

/// Replaces layouts that were left to the library, in the operation and in its attributes.
pub(super) fn choose(op: &mut Op, attr: &mut Attr, device: &Device) -> Result<()> {
    let open_weights = matches!(&op, Op::Matmul(matmul) if matmul.weights.is_any());
    op.resolve(attr)?;
    if !open_weights || matches!(device, Device::Cpu(_)) {
        return Ok(());
    }
    if op.args(attr)?.iter().any(|desc| desc.md.has_runtime_dims_or_strides() || desc.md.has_zero_dim()) {
        return Ok(());
    }
    let width = schedule::panel_width(lower::lower(op, attr)?, device.profile(), arg::WEIGHTS);
    if let (Op::Matmul(matmul), Some(width)) = (op, width) {
        matmul.weights = panels(&matmul.weights, width)?;
    }
    Ok(())
}

/// Matrices whose columns lie in panels of `width`, each panel row after row.
fn panels(md: &MemoryDesc, width: i64) -> Result<MemoryDesc> {
    let columns = md.ndims() - 1;
    let mut order: Vec<usize> = (0..md.ndims()).collect();
    order.swap(columns - 1, columns);
    let inner = vec![InnerBlock { dim: columns, size: width }];
    MemoryDesc::with_layout(md.dims(), md.data_type(), &Layout { order, inner })
}
