//! Selects the buffers that repeat others, for storage with deduplication.

use plan::{Ddir, Dedupe, DedupeMode, Generator, Worker};
use random::{Tausworthe, Tausworthe32, Tausworthe64};
use record::ContentFault;

use super::job::Job;
use crate::access::{Purpose, SeedTable};
use crate::goal::Length;

/// Seeds of the next buffers.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    fresh: Tausworthe,
    /// State of `fresh` after its last chunk. A repeat continues from it, and so will the next fresh buffer.
    before: Tausworthe,
    repeats: Option<Repeats>,
}

#[derive(Clone, Debug)]
struct Repeats {
    percent: u32,
    choice: Tausworthe32,
    working_set: Option<(WorkingSet, Tausworthe)>,
}

/// Generator states that produce a set of buffers again.
#[derive(Clone, Debug)]
enum WorkingSet {
    Narrow(Vec<Tausworthe32>),
    Wide(Vec<Tausworthe64>),
}

/// The origin of one buffer. A buffer can take several seeds.
pub(super) enum Origin {
    Fresh,
    Repeat(Tausworthe),
    /// All buffers are equal.
    Always(Tausworthe),
}

/// Returns true if a job repeats the buffers of a working set.
pub fn has_working_set(worker: &Worker) -> bool {
    matches!(worker.buffers.dedupe, Some(Dedupe { percent: 1.., mode: DedupeMode::WorkingSet { .. } }))
}

/// Returns the memory of the working set of a job with `pass_bytes` bytes.
pub fn working_set_bytes(job: plan::Job<'_>, pass_bytes: u64) -> u64 {
    let Some(Dedupe { percent: 1.., mode: DedupeMode::WorkingSet { percent, .. } }) = job.buffers.dedupe else {
        return 0;
    };
    let each = match job.load.access.generator {
        Generator::Tausworthe64 => size_of::<Tausworthe64>(),
        Generator::Tausworthe32 | Generator::Tausworthe32Fixed | Generator::Lfsr => size_of::<Tausworthe32>(),
    };
    buffers_of_set(pass_bytes, percent, job.load.access.block.min_bytes[Ddir::Write]).saturating_mul(each as u64)
}

fn buffers_of_set(pass_bytes: u64, percent: u32, min_write: u64) -> u64 {
    crate::number::narrow(u128::from(pass_bytes) * u128::from(percent) / 100) / min_write.max(1)
}

impl Origins {
    pub(super) fn new(job: &Job) -> Result<Self, ContentFault> {
        let fresh = Tausworthe::new(job.seeds.of(Purpose::Buffer), job.wide);
        let repeats = match job.buffers.dedupe {
            Some(dedupe) if dedupe.percent > 0 => Some(Repeats::new(job, dedupe)?),
            _ => None,
        };
        Ok(Origins { before: fresh.clone(), fresh, repeats })
    }

    pub(super) fn reseed(&mut self, seeds: &SeedTable, wide: bool) {
        self.fresh = Tausworthe::new(seeds.of(Purpose::Buffer), wide);
        self.before = self.fresh.clone();
        if let Some(repeats) = &mut self.repeats {
            repeats.choice = Tausworthe32::new(crate::number::low_half(seeds.of(Purpose::Dedupe)));
            if let Some((_, index)) = &mut repeats.working_set {
                *index = Tausworthe::new(seeds.of(Purpose::DedupeWorkingSet), wide);
            }
        }
    }

    /// Chooses the origin of the next buffer.
    pub(super) fn choose(&mut self) -> Origin {
        let Some(repeats) = &mut self.repeats else { return Origin::Fresh };
        if repeats.percent >= 100 {
            return Origin::Always(self.fresh.clone());
        }
        if repeats.choice.between(1, 100) > repeats.percent {
            return Origin::Fresh;
        }
        match &mut repeats.working_set {
            None => Origin::Repeat(self.before.clone()),
            Some((set, index)) => Origin::Repeat(set.pick(index)),
        }
    }

