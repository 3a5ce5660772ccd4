//! A single run of a dialect's line: what it is called, and the same as an assessment in which nothing is judged, for pages
//! and charts.

use std::sync::Arc;

use plan::{Ddir, FioWords, Origin, Plan, Worker};
use record::{DdirStats, Record};
use units::format::{self, grouped, time_ns};

use assessment::{Aim, Assessment, Device, Round, SCHEMA, Study, Target, TargetKind, Test, Verdict};

/// Targets that are named of a run with many.
const TARGETS_SHOWN: usize = 3;
/// The same for jobs.
const NAMES_SHOWN: usize = 4;
/// What is longer holds a path, or a table.
const SWITCH: usize = 12;

/// `fio`, `diskspd`.
pub fn dialect(record: &Record) -> &'static str {
    match record.plan.origin {
        Origin::Fio(_) => "fio",
        Origin::DiskSpd { .. } => "diskspd",
    }
}

/// The names of the jobs, each once; of DiskSpd's line the switches.
pub fn title(record: &Record) -> String {
    let Origin::DiskSpd { command_line, .. } = &record.plan.origin else { return names(&record.plan.workers) };
    let switches = command_line.split_whitespace().skip(1).filter(|word| word.starts_with('-') && word.len() < SWITCH);
    switches.collect::<Vec<_>>().join(" ")
}

/// The paths that were measured, each once, in the plan's order.
pub fn targets(record: &Record) -> String {
    first(record.plan.workers.iter().flat_map(paths), TARGETS_SHOWN, " ")
}

fn paths(worker: &Worker) -> impl Iterator<Item = &str> {
    let streams = worker.streams.list.iter().map(|stream| stream.path.as_str());
    worker.targets.paths.iter().map(String::as_str).chain(streams)
}

fn names(workers: &[Worker]) -> String {
    first(workers.iter().map(|worker| worker.name.as_str()), NAMES_SHOWN, ", ")
}

/// The first few, each once, and a sign that there are more.
fn first<'a>(texts: impl Iterator<Item = &'a str>, most: usize, between: &str) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for text in texts {
        if shown.contains(&text) {
            continue;
        }
        if shown.len() == most {
            return shown.join(between) + " ...";
        }
        shown.push(text);
    }
    shown.join(between)
}

