//! Known gaps as data: which cases the library under test may refuse, for a reason that is written down.
//!
//! A line of the file is `kind "text" reason…`. The text is a part of the case's one-line description; parts separated by `*` must
//! occur in this order.

/// One entry.
#[derive(Debug)]
struct Entry {
    kind: String,
    parts: Vec<String>,
}

/// A file of entries.
#[derive(Debug, Default)]
pub struct Known(Vec<Entry>);

impl Known {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Known, String> {
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let entries = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(number, line)| {
            let wrong = |what: &str| format!("line {number} of the file of known gaps: {what}");
            let (kind, rest) = line.split_once(' ').ok_or_else(|| wrong("has no text in quotes"))?;
            let (text, reason) = rest
                .strip_prefix('"')
                .and_then(|rest| rest.split_once('"'))
                .ok_or_else(|| wrong("has no text in quotes"))?;
            if reason.trim().is_empty() {
                return Err(wrong("gives no reason"));
            }
            Ok(Entry { kind: kind.to_string(), parts: text.split('*').map(str::to_string).collect() })
        });
        Ok(Known(entries.collect::<Result<_, _>>()?))
    }

    /// Whether an entry covers a case.
    pub fn covers(&self, kind: &str, description: &str) -> bool {
        self.0.iter().filter(|entry| entry.kind == kind).any(|entry| {
            let mut rest = description;
            entry.parts.iter().all(|part| match rest.find(part.as_str()) {
                Some(at) => {
                    rest = &rest[at + part.len()..];
                    true
                }
                None => false,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_covers_its_kind_and_text_only() {
        let known = Known::parse("# note\nsum \"f64*any\" not yet\n").unwrap();
        assert!(known.covers("sum", "sum 1=f64:ab 17=f64:any"));
        assert!(!known.covers("sum", "sum 1=f64:ab"));
        assert!(!known.covers("concat", "f64 any"));
    }

    #[test]
    fn an_entry_without_a_reason_is_an_error() {
        assert!(Known::parse("sum \"f64\"").is_err());
        assert!(Known::parse("sum f64 because").is_err());
    }
}
