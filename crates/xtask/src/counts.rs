//! How many tests passed, as the programs that ran them say.

use std::iter::Sum;
use std::ops::AddAssign;

/// Tests by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They passed.
    pub passed: u64,
    /// They failed.
    pub failed: u64,
    /// They did not run, or found nothing to run on.
    pub skipped: u64,
}

impl Counts {
    /// From the output of Rust's test runner with `--show-output`, any number of closing lines.
    ///
    /// A test that prints nothing but `skipped: …` passed in the runner's eyes, but found nothing to run on.
    pub fn of_rust_tests(text: &str) -> Counts {
        let mut counts = Counts::default();
        for line in text.lines() {
            let Some(numbers) = line.strip_prefix("test result: ").and_then(|line| line.split_once(". ")) else {
                continue;
            };
            for part in numbers.1.split(';') {
                match part.trim().split_once(' ') {
                    Some((count, "passed")) => counts.passed += count.parse().unwrap_or(0),
                    Some((count, "failed")) => counts.failed += count.parse().unwrap_or(0),
                    Some((count, "ignored")) => counts.skipped += count.parse().unwrap_or(0),
                    _ => {}
                }
            }
        }
        let skipped = skipped_by_their_own_word(text);
        counts.passed = counts.passed.saturating_sub(skipped);
        counts.skipped += skipped;
        counts
    }

    /// From a line `N passed, N failed, N skipped`, the last one there is.
    pub fn of_closing_line(text: &str) -> Option<Counts> {
        text.lines().rev().find_map(|line| {
            let mut parts = line.trim().split(", ").map(|part| part.split_once(' '));
            let mut next = |name: &str| match parts.next()? {
                Some((count, word)) if word == name => count.parse().ok(),
                _ => None,
            };
            Some(Counts { passed: next("passed")?, failed: next("failed")?, skipped: next("skipped")? })
        })
    }
}

/// Tests whose whole output is a line that begins with `skipped:`.
fn skipped_by_their_own_word(text: &str) -> u64 {
    let mut skipped = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !(line.starts_with("---- ") && line.ends_with(" stdout ----")) {
            continue;
        }
        let mut own_word = false;
        // A section ends with an empty line.
        while let Some(line) = lines.next_if(|line| !line.is_empty()) {
            own_word = line.starts_with("skipped:");
            if !own_word {
                break;
            }
        }
        skipped += u64::from(own_word);
    }
    skipped
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(all: I) -> Counts {
        all.fold(Counts::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 4 tests
test a ... ok
test b ... ok
test c ... FAILED
test d ... ignored

successes:

---- a stdout ----
skipped: no OpenCL device on this machine

---- b stdout ----
a device
skipped: it has no doubles


successes:
    a
    b

failures:

---- c stdout ----
skipped: half
and then something went wrong

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.06s

test result: ok. 40 passed; 0 failed; 2 ignored; 0 measured; 3 filtered out; finished in 0.06s
";

    #[test]
    fn closing_lines_of_rust_tests_add_up() {
        assert_eq!(Counts::of_rust_tests(OUTPUT), Counts { passed: 41, failed: 1, skipped: 4 });
        assert_eq!(Counts::of_rust_tests("error: could not compile"), Counts::default());
    }

    #[test]
    fn the_last_closing_line_counts() {
        let text = "1 passed, 0 failed, 0 skipped\nnoise\n7 passed, 2 failed, 3 skipped\n";
        assert_eq!(Counts::of_closing_line(text), Some(Counts { passed: 7, failed: 2, skipped: 3 }));
        assert_eq!(Counts::of_closing_line("7 passed\n"), None);
    }
}
