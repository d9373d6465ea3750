//! Convolutions by windows with a single column, on every engine. Their points lie a whole line of the image apart, which may be as far as
//! the next step along a line: then two of them read one place, and padding counts for each by itself. Numbers are small and
//! whole, so sums are exact and compared as such.

mod support;

use oxidnn::desc::DataType::{Bf16, F16, F32, S8, S32, U8};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, PrimitiveDesc};

use support::{engines, numbers, reordered, run};

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, F32, None).unwrap()
}

/// Convolutions in three dimensions, with these sides of images, windows and results.
#[derive(Clone, Copy, Debug)]
struct Case {
    groups: i64,
    channels: i64,
    image: [i64; 3],
    kernel: [i64; 3],
    strides: [i64; 3],
    padding: [i64; 3],
    result: [i64; 3],
}

impl Case {
    fn dims(&self) -> [Vec<i64>; 3] {
        let Case { groups, channels, image, kernel, result, .. } = *self;
        let all = groups * channels;
        let joined = |front: &[i64], sides: [i64; 3]| [front, &sides].concat();
        [joined(&[2, all], image), joined(&[groups, channels, channels], kernel), joined(&[2, all], result)]
    }

    /// Calls a function with the places in source, weights and destination of each product.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Case { groups, channels, image, kernel, strides, padding, result } = *self;
        let places = |[d, h, w]: [i64; 3]| (0..d * h * w).map(move |i| [i / (h * w), i / w % h, i % w]);
        let at = |first: i64, [_, h, w]: [i64; 3], [z, y, x]: [i64; 3], d: i64| ((first * d + z) * h + y) * w + x;
        for (n, g) in (0..2 * groups).map(|i| (i / groups, i % groups)) {
            for (o, i) in (0..channels * channels).map(|i| (i / channels, i % channels)) {
                let [from, to] = [i, o].map(|channel| (n * groups + g) * channels + channel);
                for (place, tap) in places(result).flat_map(|place| places(kernel).map(move |tap| (place, tap))) {
                    let seen = [0, 1, 2].map(|d| place[d] * strides[d] + tap[d] - padding[d]);
                    if (0..3).all(|d| (0..image[d]).contains(&seen[d])) {
                        let weight = at((g * channels + o) * channels + i, kernel, tap, kernel[0]);
                        let source = at(from, image, seen, image[0]);
                        f(source as usize, weight as usize, at(to, result, place, result[0]) as usize);
                    }
                }
            }
        }
    }

    /// Computes one pass from plain numbers; the result is plain.
    fn computed(&self, engine: &Engine, prop: PropKind, types: [DataType; 3], inputs: [(i32, &[f32]); 2]) -> Vec<f32> {
        let dims = self.dims();
        let image =
            |i: usize| MemoryDesc::with_tag(&dims[i], types[i], FormatTag::from_name("acdeb").unwrap()).unwrap();
        let weights = MemoryDesc::any(&dims[1], types[1]).unwrap();
        let end = |d: usize| (self.result[d] - 1) * self.strides[d] + self.kernel[d] - self.padding[d] - self.image[d];
        let window = Window {
            strides: Dims::from(self.strides),
            dilations: Dims::from([0; 3]),
            padding_l: Dims::from(self.padding),
            padding_r: Dims::from([0, 1, 2].map(end)),
        };
        let alg = AlgKind::ConvolutionDirect;
        let op = Convolution::new(prop, alg, &image(0), &weights, None, &image(2), window).unwrap();
        let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
        let output = match prop {
            PropKind::BackwardData => arg::DIFF_SRC,
            PropKind::BackwardWeights => arg::DIFF_WEIGHTS,
            _ => arg::DST,
        };
        let [a, b] = inputs.map(|(number, values)| {
            let md = desc.arg(number).unwrap();
            let memory = Memory::new(engine, &plain(md.dims())).unwrap();
            memory.write_from(values).unwrap();
            (number, reordered(engine, &memory, md))
        });
        let md = desc.arg(output).unwrap();
        let result = Memory::new(engine, md).unwrap();
        run(engine, &desc, &[(a.0, &a.1), (b.0, &b.1), (output, &result)]);
        reordered(engine, &result, &plain(md.dims())).read_to().unwrap()
    }

    /// All passes with these types of source, weights and destination give what loops do.
    fn check(&self, engine: &Engine, types: [DataType; 3]) {
        let what = format!("{engine:?} {self:?} {types:?}");
        let dims = self.dims();
        let [src, weights, dst] = [0, 1, 2].map(|i| numbers(dims[i].iter().product(), types[i]));
        let mut expected = vec![0.0; dst.len()];
        self.for_each_product(|from, by, to| expected[to] += src[from] * weights[by]);
        let inputs = [(arg::SRC, &src[..]), (arg::WEIGHTS, &weights[..])];
        assert!(self.computed(engine, PropKind::ForwardInference, types, inputs) == expected, "{what}");
        if matches!(types[0], U8 | S8) {
            return;
        }
        let mut expected = vec![0.0; src.len()];
        self.for_each_product(|from, by, to| expected[from] += dst[to] * weights[by]);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::WEIGHTS, &weights[..])];
        let [a, b, c] = types;
        assert!(self.computed(engine, PropKind::BackwardData, [c, b, a], inputs) == expected, "{what} by data");
        let mut expected = vec![0.0; weights.len()];
        self.for_each_product(|from, by, to| expected[by] += dst[to] * src[from]);
        let inputs = [(arg::DIFF_DST, &dst[..]), (arg::SRC, &src[..])];
        assert!(self.computed(engine, PropKind::BackwardWeights, [a, c, b], inputs) == expected, "{what} by weights");
    }
}

#[test]
fn padding_counts_for_each_point_of_a_thin_window_where_two_read_one_place() {
    let tall = Case {
        groups: 32,
        channels: 1,
        image: [1, 5, 16],
        kernel: [1, 3, 1],
        strides: [1; 3],
        padding: [0, 1, 0],
        result: [1, 5, 16],
    };
    // Here the next step along a line leads to the next line.
    let meeting = Case { groups: 2, channels: 2, image: [1, 4, 2], strides: [1, 1, 2], result: [1, 5, 2], ..tall };
    let cases = [
        tall,
        Case { image: [1, 5, 4], result: [1, 5, 8], ..tall },
        Case { image: [8, 1, 4], kernel: [3, 3, 1], padding: [1, 1, 0], result: [8, 1, 8], ..tall },
        Case { groups: 3, channels: 16, image: [1, 5, 4], result: [1, 5, 8], ..tall },
        meeting,
        Case { groups: 8, channels: 4, ..meeting },
        Case { groups: 3, channels: 8, ..meeting },
        Case { groups: 1, channels: 32, ..meeting },
    ];
    for engine in engines() {
        for case in cases {
            for types in [[F32; 3], [Bf16, Bf16, F32], [F16, F16, F32], [U8, S8, S32], [S8, S8, S32]] {
                case.check(&engine, types);
            }
        }
    }
}
