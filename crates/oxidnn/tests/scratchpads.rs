//! Scratchpads stay below the size of what a primitive reads and writes.

mod support;

use oxidnn::PrimitiveDesc;
use oxidnn::desc::*;

use support::engines;

/// The bytes of the scratchpad, and of all tensors.
fn bytes(engine: &oxidnn::Engine, op: impl Into<Op>, numbers: [i32; 3]) -> (usize, usize) {
    let op = op.into();
    let mut attr = Attr::new().with_scratchpad(ScratchpadMode::User);
    if matches!(op, Op::Matmul(_)) {
        attr = attr.with_fpmath(FpmathMode::Bf16, true);
    }
    let desc = PrimitiveDesc::new(engine, op, &attr).unwrap();
    (desc.scratchpad().size(), numbers.iter().map(|&number| desc.arg(number).unwrap().size()).sum())
}

#[test]
fn products_of_matrices_need_less_memory_than_the_matrices() {
    use DataType::{Bf16, F8E4m3, F8E5m2, F16, F32, S4, S8, U8};
    for engine in engines() {
        for [src, weights, dst] in
            [[F32; 3], [Bf16; 3], [Bf16, Bf16, F32], [F16; 3], [F16, F16, F32], [U8, S8, U8], [U8, S8, F32]]
                .into_iter()
                .chain([[F8E4m3, F8E4m3, F32], [F8E5m2, F8E4m3, Bf16], [F8E5m2; 3]])
                .chain([[Bf16, S8, Bf16], [Bf16, S4, Bf16], [Bf16, F8E5m2, Bf16]])
        {
            for (m, n, k) in [
                (1024, 1024, 1024),
                (2048, 2048, 2048),
                (1, 4096, 4096),
                (16, 4096, 4096),
                (40, 4096, 4096),
                (128, 4096, 4096),
                (128, 1000, 2048),
                (2048, 64, 2040),
            ] {
                let plain = |dims: [i64; 2], data_type| MemoryDesc::with_strides(&dims, data_type, None).unwrap();
                for open in [true, false] {
                    let weights =
                        if open { MemoryDesc::any(&[k, n], weights).unwrap() } else { plain([k, n], weights) };
                    let op = Matmul::new(&plain([m, k], src), &weights, None, &plain([m, n], dst)).unwrap();
                    let (scratch, all) = bytes(&engine, op, [arg::SRC, arg::WEIGHTS, arg::DST]);
                    assert!(
                        scratch <= all,
                        "{engine:?} {src:?} {dst:?} {m}x{n}x{k} {open}: {scratch} bytes, tensors {all}"
                    );
                }
            }
        }
    }
}

#[test]
fn convolutions_need_less_memory_than_images_and_kernels() {
    use PropKind::{BackwardData, BackwardWeights, ForwardInference};
    for engine in engines() {
        for data_type in [DataType::F32, DataType::Bf16, DataType::F16, DataType::F8E4m3] {
            for (batch, groups, ic, oc, side, kernel, stride) in [
                (1, 1, 64, 64, 56, 3, 1),
                (16, 1, 64, 64, 56, 3, 1),
                (4, 1, 256, 256, 14, 3, 1),
                (1, 1, 512, 512, 7, 3, 1),
                (1, 1, 256, 64, 56, 1, 1),
                (4, 1, 512, 1024, 28, 1, 2),
                (1, 1, 3, 64, 224, 7, 2),
                (1, 1, 64, 3, 56, 3, 1),
                (1, 32, 128, 128, 56, 3, 1),
                (4, 32, 512, 512, 14, 3, 1),
                (16, 128, 128, 128, 56, 3, 1),
                (1, 512, 512, 512, 14, 3, 1),
                (2, 16, 64, 64, 28, 3, 1),
                (1, 3, 3, 3, 56, 5, 1),
            ] {
                let passes = [ForwardInference, BackwardData, BackwardWeights];
                for (prop, in_planes) in passes.into_iter().flat_map(|prop| [(prop, false), (prop, true)]) {
                    let any = |dims: &[i64]| MemoryDesc::any(dims, data_type).unwrap();
                    let padding = kernel / 2;
                    let out = (side + 2 * padding - kernel) / stride + 1;
                    let weights = [oc / groups, ic / groups, kernel, kernel];
                    let weights: Vec<i64> = (groups > 1).then_some(groups).into_iter().chain(weights).collect();
                    let end = (out - 1) * stride + kernel - side - padding;
                    let both = |value: i64| Dims::from([value, value]);
                    let window = Window {
                        strides: both(stride),
                        dilations: both(0),
                        padding_l: both(padding),
                        padding_r: both(end),
                    };
                    let plain = |dims: &[i64]| MemoryDesc::with_strides(dims, data_type, None).unwrap();
                    let image = |dims: &[i64]| if in_planes { plain(dims) } else { any(dims) };
                    let (src, dst) = (image(&[batch, ic, side, side]), image(&[batch, oc, out, out]));
                    let op =
                        Convolution::new(prop, AlgKind::ConvolutionDirect, &src, &any(&weights), None, &dst, window)
                            .unwrap();
                    let numbers = match prop {
                        BackwardData => [arg::DIFF_SRC, arg::WEIGHTS, arg::DIFF_DST],
                        BackwardWeights => [arg::SRC, arg::DIFF_WEIGHTS, arg::DIFF_DST],
                        _ => [arg::SRC, arg::WEIGHTS, arg::DST],
                    };
                    let (scratch, all) = bytes(&engine, op, numbers);
                    assert!(
                        scratch <= all,
                        "{engine:?} {data_type:?} {prop:?} mb{batch}g{groups}ic{ic}oc{oc}ih{side}kh{kernel}sh{stride} {in_planes}: {scratch} bytes, tensors {all}"
                    );
                }
            }
        }
    }
}

#[test]
fn winograds_algorithm_needs_less_memory_than_images_and_kernels() {
    let both = |value: i64| Dims::from([value, value]);
    for engine in engines() {
        let check = |alg: AlgKind, [batch, ic, oc, side]: [i64; 4]| {
            for open in [true, false] {
                let md = |dims: &[i64]| match open {
                    true => MemoryDesc::any(dims, DataType::F32).unwrap(),
                    false => MemoryDesc::with_strides(dims, DataType::F32, None).unwrap(),
                };
                let (src, dst) = (md(&[batch, ic, side, side]), md(&[batch, oc, side, side]));
                let window = Window { strides: both(1), dilations: both(0), padding_l: both(1), padding_r: both(1) };
                let op =
                    Convolution::new(PropKind::ForwardInference, alg, &src, &md(&[oc, ic, 3, 3]), None, &dst, window);
                let (scratch, all) = bytes(&engine, op.unwrap(), [arg::SRC, arg::WEIGHTS, arg::DST]);
                assert!(
                    scratch <= all,
                    "{engine:?} {alg} mb{batch}ic{ic}oc{oc}ih{side} {open}: {scratch} bytes, tensors {all}"
                );
            }
        };
        for batch in [1, 2, 5, 16] {
            for (channels, side) in [(64, 56), (128, 28), (256, 14)] {
                check(AlgKind::ConvolutionWinograd, [batch, channels, channels, side]);
            }
            // Where it takes more however small the parts are, the library picks direct sums.
            for [ic, oc, side] in
                [[32, 32, 12], [48, 40, 30], [128, 96, 20], [512, 64, 13], [96, 512, 57], [512, 512, 30]]
            {
                check(AlgKind::ConvolutionAuto, [batch, ic, oc, side]);
            }
        }
    }
}
