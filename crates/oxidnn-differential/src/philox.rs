//! The random numbers of dropout: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), and how
//! oneDNN counts with it.

/// Ten rounds of Philox4x32.
fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        let wide = |a: u32, b: u32| u64::from(a) * u64::from(b);
        let (first, second) = (wide(0xd251_1f53, counter[0]), wide(0xcd9e_8d57, counter[2]));
        counter = [
            (second >> 32) as u32 ^ counter[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ counter[3] ^ key[1],
            first as u32,
        ];
    }
    counter
}

/// The number that decides about the element at a physical offset.
///
/// Without an offset argument oneDNN counts in 32 bits, and its packing of the counter loses one word of it and always picks the
/// third result: four neighbours share a fate.
pub fn dropout_number(index: u64, seed: u64, offset: u64) -> u32 {
    let block = index & !3;
    if offset == 0 {
        let first = block as u32;
        let (next, last) = (first.wrapping_add(1), first.wrapping_add(3));
        return philox4x32([first, next, first, last], [seed as u32; 2])[2];
    }
    let halves = |value: u64| [value as u32, (value >> 32) as u32];
    let ([a, b], [c, d]) = (halves(offset), halves(block));
    philox4x32([a, b, c, d], halves(seed))[(index & 3) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_generator() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox4x32([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }
}
