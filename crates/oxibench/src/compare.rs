//! Whether two libraries' results agree.
//!
//! Tensors of contractions hold small whole numbers, so their sums are exact in any order and only the result's own rounding may
//! differ. Elsewhere a number of single-precision roundings is allowed on top, relative to the element or to the tensor's
//! typical element, whichever is larger.

use crate::problem::{Accuracy, Arg};
use dnnl_dynamic::dtype::DataType;
use dnnl_dynamic::layout::read;
use serde::{Deserialize, Serialize};

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Elements compared.
    pub elements: usize,
    /// Elements that are too far apart.
    pub wrong: usize,
    /// The largest difference, as a part of what is allowed.
    pub worst: f64,
    /// The first element that is wrong, in words.
    pub first: Option<String>,
}

/// Digits of a type's fraction.
fn fraction_bits(dt: DataType) -> i32 {
    match dt {
        DataType::F64 => 52,
        DataType::F16 => 10,
        DataType::Bf16 => 7,
        DataType::F8E5m2 => 2,
        DataType::F8E4m3 => 3,
        DataType::F4E2m1 => 1,
        DataType::F4E3m0 | DataType::E8m0 => 0,
        _ => 23,
    }
}

/// How much of a value two results may differ by.
fn tolerance(dt: DataType, accuracy: Accuracy) -> f64 {
    let step = 2f64.powi(-fraction_bits(dt));
    let single = 2f64.powi(if dt == DataType::F64 { -52 } else { -23 });
    match accuracy {
        Accuracy::Exact => 0.0,
        Accuracy::Rounded => step,
        Accuracy::Computed => step + 128.0 * single,
        Accuracy::Coarse => step + 8192.0 * single,
        Accuracy::Narrow => step + 2f64.powi(-5),
    }
}

/// Compares an output of ours with the other's, both in row-major order.
pub fn compare(output: &Arg, accuracy: Accuracy, ours: &[u8], theirs: &[u8]) -> Agreement {
    let (elements, dt) = (output.elements(), output.dt);
    if ours.len() < dt.bytes(elements) || theirs.len() < dt.bytes(elements) {
        let first = Some(format!("{} and {} bytes for {elements} elements of {dt}", ours.len(), theirs.len()));
        return Agreement { elements, wrong: elements, worst: f64::INFINITY, first };
    }
    let value = |bytes: &[u8], i| dt.decode(read(bytes, dt, i));
    let finite = (0..elements).map(|i| value(theirs, i)).filter(|v| v.is_finite());
    let (sum, count) = finite.fold((0.0, 0usize), |(sum, count), v| (sum + v * v, count + 1));
    let typical = (sum / count.max(1) as f64).sqrt();
    let relative = tolerance(dt, accuracy);
    let mut agreement = Agreement { elements, wrong: 0, worst: 0.0, first: None };
    for i in 0..elements {
        let (a, b) = (value(ours, i), value(theirs, i));
        if a == b || (a.is_nan() && b.is_nan()) {
            continue;
        }
        let allowed = match (dt.is_integer(), accuracy) {
            (true, Accuracy::Exact | Accuracy::Rounded) => 0.0,
            (true, _) => 1.0f64.max(relative * a.abs().max(b.abs())),
            (false, _) => relative * a.abs().max(b.abs()).max(typical),
        };
        let distance = (a - b).abs();
        let part = if distance.is_nan() { f64::INFINITY } else { distance / allowed };
        agreement.worst = agreement.worst.max(part);
        if part > 1.0 || part.is_nan() {
            agreement.wrong += 1;
            agreement.first.get_or_insert_with(|| format!("element {i} is {a:e}, the other's {b:e}"));
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tag::Arrangement;

    fn with(dt: DataType, accuracy: Accuracy, ours: &[f64], theirs: &[f64]) -> Agreement {
        let output = Arg::output(17, &[ours.len() as i64], dt, Arrangement::plain(1));
        let bytes = |values: &[f64]| -> Vec<u8> {
            values.iter().flat_map(|v| dt.encode(*v).to_le_bytes()[..dt.bytes(1)].to_vec()).collect()
        };
        compare(&output, accuracy, &bytes(ours), &bytes(theirs))
    }

    #[test]
    fn equal_results_agree_and_not_a_number_equals_itself() {
        let values = [1.0, -2.5, f64::NAN, f64::INFINITY];
        let agreement = with(DataType::F32, Accuracy::Exact, &values, &values);
        assert_eq!((agreement.wrong, agreement.worst), (0, 0.0));
    }

    #[test]
    fn a_wrong_element_is_found_in_every_type() {
        for dt in [DataType::F64, DataType::F32, DataType::F16, DataType::Bf16, DataType::S8, DataType::S32] {
            for accuracy in [Accuracy::Exact, Accuracy::Rounded, Accuracy::Computed, Accuracy::Coarse, Accuracy::Narrow]
            {
                let agreement = with(dt, accuracy, &[4.0, 8.0, 1.0], &[4.0, 6.0, 1.0]);
                assert_eq!(agreement.wrong, 1, "{dt} {accuracy:?}");
                assert!(agreement.first.unwrap().starts_with("element 1 is 8e0"));
            }
        }
    }

    #[test]
    fn not_a_number_is_wrong_where_a_number_is_expected() {
        assert_eq!(with(DataType::F32, Accuracy::Narrow, &[f64::NAN], &[1.0]).wrong, 1);
        assert_eq!(with(DataType::F32, Accuracy::Narrow, &[f64::INFINITY], &[1.0]).wrong, 1);
    }

    #[test]
    fn roundings_are_allowed_as_far_as_the_accuracy_says() {
        let near = 1.0 + 2f64.powi(-20);
        assert_eq!(with(DataType::F32, Accuracy::Rounded, &[near], &[1.0]).wrong, 1);
        assert_eq!(with(DataType::F32, Accuracy::Computed, &[near], &[1.0]).wrong, 0);
        assert_eq!(with(DataType::S8, Accuracy::Computed, &[3.0], &[4.0]).wrong, 0);
        assert_eq!(with(DataType::S8, Accuracy::Rounded, &[3.0], &[4.0]).wrong, 1);
    }

    #[test]
    fn missing_bytes_are_wrong() {
        let output = Arg::output(17, &[4], DataType::F32, Arrangement::plain(1));
        assert_eq!(compare(&output, Accuracy::Rounded, &[0; 12], &[0; 16]).wrong, 4);
    }
}
