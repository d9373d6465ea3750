//! Where values live while a stage runs: for each value type a bank of single values and a bank of lane arrays.

use crate::codegen::float::{narrow, round_even};
use crate::desc::DataType;
use crate::program::Ty;

/// Points of the lane axis that are computed together.
pub const LANES: usize = 256;

/// Where a value lives: the slot of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// One value for all lanes.
    Uniform(usize),
    /// A value for each lane.
    Lanes(usize),
}

impl Place {
    /// The slot of a value that is the same in all lanes.
    pub fn uniform(self) -> usize {
        match self {
            Place::Uniform(slot) => slot,
            Place::Lanes(_) => panic!("a value that differs between lanes where one value is needed"),
        }
    }
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a, T> {
    /// The same for all lanes.
    Uniform(T),
    /// A value for each lane.
    Lanes(&'a [T]),
}

impl<T: Copy> Arg<'_, T> {
    /// The value of one lane.
    #[inline(always)]
    pub fn at(&self, lane: usize) -> T {
        match self {
            Arg::Uniform(value) => *value,
            Arg::Lanes(values) => values[lane],
        }
    }
}

/// The values of one type.
#[derive(Clone, Debug, Default)]
pub struct Bank<T> {
    pub uniform: Vec<T>,
    pub lanes: Vec<Vec<T>>,
}

impl<T: Lane> Bank<T> {
    /// A new slot.
    pub fn add(&mut self, lanes: bool) -> Place {
        if lanes {
            self.lanes.push(vec![T::default(); LANES]);
            Place::Lanes(self.lanes.len() - 1)
        } else {
            self.uniform.push(T::default());
            Place::Uniform(self.uniform.len() - 1)
        }
    }
}

/// All values of a running stage.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    pub bool: Bank<bool>,
    pub index: Bank<i64>,
    pub s32: Bank<i32>,
    pub f32: Bank<f32>,
    pub f64: Bank<f64>,
}

impl Registers {
    /// A new slot for a value of a type.
    pub fn add(&mut self, ty: Ty, lanes: bool) -> Place {
        match ty {
            Ty::Bool => self.bool.add(lanes),
            Ty::Index => self.index.add(lanes),
            Ty::S32 => self.s32.add(lanes),
            Ty::F32 => self.f32.add(lanes),
            Ty::F64 => self.f64.add(lanes),
        }
    }

    /// The operand at a place, of `n` lanes.
    #[inline(always)]
    pub fn arg<T: Lane>(&self, place: Place, n: usize) -> Arg<'_, T> {
        let bank = T::bank(self);
        match place {
            Place::Uniform(slot) => Arg::Uniform(bank.uniform[slot]),
            Place::Lanes(slot) => Arg::Lanes(&bank.lanes[slot][..n]),
        }
    }

    /// The value at a place that is the same in all lanes.
    #[inline(always)]
    pub fn get<T: Lane>(&self, slot: usize) -> T {
        T::bank(self).uniform[slot]
    }

    /// Changes the value of a slot that is the same in all lanes.
    #[inline(always)]
    pub fn set<T: Lane>(&mut self, slot: usize, value: T) {
        T::bank_mut(self).uniform[slot] = value;
    }

    /// Lets `write` fill `n` lanes of a slot; it must not read that slot.
    #[inline(always)]
    pub fn fill<T: Lane>(&mut self, slot: usize, n: usize, write: impl FnOnce(&Registers, &mut [T])) {
        let mut lanes = std::mem::take(&mut T::bank_mut(self).lanes[slot]);
        write(self, &mut lanes[..n]);
        T::bank_mut(self).lanes[slot] = lanes;
    }
}

