//! The random numbers cases are made of: SplitMix64, written here so that a printed seed means the same case forever.
//!
//! There are two streams. Types, layouts and attributes come from one that [`FAMILY`] neighbouring cases share; dimensions and values
//! come from one of the case's own, through [`Rng::fork`]. So neighbours differ in shape and not in structure: a
//! library that keeps kernels for other shapes is tested for keeping too much, and compiles less.

/// How many neighbouring cases share their structure.
pub const FAMILY: u64 = 4;

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    own: u64,
}

impl Rng {
    /// The stream for one case of one kind under one seed.
    pub fn for_case(seed: u64, kind: &str, number: u64) -> Rng {
        let mut rng = Rng { state: seed ^ 0x6f78_6964_6e6e_0001, own: 0 };
        for byte in kind.bytes() {
            rng.state = rng.state.wrapping_add(u64::from(byte));
            rng.bits();
        }
        rng.own = rng.state.wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95));
        rng.state = rng.state.wrapping_add((number / FAMILY).wrapping_mul(0xaf25_1af3_b0f0_25b5));
        rng.bits();
        rng
    }

    /// A stream for dimensions or values, which the neighbours do not share.
    pub fn fork(&mut self) -> Rng {
        let state = mix(&mut self.own);
        Rng { state, own: mix(&mut self.own) }
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        mix(&mut self.state)
    }

    /// A number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "nothing to choose from");
        (self.bits() % n as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
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
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }
}

fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
        assert_ne!(draw(1, "sum", 7), draw(1, "sum", 7 + FAMILY));
    }

    #[test]
    fn neighbours_share_the_structure_but_not_the_values() {
        let (mut left, mut right) = (Rng::for_case(1, "sum", 4), Rng::for_case(1, "sum", 5));
        assert_ne!(left.fork().bits(), right.fork().bits());
        assert_eq!(left.bits(), right.bits());
    }
}
