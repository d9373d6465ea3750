//! Attention on every engine, against a softmax written out as loops.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};
use support::engines;

/// Numbers from -1 to 1 that halves and bf16 keep as they are.
fn numbers(count: i64, seed: i64) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 129) as f32 / 64.0 - 1.0).collect()
}

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    heads: i64,
    shared: i64,
    queries: i64,
    keys: i64,
    channels: i64,
    values: i64,
}

impl Shape {
    fn q_dims(self) -> [i64; 4] {
        [1, self.heads, self.queries, self.channels]
    }

    /// A key's channels side by side, or the keys.
    fn keys_md(self, data_type: DataType, channels_first: bool) -> MemoryDesc {
        let dims = [1, self.shared, self.channels, self.keys];
        let all = self.channels * self.keys;
        let strides = if channels_first { [1, self.channels] } else { [self.keys, 1] };
        let strides = [self.shared * all, all, strides[0], strides[1]];
        MemoryDesc::with_strides(&dims, data_type, Some(&strides)).unwrap()
    }

    fn v_dims(self) -> [i64; 4] {
        [1, self.shared, self.keys, self.values]
    }

    fn dst_dims(self) -> [i64; 4] {
        [1, self.heads, self.queries, self.values]
    }
}

const SCALE: f32 = 0.25;

/// What is asked, with keys (one after another) and values as the numbers they stand for; `sees` tells what is added to
/// a product.
fn expect(s: Shape, q: &[f32], k: &[f32], v: &[f32], sees: impl Fn(i64, i64, i64) -> f64) -> Vec<f64> {
    let mut out = Vec::new();
    for h in 0..s.heads {
        let kv = h / (s.heads / s.shared);
        for i in 0..s.queries {
            let row = |j: i64| {
                let product = |c: i64| {
                    let at = [(h * s.queries + i) * s.channels + c, (kv * s.keys + j) * s.channels + c];
                    f64::from(q[at[0] as usize]) * f64::from(k[at[1] as usize])
                };
                (0..s.channels).map(product).sum::<f64>() * f64::from(SCALE) + sees(h, i, j)
            };
            let scores: Vec<f64> = (0..s.keys).map(row).collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> =
                scores.iter().map(|x| if most.is_infinite() { 0.0 } else { (x - most).exp() }).collect();
            let total: f64 = powers.iter().sum();
            for c in 0..s.values {
                let at = |j: i64| f64::from(v[((kv * s.keys + j) * s.values + c) as usize]);
                let sum: f64 = (0..s.keys).map(|j| powers[j as usize] * at(j)).sum();
                out.push(if total == 0.0 { 0.0 } else { sum / total });
            }
        }
    }
    out
}

/// The bits of a number that a type keeps as it is; no denormals.
fn encode(data_type: DataType, x: f32) -> Vec<u8> {
    let bits = x.to_bits();
    match data_type {
        DataType::F32 => bits.to_le_bytes().to_vec(),
        DataType::Bf16 => ((bits >> 16) as u16).to_le_bytes().to_vec(),
        DataType::F16 if x == 0.0 => vec![0, 0],
        DataType::F16 if x.is_infinite() => vec![0, if x < 0.0 { 0xfc } else { 0x7c }],
        DataType::F16 => {
            let exponent = ((bits >> 23) & 255) + 15 - 127;
            (((bits >> 31) << 15 | exponent << 10 | (bits >> 13) & 1023) as u16).to_le_bytes().to_vec()
        }
        _ => panic!("{data_type} is not tested as a float"),
    }
}

