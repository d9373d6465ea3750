//! Resampling of images, by the nearest element and linearly, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::{PostOpKinds, random_post_ops, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_tag};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, elements, positions};
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Resampling {
    linear: bool,
    forward: bool,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let (linear, forward) = (rng.percent(55), rng.percent(65));
    let dt = rng.pick(&[F32, F32, Bf16, F16, S32, S8, U8]);
    let spatial = rng.pick(&[1usize, 2, 2, 3]);
    let mut sizes = rng.fork();
    let front = [sizes.pick(&[1, 2]), sizes.pick(&[1, 3, 8, 16, 17])];
    let mut side = |many: i64| -> Vec<i64> { (0..spatial).map(|_| sizes.range(1, many)).collect() };
    let src_dims = [&front[..], &side(5)].concat();
    let dst_dims = [&front[..], &side(7)].concat();
    let format = Format::Tag(random_tag(rng, src_dims.len(), 30));
    let exact = rng.percent(50);
    let (src, dst) = (Tensor::new(&src_dims, dt, format.clone()), Tensor::new(&dst_dims, dt, format));
    let mut case = Case::new(Resampling { linear, forward });
    if forward {
        case.arg(arg::SRC, Role::Input, src.filled(rng, |rng| small(rng, dt, exact)));
        case.arg(arg::DST, Role::Output, dst);
        if rng.percent(25) {
            random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: false });
        }
    } else {
        case.arg(arg::DIFF_DST, Role::Input, dst.filled(rng, |rng| small(rng, dt, exact)));
        case.arg(arg::DIFF_SRC, Role::Output, src);
    }
    case
}

/// What an element of the destination takes along one dimension: positions in the source and their weights.
fn taken(linear: bool, at: i64, from: i64, to: i64) -> Vec<(i64, Approx)> {
    let math = Math::F32;
    let exact = (at as f64 + 0.5) * from as f64 / to as f64 - 0.5;
    if !linear {
        // Of two that are equally near it is the later one: `(at + 0.5) * from` and a whole quotient are exact in oneDNN's f32, too.
        return vec![((exact.round() as i64).clamp(0, from - 1), Approx::exact(1.0))];
    }
    let low = exact.floor();
    // The position is rounded, and the fraction keeps the error of the whole.
    let place = math.position_error(exact);
    let high_weight = Approx { v: exact - low, e: place };
    let low_weight = Approx { v: 1.0 - high_weight.v, e: place };
    let inside = |i: f64| (i as i64).clamp(0, from - 1);
    vec![(inside(low), low_weight), (inside(low + 1.0), high_weight)]
}

impl Resampling {
    fn algorithm(&self) -> i32 {
        0x2fff0 + i32::from(self.linear)
    }

    /// The elements of the source that an element of the destination is made of, and their weights.
    fn parts(&self, from: &[i64], to: &[i64], at: &[i64]) -> Vec<(Vec<i64>, Approx)> {
        let mut parts = vec![(at[..2].to_vec(), Approx::exact(1.0))];
        for d in 2..at.len() {
            let along = taken(self.linear, at[d], from[d], to[d]);
            parts = parts
                .iter()
                .flat_map(|(place, weight)| {
                    along.iter().map(move |(i, factor)| ([&place[..], &[*i]].concat(), Math::F32.mul(*weight, *factor)))
                })
                .collect();
        }
        parts
    }
}

impl Operation for Resampling {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        if self.forward {
            let (src, dst) = (mds.desc(arg::SRC), mds.desc(arg::DST));
            return maker.resampling_forward(prop::FORWARD_TRAINING, self.algorithm(), src, dst);
        }
        maker.resampling_backward(self.algorithm(), mds.desc(arg::DIFF_SRC), mds.desc(arg::DIFF_DST))
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let (src, dst) = (mds.desc(arg::DIFF_SRC)?, mds.desc(arg::DIFF_DST)?);
        Some(maker.resampling_forward(prop::FORWARD_TRAINING, self.algorithm(), Some(src), Some(dst)))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let math = Math::F32;
        let tensor = |index: i32, gradient: i32| case.find(index).map_or_else(|| case.tensor(gradient), |a| &a.tensor);
        let (src, dst) = (tensor(arg::SRC, arg::DIFF_SRC), tensor(arg::DST, arg::DIFF_DST));
        let load = |tensor: &Tensor, at: &[i64]| math.load(tensor.value(broadcast_index(at, &tensor.dims)));
        if self.forward {
            let value = |(i, at): (usize, Vec<i64>)| {
                let parts = self.parts(&src.dims, &dst.dims, &at);
                let terms: Vec<_> = parts.iter().map(|(place, weight)| (load(src, place), *weight)).collect();
                case.attributes.post_process(case, math, &at, math.dot(&terms, false), dst.bits[i], dst.dt)
            };
            return Some(vec![positions(&dst.dims).enumerate().map(value).collect()]);
        }
        let mut terms: Vec<Vec<(Approx, Approx)>> = vec![Vec::new(); elements(&src.dims)];
        for at in positions(&dst.dims) {
            for (place, weight) in self.parts(&src.dims, &dst.dims, &at) {
                terms[broadcast_index(&place, &src.dims)].push((load(dst, &at), weight));
            }
        }
        Some(vec![terms.iter().map(|terms| math.dot(terms, false)).collect()])
    }

    fn describe(&self) -> String {
        format!("resampling linear={} forward={}", self.linear, self.forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_equally_near_elements_is_taken_and_gets_the_gradient() {
        let numbered = |n: i64| {
            let mut tensor = Tensor::plain(&[1, 1, n], F32);
            (1..).zip(&mut tensor.bits).for_each(|(number, bits)| *bits = F32.encode(f64::from(number)));
            tensor
        };
        for forward in [true, false] {
            let mut case = Case::new(Resampling { linear: false, forward });
            let (src, dst) = if forward { (arg::SRC, arg::DST) } else { (arg::DIFF_SRC, arg::DIFF_DST) };
            case.arg(src, if forward { Role::Input } else { Role::Output }, numbered(4));
            case.arg(dst, if forward { Role::Output } else { Role::Input }, numbered(7));
            let values = case.operation.expect(&case).expect("ties are not left to the reference");
            let values: Vec<f64> = values[0].iter().map(|x| x.v).collect();
            let expected: &[f64] = if forward { &[1., 1., 2., 3., 3., 4., 4.] } else { &[3., 3., 9., 13.] };
            assert_eq!(values, expected);
        }
    }
}
