//! Attributes by benchdnn's notation: `--attr-scales=src:common:0.5+wei:per_oc`, `--attr-post-ops=sum:0.5+relu+add:f32:per_oc`.
//!
//! The values are ordinary arguments of the problem; the attribute object is told only where they belong.

use super::elementwise::{binary_algorithm, default_alpha_beta, eltwise_algorithm};
use super::{Accuracy, Arg, Descs, Fill, Problem, count};
use crate::spec::{Spec, data_type};
use crate::tag::Arrangement;
use dnnl_dynamic::algorithm::{Binary, Eltwise};
use dnnl_dynamic::api::{Api, arg};
use dnnl_dynamic::attr::{Quantization, RecurrentQuantization};
use dnnl_dynamic::dtype::DataType;
use dnnl_dynamic::handle::{Attr, Failure, PostOps};

/// One step after the operation.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum PostOp {
    Sum { scale: f32, zero_point: i32, dt: Option<DataType> },
    Eltwise { algorithm: i32, alpha: f32, beta: f32 },
    Binary { algorithm: i32 },
    Prelu { mask: i32 },
    Depthwise { types: [DataType; 2], window: [i64; 3] },
}

/// What a primitive is told besides its tensors.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Scales by argument.
    pub scales: Vec<Quantization>,
    /// Zero points by argument.
    pub zero_points: Vec<Quantization>,
    /// The chain after the operation.
    pub post_ops: Vec<PostOp>,
    /// What the integers of a recurrent network stand for.
    pub recurrent: Option<RecurrentQuantization>,
    math_mode: Option<(i32, bool)>,
    /// Whether the caller provides the scratchpad.
    pub user_scratchpad: bool,
    deterministic: bool,
}

impl Attributes {
    /// The attribute object.
    pub fn build<'a>(&self, api: &'a Api, descs: &Descs<'_>) -> Result<Attr<'a>, Failure> {
        let attr = Attr::new(api)?;
        self.scales.iter().try_for_each(|scales| attr.scales(api, scales))?;
        self.zero_points.iter().try_for_each(|zero_points| attr.zero_points(api, zero_points))?;
        if let Some(recurrent) = &self.recurrent {
            attr.recurrent(api, recurrent)?;
        }
        if let Some((mode, to_int)) = self.math_mode {
            attr.math_mode(api, mode, to_int)?;
        }
        if self.user_scratchpad {
            attr.user_scratchpad(api)?;
        }
        if self.deterministic {
            attr.deterministic(api)?;
        }
        if !self.post_ops.is_empty() {
            let chain = PostOps::new(api)?;
            for (index, post_op) in self.post_ops.iter().enumerate() {
                let base = arg::post_op(index);
                match post_op {
                    PostOp::Sum { scale, zero_point, dt } => chain.sum(api, *scale, *zero_point, *dt)?,
                    PostOp::Eltwise { algorithm, alpha, beta } => chain.eltwise(api, *algorithm, *alpha, *beta)?,
                    PostOp::Binary { algorithm } => {
                        let (src1, src2) = (descs.get(base | arg::SRC_1), descs.get(base | arg::SRC_2));
                        chain.binary(api, *algorithm, src1, src2)?;
                    }
                    PostOp::Prelu { mask } => chain.prelu(api, *mask)?,
                    PostOp::Depthwise { types, window } => chain.depthwise(api, *types, *window)?,
                }
            }
            attr.post_ops(api, &chain)?;
        }
        Ok(attr)
    }
}

impl Attributes {
    /// Has integers of one factor multiplied as floats.
    pub fn widens_integers(&mut self) {
        self.math_mode = Some((0, true));
    }
}

/// Reads the attribute options into the problem.
pub fn apply(spec: &Spec, problem: &mut Problem) -> Result<(), String> {
    for (option, flag) in [("attr-scales", arg::SCALES), ("attr-zero-points", arg::ZERO_POINTS)] {
        for text in spec.or(option, "").split('+').filter(|text| !text.is_empty()) {
            quantization(spec, problem, option, flag, text)?;
        }
    }
    for text in spec.or("attr-post-ops", "").split('+').filter(|text| !text.is_empty()) {
        post_op(spec, problem, text)?;
    }
    if let Some(text) = spec.text("attr-fpmath") {
        let (mode, to_int) = text.split_once(':').unwrap_or((text, "false"));
        let modes = ["strict", "bf16", "f16", "any", "tf32"];
        let mode = modes.iter().position(|name| *name == mode).ok_or_else(|| format!("--attr-fpmath={text}"))?;
        problem.attributes.math_mode = Some((mode as i32, to_int == "true"));
        if mode != 0 {
            problem.accuracy = Accuracy::Narrow;
        }
    }
    problem.attributes.user_scratchpad = match spec.or("attr-scratchpad", "library") {
        "library" => false,
        "user" => true,
        other => return Err(format!("--attr-scratchpad={other} is neither library nor user")),
    };
    problem.attributes.deterministic = spec.flag("attr-deterministic")?;
    Ok(())
}

