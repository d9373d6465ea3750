//! A short list of 64-bit extents, strides or offsets: one per dimension of a tensor.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::{Result, ensure};

/// The most dimensions a tensor can have.
pub const MAX_NDIMS: usize = 12;

/// The value of a dimension or stride that is only known at execution.
pub const RUNTIME_DIM: i64 = i64::MIN;

/// The size in bytes of a tensor whose dimensions or strides are only known at execution.
pub const RUNTIME_SIZE: usize = RUNTIME_DIM as usize;

/// Up to [`MAX_NDIMS`] values, one per dimension. Reads and writes like a slice.
///
/// ```
/// use oxidnn::desc::Dims;
/// let dims = Dims::from([2, 3, 4]);
/// assert_eq!(dims.len(), 3);
/// assert_eq!(dims[1], 3);
/// assert_eq!(dims.to_string(), "2x3x4");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dims {
    len: u8,
    // Values past `len` are zero, so that the derived comparisons and hash hold.
    values: [i64; MAX_NDIMS],
}

impl Dims {
    /// No values.
    pub const EMPTY: Dims = Dims { len: 0, values: [0; MAX_NDIMS] };

    /// Copies a slice; an error if it is longer than [`MAX_NDIMS`].
    pub fn new(values: &[i64]) -> Result<Dims> {
        ensure!(values.len() <= MAX_NDIMS, "{} dimensions are more than the {MAX_NDIMS} supported", values.len());
        let mut dims = Dims::filled(values.len(), 0);
        dims.copy_from_slice(values);
        Ok(dims)
    }

    /// `len` times the same value.
    ///
    /// # Panics
    /// If `len` exceeds [`MAX_NDIMS`].
    pub fn filled(len: usize, value: i64) -> Dims {
        let mut dims = Dims { len: len as u8, values: [0; MAX_NDIMS] };
        dims.values[..len].fill(value);
        dims
    }

    /// Whether any value is [`RUNTIME_DIM`].
    pub fn has_runtime(&self) -> bool {
        self.contains(&RUNTIME_DIM)
    }

    /// The dimensions of images as verbose lines name them: `mb2ic16ih4iw4`.
    pub(super) fn image_text(&self) -> String {
        let names: &[&str] = match self.len() {
            1 => &["x"],
            2 => &["mb", "ic"],
            3 => &["mb", "ic", "iw"],
            4 => &["mb", "ic", "ih", "iw"],
            5 => &["mb", "ic", "id", "ih", "iw"],
            _ => return self.to_string(),
        };
        names.iter().zip(self.iter()).map(|(name, value)| format!("{name}{value}")).collect()
    }

    /// The product of all values, or `None` on overflow. The product of nothing is 1.
    pub fn checked_product(&self) -> Option<i64> {
        self.iter().try_fold(1i64, |product, &value| product.checked_mul(value))
    }
}

impl Deref for Dims {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.values[..usize::from(self.len)]
    }
}

impl DerefMut for Dims {
    fn deref_mut(&mut self) -> &mut [i64] {
        &mut self.values[..usize::from(self.len)]
    }
}

impl<const N: usize> From<[i64; N]> for Dims {
    fn from(values: [i64; N]) -> Dims {
        const { assert!(N <= MAX_NDIMS, "too many dimensions") };
        let mut dims = Dims::filled(N, 0);
        dims.copy_from_slice(&values);
        dims
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Dims {
    fn eq(&self, other: &[i64; N]) -> bool {
        **self == other[..]
    }
}

/// Collects up to [`MAX_NDIMS`] values and panics on more.
impl FromIterator<i64> for Dims {
    fn from_iter<I: IntoIterator<Item = i64>>(iter: I) -> Dims {
        let mut dims = Dims::default();
        for value in iter {
            dims.values[usize::from(dims.len)] = value;
            dims.len += 1;
        }
        dims
    }
}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// `2x3x4`, with `*` for values only known at execution.
impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &value) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("x")?;
            }
            if value == RUNTIME_DIM {
                f.write_str("*")?;
            } else {
                write!(f, "{value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_ignores_nothing_but_the_unused_tail() {
        let mut long = Dims::from([1, 2, 3]);
        long[2] = 9;
        assert_eq!(Dims::new(&[1, 2, 9]).unwrap(), long);
        assert_ne!(Dims::from([1, 2]), Dims::from([1, 2, 0]));
        assert_eq!([1, 2].into_iter().collect::<Dims>(), Dims::from([1, 2]));
    }

    #[test]
    fn more_than_twelve_dimensions_are_refused() {
        assert!(Dims::new(&[1; 12]).is_ok());
        assert!(Dims::new(&[1; 13]).is_err());
    }

    #[test]
    fn runtime_values_print_as_stars() {
        assert_eq!(Dims::from([2, RUNTIME_DIM, 1]).to_string(), "2x*x1");
    }

    #[test]
    fn product_detects_overflow() {
        assert_eq!(Dims::from([]).checked_product(), Some(1));
        assert_eq!(Dims::from([i64::MAX, 2]).checked_product(), None);
    }
}
