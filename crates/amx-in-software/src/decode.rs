//! Reads an AMX instruction: a three-byte VEX prefix, an opcode, and where its operands are.

/// What an instruction does, and on which tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Takes the shapes of all tiles from memory.
    LoadShapes(Address),
    /// Writes them to memory.
    StoreShapes(Address),
    /// Forgets all tiles.
    Release,
    /// Sets a tile to zeros.
    Zero(usize),
    /// Reads a tile from memory.
    Load(usize, Address),
    /// Writes one.
    Store(usize, Address),
    /// Adds the products of two tiles to a third one.
    Multiply { sums: usize, rows: usize, columns: usize, factors: Factors },
}

/// The types of two factors, that of rows first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// Pairs of bf16.
    Bf16,
    /// Four bytes each, with a sign or without.
    Bytes { rows_signed: bool, columns_signed: bool },
}

/// A place in memory, by numbers of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The register that it starts from.
    pub base: usize,
    /// The register that is added, and how far it is shifted to the left; for tiles, the distance of their rows.
    pub index: Option<(usize, u32)>,
    /// What is added besides.
    pub displacement: i64,
}

/// An instruction and its length in bytes; nothing where it is none of AMX's.
pub fn decode(code: &[u8; 15]) -> Option<(Operation, usize)> {
    let [prefix, high, low, opcode, modrm, ..] = *code;
    let is_vex = prefix == 0xc4 && high & 0x1f == 2 && low & 0x84 == 0;
    if !is_vex {
        return None;
    }
    let extension = |bit: u8| usize::from(high >> bit & 1 == 0) * 8;
    let third = usize::from(!(low >> 3) & 0xf);
    let (kind, mode) = (low & 3, modrm >> 6);
    let (reg, rm) = (usize::from(modrm >> 3 & 7), usize::from(modrm & 7));
    let memory = || address(code, extension(6), extension(5));
    let tiled = |make: fn(usize, Address) -> Operation| {
        let (address, length) = memory()?;
        address.index.map(|_| (make(reg, address), length))
    };
    let shapes = |make: fn(Address) -> Operation| memory().map(|(address, length)| (make(address), length));
    let multiply = |factors: Factors| {
        let operation = Operation::Multiply { sums: reg, rows: rm, columns: third, factors };
        (mode == 3 && third < 8).then_some((operation, 5))
    };
    let bytes = |rows_signed, columns_signed| Factors::Bytes { rows_signed, columns_signed };
    match (opcode, kind) {
        (0x49, 0) if modrm == 0xc0 => Some((Operation::Release, 5)),
        (0x49, 3) if mode == 3 => Some((Operation::Zero(reg), 5)),
        (0x49, 0) if mode != 3 && reg == 0 => shapes(Operation::LoadShapes),
        (0x49, 1) if mode != 3 && reg == 0 => shapes(Operation::StoreShapes),
        (0x4b, 1 | 3) if mode != 3 => tiled(Operation::Load),
        (0x4b, 2) if mode != 3 => tiled(Operation::Store),
        (0x5c, 2) => multiply(Factors::Bf16),
        (0x5e, 0) => multiply(bytes(false, false)),
        (0x5e, 1) => multiply(bytes(false, true)),
        (0x5e, 2) => multiply(bytes(true, false)),
        (0x5e, 3) => multiply(bytes(true, true)),
        _ => None,
    }
}

/// The operand in memory, and the length of the whole instruction. What is relative to the instruction itself is not known.
fn address(code: &[u8; 15], index_high: usize, base_high: usize) -> Option<(Address, usize)> {
    let (modrm, sib) = (code[4], code[5]);
    let (mode, rm) = (modrm >> 6, modrm & 7);
    let (base, index, at) = if rm == 4 {
        let index = usize::from(sib >> 3 & 7) + index_high;
        let index = (index != 4).then_some((index, u32::from(sib >> 6)));
        (sib & 7, index, 6)
    } else {
        (rm, None, 5)
    };
    if mode == 0 && base == 5 {
        return None;
    }
    let (displacement, length) = match mode {
        0 => (0, at),
        1 => (i64::from(code[at] as i8), at + 1),
        _ => (i64::from(i32::from_le_bytes(code[at..at + 4].try_into().ok()?)), at + 4),
    };
    Some((Address { base: usize::from(base) + base_high, index, displacement }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(code: &[u8]) -> Option<(Operation, usize)> {
        let mut whole = [0x90; 15];
        whole[..code.len()].copy_from_slice(code);
        decode(&whole)
    }

    #[test]
    fn instructions_are_read_as_assemblers_write_them() {
        let at = |base, index, displacement| Address { base, index, displacement };
        // tileloadd 64(%r9,%rdx), %tmm6
        let load = Operation::Load(6, at(9, Some((2, 0)), 64));
        assert_eq!(decoded(&[0xc4, 0xc2, 0x7b, 0x4b, 0x74, 0x11, 0x40]), Some((load, 7)));
        // tilestored %tmm1, 2048(%rax,%rcx)
        let store = Operation::Store(1, at(0, Some((1, 0)), 2048));
        assert_eq!(decoded(&[0xc4, 0xe2, 0x7a, 0x4b, 0x8c, 0x08, 0, 8, 0, 0]), Some((store, 10)));
        // ldtilecfg (%rdi)
        assert_eq!(decoded(&[0xc4, 0xe2, 0x78, 0x49, 0x07]), Some((Operation::LoadShapes(at(7, None, 0)), 5)));
        // tdpbusd %tmm7, %tmm5, %tmm3
        let factors = Factors::Bytes { rows_signed: false, columns_signed: true };
        let multiply = Operation::Multiply { sums: 3, rows: 5, columns: 7, factors };
        assert_eq!(decoded(&[0xc4, 0xe2, 0x41, 0x5e, 0xdd]), Some((multiply, 5)));
        assert_eq!(decoded(&[0xc4, 0xe2, 0x78, 0x49, 0xc0]), Some((Operation::Release, 5)));
        assert_eq!(decoded(&[0xc4, 0xe2, 0x7b, 0x49, 0xd0]), Some((Operation::Zero(2), 5)));
    }

    #[test]
    fn other_instructions_are_left_alone() {
        // vpdpbusd of a 256-bit VEX, an EVEX prefix, and ud2.
        for code in [&[0xc4, 0xe2, 0x7d, 0x50, 0xc0][..], &[0x62, 0xf2, 0x7d, 0x48, 0x50], &[0x0f, 0x0b]] {
            assert_eq!(decoded(code), None);
        }
    }
}
