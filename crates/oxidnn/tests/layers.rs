//! Layers with weights in all passes, on every engine, against sums written out as loops.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::engines;

/// Small whole numbers, so that sums are exact.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + seed) % 11) as f32 - 5.0).collect()
}

/// A problem in two spatial dimensions, of which both are alike.
#[derive(Clone, Copy, Debug)]
struct Shape {
    transposed: bool,
    groups: i64,
    ic: i64,
    oc: i64,
    large: i64,
    kernel: i64,
    stride: i64,
    dilation: i64,
    left: i64,
    right: i64,
}

impl Shape {
    const BATCH: i64 = 2;

    fn small(&self) -> i64 {
        (self.large - 1 - (self.kernel - 1) * (self.dilation + 1) + self.left + self.right) / self.stride + 1
    }

    fn src(&self) -> [i64; 4] {
        let side = if self.transposed { self.small() } else { self.large };
        [Self::BATCH, self.groups * self.ic, side, side]
    }

    fn dst(&self) -> [i64; 4] {
        let side = if self.transposed { self.large } else { self.small() };
        [Self::BATCH, self.groups * self.oc, side, side]
    }

    fn weights(&self) -> [i64; 5] {
        [self.groups, self.oc, self.ic, self.kernel, self.kernel]
    }

    fn op(&self, prop: PropKind, layout: &dyn Fn(&[i64]) -> MemoryDesc) -> Convolution {
        let both = |value: i64| Dims::from([value, value]);
        let window = Window {
            strides: both(self.stride),
            dilations: both(self.dilation),
            padding_l: both(self.left),
            padding_r: both(self.right),
        };
        let bias = MemoryDesc::with_strides(&[self.dst()[1]], DataType::F32, None).unwrap();
        let bias = (prop != PropKind::BackwardData).then_some(&bias);
        let (src, weights, dst) = (layout(&self.src()), layout(&self.weights()), layout(&self.dst()));
        let (make, alg): (fn(_, _, _, _, _, _, _) -> _, _) = if self.transposed {
            (Convolution::transposed, AlgKind::DeconvolutionDirect)
        } else {
            (Convolution::new, AlgKind::ConvolutionAuto)
        };
        make(prop, alg, &src, &weights, bias, &dst, window).unwrap()
    }

    /// Calls `f` with the row-major positions in source, weights and destination of everything that is multiplied.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Shape { groups, ic, oc, large, kernel, .. } = *self;
        let small = self.small();
        let along = |o: i64, k: i64| {
            let position = o * self.stride + k * (self.dilation + 1) - self.left;
            (0..large).contains(&position).then_some(position)
        };
        let at = |dims: &[i64], index: &[i64]| dims.iter().zip(index).fold(0, |sum, (dim, i)| sum * dim + i) as usize;
        let range = |extents: [i64; 8]| {
            (0..extents.iter().product::<i64>()).map(move |mut i| {
                extents.map(|extent| {
                    let position = i % extent;
                    i /= extent;
                    position
                })
            })
        };
        for [n, g, i, o, kh, kw, h, w] in range([Self::BATCH, groups, ic, oc, kernel, kernel, small, small]) {
            let (Some(y), Some(x)) = (along(h, kh), along(w, kw)) else { continue };
            let [source, target] = if self.transposed { [[h, w], [y, x]] } else { [[y, x], [h, w]] };
            f(
                at(&self.src(), &[n, g * ic + i, source[0], source[1]]),
                at(&self.weights(), &[g, o, i, kh, kw]),
                at(&self.dst(), &[n, g * oc + o, target[0], target[1]]),
            );
        }
    }
}

