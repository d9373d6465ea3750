//! Attention on every engine, against a softmax written out as loops.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::engines;

fn numbers(count: i64, seed: i64) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 11) % 101) as f32 / 50.0 - 1.0).collect()
}

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
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

const SCALE: f32 = 0.25;

/// What is asked, with keys and values as the numbers they stand for; `sees` tells what is added to a product.
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

fn run(engine: &Engine, op: Sdpa, attr: &Attr, given: Vec<(i32, Memory)>) -> Vec<f32> {
    let desc = PrimitiveDesc::new(engine, op, attr).unwrap();
    let dst = Memory::new(engine, desc.arg(arg::DST).unwrap()).unwrap();
    let stream = Stream::new(engine).unwrap();
    let mut args: Vec<(i32, &Memory)> = given.iter().map(|(number, memory)| (*number, memory)).collect();
    args.push((arg::DST, &dst));
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    dst.read_to().unwrap()
}

fn memory(engine: &Engine, md: &MemoryDesc, values: &[f32]) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    memory.write_from(values).unwrap();
    memory
}

fn compare(what: &str, found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(found) - expected).abs() <= tolerance, "{what} at {i}: {found}, expected {expected}");
    }
}

const SHAPES: [Shape; 4] = [
    Shape { heads: 2, shared: 2, queries: 7, keys: 70, channels: 20, values: 33 },
    Shape { heads: 4, shared: 2, queries: 13, keys: 64, channels: 16, values: 64 },
    Shape { heads: 3, shared: 1, queries: 5, keys: 9, channels: 8, values: 80 },
    Shape { heads: 1, shared: 1, queries: 1, keys: 129, channels: 64, values: 16 },
];

#[test]
fn masks_and_shared_heads() {
    for engine in engines() {
        for s in SHAPES {
            let dims = |heads, tokens, channels| [1, heads, tokens, channels];
            let [q_dims, k_dims, v_dims] = [
                dims(s.heads, s.queries, s.channels),
                dims(s.shared, s.keys, s.channels),
                dims(s.shared, s.keys, s.values),
            ];
            let count = |dims: &[i64]| dims.iter().product::<i64>();
            let [q, k, v] = [(q_dims, 1), (k_dims, 2), (v_dims, 3)].map(|(dims, seed)| numbers(count(&dims), seed));
            let mask_md = plain(&[1, 1, s.queries, s.keys]);
            let mask = numbers(s.queries * s.keys, 4);
            let masks = [
                AttentionMask::None,
                AttentionMask::CausalTopLeft,
                AttentionMask::CausalBottomRight,
                AttentionMask::Explicit(mask_md.clone()),
            ];
            for kind in masks {
                let hidden = |seen: bool| if seen { 0.0 } else { f64::NEG_INFINITY };
                let sees = |_: i64, i: i64, j: i64| match kind {
                    AttentionMask::None => 0.0,
                    AttentionMask::CausalTopLeft => hidden(j <= i),
                    AttentionMask::CausalBottomRight => hidden(j + s.queries <= i + s.keys),
                    AttentionMask::Explicit(_) => f64::from(mask[(i * s.keys + j) as usize]),
                };
                let expected = expect(s, &q, &k, &v, sees);
                let scale = AttentionScale::Number(Float(SCALE));
                let mds = [plain(&q_dims), plain(&k_dims), plain(&v_dims), plain(&dims(s.heads, s.queries, s.values))];
                let op = Sdpa::new(&mds[0], &mds[1], &mds[2], &mds[3], scale, kind.clone()).unwrap();
                let mut given = vec![
                    (Sdpa::QUERIES, memory(&engine, &mds[0], &q)),
                    (Sdpa::KEYS, memory(&engine, &mds[1], &k)),
                    (Sdpa::VALUES, memory(&engine, &mds[2], &v)),
                ];
                if matches!(kind, AttentionMask::Explicit(_)) {
                    given.push((Sdpa::MASK, memory(&engine, &mask_md, &mask)));
                }
                let found = run(&engine, op, &Attr::new(), given);
                compare(&format!("{engine:?} {s:?} {kind:?}"), &found, &expected, 2e-5);
            }
        }
    }
}

