//! What operators mean: for one value, and for all lanes at once.
//!
//! The meaning is written once, for one value, as a function of the operator. The functions for lanes name each operator
//! as a constant, so that the compiler makes a loop of its own of each.

use super::registers::{Arg, Lane};
use crate::program::{BinaryOp, ReduceOp, UnaryOp};

/// A value type with the operators it has. Asking for another is a mistake in the program and panics.
pub trait Number: Lane {
    /// A function of one value that gives the same type.
    fn unary(op: UnaryOp, x: Self) -> Self;
    /// A function of two values that gives the same type.
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self;
    /// A comparison.
    fn compare(op: BinaryOp, a: Self, b: Self) -> bool;
    /// What a reduction starts from.
    fn identity(op: ReduceOp) -> Self;
}

fn no_such(op: impl std::fmt::Debug, of: &str) -> ! {
    panic!("{op:?} of {of}")
}

macro_rules! compare {
    () => {
        #[inline(always)]
        fn compare(op: BinaryOp, a: Self, b: Self) -> bool {
            match op {
                BinaryOp::Lt => a < b,
                BinaryOp::Le => a <= b,
                BinaryOp::Eq => a == b,
                BinaryOp::Ne => a != b,
                _ => no_such(op, "two values is no comparison"),
            }
        }
    };
}

macro_rules! float {
    ($ty:ident, erfc: $erfc:path, rint: $rint:path) => {
        impl Number for $ty {
            #[inline(always)]
            fn unary(op: UnaryOp, x: $ty) -> $ty {
                match op {
                    UnaryOp::Neg => -x,
                    UnaryOp::Abs => x.abs(),
                    UnaryOp::Sqrt => x.sqrt(),
                    UnaryOp::Exp => x.exp(),
                    UnaryOp::Expm1 => x.exp_m1(),
                    UnaryOp::Log => x.ln(),
                    UnaryOp::Log1p => x.ln_1p(),
                    UnaryOp::Tanh => x.tanh(),
                    UnaryOp::Phi => 0.5 * $erfc(-x * std::$ty::consts::FRAC_1_SQRT_2),
                    UnaryOp::Rint => $rint(x),
                    UnaryOp::Floor => x.floor(),
                    UnaryOp::Nearly(_) => x,
                    _ => no_such(op, "a float"),
                }
            }

            #[inline(always)]
            fn binary(op: BinaryOp, a: $ty, b: $ty) -> $ty {
                match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a * b,
                    BinaryOp::Div => a / b,
                    BinaryOp::Rem => a % b,
                    BinaryOp::Min => a.min(b),
                    BinaryOp::Max => a.max(b),
                    BinaryOp::Pow => a.powf(b),
                    _ => no_such(op, "floats"),
                }
            }

            compare!();

            fn identity(op: ReduceOp) -> $ty {
                match op {
                    ReduceOp::Sum => 0.0,
                    ReduceOp::Prod => 1.0,
                    ReduceOp::Min => $ty::INFINITY,
                    ReduceOp::Max => $ty::NEG_INFINITY,
                }
            }
        }
    };
}

float!(f32, erfc: libm::erfcf, rint: crate::codegen::float::round_even);
float!(f64, erfc: libm::erfc, rint: f64::round_ties_even);

macro_rules! integer {
    ($ty:ident, $unsigned:ident) => {
        impl Number for $ty {
            #[inline(always)]
            fn unary(op: UnaryOp, x: $ty) -> $ty {
                match op {
                    UnaryOp::Neg => x.wrapping_neg(),
                    UnaryOp::Abs => x.wrapping_abs(),
                    UnaryOp::Not => !x,
                    UnaryOp::Rint | UnaryOp::Floor => x,
                    _ => no_such(op, "an integer"),
                }
            }

            #[inline(always)]
            fn binary(op: BinaryOp, a: $ty, b: $ty) -> $ty {
                match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Sub => a.wrapping_sub(b),
                    BinaryOp::Mul => a.wrapping_mul(b),
                    BinaryOp::Div if b == 0 => 0,
                    BinaryOp::Div => a.wrapping_div(b),
                    BinaryOp::Rem if b == 0 => 0,
                    BinaryOp::Rem => a.wrapping_rem(b),
                    BinaryOp::Min => a.min(b),
                    BinaryOp::Max => a.max(b),
                    BinaryOp::Pow => a.wrapping_pow(b as u32),
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl => a.wrapping_shl(b as u32),
                    BinaryOp::Shr => (a as $unsigned).wrapping_shr(b as u32) as $ty,
                    _ => no_such(op, "integers"),
                }
            }

            compare!();

            fn identity(op: ReduceOp) -> $ty {
                match op {
                    ReduceOp::Sum => 0,
                    ReduceOp::Prod => 1,
                    ReduceOp::Min => $ty::MAX,
                    ReduceOp::Max => $ty::MIN,
                }
            }
        }
    };
}

