//! Recurrent networks: a stack of cells, each of which is applied to one step of time after another.
//!
//! All cells are one operation. Weights are `layer, direction, input, gate, output`, data is `time, batch, channel`, what
//! goes from one step to the next is `layer, direction, batch, channel`. The gradients are described by the same list of
//! tensors as the values.

mod cell;
mod tensors;

use super::arg;
use super::attr::{Attr, RnnScales};
use super::check;
use super::memory::MemoryDesc;
use super::op::{ArgDesc, Operation};
use super::support::Accepted;
use super::types::{AlgKind, DataType, PrimitiveKind, PropKind, RnnDirection};
use crate::{Result, ensure, supported};

pub use cell::RnnCell;
pub use tensors::RnnTensors;
use tensors::{ARGS, DIFF_NAMES, FIRST_DST, NAMES};

/// The sizes of a recurrent network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RnnSizes {
    /// Layers.
    pub layers: i64,
    /// Directions, 1 or 2.
    pub directions: i64,
    /// Steps of time.
    pub time: i64,
    /// Sequences.
    pub batch: i64,
    /// Channels of the source.
    pub src: i64,
    /// Channels of the state before the first step.
    pub iter: i64,
    /// Channels of a gate.
    pub hidden: i64,
    /// Channels of the state after a step; those of a gate unless it is projected.
    pub state: i64,
    /// Gates.
    pub gates: i64,
    /// Rows of the bias, one more than gates for some cells.
    pub bias: i64,
}

/// Where the parts of the workspace begin, in bytes, each part an array over layers and directions: states as they are
/// between steps, the others in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RnnWorkspace {
    /// States before and after each step: `time + 1, batch, max(iter, state)`.
    pub states: i64,
    /// Second states of LSTM: `time + 1, batch, hidden`.
    pub cells: i64,
    /// Gates after their activation: `time, batch, gates, hidden`.
    pub gates: i64,
    /// What the reset gate of a linear-before-reset cell multiplies: `time, batch, hidden`.
    pub linear: i64,
    /// Where it ends.
    pub end: i64,
}

/// A recurrent network, or its gradient.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rnn {
    /// Which pass.
    pub prop: PropKind,
    /// The cell.
    pub cell: RnnCell,
    /// The order of time.
    pub direction: RnnDirection,
    /// The flags of the C API.
    pub flags: u32,
    /// The values.
    pub tensors: RnnTensors,
    /// The gradients, in the backward pass.
    pub diff: Option<RnnTensors>,
}

impl Rnn {
    /// The flag that gradients of weights are written, not added to what is there.
    pub const DIFF_WEIGHTS_OVERWRITE: u32 = 1;

    /// A forward pass.
    ///
    /// ```
    /// use oxidnn::desc::*;
    /// let md = |dims: &[i64]| MemoryDesc::with_strides(dims, DataType::F32, None).unwrap();
    /// let gru = Rnn::forward(
    ///     PropKind::ForwardInference,
    ///     RnnCell::new(AlgKind::VanillaGru),
    ///     RnnDirection::LeftToRight,
    ///     RnnTensors {
    ///         src_layer: md(&[5, 2, 8]),
    ///         weights_layer: md(&[1, 1, 8, 3, 16]),
    ///         weights_iter: md(&[1, 1, 16, 3, 16]),
    ///         dst_layer: md(&[5, 2, 16]),
    ///         ..RnnTensors::default()
    ///     },
    ///     0,
    /// )
    /// .unwrap();
    /// assert_eq!(gru.sizes().hidden, 16);
    /// ```
    pub fn forward(
        prop: PropKind,
        cell: RnnCell,
        direction: RnnDirection,
        tensors: RnnTensors,
        flags: u32,
    ) -> Result<Rnn> {
        ensure!(prop.is_forward(), "{prop} is not a forward pass");
        Rnn { prop, cell, direction, flags, tensors, diff: None }.checked()
    }

    /// The backward pass: gradients `diff` of everything that is read, from those of everything that is written.
    pub fn backward(
        cell: RnnCell,
        direction: RnnDirection,
        tensors: RnnTensors,
        diff: RnnTensors,
        flags: u32,
    ) -> Result<Rnn> {
        Rnn { prop: PropKind::Backward, cell, direction, flags, tensors, diff: Some(diff) }.checked()
    }

