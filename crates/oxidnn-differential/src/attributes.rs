//! Primitive attributes of a case: scales, zero points, post-ops, modes. How they are set, and what they mean.
//!
//! The values (scales, second operands of post-ops, the dropout seed) are ordinary arguments of the case; this holds only what the
//! attribute object is told.

use crate::api::{Api, arg};
use crate::case::{Case, Descs, Format, Role, Tensor};
use crate::cases::algorithm::{Binary, Eltwise};
use crate::dtype::DataType;
use crate::handle::{Attr, Failure, PostOps};
use crate::layout::{Tag, broadcast_index};
use crate::oracle::{Approx, Math};
use crate::philox::dropout_number;
use crate::rng::Rng;
use dnnl_dynamic::attr::{Quantization, RecurrentQuantization};
use std::ffi::c_int;

/// Scales or zero points of one argument.
#[derive(Clone, Debug)]
pub struct Quant {
    /// The argument they belong to.
    pub arg: i32,
    /// The dimensions along which they differ, one bit each.
    pub mask: u32,
    /// How many neighbours along the last two dimensions share one.
    pub groups: Option<[i64; 2]>,
    /// Their type.
    pub dt: DataType,
    /// Whether there is one value and it is in host memory.
    pub host: bool,
}

impl Quant {
    /// How many values there are along each dimension of the tensor they belong to.
    pub fn dims(&self, of: &[i64]) -> Vec<i64> {
        let group = |axis: usize| match self.groups {
            Some(groups) if axis + 2 >= of.len() => groups[axis + 2 - of.len()],
            _ => 1,
        };
        of.iter().enumerate().map(|(axis, d)| if self.mask >> axis & 1 == 1 { d / group(axis) } else { 1 }).collect()
    }

    /// The tensor that holds them, with nothing in it yet.
    pub fn tensor(&self, of: &[i64]) -> Tensor {
        if self.host {
            return Tensor::new(&[1], self.dt, Format::HostScalar);
        }
        let dims: Vec<i64> = match self.groups {
            Some(_) => self.dims(of),
            None => (0..of.len()).filter(|axis| self.mask >> axis & 1 == 1).map(|axis| of[axis]).collect(),
        };
        Tensor::plain(if dims.is_empty() { &[1] } else { &dims }, self.dt)
    }

    /// What the attribute object is told.
    fn as_attribute(&self) -> Quantization {
        let groups = self.groups.map_or(Vec::new(), |groups| groups.to_vec());
        Quantization { arg: self.arg, mask: self.mask as i32, groups, dt: self.dt, host: self.host }
    }

    /// Which value belongs to an element of the tensor.
    pub fn index(&self, position: &[i64], of: &[i64]) -> usize {
        let dims = self.dims(of);
        let own: Vec<i64> = position.iter().zip(of.iter().zip(&dims)).map(|(p, (d, q))| p / (d / q).max(1)).collect();
        broadcast_index(&own, &dims)
    }
}

/// One step of the chain after the operation.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum PostOp {
    /// Adds what was in the destination.
    Sum { scale: f32, zero_point: i32, dt: Option<DataType> },
    /// Applies a function.
    Eltwise { algorithm: Eltwise, alpha: f32, beta: f32 },
    /// Combines with another tensor.
    Binary { algorithm: Binary },
    /// Scales negative values by a weight.
    Prelu { mask: u32 },
}

/// Random zeroing of results.
#[derive(Clone, Debug)]
pub struct Dropout {
    /// Type of the seed.
    pub seed_dt: DataType,
    /// Whether there is an offset argument.
    pub offset: bool,
    /// Whether the parameters are host scalars.
    pub host: bool,
}

/// What a primitive is told besides its tensors.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Scales by argument.
    pub scales: Vec<Quant>,
    /// Zero points by argument.
    pub zero_points: Vec<Quant>,
    /// The chain after the operation.
    pub post_ops: Vec<PostOp>,
    /// Floating-point math mode, and whether it applies to integers.
    pub fpmath: Option<(i32, bool)>,
    /// Whether the test provides the scratchpad.
    pub user_scratchpad: bool,
    /// Random zeroing.
    pub dropout: Option<Dropout>,
    /// The argument that is rounded at random.
    pub stochastic: Option<i32>,
    /// What the integers of a recurrent network stand for.
    pub recurrent: Option<RecurrentQuantization>,
}

