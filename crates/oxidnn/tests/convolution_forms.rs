//! Winograd's algorithm and fused depthwise convolutions, on every engine, against loops.

mod support;

use oxidnn::desc::DataType::{F32, S8, S32, U8};
use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Status, Stream};

use support::{engines, reordered, run, tried};

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + seed) % 11) as f32 - 5.0).collect()
}

fn both(value: i64) -> Dims {
    Dims::from([value, value])
}

/// Two-dimensional convolutions: groups, channels of a group in and out, sides of image and kernel, step and padding.
#[derive(Clone, Copy, Debug)]
struct Shape {
    batch: usize,
    groups: usize,
    ic: usize,
    oc: usize,
    side: usize,
    kernel: usize,
    stride: usize,
    left: usize,
    right: usize,
}

impl Shape {
    fn out(&self) -> usize {
        (self.side + self.left + self.right - self.kernel) / self.stride + 1
    }

    fn src(&self) -> [i64; 4] {
        [self.batch, self.groups * self.ic, self.side, self.side].map(|x| x as i64)
    }

    fn weights(&self) -> [i64; 5] {
        [self.groups, self.oc, self.ic, self.kernel, self.kernel].map(|x| x as i64)
    }

    fn dst(&self) -> [i64; 4] {
        [self.batch, self.groups * self.oc, self.out(), self.out()].map(|x| x as i64)
    }

    fn window(&self) -> Window {
        Window {
            strides: both(self.stride as i64),
            dilations: both(0),
            padding_l: both(self.left as i64),
            padding_r: both(self.right as i64),
        }
    }

    /// Calls `f` with the row-major positions in source, weights and destination of everything that is multiplied.
    fn for_each_product(&self, mut f: impl FnMut(usize, usize, usize)) {
        let Shape { batch, groups, ic, oc, side, kernel, .. } = *self;
        let out = self.out();
        for at in 0..batch * groups * oc * out * out {
            let (w, h, o, g) = (at % out, at / out % out, at / out / out % oc, at / out / out / oc % groups);
            let n = at / out / out / oc / groups;
            for k in 0..ic * kernel * kernel {
                let (kx, ky, i) = (k % kernel, k / kernel % kernel, k / kernel / kernel);
                let (y, x) = (h * self.stride + ky, w * self.stride + kx);
                if (self.left..self.left + side).contains(&y) && (self.left..self.left + side).contains(&x) {
                    let source = ((n * groups + g) * ic + i) * side * side + (y - self.left) * side + x - self.left;
                    f(source, (g * oc + o) * ic * kernel * kernel + k, at);
                }
            }
        }
    }

    fn forward(&self, src: &[f32], weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let plane = self.out() * self.out();
        let channels = self.groups * self.oc;
        let mut dst: Vec<f32> = (0..self.batch * channels * plane).map(|i| bias[i / plane % channels]).collect();
        self.for_each_product(|s, w, d| dst[d] += src[s] * weights[w]);
        dst
    }
}

fn memory<T: oxidnn::Element>(engine: &Engine, dims: &[i64], data_type: DataType, values: &[T]) -> Memory {
    let memory = Memory::new(engine, &MemoryDesc::with_strides(dims, data_type, None).unwrap()).unwrap();
    memory.write_from(values).unwrap();
    memory
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_within(1e-5, found, expected, what);
}

/// Asserts that nothing errs by more than a share of the largest result.
fn assert_within(share: f32, found: &[f32], expected: &[f32], what: &str) {
    let scale = expected.iter().fold(1f32, |most, x| most.max(x.abs()));
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= share * scale, "{what}: element {i} is {a}, expected {b}");
    }
}

/// What Winograd's algorithm may err by: more in sums over many channels.
fn share(channels: usize) -> f32 {
    if channels < 16 { 1e-5 } else { 1e-4 }
}

/// Channels in and out, sides and batches that are computed in bands, in slices, and in both, in either order.
const IN_PARTS: [(usize, usize, usize, usize); 4] = [(6, 16, 16, 8), (2, 16, 64, 8), (1, 16, 64, 12), (2, 16, 48, 16)];

