//! Local response normalization across channels and within one, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::small;
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_tag};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Lrn {
    within: bool,
    prop: i32,
    size: i64,
    alpha: f32,
    beta: f32,
    k: f32,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let within = rng.percent(40);
    let kind = rng.pick(&[prop::FORWARD_INFERENCE, prop::FORWARD_TRAINING, prop::BACKWARD_DATA]);
    let dt = rng.pick(&[F32, F32, Bf16, F16, F64, F8E5m2]);
    let (size, beta) = (rng.pick(&[1, 3, 5]), rng.pick(&[0.75, 1.0, 0.5]));
    let op = Lrn { within, prop: kind, size, alpha: rng.pick(&[0.5, 1.0, 0.0001]), beta, k: rng.pick(&[1.0, 2.0]) };
    let mut sizes = rng.fork();
    let dims = [sizes.pick(&[1, 2]), sizes.pick(&[1, 5, 8, 16, 19]), sizes.pick(&[1, 4, 7]), sizes.pick(&[1, 3, 6])];
    let format = Format::Tag(random_tag(rng, dims.len(), 30));
    let data = || Tensor::new(&dims, dt, format.clone());
    let mut case = Case::new(op);
    case.arg(arg::SRC, Role::Input, data().filled(rng, |rng| rng.uniform(-3.0, 3.0)));
    if kind == prop::BACKWARD_DATA {
        case.arg(arg::DIFF_DST, Role::Input, data().filled(rng, |rng| small(rng, dt, false)));
        case.arg(arg::DIFF_SRC, Role::Output, data());
    } else {
        // oneDNN takes no other type or layout for the destination.
        let dst = match rng.percent(20) {
            true => Tensor::new(&dims, rng.pick(&[F32, Bf16, F16]), Format::Tag(random_tag(rng, dims.len(), 30))),
            false => data(),
        };
        case.arg(arg::DST, Role::Output, dst);
    }
    case
}

impl Lrn {
    fn algorithm(&self) -> i32 {
        if self.within { 0xbff } else { 0xaff }
    }

    fn shape(&self) -> (i64, f32, f32, f32) {
        (self.size, self.alpha, self.beta, self.k)
    }

    /// The elements whose squares an element is divided by.
    fn neighbours(&self, dims: &[i64], at: &[i64]) -> Vec<Vec<i64>> {
        let reach = (self.size - 1) / 2;
        let axes: Vec<usize> = if self.within { (2..dims.len()).collect() } else { vec![1] };
        positions(&vec![self.size; axes.len()])
            .map(|shift| {
                let mut at = at.to_vec();
                axes.iter().zip(shift).for_each(|(&axis, shift)| at[axis] += shift - reach);
                at
            })
            .filter(|at| at.iter().zip(dims).all(|(i, dim)| (0..*dim).contains(i)))
            .collect()
    }
}

impl Operation for Lrn {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let src = mds.desc(arg::SRC);
        if self.prop == prop::BACKWARD_DATA {
            let (diff_src, diff_dst) = (mds.desc(arg::DIFF_SRC), mds.desc(arg::DIFF_DST));
            return maker.lrn_backward(self.algorithm(), diff_src, diff_dst, src, self.shape());
        }
        maker.lrn_forward(self.prop, self.algorithm(), src, mds.desc(arg::DST), self.shape())
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let dst = mds.desc(arg::DIFF_DST)?;
        let src = mds.desc(arg::SRC);
        Some(maker.lrn_forward(prop::FORWARD_TRAINING, self.algorithm(), src, Some(dst), self.shape()))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let math = case.math();
        let src = case.tensor(arg::SRC);
        let load = |tensor: &Tensor, at: &[i64]| math.load(tensor.value(broadcast_index(at, &tensor.dims)));
        let summands = if self.within { self.size * self.size } else { self.size };
        let (alpha, beta) = (f64::from(self.alpha), f64::from(self.beta));
        let slope = math.div(Approx::exact(alpha), Approx::exact(summands as f64));
        let size = |at: &[i64]| {
            let neighbours = self.neighbours(&src.dims, at);
            let squares: Vec<_> = neighbours.iter().map(|at| (load(src, at), load(src, at))).collect();
            math.add(Approx::exact(f64::from(self.k)), math.mul(slope, math.dot(&squares, false)))
        };
        if self.prop != prop::BACKWARD_DATA {
            let value = |at: Vec<i64>| math.mul(load(src, &at), math.powf(size(&at), -beta));
            return Some(vec![positions(&src.dims).map(value).collect()]);
        }
        let diff_dst = case.tensor(arg::DIFF_DST);
        let value = |at: Vec<i64>| {
            let own = math.mul(load(diff_dst, &at), math.powf(size(&at), -beta));
            let others = self.neighbours(&src.dims, &at);
            let share = |other: &Vec<i64>| {
                let product = math.mul(load(diff_dst, other), load(src, other));
                math.mul(product, math.powf(size(other), -beta - 1.0))
            };
            let sum = math.sum(others.iter().map(share));
            let factor = math.mul(math.mul(Approx::exact(2.0 * beta), slope), load(src, &at));
            math.sub(own, math.mul(factor, sum))
        };
        Some(vec![positions(&src.dims).map(value).collect()])
    }

    fn unsafe_for_reference(&self, _case: &Case) -> Option<&'static str> {
        let alone = self.prop == prop::BACKWARD_DATA && !self.within && self.size == 1;
        alone.then_some("crashes on the gradient of windows of one channel")
    }

    fn describe(&self) -> String {
        let Lrn { within, prop, size, alpha, beta, k } = self;
        format!("lrn within={within} prop={prop} size={size} alpha={alpha} beta={beta} k={k}")
    }
}
