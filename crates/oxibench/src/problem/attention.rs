//! Attention. A library that has no primitive for it computes it with two matrix products and a softmax, and the scores in
//! memory between them.

use super::attributes::PostOp;
use super::{Accuracy, Arg, Descs, Fill, Operation, Problem, count};
use crate::problem::contraction::Matmul;
use crate::problem::normalization::Softmax;
use crate::spec::Spec;
use crate::tag::Arrangement;
use dnnl_dynamic::algorithm::{Binary, Eltwise};
use dnnl_dynamic::api::{Api, arg};
use dnnl_dynamic::attr::Quantization;
use dnnl_dynamic::create::{Made, Maker};
use dnnl_dynamic::dtype::DataType;

#[derive(Clone, Copy, PartialEq)]
enum Mask {
    None,
    Buffer,
    TopLeft,
    BottomRight,
}

struct Attention(Mask);

impl Operation for Attention {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let tensors = [arg::SRC, arg::SRC_1, arg::SRC_2, arg::DST].map(|index| descs.get(index));
        maker.attention(tensors, descs.get(arg::SHIFT), descs.get(arg::SCALE), self.0 as i32)
    }

    fn is_in(&self, api: &Api) -> bool {
        api.sdpa_primitive_desc_create.is_some()
    }
}

/// `--sdpa MBxHxQxC:MBxHxCxK:MBxHxKxV`: queries, keys, values. Fewer heads of keys and values are shared.
pub fn attention(spec: &Spec) -> Result<Problem, String> {
    let lists = spec.dimension_lists()?;
    let [q, k, v] = &lists[..] else { return Err(spec.unreadable()) };
    let fits = [q, k, v].iter().all(|dims| dims.len() == 4)
        && q[3] == k[2]
        && k[3] == v[2]
        && k[..2] == v[..2]
        && k[1] > 0
        && q[1] % k[1] == 0;
    if !fits {
        return Err(spec.unreadable());
    }
    let mask = match spec.or("mask", "none") {
        "none" => Mask::None,
        "buffer" => Mask::Buffer,
        "causal_top_left" => Mask::TopLeft,
        "causal_bottom_right" => Mask::BottomRight,
        other => return Err(format!("--mask={other}: no such mask")),
    };
    let types = spec.types("dt", 4)?;
    let tag = |name, ndims| spec.tag(name, "abx", ndims);
    let dst = [q[0], q[1], q[2], v[3]];
    let mut args = vec![
        Arg::input(arg::SRC, q, types[0], tag("qtag", 4)?, Fill::Signed),
        Arg::input(arg::SRC_1, k, types[1], tag("ktag", 4)?, key_fill(types[1])),
        Arg::input(arg::SRC_2, v, types[2], tag("vtag", 4)?, Fill::Signed),
        Arg::output(arg::DST, &dst, types[3], tag("dtag", 4)?),
    ];
    let scale = 1.0 / (q[3] as f64).sqrt();
    let number = Arg::input(arg::SCALE, &[1], DataType::F32, Arrangement::plain(1), Fill::Constant(scale));
    args.push(Arg { host: true, ..number });
    let buffer = Arg::input(arg::SHIFT, &[1, 1, q[2], k[3]], types[0], Arrangement::plain(4), Fill::Signed);
    if mask == Mask::Buffer {
        args.push(buffer.clone());
    }
    let pairs = count(&q[..3]) * k[3] as f64;
    let flops = 2.0 * pairs * (q[3] + v[3]) as f64;
    let mut problem = Problem::new(Attention(mask), args, flops, Accuracy::Narrow);
    for (index, dt) in [(arg::SRC_1, types[1]), (arg::SRC_2, types[2])] {
        if dt.is_integer() {
            scaled(&mut problem, index);
        }
    }
    let added = match mask {
        Mask::None => None,
        Mask::Buffer => Some(buffer),
        Mask::TopLeft => Some(Arg { fill: Fill::Causal(0), ..buffer }),
        Mask::BottomRight => Some(Arg { fill: Fill::Causal(k[3] - q[2]), ..buffer }),
    };
    problem.steps = steps(spec, [q, k, v], &types, scale as f32, added)?;
    Ok(problem)
}

