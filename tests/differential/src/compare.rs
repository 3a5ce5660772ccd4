//! Differences between what two programs did on one case.

use std::collections::BTreeSet;
use std::fmt;

use crate::case::Case;
use crate::facts::{Facts, Kind, facts};
use crate::iolog::LoggedIo;
use crate::observe::{End, Observation};
use crate::shares;

/// A difference between the two programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub kind: Kind,
    /// The job, file or log.
    pub subject: String,
    pub fathom: String,
    pub fio: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blank = if self.subject.is_empty() { "" } else { " " };
        write!(f, "{}{blank}{}: {} | {}", self.kind, self.subject, self.fathom, self.fio)
    }
}

/// Returns the differences, the most important kind first.
pub fn compare(case: &Case, fathom: &Observation, fio: &Observation) -> Vec<Difference> {
    let mut found = differing(&facts(case, fathom), &facts(case, fio));
    if let Some(end) = found.first_mut().filter(|first| first.kind == Kind::End) {
        (end.fathom, end.fio) = (reason(fathom), reason(fio));
        found.truncate(1);
    }
    for difference in found.iter_mut().filter(|difference| difference.kind == Kind::Sequence) {
        name_first_io(difference, fathom, fio);
    }
    if (case.has("time_based") || case.has("runtime")) && [fathom, fio].iter().all(|seen| seen.end == End::Exit(0)) {
        found.extend(shares::differing(fathom, fio));
    }
    let missing: Vec<&str> = fio.keys.difference(&fathom.keys).map(String::as_str).take(3).collect();
    if !missing.is_empty() && fathom.end == End::Exit(0) && fio.end == End::Exit(0) {
        let (fathom, fio) = ("missing".to_owned(), missing.join(", "));
        found.push(Difference { kind: Kind::Keys, subject: String::new(), fathom, fio });
    }
    found.sort_by_key(|difference| difference.kind);
    found
}

/// Returns the facts that differ, in the order of their kinds.
pub fn differing(fathom: &Facts, fio: &Facts) -> Vec<Difference> {
    let keys: BTreeSet<&(Kind, String)> = fathom.keys().chain(fio.keys()).collect();
    let of = |facts: &Facts, key: &(Kind, String)| facts.get(key).cloned().unwrap_or_else(|| "none".to_owned());
    let differences = keys.into_iter().map(|key| Difference {
        kind: key.0,
        subject: key.1.clone(),
        fathom: of(fathom, key),
        fio: of(fio, key),
    });
    differences.filter(|difference| difference.fathom != difference.fio).collect()
}

/// Returns the end of a run with the message of a failure.
fn reason(seen: &Observation) -> String {
    match seen.end {
        End::Exit(0) => seen.end.to_string(),
        end => format!("{end} {}", seen.first_message()),
    }
}

/// Replaces the hashes of two sequences by the first I/O that differs.
fn name_first_io(difference: &mut Difference, fathom: &Observation, fio: &Observation) {
    let ios = |seen: &Observation| seen.iologs.get(&difference.subject).map_or(Vec::new(), |log| log.ios.clone());
    let (ours, other) = (ios(fathom), ios(fio));
    let at = (0..ours.len().max(other.len())).find(|at| ours.get(*at) != other.get(*at)).unwrap_or_default();
    let text = |ios: &[LoggedIo]| ios.get(at).map_or("end".to_owned(), LoggedIo::to_string);
    (difference.fathom, difference.fio) = (text(&ours), text(&other));
    difference.subject = format!("{} I/O {at}", difference.subject);
}
