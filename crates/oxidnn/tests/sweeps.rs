//! What memory bounds, in shapes that no vector divides: every device against the host engine, whose evaluator shares
//! neither schedules nor kernels with it.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

use support::tried;

fn devices() -> Vec<Engine> {
    (0..Engine::count(EngineKind::Gpu)).map(|i| Engine::new(EngineKind::Gpu, i).unwrap()).collect()
}

fn tagged(dims: &[i64], data_type: DataType, tag: &str) -> MemoryDesc {
    MemoryDesc::with_tag(dims, data_type, FormatTag::from_name(tag).unwrap()).unwrap()
}

/// The bytes that an operation leaves in its outputs; inputs hold patterns. Arguments that are both stand in both lists.
fn outputs(engine: &Engine, op: &Op, inputs: &[i32], written: &[i32]) -> Vec<Vec<u8>> {
    let desc = PrimitiveDesc::new(engine, op.clone(), &Attr::new()).unwrap();
    let memory = |number: i32| {
        let md = desc.arg(number).unwrap();
        let memory = Memory::new(engine, md).unwrap();
        let is_input = inputs.contains(&number);
        memory.write_bytes(&vec![if is_input { 0 } else { 0x55 }; md.size()]).unwrap();
        if is_input {
            fill(engine, md, &memory, number);
        }
        (number, memory)
    };
    let mut numbers: Vec<i32> = inputs.iter().chain(written).copied().collect();
    numbers.sort();
    numbers.dedup();
    let memories: Vec<(i32, Memory)> = numbers.into_iter().map(memory).collect();
    let args: Vec<(i32, &Memory)> = memories.iter().map(|(number, memory)| (*number, memory)).collect();
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    let find = |number: &i32| &memories.iter().find(|(of, _)| of == number).unwrap().1;
    written.iter().map(|number| find(number).read_bytes().unwrap()).collect()
}

/// Fills memory of any layout by a reorder from plain numbers, others for each argument; those of a variance are positive.
fn fill(engine: &Engine, md: &MemoryDesc, memory: &Memory, number: i32) {
    let from = MemoryDesc::with_strides(md.dims(), DataType::F32, None).unwrap();
    let count: i64 = md.dims().iter().product();
    let lowest = if number == arg::VARIANCE { 0.5 } else { -2.5 };
    let step = 7 + 2 * i64::from(number % 11);
    let values: Vec<f32> = (0..count).map(|i| ((i * step + i / 23 + 3) % 29) as f32 / 4.0 + lowest).collect();
    let plain = Memory::new(engine, &from).unwrap();
    plain.write_from(&values).unwrap();
    let desc = PrimitiveDesc::new(engine, Reorder::new(&from, md).unwrap(), &Attr::new()).unwrap();
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &[(arg::SRC, &plain), (arg::DST, memory)]).unwrap();
    stream.wait().unwrap();
}

fn decode(bytes: &[u8], data_type: DataType) -> Vec<f32> {
    match data_type {
        DataType::Bf16 => {
            bytes.chunks(2).map(|x| f32::from_bits(u32::from(u16::from_le_bytes([x[0], x[1]])) << 16)).collect()
        }
        DataType::F32 => bytes.chunks(4).map(|x| f32::from_le_bytes([x[0], x[1], x[2], x[3]])).collect(),
        _ => bytes.iter().map(|&x| f32::from(x as i8)).collect(),
    }
}

/// Compares devices with the host; a rounding may fall the other way, so short types differ by a step of theirs at most.
fn compare(op: impl Into<Op>, inputs: &[i32], written: &[i32], what: &str) {
    compare_sums(op, inputs, written, 1.0, what);
}

/// The same for sums in which numbers of some size cancel.
fn compare_sums(op: impl Into<Op>, inputs: &[i32], written: &[i32], size: f32, what: &str) {
    let op = op.into();
    let host = Engine::new(EngineKind::Cpu, 0).unwrap();
    let expected = outputs(&host, &op, inputs, written);
    let desc = PrimitiveDesc::new(&host, op.clone(), &Attr::new()).unwrap();
    for engine in devices() {
        let got = outputs(&engine, &op, inputs, written);
        for ((number, got), expected) in written.iter().zip(&got).zip(&expected) {
            let data_type = desc.arg(*number).unwrap().data_type();
            let (tolerance, step) = match data_type {
                DataType::F32 => (2e-5, 0.0),
                DataType::Bf16 => (8e-3, 0.0),
                _ => (0.0, 1.0),
            };
            let pairs = decode(got, data_type).into_iter().zip(decode(expected, data_type));
            for (i, (a, b)) in pairs.enumerate() {
                let near = (a - b).abs() <= tolerance * b.abs().max(size) + step;
                assert!(near, "{engine:?}: {what}, argument {number} at {i}: {a}, expected {b}");
            }
        }
    }
}

