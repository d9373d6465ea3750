//! Where each element of a tensor lies in memory: format tags, strides, inner blocks, padding.
//!
//! Written from the naming rule of the tags alone: letters give the order of dimensions from outermost to innermost,
//! capitals are blocked, and the number-letter pairs after them are the inner blocks from outermost to innermost.

use crate::dtype::DataType;
use std::sync::OnceLock;

/// A format tag of the API.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag {
    /// The C enum's value.
    pub value: i32,
    /// The name without `dnnl_`.
    pub name: &'static str,
    order: Vec<usize>,
    blocks: Vec<(usize, i64)>,
}

impl Tag {
    /// Every tag named by dimension letters, in the order of the C enum.
    pub fn all() -> &'static [Tag] {
        static TAGS: OnceLock<Vec<Tag>> = OnceLock::new();
        TAGS.get_or_init(|| include_str!("tags.txt").lines().map(Tag::parse).collect())
    }

    fn parse(line: &'static str) -> Tag {
        let (value, name) = line.split_once(' ').expect("a line of tags.txt is a value and a name");
        let dimension = |letter: u8| usize::from(letter.to_ascii_lowercase() - b'a');
        let letters = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let order = name[..letters].bytes().map(dimension).collect();
        let (mut blocks, mut size) = (Vec::new(), 0);
        for byte in name[letters..].bytes() {
            if byte.is_ascii_digit() {
                size = size * 10 + i64::from(byte - b'0');
            } else {
                blocks.push((dimension(byte), size));
                size = 0;
            }
        }
        Tag { value: value.parse().expect("a tag's value is a number"), name, order, blocks }
    }

    /// The tag of this name.
    pub fn named(name: &str) -> &'static Tag {
        Tag::all().iter().find(|tag| tag.name == name).unwrap_or_else(|| panic!("no tag {name}"))
    }

    /// The row-major tag of this many dimensions.
    pub fn row_major(ndims: usize) -> &'static Tag {
        Tag::named(&"abcdefghijkl"[..ndims])
    }

    /// How many dimensions a tensor with this tag has.
    pub fn ndims(&self) -> usize {
        self.order.len()
    }

    /// Whether it has no inner blocks.
    pub fn is_plain(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The layout of a tensor of these dimensions.
    pub fn layout(&self, dims: &[i64]) -> Layout {
        let mut block = vec![1; dims.len()];
        for &(dimension, size) in &self.blocks {
            block[dimension] *= size;
        }
        let padded: Vec<i64> = dims.iter().zip(&block).map(|(d, b)| (d + b - 1) / b * b).collect();
        let mut strides = vec![0; dims.len()];
        let mut stride: i64 = block.iter().product();
        for &dimension in self.order.iter().rev() {
            strides[dimension] = stride;
            stride *= (padded[dimension] / block[dimension]).max(1);
        }
        Layout { dims: dims.to_vec(), padded, strides, blocks: self.blocks.clone() }
    }
}

/// The positions of a tensor's elements, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Logical dimensions.
    pub dims: Vec<i64>,
    /// Dimensions rounded up to whole blocks.
    pub padded: Vec<i64>,
    /// Distance between neighbouring blocks of each dimension.
    pub strides: Vec<i64>,
    /// Inner blocks from outermost to innermost: dimension and size.
    pub blocks: Vec<(usize, i64)>,
}

impl Layout {
    /// A layout without blocks.
    pub fn strided(dims: &[i64], strides: &[i64]) -> Layout {
        Layout { dims: dims.to_vec(), padded: dims.to_vec(), strides: strides.to_vec(), blocks: Vec::new() }
    }

    /// Where the element at a (padded) position lies.
    pub fn offset(&self, position: &[i64]) -> usize {
        let mut outer: [i64; 12] = [0; 12];
        outer[..position.len()].copy_from_slice(position);
        let (mut offset, mut inner) = (0, 1);
        for &(dimension, size) in self.blocks.iter().rev() {
            offset += outer[dimension] % size * inner;
            outer[dimension] /= size;
            inner *= size;
        }
        offset += outer.iter().zip(&self.strides).map(|(o, s)| o * s).sum::<i64>();
        offset as usize
    }

    /// Elements from the first to the last one, gaps and padding included.
    pub fn span(&self) -> usize {
        if self.dims.contains(&0) {
            return 0;
        }
        let last: Vec<i64> = self.padded.iter().map(|p| p - 1).collect();
        self.offset(&last) + 1
    }

    /// Offsets of the logical elements in row-major order.
    pub fn offsets(&self) -> Vec<usize> {
        positions(&self.dims).map(|position| self.offset(&position)).collect()
    }

