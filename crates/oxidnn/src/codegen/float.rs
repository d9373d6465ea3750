//! Numbers to stored bits and back, for every data type: what a load and a store mean, to the bit.
//!
//! All floating-point types narrower than f32 are one piece of arithmetic with different widths, [`SmallFloat`]. The fact
//! a newcomer gets wrong is what lies beyond the largest value, because it differs: infinity in f16, bf16 and f8_e5m2,
//! NaN in f8_e4m3, the largest value in the 4-bit types. e8m0 is not a small float: it keeps the exponent of an f32 and
//! drops everything else.

use crate::desc::DataType;

/// What the codes above the largest finite value mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Top {
    /// The highest exponent holds infinity and NaNs.
    InfinityAndNan,
    /// The highest code is NaN, there is no infinity.
    Nan,
    /// There are none: every code is a number, values beyond saturate.
    Number,
}

/// A floating-point type of at most 16 bits: a sign, an exponent and a mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallFloat {
    exponent: u32,
    mantissa: u32,
    top: Top,
}

const F32_MANTISSA: u32 = 23;
const F32_BIAS: u32 = 127;
const F32_INFINITY: u32 = 0x7f80_0000;

/// 2 to the power of `exponent`, which may be as low as an f32's denormals go.
const fn power_of_two(exponent: i32) -> f32 {
    let biased = exponent + F32_BIAS as i32;
    f32::from_bits(if biased > 0 { (biased as u32) << F32_MANTISSA } else { 1 << (biased + 22) })
}

impl SmallFloat {
    /// IEEE half precision.
    pub const F16: SmallFloat = SmallFloat { exponent: 5, mantissa: 10, top: Top::InfinityAndNan };
    /// The upper half of an f32.
    pub const BF16: SmallFloat = SmallFloat { exponent: 8, mantissa: 7, top: Top::InfinityAndNan };
    /// OCP E5M2.
    pub const F8_E5M2: SmallFloat = SmallFloat { exponent: 5, mantissa: 2, top: Top::InfinityAndNan };
    /// OCP E4M3.
    pub const F8_E4M3: SmallFloat = SmallFloat { exponent: 4, mantissa: 3, top: Top::Nan };
    /// OCP E2M1.
    pub const F4_E2M1: SmallFloat = SmallFloat { exponent: 2, mantissa: 1, top: Top::Number };
    /// Signed powers of two and zero.
    pub const F4_E3M0: SmallFloat = SmallFloat { exponent: 3, mantissa: 0, top: Top::Number };

    /// The small float a data type is, if it is one.
    pub const fn of(data_type: DataType) -> Option<SmallFloat> {
        Some(match data_type {
            DataType::F16 => SmallFloat::F16,
            DataType::Bf16 => SmallFloat::BF16,
            DataType::F8E5m2 => SmallFloat::F8_E5M2,
            DataType::F8E4m3 => SmallFloat::F8_E4M3,
            DataType::F4E2m1 => SmallFloat::F4_E2M1,
            DataType::F4E3m0 => SmallFloat::F4_E3M0,
            _ => return None,
        })
    }

    const fn bias(self) -> u32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Whether its denormals are an f32's, with fewer bits: no exponent has to be found or taken away.
    const fn has_f32_exponents(self) -> bool {
        self.bias() == F32_BIAS
    }

    /// All exponent and mantissa bits.
    const fn magnitude(self) -> u32 {
        (1 << (self.exponent + self.mantissa)) - 1
    }

    /// The code with the highest exponent and no mantissa.
    const fn highest_exponent(self) -> u32 {
        self.magnitude() - ((1 << self.mantissa) - 1)
    }

    /// The distance between denormals.
    const fn quantum(self) -> i32 {
        1 - self.bias() as i32 - self.mantissa as i32
    }

    /// The value of a code, exactly.
    #[inline(always)]
    pub const fn decode(self, code: u32) -> f32 {
        let magnitude = code & self.magnitude();
        let sign = (code >> (self.exponent + self.mantissa)) << 31;
        let placed = magnitude << (F32_MANTISSA - self.mantissa);
        let normal = placed + ((F32_BIAS - self.bias()) << F32_MANTISSA);
        let denormal = (magnitude as i32 as f32 * power_of_two(self.quantum())).to_bits();
        let is_denormal = magnitude >> self.mantissa == 0 && !self.has_f32_exponents();
        let number = if is_denormal { denormal } else { normal };
        let bits = match self.top {
            Top::InfinityAndNan if magnitude >= self.highest_exponent() => placed | F32_INFINITY,
            Top::Nan if magnitude == self.magnitude() => f32::NAN.to_bits(),
            _ => number,
        };
        f32::from_bits(sign | bits)
    }