const SHAPES: [Shape; 8] = [
    Shape {
        transposed: false,
        groups: 1,
        ic: 3,
        oc: 17,
        large: 7,
        kernel: 3,
        stride: 1,
        dilation: 0,
        left: 1,
        right: 1,
    },
    Shape {
        transposed: false,
        groups: 1,
        ic: 17,
        oc: 33,
        large: 6,
        kernel: 1,
        stride: 1,
        dilation: 0,
        left: 0,
        right: 0,
    },
    Shape {
        transposed: false,
        groups: 2,
        ic: 3,
        oc: 2,
        large: 11,
        kernel: 3,
        stride: 2,
        dilation: 1,
        left: 2,
        right: 1,
    },
    Shape {
        transposed: false,
        groups: 5,
        ic: 1,
        oc: 1,
        large: 8,
        kernel: 3,
        stride: 2,
        dilation: 0,
        left: 0,
        right: -1,
    },
    Shape {
        transposed: false,
        groups: 1,
        ic: 2,
        oc: 3,
        large: 40,
        kernel: 2,
        stride: 1,
        dilation: 2,
        left: 4,
        right: 0,
    },
    Shape {
        transposed: true,
        groups: 1,
        ic: 5,
        oc: 18,
        large: 8,
        kernel: 3,
        stride: 2,
        dilation: 0,
        left: 1,
        right: 1,
    },
    Shape { transposed: true, groups: 3, ic: 2, oc: 1, large: 9, kernel: 2, stride: 3, dilation: 1, left: 0, right: 2 },
    Shape {
        transposed: true,
        groups: 1,
        ic: 16,
        oc: 16,
        large: 5,
        kernel: 3,
        stride: 1,
        dilation: 0,
        left: 1,
        right: 1,
    },
];

/// A memory that holds these row-major values in some layout.
fn filled(engine: &Engine, md: &MemoryDesc, values: &[f32]) -> Memory {
    let plain = MemoryDesc::with_strides(md.dims(), DataType::F32, None).unwrap();
    let (from, to) = (Memory::new(engine, &plain).unwrap(), Memory::new(engine, md).unwrap());
    from.write_from(values).unwrap();
    run(engine, Reorder::new(&plain, md).unwrap(), &[(arg::SRC, &from), (arg::DST, &to)]);
    to
}

/// The row-major values of a memory.
fn values_of(engine: &Engine, memory: &Memory, md: &MemoryDesc) -> Vec<f32> {
    let plain = MemoryDesc::with_strides(md.dims(), DataType::F32, None).unwrap();
    let to = Memory::new(engine, &plain).unwrap();
    run(engine, Reorder::new(md, &plain).unwrap(), &[(arg::SRC, memory), (arg::DST, &to)]);
    to.read_to::<f32>().unwrap()
}

fn run(engine: &Engine, op: impl Into<Op>, args: &[(i32, &Memory)]) {
    let stream = Stream::new(engine).unwrap();
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, args).unwrap();
    stream.wait().unwrap();
}

fn any(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::any(dims, DataType::F32).unwrap()
}

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
}

fn blocked(dims: &[i64]) -> MemoryDesc {
    let tag = if dims.len() == 5 { "aBCde8c8b" } else { "aBcd16b" };
    MemoryDesc::with_tag(dims, DataType::F32, FormatTag::from_name(tag).unwrap()).unwrap()
}

