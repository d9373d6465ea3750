//! The ways to make a memory descriptor, and the rules each of them checks.

use super::{Blocking, Format, MemoryDesc, Sparse};
use crate::desc::dims::{Dims, MAX_NDIMS, RUNTIME_DIM};
use crate::desc::tag::{FormatTag, Layout};
use crate::desc::types::DataType;
use crate::{Error, Result, ensure, supported};

impl MemoryDesc {
    /// The empty descriptor, which stands for an argument that is not there.
    pub const ZERO: MemoryDesc = MemoryDesc {
        dims: Dims::EMPTY,
        data_type: DataType::Undef,
        padded_dims: Dims::EMPTY,
        padded_offsets: Dims::EMPTY,
        offset0: 0,
        format: Format::Undef,
    };

    /// A tensor whose strides count elements; row-major and dense without them.
    ///
    /// Dimensions and strides may be [`RUNTIME_DIM`]. A stride of 0 repeats elements. Strides that make elements overlap
    /// in any other way are refused.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, MemoryDesc};
    /// let md = MemoryDesc::with_strides(&[3, 4], DataType::F32, None).unwrap();
    /// assert_eq!(*md.strides().unwrap(), [4, 1]);
    /// assert!(MemoryDesc::with_strides(&[3, 4], DataType::F32, Some(&[3, 1])).is_err());
    /// ```
    pub fn with_strides(dims: &[i64], data_type: DataType, strides: Option<&[i64]>) -> Result<MemoryDesc> {
        let Some(strides) = strides else {
            return MemoryDesc::with_layout(dims, data_type, &Layout::plain(dims.len()));
        };
        ensure!(strides.len() == dims.len(), "{} strides given for {} dimensions", strides.len(), dims.len());
        let blocking = Blocking { strides: Dims::new(strides)?, inner: Vec::new() };
        let md = MemoryDesc::checked(dims, data_type, Format::Blocked(blocking))?;
        md.check_strides()?;
        Ok(md)
    }

    /// A tensor in the layout of a tag. [`FormatTag::UNDEF`] makes the empty descriptor.
    pub fn with_tag(dims: &[i64], data_type: DataType, tag: FormatTag) -> Result<MemoryDesc> {
        match tag.layout() {
            Some(layout) => MemoryDesc::with_layout(dims, data_type, &layout),
            None if tag == FormatTag::ANY => MemoryDesc::any(dims, data_type),
            None => Ok(MemoryDesc::ZERO),
        }
    }

    /// A dense tensor in any layout that a name can spell.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, MemoryDesc};
    /// let md = MemoryDesc::with_layout(&[5, 6], DataType::F32, &"Ab3a".parse().unwrap()).unwrap();
    /// assert_eq!(*md.padded_dims(), [6, 6]);
    /// ```
    pub fn with_layout(dims: &[i64], data_type: DataType, layout: &Layout) -> Result<MemoryDesc> {
        if dims.is_empty() {
            return Ok(MemoryDesc::ZERO);
        }
        ensure!(layout.ndims() == dims.len(), "a layout of {} dimensions for {}", layout.ndims(), dims.len());
        // The layout is only complete once the strides are known.
        let mut md = MemoryDesc::checked(dims, data_type, Format::Undef)?;
        let blocking = Blocking { strides: Dims::filled(dims.len(), 0), inner: layout.inner.clone() };
        md.set_dense_strides(blocking, layout.order.iter().rev().copied())?;
        md.check_strides()?;
        Ok(md)
    }

    /// A tensor whose layout the library chooses. Its dimensions must be known.
    pub fn any(dims: &[i64], data_type: DataType) -> Result<MemoryDesc> {
        let md = MemoryDesc::checked(dims, data_type, Format::Any)?;
        ensure!(!md.has_runtime_dims(), "a layout cannot be chosen for dimensions that are not known");
        Ok(md)
    }

    /// A matrix in compressed rows.
    pub fn csr(
        dims: &[i64],
        data_type: DataType,
        nnz: i64,
        indices: DataType,
        pointers: DataType,
    ) -> Result<MemoryDesc> {
        supported!(dims.len() <= 2, "CSR of {} dimensions", dims.len());
        MemoryDesc::with_encoding(dims, data_type, Sparse::Csr { nnz, indices, pointers })
    }

    /// A matrix as a list of coordinates.
    pub fn coo(dims: &[i64], data_type: DataType, nnz: i64, indices: DataType) -> Result<MemoryDesc> {
        supported!(dims.len() <= 2, "COO of {} dimensions", dims.len());
        MemoryDesc::with_encoding(dims, data_type, Sparse::Coo { nnz, indices })
    }

