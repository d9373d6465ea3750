//! Options about tensors' memory that many primitives have: strides, results in place of the source, dimensions that are not known
//! before a run.

use super::{Arg, Problem};
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::api::{RUNTIME_DIM, arg};

/// Reads the options into the problem.
pub fn apply(spec: &Spec, problem: &mut Problem) -> Result<(), String> {
    if let Some(text) = spec.text("strides") {
        let order = match spec.driver.as_str() {
            "matmul" | "conv" | "deconv" | "ip" => &[arg::SRC, arg::WEIGHTS, arg::DST][..],
            "binary" => &[arg::SRC, arg::SRC_1, arg::DST],
            _ => &[arg::SRC, arg::DST],
        };
        for (index, part) in order.iter().zip(text.split(':')).filter(|(_, part)| !part.is_empty()) {
            let wrong = || format!("--strides={text}: no strides of argument {index}");
            let argument = problem.args.iter_mut().find(|arg| arg.index == *index).ok_or_else(wrong)?;
            let strides = part.split('x').map(str::parse).collect::<Result<Vec<i64>, _>>().map_err(|_| wrong())?;
            if strides.len() != argument.dims.len() {
                return Err(wrong());
            }
            argument.tag = Arrangement::Strides(strides);
        }
    }
    if let Some(text) = spec.text("runtime_dims_masks") {
        runtime_dims(problem, text).ok_or_else(|| format!("--runtime_dims_masks={text}: not for --{spec}"))?;
    }
    problem.in_place = spec.flag("inplace")?;
    let has = |index| problem.args.iter().find(|arg: &&Arg| arg.index == index);
    if problem.in_place
        && !has(arg::SRC).zip(has(arg::DST)).is_some_and(|(src, dst)| src.dims == dst.dims && src.dt == dst.dt)
    {
        return Err("--inplace needs a source and a destination of the same shape and type".to_string());
    }
    Ok(())
}

/// Makes the dimensions of a matmul's source and weights unknown, and with them those of its destination and bias.
fn runtime_dims(problem: &mut Problem, text: &str) -> Option<()> {
    let mut masks = text.split(':').map(|mask| mask.parse::<u32>().ok());
    let (src, weights) = (masks.next()??, masks.next().unwrap_or(Some(0))?);
    if src | weights == 0 {
        return Some(());
    }
    let ndims = problem.args.iter().find(|arg| arg.index == arg::WEIGHTS)?.dims.len();
    let (rows, columns) = (1 << (ndims - 2), 1 << (ndims - 1));
    let dst = src & !columns | weights & columns | (src | weights) & (rows - 1);
    for argument in &mut problem.args {
        let mask = match argument.index {
            arg::SRC => src,
            arg::WEIGHTS => weights,
            arg::DST | arg::BIAS => dst,
            _ => continue,
        };
        let known = |axis: usize, dim: &i64| mask >> axis & 1 == 0 || (argument.index == arg::BIAS && *dim == 1);
        let dims = argument.dims.iter().enumerate();
        let creation = dims.map(|(axis, dim)| if known(axis, dim) { *dim } else { RUNTIME_DIM }).collect();
        if mask != 0 && argument.tag == Arrangement::Any {
            // A layout cannot be chosen for what is not known.
            argument.tag = Arrangement::plain(ndims);
        }
        argument.creation_dims = Some(creation);
    }
    Some(())
}
