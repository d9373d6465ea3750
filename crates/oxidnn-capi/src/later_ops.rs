//! Operations whose primitives come later.

use std::ffi::c_char;

use crate::handle::{Dim, In, Out};
use crate::later::later;

later! {
    /// Multiplies f32 matrices on the CPU, row-major: `C = alpha * op(A) * op(B) + beta * C`.
    fn dnnl_sgemm(
        transa: c_char, transb: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<f32>, lda: Dim, b: In<f32>, ldb: Dim,
        beta: f32, c: Out<f32>, ldc: Dim,
    );

    /// Multiplies u8 by s8 matrices on the CPU, row-major, with offsets.
    fn dnnl_gemm_u8s8s32(
        transa: c_char, transb: c_char, offsetc: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<u8>, lda: Dim,
        ao: u8, b: In<i8>, ldb: Dim, bo: i8, beta: f32, c: Out<i32>, ldc: Dim, co: In<i32>,
    );

    /// Multiplies s8 by s8 matrices on the CPU, row-major, with offsets.
    fn dnnl_gemm_s8s8s32(
        transa: c_char, transb: c_char, offsetc: c_char, m: Dim, n: Dim, k: Dim, alpha: f32, a: In<i8>, lda: Dim,
        ao: i8, b: In<i8>, ldb: Dim, bo: i8, beta: f32, c: Out<i32>, ldc: Dim, co: In<i32>,
    );
}
