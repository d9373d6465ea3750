//! Products of matrices as BLAS has them. Integers are summed in s32, and the rest is done in f64, so that nothing is lost.

use super::view::View;
use crate::Result;
use crate::desc::{Gemm, arg};
use crate::program::{Builder, Program, ReduceOp, Ty};

/// The program of a product of [`arg::SRC`] and [`arg::WEIGHTS`] to [`arg::DST`]; offsets are in [`arg::BIAS`].
pub fn gemm(op: &Gemm) -> Result<Program> {
    let b = Builder::new();
    {
        let (factor_ty, ty) = if op.offsets.is_some() { (Ty::S32, Ty::F64) } else { (Ty::F32, Ty::F32) };
        let [m, n, k] = [("m", op.c.dims()[0]), ("n", op.c.dims()[1]), ("k", op.a.dims()[1])]
            .map(|(name, extent)| b.sized_axis(name, extent));
        let [row, column, step] = [m, n, k].map(|axis| b.at(axis));
        let (shift_a, shift_b) = op.offsets.as_ref().map_or((0, 0), |offsets| (offsets.a, offsets.b));
        let left = View::new(&b, "a", arg::SRC, &op.a)?.load(&[row, step], factor_ty);
        let right = View::new(&b, "b", arg::WEIGHTS, &op.b)?.load(&[step, column], factor_ty);
        let shift = |shift: i32| b.constant(factor_ty, f64::from(shift));
        let product = (left - shift(shift_a)) * (right - shift(shift_b));
        let mut x = b.reduce(ReduceOp::Sum, &[k], product).to(ty) * b.scalar(op.alpha).to(ty);
        let c = View::new(&b, "c", arg::DST, &op.c)?;
        if op.beta != 0.0 {
            x = x + c.load(&[row, column], ty) * b.scalar(op.beta).to(ty);
        }
        if let Some(offsets) = &op.offsets {
            x = x + View::new(&b, "offsets", arg::BIAS, &offsets.c)?.load(&[row, column], ty);
        }
        b.stage("gemm", vec![m, n], None, vec![c.store(&[row, column], x)]);
    }
    Ok(b.finish())
}
