//! Batch, layer and group normalization: given and computed statistics, scale and shift, forwards and backwards.
//!
//! The three differ in which elements share their statistics and which share a scale.

use super::prop;
use crate::api::arg;
use crate::attributes::small;
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_tag};
use crate::dtype::DataType::*;
use crate::layout::{elements, positions};
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Batch,
    Layer,
    Group(i64),
}

const GLOBAL_STATS: u32 = 1;
const SCALE: u32 = 2;
const SHIFT: u32 = 4;

struct Normalization {
    kind: Kind,
    prop: i32,
    flags: u32,
    epsilon: f32,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let kind = rng.pick(&[Kind::Batch, Kind::Layer, Kind::Group(2)]);
    let pass = rng.pick(&[prop::FORWARD_INFERENCE, prop::FORWARD_TRAINING, prop::BACKWARD, prop::BACKWARD_DATA]);
    let backward = matches!(pass, prop::BACKWARD | prop::BACKWARD_DATA);
    let dt = match rng.pick(&[F32, F32, F32, Bf16, F16, F64, F8E5m2]) {
        // What is kept of the statistics has single precision, and the result may be made of it.
        F64 if pass == prop::FORWARD_TRAINING => F32,
        dt => dt,
    };
    let dst_dt = if kind == Kind::Layer && pass == prop::FORWARD_INFERENCE { rng.pick(&[dt, dt, S8, U8]) } else { dt };
    let mut flags = rng.below(8) as u32;
    if pass == prop::BACKWARD && flags & (SCALE | SHIFT) == 0 {
        flags |= SCALE;
    }
    if pass == prop::BACKWARD_DATA {
        flags &= !SHIFT;
    }
    let spatial = rng.pick(&[1usize, 2, 3]);
    let mut sizes = rng.fork();
    let channels = sizes.pick(&[2, 4, 16, 18, 34]);
    let kind = if matches!(kind, Kind::Group(_)) { Kind::Group(sizes.pick(&[1, 2, channels])) } else { kind };
    let image: Vec<i64> = (0..spatial).map(|_| sizes.range(1, 5)).collect();
    let dims = [&[sizes.pick(&[1, 2, 3]), channels][..], &image].concat();
    let format = Format::Tag(random_tag(rng, dims.len(), if kind == Kind::Layer { 0 } else { 30 }));
    let op = Normalization { kind, prop: pass, flags, epsilon: rng.pick(&[0.001, 0.1]) };
    let vector = [if kind == Kind::Layer { dims[dims.len() - 1] } else { channels }];
    let statistics = op.statistic_dims(&dims);
    let data = |dt| Tensor::new(&dims, dt, format.clone());
    let mut case = Case::new(op);
    case.arg(arg::SRC, Role::Input, data(dt).filled(rng, |rng| rng.uniform(-3.0, 5.0)));
    if backward || flags & GLOBAL_STATS != 0 {
        let mean = Tensor::plain(&statistics, F32).filled(rng, |rng| rng.uniform(0.0, 2.0));
        let variance = Tensor::plain(&statistics, F32).filled(rng, |rng| rng.uniform(0.5, 4.0));
        case.arg(arg::MEAN, Role::Input, mean);
        case.arg(arg::VARIANCE, Role::Input, variance);
    }
    let mut parameter = |case: &mut Case, index: i32| {
        case.arg(index, Role::Input, Tensor::plain(&vector, F32).filled(rng, |rng| rng.uniform(-2.0, 2.0)));
    };
    if flags & SCALE != 0 {
        parameter(&mut case, arg::SCALE);
    }
    if flags & SHIFT != 0 && !backward {
        parameter(&mut case, arg::SHIFT);
    }
    if !backward {
        case.arg(arg::DST, Role::Output, data(dst_dt));
        if pass == prop::FORWARD_TRAINING && flags & GLOBAL_STATS == 0 {
            case.arg(arg::MEAN, Role::Output, Tensor::plain(&statistics, F32));
            case.arg(arg::VARIANCE, Role::Output, Tensor::plain(&statistics, F32));
        }
        return case;
    }
    case.arg(arg::DIFF_DST, Role::Input, data(dt).filled(rng, |rng| small(rng, dt, false)));
    case.arg(arg::DIFF_SRC, Role::Output, data(dt));
    if pass == prop::BACKWARD {
        for (flag, index) in [(SCALE, arg::DIFF_SCALE), (SHIFT, arg::DIFF_SHIFT)] {
            if flags & flag != 0 {
                case.arg(index, Role::Output, Tensor::plain(&vector, F32));
            }
        }
    }
    case
}

impl Normalization {
    /// The dimensions of mean and variance.
    fn statistic_dims(&self, dims: &[i64]) -> Vec<i64> {
        match self.kind {
            Kind::Batch => vec![dims[1]],
            Kind::Layer => dims[..dims.len() - 1].to_vec(),
            Kind::Group(groups) => vec![dims[0], groups],
        }
    }

    /// Which statistics and which scale an element has.
    fn places(&self, dims: &[i64], at: &[i64]) -> (usize, usize) {
        let statistics = match self.kind {
            Kind::Batch => at[1],
            Kind::Layer => at.iter().zip(dims).take(dims.len() - 1).fold(0, |sum, (i, dim)| sum * dim + i),
            Kind::Group(groups) => at[0] * groups + at[1] * groups / dims[1],
        };
        let channel = if self.kind == Kind::Layer { at[dims.len() - 1] } else { at[1] };
        (statistics as usize, channel as usize)
    }

