//! A single run of a dialect: its title, and the run as an assessment without expectations, for pages and charts.

use std::collections::BTreeMap;
use std::sync::Arc;

use assessment::{
    Assessment, Cause, Device, DirectionFigures, Failure, Mount, Round, SCHEMA, Study, Target, TargetKind, Test,
    Verdict,
};
use plan::{Ddir, FioWords, Origin, Plan, Worker};
use record::{DdirStats, Record};

use crate::figures::service_time;
use crate::findings::phase::phase;
use crate::verdict::{interrupted, keep_invalid};

/// Targets named in a title.
const TARGETS_SHOWN: usize = 3;
/// Jobs named in a title.
const NAMES_SHOWN: usize = 4;
/// Longer arguments are omitted: they contain a path or a table.
const SWITCH: usize = 12;

/// Returns the names of fio's jobs, each once, or the switches of DiskSpd's command line. A record without its arguments has
/// the whole line as title.
pub fn title(record: &Record) -> String {
    match &record.plan.origin {
        Origin::Fio(_) => names(&record.plan.workers),
        Origin::DiskSpd { command_line, args, .. } if args.is_empty() => command_line.clone(),
        Origin::DiskSpd { args, .. } => {
            let is_shown = |arg: &&str| arg.starts_with('-') && arg.len() < SWITCH;
            args.iter().map(String::as_str).filter(is_shown).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Returns the paths of the targets from the root, each once, in the order of the plan.
pub fn targets(record: &Record) -> String {
    let absolute = |path| {
        let facts = record.targets.iter().find(|facts| facts.path == path && !facts.absolute_path.is_empty());
        facts.map_or(path, |facts| facts.absolute_path.as_str())
    };
    first(record.plan.workers.iter().flat_map(plan::Worker::paths).map(absolute), TARGETS_SHOWN, " ")
}

/// Returns the paths of the targets as the plan has them, each once.
pub fn targets_of_plan(plan: &Plan) -> String {
    first(plan.workers.iter().flat_map(plan::Worker::paths), TARGETS_SHOWN, " ")
}

fn names(workers: &[Worker]) -> String {
    first(workers.iter().map(|worker| worker.name.as_str()), NAMES_SHOWN, ", ")
}

/// Joins the first `most` different texts, and adds an ellipsis if there are more.
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

/// Returns a run as an assessment with one test per phase.
pub fn assessment(record: &Record) -> Assessment {
    let mut phases: Vec<u32> = record.plan.workers.iter().map(|worker| worker.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    let mut tests: Vec<Test> = match phases.as_slice() {
        [] | [_] => vec![test(record, record.clone(), None)],
        many => many.iter().map(|phase| test(record, of_phase(record, *phase), Some(*phase))).collect(),
    };
    for finding in crate::findings::findings(record) {
        let at = phase(record, &finding).and_then(|phase| phases.iter().position(|known| *known == phase));
        tests[at.unwrap_or(0)].findings.push(finding);
    }
    for test in &mut tests {
        if let (Verdict::Measured, Some(finding)) = (test.verdict, interrupted(&test.findings)) {
            (test.verdict, test.cause) = (Verdict::Inconclusive, Cause::Finding(Box::new(finding.clone())));
        }
    }
    let failed = tests.iter().find_map(|test| test.error.clone());
    let cause = match (failed, tests.as_slice()) {
        (Some(failure), _) => Cause::Failure(failure),
        (None, [test]) => test.cause.clone(),
        (None, many) => Cause::Tests(many.iter().map(|test| (test.name.clone(), test.cause.clone())).collect()),
    };
    let mut assessment = Assessment {
        schema: SCHEMA.to_owned(),
        fathom: record.fathom.clone(),
        command: command(&record.plan),
        started_unix_ms: record.started_unix_ms,
        ended_unix_ms: record.ended_unix_ms,
        utc_offset_s: record.utc_offset_s,
        suite: record.plan.origin.program().into(),
        title: title(record).into(),
        target: target(record),
        volumes: Vec::new(),
        machine: record.machine.clone(),
        tags: Vec::new(),
        preparation: Vec::new(),
        verdict: tests.iter().map(|test| test.verdict).max().unwrap_or(Verdict::Measured),
        cause,
        tests,
        expectations: Vec::new(),
        applications: Vec::new(),
        classes: Vec::new(),
        machine_limits: None,
        stopped: record.stopped,
        study: Study::Single,
    };
    keep_invalid(&mut assessment);
    assessment
}

fn verdict(failure: Option<&Failure>) -> Verdict {
    failure.map_or(Verdict::Measured, Verdict::of_failure)
}

fn test(whole: &Record, record: Record, phase: Option<u32>) -> Test {
    let is_of_diskspd = matches!(whole.plan.origin, Origin::DiskSpd { .. });
    let name = match (is_of_diskspd, phase) {
        (false, _) => names(&record.plan.workers),
        (true, None) => "run".to_owned(),
        (true, Some(phase)) => format!("time span {}", phase + 1),
    };
    let error = Failure::of_run(&record);
    let (title, cause) = (format!("On {}", targets(&record)), Cause::Figures(figures(&record.totals().ddirs)));
    let rounds = vec![Round { at: Vec::new(), record }];
    Test { verdict: verdict(error.as_ref()), cause, error, ..Test::of_rounds(name, title, job(&whole.plan), rounds) }
}

/// Returns the part of a run that belongs to one phase.
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

/// The figures of each direction with I/O.
fn figures(ddirs: &[DdirStats; 3]) -> Vec<DirectionFigures> {
    let with_io = Ddir::ALL.into_iter().zip(ddirs).filter(|(_, stats)| stats.ios > 0);
    let figures = with_io.map(|(direction, stats)| {
        let latency = service_time(stats);
        let p99_ns = (latency.count() > 0).then(|| latency.percentile_ns(99.0) as f64);
        DirectionFigures { direction, iops: stats.ios_per_s(), bytes_per_s: stats.bytes_per_s(), p99_ns }
    });
    figures.collect()
}

/// Returns the arguments of the command. A DiskSpd record without its arguments has its line as one argument.
fn command(plan: &Plan) -> Vec<String> {
    let program = plan.origin.program().to_owned();
    let words = match &plan.origin {
        Origin::Fio(FioWords { words: args, .. }) | Origin::DiskSpd { args, .. } if !args.is_empty() => {
            [&[program], args.as_slice()].concat()
        }
        Origin::Fio(_) => vec![program],
        Origin::DiskSpd { command_line, .. } => vec![command_line.clone()],
    };
    std::iter::once("fathom".to_owned()).chain(words).collect()
}

/// Returns the command line and the text of its files.
pub fn job(plan: &Plan) -> String {
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

/// Returns the target of the record, with the devices of all targets.
pub fn target(record: &Record) -> Target {
    let whole =
        Target { path: targets(record).into(), kind: TargetKind::File, devices: devices(record), ..Target::default() };
    let [first] = record.targets.as_slice() else { return whole };
    let mount = first.mount.clone().map(|mount| Mount {
        point: mount.point,
        source: mount.source,
        file_system: mount.file_system,
        ..Mount::default()
    });
    Target {
        kind: if first.is_device { TargetKind::Device } else { TargetKind::File },
        size_bytes: first.size_bytes.unwrap_or(0),
        in_memory: first.in_memory,
        mount,
        ..whole
    }
}

/// Returns the devices of the targets by name. Records of early versions have only the names.
fn devices(record: &Record) -> Vec<Device> {
    let mut devices: BTreeMap<&str, Device> = BTreeMap::new();
    for facts in &record.targets {
        for name in &facts.disks {
            devices.entry(name).or_insert_with(|| Device { name: name.as_str().into(), ..Device::default() });
        }
        for found in &facts.identities {
            let (name, model, serial) = (found.name.clone(), found.model.clone(), found.serial.clone());
            let device = Device { name, model, serial, size_bytes: found.size_bytes, ..Device::default() };
            devices.insert(found.name.raw(), device);
        }
    }
    devices.into_values().collect()
}

#[cfg(test)]
mod tests {
    use record::TargetFacts;

    use super::*;

    #[test]
    fn a_title_has_the_switches_of_less_than_12_characters() {
        let args = ["-b4K", "-w012345678", "-w0123456789", "f"].map(str::to_owned).into();
        let (command_line, profile_xml) = Default::default();
        let origin = Origin::DiskSpd { command_line, args, profile_xml };
        let record = Record::new(std::sync::Arc::new(Plan { origin, ..Plan::default() }), 0);
        assert_eq!(title(&record), "-b4K -w012345678");
    }

    #[test]
    fn only_a_single_target_is_a_device_with_a_size() {
        let kind_of = |targets: &[TargetFacts]| {
            let mut record = Record::new(Default::default(), 0);
            record.targets = targets.to_vec();
            let found = target(&record);
            (found.kind, found.size_bytes)
        };
        let device = TargetFacts { is_device: true, size_bytes: Some(512), ..TargetFacts::default() };
        let file = TargetFacts { is_device: false, ..device.clone() };
        assert_eq!(kind_of(std::slice::from_ref(&device)), (TargetKind::Device, 512));
        assert_eq!(kind_of(&[file]), (TargetKind::File, 512));
        assert_eq!(kind_of(&[device.clone(), device]), (TargetKind::File, 0));
    }
}
