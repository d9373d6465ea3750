//! Softmax, normalizations, pooling, reduction and their kin with hand-written references, on every engine there is.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::engines;

fn plain(dims: &[i64]) -> MemoryDesc {
    MemoryDesc::with_strides(dims, DataType::F32, None).unwrap()
}

fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + 3) % 23) as f32 / 4.0 - 2.5).collect()
}

fn filled(engine: &Engine, md: &MemoryDesc, values: &[f32]) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    memory.write_from(values).unwrap();
    memory
}

fn run(engine: &Engine, op: impl Into<Op>, args: &[(i32, &Memory)]) {
    let desc = PrimitiveDesc::new(engine, op, &Attr::new()).unwrap();
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, args).unwrap();
    stream.wait().unwrap();
}

fn assert_near(got: &Memory, expected: &[f32], what: &str) {
    let got = got.read_to::<f32>().unwrap();
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{what} at {i}: {a}, expected {b}");
    }
}

#[test]
fn softmax_in_place_is_the_share_of_each_element_in_its_column() {
    let (rows, columns) = (5, 7);
    let md = plain(&[rows as i64, columns as i64]);
    let values: Vec<f32> = ramp(rows * columns).iter().map(|x| x * 40.0).collect();
    let mut expected = vec![0.0; values.len()];
    for c in 0..columns {
        let column = |r: usize| f64::from(values[r * columns + c]);
        let max = (0..rows).map(column).fold(f64::MIN, f64::max);
        let sum: f64 = (0..rows).map(|r| (column(r) - max).exp()).sum();
        (0..rows).for_each(|r| expected[r * columns + c] = ((column(r) - max).exp() / sum) as f32);
    }
    for engine in engines() {
        let data = filled(&engine, &md, &values);
        let op = Softmax::forward(PropKind::ForwardInference, AlgKind::SoftmaxAccurate, &md, &md, 0).unwrap();
        run(&engine, op, &[(arg::SRC, &data), (arg::DST, &data)]);
        assert_near(&data, &expected, "softmax");
    }
}

#[test]
fn a_sum_takes_the_place_of_one_matrix_though_the_other_is_turned() {
    // Of which tiles leave rows and columns over.
    let (rows, columns) = (37i64, 53i64);
    let md = plain(&[rows, columns]);
    let turned = MemoryDesc::with_strides(&[rows, columns], DataType::F32, Some(&[1, rows])).unwrap();
    let values = ramp((rows * columns) as usize);
    let expected: Vec<f32> = (0..rows * columns)
        .map(|at| values[at as usize] + values[(at % columns * rows + at / columns) as usize])
        .collect();
    let op = Binary::new(AlgKind::BinaryAdd, &md, &turned, None, &md).unwrap();
    for engine in engines() {
        let [sum, other] = [&md, &turned].map(|md| filled(&engine, md, &values));
        run(&engine, op.clone(), &[(arg::SRC_0, &sum), (arg::SRC_1, &other), (arg::DST, &sum)]);
        assert_near(&sum, &expected, "a sum in place");
    }
}

/// Where no vectors fill a row the last two overlap, and still read what was there before either was written.
#[test]
fn rows_may_take_the_place_of_their_source_whatever_their_length() {
    for length in [5, 17, 20, 31, 100, 111] {
        let md = plain(&[6, length]);
        let slopes = plain(&[6, 1]);
        let values = ramp(6 * length as usize);
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::SoftmaxAccurate);
        let softmax: Op = Softmax::forward(prop, alg, &md, &md, 1).unwrap().into();
        let flags = NormFlags::default();
        let layer: Op = Normalization::forward(Sharing::Layer, prop, &md, &md, None, None, 1e-3, flags).unwrap().into();
        let relu: Op = Eltwise::forward(prop, AlgKind::EltwiseRelu, &md, &md, 0.5, 0.0).unwrap().into();
        let prelu: Op = Prelu::backward(&md, &slopes, &md, &slopes, &md).unwrap().into();
        for engine in engines() {
            for (op, from, to) in [
                (&softmax, arg::SRC, arg::DST),
                (&layer, arg::SRC, arg::DST),
                (&relu, arg::SRC, arg::DST),
                (&prelu, arg::DIFF_DST, arg::DIFF_SRC),
            ] {
                let [source, result, other] = [(); 3].map(|()| filled(&engine, &md, &values));
                let [slope, gradient] = [(); 2].map(|()| filled(&engine, &slopes, &ramp(6)));
                let more = [(arg::SRC, &other), (arg::WEIGHTS, &slope), (arg::DIFF_WEIGHTS, &gradient)];
                let more = if from == arg::SRC { &[][..] } else { &more[..] };
                run(&engine, op.clone(), &[&[(from, &source), (to, &result)], more].concat());
                run(&engine, op.clone(), &[&[(from, &source), (to, &source)], more].concat());
                let [expected, got] = [&result, &source].map(|memory| memory.read_to::<f32>().unwrap());
                assert_eq!(got, expected, "{engine:?}: rows of {length}, {op:?}");
            }
        }
    }
}

