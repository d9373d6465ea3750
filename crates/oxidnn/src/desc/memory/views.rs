//! Other views of the same memory: a part of it, other axes, another shape.

use super::{Blocking, Format, MemoryDesc};
use crate::desc::dims::{Dims, MAX_NDIMS, RUNTIME_DIM};
use crate::{Error, Result, ensure, supported};

impl MemoryDesc {
    /// The part of the tensor that starts at `offsets` and has the dimensions `dims`.
    ///
    /// Along a blocked dimension the part must start and end between blocks, or end where the tensor does.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, FormatTag, MemoryDesc};
    /// let md = MemoryDesc::with_tag(&[4, 6], DataType::F32, FormatTag::AB).unwrap();
    /// let part = md.submemory(&[2, 3], &[1, 2]).unwrap();
    /// assert_eq!(part.offset_of(&[0, 0]), 8);
    /// ```
    pub fn submemory(&self, dims: &[i64], offsets: &[i64]) -> Result<MemoryDesc> {
        supported!(!self.has_runtime_dims_or_strides(), "a part of a tensor with unknown dimensions or strides");
        let ndims = self.ndims();
        ensure!(dims.len() == ndims && offsets.len() == ndims, "a part with another number of dimensions than {ndims}");
        for d in 0..ndims {
            let (dim, offset) = (dims[d], offsets[d]);
            supported!(dim != RUNTIME_DIM && offset != RUNTIME_DIM, "a part of unknown dimensions");
            let inside = dim >= 0 && offset >= 0 && offset.checked_add(dim).is_some_and(|end| end <= self.dims[d]);
            ensure!(inside, "dimension {d}: {dim} from {offset} on is not inside {}", self.dims[d]);
        }
        let Some(blocking) = self.blocking() else {
            return Err(Error::unimplemented(format!("a part of a tensor of format kind {}", self.format_kind())));
        };
        let blocks = blocking.blocks();
        let mut part = self.clone();
        for d in 0..ndims {
            let (dim, offset, block) = (dims[d], offsets[d], blocks[d]);
            let reaches_end = offset + dim == self.dims[d];
            let between_blocks = offset % block == 0 && (reaches_end || dim % block == 0 || dim < block);
            supported!(between_blocks && self.padded_offsets[d] == 0, "a part that cuts a block of dimension {d}");
            part.dims[d] = dim;
            part.padded_dims[d] = if reaches_end { self.padded_dims[d] - offset } else { dim };
            let moved = (offset / block).checked_mul(blocking.strides[d]).and_then(|by| part.offset0.checked_add(by));
            part.offset0 =
                moved.ok_or_else(|| Error::invalid(format!("offset {offset} of dimension {d} is too large")))?;
        }
        Ok(part)
    }

    /// The same memory with axes renamed: dimension `d` becomes dimension `permutation[d]`.
    pub fn permute_axes(&self, permutation: &[usize]) -> Result<MemoryDesc> {
        self.check_viewable()?;
        let ndims = self.ndims();
        ensure!(permutation.len() == ndims, "a permutation of {} for {ndims} dimensions", permutation.len());
        ensure!((0..ndims).all(|d| permutation.contains(&d)), "{permutation:?} is not a permutation");
        let permuted = |from: &Dims| {
            let mut to = *from;
            permutation.iter().zip(from.iter()).for_each(|(&d, &value)| to[d] = value);
            to
        };
        let mut md = self.clone();
        md.dims = permuted(&self.dims);
        md.padded_dims = permuted(&self.padded_dims);
        md.padded_offsets = permuted(&self.padded_offsets);
        if let Format::Blocked(blocking) = &mut md.format {
            blocking.strides = permuted(&blocking.strides);
            blocking.inner.iter_mut().for_each(|block| block.dim = permutation[block.dim]);
        }
        Ok(md)
    }