#[test]
fn copies_between_layouts_keep_every_element_and_zero_every_padding() {
    let shapes: [(&[i64], &str, &str); 9] = [
        (&[37, 53], "ab", "ba"),
        (&[3, 19, 7, 21], "abcd", "acdb"),
        (&[3, 19, 7, 21], "acdb", "abcd"),
        (&[2, 35, 5, 6], "abcd", "aBcd16b"),
        (&[2, 35, 5, 6], "aBcd16b", "acdb"),
        (&[1013], "a", "a"),
        (&[2, 3, 70, 41], "abdc", "abcd"),
        // Short rows that become long ones.
        (&[2, 21, 601], "acb", "abc"),
        (&[2, 21, 601], "acb", "abc"),
    ];
    let types = [(DataType::F32, DataType::F32), (DataType::F32, DataType::Bf16), (DataType::Bf16, DataType::S8)];
    for (i, (dims, from, to)) in shapes.into_iter().enumerate() {
        let (from_type, to_type) = types[i % types.len()];
        let op = Reorder::new(&tagged(dims, from_type, from), &tagged(dims, to_type, to)).unwrap();
        compare(op, &[arg::SRC], &[arg::DST], &format!("reorder {from_type} {from} to {to_type} {to} of {dims:?}"));
    }
}

#[test]
fn rows_of_any_length_are_normalized() {
    for (dims, axis) in
        [(&[5, 1000][..], 1), (&[7, 33], 1), (&[3, 50, 35], 1), (&[2, 3], 1), (&[301, 275], 1), (&[2, 37, 300], 1)]
    {
        for data_type in [DataType::F32, DataType::Bf16] {
            let md = MemoryDesc::with_strides(dims, data_type, None).unwrap();
            for alg in [AlgKind::SoftmaxAccurate, AlgKind::SoftmaxLog] {
                let op = Softmax::forward(PropKind::ForwardInference, alg, &md, &md, axis).unwrap();
                compare(op, &[arg::SRC], &[arg::DST], &format!("{alg} of {data_type} {dims:?}"));
                let op = Softmax::backward(alg, &md, &md, &md, axis).unwrap();
                compare(
                    op,
                    &[arg::DST, arg::DIFF_DST],
                    &[arg::DIFF_SRC],
                    &format!("gradient of {alg} of {data_type} {dims:?}"),
                );
            }
            let forward = |prop: PropKind, flags: NormFlags| {
                Normalization::forward(Sharing::Layer, prop, &md, &md, None, None, 1e-3, flags).unwrap()
            };
            let op = forward(PropKind::ForwardInference, NormFlags::default());
            compare(op, &[arg::SRC], &[arg::DST], &format!("layer normalization of {data_type} {dims:?}"));
            let op = forward(PropKind::ForwardTraining, NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0));
            compare(
                op,
                &[arg::SRC, arg::SCALE, arg::SHIFT],
                &[arg::DST, arg::MEAN, arg::VARIANCE],
                &format!("layer normalization of {data_type} {dims:?}, scaled and shifted"),
            );
        }
    }
}

#[test]
fn statistics_of_channels_are_the_same_in_every_layout() {
    for (dims, tag) in
        [[3, 21, 9, 7], [3, 35, 24, 21]].into_iter().flat_map(|dims| ["abcd", "acdb", "aBcd16b"].map(|tag| (dims, tag)))
    {
        let md = tagged(&dims, DataType::F32, tag);
        let flags = NormFlags::default();
        let (sharing, training) = (Sharing::Batch, PropKind::ForwardTraining);
        let op = Normalization::forward(sharing, training, &md, &md, None, None, 1e-3, flags).unwrap();
        compare(op, &[arg::SRC], &[arg::DST, arg::MEAN, arg::VARIANCE], &format!("batch normalization in {tag}"));
        let op = Normalization::backward(sharing, PropKind::Backward, &md, &md, &md, None, None, 1e-3, flags).unwrap();
        let inputs = [arg::SRC, arg::MEAN, arg::VARIANCE, arg::DIFF_DST];
        compare(op, &inputs, &[arg::DIFF_SRC], &format!("gradient of batch normalization in {tag}"));
        let groups = Sharing::Group { groups: 7 };
        let op = Normalization::forward(groups, training, &md, &md, None, None, 1e-3, flags).unwrap();
        compare(op, &[arg::SRC], &[arg::DST, arg::MEAN, arg::VARIANCE], &format!("group normalization in {tag}"));
    }
}

#[test]
fn statistics_of_a_single_image_are_the_same_in_every_layout() {
    // Groups of one channel each, and channels of a batch of one.
    for (tag, sharing) in ["abcd", "acdb"]
        .into_iter()
        .flat_map(|tag| [Sharing::Batch, Sharing::Group { groups: 37 }].map(|sharing| (tag, sharing)))
    {
        let md = tagged(&[1, 37, 53, 41], DataType::F32, tag);
        let (prop, flags) = (PropKind::ForwardTraining, NormFlags::default());
        let op = Normalization::forward(sharing, prop, &md, &md, None, None, 1e-3, flags).unwrap();
        compare(op, &[arg::SRC], &[arg::DST, arg::MEAN, arg::VARIANCE], &format!("{sharing:?} in {tag}"));
    }
}

