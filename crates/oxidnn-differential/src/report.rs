//! Verdicts on cases, and the summary of a run.

use crate::api::status_name;
use crate::case::Case;
use crate::compare::{difference, mismatch, unequal};
use crate::known::Known;
use crate::oracle::Approx;
use crate::outcome::{Outcome, Output};
use std::collections::BTreeMap;

/// What a case came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every output is right.
    Passed,
    /// Something is wrong.
    Failed(String),
    /// The reference computes it, the library under test does not.
    Unimplemented {
        /// Whether a known gap covers it.
        known: bool,
    },
    /// Neither library computes it.
    Neither,
    /// It ran, but neither the reference nor the oracle says what is right.
    NoReference,
}

/// The verdict, and what is odd about the reference.
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// How the reference is at odds with the oracle.
    pub odd_reference: Option<String>,
}

/// Judges a case.
pub fn judge(
    (kind, description): (&str, &str),
    case: &Case,
    expected: Option<&[Vec<Approx>]>,
    reference: &Outcome,
    tested: &Outcome,
    known: &Known,
    against_itself: bool,
) -> Judgement {
    let odd_reference = match (reference, expected) {
        (Outcome::Ran { outputs, .. }, Some(expected)) => first_mismatch(case, outputs, expected),
        (Outcome::Crashed(how), _) => Some(format!("the reference crashed: {how}")),
        _ => None,
    };
    if against_itself {
        let verdict = match (tested, odd_reference.is_some() || reference == tested) {
            (Outcome::Ran { .. }, true) => Verdict::Passed,
            (Outcome::Ran { .. }, false) => Verdict::Failed("two runs of the reference differ".to_string()),
            _ => Verdict::Neither,
        };
        return Judgement { verdict, odd_reference };
    }
    let verdict = match tested {
        Outcome::Crashed(how) => Verdict::Failed(format!("crashed: {how}")),
        Outcome::Refused { stage, status } => match (status, reference) {
            (3, Outcome::Ran { .. }) => Verdict::Unimplemented { known: known.covers(kind, description) },
            (2 | 3, Outcome::Refused { .. } | Outcome::Crashed(_)) => Verdict::Neither,
            _ => Verdict::Failed(format!("{stage}: {}", status_name(*status))),
        },
        Outcome::Ran { sizes, outputs } => {
            let same_sizes = match reference {
                Outcome::Ran { sizes: theirs, .. } => theirs == sizes,
                _ => true,
            };
            if !same_sizes {
                Verdict::Failed(format!("descriptor sizes {sizes:?}, the reference's are {reference:?}"))
            } else if let Some(fault) = outputs.iter().flat_map(|output| &output.faults).next() {
                Verdict::Failed(fault.clone())
            } else {
                values(case, expected, reference, outputs, odd_reference.is_some())
            }
        }
    };
    Judgement { verdict, odd_reference }
}

/// Judges the values.
fn values(
    case: &Case,
    expected: Option<&[Vec<Approx>]>,
    reference: &Outcome,
    outputs: &[Output],
    odd: bool,
) -> Verdict {
    let theirs = match reference {
        Outcome::Ran { outputs, .. } => Some(outputs),
        _ => None,
    };
    let types: Vec<_> = case.outputs().map(|argument| argument.tensor.dt).collect();
    let like_reference = theirs.map(|theirs| {
        let pairs = outputs.iter().zip(theirs).zip(&types);
        pairs.filter_map(|((ours, theirs), dt)| unequal(&ours.bits, &theirs.bits, *dt)).next()
    });
    let Some(expected) = expected else {
        return match like_reference {
            None => Verdict::NoReference,
            Some(None) => Verdict::Passed,
            Some(Some(difference)) => Verdict::Failed(format!("against the reference: {difference}")),
        };
    };
    if let Some(wrong) = first_mismatch(case, outputs, expected) {
        let agreed = if like_reference == Some(None) { " (the reference computes the same)" } else { "" };
        return Verdict::Failed(wrong + agreed);
    }
    let Some(theirs) = theirs.filter(|_| !odd) else {
        return Verdict::Passed;
    };
    let pairs = outputs.iter().zip(theirs).zip(types.iter().zip(expected));
    for ((ours, theirs), (dt, expected)) in pairs {
        if let Some(apart) = difference(&ours.bits, &theirs.bits, *dt, expected) {
            return Verdict::Failed(format!("against the reference: {apart}"));
        }
    }
    Verdict::Passed
}

fn first_mismatch(case: &Case, outputs: &[Output], expected: &[Vec<Approx>]) -> Option<String> {
    let all = case.outputs().zip(outputs).zip(expected);
    all.filter_map(|((argument, output), expected)| mismatch(&output.bits, argument.tensor.dt, expected)).next()
}

/// Counts of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub unimplemented: usize,
    pub known: usize,
    pub neither: usize,
    pub no_reference: usize,
    pub odd_reference: usize,
    pub by_oracle_alone: usize,
}

/// The counts of a run by kind.
#[derive(Debug, Default)]
pub struct Summary(BTreeMap<String, Counts>);

impl Summary {
    /// Counts a case.
    pub fn count(&mut self, kind: &str, judgement: &Judgement, reference: &Outcome) {
        let counts = self.0.entry(kind.to_string()).or_default();
        match &judgement.verdict {
            Verdict::Passed => counts.passed += 1,
            Verdict::Failed(_) => counts.failed += 1,
            Verdict::Unimplemented { known: false } => counts.unimplemented += 1,
            Verdict::Unimplemented { known: true } => counts.known += 1,
            Verdict::Neither => counts.neither += 1,
            Verdict::NoReference => counts.no_reference += 1,
        }
        if judgement.verdict == Verdict::Passed && !matches!(reference, Outcome::Ran { .. }) {
            counts.by_oracle_alone += 1;
        }
        counts.odd_reference += usize::from(judgement.odd_reference.is_some());
    }

    /// The counts of all kinds together.
    pub fn total(&self) -> Counts {
        self.0.values().fold(Counts::default(), |sum, counts| Counts {
            passed: sum.passed + counts.passed,
            failed: sum.failed + counts.failed,
            unimplemented: sum.unimplemented + counts.unimplemented,
            known: sum.known + counts.known,
            neither: sum.neither + counts.neither,
            no_reference: sum.no_reference + counts.no_reference,
            odd_reference: sum.odd_reference + counts.odd_reference,
            by_oracle_alone: sum.by_oracle_alone + counts.by_oracle_alone,
        })
    }

    /// Whether nothing failed and nothing is missing that is not known.
    pub fn is_clean(&self) -> bool {
        let total = self.total();
        total.failed == 0 && total.unimplemented == 0
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let heads = [
            "passed",
            "oracle only",
            "failed",
            "unimplemented",
            "known gap",
            "neither",
            "no reference",
            "odd reference",
        ];
        write!(f, "{:10}", "kind")?;
        heads.iter().try_for_each(|head| write!(f, " {head:>13}"))?;
        let total = self.total();
        for (kind, counts) in self.0.iter().map(|(k, c)| (k.as_str(), c)).chain([("total", &total)]) {
            write!(f, "\n{kind:10}")?;
            let Counts { passed, failed, unimplemented, known, neither, no_reference, odd_reference, by_oracle_alone } =
                counts;
            for number in [passed, by_oracle_alone, failed, unimplemented, known, neither, no_reference, odd_reference]
            {
                write!(f, " {number:>13}")?;
            }
        }
        let failed = total.failed + total.unimplemented;
        let skipped = total.neither + total.no_reference + total.known;
        write!(f, "\n{} passed, {failed} failed, {skipped} skipped", total.passed)
    }
}