    /// The same memory seen with other dimensions of the same volume.
    ///
    /// Dimensions that are kept, and dimensions of one element that come and go, may have any layout. Dimensions that
    /// are joined or split must be dense next to each other, and neither blocked nor padded.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, FormatTag, MemoryDesc};
    /// let md = MemoryDesc::with_tag(&[2, 3, 4], DataType::F32, FormatTag::ABC).unwrap();
    /// let matrix = md.reshape(&[6, 4]).unwrap();
    /// assert_eq!(*matrix.strides().unwrap(), [4, 1]);
    /// ```
    pub fn reshape(&self, dims: &[i64]) -> Result<MemoryDesc> {
        self.check_viewable()?;
        if self.is_any() {
            let md = MemoryDesc::any(dims, self.data_type)?;
            self.check_volume(&md.dims)?;
            return Ok(md);
        }
        let blocking = Blocking { strides: Dims::filled(dims.len().min(MAX_NDIMS), 0), inner: Vec::new() };
        let mut md = MemoryDesc::checked(dims, self.data_type, Format::Blocked(blocking))?;
        self.check_volume(&md.dims)?;
        md.offset0 = self.offset0;
        let (Format::Blocked(from), Format::Blocked(to)) = (&self.format, &mut md.format) else {
            unreachable!("both are blocked");
        };
        let (from_blocks, mut renamed) = (from.blocks(), vec![None; self.ndims()]);
        // Both lists of dimensions are consumed from the innermost out, in groups of equal volume.
        let (mut i, mut o) = (self.ndims(), md.dims.len());
        let wanted = md.dims;
        let cannot = || Error::invalid(format!("{} cannot be seen as {wanted} in its layout", self.dims));
        while i > 0 || o > 0 {
            let old_is_one = i > 0 && self.dims[i - 1] == 1;
            let new_is_one = o > 0 && md.dims[o - 1] == 1;
            if old_is_one && self.padded_dims[i - 1] == 1 {
                i -= 1;
                continue;
            }
            if !old_is_one && new_is_one {
                o -= 1;
                md.padded_dims[o] = 1;
                to.strides[o] = match self.dims.get(i) {
                    None => from.block_size(),
                    Some(&dim) => from.strides[i].checked_mul(dim).ok_or_else(cannot)? / from_blocks[i],
                };
                continue;
            }
            let (i_end, o_end) = (i, o);
            i = i.checked_sub(1).ok_or_else(cannot)?;
            o = o.checked_sub(1).ok_or_else(cannot)?;
            let (mut old_volume, mut new_volume) = (self.dims[i], md.dims[o]);
            while old_volume != new_volume {
                let (dims, begin, volume) = if old_volume < new_volume {
                    (&self.dims, &mut i, &mut old_volume)
                } else {
                    (&md.dims, &mut o, &mut new_volume)
                };
                *begin = begin.checked_sub(1).ok_or_else(cannot)?;
                *volume = volume.checked_mul(dims[*begin]).ok_or_else(cannot)?;
                if *volume == 0 {
                    return Err(cannot());
                }
            }
            if i + 1 == i_end && o + 1 == o_end {
                md.padded_dims[o] = self.padded_dims[i];
                md.padded_offsets[o] = self.padded_offsets[i];
                to.strides[o] = from.strides[i];
                renamed[i] = Some(o);
                continue;
            }
            let group = i..i_end;
            let is_dense =
                group.clone().skip(1).all(|d| self.dims[d].checked_mul(from.strides[d]) == Some(from.strides[d - 1]));
            let is_bare = group
                .clone()
                .all(|d| from_blocks[d] == 1 && self.padded_dims[d] == self.dims[d] && self.padded_offsets[d] == 0);
            if !is_dense || !is_bare {
                return Err(cannot());
            }
            let mut stride = from.strides[i_end - 1];
            for d in (o..o_end).rev() {
                to.strides[d] = stride;
                stride = stride.checked_mul(md.dims[d]).ok_or_else(cannot)?;
            }
        }
        to.inner = from.inner.clone();
        for block in &mut to.inner {
            block.dim = renamed[block.dim].ok_or_else(|| Error::invalid("a blocked dimension would vanish"))?;
        }
        Ok(md)
    }

    fn check_viewable(&self) -> Result<()> {
        ensure!(!self.is_zero(), "the empty descriptor has no other view");
        let has_axes = matches!(self.format, Format::Any | Format::Blocked(_));
        ensure!(has_axes, "a view of a tensor of format kind {}", self.format_kind());
        ensure!(!self.has_runtime_dims_or_strides(), "a view of a tensor with unknown dimensions or strides");
        Ok(())
    }

