//! Contractions whose columns do not fill a vector, on every engine: few channels in many groups, and results of few channels. Numbers are
//! small and whole, so sums are exact and compared as such.

mod support;

use oxidnn::desc::DataType::{Bf16, F16, F32, S8, S32, U8};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, PrimitiveDesc};

use support::{engines, numbers, reordered, run, tried};

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

fn tagged(dims: &[i64], data_type: DataType, tag: &str) -> MemoryDesc {
    match tag {
        "any" => MemoryDesc::any(dims, data_type).unwrap(),
        _ => MemoryDesc::with_tag(dims, data_type, FormatTag::from_name(tag).unwrap()).unwrap(),
    }
}

/// Runs a primitive whose arguments hold plain numbers; the result is plain. It holds numbers before, too.
fn computed(
    engine: &Engine,
    op: impl Into<Op>,
    attr: &Attr,
    inputs: &[(i32, &[f32])],
    (output, before): (i32, &[f32]),
) -> Vec<f32> {
    let desc = PrimitiveDesc::new(engine, op, attr).unwrap();
    let filled = |&(number, values): &(i32, &[f32])| {
        let md = desc.arg(number).unwrap();
        let memory = Memory::new(engine, &plain(md.dims(), F32)).unwrap();
        memory.write_from(values).unwrap();
        (number, reordered(engine, &memory, md))
    };
    let memories: Vec<(i32, Memory)> = inputs.iter().chain([&(output, before)]).map(filled).collect();
    let args: Vec<(i32, &Memory)> = memories.iter().map(|(number, memory)| (*number, memory)).collect();
    run(engine, &desc, &args);
    let result = &memories[memories.len() - 1].1;
    reordered(engine, result, &plain(result.desc().dims(), F32)).read_to().unwrap()
}

/// A convolution of two images, or a deconvolution of the smaller ones.
#[derive(Clone, Copy, Debug, Default)]
struct Case {
    groups: i64,
    /// Channels of a group in the larger and in the smaller image.
    channels: [i64; 2],
    /// Height and width of the larger image.
    side: [i64; 2],
    kernel: i64,
    stride: i64,
    dilation: i64,
    padding: i64,
    transposed: bool,
}

impl Case {
    fn small(&self) -> [i64; 2] {
        let range = 1 + (self.kernel - 1) * (self.dilation + 1);
        self.side.map(|side| (side + 2 * self.padding - range) / self.stride + 1)
    }

    fn dims(&self) -> [Vec<i64>; 3] {
        let Case { groups, channels: [large, small], side: [height, width], kernel, .. } = *self;
        let [rows, columns] = self.small();
        let [images, results] = [vec![2, groups * large, height, width], vec![2, groups * small, rows, columns]];
        if self.transposed {
            [results, vec![groups, large, small, kernel, kernel], images]
        } else {
            [images, vec![groups, small, large, kernel, kernel], results]
        }
    }

    fn op(&self, prop: PropKind, types: [DataType; 3], tags: [&str; 3], bias: bool) -> Convolution {
        let [small, side] = [self.small(), self.side];
        let range = (self.kernel - 1) * (self.dilation + 1) + 1;
        let both = |value: i64| Dims::from([value, value]);
        let ends = [0, 1].map(|i| (small[i] - 1) * self.stride + range - self.padding - side[i]);
        let window = Window {
            strides: both(self.stride),
            dilations: both(self.dilation),
            padding_l: both(self.padding),
            padding_r: Dims::from(ends),
        };
        let dims = self.dims();
        let [src, weights, dst] = [0, 1, 2].map(|i| tagged(&dims[i], types[i], tags[i]));
        let biases = plain(&[dims[2][1]], F32);
        let bias = bias.then_some(&biases);
        if self.transposed {
            let alg = AlgKind::DeconvolutionDirect;
            Convolution::transposed(prop, alg, &src, &weights, bias, &dst, window).unwrap()
        } else {
            Convolution::new(prop, AlgKind::ConvolutionDirect, &src, &weights, bias, &dst, window).unwrap()
        }
    }

