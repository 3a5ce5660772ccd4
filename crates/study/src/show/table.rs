//! The table of a sweep, before it has a form: columns with heads, a row for each point.

use assessment::Metric;

use super::Report;
use crate::figures::{Figures, Latencies, Rates};
use crate::metric::{self, Scale};

pub(super) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<TableRow>,
}

pub(super) struct Column {
    /// What columns side by side have in common, such as a unit.
    pub group: String,
    pub head: String,
}

pub(super) struct TableRow {
    /// One for each axis.
    pub settings: Vec<String>,
    /// One for each further column, or in words why there is none.
    pub figures: Result<Vec<String>, String>,
}

/// A column with the figure that it shows.
type Shown<'a> = (Column, Box<dyn Fn(&Figures) -> String + 'a>);

type Direction = fn(&Figures) -> &Rates;
type Latency = fn(&Latencies) -> f64;

/// For a figure that wasn't measured.
const NONE: &str = "–";

pub(super) fn table(report: &Report) -> Table {
    let shown = shown(report);
    let metric = report.asked.metric;
    let repeated = report.asked.repeats > 1;
    let rows = report.rows.iter().map(|row| {
        let settings = row.point.settings.iter().map(|(_, value)| value.clone()).collect();
        let figures = match (&row.median, row.failure()) {
            (Some(figures), _) => {
                let mut cells: Vec<String> = shown.iter().map(|(_, write)| write(figures)).collect();
                if repeated {
                    let spread = row.spread_percent(metric);
                    cells.push(spread.map_or(NONE.to_owned(), |percent| format!("{percent:.1}")));
                }
                Ok(cells)
            }
            (None, Some(failure)) => Err(format!("failed: {failure}")),
            (None, None) => Err("not run".to_owned()),
        };
        TableRow { settings, figures }
    });
    let rows = rows.collect();
    let axes = report.sweep.axes().iter().map(|axis| column("", &axis.option));
    let spread = repeated.then(|| column("spread", "%"));
    Table { columns: axes.chain(shown.into_iter().map(|(column, _)| column)).chain(spread).collect(), rows }
}

fn column(group: &str, head: &str) -> Column {
    Column { group: group.to_owned(), head: head.to_owned() }
}

/// Figures that some point has.
fn shown<'a>(report: &Report) -> Vec<Shown<'a>> {
    let mut shown: Vec<Shown> = Vec::new();
    let any = |has: fn(&Figures) -> bool| report.rows.iter().filter_map(|row| row.median.as_ref()).any(has);
    let count = Scale { unit: "", divisor: 1.0 };
    let directions: [(&str, Direction, bool); 3] = [
        ("read", |figures| &figures.read, any(|figures| figures.read.iops > 0.0)),
        ("write", |figures| &figures.write, any(|figures| figures.write.iops > 0.0)),
        ("trim", |figures| &figures.trim, any(|figures| figures.trim.iops > 0.0)),
    ];
    for (name, of, is_there) in directions {
        if is_there {
            shown.push((column("IOPS", name), Box::new(move |figures| count.number(of(figures).iops))));
        }
    }
    if any(|_| true) {
        let scale = metric::scale(Metric::BANDWIDTH, 0.0);
        shown.push((column("", "MiB/s"), Box::new(move |figures| scale.number(figures.total.bytes_per_s))));
    }
    if any(|figures| figures.total.latency.is_some()) {
        let scale = latency_scale(report);
        let group = format!("latency, {}", scale.unit);
        let kinds: [(&str, Latency); 4] = [
            ("mean", |latency| latency.mean_ns),
            ("p50", |latency| latency.p50_ns),
            ("p99", |latency| latency.p99_ns),
            ("p99.9", |latency| latency.p99_9_ns),
        ];
        for (head, of) in kinds {
            let write = move |figures: &Figures| {
                figures.total.latency.as_ref().map_or(NONE.to_owned(), |latency| scale.number(of(latency)))
            };
            shown.push((column(&group, head), Box::new(write)));
        }
    }
    if any(|figures| figures.cpu.is_some()) {
        let write = |figures: &Figures| figures.cpu.map_or(NONE.to_owned(), |cpu| format!("{:.0}", cpu.percent));
        shown.push((column("CPU", "%"), Box::new(write)));
    }
    shown
}

/// One unit for all latencies, so that they can be compared down a column and along a row: one in which none is lost.
fn latency_scale(report: &Report) -> Scale {
    let latencies = report.rows.iter().filter_map(|row| row.median.as_ref()?.total.latency);
    let least_ns = latencies.map(|latency| latency.p50_ns.min(latency.mean_ns)).fold(f64::INFINITY, f64::min);
    if least_ns < 1e6 { Scale::MICROSECONDS } else { Scale::MILLISECONDS }
}
