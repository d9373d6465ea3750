//! Rectifiers with slopes that were trained, broadcast in any way, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::small;
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_dims, random_tag};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, elements, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Prelu {
    forward: bool,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let forward = rng.percent(60);
    let ndims = rng.range(1, 5) as usize;
    let dt = if forward {
        rng.pick(&[F32, F32, Bf16, F16, S32, S8, U8, F64, F8E5m2])
    } else {
        rng.pick(&[F32, F32, Bf16, F16, S32, S8, U8, F64, F8E4m3])
    };
    let weights_dt = if forward { rng.pick(&[dt, dt, F32]) } else { dt };
    let mask = rng.below(1 << ndims);
    let dims = random_dims(rng, ndims, 600);
    let weights_dims: Vec<i64> = (0..ndims).map(|d| if mask >> d & 1 == 1 { dims[d] } else { 1 }).collect();
    let format = Format::Tag(random_tag(rng, ndims, 25));
    let weights_format = if rng.percent(40) { Format::Any } else { Format::Tag(random_tag(rng, ndims, 0)) };
    let image = Tensor::new(&dims, dt, format);
    let slopes = Tensor::new(&weights_dims, weights_dt, weights_format);
    let exact = rng.percent(70);
    let mut case = Case::new(Prelu { forward });
    case.arg(arg::SRC, Role::Input, image.clone().filled(rng, |rng| small(rng, dt, exact)));
    case.arg(arg::WEIGHTS, Role::Input, slopes.clone().filled(rng, |rng| small(rng, weights_dt, exact)));
    if forward {
        case.arg(arg::DST, Role::Output, image);
    } else {
        case.arg(arg::DIFF_DST, Role::Input, image.clone().filled(rng, |rng| small(rng, dt, exact)));
        case.arg(arg::DIFF_SRC, Role::Output, image);
        case.arg(arg::DIFF_WEIGHTS, Role::Output, slopes);
    }
    case
}

impl Operation for Prelu {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let (src, weights) = (mds.desc(arg::SRC), mds.desc(arg::WEIGHTS));
        if self.forward {
            return maker.prelu_forward(prop::FORWARD_TRAINING, src, weights, mds.desc(arg::DST));
        }
        let [diff_src, diff_weights, diff_dst] =
            [arg::DIFF_SRC, arg::DIFF_WEIGHTS, arg::DIFF_DST].map(|index| mds.desc(index));
        maker.prelu_backward(src, weights, diff_src, diff_weights, diff_dst)
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let dst = mds.desc(arg::DIFF_DST)?;
        Some(maker.prelu_forward(prop::FORWARD_TRAINING, mds.desc(arg::SRC), mds.desc(arg::WEIGHTS), Some(dst)))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let (src, weights) = (case.tensor(arg::SRC), case.tensor(arg::WEIGHTS));
        let math = case.math();
        let load = |tensor: &Tensor, at: &[i64]| math.load(tensor.value(broadcast_index(at, &tensor.dims)));
        if self.forward {
            let value = |at: Vec<i64>| match load(src, &at) {
                x if x.v > 0.0 => x,
                x => math.mul(x, load(weights, &at)),
            };
            return Some(vec![positions(&src.dims).map(value).collect()]);
        }
        let diff_dst = case.tensor(arg::DIFF_DST);
        let mut slopes: Vec<Vec<(Approx, Approx)>> = vec![Vec::new(); elements(&weights.dims)];
        let gradient = |at: Vec<i64>| {
            let (x, dd) = (load(src, &at), load(diff_dst, &at));
            if x.v > 0.0 {
                return dd;
            }
            slopes[broadcast_index(&at, &weights.dims)].push((x, dd));
            math.mul(dd, load(weights, &at))
        };
        let gradients = positions(&src.dims).map(gradient).collect();
        Some(vec![gradients, slopes.iter().map(|terms| math.dot(terms, false)).collect()])
    }

    fn describe(&self) -> String {
        format!("prelu forward={}", self.forward)
    }
}
