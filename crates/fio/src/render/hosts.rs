//! The hosts of a run on several hosts: a table after the sum of all clients, and an object in the JSON report.

use std::fmt::Write;

use plan::Ddir;
use record::{DdirStats, HostRecord, Record, Totals};
use serde_json::{Value, json};
use units::format;

/// Returns the table: a row per host, and how the hosts started.
pub fn table(record: &Record) -> String {
    let Some(fleet) = &record.fleet else { return String::new() };
    let totals = record.host_totals();
    let time = |ns: u64| format::time_ns(ns as f64);
    let mut text = format!("\nHosts ({}, {}):\n", fleet.hosts.len(), fleet.link);
    let (slowest, fastest) = (extreme(&totals, false), extreme(&totals, true));
    for (at, (host, totals)) in totals.iter().enumerate() {
        let _ = write!(text, "  {}:", host.name);
        for ddir in Ddir::ALL {
            write_direction(&mut text, ddir, &totals.ddirs[ddir as usize]);
        }
        let _ = write!(text, " done after {}", time(host.done_ns));
        for (mark, which) in [("slowest", slowest), ("fastest", fastest)] {
            if which == Some(at) && slowest != fastest {
                let _ = write!(text, ", {mark}");
            }
        }
        if let Some(failure) = &host.failure {
            let _ = write!(text, ", incomplete: {}", failure);
        }
        text.push('\n');
    }
    for start in &fleet.starts {
        let (skew, bound) = (time(start.skew_ns), time(start.bound_ns));
        let _ = writeln!(text, "  phase {}: started within {skew}, error at most {bound}", start.phase);
    }
    text
}

fn write_direction(text: &mut String, ddir: Ddir, stats: &DdirStats) {
    if stats.ios > 0 {
        let mib_per_s = stats.bytes_per_s() / f64::from(1 << 20);
        let _ = write!(text, " {}: IOPS={:.0}, BW={mib_per_s:.1}MiB/s", ddir.name(), stats.ios_per_s());
        if let Some(p99) = (stats.lat.count() > 0).then(|| stats.lat.percentile_ns(99.0)) {
            let _ = write!(text, ", p99={}", format::time_ns(p99 as f64));
        }
        text.push(';');
    }
}

/// Returns the host with the highest or the lowest bandwidth. `None` with fewer than two results.
fn extreme(totals: &[(&HostRecord, Totals)], highest: bool) -> Option<usize> {
    let rate = |at: &usize| totals[*at].1.all.bytes_per_s();
    let measured: Vec<usize> = (0..totals.len()).filter(|at| totals[*at].0.workers > 0).collect();
    let order = |a: &usize, b: &usize| rate(a).total_cmp(&rate(b));
    let found = if highest { measured.iter().copied().max_by(order) } else { measured.iter().copied().min_by(order) };
    found.filter(|_| measured.len() > 1)
}

/// Returns the object: how the hosts were connected and started, and the figures of each.
pub(super) fn json(record: &Record) -> Value {
    let Some(fleet) = &record.fleet else { return Value::Null };
    let totals = record.host_totals();
    let name = |at: Option<usize>| at.map(|at| totals[at].0.name.clone());
    let hosts = totals.iter().map(|(host, totals)| {
        let mut row = json!({
            "name": host.name,
            "failure": host.failure,
            "clock_offset_ns": host.clock_offset_ns,
            "clock_bound_ns": host.clock_bound_ns,
            "clock_drift_ns": host.clock_drift_ns,
            "narrowed_cpus": host.narrowed_cpus,
            "done_ns": host.done_ns,
        });
        for ddir in Ddir::ALL {
            let stats = &totals.ddirs[ddir as usize];
            row[ddir.name()] = json!({
                "total_ios": stats.ios,
                "io_bytes": stats.bytes,
                "iops": stats.ios_per_s(),
                "bw_bytes": stats.bytes_per_s() as u64,
            });
        }
        row
    });
    let hosts: Vec<Value> = hosts.collect();
    let done = || fleet.hosts.iter().filter(|host| host.workers > 0).map(|host| host.done_ns);
    json!({
        "link": fleet.link,
        "shared": fleet.shared,
        "starts": fleet.starts,
        "first_done_ns": done().min(),
        "last_done_ns": done().max(),
        "slowest": name(extreme(&totals, false)),
        "fastest": name(extreme(&totals, true)),
        "hosts": hosts,
    })
}
