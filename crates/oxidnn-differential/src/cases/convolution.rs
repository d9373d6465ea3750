//! Convolutions and deconvolutions in all passes: one to three dimensions, groups, strides, dilation, padding, bias.

use crate::api::arg;
use crate::attributes::{PostOpKinds, Quant, random_post_ops, random_scale, small};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor};
use crate::dtype::DataType::{self, *};
use crate::layout::{Tag, elements, positions};
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker, Window};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Forward,
    Data,
    Weights,
}

/// The pass, and how the kernel moves; one value for each spatial dimension.
struct Convolution {
    pass: Pass,
    transposed: bool,
    groups: Option<i64>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    left: Vec<i64>,
    right: Vec<i64>,
}

/// Types that go together: the two factors and the results.
type Config = (DataType, DataType, &'static [DataType]);

const FORWARD: [Config; 8] = [
    (F32, F32, &[F32]),
    (F32, F32, &[F32]),
    (F64, F64, &[F64]),
    (F16, F16, &[F16, F32]),
    (Bf16, Bf16, &[Bf16, F32]),
    (U8, S8, &[U8, S8, S32, F32]),
    (S8, S8, &[U8, S8, S32, F32]),
    (U8, S8, &[F32, S32]),
];
const BACKWARD: [Config; 4] = [(F32, F32, &[F32]), (F32, F32, &[F32]), (Bf16, Bf16, &[Bf16, F32]), (F16, F16, &[F16])];

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let pass = rng.pick(&[Pass::Forward, Pass::Forward, Pass::Data, Pass::Weights]);
    let transposed = rng.percent(35);
    let (left_dt, right_dt, results) = if pass == Pass::Forward { rng.pick(&FORWARD) } else { rng.pick(&BACKWARD) };
    let result_dt = rng.pick(results);
    let spatial = rng.pick(&[1usize, 2, 2, 2, 3]);
    let mut sizes = rng.fork();
    let groups = sizes.percent(30).then(|| sizes.pick(&[1, 2, 3, 8, 16, 20, 32]));
    let channel = |sizes: &mut Rng| match groups {
        Some(8..) => 1,
        // Enough for whole registers of bytes, and for tiles of them.
        _ if sizes.percent(20) => sizes.pick(&[32, 40, 64, 96]),
        _ => sizes.pick(&[1, 2, 3, 5, 8, 16, 17]),
    };
    let (batch, ic, oc) = (sizes.pick(&[1, 2, 3]), channel(&mut sizes), channel(&mut sizes));
    let (mut kernel, mut large, mut small_side) = (Vec::new(), Vec::new(), Vec::new());
    let mut op = Convolution {
        pass,
        transposed,
        groups,
        strides: Vec::new(),
        dilations: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
    };
    for _ in 0..spatial {
        let k = sizes.pick(&[1, 2, 3, 3]);
        let dilation = if sizes.percent(20) { sizes.range(1, 2) } else { 0 };
        let (stride, left, right) = (sizes.pick(&[1, 1, 2, 3]), sizes.range(0, 2).min(k), sizes.range(0, 2).min(k));
        let range = 1 + (k - 1) * (dilation + 1);
        let side = range + sizes.range(0, if spatial == 3 { 3 } else { 7 });
        kernel.push(k);
        large.push(side);
        small_side.push((side - range + left + right) / stride + 1);
        op.strides.push(stride);
        op.dilations.push(dilation);
        op.left.push(left);
        op.right.push(right);
    }
    let g = groups.unwrap_or(1);
    let (src_side, dst_side) = if transposed { (small_side, large) } else { (large, small_side) };
    let src_dims = [&[batch, g * ic][..], &src_side].concat();
    let dst_dims = [&[batch, g * oc][..], &dst_side].concat();
    let weights_dims: Vec<i64> = groups.into_iter().chain([oc, ic]).chain(kernel).collect();

    let exact = rng.percent(80);
    let any = rng.percent(50);
    let channels_last = rng.percent(50);
    let image = |dims: &[i64], dt| {
        let tag = ["acb", "acdb", "acdeb"][dims.len() - 3];
        let format = match (any, channels_last) {
            (true, _) => Format::Any,
            (_, true) => Format::Tag(Tag::named(tag)),
            _ => Format::Tag(Tag::row_major(dims.len())),
        };
        Tensor::new(dims, dt, format)
    };
    let filter = |dt| {
        let format = if any { Format::Any } else { Format::Tag(Tag::row_major(weights_dims.len())) };
        Tensor::new(&weights_dims, dt, format)
    };
    let with_bias = pass != Pass::Data && rng.percent(50);
    let bias_dims = [g * oc];
    let mut case = Case::new(op);
    let mut input = |case: &mut Case, index: i32, tensor: Tensor| {
        let dt = tensor.dt;
        case.arg(index, Role::Input, tensor.filled(rng, |rng| small(rng, dt, exact)));
    };
    match pass {
        Pass::Forward => {
            input(&mut case, arg::SRC, image(&src_dims, left_dt));
            input(&mut case, arg::WEIGHTS, filter(right_dt));
            if with_bias {
                let dt = if left_dt == F64 { F64 } else { F32 };
                input(&mut case, arg::BIAS, Tensor::plain(&bias_dims, dt));
            }
            case.arg(arg::DST, Role::Output, image(&dst_dims, result_dt));
            if left_dt.is_integer() {
                quantise(rng, &mut case, exact);
            }
            if rng.percent(40) {
                random_post_ops(rng, &mut case, PostOpKinds { sum: true, eltwise: true, binary: true, prelu: true });
            }
        }
        Pass::Data => {
            input(&mut case, arg::DIFF_DST, image(&dst_dims, left_dt));
            input(&mut case, arg::WEIGHTS, filter(right_dt));
            case.arg(arg::DIFF_SRC, Role::Output, image(&src_dims, result_dt));
        }
        Pass::Weights => {
            input(&mut case, arg::SRC, image(&src_dims, left_dt));
            input(&mut case, arg::DIFF_DST, image(&dst_dims, right_dt));
            case.arg(arg::DIFF_WEIGHTS, Role::Output, filter(result_dt));
            if with_bias {
                case.arg(arg::DIFF_BIAS, Role::Output, Tensor::plain(&bias_dims, result_dt));
            }
        }
    }
    case.attributes.user_scratchpad = rng.percent(15);
    case
}

