//! Numbers of eight and of sixteen bits: what is stored is the nearest one, whatever type it was computed in.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::engines;

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

fn run(engine: &Engine, op: impl Into<Op>, args: &[(i32, &Memory)]) {
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, args).unwrap();
    stream.wait().unwrap();
}

fn bytes(engine: &Engine, md: &MemoryDesc, values: &[i32]) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    memory.write_bytes(&values.iter().map(|&x| x as u8).collect::<Vec<u8>>()).unwrap();
    memory
}

/// The elements of memory of a type of eight bits.
fn read(memory: &Memory, data_type: DataType) -> Vec<i32> {
    let signed = |x: u8| if data_type == DataType::S8 { i32::from(x as i8) } else { i32::from(x) };
    memory.read_bytes().unwrap().into_iter().map(signed).collect()
}

fn limits(data_type: DataType) -> (i32, i32) {
    if data_type == DataType::S8 { (-128, 127) } else { (0, 255) }
}

/// Every number of a type, again and again.
fn all(data_type: DataType, count: usize, step: usize) -> Vec<i32> {
    (0..count).map(|i| limits(data_type).0 + (i * step % 256) as i32).collect()
}

const COUNT: usize = 1013;

#[test]
fn floats_are_rounded_to_even_and_limited() {
    let special = [f32::INFINITY, -f32::INFINITY, 1e30, -1e30, 127.5, 126.5, -128.5, -0.5, 0.5, 254.5, 255.5, 1e-30];
    let values: Vec<f32> = special.into_iter().chain((0..COUNT).map(|i| i as f32 / 2.0 - 200.0)).collect();
    let dims = [values.len() as i64];
    for engine in engines() {
        for data_type in [DataType::S8, DataType::U8] {
            let (from, to) = (plain(&dims, DataType::F32), plain(&dims, data_type));
            let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
            src.write_from(&values).unwrap();
            run(&engine, Reorder::new(&from, &to).unwrap(), &[(arg::SRC, &src), (arg::DST, &dst)]);
            let (low, high) = limits(data_type);
            let expected: Vec<i32> =
                values.iter().map(|x| x.round_ties_even().clamp(low as f32, high as f32) as i32).collect();
            assert_eq!(read(&dst, data_type), expected, "{data_type}");
        }
    }
}

#[test]
fn sums_and_maxima_of_bytes_are_exact() {
    let dims = [COUNT as i64];
    for engine in engines() {
        for from in [DataType::S8, DataType::U8] {
            for to in [DataType::S8, DataType::U8] {
                let (md, dst_md) = (plain(&dims, from), plain(&dims, to));
                let (a, b) = (all(from, COUNT, 1), all(from, COUNT, 97));
                let (x, y) = (bytes(&engine, &md, &a), bytes(&engine, &md, &b));
                let dst = Memory::new(&engine, &dst_md).unwrap();
                let (low, high) = limits(to);
                type Function = fn(i32, i32) -> i32;
                let cases: [(AlgKind, Function); 4] = [
                    (AlgKind::BinaryAdd, |a, b| a + b),
                    (AlgKind::BinarySub, |a, b| a - b),
                    (AlgKind::BinaryMul, |a, b| a * b),
                    (AlgKind::BinaryMax, i32::max),
                ];
                for (alg, function) in cases {
                    let op = Binary::new(alg, &md, &md, None, &dst_md).unwrap();
                    run(&engine, op, &[(arg::SRC_0, &x), (arg::SRC_1, &y), (arg::DST, &dst)]);
                    let expected: Vec<i32> = a.iter().zip(&b).map(|(&a, &b)| function(a, b).clamp(low, high)).collect();
                    assert_eq!(read(&dst, to), expected, "{alg} of {from} to {to}");
                }
            }
        }
    }
}

