//! Batch, layer and group normalization, forward and backward.
//!
//! The three differ in which elements share statistics; [`Shared`] says so in index arithmetic, the rest is the same.

use super::epilogue::Attributes;
use super::float_type;
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{Attr, DataType, Diff, Layout, MemoryDesc, NormFlags, Normalization, PropKind, Sharing, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// Elements that stay in an inner cache while they are read again.
const SMALL: i64 = 1 << 15;
/// The same for the innermost cache.
const SMALLEST: i64 = 1 << 12;
/// Most channels that are read together.
const MOST_SIDE_BY_SIDE: i64 = 256;

/// Which elements share statistics.
struct Shared<'a, 'b> {
    b: &'b Builder,
    op: &'a Normalization,
    ty: Ty,
}

impl<'b> Shared<'_, 'b> {
    /// Where the statistics of the element at `index` are.
    fn stat_index(&self, index: &[Expr<'b>]) -> Vec<Expr<'b>> {
        match self.op.sharing {
            Sharing::Batch => vec![index[1]],
            Sharing::Layer => index[..index.len() - 1].to_vec(),
            Sharing::Group { groups } => vec![index[0], index[1] / self.b.extent(self.op.src.dims()[1] / groups)],
        }
    }

    /// The elements that share the statistics at `stat`: their index, and the axes that run over them.
    fn elements(&self, stat: &[Expr<'b>]) -> (Vec<Expr<'b>>, Vec<AxisId>) {
        let b = self.b;
        let dims = self.op.src.dims();
        match self.op.sharing {
            Sharing::Batch => self.channel_elements(stat[0]),
            Sharing::Layer => {
                let axis = b.sized_axis("row", dims[dims.len() - 1]);
                (stat.iter().copied().chain([b.at(axis)]).collect(), vec![axis])
            }
            Sharing::Group { groups } => {
                let in_group = dims[1] / groups;
                let axes = statistic::axes(b, &[&[in_group], &dims[2..]].concat());
                let channel = stat[1] * b.extent(in_group) + b.at(axes[0]);
                let index = [stat[0], channel].into_iter().chain(axes[1..].iter().map(|&axis| b.at(axis)));
                (index.collect(), axes)
            }
        }
    }

    /// The elements that share a scale and a shift.
    fn channel_elements(&self, channel: Expr<'b>) -> (Vec<Expr<'b>>, Vec<AxisId>) {
        let dims = self.op.src.dims();
        let at = self.op.channel();
        let axes = statistic::axes(self.b, &[&dims[..at], &dims[at + 1..]].concat());
        let mut index: Vec<Expr<'b>> = axes.iter().map(|&axis| self.b.at(axis)).collect();
        index.insert(at, channel);
        (index, axes)
    }

    /// How many elements share statistics.
    fn count(&self) -> Expr<'b> {
        let dims = self.op.src.dims();
        let all: i64 = dims.iter().product();
        let shared = all / self.op.stat.dims().iter().product::<i64>().max(1);
        // As an integer argument, because the count may not fit the digits of an f32.
        self.b.param(shared.max(1)).to(self.ty)
    }

    /// A sum over all elements that share statistics, at `stat`.
    fn sum(&self, stat: &[Expr<'b>], value: impl FnOnce(&[Expr<'b>]) -> Expr<'b>) -> Expr<'b> {
        let (index, axes) = self.elements(stat);
        self.b.reduce(ReduceOp::Sum, &axes, value(&index))
    }

    /// Mean, if there is one, and variance.
    fn statistics(&self, src: &View<'b>, mean: Option<&View<'b>>, variance: &View<'b>) -> Result<()> {
        let Shared { b, ty, .. } = *self;
        if let Some(mean) = mean {
            statistic::fill(b, "norm_mean", mean, |index| Ok(self.sum(index, |at| src.load(at, ty)) / self.count()))?;
        }
        statistic::fill(b, "norm_variance", variance, |index| {
            let total = self.sum(index, |at| {
                let x = src.load(at, ty);
                let centred = mean.map_or(x, |mean| x - mean.load(index, ty));
                centred * centred
            });
            Ok(total / self.count())
        })
    }

    /// Whether statistics are those of smaller parts, a channel of an image each, put together: all images have a part in
    /// those of a channel, and so have the channels of a group. Where these are no neighbours in memory a group is read as
    /// one. What is small is read again at no price, and its statistics have no means of parts to round.
    fn has_parts(&self) -> bool {
        let dims = self.op.src.dims();
        let area: i64 = dims[2..].iter().product();
        let is_large = dims.iter().product::<i64>() > SMALL;
        match self.op.sharing {
            Sharing::Batch => is_large && dims[0] > 1 && area > 1,
            Sharing::Group { .. } => is_large && self.has_neighbours() && area > 1,
            Sharing::Layer => false,
        }
    }

    /// Whether channels of a group lie side by side.
    fn has_neighbours(&self) -> bool {
        let Normalization { src, sharing: Sharing::Group { groups }, .. } = self.op else { return false };
        src.dims()[1] > *groups && src.dims().iter().all(|&dim| dim > 0) && self.side_by_side() > 1
    }

    /// How many channels lie side by side and are read together.
    fn side_by_side(&self) -> i64 {
        let src = &self.op.src;
        let at = |channel: i64| {
            let index: Vec<i64> = (0..src.ndims()).map(|d| if d == 1 { channel } else { 0 }).collect();
            src.offset_of(&index)
        };
        (1..src.dims()[1].min(MOST_SIDE_BY_SIDE)).take_while(|&channel| at(channel) - at(0) == channel).count() as i64
            + 1
    }

    /// Into how many pieces, of some of its rows each, an image is cut so that a part and its neighbours stay in the innermost cache
    /// while they are read again.
    fn pieces(&self) -> i64 {
        let dims = self.op.src.dims();
        let together = self.side_by_side();
        let row = dims[3..].iter().product::<i64>() * together;
        let fits = |pieces: &i64| dims[2] % pieces == 0 && dims[2] / pieces * row <= SMALLEST;
        if together == 1 { 1 } else { (1..dims[2]).find(fits).unwrap_or(dims[2]) }
    }

    /// A number for each part of each channel of each image, in the order in which these are read.
    fn parts_layout(&self, ty: Ty) -> Result<MemoryDesc> {
        let dims = self.op.src.dims();
        let layout = match self.op.src.inner_blocks() {
            [block] if block.dim == 1 && dims[1] % block.size == 0 => {
                Layout { order: vec![0, 1, 2], inner: vec![*block] }
            }
            _ => Layout { order: vec![0, 2, 1], inner: Vec::new() },
        };
        MemoryDesc::with_layout(&[dims[0], dims[1], self.pieces()], ty.storage(), &layout)
    }

    /// The parts of the statistics at `stat`, and the axes that run over them.
    fn parts(&self, stat: &[Expr<'b>]) -> (Vec<Expr<'b>>, Vec<AxisId>) {
        let (b, dims) = (self.b, self.op.src.dims());
        let piece = b.sized_axis("piece", self.pieces());
        match self.op.sharing {
            Sharing::Group { groups } => {
                let axis = b.sized_axis("part", dims[1] / groups);
                let channel = stat[1] * b.extent(dims[1] / groups) + b.at(axis);
                (vec![stat[0], channel, b.at(piece)], vec![axis, piece])
            }
            _ => {
                let axis = b.sized_axis("part", dims[0]);
                (vec![b.at(axis), stat[0], b.at(piece)], vec![axis, piece])
            }
        }
    }

    /// Mean and variance from those of parts: a part is small enough to be read twice at the price of once.
    fn statistics_by_parts(&self, src: &View<'b>, mean: &View<'b>, variance: &View<'b>) -> Result<()> {
        let Shared { b, op, ty } = *self;
        let dims = op.src.dims();
        let rows = dims[2] / self.pieces();
        let area = rows * dims[3..].iter().product::<i64>();
        let kept = self.parts_layout(ty)?;
        let sums = View::scratch_like(b, "norm_part_sum", &kept)?;
        let squares = View::scratch_like(b, "norm_part_squares", &kept)?;
        let count = || b.param(area).to(ty);
        let part_mean = |part: &[Expr<'b>]| {
            let count = count();
            sums.load(part, ty) * (count.number(1.0) / count)
        };
        let part_sum = |part: &[Expr<'b>], value: &dyn Fn(Expr<'b>) -> Expr<'b>| {
            let axes = statistic::axes(b, &[&[rows], &dims[3..]].concat());
            let row = part[2] * b.extent(rows) + b.at(axes[0]);
            let index = [part[0], part[1], row].into_iter().chain(axes[1..].iter().map(|&axis| b.at(axis)));
            b.reduce(ReduceOp::Sum, &axes, value(src.load(&index.collect::<Vec<_>>(), ty)))
        };
        statistic::fill(b, "norm_part_sum", &sums, |part| Ok(part_sum(part, &|x| x)))?;
        statistic::fill(b, "norm_part_squares", &squares, |part| {
            let mean = part_mean(part);
            Ok(part_sum(part, &|x| (x - mean) * (x - mean)))
        })?;
        let over_parts = |stat: &[Expr<'b>], value: &dyn Fn(&[Expr<'b>]) -> Expr<'b>| {
            let (part, axes) = self.parts(stat);
            b.reduce(ReduceOp::Sum, &axes, value(&part)) / self.count()
        };
        statistic::fill(b, "norm_mean", mean, |stat| Ok(over_parts(stat, &|part| sums.load(part, ty))))?;
        statistic::fill(b, "norm_variance", variance, |stat| {
            let mean = mean.load(stat, ty);
            Ok(over_parts(stat, &|part| {
                let apart = part_mean(part) - mean;
                squares.load(part, ty) + apart * apart * count()
            }))
        })
    }

    /// Statistics of groups for each of their channels, which are neighbours like the elements that need them.
    fn by_channel(&self, name: &'static str, statistics: &View<'b>) -> Result<View<'b>> {
        let Shared { b, op, ty } = *self;
        let target = View::scratch(b, name, &op.src.dims()[..2], ty)?;
        statistic::fill(b, name, &target, |index| Ok(statistics.load(&self.stat_index(index), ty)))?;
        Ok(target)
    }

    /// Scale or shift of the element at `index`.
    fn weight(&self, number: i32, flag: NormFlags, index: &[Expr<'b>]) -> Result<Option<Expr<'b>>> {
        if !self.op.flags.has(flag) {
            return Ok(None);
        }
        let name = if flag == NormFlags::USE_SCALE { "scale" } else { "shift" };
        let view = View::new(self.b, name, number, &self.op.scale_shift)?;
        Ok(Some(view.load(&[index[self.op.channel()]], self.ty)))
    }

    fn epsilon(&self) -> Expr<'b> {
        self.b.scalar(self.op.epsilon.0).to(self.ty)
    }
}

