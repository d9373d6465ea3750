//! Data types and their exact conversions to and from `f64`, written from the format definitions (IEEE 754, OCP FP8, OCP MX).
//!
//! An element is handled as its bits in a `u64`. Every type but e8m0 rounds to nearest, ties to even; e8m0 drops the
//! mantissa, as oneDNN defines it. Floating types overflow to infinity (NaN where there is none), 4-bit ones and integers saturate.

use DataType::*;

/// How one element is stored; discriminants are the C API's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum DataType {
    F16 = 1,
    Bf16 = 2,
    F32 = 3,
    S32 = 4,
    S8 = 5,
    U8 = 6,
    F64 = 7,
    F8E5m2 = 9,
    F8E4m3 = 10,
    S4 = 11,
    U4 = 12,
    E8m0 = 13,
    F4E2m1 = 14,
    F4E3m0 = 15,
    S64 = 16,
}

/// Two to this power, exactly.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// What a floating type does with a value too large for it.
#[derive(Clone, Copy, PartialEq)]
enum Overflow {
    Infinity,
    Nan,
    Saturate,
}

/// Sign, exponent and mantissa of a small floating type.
struct Float {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    overflow: Overflow,
}

impl Float {
    fn decode(&self, bits: u64) -> f64 {
        let sign = if bits >> (self.exponent + self.mantissa) & 1 == 1 { -1.0 } else { 1.0 };
        let exponent = (bits >> self.mantissa) & ((1 << self.exponent) - 1);
        let mantissa = bits & ((1 << self.mantissa) - 1);
        let top = exponent == (1 << self.exponent) - 1;
        match self.overflow {
            Overflow::Infinity if top => return if mantissa == 0 { sign * f64::INFINITY } else { f64::NAN },
            Overflow::Nan if top && mantissa == (1 << self.mantissa) - 1 => return f64::NAN,
            _ => {}
        }
        let unit = power(self.mantissa as i32);
        let magnitude = if exponent == 0 {
            mantissa as f64 / unit * power(1 - self.bias)
        } else {
            (1.0 + mantissa as f64 / unit) * power(exponent as i32 - self.bias)
        };
        sign * magnitude
    }

    /// The largest finite magnitude's bits.
    fn largest(&self) -> u64 {
        let all = (1 << (self.exponent + self.mantissa)) - 1;
        match self.overflow {
            Overflow::Infinity => (((1 << self.exponent) - 1) << self.mantissa) - 1,
            Overflow::Nan => all - 1,
            Overflow::Saturate => all,
        }
    }

    fn encode(&self, value: f64) -> u64 {
        let sign = u64::from(value.is_sign_negative()) << (self.exponent + self.mantissa);
        let beyond = match self.overflow {
            Overflow::Infinity => self.largest() + 1,
            Overflow::Nan => self.largest() + 1,
            Overflow::Saturate => self.largest(),
        };
        if value.is_nan() {
            return match self.overflow {
                Overflow::Infinity => sign | (((1 << self.exponent) - 1) << self.mantissa) | (1 << (self.mantissa - 1)),
                _ => sign | beyond,
            };
        }
        let magnitude = value.abs();
        // Magnitudes are ordered like their bits, so the nearest lies beside the largest that is not above the value.
        let (mut low, mut high) = (0, self.largest() + 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.decode(middle) <= magnitude { low = middle } else { high = middle }
        }
        if low < self.largest() {
            let (below, above) = (self.decode(low), self.decode(low + 1));
            let middle = (below + above) / 2.0;
            return sign | if magnitude > middle || (magnitude == middle && low & 1 == 1) { low + 1 } else { low };
        }
        let top = self.decode(low);
        let half_step = (top - self.decode(low - 1)) / 2.0;
        let tie_goes_up = low & 1 == 1;
        let over = magnitude > top + half_step || (magnitude == top + half_step && tie_goes_up);
        sign | if over { beyond } else { low }
    }
}

impl DataType {
    /// Every type a tensor of the primitives under test may have.
    pub const ALL: [DataType; 14] = [F64, F32, F16, Bf16, F8E5m2, F8E4m3, E8m0, F4E2m1, F4E3m0, S32, S8, U8, S4, U4];

