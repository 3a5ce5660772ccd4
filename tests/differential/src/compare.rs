//! Differences between what two programs did on one case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::case::{Case, Job};
use crate::iolog::{IoLog, LoggedIo};
use crate::observe::{End, Observation, ReportedJob};

/// What two runs can differ in. An earlier kind explains later ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// How the program ended.
    End,
    /// Jobs in the report, and their errors.
    Errors,
    /// I/Os and bytes of a job by direction.
    Amounts,
    /// I/Os and bytes by file.
    FileAmounts,
    /// Offsets and sizes in their order.
    Sequence,
    /// Number of syncs.
    Syncs,
    /// Short and dropped I/Os.
    Shorts,
    /// Files left behind, and their sizes.
    Files,
    /// Contents of files.
    Contents,
    /// Logs and their lines.
    Logs,
    /// Keys of the report that fathom lacks, or with another type.
    Keys,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::End => "end",
            Kind::Errors => "errors",
            Kind::Amounts => "amounts",
            Kind::FileAmounts => "amounts by file",
            Kind::Sequence => "sequence",
            Kind::Syncs => "syncs",
            Kind::Shorts => "short I/Os",
            Kind::Files => "files",
            Kind::Contents => "contents",
            Kind::Logs => "logs",
            Kind::Keys => "keys",
        })
    }
}

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
    let mut found = Found::default();
    if fathom.end != fio.end {
        let reason = |seen: &Observation| match seen.end {
            End::Exit(0) => seen.end.to_string(),
            end => format!("{end} {}", first_message(&seen.messages)),
        };
        found.0.push(Difference { kind: Kind::End, subject: String::new(), fathom: reason(fathom), fio: reason(fio) });
        return found.0;
    }
    // What remains of failed runs depends on the moment of the failure.
    let has_failed = fathom.end != End::Exit(0);
    errors(&mut found, fathom, fio);
    if has_failed {
        return found.0;
    }
    // The number of I/Os depends on the speed of the machine.
    let is_by_time = case.has("time_based") || case.has("runtime") || case.jobs.iter().any(has_two_rates);
    if !is_by_time {
        // A timer decides when the ramp ends.
        if !case.has("ramp_size") {
            amounts(&mut found, fathom, fio);
        }
        sequences(&mut found, fathom, fio);
    }
    files(&mut found, fathom, fio, is_by_time);
    logs(&mut found, case, fathom, fio);
    let missing: Vec<&str> = fio.keys.difference(&fathom.keys).map(String::as_str).take(3).collect();
    found.add(Kind::Keys, "", "", missing.join(", "));
    found.0.sort_by_key(|difference| difference.kind);
    found.0
}

/// Returns whether the time decides about the direction of the next I/O.
fn has_two_rates(job: &Job) -> bool {
    (job.has("rate") || job.has("rate_iops")) && job.pattern().ends_with("rw")
}

/// Differences that were found so far.
#[derive(Default)]
struct Found(Vec<Difference>);

impl Found {
    /// Adds a difference if the two sides are not the same text.
    fn add(&mut self, kind: Kind, subject: &str, fathom: impl fmt::Display, fio: impl fmt::Display) {
        let (fathom, fio) = (fathom.to_string(), fio.to_string());
        if fathom != fio {
            self.0.push(Difference { kind, subject: subject.to_owned(), fathom, fio });
        }
    }
}

/// Returns the first line of a message that is not empty.
fn first_message(messages: &str) -> &str {
    let line = messages.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.char_indices().nth(160).map_or(line, |(end, _)| &line[..end])
}

