//! From logical indices to memory: the one place where a layout becomes index arithmetic.

use crate::desc::{DataType, MemoryDesc};
use crate::program::{AxisId, Binding, Builder, Expr, Store, TensorId, Ty};
use crate::{Error, Result};

/// A tensor together with its layout.
#[derive(Clone, Debug)]
pub struct View<'b> {
    b: &'b Builder,
    /// The tensor.
    pub tensor: TensorId,
    /// Its layout.
    pub md: MemoryDesc,
    strides: Vec<Expr<'b>>,
    start: Expr<'b>,
}

impl<'b> View<'b> {
    /// The tensor that an execution argument holds.
    pub fn new(b: &'b Builder, name: &'static str, arg: i32, md: &MemoryDesc) -> Result<View<'b>> {
        View::bound(b, name, Binding::Arg { arg, handle: 0 }, md)
    }

    /// The tensor behind a binding.
    pub fn bound(b: &'b Builder, name: &'static str, binding: Binding, md: &MemoryDesc) -> Result<View<'b>> {
        let blocking = md.blocking().ok_or_else(|| {
            Error::unimplemented(format!("{name} has the format {}, a blocked one is needed", md.format_kind()))
        })?;
        let strides = blocking.strides.iter().map(|&stride| b.extent(stride)).collect();
        let start = if md.offset0() == 0 { b.index(0) } else { b.param(md.offset0()) };
        let tensor = b.tensor(name, md.data_type(), binding);
        if let Some(span) = md.span() {
            b.set_elements(tensor, span + md.offset0());
        }
        Ok(View { b, tensor, md: md.clone(), strides, start })
    }

    /// A row-major tensor in the scratchpad that keeps values of type `ty`.
    pub fn scratch(b: &'b Builder, name: &'static str, dims: &[i64], ty: Ty) -> Result<View<'b>> {
        View::scratch_like(b, name, &MemoryDesc::with_strides(dims, ty.storage(), None)?)
    }

    /// A tensor in the scratchpad with the type and the layout of a descriptor.
    pub fn scratch_like(b: &'b Builder, name: &'static str, md: &MemoryDesc) -> Result<View<'b>> {
        // An empty tensor still is an argument of its stage, so it needs a place.
        let (tensor, start) = b.scratch(name, md.data_type(), md.span().unwrap_or(0).max(1) as usize);
        let strides = md.strides().into_iter().flat_map(|all| all.iter()).map(|&stride| b.extent(stride)).collect();
        Ok(View { b, tensor, md: md.clone(), strides, start })
    }

    /// The same tensor further on in its memory, by an argument even if that is zero.
    pub fn from(self, start: i64) -> View<'b> {
        if let Some(span) = self.md.span() {
            self.b.set_elements(self.tensor, span + start);
        }
        View { start: self.b.param(start), ..self }
    }

    /// A list of `elements` f32 numbers.
    pub fn list(b: &'b Builder, tensor: TensorId, elements: i64) -> Result<View<'b>> {
        let md = MemoryDesc::with_strides(&[elements], DataType::F32, None)?;
        Ok(View { b, tensor, md, strides: vec![b.index(1)], start: b.index(0) })
    }

    /// The same memory read as another data type of the same size.
    pub fn reinterpret(&self, name: &'static str, arg: i32, data_type: DataType) -> View<'b> {
        let tensor = self.b.tensor(name, data_type, Binding::Arg { arg, handle: 0 });
        View { tensor, md: self.md.with_data_type(data_type), ..self.clone() }
    }

    /// The physical offset of an element, or of padding.
    pub fn offset(&self, index: &[Expr<'b>]) -> Expr<'b> {
        let inner = self.md.inner_blocks();
        let mut offset = self.start;
        let mut rest: Vec<Expr<'b>> = Vec::with_capacity(index.len());
        for (d, &i) in index.iter().enumerate() {
            let shift = self.md.padded_offsets()[d];
            let i = if shift == 0 { i } else { i + self.b.param(shift) };
            let block: i64 = inner.iter().filter(|block| block.dim == d).map(|block| block.size).product();
            offset = offset + i / block * self.strides[d];
            rest.push(i % block);
        }
        let mut stride: i64 = inner.iter().map(|block| block.size).product();
        for (depth, block) in inner.iter().enumerate() {
            stride /= block.size;
            let finer: i64 = inner[depth + 1..].iter().filter(|b| b.dim == block.dim).map(|b| b.size).product();
            offset = offset + rest[block.dim] / finer * stride;
            rest[block.dim] = rest[block.dim] % finer;
        }
        offset
    }

    /// The element at a logical index. Along dimensions of one element every index means that element, which is how
    /// broadcasts are written.
    pub fn load(&self, index: &[Expr<'b>], ty: Ty) -> Expr<'b> {
        self.b.load(self.tensor, self.broadcast_offset(index), ty)
    }

    /// The element at a logical index where the guard holds, else zero.
    pub fn load_if(&self, guard: Expr<'b>, index: &[Expr<'b>], ty: Ty) -> Expr<'b> {
        self.b.load_if(guard, self.tensor, self.broadcast_offset(index), ty)
    }

    fn broadcast_offset(&self, index: &[Expr<'b>]) -> Expr<'b> {
        let broadcast: Vec<Expr<'b>> = index
            .iter()
            .zip(self.md.dims().iter())
            .map(|(&i, &dim)| if dim == 1 { self.b.index(0) } else { i })
            .collect();
        self.offset(&broadcast)
    }

    /// A store to a logical index. Integers stay exact where nothing was done to them as floats.
    pub fn store(&self, index: &[Expr<'b>], value: Expr<'b>) -> Store {
        let value = if self.md.data_type() == DataType::S32 { value.before_conversion() } else { value };
        Store { tensor: self.tensor, offset: self.offset(index).node(), value: value.node() }
    }
}

/// The points of a tensor, in the order they lie in memory.
#[derive(Clone, Debug)]
pub struct Domain<'b> {
    /// The axes, outermost first.
    pub axes: Vec<AxisId>,
    /// The logical index at a point.
    pub index: Vec<Expr<'b>>,
    /// Whether a point is an element, not padding; absent where there is no padding.
    pub bounds: Option<Expr<'b>>,
}

const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

impl<'b> Domain<'b> {
    /// All points of a tensor's memory, padding included.
    pub fn of(b: &'b Builder, md: &MemoryDesc) -> Result<Domain<'b>> {
        let blocking = md.blocking().ok_or_else(|| Error::unimplemented("an output needs a blocked format"))?;
        let blocks = blocking.blocks();
        let outer: Vec<AxisId> =
            (0..md.ndims()).map(|d| b.sized_axis(NAMES[d], md.padded_dims()[d] / blocks[d])).collect();
        let mut order: Vec<usize> = (0..md.ndims()).collect();
        order.sort_by_key(|&d| (std::cmp::Reverse(blocking.strides[d]), std::cmp::Reverse(md.padded_dims()[d])));
        let mut axes: Vec<AxisId> = order.iter().map(|&d| outer[d]).collect();
        let mut index: Vec<Expr<'b>> = outer.iter().map(|&axis| b.at(axis)).collect();
        for block in &blocking.inner {
            let axis = b.axis(NAMES[block.dim], b.index(block.size));
            axes.push(axis);
            index[block.dim] = index[block.dim] * block.size + b.at(axis);
        }
        let mut bounds: Option<Expr<'b>> = None;
        for ((&i, &dim), &padded) in index.iter().zip(md.dims().iter()).zip(md.padded_dims().iter()) {
            if padded != dim {
                let inside = i.lt(b.param(dim));
                bounds = Some(bounds.map_or(inside, |all| all & inside));
            }
        }
        Ok(Domain { axes, index, bounds })
    }

    /// The points of `dims`, in the order in which they lie in a tensor of layout `md`; no padding.
    pub fn inside(b: &'b Builder, dims: &[i64], md: &MemoryDesc) -> Result<Domain<'b>> {
        let strides = md.strides().ok_or_else(|| Error::unimplemented("an output needs a blocked format"))?;
        let all: Vec<AxisId> = dims.iter().enumerate().map(|(d, &dim)| b.sized_axis(NAMES[d], dim)).collect();
        let mut order: Vec<usize> = (0..dims.len()).collect();
        let innermost = |d: usize| md.inner_blocks().iter().rposition(|block| block.dim == d);
        order.sort_by_key(|&d| (innermost(d).map_or(0, |position| position + 1), std::cmp::Reverse(strides[d])));
        Ok(Domain {
            axes: order.iter().map(|&d| all[d]).collect(),
            index: all.iter().map(|&axis| b.at(axis)).collect(),
            bounds: None,
        })
    }
}
