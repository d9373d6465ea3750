//! Maxima and averages of windows, and their gradients.

use super::epilogue::Attributes;
use super::float_type;
use super::statistic;
use super::view::{Domain, View};
use crate::Result;
use crate::desc::{AlgKind, Attr, DataType, Pooling, arg};
use crate::program::{AxisId, Builder, Expr, ReduceOp, Ty};

/// Most windows of an element, and most elements of a window, that are part of a kernel's structure.
const MOST_WRITTEN_OUT: i64 = 9;

/// The windows as index arithmetic.
struct Windows<'a, 'b> {
    b: &'b Builder,
    op: &'a Pooling,
    /// Axes over the elements of a window.
    axes: Vec<AxisId>,
    strides: Vec<Expr<'b>>,
    /// How many elements a window has along each dimension.
    sizes: Vec<Expr<'b>>,
    /// Distances between neighbours in a window.
    steps: Vec<Expr<'b>>,
    padding: Vec<Expr<'b>>,
    src: Vec<Expr<'b>>,
    dst: Vec<Expr<'b>>,
}

impl<'a, 'b> Windows<'a, 'b> {
    fn new(b: &'b Builder, op: &'a Pooling) -> Windows<'a, 'b> {
        let window = &op.window;
        let spatial = op.src.ndims() - 2;
        let arguments = |values: &[i64]| values.iter().map(|&value| b.extent(value)).collect();
        let none_or = |value: i64| if value == 0 { b.index(0) } else { b.param(value) };
        let kernel = &window.kernel[..spatial];
        let axes = match kernel.iter().product::<i64>() <= MOST_WRITTEN_OUT {
            true => kernel.iter().map(|&extent| b.axis("element", b.index(extent))).collect(),
            false => statistic::axes(b, kernel),
        };
        Windows {
            b,
            op,
            axes,
            strides: arguments(&window.strides[..spatial]),
            sizes: arguments(kernel),
            steps: window.dilation[..spatial].iter().map(|&dilation| b.extent(dilation + 1)).collect(),
            padding: window.padding_l[..spatial].iter().map(|&padding| none_or(padding)).collect(),
            src: arguments(&op.src.dims()[2..]),
            dst: arguments(&op.dst.dims()[2..]),
        }
    }

