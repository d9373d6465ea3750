//! Copies between arrangements and types, with scales, zero points and accumulation.

use crate::api::arg;
use crate::attributes::{PostOp, Quant, random_scale, small};
use crate::case::{
    Case, Crossing, Descs, Format, Operation, Role, Tensor, random_dims, random_format, random_tag, whole_bytes,
};
use crate::dtype::DataType::{self, *};
use crate::layout::positions;
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Reorder {
    crossing: Crossing,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let crossing = match rng.below(10) {
        0 => Crossing::FromCpu,
        1 => Crossing::ToCpu,
        _ => Crossing::None,
    };
    let mut case = Case::new(Reorder { crossing });
    let ndims = rng.range(1, 6) as usize;
    let any_type = |rng: &mut Rng| if rng.percent(25) { F32 } else { rng.pick(&DataType::ALL) };
    let (from, to) = (any_type(rng), any_type(rng));
    let dims = whole_bytes(&random_dims(rng, ndims, 2000), &[from, to]);
    let runtime = if rng.percent(6) { rng.range(1, (1 << ndims) - 1) as u32 } else { 0 };
    let format = |rng: &mut Rng, dt| {
        if runtime != 0 { Format::Tag(random_tag(rng, ndims, 0)) } else { random_format(rng, &dims, dt, 60) }
    };
    let mut src = Tensor::new(&dims, from, format(rng, from));
    let mut dst = Tensor::new(&dims, to, format(rng, to));
    (src.runtime, dst.runtime) = (runtime, runtime);

    let plain_copy = rng.percent(45);
    let exact = rng.percent(50);
    let special = plain_copy && rng.percent(20) && !to.is_integer() && to.bits() > 4 && to != E8m0;
    let wide = rng.percent(40);
    let mut values = rng.fork();
    src.bits.iter_mut().for_each(|bits| {
        let rng = &mut values;
        let value = match rng.below(8) {
            0 if special => rng.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, from.largest(), 1e-41, 1e-7]),
            _ if wide => wide_value(rng, from),
            _ => small(rng, from, exact),
        };
        *bits = from.encode(if to == E8m0 { value.abs().max(0.25) } else { value });
    });
    case.arg(arg::SRC, Role::Input, src);
    case.arg(arg::DST, Role::Output, dst);
    if !plain_copy {
        attributes(rng, &mut case, exact);
    }
    case
}

/// A value from most of a type's range.
fn wide_value(rng: &mut Rng, dt: DataType) -> f64 {
    match dt {
        F64 | F32 | Bf16 => rng.uniform(-1.0, 1.0) * 2f64.powi(rng.range(-20, 34) as i32),
        F16 => rng.uniform(-60000.0, 60000.0),
        F8E5m2 => rng.uniform(-2000.0, 2000.0),
        F8E4m3 => rng.uniform(-440.0, 440.0),
        F4E2m1 => rng.uniform(-6.0, 6.0),
        F4E3m0 => rng.uniform(-16.0, 16.0),
        E8m0 => 2f64.powi(rng.range(-20, 20) as i32),
        S32 | S64 => rng.range(i64::from(i32::MIN), i64::from(i32::MAX)) as f64,
        S8 => rng.range(-128, 127) as f64,
        U8 => rng.range(0, 255) as f64,
        S4 => rng.range(-8, 7) as f64,
        U4 => rng.range(0, 15) as f64,
    }
}

