//! Layouts that were left to the library: those that the schedules of the device read best.

use crate::desc::{Attr, InnerBlock, InnerProduct, Layout, MemoryDesc, Op, PropKind, Rnn, arg};
use crate::runtime::Device;
use crate::{Result, lower, schedule};

/// Replaces layouts that were left to the library, in the operation and in its attributes.
pub(super) fn choose(op: &mut Op, attr: &mut Attr, device: &Device) -> Result<()> {
    let open: Vec<i32> = weights(op).iter().filter(|(_, md)| md.is_any()).map(|(number, _)| *number).collect();
    op.resolve(attr)?;
    if open.is_empty() || matches!(device, Device::Cpu(_)) {
        return Ok(());
    }
    if op.args(attr)?.iter().any(|desc| desc.md.has_runtime_dims_or_strides() || desc.md.has_zero_dim()) {
        return Ok(());
    }
    // A layout decides which axes merge, and so which panels suit it; recurrent networks have such axes.
    let most = if matches!(op, Op::Rnn(_)) { 3 } else { 1 };
    let mut chosen = Vec::new();
    for _ in 0..most {
        let before = std::mem::take(&mut chosen);
        let program = lower::lower(op, attr)?;
        for &number in &open {
            let Some((columns, order)) = panels(op, number) else { continue };
            if let Some(panels) = schedule::panels(program.clone(), device.profile(), number, &open) {
                let mut inner = Vec::new();
                if panels.width > 1 {
                    inner.push(InnerBlock { dim: columns, size: panels.width });
                }
                // Several sums are the gates of a cell, the dimension in front of the columns.
                if panels.sums > 1 {
                    inner.insert(0, InnerBlock { dim: columns - 1, size: panels.sums });
                }
                // Groups are the first dimension.
                if panels.groups > 1 {
                    inner.insert(0, InnerBlock { dim: 0, size: panels.groups });
                }
                if let Some(&summed) = order.last().filter(|_| panels.group > 1) {
                    inner.push(InnerBlock { dim: summed, size: panels.group });
                }
                chosen.push((number, Layout { order, inner }));
            }
        }
        if chosen == before {
            break;
        }
        for (number, md) in weights(op) {
            if let Some((_, layout)) = chosen.iter().find(|(of, _)| *of == number) {
                *md = MemoryDesc::with_layout(md.dims(), md.data_type(), layout)?;
            }
        }
    }
    Ok(())
}

/// The weights that an operation reads, by their execution arguments.
fn weights(op: &mut Op) -> Vec<(i32, &mut MemoryDesc)> {
    let layer = match op {
        Op::Matmul(matmul) => return vec![(arg::WEIGHTS, &mut matmul.weights)],
        Op::Rnn(Rnn { tensors, .. }) => {
            return vec![
                (arg::WEIGHTS_LAYER, &mut tensors.weights_layer),
                (arg::WEIGHTS_ITER, &mut tensors.weights_iter),
                (arg::WEIGHTS_PROJECTION, &mut tensors.weights_projection),
            ];
        }
        Op::InnerProduct(product) => &mut product.layer,
        Op::Convolution(convolution) => &mut convolution.layer,
        _ => return Vec::new(),
    };
    match layer.prop {
        PropKind::BackwardWeights => Vec::new(),
        _ => vec![(arg::WEIGHTS, &mut layer.weights)],
    }
}

/// How weights lie in panels: the dimension that is cut into them, and the order of dimensions, in which a panel comes
/// before all that is summed.
fn panels(op: &Op, number: i32) -> Option<(usize, Vec<usize>)> {
    match op {
        // Forwards, gates lie between what is summed and the columns; backwards, they are summed too.
        Op::Rnn(Rnn { diff: None, .. }) if number == arg::WEIGHTS_PROJECTION => Some((3, vec![0, 1, 3, 2])),
        Op::Rnn(Rnn { diff: None, .. }) => Some((4, vec![0, 1, 3, 4, 2])),
        Op::Rnn(_) if number == arg::WEIGHTS_PROJECTION => Some((2, vec![0, 1, 2, 3])),
        Op::Rnn(_) => Some((2, vec![0, 1, 2, 3, 4])),
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
