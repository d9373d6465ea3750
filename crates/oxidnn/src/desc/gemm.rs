//! Products of matrices in host memory, as BLAS has them. Not a primitive: it is computed when it is asked for.

use super::{DataType, MemoryDesc};
use crate::{Result, ensure};

/// `C = alpha * op(A) * op(B) + beta * C`, of row-major matrices; `op` transposes or does nothing.
#[derive(Clone, Debug)]
pub struct Gemm {
    /// `op(A)`.
    pub a: MemoryDesc,
    /// `op(B)`.
    pub b: MemoryDesc,
    /// `C`.
    pub c: MemoryDesc,
    /// The factor of the product.
    pub alpha: f32,
    /// The factor of what was in `C`; where it is zero, that is not read.
    pub beta: f32,
    /// What integers are shifted by.
    pub offsets: Option<GemmOffsets>,
}

/// Numbers that are subtracted from integer factors, and added to the result.
#[derive(Clone, Debug)]
pub struct GemmOffsets {
    /// Subtracted from `A`.
    pub a: i32,
    /// Subtracted from `B`.
    pub b: i32,
    /// Added to `C`: along each dimension one for all, or one for each position.
    pub c: MemoryDesc,
}

/// For which elements of the result a [`Gemm`] has an offset of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GemmOffset {
    /// One for all.
    Fixed,
    /// One for each row.
    Rows,
    /// One for each column.
    Columns,
}

impl Gemm {
    /// Describes the product of an m×k and a k×n matrix. `transposed` says of either whether it is stored the other way round,
    /// `leading` how many elements lie between rows as they are stored, of both and of the result.
    pub fn new(
        types: [DataType; 3],
        transposed: [bool; 2],
        [m, n, k]: [i64; 3],
        leading: [i64; 3],
        [alpha, beta]: [f32; 2],
    ) -> Result<Gemm> {
        let matrix = |name: &str, data_type, dims: [i64; 2], transposed: bool, leading: i64| {
            ensure!(dims.iter().all(|&dim| dim >= 0), "matrix {name} of {}x{} elements", dims[0], dims[1]);
            let row = dims[usize::from(!transposed)];
            ensure!(leading >= row.max(1), "rows of matrix {name} have {row} elements but lie {leading} apart");
            let strides = if transposed { [1, leading] } else { [leading, 1] };
            MemoryDesc::with_strides(&dims, data_type, Some(&strides))
        };
        Ok(Gemm {
            a: matrix("A", types[0], [m, k], transposed[0], leading[0])?,
            b: matrix("B", types[1], [k, n], transposed[1], leading[1])?,
            c: matrix("C", types[2], [m, n], false, leading[2])?,
            alpha,
            beta,
            offsets: None,
        })
    }

    /// The same with numbers that are subtracted from the factors, and some that are added to the result.
    pub fn with_offsets(self, a: i32, b: i32, c: GemmOffset) -> Result<Gemm> {
        let dims = self.c.dims();
        let dims = match c {
            GemmOffset::Fixed => [1, 1],
            GemmOffset::Rows => [dims[0], 1],
            GemmOffset::Columns => [1, dims[1]],
        };
        let c = MemoryDesc::with_strides(&dims, self.c.data_type(), None)?;
        Ok(Gemm { offsets: Some(GemmOffsets { a, b, c }), ..self })
    }
}
