//! Correctness: a problem on our library and on another one, or on the host engine, and whether the results agree.

use crate::compare::compare;
use crate::problem::{Problem, Role};
use crate::spec::Spec;
use crate::table::Format;
use crate::worker::Worker;
use serde::Serialize;

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The results agree.
    Passed,
    /// The results do not agree, or our library broke down.
    Failed,
    /// Our library said that it does not do this.
    Unimplemented,
    /// The other library does not do this, so there is nothing to compare with.
    NoReference,
}

impl Verdict {
    /// Whether something is wrong with our library.
    pub fn is_fault(self) -> bool {
        self == Verdict::Failed
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Unimplemented => "unimplemented",
            Verdict::NoReference => "no reference",
        }
    }
}

/// A problem with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// What was found.
    pub verdict: Verdict,
    /// The largest difference, as a part of what is allowed.
    pub worst: f64,
    /// What there is to say.
    pub detail: String,
}

impl Row {
    /// The row in a few words.
    pub fn brief(&self) -> String {
        let detail = if self.detail.is_empty() { String::new() } else { format!(", {}", self.detail) };
        format!("{}{detail}", self.verdict.name())
    }
}

/// Checks one problem.
pub fn check(spec: &Spec, ours: &mut Worker, theirs: &mut Worker) -> Result<Row, String> {
    let problem = Problem::build(spec)?;
    let results = |worker: &mut Worker| worker.prepare(spec).and_then(|_| worker.results());
    let own = results(ours);
    let other = match results(theirs) {
        Err(error) if error.starts_with("crashed") && theirs.be_careful() => results(theirs),
        other => other,
    };
    ours.release();
    theirs.release();
    let row = |verdict, worst, detail| Ok(Row { problem: spec.to_string(), verdict, worst, detail });
    let (own, other) = match (own, other) {
        (Ok(own), Ok(other)) => (own, other),
        (Err(error), _) if error.ends_with("unimplemented") => return row(Verdict::Unimplemented, 0.0, error),
        (Err(error), Err(_)) if !error.starts_with("crashed") => return row(Verdict::NoReference, 0.0, error),
        (Err(error), _) => return row(Verdict::Failed, 0.0, error),
        (Ok(_), Err(error)) => return row(Verdict::NoReference, 0.0, error),
    };
    let outputs = problem.args.iter().filter(|argument| argument.role == Role::Output);
    let (mut worst, mut wrong) = (0.0f64, Vec::new());
    for (output, (own, other)) in outputs.zip(own.iter().zip(&other)) {
        if own.is_empty() && other.is_empty() {
            continue;
        }
        let agreement = compare(output, problem.accuracy, own, other);
        worst = worst.max(agreement.worst);
        wrong.extend(agreement.first.map(|first| {
            format!("argument {}: {} of {} wrong, {first}", output.index, agreement.wrong, agreement.elements)
        }));
    }
    row(if wrong.is_empty() { Verdict::Passed } else { Verdict::Failed }, worst, wrong.join("; "))
}

/// Prints what was found.
pub fn print(rows: &[Row], format: Format) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let summary = format!(
        "{} passed, {} failed, {} unimplemented, {} without a reference\n",
        count(Verdict::Passed),
        count(Verdict::Failed),
        count(Verdict::Unimplemented),
        count(Verdict::NoReference)
    );
    let lines = |line: &dyn Fn(&Row) -> String| rows.iter().map(line).collect::<String>();
    match format {
        Format::Text => lines(&|row| format!("{}: {}\n", row.problem, row.brief())) + &summary,
        Format::Markdown => {
            let body = lines(&|row| format!("| `{}` | {} | {} |\n", row.problem, row.verdict.name(), row.detail));
            format!("| problem | verdict | detail |\n|---|---|---|\n{body}\n{summary}")
        }
        Format::Csv => {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            "problem,verdict,worst,detail\n".to_string()
                + &lines(&|row| {
                    format!("{},{},{},{}\n", quoted(&row.problem), row.verdict.name(), row.worst, quoted(&row.detail))
                })
        }
        Format::Json => serde_json::to_string_pretty(rows).expect("strings and finite numbers") + "\n",
    }
}