impl Attributes {
    /// Whether an argument exists because of an attribute.
    pub fn owns(&self, index: i32) -> bool {
        index & (arg::SCALES | arg::ZERO_POINTS) != 0
            || index >= arg::post_op(0)
            || (arg::DROPOUT_OFFSET..=arg::DROPOUT_SEED).contains(&index)
    }

    /// The attribute object.
    pub fn build<'a>(&self, api: &'a Api, mds: &Descs<'_>) -> Result<Attr<'a>, Failure> {
        let attr = Attr::new(api)?;
        self.scales.iter().try_for_each(|scales| attr.scales(api, &scales.as_attribute()))?;
        self.zero_points.iter().try_for_each(|zero_points| attr.zero_points(api, &zero_points.as_attribute()))?;
        if let Some(recurrent) = &self.recurrent {
            attr.recurrent(api, recurrent)?;
        }
        if let Some((mode, to_int)) = self.fpmath {
            attr.math_mode(api, mode, to_int)?;
        }
        if self.user_scratchpad {
            attr.user_scratchpad(api)?;
        }
        if let Some(argument) = self.stochastic {
            attr.stochastic_rounding(api, argument)?;
        }
        if let Some(dropout) = &self.dropout {
            attr.dropout(api, mds.desc(arg::DROPOUT_MASK), dropout.seed_dt, dropout.offset, dropout.host)?;
        }
        if !self.post_ops.is_empty() {
            attr.post_ops(api, &self.chain(api, mds)?)?;
        }
        Ok(attr)
    }

    fn chain<'a>(&self, api: &'a Api, mds: &Descs<'_>) -> Result<PostOps<'a>, Failure> {
        let chain = PostOps::new(api)?;
        for (index, post_op) in self.post_ops.iter().enumerate() {
            let base = arg::post_op(index);
            match post_op {
                PostOp::Sum { scale, zero_point, dt } => chain.sum(api, *scale, *zero_point, *dt)?,
                PostOp::Eltwise { algorithm, alpha, beta } => chain.eltwise(api, *algorithm as c_int, *alpha, *beta)?,
                PostOp::Binary { algorithm } => {
                    let (src1, src2) = (mds.desc(base | arg::SRC_1), mds.desc(base | arg::SRC_2));
                    chain.binary(api, *algorithm as c_int, src1, src2)?;
                }
                PostOp::Prelu { mask } => chain.prelu(api, *mask as c_int)?,
            }
        }
        Ok(chain)
    }

    /// The attributes in a few words.
    pub fn describe(&self, case: &Case) -> String {
        let mut text = String::new();
        for (list, name, flag) in
            [(&self.scales, "scales", arg::SCALES), (&self.zero_points, "zero_points", arg::ZERO_POINTS)]
        {
            for quant in list {
                text += &format!(" {name}({},mask={},{}", quant.arg, quant.mask, case.tensor(flag | quant.arg));
                text += &quant.groups.map_or(")".to_string(), |[a, b]| format!(",groups={a}x{b})"));
            }
        }
        for (index, post_op) in self.post_ops.iter().enumerate() {
            let base = arg::post_op(index);
            text += &match post_op {
                PostOp::Sum { scale, zero_point, dt } => {
                    format!(" sum({scale},zp={zero_point}{})", dt.map_or(String::new(), |dt| format!(",{dt}")))
                }
                PostOp::Eltwise { algorithm, alpha, beta } => format!(" eltwise_{}({alpha},{beta})", algorithm.name()),
                PostOp::Binary { algorithm } => {
                    format!(" binary_{}({})", algorithm.name(), case.tensor(base | arg::SRC_1))
                }
                PostOp::Prelu { mask } => format!(" prelu(mask={mask})"),
            };
        }
        if let Some((mode, to_int)) = self.fpmath {
            text += &format!(" fpmath({mode},apply_to_int={to_int})");
        }
        if let Some(dropout) = &self.dropout {
            text += &format!(" {dropout:?}");
        }
        if let Some(RecurrentQuantization { data, weights, projection }) = &self.recurrent {
            text += &format!(" data={data:?} weights(mask={})", weights.0);
            text += &projection.as_ref().map_or(String::new(), |(mask, _)| format!(" projection(mask={mask})"));
        }
        if let Some(argument) = self.stochastic {
            text += &format!(" stochastic({argument})");
        }
        text + if self.user_scratchpad { " user_scratchpad" } else { "" }
    }

