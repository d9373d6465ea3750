//! Results as rows, and the forms they are printed in.

use crate::measure::{Timing, geometric_mean};
use crate::peak::Peak;
use crate::spec::Spec;
use serde::{Deserialize, Serialize};

/// One library's times for a problem, or why there are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measured {
    /// It ran.
    Timed(Timing),
    /// It did not.
    Failed {
        /// Why.
        error: String,
    },
}

impl From<Result<Timing, String>> for Measured {
    fn from(result: Result<Timing, String>) -> Measured {
        match result {
            Ok(timing) => Measured::Timed(timing),
            Err(error) => Measured::Failed { error },
        }
    }
}

impl Measured {
    /// The times, if it ran.
    pub fn timing(&self) -> Option<&Timing> {
        match self {
            Measured::Timed(timing) => Some(timing),
            Measured::Failed { .. } => None,
        }
    }

    /// Why it did not run.
    pub fn error(&self) -> Option<&str> {
        match self {
            Measured::Timed(_) => None,
            Measured::Failed { error } => Some(error),
        }
    }
}

/// A problem with what became of it. Rates are ours, from the shortest run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The primitive.
    pub driver: String,
    /// The batch file it is from, if any.
    pub group: Option<String>,
    /// Operations on numbers.
    pub flops: f64,
    /// Our times.
    pub ours: Measured,
    /// The other library's times.
    pub theirs: Option<Measured>,
    /// Operations per second, in GFLOP/s.
    pub gflops: Option<f64>,
    /// Bytes per second, in GB/s.
    pub gbytes: Option<f64>,
    /// How much of what the device can do at this problem's mix of operations and bytes.
    pub percent_of_peak: Option<f64>,
    /// Their time over ours, by the shortest runs.
    pub ratio: Option<f64>,
    /// Their time over ours, by the middle runs.
    pub ratio_of_medians: Option<f64>,
}

impl Row {
    /// A row with its rates.
    pub fn new(spec: &Spec, flops: f64, ours: Measured, theirs: Option<Measured>, peak: Option<Peak>) -> Row {
        let timing = ours.timing();
        let bytes = timing.map(|ours| ours.preparation.bytes as f64);
        let rate = |work: Option<f64>| work.zip(timing).map(|(work, ours)| work / ours.min / 1e9);
        let both = timing.zip(theirs.as_ref().and_then(Measured::timing));
        let percent = |peak: Peak| bytes.zip(timing).map(|(bytes, ours)| 100.0 * peak.least(flops, bytes) / ours.min);
        Row {
            problem: spec.to_string(),
            driver: spec.driver.clone(),
            group: spec.group.clone(),
            flops,
            gflops: rate(Some(flops).filter(|flops| *flops > 0.0)),
            gbytes: rate(bytes),
            percent_of_peak: peak.and_then(percent),
            ratio: both.map(|(ours, theirs)| theirs.min / ours.min),
            ratio_of_medians: both.map(|(ours, theirs)| theirs.median / ours.median),
            ours,
            theirs,
        }
    }
}

/// Everything a run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Our library and its engine.
    pub ours: String,
    /// The other library and its engine.
    pub theirs: Option<String>,
    /// What the device can do.
    pub peak: Option<Peak>,
    /// The problems.
    pub rows: Vec<Row>,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Format {
    Text,
    Markdown,
    Csv,
    Json,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text {
            "text" => Ok(Format::Text),
            "markdown" | "md" => Ok(Format::Markdown),
            "csv" => Ok(Format::Csv),
            "json" => Ok(Format::Json),
            _ => Err(format!("--format={text} is none of text, markdown, csv, json")),
        }
    }
}

