//! The interface between a study and the driver that makes its runs.

use std::sync::Arc;
use std::time::Duration;

use assessment::{Assessment, Cause, Failure, SCHEMA, Study as Request, Target, Verdict, Volume};
use judge::verdict::keep_invalid;
use plan::Plan;
use record::{Machine, Record, RunError};

use crate::suite::Job;

/// A sequence of runs that ends as an assessment.
///
/// A study issues no I/O, reads no clock and renders nothing. The driver calls `next`, makes the run and passes the
/// outcome to `take`, until `next` returns `None` or a signal arrives. Then it calls `finish`.
pub trait Study {
    /// Returns the next run; `None` if no run is left or the study cannot continue.
    fn next(&mut self) -> Option<Run>;

    /// Takes the outcome of the run that `next` returned last.
    fn take(&mut self, outcome: Outcome);

    /// Returns the assessment so far if another run could resume it, after a part of the study is complete.
    fn checkpoint(&mut self) -> Option<&Assessment> {
        None
    }

    /// Ends the study. Runs that were not made are missing from the assessment.
    fn finish(self: Box<Self>, end: &End) -> Assessment;
}

/// One run of a study.
#[derive(Clone, Debug)]
pub struct Run {
    pub work: Work,
    /// Name of the run on progress lines.
    pub label: String,
    /// Name of the point, workload or test that runs; the same for all of its repeats and rounds.
    pub name: String,
    /// Index of that point or workload.
    pub point: usize,
    /// From 0.
    pub repeat: usize,
    /// Pause before the run.
    pub rest: Duration,
    /// Shell command before the run.
    pub prepare: Option<PrepareCommand>,
    /// Time of the runs after this one, as far as it is known.
    pub remaining_ns: u64,
}

impl Run {
    /// A run without a pause, a command before it, or a known remaining time.
    pub fn new(work: Work, label: impl Into<String>) -> Run {
        let label = label.into();
        let (point, repeat, remaining_ns) = (0, 0, 0);
        Run { work, name: label.clone(), label, point, repeat, rest: Duration::ZERO, prepare: None, remaining_ns }
    }
}

/// The job or command of a run.
#[derive(Clone, Debug)]
pub enum Work {
    /// A job in a dialect's text, which the driver turns into a plan.
    Job(Job),
    Plan(Arc<Plan>),
}

/// A shell command before a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrepareCommand {
    pub command: String,
    /// Name of the workload, as environment variable `FATHOM_WORKLOAD`.
    pub workload: String,
    /// From 1, as environment variable `FATHOM_REPEAT`.
    pub repeat: usize,
}

/// The end of a run.
#[derive(Debug)]
pub enum Outcome {
    /// The run ended by itself. Its record may hold errors of workers.
    Completed {
        record: Box<Record>,
        /// Number of the run in the history, if it was added.
        history_id: Option<i64>,
    },
    /// A signal stopped the run.
    Interrupted(Box<Record>),
    /// The run was refused; no target was touched.
    Refused(Refusal),
    /// The shell command before the run failed.
    PrepareFailed(Failure),
}

/// Why a run was refused.
#[derive(Debug)]
pub struct Refusal {
    pub failure: Failure,
    /// The engine's errors.
    pub errors: Vec<RunError>,
    /// Record of the run, without results.
    pub record: Option<Box<Record>>,
}

impl Refusal {
    /// A refusal before the engine saw the plan, with the messages of the dialect.
    pub fn new(messages: Vec<String>) -> Refusal {
        Refusal { failure: Failure::Refused { messages }, errors: Vec::new(), record: None }
    }
}

impl Outcome {
    /// A completed run outside the history.
    pub fn completed(record: Record) -> Outcome {
        Outcome::Completed { record: Box::new(record), history_id: None }
    }
}

/// Facts about the session that a study belongs to.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Version of fathom.
    pub fathom: String,
    /// Command line, with the program's name first.
    pub command: Vec<String>,
    pub started_unix_ms: u64,
    /// Local time minus UTC, in seconds.
    pub utc_offset_s: i32,
    pub target: Target,
    /// Targets of a suite's volumes, if it has several.
    pub volumes: Vec<Volume>,
    pub machine: Machine,
    pub tags: Vec<String>,
}

/// Facts about the end of a session.
#[derive(Clone, Debug, Default)]
pub struct End {
    pub ended_unix_ms: u64,
    /// A signal arrived.
    pub is_stopped: bool,
    /// Facts about the target, if the session's were from before its files existed.
    pub target: Option<Target>,
}

impl Session {
    /// Returns an assessment without tests. `suite` is the name of the suite or of the kind of study.
    pub fn assessment(&self, suite: &str, title: String, study: Request) -> Assessment {
        Assessment {
            schema: SCHEMA.to_owned(),
            fathom: self.fathom.as_str().into(),
            command: self.command.clone(),
            started_unix_ms: self.started_unix_ms,
            ended_unix_ms: 0,
            utc_offset_s: self.utc_offset_s,
            suite: suite.into(),
            title: title.into(),
            target: self.target.clone(),
            volumes: self.volumes.clone(),
            machine: self.machine.clone(),
            tags: self.tags.iter().map(|tag| tag.as_str().into()).collect(),
            preparation: Vec::new(),
            tests: Vec::new(),
            expectations: Vec::new(),
            applications: Vec::new(),
            classes: Vec::new(),
            machine_limits: None,
            verdict: Verdict::Inconclusive,
            cause: Cause::NothingMeasured,
            stopped: false,
            study,
        }
    }
}

impl End {
    /// Adds the facts about the end to an assessment, and computes its result. Figures that a finding makes worthless are
    /// INVALID in every study.
    pub(crate) fn conclude(&self, assessment: &mut Assessment, complete: impl FnOnce(&mut Assessment)) {
        self.close(assessment);
        complete(assessment);
        keep_invalid(assessment);
    }

    /// Adds the facts about the end to an assessment.
    pub fn close(&self, assessment: &mut Assessment) {
        assessment.ended_unix_ms = self.ended_unix_ms;
        assessment.stopped = self.is_stopped;
        if let Some(target) = &self.target {
            assessment.target.clone_from(target);
        }
    }
}