    fn checked(self) -> Result<Rnn> {
        let Rnn { cell, direction, tensors, .. } = &self;
        use AlgKind::*;
        let kind = cell.kind;
        ensure!(
            matches!(kind, VanillaRnn | VanillaLstm | VanillaGru | LbrGru | VanillaAugru | LbrAugru),
            "{kind} is no cell"
        );
        let known = matches!(cell.activation, EltwiseRelu | EltwiseTanh | EltwiseLogistic);
        ensure!(kind != VanillaRnn || known, "a vanilla cell with activation {}", cell.activation);
        ensure!(*direction != RnnDirection::Undef, "the direction is not given");
        ensure!(self.flags & !Rnn::DIFF_WEIGHTS_OVERWRITE == 0, "flags {:#x}", self.flags);
        for (ndims, name, md) in [
            (3, "src_layer", &tensors.src_layer),
            (5, "weights_layer", &tensors.weights_layer),
            (5, "weights_iter", &tensors.weights_iter),
            (3, "dst_layer", &tensors.dst_layer),
        ] {
            check::is_dense(name, md)?;
            ensure!(md.ndims() == ndims, "{name} has {} dimensions, expected are {ndims}", md.ndims());
        }
        let projection = &tensors.weights_projection;
        ensure!(projection.is_zero() || projection.ndims() == 4, "weights_projection has {} dims", projection.ndims());
        if cell.is_lstm() {
            for (states, [first, second]) in
                [("src", [&tensors.src_iter, &tensors.src_iter_c]), ("dst", [&tensors.dst_iter, &tensors.dst_iter_c])]
            {
                ensure!(first.is_zero() == second.is_zero(), "only one of {states}_iter and {states}_iter_c is given");
            }
        }
        if cell.has_attention() {
            ensure!(*direction == RnnDirection::LeftToRight, "attention with direction {direction}");
            ensure!(tensors.weights_layer.dims()[0] == 1, "attention with several layers");
            ensure!(!tensors.attention.is_zero(), "the attention is missing");
        }
        self.check_types()?;
        self.check_dims("", tensors)?;
        if let Some(diff) = &self.diff {
            self.check_dims("diff_", diff)?;
            for ((value, gradient), name) in tensors.all().into_iter().zip(diff.all()).zip(DIFF_NAMES) {
                ensure!(value.is_zero() || !gradient.is_zero(), "{name} is missing");
                let is_f32 = gradient.is_zero() || gradient.data_type() == DataType::F32;
                supported!(is_f32, "{name} of type {}", gradient.data_type());
            }
        }
        Ok(self)
    }

    /// Which types go together.
    fn check_types(&self) -> Result<()> {
        use DataType::*;
        let t = &self.tensors;
        let data = t.src_layer.data_type();
        let has = |md: &MemoryDesc, types: &[DataType]| md.is_zero() || types.contains(&md.data_type());
        let cell_states = [&t.src_iter_c, &t.dst_iter_c].into_iter().all(|md| has(md, &[F32, Bf16, F16]));
        let ok = match data {
            F32 | Bf16 | F16 => {
                [&t.src_iter, &t.weights_layer, &t.weights_iter, &t.dst_layer, &t.dst_iter, &t.attention]
                    .into_iter()
                    .chain([&t.weights_projection])
                    .all(|md| has(md, &[data]))
                    && has(&t.bias, &[data, F32])
                    && has(&t.weights_peephole, &[F32])
            }
            U8 | S8 => {
                let states = [&t.src_iter, &t.dst_iter];
                self.prop == PropKind::ForwardInference
                    && matches!(self.cell.kind, AlgKind::VanillaLstm | AlgKind::VanillaGru)
                    && has(&t.dst_layer, &[data, F32])
                    && [&t.weights_layer, &t.weights_iter, &t.weights_projection].into_iter().all(|md| has(md, &[S8]))
                    && [F32, data].into_iter().any(|of| states.into_iter().all(|md| has(md, &[of])))
                    && t.weights_peephole.is_zero()
                    && has(&t.bias, &[F32])
            }
            _ => false,
        };
        supported!(ok && cell_states, "a {} of these types, the source is {data}", self.cell.kind);
        Ok(())
    }