/// Every shape in one layout; neighbouring shapes take turns.
fn check(prop: PropKind) {
    let layouts: [fn(&[i64]) -> MemoryDesc; 3] = [any, plain, blocked];
    let shapes = || SHAPES.into_iter().zip(layouts.into_iter().cycle());
    for (engine, (shape, layout)) in engines().iter().flat_map(|engine| shapes().map(move |case| (engine, case))) {
        let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
        let (src, weights, dst) =
            (numbers(count(&shape.src()), 1), numbers(count(&shape.weights()), 2), numbers(count(&shape.dst()), 3));
        let channels = shape.dst()[1] as usize;
        let bias = numbers(channels, 4);
        let pixels = dst.len() / 2 / channels;
        let desc = PrimitiveDesc::new(engine, shape.op(prop, &layout), &Attr::new()).unwrap();
        let memory = |number: i32, values: &[f32]| {
            let md = desc.arg(number).unwrap().clone();
            (number, filled(engine, &md, values), md)
        };
        let (out, more, args, mut expected);
        match prop {
            PropKind::BackwardData => {
                expected = vec![0.0; src.len()];
                shape.for_each_product(|s, w, d| expected[s] += weights[w] * dst[d]);
                out = memory(arg::DIFF_SRC, &src);
                more = None;
                args = vec![memory(arg::WEIGHTS, &weights), memory(arg::DIFF_DST, &dst)];
            }
            PropKind::BackwardWeights => {
                expected = vec![0.0; weights.len()];
                shape.for_each_product(|s, w, d| expected[w] += src[s] * dst[d]);
                out = memory(arg::DIFF_WEIGHTS, &weights);
                more = Some(memory(arg::DIFF_BIAS, &bias));
                args = vec![memory(arg::SRC, &src), memory(arg::DIFF_DST, &dst)];
            }
            _ => {
                expected = (0..dst.len()).map(|d| bias[d / pixels % channels]).collect();
                shape.for_each_product(|s, w, d| expected[d] += src[s] * weights[w]);
                out = memory(arg::DST, &dst);
                more = None;
                args = vec![memory(arg::SRC, &src), memory(arg::WEIGHTS, &weights), memory(arg::BIAS, &bias)];
            }
        }
        let all: Vec<(i32, &Memory)> =
            args.iter().chain([&out]).chain(&more).map(|(number, memory, _)| (*number, memory)).collect();
        let stream = Stream::new(engine).unwrap();
        Primitive::new(&desc).unwrap().execute(&stream, &all).unwrap();
        stream.wait().unwrap();
        assert_eq!(values_of(engine, &out.1, &out.2), expected, "{engine:?} {shape:?}");
        if let Some((_, memory, md)) = &more {
            let sum =
                |c: usize| dst.iter().enumerate().filter(|(d, _)| d / pixels % channels == c).map(|(_, x)| x).sum();
            let sums: Vec<f32> = (0..channels).map(sum).collect();
            assert_eq!(values_of(engine, memory, md), sums, "{engine:?} {shape:?}");
        }
    }
}

#[test]
fn convolutions_are_sums_of_products_in_any_layout() {
    check(PropKind::ForwardTraining);
}

#[test]
fn gradients_of_sources_are_sums_of_products_in_any_layout() {
    check(PropKind::BackwardData);
}

#[test]
fn gradients_of_weights_are_sums_of_products_in_any_layout() {
    check(PropKind::BackwardWeights);
}

#[test]
fn inner_products_of_images_and_their_gradients_are_matrix_products() {
    // Of the second ones, groups of channels are side by side.
    for image in [[2, 3, 4], [8, 1, 3]] {
        check_inner_products(image);
    }
}

/// All passes of inner products of images of so many channels, lines and columns give what loops do.
fn check_inner_products([channels, height, width]: [i64; 3]) {
    let (n, image, oc) = (5, (channels * height * width) as usize, 35);
    let (src, weights, dst) = (numbers(n * image, 1), numbers(oc * image, 2), numbers(n * oc, 3));
    let sum = |count: usize, f: &dyn Fn(usize) -> f32| (0..count).map(f).sum::<f32>();
    let expected = |prop: PropKind| -> Vec<f32> {
        match prop {
            PropKind::BackwardData => (0..n * image)
                .map(|at| sum(oc, &|o| dst[at / image * oc + o] * weights[o * image + at % image]))
                .collect(),
            PropKind::BackwardWeights => {
                (0..oc * image).map(|at| sum(n, &|i| dst[i * oc + at / image] * src[i * image + at % image])).collect()
            }
            _ => {
                (0..n * oc).map(|at| sum(image, &|k| src[at / oc * image + k] * weights[at % oc * image + k])).collect()
            }
        }
    };
    for engine in engines() {
        for (prop, out) in [
            (PropKind::ForwardInference, arg::DST),
            (PropKind::BackwardData, arg::DIFF_SRC),
            (PropKind::BackwardWeights, arg::DIFF_WEIGHTS),
        ] {
            let dims = [n as i64, channels, height, width];
            let weights_dims = [oc as i64, channels, height, width];
            let op = InnerProduct::new(prop, &any(&dims), &any(&weights_dims), None, &any(&[n as i64, oc as i64]));
            let desc = PrimitiveDesc::new(&engine, op.unwrap(), &Attr::new()).unwrap();
            let memories: Vec<(i32, Memory)> = [
                (arg::SRC, &src),
                (arg::DIFF_SRC, &src),
                (arg::WEIGHTS, &weights),
                (arg::DIFF_WEIGHTS, &weights),
                (arg::DST, &dst),
                (arg::DIFF_DST, &dst),
            ]
            .into_iter()
            .filter_map(|(number, values)| Some((number, filled(&engine, desc.arg(number)?, values))))
            .collect();
            let args: Vec<(i32, &Memory)> = memories.iter().map(|(number, memory)| (*number, memory)).collect();
            let stream = Stream::new(&engine).unwrap();
            Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
            stream.wait().unwrap();
            let (_, memory) = memories.iter().find(|(number, _)| *number == out).unwrap();
            assert_eq!(values_of(&engine, memory, desc.arg(out).unwrap()), expected(prop), "{engine:?} {prop}");
        }
    }
}

