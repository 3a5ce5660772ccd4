//! The figures of saved runs over time.

use std::collections::BTreeSet;
use std::path::Path;

use ::history::Entry;
use report::{Trend, TrendPoint};
use units::order::OrderBy;

use crate::store;

/// Returns the figures of the runs on a target or in a folder. Stopped and INVALID runs are left out.
pub fn of<'a>(target: &str, runs: impl IntoIterator<Item = &'a Entry>) -> Trend {
    let mut trend = Trend::new(target);
    let mut sound: Vec<&Entry> = runs.into_iter().filter(|entry| entry.is_usable()).collect();
    sound.order_by_key(|entry| (entry.started_unix_ms, entry.id));
    let hosts: BTreeSet<&str> = sound.iter().map(|entry| entry.host.raw()).collect();
    let targets: BTreeSet<&str> = sound.iter().map(|entry| entry.target.raw()).collect();
    let folder = store::target_filter(target).path;
    for entry in sound {
        let host = if hosts.len() > 1 { entry.host.raw() } else { "" };
        let path = if targets.len() > 1 { below(&folder, entry.target.raw()) } else { "" };
        let what = [host, path, entry.suite.raw(), entry.title.raw()];
        let what = what.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        for figure in &entry.key_figures {
            // The best point of a sweep can be another one each time.
            let of = if entry.kind.raw() == "sweep" { "best" } else { figure.of.raw() };
            let point = TrendPoint {
                run: entry.id,
                started_unix_ms: entry.started_unix_ms,
                utc_offset_s: entry.utc_offset_s,
                value: figure.value,
            };
            trend.add([&what, of], figure.metric, &figure.job, point);
        }
    }
    trend
}

/// Returns the path below a folder, or the whole path of another target.
fn below<'a>(folder: &str, path: &'a str) -> &'a str {
    Path::new(path).strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(path)
}
