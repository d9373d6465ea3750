//! Eltwise, binary, prelu and sum: one result for each place of the tensors.

use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, count};
use crate::spec::{Spec, data_type};
use crate::tag::Arrangement;
use dnnl_dynamic::algorithm::{Binary, Eltwise};
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker};

struct EltwiseOp {
    direction: Direction,
    algorithm: i32,
    alpha: f32,
    beta: f32,
    data: i32,
}

impl Operation for EltwiseOp {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.direction.is_forward() {
            let prop = self.direction.prop_kind();
            maker.eltwise_forward(prop, self.algorithm, get(arg::SRC), get(arg::DST), self.alpha, self.beta)
        } else {
            let (diff_src, diff_dst) = (get(arg::DIFF_SRC), get(arg::DIFF_DST));
            maker.eltwise_backward(self.algorithm, diff_src, diff_dst, get(self.data), self.alpha, self.beta)
        }
    }
}

/// An eltwise algorithm by its name, its C value, and whether it goes backward from its result.
pub fn eltwise_algorithm(name: &str) -> Result<(Eltwise, i32, bool), String> {
    let lower = name.to_ascii_lowercase();
    let lower = lower.strip_prefix("eltwise_").unwrap_or(&lower);
    let (base, from_dst) = match lower.strip_suffix("_dst") {
        Some(base) => (base, true),
        None => (lower, false),
    };
    let found = Eltwise::ALL.iter().find(|algorithm| algorithm.name() == base);
    let value = found.and_then(|algorithm| if from_dst { algorithm.use_dst() } else { Some(*algorithm as i32) });
    found
        .zip(value)
        .map(|(algorithm, value)| (*algorithm, value, from_dst))
        .ok_or_else(|| format!("no eltwise algorithm `{name}`"))
}

/// Parameters that make sense where none are given.
pub fn default_alpha_beta(algorithm: Eltwise) -> (f32, f32) {
    use Eltwise::*;
    match algorithm {
        Elu | SoftRelu | Swish => (1.0, 0.0),
        Linear => (2.0, 1.0),
        Hardsigmoid | Hardswish => (1.0 / 6.0, 0.5),
        Clip | ClipV2 => (-0.5, 0.5),
        Pow => (1.0, 2.0),
        _ => (0.0, 0.0),
    }
}

/// `--eltwise --alg=relu NxNxN`.
pub fn eltwise(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let dt = spec.types("dt", 1)?[0];
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let (known, algorithm, from_dst) = eltwise_algorithm(spec.or("alg", "relu"))?;
    let (alpha, beta) = default_alpha_beta(known);
    let (alpha, beta) = (spec.number("alpha", alpha)?, spec.number("beta", beta)?);
    let tag = spec.tag("tag", "abx", dims.len())?;
    let fill = match known {
        Eltwise::Log | Eltwise::Sqrt | Eltwise::Pow => Fill::Positive,
        _ => Fill::Signed,
    };
    let data = if from_dst { arg::DST } else { arg::SRC };
    let operation = |direction| EltwiseOp { direction, algorithm, alpha, beta, data };
    let accuracy = match known {
        Eltwise::Relu | Eltwise::Abs | Eltwise::Clip | Eltwise::ClipV2 | Eltwise::Round => Accuracy::Rounded,
        _ => Accuracy::Computed,
    };
    let problem = |direction, args| Problem::new(operation(direction), args, count(&dims), accuracy);
    let forward = |direction| {
        let args = vec![
            Arg::input(arg::SRC, &dims, dt, tag.clone(), fill),
            Arg::output(arg::DST, &dims, dt, Arrangement::Any),
        ];
        problem(direction, args)
    };
    if direction.is_forward() {
        return Ok(forward(direction));
    }
    let args = vec![
        Arg::input(data, &dims, dt, tag.clone(), if from_dst { Fill::Positive } else { fill }),
        Arg::input(arg::DIFF_DST, &dims, dt, Arrangement::Any, Fill::Signed),
        Arg::output(arg::DIFF_SRC, &dims, dt, Arrangement::Any),
    ];
    Ok(problem(direction, args).after(forward(Direction::Forward)))
}

struct BinaryOp(i32);

impl Operation for BinaryOp {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        maker.binary(self.0, get(arg::SRC), get(arg::SRC_1), get(arg::SRC_2), get(arg::DST))
    }
}

/// A binary algorithm by its name.
pub fn binary_algorithm(name: &str) -> Result<Binary, String> {
    let lower = name.to_ascii_lowercase();
    let lower = lower.strip_prefix("binary_").unwrap_or(&lower);
    let found = Binary::ALL.iter().find(|algorithm| algorithm.name() == lower);
    found.copied().ok_or_else(|| format!("no binary algorithm `{name}`"))
}

