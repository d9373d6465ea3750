//! Primitives that move or gather elements: reorder, concat, shuffle, reduction.

use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, algorithm, count};
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker};

struct Reorder;

impl Operation for Reorder {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let (src, dst) = (descs.get(arg::SRC), descs.get(arg::DST));
        maker.reorder(src.expect("a reorder has a source"), dst.expect("a reorder has a destination"))
    }
}

/// `--reorder NxNxN`.
pub fn reorder(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let (sdt, ddt) = spec.source_and_destination()?;
    let (stag, dtag) = (spec.tag("stag", "abx", dims.len())?, spec.tag("dtag", "abx", dims.len())?);
    if [&stag, &dtag].iter().any(|tag| !matches!(tag, Arrangement::Letters(_))) {
        return Err("a reorder needs both layouts".to_string());
    }
    let args = vec![Arg::input(arg::SRC, &dims, sdt, stag, Fill::Integers), Arg::output(arg::DST, &dims, ddt, dtag)];
    Ok(Problem::new(Reorder, args, 0.0, Accuracy::Rounded))
}

struct Concat {
    sources: usize,
    axis: i32,
}

impl Operation for Concat {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        maker.concat(&descs.list(arg::MULTIPLE_SRC, self.sources), self.axis, descs.get(arg::DST))
    }
}

/// `--concat NxNxN:NxNxN`.
pub fn concat(spec: &Spec) -> Result<Problem, String> {
    let lists = spec.dimension_lists()?;
    let axis: usize = spec.number("axis", 1)?;
    let (sdt, ddt) = spec.source_and_destination()?;
    let ndims: Vec<usize> = lists.iter().map(Vec::len).collect();
    if ndims.iter().any(|n| *n != ndims[0] || *n <= axis) {
        return Err(spec.unreadable());
    }
    let tags = spec.tags("stag", "abx", &ndims)?;
    let mut dims = lists[0].clone();
    dims[axis] = lists.iter().map(|list| list[axis]).sum();
    let source = |(i, (list, tag)): (usize, (&Vec<i64>, Arrangement))| {
        Arg::input(arg::MULTIPLE_SRC + i as i32, list, sdt, tag, Fill::Integers)
    };
    let mut args: Vec<Arg> = lists.iter().zip(tags).enumerate().map(source).collect();
    args.push(Arg::output(arg::DST, &dims, ddt, spec.tag("dtag", "undef", dims.len())?));
    Ok(Problem::new(Concat { sources: lists.len(), axis: axis as i32 }, args, 0.0, Accuracy::Rounded))
}

struct Shuffle {
    direction: Direction,
    axis: i32,
    group: i64,
}

impl Operation for Shuffle {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        if self.direction.is_forward() {
            let (src, dst) = (descs.get(arg::SRC), descs.get(arg::DST));
            maker.shuffle_forward(self.direction.prop_kind(), src, dst, self.axis, self.group)
        } else {
            maker.shuffle_backward(descs.get(arg::DIFF_SRC), descs.get(arg::DIFF_DST), self.axis, self.group)
        }
    }
}

/// `--shuffle NxNxN`.
pub fn shuffle(spec: &Spec) -> Result<Problem, String> {
    let dims = spec.dimensions()?;
    let dt = spec.types("dt", 1)?[0];
    let direction = Direction::of(spec, "dir", Direction::Forward)?;
    let (axis, group) = (spec.number("axis", 1)?, spec.number("group", 1)?);
    let tag = spec.tag("tag", "abx", dims.len())?;
    let pass = |direction, read, written| {
        let args = vec![
            Arg::input(read, &dims, dt, tag.clone(), Fill::Integers),
            Arg::output(written, &dims, dt, Arrangement::Any),
        ];
        Problem::new(Shuffle { direction, axis, group }, args, 0.0, Accuracy::Exact)
    };
    let forward = |direction| pass(direction, arg::SRC, arg::DST);
    Ok(if direction.is_forward() {
        forward(direction)
    } else {
        pass(direction, arg::DIFF_DST, arg::DIFF_SRC).after(forward(Direction::Forward))
    })
}

struct Reduction {
    algorithm: i32,
    p: f32,
    eps: f32,
}

impl Operation for Reduction {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        maker.reduction(self.algorithm, descs.get(arg::SRC), descs.get(arg::DST), self.p, self.eps)
    }
}

/// `--reduction NxNxN:1xNx1`.
pub fn reduction(spec: &Spec) -> Result<Problem, String> {
    let lists = spec.dimension_lists()?;
    let [src, dst] = &lists[..] else {
        return Err(spec.unreadable());
    };
    let (sdt, ddt) = spec.source_and_destination()?;
    let algorithm = algorithm(
        spec,
        "sum",
        &[
            ("max", 0x2fff2),
            ("min", 0x2fff3),
            ("sum", 0x2fff4),
            ("mul", 0x2fff5),
            ("mean", 0x2fff6),
            ("norm_lp_max", 0x2fff7),
            ("norm_lp_sum", 0x2fff8),
            ("norm_lp_power_p_max", 0x2fff9),
            ("norm_lp_power_p_sum", 0x2fffa),
        ],
    )?;
    let fill = if algorithm == 0x2fff5 { Fill::Constant(1.0) } else { Fill::Integers };
    let (stag, dtag) = (spec.tag("stag", "abx", src.len())?, spec.tag("dtag", "any", dst.len())?);
    let args = vec![Arg::input(arg::SRC, src, sdt, stag, fill), Arg::output(arg::DST, dst, ddt, dtag)];
    let operation = Reduction { algorithm, p: spec.number("p", 1.0)?, eps: spec.number("eps", 0.0)? };
    let accuracy = if algorithm <= 0x2fff6 { Accuracy::Rounded } else { Accuracy::Computed };
    Ok(Problem::new(operation, args, count(src), accuracy))
}
