//! Memory descriptors.
//!
//! Programs were found to read the fields of a descriptor through its handle, to write some and even to make descriptors on
//! their own stack. So the object *is* the 768 bytes that those programs were compiled for, with nothing behind them, and the
//! library's descriptor is made from it whenever it is needed.

use std::ffi::c_int;

use oxidnn::desc::{self, Blocking, Dims, Format, FormatTag, InnerBlock, Layout, MAX_NDIMS, Sparse, Transformed};
use oxidnn::{Error, Result};

use crate::boundary::{Status, query_status, status, value};
use crate::handle::{Const, Dim, Enum, Handle, In, InDims, Mut, Opt, Out, Text, Untyped, hand_out};
use crate::vocabulary::{DataType, FormatKind, Query, SparseEncoding};

/// What `dnnl_memory_desc_t` points to. Lists have their greatest length and are zero behind what is used.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDesc {
    ndims: c_int,
    dims: [Dim; MAX_NDIMS],
    data_type: Enum<DataType>,
    padded_dims: [Dim; MAX_NDIMS],
    padded_offsets: [Dim; MAX_NDIMS],
    offset0: Dim,
    format_kind: Enum<FormatKind>,
    /// What it holds depends on the format kind; these are the words of it, see below.
    layout: [i64; 40],
    /// Asks for compensation, which the library does not make, if the first word is not 0.
    extra: [u64; 16],
}

// SAFETY: `repr(C)`, has no tag, and any bytes make a value.
unsafe impl Handle for MemoryDesc {
    const TAG: Option<u32> = None;
    const NAME: &'static str = "memory descriptor";
    type Owner = Box<MemoryDesc>;
}

const _: () = assert!(size_of::<MemoryDesc>() == 768);

// Words of a blocked layout. The number of blocks has only the first half of its word.
const STRIDES: usize = 0;
const INNER_NBLKS: usize = STRIDES + MAX_NDIMS;
const INNER_BLKS: usize = INNER_NBLKS + 1;
const INNER_IDXS: usize = INNER_BLKS + MAX_NDIMS;

// Words behind the layout in which transformed kernels are stored: how they are transformed.
const SUMS_INPUTS: usize = INNER_IDXS + MAX_NDIMS;
const TURNED: usize = SUMS_INPUTS + 1;

// Words of a sparse layout. The encoding has only the first half of its word, two types share one.
const ENCODING: usize = 0;
const NNZ: usize = 1;
const TYPES: usize = 2;
/// A packed one: the blocked layout.
const PACKED: usize = 3;
/// A grouped one: how many groups, and the dimension that varies in the first half of the next word.
const GROUPS: usize = 3;
const VARIABLE_DIM: usize = 4;

impl MemoryDesc {
    /// The object for a descriptor of the library.
    pub fn new(desc: &desc::MemoryDesc) -> MemoryDesc {
        MemoryDesc {
            ndims: desc.ndims() as c_int,
            dims: full(desc.dims()),
            data_type: desc.data_type().into(),
            padded_dims: full(desc.padded_dims()),
            padded_offsets: full(desc.padded_offsets()),
            offset0: desc.offset0(),
            format_kind: desc.format_kind().into(),
            layout: layout_words(desc.format()),
            extra: [0; 16],
        }
    }

    /// The library's descriptor.
    pub fn desc(&self) -> Result<desc::MemoryDesc> {
        if self.extra[0] != 0 {
            return Err(Error::unimplemented("memory with compensation"));
        }
        self.tensor()
    }

    /// The library's descriptor, whatever is stored besides the tensor.
    fn tensor(&self) -> Result<desc::MemoryDesc> {
        let ndims = usize::try_from(self.ndims).ok().filter(|&ndims| ndims <= MAX_NDIMS);
        let ndims = ndims.ok_or_else(|| Error::invalid(format!("a tensor of {} dimensions", self.ndims)))?;
        if ndims == 0 {
            return Ok(desc::MemoryDesc::ZERO);
        }
        desc::MemoryDesc::from_parts(
            &self.dims[..ndims],
            self.data_type.get()?,
            &self.padded_dims[..ndims],
            &self.padded_offsets[..ndims],
            self.offset0,
            self.format(ndims)?,
        )
    }

