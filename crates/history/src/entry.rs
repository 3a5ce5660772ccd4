//! What the lists show of a kept run.

use std::collections::BTreeSet;

use assessment::{Assessment, Study, Verdict};
use judge::single;
use serde::Serialize;

use crate::{Document, Summary};

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    pub id: i64,
    /// `assessment`, `knee`, `sweep` or `record`.
    pub kind: String,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// How far local time was ahead of UTC, in seconds.
    pub utc_offset_s: i32,
    pub host: String,
    pub target: String,
    /// Of a single run its dialect: `fio`, `diskspd`.
    pub suite: String,
    /// Of a single run what it was: the names of fio's jobs, or DiskSpd's switches. Of a search its I/Os, of a sweep what it
    /// varied.
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
                title: title_of_study(assessment),
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
                target: single::targets(record),
                suite: single::dialect(record).to_owned(),
                title: single::title(record),
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

/// The workload of a study; empty for a suite, which its name describes.
fn title_of_study(assessment: &Assessment) -> String {
    match &assessment.study {
        Study::Suite(_) | Study::Preconditioning => String::new(),
        Study::Single => assessment.title.clone(),
        Study::Knee(knee) => knee.work.clone(),
        Study::Sweep(sweep) => {
            let options: Vec<&str> = sweep.axes.iter().map(|(option, _)| option.as_str()).collect();
            format!("{} of {}", options.join(", "), sweep.dialect)
        }
        Study::Repeats(repeats) => {
            let lines: Vec<&str> = repeats.workloads.iter().map(|workload| workload.line.as_str()).collect();
            lines.join(" and ")
        }
    }
}