impl Report {
    /// The columns' names.
    pub fn header(&self) -> Vec<&'static str> {
        let mut header = vec!["problem", "min ms", "median ms", "GFLOP/s", "GB/s"];
        if self.peak.is_some() {
            header.push("% of peak");
        }
        if self.theirs.is_some() {
            header.extend(["their min ms", "their median ms", "ratio", "ratio (median)"]);
        }
        header
    }

    /// A row in words.
    pub fn cells(&self, row: &Row) -> Vec<String> {
        let number = |value: Option<f64>, digits: usize| value.map_or("-".to_string(), |v| format!("{v:.digits$}"));
        let milliseconds = |measured: &Measured| match measured.timing() {
            Some(timing) => [timing.min, timing.median].map(|seconds| significant(seconds * 1e3)),
            None => ["-".to_string(), "-".to_string()],
        };
        let mut cells = vec![row.problem.clone()];
        cells.extend(milliseconds(&row.ours));
        cells.extend([number(row.gflops, 1), number(row.gbytes, 1)]);
        if self.peak.is_some() {
            cells.push(number(row.percent_of_peak, 0));
        }
        if let Some(theirs) = &row.theirs {
            cells.extend(milliseconds(theirs));
            cells.extend([number(row.ratio, 2), number(row.ratio_of_medians, 2)]);
        }
        cells
    }

    /// The geometric means of the ratios of some rows, by the shortest and by the middle runs, and of how many.
    pub fn mean(&self, rows: impl Fn(&Row) -> bool) -> Option<(f64, f64, usize)> {
        let chosen: Vec<&Row> = self.rows.iter().filter(|row| row.ratio.is_some() && rows(row)).collect();
        let by_min = geometric_mean(chosen.iter().filter_map(|row| row.ratio))?;
        let by_median = geometric_mean(chosen.iter().filter_map(|row| row.ratio_of_medians))?;
        Some((by_min, by_median, chosen.len()))
    }

    /// What did not run, and why.
    pub fn remarks(&self) -> Vec<String> {
        let remark = |row: &Row| {
            let ours = row.ours.error().map(|error| format!("{}: {error}", row.problem));
            let theirs = row.theirs.as_ref().and_then(Measured::error);
            ours.into_iter()
                .chain(theirs.map(|error| format!("{}: the other library: {error}", row.problem)))
                .collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(remark).collect()
    }

    /// Prints everything.
    pub fn print(&self, format: Format) -> String {
        match format {
            Format::Text => self.text(),
            Format::Markdown => self.markdown(),
            Format::Csv => self.csv(),
            Format::Json => serde_json::to_string_pretty(self).expect("numbers and strings") + "\n",
        }
    }

    /// What is to be said of all rows together.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.peak.map(|p| format!("peak: {:.0} GFLOP/s f32, {:.1} GB/s", p.gflops, p.gbytes)));
        let mut groups: Vec<&str> = self.rows.iter().filter_map(|row| row.group.as_deref()).collect();
        groups.dedup();
        for group in groups.into_iter().filter(|group| self.rows.iter().any(|row| row.group.as_deref() != Some(group)))
        {
            lines.extend(self.mean(|row| row.group.as_deref() == Some(group)).map(|(min, median, count)| {
                format!("geometric mean of {count} ratios in {group}: {min:.3} (median {median:.3})")
            }));
        }
        lines.extend(self.mean(|_| true).map(|(min, median, count)| {
            format!("geometric mean of {count} ratios: {min:.3} (median {median:.3}); above 1, ours is faster")
        }));
        lines.extend(self.remarks().into_iter().map(|remark| format!("did not run: {remark}")));
        lines
    }

    fn text(&self) -> String {
        let mut lines = vec![self.header().into_iter().map(str::to_string).collect::<Vec<_>>()];
        lines.extend(self.rows.iter().map(|row| self.cells(row)));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text + &self.summary().into_iter().map(|line| line + "\n").collect::<String>()
    }

    fn markdown(&self) -> String {
        let header = self.header();
        let mut text = format!("| {} |\n|---{}|\n", header.join(" | "), "|---:".repeat(header.len() - 1));
        for row in &self.rows {
            let mut cells = self.cells(row);
            cells[0] = format!("`{}`", cells[0]);
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text + "\n" + &self.summary().into_iter().map(|line| line + "\n\n").collect::<String>()
    }

    fn csv(&self) -> String {
        let quote = |cell: &str| {
            if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
        };
        let mut text = self.header().join(",") + "\n";
        for row in &self.rows {
            text += &(self.cells(row).iter().map(|cell| quote(cell)).collect::<Vec<_>>().join(",") + "\n");
        }
        text
    }
}