    fn format(&self, ndims: usize) -> Result<Format> {
        Ok(match self.format_kind.get()? {
            FormatKind::Undef => Format::Undef,
            FormatKind::Any => Format::Any,
            FormatKind::HostScalar => Format::HostScalar,
            FormatKind::Blocked => Format::Blocked(blocking(&self.layout, ndims)?),
            FormatKind::Sparse => Format::Sparse(self.sparse(ndims)?),
            FormatKind::Opaque => Format::Transformed(Transformed {
                sums_inputs: self.flag(SUMS_INPUTS)?,
                turned: self.flag(TURNED)?,
                blocking: blocking(&self.layout, Transformed::NDIMS)?,
            }),
        })
    }

    fn flag(&self, word: usize) -> Result<bool> {
        match self.layout[word] {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Error::invalid("a layout that is not known")),
        }
    }

    fn encoding(&self) -> Result<SparseEncoding> {
        Enum::of(self.layout[ENCODING] as c_int).get()
    }

    fn sparse(&self, ndims: usize) -> Result<Sparse> {
        let nnz = self.layout[NNZ];
        let [first, second] = [self.layout[TYPES] as c_int, (self.layout[TYPES] >> 32) as c_int].map(Enum::of);
        Ok(match self.encoding()? {
            SparseEncoding::Undef => return Err(Error::invalid("a sparse tensor without an encoding")),
            SparseEncoding::Csr => Sparse::Csr { nnz, indices: first.get()?, pointers: second.get()? },
            SparseEncoding::Coo => Sparse::Coo { nnz, indices: first.get()? },
            SparseEncoding::Packed => {
                let words = &self.layout[PACKED..];
                let is_chosen = words[INNER_NBLKS] as c_int != 0;
                Sparse::Packed { nnz, blocking: is_chosen.then(|| blocking(words, ndims)).transpose()? }
            }
            SparseEncoding::Grouped => {
                let variable_dim = usize::try_from(self.layout[VARIABLE_DIM] as c_int)
                    .map_err(|_| Error::invalid("a grouped tensor whose variable dimension is negative"))?;
                Sparse::Grouped { variable_dim, groups: self.layout[GROUPS], offsets: first.get()? }
            }
        })
    }
}

fn full(values: &[i64]) -> [i64; MAX_NDIMS] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0))
}

fn layout_words(format: &Format) -> [i64; 40] {
    let mut words = [0; 40];
    match format {
        Format::Blocked(blocking) => put_blocking(&mut words, blocking),
        Format::Transformed(Transformed { sums_inputs, turned, blocking }) => {
            put_blocking(&mut words, blocking);
            (words[SUMS_INPUTS], words[TURNED]) = (i64::from(*sums_inputs), i64::from(*turned));
        }
        Format::Sparse(sparse) => {
            let two_types = |low: DataType, high: DataType| low as i64 | (high as i64) << 32;
            words[ENCODING] = sparse.encoding() as i64;
            match sparse {
                Sparse::Csr { nnz, indices, pointers } => {
                    (words[NNZ], words[TYPES]) = (*nnz, two_types(*indices, *pointers));
                }
                Sparse::Coo { nnz, indices } => (words[NNZ], words[TYPES]) = (*nnz, *indices as i64),
                Sparse::Packed { nnz, blocking } => {
                    words[NNZ] = *nnz;
                    blocking.iter().for_each(|blocking| put_blocking(&mut words[PACKED..], blocking));
                }
                Sparse::Grouped { variable_dim, groups, offsets } => {
                    (words[TYPES], words[GROUPS]) = (*offsets as i64, *groups);
                    words[VARIABLE_DIM] = *variable_dim as i64;
                }
            }
        }
        Format::Undef | Format::Any | Format::HostScalar => {}
    }
    words
}

fn put_blocking(words: &mut [i64], blocking: &Blocking) {
    words[STRIDES..][..blocking.strides.len()].copy_from_slice(&blocking.strides);
    words[INNER_NBLKS] = blocking.inner.len() as i64;
    for (i, block) in blocking.inner.iter().enumerate() {
        words[INNER_BLKS + i] = block.size;
        words[INNER_IDXS + i] = block.dim as i64;
    }
}