integer!(i32, u32);
integer!(i64, u64);

impl Number for bool {
    #[inline(always)]
    fn unary(op: UnaryOp, x: bool) -> bool {
        match op {
            UnaryOp::Not => !x,
            _ => no_such(op, "a condition"),
        }
    }

    #[inline(always)]
    fn binary(op: BinaryOp, a: bool, b: bool) -> bool {
        match op {
            BinaryOp::And | BinaryOp::Mul | BinaryOp::Min => a & b,
            BinaryOp::Or | BinaryOp::Add | BinaryOp::Max => a | b,
            BinaryOp::Xor => a ^ b,
            _ => no_such(op, "conditions"),
        }
    }

    compare!();

    fn identity(op: ReduceOp) -> bool {
        matches!(op, ReduceOp::Prod | ReduceOp::Min)
    }
}

/// The operator that combines two values of a reduction.
pub fn combiner(op: ReduceOp) -> BinaryOp {
    match op {
        ReduceOp::Sum => BinaryOp::Add,
        ReduceOp::Prod => BinaryOp::Mul,
        ReduceOp::Min => BinaryOp::Min,
        ReduceOp::Max => BinaryOp::Max,
    }
}

/// `out[i] = f(x[i])`.
#[inline(always)]
pub fn map<T: Copy, R>(out: &mut [R], x: &[T], f: impl Fn(T) -> R) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = f(x);
    }
}

/// `out[i] = f(a[i], b[i])`.
#[inline(always)]
fn zip<T: Copy, R>(out: &mut [R], a: Arg<'_, T>, b: Arg<'_, T>, f: impl Fn(T, T) -> R) {
    match (a, b) {
        (Arg::Lanes(a), Arg::Lanes(b)) => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(a, b);
            }
        }
        (Arg::Lanes(a), Arg::Uniform(b)) => map(out, a, |a| f(a, b)),
        (Arg::Uniform(a), Arg::Lanes(b)) => map(out, b, |b| f(a, b)),
        (Arg::Uniform(a), Arg::Uniform(b)) => out.iter_mut().for_each(|out| *out = f(a, b)),
    }
}

/// Makes a loop for each operator named.
macro_rules! a_loop_each {
    ($enum:ident, $op:expr, [$($variant:ident)+], $op_name:ident => $loop:expr) => {
        match $op {
            $($enum::$variant => {
                const $op_name: $enum = $enum::$variant;
                $loop
            })+
            op => no_such(op, "lanes"),
        }
    };
}

/// A function of one value for all lanes.
pub fn unary_lanes<T: Number>(op: UnaryOp, out: &mut [T], x: &[T]) {
    a_loop_each!(UnaryOp, op, [Neg Abs Sqrt Exp Expm1 Log Log1p Tanh Phi Rint Floor Not],
        OP => map(out, x, |x| T::unary(OP, x)));
}

/// A function of two values for all lanes.
pub fn binary_lanes<T: Number>(op: BinaryOp, out: &mut [T], a: Arg<'_, T>, b: Arg<'_, T>) {
    a_loop_each!(BinaryOp, op, [Add Sub Mul Div Rem Min Max Pow And Or Xor Shl Shr],
        OP => zip(out, a, b, |a, b| T::binary(OP, a, b)));
}

/// A comparison for all lanes.
pub fn compare_lanes<T: Number>(op: BinaryOp, out: &mut [bool], a: Arg<'_, T>, b: Arg<'_, T>) {
    a_loop_each!(BinaryOp, op, [Lt Le Eq Ne], OP => zip(out, a, b, |a, b| T::compare(OP, a, b)));
}