    /// The code nearest to a value; of two equally near, the even one.
    #[inline(always)]
    pub const fn encode(self, value: f32) -> u32 {
        let magnitude = value.to_bits() & 0x7fff_ffff;
        let sign = value.to_bits() >> 31 << (self.exponent + self.mantissa);
        let dropped = F32_MANTISSA - self.mantissa;
        // Adding a number whose last bit is worth one quantum rounds to that bit.
        let shifter = power_of_two(self.quantum() + F32_MANTISSA as i32);
        let denormal = (f32::from_bits(magnitude) + shifter).to_bits().wrapping_sub(shifter.to_bits());
        let nearest_even = (1 << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1);
        let rebias = (F32_BIAS - self.bias()) << self.mantissa;
        let normal = (magnitude.wrapping_add(nearest_even) >> dropped).wrapping_sub(rebias);
        let least_normal = (F32_BIAS + 1 - self.bias()) << F32_MANTISSA;
        let is_denormal = magnitude < least_normal && !self.has_f32_exponents();
        let code = if is_denormal { denormal } else { normal };
        let (top, nan) = match self.top {
            Top::InfinityAndNan => {
                let payload = (magnitude >> dropped) & ((1 << self.mantissa) - 1);
                (self.highest_exponent(), self.highest_exponent() | 1 << (self.mantissa - 1) | payload)
            }
            Top::Nan | Top::Number => (self.magnitude(), self.magnitude()),
        };
        let code = if code > top { top } else { code };
        sign | if magnitude > F32_INFINITY { nan } else { code }
    }
}

/// The value of an e8m0 code: a power of two, or NaN.
#[inline(always)]
pub const fn decode_e8m0(code: u8) -> f32 {
    match code {
        0 => power_of_two(-127),
        0xff => f32::NAN,
        _ => f32::from_bits((code as u32) << F32_MANTISSA),
    }
}

/// The largest power of two that is not above the magnitude of a value; infinities become NaN.
#[inline(always)]
pub const fn encode_e8m0(value: f32) -> u8 {
    (value.to_bits() >> F32_MANTISSA) as u8
}

/// The value of a 4-bit two's complement code.
#[inline(always)]
pub const fn decode_s4(code: u8) -> i32 {
    ((code << 4) as i8 >> 4) as i32
}

/// An f32 that rounds to a narrower type exactly as the f64 would: the last bit records that something was lost.
#[inline(always)]
pub fn narrow(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) == value || value.is_nan() {
        return near;
    }
    let toward_zero = near.to_bits() - u32::from(f64::from(near).abs() > value.abs());
    f32::from_bits(toward_zero | 1)
}

/// The nearest integer, of two equally near the even one. As [`f32::round_ties_even`], which is a function call where the
/// target has no instruction for it.
#[inline(always)]
pub fn round_even(value: f32) -> f32 {
    let shifter = power_of_two(F32_MANTISSA as i32);
    let magnitude = value.abs();
    if magnitude < shifter { ((magnitude + shifter) - shifter).copysign(value) } else { value }
}

/// The value of a stored element, whose bits are the low bits of `bits`. Exact for all types but s64.
///
/// ```
/// use oxidnn::codegen::float::decode;
/// use oxidnn::desc::DataType;
/// assert_eq!(decode(DataType::F8E4m3, 0x7e), 448.0);
/// assert_eq!(decode(DataType::S4, 0xf), -1.0);
/// ```
pub fn decode(data_type: DataType, bits: u64) -> f64 {
    if let Some(small) = SmallFloat::of(data_type) {
        return f64::from(small.decode(bits as u32 & (((1u64 << data_type.bits()) - 1) as u32)));
    }
    match data_type {
        DataType::F32 => f64::from(f32::from_bits(bits as u32)),
        DataType::F64 => f64::from_bits(bits),
        DataType::E8m0 => f64::from(decode_e8m0(bits as u8)),
        DataType::S8 => f64::from(bits as i8),
        DataType::U8 | DataType::Boolean => f64::from(bits as u8),
        DataType::S4 => f64::from(decode_s4(bits as u8)),
        DataType::U4 => f64::from(bits as u8 & 15),
        DataType::S32 => f64::from(bits as i32),
        _ => bits as i64 as f64,
    }
}