    /// A tensor whose zeros are left out, in a blocked layout that the library chooses.
    pub fn packed(dims: &[i64], data_type: DataType, nnz: i64) -> Result<MemoryDesc> {
        MemoryDesc::with_encoding(dims, data_type, Sparse::Packed { nnz, blocking: None })
    }

    /// Several matrices that differ in one dimension, one after another. `dims` has the total along it.
    pub fn grouped(
        dims: &[i64],
        data_type: DataType,
        variable_dim: usize,
        groups: i64,
        offsets: DataType,
    ) -> Result<MemoryDesc> {
        if dims.is_empty() {
            return Ok(MemoryDesc::ZERO);
        }
        supported!(dims.len() == 2, "grouped memory of {} dimensions", dims.len());
        ensure!(groups > 0, "group count {groups} is not positive");
        ensure!(offsets == DataType::S32, "offsets of type {offsets}, only s32 is known");
        ensure!(variable_dim < dims.len(), "variable dimension {variable_dim} of {}", dims.len());
        ensure!(dims.iter().all(|&dim| dim > 0), "grouped memory needs known, positive dimensions");
        MemoryDesc::with_encoding(dims, data_type, Sparse::Grouped { variable_dim, groups, offsets })
    }

    /// One value that is passed in host memory.
    pub fn host_scalar(data_type: DataType) -> Result<MemoryDesc> {
        MemoryDesc::checked(&[1], data_type, Format::HostScalar)
    }

    /// A descriptor from its parts, as they come over the C API or from a blob.
    pub fn from_parts(
        dims: &[i64],
        data_type: DataType,
        padded_dims: &[i64],
        padded_offsets: &[i64],
        offset0: i64,
        format: Format,
    ) -> Result<MemoryDesc> {
        let ndims = dims.len();
        let known = format != Format::Undef || ndims == 0;
        ensure!(known, "a tensor of {ndims} dimensions has no format");
        ensure!(padded_dims.len() == ndims && padded_offsets.len() == ndims, "padding of another number of dimensions");
        let mut md = MemoryDesc::checked(dims, data_type, format)?;
        if md.is_zero() {
            return Ok(md);
        }
        ensure!(offset0 >= 0, "offset {offset0} is negative");
        md.padded_dims = Dims::new(padded_dims)?;
        md.padded_offsets = Dims::new(padded_offsets)?;
        md.offset0 = offset0;
        if let Format::Sparse(sparse) = &md.format {
            check_sparse(sparse, ndims)?;
        }
        if let Format::Transformed(transformed) = &md.format {
            md.check_transformed(transformed)?;
        }
        let blocking = match &md.format {
            Format::Blocked(blocking) | Format::Sparse(Sparse::Packed { blocking: Some(blocking), .. }) => {
                Some(blocking)
            }
            _ => None,
        };
        if let Some(blocking) = blocking {
            check_blocking(blocking, ndims)?;
            let blocks = blocking.blocks();
            for d in 0..ndims {
                let (dim, padded, offset) = (dims[d], padded_dims[d], padded_offsets[d]);
                let fits = if dim == RUNTIME_DIM {
                    padded == RUNTIME_DIM
                } else {
                    offset >= 0 && dim.checked_add(offset).is_some_and(|end| end <= padded)
                };
                ensure!(fits, "dimension {d} of {dim} does not lie inside its padding of {padded}");
                ensure!(blocking.strides[d] >= 0 || blocking.strides[d] == RUNTIME_DIM, "stride {d} is negative");
                ensure!(
                    padded == RUNTIME_DIM || blocks[d] == 1 || blocks[d] <= i64::MAX - padded,
                    "blocks of dimension {d} are too large"
                );
            }
            md.check_size()?;
        } else {
            ensure!(md.padded_dims == md.dims && md.padded_offsets.iter().all(|&o| o == 0), "padding without blocks");
        }
        Ok(md)
    }

    /// The same tensor with elements of another type.
    pub fn with_data_type(&self, data_type: DataType) -> MemoryDesc {
        MemoryDesc { data_type, ..self.clone() }
    }

    /// The same tensor starting elsewhere in its buffer.
    pub fn with_offset0(&self, offset0: i64) -> MemoryDesc {
        MemoryDesc { offset0, ..self.clone() }
    }

    /// The same tensor in the layout of a tag, if the layout was left to the library; unchanged otherwise.
    pub fn resolve_any(&self, tag: FormatTag) -> Result<MemoryDesc> {
        match self.format {
            Format::Any => MemoryDesc::with_tag(&self.dims, self.data_type, tag),
            _ => Ok(self.clone()),
        }
    }

