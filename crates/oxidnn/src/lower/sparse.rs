//! Products with one factor of which only some elements are stored, as compressed rows or as sorted coordinates.
//!
//! A sparse source is walked row by row, so an element of the product costs what its row stores. Sparse weights are spread
//! out into a dense matrix first: their rows run along the sum, where no element of the product could skip any.

use super::epilogue::Attributes;
use super::view::{Domain, View};
use super::{float_type, statistic};
use crate::desc::{Attr, DataType, Matmul, MemoryDesc, Sparse, arg};
use crate::program::{Binding, Builder, Expr, ReduceOp, Ty};
use crate::{Error, Result};

pub fn lower(b: &Builder, op: &Matmul, attr: &Attr, encoding: &Sparse) -> Result<()> {
    let ty = float_type([op.src.data_type()]);
    let attributes = Attributes { b, attr, ty };
    let sparse_src = op.src.sparse().is_some();
    let (arg, md) = if sparse_src { (arg::SRC, &op.src) } else { (arg::WEIGHTS, &op.weights) };
    let matrix = Matrix::new(b, arg, md, encoding)?;
    let dst = View::new(b, "dst", arg::DST, &op.dst)?;
    let Domain { axes, index, bounds } = Domain::of(b, &op.dst)?;
    let [m, n] = [index[0], index[1]];
    let mut x = if matrix.stored == 0 {
        b.constant(ty, 0.0)
    } else if sparse_src {
        let pointers = matrix.pointers()?;
        let weights = View::new(b, "weights", arg::WEIGHTS, &op.weights)?;
        let start = pointers.load(&[m], Ty::S32).to(Ty::Index);
        let end = pointers.load(&[m + 1], Ty::S32).to(Ty::Index);
        let axis = b.axis("stored", end - start);
        let at = start + b.at(axis);
        let k = matrix.columns.load(&[at], Ty::S32).to(Ty::Index);
        b.reduce(ReduceOp::Sum, &[axis], matrix.values.load(&[at], ty) * weights.load(&[k, n], ty))
    } else {
        let weights = matrix.spread(ty)?;
        let src = View::new(b, "src", arg::SRC, &op.src)?;
        let axis = b.sized_axis("k", md.dims()[0]);
        let k = b.at(axis);
        b.reduce(ReduceOp::Sum, &[axis], src.load(&[m, k], ty) * weights.load(&[k, n], ty))
    };
    if let Some(bias) = &op.bias {
        x = x + View::new(b, "bias", arg::BIAS, bias)?.load(&index, ty);
    }
    b.stage("matmul", axes, bounds, attributes.finish(x, &dst, arg::DST, &index)?);
    Ok(())
}

/// A sparse matrix.
struct Matrix<'b> {
    b: &'b Builder,
    dims: [i64; 2],
    stored: i64,
    values: View<'b>,
    columns: View<'b>,
    order: Order<'b>,
}

/// How the rows of elements are known.
enum Order<'b> {
    /// By where each row starts and the last ends.
    Pointers(View<'b>),
    /// By the row of each element, in ascending order.
    Rows(View<'b>),
}

impl<'b> Matrix<'b> {
    fn new(b: &'b Builder, arg: i32, md: &MemoryDesc, encoding: &Sparse) -> Result<Matrix<'b>> {
        let buffer = |name, handle, data_type, length| {
            let md = MemoryDesc::with_strides(&[length], data_type, None)?;
            View::bound(b, name, Binding::Arg { arg, handle }, &md)
        };
        let dims = [md.dims()[0], md.dims()[1]];
        let (stored, columns, order) = match encoding {
            Sparse::Csr { nnz, .. } => {
                let pointers = buffer("pointers", 2, DataType::S32, dims[0] + 1)?;
                (*nnz, buffer("columns", 1, DataType::S32, *nnz)?, Order::Pointers(pointers))
            }
            Sparse::Coo { nnz, .. } => {
                let rows = buffer("rows", 1, DataType::S32, *nnz)?;
                (*nnz, buffer("columns", 2, DataType::S32, *nnz)?, Order::Rows(rows))
            }
            other => return Err(Error::unimplemented(format!("a matmul of {} tensors", other.encoding()))),
        };
        Ok(Matrix { b, dims, stored, values: buffer("values", 0, md.data_type(), stored)?, columns, order })
    }

    /// Where each row starts and the last ends.
    fn pointers(&self) -> Result<View<'b>> {
        match &self.order {
            Order::Pointers(pointers) => Ok(pointers.clone()),
            Order::Rows(rows) => {
                let pointers = View::scratch(self.b, "pointers", &[self.dims[0] + 1], Ty::S32)?;
                statistic::fill(self.b, "pointers", &pointers, |index| {
                    let row = index[0].to(Ty::S32);
                    Ok(first_not(self.b, self.stored, |i, inside| rows.load_if(inside, &[i], Ty::S32).lt(row))
                        .to(Ty::S32))
                })?;
                Ok(pointers)
            }
        }
    }

    /// All elements of the matrix, in the scratchpad.
    fn spread(&self, ty: Ty) -> Result<View<'b>> {
        let b = self.b;
        let dense = View::scratch(b, "spread", &self.dims, ty)?;
        statistic::fill(b, "clear", &dense, |_| Ok(b.constant(ty, 0.0)))?;
        let axis = b.sized_axis("stored", self.stored);
        let at = b.at(axis);
        let row = match &self.order {
            Order::Rows(rows) => rows.load(&[at], Ty::S32).to(Ty::Index),
            Order::Pointers(pointers) => {
                let position = at.to(Ty::S32);
                first_not(b, self.dims[0], |i, inside| pointers.load_if(inside, &[i + 1], Ty::S32).le(position))
            }
        };
        let column = self.columns.load(&[at], Ty::S32).to(Ty::Index);
        b.stage("spread", vec![axis], None, vec![dense.store(&[row, column], self.values.load(&[at], ty))]);
        Ok(dense)
    }
}

/// How many of `count` numbers fulfil a condition that no number behind one that does not fulfils: found bit by bit.
/// `holds` gets an index and whether it is below `count`.
fn first_not<'b>(b: &'b Builder, count: i64, holds: impl Fn(Expr<'b>, Expr<'b>) -> Expr<'b>) -> Expr<'b> {
    let count = b.param(count);
    let mut found = b.index(0);
    for bit in (0..31).rev() {
        let next = found + (1 << bit);
        let inside = next.le(count);
        found = (inside & holds(next - 1, inside)).select(next, found);
    }
    found
}