    fn check_dims(&self, prefix: &str, t: &RnnTensors) -> Result<()> {
        let s = self.sizes();
        let twice = if self.direction == RnnDirection::BidirectionalConcat { 2 } else { 1 };
        let is_lstm = self.cell.is_lstm();
        let simple = matches!(self.cell.kind, AlgKind::VanillaRnn | AlgKind::VanillaLstm);
        ensure!(simple || s.iter == s.hidden, "{} channels of the state, {} of a gate", s.iter, s.hidden);
        ensure!(s.layers <= 1 || s.src == s.state, "layers of {} channels, a source of {}", s.state, s.src);
        ensure!(s.time <= 1 || s.iter == s.state, "a state of {} channels becomes one of {}", s.iter, s.state);
        let (l, d, n) = (s.layers, s.directions, s.batch);
        let expected: [&[i64]; 12] = [
            &[s.time, n, s.src],
            &[l, d, n, s.iter],
            &[l, d, n, s.hidden],
            &[s.time, n, 1],
            &[l, d, s.src, s.gates, s.hidden],
            &[l, d, s.iter, s.gates, s.hidden],
            &[l, d, 3, s.hidden],
            &[l, d, s.hidden, s.state],
            &[l, d, s.bias, s.hidden],
            &[s.time, n, twice * s.state],
            &[l, d, n, s.state],
            &[l, d, n, s.hidden],
        ];
        for (position, ((md, name), expected)) in t.all().into_iter().zip(NAMES).zip(expected).enumerate() {
            let needed = matches!(position, 0 | 4 | 5 | 9);
            ensure!(!needed || !md.is_zero(), "{prefix}{name} is missing");
            if md.is_zero() {
                continue;
            }
            let of_lstm = matches!(position, 2 | 6 | 7 | 11);
            ensure!(is_lstm || !of_lstm, "{prefix}{name} for a cell of kind {}", self.cell.kind);
            check::is_dense(name, md)?;
            check::is_known(name, md)?;
            ensure!(**md.dims() == *expected, "{prefix}{name} is {}, expected is {expected:?}", md.dims());
            let written = if prefix.is_empty() { position >= FIRST_DST } else { position < FIRST_DST };
            supported!(!written || md.is_any() || !md.has_padding(), "{prefix}{name} with padding");
        }
        Ok(())
    }

    /// Its sizes.
    pub fn sizes(&self) -> RnnSizes {
        let t = &self.tensors;
        let (layer, iter) = (t.weights_layer.dims(), t.weights_iter.dims());
        let hidden = layer[4];
        let both = matches!(self.direction, RnnDirection::BidirectionalConcat | RnnDirection::BidirectionalSum);
        let gates = self.cell.gates();
        RnnSizes {
            layers: layer[0],
            directions: if both { 2 } else { 1 },
            time: t.src_layer.dims()[0],
            batch: t.src_layer.dims()[1],
            src: t.src_layer.dims()[2],
            iter: iter[2],
            hidden,
            state: if t.weights_projection.is_zero() { hidden } else { t.weights_projection.dims()[3] },
            gates,
            bias: gates + i64::from(self.cell.is_linear_before_reset()),
        }
    }

    /// Whether it computes with 8-bit integers.
    pub fn is_integer(&self) -> bool {
        self.tensors.src_layer.data_type().is_integer()
    }

    /// How states are stored between steps: in the type of the source where products of it have instructions.
    pub fn state_type(&self) -> DataType {
        match self.tensors.src_layer.data_type() {
            DataType::F16 => DataType::F32,
            of => of,
        }
    }

    /// Whether the pass before or after it is the other half of training.
    pub fn is_training(&self) -> bool {
        self.prop != PropKind::ForwardInference
    }