#[test]
fn statistics_do_not_depend_on_how_images_are_cut() {
    let (training, flags) = (PropKind::ForwardTraining, NormFlags::default());
    let written = [arg::MEAN, arg::VARIANCE, arg::DST];
    for (dims, sharing) in [
        ([3, 32, 24, 21], Sharing::Batch),
        ([3, 32, 24, 21], Sharing::Group { groups: 8 }),
        ([2, 48, 61, 33], Sharing::Batch),
        ([5, 20, 40, 16], Sharing::Batch),
        ([2, 320, 14, 9], Sharing::Batch),
    ] {
        let op = |tag: &str| -> Op {
            let md = tagged(&dims, DataType::F32, tag);
            Normalization::forward(sharing, training, &md, &md, None, None, 1e-3, flags).unwrap().into()
        };
        // Rows that lie apart are not cut.
        let host = Engine::new(EngineKind::Cpu, 0).unwrap();
        let expected = outputs(&host, &op("abcd"), &[arg::SRC], &written);
        for (engine, tag) in devices().iter().flat_map(|engine| ["abcd", "acdb", "aBcd16b"].map(|tag| (engine, tag))) {
            let got = outputs(engine, &op(tag), &[arg::SRC], &written);
            for (got, expected) in got.iter().zip(&expected).take(2) {
                let pairs = decode(got, DataType::F32).into_iter().zip(decode(expected, DataType::F32));
                for (got, expected) in pairs {
                    let near = (got - expected).abs() <= 1e-5 * (1.0 + expected.abs());
                    assert!(near, "{sharing:?} of {dims:?} in {tag}: {got} instead of {expected}");
                }
            }
        }
    }
}

#[test]
fn statistics_have_no_padding_where_rows_do() {
    // A whole padded dimension lies in one block. What is written between the numbers would show in the gaps.
    let md = tagged(&[3, 2, 5], DataType::F32, "ABc16a16b");
    let stat = MemoryDesc::with_strides(&[3, 2], DataType::F32, Some(&[40, 1])).unwrap();
    let (sharing, training, flags) = (Sharing::Layer, PropKind::ForwardTraining, NormFlags::default());
    let op = Normalization::forward(sharing, training, &md, &md, Some(&stat), None, 1e-3, flags).unwrap();
    compare(op, &[arg::SRC], &[arg::DST, arg::MEAN, arg::VARIANCE], "layer normalization of padded rows");
}

#[test]
fn gradients_of_scale_and_shift_are_sums_of_parts_in_every_layout() {
    // Hundreds of products of up to 50 are summed up, and give a few hundred at the most.
    const SIZE: f32 = 10.0;
    let both = NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
    let inputs = [arg::SRC, arg::MEAN, arg::VARIANCE, arg::DIFF_DST, arg::SCALE];
    let written = [arg::DIFF_SRC, arg::DIFF_SCALE, arg::DIFF_SHIFT];
    let gradient = |sharing: Sharing, md: &MemoryDesc, flags: NormFlags| {
        Normalization::backward(sharing, PropKind::Backward, md, md, md, None, None, 1e-3, flags).unwrap()
    };
    for (channels, tag) in
        [16, 48].into_iter().flat_map(|channels| ["abcd", "acdb", "aBcd16b"].map(|tag| (channels, tag)))
    {
        let md = tagged(&[4, channels, 24, 17], DataType::F32, tag);
        let op = gradient(Sharing::Batch, &md, both);
        let what = format!("gradients of batch normalization of {channels} channels in {tag}");
        compare_sums(op, &inputs, &written, SIZE, &what);
        let op = gradient(Sharing::Group { groups: channels / 8 }, &md, both);
        let what = format!("gradients of group normalization of {channels} channels in {tag}");
        compare_sums(op, &inputs, &written, SIZE, &what);
    }
    for channels in [8, 24] {
        let op = gradient(Sharing::Batch, &tagged(&[4, channels, 24, 17], DataType::F32, "aBcd16b"), both);
        let what = format!("gradients of batch normalization of {channels} channels, half a block of which is padding");
        compare_sums(op, &inputs, &written, SIZE, &what);
    }
    // Strips of more channels than a work-item has, and some that are left over.
    let op = gradient(Sharing::Batch, &tagged(&[2, 600, 7, 5], DataType::F32, "acdb"), both);
    compare_sums(op, &inputs, &written, SIZE, "gradients of batch normalization of many channels side by side");
    for columns in [70, 515, 1100] {
        let md = tagged(&[301, columns], DataType::F32, "ab");
        let op = gradient(Sharing::Layer, &md, both);
        compare_sums(op, &inputs, &written, SIZE, &format!("gradients of layer normalization of {columns} columns"));
    }
    let md = tagged(&[301, 515], DataType::F32, "ab");
    let op = gradient(Sharing::Layer, &md, NormFlags::USE_SHIFT);
    let (inputs, written) = (&inputs[..4], [arg::DIFF_SRC, arg::DIFF_SHIFT]);
    compare_sums(op, inputs, &written, SIZE, "gradient of a shift alone");
}