fn in_parts((batch, ic, oc, side): (usize, usize, usize, usize)) -> Shape {
    Shape { batch, groups: 1, ic, oc, side, kernel: 3, stride: 1, left: 1, right: 1 }
}

const WINOGRAD: [Shape; 3] = [
    Shape { batch: 2, groups: 1, ic: 5, oc: 17, side: 9, kernel: 3, stride: 1, left: 1, right: 1 },
    Shape { batch: 1, groups: 3, ic: 2, oc: 4, side: 6, kernel: 3, stride: 1, left: 0, right: 2 },
    Shape { batch: 1, groups: 1, ic: 1, oc: 1, side: 3, kernel: 3, stride: 1, left: 0, right: 0 },
];

#[test]
fn winograd_gives_what_the_direct_sum_gives() {
    for engine in engines() {
        for shape in tried(WINOGRAD.into_iter().chain(IN_PARTS.map(in_parts))) {
            let (src, weights) = (shape.src(), shape.weights());
            let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
            let (x, w, bias) =
                (numbers(count(&src), 1), numbers(count(&weights), 2), numbers(shape.dst()[1] as usize, 3));
            let y = numbers(count(&shape.dst()), 4);
            let source = memory(&engine, &src, F32, &x);
            let kernel = memory(&engine, &weights, F32, &w);
            let biases = memory(&engine, &[shape.dst()[1]], F32, &bias);
            let target = memory(&engine, &shape.dst(), F32, &y);
            let alg = AlgKind::ConvolutionWinograd;

            let post_ops = PostOps::new().sum(1.0).and_then(|list| list.eltwise(AlgKind::EltwiseRelu, 0.5, 0.0));
            let attr = Attr::new().with_post_ops(post_ops.unwrap());
            let prop = PropKind::ForwardInference;
            let [s, k, t] = [source.desc(), kernel.desc(), target.desc()];
            let op = Convolution::new(prop, alg, s, k, Some(biases.desc()), t, shape.window()).unwrap();
            assert!(op.uses_winograd());
            let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
            let args = [(arg::SRC, &source), (arg::WEIGHTS, &kernel), (arg::BIAS, &biases), (arg::DST, &target)];
            run(&engine, &desc, &args);
            let relu = |x: f32| if x > 0.0 { x } else { 0.5 * x };
            let expected: Vec<f32> =
                shape.forward(&x, &w, &bias).iter().zip(&y).map(|(conv, before)| relu(conv + before)).collect();
            let what = format!("{shape:?} on {engine:?}");
            assert_within(share(shape.ic), &target.read_to().unwrap(), &expected, &what);

            target.write_from(&y).unwrap();
            let prop = PropKind::BackwardData;
            let op = Convolution::new(prop, alg, s, k, None, t, shape.window()).unwrap();
            let desc = PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap();
            let gradient = memory(&engine, &src, F32, &vec![f32::NAN; x.len()]);
            run(&engine, &desc, &[(arg::DIFF_DST, &target), (arg::WEIGHTS, &kernel), (arg::DIFF_SRC, &gradient)]);
            let mut expected = vec![0.0; x.len()];
            shape.for_each_product(|s, k, d| expected[s] += y[d] * w[k]);
            assert_within(share(shape.oc), &gradient.read_to().unwrap(), &expected, &format!("backward {what}"));
        }
    }
}

#[test]
fn winograd_finishes_images_of_whole_tiles_in_place() {
    for shape in tried([(2, 6, 18, 8)].into_iter().chain(IN_PARTS)).map(in_parts) {
        check_in_place(shape);
    }
}