#[test]
fn gradients_of_weights_without_a_batch_are_zero() {
    for engine in engines() {
        let (src, weights, dst) = (plain(&[0, 4]), plain(&[3, 4]), plain(&[0, 3]));
        let (prop, bias) = (PropKind::BackwardWeights, plain(&[3]));
        let op = InnerProduct::new(prop, &src, &weights, Some(&bias), &dst).unwrap();
        let [src, weights, bias, dst] = [&src, &weights, &bias, &dst].map(|md| Memory::new(&engine, md).unwrap());
        weights.write_from(&[f32::NAN; 12]).unwrap();
        bias.write_from(&[f32::NAN; 3]).unwrap();
        let (diff_weights, diff_bias) = ((arg::DIFF_WEIGHTS, &weights), (arg::DIFF_BIAS, &bias));
        run(&engine, op, &[(arg::SRC, &src), (arg::DIFF_DST, &dst), diff_weights, diff_bias]);
        assert_eq!(weights.read_to::<f32>().unwrap(), [0.0; 12], "{engine:?}");
        assert_eq!(bias.read_to::<f32>().unwrap(), [0.0; 3], "{engine:?}");
    }
}

#[test]
fn padding_counts_as_zero_whatever_the_zero_point() {
    for engine in engines() {
        let md = |dims: &[i64], data_type| MemoryDesc::with_strides(dims, data_type, None).unwrap();
        let (src, weights, dst) =
            (md(&[1, 1, 3], DataType::U8), md(&[1, 1, 3], DataType::S8), md(&[1, 1, 3], DataType::S32));
        let one = Dims::from([1]);
        let window = Window { strides: one, dilations: Dims::from([0]), padding_l: one, padding_r: one };
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
        let op = Convolution::new(prop, alg, &src, &weights, None, &dst, window).unwrap();
        let attr = Attr::new().with_zero_points(arg::SRC, Quant::zero_points(0)).unwrap();
        let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
        let memory = |md: &MemoryDesc| Memory::new(&engine, md).unwrap();
        let zero_point = arg::SRC | arg::ATTR_ZERO_POINTS;
        let (a, w, d, z) = (memory(&src), memory(&weights), memory(&dst), memory(desc.arg(zero_point).unwrap()));
        a.write_from(&[5u8, 6, 8]).unwrap();
        w.write_from(&[1i8, 10, 100]).unwrap();
        z.write_from(&[4i32]).unwrap();
        let stream = Stream::new(&engine).unwrap();
        let args = [(arg::SRC, &a), (arg::WEIGHTS, &w), (arg::DST, &d), (zero_point, &z)];
        Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
        stream.wait().unwrap();
        assert_eq!(d.read_to::<i32>().unwrap(), [210, 421, 42], "{engine:?}");
    }
}