#[test]
fn gradients_of_slopes_are_summed_over_what_shares_them() {
    // llvmpipe ends loops after 65535 turns, so no sum is longer.
    for (images, slopes, tag) in [
        (4, [1, 48, 1, 1], "abcd"),
        (4, [1, 48, 1, 1], "acdb"),
        (4, [4, 1, 24, 1], "abcd"),
        (3, [1, 1, 1, 1], "abcd"),
        (4, [1, 24, 1, 1], "aBcd16b"),
        (4, [1, 48, 1, 1], "aBcd16b"),
        (4, [1, 48, 1, 1], "aBcd8b"),
    ] {
        let channels = if slopes[1] > 1 { slopes[1] } else { 48 };
        let (md, slopes) =
            (tagged(&[images, channels, 24, 17], DataType::F32, tag), tagged(&slopes, DataType::F32, tag));
        let op = Prelu::backward(&md, &slopes, &md, &slopes, &md).unwrap();
        let inputs = [arg::SRC, arg::WEIGHTS, arg::DIFF_DST];
        compare(op, &inputs, &[arg::DIFF_SRC, arg::DIFF_WEIGHTS], &format!("gradients of slopes {slopes:?} in {tag}"));
    }
}

#[test]
fn long_sums_to_few_and_to_many_numbers_are_the_same() {
    for (from, to) in [([70, 1030], [70, 1]), ([70, 1030], [1, 1030]), ([1100, 65], [1, 65]), ([3, 30000], [3, 1])] {
        for data_type in [DataType::F32, DataType::Bf16] {
            let [src, dst] = [from, to].map(|dims| MemoryDesc::with_strides(&dims, data_type, None).unwrap());
            let op = Reduction::new(AlgKind::ReductionMean, &src, &dst, 0.0, 0.0).unwrap();
            compare(op, &[arg::SRC], &[arg::DST], &format!("mean of {data_type} {from:?} to {to:?}"));
        }
    }
}

#[test]
fn sums_run_over_any_axes() {
    let dims = [17, 40, 33];
    for result in [[17, 40, 1], [1, 40, 33], [17, 1, 33], [1, 1, 1], [1, 40, 1]] {
        for alg in [AlgKind::ReductionSum, AlgKind::ReductionMax, AlgKind::ReductionMean] {
            let [src, dst] = [dims, result].map(|dims| MemoryDesc::with_strides(&dims, DataType::F32, None).unwrap());
            let op = Reduction::new(alg, &src, &dst, 0.0, 0.0).unwrap();
            compare(op, &[arg::SRC], &[arg::DST], &format!("{alg} to {result:?}"));
        }
    }
}

#[test]
fn elements_meet_their_broadcast_partners() {
    let dims = [3, 21, 9, 7];
    for other in [[3, 21, 9, 7], [1, 21, 1, 1], [1, 1, 1, 7], [3, 1, 9, 7]] {
        for data_type in [DataType::F32, DataType::Bf16, DataType::S8] {
            for tag in ["abcd", "acdb"] {
                let [a, b] = [dims, other].map(|dims| tagged(&dims, data_type, tag));
                let op = Binary::new(AlgKind::BinaryAdd, &a, &b, None, &a).unwrap();
                compare(
                    op,
                    &[arg::SRC_0, arg::SRC_1],
                    &[arg::DST],
                    &format!("addition of {data_type} {other:?} in {tag}"),
                );
            }
        }
    }
    let md = MemoryDesc::with_strides(&[1013], DataType::F32, None).unwrap();
    for alg in [AlgKind::EltwiseRelu, AlgKind::EltwiseGeluErf, AlgKind::EltwiseMish, AlgKind::EltwiseTanh] {
        let op = Eltwise::forward(PropKind::ForwardInference, alg, &md, &md, 0.0, 0.0).unwrap();
        compare(op, &[arg::SRC], &[arg::DST], &format!("{alg}"));
    }
}

#[test]
fn vectors_that_are_partly_padding_store_zeros_there() {
    // What 0 becomes would be seen in the padding: 1, infinity, a sum.
    for (channels, tag) in [(24, "aBcd16b"), (5, "aBcd16b"), (19, "aBcd8b")] {
        for data_type in [DataType::F32, DataType::Bf16] {
            let md = tagged(&[2, channels, 5, 7], data_type, tag);
            for alg in [AlgKind::EltwiseExp, AlgKind::EltwiseLinear] {
                let op = Eltwise::forward(PropKind::ForwardInference, alg, &md, &md, 0.5, 3.0).unwrap();
                compare(op, &[arg::SRC], &[arg::DST], &format!("{alg} of {channels} channels in {tag}"));
            }
            for other in [tag, "abcd", "acdb"] {
                let slopes = tagged(&[1, channels, 1, 1], data_type, other);
                let op = Binary::new(AlgKind::BinarySub, &md, &slopes, None, &md).unwrap();
                let what = format!("difference of {channels} channels in {tag} and {other}");
                compare(op, &[arg::SRC_0, arg::SRC_1], &[arg::DST], &what);
            }
            let last = tagged(&[2, channels, 5, 16], data_type, tag);
            let op = Softmax::forward(PropKind::ForwardInference, AlgKind::SoftmaxAccurate, &last, &last, 3).unwrap();
            compare(op, &[arg::SRC], &[arg::DST], &format!("softmax beside padding of {channels} channels in {tag}"));
        }
    }
}