/// Quotients or remainders by one power of two, for all lanes; the rest is for [`binary_lanes`].
pub fn divide_lanes(op: BinaryOp, out: &mut [i64], a: &[i64], b: i64) -> bool {
    // Towards zero and by shift is the same where no index is negative.
    let fits = b > 0 && b & (b - 1) == 0 && a.iter().fold(0, |all, &a| all | a) >= 0;
    if fits {
        match op {
            BinaryOp::Div => map(out, a, |a| a >> b.trailing_zeros()),
            _ => map(out, a, |a| a & (b - 1)),
        }
    }
    fits
}

/// `if c[i] { a[i] } else { b[i] }`.
pub fn select_lanes<T: Lane>(out: &mut [T], c: Arg<'_, bool>, a: Arg<'_, T>, b: Arg<'_, T>) {
    let c = match c {
        Arg::Lanes(c) => c,
        Arg::Uniform(c) => {
            return match if c { a } else { b } {
                Arg::Lanes(x) => out.copy_from_slice(x),
                Arg::Uniform(x) => out.fill(x),
            };
        }
    };
    let pairs = out.iter_mut().zip(c);
    match (a, b) {
        (Arg::Lanes(a), Arg::Lanes(b)) => {
            pairs.zip(a.iter().zip(b)).for_each(|((out, &c), (&a, &b))| *out = if c { a } else { b });
        }
        (Arg::Lanes(a), Arg::Uniform(b)) => {
            pairs.zip(a).for_each(|((out, &c), &a)| *out = if c { a } else { b });
        }
        (Arg::Uniform(a), Arg::Lanes(b)) => {
            pairs.zip(b).for_each(|((out, &c), &b)| *out = if c { a } else { b });
        }
        (Arg::Uniform(a), Arg::Uniform(b)) => pairs.for_each(|(out, &c)| *out = if c { a } else { b }),
    }
}

/// `acc[i] = combine(acc[i], x[i])`.
pub fn accumulate_lanes<T: Number>(op: ReduceOp, acc: &mut [T], x: Arg<'_, T>) {
    a_loop_each!(BinaryOp, combiner(op), [Add Mul Min Max], OP => match x {
        Arg::Lanes(x) => acc.iter_mut().zip(x).for_each(|(acc, &x)| *acc = T::binary(OP, *acc, x)),
        Arg::Uniform(x) => acc.iter_mut().for_each(|acc| *acc = T::binary(OP, *acc, x)),
    });
}

/// `acc[i] += a[i] * b[i]`, rounded twice.
pub fn multiply_add_lanes<T: Number>(acc: &mut [T], a: Arg<'_, T>, b: Arg<'_, T>) {
    let step = |acc: T, a: T, b: T| T::binary(BinaryOp::Add, acc, T::binary(BinaryOp::Mul, a, b));
    match (a, b) {
        (Arg::Lanes(a), Arg::Lanes(b)) => {
            acc.iter_mut().zip(a.iter().zip(b)).for_each(|(acc, (&a, &b))| *acc = step(*acc, a, b));
        }
        (Arg::Lanes(x), Arg::Uniform(y)) | (Arg::Uniform(y), Arg::Lanes(x)) => {
            acc.iter_mut().zip(x).for_each(|(acc, &x)| *acc = step(*acc, x, y));
        }
        (Arg::Uniform(a), Arg::Uniform(b)) => acc.iter_mut().for_each(|acc| *acc = step(*acc, a, b)),
    }
}

/// Combines all lanes, of which there are a power of two, in halves.
pub fn fold_lanes<T: Number>(op: ReduceOp, lanes: &mut [T]) -> T {
    let mut len = lanes.len();
    while len > 1 {
        len /= 2;
        let (low, high) = lanes.split_at_mut(len);
        accumulate_lanes(op, low, Arg::Lanes(&high[..len]));
    }
    lanes[0]
}

/// The words of Philox4x32-10.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let wide = u64::from(a) * u64::from(b);
        ((wide >> 32) as u32, wide as u32)
    };
    for _ in 0..10 {
        let (high0, low0) = product(0xd251_1f53, counter[0]);
        let (high1, low1) = product(0xcd9e_8d57, counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}
