//! Draws the priorities of single I/Os.

use plan::{CommandPriorities, Ddir, Generator, Job};
use random::Tausworthe;
use record::PriorityLatency;

use crate::access::{Purpose, SeedTable};

pub struct PriorityDraw {
    priorities: CommandPriorities,
    state: Tausworthe,
}

impl PriorityDraw {
    pub fn new(job: Job<'_>, seeds: &SeedTable) -> Option<Self> {
        let priorities = job.load.command_priorities.clone()?;
        let wide = job.load.access.generator == Generator::Tausworthe64;
        Some(PriorityDraw { priorities, state: Tausworthe::new(seeds.of(Purpose::Priority), wide) })
    }

    /// Returns the priority of an I/O of `bytes` bytes, as the kernel encodes it. 0 is the priority of the worker.
    pub fn draw(&mut self, ddir: Ddir, bytes: u64) -> u16 {
        let splits = self.priorities.of(ddir);
        let Some(split) = splits.iter().find(|split| split.block_bytes.is_none_or(|size| size == bytes)) else {
            return 0;
        };
        let drawn = self.state.between(0, 99);
        let mut end = 0;
        for share in &split.shares {
            end += u64::from(share.percent);
            if drawn < end {
                return share.prio.word();
            }
        }
        0
    }
}

/// Returns empty latencies of the priorities of a worker, its own first. Empty if all I/Os have the same priority.
pub fn latencies(job: Job<'_>, ddir: Ddir) -> Vec<PriorityLatency> {
    let splits = job.load.command_priorities.as_ref().map_or(&[][..], |priorities| priorities.of(ddir));
    if splits.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<PriorityLatency> = Vec::new();
    let shares = splits.iter().flat_map(|split| &split.shares).map(|share| share.prio);
    for prio in std::iter::once(job.process.ioprio.unwrap_or_default()).chain(shares) {
        if found.iter().all(|other| other.prio != prio) {
            let mut of_prio = PriorityLatency { prio, ..PriorityLatency::default() };
            of_prio.latency.reserve();
            found.push(of_prio);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use plan::{IoPrio, PriorityShare, PrioritySplit, Worker};

    use super::*;

    #[test]
    fn shares_are_those_of_the_block_size() {
        let prio = |level| IoPrio { class: 2, level, hint: 0 };
        let shares = vec![PriorityShare { percent: 25, prio: prio(1) }, PriorityShare { percent: 50, prio: prio(2) }];
        let reads = vec![PrioritySplit { block_bytes: Some(4096), shares }];
        let mut worker = Worker::default();
        worker.job_mut().unwrap().command_priorities = Some(CommandPriorities { reads, writes: Vec::new() });
        let mut draw = PriorityDraw::new(worker.job().unwrap(), &SeedTable::of_worker(worker.job().unwrap())).unwrap();
        assert_eq!((draw.draw(Ddir::Read, 512), draw.draw(Ddir::Write, 4096)), (0, 0));
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[usize::from(draw.draw(Ddir::Read, 4096) & 7)] += 1;
        }
        assert!((2300..2700).contains(&counts[1]) && (4700..5300).contains(&counts[2]), "{counts:?}");
        assert_eq!(latencies(worker.job().unwrap(), Ddir::Read).len(), 3);
        assert!(latencies(worker.job().unwrap(), Ddir::Write).is_empty());
    }
}
