//! Memory descriptors: what a tensor's elements are and where each lies.
//!
//! A logical index reaches memory in two steps: each inner block takes a remainder off its dimension, and what is left of
//! the index is multiplied by the dimension's stride. Strides count elements, and the stride of a blocked dimension is the
//! distance between blocks, not between elements.

mod blob;
mod create;
mod text;
mod transformed;
mod views;

use std::hash::{Hash, Hasher};

use super::dims::{Dims, RUNTIME_DIM, RUNTIME_SIZE};
use super::tag::{FormatTag, InnerBlock};
use super::types::{DataType, FormatKind, SparseEncoding};
pub use transformed::Transformed;

/// Describes a tensor: dimensions, element type, layout.
///
/// ```
/// use oxidnn::desc::{DataType, FormatTag, MemoryDesc};
/// let md = MemoryDesc::with_tag(&[2, 3, 4, 5], DataType::F32, FormatTag::from_name("nChw16c").unwrap()).unwrap();
/// assert_eq!(*md.padded_dims(), [2, 16, 4, 5]);
/// assert_eq!(md.offset_of(&[1, 2, 3, 4]), 16 * (4 * 5) + 3 * (5 * 16) + 4 * 16 + 2);
/// assert_eq!(md.size(), 2 * 16 * 4 * 5 * 4);
/// ```
///
/// Two descriptors are equal if they describe the same memory: the stride of a dimension with one element does not count.
#[derive(Clone, Debug)]
pub struct MemoryDesc {
    dims: Dims,
    data_type: DataType,
    padded_dims: Dims,
    padded_offsets: Dims,
    offset0: i64,
    format: Format,
}

/// How a tensor is laid out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// No layout: the format of the empty descriptor.
    Undef,
    /// The library chooses.
    Any,
    /// Strides and inner blocks.
    Blocked(Blocking),
    /// Only some elements are stored.
    Sparse(Sparse),
    /// Kernels as Winograd's algorithm multiplies them; to the API an opaque layout.
    Transformed(Transformed),
    /// One value in host memory, passed by value.
    HostScalar,
}

/// Strides between outer blocks, and the dense blocks inside, from the outermost in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Blocking {
    /// Elements between neighbours (or neighbouring blocks) along each dimension; 0 repeats, [`RUNTIME_DIM`] is unknown.
    pub strides: Dims,
    /// The inner blocks.
    pub inner: Vec<InnerBlock>,
}

impl Blocking {
    /// How many elements the inner blocks hold together along each dimension.
    pub fn blocks(&self) -> Dims {
        let mut blocks = Dims::filled(self.strides.len(), 1);
        for block in &self.inner {
            blocks[block.dim] *= block.size;
        }
        blocks
    }

    /// The elements of one inner block.
    pub fn block_size(&self) -> i64 {
        self.inner.iter().map(|block| block.size).product()
    }
}

/// A sparse encoding. The first buffer holds the values in each of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sparse {
    /// Compressed rows: values, column indices, row pointers.
    Csr {
        /// Stored elements.
        nnz: i64,
        /// Type of the indices.
        indices: DataType,
        /// Type of the pointers.
        pointers: DataType,
    },
    /// Coordinates: values, then one buffer of indices per dimension.
    Coo {
        /// Stored elements.
        nnz: i64,
        /// Type of the indices.
        indices: DataType,
    },
    /// Values, offsets of blocks, and a bit mask of what is stored.
    Packed {
        /// Stored elements.
        nnz: i64,
        /// The blocked layout whose zeros were removed, once the library has chosen it.
        blocking: Option<Blocking>,
    },
    /// Several dense matrices of different lengths, one after another: values, offsets.
    Grouped {
        /// The dimension whose length differs from group to group.
        variable_dim: usize,
        /// How many groups.
        groups: i64,
        /// Type of the offsets.
        offsets: DataType,
    },
}