#[test]
fn windows_end_where_the_image_ends() {
    let dims = |a, b| Dims::from([a, b]);
    let window = PoolWindow {
        strides: dims(2, 2),
        kernel: dims(3, 3),
        dilation: dims(0, 0),
        padding_l: dims(1, 1),
        padding_r: dims(1, 1),
    };
    for tag in ["abcd", "acdb", "aBcd16b"] {
        let (src, dst) = (tagged(&[2, 21, 9, 37], DataType::F32, tag), tagged(&[2, 21, 5, 19], DataType::F32, tag));
        for alg in [AlgKind::PoolingMax, AlgKind::PoolingAvgIncludePadding, AlgKind::PoolingAvgExcludePadding] {
            let op = Pooling::forward(PropKind::ForwardInference, alg, &src, &dst, window.clone()).unwrap();
            compare(op, &[arg::SRC], &[arg::DST], &format!("{alg} in {tag}"));
        }
    }
}

/// What asks which element is the largest gets the first of several, which `fill` makes sure there are; what slides along an image begins
/// and ends with it, also where no window lies inside.
#[test]
fn windows_find_their_largest_and_slide_along_images_of_any_size() {
    let dims = |a, b| Dims::from([a, b]);
    for (kernel, stride, dilation, padding, size) in tried([
        ([3, 3], 1, 0, 1, [9, 37]),
        ([3, 3], 2, 0, 1, [9, 37]),
        ([5, 3], 1, 1, 2, [9, 16]),
        ([3, 3], 1, 0, 1, [4, 2]),
        ([3, 3], 1, 0, 1, [5, 1]),
    ]) {
        let out = [0, 1].map(|d| (size[d] + 2 * padding - (kernel[d] - 1) * (dilation + 1) - 1) / stride + 1);
        let window = PoolWindow {
            strides: dims(stride, stride),
            kernel: dims(kernel[0], kernel[1]),
            dilation: dims(dilation, dilation),
            padding_l: dims(padding, padding),
            padding_r: dims(padding, padding),
        };
        for (tag, channels, data_type) in tried([
            ("abcd", 5, DataType::F32),
            ("acdb", 64, DataType::F32),
            ("acdb", 21, DataType::F32),
            ("acdb", 32, DataType::S8),
            ("aBcd16b", 32, DataType::F32),
            ("aBcd16b", 21, DataType::F32),
        ]) {
            let src = tagged(&[2, channels, size[0], size[1]], data_type, tag);
            let dst = tagged(&[2, channels, out[0], out[1]], data_type, tag);
            for alg in [AlgKind::PoolingMax, AlgKind::PoolingAvgExcludePadding] {
                let what = format!("{alg} of {data_type}, {kernel:?} by {stride} of {size:?}, {channels} in {tag}");
                let op = Pooling::forward(PropKind::ForwardInference, alg, &src, &dst, window.clone()).unwrap();
                compare(op, &[arg::SRC], &[arg::DST], &what);
                if alg == AlgKind::PoolingMax && data_type != DataType::S8 {
                    let op = Pooling::forward(PropKind::ForwardTraining, alg, &src, &dst, window.clone()).unwrap();
                    compare(op, &[arg::SRC], &[arg::DST, arg::WORKSPACE], &format!("{what}, where"));
                }
            }
        }
    }
}

#[test]
fn responses_of_planes_and_their_gradients_are_the_same_in_images_of_any_size() {
    for (tag, channels, size, neighbours) in tried([
        ("acdb", 32, [9, 13], 5),
        ("acdb", 64, [5, 7], 3),
        ("acdb", 21, [6, 9], 5),
        ("aBcd16b", 32, [7, 3], 5),
        ("abcd", 3, [9, 20], 5),
        ("acdb", 16, [9, 12], 7),
    ]) {
        let md = tagged(&[2, channels, size[0], size[1]], DataType::F32, tag);
        let (alg, factors) = (AlgKind::LrnWithinChannel, [0.5, 0.75, 1.0]);
        let what = format!("{neighbours} by {neighbours} of {size:?}, {channels} channels in {tag}");
        let op = Lrn::forward(PropKind::ForwardTraining, alg, &md, &md, neighbours, factors).unwrap();
        compare(op, &[arg::SRC], &[arg::DST], &what);
        let op = Lrn::backward(alg, &md, &md, &md, neighbours, factors).unwrap();
        compare(op, &[arg::SRC, arg::DIFF_DST], &[arg::DIFF_SRC], &format!("gradient, {what}"));
    }
}

