//! Why a run or a test has no figures, or not all.

use plan::Dialect;
use record::{Record, RunError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tagged::tagged;

tagged! { Failure }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum Failure {
    /// A signal stopped it.
    Stopped,
    /// No I/O completed in the measured time.
    NoIo,
    /// The test writes, and its target may hold data.
    NotOverwritable { path: String },
    /// A job ended with an error.
    Job { name: String, error: RunError, dialect: Dialect },
    /// A host of the fleet has no complete result.
    HostLost { host: String, reason: String },
    /// A phase ended with an error that no job has.
    Phase { error: RunError, dialect: Dialect },
    /// The plan was refused before the run: messages of the dialect, or of the engine.
    Refused { messages: Vec<String> },
    /// The shell command before the run failed.
    PrepareCommand { command: String, message: String },
    /// Another folder or device is at the path of the target since the first run.
    TargetReplaced { path: String },
    /// The target could not be filled before the run.
    Fill(Box<Failure>),
    /// The run measured no response times.
    NoResponseTimes,
    /// None of the test's runs has the settings that its rounds follow.
    NoFollowedRun,
}

impl Failure {
    /// Returns true if the figures may be of another target.
    pub fn is_invalid(&self) -> bool {
        match self {
            Failure::TargetReplaced { .. } => true,
            Failure::Fill(cause) => cause.is_invalid(),
            _ => false,
        }
    }

    /// Returns the failure of a replaced target, if one of the errors is of one.
    pub fn of_replaced<'a>(errors: impl IntoIterator<Item = &'a RunError>) -> Option<Failure> {
        let path = errors.into_iter().find_map(RunError::replaced_target)?;
        Some(Failure::TargetReplaced { path: path.to_owned() })
    }

    /// Returns why a run failed: a replaced target, else a lost host, else the first job that failed, else a phase. `None` if all
    /// ended well.
    pub fn of_run(record: &Record) -> Option<Failure> {
        let dialect = record.plan.origin.dialect();
        let mut both = record.plan.workers.iter().zip(&record.workers);
        let of_job = both.find_map(|(worker, counted)| {
            let error = counted.error.clone()?;
            Some(Failure::Job { name: worker.name.clone(), error, dialect })
        });
        let of_workers = record.workers.iter().filter_map(|counted| counted.error.as_ref());
        let of_phases = record.phases.iter().filter_map(|phase| phase.error.as_ref());
        let replaced = Failure::of_replaced(of_workers.chain(of_phases));
        let of_phase = || record.phases.iter().find_map(|phase| phase.error.clone());
        let of_host = record.hosts().iter().find_map(|host| {
            Some(Failure::HostLost { host: host.name.to_string(), reason: host.failure.clone()?.to_string() })
        });
        replaced.or(of_host).or(of_job).or_else(|| of_phase().map(|error| Failure::Phase { error, dialect }))
    }

    /// Returns why a run has no comparable figures: an error, or no completed I/O.
    pub fn of_figures(record: &Record) -> Option<Failure> {
        Failure::of_run(record).or_else(|| (record.totals().all.ios == 0).then_some(Failure::NoIo))
    }
}
