//! Matrix products: batches, broadcasts, bias, quantisation in all granularities, post-ops.

use crate::api::arg;
use crate::attributes::{Dropout, PostOpKinds, Quant, random_post_ops, random_scale, round_stochastically, small};
use crate::case::{Arg, Case, Descs, Format, Operation, Role, Tensor, random_strides, random_tag};
use crate::dtype::DataType::{self, *};
use crate::layout::{Tag, broadcast_index, positions};
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Matmul;

/// Types that go together: source, weights, destinations, biases.
type Config = (DataType, DataType, &'static [DataType], &'static [DataType]);

const CONFIGS: [Config; 26] = [
    (F32, F32, &[F32], &[F32, Bf16, F16, U8, S8]),
    (F32, F32, &[F32], &[F32]),
    (F32, F32, &[F32], &[F32]),
    (F64, F64, &[F64], &[F64, F32]),
    (F16, F16, &[F16, F32, S8, U8], &[F32]),
    (F16, F16, &[F16, F32], &[F16, F32]),
    (Bf16, Bf16, &[Bf16, F32], &[Bf16, F32]),
    (Bf16, Bf16, &[Bf16, F32], &[Bf16, F32]),
    (F32, S8, &[F32, Bf16, F16], &[F32]),
    (F32, U4, &[F32], &[F32]),
    (F32, S4, &[F32, Bf16], &[F32]),
    (Bf16, S8, &[Bf16, F32], &[F32, Bf16]),
    (Bf16, S4, &[Bf16, F32], &[F32, Bf16]),
    (F16, U8, &[F16, F32], &[F32, F16]),
    (F16, U4, &[F16, F32], &[F32, F16]),
    (Bf16, F8E5m2, &[Bf16, F32], &[F32]),
    (F16, F8E4m3, &[F16, F32], &[F32]),
    (Bf16, F4E2m1, &[Bf16, F32], &[F32]),
    (F8E5m2, F8E5m2, &[F32, F16, Bf16, F8E5m2], &[F32, Bf16, F16]),
    (F8E4m3, F8E5m2, &[F32, F16, Bf16, F8E4m3], &[F32, Bf16, F16]),
    (F4E2m1, F4E2m1, &[F32, F16, Bf16, F4E2m1], &[F32]),
    (U8, S8, &[U8, S8, S32, F32, F16, Bf16], &[U8, S8, S32, F32, F16, Bf16]),
    (U8, S8, &[U8, S8, S32, F32, Bf16], &[F32, S32]),
    (S8, S8, &[U8, S8, S32, F32, Bf16], &[F32, S32, Bf16]),
    (S8, U8, &[U8, S8, S32, F32], &[F32, S32]),
    (U8, S4, &[S32, F32, Bf16], &[F32]),
];

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    const SIZES: [i64; 18] = [1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65];
    let (src_dt, wei_dt, dsts, biases) = rng.pick(&CONFIGS);
    let (dst_dt, bias_dt) = (rng.pick(dsts), rng.pick(biases));
    let ndims = rng.pick(&[2usize, 2, 2, 3, 3, 4, 5]);
    let mut sizes = rng.fork();
    let batch: Vec<i64> = (2..ndims).map(|_| sizes.pick(&[1i64, 2, 3])).collect();
    let mut size = |limit: usize| SIZES[sizes.below(limit)];
    let largest = if ndims == 2 { 18 } else { 12 };
    let (m, n) = (size(largest), size(largest));
    let k = if sizes.percent(10) { sizes.pick(&[96, 128, 160, 200]) } else { SIZES[sizes.below(18)] };
    let even = |d: i64, dt: DataType| if dt.is_sub_byte() { d + d % 2 } else { d };
    let k = even(even(k, src_dt), wei_dt);
    let n = even(even(n, wei_dt), dst_dt);
    let m = if sizes.below(150) == 0 { 0 } else { m };

    let stretched =
        |rng: &mut Rng| -> Vec<i64> { batch.iter().map(|d| if rng.percent(30) { 1 } else { *d }).collect() };
    let src_batch = if rng.percent(30) { stretched(rng) } else { batch.clone() };
    let wei_batch = if rng.percent(30) { stretched(rng) } else { batch.clone() };
    let dst_batch: Vec<i64> = src_batch.iter().zip(&wei_batch).map(|(a, b)| *a.max(b)).collect();
    let matrix = |batch: &[i64], rows, columns| [batch, &[rows, columns]].concat();
    let (src_dims, wei_dims, dst_dims) = (matrix(&src_batch, m, k), matrix(&wei_batch, k, n), matrix(&dst_batch, m, n));

    let runtime = rng.percent(12);
    let mut case = Case::new(Matmul);
    let exact = rng.percent(70);
    let narrow = src_dt.bits() < 32;
    let format = |rng: &mut Rng, dims: &[i64], dt| random_matrix_format(rng, dims, dt, runtime);
    let src_format = format(rng, &src_dims, src_dt);
    let mut src = Tensor::new(&src_dims, src_dt, src_format).filled(rng, |rng| small(rng, src_dt, exact || narrow));
    let wei_format = format(rng, &wei_dims, wei_dt);
    let mut wei = Tensor::new(&wei_dims, wei_dt, wei_format).filled(rng, |rng| small(rng, wei_dt, exact));
    let dst_format = match rng.below(10) {
        0 if !runtime => Format::Any,
        1 if !dst_dt.is_sub_byte() && ndims == 2 => padded_rows(rng, &dst_dims),
        _ => Format::Tag(Tag::row_major(ndims)),
    };
    let mut dst = Tensor::new(&dst_dims, dst_dt, dst_format);
    let mut bias = rng.percent(40).then(|| {
        let dims: Vec<i64> = match rng.below(4) {
            0 => dst_dims.clone(),
            1 => dst_dims.iter().map(|d| if rng.percent(50) { *d } else { 1 }).collect(),
            _ => (0..ndims).map(|axis| if axis + 1 == ndims { n } else { 1 }).collect(),
        };
        Tensor::plain(&dims, bias_dt).filled(rng, |rng| small(rng, bias_dt, exact))
    });
    if runtime {
        // A dimension is unknown in every tensor that has it.
        let mut unknown = |chance| if rng.percent(chance) { 1u32 } else { 0 };
        let batch_mask = if unknown(40) == 1 { (1 << (ndims - 2)) - 1 } else { 0 };
        let (um, un, uk) = (unknown(70), unknown(50), unknown(40));
        let mask = |rows: u32, columns: u32| batch_mask | rows << (ndims - 2) | columns << (ndims - 1);
        (src.runtime, wei.runtime, dst.runtime) = (mask(um, uk), mask(uk, un), mask(um, un));
        if let Some(bias) = &mut bias {
            bias.runtime =
                (0..ndims).filter(|axis| bias.dims[*axis] != 1).map(|axis| 1 << axis).sum::<u32>() & dst.runtime;
        }
    }
    case.arg(arg::SRC, Role::Input, src);
    case.arg(arg::WEIGHTS, Role::Input, wei);
    if let Some(bias) = bias {
        case.arg(arg::BIAS, Role::Input, bias);
    }
    case.arg(arg::DST, Role::Output, dst);
    quantise(rng, &mut case, exact);
    if wei_dt.is_integer() && !src_dt.is_integer() {
        case.attributes.fpmath = Some((rng.pick(&[0, 1, 2, 3]), true));
    } else if rng.percent(8) {
        case.attributes.fpmath = Some((rng.pick(&[1, 2, 3, 4]), false));
    }
    if rng.percent(4) {
        dropout(rng, &mut case);
    }
    if rng.percent(45) {
        random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: true });
    }
    if matches!(dst_dt, Bf16 | F16 | F8E5m2 | F8E4m3) && rng.percent(5) {
        round_stochastically(rng, &mut case, arg::DST);
    }
    case.attributes.user_scratchpad = rng.percent(15);
    case
}