fn blocking(words: &[i64], ndims: usize) -> Result<Blocking> {
    let count = words[INNER_NBLKS] as c_int;
    let count = usize::try_from(count).ok().filter(|&count| count <= MAX_NDIMS);
    let count = count.ok_or_else(|| Error::invalid("a layout with a wrong number of inner blocks"))?;
    let inner = (0..count).map(|i| match usize::try_from(words[INNER_IDXS + i]) {
        Ok(dim) => Ok(InnerBlock { dim, size: words[INNER_BLKS + i] }),
        Err(_) => Err(Error::invalid("an inner block of a negative dimension")),
    });
    Ok(Blocking { strides: Dims::new(&words[STRIDES..][..ndims])?, inner: inner.collect::<Result<_>>()? })
}

/// The descriptor that null stands for where a descriptor may be left out.
pub fn desc_or_zero(md: &Opt<Const<MemoryDesc>>) -> Result<desc::MemoryDesc> {
    md.get()?.map_or(Ok(desc::MemoryDesc::ZERO), MemoryDesc::desc)
}

/// The descriptor, if it is there: neither null nor the empty one.
pub fn desc_if_given(md: &Opt<Const<MemoryDesc>>) -> Result<Option<desc::MemoryDesc>> {
    let desc = md.get()?.map(MemoryDesc::desc).transpose()?;
    Ok(desc.filter(|desc| !desc.is_zero()))
}

/// Gives C a new descriptor.
#[track_caller]
fn give(memory_desc: &Out<Mut<MemoryDesc>>, make: impl FnOnce() -> Result<desc::MemoryDesc>) -> Status {
    status(|| {
        memory_desc.check()?;
        memory_desc.give_new(MemoryDesc::new(&make()?))
    })
}

/// Destroys a memory descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_destroy(memory_desc: Mut<MemoryDesc>) -> Status {
    status(|| memory_desc.destroy())
}

/// Copies a memory descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_clone(
    memory_desc: Out<Mut<MemoryDesc>>,
    existing_memory_desc: Const<MemoryDesc>,
) -> Status {
    status(|| {
        memory_desc.check()?;
        memory_desc.give_new(existing_memory_desc.get()?.clone())
    })
}

/// How a blob starts: what it is and how many bytes follow.
const BLOB_MAGIC: u64 = u64::from_le_bytes(*b"oxidnnMD");
const BLOB_HEAD: usize = 16;
const BLOB_LIMIT: u64 = 4096;

/// Writes a memory descriptor as bytes. With a null `blob` only their number is written to `size`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_get_blob(
    blob: Opt<Out<u8>>,
    size: Out<usize>,
    memory_desc: Const<MemoryDesc>,
) -> Status {
    status(|| {
        let bytes = memory_desc.get()?.desc()?.to_blob();
        let head = [BLOB_MAGIC.to_le_bytes(), (bytes.len() as u64).to_le_bytes()];
        hand_out(&[head.as_flattened(), &bytes].concat(), &size, &blob)
    })
}

/// Creates a memory descriptor from the bytes that `dnnl_memory_desc_get_blob` wrote.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_blob(memory_desc: Out<Mut<MemoryDesc>>, blob: In<u8>) -> Status {
    give(&memory_desc, || {
        let word = |at: usize| -> Result<u64> {
            let bytes = blob.slice(at + 8)?[at..].first_chunk().copied().unwrap_or_default();
            Ok(u64::from_le_bytes(bytes))
        };
        if word(0)? != BLOB_MAGIC {
            return Err(Error::invalid("not the blob of a memory descriptor"));
        }
        let len = word(8)?;
        if len > BLOB_LIMIT {
            return Err(Error::invalid("the blob of a memory descriptor is corrupt"));
        }
        desc::MemoryDesc::from_blob(&blob.slice(BLOB_HEAD + len as usize)?[BLOB_HEAD..])
    })
}

/// Creates a memory descriptor from strides, which count elements; null `strides` are those of a dense row-major tensor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_strides(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    strides: Opt<InDims>,
) -> Status {
    give(&memory_desc, || desc::MemoryDesc::with_strides(dims.get(ndims)?, data_type.get()?, strides.get(ndims)?))
}