#[test]
fn products_of_the_largest_bytes_are_exact() {
    // Sums of neighbours exceed 16 bits, and of some lengths no vector is full. Weights may lie along what is summed.
    let plain_ones = [(13, 300, 40), (1, 4, 16), (64, 20, 33), (7, 1028, 24), (4, 8320, 40), (40, 8320, 40)]
        .map(|sizes| (sizes, false));
    let along = [(2, 64, 5), (5, 192, 37), (12, 128, 70), (15, 320, 33), (50, 64, 3), (4, 8320, 9)];
    for ((m, k, n), is_along) in plain_ones.into_iter().chain(along.map(|sizes| (sizes, true))) {
        for engine in engines() {
            for from in [DataType::U8, DataType::S8] {
                let (low, high) = limits(from);
                let choose = |few: &[i32], count: i64| -> Vec<i32> {
                    (0..count as usize).map(|i| few[i * i / 3 % few.len()]).collect()
                };
                let (a, b) = (choose(&[high, high, low], m * k), choose(&[-128, -128, 127, 127, 127], k * n));
                let strides = if is_along { [1, k] } else { [n, 1] };
                let src_md = plain(&[m, k], from);
                let weights_md = MemoryDesc::with_strides(&[k, n], DataType::S8, Some(&strides)).unwrap();
                let dst_md = plain(&[m, n], DataType::S32);
                let (src, weights) = (bytes(&engine, &src_md, &a), bytes(&engine, &weights_md, &b));
                let dst = Memory::new(&engine, &dst_md).unwrap();
                let op = Matmul::new(&src_md, &weights_md, None, &dst_md).unwrap();
                run(&engine, op, &[(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DST, &dst)]);
                let weight = |j: i64, i: i64| b[(j * strides[0] + i * strides[1]) as usize];
                let product = |i: i64| (0..k).map(|j| a[(i / n * k + j) as usize] * weight(j, i % n)).sum();
                let expected: Vec<i32> = (0..m * n).map(product).collect();
                let got = dst.read_bytes().unwrap();
                let got: Vec<i32> =
                    got.chunks_exact(4).map(|x| i32::from_ne_bytes(x.try_into().expect("four bytes"))).collect();
                assert_eq!(got, expected, "{engine:?} {from} {m}x{k}x{n}");
            }
        }
    }
}

#[test]
fn bytes_that_are_not_positive_are_cut_off() {
    let md = plain(&[COUNT as i64], DataType::S8);
    for engine in engines() {
        let values = all(DataType::S8, COUNT, 1);
        let (src, dst) = (bytes(&engine, &md, &values), Memory::new(&engine, &md).unwrap());
        let prop = PropKind::ForwardInference;
        let op = Eltwise::forward(prop, AlgKind::EltwiseRelu, &md, &md, 0.0, 0.0).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst)]);
        let expected: Vec<i32> = values.iter().map(|&x| x.max(0)).collect();
        assert_eq!(read(&dst, DataType::S8), expected);
    }
}

#[test]
fn maxima_of_windows_of_bytes_know_no_padding() {
    let (rows, columns, channels) = (5usize, 6usize, 37usize);
    let twice = |x: i64| Dims::from([x, x]);
    let window = PoolWindow {
        strides: twice(1),
        kernel: twice(3),
        dilation: twice(0),
        padding_l: twice(1),
        padding_r: twice(1),
    };
    let dims = [1, channels as i64, rows as i64, columns as i64];
    for engine in engines() {
        for data_type in [DataType::S8, DataType::U8] {
            let md = MemoryDesc::with_tag(&dims, data_type, FormatTag::from_name("acdb").unwrap()).unwrap();
            let low = limits(data_type).0;
            let values: Vec<i32> = (0..rows * columns * channels).map(|i| low + (i * 31 % 90) as i32).collect();
            let (src, dst) = (bytes(&engine, &md, &values), Memory::new(&engine, &md).unwrap());
            let alg = AlgKind::PoolingMax;
            let op = Pooling::forward(PropKind::ForwardInference, alg, &md, &md, window.clone()).unwrap();
            run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst)]);
            let near = |i: usize, end: usize| i.saturating_sub(1)..(i + 2).min(end);
            let mut expected = Vec::new();
            for point in 0..rows * columns {
                for channel in 0..channels {
                    let seen = near(point / columns, rows)
                        .flat_map(|r| near(point % columns, columns).map(move |c| (r * columns + c) * channels));
                    expected.extend(seen.map(|at| values[at + channel]).max());
                }
            }
            assert_eq!(read(&dst, data_type), expected, "{data_type}");
        }
    }
}

/// The nearest number of bf16, by its bits; what is no number stays none.
fn nearest_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    if x.is_nan() { 0x7fc0 } else { ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16 }
}

