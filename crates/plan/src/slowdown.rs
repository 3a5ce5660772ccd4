//! What a worker does on purpose that lowers its rate, or the number of its I/Os in flight.

use crate::engine::Batches;
use crate::limit::ThinkTime;
use crate::load::{JobLoad, Load};
use crate::stream::{Stream, StreamRate};
use crate::worker::Worker;

/// What lowers a load on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slowdown {
    /// A constant rate.
    Rate,
    /// Pauses between I/Os, or between bursts of I/Os.
    Pauses,
    /// CPU time without I/O.
    Spins,
    /// The search for a queue depth.
    DepthSearch,
    /// I/Os start at the times of a log.
    LogTimes,
    /// The job waits for others of its flow.
    Flow,
    /// The job locks its targets for each I/O.
    Locks,
    /// Batches of submissions or completions.
    Batches,
    /// Syncs between writes.
    Syncs,
    /// Copies from and to mapped memory, which never queue.
    MemoryCopies,
}

impl Slowdown {
    /// Returns true if the load changes over time.
    pub fn varies(self) -> bool {
        match self {
            Slowdown::Pauses | Slowdown::DepthSearch | Slowdown::LogTimes => true,
            Slowdown::Rate | Slowdown::Spins | Slowdown::Flow | Slowdown::Locks => false,
            Slowdown::Batches | Slowdown::Syncs | Slowdown::MemoryCopies => false,
        }
    }
}

impl Worker {
    /// Returns what lowers the load on purpose. Each of these keeps the number of I/Os in flight below the depth.
    pub fn slowdowns(&self) -> Vec<Slowdown> {
        match &self.load {
            Load::Job(job) => of_job(job, &self.batches),
            Load::Threads(streams) => streams.list.iter().flat_map(of_stream).collect(),
        }
    }
}

// Without `..`: a new field requires a decision here.
fn of_job(job: &JobLoad, batches: &Batches) -> Vec<Slowdown> {
    let JobLoad {
        iodepth: _,
        targets,
        access,
        zoned: _,
        verify: _,
        replay,
        command_priorities: _,
        rate,
        flow,
        think,
        latency_target,
        steady_state: _,
    } = job;
    let ThinkTime { pause_us, spin_us, blocks: _, count_issued: _, io_time_us: _, cycles_per_io } = *think;
    let Batches { low, submit, complete_min, complete_max: _, offload: _, serializes_overlaps: _ } = *batches;
    let is_set = [
        (Slowdown::Rate, rate.is_limited()),
        (Slowdown::Pauses, pause_us > 0 || spin_us > 0),
        (Slowdown::Spins, spin_us > 0 || cycles_per_io > 0),
        (Slowdown::DepthSearch, latency_target.is_some()),
        (Slowdown::LogTimes, replay.as_ref().is_some_and(|replay| !replay.rules.no_stall)),
        (Slowdown::Flow, flow.is_some()),
        (Slowdown::Locks, targets.lock.is_some()),
        (Slowdown::Batches, low.is_some() || submit.is_some() || complete_min.is_some_and(|min| min > 1)),
        (Slowdown::Syncs, access.syncs.between_writes()),
    ];
    those_set(is_set)
}

fn of_stream(stream: &Stream) -> Vec<Slowdown> {
    let is_set = [
        (Slowdown::Rate, stream.rate != StreamRate::Unlimited),
        (Slowdown::Pauses, stream.burst.is_some()),
        (Slowdown::MemoryCopies, stream.mapping.is_some()),
    ];
    those_set(is_set)
}

fn those_set<const N: usize>(all: [(Slowdown, bool); N]) -> Vec<Slowdown> {
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(slowdown, _)| slowdown).collect()
}
