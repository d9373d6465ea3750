//! Recurrent networks on every engine, against cells written out as loops; gradients against differences.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::{engines, tried};

/// Numbers between minus a half and a half, without a pattern.
fn numbers(count: i64, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from((state >> 40) as f32 / 16_777_216.0 - 0.5)
    };
    (0..count).map(|_| next()).collect()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

const LAYER: i64 = 8;

#[derive(Clone, Copy, Debug)]
struct Shape {
    cell: RnnCell,
    direction: RnnDirection,
    peephole: bool,
    projection: Option<i64>,
    layers: i64,
    time: i64,
    batch: i64,
    src: i64,
    hidden: i64,
}

/// The values of the tensors that are read, in the order of [`ARGS`].
type Values = Vec<Vec<f64>>;

const ARGS: [i32; 9] = [
    arg::SRC_LAYER,
    arg::SRC_ITER,
    arg::SRC_ITER_C,
    arg::AUGRU_ATTENTION,
    arg::WEIGHTS_LAYER,
    arg::WEIGHTS_ITER,
    arg::WEIGHTS_PEEPHOLE,
    arg::WEIGHTS_PROJECTION,
    arg::BIAS,
];
const RESULTS: [i32; 3] = [arg::DST_LAYER, arg::DST_ITER, arg::DST_ITER_C];

impl Shape {
    fn new(kind: AlgKind, direction: RnnDirection) -> Shape {
        let cell = match kind {
            AlgKind::VanillaRnn => RnnCell::vanilla(AlgKind::EltwiseTanh, 0.0, 0.0),
            kind => RnnCell::new(kind),
        };
        let attention = cell.has_attention();
        let layers = if attention { 1 } else { 2 };
        let hidden = LAYER;
        let (time, batch) = (3, 5);
        Shape { cell, direction, peephole: false, projection: None, layers, time, batch, src: hidden, hidden }
    }

    fn directions(&self) -> i64 {
        match self.direction {
            RnnDirection::BidirectionalConcat | RnnDirection::BidirectionalSum => 2,
            _ => 1,
        }
    }

    fn state(&self) -> i64 {
        self.projection.unwrap_or(self.hidden)
    }

    /// The dimensions of what is read, in the order of [`ARGS`], none for what is not there.
    fn inputs(&self) -> [Vec<i64>; 9] {
        let (l, d, n, h) = (self.layers, self.directions(), self.batch, self.hidden);
        let g = self.cell.gates();
        let is_lstm = self.cell.is_lstm();
        let only = |there: bool, dims: Vec<i64>| if there { dims } else { Vec::new() };
        [
            vec![self.time, n, self.src],
            vec![l, d, n, self.state()],
            only(is_lstm, vec![l, d, n, h]),
            only(self.cell.has_attention(), vec![self.time, n, 1]),
            vec![l, d, self.src, g, h],
            vec![l, d, self.state(), g, h],
            only(self.peephole, vec![l, d, 3, h]),
            only(self.projection.is_some(), vec![l, d, h, self.state()]),
            vec![l, d, g + i64::from(self.cell.is_linear_before_reset()), h],
        ]
    }

    fn results(&self) -> [Vec<i64>; 3] {
        let (l, d, n) = (self.layers, self.directions(), self.batch);
        let twice = if self.direction == RnnDirection::BidirectionalConcat { 2 } else { 1 };
        let cell = if self.cell.is_lstm() { vec![l, d, n, self.hidden] } else { Vec::new() };
        [vec![self.time, n, twice * self.state()], vec![l, d, n, self.state()], cell]
    }

    fn values(&self) -> Values {
        let count = |dims: &Vec<i64>| if dims.is_empty() { 0 } else { dims.iter().product() };
        self.inputs().iter().zip(1..).map(|(dims, seed)| numbers(count(dims), seed)).collect()
    }

