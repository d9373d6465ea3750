//! The tile registers, and what instructions do to them.

use crate::decode::Factors;

const TILES: usize = 8;
const ROWS: usize = 16;
const BYTES: usize = 64;

/// A refusal, as the processor would signal it, and why.
pub type Refused = &'static str;

/// A tile: some rows of some bytes; those that it does not have are zeros.
#[derive(Clone, Copy)]
struct Tile {
    rows: usize,
    bytes: usize,
    data: [[u8; BYTES]; ROWS],
}

const NONE: Tile = Tile { rows: 0, bytes: 0, data: [[0; BYTES]; ROWS] };

/// The tile registers of a thread.
pub struct Tiles([Tile; TILES]);

impl Tiles {
    pub const fn new() -> Tiles {
        Tiles([NONE; TILES])
    }

    pub fn release(&mut self) {
        self.0 = [NONE; TILES];
    }

    /// Takes shapes as `ldtilecfg` reads them; all tiles are zeros then.
    pub fn take_shapes(&mut self, shapes: &[u8; 64]) -> Result<(), Refused> {
        self.release();
        if shapes[0] == 0 {
            return Ok(());
        }
        if shapes[0] != 1 {
            return Err("there is no such palette");
        }
        let unused = [&shapes[1..16], &shapes[16 + 2 * TILES..48], &shapes[48 + TILES..]].concat();
        if unused.iter().any(|&byte| byte != 0) {
            return Err("bytes of the shapes that mean nothing are not zero");
        }
        for (number, tile) in self.0.iter_mut().enumerate() {
            let at = 16 + 2 * number;
            let (bytes, rows) = (usize::from(u16::from_le_bytes([shapes[at], shapes[at + 1]])), shapes[48 + number]);
            if bytes > BYTES || usize::from(rows) > ROWS || (bytes == 0) != (rows == 0) {
                return Err("a tile is too large, or has rows without bytes");
            }
            *tile = Tile { rows: rows.into(), bytes, ..NONE };
        }
        Ok(())
    }

    /// The shapes, as `sttilecfg` writes them.
    pub fn shapes(&self) -> [u8; 64] {
        let mut shapes = [0; 64];
        for (number, tile) in self.0.iter().enumerate() {
            shapes[0] |= u8::from(tile.rows > 0);
            shapes[16 + 2 * number] = tile.bytes as u8;
            shapes[48 + number] = tile.rows as u8;
        }
        shapes
    }

    fn known(&mut self, number: usize) -> Result<&mut Tile, Refused> {
        let tile = &mut self.0[number];
        if tile.rows > 0 { Ok(tile) } else { Err("the tile has no shape") }
    }

    pub fn zero(&mut self, number: usize) -> Result<(), Refused> {
        self.known(number)?.data = NONE.data;
        Ok(())
    }

    /// Fills a tile; `read` gets the number of each row and where its bytes go.
    pub fn load(&mut self, number: usize, read: impl Fn(usize, &mut [u8])) -> Result<(), Refused> {
        let tile = self.known(number)?;
        tile.data = NONE.data;
        for (row, data) in tile.data.iter_mut().take(tile.rows).enumerate() {
            read(row, &mut data[..tile.bytes]);
        }
        Ok(())
    }

    /// Hands out the rows of a tile.
    pub fn store(&mut self, number: usize, write: impl Fn(usize, &[u8])) -> Result<(), Refused> {
        let tile = self.known(number)?;
        tile.data.iter().take(tile.rows).enumerate().for_each(|(row, data)| write(row, &data[..tile.bytes]));
        Ok(())
    }

    pub fn multiply(&mut self, sums: usize, rows: usize, columns: usize, factors: Factors) -> Result<(), Refused> {
        if sums == rows || sums == columns || rows == columns {
            return Err("two operands are the same tile");
        }
        let (a, b) = (*self.known(rows)?, *self.known(columns)?);
        let c = self.known(sums)?;
        if c.rows != a.rows || a.bytes != 4 * b.rows || c.bytes != b.bytes || (a.bytes | b.bytes) % 4 != 0 {
            return Err("the shapes do not fit together");
        }
        for (sums, row) in c.data.iter_mut().zip(&a.data).take(c.rows) {
            for (group, columns) in b.data.iter().enumerate().take(b.rows) {
                let row = group_at(row, group);
                for column in 0..c.bytes / 4 {
                    let (sum, other) = (group_at(sums, column), group_at(columns, column));
                    let sum = match factors {
                        Factors::Bf16 => add_pairs(f32::from_le_bytes(sum), row, other).to_le_bytes(),
                        Factors::Bytes { rows_signed, columns_signed } => {
                            let value = |byte: u8, signed| if signed { i32::from(byte as i8) } else { byte.into() };
                            let products = row.iter().zip(other);
                            let products = products.map(|(&a, b)| value(a, rows_signed) * value(b, columns_signed));
                            products.fold(i32::from_le_bytes(sum), i32::wrapping_add).to_le_bytes()
                        }
                    };
                    sums[4 * column..][..4].copy_from_slice(&sum);
                }
            }
        }
        Ok(())
    }
}

