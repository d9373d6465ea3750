//! Inner products in all passes: sources with and without images, bias, scales, post-ops.

use super::prop;
use crate::api::arg;
use crate::attributes::{PostOpKinds, Quant, random_post_ops, random_scale, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor};
use crate::dtype::DataType::{self, *};
use crate::layout::{Tag, elements, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Forward,
    Data,
    Weights,
}

struct InnerProduct {
    pass: Pass,
}

/// Types that go together: the two factors and the results.
type Config = (DataType, DataType, &'static [DataType]);

const FORWARD: [Config; 8] = [
    (F32, F32, &[F32]),
    (F32, F32, &[F32]),
    (F16, F16, &[F16, F32]),
    (Bf16, Bf16, &[Bf16, F32]),
    (U8, S8, &[U8, S8, S32, F32]),
    (S8, S8, &[U8, S8, S32, F32]),
    (F64, F64, &[F64]),
    (F8E5m2, F8E4m3, &[F8E5m2, F32, F16]),
];
const BACKWARD: [Config; 4] =
    [(F32, F32, &[F32]), (Bf16, Bf16, &[Bf16, F32]), (F16, F16, &[F16, F32]), (F64, F64, &[F64])];

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let pass = rng.pick(&[Pass::Forward, Pass::Forward, Pass::Data, Pass::Weights]);
    let (left, right, results) = if pass == Pass::Forward { rng.pick(&FORWARD) } else { rng.pick(&BACKWARD) };
    let result = rng.pick(results);
    let spatial = rng.pick(&[0usize, 0, 1, 2, 3]);
    let mut sizes = rng.fork();
    let (batch, ic) = (sizes.pick(&[1, 2, 5, 16, 35]), sizes.pick(&[1, 3, 8, 17, 32, 100, 128]));
    let oc = sizes.pick(&[1, 4, 16, 19, 33, 64, 80]);
    let image: Vec<i64> = (0..spatial).map(|_| sizes.pick(&[1, 2, 3])).collect();
    let src_dims = [&[batch, ic][..], &image].concat();
    let weights_dims = [&[oc, ic][..], &image].concat();
    let dst_dims = [batch, oc];
    let (exact, any, last) = (rng.percent(80), rng.percent(50), rng.percent(40));
    let tensor = |dims: &[i64], dt| {
        let tag = if last { ["ab", "acb", "acdb", "acdeb"][dims.len() - 2] } else { "" };
        let format = match (any, tag) {
            (true, _) => Format::Any,
            (_, "") => Format::Tag(Tag::row_major(dims.len())),
            _ => Format::Tag(Tag::named(tag)),
        };
        Tensor::new(dims, dt, format)
    };
    let with_bias = pass != Pass::Data && rng.percent(50);
    let mut case = Case::new(InnerProduct { pass });
    let mut input = |case: &mut Case, index: i32, tensor: Tensor| {
        let dt = tensor.dt;
        case.arg(index, Role::Input, tensor.filled(rng, |rng| small(rng, dt, exact)));
    };
    match pass {
        Pass::Forward => {
            input(&mut case, arg::SRC, tensor(&src_dims, left));
            input(&mut case, arg::WEIGHTS, tensor(&weights_dims, right));
            if with_bias {
                input(&mut case, arg::BIAS, Tensor::plain(&[oc], if left == F64 { F64 } else { F32 }));
            }
            case.arg(arg::DST, Role::Output, tensor(&dst_dims, result));
            if left.is_integer() {
                quantise(rng, &mut case, exact);
            }
            if rng.percent(40) {
                random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: true });
            }
        }
        Pass::Data => {
            input(&mut case, arg::DIFF_DST, tensor(&dst_dims, left));
            input(&mut case, arg::WEIGHTS, tensor(&weights_dims, right));
            case.arg(arg::DIFF_SRC, Role::Output, tensor(&src_dims, result));
        }
        Pass::Weights => {
            input(&mut case, arg::SRC, tensor(&src_dims, left));
            input(&mut case, arg::DIFF_DST, tensor(&dst_dims, right));
            case.arg(arg::DIFF_WEIGHTS, Role::Output, tensor(&weights_dims, result));
            if with_bias {
                case.arg(arg::DIFF_BIAS, Role::Output, Tensor::plain(&[oc], result));
            }
        }
    }
    case.attributes.user_scratchpad = rng.percent(15);
    case
}