    /// The same tensor in row-major layout, if the layout was left to the library; unchanged otherwise.
    pub fn resolve_plain(&self) -> Result<MemoryDesc> {
        match self.format {
            Format::Any => MemoryDesc::with_strides(&self.dims, self.data_type, None),
            _ => Ok(self.clone()),
        }
    }

    /// The same tensor in the layout of another one (its blocks and its order of dimensions, but dense), if the layout was
    /// left to the library; unchanged otherwise.
    pub fn resolve_like(&self, other: &MemoryDesc) -> Result<MemoryDesc> {
        let (Format::Any, Some(blocking)) = (&self.format, other.blocking()) else { return self.resolve_plain() };
        ensure!(other.ndims() == self.ndims(), "a layout of {} dimensions for {}", other.ndims(), self.ndims());
        let mut md = self.clone();
        md.set_dense_strides(blocking.clone(), other.order_inner_to_outer(blocking))?;
        md.check_strides()?;
        Ok(md)
    }

    /// The dimensions from the one with the smallest stride to the one with the largest.
    fn order_inner_to_outer(&self, blocking: &Blocking) -> impl Iterator<Item = usize> + use<> {
        let blocks = blocking.blocks();
        let mut order: Vec<usize> = (0..self.ndims()).rev().collect();
        // Repeated dimensions (stride 0) are outermost, unknown strides too; one block is inside of several.
        order.sort_by_key(|&d| {
            let stride = blocking.strides[d];
            let outer = if self.padded_dims[d] == RUNTIME_DIM { i64::MAX } else { self.padded_dims[d] / blocks[d] };
            ((stride as u64).wrapping_sub(1), outer)
        });
        order.into_iter()
    }

    /// Fills in padding and strides of a dense blocked layout.
    fn set_dense_strides(&mut self, mut blocking: Blocking, inner_to_outer: impl Iterator<Item = usize>) -> Result<()> {
        let too_large = || Error::invalid("the tensor is too large");
        check_blocking(&blocking, self.ndims())?;
        let blocks = blocking.blocks();
        let mut stride = blocking.block_size();
        for d in inner_to_outer {
            blocking.strides[d] = stride;
            if self.dims[d] == RUNTIME_DIM {
                stride = RUNTIME_DIM;
                continue;
            }
            let outer = (self.dims[d] as u64).div_ceil(blocks[d] as u64) as i64;
            self.padded_dims[d] = outer.checked_mul(blocks[d]).ok_or_else(too_large)?;
            if stride != RUNTIME_DIM {
                stride = stride.checked_mul(outer.max(1)).ok_or_else(too_large)?;
            }
        }
        self.format = Format::Blocked(blocking);
        self.check_size()
    }

    /// A descriptor without padding after the checks that all kinds share.
    pub(super) fn checked(dims: &[i64], data_type: DataType, format: Format) -> Result<MemoryDesc> {
        if dims.is_empty() {
            return Ok(MemoryDesc::ZERO);
        }
        let dims = Dims::new(dims)?;
        ensure!(
            !matches!(data_type, DataType::Undef | DataType::Boolean),
            "a tensor cannot have elements of type {data_type}"
        );
        let known: Dims = dims.iter().copied().filter(|&dim| dim != RUNTIME_DIM).collect();
        ensure!(known.iter().all(|&dim| dim >= 0), "a dimension of {dims} is negative");
        let positive: Dims = known.iter().copied().filter(|&dim| dim > 0).collect();
        ensure!(positive.checked_product().is_some(), "a tensor of {dims} is too large");
        let padded_offsets = Dims::filled(dims.len(), 0);
        Ok(MemoryDesc { dims, data_type, padded_dims: dims, padded_offsets, offset0: 0, format })
    }

    fn with_encoding(dims: &[i64], data_type: DataType, sparse: Sparse) -> Result<MemoryDesc> {
        check_sparse(&sparse, dims.len())?;
        let md = MemoryDesc::checked(dims, data_type, Format::Sparse(sparse))?;
        md.check_size()?;
        Ok(md)
    }

