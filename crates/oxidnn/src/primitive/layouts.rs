//! Layouts that were left to the library: those that the schedules of the device read best.

use crate::desc::{
    Attr, Convolution, DataType, InnerBlock, InnerProduct, Layout, MemoryDesc, Op, PostOp, PropKind, Rnn, arg,
};
use crate::lower::{self, Detours};
use crate::program::Program;
use crate::runtime::{Device, DeviceType};
use crate::{Result, schedule};

/// Channels of a result from which on it is computed with channels side by side, and turned afterwards.
const FEWEST_CHANNELS: i64 = 16;
/// Elements of a group that is multiplied at once, at most.
const GROUP: i64 = 4;
/// Columns of a panel, at most.
const WIDEST_PANEL: i64 = 64;

/// Replaces layouts that were left to the library, in the operation and in its attributes.
pub(super) fn choose(op: &mut Op, attr: &mut Attr, device: &Device) -> Result<()> {
    let open: Vec<i32> = weights(op).iter().filter(|(_, md)| md.is_any()).map(|(number, _)| *number).collect();
    if !matches!(device, Device::Cpu(_)) {
        choose_rows(op)?;
    }
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
        let program = lower_with(op, attr, device, Weights::Open)?;
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
                // Groups are the first dimension, or follow the positions of transformed kernels.
                if panels.groups > 1 {
                    inner.insert(0, InnerBlock { dim: usize::from(is_transformed(op)), size: panels.groups });
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
                *md = match md.transformed() {
                    Some(kernels) => md.transformed_for_winograd(kernels.sums_inputs, kernels.turned, layout)?,
                    None => MemoryDesc::with_layout(md.dims(), md.data_type(), layout)?,
                };
            }
        }
    }
    Ok(())
}

/// Rows of an inner product have their channels side by side where they are left open along with the weights, as images have that are
/// convolved: groups of channels are whole where those of points are not.
fn choose_rows(op: &mut Op) -> Result<()> {
    let Op::InnerProduct(InnerProduct { layer }) = op else { return Ok(()) };
    let dims = layer.src.dims();
    let is_known = !layer.src.has_runtime_dims_or_strides() && !layer.src.has_zero_dim();
    if is_known && layer.prop.is_forward() && layer.src.is_any() && layer.weights.is_any() && dims[1] % GROUP == 0 {
        layer.src = MemoryDesc::with_layout(dims, layer.src.data_type(), &channels_last(dims.len()))?;
    }
    Ok(())
}

/// Whether the layout of weights is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weights {
    Open,
    Given,
}

/// What an operation with its attributes computes, through layouts that suit the device where those that are given do not.
pub(super) fn lower(op: &Op, attr: &Attr, device: &Device) -> Result<Program> {
    lower_with(op, attr, device, Weights::Given)
}

fn lower_with(op: &Op, attr: &Attr, device: &Device, weights: Weights) -> Result<Program> {
    let has_vectors = !matches!(device, Device::Cpu(_)) && device.profile().device_type == DeviceType::Cpu;
    match op {
        Op::Convolution(convolution) if has_vectors => {
            lower::lower_through(op, attr, &detours(convolution, attr, weights)?)
        }
        _ => lower::lower(op, attr),
    }
}

