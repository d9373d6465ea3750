//! A report as one self-contained page: a roofline plot and the table.

use crate::table::{Measured, Report, Row};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 56.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--ours:#0a7d55;--theirs:#b25a00;--line:#8886;--text:light-dark(#1b1f23,#e6e8ea);\
--back:light-dark(#fff,#14171a)}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1100px;padding:0 1rem;\
color:var(--text);background:var(--back)}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
th:first-child,td:first-child{text-align:left;font-family:ui-monospace,monospace;font-size:.85em;white-space:normal}\
.faster{color:var(--ours);font-weight:600}.slower{color:var(--theirs);font-weight:600}svg{max-width:100%;height:auto}\
svg text{fill:currentColor;font-size:12px}.wide{overflow-x:auto}";

/// The page.
pub fn page(report: &Report) -> String {
    let title = match &report.theirs {
        Some(theirs) => format!("{} against {theirs}", report.ours),
        None => report.ours.clone(),
    };
    let summary: String = report.summary().iter().map(|line| format!("<li>{}</li>", escaped(line))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>oxibench</title><style>{STYLE}</style></head>\n<body><h1>oxibench</h1>\n\
         <p>{}</p>\n{}\n<ul>{summary}</ul>\n<div class=\"wide\">{}</div>\n</body></html>\n",
        escaped(&title),
        roofline(report),
        table(report)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn table(report: &Report) -> String {
    let head: String = report.header().iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
    let row = |row: &Row| {
        let cells = report.cells(row);
        let last = cells.len();
        let cell = |(i, cell): (usize, &String)| {
            let ratio = row.ratio.filter(|_| i + 2 == last);
            let class = ratio.map_or("", |ratio| if ratio >= 1.0 { " class=\"faster\"" } else { " class=\"slower\"" });
            format!("<td{class}>{}</td>", escaped(cell))
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let body: String = report.rows.iter().map(row).collect();
    format!("<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>")
}

/// A point of the plot: operations per byte, GFLOP/s, what it is.
struct Point {
    intensity: f64,
    gflops: f64,
    label: String,
    ours: bool,
}

fn points(report: &Report) -> Vec<Point> {
    let of = |row: &Row, measured: &Measured, ours: bool| {
        let timing = measured.timing().filter(|_| row.flops > 0.0)?;
        let gflops = row.flops / timing.min / 1e9;
        let whose = if ours { "ours" } else { "theirs" };
        let label = format!("{} ({whose}): {gflops:.1} GFLOP/s, {:.4} ms", row.problem, timing.min * 1e3);
        Some(Point { intensity: row.flops / timing.preparation.bytes.max(1) as f64, gflops, label, ours })
    };
    let both = |row: &Row| [row.theirs.as_ref().and_then(|theirs| of(row, theirs, false)), of(row, &row.ours, true)];
    report.rows.iter().flat_map(both).flatten().collect()
}

/// A logarithmic axis between powers of ten.
struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor() as i32;
        let high = values.fold(0.0, f64::max).log10().ceil() as i32;
        Axis { low, high: high.max(low + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + part * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        (self.low..=self.high).map(|power| {
            let value = 10f64.powi(power);
            (self.at(value), format!("{value}"))
        })
    }
}

fn roofline(report: &Report) -> String {
    let points = points(report);
    if points.is_empty() {
        return String::new();
    }
    let ridge = report.peak.map(|peak| (peak.gflops / peak.gbytes, peak.gflops));
    let xs: Vec<f64> = points.iter().map(|p| p.intensity).chain(ridge.map(|r| r.0)).collect();
    let ys: Vec<f64> = points.iter().map(|p| p.gflops).chain(ridge.map(|r| r.1)).collect();
    let x = Axis::around(xs.iter().copied(), MARGIN, WIDTH - 28.0);
    let y = Axis::around(ys.iter().copied(), HEIGHT - MARGIN, 16.0);
    let mut drawn = String::new();
    for (at, label) in x.ticks() {
        drawn += &format!(
            "<line x1=\"{at:.1}\" y1=\"16\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"var(--line)\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
            HEIGHT - MARGIN,
            HEIGHT - MARGIN + 18.0
        );
    }
    for (at, label) in y.ticks() {
        drawn += &format!(
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"var(--line)\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
            WIDTH - 28.0,
            MARGIN - 6.0,
            at + 4.0
        );
    }
    drawn += &format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">operations per byte</text>\
         <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">GFLOP/s</text>\n",
        WIDTH / 2.0,
        HEIGHT - 12.0,
        HEIGHT / 2.0
    );
    if let Some(peak) = report.peak {
        let lowest = (10f64.powi(y.low) / peak.gbytes).max(10f64.powi(x.low));
        let corner = (peak.gflops / peak.gbytes).max(lowest);
        drawn += &format!(
            "<polyline fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\">\
             <title>{:.0} GFLOP/s, {:.1} GB/s</title></polyline>\n",
            x.at(lowest),
            y.at(lowest * peak.gbytes),
            x.at(corner),
            y.at(peak.gflops),
            x.at(10f64.powi(x.high)),
            y.at(peak.gflops),
            peak.gflops,
            peak.gbytes
        );
    }
    for point in &points {
        let (cx, cy, label) = (x.at(point.intensity), y.at(point.gflops), escaped(&point.label));
        drawn += &if point.ours {
            format!(
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"5\" fill=\"var(--ours)\"><title>{label}</title></circle>\n"
            )
        } else {
            format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" fill=\"none\" stroke=\"var(--theirs)\" \
                 stroke-width=\"2\"><title>{label}</title></rect>\n",
                cx - 4.0,
                cy - 4.0
            )
        };
    }
    let legend = if report.theirs.is_some() { "filled circles are ours, squares the other library's" } else { "" };
    format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"roofline\">\n{drawn}</svg>\
         <figcaption>Speed over operations per byte; the line is what the device can do. {legend}</figcaption></figure>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::example;

    #[test]
    fn the_page_stands_alone_and_shows_every_problem() {
        let page = page(&example());
        for part in ["<svg", "polyline", "--matmul --dt=bf16 8x8:8x8", "class=\"faster\"", "geometric mean"] {
            assert!(page.contains(part), "{part}");
        }
        for outside in ["http://", "https://", "src=", "href=", "<script"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("<circle").count(), 1);
        assert_eq!(page.matches("<rect").count(), 1);
    }

    #[test]
    fn text_cannot_break_out_of_the_page() {
        let mut report = example();
        report.ours = "<script>alert(1)</script>".to_string();
        assert!(!page(&report).contains("<script"));
    }

    #[test]
    fn points_lie_inside_the_plot() {
        let x = Axis::around([0.3, 20.0, 450.0].into_iter(), 0.0, 100.0);
        assert_eq!((x.low, x.high), (-1, 3));
        for value in [0.3, 20.0, 450.0] {
            assert!((0.0..=100.0).contains(&x.at(value)));
        }
    }
}