#[test]
fn a_tensor_without_elements_is_normalized_at_once() {
    let md = plain(&[0, 4]);
    for engine in engines() {
        let memory = Memory::new(&engine, &md).unwrap();
        let (sharing, prop, flags) = (Sharing::Layer, PropKind::ForwardInference, NormFlags::default());
        let op = Normalization::forward(sharing, prop, &md, &md, None, None, 1e-5, flags).unwrap();
        run(&engine, op, &[(arg::SRC, &memory), (arg::DST, &memory)]);
    }
}

/// The mean is far larger than what is left of an element without it.
#[test]
fn bytes_are_normalized_to_floats_without_losing_digits() {
    let (rows, channels) = (40usize, 24usize);
    let bytes: Vec<u8> = (0..rows * channels).map(|i| 250 + (i * i % 5) as u8).collect();
    let (scale, shift, epsilon) = (16.0f64, 0.25, 1e-3f32);
    let expected: Vec<f64> = bytes
        .chunks(channels)
        .flat_map(|row| {
            let count = channels as f64;
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
            let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
            let factor = scale / (variance + f64::from(epsilon)).sqrt();
            row.iter().map(move |&x| (f64::from(x) - mean) * factor + shift).collect::<Vec<_>>()
        })
        .collect();
    let dims = [rows as i64, channels as i64];
    let md = |data_type| MemoryDesc::with_strides(&dims, data_type, None).unwrap();
    let flags = NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
    for engine in engines() {
        let (src, dst) =
            (Memory::new(&engine, &md(DataType::U8)).unwrap(), Memory::new(&engine, &plain(&dims)).unwrap());
        src.write_from(&bytes).unwrap();
        let all = plain(&[channels as i64]);
        let [scale, shift] = [scale, shift].map(|x| filled(&engine, &all, &vec![x as f32; channels]));
        let prop = PropKind::ForwardInference;
        let op =
            Normalization::forward(Sharing::Layer, prop, src.desc(), dst.desc(), None, None, epsilon, flags).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst), (arg::SCALE, &scale), (arg::SHIFT, &shift)]);
        for (i, (found, expected)) in dst.read_to::<f32>().unwrap().into_iter().zip(&expected).enumerate() {
            let error = (f64::from(found) - expected).abs();
            assert!(error <= 1e-5 * expected.abs().max(1.0), "{engine:?}: {found} for {expected} at {i}");
        }
    }
}

#[test]
fn groups_are_normalized_with_their_own_statistics() {
    let (images, channels, size, groups) = (2, 6, 4, 3);
    let md = plain(&[images as i64, channels as i64, size as i64]);
    let stat = plain(&[images as i64, groups as i64]);
    let values = ramp(images * channels * size);
    let in_group = channels / groups * size;
    let epsilon = 1e-3f32;
    let (mut expected, mut means, mut variances) = (Vec::new(), Vec::new(), Vec::new());
    for group in values.chunks(in_group) {
        let mean = group.iter().sum::<f32>() / in_group as f32;
        let variance = group.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / in_group as f32;
        expected.extend(group.iter().map(|x| (x - mean) / (variance + epsilon).sqrt()));
        means.push(mean);
        variances.push(variance);
    }
    for engine in engines() {
        let [src, dst] = [&values, &vec![0.0; values.len()]].map(|values| filled(&engine, &md, values));
        let [mean, variance] = [0.0, 0.0].map(|zero| filled(&engine, &stat, &vec![zero; images * groups]));
        let sharing = Sharing::Group { groups: groups as i64 };
        let prop = PropKind::ForwardTraining;
        let op = Normalization::forward(sharing, prop, &md, &md, None, None, epsilon, NormFlags::default()).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst), (arg::MEAN, &mean), (arg::VARIANCE, &variance)]);
        assert_near(&dst, &expected, "dst");
        assert_near(&mean, &means, "mean");
        assert_near(&variance, &variances, "variance");
    }
}

