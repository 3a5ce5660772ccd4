//! Jobs by time: the number of I/Os depends on the speed of the machine, the shares of files and directions do not.

use std::collections::{BTreeMap, BTreeSet};

use crate::compare::Difference;
use crate::facts::Kind;
use crate::observe::Observation;

/// I/Os below which the shares of a job are not compared.
const IOS_MIN: u64 = 200;
/// Largest difference of a share, percent of a job's I/Os.
const PERCENT_MAX: f64 = 20.0;

/// Shares of a job's I/Os by what they belong to, percent.
type Shares = BTreeMap<String, f64>;

/// Returns the shares that differ by more than [`PERCENT_MAX`].
pub fn differing(fathom: &Observation, fio: &Observation) -> Vec<Difference> {
    let mut found = Vec::new();
    for job in fio.iologs.keys() {
        let (Some(ours), Some(other)) = (shares(fathom, job), shares(fio, job)) else { continue };
        for key in ours.keys().chain(other.keys()).collect::<BTreeSet<_>>() {
            let of = |shares: &Shares| shares.get(key).copied().unwrap_or_default();
            if (of(&ours) - of(&other)).abs() > PERCENT_MAX {
                let text = |shares| format!("{:.0} % of I/Os", of(shares));
                let (kind, subject) = (Kind::Shares, format!("{job} {key}"));
                found.push(Difference { kind, subject, fathom: text(&ours), fio: text(&other) });
            }
        }
    }
    found
}

/// Returns the shares of files and directions, or `None` for a job with few I/Os.
fn shares(seen: &Observation, job: &str) -> Option<Shares> {
    let sums = seen.iologs.get(job)?.sums();
    let total: u64 = sums.values().map(|(ios, _)| ios).sum();
    let share = |((file, action), (ios, _)): (&(String, String), &(u64, u64))| {
        (format!("{file} {action}"), *ios as f64 * 100.0 / total as f64)
    };
    (total >= IOS_MIN).then(|| sums.iter().map(share).collect())
}