/// Adds scales and zero points.
fn quantise(rng: &mut Rng, case: &mut Case, exact: bool) {
    let groups = case.tensor(arg::WEIGHTS).dims.len() > case.tensor(arg::SRC).dims.len();
    let per_channel = if rng.percent(50) { if groups { 3 } else { 1 } } else { 0 };
    for (index, mask, chance) in [(arg::SRC, 0, 40), (arg::WEIGHTS, per_channel, 60), (arg::DST, 0, 40)] {
        if rng.percent(chance) {
            let quant = Quant { arg: index, mask, groups: None, dt: F32, host: false };
            let values = quant.tensor(&case.tensor(index).dims).filled(rng, |rng| random_scale(rng, F32, exact));
            case.arg(arg::SCALES | index, Role::Input, values);
            case.attributes.scales.push(quant);
        }
    }
    for index in [arg::SRC, arg::DST] {
        if case.tensor(index).dt.is_integer() && rng.percent(30) {
            let quant = Quant { arg: index, mask: 0, groups: None, dt: S32, host: false };
            let values = quant.tensor(&case.tensor(index).dims).filled(rng, |rng| rng.range(-3, 4) as f64);
            case.arg(arg::ZERO_POINTS | index, Role::Input, values);
            case.attributes.zero_points.push(quant);
        }
    }
}

impl Convolution {
    /// Calls `f` with the positions in source, weights and destination of everything that is multiplied.
    fn for_each_product(&self, src: &[i64], weights: &[i64], dst: &[i64], mut f: impl FnMut([Vec<i64>; 3])) {
        let (large, small) = if self.transposed { (dst, src) } else { (src, dst) };
        let filter = &weights[usize::from(self.groups.is_some())..];
        for at in positions(weights) {
            let (group, within) = at.split_at(usize::from(self.groups.is_some()));
            let g = group.first().copied().unwrap_or(0);
            let [oc, ic, k @ ..] = within else { unreachable!() };
            for o in positions(&small[2..]) {
                let place = |i: usize| o[i] * self.strides[i] + k[i] * (self.dilations[i] + 1) - self.left[i];
                let i: Vec<i64> = (0..o.len()).map(place).collect();
                if i.iter().zip(&large[2..]).any(|(i, side)| !(0..*side).contains(i)) {
                    continue;
                }
                let (in_src, in_dst) = if self.transposed { (&o, &i) } else { (&i, &o) };
                for n in 0..src[0] {
                    let s = [&[n, g * filter[1] + ic][..], in_src].concat();
                    f([s, at.clone(), [&[n, g * filter[0] + oc][..], in_dst].concat()]);
                }
            }
        }
    }

    fn window(&self) -> Window {
        Window {
            kernel: Vec::new(),
            strides: self.strides.clone(),
            dilates: self.dilations.clone(),
            padding_l: self.left.clone(),
            padding_r: self.right.clone(),
        }
    }
}

fn index(dims: &[i64], at: &[i64]) -> usize {
    dims.iter().zip(at).fold(0, |sum, (dim, i)| sum * dim + i) as usize
}

