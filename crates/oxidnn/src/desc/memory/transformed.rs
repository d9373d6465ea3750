//! Kernels that are stored as Winograd's algorithm multiplies them.

use super::{Blocking, Format, MemoryDesc};
use crate::desc::dims::Dims;
use crate::desc::tag::{InnerBlock, Layout};
use crate::desc::types::DataType;
use crate::desc::winograd::WINOGRAD_TILE;
use crate::{Error, Result, ensure};

/// Kernels of 3x3 that are transformed for Winograd's algorithm, which multiplies 36 numbers for each of them.
///
/// What is stored is a tensor of its own: `36 x groups x summed channels x channels of results`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transformed {
    /// Whether a result is a sum over input channels, as in a forward pass, not over output channels.
    pub sums_inputs: bool,
    /// Whether kernels are turned around.
    pub turned: bool,
    /// The layout of what is stored.
    pub blocking: Blocking,
}

impl Transformed {
    /// How many dimensions the tensor has that is stored.
    pub const NDIMS: usize = 4;

    /// The dimensions of what is stored for weights of these dimensions.
    fn dims(&self, weights: &[i64]) -> [i64; Transformed::NDIMS] {
        let (groups, filter) = weights.split_at(weights.len() - 4);
        let [summed, channels] = if self.sums_inputs { [filter[1], filter[0]] } else { [filter[0], filter[1]] };
        [WINOGRAD_TILE.pow(2), groups.iter().product(), summed, channels]
    }

    /// What is stored for weights of these dimensions.
    pub(super) fn stored(&self, weights: &[i64]) -> Result<MemoryDesc> {
        let has_kernels = matches!(weights.len(), 4 | 5) && weights.ends_with(&[3, 3]);
        ensure!(
            has_kernels && self.blocking.strides.len() == Transformed::NDIMS,
            "transformed weights of {} dimensions",
            weights.len()
        );
        ensure!(weights.iter().all(|&dim| dim >= 0), "transformed weights of unknown dimensions");
        let moves = |block: &InnerBlock| (1..Transformed::NDIMS).contains(&block.dim) && block.size > 0;
        let is_known = self.blocking.strides.iter().all(|&stride| stride >= 0);
        ensure!(is_known && self.blocking.inner.iter().all(moves), "a malformed layout of transformed weights");
        let dims = self.dims(weights);
        let mut padded = Dims::new(&dims)?;
        let sizes = self.blocking.inner.iter().try_fold([1i64; Transformed::NDIMS], |mut sizes, block| {
            sizes[block.dim] = sizes[block.dim].checked_mul(block.size)?;
            Some(sizes)
        });
        let too_large = || Error::invalid("blocks of transformed weights are too large");
        for (dim, size) in padded.iter_mut().zip(sizes.ok_or_else(too_large)?) {
            *dim = (*dim as u64).div_ceil(size as u64).checked_mul(size as u64).ok_or_else(too_large)? as i64;
        }
        MemoryDesc::from_parts(
            &dims,
            DataType::F32,
            &padded,
            &[0; Transformed::NDIMS],
            0,
            Format::Blocked(self.blocking.clone()),
        )
    }
}

impl MemoryDesc {
    /// The same weights of a convolution of 3x3, in f32, transformed for Winograd's algorithm, and stored in a layout of four dimensions.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, FormatKind, Layout, MemoryDesc};
    /// let weights = MemoryDesc::any(&[64, 32, 3, 3], DataType::F32).unwrap();
    /// let transformed = weights.transformed_for_winograd(true, false, &Layout::plain(4)).unwrap();
    /// assert_eq!(transformed.format_kind(), FormatKind::Opaque);
    /// assert_eq!(transformed.size(), 36 * 32 * 64 * 4);
    /// ```
    pub fn transformed_for_winograd(&self, sums_inputs: bool, turned: bool, layout: &Layout) -> Result<MemoryDesc> {
        let blocking = Blocking { strides: Dims::filled(Transformed::NDIMS, 0), inner: layout.inner.clone() };
        let unplaced = Transformed { sums_inputs, turned, blocking };
        let stored = MemoryDesc::with_layout(&unplaced.dims(self.checked_weights()?), DataType::F32, layout)?;
        let blocking = stored.blocking().cloned().ok_or_else(|| Error::invalid("transformed weights are empty"))?;
        let format = Format::Transformed(Transformed { blocking, ..unplaced });
        MemoryDesc::from_parts(self.dims(), self.data_type(), self.dims(), &Dims::filled(self.ndims(), 0), 0, format)
    }

    /// How the kernels are transformed, if they are.
    pub fn transformed(&self) -> Option<&Transformed> {
        match self.format() {
            Format::Transformed(transformed) => Some(transformed),
            _ => None,
        }
    }

    /// The tensor that is stored for transformed kernels.
    pub fn stored(&self) -> Option<MemoryDesc> {
        self.transformed()?.stored(self.dims()).ok()
    }

    fn checked_weights(&self) -> Result<&[i64]> {
        ensure!(matches!(self.ndims(), 4 | 5), "weights of {} dimensions cannot be transformed", self.ndims());
        Ok(self.dims())
    }

    /// Refuses what cannot be stored transformed.
    pub(super) fn check_transformed(&self, transformed: &Transformed) -> Result<()> {
        ensure!(self.data_type() == DataType::F32, "transformed weights of type {}", self.data_type());
        ensure!(self.offset0() == 0, "an offset into transformed weights");
        transformed.stored(self.dims()).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;

    #[test]
    fn only_kernels_of_three_by_three_floats_are_transformed() {
        let status = |dims: &[i64], data_type: DataType, layout: &str| {
            let weights = MemoryDesc::any(dims, data_type).unwrap();
            let transformed = weights.transformed_for_winograd(true, false, &layout.parse().unwrap());
            transformed.map(|md| md.size()).map_err(|error| error.status())
        };
        assert_eq!(status(&[5, 6, 3, 3], DataType::F32, "abcd"), Ok(36 * 6 * 5 * 4));
        assert_eq!(status(&[2, 5, 6, 3, 3], DataType::F32, "abDc8d"), Ok(36 * 2 * 6 * 8 * 4));
        for (dims, data_type, layout) in [
            (&[5, 6, 3, 3][..], DataType::F16, "abcd"),
            (&[5, 6, 3, 2], DataType::F32, "abcd"),
            (&[6, 3, 3], DataType::F32, "abcd"),
            (&[5, 6, 3, 3], DataType::F32, "Abcd4a"),
            (&[5, 6, 3, 3], DataType::F32, "abc"),
        ] {
            assert_eq!(status(dims, data_type, layout), Err(Status::InvalidArguments), "{dims:?} {data_type} {layout}");
        }
    }
}
