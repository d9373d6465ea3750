//! Softmax and its logarithm along any axis, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::{PostOpKinds, random_post_ops, small};
use crate::case::{Case, Descs, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Softmax {
    forward: bool,
    logarithm: bool,
    axis: usize,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let (forward, logarithm) = (rng.percent(60), rng.percent(40));
    let ndims = rng.range(1, 5) as usize;
    let axis = rng.below(ndims);
    let dt = rng.pick(&[F32, F32, F32, Bf16, F16, F64, F8E5m2, F8E4m3]);
    let dst_dt = if forward { rng.pick(&[dt, dt, F32, U8, S8]) } else { dt };
    let dims = random_dims(rng, ndims, 800);
    let format = random_format(rng, &dims, dt, 30);
    let mut case = Case::new(Softmax { forward, logarithm, axis });
    let data = |dt| Tensor::new(&dims, dt, format.clone());
    if forward {
        let src = data(dt).filled(rng, |rng| rng.uniform(-6.0, 6.0));
        case.arg(arg::SRC, Role::Input, src);
        let role = if dst_dt == dt && rng.percent(15) { Role::InPlace(arg::SRC) } else { Role::Output };
        case.arg(arg::DST, role, data(dst_dt));
        if rng.percent(25) {
            random_post_ops(rng, &mut case, PostOpKinds { sum: false, eltwise: true, binary: true, prelu: false });
        }
    } else {
        let dst = data(dt).filled(rng, |rng| if logarithm { rng.uniform(-6.0, 0.0) } else { rng.unit() });
        case.arg(arg::DST, Role::Input, dst);
        case.arg(arg::DIFF_DST, Role::Input, data(dt).filled(rng, |rng| small(rng, dt, false)));
        case.arg(arg::DIFF_SRC, Role::Output, data(dt));
    }
    case
}

impl Softmax {
    fn algorithm(&self) -> i32 {
        0x30000 + i32::from(self.logarithm)
    }
}

impl Operation for Softmax {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let (algorithm, axis) = (self.algorithm(), self.axis as i32);
        if self.forward {
            let (src, dst) = (mds.desc(arg::SRC), mds.desc(arg::DST));
            return maker.softmax_forward(prop::FORWARD_INFERENCE, algorithm, src, dst, axis);
        }
        let [diff_src, diff_dst, dst] = [arg::DIFF_SRC, arg::DIFF_DST, arg::DST].map(|index| mds.desc(index));
        maker.softmax_backward(algorithm, diff_src, diff_dst, dst, axis)
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let (src, dst) = (mds.desc(arg::DIFF_SRC)?, mds.desc(arg::DST)?);
        let (algorithm, axis) = (self.algorithm(), self.axis as i32);
        Some(maker.softmax_forward(prop::FORWARD_TRAINING, algorithm, Some(src), Some(dst), axis))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let math = case.math();
        let row = |tensor: &Tensor, at: &[i64]| -> Vec<Approx> {
            let mut at = at.to_vec();
            let element = |i: i64| {
                at[self.axis] = i;
                math.load(tensor.value(broadcast_index(&at, &tensor.dims)))
            };
            (0..tensor.dims[self.axis]).map(element).collect()
        };
        if self.forward {
            let (src, dst) = (case.tensor(arg::SRC), case.tensor(arg::DST));
            let value = |(i, at): (usize, Vec<i64>)| {
                let row = row(src, &at);
                let most = row.iter().fold(f64::NEG_INFINITY, |most, x| most.max(x.v));
                let below = |x: Approx| math.sub(x, Approx::exact(most));
                let total = math.sum(row.iter().map(|x| math.exp(below(*x))));
                let x = below(math.load(src.value(i)));
                let y = if self.logarithm { math.sub(x, math.ln(total)) } else { math.div(math.exp(x), total) };
                case.attributes.post_process(case, math, &at, y, dst.bits[i], dst.dt)
            };
            return Some(vec![positions(&src.dims).enumerate().map(value).collect()]);
        }
        let (dst, diff_dst) = (case.tensor(arg::DST), case.tensor(arg::DIFF_DST));
        let value = |(i, at): (usize, Vec<i64>)| {
            let (y, dd) = (math.load(dst.value(i)), math.load(diff_dst.value(i)));
            let gradients = row(diff_dst, &at);
            if self.logarithm {
                return math.sub(dd, math.mul(math.exp(y), math.sum(gradients)));
            }
            let terms: Vec<_> = gradients.into_iter().zip(row(dst, &at)).collect();
            math.mul(y, math.sub(dd, math.dot(&terms, false)))
        };
        Some(vec![positions(&dst.dims).enumerate().map(value).collect()])
    }

    fn describe(&self) -> String {
        format!("softmax forward={} logarithm={} axis={}", self.forward, self.logarithm, self.axis)
    }
}