    /// Refuses strides that make elements overlap (other than by 0) or overflow.
    fn check_strides(&self) -> Result<()> {
        let Some(blocking) = self.blocking() else { return Ok(()) };
        if self.has_zero_dim() || self.has_runtime_dims_or_strides() {
            return Ok(());
        }
        let blocks = blocking.blocks();
        let outer: Dims = self.padded_dims.iter().zip(&*blocks).map(|(dim, block)| dim / block).collect();
        let mut order: Vec<usize> = (0..self.ndims()).collect();
        order.sort_by_key(|&d| (blocking.strides[d], outer[d]));
        let mut least = blocking.block_size();
        for d in order {
            let stride = blocking.strides[d];
            if stride == 0 || self.padded_dims[d] == 1 {
                continue;
            }
            ensure!(stride >= least, "stride {stride} of dimension {d} makes elements overlap");
            let splits_byte = self.data_type.is_sub_byte() && stride > 1 && stride % 2 != 0;
            ensure!(!splits_byte, "stride {stride} of dimension {d} splits a byte");
            least = stride.checked_mul(outer[d]).ok_or_else(|| Error::invalid(format!("stride {d} is too large")))?;
        }
        self.check_size()
    }

    /// Refuses tensors whose bytes cannot be counted.
    fn check_size(&self) -> Result<()> {
        if self.has_zero_dim() || self.has_runtime_dims_or_strides() {
            return Ok(());
        }
        let element = i64::from(self.data_type.bits().div_ceil(8));
        let bytes = self.padded_dims.checked_product().and_then(|elements| elements.checked_mul(element));
        ensure!(bytes.is_some(), "a tensor of {} is too large", self.padded_dims);
        let Some(blocking) = self.blocking() else { return Ok(()) };
        let blocks = blocking.blocks();
        let reach = (0..self.ndims())
            .try_fold(blocking.block_size(), |sum: i64, d| {
                let last = self.padded_dims[d] / blocks[d] - 1;
                sum.checked_add(last.max(0).checked_mul(blocking.strides[d])?)
            })
            .and_then(|elements| elements.checked_add(self.offset0))
            .and_then(|elements| elements.checked_mul(element));
        ensure!(reach.is_some(), "a tensor of {} with strides {} is too large", self.dims, blocking.strides);
        Ok(())
    }
}

fn check_sparse(sparse: &Sparse, ndims: usize) -> Result<()> {
    // Any element fits in eight bytes.
    let count = 0..=i64::MAX / 8;
    let well_formed = match sparse {
        Sparse::Csr { nnz, .. } | Sparse::Coo { nnz, .. } => count.contains(nnz) && ndims <= 2,
        Sparse::Packed { nnz, .. } => count.contains(nnz),
        Sparse::Grouped { variable_dim, groups, .. } => {
            *variable_dim < ndims && ndims == 2 && *groups > 0 && count.contains(groups)
        }
    };
    ensure!(well_formed, "a malformed {} tensor", sparse.encoding());
    Ok(())
}