    fn tensors(&self, layout: &dyn Fn(&[i64]) -> MemoryDesc) -> RnnTensors {
        let md = |dims: &Vec<i64>| if dims.is_empty() { MemoryDesc::ZERO } else { layout(dims) };
        let [src_layer, src_iter, src_iter_c, attention, weights_layer, weights_iter, peephole, projection, bias] =
            self.inputs().each_ref().map(md);
        let [dst_layer, dst_iter, dst_iter_c] = self.results().each_ref().map(md);
        RnnTensors {
            src_layer,
            src_iter,
            src_iter_c,
            attention,
            weights_layer,
            weights_iter,
            weights_peephole: peephole,
            weights_projection: projection,
            bias,
            dst_layer,
            dst_iter,
            dst_iter_c,
        }
    }

    /// All results: destination, states, second states.
    fn expect(&self, values: &Values) -> [Vec<f64>; 3] {
        let mut results = self.results().each_ref().map(|dims| match dims.is_empty() {
            true => Vec::new(),
            false => vec![0.0; dims.iter().product::<i64>() as usize],
        });
        for d in 0..self.directions() as usize {
            self.expect_direction(values, d, &mut results);
        }
        results
    }

    fn expect_direction(&self, values: &Values, d: usize, results: &mut [Vec<f64>; 3]) {
        let [x, h0, c0, attention, wx, wh, wp, wr, bias] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| &values[i]);
        let [dirs, time, batch, src, hidden, state] =
            [self.directions(), self.time, self.batch, self.src, self.hidden, self.state()].map(|i| i as usize);
        let gates = self.cell.gates() as usize;
        let rows = gates + usize::from(self.cell.is_linear_before_reset());
        let reversed = d == 1 || self.direction == RnnDirection::RightToLeft;
        let mut below: Vec<f64> = x.clone();
        for l in 0..self.layers as usize {
            let ld = l * dirs + d;
            let mut above = vec![0.0; time * batch * state];
            for n in 0..batch {
                let mut h: Vec<f64> = (0..state).map(|c| h0[(ld * batch + n) * state + c]).collect();
                let mut c: Vec<f64> = match c0.is_empty() {
                    true => Vec::new(),
                    false => (0..hidden).map(|k| c0[(ld * batch + n) * hidden + k]).collect(),
                };
                for step in 0..time {
                    let t = if reversed { time - 1 - step } else { step };
                    let input = &below[(t * batch + n) * src..(t * batch + n + 1) * src];
                    let product = |v: &[f64], w: &[f64], g: usize, o: usize| -> f64 {
                        let at = |k: usize| w[((ld * v.len() + k) * gates + g) * hidden + o];
                        (0..v.len()).map(|k| v[k] * at(k)).sum()
                    };
                    let b = |g: usize, o: usize| bias[(ld * rows + g) * hidden + o];
                    let pre = |g: usize, o: usize| product(input, wx, g, o) + product(&h, wh, g, o) + b(g, o);
                    let old = h.clone();
                    match self.cell.kind {
                        AlgKind::VanillaRnn => {
                            let activate = |v: f64| match self.cell.activation {
                                AlgKind::EltwiseTanh => v.tanh(),
                                AlgKind::EltwiseLogistic => sigmoid(v),
                                _ => {
                                    if v > 0.0 {
                                        v
                                    } else {
                                        v * f64::from(self.cell.alpha.0)
                                    }
                                }
                            };
                            h = (0..hidden).map(|o| activate(pre(0, o))).collect();
                        }
                        AlgKind::VanillaLstm => {
                            let peep = |row: usize, o: usize, of: f64| match wp.is_empty() {
                                true => 0.0,
                                false => wp[(ld * 3 + row) * hidden + o] * of,
                            };
                            let mut shown = vec![0.0; hidden];
                            for o in 0..hidden {
                                let i = sigmoid(pre(0, o) + peep(0, o, c[o]));
                                let f = sigmoid(pre(1, o) + peep(1, o, c[o]));
                                c[o] = f * c[o] + i * pre(2, o).tanh();
                                shown[o] = sigmoid(pre(3, o) + peep(2, o, c[o])) * c[o].tanh();
                            }
                            h = match wr.is_empty() {
                                true => shown,
                                false => (0..state)
                                    .map(|j| (0..hidden).map(|k| shown[k] * wr[(ld * hidden + k) * state + j]).sum())
                                    .collect(),
                            };
                        }
                        _ => {
                            let lbr = self.cell.is_linear_before_reset();
                            let r: Vec<f64> = (0..hidden).map(|o| sigmoid(pre(1, o))).collect();
                            let rh: Vec<f64> = (0..hidden).map(|o| r[o] * old[o]).collect();
                            for o in 0..hidden {
                                let mut u = sigmoid(product(input, wx, 0, o) + product(&old, wh, 0, o) + b(0, o));
                                if !attention.is_empty() {
                                    u *= 1.0 - attention[t * batch + n];
                                }
                                let from_state = match lbr {
                                    true => r[o] * (product(&old, wh, 2, o) + b(3, o)),
                                    false => product(&rh, wh, 2, o),
                                };
                                let candidate = (product(input, wx, 2, o) + from_state + b(2, o)).tanh();
                                h[o] = u * old[o] + (1.0 - u) * candidate;
                            }
                        }
                    }
                    above[(t * batch + n) * state..][..state].copy_from_slice(&h);
                }
                results[1][(ld * batch + n) * state..][..state].copy_from_slice(&h);
                if !c.is_empty() {
                    results[2][(ld * batch + n) * hidden..][..hidden].copy_from_slice(&c);
                }
            }
            below = above;
        }
        let concat = self.direction == RnnDirection::BidirectionalConcat;
        for (row, values) in below.chunks(state).enumerate() {
            let start = if concat { (row * 2 + d) * state } else { row * state };
            results[0][start..].iter_mut().zip(values).for_each(|(to, from)| *to += from);
        }
    }
}

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
}