#[test]
fn statistics_of_a_small_batch_are_rounded_once() {
    // The mean is exact, those of the images are not.
    let (images, channels, size) = (5, 3, 27);
    let count = images * size;
    let md = MemoryDesc::with_tag(&[5, 3, 27], DataType::F32, FormatTag::from_name("acb").unwrap()).unwrap();
    let apart = |i: usize| {
        if i < 41 {
            1.0f32
        } else if i < 82 {
            -1.0
        } else {
            0.0
        }
    };
    let values: Vec<f32> =
        (0..count * channels).map(|i| 1000.0 + (i % channels) as f32 + apart(i / channels)).collect();
    for engine in engines() {
        let [src, dst] = [(), ()].map(|()| filled(&engine, &md, &values));
        let [mean, variance] = [(), ()].map(|()| filled(&engine, &plain(&[3]), &[0.0; 3]));
        let (sharing, prop) = (Sharing::Batch, PropKind::ForwardTraining);
        let op = Normalization::forward(sharing, prop, &md, &md, None, None, 1e-3, NormFlags::default()).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst), (arg::MEAN, &mean), (arg::VARIANCE, &variance)]);
        assert_eq!(mean.read_to::<f32>().unwrap(), [1000.0, 1001.0, 1002.0], "{engine:?}");
        for got in variance.read_to::<f32>().unwrap() {
            let steps = got.to_bits().abs_diff((82.0 / count as f32).to_bits());
            assert!(steps <= 1, "{engine:?}: {got}, {steps} steps off");
        }
    }
}

#[test]
fn the_gradient_of_a_maximum_goes_where_it_came_from() {
    let src_md = plain(&[1, 1, 3, 4]);
    let dst_md = plain(&[1, 1, 2, 2]);
    let ws_md = dst_md.with_data_type(DataType::U8);
    let dims = |a, b| Dims::from([a, b]);
    let window = PoolWindow {
        strides: dims(2, 2),
        kernel: dims(2, 2),
        dilation: dims(0, 0),
        padding_l: dims(1, 0),
        padding_r: dims(0, 0),
    };
    #[rustfmt::skip]
    let values = [
        1.0, 5.0, 2.0, 2.0,
        0.0, -1.0, 7.0, 3.0,
        4.0, -2.0, 7.0, 8.0,
    ];
    for engine in engines() {
        let src = filled(&engine, &src_md, &values);
        let [dst, diff_dst] = [[0.0; 4], [1.0, 2.0, 3.0, 4.0]].map(|values| filled(&engine, &dst_md, &values));
        let workspace = Memory::new(&engine, &ws_md).unwrap();
        let alg = AlgKind::PoolingMax;
        let forward = Pooling::forward(PropKind::ForwardTraining, alg, &src_md, &dst_md, window.clone()).unwrap();
        run(&engine, forward, &[(arg::SRC, &src), (arg::DST, &dst), (arg::WORKSPACE, &workspace)]);
        assert_near(&dst, &[5.0, 2.0, 4.0, 8.0], "maxima");
        assert_eq!(workspace.read_to::<u8>().unwrap(), [3, 2, 2, 3], "the first of equal maxima counts");
        let backward = Pooling::backward(alg, &src_md, &dst_md, window.clone(), None).unwrap();
        run(&engine, backward, &[(arg::DIFF_DST, &diff_dst), (arg::WORKSPACE, &workspace), (arg::DIFF_SRC, &src)]);
        #[rustfmt::skip]
        let expected = [
            0.0, 1.0, 2.0, 0.0,
            0.0, 0.0, 0.0, 0.0,
            3.0, 0.0, 0.0, 4.0,
        ];
        assert_near(&src, &expected, "diff_src");
    }
}