/// Creates a memory descriptor from a format tag.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_tag(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    tag: Enum<FormatTag>,
) -> Status {
    give(&memory_desc, || desc::MemoryDesc::with_tag(dims.get(ndims)?, data_type.get()?, tag.get()?))
}

/// Creates a memory descriptor of a matrix in compressed rows.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_csr_encoding(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    nnz: Dim,
    indices_dt: Enum<DataType>,
    pointers_dt: Enum<DataType>,
) -> Status {
    give(&memory_desc, || {
        let dims = dims.get(ndims)?;
        desc::MemoryDesc::csr(dims, data_type.get()?, nnz, indices_dt.get()?, pointers_dt.get()?)
    })
}

/// Creates a memory descriptor of a matrix that is stored as values and their coordinates.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_coo_encoding(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    nnz: Dim,
    indices_dt: Enum<DataType>,
) -> Status {
    give(&memory_desc, || desc::MemoryDesc::coo(dims.get(ndims)?, data_type.get()?, nnz, indices_dt.get()?))
}

/// Creates a memory descriptor of a tensor without its zeros, in a layout that a primitive chooses.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_packed_encoding(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    nnz: Dim,
) -> Status {
    give(&memory_desc, || desc::MemoryDesc::packed(dims.get(ndims)?, data_type.get()?, nnz))
}

/// Creates a memory descriptor of several matrices, one after another, that differ in one dimension.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_grouped_encoding(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    variable_dim_idx: c_int,
    group_count: Dim,
    offsets_dt: Enum<DataType>,
) -> Status {
    give(&memory_desc, || {
        let dims = dims.get(ndims)?;
        let variable_dim = usize::try_from(variable_dim_idx)
            .map_err(|_| Error::invalid(format!("variable dimension {variable_dim_idx}")))?;
        desc::MemoryDesc::grouped(dims, data_type.get()?, variable_dim, group_count, offsets_dt.get()?)
    })
}

/// Creates a memory descriptor of one value in host memory.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_host_scalar(
    memory_desc: Out<Mut<MemoryDesc>>,
    data_type: Enum<DataType>,
) -> Status {
    give(&memory_desc, || desc::MemoryDesc::host_scalar(data_type.get()?))
}

/// Creates a memory descriptor of a part of a tensor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_submemory(
    memory_desc: Out<Mut<MemoryDesc>>,
    parent_memory_desc: Const<MemoryDesc>,
    dims: InDims,
    offsets: InDims,
) -> Status {
    give(&memory_desc, || {
        let parent = parent_memory_desc.get()?.desc()?;
        let ndims = parent.ndims() as c_int;
        parent.submemory(dims.get(ndims)?, offsets.get(ndims)?)
    })
}

/// Creates a memory descriptor that sees the same memory with other dimensions.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_reshape(
    out_memory_desc: Out<Mut<MemoryDesc>>,
    in_memory_desc: Const<MemoryDesc>,
    ndims: c_int,
    dims: InDims,
) -> Status {
    give(&out_memory_desc, || in_memory_desc.get()?.desc()?.reshape(dims.get(ndims)?))
}

/// Creates a memory descriptor that sees the same memory with dimension `i` as dimension `permutation[i]`.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_permute_axes(
    out_memory_desc: Out<Mut<MemoryDesc>>,
    in_memory_desc: Const<MemoryDesc>,
    permutation: In<c_int>,
) -> Status {
    give(&out_memory_desc, || {
        let desc = in_memory_desc.get()?.desc()?;
        // A negative axis becomes one that no tensor has.
        let axes = permutation.slice(desc.ndims())?.iter().map(|&axis| axis as usize);
        desc.permute_axes(&axes.collect::<Vec<_>>())
    })
}

/// Queries a memory descriptor. Lists are given as pointers into it.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_query(memory_desc: Const<MemoryDesc>, what: Enum<Query>, result: Untyped) -> Status {
    query_status(|| query(memory_desc.get()?, what.get()?, &result))
}

