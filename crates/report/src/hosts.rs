//! The hosts of a run on several hosts, as a table.

use assessment::Test;
use record::{DdirStats, HostRecord, Latency, Record, Totals};
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
    Some(of_run(run_on_hosts(test)?, "Hosts"))
}

/// Returns a row per host of a run. In an open loop, the latencies are response times.
pub fn of_run(record: &Record, title: &str) -> Table {
    let heads = ["IOPS", "MiB/s", "mean latency", "p99 latency", "done after"];
    let mut columns = vec![Column::text("host")];
    columns.extend(heads.map(|head| Column::number("", head)));
    let rows = record.host_totals().iter().map(|(host, totals)| row(host, totals)).collect();
    Table { title: title.to_owned(), columns, rows }
}

/// Returns the response times of an open loop, or else the total latencies.
pub fn latency(all: &DdirStats) -> &Latency {
    if all.response.count() > 0 { &all.response } else { &all.lat }
}

fn row(host: &HostRecord, totals: &Totals) -> Row {
    let all = &totals.all;
    let latency = latency(all);
    let time = |ns: Option<f64>| match ns {
        _ if latency.count() == 0 && all.unissued() == 0 => NONE.to_owned(),
        Some(ns) => time_ns(ns),
        None => "never".to_owned(),
    };
    let cells = match &host.failure {
        Some(failure) if host.workers == 0 => Err(failure.to_string()),
        _ => Ok(vec![
            grouped(all.ios_per_s()),
            grouped(all.bytes_per_s() / f64::from(1 << 20)),
            time((latency.count() > 0).then(|| latency.mean_ns())),
            time(latency.percentile_of_due_ns(all.unissued(), 99.0).map(|ns| ns as f64)),
            time_ns(host.done_ns as f64),
        ]),
    };
    Row { labels: vec![host.name.to_string()], cells }
}