#[test]
fn the_maximum_of_nothing_is_the_lowest_number_of_the_destination() {
    let src_md = plain(&[1, 1, 2]).with_data_type(DataType::S8);
    let dst_md = plain(&[1, 1, 2]);
    let one = |value| Dims::from([value]);
    let [strides, kernel, dilation, padding_l, padding_r] = [2, 2, 0, 2, 0].map(one);
    let window = PoolWindow { strides, kernel, dilation, padding_l, padding_r };
    for engine in engines() {
        let src = Memory::new(&engine, &src_md).unwrap();
        src.write_from(&[-3i8, -2]).unwrap();
        let dst = filled(&engine, &dst_md, &[0.0; 2]);
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::PoolingMax);
        let op = Pooling::forward(prop, alg, &src_md, &dst_md, window.clone()).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst)]);
        assert_near(&dst, &[f32::MIN, -2.0], "maxima");
    }
}

#[test]
fn what_linear_resampling_spreads_its_gradient_collects() {
    let (small, large) = (plain(&[1, 1, 3]), plain(&[1, 1, 6]));
    for engine in engines() {
        let src = filled(&engine, &small, &[1.0, 2.0, 5.0]);
        let dst = filled(&engine, &large, &[0.0; 6]);
        let (alg, prop) = (AlgKind::ResamplingLinear, PropKind::ForwardTraining);
        let forward = Resampling::forward(prop, alg, None, &small, Some(&large)).unwrap();
        run(&engine, forward, &[(arg::SRC, &src), (arg::DST, &dst)]);
        assert_near(&dst, &[1.0, 1.25, 1.75, 2.75, 4.25, 5.0], "dst");
        let backward = Resampling::backward(alg, None, &small, Some(&large), None).unwrap();
        let ones = filled(&engine, &large, &[1.0; 6]);
        run(&engine, backward, &[(arg::DIFF_DST, &ones), (arg::DIFF_SRC, &src)]);
        assert_near(&src, &[2.0; 3], "diff_src");
    }
}

#[test]
fn gradients_of_resampling_count_as_much_as_what_was_read() {
    // Products with any gradient are the same on both sides.
    for (from, to) in [(3, 9), (4, 4), (5, 7), (7, 3), (30, 75), (97, 5), (2, 11), (31, 16)] {
        let (small, large) = (plain(&[1, 3, from]), plain(&[1, 3, to]));
        let (values, weights) = (ramp(3 * from as usize), ramp(3 * to as usize));
        for (engine, alg) in engines()
            .iter()
            .flat_map(|engine| [AlgKind::ResamplingLinear, AlgKind::ResamplingNearest].map(|alg| (engine, alg)))
        {
            let (src, diff_src) = (filled(engine, &small, &values), filled(engine, &small, &values));
            let (dst, diff_dst) = (filled(engine, &large, &weights), filled(engine, &large, &weights));
            let forward = Resampling::forward(PropKind::ForwardTraining, alg, None, &small, Some(&large)).unwrap();
            run(engine, forward, &[(arg::SRC, &src), (arg::DST, &dst)]);
            let backward = Resampling::backward(alg, None, &small, Some(&large), None).unwrap();
            run(engine, backward, &[(arg::DIFF_DST, &diff_dst), (arg::DIFF_SRC, &diff_src)]);
            let product = |memory: &Memory, by: &[f32]| -> f32 {
                memory.read_to::<f32>().unwrap().iter().zip(by).map(|(a, b)| a * b).sum()
            };
            let (there, back) = (product(&dst, &weights), product(&diff_src, &values));
            assert!(
                (there - back).abs() <= 1e-4 * (1.0 + there.abs()),
                "{alg} from {from} to {to}: {there} and {back}"
            );
        }
    }
}

#[test]
fn a_reduction_keeps_the_dimensions_it_does_not_reduce() {
    let (src_md, dst_md) = (plain(&[2, 3, 4]), plain(&[1, 3, 1]));
    let values = ramp(24);
    let column = |c: usize| (0..8).map(move |i| (i / 4) * 12 + c * 4 + i % 4);
    for engine in engines() {
        let src = filled(&engine, &src_md, &values);
        let check = |alg, p: f32, reference: &dyn Fn(&mut dyn Iterator<Item = f32>) -> f32| {
            let dst = filled(&engine, &dst_md, &[0.0; 3]);
            let op = Reduction::new(alg, &src_md, &dst_md, p, 0.0).unwrap();
            run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst)]);
            let expected: Vec<f32> = (0..3).map(|c| reference(&mut column(c).map(|i| values[i]))).collect();
            assert_near(&dst, &expected, alg.name());
        };
        check(AlgKind::ReductionMax, 0.0, &|row| row.fold(f32::MIN, f32::max));
        check(AlgKind::ReductionMean, 0.0, &|row| row.sum::<f32>() / 8.0);
        check(AlgKind::ReductionMul, 0.0, &|row| row.product());
        check(AlgKind::ReductionNormLpSum, 2.0, &|row| row.map(|x| x * x).sum::<f32>().sqrt());
    }
}