impl Sparse {
    /// The encoding's kind.
    pub fn encoding(&self) -> SparseEncoding {
        match self {
            Sparse::Csr { .. } => SparseEncoding::Csr,
            Sparse::Coo { .. } => SparseEncoding::Coo,
            Sparse::Packed { .. } => SparseEncoding::Packed,
            Sparse::Grouped { .. } => SparseEncoding::Grouped,
        }
    }
}

impl MemoryDesc {
    /// The number of dimensions.
    pub fn ndims(&self) -> usize {
        self.dims.len()
    }

    /// The logical dimensions.
    pub fn dims(&self) -> &Dims {
        &self.dims
    }

    /// The type of an element.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// The dimensions including padding.
    pub fn padded_dims(&self) -> &Dims {
        &self.padded_dims
    }

    /// Where the logical tensor starts inside the padding.
    pub fn padded_offsets(&self) -> &Dims {
        &self.padded_offsets
    }

    /// Elements from the start of the buffer to the first of the tensor.
    pub fn offset0(&self) -> i64 {
        self.offset0
    }

    /// The layout.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The family of the layout.
    pub fn format_kind(&self) -> FormatKind {
        match self.format {
            Format::Undef => FormatKind::Undef,
            Format::Any => FormatKind::Any,
            Format::Blocked(_) => FormatKind::Blocked,
            Format::Sparse(_) => FormatKind::Sparse,
            Format::Transformed(_) => FormatKind::Opaque,
            Format::HostScalar => FormatKind::HostScalar,
        }
    }

    /// The strides and blocks of a blocked layout.
    pub fn blocking(&self) -> Option<&Blocking> {
        match &self.format {
            Format::Blocked(blocking) => Some(blocking),
            _ => None,
        }
    }

    /// The strides of a blocked layout.
    pub fn strides(&self) -> Option<&Dims> {
        self.blocking().map(|blocking| &blocking.strides)
    }

    /// The inner blocks of a blocked layout; none for any other.
    pub fn inner_blocks(&self) -> &[InnerBlock] {
        self.blocking().map_or(&[], |blocking| &blocking.inner)
    }

    /// The sparse encoding, if it is one.
    pub fn sparse(&self) -> Option<&Sparse> {
        match &self.format {
            Format::Sparse(sparse) => Some(sparse),
            _ => None,
        }
    }

    /// How many elements a sparse tensor stores.
    pub fn nnz(&self) -> Option<i64> {
        match self.sparse()? {
            Sparse::Csr { nnz, .. } | Sparse::Coo { nnz, .. } | Sparse::Packed { nnz, .. } => Some(*nnz),
            Sparse::Grouped { .. } => Some(self.nelems(false)),
        }
    }

    /// Whether it is the empty descriptor, which stands for an argument that is not there.
    pub fn is_zero(&self) -> bool {
        self.dims.is_empty()
    }

    /// Whether it holds no elements.
    pub fn has_zero_dim(&self) -> bool {
        self.is_zero() || self.dims.contains(&0)
    }

    /// Whether some dimension is only known at execution.
    pub fn has_runtime_dims(&self) -> bool {
        self.dims.has_runtime()
    }

    /// Whether some dimension or stride is only known at execution.
    pub fn has_runtime_dims_or_strides(&self) -> bool {
        self.has_runtime_dims() || self.strides().is_some_and(Dims::has_runtime)
    }

    /// Whether the library may choose the layout.
    pub fn is_any(&self) -> bool {
        self.format == Format::Any
    }

    /// Whether it is one value in host memory.
    pub fn is_host_scalar(&self) -> bool {
        self.format == Format::HostScalar
    }

    /// Whether some dimension repeats its elements (stride 0).
    pub fn has_broadcast(&self) -> bool {
        self.strides().is_some_and(|strides| strides.contains(&0))
    }

    /// The number of elements, with or without those of the padding; [`RUNTIME_DIM`] if not known yet.
    pub fn nelems(&self, with_padding: bool) -> i64 {
        if self.has_zero_dim() {
            0
        } else if self.has_runtime_dims() {
            RUNTIME_DIM
        } else {
            let dims = if with_padding { &self.padded_dims } else { &self.dims };
            dims.iter().product()
        }
    }