/// `--binary --alg=add NxN:NxN`.
pub fn binary(spec: &Spec) -> Result<Problem, String> {
    let mut lists = spec.dimension_lists()?;
    if lists.len() == 1 {
        lists.push(lists[0].clone());
    }
    let algorithm = binary_algorithm(spec.or("alg", "add"))?;
    let sources = if algorithm == Binary::Select { 3 } else { 2 };
    if lists.len() == 2 && sources == 3 {
        lists.push(lists[0].clone());
    }
    if lists.len() != sources || lists[1].len() > lists[0].len() {
        return Err(spec.unreadable());
    }
    let ndims = lists[0].len();
    lists.iter_mut().for_each(|list| list.resize(ndims, 1));
    let given = spec.text("sdt").or(spec.text("dt")).unwrap_or("f32");
    let types = given.split(':').map(data_type).collect::<Result<Vec<_>, _>>()?;
    let source_dt = |i: usize| types[i.min(types.len() - 1)];
    let destination = spec.text("ddt").map_or(Ok(source_dt(types.len().min(3) - 1)), data_type)?;
    let dims: Vec<i64> = lists[0].iter().zip(&lists[1]).map(|(a, b)| *a.max(b)).collect();
    let mut tags = spec.tags("stag", "abx:any", &[ndims; 2])?;
    tags.resize(3, Arrangement::plain(ndims));
    let fill = if algorithm == Binary::Div { Fill::Positive } else { Fill::Signed };
    let mut args = vec![
        Arg::input(arg::SRC, &lists[0], source_dt(0), tags[0].clone(), Fill::Signed),
        Arg::input(arg::SRC_1, &lists[1], source_dt(1), tags[1].clone(), fill),
    ];
    if sources == 3 {
        let dt = dnnl_dynamic::dtype::DataType::S8;
        args.push(Arg::input(arg::SRC_2, &lists[2], dt, tags[2].clone(), Fill::Integers));
    }
    args.push(Arg::output(arg::DST, &dims, destination, spec.tag("dtag", "any", ndims)?));
    Ok(Problem::new(BinaryOp(algorithm as i32), args, count(&dims), Accuracy::Computed))
}

struct Sum {
    scales: Vec<f32>,
}

impl Operation for Sum {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        maker.sum(&descs.list(arg::MULTIPLE_SRC, self.scales.len()), &self.scales, descs.get(arg::DST))
    }
}

/// `--sum --sdt=f32:f32 NxNxN`.
pub fn sum(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let types = spec.or("sdt", "f32:f32").split(':').map(data_type).collect::<Result<Vec<_>, _>>()?;
    let destination = spec.text("ddt").or(spec.text("dt")).map_or(Ok(types[0]), data_type)?;
    let scales = spec.or("scales", "1").split(':').map(|s| s.parse().map_err(|_| format!("--scales: `{s}`")));
    let mut scales: Vec<f32> = scales.collect::<Result<_, String>>()?;
    let last = *scales.last().expect("splitting gives at least one");
    scales.resize(types.len(), last);
    let tags = spec.tags("stag", "abx", &vec![dims.len(); types.len()])?;
    let source = |(i, (dt, tag)): (usize, (&_, Arrangement))| {
        Arg::input(arg::MULTIPLE_SRC + i as i32, &dims, *dt, tag, Fill::Integers)
    };
    let mut args: Vec<Arg> = types.iter().zip(tags).enumerate().map(source).collect();
    args.push(Arg::output(arg::DST, &dims, destination, spec.tag("dtag", "undef", dims.len())?));
    let flops = 2.0 * count(&dims) * types.len() as f64;
    Ok(Problem::new(Sum { scales }, args, flops, Accuracy::Computed))
}

struct Prelu(Direction);

impl Operation for Prelu {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.0.is_forward() {
            maker.prelu_forward(self.0.prop_kind(), get(arg::SRC), get(arg::WEIGHTS), get(arg::DST))
        } else {
            maker.prelu_backward(
                get(arg::SRC),
                get(arg::WEIGHTS),
                get(arg::DIFF_SRC),
                get(arg::DIFF_WEIGHTS),
                get(arg::DIFF_DST),
            )
        }
    }
}

/// `--prelu NxNxN:1xNx1`.
pub fn prelu(spec: &Spec) -> Result<Problem, String> {
    let lists = spec.dimension_lists()?;
    let [src, weights] = &lists[..] else {
        return Err(spec.unreadable());
    };
    let given = spec.text("sdt").or(spec.text("dt")).unwrap_or("f32");
    let types = given.split(':').map(data_type).collect::<Result<Vec<_>, _>>()?;
    let (sdt, wdt) = (types[0], types[types.len() - 1]);
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let tags = spec.tags("stag", "abx:any", &[src.len(), weights.len()])?;
    let read = || {
        vec![
            Arg::input(arg::SRC, src, sdt, tags[0].clone(), Fill::Integers),
            Arg::input(arg::WEIGHTS, weights, wdt, tags[1].clone(), Fill::Integers),
        ]
    };
    let problem = |direction, written: Vec<Arg>| {
        let args = read().into_iter().chain(written).collect();
        Problem::new(Prelu(direction), args, count(src), Accuracy::Rounded)
    };
    let forward = |direction| problem(direction, vec![Arg::output(arg::DST, src, sdt, Arrangement::Any)]);
    Ok(if direction.is_forward() {
        forward(direction)
    } else {
        let gradients = vec![
            Arg::input(arg::DIFF_DST, src, sdt, Arrangement::Any, Fill::Integers),
            Arg::output(arg::DIFF_SRC, src, sdt, Arrangement::Any),
            Arg::output(arg::DIFF_WEIGHTS, weights, wdt, Arrangement::Any),
        ];
        problem(Direction::Backward, gradients).after(forward(Direction::Forward))
    })
}