/// A value type, as Rust has it.
pub trait Lane: Copy + Default + std::fmt::Debug + PartialEq + 'static {
    /// Its bank.
    fn bank(registers: &Registers) -> &Bank<Self>;
    /// Its bank.
    fn bank_mut(registers: &mut Registers) -> &mut Bank<Self>;

    /// The type that stores this very representation.
    const NATIVE: DataType;
    /// Lanes as bytes of [`NATIVE`](Lane::NATIVE), unless they are conditions.
    fn bytes_mut(lanes: &mut [Self]) -> Option<&mut [u8]>;
    /// Lanes as bytes of [`NATIVE`](Lane::NATIVE), unless they are conditions.
    fn bytes(lanes: &[Self]) -> Option<&[u8]>;

    /// Converts, truncating and saturating where this type is an integer.
    fn from_f32(value: f32) -> Self;
    /// Converts, truncating and saturating where this type is an integer.
    fn from_f64(value: f64) -> Self;
    /// Converts.
    fn from_i32(value: i32) -> Self;
    /// Converts; wraps.
    fn from_i64(value: i64) -> Self;
    /// Converts as `to` converts from this type.
    fn to<U: Lane>(self) -> U;

    /// An f32 that rounds to narrower types as this value does.
    fn narrow(self) -> f32;
    /// The nearest integer, saturated; of two equally near the even one; NaN gives 0.
    fn round_i32(self) -> i32;
    /// The nearest integer, saturated; of two equally near the even one; NaN gives 0.
    fn round_i64(self) -> i64;
}

macro_rules! lane {
    ($ty:ident, $bank:ident, $native:ident, $from:ident, narrow: $narrow:expr, i32: $i32:expr, i64: $i64:expr) => {
        impl Lane for $ty {
            #[inline(always)]
            fn bank(registers: &Registers) -> &Bank<$ty> {
                &registers.$bank
            }
            #[inline(always)]
            fn bank_mut(registers: &mut Registers) -> &mut Bank<$ty> {
                &mut registers.$bank
            }

            const NATIVE: DataType = DataType::$native;
            fn bytes_mut(lanes: &mut [$ty]) -> Option<&mut [u8]> {
                Some(bytemuck::cast_slice_mut(lanes))
            }
            fn bytes(lanes: &[$ty]) -> Option<&[u8]> {
                Some(bytemuck::cast_slice(lanes))
            }

            #[inline(always)]
            fn from_f32(value: f32) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn from_f64(value: f64) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn from_i32(value: i32) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn from_i64(value: i64) -> $ty {
                value as $ty
            }
            #[inline(always)]
            fn to<U: Lane>(self) -> U {
                U::$from(self)
            }

            #[inline(always)]
            fn narrow(self) -> f32 {
                $narrow(self)
            }
            #[inline(always)]
            fn round_i32(self) -> i32 {
                $i32(self)
            }
            #[inline(always)]
            fn round_i64(self) -> i64 {
                $i64(self)
            }
        }
    };
}

lane!(f32, f32, F32, from_f32, narrow: |x| x, i32: |x| round_even(x) as i32, i64: |x| round_even(x) as i64);
lane!(f64, f64, F64, from_f64, narrow: narrow, i32: |x: f64| x.round_ties_even() as i32,
    i64: |x: f64| x.round_ties_even() as i64);
lane!(i32, s32, S32, from_i32, narrow: |x| narrow(f64::from(x)), i32: |x| x, i64: i64::from);
lane!(i64, index, S64, from_i64, narrow: |x| narrow(x as f64),
    i32: |x: i64| x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32, i64: |x| x);

impl Lane for bool {
    fn bank(registers: &Registers) -> &Bank<bool> {
        &registers.bool
    }
    fn bank_mut(registers: &mut Registers) -> &mut Bank<bool> {
        &mut registers.bool
    }

    const NATIVE: DataType = DataType::Boolean;
    fn bytes_mut(_: &mut [bool]) -> Option<&mut [u8]> {
        None
    }
    fn bytes(_: &[bool]) -> Option<&[u8]> {
        None
    }

    fn from_f32(value: f32) -> bool {
        value != 0.0
    }
    fn from_f64(value: f64) -> bool {
        value != 0.0
    }
    fn from_i32(value: i32) -> bool {
        value != 0
    }
    fn from_i64(value: i64) -> bool {
        value != 0
    }
    fn to<U: Lane>(self) -> U {
        U::from_i32(i32::from(self))
    }

    fn narrow(self) -> f32 {
        f32::from(self)
    }
    fn round_i32(self) -> i32 {
        i32::from(self)
    }
    fn round_i64(self) -> i64 {
        i64::from(self)
    }
}

/// Runs a generic function for the Rust type of a [`Ty`].
macro_rules! for_type {
    ($ty:expr, $T:ident => $body:expr) => {
        match $ty {
            Ty::Bool => {
                type $T = bool;
                $body
            }
            Ty::Index => {
                type $T = i64;
                $body
            }
            Ty::S32 => {
                type $T = i32;
                $body
            }
            Ty::F32 => {
                type $T = f32;
                $body
            }
            Ty::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(super) use for_type;
