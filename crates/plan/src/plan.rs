//! A whole run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::Seeds;
use crate::load::{Job, Load};
use crate::origin::Origin;
use crate::worker::Worker;

/// Distance of the seeds of consecutive passes: 2^32 divided by the golden ratio, so that few passes have seeds near each other.
const PASS_STEP: u64 = 0x9e37_79b1;

/// A run: workers in order of definition. Workers of a phase start together, and phases run one after another.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub workers: Vec<Worker>,
    /// The options that all jobs share, as typed: fio's "global options".
    pub global_options: Vec<(String, String)>,
    /// No job may write or trim.
    pub readonly: bool,
    /// Stem of the logs of the whole run's bandwidth (`--bandwidth-log`).
    pub aggregate_bandwidth_log: Option<String>,
    /// Whether CPU idleness is measured during the run.
    pub idle_profile: IdleProfile,
    pub origin: Origin,
}

impl Plan {
    /// Returns the part that the engine uses: the plan without the text that it was made from.
    pub fn without_text(&self) -> Plan {
        let mut plan = Plan { global_options: Vec::new(), origin: Origin::default(), ..self.clone() };
        for worker in &mut plan.workers {
            worker.echo = Arc::default();
            // A synchronous engine does not use it.
            let depth = worker.depth();
            if let Load::Job(job) = &mut worker.load {
                job.iodepth = depth;
            }
        }
        plan
    }

    /// Whether jobs of one phase start at different times.
    pub fn is_staggered(&self) -> bool {
        let starts_beside = |one: &Worker, other: &Worker| {
            one.phase == other.phase && one.limits.start_delay_ns != other.limits.start_delay_ns
        };
        self.workers.iter().any(|worker| {
            let (least, most) = worker.limits.start_delay_ns;
            least != most || self.workers.iter().any(|other| starts_beside(worker, other))
        })
    }

    /// Returns all workers that are jobs.
    pub fn jobs(&self) -> impl Iterator<Item = Job<'_>> {
        self.workers.iter().filter_map(Worker::job)
    }

    /// Returns the other clones of a job (`numjobs`), which follow the first.
    pub fn clones<'a>(&'a self, first: &'a Worker) -> impl Iterator<Item = &'a Worker> {
        let behind = self.workers.iter().skip_while(|worker| worker.number != first.number).skip(1);
        behind.take_while(|worker| worker.clone > 0)
    }

    /// Changes the seeds to those of a later pass of the same plan, which has other random offsets. 0 is the first pass. Jobs that
    /// verify keep theirs: a seed is part of each block.
    pub fn reseed(&mut self, pass: u64) {
        let step = pass.wrapping_mul(PASS_STEP);
        for worker in &mut self.workers {
            match &mut worker.load {
                Load::Job(job) => {
                    if let (Seeds::Repeatable { seed, .. }, None) = (&mut job.access.seeds, &job.verify) {
                        *seed = seed.wrapping_add(step);
                    }
                }
                // DiskSpd's seeds have 32 bits.
                Load::Threads(streams) => streams.seed = streams.seed.wrapping_add(step) & u64::from(u32::MAX),
            }
        }
    }
}

/// Which CPU idleness a run measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleProfile {
    #[default]
    Off,
    System,
    PerCpu,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Streams;

    #[test]
    fn a_later_pass_has_other_seeds() {
        let streams = Load::Threads(Streams { list: Vec::new(), queues: Vec::new(), seed: 7, interval_ms: 0 });
        let workers = vec![Worker::default(), Worker { load: streams, ..Worker::default() }];
        let first = Plan { workers, ..Plan::default() };
        let of_pass = |pass| {
            let mut plan = first.clone();
            plan.reseed(pass);
            plan
        };
        assert_eq!(of_pass(0), first);
        let seeds = |plan: &Plan| {
            (
                plan.workers[0].job().map(|job| job.load.access.seeds),
                plan.workers[1].streams().map(|streams| streams.seed),
            )
        };
        let all = [0, 1, 2].map(|pass| seeds(&of_pass(pass)));
        assert!(
            all[0].0 != all[1].0 && all[1].0 != all[2].0 && all[0].1 != all[1].1 && all[1].1 != all[2].1,
            "{all:?}"
        );
        assert!(all.iter().all(|(_, seed)| seed.is_some_and(|seed| u32::try_from(seed).is_ok())));
        assert_eq!(of_pass(1), of_pass(1));
    }

    #[test]
    fn jobs_of_one_phase_that_start_at_different_times_are_staggered() {
        let at = |phase, delay_ns| {
            let mut worker = Worker { phase, ..Worker::default() };
            worker.limits.start_delay_ns = delay_ns;
            worker
        };
        let is_staggered = |workers| Plan { workers, ..Plan::default() }.is_staggered();
        assert!(!is_staggered(vec![at(0, (0, 0)), at(0, (0, 0)), at(1, (5, 5))]));
        assert!(is_staggered(vec![at(0, (0, 0)), at(0, (5, 5))]));
        assert!(is_staggered(vec![at(0, (0, 5))]));
    }
}
