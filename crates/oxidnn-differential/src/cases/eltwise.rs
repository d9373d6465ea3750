//! Functions of single elements, forwards and backwards.

use super::algorithm::Eltwise;
use crate::api::arg;
use crate::attributes::{PostOpKinds, random_alpha_beta, random_post_ops, round_stochastically};
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::{self, *};
use crate::layout::positions;
use crate::oracle::{Approx, Math};
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};
use std::ffi::c_int;

struct EltwiseOp {
    algorithm: Eltwise,
    alpha: f32,
    beta: f32,
    direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Training,
    Inference,
    BackwardFromSrc,
    BackwardFromDst,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    use Direction::*;
    let forward = rng.percent(60);
    let dt = if forward {
        rng.pick(&[F32, F32, F32, F16, Bf16, F64, S32, S8, U8, F8E5m2, F8E4m3])
    } else {
        rng.pick(&[F32, F32, F16, Bf16, F64])
    };
    let algorithm = loop {
        let algorithm = rng.pick(Eltwise::ALL);
        let fits_type = if dt.is_integer() {
            matches!(algorithm, Eltwise::Relu | Eltwise::Linear | Eltwise::Clip)
        } else {
            algorithm != Eltwise::Round || (dt == F32 && forward)
        };
        if fits_type {
            break algorithm;
        }
    };
    let direction = match (forward, rng.percent(50)) {
        (true, true) => Training,
        (true, false) => Inference,
        (false, true) if algorithm.use_dst().is_some() => BackwardFromDst,
        (false, _) => BackwardFromSrc,
    };
    let (alpha, beta) = random_alpha_beta(rng, algorithm);
    let mut case = Case::new(EltwiseOp { algorithm, alpha, beta, direction });
    let ndims = rng.range(1, 6) as usize;
    let dims = random_dims(rng, ndims, 1500);
    let format = random_format(rng, &dims, dt, 50);
    let tensor = |dt, format: &Format| Tensor::new(&dims, dt, format.clone());
    let src = tensor(dt, &format).filled(rng, |rng| argument(rng, algorithm, dt));
    if forward {
        let other_type = rng.percent(12);
        let dst_dt = if other_type { rng.pick(&[F32, F16, Bf16, S8, U8, S32]) } else { dt };
        let dst_format = match rng.below(10) {
            0 => random_format(rng, &dims, dst_dt, 50),
            1 => Format::Any,
            _ => format,
        };
        let same = dst_dt == dt && dst_format == src.format;
        let role = if same && rng.percent(15) { Role::InPlace(arg::SRC) } else { Role::Output };
        case.arg(arg::SRC, Role::Input, src);
        case.arg(arg::DST, role, tensor(dst_dt, &dst_format));
        if rng.percent(30) {
            // Only binary ones are documented.
            let eltwise = rng.percent(8);
            random_post_ops(rng, &mut case, PostOpKinds { sum: false, eltwise, binary: true, prelu: false });
        }
    } else {
        let data = if direction == BackwardFromDst {
            let forwards = src.clone();
            let mut values = forwards.bits.iter().map(|bits| {
                let s = Math::F32.load(dt.decode(*bits));
                Math::F32.eltwise(algorithm, s, f64::from(alpha), f64::from(beta)).v
            });
            (arg::DST, src.filled(rng, |_| values.next().expect("as many values as elements")))
        } else {
            (arg::SRC, src)
        };
        let diff_format = if rng.percent(20) { random_format(rng, &dims, dt, 50) } else { format };
        let exact = rng.percent(50);
        let diff_dst = tensor(dt, &diff_format).filled(rng, |rng| crate::attributes::small(rng, dt, exact));
        let role = if rng.percent(15) { Role::InPlace(arg::DIFF_DST) } else { Role::Output };
        case.arg(data.0, Role::Input, data.1);
        case.arg(arg::DIFF_DST, Role::Input, diff_dst);
        case.arg(arg::DIFF_SRC, role, tensor(dt, &diff_format));
        if matches!(dt, F16 | Bf16) && rng.percent(6) {
            round_stochastically(rng, &mut case, arg::DIFF_SRC);
        }
    }
    case
}