    /// Returns the seed of the next chunk of a buffer.
    #[inline]
    pub(super) fn seed(&mut self, origin: &mut Origin) -> u64 {
        match origin {
            Origin::Fresh => {
                let seed = self.fresh.seed();
                if self.repeats.is_some() {
                    self.before = self.fresh.clone();
                }
                seed
            }
            Origin::Repeat(state) => state.seed(),
            Origin::Always(state) => state.clone().seed(),
        }
    }
}

impl Repeats {
    fn new(job: &Job, dedupe: Dedupe) -> Result<Self, ContentFault> {
        let working_set = match dedupe.mode {
            DedupeMode::Repeat => None,
            DedupeMode::WorkingSet { percent, global } => {
                let set = WorkingSet::new(job, percent, global)?;
                Some((set, Tausworthe::new(job.seeds.of(Purpose::DedupeWorkingSet), job.wide)))
            }
        };
        let choice = Tausworthe32::new(crate::number::low_half(job.seeds.of(Purpose::Dedupe)));
        Ok(Repeats { percent: dedupe.percent, choice, working_set })
    }
}

impl WorkingSet {
    fn new(job: &Job, percent: u32, global: bool) -> Result<Self, ContentFault> {
        let Length::Bytes(pass_bytes) = job.pass else { return Err(ContentFault::UnknownSize) };
        let buffers = buffers_of_set(pass_bytes, percent, job.min_write);
        if buffers == 0 {
            return Err(ContentFault::EmptyWorkingSet);
        }
        let chunks = job.min_write / job.chunk_bytes();
        let seeds = Turns { job, global, each: (buffers / job.peer_seeds.len().max(1) as u64).max(1) };
        if job.wide {
            let advance = |state: &mut Tausworthe64| for_one_seed(|| state.draw());
            states(buffers, chunks, &seeds, Tausworthe64::new, advance).map(WorkingSet::Wide)
        } else {
            let start = |seed| Tausworthe32::new(crate::number::low_half(seed));
            let advance = |state: &mut Tausworthe32| for_one_seed(|| state.draw());
            states(buffers, chunks, &seeds, start, advance).map(WorkingSet::Narrow)
        }
    }

    fn pick(&self, index: &mut Tausworthe) -> Tausworthe {
        let mut pick = |length: usize| crate::number::size(index.between(0, length as u64 - 1)).min(length - 1);
        match self {
            WorkingSet::Narrow(states) => Tausworthe::Narrow(states[pick(states.len())].clone()),
            WorkingSet::Wide(states) => Tausworthe::Wide(states[pick(states.len())].clone()),
        }
    }
}

/// Order of the buffers in the set. A global set has buffers of every worker, so that workers share some.
struct Turns<'a> {
    job: &'a Job<'a>,
    global: bool,
    each: u64,
}

impl Turns<'_> {
    /// Returns the seed that starts at a position of the set.
    fn at(&self, place: u64) -> Option<u64> {
        if place == 0 {
            return Some(self.job.seeds.of(Purpose::Buffer));
        }
        if !self.global || !place.is_multiple_of(self.each) {
            return None;
        }
        let peers = self.job.peer_seeds;
        let worker = crate::number::size(u64::from(self.job.worker_number) - 1 + place / self.each);
        peers.get(worker % peers.len().max(1)).copied()
    }
}

/// Advances a generator by one seed, which takes two draws.
fn for_one_seed<T>(mut draw: impl FnMut() -> T) {
    draw();
    draw();
}

fn states<T: Clone>(
    buffers: u64,
    chunks: u64,
    turns: &Turns,
    start: impl Fn(u64) -> T,
    advance: impl Fn(&mut T),
) -> Result<Vec<T>, ContentFault> {
    let mut states = Vec::new();
    let count = usize::try_from(buffers).map_err(|_| ContentFault::WorkingSetMemory { buffers })?;
    states.try_reserve_exact(count).map_err(|_| ContentFault::WorkingSetMemory { buffers })?;
    let mut state = start(turns.job.seeds.of(Purpose::Buffer));
    for place in 0..buffers {
        match turns.at(place) {
            Some(seed) => state = start(seed),
            None => (0..chunks).for_each(|_| advance(&mut state)),
        }
        states.push(state.clone());
    }
    Ok(states)
}