#[test]
fn keys_and_values_of_integers() {
    let s = Shape { heads: 4, shared: 2, queries: 9, keys: 33, channels: 32, values: 32 };
    for engine in engines() {
        for (data_type, low) in [(DataType::S8, -60), (DataType::U8, 0), (DataType::S4, -8), (DataType::U4, 0)] {
            let dims = |heads, tokens, channels| [1, heads, tokens, channels];
            let (q_dims, kv_dims) = (dims(s.heads, s.queries, s.channels), dims(s.shared, s.keys, s.channels));
            let q = numbers(q_dims.iter().product(), 1);
            let range = if data_type.is_sub_byte() { 16 } else { 120 };
            let whole = |seed: i64| -> Vec<i64> {
                (0..kv_dims.iter().product::<i64>()).map(|i| (i * 7 + seed) % range + low).collect()
            };
            let (k, v) = (whole(3), whole(5));
            // A scale for each token of the keys, one for every 16 channels of the values.
            let k_scales: Vec<f32> = (0..s.shared * s.keys).map(|i| 0.01 + (i % 5) as f32 / 500.0).collect();
            let v_scales: Vec<f32> = (0..s.shared * s.keys * 2).map(|i| 0.02 + (i % 3) as f32 / 100.0).collect();
            let scaled = |x: &[i64], group: usize, scales: &[f32]| -> Vec<f32> {
                x.iter().enumerate().map(|(i, &x)| x as f32 * scales[i / group]).collect()
            };
            let (k_real, v_real) = (scaled(&k, 32, &k_scales), scaled(&v, 16, &v_scales));
            let expected = expect(s, &q, &k_real, &v_real, |_, _, _| 0.0);
            let bytes = |x: &[i64]| -> Vec<u8> {
                match data_type.is_sub_byte() {
                    true => x.chunks(2).map(|pair| (pair[0] & 15) as u8 | ((pair[1] & 15) as u8) << 4).collect(),
                    false => x.iter().map(|&x| x as u8).collect(),
                }
            };
            let kv_md = MemoryDesc::with_strides(&kv_dims, data_type, None).unwrap();
            let integers = |x: &[i64]| {
                let memory = Memory::new(&engine, &kv_md).unwrap();
                memory.write_bytes(&bytes(x)).unwrap();
                memory
            };
            let attr = Attr::new()
                .with_scales(Sdpa::KEYS, Quant::scales(14).groups(&[1, 32]).unwrap())
                .and_then(|attr| attr.with_scales(Sdpa::VALUES, Quant::scales(14).groups(&[1, 16]).unwrap()))
                .unwrap();
            let q_md = plain(&q_dims);
            let scale = AttentionScale::Tensor { data_type: DataType::F32, divides: true };
            let op = Sdpa::new(&q_md, &kv_md, &kv_md, &plain(&q_dims), scale, AttentionMask::None).unwrap();
            let desc = PrimitiveDesc::new(&engine, op.clone(), &attr).unwrap();
            let scales = |number: i32, values: &[f32]| {
                (arg::ATTR_SCALES | number, memory(&engine, desc.arg(arg::ATTR_SCALES | number).unwrap(), values))
            };
            let given = vec![
                (Sdpa::QUERIES, memory(&engine, &q_md, &q)),
                (Sdpa::KEYS, integers(&k)),
                (Sdpa::VALUES, integers(&v)),
                (arg::SCALE, memory(&engine, &plain(&[1]), &[1.0 / SCALE])),
                scales(Sdpa::KEYS, &k_scales),
                scales(Sdpa::VALUES, &v_scales),
            ];
            compare(&format!("{engine:?} {data_type}"), &run(&engine, op, &attr, given), &expected, 5e-5);
        }
    }
}
