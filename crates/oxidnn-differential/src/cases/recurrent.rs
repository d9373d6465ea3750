//! Recurrent networks: every cell, direction, type and pass.
//!
//! The backward pass comes with the results of the forward one that it needs, so both are compared.

mod network;

use super::prop;
use crate::api::arg;
use crate::case::{Case, Descs, Format, Operation, Role, Tensor};
use crate::dtype::DataType::{self, *};
use crate::layout::Tag;
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::attr::RecurrentQuantization;
use dnnl_dynamic::create::{Made, Maker};
use dnnl_dynamic::recurrent::{Cell, DIFF_WEIGHTS_OVERWRITE};

struct Recurrent {
    cell: Cell,
    prop: i32,
    direction: Direction,
    flags: u32,
}

/// Values of `dnnl_rnn_direction_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    LeftToRight = 1,
    RightToLeft = 2,
    Concat = 3,
    Sum = 4,
}

impl Direction {
    fn count(self) -> i64 {
        if matches!(self, Direction::Concat | Direction::Sum) { 2 } else { 1 }
    }
}

const CELLS: [Cell; 8] = [
    Cell::Vanilla { activation: 0x20 },
    Cell::Vanilla { activation: 0x21 },
    Cell::Vanilla { activation: 0x29 },
    Cell::Lstm,
    Cell::Gru,
    Cell::LbrGru,
    Cell::Augru,
    Cell::LbrAugru,
];

/// The gradient that belongs to an argument of the forward pass.
fn gradient(index: i32) -> i32 {
    if index == arg::BIAS { arg::DIFF_BIAS } else { index + (arg::DIFF_SRC - arg::SRC) }
}

/// The types of a network.
#[derive(Clone, Copy)]
struct Types {
    data: DataType,
    weights: DataType,
    /// Of the states that are given and asked for.
    states: DataType,
    dst: DataType,
    /// Of the second states.
    cells: DataType,
}

impl Types {
    fn random(rng: &mut Rng, cell: Cell, prop: i32) -> Types {
        let floats = |data: DataType, cells: DataType| Types { data, weights: data, states: data, dst: data, cells };
        let integers = prop == prop::FORWARD_INFERENCE && matches!(cell, Cell::Lstm | Cell::Gru);
        if integers && rng.percent(45) {
            let data = if cell == Cell::Lstm { rng.pick(&[U8, U8, S8]) } else { U8 };
            let (states, dst) = (rng.pick(&[data, F32]), rng.pick(&[data, F32]));
            return Types { data, weights: S8, states, dst, cells: F32 };
        }
        match rng.below(10) {
            // Gradients of short types may honestly be so far from exact ones that comparing them shows nothing.
            _ if prop == prop::BACKWARD => floats(F32, F32),
            0..=5 => floats(F32, F32),
            6..=8 => floats(Bf16, F32),
            _ => floats(F16, F16),
        }
    }
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    use Direction::*;
    let cell = rng.pick(&CELLS);
    let kinds = [prop::FORWARD_INFERENCE, prop::FORWARD_INFERENCE, prop::FORWARD_TRAINING, prop::BACKWARD];
    let (kind, backward) = match rng.pick(&kinds) {
        kind if kind == prop::BACKWARD => (kind, true),
        kind => (kind, false),
    };
    let types = Types::random(rng, cell, kind);
    let direction =
        if cell.attends() { LeftToRight } else { rng.pick(&[LeftToRight, LeftToRight, RightToLeft, Concat, Sum]) };
    let lstm = cell == Cell::Lstm;
    let projected = lstm && matches!(types.data, F32 | U8 | S8) && rng.percent(25);
    let peephole = lstm && !types.data.is_integer() && rng.percent(25);
    let (given, asked) = (rng.percent(75), rng.percent(75));
    let flags = if backward && rng.percent(50) { DIFF_WEIGHTS_OVERWRITE } else { 0 };
    let free = rng.percent(70) || types.data.is_integer();
    let data_tag = Format::Tag(Tag::named(rng.pick(&["abc", "abc", "bac"])));
    let layers = if cell.attends() || rng.percent(60) { 1 } else { 2 };

    let sizes = &mut rng.fork();
    // Gradients of long sums may be off by so much that comparing them shows nothing.
    let channels: &[i64] = if backward { &[1, 3, 8, 16, 16, 19, 32] } else { &[1, 3, 8, 16, 16, 19, 32, 64] };
    let batches: &[i64] = if backward { &[1, 2, 3, 5, 17] } else { &[1, 2, 3, 5, 17, 33] };
    let (steps, batch) = (sizes.range(1, 3), sizes.pick(batches));
    let hidden = sizes.pick(channels);
    let state = if projected { sizes.pick(channels) } else { hidden };
    let src = if layers > 1 { state } else { sizes.pick(channels) };
    let (d, gates) = (direction.count(), cell.gates());
    let out = if direction == Concat { 2 * state } else { state };