    /// Calls a function with the places in source, weights and destination of each product.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Case { groups, channels: [large, small], side: [height, width], kernel, .. } = *self;
        let [rows, columns] = self.small();
        let place = |[n, g, c, y, x]: [i64; 5], channels: i64, h: i64, w: i64| {
            ((((n * groups + g) * channels + c) * h + y) * w + x) as usize
        };
        for (n, g) in (0..2 * groups).map(|i| (i / groups, i % groups)) {
            for (l, s) in (0..large * small).map(|i| (i / small, i % small)) {
                for (y, x) in (0..rows * columns).map(|i| (i / columns, i % columns)) {
                    for (ky, kx) in (0..kernel * kernel).map(|i| (i / kernel, i % kernel)) {
                        let [row, column] =
                            [(y, ky), (x, kx)].map(|(at, k)| at * self.stride + k * (self.dilation + 1) - self.padding);
                        if !(0..height).contains(&row) || !(0..width).contains(&column) {
                            continue;
                        }
                        let [o, i, outs, ins] =
                            if self.transposed { [l, s, large, small] } else { [s, l, small, large] };
                        let weight = (((g * outs + o) * ins + i) * kernel + ky) * kernel + kx;
                        let (image, result) = (
                            place([n, g, l, row, column], large, height, width),
                            place([n, g, s, y, x], small, rows, columns),
                        );
                        let (from, to) = if self.transposed { (result, image) } else { (image, result) };
                        f(from, weight as usize, to);
                    }
                }
            }
        }
    }

    /// All passes with these types of source, weights and destination give what loops do.
    fn check(&self, engine: &Engine, types: [DataType; 3], tags: [&str; 3]) {
        let what = format!("{engine:?} {self:?} {types:?} {tags:?}");
        let dims = self.dims();
        let [src, weights, dst] = [0, 1, 2].map(|i| numbers(dims[i].iter().product(), types[i]));
        let mut sums = vec![0.0; dst.len()];
        self.for_each_product(|from, by, to| sums[to] += src[from] * weights[by]);
        // What follows the sums also reads what is there where they are stored.
        let bias = numbers(dims[2][1], F32);
        let plane = dims[2][2] * dims[2][3];
        let post_ops = PostOps::new().sum(1.0).and_then(|list| list.eltwise(AlgKind::EltwiseRelu, 0.5, 0.0));
        let attr = Attr::new().with_post_ops(post_ops.unwrap());
        let finished = |(i, sum): (usize, &f32)| {
            let x = sum + bias[i / plane as usize % bias.len()] + dst[i];
            if x > 0.0 { x } else { 0.5 * x }
        };
        let mut expected: Vec<f32> = sums.iter().enumerate().map(finished).collect();
        if types[2] == S32 {
            expected.iter_mut().for_each(|x| *x = x.round_ties_even());
        }
        let op = self.op(PropKind::ForwardInference, types, tags, true);
        let inputs = [(arg::SRC, &src[..]), (arg::WEIGHTS, &weights[..]), (arg::BIAS, &bias[..])];
        assert!(computed(engine, op, &attr, &inputs, (arg::DST, &dst)) == expected, "{what}");
        if matches!(types[0], U8 | S8) {
            return;
        }

        let none = Attr::new();
        let mut expected = vec![0.0; src.len()];
        self.for_each_product(|from, by, to| expected[from] += dst[to] * weights[by]);
        let op = self.op(PropKind::BackwardData, [types[2], types[1], types[0]], tags, false);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::WEIGHTS, &weights[..])];
        assert!(computed(engine, op, &none, &inputs, (arg::DIFF_SRC, &src)) == expected, "{what} by data");

        let mut expected = vec![0.0; weights.len()];
        self.for_each_product(|from, by, to| expected[by] += dst[to] * src[from]);
        let op = self.op(PropKind::BackwardWeights, [types[0], types[2], types[1]], tags, false);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::SRC, &src[..])];
        assert!(computed(engine, op, &none, &inputs, (arg::DIFF_WEIGHTS, &weights)) == expected, "{what} by weights");
    }
}

const OPEN: [&str; 3] = ["any"; 3];
const INNERMOST: [&str; 3] = ["acdb", "abcde", "acdb"];
/// Types of source, weights and destination that are not all f32.
const SHORT: [[DataType; 3]; 4] = [[Bf16, Bf16, F32], [F16, F16, F32], [U8, S8, S32], [S8, S8, F32]];

#[test]
fn few_channels_in_many_groups_are_exact() {
    let case =
        Case { groups: 16, channels: [4, 4], side: [9, 17], kernel: 3, stride: 1, padding: 1, ..Case::default() };
    let cases = [
        case,
        // Groups that fill no vector together, or not all of them; other channels in than out; vectors of one group.
        Case { groups: 5, channels: [3, 3], ..case },
        Case { groups: 7, channels: [2, 5], ..case },
        Case { groups: 9, channels: [8, 2], ..case },
        Case { groups: 3, channels: [8, 8], ..case },
        Case { groups: 6, channels: [1, 4], ..case },
        Case { groups: 4, channels: [12, 6], side: [5, 4], ..case },
        // Strides, holes, wide padding and none, single points.
        Case { stride: 2, side: [8, 18], ..case },
        Case { groups: 6, channels: [4, 2], stride: 2, side: [9, 15], ..case },
        Case { dilation: 1, padding: 2, ..case },
        Case { dilation: 2, stride: 2, padding: 3, side: [12, 20], ..case },
        Case { kernel: 5, padding: 4, side: [3, 6], ..case },
        Case { kernel: 1, padding: 0, ..case },
        Case { kernel: 1, padding: 0, groups: 3, channels: [10, 6], ..case },
        Case { kernel: 2, padding: 0, stride: 3, side: [8, 11], ..case },
        // Groups that fill vectors but not lines of memory, which those side by side share.
        Case { kernel: 1, padding: 0, groups: 3, channels: [30, 30], side: [16, 20], ..case },
        Case { groups: 2, channels: [20, 30], side: [16, 20], ..case },
        Case { transposed: true, ..case },
        Case { transposed: true, stride: 2, side: [10, 16], ..case },
    ];
    // More groups than are computed at once; whole vectors of a group, of as many channels, fewer, and such as are not all read at once.
    let bytes = [
        Case { groups: 24, channels: [8, 8], ..case },
        Case { groups: 23, channels: [8, 8], ..case },
        Case { groups: 40, channels: [4, 4], side: [5, 30], ..case },
        Case { groups: 3, channels: [16, 16], ..case },
        Case { groups: 3, channels: [8, 16], ..case },
        Case { groups: 3, channels: [10, 16], ..case },
        Case { groups: 11, channels: [3, 3], stride: 2, ..case },
        Case { groups: 11, channels: [2, 4], ..case },
    ];
    for engine in engines() {
        for (i, case) in tried(cases.into_iter().enumerate()) {
            case.check(&engine, [F32; 3], if i % 3 == 1 { INNERMOST } else { OPEN });
        }
        for (types, case) in SHORT.into_iter().zip([cases[1], cases[3], cases[3], cases[1]]) {
            case.check(&engine, types, OPEN);
        }
        // Bytes are multiplied four at a time.
        for (i, case) in tried(cases.into_iter().chain(bytes).enumerate()) {
            let [tags, others] = if i % 3 == 1 { [INNERMOST, OPEN] } else { [OPEN, INNERMOST] };
            case.check(&engine, SHORT[2], tags);
            case.check(&engine, SHORT[3], others);
        }
        for tags in [["abcd", "abcde", "abcd"], ["aBcd16b", "any", "aBcd16b"]] {
            case.check(&engine, [F32; 3], tags);
        }
    }
}

