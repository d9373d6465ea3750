//! Matmul, inner product, convolution and deconvolution, in all directions.

use super::{Accuracy, Arg, Descs, Direction, Fill, Operation, Problem, algorithm, count};
use crate::fields::{Fields, taps};
use crate::spec::{Spec, data_type};
use crate::tag::Arrangement;
use dnnl_dynamic::api::arg;
use dnnl_dynamic::create::{Made, Maker, Window};
use dnnl_dynamic::dtype::DataType;

/// A matrix product.
pub struct Matmul;

impl Operation for Matmul {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        maker.matmul(descs.get(arg::SRC), descs.get(arg::WEIGHTS), descs.get(arg::BIAS), descs.get(arg::DST))
    }
}

/// `--matmul MxK:KxN`, with batch dimensions before them.
pub fn matmul(spec: &Spec) -> Result<Problem, String> {
    let lists = spec.dimension_lists()?;
    let [src, weights] = &lists[..] else {
        return Err(spec.unreadable());
    };
    let n = src.len();
    if n < 2 || weights.len() != n || src[n - 1] != weights[n - 2] {
        return Err(spec.unreadable());
    }
    let mut dst: Vec<i64> = src.iter().zip(weights).map(|(a, b)| *a.max(b)).collect();
    (dst[n - 2], dst[n - 1]) = (src[n - 2], weights[n - 1]);
    let types = spec.types("dt", 3)?;
    let mut args = vec![
        Arg::input(arg::SRC, src, types[0], spec.tag("stag", "abx", n)?, Fill::Integers),
        Arg::input(arg::WEIGHTS, weights, types[1], spec.tag("wtag", "any", n)?, Fill::Integers),
        Arg::output(arg::DST, &dst, types[2], spec.tag("dtag", "abx", n)?),
    ];
    if let Some(name) = spec.text("bia-dt").filter(|name| *name != "undef") {
        let mask: u32 = spec.number("bia_mask", 1 << (n - 1))?;
        let dims: Vec<i64> = (0..n).map(|axis| if mask >> axis & 1 == 1 { dst[axis] } else { 1 }).collect();
        args.push(Arg::input(arg::BIAS, &dims, data_type(name)?, Arrangement::plain(n), Fill::Integers));
    }
    let flops = 2.0 * count(&dst) * src[n - 1] as f64;
    Ok(Problem::new(Matmul, args, flops, Accuracy::Rounded))
}

/// The tensors of a layer: activations in, weights, activations out.
struct Layer {
    src: (Vec<i64>, DataType, Arrangement),
    weights: (Vec<i64>, DataType, Arrangement),
    dst: (Vec<i64>, DataType, Arrangement),
    bias: Option<DataType>,
    flops: f64,
    accuracy: Accuracy,
}

impl Layer {
    /// The problem in one direction; `operation` makes the one for a direction.
    fn problem<T: Operation + 'static>(self, direction: Direction, operation: impl Fn(Direction) -> T) -> Problem {
        // Where oneDNN has dot products of unsigned bytes only, it halves weights that meet signed ones.
        let halved = self.src.1 == DataType::S8 && self.weights.1 == DataType::S8;
        let input = |index, tensor: &(Vec<i64>, DataType, Arrangement)| {
            let fill = if halved && index == arg::WEIGHTS { Fill::EvenIntegers } else { Fill::Integers };
            Arg::input(index, &tensor.0, tensor.1, tensor.2.clone(), fill)
        };
        let output = |index, tensor: &(Vec<i64>, DataType, Arrangement)| {
            Arg::output(index, &tensor.0, tensor.1, tensor.2.clone())
        };
        let bias_dims = [self.dst.0[1]];
        let make = |direction: Direction, args| Problem::new(operation(direction), args, self.flops, self.accuracy);
        let forward = |direction: Direction| {
            let mut args =
                vec![input(arg::SRC, &self.src), input(arg::WEIGHTS, &self.weights), output(arg::DST, &self.dst)];
            if let Some(dt) = self.bias {
                args.push(Arg::input(arg::BIAS, &bias_dims, dt, Arrangement::plain(1), Fill::Integers));
            }
            make(direction, args)
        };
        match direction {
            Direction::BackwardData => {
                let args = vec![
                    output(arg::DIFF_SRC, &self.src),
                    input(arg::WEIGHTS, &self.weights),
                    input(arg::DIFF_DST, &self.dst),
                ];
                make(direction, args).after(forward(Direction::Forward))
            }
            Direction::BackwardWeights | Direction::BackwardWeightsBias => {
                let mut args = vec![
                    input(arg::SRC, &self.src),
                    output(arg::DIFF_WEIGHTS, &self.weights),
                    input(arg::DIFF_DST, &self.dst),
                ];
                if let Some(dt) = self.bias {
                    args.push(Arg::output(arg::DIFF_BIAS, &bias_dims, dt, Arrangement::plain(1)));
                }
                make(direction, args).after(forward(Direction::Forward))
            }
            _ => forward(direction),
        }
    }
}

/// The bias's type: asked for, or implied by the direction.
fn bias(spec: &Spec, direction: Direction) -> Result<Option<DataType>, String> {
    let implied = matches!(direction, Direction::ForwardBias | Direction::BackwardWeightsBias);
    match spec.text("bia-dt") {
        None | Some("undef") => Ok(implied.then_some(DataType::F32)),
        Some(name) => data_type(name).map(Some),
    }
}

struct InnerProduct(Direction);