/// The bytes of a number in a type.
fn encode(data_type: DataType, x: f64) -> Vec<u8> {
    match data_type {
        DataType::U8 => vec![x as u8],
        DataType::S8 => vec![x as i8 as u8],
        DataType::Bf16 => {
            let bits = (x as f32).to_bits();
            let rounded = bits + 0x7fff + (bits >> 16 & 1);
            ((rounded >> 16) as u16).to_ne_bytes().to_vec()
        }
        _ => (x as f32).to_ne_bytes().to_vec(),
    }
}

fn decode(data_type: DataType, bytes: &[u8]) -> f32 {
    match data_type {
        DataType::U8 => f32::from(bytes[0]),
        DataType::S8 => f32::from(bytes[0] as i8),
        DataType::Bf16 => f32::from_bits(u32::from(u16::from_ne_bytes([bytes[0], bytes[1]])) << 16),
        _ => f32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

/// Where the elements of a tensor lie, in row-major order.
fn offsets(md: &MemoryDesc) -> Vec<usize> {
    let dims: Vec<i64> = md.dims().to_vec();
    let offset = |i: i64| {
        let (mut rest, mut index) = (i, vec![0; dims.len()]);
        for (d, &dim) in dims.iter().enumerate().rev() {
            (index[d], rest) = (rest % dim, rest / dim);
        }
        md.offset_of(&index) as usize
    };
    (0..dims.iter().product()).map(offset).collect()
}

/// A memory with the values of a row-major list, whatever its layout; zeros where there are none.
fn memory(engine: &Engine, md: &MemoryDesc, values: Option<&[f64]>) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    let mut bytes = vec![0; md.size()];
    for (offset, &value) in offsets(md).into_iter().zip(values.unwrap_or(&[])) {
        let number = encode(md.data_type(), value);
        bytes[offset * number.len()..][..number.len()].copy_from_slice(&number);
    }
    memory.write_bytes(&bytes).unwrap();
    memory
}

/// Runs a primitive with the values of row-major lists; what is not given is zero. Gives back all memories.
fn run(engine: &Engine, op: Rnn, given: &[(i32, &[f64])], more: Vec<(i32, Memory)>) -> Vec<(i32, Memory)> {
    run_with(engine, op, &Attr::new(), given, more)
}

/// Runs a backward pass with what the forward pass read, gradients of its results, and its workspace.
fn run_back(
    engine: &Engine,
    op: Rnn,
    values: &Values,
    gradients: &[Vec<f64>; 3],
    forward: Vec<(i32, Memory)>,
) -> Vec<(i32, Memory)> {
    let results = [arg::DIFF_DST_LAYER, arg::DIFF_DST_ITER, arg::DIFF_DST_ITER_C];
    let mut inputs = given(values);
    inputs.extend(results.into_iter().zip(gradients.iter().map(Vec::as_slice)));
    let workspace = forward.into_iter().filter(|(number, _)| *number == arg::WORKSPACE).collect();
    run(engine, op, &inputs, workspace)
}

fn run_with(
    engine: &Engine,
    op: Rnn,
    attr: &Attr,
    given: &[(i32, &[f64])],
    more: Vec<(i32, Memory)>,
) -> Vec<(i32, Memory)> {
    let desc = PrimitiveDesc::new(engine, op, attr).unwrap();
    let mut memories = more;
    for wanted in desc.args() {
        if memories.iter().any(|(number, _)| *number == wanted.arg) {
            continue;
        }
        let values = given.iter().find(|(number, _)| *number == wanted.arg).map(|(_, values)| *values);
        memories.push((wanted.arg, memory(engine, &wanted.md, values)));
    }
    let primitive = Primitive::new(&desc).unwrap();
    let stream = Stream::new(engine).unwrap();
    let args: Vec<(i32, &Memory)> = memories.iter().map(|(number, memory)| (*number, memory)).collect();
    primitive.execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    memories
}

/// The values of an argument in row-major order.
fn result(memories: &[(i32, Memory)], number: i32) -> Vec<f32> {
    let memory = &memories.iter().find(|(of, _)| *of == number).unwrap().1;
    let (md, bytes) = (memory.desc(), memory.read_bytes().unwrap());
    let size = md.data_type().bytes(1);
    offsets(md).into_iter().map(|offset| decode(md.data_type(), &bytes[offset * size..])).collect()
}

fn compare(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(found) - expected).abs();
        assert!(error <= tolerance * expected.abs().max(1.0), "{what} at {i}: {found}, expected {expected}");
    }
}

