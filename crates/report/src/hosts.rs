//! The hosts of a run on several hosts, as a table.

use assessment::Test;
use record::{HostRecord, Record, Totals};
use units::format::{grouped, time_ns};

use crate::study::{Column, Row, Table};
use crate::text::NONE;

/// Returns the run of a test that has one run, on several hosts.
pub fn run_on_hosts(test: &Test) -> Option<&Record> {
    let [round] = test.rounds.as_slice() else { return None };
    Some(&round.record).filter(|record| record.hosts().len() > 1)
}

/// Returns a row per host; `None` for a test without hosts.
pub fn table(test: &Test) -> Option<Table> {
    let record = run_on_hosts(test)?;
    let heads = ["IOPS", "MiB/s", "mean latency", "p99 latency", "done after"];
    let mut columns = vec![Column::text("host")];
    columns.extend(heads.map(|head| Column::number("", head)));
    let rows = record.host_totals().iter().map(|(host, totals)| row(host, totals)).collect();
    Some(Table { title: "Hosts".to_owned(), columns, rows })
}

fn row(host: &HostRecord, totals: &Totals) -> Row {
    let (all, lat) = (&totals.all, &totals.all.lat);
    let time = |ns: f64| if lat.count() > 0 { time_ns(ns) } else { NONE.to_owned() };
    let cells = match &host.failure {
        Some(failure) if host.workers == 0 => Err(failure.to_string()),
        _ => Ok(vec![
            grouped(all.ios_per_s()),
            grouped(all.bytes_per_s() / f64::from(1 << 20)),
            time(lat.mean_ns()),
            time(lat.percentile_ns(99.0) as f64),
            time_ns(host.done_ns as f64),
        ]),
    };
    Row { labels: vec![host.name.to_string()], cells }
}