/// Queries a memory descriptor, one of whose buffers `index` names where that matters.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_query_v2(
    memory_desc: Const<MemoryDesc>,
    what: Enum<Query>,
    index: c_int,
    result: Untyped,
) -> Status {
    query_status(|| {
        let md = memory_desc.get()?;
        let what = what.get()?;
        result.check()?;
        let is_sparse = md.format_kind.number() == FormatKind::Sparse as c_int;
        if index != 0 && (!is_sparse || what != Query::DataType) {
            return Err(Error::invalid(format!("buffer {index} of a memory descriptor that has no such")));
        }
        let sparse = || match md.tensor() {
            Ok(desc) if is_sparse => Ok(desc),
            Ok(_) => Err(Error::invalid("the memory descriptor is not sparse")),
            Err(error) => Err(error),
        };
        match what {
            Query::SparseEncoding => {
                sparse()?;
                result.set::<Enum<SparseEncoding>>(md.encoding()?.into())
            }
            Query::Nnz => result.set::<Dim>(sparse()?.nnz().unwrap_or(0)),
            Query::NumHandles if is_sparse => result.set(sparse()?.num_handles() as c_int),
            Query::NumHandles => result.set::<c_int>(1),
            Query::DataType if index != 0 => {
                let index = usize::try_from(index).map_err(|_| Error::invalid(format!("buffer {index}")))?;
                result.set::<Enum<DataType>>(sparse()?.data_type_of_handle(index).into())
            }
            _ => query(md, what, &result),
        }
    })
}

fn query(md: &MemoryDesc, what: Query, result: &Untyped) -> Result<()> {
    let blocked = |from: usize| match md.format_kind.number() == FormatKind::Blocked as c_int {
        true => Ok(md.layout[from..].as_ptr()),
        false => Err(Error::invalid("the memory descriptor is not blocked")),
    };
    match what {
        Query::Ndims => result.set(md.ndims),
        Query::Dims => result.set(md.dims.as_ptr()),
        Query::DataType => result.set(md.data_type.number()),
        Query::SubmemoryOffset => result.set(md.offset0),
        Query::PaddedDims => result.set(md.padded_dims.as_ptr()),
        Query::PaddedOffsets => result.set(md.padded_offsets.as_ptr()),
        Query::FormatKind => result.set(md.format_kind.number()),
        Query::Strides => result.set(blocked(STRIDES)?),
        Query::InnerNblks => {
            blocked(INNER_NBLKS)?;
            result.set(md.layout[INNER_NBLKS] as c_int)
        }
        Query::InnerBlks => result.set(blocked(INNER_BLKS)?),
        Query::InnerIdxs => result.set(blocked(INNER_IDXS)?),
        _ => {
            result.check()?;
            Err(Error::unimplemented(format!("the query {what:?} of a memory descriptor")))
        }
    }
}

/// Compares two memory descriptors: 1 if they describe the same memory, 0 if not.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_equal(lhs: Opt<Const<MemoryDesc>>, rhs: Opt<Const<MemoryDesc>>) -> c_int {
    value(0, || {
        Ok(match (lhs.get()?, rhs.get()?) {
            (Some(a), Some(b)) if a == b => 1,
            (Some(a), Some(b)) => (a.tensor()? == b.tensor()? && a.extra == b.extra).into(),
            (None, None) => 1,
            _ => 0,
        })
    })
}

/// The bytes of a tensor's buffer; 0 if there are none, `DNNL_RUNTIME_SIZE_VAL` if that is not known yet.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_get_size(memory_desc: Opt<Const<MemoryDesc>>) -> usize {
    value(0, || memory_desc.get()?.map_or(Ok(0), |md| Ok(md.tensor()?.size())))
}

/// The bytes of one of a tensor's buffers.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_get_size_v2(memory_desc: Opt<Const<MemoryDesc>>, index: c_int) -> usize {
    value(0, || {
        let Ok(index) = usize::try_from(index) else { return Ok(0) };
        memory_desc.get()?.map_or(Ok(0), |md| Ok(md.tensor()?.size_of_handle(index)))
    })
}

/// The bytes of one element, 1 for types that share a byte, 0 for what is no type.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_data_type_size(data_type: Enum<DataType>) -> usize {
    value(0, || Ok(DataType::from_c(data_type.number()).map_or(0, |data_type| data_type.bytes(1))))
}

