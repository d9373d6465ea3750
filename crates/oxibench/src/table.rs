//! Results as rows, and the forms they are printed in.

use crate::measure::{Timing, geometric_mean};
use serde::{Deserialize, Serialize};

/// What the device can do at most, as measured.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Peak {
    /// Single-precision operations, in GFLOP/s.
    pub gflops: f64,
    /// Bytes read and written, in GB/s.
    pub gbytes: f64,
}

/// A problem with what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The primitive.
    pub driver: String,
    /// Operations on numbers.
    pub flops: f64,
    /// Our times, or why there are none.
    pub ours: Result<Timing, String>,
    /// The other library's times, or why there are none.
    pub theirs: Option<Result<Timing, String>>,
}

impl Row {
    /// Operations per second, in GFLOP/s.
    pub fn gflops(&self) -> Option<f64> {
        self.ours.as_ref().ok().filter(|_| self.flops > 0.0).map(|ours| self.flops / ours.min / 1e9)
    }

    /// Bytes per second, in GB/s.
    pub fn gbytes(&self) -> Option<f64> {
        self.ours.as_ref().ok().map(|ours| ours.preparation.bytes as f64 / ours.min / 1e9)
    }

    /// How much of what the device can do at this problem's mix of operations and bytes.
    pub fn percent(&self, peak: Option<Peak>) -> Option<f64> {
        let (peak, ours) = peak.zip(self.ours.as_ref().ok())?;
        let least = (self.flops / (peak.gflops * 1e9)).max(ours.preparation.bytes as f64 / (peak.gbytes * 1e9));
        Some(100.0 * least / ours.min)
    }

    /// Their time over ours, by the shortest and by the middle runs.
    pub fn ratios(&self) -> Option<(f64, f64)> {
        let (ours, theirs) = (self.ours.as_ref().ok()?, self.theirs.as_ref()?.as_ref().ok()?);
        Some((theirs.min / ours.min, theirs.median / ours.median))
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
    fn header(&self) -> Vec<&'static str> {
        let mut header = vec!["problem", "min ms", "median ms", "GFLOP/s", "GB/s"];
        if self.peak.is_some() {
            header.push("% of peak");
        }
        if self.theirs.is_some() {
            header.extend(["their min ms", "their median ms", "ratio", "ratio (median)"]);
        }
        header
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let number = |value: Option<f64>, digits: usize| value.map_or("-".to_string(), |v| format!("{v:.digits$}"));
        let milliseconds = |timing: &Result<Timing, String>| match timing {
            Ok(timing) => [timing.min, timing.median].map(|seconds| significant(seconds * 1e3)),
            Err(_) => ["-".to_string(), "-".to_string()],
        };
        let mut cells = vec![row.problem.clone()];
        cells.extend(milliseconds(&row.ours));
        cells.extend([number(row.gflops(), 1), number(row.gbytes(), 1)]);
        if self.peak.is_some() {
            cells.push(number(row.percent(self.peak), 0));
        }
        if let Some(theirs) = &row.theirs {
            cells.extend(milliseconds(theirs));
            let ratios = row.ratios();
            cells.extend([number(ratios.map(|r| r.0), 2), number(ratios.map(|r| r.1), 2)]);
        }
        cells
    }

    /// The geometric means of the ratios, by the shortest and by the middle runs, and of how many.
    pub fn mean(&self) -> Option<(f64, f64, usize)> {
        let ratios: Vec<(f64, f64)> = self.rows.iter().filter_map(Row::ratios).collect();
        let by_min = geometric_mean(ratios.iter().map(|r| r.0))?;
        let by_median = geometric_mean(ratios.iter().map(|r| r.1))?;
        Some((by_min, by_median, ratios.len()))
    }

    /// What did not run, and why.
    fn remarks(&self) -> Vec<String> {
        let remark = |row: &Row| {
            let ours = row.ours.as_ref().err().map(|error| format!("{}: {error}", row.problem));
            let theirs = row.theirs.as_ref().and_then(|theirs| theirs.as_ref().err());
            ours.into_iter().chain(theirs.map(|error| format!("{}: the other library: {error}", row.problem)))
        };
        self.rows.iter().flat_map(|row| remark(row).collect::<Vec<_>>()).collect()
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

    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.peak.map(|p| format!("peak: {:.0} GFLOP/s f32, {:.1} GB/s", p.gflops, p.gbytes)));
        lines.extend(self.mean().map(|(min, median, count)| {
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
    match (&row.ours, &row.theirs, row.ratios()) {
        (Ok(ours), _, Some((ratio, _))) => format!("{} ms, ratio {ratio:.2}", significant(ours.min * 1e3)),
        (Err(error), ..) => error.clone(),
        (_, Some(Err(error)), _) => format!("the other library: {error}"),
        (Ok(ours), ..) => format!("{} ms", significant(ours.min * 1e3)),
    }
}
