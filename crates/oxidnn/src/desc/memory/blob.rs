//! Memory descriptors as bytes, to be stored by the user and read back.
//!
//! A blob is untrusted input: reading checks all that making a descriptor checks.

use super::{Blocking, Format, MemoryDesc, Sparse, Transformed};
use crate::desc::dims::{Dims, MAX_NDIMS};
use crate::desc::tag::InnerBlock;
use crate::desc::types::DataType;
use crate::{Error, Result, ensure};

/// Marks a blob and its version.
const MAGIC: u64 = u64::from_le_bytes(*b"oxidnnM1");

impl MemoryDesc {
    /// The descriptor as bytes.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, FormatTag, MemoryDesc};
    /// let md = MemoryDesc::with_tag(&[2, 3], DataType::F32, FormatTag::BA).unwrap();
    /// assert_eq!(MemoryDesc::from_blob(&md.to_blob()).unwrap(), md);
    /// ```
    pub fn to_blob(&self) -> Vec<u8> {
        let mut blob = Writer(Vec::new());
        blob.put(MAGIC as i64);
        blob.put_all(&self.dims);
        blob.put(self.data_type as i64);
        blob.put_all(&self.padded_dims);
        blob.put_all(&self.padded_offsets);
        blob.put(self.offset0);
        blob.put(self.format_kind() as i64);
        match &self.format {
            Format::Undef | Format::Any | Format::HostScalar => {}
            Format::Blocked(blocking) => blob.put_blocking(blocking),
            Format::Transformed(Transformed { sums_inputs, turned, blocking }) => {
                blob.put_each([*sums_inputs, *turned].map(i64::from));
                blob.put_blocking(blocking);
            }
            Format::Sparse(sparse) => {
                blob.put(sparse.encoding() as i64);
                match sparse {
                    Sparse::Csr { nnz, indices, pointers } => {
                        blob.put_each([*nnz, *indices as i64, *pointers as i64]);
                    }
                    Sparse::Coo { nnz, indices } => {
                        blob.put_each([*nnz, *indices as i64]);
                    }
                    Sparse::Packed { nnz, blocking } => {
                        blob.put_each([*nnz, i64::from(blocking.is_some())]);
                        blocking.iter().for_each(|blocking| blob.put_blocking(blocking));
                    }
                    Sparse::Grouped { variable_dim, groups, offsets } => {
                        blob.put_each([*variable_dim as i64, *groups, *offsets as i64]);
                    }
                }
            }
        }
        blob.0
    }

    /// The descriptor that [`to_blob`](MemoryDesc::to_blob) wrote; an error for anything else.
    pub fn from_blob(blob: &[u8]) -> Result<MemoryDesc> {
        use crate::desc::types::{FormatKind, SparseEncoding};

        let mut blob = Reader(blob);
        ensure!(blob.take()? == MAGIC as i64, "not a memory descriptor's blob");
        let dims = blob.take_all()?;
        let data_type = blob.take_type()?;
        let padded_dims = blob.take_all()?;
        let padded_offsets = blob.take_all()?;
        let offset0 = blob.take()?;
        let format = match blob.take_enum(FormatKind::from_c)? {
            FormatKind::Undef => Format::Undef,
            FormatKind::Any => Format::Any,
            FormatKind::HostScalar => Format::HostScalar,
            FormatKind::Blocked => Format::Blocked(blob.take_blocking()?),
            FormatKind::Opaque => Format::Transformed(Transformed {
                sums_inputs: blob.take_bool()?,
                turned: blob.take_bool()?,
                blocking: blob.take_blocking()?,
            }),
            FormatKind::Sparse => Format::Sparse(match blob.take_enum(SparseEncoding::from_c)? {
                SparseEncoding::Undef => return Err(corrupt()),
                SparseEncoding::Csr => {
                    Sparse::Csr { nnz: blob.take()?, indices: blob.take_type()?, pointers: blob.take_type()? }
                }
                SparseEncoding::Coo => Sparse::Coo { nnz: blob.take()?, indices: blob.take_type()? },
                SparseEncoding::Packed => {
                    let nnz = blob.take()?;
                    let blocking = if blob.take()? == 0 { None } else { Some(blob.take_blocking()?) };
                    Sparse::Packed { nnz, blocking }
                }
                SparseEncoding::Grouped => {
                    let variable_dim = usize::try_from(blob.take()?).map_err(|_| corrupt())?;
                    Sparse::Grouped { variable_dim, groups: blob.take()?, offsets: blob.take_type()? }
                }
            }),
        };
        ensure!(blob.0.is_empty(), "a memory descriptor's blob is too long");
        MemoryDesc::from_parts(&dims, data_type, &padded_dims, &padded_offsets, offset0, format)
    }
}

