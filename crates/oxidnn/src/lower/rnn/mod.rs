//! Recurrent networks.
//!
//! Layer after layer, and for each direction: what depends on the layer below is one product of matrices over all steps of
//! time; what depends on the step before is a repeat of a few stages, whose kernels are there once.
//!
//! States lie in slots by time, so that slot and time grow together in both directions: the state after the step at time
//! `t` is in slot `t + 1` if time runs forward, and in slot `t` if it runs backward. Which of the two it is, and everything
//! else that tells directions and layers apart, is an argument: they share their kernels.

mod backward;
mod cell;
mod forward;

use super::view::View;
use crate::Result;
use crate::desc::{Attr, DataType, MemoryDesc, PropKind, Rnn, RnnDirection, RnnSizes, arg};
use crate::program::{AxisId, Binding, Builder, Expr, ReduceOp, RepeatId, Ty};

pub fn lower(b: &Builder, op: &Rnn, attr: &Attr) -> Result<()> {
    let net = Net::new(b, op, attr)?;
    if op.prop == PropKind::Backward { backward::lower(&net) } else { forward::lower(&net) }
}

/// The order in which a direction takes the steps of time.
#[derive(Clone, Copy)]
struct Order<'b> {
    b: &'b Builder,
    reversed: bool,
    steps: i64,
}

impl<'b> Order<'b> {
    /// The slot with the state before the step at a time.
    fn before(self, time: Expr<'b>) -> Expr<'b> {
        time + self.b.param(i64::from(self.reversed))
    }

    /// The slot with the state after the step at a time.
    fn after(self, time: Expr<'b>) -> Expr<'b> {
        time + self.b.param(i64::from(!self.reversed))
    }

    /// The slot with the state before all steps.
    fn first(self) -> Expr<'b> {
        self.b.param(if self.reversed { self.steps } else { 0 })
    }

    /// The slot with the state after all steps.
    fn last(self) -> Expr<'b> {
        self.b.param(if self.reversed { 0 } else { self.steps })
    }

    /// The times as a repeat goes through them.
    fn times(self, repeat: RepeatId) -> Expr<'b> {
        if self.reversed { self.b.step(repeat, self.steps - 1, -1) } else { self.b.step(repeat, 0, 1) }
    }

    /// The times as a repeat goes back through them.
    fn times_back(self, repeat: RepeatId) -> Expr<'b> {
        Order { reversed: !self.reversed, ..self }.times(repeat)
    }
}

/// What the lowering of a network needs everywhere.
struct Net<'a, 'b> {
    b: &'b Builder,
    op: &'a Rnn,
    attr: &'a Attr,
    s: RnnSizes,
    src_layer: View<'b>,
    weights_layer: View<'b>,
    weights_iter: View<'b>,
    bias: Option<View<'b>>,
    peephole: Option<View<'b>>,
    projection: Option<View<'b>>,
    attention: Option<View<'b>>,
}

impl<'a, 'b> Net<'a, 'b> {
    fn new(b: &'b Builder, op: &'a Rnn, attr: &'a Attr) -> Result<Net<'a, 'b>> {
        let t = &op.tensors;
        Ok(Net {
            b,
            op,
            attr,
            s: op.sizes(),
            src_layer: View::new(b, "src_layer", arg::SRC_LAYER, &t.src_layer)?,
            weights_layer: View::new(b, "weights_layer", arg::WEIGHTS_LAYER, &t.weights_layer)?,
            weights_iter: View::new(b, "weights_iter", arg::WEIGHTS_ITER, &t.weights_iter)?,
            bias: maybe(b, "bias", arg::BIAS, &t.bias)?,
            peephole: maybe(b, "peephole", arg::WEIGHTS_PEEPHOLE, &t.weights_peephole)?,
            projection: maybe(b, "projection", arg::WEIGHTS_PROJECTION, &t.weights_projection)?,
            attention: maybe(b, "attention", arg::AUGRU_ATTENTION, &t.attention)?,
        })
    }

