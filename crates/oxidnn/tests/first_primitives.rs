//! Small problems with hand-written references, on every engine there is.

mod support;

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Result, Stream};

use support::engines;

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

/// Numbers that are exact in f32 and differ from each other for a while.
fn ramp(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + 3) % 23) as f32 / 4.0 - 2.5).collect()
}

fn run(engine: &Engine, op: impl Into<Op>, attr: &Attr, args: &[(i32, &Memory)]) -> Result<()> {
    let desc = PrimitiveDesc::new(engine, op, attr)?;
    let stream = Stream::new(engine)?;
    Primitive::new(&desc)?.execute(&stream, args)?;
    stream.wait()
}

#[test]
fn relu_keeps_positive_values() {
    for engine in engines() {
        let md = plain(&[5, 7], DataType::F32);
        let (src, dst) = (Memory::new(&engine, &md).unwrap(), Memory::new(&engine, &md).unwrap());
        let values = ramp(35);
        src.write_from(&values).unwrap();
        let op = Eltwise::forward(PropKind::ForwardInference, AlgKind::EltwiseRelu, &md, &md, 0.5, 0.0).unwrap();
        run(&engine, op, &Attr::new(), &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
        let expected: Vec<f32> = values.iter().map(|&x| if x > 0.0 { x } else { x * 0.5 }).collect();
        assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn what_many_post_ops_share_is_computed_once() {
    let swish = |x: f32| x / (1.0 + (-x).exp());
    let expected: Vec<f32> = ramp(37).iter().map(|&x| (0..30).fold(x, |x, _| swish(x))).collect();
    let post_ops = (0..30).fold(PostOps::new(), |list, _| list.eltwise(AlgKind::EltwiseSwish, 1.0, 0.0).unwrap());
    let attr = Attr::new().with_post_ops(post_ops);
    for engine in engines() {
        let md = plain(&[37], DataType::F32);
        let (src, dst) = (Memory::new(&engine, &md).unwrap(), Memory::new(&engine, &md).unwrap());
        src.write_from(&ramp(37)).unwrap();
        let op = Binary::new(AlgKind::BinaryAdd, &md, &md, None, &md).unwrap();
        let zeros = Memory::new(&engine, &md).unwrap();
        zeros.write_from(&[0.0f32; 37]).unwrap();
        run(&engine, op, &attr, &[(arg::SRC_0, &src), (arg::SRC_1, &zeros), (arg::DST, &dst)]).unwrap();
        let found = dst.read_to::<f32>().unwrap();
        let close = found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-5 * y.abs() + 1e-20);
        assert!(close, "{engine:?} {found:?}");
    }
}

#[test]
fn a_reorder_to_a_blocked_format_pads_with_zeros() {
    for engine in engines() {
        let from = plain(&[2, 19, 3, 2], DataType::F32);
        let to = MemoryDesc::with_tag(&[2, 19, 3, 2], DataType::F32, FormatTag::from_name("nChw16c").unwrap()).unwrap();
        let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
        let values = ramp(from.nelems(false) as usize);
        src.write_from(&values).unwrap();
        dst.write_from(&vec![f32::NAN; to.nelems(true) as usize]).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &Attr::new(), &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
        let result = dst.read_to::<f32>().unwrap();
        for (n, c, h, w) in (0..2 * 32 * 6).map(|i| (i / 192, i / 6 % 32, i / 2 % 3, i % 2)) {
            let at = (((n * 2 + c / 16) * 3 + h) * 2 + w) * 16 + c % 16;
            let expected = if c < 19 { values[((n * 19 + c) * 3 + h) * 2 + w] } else { 0.0 };
            assert_eq!(result[at], expected, "{engine:?} {n} {c} {h} {w}");
        }
    }
}

fn check_matmul(m: usize, n: usize, k: usize) {
    for engine in engines() {
        let dims = |a: usize, b: usize| plain(&[a as i64, b as i64], DataType::F32);
        let (src, weights, bias, dst) = (dims(m, k), dims(k, n), dims(1, n), dims(m, n));
        let memory = |md: &MemoryDesc| {
            let memory = Memory::new(&engine, md).unwrap();
            let values = ramp(md.nelems(false) as usize);
            memory.write_from(&values).unwrap();
            (memory, values)
        };
        let ((a, av), (b, bv), (c, cv), (d, _)) = (memory(&src), memory(&weights), memory(&bias), memory(&dst));
        let op = Matmul::new(&src, &weights, Some(&bias), &dst).unwrap();
        let relu = PostOps::new().eltwise(AlgKind::EltwiseRelu, 0.0, 0.0).unwrap();
        let args = [(arg::SRC, &a), (arg::WEIGHTS, &b), (arg::BIAS, &c), (arg::DST, &d)];
        run(&engine, op, &Attr::new().with_post_ops(relu), &args).unwrap();
        let result = d.read_to::<f32>().unwrap();
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            let sum: f32 = (0..k).map(|l| av[i * k + l] * bv[l * n + j]).sum::<f32>() + cv[j];
            let got = result[i * n + j];
            assert!((got - sum.max(0.0)).abs() < 1e-3, "{engine:?} {m}x{k}:{k}x{n} at {i} {j}: {got} {sum}");
        }
    }
}

#[test]
fn matmul_with_bias_and_relu_is_right_for_all_tile_edges() {
    for (m, n, k) in [(1, 1, 1), (3, 5, 7), (1, 64, 33), (13, 33, 20), (30, 130, 40), (64, 64, 64)] {
        check_matmul(m, n, k);
    }
}

#[test]
fn four_bit_values_share_bytes() {
    for engine in engines() {
        let (from, to) = (plain(&[3, 6], DataType::F32), plain(&[3, 6], DataType::S4));
        let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
        let values: Vec<f32> = (0..18).map(|i| i as f32 - 9.0).collect();
        src.write_from(&values).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &Attr::new(), &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
        let back = Memory::new(&engine, &from).unwrap();
        run(&engine, Reorder::new(&to, &from).unwrap(), &Attr::new(), &[(arg::SRC, &dst), (arg::DST, &back)]).unwrap();
        let expected: Vec<f32> = values.iter().map(|x| x.clamp(-8.0, 7.0)).collect();
        assert_eq!(back.read_to::<f32>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn sums_of_four_bit_values_are_limited() {
    for engine in engines() {
        let (signed, unsigned) = (plain(&[6], DataType::S4), plain(&[6], DataType::U4));
        let [x, y, dst] = [&signed, &unsigned, &signed].map(|md| Memory::new(&engine, md).unwrap());
        x.write_from(&[0x21u8, 0xf8, 0x07]).unwrap(); // 1 2 -8 -1 7 0
        y.write_from(&[0x42u8, 0xf0, 0x0c]).unwrap(); // 2 4 0 15 12 0
        let op = Sum::new(&[1.0, 0.5], &[signed.clone(), unsigned.clone()], Some(&signed)).unwrap();
        let args = [(arg::multiple_src(0), &x), (arg::multiple_src(1), &y), (arg::DST, &dst)];
        run(&engine, op, &Attr::new(), &args).unwrap();
        assert_eq!(dst.read_to::<u8>().unwrap(), [0x42, 0x68, 0x07], "{engine:?}"); // 2 4 -8 6 7 0
    }
}

#[test]
fn a_dimension_of_one_is_padded_to_its_block() {
    for engine in engines() {
        let from = plain(&[1, 3], DataType::F32);
        let to = MemoryDesc::with_tag(&[1, 3], DataType::F32, FormatTag::from_name("Ab4a").unwrap()).unwrap();
        let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
        src.write_from(&[1f32, 2.0, 3.0]).unwrap();
        dst.write_from(&[f32::NAN; 12]).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &Attr::new(), &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
        let expected = [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0];
        assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn a_new_shape_of_a_known_structure_builds_nothing() {
    for engine in engines() {
        let create = |m: i64, n: i64, k: i64| {
            let (src, weights) = (plain(&[m, k], DataType::F32), plain(&[k, n], DataType::F32));
            let op = Matmul::new(&src, &weights, None, &plain(&[m, n], DataType::F32)).unwrap();
            Primitive::new(&PrimitiveDesc::new(&engine, op, &Attr::new()).unwrap()).unwrap()
        };
        let first = create(48, 128, 40);
        let built = engine.module_count();
        let second = create(96, 192, 72);
        assert_eq!(engine.module_count(), built, "{engine:?}");
        assert_eq!(first.desc().implementation(), second.desc().implementation());
    }
}

#[test]
fn weights_of_any_layout_give_the_same_product() {
    for engine in engines() {
        let (m, n, k) = (20, 70, 33);
        let (src, plain_weights) = (plain(&[m, k], DataType::F32), plain(&[k, n], DataType::F32));
        let (any, dst) = (MemoryDesc::any(&[k, n], DataType::F32).unwrap(), plain(&[m, n], DataType::F32));
        let desc = PrimitiveDesc::new(&engine, Matmul::new(&src, &any, None, &dst).unwrap(), &Attr::new()).unwrap();
        let chosen = desc.arg(arg::WEIGHTS).unwrap().clone();
        let new = |md: &MemoryDesc| Memory::new(&engine, md).unwrap();
        let (a, b, packed, c) = (new(&src), new(&plain_weights), new(&chosen), new(&dst));
        let (av, bv) = (ramp((m * k) as usize), ramp((k * n) as usize));
        a.write_from(&av).unwrap();
        b.write_from(&bv).unwrap();
        let pack = Reorder::new(&plain_weights, &chosen).unwrap();
        run(&engine, pack, &Attr::new(), &[(arg::SRC, &b), (arg::DST, &packed)]).unwrap();
        let stream = Stream::new(&engine).unwrap();
        let args = [(arg::SRC, &a), (arg::WEIGHTS, &packed), (arg::DST, &c)];
        Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
        stream.wait().unwrap();
        let result = c.read_to::<f32>().unwrap();
        let (m, n, k) = (m as usize, n as usize, k as usize);
        for (i, j) in (0..m * n).map(|at| (at / n, at % n)) {
            let sum: f32 = (0..k).map(|l| av[i * k + l] * bv[l * n + j]).sum();
            assert!((result[i * n + j] - sum).abs() < 1e-3, "{engine:?} {i} {j}");
        }
    }
}

#[test]
fn rows_of_four_bit_values_may_lie_apart() {
    for engine in engines() {
        let from = plain(&[3, 5], DataType::F32);
        let to = MemoryDesc::with_strides(&[3, 5], DataType::U4, Some(&[8, 1])).unwrap();
        let (src, dst) = (Memory::new(&engine, &from).unwrap(), Memory::new(&engine, &to).unwrap());
        src.write_from(&(0..15).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
        dst.write_bytes(&vec![0xff; to.size()]).unwrap();
        run(&engine, Reorder::new(&from, &to).unwrap(), &Attr::new(), &[(arg::SRC, &src), (arg::DST, &dst)]).unwrap();
        let bytes = dst.read_bytes().unwrap();
        assert_eq!(bytes[..3], [0x10, 0x32, 0xf4], "{engine:?}");
        assert_eq!(bytes[3], 0xff, "{engine:?}: the gap is left alone");
        assert_eq!(bytes[4..7], [0x65, 0x87, 0xf9], "{engine:?}");
    }
}

#[test]
fn there_is_nothing_to_copy_where_both_tensors_are_missing() {
    let something = plain(&[3], DataType::F32);
    for engine in engines() {
        let nothing = Memory::new(&engine, &MemoryDesc::ZERO).unwrap();
        let op = Reorder::new(&MemoryDesc::ZERO, &MemoryDesc::ZERO).unwrap();
        run(&engine, op, &Attr::new(), &[(arg::SRC, &nothing), (arg::DST, &nothing)]).unwrap();
    }
    assert!(Reorder::new(&MemoryDesc::ZERO, &something).is_err());
    assert!(Reorder::new(&something, &MemoryDesc::ZERO).is_err());
}

#[test]
fn a_reorder_between_engines_may_learn_its_dimensions_late() {
    let host = Engine::new(EngineKind::Cpu, 0).unwrap();
    let open = MemoryDesc::with_strides(&[3, RUNTIME_DIM], DataType::F32, Some(&[RUNTIME_DIM, 1])).unwrap();
    let (src_md, dst_md) = (plain(&[3, 5], DataType::F32), plain(&[3, 5], DataType::F32));
    let attr = Attr::new().with_scales(arg::SRC, Quant::scales(0)).unwrap();
    for engine in engines() {
        for (from, to) in [(&host, &engine), (&engine, &host)] {
            let desc = PrimitiveDesc::across(from, to, Reorder::new(&open, &open).unwrap(), &attr).unwrap();
            let primitive = Primitive::new(&desc).unwrap();
            let (src, dst) = (Memory::new(from, &src_md).unwrap(), Memory::new(to, &dst_md).unwrap());
            src.write_from(&ramp(15)).unwrap();
            let scale = Memory::new(desc.engine(), &plain(&[1], DataType::F32)).unwrap();
            scale.write_from(&[2.0f32]).unwrap();
            let stream = Stream::new(desc.engine()).unwrap();
            let args = [(arg::SRC, &src), (arg::DST, &dst), (arg::ATTR_SCALES | arg::SRC, &scale)];
            primitive.execute(&stream, &args).unwrap();
            stream.wait().unwrap();
            let expected: Vec<f32> = ramp(15).iter().map(|x| 2.0 * x).collect();
            assert_eq!(dst.read_to::<f32>().unwrap(), expected, "{from:?} to {to:?}");
        }
    }
}