    fn check_volume(&self, dims: &Dims) -> Result<()> {
        let volume = |dims: &Dims| dims.iter().map(|&dim| dim.max(1)).product::<i64>();
        let same = !dims.is_empty() && !dims.has_runtime() && volume(dims) == volume(&self.dims);
        ensure!(same, "{} has not the volume of {dims}", self.dims);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Status;
    use crate::desc::{DataType::F32, Dims, FormatTag, MemoryDesc};

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn part_keeps_strides_and_moves_the_origin() {
        let md = tagged(&[4, 40, 5], "nCw16c");
        let part = md.submemory(&[2, 16, 3], &[1, 16, 2]).unwrap();
        assert_eq!(part.offset0(), md.offset_of(&[1, 16, 2]));
        assert_eq!(part.strides(), md.strides());
        assert_eq!(*part.padded_dims(), Dims::from([2, 16, 3]));
        let tail = md.submemory(&[4, 8, 5], &[0, 32, 0]).unwrap();
        assert_eq!(*tail.padded_dims(), Dims::from([4, 16, 5]), "the tail keeps its padding");
    }

    #[test]
    fn part_outside_is_invalid_and_part_of_a_block_is_unimplemented() {
        let md = tagged(&[4, 40, 5], "nCw16c");
        let status = |dims, offsets| md.submemory(dims, offsets).unwrap_err().status();
        assert_eq!(status(&[5, 16, 5], &[0, 0, 0]), Status::InvalidArguments);
        assert_eq!(status(&[4, 16, 5], &[0, -16, 0]), Status::InvalidArguments);
        assert_eq!(status(&[4, 16, 5], &[0, 8, 0]), Status::Unimplemented);
        assert_eq!(status(&[4, 20, 5], &[0, 0, 0]), Status::Unimplemented);
        assert!(md.submemory(&[4, 8, 5], &[0, 0, 0]).is_ok(), "less than one block is fine");
    }

    #[test]
    fn permuted_axes_describe_the_same_elements() {
        let md = tagged(&[2, 20, 3], "nCw16c");
        let turned = md.permute_axes(&[2, 0, 1]).unwrap();
        assert_eq!(*turned.dims(), Dims::from([20, 3, 2]));
        assert_eq!(turned.offset_of(&[17, 2, 1]), md.offset_of(&[1, 17, 2]));
        assert!(md.permute_axes(&[0, 0, 1]).is_err());
        assert!(md.permute_axes(&[0, 1]).is_err());
    }

    #[test]
    fn reshape_joins_and_splits_dense_dimensions() {
        let md = tagged(&[2, 3, 4, 5], "nhwc");
        let joined = md.reshape(&[2, 3, 20]).unwrap();
        assert_eq!(joined.strides(), Some(&Dims::from([60, 1, 3])));
        let split = md.reshape(&[2, 3, 2, 2, 5]).unwrap();
        assert_eq!(split.offset_of(&[1, 2, 1, 0, 4]), md.offset_of(&[1, 2, 2, 4]));
        assert!(md.reshape(&[6, 4, 5]).is_err(), "channels are not next to the batch");
        assert!(md.reshape(&[2, 3, 4, 6]).is_err());
    }

    #[test]
    fn reshape_adds_and_removes_ones_beside_blocks() {
        let md = tagged(&[2, 20, 1, 3], "nChw16c");
        let without = md.reshape(&[2, 20, 3]).unwrap();
        assert_eq!(without, tagged(&[2, 20, 3], "nCw16c"));
        let with = without.reshape(&[1, 2, 20, 1, 1, 3]).unwrap();
        assert_eq!(with.offset_of(&[0, 1, 19, 0, 0, 2]), md.offset_of(&[1, 19, 0, 2]));
        assert!(md.reshape(&[40, 3]).is_err(), "a blocked dimension cannot be joined");
    }

    #[test]
    fn reshape_of_an_open_layout_stays_open() {
        let md = MemoryDesc::any(&[2, 6], F32).unwrap();
        assert_eq!(md.reshape(&[3, 4]).unwrap(), MemoryDesc::any(&[3, 4], F32).unwrap());
        assert!(MemoryDesc::ZERO.reshape(&[]).is_err());
    }
}
