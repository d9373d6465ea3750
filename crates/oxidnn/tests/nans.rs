//! What is no number stays none when it is rounded, whatever its bits are, and nothing else becomes one.

use oxidnn::desc::*;
use oxidnn::{Engine, Memory, Primitive, PrimitiveDesc, Stream};

/// Elements of a row: some whole strips of vectors, one vector, and some elements.
const ROW: i64 = 1024 + 16 + 5;

/// Bits of which an addition to the lower half carries into the sign, makes infinity of them, or does nothing.
const NANS: [u32; 6] = [0x7fff_ffff, 0xffff_ffff, 0x7fff_8000, 0x7fc0_0000, 0xffc0_0000, 0x7fa0_0000];

/// Memory that holds numbers, and at every so many elements one of the NaNs, as far as the type has its bits.
fn memory(engine: &Engine, md: &MemoryDesc, every: usize) -> Memory {
    let bits = |i: usize| match i % every {
        0 => NANS[i / every % NANS.len()],
        _ => ((i * 7 % 31) as f32 / 4.0 - 3.0).to_bits(),
    };
    let count = md.dims().iter().product::<i64>() as usize;
    let bytes: Vec<u8> = match md.data_type() {
        DataType::Bf16 => (0..count).flat_map(|i| ((bits(i) >> 16) as u16).to_le_bytes()).collect(),
        _ => (0..count).flat_map(|i| bits(i).to_le_bytes()).collect(),
    };
    let memory = Memory::new(engine, md).unwrap();
    memory.write_bytes(&bytes).unwrap();
    memory
}

/// Where the result of an operation is no number; argument by argument, at every so many elements of them there is none.
fn nans(engine: &Engine, op: &Op, inputs: &[(i32, usize)]) -> Vec<bool> {
    let desc = PrimitiveDesc::new(engine, op.clone(), &Attr::new()).unwrap();
    let dst = Memory::new(engine, desc.arg(arg::DST).unwrap()).unwrap();
    let read: Vec<(i32, Memory)> =
        inputs.iter().map(|&(number, every)| (number, memory(engine, desc.arg(number).unwrap(), every))).collect();
    let mut args: Vec<(i32, &Memory)> = read.iter().map(|(number, memory)| (*number, memory)).collect();
    args.push((arg::DST, &dst));
    let stream = Stream::new(engine).unwrap();
    Primitive::new(&desc).unwrap().execute(&stream, &args).unwrap();
    stream.wait().unwrap();
    let is_nan = |x: &[u8]| u16::from_le_bytes([x[0], x[1]]) & 0x7fff > 0x7f80;
    dst.read_bytes().unwrap().chunks(2).map(is_nan).collect()
}

fn compare(op: impl Into<Op>, inputs: &[(i32, usize)], what: &str) {
    let op = op.into();
    let expected = nans(&Engine::new(EngineKind::Cpu, 0).unwrap(), &op, inputs);
    assert!(expected.contains(&true), "{what} has no NaN");
    for i in 0..Engine::count(EngineKind::Gpu) {
        let engine = Engine::new(EngineKind::Gpu, i).unwrap();
        let got = nans(&engine, &op, inputs);
        let wrong = got.iter().zip(&expected).position(|(got, expected)| got != expected);
        assert_eq!(wrong, None, "{engine:?}: {what}");
    }
}

fn plain(dims: &[i64], data_type: DataType) -> MemoryDesc {
    MemoryDesc::with_strides(dims, data_type, None).unwrap()
}

#[test]
fn nans_stay_nans_when_they_are_rounded() {
    let prop = PropKind::ForwardInference;
    for data_type in [DataType::F32, DataType::Bf16] {
        let (src, dst) = (plain(&[3, ROW], data_type), plain(&[3, ROW], DataType::Bf16));
        compare(Reorder::new(&src, &dst).unwrap(), &[(arg::SRC, 37)], &format!("reorder of {data_type}"));
        let add = Binary::new(AlgKind::BinaryAdd, &src, &dst, None, &dst).unwrap();
        compare(add, &[(arg::SRC_0, 37), (arg::SRC_1, 41)], &format!("sum of {data_type} and bf16"));
    }
    let md = plain(&[3, ROW], DataType::Bf16);
    for alg in [
        AlgKind::EltwiseGeluErf,
        AlgKind::EltwiseTanh,
        AlgKind::EltwiseExp,
        AlgKind::EltwiseLog,
        AlgKind::EltwiseLogistic,
        AlgKind::EltwiseElu,
        AlgKind::EltwiseSoftRelu,
        AlgKind::EltwiseSqrt,
    ] {
        let op = Eltwise::forward(prop, alg, &md, &md, 0.0, 0.0).unwrap();
        compare(op, &[(arg::SRC, 37)], &format!("{alg}"));
    }
    for bits in NANS {
        let op = Eltwise::forward(prop, AlgKind::EltwiseLinear, &md, &md, f32::from_bits(bits), 0.0).unwrap();
        compare(op, &[(arg::SRC, usize::MAX)], &format!("product with {bits:x}"));
    }
}

#[test]
fn nans_of_rows_and_of_what_rows_share_stay_nans() {
    let prop = PropKind::ForwardInference;
    // Enough rows to be worth a buffer of what they share.
    let md = plain(&[64, ROW], DataType::Bf16);
    let softmax = Softmax::forward(prop, AlgKind::SoftmaxAccurate, &md, &md, 1).unwrap();
    compare(softmax, &[(arg::SRC, 3 * ROW as usize)], "softmax");
    let flags = NormFlags(NormFlags::USE_SCALE.0 | NormFlags::USE_SHIFT.0);
    let norm = Normalization::forward(Sharing::Layer, prop, &md, &md, None, None, 1e-3, flags).unwrap();
    for every in [[usize::MAX, 37, 41], [5 * ROW as usize, usize::MAX, usize::MAX]] {
        let inputs = [(arg::SRC, every[0]), (arg::SCALE, every[1]), (arg::SHIFT, every[2])];
        compare(norm.clone(), &inputs, "layer normalization");
    }
}

#[test]
fn sums_of_odd_length_do_not_see_what_follows_a_row() {
    for length in [3, 31, 129] {
        let matrix = |rows: i64, columns: i64| plain(&[rows, columns], DataType::Bf16);
        let matmul = Matmul::new(&matrix(40, length), &matrix(length, 48), None, &matrix(40, 48)).unwrap();
        // The last row ends with the tensor, and every other one in front of what is no number.
        compare(matmul, &[(arg::SRC, 2 * length as usize), (arg::WEIGHTS, usize::MAX)], &format!("{length} products"));
    }
}
