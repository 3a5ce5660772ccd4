//! The facts about a run that two programs must agree on, as texts.

use std::collections::BTreeMap;
use std::fmt;

use crate::case::{Case, Job};
use crate::contents::fnv;
use crate::iolog::IoLog;
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
    /// I/Os and bytes of a job by file and action.
    FileAmounts,
    /// Offsets and sizes of a job's I/Os in their order.
    Sequence,
    /// Number of syncs of a job.
    Syncs,
    /// Short and dropped I/Os.
    Shorts,
    /// System calls on a file, such as `fsync`.
    Calls,
    /// Shares of files and directions in jobs by time.
    Shares,
    /// Files left behind, and their sizes.
    Files,
    /// Contents of files.
    Contents,
    /// Verification of the files of one program by the other one.
    Verify,
    /// Logs and their lines.
    Logs,
    /// Keys of the report that fathom lacks, or with another type.
    Keys,
}

/// All kinds with their names.
const NAMES: [(Kind, &str); 14] = [
    (Kind::End, "end"),
    (Kind::Errors, "errors"),
    (Kind::Amounts, "amounts"),
    (Kind::FileAmounts, "file"),
    (Kind::Sequence, "sequence"),
    (Kind::Syncs, "syncs"),
    (Kind::Shorts, "short"),
    (Kind::Calls, "calls"),
    (Kind::Shares, "share"),
    (Kind::Files, "left"),
    (Kind::Contents, "contents"),
    (Kind::Verify, "verified"),
    (Kind::Logs, "log"),
    (Kind::Keys, "keys"),
];

impl Kind {
    /// Returns the kind with this name.
    pub fn parse(name: &str) -> Option<Kind> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// Facts by kind and subject: the job, file or log. A fact that is missing is a zero.
pub type Facts = BTreeMap<(Kind, String), String>;

/// Returns the facts that do not depend on the speed of the machine.
pub fn facts(case: &Case, seen: &Observation) -> Facts {
    let mut facts = Facts::new();
    facts.insert((Kind::End, String::new()), seen.end.to_string());
    let did_io = seen.jobs.iter().any(|job| job.amounts.values().any(|amounts| amounts.ios > 0));
    if seen.end == End::Exit(0) || did_io {
        facts.insert((Kind::Errors, String::new()), errors(seen));
    }
    // What remains of failed runs depends on the moment of the failure.
    if seen.end == End::Exit(0) {
        let is_by_time = is_by_time(case);
        if !is_by_time {
            add_amounts(&mut facts, case, seen);
        }
        add_files(&mut facts, case, seen, is_by_time);
        add_logs(&mut facts, case, seen);
    }
    facts
}

/// Returns whether the number or order of I/Os depends on time, or differs from run to run.
pub fn is_by_time(case: &Case) -> bool {
    // With two rates, the time decides about the direction of the next I/O.
    let has_two_rates = |job: &Job| (job.has("rate") || job.has("rate_iops")) && job.pattern().ends_with("rw");
    let has_own_seeds = |job: &Job| {
        job.is("randrepeat", "0") && (job.is_mixed() || job.has_several_sizes() || job.has("random_distribution"))
    };
    case.has("time_based") || case.has("runtime") || case.any(has_two_rates) || case.any(has_own_seeds)
}

fn errors(seen: &Observation) -> String {
    let one = |job: &ReportedJob| match job.error {
        0 => job.name.clone(),
        error => format!("{} err {error}", job.name),
    };
    seen.jobs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn add_amounts(facts: &mut Facts, case: &Case, seen: &Observation) {
    for (at, job) in seen.jobs.iter().enumerate() {
        let clones = seen.jobs[..at].iter().filter(|other| other.name == job.name).count();
        let name = if clones == 0 { job.name.clone() } else { format!("{}.{clones}", job.name) };
        for (direction, amounts) in &job.amounts {
            let subject = format!("{name} {direction}");
            // A timer decides when the ramp ends.
            if amounts.ios + amounts.bytes > 0 && !case.has("ramp_size") {
                let text = format!("{} I/Os of {} bytes", amounts.ios, amounts.bytes);
                facts.insert((Kind::Amounts, subject.clone()), text);
            }
            if amounts.short + amounts.dropped > 0 {
                let text = format!("{} short, {} dropped", amounts.short, amounts.dropped);
                facts.insert((Kind::Shorts, subject), text);
            }
        }
        if job.syncs > 0 && !case.has("ramp_size") {
            facts.insert((Kind::Syncs, name), job.syncs.to_string());
        }
    }
    for (job, log) in &seen.iologs {
        add_iolog(facts, job, log);
        // Threads of an offloaded queue log in any order.
        if case.jobs.iter().any(|offloaded| offloaded.name == *job && offloaded.is("io_submit_mode", "offload")) {
            facts.remove(&(Kind::Sequence, job.clone()));
        }
    }
    for ((call, file), count) in &seen.calls {
        facts.insert((Kind::Calls, format!("{call} {file}")), count.to_string());
    }
}

fn add_iolog(facts: &mut Facts, job: &str, log: &IoLog) {
    for ((file, action), (ios, bytes)) in log.sums() {
        facts.insert((Kind::FileAmounts, format!("{job} {file} {action}")), format!("{ios} I/Os of {bytes} bytes"));
    }
    let lines: String = log.ios.iter().map(|io| format!("{io}\n")).collect();
    facts.insert((Kind::Sequence, job.to_owned()), format!("{:016x}", fnv(lines.as_bytes())));
}

fn add_files(facts: &mut Facts, case: &Case, seen: &Observation, is_by_time: bool) {
    let grow_by_time = is_by_time && case.has("create_on_open");
    for (name, file) in &seen.files {
        let size = if grow_by_time { "present".to_owned() } else { format!("{} bytes", file.bytes) };
        facts.insert((Kind::Files, name.clone()), size);
        // The saved state of a verification has the state of the random generators. It differs between fio's versions.
        if !is_by_time && !name.ends_with("-verify.state") {
            facts.insert((Kind::Contents, name.clone()), format!("{:016x}", file.hash));
        }
    }
}

fn add_logs(facts: &mut Facts, case: &Case, seen: &Observation) {
    let has_lines = !["log_avg_msec", "ramp_size"].iter().any(|name| case.has(name)) && !is_by_time(case);
    for (name, lines) in &seen.logs {
        let text = if has_lines { format!("{lines} lines") } else { "present".to_owned() };
        facts.insert((Kind::Logs, name.clone()), text);
    }
}