pub fn lower(b: &Builder, op: &Normalization, attr: &Attr) -> Result<()> {
    let types = [op.src.data_type(), op.dst.data_type(), op.dst.data_type()];
    let shared = Shared { b, op, ty: float_type(types) };
    match &op.diff {
        None => forward(&shared, attr),
        Some(diff) => backward(&shared, diff),
    }
}

fn forward(shared: &Shared<'_, '_>, attr: &Attr) -> Result<()> {
    let Shared { b, op, ty } = *shared;
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let kept = op.stats_are_given() || op.prop == PropKind::ForwardTraining;
    let stat = |name, number| match kept {
        true => View::new(b, name, number, &op.stat),
        false => View::scratch(b, name, op.stat.dims(), ty),
    };
    let mean = if op.has_mean() { Some(stat("mean", arg::MEAN)?) } else { None };
    let variance = stat("variance", arg::VARIANCE)?;
    match &mean {
        _ if op.stats_are_given() => {}
        Some(mean) if shared.has_parts() => shared.statistics_by_parts(&src, mean, &variance)?,
        _ => shared.statistics(&src, mean.as_ref(), &variance)?,
    }
    let attributes = Attributes { b, attr, ty };
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let (mean, variance, at) = match mean {
        Some(mean) if shared.has_neighbours() => {
            let mean = shared.by_channel("norm_channel_mean", &mean)?;
            let variance = shared.by_channel("norm_channel_variance", &variance)?;
            (Some(mean), variance, index[..2].to_vec())
        }
        mean => (mean, variance, shared.stat_index(&index)),
    };
    let x = src.load(&index, ty);
    let deviation = (variance.load(&at, ty) + shared.epsilon()).sqrt();
    let inverse = deviation.number(1.0) / deviation;
    let factor = match shared.weight(arg::SCALE, NormFlags::USE_SCALE, &index)? {
        Some(scale) => scale * inverse,
        None => inverse,
    };
    let mean = mean.map(|mean| mean.load(&at, ty));
    let shift = shared.weight(arg::SHIFT, NormFlags::USE_SHIFT, &index)?;
    let mut x = match (mean, shift) {
        // The mean is part of the shift where what that rounds away is rounded away in any case.
        (Some(mean), Some(shift)) if [&op.src, &op.dst].iter().all(|md| !md.data_type().is_float()) => {
            x * factor + (shift - mean * factor)
        }
        (mean, shift) => {
            let centred = mean.map_or(x, |mean| x - mean) * factor;
            shift.map_or(centred, |shift| centred + shift)
        }
    };
    let mut stores = Vec::new();
    if op.has_relu() {
        if op.adds() {
            x = x + View::new(b, "src1", arg::SRC_1, &op.dst)?.load(&index, ty);
        }
        let positive = x.gt(0.0);
        x = positive.select(x, 0.0);
        if let Some(md) = op.workspace()? {
            let workspace = View::new(b, "workspace", arg::WORKSPACE, &md)?;
            stores.push(workspace.store(&index, positive.to(Ty::S32)));
        }
    }
    // As in softmax, the source's scale is one of the result.
    if let Some(scale) = attributes.scale(arg::SRC, &op.src, &index)? {
        x = x * scale;
    }
    stores.splice(0..0, attributes.finish(x, &dst, arg::DST, &index)?);
    b.stage("normalization", axes, bounds, stores);
    Ok(())
}