fn given(values: &Values) -> Vec<(i32, &[f64])> {
    ARGS.into_iter().zip(values.iter().map(Vec::as_slice)).collect()
}

const CELLS: [AlgKind; 6] = [
    AlgKind::VanillaRnn,
    AlgKind::VanillaLstm,
    AlgKind::VanillaGru,
    AlgKind::LbrGru,
    AlgKind::VanillaAugru,
    AlgKind::LbrAugru,
];
const DIRECTIONS: [RnnDirection; 4] = [
    RnnDirection::LeftToRight,
    RnnDirection::RightToLeft,
    RnnDirection::BidirectionalConcat,
    RnnDirection::BidirectionalSum,
];

fn shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for cell in CELLS {
        for direction in DIRECTIONS {
            let shape = Shape::new(cell, direction);
            if !shape.cell.has_attention() || direction == RnnDirection::LeftToRight {
                shapes.push(shape);
            }
        }
    }
    let lstm = Shape::new(AlgKind::VanillaLstm, RnnDirection::BidirectionalSum);
    shapes.push(Shape { peephole: true, ..lstm });
    shapes.push(Shape { projection: Some(4), src: 4, peephole: true, ..lstm });
    let one = Shape { layers: 1, src: 19, hidden: 33, batch: 17, ..lstm };
    shapes.push(Shape { direction: RnnDirection::RightToLeft, ..one });
    shapes
}

fn forward(shape: &Shape, prop: PropKind, layout: &dyn Fn(&[i64]) -> MemoryDesc) -> Rnn {
    Rnn::forward(prop, shape.cell, shape.direction, shape.tensors(layout), 0).unwrap()
}

#[test]
fn every_cell_computes_its_formula_in_every_direction() {
    for engine in engines() {
        for shape in shapes() {
            let values = shape.values();
            let op = forward(&shape, PropKind::ForwardInference, &plain);
            let memories = run(&engine, op, &given(&values), Vec::new());
            for (number, expected) in RESULTS.into_iter().zip(shape.expect(&values)) {
                if !expected.is_empty() {
                    compare(&format!("{shape:?} {number}"), &result(&memories, number), &expected, 2e-6);
                }
            }
        }
    }
}

