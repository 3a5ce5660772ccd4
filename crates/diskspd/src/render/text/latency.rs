//! How latencies are distributed: of each target where there are several, and of all I/Os.

use crate::render::figures::{Above, Figures, Side, milliseconds};
use crate::render::report::{Row, Span};
use record::Latency;

/// The lines of a table.
const PERCENTILES: [(&str, Above); 13] = [
    ("25th", Above::percent(25)),
    ("50th", Above::percent(50)),
    ("75th", Above::percent(75)),
    ("90th", Above::percent(90)),
    ("95th", Above::percent(95)),
    ("99th", Above::percent(99)),
    ("3-nines", Above::nines(3)),
    ("4-nines", Above::nines(4)),
    ("5-nines", Above::nines(5)),
    ("6-nines", Above::nines(6)),
    ("7-nines", Above::nines(7)),
    ("8-nines", Above::nines(8)),
    ("9-nines", Above::nines(9)),
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
            text += &format!("\nLatency distribution: {path}\n{}", table(span, &of_target));
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