    /// The directions: their number, and their order of time.
    fn orders(&self) -> Vec<Order<'b>> {
        let order = |reversed| Order { b: self.b, reversed, steps: self.s.time };
        match self.op.direction {
            RnnDirection::LeftToRight | RnnDirection::Undef => vec![order(false)],
            RnnDirection::RightToLeft => vec![order(true)],
            RnnDirection::BidirectionalConcat | RnnDirection::BidirectionalSum => vec![order(false), order(true)],
        }
    }

    fn axis(&self, name: &'static str, extent: i64) -> (AxisId, Expr<'b>) {
        let axis = self.b.sized_axis(name, extent);
        (axis, self.b.at(axis))
    }

    /// Sums `body` over an axis.
    fn sum(&self, name: &'static str, extent: i64, body: impl FnOnce(Expr<'b>) -> Expr<'b>) -> Expr<'b> {
        let (axis, at) = self.axis(name, extent);
        self.b.reduce(ReduceOp::Sum, &summed(&[(axis, extent)]), body(at))
    }

    /// The type in which products of matrices are summed.
    fn sum_type(&self) -> Ty {
        if self.op.is_integer() { Ty::S32 } else { Ty::F32 }
    }

    /// How states are stored between steps.
    fn state_type(&self) -> DataType {
        self.op.state_type()
    }

    /// A tensor in the scratchpad.
    fn scratch(&self, name: &'static str, dims: &[i64], data_type: DataType) -> Result<View<'b>> {
        View::scratch_like(self.b, name, &MemoryDesc::with_strides(dims, data_type, None)?)
    }

    /// A part of the workspace: that of a layer and direction in an array that begins at a byte.
    fn workspace(&self, name: &'static str, part: (i64, DataType), dims: &[i64], at: (i64, i64)) -> Result<View<'b>> {
        let ((base, data_type), (layer, direction)) = (part, at);
        let md = MemoryDesc::with_strides(dims, data_type, None)?;
        let size: i64 = dims.iter().product();
        let start = base / data_type.bytes(1) as i64 + (layer * self.s.directions + direction) * size;
        Ok(View::bound(self.b, name, Binding::Arg { arg: arg::WORKSPACE, handle: 0 }, &md)?.from(start))
    }

    /// The part of the workspace with the states.
    fn kept_states(&self, layer: i64, direction: i64) -> Result<View<'b>> {
        let dims = [self.s.time + 1, self.s.batch, self.s.iter.max(self.s.state)];
        self.workspace("states", (self.op.workspace().states, self.state_type()), &dims, (layer, direction))
    }

    /// The part of the workspace with the second states.
    fn kept_cells(&self, layer: i64, direction: i64) -> Result<View<'b>> {
        let dims = [self.s.time + 1, self.s.batch, self.s.hidden];
        self.workspace("cells", (self.op.workspace().cells, DataType::F32), &dims, (layer, direction))
    }

    /// The part of the workspace with the gates after their activation.
    fn kept_gates(&self, layer: i64, direction: i64) -> Result<View<'b>> {
        let dims = [self.s.time, self.s.batch, self.s.gates, self.s.hidden];
        self.workspace("gates", (self.op.workspace().gates, DataType::F32), &dims, (layer, direction))
    }

    /// The part of the workspace with what the reset gate multiplies.
    fn kept_linear(&self, layer: i64, direction: i64) -> Result<View<'b>> {
        let dims = [self.s.time, self.s.batch, self.s.hidden];
        self.workspace("linear", (self.op.workspace().linear, DataType::F32), &dims, (layer, direction))
    }
}

/// The tensor that an execution argument holds, if there is one.
fn maybe<'b>(b: &'b Builder, name: &'static str, arg: i32, md: &MemoryDesc) -> Result<Option<View<'b>>> {
    if md.is_zero() { Ok(None) } else { View::new(b, name, arg, md).map(Some) }
}

/// The axes that a sum runs over; one element needs no axis.
fn summed(axes: &[(AxisId, i64)]) -> Vec<AxisId> {
    axes.iter().filter(|(_, extent)| *extent != 1).map(|(axis, _)| *axis).collect()
}