    /// One past the last element that a blocked layout reaches, not counting `offset0`.
    ///
    /// 0 if it has no elements, `None` if it is not blocked or not known yet.
    pub fn span(&self) -> Option<i64> {
        let blocking = self.blocking()?;
        if self.has_zero_dim() {
            return Some(0);
        }
        if self.has_runtime_dims_or_strides() {
            return None;
        }
        let outer = self.padded_dims.iter().zip(&*blocking.blocks()).map(|(dim, block)| dim / block).collect::<Dims>();
        let reach =
            outer.iter().zip(&*blocking.strides).filter(|(outer, _)| **outer > 1).map(|(outer, stride)| outer * stride);
        Some(reach.max().unwrap_or(0).max(blocking.block_size()))
    }

    /// The bytes of the (first) buffer; 0 if there are none, [`RUNTIME_SIZE`] if not known yet.
    pub fn size(&self) -> usize {
        self.size_of_handle(0)
    }

    /// The bytes of one of the buffers.
    pub fn size_of_handle(&self, index: usize) -> usize {
        if self.has_zero_dim() {
            return 0;
        }
        match (&self.format, index) {
            (Format::Blocked(_), 0) => {
                self.span().map_or(RUNTIME_SIZE, |elements| self.data_type.bytes(elements as usize))
            }
            (Format::HostScalar, _) => self.data_type.bytes(1),
            (Format::Transformed(_), 0) => self.stored().map_or(0, |stored| stored.size()),
            (Format::Sparse(_), _) if self.has_runtime_dims() => RUNTIME_SIZE,
            (Format::Sparse(sparse), _) => self.size_of_sparse(sparse, index),
            (Format::Undef | Format::Any | Format::Blocked(_) | Format::Transformed(_), _) => 0,
        }
    }

    fn size_of_sparse(&self, sparse: &Sparse, index: usize) -> usize {
        let bytes = |data_type: DataType, elements: i64| data_type.bytes(elements.max(0) as usize);
        match (sparse, index) {
            (Sparse::Packed { blocking: None, .. }, _) => 0,
            (Sparse::Csr { nnz, .. } | Sparse::Coo { nnz, .. } | Sparse::Packed { nnz, .. }, 0) => {
                bytes(self.data_type, *nnz)
            }
            (Sparse::Csr { nnz, indices, .. }, 1) => bytes(*indices, *nnz),
            (Sparse::Csr { pointers, .. }, 2) => bytes(*pointers, self.dims[0] + 1),
            (Sparse::Coo { nnz, indices }, _) if index <= self.ndims() => bytes(*indices, *nnz),
            (Sparse::Packed { blocking: Some(blocking), .. }, 1) => {
                (self.nelems(true) / blocking.block_size()) as usize * size_of::<i64>()
            }
            (Sparse::Packed { .. }, 2) => (self.nelems(true) as usize).div_ceil(8),
            (Sparse::Grouped { .. }, 0) => bytes(self.data_type, self.nelems(false)),
            (Sparse::Grouped { groups, offsets, .. }, 1) => bytes(*offsets, *groups),
            _ => 0,
        }
    }

    /// The number of buffers: one, or more for sparse encodings.
    pub fn num_handles(&self) -> usize {
        match self.sparse() {
            None => 1,
            Some(Sparse::Csr { .. } | Sparse::Coo { .. }) => self.ndims() + 1,
            Some(Sparse::Packed { .. }) => 3,
            Some(Sparse::Grouped { .. }) => 2,
        }
    }

    /// The element type of one of the buffers.
    pub fn data_type_of_handle(&self, index: usize) -> DataType {
        match (self.sparse(), index) {
            (_, 0) => self.data_type,
            (Some(Sparse::Csr { indices, .. }), 1) | (Some(Sparse::Coo { indices, .. }), _) => *indices,
            (Some(Sparse::Csr { pointers, .. }), 2) => *pointers,
            (Some(Sparse::Grouped { offsets, .. }), 1) => *offsets,
            _ => DataType::Undef,
        }
    }

