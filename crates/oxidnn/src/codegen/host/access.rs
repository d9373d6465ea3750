//! Elements of a memory to lanes and back.
//!
//! Between the two are codes: elements as they are stored, packed one after the other, except that a 4-bit element has a
//! byte of its own. An offset that is negative or past the end panics, here or in the memory.

use super::registers::{Arg, LANES, Lane};
use crate::codegen::float::{SmallFloat, decode_e8m0, decode_s4, encode_e8m0};
use crate::desc::DataType;
use crate::runtime::cpu::HostMemory;

/// Room for the codes of all lanes of any type.
#[derive(Clone, Debug)]
pub struct Codes(Vec<u64>);

impl Codes {
    /// Room for [`LANES`] codes.
    pub fn new() -> Codes {
        Codes(vec![0; LANES])
    }

    fn bytes(&mut self, count: usize) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.0)[..count]
    }

    /// Values as they would come back after being stored.
    pub fn quantize<T: Lane>(&mut self, data_type: DataType, values: Arg<'_, T>, out: &mut [T]) {
        let codes = self.bytes(out.len() * width(data_type));
        encode(data_type, values, codes);
        decode(data_type, codes, out);
    }
}

/// Bytes of one code.
fn width(data_type: DataType) -> usize {
    data_type.bits().max(8) as usize / 8
}

fn byte_offset(element: i64, width: usize) -> usize {
    usize::try_from(element)
        .ok()
        .and_then(|element| element.checked_mul(width))
        .unwrap_or_else(|| panic!("element {element} is outside of its memory"))
}

/// Reads elements `first`, `first + stride`, … into `out`.
pub fn load<T: Lane>(
    memory: &dyn HostMemory,
    data_type: DataType,
    first: i64,
    stride: i64,
    out: &mut [T],
    codes: &mut Codes,
) {
    if stride == 0 && out.len() > 1 {
        load(memory, data_type, first, 1, &mut out[..1], codes);
        let value = out[0];
        out.fill(value);
    } else if data_type == T::NATIVE
        && let Some(bytes) = T::bytes_mut(out)
    {
        read_codes(memory, data_type, first, stride, bytes);
    } else {
        let codes = codes.bytes(out.len() * width(data_type));
        read_codes(memory, data_type, first, stride, codes);
        decode(data_type, codes, out);
    }
}

fn read_codes(memory: &dyn HostMemory, data_type: DataType, first: i64, stride: i64, codes: &mut [u8]) {
    if data_type.is_sub_byte() {
        return read_nibbles(memory, first, stride, codes);
    }
    let width = width(data_type);
    let offset = byte_offset(first, width);
    if stride == 1 || codes.len() == width {
        memory.read(offset, codes);
    } else {
        memory.gather(offset, stride as isize * width as isize, width, codes);
    }
}

fn read_nibbles(memory: &dyn HostMemory, first: i64, stride: i64, codes: &mut [u8]) {
    let nibble = |byte: u8, element: i64| byte >> (4 * (element & 1)) & 15;
    if stride == 1 {
        let mut bytes = [0; LANES / 2 + 1];
        let (start, end) = (first >> 1, (first + codes.len() as i64 + 1) >> 1);
        let bytes = &mut bytes[..(end - start) as usize];
        memory.read(byte_offset(start, 1), bytes);
        for (element, code) in (first..).zip(codes) {
            *code = nibble(bytes[((element >> 1) - start) as usize], element);
        }
    } else {
        for (i, code) in codes.iter_mut().enumerate() {
            let element = first + stride * i as i64;
            let mut byte = [0];
            memory.read(byte_offset(element >> 1, 1), &mut byte);
            *code = nibble(byte[0], element);
        }
    }
}

/// Where elements are stored.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// From an element on, with a stride.
    Strided(i64, i64),
    /// At any offsets.
    Scattered(&'a [i64]),
}

/// Writes `count` elements.
pub fn store<T: Lane>(
    memory: &dyn HostMemory,
    data_type: DataType,
    elements: Elements<'_>,
    values: Arg<'_, T>,
    count: usize,
    codes: &mut Codes,
) {
    let native = match values {
        Arg::Lanes(lanes) if data_type == T::NATIVE => T::bytes(&lanes[..count]),
        _ => None,
    };
    let codes = match native {
        Some(bytes) => bytes,
        None => {
            let codes = codes.bytes(count * width(data_type));
            encode(data_type, values, codes);
            codes
        }
    };
    match elements {
        Elements::Strided(first, stride) => write_codes(memory, data_type, first, stride, codes),
        Elements::Scattered(offsets) => {
            let mut rest = codes;
            for (first, stride, length) in runs(offsets) {
                let (run, after) = rest.split_at(length * width(data_type));
                write_codes(memory, data_type, first, stride, run);
                rest = after;
            }
        }
    }
}

fn write_codes(memory: &dyn HostMemory, data_type: DataType, first: i64, stride: i64, codes: &[u8]) {
    if data_type.is_sub_byte() {
        return write_nibbles(memory, first, stride, codes);
    }
    let width = width(data_type);
    let offset = byte_offset(first, width);
    if stride == 1 || codes.len() == width {
        memory.write(offset, codes);
    } else {
        memory.scatter(offset, stride as isize * width as isize, width, codes);
    }
}