    /// How the workspace is divided.
    pub fn workspace(&self) -> RnnWorkspace {
        let s = self.sizes();
        let all = s.layers * s.directions * s.batch;
        let states = self.state_type().bytes((all * (s.time + 1) * s.iter.max(s.state)) as usize);
        let states = states.next_multiple_of(4) as i64;
        let cells = states + if self.cell.is_lstm() { 4 * all * (s.time + 1) * s.hidden } else { 0 };
        let gates = cells + 4 * all * s.time * s.gates * s.hidden;
        let linear = gates + if self.cell.is_linear_before_reset() { 4 * all * s.time * s.hidden } else { 0 };
        RnnWorkspace { states: 0, cells: states, gates: cells, linear: gates, end: linear }
    }
}

impl Operation for Rnn {
    fn kind(&self) -> PrimitiveKind {
        PrimitiveKind::Rnn
    }

    fn prop_kind(&self) -> PropKind {
        self.prop
    }

    fn tensors(&self) -> Vec<ArgDesc> {
        let workspace = MemoryDesc::with_strides(&[self.workspace().end], DataType::U8, None).ok();
        let workspace = workspace.filter(|_| self.is_training());
        let mut tensors: Vec<ArgDesc> = Vec::new();
        for (position, (md, (number, _))) in self.tensors.all().into_iter().zip(ARGS).enumerate() {
            let is_output = position >= FIRST_DST && self.diff.is_none();
            if !md.is_zero() {
                tensors.push(if is_output { ArgDesc::output(number, md) } else { ArgDesc::input(number, md) });
            }
        }
        let Some(diff) = &self.diff else {
            tensors.extend(workspace.iter().map(|md| ArgDesc::output(arg::WORKSPACE, md)));
            return tensors;
        };
        tensors.extend(workspace.iter().map(|md| ArgDesc::input(arg::WORKSPACE, md)));
        for (position, (md, (_, number))) in diff.all().into_iter().zip(ARGS).enumerate() {
            if !md.is_zero() {
                let is_input = position >= FIRST_DST;
                tensors.push(if is_input { ArgDesc::input(number, md) } else { ArgDesc::output(number, md) });
            }
        }
        tensors
    }

    fn dst(&self) -> &MemoryDesc {
        &self.tensors.dst_layer
    }

    fn resolve(&mut self) -> Result<()> {
        self.tensors.resolve(self.diff.is_some())?;
        self.diff.as_mut().map_or(Ok(()), |diff| diff.resolve(false))
    }

    fn check_attr(&self, attr: &Attr) -> Result<()> {
        let s = self.sizes();
        Accepted { rnn: self.is_integer(), ..Accepted::default() }.check(attr, self.dst())?;
        let fits = |scales: &RnnScales, mask: i32, count: i64| match scales.mask {
            0 => scales.scales.len() == 1,
            of => of == mask && scales.scales.len() as i64 == count,
        };
        supported!(fits(attr.rnn_weights(), 24, s.gates * s.hidden), "scales of weights with this mask");
        let projection = attr.rnn_weights_projection();
        supported!(fits(projection, 8, s.state), "scales of projection weights with this mask");
        if let Some(linear) = attr.rnn_linear() {
            ensure!(linear.scales.len() as i64 == s.gates, "{} factors for {} gates", linear.scales.len(), s.gates);
        }
        Ok(())
    }

    fn verbose_tensors(&self) -> Vec<(&'static str, &MemoryDesc)> {
        // Second states and the attention are not shown.
        let shown = |position: &usize| !matches!(position, 2 | 3 | 11);
        let values = self.tensors.all().into_iter().zip(NAMES).enumerate();
        let diffs = self.diff.iter().flat_map(|diff| diff.all().into_iter().zip(DIFF_NAMES).enumerate());
        values
            .chain(diffs)
            .filter(|(position, (md, _))| shown(position) && !md.is_zero())
            .map(|(_, (md, name))| (name, md))
            .collect()
    }

    fn verbose_parameters(&self) -> String {
        let Rnn { cell, direction, .. } = self;
        let flags = if self.flags & Rnn::DIFF_WEIGHTS_OVERWRITE != 0 { "O" } else { "" };
        format!("alg:{} direction:{direction} activation:{} flags:{flags}", cell.kind, cell.activation)
    }