    /// The API's name.
    pub fn name(self) -> &'static str {
        match self {
            F16 => "f16",
            Bf16 => "bf16",
            F32 => "f32",
            S32 => "s32",
            S8 => "s8",
            U8 => "u8",
            F64 => "f64",
            F8E5m2 => "f8_e5m2",
            F8E4m3 => "f8_e4m3",
            S4 => "s4",
            U4 => "u4",
            E8m0 => "e8m0",
            F4E2m1 => "f4_e2m1",
            F4E3m0 => "f4_e3m0",
            S64 => "s64",
        }
    }

    /// Bits of one element.
    pub fn bits(self) -> u32 {
        match self {
            S4 | U4 | F4E2m1 | F4E3m0 => 4,
            S8 | U8 | F8E5m2 | F8E4m3 | E8m0 => 8,
            F16 | Bf16 => 16,
            F32 | S32 => 32,
            F64 | S64 => 64,
        }
    }

    /// Whether two elements share a byte.
    pub fn is_sub_byte(self) -> bool {
        self.bits() == 4
    }

    /// Bytes that hold this many elements.
    pub fn bytes(self, elements: usize) -> usize {
        (elements * self.bits() as usize).div_ceil(8)
    }

    /// Least and greatest value of an integer type.
    pub fn integer_range(self) -> Option<(f64, f64)> {
        match self {
            S32 => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
            S8 => Some((-128.0, 127.0)),
            U8 => Some((0.0, 255.0)),
            S4 => Some((-8.0, 7.0)),
            U4 => Some((0.0, 15.0)),
            S64 => Some((i64::MIN as f64, i64::MAX as f64)),
            _ => None,
        }
    }

    /// Whether it holds whole numbers.
    pub fn is_integer(self) -> bool {
        self.integer_range().is_some()
    }

    fn float(self) -> Option<Float> {
        let float = |exponent, mantissa, bias, overflow| Some(Float { exponent, mantissa, bias, overflow });
        match self {
            F16 => float(5, 10, 15, Overflow::Infinity),
            Bf16 => float(8, 7, 127, Overflow::Infinity),
            F8E5m2 => float(5, 2, 15, Overflow::Infinity),
            F8E4m3 => float(4, 3, 7, Overflow::Nan),
            F4E2m1 => float(2, 1, 1, Overflow::Saturate),
            F4E3m0 => float(3, 0, 3, Overflow::Saturate),
            _ => None,
        }
    }

    /// The value of an element's bits.
    pub fn decode(self, bits: u64) -> f64 {
        match self {
            F64 => f64::from_bits(bits),
            F32 => f64::from(f32::from_bits(bits as u32)),
            S32 => f64::from(bits as u32 as i32),
            S8 => f64::from(bits as u8 as i8),
            U8 => f64::from(bits as u8),
            S4 => f64::from(((bits as u8) << 4) as i8 >> 4),
            U4 => f64::from(bits as u8 & 15),
            S64 => bits as i64 as f64,
            E8m0 if bits == 255 => f64::NAN,
            E8m0 => power(bits as i32 - 127),
            _ => self.float().expect("a floating type").decode(bits),
        }
    }

    /// The bits of the element nearest to a value.
    pub fn encode(self, value: f64) -> u64 {
        if let Some((low, high)) = self.integer_range() {
            let whole = value.clamp(low, high).round_ties_even() as i64;
            return whole as u64 & (u64::MAX >> (64 - self.bits()));
        }
        match self {
            F64 => value.to_bits(),
            F32 => u64::from((value as f32).to_bits()),
            E8m0 => u64::from((value as f32).to_bits() >> 23 & 255),
            _ => self.float().expect("a floating type").encode(value),
        }
    }

    /// The nearest value the type holds.
    pub fn round(self, value: f64) -> f64 {
        self.decode(self.encode(value))
    }

    /// The largest finite value.
    pub fn largest(self) -> f64 {
        match self {
            F64 => f64::MAX,
            F32 => f64::from(f32::MAX),
            E8m0 => power(127),
            _ => match self.integer_range() {
                Some((_, high)) => high,
                None => {
                    let float = self.float().expect("a floating type");
                    float.decode(float.largest())
                }
            },
        }
    }

    /// The distance from a value's element to the further one of its neighbours.
    pub fn spacing(self, value: f64) -> f64 {
        let bits = self.encode(value);
        let distance =
            |steps| self.step(bits, steps).map_or(0.0, |other| (self.decode(other) - self.decode(bits)).abs());
        f64::max(distance(1), distance(-1))
    }

    /// The element `steps` representable values away (for proving that comparisons notice), or `None` past the end.
    pub fn step(self, bits: u64, steps: i64) -> Option<u64> {
        let value = self.decode(bits);
        if !value.is_finite() {
            return None;
        }
        let moved = match self {
            F64 => f64::from_bits((value.to_bits() as i64 + if value < 0.0 { -steps } else { steps }) as u64),
            F32 => {
                let bits = (value as f32).to_bits() as i64 + if value < 0.0 { -steps } else { steps };
                f64::from(f32::from_bits(u32::try_from(bits).ok()?))
            }
            _ if self.is_integer() => value + steps as f64,
            _ => {
                let top = 1u64 << (self.bits() - 1);
                let unsigned = self == E8m0;
                let magnitude = if unsigned { bits } else { bits & (top - 1) } as i64;
                let moved = magnitude + if !unsigned && bits & top != 0 { -steps } else { steps };
                if moved < 0 || moved as u64 >= if unsigned { 255 } else { top } {
                    return None;
                }
                self.decode(if unsigned { 0 } else { bits & top } | moved as u64)
            }
        };
        let encoded = self.encode(moved);
        (moved.is_finite() && self.decode(encoded) == moved && moved != value).then_some(encoded)
    }
}