    /// Offsets of the padding elements.
    pub fn padding(&self) -> Vec<usize> {
        if self.dims == self.padded || self.dims.contains(&0) {
            return Vec::new();
        }
        positions(&self.padded)
            .filter(|position| position.iter().zip(&self.dims).any(|(p, d)| p >= d))
            .map(|position| self.offset(&position))
            .collect()
    }
}

/// All positions of a tensor in row-major order.
pub fn positions(dims: &[i64]) -> impl Iterator<Item = Vec<i64>> + use<> {
    let dims = dims.to_vec();
    let mut next = (!dims.contains(&0)).then(|| vec![0; dims.len()]);
    std::iter::from_fn(move || {
        let current = next.clone()?;
        let position = next.as_mut()?;
        let mut axis = dims.len();
        loop {
            if axis == 0 {
                next = None;
                break;
            }
            axis -= 1;
            position[axis] += 1;
            if position[axis] < dims[axis] {
                break;
            }
            position[axis] = 0;
        }
        Some(current)
    })
}

/// How many elements a tensor has.
pub fn elements(dims: &[i64]) -> usize {
    dims.iter().product::<i64>() as usize
}

/// The row-major index in a tensor whose dimensions of size 1 are stretched over the position.
pub fn broadcast_index(position: &[i64], dims: &[i64]) -> usize {
    let index = position.iter().zip(dims).fold(0, |index, (p, d)| index * d + if *d == 1 { 0 } else { *p });
    index as usize
}

/// Reads element `offset` of a buffer.
pub fn read(buffer: &[u8], dt: DataType, offset: usize) -> u64 {
    if dt.is_sub_byte() {
        return u64::from(buffer[offset / 2] >> (offset % 2 * 4) & 15);
    }
    let size = dt.bits() as usize / 8;
    let mut bytes = [0; 8];
    bytes[..size].copy_from_slice(&buffer[offset * size..][..size]);
    u64::from_le_bytes(bytes)
}

/// Writes element `offset` of a buffer.
pub fn write(buffer: &mut [u8], dt: DataType, offset: usize, bits: u64) {
    if dt.is_sub_byte() {
        let byte = &mut buffer[offset / 2];
        let shift = offset % 2 * 4;
        *byte = *byte & !(15 << shift) | (bits as u8 & 15) << shift;
        return;
    }
    let size = dt.bits() as usize / 8;
    buffer[offset * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_tag_orders_dimensions_by_its_letters() {
        let layout = Tag::named("acb").layout(&[2, 3, 4]);
        assert_eq!(layout.strides, [12, 1, 3]);
        assert_eq!(layout.span(), 24);
        assert_eq!(layout.offset(&[1, 2, 3]), 12 + 2 + 9);
    }

    #[test]
    fn a_blocked_tag_pads_and_interleaves() {
        let layout = Tag::named("aBc4b").layout(&[2, 5, 3]);
        assert_eq!(layout.padded, [2, 8, 3]);
        assert_eq!(layout.offset(&[0, 4, 0]), 12);
        assert_eq!(layout.offset(&[0, 1, 1]), 5);
        assert_eq!(layout.padding().len(), 2 * 3 * 3);
        assert_eq!(layout.span(), 48);
    }

    #[test]
    fn a_dimension_blocked_twice_splits_from_the_innermost() {
        let layout = Tag::named("ABcd4b16a4b").layout(&[16, 16, 1, 1]);
        assert_eq!(layout.offset(&[0, 1, 0, 0]), 1);
        assert_eq!(layout.offset(&[1, 0, 0, 0]), 4);
        assert_eq!(layout.offset(&[0, 4, 0, 0]), 64);
    }

    #[test]
    fn every_tag_places_every_element_once() {
        for tag in Tag::all().iter().filter(|tag| tag.ndims() <= 6) {
            let dims: Vec<i64> = (0..tag.ndims() as i64).map(|d| 3 + d % 2).collect();
            let layout = tag.layout(&dims);
            let mut all = layout.offsets();
            all.extend(layout.padding());
            all.sort_unstable();
            assert!(all.iter().enumerate().all(|(i, o)| i == *o), "{}", tag.name);
        }
    }

    #[test]
    fn nibbles_pack_low_first() {
        let mut buffer = [0; 2];
        write(&mut buffer, DataType::S4, 1, 0xf);
        write(&mut buffer, DataType::S4, 2, 3);
        assert_eq!(buffer, [0xf0, 0x03]);
        assert_eq!(read(&buffer, DataType::S4, 1), 0xf);
    }
}