/// Images whose channels lie in planes are computed with channels side by side: columns of vectors, or what is summed, and never out of
/// bounds all by themselves.
fn detours(convolution: &Convolution, attr: &Attr, weights: Weights) -> Result<Detours> {
    let Convolution { layer, window, depthwise, .. } = convolution;
    let images = [&layer.src, &layer.dst];
    let is_known = images.iter().all(|md| !md.has_runtime_dims_or_strides() && !md.has_zero_dim());
    // These are products of matrices, one of them transposed.
    let is_point = convolution.filter()[2..].iter().all(|&side| side == 1);
    let is_product = convolution.groups() == 1
        && is_point
        && window.strides.iter().all(|&stride| stride == 1)
        && layer.src.dims()[2..] == layer.dst.dims()[2..];
    if !is_known || is_product || depthwise.is_some() || convolution.uses_winograd() {
        return Ok(Detours::default());
    }
    // What is added to them may be of another type.
    let as_they_are = |op: &PostOp| !matches!(op, PostOp::Sum { data_type, .. } if *data_type != DataType::Undef);
    let may_turn = attr.post_ops().iter().all(as_they_are);
    // Nor may weights that have to be copied take more room than they have: only as much is left.
    let are_ready = weights == Weights::Open || convolution.is_depthwise() || !layer.weights.inner_blocks().is_empty();
    let fills_panels = |channels: i64| channels % FEWEST_CHANNELS == 0 && channels % channels.min(WIDEST_PANEL) == 0;
    let fills_vectors = |md: &MemoryDesc| {
        let (channels, groups) = (md.dims()[1], convolution.groups());
        // Few channels share vectors with those of other groups.
        let together = if channels / groups < FEWEST_CHANNELS { channels } else { channels / groups };
        may_turn && channels >= FEWEST_CHANNELS && (are_ready || fills_panels(together))
    };
    // Windows slide over few channels one by one, along the lines of a plane.
    if convolution.is_depthwise() && convolution.groups() < FEWEST_CHANNELS {
        let gains = may_turn && layer.prop != PropKind::BackwardWeights;
        let turned = |md: &MemoryDesc| match gains && !has_planes(md) && md.inner_blocks().is_empty() {
            true => MemoryDesc::with_strides(md.dims(), md.data_type(), None).map(Some),
            false => Ok(None),
        };
        return Ok(Detours { src: turned(&layer.src)?, dst: turned(&layer.dst)? });
    }
    let [src_wanted, dst_wanted] = match layer.prop {
        PropKind::BackwardData => [fills_vectors(&layer.src), true],
        // Pairs of bf16 lie along the lines of a plane, where they are summed.
        PropKind::BackwardWeights if is_point && !convolution.is_depthwise() => [false, false],
        PropKind::BackwardWeights => [layer.src.data_type() != DataType::Bf16 || convolution.is_depthwise(), true],
        _ => [true, fills_vectors(&layer.dst)],
    };
    let through = |md: &MemoryDesc, wanted: bool| match wanted && has_planes(md) {
        true => MemoryDesc::with_layout(md.dims(), md.data_type(), &channels_last(md.ndims())).map(Some),
        false => Ok(None),
    };
    Ok(Detours { src: through(&layer.src, src_wanted)?, dst: through(&layer.dst, dst_wanted)? })
}

/// Whether each of several channels of an image is a plane of its own.
fn has_planes(md: &MemoryDesc) -> bool {
    let dims = md.dims();
    let planes = |strides: &[i64]| strides[2..].iter().zip(&dims[2..]).all(|(&s, &dim)| dim == 1 || s < strides[1]);
    dims[1] > 1
        && dims[2..].iter().any(|&side| side > 1)
        && md.inner_blocks().is_empty()
        && md.strides().is_some_and(|strides| planes(&strides[..]))
}

fn channels_last(ndims: usize) -> Layout {
    Layout { order: [0].into_iter().chain(2..ndims).chain([1]).collect(), inner: Vec::new() }
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

/// Whether it reads kernels that are transformed for Winograd's algorithm.
fn is_transformed(op: &Op) -> bool {
    matches!(op, Op::Convolution(convolution) if convolution.layer.weights.transformed().is_some())
}

/// How weights lie in panels: the dimension that is cut into them, and the order of dimensions, in which a panel comes
/// before all that is summed.
fn panels(op: &Op, number: i32) -> Option<(usize, Vec<usize>)> {
    match op {
        // Positions, groups, columns, sums.
        Op::Convolution(_) if is_transformed(op) => Some((3, vec![0, 1, 3, 2])),
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
                _ => {
                    // What is summed lies as it does in rows. Groups are of neighbours along the last dimension that has some.
                    let channels_last = layer.src.strides().is_some_and(|strides| strides[1] == 1);
                    let mut summed: Vec<usize> =
                        if channels_last { (2..ndims).chain([1]).collect() } else { (1..ndims).collect() };
                    summed.sort_by_key(|&dim| layer.src.dims()[dim] > 1);
                    Some((0, [0].into_iter().chain(summed).collect()))
                }
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
