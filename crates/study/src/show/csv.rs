//! A sweep for spreadsheets: a line for each point, every figure in its basic unit and named by it.

use super::Report;
use crate::figures::{Figures, Latencies, Rates};

/// Columns after those of the axes.
const HEADS: [&str; 18] = [
    "runs",
    "failed_runs",
    "iops",
    "bytes_per_s",
    "read_iops",
    "read_bytes_per_s",
    "write_iops",
    "write_bytes_per_s",
    "trim_iops",
    "trim_bytes_per_s",
    "lat_mean_ns",
    "lat_p50_ns",
    "lat_p99_ns",
    "lat_p99_9_ns",
    "cpu_percent",
    "spread_metric",
    "spread_percent",
    "error",
];

pub(super) fn write(report: &Report) -> String {
    let axes = report.sweep.axes().iter().map(|axis| axis.option.clone());
    let mut text = line(axes.chain(HEADS.map(str::to_owned)));
    let metric = report.asked.metric;
    for row in &report.rows {
        let settings = row.point.settings.iter().map(|(_, value)| value.clone());
        let counts = [row.runs.len().to_string(), row.failures().to_string()];
        let figures = figures(row.median.as_ref());
        let spread = row.spread_percent(metric).map_or_else(String::new, |percent| format!("{percent:.3}"));
        let rest = [metric.to_string(), spread, row.failure().unwrap_or_default().to_owned()];
        text.push_str(&line(settings.chain(counts).chain(figures).chain(rest)));
    }
    text
}

/// Empty where there is none.
fn figures(figures: Option<&Figures>) -> Vec<String> {
    let number = |of: &dyn Fn(&Figures) -> Option<f64>| {
        figures.and_then(of).map_or_else(String::new, |value| format!("{value:.3}"))
    };
    let sides: [fn(&Figures) -> &Rates; 4] =
        [|figures| &figures.total, |figures| &figures.read, |figures| &figures.write, |figures| &figures.trim];
    let latencies: [fn(&Latencies) -> f64; 4] =
        [|latency| latency.mean_ns, |latency| latency.p50_ns, |latency| latency.p99_ns, |latency| latency.p99_9_ns];
    let rates = sides.iter().flat_map(|side| {
        [number(&|figures| Some(side(figures).iops)), number(&|figures| Some(side(figures).bytes_per_s))]
    });
    let latencies = latencies.iter().map(|of| number(&|figures| figures.total.latency.as_ref().map(of)));
    rates.chain(latencies).chain([number(&|figures| figures.cpu.map(|cpu| cpu.percent))]).collect()
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| quoted(&cell)).collect();
    format!("{}\n", cells.join(","))
}

/// As RFC 4180 wants it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    #[test]
    fn each_point_is_a_line_with_as_many_cells_as_there_are_heads() {
        let sweep = swept(&["bs=4k,8k;16k", "o=1,2"], 1, &[(1, 0), (2, 3), (0, 0)]);
        let text = write(&Report::new(&asked(1, Metric::IOPS), &sweep));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("bs,o,runs,failed_runs,iops,"), "{text}");
        assert!(lines[2].starts_with("\"4k,8k\",2,1,0,5.000,5242880.000,2.000,2097152.000,3.000,"), "{text}");
        assert!(
            lines[3].starts_with("16k,1,1,1,,,") && lines[3].ends_with(",test.dat: no space left on the device"),
            "{text}"
        );
    }

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(quoted("say \"a\""), "\"say \"\"a\"\"\"");
    }
}