#[test]
fn small_matrices_are_turned_wherever_they_lie() {
    let matrices = [([4, 64, 9, 13], 4), ([4, 64, 9, 13], 16), ([3, 96, 7, 5], 8), ([2, 48, 30, 21], 12)];
    for (dims, group) in tried(matrices) {
        for (data_type, tag) in [(DataType::F32, "acdb"), (DataType::Bf16, "acdb"), (DataType::F32, "abcd")] {
            let md = tagged(&dims, data_type, tag);
            let op = Shuffle::forward(PropKind::ForwardInference, &md, &md, 1, group).unwrap();
            compare(op, &[arg::SRC], &[arg::DST], &format!("{group} groups of {dims:?} of {data_type} in {tag}"));
        }
    }
}

#[test]
fn pixels_of_few_colours_are_enlarged_as_others_are() {
    for (from, to) in tried([([9, 16], [13, 25]), ([9, 16], [18, 32]), ([20, 31], [9, 14])]) {
        for (alg, colours) in [AlgKind::ResamplingNearest, AlgKind::ResamplingLinear]
            .into_iter()
            .flat_map(|alg| [1, 2, 3, 4].map(|colours| (alg, colours)))
        {
            for data_type in [DataType::F32, DataType::Bf16, DataType::S8] {
                let image = |size: [i64; 2]| tagged(&[2, colours, size[0], size[1]], data_type, "acdb");
                let (src, dst) = (image(from), image(to));
                let op = Resampling::forward(PropKind::ForwardInference, alg, None, &src, Some(&dst)).unwrap();
                let what = format!("{alg} of {colours} colours of {data_type} from {from:?} to {to:?}");
                compare(op, &[arg::SRC], &[arg::DST], &what);
            }
        }
    }
}

#[test]
fn enlarged_images_are_the_same_in_every_layout() {
    // Twice and four times as large, with rows of many vectors and of few; by factors that are not whole; smaller.
    let sizes = [([5, 32], [10, 64]), ([3, 10], [12, 40]), ([4, 17], [6, 29]), ([9, 64], [5, 33]), ([2, 8], [4, 16])];
    for (from, to) in tried(sizes) {
        for alg in [AlgKind::ResamplingNearest, AlgKind::ResamplingLinear] {
            for (data_type, tag) in [(DataType::F32, "abcd"), (DataType::Bf16, "abcd"), (DataType::Bf16, "acdb")] {
                let (src, dst) = (
                    tagged(&[2, 35, from[0], from[1]], data_type, tag),
                    tagged(&[2, 35, to[0], to[1]], data_type, tag),
                );
                let op = Resampling::forward(PropKind::ForwardInference, alg, None, &src, Some(&dst)).unwrap();
                compare(
                    op,
                    &[arg::SRC],
                    &[arg::DST],
                    &format!("{alg} of {data_type} from {from:?} to {to:?} in {tag}"),
                );
            }
        }
    }
}

#[test]
fn gradients_find_every_window_that_an_element_is_in() {
    let dims = |a, b| Dims::from([a, b]);
    // Windows that touch, that overlap, that slide, that leave gaps, that are dilated.
    let windows = [
        (2, 2, 0, 0, [4, 18]),
        (3, 1, 0, 1, [9, 37]),
        (4, 1, 0, 2, [10, 38]),
        (3, 2, 0, 1, [5, 19]),
        (2, 3, 0, 0, [3, 12]),
        (3, 1, 1, 2, [9, 37]),
        (2, 3, 1, 1, [3, 13]),
        (5, 2, 0, 3, [6, 20]),
        (7, 4, 0, 2, [2, 9]),
    ];
    let layouts = [
        ("abcd", 21, DataType::F32),
        ("acdb", 21, DataType::Bf16),
        ("aBcd16b", 21, DataType::F32),
        ("abcd", 5, DataType::Bf16),
        ("acdb", 72, DataType::F32),
        ("aBcd16b", 32, DataType::Bf16),
    ];
    for (i, (kernel, stride, dilation, padding, out)) in tried(windows.into_iter().enumerate()) {
        let window = PoolWindow {
            strides: dims(stride, stride),
            kernel: dims(kernel, kernel),
            dilation: dims(dilation, dilation),
            padding_l: dims(padding, padding),
            padding_r: dims(padding, padding),
        };
        // Three layouts for each window: planes, channels side by side and blocks, each with either type in turn.
        for (tag, channels, data_type) in tried((0..3).map(|layout| layouts[(layout + 3 * (i + layout)) % 6])) {
            let src = tagged(&[2, channels, 9, 37], data_type, tag);
            let dst = tagged(&[2, channels, out[0], out[1]], data_type, tag);
            for (alg, inputs) in [
                (AlgKind::PoolingMax, &[arg::DIFF_DST, arg::WORKSPACE][..]),
                (AlgKind::PoolingAvgIncludePadding, &[arg::DIFF_DST]),
                (AlgKind::PoolingAvgExcludePadding, &[arg::DIFF_DST]),
            ] {
                let op = Pooling::backward(alg, &src, &dst, window.clone(), None).unwrap();
                let what = format!("gradient of {alg} of {data_type}, {kernel} by {stride}, {channels} in {tag}");
                compare(op, inputs, &[arg::DIFF_SRC], &what);
            }
        }
    }
    // All windows of a column are asked for.
    let (of, none) = (dims(8, 8), dims(0, 0));
    let window = PoolWindow { strides: dims(1, 1), kernel: of, dilation: none, padding_l: none, padding_r: none };
    let [src, dst] = [[9, 37], [2, 30]].map(|size| tagged(&[2, 21, size[0], size[1]], DataType::Bf16, "acdb"));
    let op = Pooling::backward(AlgKind::PoolingMax, &src, &dst, window, None).unwrap();
    compare(op, &[arg::DIFF_DST, arg::WORKSPACE], &[arg::DIFF_SRC], "gradient of windows nearly as high as the image");
}

