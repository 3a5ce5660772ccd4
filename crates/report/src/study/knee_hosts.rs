//! What each host of a fleet made in a search.

use assessment::{Assessment, Knee, KneePoint, KneeResult};
use record::{Arrivals, HostRecord, Record, Totals};
use schemars::JsonSchema;
use serde::Serialize;
use units::untrusted::UntrustedText;

use super::knee::load_text;
use super::table::Table;
use crate::hosts;

/// What a host made in a run.
#[derive(Serialize, JsonSchema)]
pub struct HostDocument<'a> {
    /// Name of the host.
    name: &'a UntrustedText,
    /// Completed I/Os.
    ios: u64,
    /// Completed I/Os per second.
    iops: f64,
    /// I/Os of an open loop that were due.
    arrivals: Option<Arrivals>,
    /// The judged percentile of its own I/Os, in ns. `null`: it lies among I/Os that were never submitted.
    percentile_ns: Option<u64>,
}

/// Returns the last run at the highest good load, or at the lowest missed one; `None` on one machine.
fn run<'a>(assessment: &'a Assessment, result: &'a KneeResult) -> Option<(&'a KneePoint, &'a Record)> {
    let point = result.points.get(result.sustained.or(result.missed)?)?;
    let load = point.load.to_string();
    let mut rounds = assessment.tests.last()?.rounds.iter().rev();
    let round = rounds.find(|round| round.at.first().is_some_and(|(_, value)| *value == load))?;
    (round.record.hosts().len() > 1).then_some((point, &round.record))
}

/// Returns a row per host of this run.
pub fn table(assessment: &Assessment, request: &Knee, result: &KneeResult) -> Option<Table> {
    let (point, record) = run(assessment, result)?;
    let load = load_text(request, point.load);
    let load = match (&request.like, request.iodepth_max) {
        (Some(_), _) => format!("{load} times the load"),
        (None, Some(_)) => format!("iodepth {load}"),
        (None, None) => format!("{load} IOPS"),
    };
    Some(hosts::of_run(record, &format!("Hosts at {load}")))
}

/// Returns the hosts of this run.
pub fn documents<'a>(assessment: &'a Assessment, request: &Knee, result: &'a KneeResult) -> Vec<HostDocument<'a>> {
    let of_host = |(host, totals): (&'a HostRecord, Totals)| {
        let all = &totals.all;
        HostDocument {
            name: &host.name,
            ios: all.ios,
            iops: all.ios_per_s(),
            arrivals: all.arrivals,
            percentile_ns: hosts::latency(all).percentile_of_due_ns(all.unissued(), request.percent),
        }
    };
    run(assessment, result).map_or_else(Vec::new, |(_, record)| record.host_totals().into_iter().map(of_host).collect())
}