/// A test for each phase, with what was found.
pub fn assessment(record: &Record) -> Assessment {
    let mut phases: Vec<u32> = record.plan.workers.iter().map(|worker| worker.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    let mut tests: Vec<Test> = match phases.as_slice() {
        [] | [_] => vec![test(record, record.clone(), None)],
        many => many.iter().map(|phase| test(record, of_phase(record, *phase), Some(*phase))).collect(),
    };
    for finding in crate::findings(record) {
        let jobs = finding.what.split_once(": ").map_or("", |(jobs, _)| jobs);
        let is_of = |test: &Test| {
            let mut workers = test.rounds.iter().flat_map(|round| &round.record.plan.workers);
            workers.any(|worker| jobs.split(", ").next() == Some(&worker.name))
        };
        let at = tests.iter().position(is_of).unwrap_or(0);
        tests[at].findings.push(finding);
    }
    let failed = tests.iter().find_map(|test| test.error.clone());
    let of_all = || match tests.as_slice() {
        [test] => test.cause.clone(),
        many => many.iter().map(|test| format!("{}: {}", test.name, test.cause)).collect::<Vec<_>>().join("; "),
    };
    Assessment {
        schema: SCHEMA.to_owned(),
        fathom: record.fathom.clone(),
        command: command(&record.plan),
        started_unix_ms: record.started_unix_ms,
        ended_unix_ms: record.ended_unix_ms,
        utc_offset_s: record.utc_offset_s,
        suite: dialect(record).to_owned(),
        title: title(record),
        target: target(record),
        volumes: Vec::new(),
        machine: record.machine.clone(),
        tags: Vec::new(),
        preparation: Vec::new(),
        verdict: if failed.is_some() { Verdict::Inconclusive } else { Verdict::Measured },
        cause: failed.unwrap_or_else(of_all),
        tests,
        expectations: Vec::new(),
        applications: Vec::new(),
        stopped: record.stopped,
        study: Study::Single,
    }
}

fn test(whole: &Record, record: Record, phase: Option<u32>) -> Test {
    let is_of_diskspd = matches!(whole.plan.origin, Origin::DiskSpd { .. });
    let name = match (is_of_diskspd, phase) {
        (false, _) => names(&record.plan.workers),
        (true, None) => "run".to_owned(),
        (true, Some(phase)) => format!("time span {}", phase + 1),
    };
    let of_worker = |(worker, done): (&Worker, &record::WorkerRecord)| {
        Some(format!("{}: {}", worker.name, done.error.as_ref()?.message.clone()))
    };
    let error = record.plan.workers.iter().zip(&record.workers).find_map(of_worker);
    Test {
        name,
        title: format!("On {}", targets(&record)),
        aim: Aim::Behaviour,
        volumes: Vec::new(),
        job: job(&whole.plan),
        steady: None,
        findings: Vec::new(),
        judgements: Vec::new(),
        verdict: if error.is_some() { Verdict::Inconclusive } else { Verdict::Measured },
        cause: sentence(&record.totals().ddirs),
        error,
        rounds: vec![Round { at: Vec::new(), record }],
    }
}

/// The same run as if there had been nothing but this phase.
fn of_phase(record: &Record, phase: u32) -> Record {
    let mut part = record.clone();
    let is_of = |at: usize| record.plan.workers.get(at).is_some_and(|worker| worker.phase == phase);
    let workers = record.plan.workers.iter().filter(|worker| worker.phase == phase).cloned().collect();
    part.plan = Arc::new(Plan { workers, ..Plan::clone(&record.plan) });
    let mut at = 0..;
    part.workers.retain(|_| at.next().is_some_and(is_of));
    part.timeline.retain(|timeline| timeline.phase == phase as usize);
    part.targets.retain(|facts| facts.phase == phase);
    part
}

/// What was done, in figures.
fn sentence(ddirs: &[DdirStats; 3]) -> String {
    let said = Ddir::ALL.into_iter().zip(ddirs).filter(|(_, stats)| stats.ios > 0).map(|(ddir, stats)| {
        let latency = if stats.lat.count() > 0 { &stats.lat } else { &stats.clat };
        let p99 = match latency.count() {
            0 => String::new(),
            _ => format!(", p99 {}", time_ns(latency.percentile_ns(99.0) as f64)),
        };
        let bandwidth = format::bandwidth(stats.bytes_per_s());
        format!("{} {} IOPS, {bandwidth}{p99}", ddir.name(), grouped(stats.ios_per_s()))
    });
    let said = said.collect::<Vec<_>>().join("; ");
    if said.is_empty() { "no I/O was completed".to_owned() } else { said }
}

/// As a shell takes it.
fn command(plan: &Plan) -> Vec<String> {
    let (program, words): (_, Vec<String>) = match &plan.origin {
        Origin::Fio(FioWords { words, .. }) => ("fio", words.clone()),
        Origin::DiskSpd { command_line, .. } => {
            ("diskspd", command_line.split_whitespace().skip(1).map(str::to_owned).collect())
        }
    };
    ["fathom", program].into_iter().map(str::to_owned).chain(words).collect()
}

/// What was asked, with the files that the line names.
fn job(plan: &Plan) -> String {
    let mut text = plan.origin.command_line() + "\n";
    match &plan.origin {
        Origin::Fio(FioWords { last_words, job_files, .. }) => {
            if !last_words.is_empty() {
                text += &format!("\n# with the last word in every job: {}\n", last_words.join(" "));
            }
            job_files.iter().for_each(|file| text += &format!("\n# {}\n{}\n", file.path, file.text.trim_end()));
        }
        Origin::DiskSpd { profile_xml, .. } => text += &format!("\n{profile_xml}\n"),
    }
    text
}

/// What the record knows of it: the device may be another by now.
fn target(record: &Record) -> Target {
    let mut names: Vec<&String> = record.targets.iter().flat_map(|facts| &facts.disks).collect();
    names.sort_unstable();
    names.dedup();
    let [first] = record.targets.as_slice() else {
        return Target { path: targets(record), kind: TargetKind::File, devices: devices(&names), ..Target::default() };
    };
    Target {
        path: targets(record),
        kind: if first.is_device { TargetKind::Device } else { TargetKind::File },
        size_bytes: first.size_bytes.unwrap_or(0),
        devices: devices(&names),
        mount: None,
    }
}

fn devices(names: &[&String]) -> Vec<Device> {
    names.iter().map(|name| Device { name: (*name).clone(), ..Device::default() }).collect()
}
