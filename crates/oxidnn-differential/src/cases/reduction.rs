//! Reductions over any dimensions, by every algorithm.

use crate::api::arg;
use crate::attributes::{PostOpKinds, random_post_ops, small};
use crate::case::{Case, Descs, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, elements, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Max = 0x2fff2,
    Min,
    Sum,
    Mul,
    Mean,
    NormMax,
    NormSum,
    PowerMax,
    PowerSum,
}

struct Reduction {
    algorithm: Algorithm,
    p: f32,
    eps: f32,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    use Algorithm::*;
    let algorithm = rng.pick(&[Max, Min, Sum, Mul, Mean, NormMax, NormSum, PowerMax, PowerSum]);
    let (src_dt, dst_dt) = rng.pick(&[
        (F32, F32),
        (F32, F32),
        (Bf16, Bf16),
        (F16, F16),
        (Bf16, F32),
        (S8, S8),
        (U8, S32),
        (S8, F32),
        (F64, F64),
        (F8E5m2, F32),
        (F8E4m3, F8E4m3),
    ]);
    let ndims = rng.range(1, 5) as usize;
    let reduced = rng.below((1 << ndims) - 1) + 1;
    let mut dims = random_dims(rng, ndims, 500);
    dims.iter_mut().for_each(|dim| *dim = (*dim).max(1));
    // A reduction that reduces nothing is refused.
    let first = reduced.trailing_zeros() as usize;
    dims[first] = dims[first].max(2);
    let dst_dims: Vec<i64> = (0..ndims).map(|d| if reduced >> d & 1 == 1 { 1 } else { dims[d] }).collect();
    let (p, eps) = (rng.pick(&[1.0, 2.0, 3.0]), rng.pick(&[0.0, 0.5]));
    let exact = rng.percent(60);
    let mut case = Case::new(Reduction { algorithm, p, eps });
    let src = Tensor::new(&dims, src_dt, random_format(rng, &dims, src_dt, 30));
    case.arg(arg::SRC, Role::Input, src.filled(rng, |rng| small(rng, src_dt, exact)));
    let dst_format = random_format(rng, &dst_dims, dst_dt, 20);
    case.arg(arg::DST, Role::Output, Tensor::new(&dst_dims, dst_dt, dst_format));
    if rng.percent(25) {
        random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: false });
    }
    case
}

impl Operation for Reduction {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        maker.reduction(self.algorithm as i32, mds.desc(arg::SRC), mds.desc(arg::DST), self.p, self.eps)
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        use Algorithm::*;
        let (src, dst) = (case.tensor(arg::SRC), case.tensor(arg::DST));
        let math = case.math();
        let mut members: Vec<Vec<Approx>> = vec![Vec::new(); elements(&dst.dims)];
        for (i, at) in positions(&src.dims).enumerate() {
            members[broadcast_index(&at, &dst.dims)].push(math.load(src.value(i)));
        }
        let (p, eps) = (f64::from(self.p), Approx::exact(f64::from(self.eps)));
        let reduce = |members: &Vec<Approx>| {
            let powers = || math.sum(members.iter().map(|x| math.powf(Approx { v: x.v.abs(), ..*x }, p)));
            let larger = |x: Approx| if x.v < eps.v { eps } else { x };
            match self.algorithm {
                Max => members.iter().copied().reduce(|a, b| if b.v > a.v { b } else { a }),
                Min => members.iter().copied().reduce(|a, b| if b.v < a.v { b } else { a }),
                Sum => Some(math.sum(members.iter().copied())),
                Mul => members.iter().copied().reduce(|a, b| math.mul(a, b)),
                Mean => Some(math.div(math.sum(members.iter().copied()), Approx::exact(members.len() as f64))),
                NormMax => Some(math.powf(larger(powers()), 1.0 / p)),
                NormSum => Some(math.powf(math.add(powers(), eps), 1.0 / p)),
                PowerMax => Some(larger(powers())),
                PowerSum => Some(math.add(powers(), eps)),
            }
        };
        let values: Option<Vec<Approx>> = members.iter().map(reduce).collect();
        let finish = |(i, (at, x)): (usize, (Vec<i64>, Approx))| {
            case.attributes.post_process(case, math, &at, x, dst.bits[i], dst.dt)
        };
        Some(vec![positions(&dst.dims).zip(values?).enumerate().map(finish).collect()])
    }

    fn describe(&self) -> String {
        format!("reduction {:?} p={} eps={}", self.algorithm, self.p, self.eps)
    }
}