/// Creates a memory descriptor from the name of a layout, which need not be the name of a tag.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_create_with_string_tag(
    memory_desc: Out<Mut<MemoryDesc>>,
    ndims: c_int,
    dims: InDims,
    data_type: Enum<DataType>,
    tag: Text,
) -> Status {
    give(&memory_desc, || {
        let layout: Layout = tag.get()?.parse()?;
        desc::MemoryDesc::with_layout(dims.get(ndims)?, data_type.get()?, &layout)
    })
}

/// Changes the data type of a memory descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn dnnl_memory_desc_set_data_type(
    mut memory_desc: Mut<MemoryDesc>,
    data_type: Enum<DataType>,
) -> Status {
    status(|| {
        data_type.get()?;
        memory_desc.get_mut()?.data_type = data_type;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_programs_expect_them() {
        use std::mem::offset_of;
        assert_eq!(offset_of!(MemoryDesc, ndims), 0);
        assert_eq!(offset_of!(MemoryDesc, dims), 8);
        assert_eq!(offset_of!(MemoryDesc, data_type), 104);
        assert_eq!(offset_of!(MemoryDesc, padded_dims), 112);
        assert_eq!(offset_of!(MemoryDesc, padded_offsets), 208);
        assert_eq!(offset_of!(MemoryDesc, offset0), 304);
        assert_eq!(offset_of!(MemoryDesc, format_kind), 312);
        assert_eq!(offset_of!(MemoryDesc, layout), 320);
        assert_eq!([STRIDES, INNER_NBLKS, INNER_BLKS, INNER_IDXS].map(|word| word * 8), [0, 96, 104, 200]);
        assert_eq!(offset_of!(MemoryDesc, extra), 640);
    }

    #[test]
    fn every_descriptor_comes_back_from_its_bytes() {
        use DataType::{F32, S8, S32};
        let blocked = |dims: &[i64], tag: &str| {
            desc::MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
        };
        let part = blocked(&[4, 32, 5], "nCw16c").submemory(&[2, 16, 5], &[1, 16, 0]).unwrap();
        for desc in [
            desc::MemoryDesc::ZERO,
            desc::MemoryDesc::any(&[2, 3], S8).unwrap(),
            blocked(&[2, 17, 3, 4], "nChw16c"),
            blocked(&[5, 17, 3, 4], "OIhw4i16o4i"),
            blocked(&[desc::RUNTIME_DIM, 3], "ab"),
            part,
            desc::MemoryDesc::host_scalar(F32).unwrap(),
            desc::MemoryDesc::csr(&[4, 5], F32, 3, S32, S32).unwrap(),
            desc::MemoryDesc::coo(&[4, 5], F32, 3, S32).unwrap(),
            desc::MemoryDesc::packed(&[4, 5], F32, 3).unwrap(),
            desc::MemoryDesc::grouped(&[4, 5], F32, 0, 2, S32).unwrap(),
        ] {
            assert_eq!(MemoryDesc::new(&desc).desc().unwrap(), desc);
        }
    }

    #[test]
    fn wrong_bytes_are_refused() {
        let good = MemoryDesc::new(&desc::MemoryDesc::with_tag(&[2, 3], DataType::F32, FormatTag::AB).unwrap());
        let refused = |change: fn(&mut MemoryDesc)| {
            let mut bad = good.clone();
            change(&mut bad);
            bad.desc().unwrap_err().status()
        };
        for change in [
            |md: &mut MemoryDesc| md.ndims = 13,
            |md: &mut MemoryDesc| md.ndims = -1,
            |md: &mut MemoryDesc| md.dims[0] = -5,
            |md: &mut MemoryDesc| md.data_type = Enum::of(99),
            |md: &mut MemoryDesc| md.format_kind = Enum::of(99),
            |md: &mut MemoryDesc| md.layout[INNER_NBLKS] = 13,
            |md: &mut MemoryDesc| (md.layout[INNER_NBLKS], md.layout[INNER_BLKS], md.layout[INNER_IDXS]) = (1, 4, 7),
        ] {
            assert_eq!(refused(change), oxidnn::Status::InvalidArguments);
        }
        assert_eq!(refused(|md| md.extra[0] = 1), oxidnn::Status::Unimplemented);
    }
}