#[test]
fn results_of_few_channels_are_exact() {
    let case =
        Case { groups: 1, channels: [20, 3], side: [6, 11], kernel: 3, stride: 1, padding: 1, ..Case::default() };
    let cases = [
        case,
        // Of one channel, of more than a tile has, of whole vectors; few in the larger image, with strides and holes.
        Case { channels: [16, 1], ..case },
        Case { channels: [37, 7], ..case },
        Case { channels: [3, 24], ..case },
        Case { channels: [3, 32], stride: 2, side: [10, 14], kernel: 7, padding: 3, ..case },
        Case { channels: [2, 17], stride: 2, side: [9, 13], ..case },
        Case { channels: [3, 16], dilation: 1, padding: 3, ..case },
        Case { transposed: true, channels: [3, 24], kernel: 4, stride: 2, side: [12, 10], ..case },
        Case { transposed: true, channels: [20, 5], ..case },
        Case { groups: 3, channels: [33, 2], ..case },
    ];
    for engine in engines() {
        for (i, case) in tried(cases.into_iter().enumerate()) {
            case.check(&engine, [F32; 3], if i % 3 == 1 { INNERMOST } else { OPEN });
        }
        for (types, case) in SHORT.into_iter().zip([cases[2], cases[7], cases[7], cases[2]]) {
            case.check(&engine, types, OPEN);
        }
    }
}

#[test]
fn products_of_few_columns_or_rows_are_exact() {
    let sizes = [(1, 33, 7, 61), (2, 5, 70, 48), (1, 50, 3, 40), (3, 20, 2, 16), (1, 40, 1, 100)];
    let layouts = [["abc", "any"], ["acb", "abc"], ["abc", "abc"], ["abc", "acb"]];
    // Lines of whole vectors.
    let lines = (1, 6, 45, 128);
    for engine in engines() {
        for [from, by, to] in [[F32; 3]].into_iter().chain(SHORT) {
            // Other types differ from f32 in how they are read, wherever they lie.
            let few = if from == F32 { sizes.len() } else { 2 };
            let cases = sizes[..few].iter().map(|sizes| (sizes, &layouts[..few.min(layouts.len())]));
            for (&(batch, m, n, k), layouts) in cases.chain([(&lines, &layouts[3..])]) {
                let (a, b, before) =
                    (numbers(batch * m * k, from), numbers(batch * k * n, by), numbers(batch * m * n, to));
                let product = |at: i64| {
                    let (matrix, row, column) = (at / n / m, at / n % m, at % n);
                    let left = |i: i64| a[((matrix * m + row) * k + i) as usize];
                    let right = |i: i64| b[((matrix * k + i) * n + column) as usize];
                    (0..k).map(|i| left(i) * right(i)).sum()
                };
                let expected: Vec<f32> = (0..batch * m * n).map(product).collect();
                for tags in layouts {
                    let src = tagged(&[batch, m, k], from, tags[0]);
                    let weights = tagged(&[batch, k, n], by, tags[1]);
                    let op = Matmul::new(&src, &weights, None, &plain(&[batch, m, n], to)).unwrap();
                    let inputs = [(arg::SRC, &a[..]), (arg::WEIGHTS, &b[..])];
                    let found = computed(&engine, op, &Attr::new(), &inputs, (arg::DST, &before));
                    assert!(found == expected, "{engine:?} {from} {batch}x{m}x{n}x{k} {tags:?}");
                }
            }
        }
    }
}
