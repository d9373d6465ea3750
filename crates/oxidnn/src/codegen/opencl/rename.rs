//! Names that do not tell where in a program a kernel comes from.
//!
//! Nodes, tensors and arguments are numbered through a whole program. A kernel numbers its own from zero, in the order in
//! which its text mentions them, so that stages that do the same are the same text.

use std::collections::HashMap;
use std::hash::Hash;

/// The names of one kind, and what they stand for in the order of their first mention.
pub(super) struct Renamed<T> {
    prefix: char,
    known: HashMap<String, T>,
    pub order: Vec<T>,
}

impl<T: Copy + Eq + Hash> Renamed<T> {
    /// Names of the form prefix and number, all different.
    pub fn new(prefix: char, all: impl IntoIterator<Item = (usize, T)>) -> Renamed<T> {
        let known = all.into_iter().map(|(number, of)| (format!("{prefix}{number}"), of)).collect();
        Renamed { prefix, known, order: Vec::new() }
    }

    /// The new name for an old one, if it is one of these.
    pub fn rename(&mut self, name: &str) -> Option<String> {
        let of = *self.known.get(name)?;
        let position = self.order.iter().position(|&known| known == of).unwrap_or_else(|| {
            self.order.push(of);
            self.order.len() - 1
        });
        Some(format!("{}{position}", self.prefix))
    }
}

/// The text with every identifier replaced for which `rename` has another name. What follows a dot is a component of a
/// vector, not a name.
pub(super) fn identifiers(text: &str, mut rename: impl FnMut(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (between, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        result.push_str(between);
        let component = between.ends_with('.');
        match if component { None } else { rename(word) } {
            Some(name) => result.push_str(&name),
            None => result.push_str(word),
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_by_their_first_mention() {
        let mut params = Renamed::new('p', [(7, "seven"), (12, "twelve"), (3, "three")]);
        let text = identifiers("a = p12 * 3 + p7; b = p12_ + xp7 + p12;", |name| params.rename(name));
        assert_eq!(text, "a = p0 * 3 + p1; b = p12_ + xp7 + p0;");
        assert_eq!(params.order, ["twelve", "seven"]);
    }

    #[test]
    fn components_of_vectors_keep_their_names() {
        let mut scalars = Renamed::new('s', [(5, ())]);
        assert_eq!(identifiers("v.s5 * s5 + s5", |name| scalars.rename(name)), "v.s5 * s0 + s0");
    }
}
