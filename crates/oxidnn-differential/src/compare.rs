//! When an output is right.
//!
//! Against the oracle: it lies between the roundings of the lowest and the highest value an honest computation may reach. With no
//! error in the computation that is one value, bit by bit but for the sign of zero. Against the reference: the two are no
//! further apart than that interval is wide.

use crate::dtype::DataType;
use crate::oracle::Approx;

/// The values a stored element may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    nan: bool,
}

impl Range {
    /// The elements of a type that are right for an expected value.
    pub fn of(expected: Approx, dt: DataType) -> Range {
        let ends = [expected.v - expected.e, expected.v + expected.e, expected.v];
        let mut range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: false };
        for end in ends {
            range.include(dt.round(end));
            if matches!(dt, DataType::F8E5m2 | DataType::F8E4m3) {
                // oneDNN converts through f16, which rounds twice.
                range.include(dt.round(DataType::F16.round(end)));
            }
        }
        // Saturation in single precision stops at the largest float below the limit.
        if dt == DataType::S32 && expected.v + expected.e >= 2_147_483_520.0 {
            range.include(2_147_483_520.0);
            range.include(2_147_483_647.0);
        }
        range
    }

    fn include(&mut self, value: f64) {
        if value.is_nan() {
            self.nan = true;
        } else {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
    }

    /// Whether a stored value is right.
    pub fn accepts(&self, value: f64) -> bool {
        if value.is_nan() { self.nan } else { self.low <= value && value <= self.high }
    }

    /// Whether two libraries' values are close enough to each other.
    pub fn close(&self, left: f64, right: f64) -> bool {
        if left.is_nan() || right.is_nan() {
            return self.nan || (left.is_nan() && right.is_nan());
        }
        left == right || (left - right).abs() <= self.high - self.low
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.low > self.high, self.low == self.high) {
            (true, _) => f.write_str("NaN"),
            (_, true) => write!(f, "{:e}", self.low),
            _ => write!(f, "{:e}..={:e}", self.low, self.high),
        }?;
        if self.nan && self.low <= self.high { f.write_str(" or NaN") } else { Ok(()) }
    }
}

/// The first and the number of elements that are wrong.
pub fn mismatch(bits: &[u64], dt: DataType, expected: &[Approx]) -> Option<String> {
    if bits.len() != expected.len() {
        return Some(format!("{} elements instead of {}", bits.len(), expected.len()));
    }
    let wrong: Vec<usize> =
        (0..bits.len()).filter(|i| !Range::of(expected[*i], dt).accepts(dt.decode(bits[*i]))).collect();
    let first = *wrong.first()?;
    let (got, range) = (dt.decode(bits[first]), Range::of(expected[first], dt));
    let Approx { v, e } = expected[first];
    Some(format!(
        "{} of {} elements wrong, first {first}: {got:e}, expected {range} ({v:e} ± {e:e})",
        wrong.len(),
        bits.len()
    ))
}

/// The first and the number of elements that differ between two libraries by more than the oracle's interval.
pub fn difference(left: &[u64], right: &[u64], dt: DataType, expected: &[Approx]) -> Option<String> {
    let far: Vec<usize> = (0..left.len())
        .filter(|i| !Range::of(expected[*i], dt).close(dt.decode(left[*i]), dt.decode(right[*i])))
        .collect();
    let first = *far.first()?;
    let (a, b) = (dt.decode(left[first]), dt.decode(right[first]));
    Some(format!("{} of {} elements differ, first {first}: {a:e} against {b:e}", far.len(), left.len()))
}

/// Without an oracle, values must be the same, but for NaN payloads and the sign of zero.
pub fn unequal(left: &[u64], right: &[u64], dt: DataType) -> Option<String> {
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    let wrong = (0..left.len()).find(|i| !same(dt.decode(left[*i]), dt.decode(right[*i])))?;
    Some(format!("element {wrong}: {:e} against {:e}", dt.decode(left[wrong]), dt.decode(right[wrong])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Math;
    use DataType::*;

    #[test]
    fn a_copy_must_be_exact() {
        for dt in [F64, F32, F16, Bf16, F8E5m2, F8E4m3, S32, S8, U8] {
            let bits = dt.encode(5.0);
            let expected = [Approx::exact(5.0)];
            assert_eq!(mismatch(&[bits], dt, &expected), None);
            for steps in [-1, 1] {
                let moved = dt.step(bits, steps).unwrap();
                assert!(mismatch(&[moved], dt, &expected).is_some(), "{dt} moved by {steps}");
            }
        }
    }

    #[test]
    fn three_steps_after_one_operation_are_noticed_in_every_type() {
        let math = Math::F32;
        for dt in [F32, F16, Bf16, F8E5m2, F8E4m3, S32, S8, U8] {
            let expected = [math.mul(Approx::exact(3.3), Approx::exact(7.7))];
            let bits = dt.encode(3.3 * 7.7);
            assert_eq!(mismatch(&[bits], dt, &expected), None);
            for steps in [-3, 3] {
                let moved = dt.step(bits, steps).unwrap();
                assert!(mismatch(&[moved], dt, &expected).is_some(), "{dt} moved by {steps}");
            }
        }
    }

    #[test]
    fn an_integer_may_be_off_by_one_only_at_a_tie() {
        let tie = [Approx { v: 2.5, e: 1e-6 }];
        assert_eq!(mismatch(&[2], S8, &tie), None);
        assert_eq!(mismatch(&[3], S8, &tie), None);
        assert!(mismatch(&[4], S8, &tie).is_some());
        let clear = [Approx { v: 2.4, e: 1e-6 }];
        assert!(mismatch(&[3], S8, &clear).is_some());
    }

    #[test]
    fn not_a_number_and_infinity_match_only_themselves() {
        let nan = F32.encode(f64::NAN);
        let infinity = F32.encode(f64::INFINITY);
        assert_eq!(mismatch(&[nan], F32, &[Approx::exact(f64::NAN)]), None);
        assert_eq!(mismatch(&[infinity], F32, &[Approx::exact(f64::INFINITY)]), None);
        assert!(mismatch(&[nan], F32, &[Approx::exact(1.0)]).is_some());
        assert!(mismatch(&[F32.encode(1.0)], F32, &[Approx::exact(f64::NAN)]).is_some());
        assert!(mismatch(&[F32.encode(f64::from(f32::MAX))], F32, &[Approx::exact(f64::INFINITY)]).is_some());
    }

    #[test]
    fn half_a_step_of_the_destination_is_the_whole_allowance_of_a_rounded_result() {
        let expected = [Approx { v: 1.0 + 2f64.powi(-10) * 0.4, e: 1e-7 }];
        assert_eq!(mismatch(&[F16.encode(1.0)], F16, &expected), None);
        assert!(mismatch(&[F16.encode(1.0 + 2f64.powi(-10))], F16, &expected).is_some());
    }
}
