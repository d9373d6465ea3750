//! A 32-bit float that can be part of a key.

use std::fmt;
use std::hash::{Hash, Hasher};

/// An `f32` that compares and hashes by its bits and prints as `%g` does.
///
/// ```
/// use oxidnn::desc::Float;
/// assert_eq!(Float(0.1).to_string(), "0.1");
/// assert_eq!(Float(f32::NAN), Float(f32::NAN));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Float(pub f32);

impl Float {
    /// The pattern that old API revisions used for values only known at execution. No value may have it.
    pub fn is_runtime_marker(self) -> bool {
        self.0.to_bits() == 0x7fc0_00d0
    }
}

impl From<f32> for Float {
    fn from(value: f32) -> Float {
        Float(value)
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl Hash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Six significant digits, no trailing zeros, an exponent for the very small and the large: C's `%g`.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.is_nan() {
            return f.write_str(if value.is_sign_negative() { "-nan" } else { "nan" });
        }
        if value.is_infinite() {
            return f.write_str(if value < 0.0 { "-inf" } else { "inf" });
        }
        let scientific = format!("{value:.5e}");
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let trim = |digits: &str| match digits.contains('.') {
            true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => digits.to_owned(),
        };
        if (-4..6).contains(&exponent) {
            f.write_str(&trim(&format!("{value:.*}", (5 - exponent) as usize)))
        } else {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(f, "{}e{sign}{:02}", trim(mantissa), exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_like_c() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (123456.0, "123456"),
            (999999.9, "1e+06"),
            (1e20, "1e+20"),
            (1.0 / 3.0, "0.333333"),
            (f32::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(Float(value).to_string(), text);
        }
    }
}