/// A number with four digits that matter.
fn significant(value: f64) -> String {
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 9) as usize)
}

/// One line about a row, for progress.
pub fn brief(row: &Row) -> String {
    let failed = row.theirs.as_ref().and_then(Measured::error).map(|error| format!(", the other library: {error}"));
    match (&row.ours, row.ratio) {
        (Measured::Failed { error }, _) => error.clone(),
        (Measured::Timed(ours), Some(ratio)) => format!("{} ms, ratio {ratio:.2}", significant(ours.min * 1e3)),
        (Measured::Timed(ours), None) => format!("{} ms{}", significant(ours.min * 1e3), failed.unwrap_or_default()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::worker::Preparation;

    /// A report of two problems, one of which our library does not run.
    pub(crate) fn example() -> Report {
        let timing = |min: f64, bytes| {
            let preparation = Preparation { creation: 0.01, implementation: "simple".to_string(), bytes };
            Measured::Timed(Timing { min, median: 2.0 * min, samples: 9, preparation })
        };
        let spec = |driver: &str, descriptor: &str| Spec {
            driver: driver.to_string(),
            options: [("dt".to_string(), "bf16".to_string())].into(),
            descriptor: descriptor.to_string(),
            group: None,
        };
        let peak = Some(Peak { gflops: 100.0, gbytes: 10.0 });
        let failed = Measured::Failed { error: "primitive descriptor: unimplemented".to_string() };
        Report {
            ours: "libdnnl.so on gpu".to_string(),
            theirs: Some("other/libdnnl.so.3 on cpu".to_string()),
            peak,
            rows: vec![
                Row::new(&spec("matmul", "8x8:8x8"), 1e9, timing(0.02, 1000), Some(timing(0.05, 1000)), peak),
                Row::new(&spec("eltwise", "8x8"), 0.0, failed, Some(timing(0.01, 5000)), peak),
            ],
        }
    }

    #[test]
    fn rates_and_ratios_come_from_the_shortest_runs() {
        let report = example();
        let row = &report.rows[0];
        assert_eq!(row.gflops, Some(50.0));
        assert_eq!(row.ratio, Some(2.5));
        assert!((row.percent_of_peak.unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(report.rows[1].gflops, None);
        assert_eq!(report.mean(|_| true).map(|mean| mean.2), Some(1));
    }

    #[test]
    fn text_and_markdown_name_every_problem_and_what_did_not_run() {
        for format in [Format::Text, Format::Markdown] {
            let text = example().print(format);
            assert!(text.contains("--matmul --dt=bf16 8x8:8x8"), "{text}");
            assert!(text.contains("geometric mean of 1 ratios: 2.500"), "{text}");
            assert!(
                text.contains("did not run: --eltwise --dt=bf16 8x8: primitive descriptor: unimplemented"),
                "{text}"
            );
        }
    }

    #[test]
    fn batch_files_get_a_mean_each() {
        let mut report = example();
        report.rows.push(report.rows[0].clone());
        (report.rows[0].group, report.rows[2].group) = (Some("one".to_string()), Some("two".to_string()));
        let text = report.print(Format::Text);
        assert!(text.contains("geometric mean of 1 ratios in two: 2.500"), "{text}");
    }

    #[test]
    fn csv_has_a_cell_for_every_column() {
        let csv = example().print(Format::Csv);
        let counts: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [10, 10, 10]);
    }

    #[test]
    fn json_can_be_read_again() {
        let report = example();
        let again: Report = serde_json::from_str(&report.print(Format::Json)).unwrap();
        assert_eq!(again.print(Format::Text), report.print(Format::Text));
    }

    #[test]
    fn four_digits_are_printed() {
        assert_eq!(significant(0.012_345), "0.01235");
        assert_eq!(significant(123.456), "123.5");
        assert_eq!(significant(98_765.0), "98765");
    }
}
