//! The one sentence that a search is made for.

use units::format::grouped;

use super::Asked;
use super::text::time;
use crate::knee::{Depths, Search};

/// No more digits than the search tells apart, and never more than was sustained.
fn at_least(rate: u64) -> String {
    let unit = 10u64.pow(rate.checked_ilog10().unwrap_or(0).saturating_sub(2));
    grouped((rate / unit * unit) as f64)
}

pub fn of_rates(search: &Search, asked: &Asked) -> String {
    let Asked { work, percentile, .. } = asked;
    let bound = asked.bound.as_deref();
    let own = |why: &str| format!("what limited it there was not the target but this machine: {why}");
    let sentence = match (search.met(), search.generator(), bound) {
        (None, None, _) if search.rates().is_empty() => "nothing was found out".to_owned(),
        (None, Some(why), _) => format!("no rate of {work} was sustained; {}", own(why)),
        (None, None, Some(bound)) => {
            let lowest = search.rates().keys().next().copied().unwrap_or(0);
            format!("sustains no rate of {work} with {percentile} under {bound}: {} were too many", per_s(lowest))
        }
        (None, None, None) => format!("sustains no rate of {work} that was tried"),
        (Some(met), why, bound) => {
            let with = bound.map_or_else(String::new, |bound| format!(" with {percentile} under {bound}"));
            let least = if why.is_some() || search.missed().is_none() { "at least " } else { "" };
            let more = match (why, search.missed()) {
                (Some(why), _) => format!("; {}", own(why)),
                (None, None) => "; no rate that was tried was too much".to_owned(),
                (None, Some(_)) => String::new(),
            };
            format!("sustains {least}{} {work}/s{with}{more}", at_least(met))
        }
    };
    let stopped = if asked.is_stopped { "stopped early, so far: " } else { "" };
    let failed = search.failed().filter(|_| !asked.is_stopped);
    let failed = failed.map_or_else(String::new, |why| format!("; ended early, as a run failed: {why}"));
    format!("{stopped}{sentence}{failed}")
}

fn per_s(rate: u64) -> String {
    format!("{} a second", grouped(rate as f64))
}

/// Where the curve bends.
pub fn of_knee(search: &Search, asked: &Asked) -> Option<String> {
    let knee = search.knee()?;
    let (_, ns) = search.curve().into_iter().find(|(rate, _)| *rate == knee)?;
    let at = format!("{}/s ({} {})", grouped(knee as f64), asked.percentile, time(ns));
    Some(format!("the knee of the curve is at {at}: above it latency grows faster than load"))
}

pub fn of_depths(depths: &Depths, asked: &Asked) -> String {
    let Asked { work, percentile, .. } = asked;
    let Some((deepest, most)) = depths.most() else {
        return depths.failed().map_or("nothing was found out".to_owned(), |why| format!("a run failed: {why}"));
    };
    let mut said = match depths.knee().map(|at| &depths.depths()[at]) {
        Some((depth, measured)) => format!(
            "{work} level off at iodepth {depth}: {}/s, {:.0} % of the most that was measured, with a mean latency of {}",
            grouped(measured.iops),
            measured.iops * 100.0 / most.iops,
            time(measured.mean_ns)
        ),
        None => {
            format!(
                "no knee: {work} do not level off at one depth; most are {}/s at iodepth {deepest}",
                grouped(most.iops)
            )
        }
    };
    if let Some(bound) = &asked.bound {
        said.push_str(&match depths.within().map(|at| &depths.depths()[at]) {
            Some((depth, measured)) => {
                format!("; {percentile} is under {bound} up to iodepth {depth} ({}/s)", grouped(measured.iops))
            }
            None => format!("; {percentile} is over {bound} even at iodepth 1"),
        });
    }
    if let Some(why) = most.generator.as_deref() {
        said.push_str(&format!("; what limited it was not the target but this machine: {why}"));
    }
    let stopped = if asked.is_stopped { "stopped early, so far: " } else { "" };
    let failed = depths.failed().filter(|_| !asked.is_stopped);
    let failed = failed.map_or_else(String::new, |why| format!("; ended early, as a run failed: {why}"));
    format!("{stopped}{said}{failed}")
}