    let mut case = Case::new(Recurrent { cell, prop: kind, direction, flags });
    case.attributes.recurrent =
        types.data.is_integer().then(|| quantization(sizes, types, [gates, hidden, state], projected));
    let spread = move |rng: &mut Rng, count: i64| rng.uniform(-1.0, 1.0) / (count as f64).sqrt();
    let whole =
        |rng: &mut Rng, dt: DataType| rng.range(if dt == U8 { 0 } else { -128 }, if dt == U8 { 255 } else { 127 });
    let value = move |rng: &mut Rng, dt: DataType, count: i64| match dt.is_integer() {
        true => whole(rng, dt) as f64,
        false => spread(rng, count),
    };
    let tagged = |dims: &[i64], dt, format: &Format| Tensor::new(dims, dt, format.clone());
    let plain = |dims: &[i64], dt| Tensor::plain(dims, dt);
    let turned = |dims: &[i64], dt| match (free, backward, dims.len()) {
        (true, ..) => Tensor::new(dims, dt, Format::Any),
        (false, true, 5) => Tensor::new(dims, dt, Format::Tag(Tag::named("abdec"))),
        (false, true, _) => Tensor::new(dims, dt, Format::Tag(Tag::named("abdc"))),
        (false, false, _) => plain(dims, dt),
    };
    let mut inputs = vec![(arg::SRC, tagged(&[steps, batch, src], types.data, &data_tag), 1)];
    if given {
        inputs.push((arg::SRC_1, plain(&[layers, d, batch, state], types.states), 1));
    }
    if given && lstm {
        inputs.push((arg::SRC_2, plain(&[layers, d, batch, hidden], types.cells), 1));
    }
    if cell.attends() {
        inputs.push((arg::SRC_3, plain(&[steps, batch, 1], types.data), 1));
    }
    inputs.push((arg::WEIGHTS, turned(&[layers, d, src, gates, hidden], types.weights), src));
    inputs.push((arg::WEIGHTS_1, turned(&[layers, d, state, gates, hidden], types.weights), state));
    if peephole {
        inputs.push((arg::WEIGHTS_2, plain(&[layers, d, 3, hidden], F32), 1));
    }
    if projected {
        inputs.push((arg::WEIGHTS_3, turned(&[layers, d, hidden, state], types.weights), hidden));
    }
    let bias = if types.data == F16 { F16 } else { F32 };
    inputs.push((arg::BIAS, plain(&[layers, d, cell.biases(), hidden], bias), 1));
    let mut results = vec![(arg::DST, tagged(&[steps, batch, out], types.dst, &data_tag))];
    if asked {
        results.push((arg::DST_1, plain(&[layers, d, batch, state], types.states)));
    }
    if asked && lstm {
        results.push((arg::DST_2, plain(&[layers, d, batch, hidden], types.cells)));
    }
    for (index, tensor, count) in &inputs {
        let dt = tensor.dt;
        case.arg(*index, Role::Input, tensor.clone().filled(rng, |rng| value(rng, dt, *count)));
    }
    for (index, tensor) in &results {
        case.arg(*index, Role::Output, tensor.clone());
    }
    if backward {
        for (index, tensor) in &results {
            let diff = Tensor { dt: F32, ..tensor.clone() };
            case.arg(gradient(*index), Role::Input, diff.filled(rng, |rng| spread(rng, 1)));
        }
        for (index, tensor, _) in inputs {
            // What the passes of weights like best differs, and gradients of them have no such choice.
            let format = if matches!(tensor.dims.len(), 5) && free {
                Format::Any
            } else {
                Format::Tag(Tag::row_major(tensor.dims.len()))
            };
            let format = if index == arg::SRC { data_tag.clone() } else { format };
            let diff = Tensor { dt: F32, format, ..tensor };
            let adds = matches!(index, arg::WEIGHTS..=arg::WEIGHTS_3 | arg::BIAS) && flags == 0;
            if adds {
                case.arg(gradient(index), Role::InOut, diff.filled(rng, |rng| spread(rng, 1)));
            } else {
                case.arg(gradient(index), Role::Output, diff);
            }
        }
    }
    case
}

/// What the integers stand for: data from minus to plus one or two, weights such that sums stay small.
fn quantization(
    rng: &mut Rng,
    types: Types,
    [gates, hidden, state]: [i64; 3],
    projected: bool,
) -> RecurrentQuantization {
    let shift = if types.data == U8 { rng.pick(&[64.0, 128.0, 100.0]) } else { 0.0 };
    let mut scales = |mask: i32, count: i64| {
        let each = rng.percent(50);
        let count = if each { count } else { 1 };
        let scales = (0..count).map(|_| rng.uniform(200.0, 500.0) as f32).collect();
        (if each { mask } else { 0 }, scales)
    };
    let weights = scales(24, gates * hidden);
    let projection = projected.then(|| scales(8, state));
    RecurrentQuantization { data: (rng.pick(&[64.0, 100.0]), shift), weights, projection }
}

impl Operation for Recurrent {
    fn rounds_repeatedly(&self) -> bool {
        true
    }

    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let direction = self.direction as i32;
        if self.prop == prop::BACKWARD {
            return maker.recurrent_backward(self.cell, direction, self.flags, |index| mds.desc(index));
        }
        maker.recurrent_forward(self.cell, self.prop, direction, |index| mds.desc(index))
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let kind = prop::FORWARD_TRAINING;
        let direction = self.direction as i32;
        let backward = self.prop == prop::BACKWARD;
        backward.then(|| maker.recurrent_forward(self.cell, kind, direction, |index| mds.desc(index)))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        Some(network::expect(self, case))
    }

    fn describe(&self) -> String {
        let Recurrent { cell, prop, direction, flags } = self;
        format!("rnn {cell:?} prop={prop} {direction:?} flags={flags}")
    }
}
