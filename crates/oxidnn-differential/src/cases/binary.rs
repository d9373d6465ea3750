//! Two tensors combined element by element, with broadcasts.

use super::algorithm::Binary;
use crate::api::arg;
use crate::attributes::{PostOpKinds, Quant, random_post_ops, random_scale, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};
use std::ffi::c_int;

struct BinaryOp {
    algorithm: Binary,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let algorithm = rng.pick(Binary::ALL);
    let mut case = Case::new(BinaryOp { algorithm });
    let ndims = rng.range(1, 6) as usize;
    let dims = random_dims(rng, ndims, 1500);
    let any_type = |rng: &mut Rng| rng.pick(&[F32, F32, F32, Bf16, F16, S32, S8, U8, F64, F8E5m2, F8E4m3]);
    let first = any_type(rng);
    let (second, result) = if rng.percent(60) { (first, first) } else { (any_type(rng), any_type(rng)) };
    let exact = rng.percent(60);

    let broadcast = |rng: &mut Rng, chance: u32| -> Vec<i64> {
        let keep_all = !rng.percent(chance);
        dims.iter().map(|d| if keep_all || rng.percent(50) { *d } else { 1 }).collect()
    };
    let dims1 = broadcast(rng, 55);
    let dims0: Vec<i64> =
        broadcast(rng, 12).iter().zip(&dims1).zip(&dims).map(|((a, b), d)| if b == d { *a } else { *d }).collect();
    let format = random_format(rng, &dims, first, 45);
    let format0 = if dims0 == dims { format.clone() } else { random_format(rng, &dims0, first, 30) };
    let format1 = match (dims1 == dims, rng.below(10)) {
        (_, 0) => Format::Any,
        (true, 1..8) => format.clone(),
        _ => random_format(rng, &dims1, second, 30),
    };
    let format_out = match rng.below(10) {
        0 => random_format(rng, &dims, result, 45),
        1 => Format::Any,
        _ => format,
    };
    let divisor = algorithm == Binary::Div;
    let src0 = Tensor::new(&dims0, first, format0.clone()).filled(rng, |rng| small(rng, first, exact));
    let src1 = Tensor::new(&dims1, second, format1).filled(rng, |rng| nonzero(small(rng, second, exact), divisor));
    let same = dims0 == dims && first == result && format0 == format_out;
    case.arg(arg::SRC, Role::Input, src0);
    case.arg(arg::SRC_1, Role::Input, src1);
    if algorithm == Binary::Select {
        let choice = Tensor::new(&dims0, S8, format0).filled(rng, |rng| rng.range(0, 1) as f64);
        case.arg(arg::SRC_2, Role::Input, choice);
    }
    let role = if same && rng.percent(15) { Role::InPlace(arg::SRC) } else { Role::Output };
    case.arg(arg::DST, role, Tensor::new(&dims, result, format_out));

    for index in [arg::SRC, arg::SRC_1] {
        if rng.percent(25) {
            let quant = Quant { arg: index, mask: 0, groups: None, dt: F32, host: rng.percent(10) };
            let values = quant.tensor(&dims).filled(rng, |rng| random_scale(rng, F32, exact));
            case.arg(arg::SCALES | index, Role::Input, values);
            case.attributes.scales.push(quant);
        }
    }
    if rng.percent(40) {
        random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: false });
    }
    case
}

fn nonzero(value: f64, needed: bool) -> f64 {
    if needed && value.abs() < 0.25 { 1.0 } else { value }
}

impl Operation for BinaryOp {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let [src0, src1, src2, dst] = [arg::SRC, arg::SRC_1, arg::SRC_2, arg::DST].map(|index| mds.desc(index));
        maker.binary(self.algorithm as c_int, src0, src1, src2, dst)
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let (src0, src1, dst) = (case.tensor(arg::SRC), case.tensor(arg::SRC_1), case.tensor(arg::DST));
        let choice = case.find(arg::SRC_2).map(|argument| &argument.tensor);
        let old: &[u64] = match case.find(arg::DST).map(|argument| argument.role) {
            Some(Role::InPlace(_)) => &src0.bits,
            _ => &dst.bits,
        };
        let math = case.math();
        let load = |tensor: &Tensor, index: i32, position: &[i64]| {
            let value = math.load(tensor.value(broadcast_index(position, &tensor.dims)));
            match case.attributes.scale(case, index, position) {
                Some(scale) => math.mul(value, Approx::exact(scale)),
                None => value,
            }
        };
        let value = |(i, position): (usize, Vec<i64>)| {
            let (a, b) = (load(src0, arg::SRC, &position), load(src1, arg::SRC_1, &position));
            let chosen = choice.is_some_and(|tensor| tensor.value(broadcast_index(&position, &tensor.dims)) != 0.0);
            let result = math.binary(self.algorithm, a, b, chosen);
            case.attributes.post_process(case, math, &position, result, old[i], dst.dt)
        };
        Some(vec![positions(&dst.dims).enumerate().map(value).collect()])
    }

    fn describe(&self) -> String {
        format!("binary {}", self.algorithm.name())
    }
}