    /// The factor of an argument's element.
    pub fn scale(&self, case: &Case, argument: i32, position: &[i64]) -> Option<f64> {
        let quant = self.scales.iter().find(|quant| quant.arg == argument)?;
        let values = case.tensor(arg::SCALES | argument);
        Some(values.value(quant.index(position, &case.tensor(argument).dims)))
    }

    /// The zero point of an argument's element.
    pub fn zero_point(&self, case: &Case, argument: i32, position: &[i64]) -> Option<f64> {
        let quant = self.zero_points.iter().find(|quant| quant.arg == argument)?;
        let values = case.tensor(arg::ZERO_POINTS | argument);
        Some(values.value(quant.index(position, &case.tensor(argument).dims)))
    }

    /// Widens what is expected of an argument that is rounded at random: up or down, whatever is nearer.
    pub fn round_at_random(&self, argument: i32, dt: DataType, value: Approx) -> Approx {
        if self.stochastic != Some(argument) {
            return value;
        }
        // Unlike rounding to nearest it saturates.
        let v = value.v.clamp(-dt.largest(), dt.largest());
        Approx { v, e: value.e + dt.spacing(v) }
    }

    /// Applies dropout to the result at a physical offset of the destination; the second value is the mask's.
    pub fn drop_out(&self, case: &Case, math: Math, offset: usize, value: Approx) -> (Approx, f64) {
        let parameter = |index| case.find(index).map_or(0, |argument| argument.tensor.bits[0]);
        let probability = f64::from(f32::from_bits(parameter(arg::DROPOUT_PROBABILITY) as u32));
        let (seed, shift) = (parameter(arg::DROPOUT_SEED), parameter(arg::DROPOUT_OFFSET));
        let number = dropout_number(offset as u64, seed, shift);
        if f64::from(number) <= f64::from(u32::MAX) * probability {
            return (Approx::exact(0.0), 0.0);
        }
        let kept = math.sub(Approx::exact(1.0), Approx::exact(probability));
        (math.mul(value, math.div(Approx::exact(1.0), kept)), 1.0)
    }

    /// Applies the post-ops to a result. `old` is the destination's element before, in bits.
    pub fn post_process(
        &self,
        case: &Case,
        math: Math,
        position: &[i64],
        mut value: Approx,
        old: u64,
        dst: DataType,
    ) -> Approx {
        for (index, post_op) in self.post_ops.iter().enumerate() {
            let base = arg::post_op(index);
            value = match post_op {
                PostOp::Sum { scale, zero_point, dt } => {
                    let before = math.load(dt.unwrap_or(dst).decode(old));
                    let shifted = math.sub(before, Approx::exact(f64::from(*zero_point)));
                    math.add(value, math.mul(Approx::exact(f64::from(*scale)), shifted))
                }
                PostOp::Eltwise { algorithm, alpha, beta } => {
                    math.eltwise(*algorithm, value, f64::from(*alpha), f64::from(*beta))
                }
                PostOp::Binary { algorithm } => {
                    let src1 = case.tensor(base | arg::SRC_1);
                    let other = math.load(src1.value(broadcast_index(position, &src1.dims)));
                    let chosen = case.find(base | arg::SRC_2).is_some_and(|choice| {
                        choice.tensor.value(broadcast_index(position, &choice.tensor.dims)) != 0.0
                    });
                    math.binary(*algorithm, value, other, chosen)
                }
                PostOp::Prelu { .. } => {
                    let weights = case.tensor(base | arg::WEIGHTS);
                    let weight = weights.value(broadcast_index(position, &weights.dims));
                    math.map(value, 1.0, |x| if x > 0.0 { x } else { x * weight })
                }
            };
        }
        value
    }
}