    /// Whether the elements fill their buffer without gaps; padding counts as a gap unless `with_padding`.
    pub fn is_dense(&self, with_padding: bool) -> bool {
        match &self.format {
            Format::Undef | Format::Any => false,
            _ if self.has_runtime_dims_or_strides() || self.has_broadcast() => false,
            Format::Blocked(_) => self.span() == Some(self.nelems(with_padding)),
            _ => self.data_type.bytes(self.nelems(with_padding) as usize) == self.size(),
        }
    }

    /// Whether it is blocked with no inner blocks: strides say everything.
    pub fn is_plain(&self) -> bool {
        self.blocking().is_some_and(|blocking| blocking.inner.is_empty())
    }

    /// Whether it is plain and dense in row-major order, whatever the strides of dimensions with one element.
    pub fn is_row_major(&self) -> bool {
        let Some(strides) = self.strides().filter(|_| self.is_plain()) else { return false };
        let mut expected = 1;
        for (&dim, &stride) in self.dims.iter().zip(&**strides).rev().filter(|(dim, _)| **dim != 1) {
            if stride != expected {
                return false;
            }
            expected *= dim;
        }
        true
    }

    /// Whether the dimensions differ from the padded ones.
    pub fn has_padding(&self) -> bool {
        self.dims != self.padded_dims
    }

    /// Where the element with this logical index lies, in elements from the start of the buffer.
    ///
    /// # Panics
    /// If the layout is not blocked, unless it is a host scalar, or the index has another number of dimensions.
    pub fn offset_of(&self, index: &[i64]) -> i64 {
        if self.is_host_scalar() {
            return 0;
        }
        let blocking = self.blocking().expect("only blocked layouts have offsets");
        assert_eq!(index.len(), self.ndims(), "one index per dimension");
        let mut outer: Dims = index.iter().zip(&*self.padded_offsets).map(|(i, offset)| i + offset).collect();
        let mut offset = self.offset0;
        let mut stride = 1;
        for block in blocking.inner.iter().rev() {
            offset += outer[block.dim] % block.size * stride;
            outer[block.dim] /= block.size;
            stride *= block.size;
        }
        offset + outer.iter().zip(&*blocking.strides).map(|(i, stride)| i * stride).sum::<i64>()
    }

    /// Whether the layout is the one of this tag for these dimensions.
    pub fn matches_tag(&self, tag: FormatTag) -> bool {
        let Ok(expected) = MemoryDesc::with_tag(&self.dims, self.data_type, tag) else { return false };
        self.has_same_layout(&expected)
    }

    /// Whether both have the same dimensions, blocks and strides; types and offsets may differ.
    pub fn has_same_layout(&self, other: &MemoryDesc) -> bool {
        self.dims == other.dims
            && self.padded_dims == other.padded_dims
            && match (&self.format, &other.format) {
                (Format::Blocked(a), Format::Blocked(b)) => {
                    a.inner == b.inner && self.significant(&a.strides).eq(other.significant(&b.strides))
                }
                (a, b) => a == b,
            }
    }

    /// The strides that matter: those of dimensions with more than one element.
    fn significant<'a>(&'a self, strides: &'a Dims) -> impl Iterator<Item = i64> + 'a {
        let is_one = self.dims.iter().zip(&*self.padded_dims).map(|(&dim, &padded)| dim == 1 && padded == 1);
        strides.iter().zip(is_one).filter(|(_, is_one)| !is_one).map(|(&stride, _)| stride)
    }
}

impl PartialEq for MemoryDesc {
    fn eq(&self, other: &MemoryDesc) -> bool {
        self.is_zero() && other.is_zero()
            || self.data_type == other.data_type
                && self.offset0 == other.offset0
                && self.padded_offsets == other.padded_offsets
                && self.has_same_layout(other)
    }
}

