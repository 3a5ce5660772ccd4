//! The workload model: everything a dialect can ask of the engine, as plain data.
//!
//! A plan names no text format and does no I/O. Every quantity carries its unit in its name; options that a report
//! has to echo travel in [`Echo`].

mod access;
mod buffer;
mod engine;
mod limit;
mod measure;
mod process;
pub mod stream;
mod target;

pub use access::*;
pub use buffer::*;
pub use engine::*;
pub use limit::*;
pub use measure::*;
pub use process::*;
pub use stream::{Stream, Streams};
pub use target::*;

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use units::shell::quoted;

/// Data directions, in the order in which fio reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Ddir {
    Read,
    Write,
    Trim,
}

impl Ddir {
    pub const ALL: [Ddir; 3] = [Ddir::Read, Ddir::Write, Ddir::Trim];

    pub fn name(self) -> &'static str {
        ["read", "write", "trim"][self as usize]
    }
}

/// One value for each direction, indexed by [`Ddir`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PerDdir<T>(pub [T; 3]);

impl<T> std::ops::Index<Ddir> for PerDdir<T> {
    type Output = T;
    fn index(&self, ddir: Ddir) -> &T {
        &self.0[ddir as usize]
    }
}

impl<T> std::ops::IndexMut<Ddir> for PerDdir<T> {
    fn index_mut(&mut self, ddir: Ddir) -> &mut T {
        &mut self.0[ddir as usize]
    }
}

impl<T: Copy> PerDdir<T> {
    pub fn all(value: T) -> Self {
        PerDdir([value; 3])
    }
}

/// A run: workers in order of definition. Phases follow one another, workers of a phase start together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    pub workers: Vec<Worker>,
    /// The options that all jobs share, as typed: fio's "global options".
    pub global_options: Vec<(String, String)>,
    /// No job may write or trim.
    pub readonly: bool,
    /// Print nothing but data: the engine asks nobody and prints nothing, this only travels to the reports.
    pub aggregate_bandwidth_log: Option<String>,
    /// How CPU idleness is measured beside the run.
    pub idle_profile: IdleProfile,
    pub origin: Origin,
}

/// Who asked for the run, and in which words: a report in that language repeats them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Fio(FioWords),
    DiskSpd {
        command_line: String,
        /// The profile as XML, which holds all that a command line can say.
        profile_xml: String,
    },
}

impl Default for Origin {
    fn default() -> Self {
        Origin::Fio(FioWords::default())
    }
}

impl Origin {
    /// The command line as a shell would take it again.
    pub fn command_line(&self) -> String {
        match self {
            Origin::Fio(FioWords { words, .. }) => {
                let words = words.iter().map(|word| quoted(word));
                std::iter::once("fio".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
            }
            Origin::DiskSpd { command_line, .. } => command_line.clone(),
        }
    }
}

/// What fio was told.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FioWords {
    /// The command line without the program's own name.
    pub words: Vec<String>,
    /// Options that had the last word in every job, as a sweep over them gives them.
    pub last_words: Vec<String>,
    /// The job files that it names, and those that they include, as they were read.
    pub job_files: Vec<JobFile>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JobFile {
    /// `-` is standard input.
    pub path: String,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleProfile {
    #[default]
    Off,
    System,
    PerCpu,
}

/// One thread of I/O: fio's job (each of `numjobs` is a worker of its own).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Worker {
    pub name: String,
    /// fio's thread number, from 1 over all workers of the plan: it goes into the seeds.
    pub number: u32,
    /// Which of the `numjobs` clones, from 0.
    pub clone: u32,
    /// Reports add up within a group.
    pub group: u32,
    /// A phase starts when every worker of the one before has ended (`stonewall`).
    pub phase: u32,
    /// Starts when every worker of that name has ended.
    pub wait_for: Option<String>,
    pub engine: Engine,
    pub targets: Targets,
    pub access: Access,
    /// A pattern for each target, by which the worker goes where there are any; `access`, `rate` and `think` are then
    /// what that looks like as a whole.
    pub streams: Streams,
    pub buffers: Buffers,
    pub depth: Depth,
    pub limits: Limits,
    pub rate: Rate,
    pub think: ThinkTime,
    pub latency_target: Option<LatencyTarget>,
    pub errors: ErrorPolicy,
    pub process: Process,
    pub measure: Measure,
    pub echo: Arc<Echo>,
}

/// The first worker of a plan, of which nothing is asked: it reads its targets once, from start to end, 4 KiB at a time.
impl Default for Worker {
    fn default() -> Self {
        Worker {
            name: String::new(),
            number: 1,
            clone: 0,
            group: 0,
            phase: 0,
            wait_for: None,
            engine: Engine::default(),
            targets: Targets::default(),
            access: Access::default(),
            streams: Streams::default(),
            buffers: Buffers::default(),
            depth: Depth::of(1),
            limits: Limits { loops: 1, ..Limits::default() },
            rate: Rate::default(),
            think: ThinkTime::default(),
            latency_target: None,
            errors: ErrorPolicy::default(),
            process: Process::default(),
            measure: Measure::default(),
            echo: Arc::default(),
        }
    }
}

impl Worker {
    /// Whether each I/O in that direction has an intended start: a rate is asked for, and no pauses that would hold I/O
    /// back as well.
    pub fn has_intended_starts(&self, ddir: Ddir) -> bool {
        if self.streams.is_empty() {
            return self.access.pattern.has(ddir) && self.rate.limits(ddir) && !self.think.pauses();
        }
        self.streams.list.iter().any(|stream| stream.has_intended_starts(ddir))
    }

    /// The depth that reports show, which a synchronous engine can't have.
    pub fn depth_as_asked(&self) -> u32 {
        self.echo.iodepth.max(self.depth.iodepth)
    }
}

/// What a report repeats of the job as it was written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Echo {
    pub description: Option<String>,
    /// The job's own options as typed.
    pub options: Vec<(String, String)>,
    /// The engine's name as typed, which may be an alias.
    pub ioengine: String,
    /// fio's name of the pattern, such as `randrw`.
    pub rw: String,
    /// The depth as it was given.
    pub iodepth: u32,
    /// Results of this job are added up over its group.
    pub group_reporting: bool,
    /// `thread` was given: fio's report says threads where it otherwise says processes.
    pub thread: bool,
}