/// Parameters that make sense for an eltwise algorithm.
pub fn random_alpha_beta(rng: &mut Rng, algorithm: Eltwise) -> (f32, f32) {
    use Eltwise::*;
    let slope = |rng: &mut Rng| rng.pick(&[0.0f32, 0.25, 0.1, 1.5, 2.0]);
    match algorithm {
        Relu => (slope(rng), 0.0),
        Elu => (rng.pick(&[0.0f32, 0.5, 1.0, 1.7]), 0.0),
        Linear => (rng.pick(&[0.5f32, 2.0, -1.0, 0.3]), rng.pick(&[0.0f32, 1.0, -0.5, 0.7])),
        SoftRelu => (rng.pick(&[1.0f32, 2.0, 0.5, -1.0]), 0.0),
        Hardsigmoid | Hardswish => (rng.pick(&[0.2f32, 1.0 / 6.0, 0.25]), rng.pick(&[0.5f32, 0.0, 0.25])),
        Swish => (rng.pick(&[1.0f32, 0.5, 2.0, -1.0]), 0.0),
        Clip | ClipV2 => (rng.pick(&[-2.0f32, 0.0, -0.5, 1.0]), rng.pick(&[1.0f32, 2.0, 3.5])),
        Pow => (rng.pick(&[1.0f32, 0.5, 2.0]), rng.pick(&[2.0f32, 0.5, 1.0, -1.0, 0.0, 3.0, 1.5])),
        _ => (0.0, 0.0),
    }
}

/// Eltwise algorithms whose value is finite for every finite argument of moderate size.
pub const EVERYWHERE: [Eltwise; 17] = [
    Eltwise::Relu,
    Eltwise::Tanh,
    Eltwise::Elu,
    Eltwise::Square,
    Eltwise::Abs,
    Eltwise::Linear,
    Eltwise::SoftRelu,
    Eltwise::Hardsigmoid,
    Eltwise::Logistic,
    Eltwise::GeluTanh,
    Eltwise::Swish,
    Eltwise::Clip,
    Eltwise::ClipV2,
    Eltwise::GeluErf,
    Eltwise::Round,
    Eltwise::Mish,
    Eltwise::Hardswish,
];

/// Makes an argument of a case be rounded at random.
pub fn round_stochastically(rng: &mut Rng, case: &mut Case, argument: i32) {
    let seed = Tensor::plain(&[1], DataType::S32).filled(rng, |rng| rng.range(0, 1 << 30) as f64);
    case.arg(arg::ROUNDING_SEED, Role::Input, seed);
    case.attributes.stochastic = Some(argument);
}

/// Which post-ops a kind of primitive takes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct PostOpKinds {
    pub sum: bool,
    pub eltwise: bool,
    pub binary: bool,
    pub prelu: bool,
}