fn check_in_place(shape: Shape) {
    let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    let (x, w) = (numbers(count(&shape.src()), 1), numbers(count(&shape.weights()), 2));
    let (bias, y) = (numbers(shape.oc, 3), numbers(count(&shape.dst()), 4));
    let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
    let plain = |dims: &[i64]| MemoryDesc::with_strides(dims, F32, None).unwrap();
    let post_ops = PostOps::new().sum(2.0).and_then(|list| list.eltwise(AlgKind::EltwiseRelu, 0.5, 0.0));
    let attr = Attr::new().with_post_ops(post_ops.unwrap());
    for engine in engines() {
        let [s, k, t] = [any(&shape.src()), any(&shape.weights()), any(&shape.dst())];
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionWinograd);
        let op = Convolution::new(prop, alg, &s, &k, Some(&plain(&[shape.oc as i64])), &t, shape.window()).unwrap();
        let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
        let arranged = |number: i32, dims: &[i64], values: &[f32]| {
            reordered(&engine, &memory(&engine, dims, F32, values), desc.arg(number).unwrap())
        };
        let target = arranged(arg::DST, &shape.dst(), &y);
        let args = [
            (arg::SRC, &arranged(arg::SRC, &shape.src(), &x)),
            (arg::WEIGHTS, &arranged(arg::WEIGHTS, &shape.weights(), &w)),
            (arg::BIAS, &memory(&engine, &[shape.oc as i64], F32, &bias)),
            (arg::DST, &target),
        ];
        run(&engine, &desc, &args);
        let relu = |x: f32| if x > 0.0 { x } else { 0.5 * x };
        let sums = shape.forward(&x, &w, &bias);
        let expected: Vec<f32> = sums.iter().zip(&y).map(|(conv, before)| relu(conv + 2.0 * before)).collect();
        let found = reordered(&engine, &target, &plain(&shape.dst()));
        assert_close(&found.read_to().unwrap(), &expected, &format!("{shape:?} on {engine:?}"));
    }
}

/// A convolution of a shape, or the deconvolution that has it for a gradient, by Winograd's algorithm, and what it computes from these images and
/// kernels in whole numbers.
fn by_winograd(shape: &Shape, transposed: bool, prop: PropKind, weights: &MemoryDesc) -> Convolution {
    let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
    let (small, large) = (any(&shape.dst()), any(&shape.src()));
    match transposed {
        false => Convolution::new(prop, AlgKind::ConvolutionWinograd, &large, weights, None, &small, shape.window()),
        true => {
            let alg = AlgKind::DeconvolutionWinograd;
            Convolution::transposed(prop, alg, &small, weights, None, &large, shape.window())
        }
    }
    .unwrap()
}

#[test]
fn kernels_that_are_left_to_the_library_come_transformed() {
    let plain = |dims: &[i64]| MemoryDesc::with_strides(dims, F32, None).unwrap();
    let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    for engine in engines() {
        for (shape, transposed, prop) in tried(WINOGRAD.into_iter().chain(IN_PARTS.map(in_parts)).flat_map(|shape| {
            let props = [PropKind::ForwardInference, PropKind::BackwardData];
            props.into_iter().flat_map(move |prop| [false, true].map(|transposed| (shape, transposed, prop)))
        })) {
            let what = format!("{shape:?} {prop} {transposed} on {engine:?}");
            // A deconvolution has input and output channels the other way round.
            let [g, o, i, y, x] = shape.weights();
            let dims = if transposed { [g, i, o, y, x] } else { [g, o, i, y, x] };
            let op = by_winograd(&shape, transposed, prop, &MemoryDesc::any(&dims, F32).unwrap());
            let desc = PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap();
            let transformed = desc.arg(arg::WEIGHTS).unwrap().clone();
            assert_eq!(transformed.format_kind(), FormatKind::Opaque, "{what}");

            let kernels = numbers(count(&dims), 2);
            let given = memory(&engine, &dims, F32, &kernels);
            let kernel = reordered(&engine, &given, &transformed);
            let back = reordered(&engine, &kernel, given.desc());
            assert_close(&back.read_to().unwrap(), &kernels, &format!("back, {what}"));

            let reads_large = prop.is_forward() != transposed;
            let (from, to) = if reads_large { (shape.src(), shape.dst()) } else { (shape.dst(), shape.src()) };
            let (source, target) = match prop {
                PropKind::BackwardData => (arg::DIFF_DST, arg::DIFF_SRC),
                _ => (arg::SRC, arg::DST),
            };
            let values = numbers(count(&from), 1);
            let image = reordered(&engine, &memory(&engine, &from, F32, &values), desc.arg(source).unwrap());
            let mut expected = vec![0.0; count(&to)];
            let size = (y * x) as usize;
            shape.for_each_product(|s, k, d| {
                let (tap, i, o) = (k % size, k / size % shape.ic, k / size / shape.ic);
                let (g, o) = (o / shape.oc, o % shape.oc);
                let place =
                    if transposed { (g * shape.ic + i) * shape.oc + o } else { (g * shape.oc + o) * shape.ic + i };
                let kernel = kernels[place * size + tap];
                if reads_large { expected[d] += values[s] * kernel } else { expected[s] += values[d] * kernel }
            });
            let computed = |desc: &PrimitiveDesc| -> Vec<f32> {
                let result = Memory::new(&engine, desc.arg(target).unwrap()).unwrap();
                run(&engine, desc, &[(source, &image), (arg::WEIGHTS, &kernel), (target, &result)]);
                reordered(&engine, &result, &plain(&to)).read_to().unwrap()
            };
            let found = computed(&desc);
            let summed = if reads_large { shape.ic } else { shape.oc };
            assert_within(share(summed), &found, &expected, &what);

            // Who asks for these kernels by their descriptor gets the same, whatever the algorithm.
            let mut op = by_winograd(&shape, transposed, prop, &transformed);
            if !transposed {
                op.alg = AlgKind::ConvolutionAuto;
            }
            assert_eq!(computed(&PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap()), found, "{what}");
        }
    }
}

