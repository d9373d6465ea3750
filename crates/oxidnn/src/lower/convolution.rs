//! Convolutions and deconvolutions in every pass: one relation between two images and a kernel.
//!
//! Padding is a guard on the load of the image that it pads. Guards that the shape makes superfluous are left out, so a
//! 1x1 convolution is a matrix product.

use super::layer::{self, Element, Inner, Term, summed};
use super::view::{Domain, View};
use super::{copy_type, winograd};
use crate::Result;
use crate::desc::{Attr, Convolution, Layer, MemoryDesc, PostOp, PropKind, Window, arg};
use crate::program::{AxisId, Builder, Expr};

/// Layouts in which images are computed though they lie in others: inputs are copied before, the output is afterwards,
/// and before as well if it is added to.
#[derive(Clone, Debug, Default)]
pub struct Detours {
    /// That of the source, or of its gradient.
    pub src: Option<MemoryDesc>,
    /// That of the destination, or of its gradient.
    pub dst: Option<MemoryDesc>,
}

pub fn lower(b: &Builder, op: &Convolution, attr: &Attr, detours: &Detours) -> Result<()> {
    let (Some(depthwise), Some((first, _, second))) = (&op.depthwise, attr.split_at_depthwise()) else {
        return lower_through(b, op, attr, detours);
    };
    let between = View::scratch_like(b, "between", &depthwise.layer.src)?;
    let inner = Inner { dst: Some(between.clone()), src: None };
    lower_pass(b, op, &first, inner)?;
    let passed = first.post_ops().len() as i32 + 1;
    let number = |arg: i32| match arg {
        arg::DST => arg,
        // The result of one is the source of the other.
        _ if arg == arg::ATTR_SCALES | arg::SRC => arg::ATTR_SCALES | arg::DST,
        _ if arg >= arg::ATTR_MULTIPLE_POST_OP_BASE => arg + passed * arg::ATTR_MULTIPLE_POST_OP_BASE,
        _ => arg | arg::ATTR_POST_OP_DW,
    };
    b.renumbered(number, || lower_pass(b, depthwise, &second, Inner { src: Some(between), dst: None }))
}

fn lower_through(b: &Builder, op: &Convolution, attr: &Attr, detours: &Detours) -> Result<()> {
    let Layer { prop, src, dst, .. } = &op.layer;
    let (src_arg, dst_arg) = match prop {
        PropKind::BackwardData => (arg::DIFF_SRC, arg::DIFF_DST),
        PropKind::BackwardWeights => (arg::SRC, arg::DIFF_DST),
        _ => (arg::SRC, arg::DST),
    };
    let adds_to_results = attr.post_ops().iter().any(|op| matches!(op, PostOp::Sum { .. }));
    let mut inner = Inner::default();
    let mut results = None;
    for (detour, name, number, md, inner) in
        [(&detours.src, "src", src_arg, src, &mut inner.src), (&detours.dst, "dst", dst_arg, dst, &mut inner.dst)]
    {
        let Some(detour) = detour else { continue };
        let (given, turned) = (View::new(b, name, number, md)?, View::scratch_like(b, "turned", detour)?);
        *inner = Some(turned.clone());
        let is_result = matches!(number, arg::DST | arg::DIFF_SRC);
        if !is_result || adds_to_results {
            copy(b, &given, &turned)?;
        }
        if is_result {
            results = Some((turned, given));
        }
    }
    lower_pass(b, op, attr, inner)?;
    results.map_or(Ok(()), |(turned, given)| copy(b, &turned, &given))
}

/// Copies an image to another layout.
fn copy(b: &Builder, from: &View<'_>, to: &View<'_>) -> Result<()> {
    let Domain { axes, index, bounds } = Domain::of(b, &to.md)?;
    let x = from.load(&index, copy_type(from.md.data_type(), to.md.data_type(), &Attr::new()));
    b.stage("turn", axes, bounds, vec![to.store(&index, x)]);
    Ok(())
}

fn lower_pass<'b>(b: &'b Builder, op: &Convolution, attr: &Attr, inner: Inner<'b>) -> Result<()> {
    if op.uses_winograd() {
        return winograd::lower(b, op, attr);
    }
    let name = if op.transposed { "deconvolution" } else { "convolution" };
    let lowering = Lowering { b, op };
    layer::lower(b, name, &op.layer, attr, inner, |index| match op.layer.prop {
        PropKind::BackwardWeights => lowering.weights_term(index),
        _ => lowering.data_term(index),
    })
}

struct Lowering<'a, 'b> {
    b: &'b Builder,
    op: &'a Convolution,
}