/// The bits a value is stored as: rounded to nearest even, integers saturated, NaN to integer zero.
///
/// ```
/// use oxidnn::codegen::float::encode;
/// use oxidnn::desc::DataType;
/// assert_eq!(encode(DataType::S8, 200.0), 127);
/// assert_eq!(encode(DataType::Bf16, 1.0), 0x3f80);
/// ```
pub fn encode(data_type: DataType, value: f64) -> u64 {
    if let Some(small) = SmallFloat::of(data_type) {
        return u64::from(small.encode(narrow(value)));
    }
    let whole = value.round_ties_even();
    match data_type {
        DataType::F32 => u64::from((value as f32).to_bits()),
        DataType::F64 => value.to_bits(),
        DataType::E8m0 => u64::from(encode_e8m0(narrow(value))),
        DataType::S8 => u64::from(whole as i8 as u8),
        DataType::U8 | DataType::Boolean => u64::from(whole as u8),
        DataType::S4 => (whole.clamp(-8.0, 7.0) as i8 & 15) as u64,
        DataType::U4 => whole.clamp(0.0, 15.0) as u64,
        DataType::S32 => u64::from(whole as i32 as u32),
        _ => whole as i64 as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: [DataType; 6] =
        [DataType::F16, DataType::Bf16, DataType::F8E5m2, DataType::F8E4m3, DataType::F4E2m1, DataType::F4E3m0];

    fn codes(data_type: DataType) -> std::ops::Range<u32> {
        0..1 << data_type.bits()
    }

    #[test]
    fn every_code_of_every_small_type_comes_back() {
        for data_type in SMALL {
            let small = SmallFloat::of(data_type).unwrap();
            for code in codes(data_type) {
                let value = small.decode(code);
                let back = small.encode(value);
                if value.is_nan() {
                    assert!(small.decode(back).is_nan(), "{data_type} {code:#x}");
                } else {
                    assert_eq!(back, code, "{data_type} {value}");
                }
            }
        }
        for data_type in [DataType::S8, DataType::U8, DataType::S4, DataType::U4] {
            for code in codes(data_type) {
                assert_eq!(encode(data_type, decode(data_type, u64::from(code))), u64::from(code), "{data_type}");
            }
        }
        for code in 0..=254u8 {
            assert_eq!(encode_e8m0(decode_e8m0(code)), code);
        }
        assert!(decode_e8m0(255).is_nan());
    }

    /// The definition of rounding, by looking at all codes: the nearest number, on ties the even code. A value that would
    /// round to the first number past the largest becomes what the type has there.
    struct Brute {
        /// Magnitudes and codes of all numbers, and of the first one past them.
        numbers: Vec<(f64, u32)>,
        overflow: u32,
    }

    impl Brute {
        fn new(data_type: DataType) -> Brute {
            let small = SmallFloat::of(data_type).unwrap();
            let mut numbers: Vec<(f64, u32)> = codes(data_type)
                .map(|code| (f64::from(small.decode(code)), code))
                .filter(|(value, _)| value.is_finite() && value.is_sign_positive())
                .collect();
            let overflow = match data_type {
                DataType::F4E2m1 | DataType::F4E3m0 => numbers.last().unwrap().1,
                _ => {
                    let n = numbers.len();
                    let step = numbers[n - 1].0 - numbers[n - 2].0;
                    numbers.push((numbers[n - 1].0 + step, numbers[n - 1].1 + 1));
                    numbers.last().unwrap().1
                }
            };
            Brute { numbers, overflow }
        }

        fn encode(&self, magnitude: f64) -> u32 {
            let above = self.numbers.partition_point(|(value, _)| *value < magnitude);
            if above == self.numbers.len() {
                return self.overflow;
            }
            let (high, high_code) = self.numbers[above];
            let Some((low, low_code)) = above.checked_sub(1).map(|below| self.numbers[below]) else { return high_code };
            match (magnitude - low).total_cmp(&(high - magnitude)) {
                std::cmp::Ordering::Less => low_code,
                std::cmp::Ordering::Greater => high_code,
                std::cmp::Ordering::Equal => low_code + (low_code & 1),
            }
        }
    }

    #[test]
    fn rounding_is_to_the_nearest_code_and_ties_are_even() {
        for data_type in SMALL {
            let small = SmallFloat::of(data_type).unwrap();
            let brute = Brute::new(data_type);
            let check = |value: f32| {
                let expected = brute.encode(f64::from(value.abs()));
                let sign = u32::from(value.is_sign_negative()) << (data_type.bits() - 1);
                assert_eq!(small.encode(value), expected | sign, "{data_type} {value:e}");
            };
            for pair in brute.numbers.windows(2) {
                let (low, high) = (pair[0].0 as f32, pair[1].0 as f32);
                let middle = ((pair[0].0 + pair[1].0) / 2.0) as f32;
                for value in [low, middle, middle.next_up(), middle.next_down(), low.next_up(), high.next_down()] {
                    if value.is_finite() && value >= 0.0 {
                        check(value);
                        check(-value);
                    }
                }
            }
            for step in 0..200_000u32 {
                let value = f32::from_bits(step.wrapping_mul(0x9e37_79b1) & 0x7fff_ffff);
                if value.is_finite() {
                    check(value);
                }
            }
        }
    }

    #[test]
    fn what_lies_past_the_largest_value_is_the_types_own() {
        let inf = f32::INFINITY;
        assert_eq!(SmallFloat::F16.encode(65519.996), 0x7bff);
        assert_eq!(SmallFloat::F16.encode(65520.0), 0x7c00);
        assert_eq!(SmallFloat::F8_E5M2.encode(61439.0), 0x7b);
        assert_eq!(SmallFloat::F8_E5M2.encode(-61440.0), 0xfc);
        assert_eq!(SmallFloat::F8_E4M3.encode(464.0), 0x7e);
        assert_eq!(SmallFloat::F8_E4M3.encode(464.1), 0x7f);
        assert_eq!(SmallFloat::F8_E4M3.encode(-inf), 0xff);
        assert_eq!(SmallFloat::F4_E2M1.encode(1e9), 7);
        assert_eq!(SmallFloat::F4_E2M1.encode(-inf), 15);
        assert_eq!(SmallFloat::F4_E2M1.encode(f32::NAN), 7);
        assert_eq!(SmallFloat::F4_E3M0.decode(7), 16.0);
        assert_eq!(SmallFloat::F4_E3M0.encode(1e9), 7);
        assert_eq!(encode_e8m0(inf), 0xff);
        assert_eq!(encode_e8m0(-3.0), 128);
    }

    #[test]
    fn nan_stays_nan_and_keeps_what_payload_fits() {
        assert_eq!(SmallFloat::BF16.encode(f32::from_bits(0x7f80_0001)), 0x7fc0);
        assert_eq!(SmallFloat::BF16.encode(f32::from_bits(0xffab_cdef)), 0xffeb);
        assert_eq!(SmallFloat::F16.encode(f32::NAN), 0x7e00);
        assert_eq!(SmallFloat::F8_E4M3.encode(f32::NAN), 0x7f);
    }

    #[test]
    fn doubles_are_rounded_once() {
        // Just above the middle between 1 and the next f16; as an f32 it would be the middle.
        let value = 1.0 + f64::from(power_of_two(-11)) + f64::from(power_of_two(-40));
        assert_eq!(encode(DataType::F16, value), 0x3c01);
        assert_eq!(encode(DataType::F16, value - f64::from(power_of_two(-39))), 0x3c00);
        assert_eq!(encode(DataType::Bf16, 1e300), 0x7f80);
        assert_eq!(encode(DataType::F16, -1e-300), 0x8000);
    }

    #[test]
    fn integers_saturate_and_nan_is_zero() {
        for data_type in [DataType::S8, DataType::U8, DataType::S4, DataType::U4, DataType::S32, DataType::S64] {
            assert_eq!(encode(data_type, f64::NAN), 0, "{data_type}");
        }
        assert_eq!(encode(DataType::S32, 1e12), 0x7fff_ffff);
        assert_eq!(encode(DataType::U8, -3.0), 0);
        assert_eq!(encode(DataType::U8, 2.5), 2);
        assert_eq!(encode(DataType::S8, 3.5), 4);
        assert_eq!(encode(DataType::S4, -100.0), 8);
        assert_eq!(encode(DataType::U4, 15.6), 15);
    }

    #[test]
    fn rounding_agrees_with_the_instruction() {
        for step in 0..1_000_000u32 {
            let value = f32::from_bits(step.wrapping_mul(0x9e37_79b1));
            if !value.is_nan() {
                assert_eq!(round_even(value).to_bits(), value.round_ties_even().to_bits(), "{value:e}");
            }
        }
        for half in -9..9 {
            let value = half as f32 + 0.5;
            assert_eq!(round_even(value), value.round_ties_even());
        }
    }
}