fn decode(data_type: DataType, bytes: &[u8]) -> Vec<f32> {
    let half = |pair: &[u8]| u32::from(u16::from_le_bytes([pair[0], pair[1]]));
    match data_type {
        DataType::F32 => bytes.chunks(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect(),
        DataType::Bf16 => bytes.chunks(2).map(|x| f32::from_bits(half(x) << 16)).collect(),
        DataType::F16 => {
            let number = |x: u32| {
                let (sign, exponent, rest) = (x >> 15, (x >> 10) & 31, (x & 1023) as f32);
                let magnitude = match exponent {
                    0 => rest * 2f32.powi(-24),
                    31 => f32::NAN,
                    _ => (1.0 + rest / 1024.0) * 2f32.powi(exponent as i32 - 15),
                };
                if sign == 1 { -magnitude } else { magnitude }
            };
            bytes.chunks(2).map(|x| number(half(x))).collect()
        }
        _ => panic!("{data_type} is not tested as a float"),
    }
}

fn run(engine: &Engine, op: Sdpa, attr: &Attr, given: Vec<(i32, Memory)>) -> Vec<f32> {
    let desc = PrimitiveDesc::new(engine, op, attr).unwrap();
    let dst = Memory::new(engine, desc.arg(arg::DST).unwrap()).unwrap();
    let stream = Stream::new(engine).unwrap();
    let mut args: Vec<(i32, &Memory)> = given.iter().map(|(number, memory)| (*number, memory)).collect();
    args.push((arg::DST, &dst));
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    decode(dst.desc().data_type(), &dst.read_bytes().unwrap())
}

fn memory(engine: &Engine, md: &MemoryDesc, values: &[f32]) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|&x| encode(md.data_type(), x)).collect();
    memory.write_bytes(&bytes).unwrap();
    memory
}

/// Keys as they lie where neighbours are keys rather than channels.
fn across<T: Copy>(s: Shape, keys: &[T]) -> Vec<T> {
    let mut out = Vec::new();
    for head in keys.chunks((s.keys * s.channels) as usize) {
        for c in 0..s.channels {
            out.extend((0..s.keys).map(|j| head[(j * s.channels + c) as usize]));
        }
    }
    out
}

fn compare(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(found) - expected).abs() <= tolerance, "{what} at {i}: {found}, expected {expected}");
    }
}