#[test]
fn every_number_of_bf16_is_added_and_rounded_to_even() {
    // Neighbours of every number differ from it in rounding, and the last ones fill no vector.
    let count = (1 << 16) + 37;
    let left: Vec<u16> = (0..count).map(|i| i as u16).collect();
    let right: Vec<u16> = (0..count).map(|i| (i as u16).wrapping_mul(40503) ^ (i as u16 & 0x7fff)).collect();
    let float = |bits: u16| f32::from_bits(u32::from(bits) << 16);
    let to_bytes = |bits: &[u16]| bits.iter().flat_map(|x| x.to_ne_bytes()).collect::<Vec<u8>>();
    let md = plain(&[count as i64], DataType::Bf16);
    for engine in engines() {
        let [x, y, dst] = [(); 3].map(|()| Memory::new(&engine, &md).unwrap());
        x.write_bytes(&to_bytes(&left)).unwrap();
        y.write_bytes(&to_bytes(&right)).unwrap();
        let op = Binary::new(AlgKind::BinaryAdd, &md, &md, None, &md).unwrap();
        run(&engine, op, &[(arg::SRC_0, &x), (arg::SRC_1, &y), (arg::DST, &dst)]);
        let got = dst.read_bytes().unwrap();
        for (i, got) in got.chunks_exact(2).map(|x| u16::from_ne_bytes([x[0], x[1]])).enumerate() {
            let expected = float(left[i]) + float(right[i]);
            // Devices may take numbers below the smallest normal one for zero.
            let tiny = [float(left[i]), float(right[i]), expected].iter().any(|x| x.abs() < f32::MIN_POSITIVE);
            let (a, b) = (float(got), float(nearest_bf16(expected)));
            let same = a == b || (a.is_nan() && b.is_nan()) || (tiny && (a - b).abs() <= 4.0 * f32::MIN_POSITIVE);
            assert!(same, "{:e} + {:e}: {a:e} instead of {b:e}", float(left[i]), float(right[i]));
        }
    }
}

#[test]
fn floats_are_rounded_to_bf16_and_what_is_none_stays_none() {
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -0.0];
    let ties = [0x3f80_8000, 0x3f81_8000, 0x7fff_ffff].map(f32::from_bits);
    let spread = (0..70_013u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b1)));
    let values: Vec<f32> = special.into_iter().chain(ties).chain(spread).collect();
    let dims = [values.len() as i64];
    let (from, to) = (plain(&dims, DataType::F32), plain(&dims, DataType::Bf16));
    for engine in engines() {
        let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
        src.write_from(&values).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &[(arg::SRC, &src), (arg::DST, &dst)]);
        let got = dst.read_bytes().unwrap();
        for (&value, got) in values.iter().zip(got.chunks_exact(2)) {
            let got = f32::from_bits(u32::from(u16::from_ne_bytes([got[0], got[1]])) << 16);
            let expected = f32::from_bits(u32::from(nearest_bf16(value)) << 16);
            let tiny = value.abs() < f32::MIN_POSITIVE && got.abs() <= f32::MIN_POSITIVE;
            let same = got == expected || (got.is_nan() && expected.is_nan()) || tiny;
            assert!(same, "{value:e} is {got:e} instead of {expected:e}");
        }
    }
}

/// A float type of a few bits: of its exponent and mantissa, whether the largest codes are infinity and none, and whether the largest is none.
struct Small {
    data_type: DataType,
    exponent: u32,
    mantissa: u32,
    has_infinity: bool,
    has_none: bool,
}

const SMALL: [Small; 4] = [
    Small { data_type: DataType::F8E5m2, exponent: 5, mantissa: 2, has_infinity: true, has_none: true },
    Small { data_type: DataType::F8E4m3, exponent: 4, mantissa: 3, has_infinity: false, has_none: true },
    Small { data_type: DataType::F4E2m1, exponent: 2, mantissa: 1, has_infinity: false, has_none: false },
    Small { data_type: DataType::F4E3m0, exponent: 3, mantissa: 0, has_infinity: false, has_none: false },
];

impl Small {
    fn codes(&self) -> u32 {
        1 << (1 + self.exponent + self.mantissa)
    }

    /// What a code stands for, from the definition.
    fn value(&self, code: u32) -> f32 {
        let (half, steps) = (self.codes() / 2, 1 << self.mantissa);
        let (sign, magnitude) = (if code >= half { -1.0 } else { 1.0 }, code % half);
        let (exponent, fraction) = (magnitude / steps, (magnitude % steps) as f32 / steps as f32);
        let bias = (1 << (self.exponent - 1)) - 1;
        if self.has_infinity && exponent == (1 << self.exponent) - 1 {
            return if fraction == 0.0 { sign * f32::INFINITY } else { f32::NAN };
        }
        if self.has_none && magnitude == half - 1 {
            return f32::NAN;
        }
        match exponent {
            0 => sign * fraction * 2f32.powi(1 - bias),
            _ => sign * (1.0 + fraction) * 2f32.powi(exponent as i32 - bias),
        }
    }