impl std::fmt::Display for DataType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_small_type_survives_the_round_trip() {
        for dt in DataType::ALL.into_iter().filter(|dt| dt.bits() <= 16) {
            for bits in 0..1u64 << dt.bits() {
                let value = dt.decode(bits);
                if !value.is_nan() {
                    assert_eq!(dt.encode(value), bits, "{dt} {bits:#x} {value}");
                } else {
                    assert!(dt == E8m0 || dt.decode(dt.encode(value)).is_nan(), "{dt} {bits:#x}");
                }
            }
        }
    }

    #[test]
    fn known_values_of_the_formats() {
        assert_eq!(F16.decode(0x7bff), 65504.0);
        assert_eq!(F16.decode(1), 2f64.powi(-24));
        assert_eq!(Bf16.decode(0x3f80), 1.0);
        assert_eq!(F8E5m2.decode(0x7b), 57344.0);
        assert_eq!(F8E4m3.decode(0x7e), 448.0);
        assert!(F8E4m3.decode(0x7f).is_nan());
        assert_eq!(F4E2m1.decode(7), 6.0);
        assert_eq!(F4E2m1.decode(0xf), -6.0);
        assert_eq!((0..8).map(|b| F4E3m0.decode(b)).collect::<Vec<_>>(), [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(E8m0.decode(0), 2f64.powi(-127));
        assert_eq!(E8m0.decode(127), 1.0);
        assert_eq!(S4.decode(8), -8.0);
    }

    #[test]
    fn rounding_is_to_nearest_even_with_the_types_own_overflow() {
        assert_eq!(F16.encode(65519.9), 0x7bff);
        assert_eq!(F16.encode(65520.0), 0x7c00);
        assert_eq!(F16.round(2049.0), 2048.0);
        assert_eq!(F16.round(2051.0), 2052.0);
        assert_eq!(F8E4m3.round(464.0), 448.0);
        assert!(F8E4m3.round(464.1).is_nan());
        assert_eq!(F8E5m2.round(61440.0), f64::INFINITY);
        assert_eq!(F4E2m1.round(100.0), 6.0);
        assert_eq!(F4E2m1.round(2.5), 2.0);
        assert_eq!(F4E2m1.round(-5.0), -4.0);
        assert_eq!(S8.round(2.5), 2.0);
        assert_eq!(S8.round(3.5), 4.0);
        assert_eq!(S8.round(-1e9), -128.0);
        assert_eq!(U8.round(-3.0), 0.0);
        assert_eq!(E8m0.round(3.9), 2.0);
        assert_eq!(F32.encode(1e39), u64::from(f32::INFINITY.to_bits()));
    }

    #[test]
    fn a_step_moves_to_the_neighbour() {
        assert_eq!(F32.step(F32.encode(1.0), 1), Some(0x3f80_0001));
        assert_eq!(F16.step(F16.encode(-1.0), 1).map(|b| F16.decode(b)), Some(-1.0 + 2f64.powi(-11)));
        assert_eq!(S8.step(S8.encode(127.0), 1), None);
        assert_eq!(U8.step(U8.encode(3.0), -3), Some(0));
    }
}
