//! Format tags: names for memory layouts.
//!
//! A tag's name *is* its layout: `aBcd16b` says that the outer order is a, b, c, d and that blocks of 16 along `b` lie
//! innermost. So there is a list of names in the order of the C enumeration and a parser, and no table of layouts. Domain
//! names such as `nchw` or `OIhw16i16o` are the same names in other letters.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::dims::MAX_NDIMS;
use crate::{Error, Result, ensure};

/// The names of the tags, in the order of their C values from 2 on.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("tags.txt").split_ascii_whitespace().collect());

static VALUES: LazyLock<HashMap<&str, i32>> = LazyLock::new(|| NAMES.iter().copied().zip(FIRST_NAMED..).collect());

const FIRST_NAMED: i32 = 2;

/// One of the layouts that the API has a name for.
///
/// ```
/// use oxidnn::desc::FormatTag;
/// assert_eq!(FormatTag::from_name("nhwc"), Some(FormatTag::NHWC));
/// assert_eq!(FormatTag::NHWC.name(), "acdb");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatTag(i32);

#[rustfmt::skip]
#[allow(missing_docs)]
impl FormatTag {
    pub const UNDEF: FormatTag = FormatTag(0);
    /// The library chooses the layout.
    pub const ANY: FormatTag = FormatTag(1);
    pub const A: FormatTag = FormatTag(2);
    pub const AB: FormatTag = FormatTag(3);
    pub const ABC: FormatTag = FormatTag(4);
    pub const ABCD: FormatTag = FormatTag(5);
    pub const ABCDE: FormatTag = FormatTag(6);
    pub const ABCDEF: FormatTag = FormatTag(7);
    pub const BA: FormatTag = FormatTag(14);
    pub const ACB: FormatTag = FormatTag(15);
    pub const BAC: FormatTag = FormatTag(16);
    pub const CBA: FormatTag = FormatTag(19);
    pub const ABDC: FormatTag = FormatTag(20);
    pub const ACBD: FormatTag = FormatTag(21);
    pub const ACDB: FormatTag = FormatTag(22);
    pub const ACDEB: FormatTag = FormatTag(33);
    pub const X: FormatTag = Self::A;
    pub const NC: FormatTag = Self::AB;
    pub const NCW: FormatTag = Self::ABC;
    pub const NWC: FormatTag = Self::ACB;
    pub const NCHW: FormatTag = Self::ABCD;
    pub const NHWC: FormatTag = Self::ACDB;
    pub const NCDHW: FormatTag = Self::ABCDE;
    pub const NDHWC: FormatTag = Self::ACDEB;
    pub const OI: FormatTag = Self::AB;
    pub const IO: FormatTag = Self::BA;
    pub const OIHW: FormatTag = Self::ABCD;
    pub const GOIHW: FormatTag = Self::ABCDE;
    pub const TNC: FormatTag = Self::ABC;
    pub const LDIGO: FormatTag = Self::ABCDE;
}

impl FormatTag {
    /// The tag with this C value. The enumeration's `last` is not a tag.
    pub fn from_c(value: i32) -> Option<FormatTag> {
        (0..FIRST_NAMED + NAMES.len() as i32).contains(&value).then_some(FormatTag(value))
    }

    /// The C value.
    pub fn to_c(self) -> i32 {
        self.0
    }

    /// Every tag but `undef` and `any`.
    pub fn all() -> impl Iterator<Item = FormatTag> {
        (FIRST_NAMED..FIRST_NAMED + NAMES.len() as i32).map(FormatTag)
    }

    /// The tag with this name: `undef`, `any`, a letter name (`acdb`) or a domain name (`nhwc`).
    pub fn from_name(name: &str) -> Option<FormatTag> {
        match name {
            "undef" => Some(FormatTag::UNDEF),
            "any" => Some(FormatTag::ANY),
            _ => {
                let value = VALUES.get(name).or_else(|| VALUES.get(letter_name(name)?.as_str()))?;
                Some(FormatTag(*value))
            }
        }
    }

