//! I/Os, bytes and rates per thread and target, their totals, and totals of several time spans.

use super::RULE_WIDTH;
use crate::profile::TimeSpan;
use crate::render::byte_size::byte_size;
use crate::render::figures::{Figures, Side, milliseconds, rate};
use crate::render::report::{Row, Span};
use units::markup::one_line;

const MIB: f64 = 1_048_576.0;

/// An optional column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    MeanLatency,
    IopsDeviation,
    LatencyDeviation,
}

impl Column {
    fn of(settings: &TimeSpan) -> Vec<Column> {
        let requested = [
            (settings.measure_latency, Column::MeanLatency),
            (settings.calculate_iops_std_dev, Column::IopsDeviation),
            (settings.measure_latency, Column::LatencyDeviation),
        ];
        requested.into_iter().filter(|(requested, _)| *requested).map(|(_, column)| column).collect()
    }

    fn heading(self) -> &'static str {
        match self {
            Column::MeanLatency => "|  AvgLat  ",
            Column::IopsDeviation => "| IopsStdDev ",
            Column::LatencyDeviation => "| LatStdDev ",
        }
    }

    fn shown(self, figures: &Figures, span: &Span) -> String {
        let latency = &figures.latency;
        match self {
            Column::MeanLatency => format!(" | {:8.3}", milliseconds(latency.mean_ns())),
            Column::IopsDeviation => format!(" | {:10.2}", figures.buckets.iops_deviation(span.window())),
            Column::LatencyDeviation if latency.count() == 0 => " |       N/A".to_owned(),
            Column::LatencyDeviation => format!(" |  {:8.3}", milliseconds(latency.population_deviation_ns())),
        }
    }
}

pub fn all(span: &Span, seconds: f64) -> String {
    let one = |(heading, side)| format!("\n{heading} IO\n{}", table(span, side, seconds));
    [("Total", Side::Total), ("Read", Side::Read), ("Write", Side::Write)].map(one).concat()
}

fn table(span: &Span, side: Side, seconds: f64) -> String {
    let columns = Column::of(&span.settings);
    let headings: String = columns.iter().map(|column| column.heading()).collect();
    let border = format!("{}\n", "-".repeat(66 + headings.len() + 12));
    let mut text =
        format!("thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {headings}|  file\n{border}");
    let cells = |figures: &Figures| -> String {
        let requested: String = columns.iter().map(|column| column.shown(figures, span)).collect();
        amounts(figures.bytes, figures.ios, seconds) + &requested
    };
    let mut sum = Figures::default();
    for (number, thread) in span.threads.iter().enumerate() {
        for row in &thread.rows {
            let figures = Figures::of(row, side, span.window());
            text += &format!("{number:6} | {} | {}\n", cells(&figures), target(row));
            sum.add(&figures);
        }
    }
    text + &format!("{border}total:   {}\n", cells(&sum))
}

fn amounts(bytes: u64, ios: u64, seconds: f64) -> String {
    let (mib, ios_per_s) = (rate(bytes as f64 / MIB, seconds), rate(ios as f64, seconds));
    format!("{bytes:15} | {ios:12} | {mib:10.2} | {ios_per_s:10.2}")
}

fn target(row: &Row) -> String {
    let path = one_line(&row.path);
    match row.size_bytes {
        Some(bytes) => format!("{path} ({})", byte_size(bytes)),
        None => path.into_owned(),
    }
}

/// Renders the totals of the measured time spans.
pub fn totals(spans: &[Span]) -> String {
    let measured = || spans.iter().filter_map(|span| Some((span, span.seconds?)));
    // An empty sum of floats is -0.
    let seconds = measured().fold(0.0, |sum, (_, seconds)| sum + seconds);
    let line = |name: &str, side: Side| {
        let sums = measured().map(|(span, _)| span.sum(side));
        let (bytes, ios) = sums
            .fold((0_u64, 0_u64), |(bytes, ios), sum| (bytes.saturating_add(sum.bytes), ios.saturating_add(sum.ios)));
        format!("{name:5}  | {}\n", amounts(bytes, ios, seconds))
    };
    let border = format!("{}\n", "-".repeat(79));
    [
        format!("\n\nTotals:\n{}\n\n", "*".repeat(RULE_WIDTH)),
        format!("type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{border}"),
        line("write", Side::Write),
        line("read", Side::Read),
        border,
        line("total", Side::Total),
        format!("\ntotal test time:\t{seconds:.2}s\n"),
    ]
    .concat()
}