impl Operation for Convolution {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let md = |index: i32| mds.desc(index);
        let (transposed, window) = (self.transposed, self.window());
        let algorithm = if transposed { 0xa } else { 0x1 };
        // The forward pass is a hint that no gradient needs.
        match self.pass {
            Pass::Forward => {
                let [src, weights, bias, dst] = [arg::SRC, arg::WEIGHTS, arg::BIAS, arg::DST].map(md);
                maker.convolution_forward(transposed, 64, algorithm, src, weights, bias, dst, &window)
            }
            Pass::Data => {
                let [src, weights, dst] = [arg::DIFF_SRC, arg::WEIGHTS, arg::DIFF_DST].map(md);
                maker.convolution_backward_data(transposed, algorithm, src, weights, dst, &window)
            }
            Pass::Weights => {
                let [src, weights, bias, dst] = [arg::SRC, arg::DIFF_WEIGHTS, arg::DIFF_BIAS, arg::DIFF_DST].map(md);
                maker.convolution_backward_weights(transposed, algorithm, src, weights, bias, dst, &window)
            }
        }
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let tensor = |index: i32, gradient: i32| case.find(index).map_or_else(|| case.tensor(gradient), |a| &a.tensor);
        let (src, weights) = (tensor(arg::SRC, arg::DIFF_SRC), tensor(arg::WEIGHTS, arg::DIFF_WEIGHTS));
        let dst = tensor(arg::DST, arg::DIFF_DST);
        let attributes = &case.attributes;
        let math = if src.dt == F64 { Math::F64 } else { Math::F32 };
        let output = match self.pass {
            Pass::Forward => dst,
            Pass::Data => src,
            Pass::Weights => weights,
        };
        let mut terms: Vec<Vec<(Approx, Approx)>> = vec![Vec::new(); elements(&output.dims)];
        self.for_each_product(&src.dims, &weights.dims, &dst.dims, |[s, w, d]| {
            let value = |tensor: &Tensor, at: &[i64]| math.load(tensor.value(index(&tensor.dims, at)));
            let less_zero_point = |x: Approx, argument: i32, at: &[i64]| match attributes.zero_point(case, argument, at)
            {
                Some(zero_point) => math.sub(x, Approx::exact(zero_point)),
                None => x,
            };
            let (at, term) = match self.pass {
                Pass::Forward => (&d, (less_zero_point(value(src, &s), arg::SRC, &s), value(weights, &w))),
                Pass::Data => (&s, (value(dst, &d), value(weights, &w))),
                Pass::Weights => (&w, (value(src, &s), value(dst, &d))),
            };
            terms[index(&output.dims, at)].push(term);
        });
        let whole = src.dt.is_integer();
        let sums = terms.iter().map(|terms| math.dot(terms, whole));
        if self.pass != Pass::Forward {
            let channel_sum = |c: i64| {
                let column = positions(&dst.dims).filter(|at| at[1] == c);
                let terms: Vec<_> =
                    column.map(|at| (math.load(dst.value(index(&dst.dims, &at))), Approx::exact(1.0))).collect();
                math.dot(&terms, false)
            };
            let bias = case.find(arg::DIFF_BIAS).map(|_| (0..dst.dims[1]).map(channel_sum).collect());
            return Some(std::iter::once(sums.collect()).chain(bias).collect());
        }
        let per_group = weights.dims[usize::from(self.groups.is_some())];
        let finish = |(i, (at, mut x)): (usize, (Vec<i64>, Approx))| {
            let mut at_weights = vec![0; weights.dims.len()];
            match self.groups {
                Some(_) => (at_weights[0], at_weights[1]) = (at[1] / per_group, at[1] % per_group),
                None => at_weights[0] = at[1],
            }
            for scale in [attributes.scale(case, arg::SRC, &at), attributes.scale(case, arg::WEIGHTS, &at_weights)]
                .into_iter()
                .flatten()
            {
                x = math.mul(x, Approx::exact(scale));
            }
            if let Some(bias) = case.find(arg::BIAS) {
                x = math.add(x, math.load(bias.tensor.value(at[1] as usize)));
            }
            x = attributes.post_process(case, math, &at, x, dst.bits[i], dst.dt);
            if let Some(scale) = attributes.scale(case, arg::DST, &at) {
                x = math.div(x, Approx::exact(scale));
            }
            if let Some(zero_point) = attributes.zero_point(case, arg::DST, &at) {
                x = math.add(x, Approx::exact(zero_point));
            }
            x
        };
        Some(vec![positions(&dst.dims).zip(sums).enumerate().map(finish).collect()])
    }

    fn describe(&self) -> String {
        let Convolution { pass, transposed, groups, strides, dilations, left, right } = self;
        let name = if *transposed { "deconvolution" } else { "convolution" };
        let groups = groups.map_or(String::new(), |groups| format!(" groups={groups}"));
        format!("{name} {pass:?}{groups} strides={strides:?} dilations={dilations:?} padding={left:?}:{right:?}")
    }
}