#[test]
fn transformed_kernels_are_for_the_pass_that_they_were_made_for() {
    let shape = in_parts(IN_PARTS[0]);
    let engine = Engine::new(EngineKind::Cpu, 0).unwrap();
    let any = MemoryDesc::any(&shape.weights(), F32).unwrap();
    let transformed = |prop: PropKind| {
        let desc = PrimitiveDesc::new(&engine, by_winograd(&shape, false, prop, &any), &Attr::new()).unwrap();
        desc.arg(arg::WEIGHTS).unwrap().clone()
    };
    let forward = transformed(PropKind::ForwardTraining);
    let [s, t] = [shape.src(), shape.dst()].map(|dims| MemoryDesc::any(&dims, F32).unwrap());
    let status = |prop, alg, weights: &MemoryDesc| {
        Convolution::new(prop, alg, &s, weights, None, &t, shape.window()).map(drop).map_err(|error| error.status())
    };
    use AlgKind::{ConvolutionAuto, ConvolutionDirect, ConvolutionWinograd};
    assert_eq!(status(PropKind::ForwardInference, ConvolutionAuto, &forward), Ok(()));
    for (prop, alg) in [
        (PropKind::ForwardInference, ConvolutionDirect),
        (PropKind::BackwardData, ConvolutionWinograd),
        (PropKind::BackwardWeights, ConvolutionWinograd),
    ] {
        assert_eq!(status(prop, alg, &forward), Err(Status::Unimplemented), "{prop} {alg}");
    }
    let backward = transformed(PropKind::BackwardData);
    assert_eq!(Reorder::new(&forward, &backward).map(drop).map_err(|e| e.status()), Err(Status::Unimplemented));
    // Memory that is transformed in another way is told from it.
    let desc = PrimitiveDesc::new(&engine, by_winograd(&shape, false, PropKind::ForwardTraining, &any), &Attr::new());
    let desc = desc.unwrap();
    let [source, target] = [arg::SRC, arg::DST].map(|arg| Memory::new(&engine, desc.arg(arg).unwrap()).unwrap());
    let kernels = Memory::new(&engine, &backward).unwrap();
    let stream = Stream::new(&engine).unwrap();
    let args = [(arg::SRC, &source), (arg::WEIGHTS, &kernels), (arg::DST, &target)];
    let error = Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap_err();
    assert_eq!(error.status(), Status::InvalidArguments);
    // Nothing else takes them.
    assert!(Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseRelu, &forward, &forward, 0.0, 0.0).is_err());
    let scaled = Attr::new().with_scales(arg::SRC, Quant::scales(0)).unwrap();
    let reorder = Reorder::new(&any.resolve_plain().unwrap(), &forward).unwrap();
    assert_eq!(PrimitiveDesc::new(&engine, reorder, &scaled).unwrap_err().status(), Status::Unimplemented);
}

