//! Latency distribution, per target if there are several, and of all I/Os.

use crate::render::figures::{Figures, Percentile, Side, milliseconds};
use crate::render::report::{Row, Span};
use record::Latency;
use units::markup::one_line;

/// Rows of the table.
const PERCENTILES: [(&str, Percentile); 13] = [
    ("25th", Percentile::percent(25)),
    ("50th", Percentile::percent(50)),
    ("75th", Percentile::percent(75)),
    ("90th", Percentile::percent(90)),
    ("95th", Percentile::percent(95)),
    ("99th", Percentile::percent(99)),
    ("3-nines", Percentile::nines(3)),
    ("4-nines", Percentile::nines(4)),
    ("5-nines", Percentile::nines(5)),
    ("6-nines", Percentile::nines(6)),
    ("7-nines", Percentile::nines(7)),
    ("8-nines", Percentile::nines(8)),
    ("9-nines", Percentile::nines(9)),
];

pub fn tables(span: &Span) -> String {
    let mut paths: Vec<&str> = Vec::new();
    for row in span.rows() {
        if !paths.contains(&row.path.as_str()) {
            paths.push(&row.path);
        }
    }
    let mut text = String::new();
    if paths.len() > 1 {
        for path in paths {
            let of_target: Vec<&Row> = span.rows().filter(|row| row.path == path).collect();
            text += &format!("\nLatency distribution: {}\n{}", one_line(path), table(span, &of_target));
        }
    }
    let all: Vec<&Row> = span.rows().collect();
    text + &format!("\nTotal latency distribution:\n{}", table(span, &all))
}

fn table(span: &Span, rows: &[&Row]) -> String {
    let sum = |side| Figures::sum(rows.iter().copied(), side, span.window()).latency;
    let (reads, writes, total) = (sum(Side::Read), sum(Side::Write), sum(Side::Total));
    let line = |name: &str, value: &dyn Fn(&Latency) -> u64| {
        let shown = |latency: &Latency| format!("{:.3}", milliseconds(value(latency) as f64));
        let side = |latency: &Latency| if latency.count() == 0 { "N/A".to_owned() } else { shown(latency) };
        format!("{name:>7} | {:>10} | {:>10} | {:>10}\n", side(&reads), side(&writes), shown(&total))
    };
    let mut text = format!("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}\n", "-".repeat(46));
    text += &line("min", &Latency::min_ns);
    for (name, above) in PERCENTILES {
        text += &line(name, &|latency| above.of_latency(latency));
    }
    text + &line("max", &Latency::max_ns)
}