/// Row-major, transposed, padded, blocked, or the primitive's choice.
fn random_matrix_format(rng: &mut Rng, dims: &[i64], dt: DataType, runtime: bool) -> Format {
    let ndims = dims.len();
    match rng.below(20) {
        0..8 => Format::Tag(Tag::row_major(ndims)),
        8..12 => transposed(dims),
        12..16 if !runtime => Format::Any,
        16 if !dt.is_sub_byte() => random_strides(rng, dims),
        17 if ndims <= 3 && !runtime => Format::Tag(random_tag(rng, ndims, 100)),
        _ => Format::Tag(random_tag(rng, ndims, 0)),
    }
}

/// The last two dimensions swapped in memory.
fn transposed(dims: &[i64]) -> Format {
    let last = dims.len() - 1;
    let mut strides = vec![1; dims.len()];
    strides[last] = dims[last - 1].max(1);
    let mut stride = dims[last].max(1) * dims[last - 1].max(1);
    for axis in (0..last - 1).rev() {
        strides[axis] = stride;
        stride *= dims[axis].max(1);
    }
    Format::Strides(strides)
}

/// Row-major with room behind each row.
fn padded_rows(rng: &mut Rng, dims: &[i64]) -> Format {
    Format::Strides(vec![dims[1].max(1) + rng.range(1, 5), 1])
}