/// The argument's index for its name in an attribute.
fn argument(name: &str) -> Option<i32> {
    Some(match name {
        "src" | "src0" => arg::SRC,
        "src1" => arg::SRC_1,
        "wei" => arg::WEIGHTS,
        "dst" => arg::DST,
        "diff_src" => arg::DIFF_SRC,
        "diff_wei" => arg::DIFF_WEIGHTS,
        "diff_dst" => arg::DIFF_DST,
        _ => arg::MULTIPLE_SRC + name.strip_prefix("msrc")?.parse::<i32>().ok()?,
    })
}

/// The dimensions a policy's name (or number) stands for.
fn mask(spec: &Spec, policy: &str, index: i32, ndims: usize) -> Option<i32> {
    let matmul = spec.driver == "matmul";
    let weights = index == arg::WEIGHTS;
    let grouped = weights && matches!(spec.driver.as_str(), "conv" | "deconv") && spec.descriptor.starts_with('g');
    Some(match policy {
        "common" | "host_scalar" => 0,
        "per_oc" if matmul => 1 << (ndims - 1),
        "per_oc" if grouped => 3,
        "per_oc" if weights => 1,
        "per_oc" => 2,
        "per_ocic" if matmul => 3 << (ndims - 2),
        "per_ocic" if grouped => 6,
        "per_ocic" => 3,
        "per_tensor" => (1 << ndims) - 1,
        "per_dim_01" => 3,
        _ => match policy.strip_prefix("per_dim_") {
            Some(axis) => 1 << axis.parse::<u32>().ok()?,
            None => policy.parse().ok()?,
        },
    })
}

fn quantization(spec: &Spec, problem: &mut Problem, option: &str, flag: i32, text: &str) -> Result<(), String> {
    let wrong = |what: &str| format!("--{option}={text}: {what}");
    let words: Vec<&str> = text.split(':').collect();
    let [name, policy, rest @ ..] = &words[..] else {
        return Err(wrong("an argument and a policy are needed"));
    };
    let index = argument(name).ok_or_else(|| wrong("no such argument"))?;
    let of = problem.args.iter().find(|arg| arg.index == index).ok_or_else(|| wrong("no such argument"))?;
    let ndims = of.dims.len();
    let mask = mask(spec, policy, index, ndims).ok_or_else(|| wrong("no such policy"))?;
    let scales = flag == arg::SCALES;
    let (mut dt, mut value) = (if scales { DataType::F32 } else { DataType::S32 }, None);
    let mut groups: Vec<i64> = Vec::new();
    for word in rest {
        if let Ok(named) = data_type(word) {
            dt = named;
        } else if word.contains('x') {
            groups =
                word.split('x').map(|g| g.parse().map_err(|_| wrong("groups are NxN"))).collect::<Result<_, _>>()?;
        } else {
            value = Some(word.parse::<f64>().map_err(|_| wrong("a value is a number"))?);
        }
    }
    let share = |axis: usize| match groups.len() {
        0 => 1,
        n if axis + n >= ndims => groups[axis + n - ndims],
        _ => 1,
    };
    let along = |axis: usize| if mask >> axis & 1 == 1 { of.dims[axis] / share(axis) } else { 1 };
    // Without groups a list of values is as long as it has to be; with groups it has the tensor's dimensions.
    let dims: Vec<i64> =
        if groups.is_empty() { vec![(0..ndims).map(along).product()] } else { (0..ndims).map(along).collect() };
    let fill = match value {
        Some(value) => Fill::Constant(value),
        None if mask == 0 => Fill::Constant(if scales { 0.5 } else { 1.0 }),
        None if scales => Fill::Positive,
        None => Fill::Constant(1.0),
    };
    let host = *policy == "host_scalar";
    let mut tensor = Arg::input(flag | index, &dims, dt, Arrangement::plain(dims.len()), fill);
    tensor.host = host;
    let quantization = Quantization { arg: index, mask, groups, dt, host };
    if problem.accuracy == Accuracy::Rounded {
        problem.accuracy = Accuracy::Computed;
    }
    let attributes = &mut problem.attributes;
    if scales { &mut attributes.scales } else { &mut attributes.zero_points }.push(quantization);
    problem.args.push(tensor);
    Ok(())
}