    /// The name in letters, `acdb` for `nhwc`.
    pub fn name(self) -> &'static str {
        match self {
            FormatTag::UNDEF => "undef",
            FormatTag::ANY => "any",
            FormatTag(value) => NAMES[(value - FIRST_NAMED) as usize],
        }
    }

    /// The layout that the name spells, `None` for `undef` and `any`.
    pub fn layout(self) -> Option<Layout> {
        if self.0 < FIRST_NAMED { None } else { self.name().parse().ok() }
    }

    /// The row-major tag of so many dimensions: `a`, `ab`, `abc`, …
    pub fn plain(ndims: usize) -> Option<FormatTag> {
        (1..=MAX_NDIMS).contains(&ndims).then(|| FormatTag(ndims as i32 + 1))
    }
}

impl fmt::Debug for FormatTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormatTag({})", self.name())
    }
}

impl fmt::Display for FormatTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A block that lies dense inside the outer dimensions: `size` elements along `dim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InnerBlock {
    /// The logical dimension that is split.
    pub dim: usize,
    /// How many elements of it the block holds.
    pub size: i64,
}

/// What a tag says: the order of the outer dimensions and the inner blocks, both from the outermost in.
///
/// Any well-formed name parses, not only those the API has a tag for.
///
/// ```
/// use oxidnn::desc::{InnerBlock, Layout};
/// let layout: Layout = "aCB2b".parse().unwrap();
/// assert_eq!(layout.order, [0, 2, 1]);
/// assert_eq!(layout.inner, [InnerBlock { dim: 1, size: 2 }]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The logical dimensions from the outermost to the innermost.
    pub order: Vec<usize>,
    /// The blocks from the outermost to the innermost.
    pub inner: Vec<InnerBlock>,
}

impl Layout {
    /// The row-major layout of so many dimensions.
    pub fn plain(ndims: usize) -> Layout {
        Layout { order: (0..ndims).collect(), inner: Vec::new() }
    }

    /// The number of dimensions.
    pub fn ndims(&self) -> usize {
        self.order.len()
    }
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(name: &str) -> Result<Layout> {
        let letters = letter_name(name);
        let name = letters.as_deref().unwrap_or(name);
        let dim_of = |letter: u8| match letter.to_ascii_lowercase() {
            lower @ b'a'..=b'l' => Ok(usize::from(lower - b'a')),
            _ => Err(Error::invalid(format!("format `{name}` has a letter that names no dimension"))),
        };
        let digit = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (outer, mut rest) = name.split_at(digit);

        let order = outer.bytes().map(dim_of).collect::<Result<Vec<_>>>()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let is_permutation = !order.is_empty() && sorted.iter().enumerate().all(|(i, &dim)| i == dim);
        ensure!(is_permutation, "format `{name}` does not name each dimension once");

        let mut inner = Vec::new();
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let size: Option<i64> = rest[..digits].parse().ok();
            let letter = rest.as_bytes().get(digits).copied();
            let (Some(size @ 1..), Some(letter)) = (size, letter) else {
                return Err(Error::invalid(format!("format `{name}` has a malformed inner block")));
            };
            let dim = dim_of(letter)?;
            ensure!(dim < order.len(), "format `{name}` blocks a dimension that it does not have");
            // A block of one element is no block.
            if size > 1 {
                inner.push(InnerBlock { dim, size });
            }
            rest = &rest[digits + 1..];
        }
        ensure!(inner.len() <= MAX_NDIMS, "format `{name}` has more than {MAX_NDIMS} inner blocks");
        Ok(Layout { order, inner })
    }
}

