//! How scales, zero points and precomputed reductions vary over a tensor.

use super::dims::{Dims, RUNTIME_DIM};
use super::memory::MemoryDesc;
use super::types::{DataType, QuantizationMode};
use crate::{Result, ensure};

/// How scales, zero points or precomputed reductions vary over an argument.
///
/// Bit `d` of the mask says that they vary along dimension `d`. With groups, neighbours in the last two dimensions share a
/// value: `groups = [32, 1]` has one for every 32 elements along the last but one dimension.
///
/// ```
/// use oxidnn::desc::{DataType, Quant};
/// let per_channel = Quant::scales(1 << 1);
/// let grouped = Quant::scales(3).data_type(DataType::F16).groups(&[32, 1]).unwrap();
/// assert_eq!(grouped.to_string(), "3:f16:32x1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quant {
    /// The dimensions along which values vary.
    pub mask: i32,
    /// The type of the values.
    pub data_type: DataType,
    /// The extents of a group in the last two dimensions; empty for none.
    pub groups: Dims,
    /// Whether it is one value in host memory.
    pub on_host: bool,
    /// Whether values are given, or computed by the primitive and stored.
    pub mode: QuantizationMode,
}

impl Quant {
    /// Scales of type f32.
    pub fn scales(mask: i32) -> Quant {
        let mode = QuantizationMode::StaticSazp;
        Quant { mask, data_type: DataType::F32, groups: Dims::EMPTY, on_host: false, mode }
    }

    /// Zero points of type s32.
    pub fn zero_points(mask: i32) -> Quant {
        Quant { data_type: DataType::S32, ..Quant::scales(mask) }
    }

    /// The same with values of another type.
    pub fn data_type(self, data_type: DataType) -> Quant {
        Quant { data_type, ..self }
    }

    /// The same in groups.
    pub fn groups(self, groups: &[i64]) -> Result<Quant> {
        Ok(Quant { groups: Dims::new(groups)?, ..self })
    }

    /// The same as one value in host memory.
    pub fn on_host(self) -> Quant {
        Quant { on_host: true, ..self }
    }

    /// The same in another mode.
    pub fn mode(self, mode: QuantizationMode) -> Quant {
        Quant { mode, ..self }
    }

    /// Whether the primitive computes the values.
    pub fn is_dynamic(&self) -> bool {
        matches!(self.mode, QuantizationMode::DynamicMx | QuantizationMode::DynamicFp)
    }

    /// The group extent along dimension `d` of `ndims`; 1 outside of the last two.
    pub fn group(&self, d: usize, ndims: usize) -> i64 {
        (d + self.groups.len()).checked_sub(ndims).and_then(|i| self.groups.get(i)).copied().unwrap_or(1)
    }

    /// The tensor of values for an argument, row-major.
    pub fn memory_desc(&self, of: &MemoryDesc) -> Result<MemoryDesc> {
        if self.on_host {
            return MemoryDesc::host_scalar(self.data_type);
        }
        let ndims = of.ndims();
        let varies = |d: usize| self.mask >> d & 1 == 1;
        let extent = |d: usize, dim: i64| match dim {
            RUNTIME_DIM => dim,
            _ => dim.max(0).unsigned_abs().div_ceil(self.group(d, ndims).unsigned_abs()) as i64,
        };
        let dims: Dims =
            of.dims().iter().enumerate().map(|(d, &dim)| if varies(d) { extent(d, dim) } else { 1 }).collect();
        MemoryDesc::with_strides(&dims, self.data_type, None)
    }

    /// The checks that scales, zero points and reductions share.
    pub(super) fn check_mask(&self) -> Result<()> {
        let Quant { mask, groups, .. } = self;
        ensure!(*mask >= 0, "mask {mask} is negative");
        ensure!(
            matches!(groups.len(), 0 | 2),
            "groups of {} dimensions, only the last two can have them",
            groups.len()
        );
        ensure!(groups.iter().all(|&group| group > 0), "groups of {groups}");
        ensure!(groups.is_empty() || *mask > 0, "groups need a mask");
        ensure!(!self.on_host || (*mask == 0 && groups.is_empty()), "a value in host memory can only be one");
        Ok(())
    }
}

/// `3:f16:32x1`, as verbose lines print it.
impl std::fmt::Display for Quant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.mask, self.data_type)?;
        if !self.groups.is_empty() {
            write!(f, ":{}", self.groups)?;
        }
        if self.on_host {
            f.write_str(":host_scalar")?;
        }
        if self.mode != QuantizationMode::StaticSazp {
            write!(f, ":{}", self.mode)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantization_tensors_follow_mask_and_groups() {
        let of = MemoryDesc::with_strides(&[2, 64, 10], DataType::S4, None).unwrap();
        let dims = |quant: Quant| *quant.memory_desc(&of).unwrap().dims();
        assert_eq!(dims(Quant::scales(0)), Dims::from([1, 1, 1]));
        assert_eq!(dims(Quant::scales(4)), Dims::from([1, 1, 10]));
        assert_eq!(dims(Quant::scales(7).groups(&[32, 1]).unwrap()), Dims::from([2, 2, 10]));
        assert!(Quant::scales(0).on_host().memory_desc(&of).unwrap().is_host_scalar());
    }

    #[test]
    fn a_partial_group_has_a_value() {
        let of = MemoryDesc::with_strides(&[40, 6], DataType::S8, None).unwrap();
        let quant = Quant::scales(3).groups(&[16, 1]).unwrap();
        assert_eq!(*quant.memory_desc(&of).unwrap().dims(), [3, 6]);
    }
}