/// The gradient of a scalar, the results weighted with given numbers, by what is read.
fn differences(shape: &Shape, values: &Values, weights: &[Vec<f64>; 3], which: usize) -> Vec<f64> {
    let value = |values: &Values| -> f64 {
        let results = shape.expect(values);
        results.iter().flatten().zip(weights.iter().flatten()).map(|(x, w)| x * w).sum()
    };
    let step = 1e-4;
    (0..values[which].len())
        .map(|i| {
            let mut moved = values.clone();
            moved[which][i] += step;
            let up = value(&moved);
            moved[which][i] -= 2.0 * step;
            (up - value(&moved)) / (2.0 * step)
        })
        .collect()
}

#[test]
fn gradients_are_what_differences_tell() {
    for engine in engines() {
        for shape in tried(shapes()) {
            // With attention the gradients are oneDNN's, which are not those of its formula.
            if shape.cell.has_attention() || shape.hidden > LAYER {
                continue;
            }
            let values = shape.values();
            let training = forward(&shape, PropKind::ForwardTraining, &plain);
            let memories = run(&engine, training, &given(&values), Vec::new());
            let expected = shape.expect(&values);
            compare(&format!("{shape:?}"), &result(&memories, arg::DST_LAYER), &expected[0], 2e-6);
            let gradients = expected.each_ref().map(|values| numbers(values.len() as i64, 77));
            let any = |dims: &[i64]| MemoryDesc::any(dims, DataType::F32).unwrap();
            let diff = shape.tensors(&plain);
            let op = Rnn::backward(shape.cell, shape.direction, shape.tensors(&any), diff, 0).unwrap();
            let memories = run_back(&engine, op, &values, &gradients, memories);
            for (which, number) in ARGS.into_iter().enumerate() {
                if !values[which].is_empty() {
                    let expected = differences(&shape, &values, &gradients, which);
                    let number = if number == arg::BIAS { arg::DIFF_BIAS } else { number + 128 };
                    compare(&format!("{shape:?} {number}"), &result(&memories, number), &expected, 1e-4);
                }
            }
        }
    }
}

#[test]
fn gradients_of_weights_add_up_unless_they_are_to_be_overwritten() {
    for engine in engines() {
        let shape = Shape { layers: 1, ..Shape::new(AlgKind::VanillaRnn, RnnDirection::LeftToRight) };
        let values = shape.values();
        let training = forward(&shape, PropKind::ForwardTraining, &plain);
        let forward = run(&engine, training, &given(&values), Vec::new());
        let workspace = |list: &[(i32, Memory)]| list.iter().find(|(of, _)| *of == arg::WORKSPACE).unwrap().clone();
        let gradient = numbers(shape.results()[0].iter().product(), 3);
        let backward = |flags: u32| {
            let diff = shape.tensors(&plain);
            let op = Rnn::backward(shape.cell, shape.direction, shape.tensors(&plain), diff, flags).unwrap();
            let ones = vec![1.0; values[8].len()];
            let mut inputs = given(&values);
            inputs.extend([(arg::DIFF_DST_LAYER, gradient.as_slice()), (arg::DIFF_BIAS, ones.as_slice())]);
            result(&run(&engine, op, &inputs, vec![workspace(&forward)]), arg::DIFF_BIAS)
        };
        let added = backward(0);
        let written = backward(Rnn::DIFF_WEIGHTS_OVERWRITE);
        added.iter().zip(&written).for_each(|(a, w)| assert!((a - w - 1.0).abs() < 1e-5, "{a} {w}"));
    }
}

