//! Names of layouts: benchdnn's `abx`, the library's `abcd` and the older `nchw`, all brought to dimension letters.

/// What a tag asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// The primitive's choice.
    Any,
    /// Whatever follows from the other tensors: no descriptor is given.
    Undef,
    /// Dimension letters with inner blocks, as in `aBcd16b`.
    Letters(String),
    /// The distance between neighbours along each dimension.
    Strides(Vec<i64>),
}

impl Arrangement {
    /// Reads a tag for a tensor of this many dimensions.
    pub fn parse(text: &str, ndims: usize) -> Result<Arrangement, String> {
        match text {
            "any" => Ok(Arrangement::Any),
            "undef" => Ok(Arrangement::Undef),
            _ => letters(text, ndims).map(Arrangement::Letters),
        }
    }

    /// The row-major arrangement.
    pub fn plain(ndims: usize) -> Arrangement {
        Arrangement::Letters("abcdefghijkl"[..ndims].to_string())
    }
}

/// The dimension letters of older names, each in the order of the logical dimensions.
const NAMED: [&str; 5] = ["ncdhw", "goidhw", "tnc", "ldnc", "ldigo"];

fn letters(text: &str, ndims: usize) -> Result<String, String> {
    let unknown = || format!("`{text}` is no layout of {ndims} dimensions");
    let blocks = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let (outer, inner) = text.split_at(blocks);
    if outer.is_empty() || !outer.bytes().all(|b| b.is_ascii_alphabetic()) {
        return Err(unknown());
    }
    let expanded = if outer.contains('x') { (expand(outer, ndims), inner.to_string()) } else { renamed(outer, inner) };
    let (mut outer, inner) = expanded;
    // A family's name covers fewer dimensions too: `abx` of one dimension is `a`.
    outer.retain(|c| position(c) < ndims);
    let mut seen: Vec<usize> = outer.chars().map(position).collect();
    seen.sort_unstable();
    if seen != (0..ndims).collect::<Vec<_>>() {
        return Err(unknown());
    }
    Ok(outer + &inner)
}

fn position(letter: char) -> usize {
    (letter.to_ascii_lowercase() as usize).wrapping_sub('a' as usize)
}

/// Puts the dimensions that a family's name leaves open in the place of its `x`.
fn expand(outer: &str, ndims: usize) -> String {
    let named = outer.chars().filter(|c| *c != 'x').map(position).max().map_or(0, |last| last + 1);
    let open: String = (named..ndims.max(named)).map(|axis| (b'a' + axis as u8) as char).collect();
    outer.replace('x', &open)
}

/// Brings a name such as `nChw16c` to `aBcd16b`; names that are letters already stay as they are.
fn renamed(outer: &str, inner: &str) -> (String, String) {
    let lower = outer.to_ascii_lowercase();
    let mut sorted: Vec<char> = lower.chars().collect();
    sorted.sort_unstable();
    if sorted.iter().enumerate().all(|(axis, c)| position(*c) == axis) {
        return (outer.to_string(), inner.to_string());
    }
    let order = NAMED.iter().map(|names| names.chars().filter(|c| lower.contains(*c)).collect::<String>());
    let order = order.into_iter().find(|order| order.len() == lower.len());
    let Some(order) = order else {
        return (outer.to_string(), inner.to_string());
    };
    let translate = |c: char| match order.find(c.to_ascii_lowercase()) {
        Some(axis) if c.is_ascii_uppercase() => (b'A' + axis as u8) as char,
        Some(axis) => (b'a' + axis as u8) as char,
        None => c,
    };
    (outer.chars().map(translate).collect(), inner.chars().map(translate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, ndims: usize) -> String {
        letters(text, ndims).unwrap()
    }

    #[test]
    fn families_adapt_to_the_number_of_dimensions() {
        assert_eq!(of("abx", 4), "abcd");
        assert_eq!(of("abx", 1), "a");
        assert_eq!(of("axb", 2), "ab");
        assert_eq!(of("axb", 5), "acdeb");
        assert_eq!(of("xba", 4), "cdba");
        assert_eq!(of("aBx16b", 4), "aBcd16b");
        assert_eq!(of("abxc", 5), "abdec");
    }

    #[test]
    fn older_names_become_letters() {
        for (name, letters) in [
            ("nchw", "abcd"),
            ("nhwc", "acdb"),
            ("nChw16c", "aBcd16b"),
            ("oihw", "abcd"),
            ("hwio", "cdba"),
            ("OIhw16i16o", "ABcd16b16a"),
            ("goihw", "abcde"),
            ("ncdhw", "abcde"),
            ("tnc", "abc"),
            ("ntc", "bac"),
            ("ldigo", "abcde"),
            ("ldgoi", "abdec"),
            ("ldnc", "abcd"),
            ("ldgo", "abcd"),
            ("nc", "ab"),
            ("io", "ba"),
        ] {
            assert_eq!(
                of(name, letters.chars().filter(|c| c.is_ascii_alphabetic()).map(position).max().unwrap() + 1),
                letters,
                "{name}"
            );
        }
    }

    #[test]
    fn letters_stay_and_nonsense_is_refused() {
        assert_eq!(of("ba", 2), "ba");
        assert_eq!(of("acdb", 4), "acdb");
        assert!(letters("abc", 4).is_err());
        assert!(letters("qq", 2).is_err());
        assert!(letters("", 2).is_err());
        assert_eq!(Arrangement::parse("any", 3), Ok(Arrangement::Any));
    }
}
