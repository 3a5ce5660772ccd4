//! Suites: lists of tests as data, in fio's and DiskSpd's words, with where they come from and what each is meant to
//! hit.
//!
//! A suite is read from text ([`Suite::read`]) and gives out jobs ([`Suite::job`]), which a dialect makes plans of.

mod built_in;
mod cells;
mod explain;
mod job;
mod layers;
mod preparing;
mod read;
mod site;
mod study;
mod table;

pub use built_in::{BUILT_IN, DEFAULT, built_in};
pub use cells::Cell;
pub use explain::{Planned, aim, explain, least_rounds, takes_bytes, takes_ns, time_told};
pub use job::{Dialect, FillWay, Job, SuiteParams};
pub use preparing::SuiteTarget;
pub use site::{Place, Site, Sites};
pub use study::{Criteria, Ready, ReadyRun, SuiteOptions, SuiteRun, forbidden, resumable};

use std::collections::{BTreeMap, BTreeSet};

use assessment::{Aim, VolumeUse};
use plan::{Amount, Ddir, Plan, Worker};
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
    /// What it tells apart of the storage; none where all its tests are for one target.
    pub volumes: Vec<Volume>,
    pub tests: Vec<Test>,
    layers: Layers,
}

/// A part of the storage that some of a suite's tests are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Volume {
    pub name: String,
    /// What it is, in plain words.
    pub meaning: String,
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
    /// The volume of the jobs that name none themselves.
    volume: Option<String>,
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
    Fio { layers: Layers, jobs: Vec<Beside> },
    DiskSpd { as_meant: Line, literal: Option<Line>, runtime_s: u64, warmup_s: u64, short_runtime_s: u64 },
}

/// One of several jobs of a test.
#[derive(Clone, Debug)]
struct Beside {
    name: String,
    volume: Option<String>,
    layers: Layers,
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

impl Test {
    /// The volumes that it works on, each once.
    pub fn volumes(&self) -> Vec<&str> {
        let jobs: &[Beside] = match &self.work {
            Work::Fio { jobs, .. } => jobs,
            Work::DiskSpd { .. } => &[],
        };
        let of_test = || self.volume.as_deref();
        let mut names: Vec<&str> = match jobs {
            [] => of_test().into_iter().collect(),
            jobs => jobs.iter().filter_map(|job| job.volume.as_deref().or_else(of_test)).collect(),
        };
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        names
    }

    /// What a plan of it does on each of them.
    pub fn used(&self, plan: &Plan) -> Vec<VolumeUse> {
        let volume_of = |worker: &Worker| match &self.work {
            Work::Fio { jobs, .. } => {
                let own = jobs.iter().find(|job| job.name == worker.name).and_then(|job| job.volume.as_deref());
                own.or(self.volume.as_deref())
            }
            Work::DiskSpd { .. } => self.volume.as_deref(),
        };
        let one = |name: &str| {
            let workers = || plan.workers.iter().filter(|worker| volume_of(worker) == Some(name));
            let has = |ddir: Ddir| workers().any(|worker| has(worker, ddir));
            VolumeUse { name: name.to_owned(), reads: has(Ddir::Read), writes: has(Ddir::Write) }
        };
        self.volumes().into_iter().map(one).collect()
    }
}

/// The worker's I/O goes in that direction, some of it at least.
fn has(worker: &Worker, ddir: Ddir) -> bool {
    match ddir {
        Ddir::Read if !worker.streams.is_empty() => worker.streams.list.iter().any(|stream| stream.write_percent < 100),
        Ddir::Write if !worker.streams.is_empty() => worker.streams.list.iter().any(|stream| stream.write_percent > 0),
        _ => worker.access.pattern.has(ddir),
    }
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

/// The targets that a plan changes what they hold: by its I/O, or as it makes a file anew.
pub fn written(plan: &Plan) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for worker in &plan.workers {
        let streams = &worker.streams.list;
        let of_streams = streams.iter().filter(|stream| stream.write_percent > 0 || stream.create.is_some());
        paths.extend(of_streams.map(|stream| stream.path.clone()));
        let pattern = worker.access.pattern;
        if streams.is_empty() && (pattern.writes || pattern.trims) {
            paths.extend(worker.targets.paths.iter().cloned());
        }
    }
    paths
}

/// Some of the plan's I/O reads the target.
pub fn is_read(plan: &Plan, path: &str) -> bool {
    plan.workers.iter().any(|worker| {
        let mut streams = worker.streams.list.iter();
        let of_streams = streams.any(|stream| stream.write_percent < 100 && stream.path == path);
        let plain = worker.streams.is_empty() && worker.access.pattern.reads;
        of_streams || plain && worker.targets.paths.iter().any(|known| known == path)
    })
}

/// The plan changes what its targets hold.
pub fn writes(plan: &Plan) -> bool {
    !written(plan).is_empty()
}
