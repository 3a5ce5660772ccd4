//! A decided difference, and the kinds and conditions that several have in common.

use crate::case::Case;
use crate::compare::Difference;
use crate::facts::Kind::{
    self, Amounts, Calls, Contents, End, Errors, FileAmounts, Files, Keys, Logs, Sequence, Shares, Syncs,
};

/// A version of fio, such as 3.42.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// Parses what `fio --version` prints.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.trim().strip_prefix("fio-")?.split(|c: char| !c.is_ascii_digit());
        Some(Version(numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// A decided difference.
pub struct Known {
    pub name: &'static str,
    /// The last version of fio that has it, or `None` if it is in 3.42.
    pub last: Option<Version>,
    /// The kinds of differences that it explains.
    pub kinds: &'static [Kind],
    /// The cases in which it occurs.
    pub cases: fn(&Case) -> bool,
    /// The differences of these kinds and cases that it explains.
    pub differences: fn(&Difference) -> bool,
    /// What fio does.
    pub fio: &'static str,
    /// What fathom does, and why.
    pub fathom: &'static str,
}

/// What differs between jobs that do other I/Os. Contents, syncs, lines of logs and the keys of a direction follow from them.
pub(super) const IOS: &[Kind] = &[Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs, Keys, Shares];
pub(super) const IOS_AND_FILES: &[Kind] =
    &[Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs, Keys, Shares, Files];
pub(super) const ENDS: &[Kind] = &[End, Errors];

pub(super) const ANY: fn(&Difference) -> bool = |_| true;
/// fathom runs what fio rejects.
pub(super) const RUNS: fn(&Difference) -> bool =
    |difference| difference.fathom == "exit 0" || difference.fio.contains("err");
pub(super) const OF_READS: fn(&Difference) -> bool = |difference| match difference.kind {
    Sequence => [&difference.fathom, &difference.fio].iter().all(|io| io.contains(" read ") || *io == "end"),
    _ => ["read", "mixed"].iter().any(|direction| difference.subject.ends_with(direction)),
};
pub(super) const OF_SYNCS: fn(&Difference) -> bool = |difference| match difference.kind {
    Sequence => [&difference.fathom, &difference.fio].iter().any(|io| io.ends_with("sync")),
    Calls => difference.subject.contains("sync"),
    _ => difference.subject.ends_with("sync"),
};
