//! Layouts that were left to the library: those that the schedules of the device read best.

use crate::desc::{Attr, InnerBlock, InnerProduct, Layout, MemoryDesc, Op, PropKind, arg};
use crate::runtime::Device;
use crate::{Result, lower, schedule};

/// Replaces layouts that were left to the library, in the operation and in its attributes.
pub(super) fn choose(op: &mut Op, attr: &mut Attr, device: &Device) -> Result<()> {
    let open = weights(op).is_some_and(|weights| weights.is_any());
    op.resolve(attr)?;
    if !open || matches!(device, Device::Cpu(_)) {
        return Ok(());
    }
    if op.args(attr)?.iter().any(|desc| desc.md.has_runtime_dims_or_strides() || desc.md.has_zero_dim()) {
        return Ok(());
    }
    let Some((columns, order)) = panels(op) else { return Ok(()) };
    let width = schedule::panel_width(lower::lower(op, attr)?, device.profile(), arg::WEIGHTS);
    if let (Some(weights), Some(width)) = (weights(op), width) {
        let inner = vec![InnerBlock { dim: columns, size: width }];
        *weights = MemoryDesc::with_layout(weights.dims(), weights.data_type(), &Layout { order, inner })?;
    }
    Ok(())
}

/// The weights that an operation reads, if it has any.
fn weights(op: &mut Op) -> Option<&mut MemoryDesc> {
    let layer = match op {
        Op::Matmul(matmul) => return Some(&mut matmul.weights),
        Op::InnerProduct(product) => &mut product.layer,
        Op::Convolution(convolution) => &mut convolution.layer,
        _ => return None,
    };
    (layer.prop != PropKind::BackwardWeights).then_some(&mut layer.weights)
}

/// How weights lie in panels: the dimension that is cut into them, and the order of dimensions, in which a panel comes
/// before all that is summed.
fn panels(op: &Op) -> Option<(usize, Vec<usize>)> {
    match op {
        Op::Matmul(matmul) => {
            let columns = matmul.weights.ndims() - 1;
            Some((columns, (0..columns - 1).chain([columns, columns - 1]).collect()))
        }
        Op::InnerProduct(InnerProduct { layer }) => {
            let ndims = layer.weights.ndims();
            match layer.prop {
                PropKind::BackwardData => (ndims == 2).then(|| (1, vec![1, 0])),
                _ => Some((0, (0..ndims).collect())),
            }
        }
        Op::Convolution(convolution) if !convolution.is_depthwise() => {
            let ndims = convolution.layer.weights.ndims();
            let groups = usize::from(convolution.has_groups());
            let (columns, summed) =
                if convolution.layer.prop.is_forward() { (groups, groups + 1) } else { (groups + 1, groups) };
            Some((columns, (0..groups).chain([columns]).chain(groups + 2..ndims).chain([summed]).collect()))
        }
        _ => None,
    }
}