fn post_op(spec: &Spec, problem: &mut Problem, text: &str) -> Result<(), String> {
    let wrong = || format!("--attr-post-ops: cannot read `{text}`");
    let words: Vec<&str> = text.split(':').collect();
    let (name, rest) = words.split_first().ok_or_else(wrong)?;
    let base = arg::post_op(problem.attributes.post_ops.len());
    let dst = problem.args.iter().find(|a| matches!(a.index, arg::DST | arg::DIFF_SRC | arg::DIFF_WEIGHTS));
    let dims = dst.map(|a| a.dims.clone()).ok_or_else(wrong)?;
    let ndims = dims.len();
    let masked = |mask: i32| -> Vec<i64> { (0..ndims).map(|i| if mask >> i & 1 == 1 { dims[i] } else { 1 }).collect() };
    let policy = |text: Option<&&str>, default| match text {
        Some(text) => mask(spec, text, arg::DST, ndims).ok_or_else(wrong),
        None => Ok(default),
    };
    let number = |i: usize, default: f32| rest.get(i).map_or(Ok(default), |w| w.parse().map_err(|_| wrong()));
    let post_op = match name.to_ascii_lowercase().as_str() {
        "sum" => {
            let dt = rest.get(2).map(|name| data_type(name)).transpose()?;
            let destination = problem.args.iter_mut().find(|a| a.index == arg::DST).ok_or_else(wrong)?;
            destination.fill = Fill::Integers;
            PostOp::Sum { scale: number(0, 1.0)?, zero_point: number(1, 0.0)? as i32, dt }
        }
        "prelu" => {
            let mask = policy(rest.first(), 0)?;
            problem.args.push(Arg::input(
                base | arg::WEIGHTS,
                &masked(mask),
                DataType::F32,
                Arrangement::plain(ndims),
                Fill::Positive,
            ));
            PostOp::Prelu { mask }
        }
        "dw" => depthwise(problem, rest).ok_or_else(wrong)?,
        other => match binary_algorithm(other) {
            Ok(algorithm) => {
                let dt = data_type(rest.first().ok_or_else(wrong)?)?;
                let mask = policy(rest.get(1), 0)?;
                let tag = Arrangement::parse(rest.get(2).unwrap_or(&"any"), ndims)?;
                problem.args.push(Arg::input(base | arg::SRC_1, &masked(mask), dt, tag, Fill::Positive));
                if algorithm == Binary::Select {
                    let plain = Arrangement::plain(ndims);
                    problem.args.push(Arg::input(base | arg::SRC_2, &dims, DataType::S8, plain, Fill::Integers));
                }
                PostOp::Binary { algorithm: algorithm as i32 }
            }
            Err(_) => {
                let (known, algorithm, _) = eltwise_algorithm(other).map_err(|_| wrong())?;
                let (alpha, beta) = default_alpha_beta(known);
                PostOp::Eltwise { algorithm, alpha: number(0, alpha)?, beta: number(1, beta)? }
            }
        },
    };
    let exact = match post_op {
        PostOp::Sum { .. } | PostOp::Depthwise { .. } => true,
        PostOp::Eltwise { algorithm, .. } => algorithm == Eltwise::Relu as i32,
        PostOp::Binary { .. } | PostOp::Prelu { .. } => false,
    };
    if !exact && problem.accuracy == Accuracy::Rounded {
        problem.accuracy = Accuracy::Computed;
    }
    problem.attributes.post_ops.push(post_op);
    Ok(())
}

/// `dw:k3s1p1[:dst_dt]`: the destination takes the shape that the depthwise convolution leaves.
fn depthwise(problem: &mut Problem, words: &[&str]) -> Option<PostOp> {
    let numbers = words.first()?.strip_prefix('k')?;
    let (kernel, rest) = numbers.split_once('s')?;
    let (stride, padding) = rest.split_once('p')?;
    let [kernel, stride, padding] = [kernel, stride, padding].map(|text| text.parse::<i64>().ok());
    let window @ [kernel, stride, padding] = [kernel?, stride?, padding?];
    let weights_dt = problem.args.iter().find(|arg| arg.index == arg::WEIGHTS)?.dt;
    let dst = problem.args.iter_mut().find(|arg| arg.index == arg::DST)?;
    if let Some(name) = words.get(1) {
        dst.dt = data_type(name).ok()?;
    }
    let spatial = dst.dims.len().checked_sub(2)?;
    dst.creation_dims = Some(dst.dims.clone());
    dst.dims[2..].iter_mut().for_each(|extent| *extent = (*extent + 2 * padding - kernel) / stride + 1);
    let channels = dst.dims[1];
    let (types, outputs) = ([weights_dt, dst.dt], count(&dst.dims));
    let dims = [vec![channels, 1, 1], vec![kernel; spatial]].concat();
    problem.args.push(Arg::input(arg::DEPTHWISE | arg::WEIGHTS, &dims, weights_dt, Arrangement::Any, Fill::Integers));
    problem.flops += 2.0 * outputs * (kernel as f64).powi(spatial as i32);
    Some(PostOp::Depthwise { types, window })
}