#[test]
fn shuffle_transposes_groups_and_its_gradient_transposes_back() {
    let md = plain(&[1, 6]);
    for engine in engines() {
        let [src, dst, back] = [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0; 6], [0.0; 6]].map(|v| filled(&engine, &md, &v));
        let forward = Shuffle::forward(PropKind::ForwardTraining, &md, &md, 1, 3).unwrap();
        run(&engine, forward, &[(arg::SRC, &src), (arg::DST, &dst)]);
        assert_near(&dst, &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0], "dst");
        let backward = Shuffle::backward(&md, &md, 1, 3, None).unwrap();
        run(&engine, backward, &[(arg::DIFF_DST, &dst), (arg::DIFF_SRC, &back)]);
        assert_near(&back, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "diff_src");
    }
}

#[test]
fn prelu_sums_the_gradient_of_shared_slopes() {
    let (md, weights_md) = (plain(&[2, 2]), plain(&[1, 2]));
    for engine in engines() {
        let src = filled(&engine, &md, &[1.0, -2.0, -3.0, -4.0]);
        let weights = filled(&engine, &weights_md, &[0.5, 0.25]);
        let diff = filled(&engine, &md, &[1.0, 1.0, 2.0, 3.0]);
        let diff_weights = filled(&engine, &weights_md, &[0.0; 2]);
        let op = Prelu::backward(&md, &weights_md, &md, &weights_md, &md).unwrap();
        let tensors = [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DIFF_DST, &diff)];
        // The gradient of the source takes the place of the destination's.
        let results = [(arg::DIFF_SRC, &diff), (arg::DIFF_WEIGHTS, &diff_weights)];
        run(&engine, op, &[tensors.as_slice(), &results].concat());
        assert_near(&diff, &[1.0, 0.25, 1.0, 0.75], "diff_src");
        assert_near(&diff_weights, &[-6.0, -14.0], "diff_weights");
    }
}

#[test]
fn gradients_of_integers_are_rounded_and_saturated() {
    let bytes = |dims: &[i64], data_type| MemoryDesc::with_strides(dims, data_type, None).unwrap();
    let (md, weights_md) = (bytes(&[2, 2], DataType::S8), bytes(&[1, 2], DataType::S8));
    let (small, large) = (bytes(&[1, 1, 3], DataType::U8), bytes(&[1, 1, 6], DataType::S32));
    for engine in engines() {
        let memory = |md: &MemoryDesc, values: &[i8]| {
            let memory = Memory::new(&engine, md).unwrap();
            memory.write_from(values).unwrap();
            memory
        };
        let [src, diff, diff_src] = [[1, -2, -30, 4], [50, 3, 20, -7], [0; 4]].map(|values| memory(&md, &values));
        let [weights, diff_weights] = [[3, 100], [0; 2]].map(|values| memory(&weights_md, &values));
        let op = Prelu::backward(&md, &weights_md, &md, &weights_md, &md).unwrap();
        let tensors = [(arg::SRC, &src), (arg::WEIGHTS, &weights), (arg::DIFF_DST, &diff)];
        let results = [(arg::DIFF_SRC, &diff_src), (arg::DIFF_WEIGHTS, &diff_weights)];
        run(&engine, op, &[tensors.as_slice(), &results].concat());
        assert_eq!(diff_src.read_to::<i8>().unwrap(), [50, 127, 60, -7], "{engine:?}");
        assert_eq!(diff_weights.read_to::<i8>().unwrap(), [-128, -6], "{engine:?}");

        let op = Resampling::backward(AlgKind::ResamplingLinear, None, &small, Some(&large), None).unwrap();
        let (src, dst) = (Memory::new(&engine, &small).unwrap(), Memory::new(&engine, &large).unwrap());
        dst.write_from(&[1i32, 2, -3, -5, 200, 150]).unwrap();
        run(&engine, op, &[(arg::DIFF_DST, &dst), (arg::DIFF_SRC, &src)]);
        // 1 + 0.75 * 2 - 0.25 * 3, 0.25 * 2 - 0.75 * 3 - 0.75 * 5 + 0.25 * 200, 0.25 * -5 + 0.75 * 200 + 150
        assert_eq!(src.read_to::<u8>().unwrap(), [2, 44, 255], "{engine:?}");
    }
}