fn group_at(row: &[u8; BYTES], number: usize) -> [u8; 4] {
    [0, 1, 2, 3].map(|byte| row[4 * number + byte])
}

/// A sum and two products of bf16. Numbers too small to be normal count as zeros.
fn add_pairs(sum: f32, a: [u8; 4], b: [u8; 4]) -> f32 {
    let flush = |x: f32| if x.is_subnormal() { 0.0 } else { x };
    let wide = |pair: [u8; 4], number: usize| flush(f32::from_le_bytes([0, 0, pair[2 * number], pair[2 * number + 1]]));
    [0, 1].iter().fold(flush(sum), |sum, &number| flush(wide(a, number).mul_add(wide(b, number), sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three tiles for products of `rows` by `groups` groups by `columns`.
    fn shaped(rows: u8, groups: u8, columns: u8) -> Tiles {
        let mut shapes = [0; 64];
        shapes[0] = 1;
        for (number, (height, bytes)) in
            [(rows, 4 * columns), (rows, 4 * groups), (groups, 4 * columns)].into_iter().enumerate()
        {
            shapes[16 + 2 * number] = bytes;
            shapes[48 + number] = height;
        }
        let mut tiles = Tiles::new();
        tiles.take_shapes(&shapes).unwrap();
        assert_eq!(tiles.shapes(), shapes);
        tiles
    }

    fn sums<const N: usize>(tiles: &mut Tiles) -> Vec<[u8; N]> {
        let found = std::cell::RefCell::new(Vec::new());
        tiles
            .store(0, |_, row| found.borrow_mut().extend(row.chunks(N).map(|x| <[u8; N]>::try_from(x).unwrap())))
            .unwrap();
        found.into_inner()
    }

    #[test]
    fn bytes_are_multiplied_with_their_signs() {
        for (rows_signed, columns_signed, expected) in
            [(true, true, 4), (true, false, -4 * 255), (false, true, -4 * 255), (false, false, 4 * 255 * 255)]
        {
            let mut tiles = shaped(3, 1, 2);
            tiles.load(1, |_, row| row.fill(0xff)).unwrap();
            tiles.load(2, |_, row| row.fill(0xff)).unwrap();
            for times in 1..3 {
                tiles.multiply(0, 1, 2, Factors::Bytes { rows_signed, columns_signed }).unwrap();
                let found = sums::<4>(&mut tiles).into_iter().map(i32::from_le_bytes).collect::<Vec<_>>();
                assert_eq!(found, [times * expected; 6]);
            }
        }
    }

    #[test]
    fn bf16_is_multiplied_in_pairs() {
        let mut tiles = shaped(2, 4, 5);
        let number = |x: f32| [x.to_le_bytes()[2], x.to_le_bytes()[3]];
        let fill = |row: &mut [u8], first: f32, second: f32| {
            row.chunks_mut(4).for_each(|pair| pair.copy_from_slice(&[number(first), number(second)].concat()));
        };
        tiles.load(1, |row, to| fill(to, row as f32 + 1.0, 0.5)).unwrap();
        tiles.load(2, |group, to| fill(to, group as f32, 3.0)).unwrap();
        tiles.multiply(0, 1, 2, Factors::Bf16).unwrap();
        let found = sums::<4>(&mut tiles).into_iter().map(f32::from_le_bytes).collect::<Vec<_>>();
        let expected = |row: f32| (0..4).map(|group| row * group as f32 + 1.5).sum::<f32>();
        assert_eq!(found, [[expected(1.0); 5], [expected(2.0); 5]].concat());
    }

    #[test]
    fn what_the_processor_refuses_is_refused() {
        let bytes = Factors::Bytes { rows_signed: true, columns_signed: true };
        let mut tiles = shaped(2, 4, 5);
        assert!(tiles.multiply(0, 1, 1, bytes).is_err());
        assert!(tiles.multiply(0, 2, 1, bytes).is_err());
        assert!(tiles.zero(3).is_err());
        tiles.release();
        assert!(tiles.load(0, |_, _| {}).is_err());
        let mut shapes = [0; 64];
        (shapes[0], shapes[16], shapes[48]) = (1, 68, 1);
        assert!(tiles.take_shapes(&shapes).is_err());
        (shapes[16], shapes[48]) = (64, 17);
        assert!(tiles.take_shapes(&shapes).is_err());
        (shapes[48], shapes[5]) = (16, 1);
        assert!(tiles.take_shapes(&shapes).is_err());
    }
}