#[test]
fn groups_hold_the_same_wherever_their_members_come_from() {
    let host = Engine::new(EngineKind::Cpu, 0).unwrap();
    let layouts = [
        (DataType::Bf16, "BA16a64b2a", [96, 128]),
        (DataType::Bf16, "BA16a64b2a", [70, 130]),
        (DataType::S8, "BA16a64b4a", [128, 192]),
        (DataType::S8, "BA16a64b4a", [65, 100]),
        (DataType::U8, "BA16a48b4a", [64, 96]),
    ];
    for (data_type, groups, dims) in layouts {
        for from in [data_type, DataType::F32] {
            for tag in ["ab", "ba"] {
                let op = Op::from(Reorder::new(&tagged(&dims, from, tag), &tagged(&dims, data_type, groups)).unwrap());
                let expected = outputs(&host, &op, &[arg::SRC], &[arg::DST]);
                for engine in devices() {
                    let found = outputs(&engine, &op, &[arg::SRC], &[arg::DST]);
                    assert!(found == expected, "{engine:?} {from} {tag} -> {data_type} {groups} {dims:?}");
                }
            }
        }
    }
}

/// Memory with numbers of bf16 in a type of which they are part.
fn of_bf16(engine: &Engine, md: &MemoryDesc, bits: impl Iterator<Item = u16>) -> Memory {
    let memory = Memory::new(engine, md).unwrap();
    match md.data_type() {
        DataType::Bf16 => memory.write_bytes(&bits.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap(),
        _ => memory.write_from(&bits.map(|bits| f32::from_bits(u32::from(bits) << 16)).collect::<Vec<f32>>()).unwrap(),
    }
    memory
}

/// Runs an eltwise function of all numbers of bf16 in a type of which they are part.
fn of_every_bf16(engine: &Engine, alg: AlgKind, data_type: DataType) -> Vec<f32> {
    let md = MemoryDesc::with_strides(&[1 << 16], data_type, None).unwrap();
    let eltwise = Eltwise::forward(PropKind::ForwardInference, alg, &md, &md, 1.0, 0.0).unwrap();
    let desc = PrimitiveDesc::new(engine, eltwise, &Attr::new()).unwrap();
    let (src, dst) = (of_bf16(engine, &md, 0..=u16::MAX), Memory::new(engine, &md).unwrap());
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
    stream.wait().unwrap();
    decode(&dst.read_bytes().unwrap(), data_type)
}

/// Runs the gradient of one at all numbers of bf16, likewise.
fn slopes_at_every_bf16(engine: &Engine, alg: AlgKind, data_type: DataType) -> Vec<f32> {
    let md = MemoryDesc::with_strides(&[1 << 16], data_type, None).unwrap();
    let eltwise = Eltwise::backward(alg, &md, &md, &md, 0.0, 0.0).unwrap();
    let desc = PrimitiveDesc::new(engine, eltwise, &Attr::new()).unwrap();
    let one = (0..=u16::MAX).map(|_| 0x3f80);
    let [src, gradient] = [of_bf16(engine, &md, 0..=u16::MAX), of_bf16(engine, &md, one)];
    let dst = Memory::new(engine, &md).unwrap();
    let args = [(arg::SRC, &src), (arg::DIFF_DST, &gradient), (arg::DIFF_SRC, &dst)];
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    decode(&dst.read_bytes().unwrap(), data_type)
}

#[test]
fn functions_of_every_bf16_are_rounded_to_a_nearest_one() {
    use AlgKind::*;
    let host = Engine::new(EngineKind::Cpu, 0).unwrap();
    for alg in [
        EltwiseGeluErf,
        EltwiseExp,
        EltwiseLogistic,
        EltwiseSwish,
        EltwiseMish,
        EltwiseSoftRelu,
        EltwiseSqrt,
        EltwiseElu,
    ] {
        let exact = of_every_bf16(&host, alg, DataType::F32);
        for engine in devices() {
            let [rounded, floats] = [DataType::Bf16, DataType::F32].map(|of| of_every_bf16(&engine, alg, of));
            for (bits, ((&exact, &rounded), &float)) in exact.iter().zip(&rounded).zip(&floats).enumerate() {
                // What is larger than any number of bf16 is infinite there, but may be finite here.
                if exact.is_nan() || exact.abs() > 3.39e38 {
                    assert!(exact.is_nan() == rounded.is_nan() && (exact.is_nan() || rounded.abs() > 3.38e38));
                    continue;
                }
                let size = exact.abs().max(float.abs()).max(f32::MIN_POSITIVE);
                let step = 2f32.powi(size.log2().floor() as i32 - 7);
                // A device may compute it in f32 first, and be off there.
                let (off, before) = ((exact - rounded).abs(), (exact - float).abs());
                // Roots are never so close to the middle of two numbers that errors of estimates would count, and powers are those that
                // gradients are computed from.
                let most = if matches!(alg, EltwiseSqrt | EltwiseExp) { 0.5 } else { 0.54 };
                assert!(off <= step * most + before + 1e-8, "{alg} of {bits:#06x}: {rounded} in place of {exact}");
            }
        }
    }
}

#[test]
fn slopes_of_gelu_at_every_bf16_are_rounded_to_a_nearest_one() {
    // Next to where the slope is zero as well.
    let slope = |x: f64| {
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) + x * density
    };
    for engine in devices() {
        let [rounded, floats] =
            [DataType::Bf16, DataType::F32].map(|of| slopes_at_every_bf16(&engine, AlgKind::EltwiseGeluErf, of));
        for (bits, (found, float)) in (0..).zip(rounded.into_iter().zip(floats)) {
            let x = f32::from_bits(bits << 16);
            if x.is_infinite() {
                continue;
            }
            let exact = slope(f64::from(x)) as f32;
            let step = 2f32.powi(exact.abs().max(float.abs()).max(f32::MIN_POSITIVE).log2().floor() as i32 - 7);
            // A device may compute it in f32 first, and be off there.
            let near = (exact - found).abs() <= step * 0.54 + (exact - float).abs() + 1e-8;
            assert!(near || (exact.is_nan() && found.is_nan()), "at {x}: {found} in place of {exact}");
        }
    }
}