#[test]
fn responses_are_normalized_by_their_neighbours() {
    let md = plain(&[1, 3, 1, 1]);
    for engine in engines() {
        let src = filled(&engine, &md, &[1.0, 2.0, 3.0]);
        let dst = filled(&engine, &md, &[0.0; 3]);
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::LrnAcrossChannels);
        let op = Lrn::forward(prop, alg, &md, &md, 3, [3.0, 1.0, 1.0]).unwrap();
        run(&engine, op, &[(arg::SRC, &src), (arg::DST, &dst)]);
        assert_near(&dst, &[1.0 / 6.0, 2.0 / 15.0, 3.0 / 14.0], "dst");
    }
}

#[test]
fn responses_may_take_the_place_of_what_they_are_made_of() {
    let md = plain(&[2, 40, 5, 3]);
    let values = ramp(2 * 40 * 5 * 3);
    for engine in engines() {
        for alg in [AlgKind::LrnAcrossChannels, AlgKind::LrnWithinChannel] {
            let forward = Lrn::forward(PropKind::ForwardTraining, alg, &md, &md, 5, [0.5, 0.75, 1.0]).unwrap();
            let backward = Lrn::backward(alg, &md, &md, &md, 5, [0.5, 0.75, 1.0]).unwrap();
            let (src, dst) = (filled(&engine, &md, &values), filled(&engine, &md, &values));
            run(&engine, forward.clone(), &[(arg::SRC, &src), (arg::DST, &dst)]);
            let gradient = filled(&engine, &md, &vec![0.0; values.len()]);
            run(&engine, backward.clone(), &[(arg::SRC, &src), (arg::DIFF_DST, &dst), (arg::DIFF_SRC, &gradient)]);
            let (expected, expected_gradient) = (dst.read_to::<f32>().unwrap(), gradient.read_to::<f32>().unwrap());
            run(&engine, backward, &[(arg::SRC, &src), (arg::DIFF_DST, &dst), (arg::DIFF_SRC, &dst)]);
            assert_eq!(dst.read_to::<f32>().unwrap(), expected_gradient, "{alg} backward");
            run(&engine, forward, &[(arg::SRC, &src), (arg::DST, &src)]);
            assert_eq!(src.read_to::<f32>().unwrap(), expected, "{alg}");
        }
    }
}

#[test]
fn responses_of_channels_side_by_side_may_take_the_place_of_their_source() {
    let (pixels, size) = (15usize, 5usize);
    for channels in [3usize, 40, 128, 300] {
        let dims = [3, channels as i64, 5, 1];
        let md = MemoryDesc::with_tag(&dims, DataType::F32, FormatTag::from_name("acdb").unwrap()).unwrap();
        let values = ramp(pixels * channels);
        let (alpha, beta, k) = (0.5f64, 0.75f64, 1.0f64);
        let mut expected = Vec::new();
        for (i, &x) in values.iter().enumerate() {
            let (pixel, channel) = (i / channels, i % channels);
            let near = channel.saturating_sub(size / 2)..(channel + size / 2 + 1).min(channels);
            let squares: f64 = near.map(|c| f64::from(values[pixel * channels + c]).powi(2)).sum();
            expected.push((f64::from(x) * (k + alpha / size as f64 * squares).powf(-beta)) as f32);
        }
        let (prop, alg) = (PropKind::ForwardInference, AlgKind::LrnAcrossChannels);
        let factors = [alpha as f32, beta as f32, k as f32];
        let op = Lrn::forward(prop, alg, &md, &md, size as i64, factors).unwrap();
        for engine in engines() {
            let (src, dst) = (filled(&engine, &md, &values), Memory::new(&engine, &md).unwrap());
            run(&engine, op.clone(), &[(arg::SRC, &src), (arg::DST, &dst)]);
            assert_near(&dst, &expected, &format!("{channels} channels"));
            run(&engine, op.clone(), &[(arg::SRC, &src), (arg::DST, &src)]);
            assert_near(&src, &expected, &format!("{channels} channels in place"));
        }
    }
}