impl Eq for MemoryDesc {}

impl Hash for MemoryDesc {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dims.hash(state);
        if self.is_zero() {
            return;
        }
        (self.data_type, self.padded_dims, self.padded_offsets, self.offset0).hash(state);
        std::mem::discriminant(&self.format).hash(state);
        match &self.format {
            Format::Blocked(blocking) => {
                blocking.inner.hash(state);
                self.significant(&blocking.strides).for_each(|stride| stride.hash(state));
            }
            Format::Sparse(sparse) => sparse.hash(state),
            Format::Transformed(transformed) => transformed.hash(state),
            Format::Undef | Format::Any | Format::HostScalar => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desc::DataType::*;
    use std::collections::HashSet;

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn the_stride_of_one_element_does_not_count() {
        let a = MemoryDesc::with_strides(&[1, 3], F32, Some(&[3, 1])).unwrap();
        let b = MemoryDesc::with_strides(&[1, 3], F32, Some(&[77, 1])).unwrap();
        assert_eq!(a, b);
        assert_eq!(HashSet::from([a.clone(), b]).len(), 1);
        assert_ne!(a, a.with_data_type(S32));
        assert_ne!(a, a.with_offset0(1));
        assert_ne!(tagged(&[2, 3], "ab"), tagged(&[2, 3], "ba"));
        assert_ne!(tagged(&[1, 3], "ab"), tagged(&[1, 3], "Ab4a"), "a padded dimension has more than one element");
    }

    #[test]
    fn offsets_fill_a_dense_tensor_exactly() {
        for tag in ["abc", "cab", "aBc4b", "ABc4b4a", "BAc8a16b2a"] {
            let md = tagged(&[8, 32, 3], tag);
            let mut offsets = HashSet::new();
            for a in 0..md.padded_dims()[0] {
                for b in 0..md.padded_dims()[1] {
                    for c in 0..md.padded_dims()[2] {
                        assert!(offsets.insert(md.offset_of(&[a, b, c])), "{tag}");
                    }
                }
            }
            assert_eq!(offsets.len() as i64, md.nelems(true));
            assert_eq!(offsets.into_iter().max(), Some(md.nelems(true) - 1), "{tag}");
        }
    }

    #[test]
    fn density_counts_padding_only_when_asked() {
        let md = tagged(&[2, 3, 4], "aBc4b");
        assert!(md.is_dense(true) && !md.is_dense(false) && !md.is_plain());
        let strided = MemoryDesc::with_strides(&[2, 3], F32, Some(&[4, 1])).unwrap();
        assert!(!strided.is_dense(true) && strided.is_plain() && !strided.is_row_major());
        assert_eq!(strided.size(), 32, "up to the end of the last row's stride");
        assert!(tagged(&[2, 1, 3], "acb").is_row_major());
        let repeated = MemoryDesc::with_strides(&[2, 3], F32, Some(&[0, 1])).unwrap();
        assert!(!repeated.is_dense(false) && repeated.size() == 12);
    }

    #[test]
    fn sparse_tensors_have_a_size_per_buffer() {
        let sizes = |md: &MemoryDesc| (0..md.num_handles()).map(|i| md.size_of_handle(i)).collect::<Vec<_>>();
        assert_eq!(sizes(&MemoryDesc::csr(&[4, 6], F32, 5, S32, S32).unwrap()), [20, 20, 20]);
        assert_eq!(sizes(&MemoryDesc::coo(&[4, 6], F16, 5, S32).unwrap()), [10, 20, 20]);
        assert_eq!(sizes(&MemoryDesc::packed(&[4, 6], S8, 5).unwrap()), [0, 0, 0], "not laid out yet");
        assert_eq!(sizes(&MemoryDesc::grouped(&[4, 6], F32, 0, 3, S32).unwrap()), [96, 12]);
        assert_eq!(sizes(&MemoryDesc::host_scalar(F64).unwrap()), [8]);
    }
}