/// Sums are in single precision. A result is rounded to its type, and where bf16 is multiplied, so is each power.
fn tolerance(data_type: DataType) -> f64 {
    match data_type {
        DataType::Bf16 => 2f64.powi(-8) + 2e-5,
        DataType::F16 => 2f64.powi(-11) + 2e-5,
        _ => 2e-5,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mask {
    None,
    TopLeft,
    BottomRight,
    /// A number for each query and key, of the type of the queries.
    Numbers,
    /// The same, and some queries see nothing.
    Hiding,
    /// A number for each head and key.
    OfKeys,
}

const MASKS: [Mask; 6] = [Mask::None, Mask::TopLeft, Mask::BottomRight, Mask::Numbers, Mask::Hiding, Mask::OfKeys];

fn check(engine: &Engine, s: Shape, data_type: DataType, mask: Mask, channels_first: bool) {
    let count = |dims: &[i64]| dims.iter().product::<i64>();
    let [q, k, v] = [count(&s.q_dims()), s.shared * s.keys * s.channels, count(&s.v_dims())]
        .into_iter()
        .zip(1..)
        .map(|(count, seed)| numbers(count, seed))
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let mask_dims = match mask {
        Mask::OfKeys => [1, s.heads, 1, s.keys],
        _ => [1, 1, s.queries, s.keys],
    };
    let mask_md = plain(&mask_dims, data_type);
    let mut added = numbers(count(&mask_dims), 4);
    if mask == Mask::Hiding {
        // Every third query sees nothing, every other one the first keys, and the rest what is behind the first block.
        for (i, row) in added.chunks_mut(s.keys as usize).enumerate() {
            let hidden = |j: usize| match i % 3 {
                0 => true,
                1 => j > 5,
                _ => j < row_start(s),
            };
            for (j, x) in row.iter_mut().enumerate() {
                *x = if hidden(j) { f32::NEG_INFINITY } else { *x };
            }
        }
    }
    let hidden = |seen: bool| if seen { 0.0 } else { f64::NEG_INFINITY };
    let sees = |h: i64, i: i64, j: i64| match mask {
        Mask::None => 0.0,
        Mask::TopLeft => hidden(j <= i),
        Mask::BottomRight => hidden(j + s.queries <= i + s.keys),
        Mask::Numbers | Mask::Hiding => f64::from(added[(i * s.keys + j) as usize]),
        Mask::OfKeys => f64::from(added[(h * s.keys + j) as usize]),
    };
    let expected = expect(s, &q, &k, &v, sees);
    let kind = match mask {
        Mask::None => AttentionMask::None,
        Mask::TopLeft => AttentionMask::CausalTopLeft,
        Mask::BottomRight => AttentionMask::CausalBottomRight,
        Mask::Numbers | Mask::Hiding | Mask::OfKeys => AttentionMask::Explicit(mask_md.clone()),
    };
    let [q_md, v_md, dst_md] = [s.q_dims(), s.v_dims(), s.dst_dims()].map(|dims| plain(&dims, data_type));
    let k_md = s.keys_md(data_type, channels_first);
    let op = Sdpa::new(&q_md, &k_md, &v_md, &dst_md, AttentionScale::Number(Float(SCALE)), kind.clone()).unwrap();
    let k = if channels_first { k } else { across(s, &k) };
    let mut given = vec![
        (Sdpa::QUERIES, memory(engine, &q_md, &q)),
        (Sdpa::KEYS, memory(engine, &k_md, &k)),
        (Sdpa::VALUES, memory(engine, &v_md, &v)),
    ];
    if matches!(kind, AttentionMask::Explicit(_)) {
        given.push((Sdpa::MASK, memory(engine, &mask_md, &added)));
    }
    let found = run(engine, op, &Attr::new(), given);
    let what = format!("{engine:?} {s:?} {data_type} {mask:?} channels first: {channels_first}");
    compare(&what, &found, &expected, tolerance(data_type));
}

/// From where on the last third of queries sees keys: far enough that whole blocks are hidden, if there are so many.
fn row_start(s: Shape) -> usize {
    if s.keys > 66 { 66 } else { 1 }
}

/// Shapes that no block divides; of many rows, and of few as in decoding.
const SHAPES: [Shape; 7] = [
    Shape { heads: 2, shared: 2, queries: 7, keys: 70, channels: 20, values: 33 },
    Shape { heads: 4, shared: 2, queries: 13, keys: 64, channels: 16, values: 64 },
    Shape { heads: 3, shared: 1, queries: 5, keys: 9, channels: 8, values: 80 },
    Shape { heads: 1, shared: 1, queries: 1, keys: 129, channels: 64, values: 16 },
    Shape { heads: 4, shared: 1, queries: 1, keys: 131, channels: 33, values: 30 },
    Shape { heads: 2, shared: 1, queries: 30, keys: 257, channels: 34, values: 48 },
    Shape { heads: 1, shared: 1, queries: 53, keys: 31, channels: 7, values: 96 },
];

const DECODING: Shape = Shape { heads: 4, shared: 2, queries: 1, keys: 301, channels: 64, values: 64 };

#[test]
fn masks_and_shared_heads() {
    for engine in engines() {
        for (i, s) in SHAPES.into_iter().enumerate() {
            // Each kernel takes its time to build, so every other shape has every other mask.
            for (j, mask) in MASKS.into_iter().enumerate().skip(i % 2).step_by(2) {
                check(&engine, s, DataType::F32, mask, (i + j) / 2 % 2 == 0);
            }
        }
    }
}

#[test]
fn short_floats() {
    for engine in engines() {
        for data_type in [DataType::Bf16, DataType::F16] {
            for (i, s) in [SHAPES[0], SHAPES[4], SHAPES[5], DECODING].into_iter().enumerate() {
                check(&engine, s, data_type, Mask::None, i % 2 == 1);
                check(&engine, s, data_type, Mask::BottomRight, true);
                check(&engine, s, data_type, Mask::Hiding, true);
            }
        }
    }
}

/// Rows, keys and channels of which AMX's tiles have parts left over, and heads that share keys.
const TILES: Shape = Shape { heads: 4, shared: 2, queries: 45, keys: 301, channels: 72, values: 80 };

#[test]
fn tiles_have_parts_left_over() {
    for engine in engines() {
        for (i, mask) in MASKS.into_iter().enumerate() {
            check(&engine, [TILES, SHAPES[6], SHAPES[2]][i % 3], DataType::Bf16, mask, i % 2 == 0);
        }
    }
}

/// Enough tiles that a work-item has several, and keys that many blocks of are hidden.
#[test]
fn many_rows_and_long_keys() {
    let s = Shape { heads: 3, shared: 3, queries: 400, keys: 410, channels: 32, values: 16 };
    let whole = Shape { heads: 4, shared: 2, queries: 256, keys: 384, channels: 64, values: 64 };
    let decoding = Shape { keys: 3001, ..DECODING };
    for engine in engines().into_iter().filter(|engine| engine.kind() == EngineKind::Gpu) {
        for mask in [Mask::None, Mask::TopLeft, Mask::BottomRight] {
            check(&engine, s, DataType::F32, mask, true);
            check(&engine, s, DataType::Bf16, mask, true);
            check(&engine, whole, DataType::Bf16, mask, true);
            check(&engine, decoding, DataType::F32, mask, true);
        }
    }
}

#[test]
fn a_single_key_channel_or_value() {
    let s = Shape { heads: 2, shared: 1, queries: 9, keys: 6, channels: 5, values: 4 };
    for engine in engines() {
        for data_type in [DataType::F32, DataType::Bf16] {
            for queries in [1, s.queries] {
                let s = Shape { queries, ..s };
                for single in [Shape { keys: 1, ..s }, Shape { channels: 1, ..s }, Shape { values: 1, ..s }] {
                    check(&engine, single, data_type, Mask::Numbers, queries > 1);
                }
            }
        }
    }
}

#[test]
fn queries_that_see_nothing_can_give_nan() {
    let s = SHAPES[0];
    for engine in engines() {
        let [q_md, v_md, dst_md] = [s.q_dims(), s.v_dims(), s.dst_dims()].map(|dims| plain(&dims, DataType::F32));
        let (k_md, mask_md) = (s.keys_md(DataType::F32, true), plain(&[1, 1, s.queries, s.keys], DataType::F32));
        let scale = AttentionScale::Number(Float(SCALE));
        let mask = AttentionMask::Explicit(mask_md.clone());
        let op = Sdpa::new(&q_md, &k_md, &v_md, &dst_md, scale, mask).unwrap().with_unseeing(Unseeing::Nan);
        let hidden: Vec<f32> =
            (0..s.queries * s.keys).map(|i| if i < s.keys { f32::NEG_INFINITY } else { 0.0 }).collect();
        let filled = |md: &MemoryDesc| memory(&engine, md, &numbers(md.dims().iter().product(), 1));
        let given = vec![
            (Sdpa::QUERIES, filled(&q_md)),
            (Sdpa::KEYS, filled(&k_md)),
            (Sdpa::VALUES, filled(&v_md)),
            (Sdpa::MASK, memory(&engine, &mask_md, &hidden)),
        ];
        let found = run(&engine, op, &Attr::new(), given);
        let is_first = |i: usize| (i as i64 / s.values) % s.queries == 0;
        assert!(found.iter().enumerate().all(|(i, x)| x.is_nan() == is_first(i)), "{engine:?} {found:?}");
    }
}

#[derive(Clone, Copy, Debug)]
struct Whole {
    data_type: DataType,
    low: i64,
    range: i64,
}

/// Integers of keys and values, with a scale and a zero point for each token of the keys and every 16 channels of the values.
fn check_integers(engine: &Engine, s: Shape, whole: Whole, mask: Mask, channels_first: bool) {
    let Whole { data_type, low, range } = whole;
    let q = numbers(s.q_dims().iter().product(), 1);
    let integers = |count: i64, seed: i64| -> Vec<i64> { (0..count).map(|i| (i * 7 + seed) % range + low).collect() };
    let (k, v) = (integers(s.shared * s.keys * s.channels, 3), integers(s.v_dims().iter().product(), 5));
    let groups = s.values / 16;
    let k_scales: Vec<f32> = (0..s.shared * s.keys).map(|i| 0.01 + (i % 5) as f32 / 500.0).collect();
    let v_scales: Vec<f32> = (0..s.shared * s.keys * groups).map(|i| 0.02 + (i % 3) as f32 / 100.0).collect();
    let zero_points = |scales: &[f32]| -> Vec<i32> { (0..scales.len() as i32).map(|i| i % 3 - 1).collect() };
    let (k_zero, v_zero) = (zero_points(&k_scales), zero_points(&v_scales));
    let real = |x: &[i64], group: i64, scales: &[f32], zero: &[i32]| -> Vec<f32> {
        let number =
            |(i, &x): (usize, &i64)| (x - i64::from(zero[i / group as usize])) as f32 * scales[i / group as usize];
        x.iter().enumerate().map(number).collect()
    };
    let hidden = |seen: bool| if seen { 0.0 } else { f64::NEG_INFINITY };
    let sees = |_: i64, i: i64, j: i64| if mask == Mask::None { 0.0 } else { hidden(j + s.queries <= i + s.keys) };
    let expected = expect(s, &q, &real(&k, s.channels, &k_scales, &k_zero), &real(&v, 16, &v_scales, &v_zero), sees);
    let bytes = |x: &[i64]| -> Vec<u8> {
        match data_type.is_sub_byte() {
            true => x.chunks(2).map(|pair| (pair[0] & 15) as u8 | ((pair[1] & 15) as u8) << 4).collect(),
            false => x.iter().map(|&x| x as u8).collect(),
        }
    };
    let (k_md, v_md) = (s.keys_md(data_type, channels_first), plain(&s.v_dims(), data_type));
    let stored = |md: &MemoryDesc, x: &[i64]| {
        let memory = Memory::new(engine, md).unwrap();
        memory.write_bytes(&bytes(x)).unwrap();
        memory
    };
    let attr = Attr::new()
        .with_scales(Sdpa::KEYS, Quant::scales(14).groups(&[s.channels, 1]).unwrap())
        .and_then(|attr| attr.with_scales(Sdpa::VALUES, Quant::scales(14).groups(&[1, 16]).unwrap()))
        .and_then(|attr| attr.with_zero_points(Sdpa::KEYS, Quant::zero_points(14).groups(&[s.channels, 1]).unwrap()))
        .and_then(|attr| attr.with_zero_points(Sdpa::VALUES, Quant::zero_points(14).groups(&[1, 16]).unwrap()))
        .unwrap();
    let (q_md, dst_md) = (plain(&s.q_dims(), DataType::F32), plain(&s.dst_dims(), DataType::F32));
    let scale = AttentionScale::Tensor { data_type: DataType::F32, divides: true, on_host: false };
    let kind = if mask == Mask::None { AttentionMask::None } else { AttentionMask::CausalBottomRight };
    let op = Sdpa::new(&q_md, &k_md, &v_md, &dst_md, scale, kind).unwrap();
    let desc = PrimitiveDesc::new(engine, op.clone(), &attr).unwrap();
    let scales = |number: i32, values: &[f32]| {
        let number = arg::ATTR_SCALES | number;
        (number, memory(engine, desc.arg(number).unwrap(), values))
    };
    let zero = |number: i32, values: &[i32]| {
        let number = arg::ATTR_ZERO_POINTS | number;
        let memory = Memory::new(engine, desc.arg(number).unwrap()).unwrap();
        memory.write_from(values).unwrap();
        (number, memory)
    };
    let k = if channels_first { k } else { across(s, &k) };
    let given = vec![
        (Sdpa::QUERIES, memory(engine, &q_md, &q)),
        (Sdpa::KEYS, stored(&k_md, &k)),
        (Sdpa::VALUES, stored(&v_md, &v)),
        (arg::SCALE, memory(engine, &plain(&[1], DataType::F32), &[1.0 / SCALE])),
        scales(Sdpa::KEYS, &k_scales),
        scales(Sdpa::VALUES, &v_scales),
        zero(Sdpa::KEYS, &k_zero),
        zero(Sdpa::VALUES, &v_zero),
    ];
    let what = format!("{engine:?} {s:?} {data_type} {mask:?} channels first: {channels_first}");
    compare(&what, &run(engine, op, &attr, given), &expected, 5e-5);
}

#[test]
fn keys_and_values_of_integers() {
    let shapes = [
        Shape { heads: 4, shared: 2, queries: 9, keys: 34, channels: 32, values: 32 },
        Shape { heads: 2, shared: 1, queries: 1, keys: 130, channels: 48, values: 64 },
    ];
    let types = [(DataType::S8, -60, 120), (DataType::U8, 0, 120), (DataType::S4, -8, 16), (DataType::U4, 0, 16)];
    for engine in engines() {
        for s in shapes {
            for (data_type, low, range) in types {
                for (mask, channels_first) in [(Mask::BottomRight, true), (Mask::None, false)] {
                    check_integers(&engine, s, Whole { data_type, low, range }, mask, channels_first);
                }
            }
        }
    }
}

/// Which schedule took the one stage that is left, and that no other computes products.
#[test]
fn one_pass_takes_every_mask_and_type() {
    let s = Shape { heads: 4, shared: 2, queries: 9, keys: 34, channels: 32, values: 32 };
    let Some(engine) = engines().into_iter().find(|engine| engine.kind() == EngineKind::Gpu) else {
        println!("skipped: no device");
        return;
    };
    for (queries, data_type) in [
        (DataType::F32, DataType::F32),
        (DataType::Bf16, DataType::Bf16),
        (DataType::F16, DataType::F16),
        (DataType::F32, DataType::S8),
        (DataType::F16, DataType::U4),
    ] {
        for kind in [AttentionMask::None, AttentionMask::CausalTopLeft, AttentionMask::CausalBottomRight] {
            let [q_md, dst_md] = [s.q_dims(), s.dst_dims()].map(|dims| plain(&dims, queries));
            let (k_md, v_md) = (s.keys_md(data_type, true), plain(&s.v_dims(), data_type));
            let scale = AttentionScale::Number(Float(SCALE));
            let op = Sdpa::new(&q_md, &k_md, &v_md, &dst_md, scale, kind.clone()).unwrap();
            let mut attr = Attr::new();
            if data_type.is_integer() {
                attr = attr
                    .with_scales(Sdpa::KEYS, Quant::scales(14).groups(&[s.channels, 1]).unwrap())
                    .and_then(|attr| attr.with_scales(Sdpa::VALUES, Quant::scales(14).groups(&[1, 16]).unwrap()))
                    .unwrap();
            }
            let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
            let info = desc.implementation();
            assert!(info.contains("attend"), "{data_type} {kind:?}: {info}");
        }
    }
}

#[test]
fn a_softmax_can_make_zeros_of_rows_of_minus_infinity() {
    let md = plain(&[3, 70], DataType::F32);
    let number = |i: i64| if i / 70 == 1 { f32::NEG_INFINITY } else { 0.5 };
    let values: Vec<f32> = (0..210).map(number).collect();
    for engine in engines() {
        for (alg, zeros) in [(AlgKind::SoftmaxAccurateInfAsZero, true), (AlgKind::SoftmaxAccurate, false)] {
            let op = Softmax::forward(PropKind::ForwardInference, alg, &md, &md, 1).unwrap();
            let desc = PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap();
            let (src, dst) = (memory(&engine, &md, &values), Memory::new(&engine, &md).unwrap());
            let stream = Stream::new(&engine).unwrap();
            Primitive::new(&desc).unwrap().execute(&stream, &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
            stream.wait().unwrap();
            for (i, x) in (0..).zip(dst.read_to::<f32>().unwrap()) {
                let right = match i / 70 {
                    1 if zeros => x == 0.0,
                    1 => x.is_nan(),
                    _ => (x - 1.0 / 70.0).abs() < 1e-6,
                };
                assert!(right, "{engine:?} {alg} at {i}: {x}");
            }
        }
    }
}