#[test]
fn responses_and_their_gradients_are_the_same_in_blocks_and_side_by_side() {
    // As many pixels as make a work-item go through several.
    let (pixels, size) = (120usize, 5usize);
    let (alpha, k) = (0.5f64, 1.0f64);
    for (tag, channels) in
        [("acdb", 40), ("acdb", 300), ("aBcd16b", 16), ("aBcd16b", 64), ("aBcd8b", 40), ("aBcd4b", 12), ("aBcd16b", 21)]
    {
        for beta in [0.75f64, 0.6] {
            let md =
                MemoryDesc::with_tag(&[3, channels, 40, 1], DataType::F32, FormatTag::from_name(tag).unwrap()).unwrap();
            let channels = channels as usize;
            let [x, g] = [ramp(pixels * channels), ramp(pixels * channels).into_iter().rev().collect()];
            let near = |c: usize| c.saturating_sub(size / 2)..(c + size / 2 + 1).min(channels);
            let (mut expected, mut gradient) = (vec![0.0f32; md.size() / 4], vec![0.0f32; md.size() / 4]);
            let (mut src, mut diff) = (expected.clone(), expected.clone());
            for pixel in 0..pixels {
                let at = |of: &[f32], c: usize| f64::from(of[pixel * channels + c]);
                let omega = |c: usize| k + alpha / size as f64 * near(c).map(|n| at(&x, n).powi(2)).sum::<f64>();
                let share = |c: usize| at(&g, c) * at(&x, c) * omega(c).powf(-beta - 1.0);
                for c in 0..channels {
                    let place = md.offset_of(&[pixel as i64 / 40, c as i64, pixel as i64 % 40, 0]) as usize;
                    (src[place], diff[place]) = (at(&x, c) as f32, at(&g, c) as f32);
                    expected[place] = (at(&x, c) * omega(c).powf(-beta)) as f32;
                    let others: f64 = near(c).map(share).sum();
                    let own = at(&g, c) * omega(c).powf(-beta);
                    gradient[place] = (own - 2.0 * alpha * beta / size as f64 * at(&x, c) * others) as f32;
                }
            }
            let (alg, factors) = (AlgKind::LrnAcrossChannels, [alpha as f32, beta as f32, k as f32]);
            let forward = Lrn::forward(PropKind::ForwardTraining, alg, &md, &md, size as i64, factors).unwrap();
            let backward = Lrn::backward(alg, &md, &md, &md, size as i64, factors).unwrap();
            for engine in engines() {
                let what = format!("{channels} channels in {tag}, {beta}");
                let [src, diff] = [&src, &diff].map(|values| filled(&engine, &md, values));
                // The gradient takes the place of the destination's, the responses that of the source.
                run(&engine, backward.clone(), &[(arg::SRC, &src), (arg::DIFF_DST, &diff), (arg::DIFF_SRC, &diff)]);
                assert_near(&diff, &gradient, &format!("gradient of {what}"));
                run(&engine, forward.clone(), &[(arg::SRC, &src), (arg::DST, &src)]);
                assert_near(&src, &expected, &what);
            }
        }
    }
}