fn errors(found: &mut Found, fathom: &Observation, fio: &Observation) {
    // The two programs have other numbers for a job that fails before its first I/O, and fio omits the job or its name.
    let is_rejected = |seen: &Observation| {
        let did_io = |job: &ReportedJob| job.amounts.values().any(|amounts| amounts.ios > 0);
        seen.end != End::Exit(0) && (seen.jobs.is_empty() || seen.jobs.iter().any(|job| job.error != 0 && !did_io(job)))
    };
    if is_rejected(fathom) && is_rejected(fio) {
        return;
    }
    let list = |seen: &Observation| {
        let one = |job: &ReportedJob| match job.error {
            0 => job.name.clone(),
            error => format!("{} err {error}", job.name),
        };
        seen.jobs.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    found.add(Kind::Errors, "", list(fathom), list(fio));
}

fn amounts(found: &mut Found, fathom: &Observation, fio: &Observation) {
    for (ours, other) in fathom.jobs.iter().zip(&fio.jobs) {
        for (direction, amounts) in &other.amounts {
            let own = ours.amounts.get(direction).copied().unwrap_or_default();
            let subject = format!("{} {direction}", ours.name);
            let text = |ios, bytes| format!("{ios} I/Os, {bytes} bytes");
            found.add(Kind::Amounts, &subject, text(own.ios, own.bytes), text(amounts.ios, amounts.bytes));
            let text = |short, dropped| format!("{short} short, {dropped} dropped");
            found.add(Kind::Shorts, &subject, text(own.short, own.dropped), text(amounts.short, amounts.dropped));
        }
        found.add(Kind::Syncs, &ours.name, ours.syncs, other.syncs);
    }
}

fn sequences(found: &mut Found, fathom: &Observation, fio: &Observation) {
    for (job, other) in &fio.iologs {
        let Some(ours) = fathom.iologs.get(job) else { continue };
        let (own_sums, other_sums) = (ours.sums(), other.sums());
        for key in keys(&own_sums, &other_sums) {
            let text = |sums: &BTreeMap<_, (u64, u64)>| {
                let (ios, bytes) = sums.get(key).copied().unwrap_or_default();
                format!("{ios} I/Os, {bytes} bytes")
            };
            let subject = format!("{job} {} {}", key.0, key.1);
            found.add(Kind::FileAmounts, &subject, text(&own_sums), text(&other_sums));
        }
        sequence(found, job, ours, other);
    }
}

/// Returns the keys of both maps.
fn keys<'a, K: Ord, V>(one: &'a BTreeMap<K, V>, other: &'a BTreeMap<K, V>) -> BTreeSet<&'a K> {
    one.keys().chain(other.keys()).collect()
}

/// Adds the first I/O that differs.
fn sequence(found: &mut Found, job: &str, ours: &IoLog, other: &IoLog) {
    let count = ours.ios.len().max(other.ios.len());
    let Some(at) = (0..count).find(|at| ours.ios.get(*at) != other.ios.get(*at)) else { return };
    let text = |log: &IoLog| log.ios.get(at).map_or("end".to_owned(), LoggedIo::to_string);
    found.add(Kind::Sequence, &format!("{job} I/O {at}"), text(ours), text(other));
}

fn files(found: &mut Found, fathom: &Observation, fio: &Observation, is_by_time: bool) {
    for name in keys(&fathom.files, &fio.files) {
        let (own, other) = (fathom.files.get(name), fio.files.get(name));
        let bytes = |file: Option<&crate::observe::LeftFile>| match file {
            Some(file) => format!("{} bytes", file.bytes),
            None => "missing".to_owned(),
        };
        found.add(Kind::Files, name, bytes(own), bytes(other));
        if let (Some(own), Some(other), false) = (own, other, is_by_time)
            && own.bytes == other.bytes
            // Has the state of the random generators, and differs between fio's versions.
            && !name.ends_with("-verify.state")
        {
            found.add(Kind::Contents, name, format!("{:016x}", own.hash), format!("{:016x}", other.hash));
        }
    }
}

fn logs(found: &mut Found, case: &Case, fathom: &Observation, fio: &Observation) {
    // The lines of windows depend on the speed of the machine.
    let has_lines = !case.has("log_avg_msec") && !case.has("time_based") && !case.has("runtime");
    for name in keys(&fathom.logs, &fio.logs) {
        let text = |lines: Option<&usize>| match lines {
            Some(lines) if has_lines => format!("{lines} lines"),
            Some(_) => "present".to_owned(),
            None => "missing".to_owned(),
        };
        found.add(Kind::Logs, name, text(fathom.logs.get(name)), text(fio.logs.get(name)));
    }
}
