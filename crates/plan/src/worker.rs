//! One thread of I/O.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::buffer::Buffers;
use crate::ddir::Ddir;
use crate::engine::{Batches, Engine};
use crate::limit::{ErrorPolicy, Limits};
use crate::load::{Job, JobLoad, Load};
use crate::measure::Measure;
use crate::process::Process;
use crate::stream::{Stream, Streams};
use crate::target::Open;

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
    /// The report of the worker, and its steady state, are those of its group.
    pub reports_group: bool,
    /// A phase starts when all workers of the previous phase have ended (`stonewall`).
    pub phase: u32,
    /// Starts when all workers of that name have ended.
    pub wait_for: Option<String>,
    pub engine: Engine,
    pub buffers: Buffers,
    pub batches: Batches,
    pub limits: Limits,
    pub errors: ErrorPolicy,
    pub process: Process,
    pub measure: Measure,
    pub load: Load,
    /// Not in the plan's origin: workers of a merged record come from several hosts, whose job files can differ.
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
            reports_group: false,
            phase: 0,
            wait_for: None,
            engine: Engine::default(),
            buffers: Buffers::default(),
            batches: Batches::default(),
            limits: Limits { loops: 1, ..Limits::default() },
            errors: ErrorPolicy::default(),
            process: Process::default(),
            measure: Measure::default(),
            load: Load::default(),
            echo: Arc::default(),
        }
    }
}

impl Worker {
    /// Returns the worker as a job; `None` for a thread.
    pub fn job(&self) -> Option<Job<'_>> {
        match &self.load {
            Load::Job(load) => Some(Job { worker: self, load }),
            Load::Threads(_) => None,
        }
    }

    /// Returns the load of a job, to change it; `None` for a thread.
    pub fn job_mut(&mut self) -> Option<&mut JobLoad> {
        match &mut self.load {
            Load::Job(load) => Some(load),
            Load::Threads(_) => None,
        }
    }

    /// Returns the streams of a thread; `None` for a job.
    pub fn streams(&self) -> Option<&Streams> {
        match &self.load {
            Load::Job(_) => None,
            Load::Threads(streams) => Some(streams),
        }
    }

    /// Returns the streams one by one. A job has none.
    pub fn stream_list(&self) -> &[Stream] {
        self.streams().map_or(&[], |streams| &streams.list)
    }

    /// Returns true if each I/O in that direction has an intended start: there is a rate or a log in an open loop, and no
    /// pauses that delay I/Os as well.
    pub fn has_intended_starts(&self, ddir: Ddir) -> bool {
        match &self.load {
            Load::Job(job) => {
                let is_timed = job.rate.limits(ddir) || job.replays_in_open_loop();
                job.access.has(ddir) && is_timed && !job.think.pauses()
            }
            Load::Threads(streams) => streams.list.iter().any(|stream| stream.has_intended_starts(ddir)),
        }
    }

    /// Returns true if the worker has I/Os in that direction.
    pub fn has(&self, ddir: Ddir) -> bool {
        match &self.load {
            Load::Job(job) => job.access.pattern.has(ddir),
            Load::Threads(streams) => streams.list.iter().any(|stream| stream.share(ddir) > 0.0),
        }
    }

    /// Returns true if offsets of at least one target are random.
    pub fn is_random(&self) -> bool {
        match &self.load {
            Load::Job(job) => job.access.pattern.random,
            Load::Threads(streams) => streams.list.iter().any(|stream| stream.order.is_random()),
        }
    }

    /// Returns the size of the smallest block in that direction.
    pub fn min_block_bytes(&self, ddir: Ddir) -> u64 {
        match &self.load {
            Load::Job(job) => job.access.block.min_bytes[ddir],
            Load::Threads(streams) => {
                streams.list.iter().map(|stream| u64::from(stream.block_bytes)).min().unwrap_or(0)
            }
        }
    }

    /// Returns the paths of all targets. A target that several streams use occurs more than once.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let of_job = self.job().map(|job| &job.load.targets.paths).into_iter().flatten();
        of_job.chain(self.stream_list().iter().map(|stream| &stream.path)).map(String::as_str)
    }

    /// Returns how the targets are opened: once for a job, and once per stream.
    pub fn opens(&self) -> impl Iterator<Item = Open> {
        let of_job = self.job().map(|job| job.load.targets.open);
        of_job.into_iter().chain(self.stream_list().iter().map(|stream| stream.open))
    }

    /// Returns the maximum number of I/Os in flight.
    pub fn depth(&self) -> u32 {
        match &self.load {
            Load::Job(_) if self.engine.is_synchronous() && !self.batches.offload => 1,
            Load::Job(job) => job.iodepth,
            Load::Threads(streams) => streams.depth(),
        }
    }

    /// Returns the depth that reports show. It exceeds the actual depth for synchronous engines.
    pub fn requested_depth(&self) -> u32 {
        self.job().map_or(self.depth(), |job| job.load.iodepth)
    }
}

/// Text of a job that fio's reports repeat.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Echo {
    pub description: Option<String>,
    /// The job's own options as typed.
    pub options: Vec<(String, String)>,
    /// `thread` is set: fio's report counts threads instead of processes.
    pub thread: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Queue;

    #[test]
    fn the_streams_of_a_thread_decide_its_paths_and_depth() {
        let mut worker = Worker { engine: Engine::Null, ..Worker::default() };
        worker.job_mut().unwrap().iodepth = 2;
        worker.job_mut().unwrap().targets.paths = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!((worker.paths().collect::<Vec<_>>(), worker.depth()), (vec!["a", "b"], 2));
        worker.engine = Engine::Psync;
        assert_eq!((worker.depth(), worker.requested_depth()), (1, 2));
        let list = vec![Stream { path: "c".to_owned(), ..Stream::default() }];
        let queues = vec![Queue { depth: 3, shares: Vec::new() }, Queue { depth: 4, shares: Vec::new() }];
        worker.load = Load::Threads(Streams { list, queues, ..Streams::default() });
        assert_eq!((worker.paths().collect::<Vec<_>>(), worker.depth()), (vec!["c"], 7));
    }
}