    fn verbose_shape(&self) -> String {
        let s = self.sizes();
        format!("l{}t{}mb{}sic{}slc{}dhc{}dic{}", s.layers, s.time, s.batch, s.iter, s.src, s.hidden, s.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    fn lstm(direction: RnnDirection, dst: i64, change: impl FnOnce(&mut RnnTensors)) -> Result<Rnn> {
        let any = |dims: &[i64]| MemoryDesc::any(dims, DataType::F32).unwrap();
        let d = if direction == RnnDirection::LeftToRight { 1 } else { 2 };
        let mut tensors = RnnTensors {
            src_layer: any(&[3, 2, 8]),
            weights_layer: any(&[2, d, 8, 4, 8]),
            weights_iter: any(&[2, d, 8, 4, 8]),
            dst_layer: any(&[3, 2, dst]),
            ..RnnTensors::default()
        };
        change(&mut tensors);
        Rnn::forward(PropKind::ForwardTraining, RnnCell::new(AlgKind::VanillaLstm), direction, tensors, 0)
    }

    #[test]
    fn two_directions_side_by_side_have_twice_the_channels() {
        assert!(lstm(RnnDirection::BidirectionalConcat, 16, |_| ()).is_ok());
        assert!(lstm(RnnDirection::BidirectionalSum, 8, |_| ()).is_ok());
        let wrong = lstm(RnnDirection::BidirectionalSum, 16, |_| ());
        assert_eq!(wrong.unwrap_err().status(), Status::InvalidArguments);
    }

    #[test]
    fn the_two_states_of_lstm_come_together() {
        let state = MemoryDesc::any(&[2, 1, 2, 8], DataType::F32).unwrap();
        let one = lstm(RnnDirection::LeftToRight, 8, |t| t.src_iter = state.clone());
        assert_eq!(one.unwrap_err().status(), Status::InvalidArguments);
        let both = lstm(RnnDirection::LeftToRight, 8, |t| (t.src_iter, t.src_iter_c) = (state.clone(), state));
        assert_eq!(both.unwrap().tensors().len(), 7);
    }

    #[test]
    fn open_weights_lie_as_the_pass_reads_them() {
        let mut forward = lstm(RnnDirection::LeftToRight, 8, |_| ()).unwrap();
        let diff = forward.tensors.clone();
        let mut backward = Rnn::backward(forward.cell, forward.direction, forward.tensors.clone(), diff, 0).unwrap();
        forward.resolve().unwrap();
        backward.resolve().unwrap();
        assert_eq!(*forward.tensors.weights_layer.strides().unwrap(), [256, 256, 32, 8, 1]);
        assert_eq!(*backward.tensors.weights_iter.strides().unwrap(), [256, 256, 1, 64, 8]);
        assert_eq!(forward.workspace(), backward.workspace());
    }

    fn integers(t: &mut RnnTensors) {
        t.src_layer = t.src_layer.with_data_type(DataType::U8);
        t.dst_layer = t.dst_layer.with_data_type(DataType::U8);
        t.weights_layer = t.weights_layer.with_data_type(DataType::S8);
        t.weights_iter = t.weights_iter.with_data_type(DataType::S8);
    }

    #[test]
    fn integers_are_for_inference() {
        let training = lstm(RnnDirection::LeftToRight, 8, integers);
        assert_eq!(training.unwrap_err().status(), Status::Unimplemented);
    }

    #[test]
    fn scales_are_known_before_execution() {
        let mut tensors = lstm(RnnDirection::LeftToRight, 8, |_| ()).unwrap().tensors;
        integers(&mut tensors);
        let cell = RnnCell::new(AlgKind::VanillaLstm);
        let op = Rnn::forward(PropKind::ForwardInference, cell, RnnDirection::LeftToRight, tensors, 0).unwrap();
        let open = f32::from_bits(0x7fc0_00d0);
        let status = |scale, shift, weights| {
            let mut attr = Attr::new();
            attr.set_rnn_data(scale, shift);
            attr.set_rnn_weights(0, &[weights]).unwrap();
            op.check_attr(&attr).map_err(|error| error.status())
        };
        assert_eq!(status(2.0, 2.0, 2.0), Ok(()));
        for (scale, shift, weights) in [(open, 2.0, 2.0), (2.0, open, 2.0), (2.0, 2.0, open)] {
            assert_eq!(status(scale, shift, weights), Err(Status::Unimplemented));
        }
    }
}