/// Adds scales and zero points that suit the types.
fn quantise(rng: &mut Rng, case: &mut Case, exact: bool) {
    let (src, wei, dst) =
        (case.tensor(arg::SRC).clone(), case.tensor(arg::WEIGHTS).clone(), case.tensor(arg::DST).clone());
    let ndims = src.dims.len();
    let last = 1u32 << (ndims - 1);
    let pair = last | last >> 1;
    let all = (1u32 << ndims) - 1;
    let k = src.dims[ndims - 1];
    let chance = match (src.dt.is_integer() || src.dt.bits() <= 8, wei.dt.bits() <= 8) {
        (true, _) => 55,
        (false, true) => 70,
        _ => 8,
    };
    let groups: Vec<i64> = [k, 16, 32, 64].into_iter().filter(|g| k > 1 && k % g == 0).collect();
    let group = if groups.is_empty() || !rng.percent(30) { None } else { Some(rng.pick(&groups)) };
    let scale_types = [F32, F32, F32, F32, Bf16, F16, E8m0, F8E4m3];

    let scale = |rng: &mut Rng, case: &mut Case, tensor: &Tensor, index: i32, mask: u32, groups: Option<[i64; 2]>| {
        let dt = rng.pick(&scale_types[..if groups.is_none() { 6 } else { 8 }]);
        let host = mask == 0 && rng.percent(10);
        let quant = Quant { arg: index, mask, groups, dt, host };
        let values = quant.tensor(&tensor.dims).filled(rng, |rng| random_scale(rng, dt, exact));
        case.arg(arg::SCALES | index, Role::Input, values);
        case.attributes.scales.push(quant);
    };
    if rng.percent(chance) {
        let (mask, groups) = match (group, rng.below(4)) {
            (Some(g), 0 | 1) => (pair, Some([1, g])),
            (None, 0) => (last >> 1, None),
            _ => (0, None),
        };
        scale(rng, case, &src, arg::SRC, mask, groups);
    }
    if rng.percent(chance) {
        let (mask, groups) = match (group, rng.below(3)) {
            (Some(g), 0 | 1) => (if rng.percent(50) { pair } else { all }, Some([g, 1])),
            (_, 1) => (last, None),
            (_, 2) if rng.percent(30) => (all & !(last >> 1), None),
            _ => (0, None),
        };
        scale(rng, case, &wei, arg::WEIGHTS, mask, groups);
    }
    if rng.percent(chance / 2) {
        let mask = if rng.percent(20) { last } else { 0 };
        scale(rng, case, &dst, arg::DST, mask, None);
    }

    let zero_point =
        |rng: &mut Rng, case: &mut Case, tensor: &Tensor, index: i32, mask: u32, groups: Option<[i64; 2]>| {
            let dt = if index == arg::DST { S32 } else { rng.pick(&[S32, S32, S8, U8]) };
            let host = mask == 0 && dt == S32 && rng.percent(10);
            let quant = Quant { arg: index, mask, groups, dt, host };
            let low = if dt == U8 || matches!(tensor.dt, U8 | U4) { 0 } else { -3 };
            let values = quant.tensor(&tensor.dims).filled(rng, |rng| rng.range(low, 4) as f64);
            case.arg(arg::ZERO_POINTS | index, Role::Input, values);
            case.attributes.zero_points.push(quant);
        };
    if src.dt.is_integer() && rng.percent(40) {
        zero_point(rng, case, &src, arg::SRC, 0, None);
    }
    if wei.dt.is_integer() && rng.percent(35) {
        let (mask, groups) = match (group, rng.below(3)) {
            (Some(g), 0 | 1) => (pair, Some([g, 1])),
            (_, 1) => (last, None),
            _ => (0, None),
        };
        zero_point(rng, case, &wei, arg::WEIGHTS, mask, groups);
    }
    if dst.dt.is_integer() && rng.percent(30) {
        let mask = if rng.percent(20) { last } else { 0 };
        zero_point(rng, case, &dst, arg::DST, mask, None);
    }
}

