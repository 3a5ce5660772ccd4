//! Suites: lists of tests as data, in the options of fio and DiskSpd, with their sources and the limit that each test
//! aims at.
//!
//! [`Suite::read`] parses a suite, and [`Suite::job`] returns jobs, which a dialect turns into plans.

mod built_in;
mod cells;
mod chosen;
mod explain;
mod job;
mod layers;
mod preparing;
mod read;
mod resumed;
mod site;
mod study;
mod table;

pub use built_in::{BUILT_IN, DEFAULT, built_in};
pub use chosen::Choice;
pub use explain::{Planned, aim, explain, least_rounds, takes_bytes, takes_ns, time_text};
pub(crate) use job::options;
pub use job::{FillWay, Job, SuiteParams};
pub use layers::Form;
pub use preparing::SuiteTarget;
pub use resumed::resumable;
pub use site::{Place, SCRATCH_PREFIX, Site, Sites};
pub use study::{Criteria, Extension, PlannedSuite, Ready, ReadyRun, SuiteOptions, SuiteRun, forbidden};

use std::collections::BTreeSet;

use assessment::{Aim, Settings, VolumeUse};
use plan::{Ddir, Plan, Worker};
use strum::{EnumString, VariantNames};
use units::diagnostic::Span;

use crate::rounds::Goal;
pub use crate::usage::{footprint, is_read, writes, written};
use layers::Layers;

/// A file that may be smaller than published has at most this share of the free space: `assess` then needs no consent.
const FREE_SHARE: u64 = 10;

/// Largest number of rounds until a steady state in the short form.
const SHORT_ROUNDS_MAX: usize = 8;

/// A list of tests.
#[derive(Clone, Debug)]
pub struct Suite {
    pub name: String,
    /// A title of one line.
    pub title: String,
    /// Source of the published tests.
    pub source: String,
    pub date: String,
    /// Further facts.
    pub about: Option<String>,
    pub target: MeantFor,
    pub files: Files,
    /// Bytes of a job's file, as published; `None` is the whole device.
    pub size_bytes: Option<u64>,
    /// The smallest size of a new file on a file system with little free space; `None` if it must have the published one.
    pub least_size_bytes: Option<u64>,
    /// The size for targets that are not devices.
    pub file_size_bytes: u64,
    /// The size in the short form.
    pub short_size_bytes: u64,
    pub fill: Fill,
    /// The volumes that the suite distinguishes; empty if all tests use one target.
    pub volumes: Vec<Volume>,
    pub tests: Vec<Test>,
}

/// A part of the storage that some tests of a suite use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Volume {
    pub name: String,
    /// Description of the volume.
    pub meaning: String,
}

/// The kind of target of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum MeantFor {
    #[default]
    /// Files of a file system.
    File,
    /// A whole device, whose data is lost.
    Device,
}

/// The files of a test's jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Files {
    #[default]
    /// One file for all jobs.
    One,
    /// One file for each clone of a job.
    Each,
}

/// How targets are filled before tests that need it.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// Time limit of a fill. The file is then smaller.
    pub at_most_s: Option<u64>,
    /// Options that override the default ones.
    layers: Layers,
}

#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    /// A title of one line.
    pub title: String,
    pub aim: Aim,
    pub needs: Needs,
    /// Why the literal text does not measure what it claims.
    pub trap: Option<String>,
    pub rounds: Rounds,
    /// The volume of jobs without one.
    volume: Option<String>,
    /// Options of all tests of the suite.
    of_suite: Layers,
    work: Work,
    vary: Vec<(String, Vec<String>)>,
    short_vary: Option<Vec<(String, Vec<String>)>>,
    /// Place of the test's name in the text.
    at: Span,
}

/// Requirements of a test on its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Every block was written: a read of an unwritten block does not reach the disk.
    pub filled: bool,
    /// Every block was read: a volume made from a snapshot fetches a block on its first read.
    pub initialised: bool,
    /// The measured cache holds the blocks that the test reads.
    pub warm: bool,
}

/// The number of rounds of a test.
#[derive(Clone, PartialEq, Debug)]
pub enum Rounds {
    Fixed {
        times: usize,
        rest_s: u64,
    },
    /// Rounds until the figures are steady.
    Steady {
        goal: Goal,
        /// The cell that is judged; empty if there is one.
        at: Settings,
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

/// A DiskSpd command line with placeholders: `{target}`, `{size}`, `{runtime}`, `{warmup}`, and the varied settings.
#[derive(Clone, Debug)]
struct Line {
    text: String,
    is_profile: bool,
    at: Span,
}

impl Test {
    /// Returns the test in its short form: once, without pauses, and with few rounds until a steady state.
    pub fn in_short_form(&self) -> Test {
        let rounds = match &self.rounds {
            Rounds::Fixed { .. } => Rounds::Fixed { times: 1, rest_s: 0 },
            Rounds::Steady { goal, at } => {
                let goal = Goal { most: goal.most.min(SHORT_ROUNDS_MAX), ..goal.clone() };
                Rounds::Steady { goal, at: at.clone() }
            }
        };
        Test { rounds, ..self.clone() }
    }

    /// Returns the volumes of the test, each once.
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

    /// Returns what a plan of the test does on each volume.
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
            let has = |ddir: Ddir| workers().any(|worker| worker.has(ddir));
            VolumeUse { name: name.to_owned(), reads: has(Ddir::Read), writes: has(Ddir::Write) }
        };
        self.volumes().into_iter().map(one).collect()
    }
}

impl Suite {
    /// Returns the default size of each job's file: the published one, or that of the short form. If the suite allows smaller
    /// files, a new one has at most a tenth of the free space, rounded down to a power of two.
    pub fn default_size(&self, short: bool, is_device: bool, free_bytes: Option<u64>) -> Option<u64> {
        match (short, self.size_bytes) {
            (true, published) => Some(published.unwrap_or(u64::MAX).min(self.short_size_bytes)),
            (false, Some(published)) => {
                let share = free_bytes.map(|bytes| (bytes / FREE_SHARE).checked_ilog2().map_or(0, |bits| 1 << bits));
                let least = self.least_size_bytes.unwrap_or(published);
                Some(share.map_or(published, |share: u64| published.min(share.max(least))))
            }
            (false, None) => (!is_device).then_some(self.file_size_bytes),
        }
    }
}
