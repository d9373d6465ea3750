//! Pooling by maximum and average with padding and dilation, forwards and backwards.

use super::prop;
use crate::api::arg;
use crate::attributes::{PostOpKinds, random_post_ops, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_tag};
use crate::dtype::DataType::*;
use crate::layout::{broadcast_index, elements, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker, Window};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Max = 0x1ff,
    AverageWithPadding = 0x2ff,
    Average = 0x3ff,
}

struct Pooling {
    algorithm: Algorithm,
    prop: i32,
    window: Window,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    use Algorithm::*;
    let algorithm = rng.pick(&[Max, Max, AverageWithPadding, Average]);
    let kind =
        rng.pick(&[prop::FORWARD_INFERENCE, prop::FORWARD_INFERENCE, prop::FORWARD_TRAINING, prop::BACKWARD_DATA]);
    let backward = kind == prop::BACKWARD_DATA;
    let dt = match (backward, algorithm) {
        // Of two equal maxima either may be taken, so values must differ.
        (true, Max) => F32,
        (true, _) => rng.pick(&[F32, Bf16, F16, F64, F8E5m2]),
        _ => rng.pick(&[F32, F32, Bf16, F16, S8, U8, S32, F64, F8E4m3]),
    };
    let spatial = rng.pick(&[1usize, 2, 2, 3]);
    let mut sizes = rng.fork();
    let (batch, channels) = (sizes.pick(&[1, 2, 3]), sizes.pick(&[1, 3, 8, 16, 17]));
    let (mut large, mut small_side, mut window) = (Vec::new(), Vec::new(), Window::default());
    for _ in 0..spatial {
        let kernel = sizes.pick(&[1, 2, 3, 3]);
        let dilation = if sizes.percent(20) { 1 } else { 0 };
        let range = 1 + (kernel - 1) * (dilation + 1);
        // Padding is smaller than the window, so that each window has elements.
        let padding = |sizes: &mut Rng| sizes.range(0, 1).min(if dilation == 0 { kernel - 1 } else { 0 });
        let (stride, left, right) = (sizes.pick(&[1, 2, 3]), padding(&mut sizes), padding(&mut sizes));
        let side = range + sizes.range(0, 5);
        large.push(side);
        small_side.push((side - range + left + right) / stride + 1);
        window.kernel.push(kernel);
        window.strides.push(stride);
        window.dilates.push(dilation);
        window.padding_l.push(left);
        window.padding_r.push(right);
    }
    let src_dims = [&[batch, channels][..], &large].concat();
    let dst_dims = [&[batch, channels][..], &small_side].concat();
    let format = Format::Tag(random_tag(rng, src_dims.len(), 30));
    let exact = rng.percent(60) && !backward;
    let mut case = Case::new(Pooling { algorithm, prop: kind, window });
    let src = Tensor::new(&src_dims, dt, format.clone());
    let dst = Tensor::new(&dst_dims, dt, format);
    if backward {
        if algorithm == Max {
            case.arg(arg::SRC, Role::Input, src.clone().filled(rng, |rng| rng.uniform(-9.0, 9.0)));
        }
        case.arg(arg::DIFF_DST, Role::Input, dst.filled(rng, |rng| small(rng, dt, true)));
        case.arg(arg::DIFF_SRC, Role::Output, src);
        return case;
    }
    case.arg(arg::SRC, Role::Input, src.filled(rng, |rng| small(rng, dt, exact)));
    case.arg(arg::DST, Role::Output, dst);
    if rng.percent(25) {
        random_post_ops(rng, &mut case, PostOpKinds { sum: false, eltwise: true, binary: true, prelu: false });
    }
    case
}

impl Pooling {
    /// The positions of a window's elements that lie in an image of these sides.
    fn members(&self, sides: &[i64], at: &[i64]) -> Vec<Vec<i64>> {
        let Window { kernel, strides, dilates, padding_l, .. } = &self.window;
        positions(kernel)
            .map(|k| {
                let place = |i: usize| at[i + 2] * strides[i] + k[i] * (dilates[i] + 1) - padding_l[i];
                at[..2].iter().copied().chain((0..k.len()).map(place)).collect::<Vec<i64>>()
            })
            .filter(|at| at[2..].iter().zip(sides).all(|(i, side)| (0..*side).contains(i)))
            .collect()
    }

    /// What an average is divided by.
    fn divisor(&self, members: usize) -> Approx {
        let all = elements(&self.window.kernel);
        Approx::exact(if self.algorithm == Algorithm::Average { members } else { all } as f64)
    }
}

impl Operation for Pooling {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let algorithm = self.algorithm as i32;
        if self.prop == prop::BACKWARD_DATA {
            return maker.pooling_backward(algorithm, mds.desc(arg::DIFF_SRC), mds.desc(arg::DIFF_DST), &self.window);
        }
        maker.pooling_forward(self.prop, algorithm, mds.desc(arg::SRC), mds.desc(arg::DST), &self.window)
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let (src, dst) = (mds.desc(arg::DIFF_SRC)?, mds.desc(arg::DIFF_DST)?);
        let kind = prop::FORWARD_TRAINING;
        Some(maker.pooling_forward(kind, self.algorithm as i32, Some(src), Some(dst), &self.window))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let math = case.math();
        let load = |tensor: &Tensor, at: &[i64]| math.load(tensor.value(broadcast_index(at, &tensor.dims)));
        let highest = |src: &Tensor, members: &[Vec<i64>]| {
            let values = members.iter().map(|at| (load(src, at), at.clone()));
            values.reduce(|best, next| if next.0.v > best.0.v { next } else { best })
        };
        if self.prop != prop::BACKWARD_DATA {
            let (src, dst) = (case.tensor(arg::SRC), case.tensor(arg::DST));
            let value = |(i, at): (usize, Vec<i64>)| {
                let members = self.members(&src.dims[2..], &at);
                let x = match self.algorithm {
                    Algorithm::Max => highest(src, &members)?.0,
                    _ => math.div(math.sum(members.iter().map(|at| load(src, at))), self.divisor(members.len())),
                };
                Some(case.attributes.post_process(case, math, &at, x, dst.bits[i], dst.dt))
            };
            return Some(vec![positions(&dst.dims).enumerate().map(value).collect::<Option<_>>()?]);
        }
        let (diff_dst, diff_src) = (case.tensor(arg::DIFF_DST), case.tensor(arg::DIFF_SRC));
        let mut terms: Vec<Vec<Approx>> = vec![Vec::new(); elements(&diff_src.dims)];
        for at in positions(&diff_dst.dims) {
            let members = self.members(&diff_src.dims[2..], &at);
            let gradient = load(diff_dst, &at);
            if self.algorithm == Algorithm::Max {
                let (_, chosen) = highest(case.tensor(arg::SRC), &members)?;
                terms[broadcast_index(&chosen, &diff_src.dims)].push(gradient);
            } else {
                let share = math.div(gradient, self.divisor(members.len()));
                members.iter().for_each(|at| terms[broadcast_index(at, &diff_src.dims)].push(share));
            }
        }
        Some(vec![terms.into_iter().map(|terms| math.sum(terms)).collect()])
    }

    fn describe(&self) -> String {
        format!("pooling {:?} prop={} {:?}", self.algorithm, self.prop, self.window)
    }
}