#[test]
fn the_gradient_of_an_average_is_shared_by_the_elements_of_its_window() {
    // Sizes that are multiples of strides and sizes that are not; channels side by side, in blocks, and one after the other.
    for (rows, columns, channels, tag) in [
        (9i64, 37i64, 1i64, "abcd"),
        (12, 36, 2, "abcd"),
        (12, 36, 20, "acdb"),
        (9, 37, 20, "aBcd16b"),
        (12, 36, 32, "aBcd16b"),
    ] {
        for (kernel, stride, dilation, padding) in [
            (2, 2, 0, 0),
            (3, 2, 0, 1),
            (2, 3, 0, 0),
            (3, 1, 1, 2),
            (2, 3, 1, 1),
            (3, 3, 0, 2),
            (9, 1, 0, 0),
            (5, 3, 1, 2),
        ] {
            let tag_of = FormatTag::from_name(tag).unwrap();
            let md = |dims: &[i64]| MemoryDesc::with_tag(dims, DataType::F32, tag_of).unwrap();
            let reach = (kernel - 1) * (dilation + 1) + 1;
            let windows = |extent: i64| (extent + 2 * padding - reach) / stride + 1;
            let (down, across) = (windows(rows), windows(columns));
            let (src, dst) = (md(&[1, channels, rows, columns]), md(&[1, channels, down, across]));
            let mut gradient = vec![0.0f32; dst.size() / 4];
            let mut expected = vec![0.0f32; src.size() / 4];
            for (w, d) in ramp((channels * down * across) as usize).into_iter().enumerate() {
                let (channel, w) = (w as i64 / (down * across), w as i64 % (down * across));
                gradient[dst.offset_of(&[0, channel, w / across, w % across]) as usize] = d;
                let (top, left) = (w / across * stride - padding, w % across * stride - padding);
                let at = |k: i64| (top + k / kernel * (dilation + 1), left + k % kernel * (dilation + 1));
                let inside = |&(r, c): &(i64, i64)| (0..rows).contains(&r) && (0..columns).contains(&c);
                let elements: Vec<(i64, i64)> = (0..kernel * kernel).map(at).filter(inside).collect();
                for &(r, c) in &elements {
                    expected[src.offset_of(&[0, channel, r, c]) as usize] += d / elements.len() as f32;
                }
            }
            let twice = |x: i64| Dims::from([x, x]);
            let window = PoolWindow {
                strides: twice(stride),
                kernel: twice(kernel),
                dilation: twice(dilation),
                padding_l: twice(padding),
                padding_r: twice(padding),
            };
            let op = Pooling::backward(AlgKind::PoolingAvgExcludePadding, &src, &dst, window, None).unwrap();
            for engine in engines() {
                let (diff_dst, diff_src) = (filled(&engine, &dst, &gradient), Memory::new(&engine, &src).unwrap());
                run(&engine, op.clone(), &[(arg::DIFF_DST, &diff_dst), (arg::DIFF_SRC, &diff_src)]);
                let what = format!("{kernel} by {stride}, {dilation} apart, padded by {padding}");
                assert_near(&diff_src, &expected, &format!("{what}, {channels} channels of {rows} in {tag}"));
            }
        }
    }
}

#[test]
fn windows_are_pooled_in_rows_of_any_length() {
    for columns in [5i64, 16, 17, 28, 35, 64] {
        for (kernel, stride, padding) in [(3, 1, 1), (3, 2, 1), (2, 2, 0), (5, 1, 2)] {
            let (rows, channels) = (6i64, 3i64);
            let windows = |extent: i64| (extent + 2 * padding - kernel) / stride + 1;
            let (down, across) = (windows(rows), windows(columns));
            let (src, dst) = (plain(&[1, channels, rows, columns]), plain(&[1, channels, down, across]));
            let x = ramp((channels * rows * columns) as usize);
            let elements = |w: usize| -> Vec<f32> {
                let (w, channel) = (w as i64 % (down * across), w as i64 / (down * across));
                let (top, left) = (w / across * stride - padding, w % across * stride - padding);
                (0..kernel * kernel)
                    .map(|k| (top + k / kernel, left + k % kernel))
                    .filter(|&(r, c)| (0..rows).contains(&r) && (0..columns).contains(&c))
                    .map(|(r, c)| x[((channel * rows + r) * columns + c) as usize])
                    .collect()
            };
            let all = 0..(channels * down * across) as usize;
            let averages: Vec<f32> =
                all.clone().map(|w| elements(w).iter().sum::<f32>() / elements(w).len() as f32).collect();
            let maxima: Vec<f32> = all.map(|w| elements(w).into_iter().fold(f32::MIN, f32::max)).collect();
            let twice = |x: i64| Dims::from([x, x]);
            let window = PoolWindow {
                strides: twice(stride),
                kernel: twice(kernel),
                dilation: twice(0),
                padding_l: twice(padding),
                padding_r: twice(padding),
            };
            for (alg, expected) in [(AlgKind::PoolingAvgExcludePadding, &averages), (AlgKind::PoolingMax, &maxima)] {
                let op = Pooling::forward(PropKind::ForwardInference, alg, &src, &dst, window.clone()).unwrap();
                for engine in engines() {
                    let (from, to) = (filled(&engine, &src, &x), Memory::new(&engine, &dst).unwrap());
                    run(&engine, op.clone(), &[(arg::SRC, &from), (arg::DST, &to)]);
                    assert_near(&to, expected, &format!("{alg:?} of {kernel} by {stride} in rows of {columns}"));
                }
            }
        }
    }
}
