//! One seed per purpose of a worker, derived from `randseed` as in fio.

use plan::{Job, Seeds};

use crate::entropy;

/// Purpose of a seed, in fio's order. The seed depends on the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Purpose {
    ReadSize,
    WriteSize,
    TrimSize,
    Verify,
    Mix,
    File,
    Offset,
    FileSize,
    Trim,
    Buffer,
    SequentialOrRandom,
    /// Two positions that fio reserves and does not use.
    UnusedWrite,
    UnusedTrim,
    StartDelay,
    Dedupe,
    PoissonRead,
    Zone,
    PoissonWrite,
    PoissonTrim,
    Priority,
    DedupeWorkingSet,
    /// A position that fathom does not use.
    DataPlacement,
    Precondition,
    /// A position that fathom does not use.
    WriteMode,
}

const PURPOSES: usize = Purpose::WriteMode as usize + 1;

/// The multiplier between one seed and the next.
const STEP: u64 = 0x9e37_0001;

/// The seeds of one worker, for offsets, sizes, buffers, delays and all other random values.
#[derive(Clone, Debug)]
pub struct SeedTable {
    seeds: [u64; PURPOSES],
    each_pass: bool,
}

impl SeedTable {
    /// Returns the seeds of a worker of a plan.
    pub fn of_worker(job: Job<'_>) -> Self {
        SeedTable::new(job.load.access.seeds, job.number, entropy::draw)
    }

    /// `entropy` is called only for seeds from the system.
    pub fn new(seeds: Seeds, worker_number: u32, mut entropy: impl FnMut() -> u64) -> Self {
        match seeds {
            Seeds::Repeatable { seed, each_pass } => {
                let mut seed = (0..4).fold(seed, |seed, _| seed.wrapping_mul(STEP));
                let seeds = std::array::from_fn(|place| {
                    let own = seed.wrapping_mul(u64::from(worker_number)).wrapping_add(place as u64);
                    seed = seed.wrapping_mul(STEP);
                    own
                });
                SeedTable { seeds, each_pass }
            }
            Seeds::System => SeedTable { seeds: std::array::from_fn(|_| entropy()), each_pass: false },
        }
    }

    pub fn of(&self, purpose: Purpose) -> u64 {
        self.seeds[purpose as usize]
    }

    /// Returns all seeds, in fio's order.
    pub fn all(&self) -> &[u64] {
        &self.seeds
    }

    /// Returns true if generators restart from their seeds in each pass.
    pub fn each_pass(&self) -> bool {
        self.each_pass
    }
}
