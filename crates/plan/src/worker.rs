//! One thread of I/O.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::buffer::Buffers;
use crate::command_priority::CommandPriorities;
use crate::ddir::Ddir;
use crate::engine::{Depth, Engine};
use crate::limit::{ErrorPolicy, Flow, LatencyTarget, Limits, Rate, ThinkTime};
use crate::measure::Measure;
use crate::process::Process;
use crate::replay::Replay;
use crate::steady_state::SteadyStateCriterion;
use crate::stream::{Stream, Streams};
use crate::target::Targets;
use crate::verify::Verify;
use crate::workload::Workload;
use crate::zoned::Zoned;

/// One thread of I/O: a job of fio (each of `numjobs` is a worker), or a thread of DiskSpd.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Worker {
    pub name: String,
    /// fio's thread number, from 1 over all workers of the plan. The seeds depend on it.
    pub number: u32,
    /// Number among the `numjobs` clones, from 0.
    pub clone: u32,
    /// Reports add up results within a group.
    pub group: u32,
    /// A phase starts when all workers of the previous phase have ended (`stonewall`).
    pub phase: u32,
    /// Starts when all workers of that name have ended.
    pub wait_for: Option<String>,
    pub engine: Engine,
    pub targets: Targets,
    pub access: Access,
    /// The I/Os keep to the zones of the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zoned: Option<Zoned>,
    /// One pattern over all targets, or a pattern per target.
    #[serde(rename = "streams")]
    pub workload: Workload,
    pub buffers: Buffers,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
    /// The I/Os come from a log instead of the access pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Priorities of single I/Os.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_priorities: Option<CommandPriorities>,
    pub depth: Depth,
    pub limits: Limits,
    pub rate: Rate,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    pub think: ThinkTime,
    pub latency_target: Option<LatencyTarget>,
    /// Ends the worker when it is met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_state: Option<SteadyStateCriterion>,
    pub errors: ErrorPolicy,
    pub process: Process,
    pub measure: Measure,
    pub echo: Arc<Echo>,
}

/// The first worker of a plan with all options at their defaults: it reads its targets once, sequentially, in blocks of
/// 4 KiB.
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
            zoned: None,
            workload: Workload::default(),
            buffers: Buffers::default(),
            verify: None,
            replay: None,
            command_priorities: None,
            depth: Depth::of(1),
            limits: Limits { loops: 1, ..Limits::default() },
            rate: Rate::default(),
            flow: None,
            think: ThinkTime::default(),
            latency_target: None,
            steady_state: None,
            errors: ErrorPolicy::default(),
            process: Process::default(),
            measure: Measure::default(),
            echo: Arc::default(),
        }
    }
}

impl Worker {
    /// Returns true if each I/O in that direction has an intended start: there is a rate, and no pauses that delay I/Os
    /// as well.
    pub fn has_intended_starts(&self, ddir: Ddir) -> bool {
        match &self.workload {
            Workload::Job => self.access.has(ddir) && self.rate.limits(ddir) && !self.think.pauses(),
            Workload::Streams(streams) => streams.list.iter().any(|stream| stream.has_intended_starts(ddir)),
        }
    }

    /// Returns the streams. `None` for a job.
    pub fn streams(&self) -> Option<&Streams> {
        match &self.workload {
            Workload::Job => None,
            Workload::Streams(streams) => Some(streams),
        }
    }

    /// Returns the streams one by one. A job has none.
    pub fn stream_list(&self) -> &[Stream] {
        self.streams().map_or(&[], |streams| &streams.list)
    }

    /// Returns the paths of all targets. A target that several streams use occurs more than once.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let of_job = self.streams().is_none().then_some(&self.targets.paths).into_iter().flatten();
        of_job.chain(self.stream_list().iter().map(|stream| &stream.path)).map(String::as_str)
    }

    /// Returns the maximum number of I/Os in flight.
    pub fn depth(&self) -> u32 {
        self.streams().map_or(self.depth.iodepth, Streams::depth)
    }

    /// Returns the depth that reports show. It exceeds the actual depth for synchronous engines.
    pub fn requested_depth(&self) -> u32 {
        self.echo.iodepth.max(self.depth.iodepth)
    }
}

/// Settings that reports repeat as they were written.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Echo {
    pub description: Option<String>,
    /// The job's own options as typed.
    pub options: Vec<(String, String)>,
    /// The engine's name as typed. It may be an alias.
    pub ioengine: String,
    /// fio's name of the pattern, such as `randrw`.
    pub rw: String,
    /// The depth as typed.
    pub iodepth: u32,
    /// Results of this job are added up over its group.
    pub group_reporting: bool,
    /// `thread` is set: fio's report counts threads instead of processes.
    pub thread: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Queue;

    #[test]
    fn the_streams_of_a_thread_decide_its_paths_and_depth() {
        let mut worker = Worker { depth: Depth::of(2), ..Worker::default() };
        worker.targets.paths = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!((worker.paths().collect::<Vec<_>>(), worker.depth()), (vec!["a", "b"], 2));
        let list = vec![Stream { path: "c".to_owned(), ..Stream::default() }];
        let queues = vec![Queue { depth: 3, shares: Vec::new() }, Queue { depth: 4, shares: Vec::new() }];
        worker.workload = Workload::Streams(Streams { list, queues, ..Streams::default() });
        assert_eq!((worker.paths().collect::<Vec<_>>(), worker.depth()), (vec!["c"], 7));
    }
}
