//! Products of matrices in the caller's memory.

use std::ffi::c_char;

use oxidnn::desc::{DataType, Gemm, GemmOffset};
use oxidnn::runtime::cpu::Buffer;
use oxidnn::{Error, Result};

use crate::boundary::{Status, execution_status};
use crate::handle::{Dim, In, Out};
use crate::host_memory::foreign;

fn is_transposed(flag: c_char) -> Result<bool> {
    match flag as u8 {
        b'N' | b'n' => Ok(false),
        b'T' | b't' => Ok(true),
        other => Err(Error::invalid(format!("{:?} is no way to transpose a matrix", char::from(other)))),
    }
}

fn offset(flag: c_char) -> Result<GemmOffset> {
    match flag as u8 {
        b'F' | b'f' => Ok(GemmOffset::Fixed),
        b'C' | b'c' => Ok(GemmOffset::Rows),
        b'R' | b'r' => Ok(GemmOffset::Columns),
        other => Err(Error::invalid(format!("{:?} is no way to add offsets", char::from(other)))),
    }
}

fn run<A, B, C>(gemm: &Gemm, a: &In<A>, b: &In<B>, c: &Out<C>, offsets: Option<&In<C>>) -> Result<()> {
    let buffer = |md: &oxidnn::desc::MemoryDesc, address| -> Buffer {
        // SAFETY: the matrix is as large as its sizes say, of which the descriptor was made, and the call waits for the end.
        unsafe { foreign(address, md.size()) }
    };
    let (a, b, c) = (a.address()?, b.address()?, c.address()?);
    let offsets = match (&gemm.offsets, offsets) {
        (Some(wanted), Some(given)) => Some(buffer(&wanted.c, given.address()?)),
        _ => None,
    };
    gemm.run(&buffer(&gemm.a, a), &buffer(&gemm.b, b), &buffer(&gemm.c, c), offsets.as_ref())
}

/// Multiplies f32 matrices on the CPU, row-major: `C = alpha * op(A) * op(B) + beta * C`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_sgemm(
    transa: c_char,
    transb: c_char,
    m: Dim,
    n: Dim,
    k: Dim,
    alpha: f32,
    a: In<f32>,
    lda: Dim,
    b: In<f32>,
    ldb: Dim,
    beta: f32,
    c: Out<f32>,
    ldc: Dim,
) -> Status {
    execution_status(|| {
        let transposed = [is_transposed(transa)?, is_transposed(transb)?];
        let gemm = Gemm::new([DataType::F32; 3], transposed, [m, n, k], [lda, ldb, ldc], [alpha, beta])?;
        run(&gemm, &a, &b, &c, None)
    })
}

/// Multiplies bf16 matrices on the CPU, row-major, to an f32 one. No header declares it; oneDNN exports it.
#[doc(hidden)]
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_gemm_bf16bf16f32(
    transa: c_char,
    transb: c_char,
    m: Dim,
    n: Dim,
    k: Dim,
    alpha: f32,
    a: In<u16>,
    lda: Dim,
    b: In<u16>,
    ldb: Dim,
    beta: f32,
    c: Out<f32>,
    ldc: Dim,
) -> Status {
    execution_status(|| {
        let types = [DataType::Bf16, DataType::Bf16, DataType::F32];
        let transposed = [is_transposed(transa)?, is_transposed(transb)?];
        let gemm = Gemm::new(types, transposed, [m, n, k], [lda, ldb, ldc], [alpha, beta])?;
        run(&gemm, &a, &b, &c, None)
    })
}

/// Multiplies u8 by s8 matrices on the CPU, row-major, with offsets.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_gemm_u8s8s32(
    transa: c_char,
    transb: c_char,
    offsetc: c_char,
    m: Dim,
    n: Dim,
    k: Dim,
    alpha: f32,
    a: In<u8>,
    lda: Dim,
    ao: u8,
    b: In<i8>,
    ldb: Dim,
    bo: i8,
    beta: f32,
    c: Out<i32>,
    ldc: Dim,
    co: In<i32>,
) -> Status {
    execution_status(|| {
        let types = [DataType::U8, DataType::S8, DataType::S32];
        let transposed = [is_transposed(transa)?, is_transposed(transb)?];
        let gemm = Gemm::new(types, transposed, [m, n, k], [lda, ldb, ldc], [alpha, beta])?;
        let gemm = gemm.with_offsets(i32::from(ao), i32::from(bo), offset(offsetc)?)?;
        run(&gemm, &a, &b, &c, Some(&co))
    })
}

/// Multiplies s8 by s8 matrices on the CPU, row-major, with offsets.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_gemm_s8s8s32(
    transa: c_char,
    transb: c_char,
    offsetc: c_char,
    m: Dim,
    n: Dim,
    k: Dim,
    alpha: f32,
    a: In<i8>,
    lda: Dim,
    ao: i8,
    b: In<i8>,
    ldb: Dim,
    bo: i8,
    beta: f32,
    c: Out<i32>,
    ldc: Dim,
    co: In<i32>,
) -> Status {
    execution_status(|| {
        let types = [DataType::S8, DataType::S8, DataType::S32];
        let transposed = [is_transposed(transa)?, is_transposed(transb)?];
        let gemm = Gemm::new(types, transposed, [m, n, k], [lda, ldb, ldc], [alpha, beta])?;
        let gemm = gemm.with_offsets(i32::from(ao), i32::from(bo), offset(offsetc)?)?;
        run(&gemm, &a, &b, &c, Some(&co))
    })
}
