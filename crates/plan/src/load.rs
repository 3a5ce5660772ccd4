//! The I/Os of a worker, in two forms.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::command_priority::CommandPriorities;
use crate::limit::{Flow, LatencyTarget, Rate, ThinkTime};
use crate::replay::Replay;
use crate::steady_state::SteadyStateCriterion;
use crate::stream::Streams;
use crate::target::Targets;
use crate::verify::Verify;
use crate::worker::Worker;
use crate::zoned::Zoned;

/// The I/Os of a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// One pattern over all targets, as a job of fio has.
    Job(Box<JobLoad>),
    /// A pattern per target, as a thread of DiskSpd has.
    Threads(Streams),
}

impl Default for Load {
    fn default() -> Self {
        Load::Job(Box::default())
    }
}

/// One pattern over all targets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobLoad {
    /// I/Os in flight. A synchronous engine has one.
    pub iodepth: u32,
    pub targets: Targets,
    pub access: Access,
    /// The I/Os keep to the zones of the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zoned: Option<Zoned>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
    /// The I/Os come from a log instead of the access pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Priorities of single I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_priorities: Option<CommandPriorities>,
    pub rate: Rate,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    pub think: ThinkTime,
    pub latency_target: Option<LatencyTarget>,
    /// Ends the job when it is met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_state: Option<SteadyStateCriterion>,
}

impl JobLoad {
    /// Returns true if the I/Os start at the times of a log, whether or not earlier ones were late.
    pub fn replays_in_open_loop(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.rules.is_open_loop)
    }
}

impl Default for JobLoad {
    fn default() -> Self {
        JobLoad {
            iodepth: 1,
            targets: Targets::default(),
            access: Access::default(),
            zoned: None,
            verify: None,
            replay: None,
            command_priorities: None,
            rate: Rate::default(),
            flow: None,
            think: ThinkTime::default(),
            latency_target: None,
            steady_state: None,
        }
    }
}

/// A worker that is a job, and its load. What all workers have is that of the [`Worker`].
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    pub worker: &'a Worker,
    pub load: &'a JobLoad,
}

impl Deref for Job<'_> {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        self.worker
    }
}
