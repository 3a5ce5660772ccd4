//! Suites: lists of tests as data, in fio's and DiskSpd's words, with where they come from and what each is meant to
//! hit.
//!
//! A suite is read from text ([`Suite::read`]) and gives out jobs ([`Suite::job`]), which a dialect makes plans of.

mod built_in;
mod cells;
mod explain;
mod job;
mod layers;
mod read;
mod table;

pub use built_in::{BUILT_IN, DEFAULT, built_in};
pub use cells::Cell;
pub use explain::{Planned, aim, explain, least_rounds, takes_bytes, takes_ns, time_told};
pub use job::{Dialect, FillWay, Job, Place, Terms};
pub use read::size;

use std::collections::BTreeMap;

use judge::assessment::Aim;
use plan::{Amount, Plan};
use units::diagnostic::Span;

use crate::rounds::Goal;
use layers::Layers;

/// A list of tests.
#[derive(Clone, Debug)]
pub struct Suite {
    pub name: String,
    /// The suite in one line.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    pub date: String,
    /// What else is to be known of it.
    pub about: Option<String>,
    pub target: MeantFor,
    pub files: Files,
    /// Bytes of a job's file, as published; `None` is the whole device.
    pub size_bytes: Option<u64>,
    /// The same where there is no device to be whole.
    pub file_size_bytes: u64,
    /// And in the short form.
    pub short_size_bytes: u64,
    pub fill: Fill,
    pub tests: Vec<Test>,
    layers: Layers,
}

/// What a suite was written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeantFor {
    /// Files of a file system.
    File,
    /// A device as a whole, which loses what it holds.
    Device,
}

/// Which files the jobs of a test work on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Files {
    /// One for all.
    One,
    /// Each of a job's clones has its own.
    Each,
}

/// How targets are filled before tests that need that.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// After so long a file is as large as it will be.
    pub at_most_s: Option<u64>,
    /// What is said of it in place of the plain way.
    layers: Layers,
}

#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    /// What it measures, in plain words.
    pub title: String,
    pub aim: Aim,
    pub needs: Needs,
    /// What goes wrong when the published text is taken by its letter.
    pub trap: Option<String>,
    pub rounds: Rounds,
    work: Work,
    vary: Vec<(String, Vec<String>)>,
    short_vary: Option<Vec<(String, Vec<String>)>>,
    /// The test's name in the text.
    at: Span,
}

/// What a test needs so that its figures are worth anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Every block was written: reads of others need no disk.
    pub filled: bool,
    /// Every block was read: volumes made from snapshots fetch blocks when they are first read.
    pub initialised: bool,
    /// What it reads is in the cache that it is meant to measure.
    pub warm: bool,
}

/// How often the runs of a test are made.
#[derive(Clone, PartialEq, Debug)]
pub enum Rounds {
    Fixed {
        times: usize,
        rest_s: u64,
    },
    /// Until the last of them are steady.
    Steady {
        goal: Goal,
        /// The cell that is followed; empty where there is one only.
        at: Cell,
    },
}

#[derive(Clone, Debug)]
enum Work {
    Fio { layers: Layers, jobs: Vec<(String, Layers)> },
    DiskSpd { as_meant: Line, literal: Option<Line>, runtime_s: u64, warmup_s: u64, short_runtime_s: u64 },
}

/// DiskSpd's words, with `{target}`, `{size}`, `{runtime}`, `{warmup}` and what is varied in braces.
#[derive(Clone, Debug)]
struct Line {
    text: String,
    is_profile: bool,
    at: Span,
}

/// By its letter, or as it was meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    Literal,
    #[default]
    AsMeant,
}

impl Suite {
    /// Bytes of each job's file if nothing is said of it: what was published, or the short form's.
    pub fn default_size(&self, short: bool, is_device: bool) -> Option<u64> {
        match (short, self.size_bytes) {
            (true, published) => Some(published.unwrap_or(u64::MAX).min(self.short_size_bytes)),
            (false, Some(published)) => Some(published),
            (false, None) => (!is_device).then_some(self.file_size_bytes),
        }
    }
}

/// What a plan takes of its targets: bytes from the start of each.
pub fn footprint(plan: &Plan) -> BTreeMap<String, u64> {
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    let mut take = |path: &str, bytes: u64| {
        let known = taken.entry(path.to_owned()).or_default();
        *known = (*known).max(bytes);
    };
    for worker in &plan.workers {
        for stream in &worker.streams.list {
            let made = stream.create.as_ref().map_or(0, |file| file.bytes);
            take(&stream.path, stream.end_bytes.unwrap_or(0).max(made));
        }
        let (targets, files) = (&worker.targets, worker.targets.paths.len().max(1) as u64);
        let bytes = match (targets.file_size, targets.extent.size) {
            (Some((_, most)), _) => most,
            (None, Some(Amount::Bytes(bytes))) => bytes / files,
            (None, _) => 0,
        };
        let offset = match targets.extent.offset {
            Amount::Bytes(offset) if targets.file_size.is_none() => offset,
            _ => 0,
        };
        targets.paths.iter().for_each(|path| take(path, bytes + offset));
    }
    taken
}

/// The plan changes what its targets hold.
pub fn writes(plan: &Plan) -> bool {
    plan.workers.iter().any(|worker| {
        let pattern = worker.access.pattern;
        pattern.writes || pattern.trims || worker.streams.list.iter().any(|stream| stream.write_percent > 0)
    })
}
