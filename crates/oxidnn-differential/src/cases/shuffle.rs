//! Shuffles of groups along an axis, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::small;
use crate::case::{Case, Descs, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Shuffle {
    forward: bool,
    axis: usize,
    group: i64,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let forward = rng.percent(60);
    let ndims = rng.range(1, 5) as usize;
    let axis = rng.below(ndims);
    let group = rng.pick(&[1, 2, 3, 4]);
    let dt =
        if forward { rng.pick(&[F32, F32, Bf16, F16, S32, S8, U8, F64, F8E5m2]) } else { rng.pick(&[F32, Bf16, F16]) };
    let mut dims = random_dims(rng, ndims, 600);
    dims[axis] *= group;
    let format = random_format(rng, &dims, dt, 40);
    let tensor = Tensor::new(&dims, dt, format);
    let mut case = Case::new(Shuffle { forward, axis, group });
    let (from, to) = if forward { (arg::SRC, arg::DST) } else { (arg::DIFF_DST, arg::DIFF_SRC) };
    case.arg(from, Role::Input, tensor.clone().filled(rng, |rng| small(rng, dt, false)));
    case.arg(to, Role::Output, tensor);
    case
}

impl Operation for Shuffle {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let axis = self.axis as i32;
        if self.forward {
            let (src, dst) = (mds.desc(arg::SRC), mds.desc(arg::DST));
            return maker.shuffle_forward(prop::FORWARD_TRAINING, src, dst, axis, self.group);
        }
        maker.shuffle_backward(mds.desc(arg::DIFF_SRC), mds.desc(arg::DIFF_DST), axis, self.group)
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let (src, dst) = (mds.desc(arg::DIFF_SRC)?, mds.desc(arg::DIFF_DST)?);
        Some(maker.shuffle_forward(prop::FORWARD_TRAINING, Some(src), Some(dst), self.axis as i32, self.group))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let source = case.tensor(if self.forward { arg::SRC } else { arg::DIFF_DST });
        let length = source.dims[self.axis];
        // The axis is a matrix of rows of a group; the result is its transpose.
        let columns = if self.forward { self.group } else { length / self.group };
        let value = |mut at: Vec<i64>| {
            let rows = length / columns;
            at[self.axis] = at[self.axis] % rows * columns + at[self.axis] / rows;
            Approx::exact(source.value(broadcast_index(&at, &source.dims)))
        };
        Some(vec![positions(&source.dims).map(value).collect()])
    }

    fn describe(&self) -> String {
        format!("shuffle forward={} axis={} group={}", self.forward, self.axis, self.group)
    }
}