/// Products should not grow so large that one key hides all others.
fn key_fill(dt: DataType) -> Fill {
    if dt.is_integer() { Fill::Signed } else { Fill::Small }
}

/// Gives an argument of integers one scale.
fn scaled(problem: &mut Problem, index: i32) {
    let scale = Arg::input(arg::SCALES | index, &[1], DataType::F32, Arrangement::plain(1), Fill::Constant(0.0625));
    problem.args.push(scale);
    let quantization = Quantization { arg: index, mask: 0, groups: Vec::new(), dt: DataType::F32, host: false };
    problem.attributes.scales.push(quantization);
    problem.attributes.widens_integers();
}

/// Products with the scale and the mask behind them, a softmax in place, products. Shared heads are a dimension that keys and
/// values have only one of.
fn steps(
    spec: &Spec,
    [q, k, v]: [&Vec<i64>; 3],
    types: &[DataType],
    scale: f32,
    added: Option<Arg>,
) -> Result<Vec<Problem>, String> {
    let shared = q[1] / k[1];
    let split = |dims: &[i64], members: i64| match shared {
        1 => dims.to_vec(),
        _ => [&[dims[0], dims[1] / members, members], &dims[2..]].concat(),
    };
    let tag = |name: &str, dims: &[i64]| -> Result<Arrangement, String> {
        // The last two letters trade places, or nothing does.
        let text = spec.or(name, "abx");
        let text = if dims.len() == 5 { text.replace("abdc", "abced") } else { text.to_string() };
        Arrangement::parse(&text, dims.len())
    };
    let (q_dims, k_dims, v_dims) = (split(q, shared), split(k, 1), split(v, 1));
    let mut score_dims = q_dims.clone();
    let last = score_dims.len() - 1;
    score_dims[last] = k[3];
    let plain = Arrangement::plain(score_dims.len());
    let scores = || Arg::output(arg::DST, &score_dims, types[0], plain.clone());
    let from_scores = |step| Arg::input(arg::SRC, &score_dims, types[0], plain.clone(), Fill::Nothing).made_by(step);

    let args = vec![
        Arg::input(arg::SRC, &q_dims, types[0], tag("qtag", &q_dims)?, Fill::Signed).like(arg::SRC),
        Arg::input(arg::WEIGHTS, &k_dims, types[1], tag("ktag", &k_dims)?, key_fill(types[1])).like(arg::SRC_1),
        scores(),
    ];
    let mut first = Problem::new(Matmul, args, 0.0, Accuracy::Narrow);
    first.attributes.post_ops.push(PostOp::Eltwise { algorithm: Eltwise::Linear as i32, alpha: scale, beta: 0.0 });
    if let Some(mask) = added {
        let mut dims = vec![1; score_dims.len()];
        dims[last - 1..].copy_from_slice(&[q[2], k[3]]);
        let index = arg::post_op(1) | arg::SRC_1;
        first.args.push(Arg { index, dims, tag: plain.clone(), ..mask });
        first.attributes.post_ops.push(PostOp::Binary { algorithm: Binary::Add as i32 });
    }
    let softmax =
        Problem::new(Softmax::inference(last as i32), vec![from_scores(0), scores().made_by(0)], 0.0, Accuracy::Narrow);
    let mut dst_dims = score_dims.clone();
    dst_dims[last] = v[3];
    let args = vec![
        from_scores(1),
        Arg::input(arg::WEIGHTS, &v_dims, types[2], tag("vtag", &v_dims)?, Fill::Signed).like(arg::SRC_2),
        Arg::output(arg::DST, &dst_dims, types[3], tag("dtag", &dst_dims)?),
    ];
    let mut second = Problem::new(Matmul, args, 0.0, Accuracy::Narrow);
    for (problem, dt) in [(&mut first, types[1]), (&mut second, types[2])] {
        if dt.is_integer() {
            scaled(problem, arg::WEIGHTS);
        }
    }
    Ok(vec![first, softmax, second])
}