fn check_blocking(blocking: &Blocking, ndims: usize) -> Result<()> {
    ensure!(blocking.strides.len() == ndims, "{} strides for {ndims} dimensions", blocking.strides.len());
    ensure!(blocking.inner.len() <= MAX_NDIMS, "more than {MAX_NDIMS} inner blocks");
    let elements = blocking.inner.iter().try_fold(1i64, |product, block| {
        if block.dim < ndims && block.size > 0 { product.checked_mul(block.size) } else { None }
    });
    ensure!(elements.is_some_and(|elements| elements <= i64::from(i32::MAX)), "malformed inner blocks");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::desc::DataType::*;

    fn tagged(dims: &[i64], data_type: DataType, tag: &str) -> Result<MemoryDesc> {
        MemoryDesc::with_tag(dims, data_type, FormatTag::from_name(tag).unwrap())
    }

    /// What oneDNN 3.13 answers: tag, type, dimensions; padded dimensions, strides, bytes.
    #[test]
    #[rustfmt::skip]
    fn layouts_are_those_of_onednn() {
        type Case = (&'static str, DataType, &'static [i64], &'static [i64], &'static [i64], usize);
        let cases: [Case; 11] = [
            ("aBcd16b", F32, &[2, 3, 4, 5], &[2, 16, 4, 5], &[320, 320, 80, 16], 2560),
            ("ABcd4b16a4b", S8, &[20, 33, 3, 3], &[32, 48, 3, 3], &[6912, 2304, 768, 256], 13824),
            ("aBCde2b8c16b4c", F16, &[2, 20, 33, 3, 3], &[2, 32, 64, 3, 3], &[18432, 18432, 9216, 3072, 1024], 73728),
            ("cba", F32, &[5, 7, 3], &[5, 7, 3], &[1, 5, 35], 420),
            ("BA16a32b2a", S4, &[30, 50], &[32, 64], &[1024, 1024], 1024),
            ("BAcd8a16b2a", Bf16, &[17, 9, 2, 3], &[32, 16, 2, 3], &[1536, 3072, 768, 256], 6144),
            ("acb", S4, &[3, 10, 7], &[3, 10, 7], &[70, 1, 10], 105),
            ("aBcd32b", U8, &[1, 40, 1, 1], &[1, 64, 1, 1], &[64, 32, 32, 32], 64),
            ("aBcd8b", F32, &[0, 5, 8, 8], &[0, 8, 8, 8], &[512, 512, 64, 8], 0),
            ("abcdegf", F64, &[2, 3, 5, 7, 2, 2, 3], &[2, 3, 5, 7, 2, 2, 3], &[1260, 420, 84, 12, 6, 1, 2], 20160),
            ("AB8b32a2b", F4E2m1, &[16, 100], &[32, 112], &[3584, 512], 1792),
        ];
        for (tag, data_type, dims, padded, strides, size) in cases {
            let md = tagged(dims, data_type, tag).unwrap();
            assert_eq!(**md.padded_dims(), *padded, "{tag}");
            assert_eq!(**md.strides().unwrap(), *strides, "{tag}");
            assert_eq!(md.size(), size, "{tag}");
        }
    }

    #[test]
    fn wrong_dimensions_and_types_are_invalid() {
        let invalid = |result: Result<MemoryDesc>| assert_eq!(result.unwrap_err().status(), Status::InvalidArguments);
        invalid(tagged(&[2, -2], F32, "ab"));
        invalid(tagged(&[2, 2], F32, "abc"));
        invalid(tagged(&[2, 2], Undef, "ab"));
        invalid(tagged(&[3, 5], S4, "ab"));
        invalid(tagged(&[1 << 40, 1 << 40], F32, "ab"));
        invalid(tagged(&[1 << 62, 1], F32, "ab"));
        invalid(MemoryDesc::with_strides(&[1; 13], F32, None));
        invalid(MemoryDesc::any(&[2, RUNTIME_DIM], F32));
        invalid(MemoryDesc::with_strides(&[2, 3], F32, Some(&[1])));
        invalid(MemoryDesc::grouped(&[4, RUNTIME_DIM], F32, 0, 2, S32));
        assert_eq!(MemoryDesc::csr(&[2, 2, 2], F32, 1, S32, S32).unwrap_err().status(), Status::Unimplemented);
    }

    #[test]
    fn strides_may_leave_gaps_and_repeat_but_not_overlap() {
        let ok = |dims: &[i64], strides: &[i64]| MemoryDesc::with_strides(dims, F32, Some(strides)).is_ok();
        assert!(ok(&[2, 3], &[3, 1]) && ok(&[2, 3], &[1, 2]) && ok(&[2, 3], &[10, 2]));
        assert!(ok(&[2, 3], &[0, 1]), "a stride of 0 repeats");
        assert!(ok(&[1, 3], &[1, 1]) && ok(&[1, 3], &[-5, 1]), "the stride of one element does not matter");
        assert!(ok(&[2, 3], &[RUNTIME_DIM, 1]) && ok(&[0, 3], &[1, 1]));
        assert!(!ok(&[2, 3], &[2, 1]) && !ok(&[2, 3], &[1, 1]) && !ok(&[2, 3], &[-3, 1]));
        assert!(!ok(&[2, 3], &[i64::MAX, 1]));
    }

    #[test]
    fn unknown_dimensions_make_outer_strides_unknown() {
        let md = tagged(&[4, RUNTIME_DIM, 6], F32, "abc").unwrap();
        assert_eq!(*md.strides().unwrap(), [RUNTIME_DIM, 6, 1]);
        assert_eq!(md.size(), crate::desc::RUNTIME_SIZE);
        assert_eq!(md.nelems(false), RUNTIME_DIM);
    }

    #[test]
    fn no_dimensions_make_the_empty_descriptor() {
        assert!(tagged(&[], F32, "abc").unwrap().is_zero());
        assert!(tagged(&[2, 3], F32, "undef").unwrap().is_zero());
        assert!(MemoryDesc::any(&[], F32).unwrap().is_zero());
    }

    #[test]
    fn open_layouts_take_order_and_blocks_of_others() {
        let any = MemoryDesc::any(&[3, 20, 4, 4], S8).unwrap();
        for tag in ["abcd", "acdb", "aBcd16b", "ABcd16b16a", "cdba"] {
            let other = tagged(&[2, 33, 7, 7], F32, tag).unwrap();
            assert_eq!(any.resolve_like(&other).unwrap(), tagged(&[3, 20, 4, 4], S8, tag).unwrap());
        }
        let given = tagged(&[3, 20, 4, 4], S8, "acdb").unwrap();
        assert_eq!(given.resolve_like(&any).unwrap(), given, "a given layout stays");
        assert!(any.resolve_any(FormatTag::NHWC).unwrap().matches_tag(FormatTag::NHWC));
    }
}