fn write_nibbles(memory: &dyn HostMemory, first: i64, stride: i64, codes: &[u8]) {
    let put = |byte: &mut u8, element: i64, code: u8| {
        let shift = 4 * (element & 1);
        *byte = *byte & !(15 << shift) | code << shift;
    };
    if stride == 1 {
        let mut bytes = [0; LANES / 2 + 1];
        let (start, end) = (first >> 1, (first + codes.len() as i64 + 1) >> 1);
        let bytes = &mut bytes[..(end - start) as usize];
        memory.read(byte_offset(start, 1), bytes);
        for (element, &code) in (first..).zip(codes) {
            put(&mut bytes[((element >> 1) - start) as usize], element, code);
        }
        memory.write(byte_offset(start, 1), bytes);
    } else {
        for (i, &code) in codes.iter().enumerate() {
            let element = first + stride * i as i64;
            let offset = byte_offset(element >> 1, 1);
            let mut byte = [0];
            memory.read(offset, &mut byte);
            put(&mut byte[0], element, code);
            memory.write(offset, &byte);
        }
    }
}

/// Cuts offsets into runs of one stride: first element, stride and length of each.
pub fn runs(offsets: &[i64]) -> impl Iterator<Item = (i64, i64, usize)> {
    let mut rest = offsets;
    std::iter::from_fn(move || {
        let &first = rest.first()?;
        let stride = rest.get(1).map_or(1, |next| next - first);
        let length = 1 + rest.windows(2).take_while(|pair| pair[1] - pair[0] == stride).count();
        rest = &rest[length..];
        Some((first, stride, length))
    })
}

/// Codes to values.
fn decode<T: Lane>(data_type: DataType, codes: &[u8], out: &mut [T]) {
    fn each<C: bytemuck::AnyBitPattern, T>(codes: &[u8], out: &mut [T], f: impl Fn(C) -> T) {
        for (out, &code) in out.iter_mut().zip(bytemuck::cast_slice::<u8, C>(codes)) {
            *out = f(code);
        }
    }
    /// A loop of its own for each small type.
    macro_rules! small {
        ($code:ident, $small:ident) => {
            each(codes, out, |code: $code| T::from_f32(SmallFloat::$small.decode(u32::from(code))))
        };
    }
    match data_type {
        DataType::F32 => each(codes, out, T::from_f32),
        DataType::F64 => each(codes, out, T::from_f64),
        DataType::F16 => small!(u16, F16),
        DataType::Bf16 => small!(u16, BF16),
        DataType::F8E5m2 => small!(u8, F8_E5M2),
        DataType::F8E4m3 => small!(u8, F8_E4M3),
        DataType::F4E2m1 => small!(u8, F4_E2M1),
        DataType::F4E3m0 => small!(u8, F4_E3M0),
        DataType::E8m0 => each(codes, out, |code| T::from_f32(decode_e8m0(code))),
        DataType::S32 => each(codes, out, T::from_i32),
        DataType::S64 => each(codes, out, T::from_i64),
        DataType::S8 => each(codes, out, |code: i8| T::from_i32(i32::from(code))),
        DataType::U8 | DataType::U4 | DataType::Boolean => each(codes, out, |code: u8| T::from_i32(i32::from(code))),
        DataType::S4 => each(codes, out, |code| T::from_i32(decode_s4(code))),
        DataType::Undef => panic!("a load from a tensor of no type"),
    }
}

/// Values to codes: rounded to nearest even and saturated.
fn encode<T: Lane>(data_type: DataType, values: Arg<'_, T>, codes: &mut [u8]) {
    fn each<C: bytemuck::Pod, T: Copy>(codes: &mut [u8], values: Arg<'_, T>, f: impl Fn(T) -> C) {
        let codes = bytemuck::cast_slice_mut::<u8, C>(codes);
        match values {
            Arg::Lanes(values) => codes.iter_mut().zip(values).for_each(|(code, &value)| *code = f(value)),
            Arg::Uniform(value) => codes.fill(f(value)),
        }
    }
    /// A loop of its own for each small type.
    macro_rules! small {
        ($code:ident, $small:ident) => {
            each(codes, values, |value| SmallFloat::$small.encode(value.narrow()) as $code)
        };
    }
    match data_type {
        DataType::F32 => each(codes, values, |value| value.to::<f32>()),
        DataType::F64 => each(codes, values, |value| value.to::<f64>()),
        DataType::F16 => small!(u16, F16),
        DataType::Bf16 => small!(u16, BF16),
        DataType::F8E5m2 => small!(u8, F8_E5M2),
        DataType::F8E4m3 => small!(u8, F8_E4M3),
        DataType::F4E2m1 => small!(u8, F4_E2M1),
        DataType::F4E3m0 => small!(u8, F4_E3M0),
        DataType::E8m0 => each(codes, values, |value| encode_e8m0(value.narrow())),
        DataType::S32 => each(codes, values, T::round_i32),
        DataType::S64 => each(codes, values, T::round_i64),
        DataType::S8 => each(codes, values, |value| value.round_i32().clamp(-128, 127) as i8),
        DataType::U8 | DataType::Boolean => each(codes, values, |value| value.round_i32().clamp(0, 255) as u8),
        DataType::S4 => each(codes, values, |value| value.round_i32().clamp(-8, 7) as u8 & 15),
        DataType::U4 => each(codes, values, |value| value.round_i32().clamp(0, 15) as u8),
        DataType::Undef => panic!("a store to a tensor of no type"),
    }
}