    /// The nearest there is; of two that are as near, the one with an even code. Beyond the largest there is what follows it.
    fn nearest(&self, x: f32) -> f32 {
        let finite: Vec<f32> = (0..self.codes() / 2).map(|code| self.value(code)).filter(|v| v.is_finite()).collect();
        let last = finite.len() - 1;
        let next = 2.0 * f64::from(finite[last]) - f64::from(finite[last - 1]);
        let distance = |v: f64| (f64::from(x.abs()).min(next) - v).abs();
        let codes = finite.iter().map(|&v| f64::from(v)).chain([next]).enumerate();
        let (code, _) =
            codes.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)).then((a.0 % 2).cmp(&(b.0 % 2)))).unwrap();
        let magnitude = match code {
            code if code <= last => finite[code],
            _ if self.has_infinity => f32::INFINITY,
            _ if self.has_none => f32::NAN,
            _ => finite[last],
        };
        magnitude.copysign(x)
    }
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn all_codes_of_small_floats_have_their_values() {
    for engine in engines() {
        for small in SMALL {
            // Whole vectors and some that fill none.
            let count = 3 * small.codes() as usize + 6;
            let codes: Vec<u32> = (0..count as u32).map(|i| i % small.codes()).collect();
            let bytes: Vec<u8> = match small.data_type.bits() {
                4 => codes.chunks(2).map(|pair| (pair[0] | pair[1] << 4) as u8).collect(),
                _ => codes.iter().map(|&code| code as u8).collect(),
            };
            let (from, to) = (plain(&[count as i64], small.data_type), plain(&[count as i64], DataType::F32));
            let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
            src.write_bytes(&bytes).unwrap();
            run(&engine, Reorder::new(&from, &to).unwrap(), &[(arg::SRC, &src), (arg::DST, &dst)]);
            for (&code, got) in codes.iter().zip(dst.read_to::<f32>().unwrap()) {
                let expected = small.value(code);
                assert!(same(got, expected), "{engine:?} {} {code}: {got} instead of {expected}", small.data_type);
            }
        }
    }
}

#[test]
fn floats_are_rounded_to_small_ones_and_to_integers_to_even() {
    let special = [0.0, -0.0, f32::INFINITY, f32::MAX, 57344.0, 61439.0, 61440.0, 65535.0, 448.0, 464.0, 465.0, 480.0];
    let ties = (0..300u32).flat_map(|i| [-16, -12, -9, -7, -6, -3, 2, 5].map(|e| (i as f32 + 0.5) * 2f32.powi(e)));
    let spread = (0..7013u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b1)));
    let values = special.into_iter().chain(ties).chain(spread).filter(|x| !x.is_nan());
    let values: Vec<f32> = values.flat_map(|x| [x, -x]).collect();
    let dims = [values.len() as i64];
    let from = plain(&dims, DataType::F32);
    for engine in engines() {
        let src = Memory::new(&engine, &from).unwrap();
        src.write_from(&values).unwrap();
        for small in SMALL.into_iter().filter(|small| small.data_type.bits() == 8) {
            let to = plain(&dims, small.data_type);
            let dst = Memory::new(&engine, &to).unwrap();
            run(&engine, Reorder::new(&from, &to).unwrap(), &[(arg::SRC, &src), (arg::DST, &dst)]);
            for (&value, &code) in values.iter().zip(&dst.read_bytes().unwrap()) {
                let (got, expected) = (small.value(code.into()), small.nearest(value));
                assert!(same(got, expected), "{engine:?} {} {value:e}: {got} instead of {expected}", small.data_type);
            }
        }
        let to = plain(&dims, DataType::S32);
        let dst = Memory::new(&engine, &to).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &[(arg::SRC, &src), (arg::DST, &dst)]);
        let expected: Vec<i32> = values.iter().map(|x| x.round_ties_even() as i32).collect();
        assert_eq!(dst.read_to::<i32>().unwrap(), expected, "{engine:?}");
    }
}