#[test]
fn attention_of_zero_changes_no_gradient() {
    for engine in engines() {
        for (plain_cell, with_attention) in
            [(AlgKind::VanillaGru, AlgKind::VanillaAugru), (AlgKind::LbrGru, AlgKind::LbrAugru)]
        {
            let gradients = |kind: AlgKind| {
                let shape = Shape { layers: 1, ..Shape::new(kind, RnnDirection::LeftToRight) };
                let mut values = shape.values();
                values[3].fill(0.0);
                let training = forward(&shape, PropKind::ForwardTraining, &plain);
                let memories = run(&engine, training, &given(&values), Vec::new());
                let workspace = memories.into_iter().filter(|(number, _)| *number == arg::WORKSPACE).collect();
                let diff = shape.tensors(&plain);
                let op = Rnn::backward(shape.cell, shape.direction, shape.tensors(&plain), diff, 0).unwrap();
                let gradient = numbers(shape.results()[0].iter().product(), 5);
                let mut inputs = given(&values);
                inputs.push((arg::DIFF_DST_LAYER, &gradient));
                let memories = run(&engine, op, &inputs, workspace);
                let attention = memories.iter().any(|(number, _)| *number == arg::DIFF_AUGRU_ATTENTION);
                assert_eq!(attention, shape.cell.has_attention());
                [arg::DIFF_SRC_LAYER, arg::DIFF_SRC_ITER, arg::DIFF_WEIGHTS_ITER]
                    .map(|number| result(&memories, number))
            };
            assert_eq!(gradients(plain_cell), gradients(with_attention));
        }
    }
}

#[test]
fn more_steps_and_layers_compile_nothing() {
    for engine in engines() {
        let shape = Shape::new(AlgKind::VanillaLstm, RnnDirection::BidirectionalConcat);
        let create = |shape: Shape| {
            let op = forward(&shape, PropKind::ForwardInference, &plain);
            Primitive::new(&PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap()).unwrap();
            engine.module_count()
        };
        // Twice as many rows in tiles of the same size.
        let before = create(Shape { layers: 3, time: 24, ..shape });
        assert_eq!(create(Shape { layers: 6, time: 48, ..shape }), before);
        assert!(before <= 16, "{before} modules");
    }
}

/// Shapes whose gates fill vectors, so that CPU-type devices compute whole cells at once.
fn wide_shapes() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for cell in CELLS {
        for (batch, hidden) in [(1, 32), (17, 32), (33, 16), (3, 48)] {
            let shape = Shape::new(cell, RnnDirection::LeftToRight);
            shapes.push(Shape { batch, hidden, src: hidden, ..shape });
        }
    }
    let lstm =
        Shape { batch: 5, hidden: 32, src: 32, ..Shape::new(AlgKind::VanillaLstm, RnnDirection::BidirectionalConcat) };
    shapes.push(lstm);
    shapes.push(Shape { peephole: true, projection: Some(16), src: 16, ..lstm });
    shapes
}