/// An argument in the domain of the algorithm.
fn argument(rng: &mut Rng, algorithm: Eltwise, dt: DataType) -> f64 {
    use Eltwise::*;
    if dt.is_integer() {
        return match dt {
            U8 => rng.range(0, 255) as f64,
            S8 => rng.range(-128, 127) as f64,
            _ => rng.range(-1000, 1000) as f64,
        };
    }
    match algorithm {
        Log | Sqrt | Pow => rng.uniform(0.05, 5.0) * rng.pick(&[1.0, 0.01, 20.0]),
        _ => match rng.below(6) {
            0 => rng.range(-6, 6) as f64 / 2.0,
            1 => rng.uniform(-0.01, 0.01),
            2 => rng.uniform(-40.0, 40.0),
            _ => rng.uniform(-5.0, 5.0),
        },
    }
}

impl EltwiseOp {
    fn value(&self) -> c_int {
        match self.direction {
            Direction::BackwardFromDst => self.algorithm.use_dst().expect("an algorithm with that variant"),
            _ => self.algorithm as c_int,
        }
    }

    fn is_forward(&self) -> bool {
        matches!(self.direction, Direction::Training | Direction::Inference)
    }

    /// The argument that a gradient is computed from.
    fn data(&self) -> i32 {
        if self.direction == Direction::BackwardFromDst { arg::DST } else { arg::SRC }
    }
}

impl Operation for EltwiseOp {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        if self.is_forward() {
            let prop = if self.direction == Direction::Inference { 96 } else { 64 };
            let (src, dst) = (mds.desc(arg::SRC), mds.desc(arg::DST));
            return maker.eltwise_forward(prop, self.value(), src, dst, self.alpha, self.beta);
        }
        let [diff_src, diff_dst, data] = [arg::DIFF_SRC, arg::DIFF_DST, self.data()].map(|index| mds.desc(index));
        maker.eltwise_backward(self.value(), diff_src, diff_dst, data, self.alpha, self.beta)
    }

    fn forward<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Option<Made<'a>> {
        let data = mds.desc(self.data());
        (!self.is_forward()).then(|| maker.eltwise_forward(64, self.value(), data, data, self.alpha, self.beta))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let (alpha, beta) = (f64::from(self.alpha), f64::from(self.beta));
        let from_dst = self.direction == Direction::BackwardFromDst;
        if self.is_forward() {
            let (src, dst) = (case.tensor(arg::SRC), case.tensor(arg::DST));
            let math = if src.dt == F64 && dst.dt == F64 { Math::F64 } else { Math::F32 };
            let value = |(i, position): (usize, Vec<i64>)| {
                let result = math.eltwise(self.algorithm, math.load(src.value(i)), alpha, beta);
                case.attributes.post_process(case, math, &position, result, dst.bits[i], dst.dt)
            };
            return Some(vec![positions(&src.dims).enumerate().map(value).collect()]);
        }
        let data = case.tensor(if from_dst { arg::DST } else { arg::SRC });
        let diff_dst = case.tensor(arg::DIFF_DST);
        let math = if data.dt == F64 { Math::F64 } else { Math::F32 };
        let value = |i: usize| {
            let (dd, x) = (math.load(diff_dst.value(i)), math.load(data.value(i)));
            let result = math.eltwise_backward(self.algorithm, dd, x, alpha, beta, from_dst);
            case.attributes.round_at_random(arg::DIFF_SRC, diff_dst.dt, result)
        };
        Some(vec![(0..data.bits.len()).map(value).collect()])
    }

    fn unsafe_for_reference(&self, case: &Case) -> Option<&'static str> {
        let own = || case.args.iter().filter(|argument| !case.attributes.owns(argument.index)).map(|a| &a.tensor);
        if own().any(Tensor::has_gaps) {
            return Some("takes tensors with gaps for dense ones, and writes past its buffers");
        }
        let first = &case.args[0].tensor;
        let general = own().any(|tensor| tensor.format != first.format || tensor.layout().padded != tensor.dims);
        (first.dims.len() == 6 && general).then_some("forgets the sixth dimension in its general code, and crashes")
    }

    fn describe(&self) -> String {
        format!("eltwise {:?} {}({},{})", self.direction, self.algorithm.name(), self.alpha, self.beta)
    }
}