impl Operation for InnerProduct {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        match self.0 {
            Direction::BackwardData => {
                maker.inner_product_backward_data(get(arg::DIFF_SRC), get(arg::WEIGHTS), get(arg::DIFF_DST))
            }
            Direction::BackwardWeights | Direction::BackwardWeightsBias => maker.inner_product_backward_weights(
                get(arg::SRC),
                get(arg::DIFF_WEIGHTS),
                get(arg::DIFF_BIAS),
                get(arg::DIFF_DST),
            ),
            forward => {
                let prop = forward.prop_kind();
                maker.inner_product_forward(prop, get(arg::SRC), get(arg::WEIGHTS), get(arg::BIAS), get(arg::DST))
            }
        }
    }
}

/// `--ip mb64ic1024oc1024`.
pub fn inner_product(spec: &Spec) -> Result<Problem, String> {
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let (ic, oc) = fields.get("ic").zip(fields.get("oc")).ok_or_else(|| spec.unreadable())?;
    let batch = batch(spec, &fields)?;
    let spatial: Vec<i64> = fields.along("i", fields.spatial()).into_iter().flatten().collect();
    let direction = Direction::of(spec, "dir", Direction::ForwardBias)?;
    let types = spec.types("dt", 3)?;
    let (src, weights) = ([&[batch, ic], &spatial[..]].concat(), [&[oc, ic], &spatial[..]].concat());
    let ndims = src.len();
    let layer = Layer {
        flops: 2.0 * count(&src) * oc as f64,
        src: (src, types[0], spec.tag("stag", "any", ndims)?),
        weights: (weights, types[1], spec.tag("wtag", "any", ndims)?),
        dst: (vec![batch, oc], types[2], spec.tag("dtag", "any", 2)?),
        bias: bias(spec, direction)?,
        accuracy: Accuracy::Rounded,
    };
    Ok(layer.problem(direction, InnerProduct))
}

/// The batch: `--mb`, or the descriptor's, or two.
pub fn batch(spec: &Spec, fields: &Fields) -> Result<i64, String> {
    let over: i64 = spec.number("mb", 0)?;
    Ok(if over > 0 { over } else { fields.get("mb").unwrap_or(2) })
}

#[derive(Clone)]
struct Convolution {
    transposed: bool,
    algorithm: i32,
    window: Window,
    direction: Direction,
}

impl Operation for Convolution {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, descs: &Descs<'_>) -> Made<'a> {
        let get = |index| descs.get(index);
        let (transposed, algorithm, window) = (self.transposed, self.algorithm, &self.window);
        match self.direction {
            Direction::BackwardData => {
                let (diff_src, weights, diff_dst) = (get(arg::DIFF_SRC), get(arg::WEIGHTS), get(arg::DIFF_DST));
                maker.convolution_backward_data(transposed, algorithm, diff_src, weights, diff_dst, window)
            }
            Direction::BackwardWeights | Direction::BackwardWeightsBias => maker.convolution_backward_weights(
                transposed,
                algorithm,
                get(arg::SRC),
                get(arg::DIFF_WEIGHTS),
                get(arg::DIFF_BIAS),
                get(arg::DIFF_DST),
                window,
            ),
            forward => maker.convolution_forward(
                transposed,
                forward.prop_kind(),
                algorithm,
                get(arg::SRC),
                get(arg::WEIGHTS),
                get(arg::BIAS),
                get(arg::DST),
                window,
            ),
        }
    }
}

/// `--conv` and `--deconv ic64ih56oc64oh56kh3ph1`.
pub fn convolution(spec: &Spec) -> Result<Problem, String> {
    let transposed = spec.driver == "deconv";
    let fields = Fields::parse(&spec.descriptor).ok_or_else(|| spec.unreadable())?;
    let (ic, oc) = fields.get("ic").zip(fields.get("oc")).ok_or_else(|| spec.unreadable())?;
    let (inputs, outputs, window) = fields.window(transposed).ok_or_else(|| spec.unreadable())?;
    let groups = fields.get("g").unwrap_or(1);
    let batch = batch(spec, &fields)?;
    if groups < 1 || ic % groups != 0 || oc % groups != 0 || outputs.iter().any(|o| *o < 1) {
        return Err(spec.unreadable());
    }
    let direction = Direction::of(spec, "dir", Direction::ForwardBias)?;
    let algorithm = if transposed {
        algorithm(spec, "direct", &[("direct", 0xa), ("wino", 0xb)])?
    } else {
        algorithm(spec, "direct", &[("direct", 1), ("wino", 2), ("auto", 3)])?
    };
    let (large, small) = if transposed { (&outputs, &inputs) } else { (&inputs, &outputs) };
    let places: f64 = (0..inputs.len()).map(|axis| taps(large[axis], small[axis], axis, &window)).product();
    let mut weights = if groups > 1 { vec![groups] } else { Vec::new() };
    weights.extend([oc / groups, ic / groups]);
    weights.extend(&window.kernel);
    let types = spec.types("dt", 3)?;
    let ndims = inputs.len() + 2;
    let layer = Layer {
        flops: 2.0 * batch as f64 * oc as f64 * (ic / groups) as f64 * places,
        weights: (weights.clone(), types[1], spec.tag("wtag", "any", weights.len())?),
        src: ([&[batch, ic], &inputs[..]].concat(), types[0], spec.tag("stag", "any", ndims)?),
        dst: ([&[batch, oc], &outputs[..]].concat(), types[2], spec.tag("dtag", "any", ndims)?),
        bias: bias(spec, direction)?,
        accuracy: if matches!(algorithm, 1 | 0xa) { Accuracy::Rounded } else { Accuracy::Coarse },
    };
    Ok(layer.problem(direction, |direction| Convolution { transposed, algorithm, window: window.clone(), direction }))
}