#[test]
fn no_images_are_convolved_with_kernels_of_any_layout() {
    let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
    for engine in engines() {
        let create = |batch: i64, alg, weights: &MemoryDesc| {
            let images = any(&[batch, 64, 28, 28]);
            let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
            let prop = PropKind::ForwardInference;
            let op = Convolution::new(prop, alg, &images, weights, None, &images, window).unwrap();
            PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap()
        };
        let open = any(&[64, 64, 3, 3]);
        let transformed = create(1, AlgKind::ConvolutionAuto, &open).arg(arg::WEIGHTS).unwrap().clone();
        assert_eq!(transformed.format_kind(), FormatKind::Opaque, "{engine:?}");
        for weights in [open, transformed] {
            for alg in [AlgKind::ConvolutionAuto, AlgKind::ConvolutionWinograd] {
                let desc = create(0, alg, &weights);
                let [source, kernel, target] = [arg::SRC, arg::WEIGHTS, arg::DST]
                    .map(|number| Memory::new(&engine, desc.arg(number).unwrap()).unwrap());
                run(&engine, &desc, &[(arg::SRC, &source), (arg::WEIGHTS, &kernel), (arg::DST, &target)]);
            }
        }
    }
}

#[test]
fn a_depthwise_convolution_follows_a_pointwise_one() {
    let first = Shape { batch: 2, groups: 1, ic: 5, oc: 19, side: 9, kernel: 1, stride: 1, left: 0, right: 0 };
    for engine in engines() {
        for (kernel, stride, padding) in [(3, 1, 1), (5, 2, 1)] {
            let out = first.side.div_ceil(stride);
            let right = (out - 1) * stride + kernel - padding - first.side;
            let second = Shape { groups: 19, ic: 1, oc: 1, kernel, stride, left: padding, right, ..first };
            let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
            let (x, w) = (numbers(count(&first.src()), 1), numbers(count(&first.weights()), 2));
            let (v, bias, bias_dw) = (numbers(count(&second.weights()), 3), numbers(19, 4), numbers(19, 5));
            let factors = numbers(19, 8);
            let conv = DepthwiseConv {
                weights: F32,
                bias: F32,
                dst: F32,
                kernel: kernel as i64,
                stride: stride as i64,
                padding: padding as i64,
            };
            let vector = MemoryDesc::with_strides(&[1, 19, 1, 1], F32, None).unwrap();
            let post_ops = PostOps::new()
                .eltwise(AlgKind::EltwiseRelu, 0.0, 0.0)
                .and_then(|list| list.depthwise_conv(conv))
                .and_then(|list| list.binary(AlgKind::BinaryMul, vector));
            let attr = Attr::new().with_post_ops(post_ops.unwrap());
            let any = |dims: &[i64]| MemoryDesc::any(dims, F32).unwrap();
            let plain = |dims: &[i64]| MemoryDesc::with_strides(dims, F32, None).unwrap();
            let [src, weights, dst] = [any(&first.src()), any(&first.weights()), any(&first.dst())];
            let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionAuto);
            let op = Convolution::new(prop, alg, &src, &weights, Some(&plain(&[19])), &dst, first.window()).unwrap();
            let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
            let target = Memory::new(&engine, desc.arg(arg::DST).unwrap()).unwrap();
            assert_eq!(**target.desc().dims(), second.dst());
            let arranged = |number: i32, dims: &[i64], values: &[f32]| {
                reordered(&engine, &memory(&engine, dims, F32, values), desc.arg(number).unwrap())
            };
            let args = [
                (arg::SRC, &arranged(arg::SRC, &first.src(), &x)),
                (arg::WEIGHTS, &arranged(arg::WEIGHTS, &first.weights(), &w)),
                (arg::BIAS, &memory(&engine, &[19], F32, &bias)),
                (
                    arg::ATTR_POST_OP_DW | arg::WEIGHTS,
                    &arranged(arg::ATTR_POST_OP_DW | arg::WEIGHTS, &second.weights(), &v),
                ),
                (arg::ATTR_POST_OP_DW | arg::BIAS, &memory(&engine, &[19], F32, &bias_dw)),
                (arg::post_op(2) | arg::SRC_1, &memory(&engine, &[1, 19, 1, 1], F32, &factors)),
                (arg::DST, &target),
            ];
            run(&engine, &desc, &args);
            let between: Vec<f32> = first.forward(&x, &w, &bias).iter().map(|x| x.max(0.0)).collect();
            let plane = second.out() * second.out();
            let result = second.forward(&between, &v, &bias_dw);
            let expected: Vec<f32> = result.iter().enumerate().map(|(i, x)| x * factors[i / plane % 19]).collect();
            let found = reordered(&engine, &target, &plain(&second.dst()));
            assert_eq!(found.read_to::<f32>().unwrap(), expected, "{second:?} on {engine:?}");
        }
    }
}

