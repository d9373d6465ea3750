//! How a memory descriptor reads in verbose lines: `f32::blocked:abcd::f0`.

use std::fmt::Write;

use super::{Format, MemoryDesc, Sparse};

impl MemoryDesc {
    /// The layout's name in letters, `aBcd16b`; `*` if strides are only known at execution, empty if it is not blocked.
    ///
    /// The name says the order of the strides. Together with the dimensions it is the whole layout if
    /// [`is_dense`](MemoryDesc::is_dense) with padding.
    pub fn tag_name(&self) -> String {
        let Some(blocking) = self.blocking() else { return String::new() };
        if blocking.strides.has_runtime() {
            return "*".into();
        }
        let blocks = blocking.blocks();
        let mut order: Vec<usize> = (0..self.ndims()).collect();
        // From the outermost in. A repeated dimension (stride 0) is outermost; of two with one stride the longer is outer.
        order.sort_by_key(|&d| {
            let outer = self.padded_dims[d] / blocks[d];
            std::cmp::Reverse(((blocking.strides[d] as u64).wrapping_sub(1), outer))
        });
        let mut name = String::new();
        for d in order {
            let first = if blocks[d] == 1 { b'a' } else { b'A' };
            name.push((first + d as u8) as char);
        }
        for block in &blocking.inner {
            let _ = write!(name, "{}{}", block.size, (b'a' + block.dim as u8) as char);
        }
        name
    }

    /// The strides in words, `12x1`, where the tag's name does not say them; empty otherwise.
    pub fn strides_text(&self) -> String {
        match self.strides() {
            Some(strides) if !self.has_runtime_dims_or_strides() && !self.is_dense(true) => strides.to_string(),
            _ => String::new(),
        }
    }

    /// The descriptor as verbose lines print it: type, flags, format kind, layout, strides.
    ///
    /// The flags: `a` if the user left the layout to the library, which `asked_any` tells; `p` for padding, `o` for
    /// an offset into padding, `0` for an offset into the buffer.
    ///
    /// ```
    /// use oxidnn::desc::{DataType, FormatTag, MemoryDesc};
    /// let md = MemoryDesc::with_tag(&[2, 3], DataType::F32, FormatTag::BA).unwrap();
    /// assert_eq!(md.verbose(false), "f32::blocked:ba::f0");
    /// ```
    pub fn verbose(&self, asked_any: bool) -> String {
        if self.is_zero() {
            return "undef::undef:::".into();
        }
        let mut text = format!("{}:", self.data_type);
        let has_offset = self.padded_offsets.iter().any(|&offset| offset != 0);
        for (flag, is_set) in [('a', asked_any), ('p', self.has_padding()), ('o', has_offset), ('0', self.offset0 != 0)]
        {
            if is_set {
                text.push(flag);
            }
        }
        let _ = write!(text, ":{}", self.format_kind());
        match &self.format {
            Format::Undef | Format::HostScalar | Format::Transformed(_) => text.push_str("::"),
            Format::Any => text.push_str(":any:"),
            Format::Blocked(_) => {
                let _ = write!(text, ":{}:{}", self.tag_name(), self.strides_text());
            }
            Format::Sparse(sparse) => {
                let _ = write!(text, ":{}", sparse.encoding());
                if let Sparse::Grouped { variable_dim, groups, .. } = sparse {
                    let _ = write!(text, ":{variable_dim}:{groups}");
                }
                text.push(':');
            }
        }
        text.push_str(":f0");
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::desc::{DataType::*, FormatTag, MemoryDesc, RUNTIME_DIM};

    fn tagged(dims: &[i64], tag: &str) -> MemoryDesc {
        MemoryDesc::with_tag(dims, F32, FormatTag::from_name(tag).unwrap()).unwrap()
    }

    #[test]
    fn every_tag_is_recognised_from_its_strides() {
        for tag in FormatTag::all() {
            let dims: Vec<i64> = (0..tag.layout().unwrap().ndims() as i64).map(|d| 2 + d % 3).collect();
            let md = MemoryDesc::with_tag(&dims, F32, tag).unwrap();
            assert!(md.matches_tag(tag), "{tag}");
            // Where a dimension has one block its place among equal strides is not told by them.
            if tag.layout().unwrap().inner.is_empty() {
                assert_eq!(md.tag_name(), tag.name());
            }
        }
        assert_eq!(tagged(&[32, 64, 3, 3], "OIhw4i16o4i").tag_name(), "ABcd4b16a4b");
    }

    #[test]
    fn flags_and_strides_show_what_the_tag_does_not() {
        assert_eq!(MemoryDesc::ZERO.verbose(false), "undef::undef:::");
        assert_eq!(tagged(&[2, 3, 4, 5], "nChw16c").verbose(true), "f32:ap:blocked:aBcd16b::f0");
        let strided = MemoryDesc::with_strides(&[2, 3], S8, Some(&[8, 1])).unwrap();
        assert_eq!(strided.verbose(false), "s8::blocked:ab:8x1:f0");
        let part = tagged(&[4, 4], "ab").submemory(&[2, 2], &[1, 1]).unwrap();
        assert_eq!(part.verbose(false), "f32:0:blocked:ab:4x1:f0");
        assert_eq!(MemoryDesc::any(&[2], Bf16).unwrap().verbose(false), "bf16::any:any::f0");
        let runtime = MemoryDesc::with_tag(&[RUNTIME_DIM, 4], F32, FormatTag::AB).unwrap();
        assert_eq!(runtime.verbose(false), "f32::blocked:ab::f0");
        let csr = MemoryDesc::csr(&[4, 4], F32, 3, S32, S32).unwrap();
        assert_eq!(csr.verbose(false), "f32::sparse:csr::f0");
    }
}