fn backward<'b>(shared: &Shared<'_, 'b>, diff: &Diff) -> Result<()> {
    let Shared { b, op, ty } = *shared;
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &diff.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &diff.src)?;
    let mean = if op.has_mean() { Some(View::new(b, "mean", arg::MEAN, &op.stat)?) } else { None };
    let variance = View::new(b, "variance", arg::VARIANCE, &op.stat)?;
    let workspace = match op.workspace()? {
        Some(md) => Some(View::new(b, "workspace", arg::WORKSPACE, &md)?),
        None => None,
    };
    // The gradient where the result was not cut off.
    let passed = |index: &[Expr<'b>]| {
        let d = gradient.load(index, ty);
        workspace.as_ref().map_or(d, |workspace| workspace.load(index, Ty::S32).differs(0).select(d, 0.0))
    };
    let centred = |index: &[Expr<'b>]| {
        let x = src.load(index, ty);
        mean.as_ref().map_or(x, |mean| x - mean.load(&shared.stat_index(index), ty))
    };
    let inverse = |stat: &[Expr<'b>]| {
        let deviation = (variance.load(stat, ty) + shared.epsilon()).sqrt();
        deviation.number(1.0) / deviation
    };
    let through_stats = !op.flags.has(NormFlags::USE_GLOBAL_STATS);
    // Where a channel's elements share everything, its own gradients are the sums that its elements' need.
    let by_channel = op.sharing == Sharing::Batch && op.scale_shift.data_type() == DataType::F32 && ty == Ty::F32;
    let mut of_channels = Vec::new();
    // What reads the destination's gradient as a whole comes before the stage that may overwrite it.
    for (name, number, flag) in
        [("diff_scale", arg::DIFF_SCALE, NormFlags::USE_SCALE), ("diff_shift", arg::DIFF_SHIFT, NormFlags::USE_SHIFT)]
    {
        let asked = op.has_weight_gradients() && op.flags.has(flag);
        let needed = asked || (by_channel && through_stats);
        if !needed {
            continue;
        }
        let target = match asked {
            true => View::new(b, name, number, &op.scale_shift)?,
            false => View::scratch(b, name, op.stat.dims(), ty)?,
        };
        statistic::fill(b, name, &target, |index| {
            let (at, axes) = shared.channel_elements(index[0]);
            let d = passed(&at);
            let body = match flag {
                NormFlags::USE_SCALE => d * (centred(&at) * inverse(&shared.stat_index(&at))),
                _ => d,
            };
            Ok(b.reduce(ReduceOp::Sum, &axes, body))
        })?;
        of_channels.push(target);
    }
    let scaled = |index: &[Expr<'b>]| -> Result<Expr<'b>> {
        let d = passed(index);
        Ok(match shared.weight(arg::SCALE, NormFlags::USE_SCALE, index)? {
            Some(scale) => d * scale,
            None => d,
        })
    };
    let mut sums = None;
    if through_stats && !by_channel {
        let of_gradient = View::scratch(b, "norm_sum", op.stat.dims(), ty)?;
        statistic::fill(b, "norm_sum", &of_gradient, |stat| {
            let (index, axes) = shared.elements(stat);
            Ok(b.reduce(ReduceOp::Sum, &axes, scaled(&index)?))
        })?;
        let of_product = View::scratch(b, "norm_product", op.stat.dims(), ty)?;
        statistic::fill(b, "norm_product", &of_product, |stat| {
            let (index, axes) = shared.elements(stat);
            Ok(b.reduce(ReduceOp::Sum, &axes, scaled(&index)? * centred(&index)))
        })?;
        sums = Some((of_gradient, of_product));
    }
    let Domain { axes, index, bounds } = Domain::of(b, &diff.src)?;
    let stat = shared.stat_index(&index);
    let inverse = inverse(&stat);
    let mut x = scaled(&index)?;
    if let Some((of_gradient, of_product)) = &sums {
        let product = of_product.load(&stat, ty) * inverse * inverse / shared.count();
        x = x - (of_gradient.load(&stat, ty) / shared.count() + centred(&index) * product);
    }
    if let ([of_scale, of_shift], true) = (&of_channels[..], by_channel && through_stats) {
        let product = inverse * of_scale.load(&stat, ty) / shared.count();
        let mean = of_shift.load(&stat, ty) / shared.count() + centred(&index) * product;
        x = match shared.weight(arg::SCALE, NormFlags::USE_SCALE, &index)? {
            Some(scale) => (passed(&index) - mean) * scale,
            None => passed(&index) - mean,
        };
    }
    let mut stores = vec![out.store(&index, x * inverse)];
    if op.adds() {
        stores.push(View::new(b, "diff_src1", arg::DIFF_SRC_1, &diff.dst)?.store(&index, passed(&index)));
    }
    b.stage("normalization_backward", axes, bounds, stores);
    Ok(())
}