    fn forward_desc<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>, prop: i32, dst: i32) -> Made<'a> {
        let (src, dst, flags, epsilon) = (mds.desc(arg::SRC), mds.desc(dst), self.flags, self.epsilon);
        match self.kind {
            Kind::Batch => maker.batch_normalization_forward(prop, src, dst, epsilon, flags),
            Kind::Group(groups) => maker.group_normalization_forward(prop, src, dst, groups, epsilon, flags),
            Kind::Layer => {
                let statistics = mds.desc(arg::MEAN);
                maker.layer_normalization_forward(prop, src, dst, statistics, F32, epsilon, flags)
            }
        }
    }
}

fn negative(x: Approx) -> Approx {
    Approx { v: -x.v, ..x }
}

impl Operation for Normalization {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        if !matches!(self.prop, prop::BACKWARD | prop::BACKWARD_DATA) {
            return self.forward_desc(maker, mds, self.prop, arg::DST);
        }
        let [a, b, src] = [arg::DIFF_SRC, arg::DIFF_DST, arg::SRC].map(|index| mds.desc(index));
        let (prop, flags, epsilon) = (self.prop, self.flags, self.epsilon);
        match self.kind {
            Kind::Batch => maker.batch_normalization_backward(prop, a, b, src, epsilon, flags),
            Kind::Group(groups) => maker.group_normalization_backward(prop, a, b, src, groups, epsilon, flags),
            Kind::Layer => {
                let statistics = mds.desc(arg::MEAN);
                maker.layer_normalization_backward(prop, a, b, src, statistics, F32, epsilon, flags)
            }
        }
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        mds.desc(arg::DIFF_DST)?;
        Some(self.forward_desc(maker, mds, prop::FORWARD_TRAINING, arg::DIFF_DST))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let math = case.math();
        let src = case.tensor(arg::SRC);
        let places: Vec<(usize, usize)> = positions(&src.dims).map(|at| self.places(&src.dims, &at)).collect();
        let load = |tensor: &Tensor, i: usize| math.load(tensor.value(i));
        let count = elements(&self.statistic_dims(&src.dims));
        let given = |index: i32| case.find(index).filter(|argument| argument.role == Role::Input).map(|a| &a.tensor);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        places.iter().enumerate().for_each(|(i, (s, _))| members[*s].push(i));
        let average =
            |terms: Vec<(Approx, Approx)>| math.div(math.dot(&terms, false), Approx::exact(terms.len() as f64));
        let mean: Vec<Approx> = (0..count)
            .map(|s| match given(arg::MEAN) {
                Some(mean) => load(mean, s),
                None => average(members[s].iter().map(|&i| (load(src, i), Approx::exact(1.0))).collect()),
            })
            .collect();
        let centred = |i: usize| math.sub(load(src, i), mean[places[i].0]);
        let variance: Vec<Approx> = (0..count)
            .map(|s| match given(arg::VARIANCE) {
                Some(variance) => load(variance, s),
                None => average(members[s].iter().map(|&i| (centred(i), centred(i))).collect()),
            })
            .collect();
        let epsilon = Approx::exact(f64::from(self.epsilon));
        let one = Approx::exact(1.0);
        let inverse: Vec<Approx> = variance.iter().map(|v| math.div(one, math.sqrt(math.add(*v, epsilon)))).collect();
        let scale = |c: usize| given(arg::SCALE).map_or(one, |scale| load(scale, c));
        let normal = |i: usize| math.mul(centred(i), inverse[places[i].0]);
        if let Some(dst) = case.find(arg::DST) {
            let value = |i: usize| {
                let shift = given(arg::SHIFT).map_or(Approx::exact(0.0), |shift| load(shift, places[i].1));
                math.add(math.mul(scale(places[i].1), normal(i)), shift)
            };
            let mut outputs = vec![(0..dst.tensor.bits.len()).map(value).collect()];
            if case.outputs().count() > 1 {
                outputs.extend([mean.clone(), variance.clone()]);
            }
            return Some(outputs);
        }
        let diff_dst = case.tensor(arg::DIFF_DST);
        let slope = |i: usize| math.mul(load(diff_dst, i), scale(places[i].1));
        let computed = self.flags & GLOBAL_STATS == 0;
        let [means, projections]: [Vec<Approx>; 2] = [false, true].map(|projected| {
            let term = |i: usize| (slope(i), if projected { normal(i) } else { one });
            (0..count).map(|s| average(members[s].iter().copied().map(term).collect())).collect()
        });
        let gradient = |i: usize| {
            let s = places[i].0;
            let mut x = slope(i);
            if computed {
                // In any order: what cancels may be rounded before it does.
                let projection = math.mul(normal(i), projections[s]);
                x = math.sum([x, negative(means[s]), negative(projection)]);
            }
            math.mul(x, inverse[s])
        };
        let mut outputs = vec![(0..places.len()).map(gradient).collect()];
        let over_channel = |c: usize, projected: bool| {
            let own = (0..places.len()).filter(|i| places[*i].1 == c);
            let terms: Vec<_> = own.map(|i| (load(diff_dst, i), if projected { normal(i) } else { one })).collect();
            math.dot(&terms, false)
        };
        for (index, projected) in [(arg::DIFF_SCALE, true), (arg::DIFF_SHIFT, false)] {
            if let Some(argument) = case.find(index) {
                outputs.push((0..argument.tensor.bits.len()).map(|c| over_channel(c, projected)).collect());
            }
        }
        Some(outputs)
    }

    fn describe(&self) -> String {
        let Normalization { kind, prop, flags, epsilon } = self;
        format!("normalization {kind:?} prop={prop} flags={flags:#x} epsilon={epsilon}")
    }
}