/// Adds scales.
fn quantise(rng: &mut Rng, case: &mut Case, exact: bool) {
    let per_channel = u32::from(rng.percent(50));
    for (index, mask) in [(arg::SRC, 0), (arg::WEIGHTS, per_channel), (arg::DST, 0)] {
        if rng.percent(50) {
            let quant = Quant { arg: index, mask, groups: None, dt: F32, host: false };
            let values = quant.tensor(&case.tensor(index).dims).filled(rng, |rng| random_scale(rng, F32, exact));
            case.arg(arg::SCALES | index, Role::Input, values);
            case.attributes.scales.push(quant);
        }
    }
}

impl Operation for InnerProduct {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let md = |index: i32| mds.desc(index);
        match self.pass {
            Pass::Forward => {
                let [src, weights, bias, dst] = [arg::SRC, arg::WEIGHTS, arg::BIAS, arg::DST].map(md);
                maker.inner_product_forward(prop::FORWARD_TRAINING, src, weights, bias, dst)
            }
            Pass::Data => {
                let [src, weights, dst] = [arg::DIFF_SRC, arg::WEIGHTS, arg::DIFF_DST].map(md);
                maker.inner_product_backward_data(src, weights, dst)
            }
            Pass::Weights => {
                let [src, weights] = [arg::SRC, arg::DIFF_WEIGHTS].map(md);
                let [bias, dst] = [arg::DIFF_BIAS, arg::DIFF_DST].map(md);
                maker.inner_product_backward_weights(src, weights, bias, dst)
            }
        }
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let tensor = |index: i32, gradient: i32| case.find(index).map_or_else(|| case.tensor(gradient), |a| &a.tensor);
        let (src, weights) = (tensor(arg::SRC, arg::DIFF_SRC), tensor(arg::WEIGHTS, arg::DIFF_WEIGHTS));
        let dst = tensor(arg::DST, arg::DIFF_DST);
        let attributes = &case.attributes;
        let math = case.math();
        // Row by row, everything that belongs to an image lies together.
        let (batch, channels) = (src.dims[0] as usize, weights.dims[0] as usize);
        let depth = elements(&src.dims[1..]);
        let value = |tensor: &Tensor, i: usize| math.load(tensor.value(i));
        let whole = src.dt.is_integer();
        match self.pass {
            Pass::Data => {
                let sum = |i: usize| {
                    let term = |o: usize| (value(dst, i / depth * channels + o), value(weights, o * depth + i % depth));
                    math.dot(&(0..channels).map(term).collect::<Vec<_>>(), false)
                };
                Some(vec![(0..batch * depth).map(sum).collect()])
            }
            Pass::Weights => {
                let sum = |i: usize| {
                    let term = |n: usize| (value(src, n * depth + i % depth), value(dst, n * channels + i / depth));
                    math.dot(&(0..batch).map(term).collect::<Vec<_>>(), false)
                };
                let total = |o: usize| math.sum((0..batch).map(|n| value(dst, n * channels + o)));
                let bias = case.find(arg::DIFF_BIAS).map(|_| (0..channels).map(total).collect());
                Some(std::iter::once((0..channels * depth).map(sum).collect()).chain(bias).collect())
            }
            Pass::Forward => {
                let finish = |(i, at): (usize, Vec<i64>)| {
                    let (n, o) = (i / channels, i % channels);
                    let term = |k: usize| (value(src, n * depth + k), value(weights, o * depth + k));
                    let mut x = math.dot(&(0..depth).map(term).collect::<Vec<_>>(), whole);
                    let mut at_weights = vec![0; weights.dims.len()];
                    at_weights[0] = o as i64;
                    let at_src = vec![0; src.dims.len()];
                    for scale in
                        [attributes.scale(case, arg::SRC, &at_src), attributes.scale(case, arg::WEIGHTS, &at_weights)]
                    {
                        x = scale.map_or(x, |scale| math.mul(x, Approx::exact(scale)));
                    }
                    if let Some(bias) = case.find(arg::BIAS) {
                        x = math.add(x, value(&bias.tensor, o));
                    }
                    x = attributes.post_process(case, math, &at, x, dst.bits[i], dst.dt);
                    match attributes.scale(case, arg::DST, &at) {
                        Some(scale) => math.div(x, Approx::exact(scale)),
                        None => x,
                    }
                };
                Some(vec![positions(&dst.dims).enumerate().map(finish).collect()])
            }
        }
    }

    fn describe(&self) -> String {
        format!("inner_product {:?}", self.pass)
    }
}