/// Adds dropout. Its mask has the destination's arrangement.
fn dropout(rng: &mut Rng, case: &mut Case) {
    let dst = case.tensor(arg::DST).clone();
    if dst.format == Format::Any || dst.runtime != 0 {
        return;
    }
    let host = rng.percent(20);
    let dropout = Dropout { seed_dt: if rng.percent(70) { S64 } else { S32 }, offset: rng.percent(50), host };
    let scalar = |dt: DataType, value: f64| {
        let format = if host { Format::HostScalar } else { Format::Tag(Tag::row_major(1)) };
        let mut tensor = Tensor::new(&[1], dt, format);
        tensor.bits[0] = dt.encode(value);
        tensor
    };
    if rng.percent(80) {
        case.arg(arg::DROPOUT_MASK, Role::Output, Tensor::new(&dst.dims, U8, dst.format));
    }
    case.arg(arg::DROPOUT_PROBABILITY, Role::Input, scalar(F32, rng.pick(&[0.0, 0.25, 0.5, 0.8, 1.0])));
    case.arg(arg::DROPOUT_SEED, Role::Input, scalar(dropout.seed_dt, rng.range(0, 1 << 30) as f64));
    if dropout.offset {
        case.arg(arg::DROPOUT_OFFSET, Role::Input, scalar(S64, rng.range(0, 1 << 40) as f64));
    }
    case.attributes.dropout = Some(dropout);
}