fn attributes(rng: &mut Rng, case: &mut Case, exact: bool) {
    let dims = case.tensor(arg::SRC).dims.clone();
    let (from, to) = (case.tensor(arg::SRC).dt, case.tensor(arg::DST).dt);
    for (index, chance) in [(arg::SRC, 60), (arg::DST, 40)] {
        if rng.percent(chance) {
            let mut quant = random_quant(rng, index, &dims, F32);
            if index == arg::DST && quant.groups.is_some() {
                quant.groups = None;
            }
            if index == arg::SRC && matches!(from, S4 | U4) && quant.mask == 0 {
                quant.mask = 1;
            }
            let dt = match rng.below(20) {
                0 => Bf16,
                1 => F16,
                2 if quant.groups.is_some() => E8m0,
                _ => F32,
            };
            quant.dt = dt;
            let values = quant.tensor(&dims).filled(rng, |rng| random_scale(rng, dt, exact));
            case.arg(arg::SCALES | index, Role::Input, values);
            case.attributes.scales.push(quant);
        }
    }
    for (index, dt) in [(arg::SRC, from), (arg::DST, to)] {
        if dt.is_integer() && rng.percent(40) {
            let mut quant = random_quant(rng, index, &dims, S32);
            if rng.percent(60) {
                quant.mask = 0;
            }
            if quant.mask == 0 || index == arg::DST {
                quant.groups = None;
            }
            let low = if matches!(dt, U8 | U4) { 0 } else { -4 };
            let values = quant.tensor(&dims).filled(rng, |rng| rng.range(low, 5) as f64);
            case.arg(arg::ZERO_POINTS | index, Role::Input, values);
            case.attributes.zero_points.push(quant);
        }
    }
    if rng.percent(25) && case.find(arg::ZERO_POINTS | arg::DST).is_none() {
        case.attributes.post_ops.push(PostOp::Sum { scale: rng.pick(&[1.0, 0.5, 2.0, 0.3]), zero_point: 0, dt: None });
        let dst = case.args.iter_mut().find(|argument| argument.index == arg::DST).expect("a destination");
        dst.role = Role::InOut;
        let dt = dst.tensor.dt;
        dst.tensor = dst.tensor.clone().filled(rng, |rng| small(rng, dt, exact));
    }
}

/// One value, one per index of some dimensions, or one per group.
fn random_quant(rng: &mut Rng, index: i32, dims: &[i64], dt: DataType) -> Quant {
    let ndims = dims.len();
    let all = (1 << ndims) - 1;
    let (mask, groups) = match rng.below(10) {
        0..4 => (0, None),
        4..7 => (1 << rng.below(ndims), None),
        7..9 => (rng.range(1, all) as u32, None),
        _ if ndims < 2 => (1, None),
        _ => {
            let mut divisor = |d: i64| {
                let divisors: Vec<i64> = (1..=d.max(1)).filter(|g| d % g == 0).collect();
                rng.pick(&divisors)
            };
            (all as u32, Some([divisor(dims[ndims - 2]), divisor(dims[ndims - 1])]))
        }
    };
    Quant { arg: index, mask, groups, dt, host: false }
}

impl Operation for Reorder {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let (src, dst) = (mds.desc(arg::SRC), mds.desc(arg::DST));
        maker.reorder(src.expect("a reorder has a source"), dst.expect("a reorder has a destination"))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let (src, dst) = (case.tensor(arg::SRC), case.tensor(arg::DST));
        let attributes = &case.attributes;
        let bare = attributes.scales.is_empty() && attributes.zero_points.is_empty() && attributes.post_ops.is_empty();
        let math = if src.dt == F64 && dst.dt == F64 { Math::F64 } else { Math::F32 };
        let value = |(i, position): (usize, Vec<i64>)| {
            if bare && src.dt == dst.dt {
                return Approx::exact(src.value(i));
            }
            let mut x = math.load(src.value(i));
            if let Some(zero_point) = attributes.zero_point(case, arg::SRC, &position) {
                x = math.sub(x, Approx::exact(zero_point));
            }
            if let Some(scale) = attributes.scale(case, arg::SRC, &position) {
                x = math.mul(x, Approx::exact(scale));
            }
            x = attributes.post_process(case, math, &position, x, dst.bits[i], dst.dt);
            if let Some(scale) = attributes.scale(case, arg::DST, &position) {
                x = math.div(x, Approx::exact(scale));
            }
            if let Some(zero_point) = attributes.zero_point(case, arg::DST, &position) {
                x = math.add(x, Approx::exact(zero_point));
            }
            x
        };
        Some(vec![positions(&src.dims).enumerate().map(value).collect()])
    }

    fn unsafe_for_reference(&self, case: &Case) -> Option<&'static str> {
        let narrow = case.attributes.scales.iter().any(|quant| quant.dt != F32);
        narrow.then_some("reads scales of any type as f32, past the end of narrower ones")
    }

    fn describe(&self) -> String {
        match self.crossing {
            Crossing::None => "reorder".to_string(),
            crossing => format!("reorder ({crossing:?})"),
        }
    }

    fn crossing(&self) -> Crossing {
        self.crossing
    }
}