#[test]
fn functions_of_tiny_and_of_huge_floats_are_as_exact_as_of_others() {
    use AlgKind::*;
    let host = Engine::new(EngineKind::Cpu, 0).unwrap();
    for alg in [EltwiseElu, EltwiseSoftRelu, EltwiseTanh] {
        let exact = of_every_bf16(&host, alg, DataType::F32);
        for engine in devices() {
            let found = of_every_bf16(&engine, alg, DataType::F32);
            for (bits, (&exact, &found)) in exact.iter().zip(&found).enumerate() {
                // Numbers that are not normal may be zero.
                let close = (exact - found).abs() <= exact.abs() * 1e-6 + f32::MIN_POSITIVE;
                let same = exact == found || (exact.is_nan() && found.is_nan());
                assert!(close || same, "{alg} of {bits:#06x}: {found} in place of {exact}");
            }
        }
    }
}

#[test]
fn gradients_of_mish_and_of_roots_are_those_of_their_formulas() {
    use AlgKind::*;
    let mish = |x: f64| {
        let (e, near) = (x.min(300.0).exp(), x.clamp(-300.0, 300.0));
        let t = e.ln_1p().tanh();
        t + near * (1.0 - t * t) * e / (1.0 + e)
    };
    let root = |x: f64| 0.5 / x.sqrt();
    let points: Vec<f32> = (0..=u16::MAX).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect();
    let md = MemoryDesc::with_strides(&[points.len() as i64], DataType::F32, None).unwrap();
    for engine in devices() {
        for (alg, slope) in [(EltwiseMish, &mish as &dyn Fn(f64) -> f64), (EltwiseSqrt, &root)] {
            let backward = Eltwise::backward(alg, &md, &md, &md, 0.0, 0.0).unwrap();
            let desc = PrimitiveDesc::new(&engine, backward, &Attr::new()).unwrap();
            let [src, gradient, dst] = [(); 3].map(|()| Memory::new(&engine, &md).unwrap());
            src.write_from(&points).unwrap();
            gradient.write_from(&vec![1f32; points.len()]).unwrap();
            let stream = Stream::new(&engine).unwrap();
            let args = [(arg::SRC, &src), (arg::DIFF_DST, &gradient), (arg::DIFF_SRC, &dst)];
            Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
            stream.wait().unwrap();
            for (&x, found) in points.iter().zip(decode(&dst.read_bytes().unwrap(), DataType::F32)) {
                let (exact, found) = (slope(f64::from(x)), f64::from(found));
                // A device may take numbers that are not normal for zero.
                if !x.is_normal() {
                    continue;
                }
                let close = (exact - found).abs() <= exact.abs() * 1e-6 + 2e-6;
                assert!(close || (exact.is_nan() && found.is_nan()), "{alg} at {x}: {found} in place of {exact}");
            }
        }
    }
}
