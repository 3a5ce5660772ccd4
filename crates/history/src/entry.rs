//! What the lists show of a kept run.

use std::collections::BTreeSet;

use judge::Verdict;
use plan::Origin;
use record::Record;
use serde::Serialize;

use crate::{Document, Summary};

/// Targets that are named of a run with many.
const TARGETS_SHOWN: usize = 3;
/// The same for jobs.
const NAMES_SHOWN: usize = 4;
/// What is longer holds a path, or a table.
const SWITCH: usize = 12;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    pub id: i64,
    /// `assessment` or `record`.
    pub kind: String,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// How far local time was ahead of UTC, in seconds.
    pub utc_offset_s: i32,
    pub host: String,
    pub target: String,
    /// Of a single run its dialect: `fio`, `diskspd`.
    pub suite: String,
    /// Of a single run what it was: the names of fio's jobs, or DiskSpd's switches.
    pub title: String,
    /// Kept by itself: it goes when newer ones need the room.
    pub unasked: bool,
    /// Single runs have none.
    pub verdict: Option<Verdict>,
    /// Why, in one sentence.
    pub cause: String,
    /// Ended before its last test.
    pub stopped: bool,
    /// The version that measured.
    pub fathom: String,
    pub command: Vec<String>,
    pub tags: Vec<String>,
    /// The figures of the tests.
    pub figures: Vec<Summary>,
}

/// Which runs to list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    pub tag: Option<String>,
    pub target: Option<String>,
    /// `assessment` or `record`.
    pub kind: Option<String>,
    pub limit: Option<u64>,
}

impl Entry {
    /// What is to be shown of a document; it gets its number where it is kept.
    pub fn of(document: &Document, tags: &[String]) -> Entry {
        let entry = match document {
            Document::Assessment(assessment) => Entry {
                id: 0,
                kind: document.kind().to_owned(),
                started_unix_ms: assessment.started_unix_ms,
                ended_unix_ms: assessment.ended_unix_ms,
                utc_offset_s: assessment.utc_offset_s,
                host: assessment.machine.hostname.clone(),
                target: assessment.target.path.clone(),
                suite: assessment.suite.clone(),
                title: String::new(),
                unasked: false,
                verdict: Some(assessment.verdict),
                cause: assessment.cause.clone(),
                stopped: assessment.stopped,
                fathom: assessment.fathom.clone(),
                command: assessment.command.clone(),
                tags: assessment.tags.clone(),
                figures: Vec::new(),
            },
            Document::Record(record) => Entry {
                id: 0,
                kind: document.kind().to_owned(),
                started_unix_ms: record.started_unix_ms,
                ended_unix_ms: record.ended_unix_ms,
                utc_offset_s: record.utc_offset_s,
                host: record.machine.hostname.clone(),
                target: targets(record),
                suite: dialect(record).to_owned(),
                title: title(record),
                unasked: false,
                verdict: None,
                cause: String::new(),
                stopped: false,
                fathom: record.fathom.clone(),
                command: Vec::new(),
                tags: Vec::new(),
                figures: Vec::new(),
            },
        };
        let all: BTreeSet<String> = entry.tags.iter().chain(tags).cloned().collect();
        Entry { tags: all.into_iter().collect(), figures: Summary::of(document), ..entry }
    }
}

fn dialect(record: &Record) -> &'static str {
    match record.plan.origin {
        Origin::Fio(_) => "fio",
        Origin::DiskSpd { .. } => "diskspd",
    }
}

/// The names of the jobs, each once; of DiskSpd's line the switches.
fn title(record: &Record) -> String {
    let Origin::DiskSpd { command_line, .. } = &record.plan.origin else {
        let mut names: Vec<&str> = Vec::new();
        for worker in &record.plan.workers {
            if names.len() <= NAMES_SHOWN && !names.contains(&worker.name.as_str()) {
                names.push(&worker.name);
            }
        }
        let more = if names.len() > NAMES_SHOWN { " ..." } else { "" };
        names.truncate(NAMES_SHOWN);
        return names.join(", ") + more;
    };
    let switches = command_line.split_whitespace().skip(1).filter(|word| word.starts_with('-') && word.len() < SWITCH);
    switches.collect::<Vec<_>>().join(" ")
}

/// The paths that were measured, each once, in the plan's order.
fn targets(record: &Record) -> String {
    let mut paths: Vec<&str> = Vec::new();
    for worker in &record.plan.workers {
        let streams = worker.streams.list.iter().map(|stream| stream.path.as_str());
        for path in worker.targets.paths.iter().map(String::as_str).chain(streams) {
            if paths.len() <= TARGETS_SHOWN && !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    let more = if paths.len() > TARGETS_SHOWN { " ..." } else { "" };
    paths.truncate(TARGETS_SHOWN);
    paths.join(" ") + more
}