impl Operation for Matmul {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let [src, weights, bias, dst] = [arg::SRC, arg::WEIGHTS, arg::BIAS, arg::DST].map(|index| mds.desc(index));
        maker.matmul(src, weights, bias, dst)
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let (src, wei, dst) = (case.tensor(arg::SRC), case.tensor(arg::WEIGHTS), case.tensor(arg::DST));
        let bias = case.find(arg::BIAS).map(|argument| &argument.tensor);
        let attributes = &case.attributes;
        let math = if src.dt == F64 { Math::F64 } else { Math::F32 };
        let (ndims, layout) = (dst.dims.len(), dst.layout());
        let k = src.dims[ndims - 1];
        let last = 1u32 << (ndims - 1);
        let along_k = attributes.scales.iter().any(|quant| match quant.arg {
            arg::SRC => quant.mask & last != 0,
            arg::WEIGHTS => quant.mask & (last >> 1) != 0,
            _ => false,
        });
        let whole = src.dt.is_integer() && wei.dt.is_integer() && !along_k;
        // A scale that is common to all terms may be applied to each of them or to their sum.
        let inside = along_k || !whole;
        let narrowing = narrowing(case);
        let value = |(i, position): (usize, Vec<i64>)| {
            let (mut at_src, mut at_wei) = (position.clone(), position.clone());
            let operand = |tensor: &Tensor, index: i32, at: &[i64], scaled: bool| {
                let mut x = math.load(tensor.value(broadcast_index(at, &tensor.dims)));
                if let Some(zero_point) = attributes.zero_point(case, index, at) {
                    x = math.sub(x, Approx::exact(zero_point));
                }
                if let Some(scale) = attributes.scale(case, index, at).filter(|_| scaled) {
                    x = math.mul(x, Approx::exact(scale));
                }
                x
            };
            let terms: Vec<(Approx, Approx)> = (0..k)
                .map(|step| {
                    at_src[ndims - 1] = step;
                    at_wei[ndims - 2] = step;
                    let s = operand(src, arg::SRC, &at_src, inside);
                    let w = operand(wei, arg::WEIGHTS, &at_wei, inside);
                    (narrowing.apply(s), narrowing.apply(w))
                })
                .collect();
            let mut x = math.dot(&terms, whole);
            if !inside {
                at_src[ndims - 1] = 0;
                at_wei[ndims - 2] = 0;
                for (index, at) in [(arg::SRC, &at_src), (arg::WEIGHTS, &at_wei)] {
                    if let Some(scale) = attributes.scale(case, index, at) {
                        x = math.mul(x, Approx::exact(scale));
                    }
                }
            }
            if let Some(bias) = bias {
                x = math.add(x, math.load(bias.value(broadcast_index(&position, &bias.dims))));
            }
            let mut kept = 1.0;
            if attributes.dropout.is_some() {
                (x, kept) = attributes.drop_out(case, math, layout.offset(&position), x);
            }
            x = attributes.post_process(case, math, &position, x, dst.bits[i], dst.dt);
            if let Some(scale) = attributes.scale(case, arg::DST, &position) {
                x = math.div(x, Approx::exact(scale));
            }
            if let Some(zero_point) = attributes.zero_point(case, arg::DST, &position) {
                x = math.add(x, Approx::exact(zero_point));
            }
            (attributes.round_at_random(arg::DST, dst.dt, x), Approx::exact(kept))
        };
        let (values, mask) = positions(&dst.dims).enumerate().map(value).unzip();
        let output = |argument: &Arg| match argument.index {
            arg::DROPOUT_MASK => &mask,
            _ => &values,
        };
        Some(case.outputs().map(output).cloned().collect())
    }

    fn describe(&self) -> String {
        "matmul".to_string()
    }
}

/// To which types operands may be rounded on their way into the product.
struct Narrowing(Vec<DataType>);

/// What the math mode and the decompression of weights allow.
fn narrowing(case: &Case) -> Narrowing {
    let (src, wei) = (case.tensor(arg::SRC).dt, case.tensor(arg::WEIGHTS).dt);
    let mut types = match case.attributes.fpmath {
        Some((1, _)) => vec![Bf16],
        Some((2, _)) => vec![F16],
        Some((3, _)) => vec![Bf16, F16],
        Some((4, _)) => vec![F16],
        _ => Vec::new(),
    };
    // The mode is about single precision, and about integers where it says so.
    let concerned = |dt: DataType| dt == F32 || dt.is_integer() && case.attributes.fpmath.is_some_and(|(_, ints)| ints);
    if !concerned(src) && !concerned(wei) {
        types.clear();
    }
    if src != wei && matches!(src, Bf16 | F16) {
        types.push(src);
    }
    if src.is_integer() && wei.is_integer() {
        types.clear();
    }
    Narrowing(types)
}

impl Narrowing {
    fn apply(&self, x: Approx) -> Approx {
        let lost = self.0.iter().map(|dt| (dt.round(x.v) - x.v).abs()).fold(0.0, f64::max);
        Approx { v: x.v, e: x.e + lost }
    }
}
