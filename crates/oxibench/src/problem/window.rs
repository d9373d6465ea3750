//! Pooling and resampling: results that look at a neighbourhood.

use super::contraction::batch;
use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, algorithm, count};
use crate::fields::{Fields, taps};
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker, Window};
use dnnl_dynamic::dtype::DataType;

struct Pooling {
    direction: Direction,
    algorithm: i32,
    window: Window,
}

impl Operation for Pooling {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.direction.is_forward() {
            let prop = self.direction.prop_kind();
            maker.pooling_forward(prop, self.algorithm, get(arg::SRC), get(arg::DST), &self.window)
        } else {
            maker.pooling_backward(self.algorithm, get(arg::DIFF_SRC), get(arg::DIFF_DST), &self.window)
        }
    }
}

/// Both passes of an operation between two tensors, one of which has the layout that was asked for.
fn passes<T: Operation + 'static>(
    direction: Direction,
    (src, sdt): (&[i64], DataType),
    (dst, ddt): (&[i64], DataType),
    tag: &Arrangement,
    problem: impl Fn(Direction, Vec<Arg>) -> (T, Vec<Arg>, f64, Accuracy),
) -> Problem {
    let make = |direction, args| {
        let (operation, args, flops, accuracy) = problem(direction, args);
        Problem::new(operation, args, flops, accuracy)
    };
    let forward = |direction| {
        let source = Arg::input(arg::SRC, src, sdt, tag.clone(), Fill::Integers);
        make(direction, vec![source, Arg::output(arg::DST, dst, ddt, Arrangement::Any)])
    };
    if direction.is_forward() {
        return forward(direction);
    }
    let gradient = Arg::input(arg::DIFF_DST, dst, ddt, Arrangement::Any, Fill::Integers);
    make(direction, vec![gradient, Arg::output(arg::DIFF_SRC, src, sdt, tag.clone())])
        .after(forward(Direction::Forward))
}

/// `--pool --alg=max ic64ih112oh56kh3sh2ph1`.
pub fn pooling(spec: &Spec) -> Result<Problem, String> {
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let channels = fields.get("ic").ok_or_else(|| spec.unreadable())?;
    let (inputs, outputs, window) = fields.window(false).ok_or_else(|| spec.unreadable())?;
    let head = [batch(spec, &fields)?, channels];
    let (src, dst) = ([&head, &inputs[..]].concat(), [&head, &outputs[..]].concat());
    let types = spec.types("dt", 2)?;
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let names = [
        ("max", 0x1ff),
        ("pooling_max", 0x1ff),
        ("avg_p", 0x2ff),
        ("pooling_avg_include_padding", 0x2ff),
        ("avg_np", 0x3ff),
        ("pooling_avg_exclude_padding", 0x3ff),
    ];
    let algorithm = algorithm(spec, "max", &names)?;
    let places: f64 = (0..inputs.len()).map(|axis| taps(inputs[axis], outputs[axis], axis, &window)).product();
    let flops = places * count(&head);
    let accuracy = if algorithm == 0x1ff { Accuracy::Rounded } else { Accuracy::Computed };
    let tag = spec.tag("tag", "abx", src.len())?;
    Ok(passes(direction, (&src, types[0]), (&dst, types[1]), &tag, |direction, args| {
        (Pooling { direction, algorithm, window: window.clone() }, args, flops, accuracy)
    }))
}

struct Resampling {
    direction: Direction,
    algorithm: i32,
}

impl Operation for Resampling {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        if self.direction.is_forward() {
            maker.resampling_forward(self.direction.prop_kind(), self.algorithm, get(arg::SRC), get(arg::DST))
        } else {
            maker.resampling_backward(self.algorithm, get(arg::DIFF_SRC), get(arg::DIFF_DST))
        }
    }
}

/// `--resampling --alg=linear ic64ih28oh56`.
pub fn resampling(spec: &Spec) -> Result<Problem, String> {
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let channels = fields.get("ic").ok_or_else(|| spec.unreadable())?;
    let spatial = fields.spatial();
    let extents = |kind| fields.along(kind, spatial).into_iter().collect::<Option<Vec<i64>>>();
    let (inputs, outputs) = extents("i").zip(extents("o")).ok_or_else(|| spec.unreadable())?;
    let head = [batch(spec, &fields)?, channels];
    let (src, dst) = ([&head, &inputs[..]].concat(), [&head, &outputs[..]].concat());
    let (sdt, ddt) = spec.source_and_destination()?;
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let names =
        [("nearest", 0x2fff0), ("resampling_nearest", 0x2fff0), ("linear", 0x2fff1), ("resampling_linear", 0x2fff1)];
    let algorithm = algorithm(spec, "nearest", &names)?;
    let flops = if algorithm == 0x2fff1 { count(&dst) * 2.0 * f64::from(1 << spatial) } else { 0.0 };
    let tag = spec.tag("tag", "abx", src.len())?;
    Ok(passes(direction, (&src, sdt), (&dst, ddt), &tag, |direction, args| {
        (Resampling { direction, algorithm }, args, flops, Accuracy::Computed)
    }))
}