    /// The number of the window's element at which the axes stand.
    fn number(&self) -> Expr<'b> {
        let written_out = self.op.window.kernel.iter().product::<i64>() <= MOST_WRITTEN_OUT;
        let extents = (0..self.axes.len()).map(|d| self.size(d, written_out));
        let number =
            self.axes.iter().zip(extents).fold(self.b.index(0), |all, (&axis, extent)| all * extent + self.b.at(axis));
        number.to(Ty::S32)
    }

    /// The source's index of the element at which the axes stand, in the window at `index`; and whether it exists, which is not
    /// asked where all do.
    fn source(&self, index: &[Expr<'b>]) -> (Vec<Expr<'b>>, Expr<'b>) {
        let mut at = index.to_vec();
        let mut exists = self.b.bool(true);
        for (d, &axis) in self.axes.iter().enumerate() {
            let i = index[d + 2] * self.strides[d] + self.b.at(axis) * self.steps[d] - self.padding[d];
            if self.op.window.padding_l[d] > 0 {
                exists = exists & i.ge(0);
            }
            if !self.end_inside(d) {
                exists = exists & i.lt(self.src[d]);
            }
            at[d + 2] = i;
        }
        (at, exists)
    }

    /// The windows that the source's element at `index` is in: the one at which `turns` stand, the number of the element in it,
    /// and whether it exists.
    fn window(&self, index: &[Expr<'b>], turns: &[Expr<'b>], written_out: bool) -> (Vec<Expr<'b>>, Expr<'b>, Expr<'b>) {
        let (mut at, mut exists, mut number) = (index.to_vec(), self.b.bool(true), self.b.index(0));
        for (d, &turn) in turns.iter().enumerate() {
            let (at_window, element, inside) = self.window_along(d, index[d + 2], turn, written_out);
            number = number * self.size(d, written_out) + element;
            exists = exists & inside;
            at[d + 2] = at_window;
        }
        (at, number.to(Ty::S32), exists)
    }

    /// The same along one dimension, where `i` is the element's position; the number is that in its row. The strides are part of the structure:
    /// divisions by numbers that are not known are slow. So are the windows' sizes where all turns are written out, since some of these need
    /// not ask then.
    fn window_along(&self, d: usize, i: Expr<'b>, turn: Expr<'b>, written_out: bool) -> (Expr<'b>, Expr<'b>, Expr<'b>) {
        let b = self.b;
        let window = &self.op.window;
        let (stride, kernel, step) = (window.strides[d], window.kernel[d], window.dilation[d] + 1);
        let (source, padding) = (self.op.src.dims()[d + 2], window.padding_l[d]);
        if self.takes_all(d) {
            return self.any_window_along(d, i, turn, written_out);
        }
        let turn = if windows_at(stride, kernel, step) > 1 { turn } else { b.index(0) };
        // Of the padding, whole strides are so many windows and an argument; the rest is part of the structure.
        let position = i + padding % stride;
        let before = if padding < stride { b.index(0) } else { b.param(padding / stride) };
        let at_window = position / stride + before - turn;
        let mut element = position % stride + turn * stride;
        let mut exists = b.bool(true);
        if windows_at(stride, kernel, step) > 1 {
            exists = exists & at_window.ge(0);
        }
        if (source - 1 + padding) / stride >= self.op.dst.dims()[d + 2] {
            exists = exists & at_window.lt(self.dst[d]);
        }
        if step > 1 {
            exists = exists & (element % self.steps[d]).equals(0);
            element = element / self.steps[d];
        }
        if windows_at(stride, kernel, step) > 1 || stride > kernel {
            exists = exists & element.lt(self.size(d, written_out));
        }
        (at_window, element, exists)
    }

    /// The same where the turns are all windows that there are.
    fn any_window_along(
        &self,
        d: usize,
        i: Expr<'b>,
        turn: Expr<'b>,
        written_out: bool,
    ) -> (Expr<'b>, Expr<'b>, Expr<'b>) {
        let b = self.b;
        let window = &self.op.window;
        let (windows, source, padding) = (self.op.dst.dims()[d + 2], self.op.src.dims()[d + 2], window.padding_l[d]);
        let step = window.dilation[d] + 1;
        let at_window = if windows > 1 { turn } else { b.index(0) };
        let mut element = i + self.padding[d] - at_window * self.strides[d];
        let mut exists = b.bool(true);
        if windows > 1 {
            exists = exists & element.ge(0);
        }
        if step > 1 {
            exists = exists & (element % self.steps[d]).equals(0);
            element = element / self.steps[d];
        }
        if windows > 1 || (source - 1 + padding) / step >= window.kernel[d] {
            exists = exists & element.lt(self.size(d, written_out));
        }
        (at_window, element, exists)
    }

    /// How many windows an element is asked for along a dimension.
    fn turns(&self, d: usize) -> i64 {
        let window = &self.op.window;
        windows_at(window.strides[d], window.kernel[d], window.dilation[d] + 1).min(self.op.dst.dims()[d + 2])
    }

    /// Whether those are all that there are.
    fn takes_all(&self, d: usize) -> bool {
        let window = &self.op.window;
        self.op.dst.dims()[d + 2] < windows_at(window.strides[d], window.kernel[d], window.dilation[d] + 1)
    }

    fn size(&self, d: usize, written_out: bool) -> Expr<'b> {
        if written_out { self.b.index(self.op.window.kernel[d]) } else { self.sizes[d] }
    }

    /// Whether no window ends beyond the source along a spatial dimension.
    fn end_inside(&self, d: usize) -> bool {
        let window = &self.op.window;
        let reach = (window.kernel[d] - 1) * (window.dilation[d] + 1);
        let last = (self.op.dst.dims()[d + 2] - 1) * window.strides[d] + reach - window.padding_l[d];
        last < self.op.src.dims()[d + 2]
    }

    /// Whether no window reaches beyond the source.
    fn are_inside(&self) -> bool {
        (0..self.axes.len()).all(|d| self.op.window.padding_l[d] == 0 && self.end_inside(d))
    }

    /// Whether the average of every window is one of as many elements.
    fn count_alike(&self) -> bool {
        self.op.alg == AlgKind::PoolingAvgIncludePadding || self.are_inside()
    }

    /// How many elements the average of the window at `index` is one of.
    fn count(&self, index: &[Expr<'b>], ty: Ty) -> Expr<'b> {
        if self.count_alike() {
            return self.b.param(self.op.window.kernel.iter().product()).to(ty);
        }
        let along = (0..self.axes.len()).map(|d| self.count_along(d, index[d + 2]));
        let count = along.fold(self.b.index(1), |all, count| all * count);
        count.max(1).to(ty)
    }

    /// One over that number; along each dimension by itself, so that one division serves all that lies there.
    fn share(&self, index: &[Expr<'b>], ty: Ty) -> Expr<'b> {
        let one = self.b.constant(ty, 1.0);
        if self.count_alike() {
            return one / self.count(index, ty);
        }
        let along = (0..self.axes.len()).map(|d| one / self.count_along(d, index[d + 2]).max(1).to(ty));
        along.reduce(|all, share| all * share).unwrap_or(one)
    }

    /// How many elements the window at `i` has along a dimension, apart from padding.
    fn count_along(&self, d: usize, i: Expr<'b>) -> Expr<'b> {
        let start = i * self.strides[d];
        let round_up = self.steps[d] - 1;
        let zero = self.b.index(0);
        let before = ((self.padding[d] - start).max(zero) + round_up) / self.steps[d];
        let until = ((self.src[d] + self.padding[d] - start).max(zero) + round_up) / self.steps[d];
        until.min(self.sizes[d]) - before
    }

    /// Whether each window begins an element after the one before, along all dimensions, so that those of an element are neighbours.
    fn slide(&self) -> bool {
        let window = &self.op.window;
        (0..self.axes.len()).all(|d| window.strides[d] == 1 && window.dilation[d] == 0 && !self.takes_all(d))
    }

    /// Of windows that slide those that the source's element at `index` is in: the one at which `turns` stand, and whether it exists.
    fn sliding(&self, index: &[Expr<'b>], turns: &[Expr<'b>]) -> (Vec<Expr<'b>>, Expr<'b>) {
        let b = self.b;
        let (mut at, mut exists) = (index.to_vec(), b.bool(true));
        for (d, &turn) in turns.iter().enumerate() {
            let (kernel, padding) = (self.op.window.kernel[d], self.op.window.padding_l[d]);
            let before = kernel - 1 - padding;
            let i = index[d + 2] + turn - if before == 0 { b.index(0) } else { b.param(before) };
            if before > 0 {
                exists = exists & i.ge(0);
            }
            if self.op.src.dims()[d + 2] - 1 + padding >= self.op.dst.dims()[d + 2] {
                exists = exists & i.lt(self.dst[d]);
            }
            at[d + 2] = i;
        }
        (at, exists)
    }

    /// The gradient of averages of as many elements as windows have apart from padding. What a window hands out along the last dimension is
    /// written out: where elements side by side are along it, each share is one vector for all rows.
    fn shares(&self, gradient: &View<'b>, index: &[Expr<'b>], turns: &[Expr<'b>], last: i64, ty: Ty) -> Expr<'b> {
        let b = self.b;
        let (one, zero) = (b.constant(ty, 1.0), b.constant(ty, 0.0));
        let (mut at, mut exists, mut count) = (index.to_vec(), b.bool(true), b.index(1));
        let (inner, outer) = (turns.len() - 1, &turns[..turns.len() - 1]);
        for (d, &turn) in outer.iter().enumerate() {
            let (at_window, _, inside) = self.window_along(d, index[d + 2], turn, true);
            exists = exists & inside;
            count = count * self.count_along(d, at_window);
            at[d + 2] = at_window;
        }
        let mut sum = zero;
        for turn in 0..last {
            let (at_window, _, inside) = self.window_along(inner, index[inner + 2], b.index(turn), true);
            at[inner + 2] = at_window;
            let share = one / self.count_along(inner, at_window).max(1).to(ty);
            sum = sum + inside.select(gradient.load_if(exists & inside, &at, ty) * share, zero);
        }
        exists.select(sum * (one / count.max(1).to(ty)), zero)
    }
}

pub fn lower(b: &Builder, op: &Pooling, attr: &Attr) -> Result<()> {
    let ty = float_type([op.src.data_type(), op.dst.data_type()]);
    if op.prop.is_forward() { forward(b, op, attr, ty) } else { backward(b, op, ty) }
}

fn forward(b: &Builder, op: &Pooling, attr: &Attr, ty: Ty) -> Result<()> {
    let src = View::new(b, "src", arg::SRC, &op.src)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let windows = Windows::new(b, op);
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let (at, exists) = windows.source(&index);
    let x = src.load_if(exists, &at, ty);
    let attributes = Attributes { b, attr, ty };
    if op.alg != AlgKind::PoolingMax {
        let sum = b.reduce(ReduceOp::Sum, &windows.axes, x);
        // One division serves all channels; integers are rounded where a quotient is exact.
        let is_float = [op.src.data_type(), op.dst.data_type()].iter().all(|of| of.is_float());
        let y = match is_float && ty == Ty::F32 {
            true => sum * windows.share(&index, ty),
            false => sum / windows.count(&index, ty),
        };
        b.stage("pooling", axes, bounds, attributes.finish(y, &dst, arg::DST, &index)?);
        return Ok(());
    }
    let lowest = lowest(op.dst.data_type());
    let y = b.reduce(ReduceOp::Max, &windows.axes, exists.select(x, f64::NEG_INFINITY)).max(lowest);
    let mut stores = attributes.finish(y, &dst, arg::DST, &index)?;
    if let Some(md) = op.workspace() {
        let none = b.constant(Ty::S32, f64::from(i32::MAX));
        let candidate = (exists & x.equals(y)).select(windows.number(), none);
        let first = b.reduce(ReduceOp::Min, &windows.axes, candidate);
        // A window without elements has no maximum; nothing reads its number.
        let first = first.equals(none).select(b.constant(Ty::S32, 0.0), first);
        stores.push(View::new(b, "workspace", arg::WORKSPACE, &md)?.store(&index, first));
    }
    b.stage("pooling", axes, bounds, stores);
    Ok(())
}

fn backward(b: &Builder, op: &Pooling, ty: Ty) -> Result<()> {
    let gradient = View::new(b, "diff_dst", arg::DIFF_DST, &op.dst)?;
    let out = View::new(b, "diff_src", arg::DIFF_SRC, &op.src)?;
    let windows = Windows::new(b, op);
    let Domain { axes, index, bounds } = Domain::of(b, &op.src)?;
    let counts: Vec<i64> = (0..windows.axes.len()).map(|d| windows.turns(d)).collect();
    // Few turns are written out, each with what it knows of its windows.
    let written_out = counts.iter().product::<i64>() <= MOST_WRITTEN_OUT;
    let turns: Vec<AxisId> = match written_out {
        true => counts.iter().map(|&count| b.axis("turn", b.index(count))).collect(),
        false => statistic::axes(b, &counts),
    };
    let at_turns: Vec<Expr<'_>> = turns.iter().map(|&turn| b.at(turn)).collect();
    let repeats = |turns: &[AxisId]| -> Vec<AxisId> {
        turns.iter().zip(&counts).filter(|(_, count)| **count > 1).map(|(&turn, _)| turn).collect()
    };
    let (at, number, exists) = windows.window(&index, &at_turns, written_out);
    let d = gradient.load_if(exists, &at, ty);
    let x = match op.workspace() {
        Some(md) => {
            let maximum = View::new(b, "workspace", arg::WORKSPACE, &md)?.load_if(exists, &at, Ty::S32);
            b.reduce(ReduceOp::Sum, &repeats(&turns), maximum.equals(number).select(d, 0.0))
        }
        None if windows.slide() => {
            let (at, exists) = windows.sliding(&index, &at_turns);
            let share = gradient.load_if(exists, &at, ty) * windows.share(&at, ty);
            // A condition tells it from a sum of products, which it is not: nothing is multiplied by one number of many.
            b.reduce(ReduceOp::Sum, &repeats(&turns), exists.select(share, 0.0))
        }
        None if windows.count_alike() => {
            let sum = b.reduce(ReduceOp::Sum, &repeats(&turns), d);
            if ty == Ty::F32 { sum * windows.share(&at, ty) } else { sum / windows.count(&at, ty) }
        }
        None if written_out && turns.len() > 1 => {
            let (last, outer) = (counts[turns.len() - 1], &turns[..turns.len() - 1]);
            b.reduce(ReduceOp::Sum, &repeats(outer), windows.shares(&gradient, &index, &at_turns, last, ty))
        }
        None => {
            // Elements side by side share a window, so that one division serves a vector of them.
            let share = d * (b.constant(ty, 1.0) / windows.count(&at, ty));
            b.reduce(ReduceOp::Sum, &repeats(&turns), exists.select(share, 0.0))
        }
    };
    b.stage("pooling_backward", axes, bounds, vec![out.store(&index, x)]);
    Ok(())
}

/// How many windows along a dimension an element can be in.
fn windows_at(stride: i64, kernel: i64, step: i64) -> i64 {
    ((kernel - 1) * step) / stride + 1
}

/// The maximum of nothing: the lowest number of a type.
fn lowest(data_type: DataType) -> f64 {
    match data_type {
        DataType::F64 => f64::MIN,
        DataType::F16 => -65504.0,
        DataType::Bf16 => -3.389_531_389_251_535_5e38,
        DataType::F8E5m2 => -57344.0,
        DataType::F8E4m3 => -448.0,
        DataType::S32 => f64::from(i32::MIN),
        DataType::S8 => -128.0,
        DataType::U8 => 0.0,
        _ => f64::from(f32::MIN),
    }
}