#[test]
fn a_fused_depthwise_convolution_takes_integers_and_scales() {
    let first = Shape { batch: 1, groups: 1, ic: 4, oc: 6, side: 5, kernel: 1, stride: 1, left: 0, right: 0 };
    let second = Shape { groups: 6, ic: 1, oc: 1, kernel: 3, left: 1, right: 1, ..first };
    let count = |dims: &[i64]| dims.iter().product::<i64>() as usize;
    let x: Vec<u8> = (0..count(&first.src())).map(|i| (i * 7 % 13) as u8).collect();
    let bytes = |count: usize, seed: usize| -> Vec<i8> { numbers(count, seed).iter().map(|&x| x as i8).collect() };
    let (w, v) = (bytes(count(&first.weights()), 1), bytes(count(&second.weights()), 2));
    let floats = |values: &[i8]| -> Vec<f32> { values.iter().map(|&x| f32::from(x)).collect() };
    for engine in engines() {
        let conv = DepthwiseConv { weights: S8, bias: DataType::Undef, dst: S32, kernel: 3, stride: 1, padding: 1 };
        let post_ops = PostOps::new().depthwise_conv(conv).unwrap();
        let attr = Attr::new()
            .with_scales(arg::DST, Quant::scales(0))
            .and_then(|attr| attr.with_scales(arg::ATTR_POST_OP_DW | arg::WEIGHTS, Quant::scales(0)))
            .and_then(|attr| attr.with_scales(arg::ATTR_POST_OP_DW | arg::DST, Quant::scales(0)))
            .unwrap()
            .with_post_ops(post_ops);
        let md = |dims: &[i64], data_type| MemoryDesc::with_strides(dims, data_type, None).unwrap();
        let [src, weights, dst] = [md(&first.src(), U8), md(&first.weights(), S8), md(&first.dst(), S8)];
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::ConvolutionDirect);
        let op = Convolution::new(prop, alg, &src, &weights, None, &dst, first.window()).unwrap();
        let desc = PrimitiveDesc::new(&engine, op, &attr).unwrap();
        let target = Memory::new(&engine, desc.arg(arg::DST).unwrap()).unwrap();
        let depthwise = arg::ATTR_POST_OP_DW | arg::WEIGHTS;
        let kernel = memory(&engine, &second.weights(), S8, &v);
        let scale = |value: f32| memory(&engine, &[1], F32, &[value]);
        let args = [
            (arg::SRC, &memory(&engine, &first.src(), U8, &x)),
            (arg::WEIGHTS, &memory(&engine, &first.weights(), S8, &w)),
            (depthwise, &reordered(&engine, &kernel, desc.arg(depthwise).unwrap())),
            (arg::ATTR_SCALES | arg::DST, &scale(2.0)),
            (arg::ATTR_SCALES | depthwise, &scale(0.25)),
            (arg::ATTR_SCALES | arg::ATTR_POST_OP_DW | arg::DST, &scale(0.5)),
            (arg::DST, &target),
        ];
        run(&engine, &desc, &args);
        let source: Vec<f32> = x.iter().map(|&x| f32::from(x)).collect();
        // What lies between is stored as s8, of which each step is worth two.
        let between: Vec<f32> = first
            .forward(&source, &floats(&w), &[0.0; 6])
            .iter()
            .map(|x| (x / 2.0).round_ties_even().clamp(-128.0, 127.0))
            .collect();
        let expected: Vec<i32> = second
            .forward(&between, &floats(&v), &[0.0; 6])
            .iter()
            .map(|x| (x * 2.0 * 0.25 / 0.5).round_ties_even() as i32)
            .collect();
        let found = reordered(&engine, &target, &md(&second.dst(), S32));
        assert_eq!(found.read_to::<i32>().unwrap(), expected, "{engine:?}");
    }
}
