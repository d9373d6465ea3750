//! Tensors laid one after another along an axis.

use crate::api::arg;
use crate::attributes::{Quant, random_scale, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::handle::BorrowedDesc;
use crate::layout::{broadcast_index, positions};
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};
use std::ffi::c_int;

struct Concat {
    axis: usize,
    sources: usize,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let ndims = rng.range(1, 6) as usize;
    let dims = random_dims(rng, ndims, 700);
    let axis = rng.below(ndims);
    let sources = rng.range(1, 4) as usize;
    let mut case = Case::new(Concat { axis, sources });
    let types = [F32, F32, F16, Bf16, S8, U8, S32, F8E5m2, F8E4m3, F64];
    let dt = rng.pick(&types);
    let exact = rng.percent(60);
    let format = random_format(rng, &dims, dt, 55);
    let mut whole = dims.clone();
    whole[axis] = 0;
    for i in 0..sources {
        let mut part = dims.clone();
        if rng.percent(50) {
            part[axis] = rng.fork().pick(&[1, 2, 5, 8, 16, 17]);
        }
        whole[axis] += part[axis];
        let format = if part == dims && !rng.percent(20) { format.clone() } else { shaped(rng, &format, &part, dt) };
        let src = Tensor::new(&part, dt, format).filled(rng, |rng| small(rng, dt, exact));
        case.arg(arg::MULTIPLE_SRC + i as i32, Role::Input, src);
        if rng.percent(12) {
            let index = arg::MULTIPLE_SRC + i as i32;
            let quant = Quant { arg: index, mask: 0, groups: None, dt: F32, host: false };
            let values = quant.tensor(&dims).filled(rng, |rng| random_scale(rng, F32, exact));
            case.arg(arg::SCALES | index, Role::Input, values);
            case.attributes.scales.push(quant);
        }
    }
    let dst_dt = if rng.percent(20) { rng.pick(&types) } else { dt };
    let format = match rng.below(4) {
        0 => Format::Any,
        1 => random_format(rng, &whole, dst_dt, 55),
        _ => shaped(rng, &format, &whole, dst_dt),
    };
    case.arg(arg::DST, Role::Output, Tensor::new(&whole, dst_dt, format));
    case
}

/// The same format for other dimensions, where that is possible, or another one.
fn shaped(rng: &mut Rng, format: &Format, dims: &[i64], dt: crate::dtype::DataType) -> Format {
    match format {
        Format::Tag(_) if rng.percent(80) => format.clone(),
        _ => random_format(rng, dims, dt, 55),
    }
}

impl Operation for Concat {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let srcs: Vec<BorrowedDesc<'_>> =
            (0..self.sources).filter_map(|i| mds.desc(arg::MULTIPLE_SRC + i as i32)).collect();
        maker.concat(&srcs, self.axis as c_int, mds.desc(arg::DST))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let dst = case.tensor(arg::DST);
        let value = |mut position: Vec<i64>| {
            let mut index = arg::MULTIPLE_SRC;
            while position[self.axis] >= case.tensor(index).dims[self.axis] {
                position[self.axis] -= case.tensor(index).dims[self.axis];
                index += 1;
            }
            let src = case.tensor(index);
            let raw = src.value(broadcast_index(&position, &src.dims));
            match case.attributes.scale(case, index, &position) {
                Some(scale) => Math::F32.mul(Math::F32.load(raw), Approx::exact(scale)),
                None if src.dt == dst.dt => Approx::exact(raw),
                None => Math::F32.load(raw),
            }
        };
        Some(vec![positions(&dst.dims).map(value).collect()])
    }

    fn unsafe_for_reference(&self, case: &Case) -> Option<&'static str> {
        case.tensor(arg::DST).bits.is_empty().then_some("crashes on empty tensors")
    }

    fn describe(&self) -> String {
        format!("concat axis={}", self.axis)
    }
}