/// Appends a chain of post-ops with their arguments to a case whose destination is `DST`.
pub fn random_post_ops(rng: &mut Rng, case: &mut Case, kinds: PostOpKinds) {
    let length = rng.pick(&[1usize, 1, 1, 2, 2, 3, 4]);
    let dst = case.tensor(arg::DST).clone();
    let mut summed = false;
    for _ in 0..length {
        let index = case.attributes.post_ops.len();
        let base = arg::post_op(index);
        match rng.below(4) {
            0 if kinds.sum && !summed => {
                summed = true;
                let integer = matches!(dst.dt, DataType::S8 | DataType::U8);
                let dt = match dst.dt {
                    DataType::S8 if rng.percent(25) => Some(DataType::U8),
                    DataType::U8 if rng.percent(25) => Some(DataType::S8),
                    _ => None,
                };
                let zero_point = if integer && rng.percent(30) { rng.range(-4, 4) as i32 } else { 0 };
                case.attributes.post_ops.push(PostOp::Sum { scale: rng.pick(&[1.0, 0.5, 2.0, 0.3]), zero_point, dt });
                let (values, exact) = (dst.clone(), rng.percent(70));
                let filled = values.filled(rng, |rng| small(rng, dst.dt, exact));
                let out = case.args.iter_mut().find(|a| a.index == arg::DST).expect("a destination");
                if out.role == Role::Output {
                    out.role = Role::InOut;
                    out.tensor = filled;
                }
            }
            1 if kinds.binary => {
                let algorithm = if rng.percent(6) { Binary::Select } else { Binary::ALL[rng.below(12)] };
                let broadcast = rng.pick(&[0u32, 1, 2, 3, 4]);
                let dims: Vec<i64> = dst
                    .dims
                    .iter()
                    .enumerate()
                    .map(|(axis, d)| match broadcast {
                        0 => *d,
                        1 => 1,
                        2 if axis != 1 => 1,
                        3 if axis + 1 != dst.dims.len() => 1,
                        4 if axis % 2 == 0 => 1,
                        _ => *d,
                    })
                    .collect();
                use DataType::*;
                let dt = if dst.dt == F64 { F32 } else { rng.pick(&[F32, F32, F32, Bf16, F16, S8, U8, S32]) };
                let exact = rng.percent(70);
                let divisor = algorithm == Binary::Div;
                let src1 = Tensor::plain(&dims, dt).filled(rng, |rng| match small(rng, dt, exact) {
                    v if divisor && v.abs() < 0.25 => 1.0,
                    v => v,
                });
                case.arg(base | arg::SRC_1, Role::Input, src1);
                if algorithm == Binary::Select {
                    let choice = Tensor::plain(&dst.dims, S8).filled(rng, |rng| rng.range(0, 1) as f64);
                    case.arg(base | arg::SRC_2, Role::Input, choice);
                }
                case.attributes.post_ops.push(PostOp::Binary { algorithm });
            }
            2 if kinds.prelu => {
                let mask = rng.pick(&[0u32, 2, (1 << dst.dims.len()) - 1]) & ((1 << dst.dims.len()) - 1);
                let dims: Vec<i64> =
                    dst.dims.iter().enumerate().map(|(axis, d)| if mask >> axis & 1 == 1 { *d } else { 1 }).collect();
                let weights = Tensor::new(&dims, DataType::F32, channels_last(dims.len()))
                    .filled(rng, |rng| rng.pick(&[0.25, 0.5, 2.0, -1.0, 0.3]));
                case.arg(base | arg::WEIGHTS, Role::Input, weights);
                case.attributes.post_ops.push(PostOp::Prelu { mask });
            }
            _ if kinds.eltwise => {
                let algorithm = rng.pick(&EVERYWHERE);
                let (alpha, beta) = random_alpha_beta(rng, algorithm);
                case.attributes.post_ops.push(PostOp::Eltwise { algorithm, alpha, beta });
            }
            _ => {}
        }
    }
}

/// The only arrangement prelu weights may have.
fn channels_last(ndims: usize) -> Format {
    let name: String =
        ['a'].into_iter().chain(('c'..).take(ndims.saturating_sub(2))).chain((ndims > 1).then_some('b')).collect();
    Format::Tag(Tag::named(&name))
}

/// A small value of a type: a multiple of a quarter when `exact`, any otherwise.
pub fn small(rng: &mut Rng, dt: DataType, exact: bool) -> f64 {
    use DataType::*;
    match dt {
        U8 | U4 => rng.range(0, 8) as f64,
        S8 | S32 | S64 | S4 => rng.range(-8, 7) as f64,
        E8m0 => rng.pick(&[0.5, 1.0, 2.0, 4.0]),
        F4E2m1 | F4E3m0 => rng.pick(&[0.0, 0.5, 1.0, 2.0, 4.0, -0.5, -1.0, -2.0]),
        _ if exact => rng.range(-16, 16) as f64 / 4.0,
        _ => rng.uniform(-4.0, 4.0),
    }
}

/// A scale: a power of two when `exact`.
pub fn random_scale(rng: &mut Rng, dt: DataType, exact: bool) -> f64 {
    if exact || dt == DataType::E8m0 { rng.pick(&[0.25, 0.5, 1.0, 2.0, 4.0]) } else { dt.round(rng.uniform(0.1, 3.0)) }
}