/// Translates a domain name into letters, `OIhw4i` into `ABcd4b`; `None` if it is not a domain name.
fn letter_name(name: &str) -> Option<String> {
    // Two domain names of the API stand for something else than what they spell.
    match name {
        "gIOhw2i8o16i2o" => return Some("aBCde2c8b16c2b".into()),
        "gIOdhw2i8o16i2o" => return Some("aBCdef2c8b16c2b".into()),
        _ => {}
    }
    let lower = name.to_ascii_lowercase();
    let has = |letter: char| lower.contains(letter);
    // The logical order of the dimensions: of vectors, RNN states and weights, activations, filters.
    let logical = if has('a') || has('b') {
        return None;
    } else if has('x') {
        "x"
    } else if has('l') {
        "ldnigoc"
    } else if has('n') || has('c') {
        "tncdhw"
    } else {
        "goidhw"
    };
    let present: Vec<char> = logical.chars().filter(|&c| has(c)).collect();
    let blocked = name.find(|c: char| c.is_ascii_digit()).map_or("", |digit| &name[digit..]);
    name.chars()
        .enumerate()
        .map(|(i, c)| {
            if c.is_ascii_digit() {
                return Some(c);
            }
            let dim = present.iter().position(|&p| p == c.to_ascii_lowercase())?;
            let letter = (b'a' + dim as u8) as char;
            // The letters' case follows the blocks, which a few domain names get wrong.
            let is_outer = i < name.len() - blocked.len();
            let is_blocked = is_outer && blocked.contains(c.to_ascii_lowercase());
            Some(if is_blocked { letter.to_ascii_uppercase() } else { letter })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_values_are_those_of_the_c_enumeration() {
        let values =
            [("undef", 0), ("any", 1), ("a", 2), ("abcdefghijkl", 13), ("ba", 14), ("Abc16a", 52), ("aBcdef32b", 874)];
        for (name, value) in values {
            assert_eq!(FormatTag::from_name(name).unwrap().to_c(), value, "{name}");
            assert_eq!(FormatTag::from_c(value).unwrap().name(), name);
        }
        assert_eq!(FormatTag::from_c(875), None, "the enumeration's last is no tag");
        assert_eq!(FormatTag::from_c(-1), None);
    }

    #[test]
    fn constants_carry_their_names() {
        for (tag, name) in [
            (FormatTag::ABCDEF, "abcdef"),
            (FormatTag::ACB, "acb"),
            (FormatTag::BAC, "bac"),
            (FormatTag::CBA, "cba"),
            (FormatTag::ABDC, "abdc"),
            (FormatTag::ACBD, "acbd"),
            (FormatTag::ACDB, "acdb"),
            (FormatTag::ACDEB, "acdeb"),
        ] {
            assert_eq!(tag.name(), name);
        }
    }

    #[test]
    fn every_tag_has_a_layout() {
        assert_eq!(FormatTag::all().count(), 873);
        for tag in FormatTag::all() {
            let layout = tag.layout().unwrap_or_else(|| panic!("{tag}"));
            assert!(layout.inner.len() <= 4, "{tag}");
        }
    }

    #[test]
    fn domain_names_stand_for_letter_names() {
        for (alias, name) in [
            ("x", "a"),
            ("cn", "ba"),
            ("nt", "ba"),
            ("ntc", "bac"),
            ("chwn", "bcda"),
            ("hwio", "cdba"),
            ("hwigo", "decab"),
            ("ldigo", "abcde"),
            ("ldgoi", "abdec"),
            ("ldnc", "abcd"),
            ("ldOi16o", "abDc16d"),
            ("ldgOI32o4i", "abdEC32e4c"),
            ("nChw16c", "aBcd16b"),
            ("NCdhw32n16c", "ABcde32a16b"),
            ("OIhw4i16o4i", "ABcd4b16a4b"),
            ("gOIdhw4i16o4i", "aBCdef4c16b4c"),
            ("OhwI24o", "Acdb24a"),
            ("gOhwI32o", "aBdec32b"),
            ("gIOhw2i8o16i2o", "aBCde2c8b16c2b"),
        ] {
            assert_eq!(FormatTag::from_name(alias).map(FormatTag::name), Some(name), "{alias}");
        }
        for unknown in ["", "abd", "nope", "nChw3c", "16a", "aB16"] {
            assert_eq!(FormatTag::from_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn malformed_layouts_are_refused() {
        for name in ["", "16", "a16", "aa", "ac", "ab0a", "ab16c", "ab99999999999999999999a", "aé", "mnop", "a-1a"] {
            assert!(name.parse::<Layout>().is_err(), "{name}");
        }
        assert_eq!("AB1a4b".parse::<Layout>().unwrap().inner, [InnerBlock { dim: 1, size: 4 }]);
    }
}