#[test]
fn layouts_change_no_result() {
    let turned = |dims: &[i64]| {
        let order: Vec<usize> = match dims.len() {
            3 => vec![1, 0, 2],
            5 => vec![0, 1, 3, 4, 2],
            count => (0..count).collect(),
        };
        MemoryDesc::with_layout(dims, DataType::F32, &Layout { order, inner: Vec::new() }).unwrap()
    };
    let open = |dims: &[i64]| match dims.len() {
        5 => MemoryDesc::any(dims, DataType::F32).unwrap(),
        _ => plain(dims),
    };
    type Layouts<'a> = &'a dyn Fn(&[i64]) -> MemoryDesc;
    let layouts: [Layouts<'_>; 3] = [&plain, &open, &turned];
    for engine in engines() {
        for shape in tried(wide_shapes()) {
            let values = shape.values();
            let expected = shape.expect(&values);
            for (number, layout) in layouts.iter().enumerate() {
                let prop = if number == 2 { PropKind::ForwardTraining } else { PropKind::ForwardInference };
                let memories = run(&engine, forward(&shape, prop, layout), &given(&values), Vec::new());
                for (of, expected) in RESULTS.into_iter().zip(&expected).filter(|(_, all)| !all.is_empty()) {
                    let what = format!("{shape:?} {prop} layout {number}, argument {of}");
                    compare(&what, &result(&memories, of), expected, 3e-6);
                }
            }
        }
    }
}

/// A network of bf16: weights, data and states, with the second state and the bias in f32.
fn narrow(shape: &Shape, layout: &dyn Fn(&[i64], DataType) -> MemoryDesc) -> RnnTensors {
    let wide = shape.tensors(&|dims| layout(dims, DataType::F32));
    let narrow = shape.tensors(&|dims| layout(dims, DataType::Bf16));
    let RnnTensors { src_iter_c, dst_iter_c, bias, weights_peephole, .. } = wide;
    RnnTensors { src_iter_c, dst_iter_c, bias, weights_peephole, ..narrow }
}

/// The values as bf16 can hold them.
fn rounded(values: &Values) -> Values {
    let round = |&x: &f64| f64::from(decode(DataType::Bf16, &encode(DataType::Bf16, x)));
    values.iter().map(|values| values.iter().map(round).collect()).collect()
}

#[test]
fn bf16_is_trained_with_gradients_in_f32() {
    let any = |dims: &[i64], data_type| match dims.len() {
        5 => MemoryDesc::any(dims, data_type).unwrap(),
        _ => MemoryDesc::with_strides(dims, data_type, None).unwrap(),
    };
    for engine in engines() {
        for kind in [AlgKind::VanillaRnn, AlgKind::VanillaLstm, AlgKind::VanillaGru, AlgKind::LbrGru] {
            let shape = Shape { layers: 1, hidden: 16, src: 16, ..Shape::new(kind, RnnDirection::LeftToRight) };
            let values = rounded(&shape.values());
            let tensors = narrow(&shape, &any);
            let op = Rnn::forward(PropKind::ForwardTraining, shape.cell, shape.direction, tensors.clone(), 0).unwrap();
            let memories = run(&engine, op, &given(&values), Vec::new());
            let expected = shape.expect(&values);
            compare(&format!("{shape:?}"), &result(&memories, arg::DST_LAYER), &expected[0], 0.02);
            let gradients = expected.each_ref().map(|values| numbers(values.len() as i64, 77));
            let diff = shape.tensors(&plain);
            let op = Rnn::backward(shape.cell, shape.direction, tensors, diff, 0).unwrap();
            let memories = run_back(&engine, op, &values, &gradients, memories);
            for which in [0, 1, 4, 5, 8] {
                let number = if which == 8 { arg::DIFF_BIAS } else { ARGS[which] + 128 };
                let expected = differences(&shape, &values, &gradients, which);
                compare(&format!("{shape:?} {number}"), &result(&memories, number), &expected, 0.03);
            }
        }
    }
}

#[test]
fn integers_compute_what_they_stand_for() {
    use DataType::{F32, S8, U8};
    let lstm = Shape::new(AlgKind::VanillaLstm, RnnDirection::LeftToRight);
    let gru = Shape::new(AlgKind::VanillaGru, RnnDirection::LeftToRight);
    let mut shapes = Vec::new();
    for direction in [RnnDirection::LeftToRight, RnnDirection::BidirectionalSum] {
        shapes.extend([lstm, gru].map(|shape| Shape { direction, ..shape }));
    }
    shapes.push(Shape { projection: Some(4), src: 4, ..lstm });
    shapes.extend([lstm, gru].map(|shape| Shape { batch: 17, hidden: 32, src: 32, layers: 1, ..shape }));
    let any = |dims: &[i64], data_type| match dims.len() {
        5 => MemoryDesc::any(dims, data_type).unwrap(),
        _ => MemoryDesc::with_strides(dims, data_type, None).unwrap(),
    };
    let round = |values: &[f64], scale: f64, shift: f64| -> Vec<f64> {
        values.iter().map(|x| (x * scale + shift).round_ties_even()).collect()
    };
    for engine in engines() {
        for (number, shape) in shapes.iter().enumerate() {
            let data = if number == 2 { S8 } else { U8 };
            let (scale, shift) = (100.0, if data == U8 { 120.0 } else { 0.0 });
            let gates = (shape.cell.gates() * shape.hidden) as usize;
            let per_output: Vec<f32> = (0..gates).map(|i| 180.0 + i as f32).collect();
            let mut attr = Attr::new();
            attr.set_rnn_data(scale as f32, shift as f32);
            attr.set_rnn_weights(24, &per_output).unwrap();
            attr.set_rnn_weights_projection(0, &[200.0]).unwrap();
            let mut values = shape.values();
            let mut stored = values.clone();
            for which in [4, 5] {
                for (i, x) in stored[which].iter_mut().enumerate() {
                    *x = (*x * f64::from(per_output[i % gates])).round_ties_even();
                    values[which][i] = *x / f64::from(per_output[i % gates]);
                }
            }
            stored[7] = round(&values[7], 200.0, 0.0);
            values[7] = stored[7].iter().map(|x| x / 200.0).collect();
            for which in [0, 1] {
                stored[which] = round(&values[which], scale, shift);
                values[which] = stored[which].iter().map(|x| (x - shift) / scale).collect();
            }
            let wide = shape.tensors(&|dims| any(dims, F32));
            let bytes = shape.tensors(&|dims| any(dims, data));
            let weights = shape.tensors(&|dims| any(dims, S8));
            let tensors = RnnTensors {
                src_layer: bytes.src_layer,
                src_iter: bytes.src_iter,
                dst_iter: bytes.dst_iter,
                weights_layer: weights.weights_layer,
                weights_iter: weights.weights_iter,
                weights_projection: weights.weights_projection,
                ..wide
            };
            let prop = PropKind::ForwardInference;
            let op = Rnn::forward(prop, shape.cell, shape.direction, tensors, 0).unwrap();
            let memories = run_with(&engine, op, &attr, &given(&stored), Vec::new());
            let expected = shape.expect(&values);
            // Each of three steps and two layers rounds its states to a hundredth.
            let what = format!("{shape:?} {data}");
            compare(&what, &result(&memories, arg::DST_LAYER), &expected[0], 0.03);
            let states: Vec<f64> = expected[1].iter().map(|x| x * scale + shift).collect();
            let found = result(&memories, arg::DST_ITER);
            for (&found, expected) in found.iter().zip(states) {
                assert!((f64::from(found) - expected).abs() <= 3.0, "{what}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn nothing_is_computed_for_no_sequences() {
    for engine in engines() {
        for cell in CELLS {
            let shape = Shape { batch: 0, ..Shape::new(cell, RnnDirection::LeftToRight) };
            let op = forward(&shape, PropKind::ForwardTraining, &plain);
            let memories = run(&engine, op, &[], Vec::new());
            assert!(result(&memories, arg::DST_LAYER).is_empty());
            let diff = shape.tensors(&plain);
            let ones = vec![1.0; shape.values()[5].len()];
            let op = Rnn::backward(shape.cell, shape.direction, shape.tensors(&plain), diff, 0).unwrap();
            let memories = run(&engine, op, &[(arg::DIFF_WEIGHTS_ITER, &ones)], Vec::new());
            assert!(result(&memories, arg::DIFF_WEIGHTS_ITER).iter().all(|&x| x == 1.0), "{cell}");
        }
    }
}

#[test]
fn what_is_no_number_stays_in_its_sequence() {
    for engine in engines() {
        for cell in CELLS {
            let shape = Shape { hidden: 16, src: 16, ..Shape::new(cell, RnnDirection::LeftToRight) };
            let mut values = shape.values();
            // The second sequence, from the second step on.
            values[0][((shape.batch + 1) * shape.src) as usize] = f64::NAN;
            let op = forward(&shape, PropKind::ForwardInference, &plain);
            let found = result(&run(&engine, op, &given(&values), Vec::new()), arg::DST_LAYER);
            for (i, x) in found.iter().enumerate() {
                let (step, sequence) = (i as i64 / shape.state() / shape.batch, i as i64 / shape.state() % shape.batch);
                assert_eq!(x.is_nan(), step >= 1 && sequence == 1, "{cell}: {x} at step {step} of sequence {sequence}");
            }
        }
    }
}