impl<'b> Lowering<'_, 'b> {
    /// Forward and backward by data: an element of one image is a sum over channels of the other and the kernel.
    fn data_term(&self, index: &[Expr<'b>]) -> Term<'b> {
        let (b, op) = (self.b, self.op);
        let filter = op.filter();
        let forward = op.layer.prop.is_forward();
        let (channels, summed_channels) = if forward { (filter[0], filter[1]) } else { (filter[1], filter[0]) };
        let (group, channel) = self.split_channel(index[1], channels);
        let mut axes = Vec::new();
        let other = summed(b, &mut axes, "c", summed_channels);
        let kernel = self.kernel_axes(&mut axes);
        let mut left = vec![index[0], self.join_channel(group, other, summed_channels)];
        let mut guard = None;
        for (i, &k) in kernel.iter().enumerate() {
            let position = if forward != op.transposed {
                self.in_large(i, index[i + 2], k, &mut guard)
            } else {
                self.in_small(i, index[i + 2], k, &mut guard)
            };
            left.push(position);
        }
        let [oc, ic] = if forward { [channel, other] } else { [other, channel] };
        let groups = op.has_groups().then_some(group);
        let right = groups.into_iter().chain([oc, ic]).chain(kernel).collect();
        Term { axes, left: Element { index: left, guard }, right: Element::at(right) }
    }

    /// Backward by weights: an element of the kernel is a sum over the batch and the positions of the smaller image.
    fn weights_term(&self, index: &[Expr<'b>]) -> Term<'b> {
        let (b, op) = (self.b, self.op);
        let filter = op.filter();
        let (groups, rest) = index.split_at(usize::from(op.has_groups()));
        let group = groups.first().copied().unwrap_or(b.index(0));
        let (_, small) = op.images();
        let mut axes = Vec::new();
        let n = summed(b, &mut axes, "n", small.dims()[0]);
        let mut src = vec![n, self.join_channel(group, rest[1], filter[1])];
        let mut dst = vec![n, self.join_channel(group, rest[0], filter[0])];
        let mut guard = None;
        for i in 0..filter.len() - 2 {
            let o = summed(b, &mut axes, "o", small.dims()[i + 2]);
            let position = self.in_large(i, o, rest[i + 2], &mut guard);
            let (in_src, in_dst) = if op.transposed { (o, position) } else { (position, o) };
            src.push(in_src);
            dst.push(in_dst);
        }
        let (src_guard, dst_guard) = if op.transposed { (None, guard) } else { (guard, None) };
        Term { axes, left: Element { index: src, guard: src_guard }, right: Element { index: dst, guard: dst_guard } }
    }

    fn kernel_axes(&self, axes: &mut Vec<AxisId>) -> Vec<Expr<'b>> {
        self.op.filter()[2..].iter().map(|&dim| summed(self.b, axes, "k", dim)).collect()
    }

    /// The group of a channel, and the channel within the group.
    fn split_channel(&self, channel: Expr<'b>, per_group: i64) -> (Expr<'b>, Expr<'b>) {
        if self.op.groups() == 1 {
            return (self.b.index(0), channel);
        }
        let per_group = self.b.extent(per_group);
        (channel / per_group, channel % per_group)
    }

    fn join_channel(&self, group: Expr<'b>, within: Expr<'b>, per_group: i64) -> Expr<'b> {
        group * self.b.extent(per_group) + within
    }

    /// The position in the larger image for a position in the smaller one and in the kernel.
    fn in_large(&self, i: usize, o: Expr<'b>, k: Expr<'b>, guard: &mut Option<Expr<'b>>) -> Expr<'b> {
        let b = self.b;
        let Window { strides, dilations, padding_l, .. } = &self.op.window;
        let (large, small) = self.op.images();
        let (large, small, kernel) = (large.dims()[i + 2], small.dims()[i + 2], self.op.filter()[i + 2]);
        let mut position = o * b.extent(strides[i]) + k * b.extent(dilations[i] + 1);
        if padding_l[i] != 0 {
            position = position - b.param(padding_l[i]);
            require(guard, position.ge(0));
        }
        if (small - 1) * strides[i] + (kernel - 1) * (dilations[i] + 1) - padding_l[i] >= large {
            require(guard, position.lt(b.param(large)));
        }
        position
    }

    /// The position in the smaller image for a position in the larger one and in the kernel.
    fn in_small(&self, i: usize, position: Expr<'b>, k: Expr<'b>, guard: &mut Option<Expr<'b>>) -> Expr<'b> {
        let b = self.b;
        let Window { strides, dilations, padding_l, .. } = &self.op.window;
        let (large, small) = self.op.images();
        let (large, small, kernel) = (large.dims()[i + 2], small.dims()[i + 2], self.op.filter()[i + 2]);
        let mut start = position;
        if padding_l[i] != 0 {
            start = start + b.param(padding_l[i]);
        }
        start = start - k * b.extent(dilations[i] + 1);
        if (kernel - 1) * (dilations[i] + 1) > padding_l[i] {
            require(guard, start.ge(0));
        }
        let stride = b.extent(strides[i]);
        if strides[i] != 1 {
            require(guard, (start % stride).equals(0));
        }
        let o = start / stride;
        if (large - 1 + padding_l[i]) / strides[i] >= small {
            require(guard, o.lt(b.param(small)));
        }
        o
    }
}

fn require<'b>(guard: &mut Option<Expr<'b>>, condition: Expr<'b>) {
    *guard = Some(guard.map_or(condition, |all| all & condition));
}
