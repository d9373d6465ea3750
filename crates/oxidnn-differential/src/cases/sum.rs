//! Weighted sums of tensors of one shape.

use crate::api::arg;
use crate::attributes::small;
use crate::case::{Case, Descs, Format, Operation, Role, Tensor, random_dims, random_format};
use crate::dtype::DataType::*;
use crate::handle::BorrowedDesc;
use crate::oracle::Approx;
use crate::rng::Rng;
use dnnl_dynamic::create::{Made, Maker};

struct Sum {
    scales: Vec<f32>,
}

/// Makes a case.
pub fn generate(rng: &mut Rng) -> Case {
    let exact = rng.percent(60);
    let count = rng.range(1, 5) as usize;
    let scales =
        (0..count).map(|_| if exact { rng.pick(&[0.5f32, 1.0, 2.0, -1.0]) } else { rng.uniform(-2.0, 2.0) as f32 });
    let mut case = Case::new(Sum { scales: scales.collect() });
    let ndims = rng.range(1, 6) as usize;
    let dims = random_dims(rng, ndims, 1500);
    let types = [F32, F32, F16, Bf16, S8, U8, S32, F8E5m2, F8E4m3, F64, S4, U4, F4E2m1, F4E3m0, E8m0];
    let common = rng.pick(&types);
    let format = random_format(rng, &dims, common, 50);
    for i in 0..count {
        let dt = if rng.percent(25) { rng.pick(&types) } else { common };
        let format = if rng.percent(25) { random_format(rng, &dims, dt, 50) } else { format.clone() };
        let src = Tensor::new(&dims, dt, format).filled(rng, |rng| small(rng, dt, exact));
        case.arg(arg::MULTIPLE_SRC + i as i32, Role::Input, src);
    }
    let dt = if rng.percent(25) { rng.pick(&types) } else { common };
    let format = match rng.below(4) {
        0 => Format::Any,
        1 => random_format(rng, &dims, dt, 50),
        _ => format,
    };
    let first = &case.args[0].tensor;
    let same = first.dt == dt && first.format == format;
    let role = if same && rng.percent(15) { Role::InPlace(arg::MULTIPLE_SRC) } else { Role::Output };
    case.arg(arg::DST, role, Tensor::new(&dims, dt, format));
    case
}

impl Operation for Sum {
    fn create<'a>(&self, maker: &Maker<'_, 'a>, mds: &Descs<'_>) -> Made<'a> {
        let srcs: Vec<BorrowedDesc<'_>> =
            (0..self.scales.len()).filter_map(|i| mds.desc(arg::MULTIPLE_SRC + i as i32)).collect();
        maker.sum(&srcs, &self.scales, mds.desc(arg::DST))
    }

    fn expect(&self, case: &Case) -> Option<Vec<Vec<Approx>>> {
        let dst = case.tensor(arg::DST);
        let srcs: Vec<&Tensor> = (0..self.scales.len()).map(|i| case.tensor(arg::MULTIPLE_SRC + i as i32)).collect();
        let math = case.math();
        let value = |i: usize| {
            let terms: Vec<(Approx, Approx)> = srcs
                .iter()
                .zip(&self.scales)
                .map(|(src, scale)| (math.load(src.value(i)), Approx::exact(f64::from(*scale))))
                .collect();
            math.dot(&terms, false)
        };
        Some(vec![(0..dst.bits.len()).map(value).collect()])
    }

    fn describe(&self) -> String {
        format!("sum scales={:?}", self.scales)
    }
}