fn corrupt() -> Error {
    Error::invalid("a memory descriptor's blob is corrupt")
}

struct Writer(Vec<u8>);

impl Writer {
    fn put(&mut self, value: i64) {
        self.0.extend(value.to_le_bytes());
    }

    fn put_each<const N: usize>(&mut self, values: [i64; N]) {
        values.into_iter().for_each(|value| self.put(value));
    }

    fn put_all(&mut self, values: &Dims) {
        self.put(values.len() as i64);
        values.iter().for_each(|&value| self.put(value));
    }

    fn put_blocking(&mut self, blocking: &Blocking) {
        self.put_all(&blocking.strides);
        self.put_all(&blocking.inner.iter().map(|block| block.dim as i64).collect());
        self.put_all(&blocking.inner.iter().map(|block| block.size).collect());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self) -> Result<i64> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(corrupt)?;
        self.0 = rest;
        Ok(i64::from_le_bytes(*bytes))
    }

    fn take_bool(&mut self) -> Result<bool> {
        match self.take()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(corrupt()),
        }
    }

    fn take_all(&mut self) -> Result<Dims> {
        let len = self.take()?;
        ensure!((0..=MAX_NDIMS as i64).contains(&len), "a memory descriptor's blob has {len} dimensions");
        (0..len).map(|_| self.take()).collect()
    }

    fn take_enum<T>(&mut self, from_c: fn(i32) -> Option<T>) -> Result<T> {
        i32::try_from(self.take()?).ok().and_then(from_c).ok_or_else(corrupt)
    }

    fn take_type(&mut self) -> Result<DataType> {
        self.take_enum(DataType::from_c)
    }

    fn take_blocking(&mut self) -> Result<Blocking> {
        let strides = self.take_all()?;
        let (dims, sizes) = (self.take_all()?, self.take_all()?);
        ensure!(dims.len() == sizes.len(), "a memory descriptor's blob has malformed blocks");
        let inner = dims
            .iter()
            .zip(&*sizes)
            .map(|(&dim, &size)| Ok(InnerBlock { dim: usize::try_from(dim).map_err(|_| corrupt())?, size }))
            .collect::<Result<_>>()?;
        Ok(Blocking { strides, inner })
    }
}

#[cfg(test)]
mod tests {
    use crate::Status;
    use crate::desc::{DataType::*, FormatTag, MemoryDesc, RUNTIME_DIM};

    fn examples() -> Vec<MemoryDesc> {
        let tagged = MemoryDesc::with_tag(&[2, 20, 3], F32, FormatTag::from_name("nCw16c").unwrap()).unwrap();
        vec![
            MemoryDesc::ZERO,
            MemoryDesc::any(&[3, 4], S8).unwrap(),
            MemoryDesc::host_scalar(F32).unwrap(),
            tagged.submemory(&[1, 4, 3], &[1, 16, 0]).unwrap(),
            tagged,
            MemoryDesc::with_tag(&[RUNTIME_DIM, 4], F16, FormatTag::BA).unwrap(),
            MemoryDesc::csr(&[4, 4], F32, 3, S32, S32).unwrap(),
            MemoryDesc::coo(&[4, 4], F32, 3, S32).unwrap(),
            MemoryDesc::packed(&[4, 4], S8, 3).unwrap(),
            MemoryDesc::grouped(&[4, 4], F32, 1, 3, S32).unwrap(),
            MemoryDesc::any(&[4, 5, 3, 3], F32)
                .and_then(|md| md.transformed_for_winograd(true, false, &"abDc16d".parse()?))
                .unwrap(),
        ]
    }

    #[test]
    fn blobs_round_trip() {
        for md in examples() {
            assert_eq!(MemoryDesc::from_blob(&md.to_blob()).unwrap(), md);
        }
    }

    #[test]
    fn corrupt_blobs_are_refused_or_describe_something_valid() {
        for md in examples() {
            let blob = md.to_blob();
            for len in 0..blob.len() {
                assert!(MemoryDesc::from_blob(&blob[..len]).is_err(), "cut to {len} bytes");
            }
            for i in 0..blob.len() {
                for value in [0, 1, 2, 0x7f, 0x80, 0xff] {
                    let mut broken = blob.clone();
                    broken[i] = value;
                    match MemoryDesc::from_blob(&broken) {
                        Ok(md) => {
                            md.size();
                            md.nelems(true);
                            md.verbose(false);
                        }
                        Err(error) => assert_eq!(error.status(), Status::InvalidArguments),
                    }
                }
            }
        }
    }
}
