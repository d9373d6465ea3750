//! The random numbers cases are made of: SplitMix64, written here so that a printed seed means the same case forever.

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream for one case of one kind under one seed.
    pub fn for_case(seed: u64, kind: &str, number: u64) -> Rng {
        let mut rng = Rng(seed ^ 0x6f78_6964_6e6e_0001);
        for byte in kind.bytes() {
            rng.0 = rng.0.wrapping_add(u64::from(byte));
            rng.next();
        }
        rng.0 = rng.0.wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.next()
    }

    /// A number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "nothing to choose from");
        (self.next() % n as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// True this many times in a hundred.
    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < chance as usize
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_kind_and_number_give_the_same_stream_and_others_do_not() {
        let draw = |seed, kind, number| Rng::for_case(seed, kind, number).bits();
        assert_eq!(draw(1, "sum", 7), draw(1, "sum", 7));
        assert_ne!(draw(1, "sum", 7), draw(2, "sum", 7));
        assert_ne!(draw(1, "sum", 7), draw(1, "concat", 7));
        assert_ne!(draw(1, "sum", 7), draw(1, "sum", 8));
    }
}
