//! Size of the next I/O.

use plan::{BlockSizes, Ddir, SizeShare};
use random::Tausworthe;
use record::AccessFault;
use units::order::OrderBy;

use super::seeds::{Purpose, SeedTable};

/// Maximum number of draws for one size. A split may have no size that fits.
const MAX_DRAWS: u32 = 1 << 20;

#[derive(Clone, Debug)]
pub(super) struct Sizes {
    by_direction: [Sized; 3],
    by_sequential_or_random: bool,
    /// A write has the size of the trim before it, so both draw the same.
    paired_trims: bool,
    verifies: bool,
}

#[derive(Clone, Debug)]
struct Sized {
    rule: Rule,
    min: u64,
    random: Tausworthe,
}

#[derive(Clone, Debug)]
enum Rule {
    Fixed,
    Range { max: u64, round: Round },
    Split { max: u64, round: Round, sizes: Vec<Share> },
}

#[derive(Clone, Copy, Debug)]
enum Round {
    /// No rounding.
    Off,
    Mask(u64),
    Multiple(u64),
}

/// A size is chosen if the draw is at most its bound.
#[derive(Clone, Copy, Debug)]
struct Share {
    bytes: u64,
    bound: u64,
}

impl Sizes {
    pub(super) fn new(
        block: &BlockSizes,
        seeds: &SeedTable,
        wide: bool,
        paired_trims: bool,
        verifies: bool,
    ) -> Result<Self, AccessFault> {
        let sized = |ddir: Ddir| -> Result<Sized, AccessFault> {
            let random = Tausworthe::new(0, wide);
            let rule = rule(block, ddir, random.max())?;
            Ok(Sized { rule, min: block.min_bytes[ddir], random })
        };
        let mut sizes = Sizes {
            by_direction: [sized(Ddir::Read)?, sized(Ddir::Write)?, sized(Ddir::Trim)?],
            by_sequential_or_random: block.by_sequential_or_random,
            paired_trims,
            verifies,
        };
        sizes.reseed(seeds, wide);
        Ok(sizes)
    }

    pub(super) fn reseed(&mut self, seeds: &SeedTable, wide: bool) {
        let read = seeds.of(Purpose::ReadSize);
        let write = if self.verifies { read } else { seeds.of(Purpose::WriteSize) };
        let trim = if self.paired_trims { write } else { seeds.of(Purpose::TrimSize) };
        for (sized, seed) in self.by_direction.iter_mut().zip([read, write, trim]) {
            sized.random = Tausworthe::new(seed, wide);
        }
    }

    /// Returns the length of an I/O of at most `room` bytes, or `None` if the smallest size does not fit. A fixed size is
    /// not compared with `room`: such an I/O may extend past the extent, within the file.
    #[inline]
    pub(super) fn draw(&mut self, ddir: Ddir, is_random: bool, room: u64) -> Option<u64> {
        let slot = match (self.by_sequential_or_random, is_random) {
            (false, _) => ddir,
            (true, true) => Ddir::Write,
            (true, false) => Ddir::Read,
        };
        let sized = &mut self.by_direction[slot as usize];
        match &sized.rule {
            Rule::Fixed => Some(sized.min),
            _ if sized.min > room => None,
            _ => sized.draw_fitting(room),
        }
    }
}

impl Sized {
    fn draw_fitting(&mut self, room: u64) -> Option<u64> {
        for _ in 0..MAX_DRAWS {
            let length = match &self.rule {
                Rule::Fixed => self.min,
                Rule::Range { max, round } => {
                    let drawn = self.min + units::number::whole(*max as f64 * self.random.fraction());
                    round.down(drawn).min(*max)
                }
                Rule::Split { max, round, sizes } => {
                    let drawn = self.random.draw();
                    let share = sizes.iter().find(|share| drawn <= share.bound && share.bytes <= room);
                    let share = share.or(sizes.last())?;
                    round.down(share.bytes).min(*max)
                }
            };
            if length <= room {
                return (length > 0).then_some(length);
            }
        }
        None
    }
}

impl Round {
    #[inline]
    fn down(self, bytes: u64) -> u64 {
        match self {
            Round::Off => bytes,
            Round::Mask(mask) => bytes & mask,
            Round::Multiple(of) => bytes - bytes % of,
        }
    }
}

fn rule(block: &BlockSizes, ddir: Ddir, random_max: u64) -> Result<Rule, AccessFault> {
    let (min, max) = (block.min_bytes[ddir], block.max_bytes[ddir]);
    if min == 0 || max < min {
        return Err(AccessFault::BlockSize { ddir, min_bytes: min, max_bytes: max });
    }
    if min == max {
        return Ok(Rule::Fixed);
    }
    let round = match (block.unaligned, min.is_power_of_two()) {
        (true, _) => Round::Off,
        (false, true) => Round::Mask(!(min - 1)),
        (false, false) => Round::Multiple(min),
    };
    let split = &block.split[ddir as usize];
    if split.is_empty() {
        return Ok(Rule::Range { max, round });
    }
    Ok(Rule::Split { max, round, sizes: shares(split, random_max) })
}

/// Returns the sizes, rarest first, each with the cumulative share.
fn shares(split: &[SizeShare], random_max: u64) -> Vec<Share> {
    let mut split: Vec<SizeShare> = split.iter().copied().filter(|share| share.percent > 0).collect();
    split.order_by_key(|share| share.percent);
    let mut percent = 0;
    let share = |share: &SizeShare| {
        percent += u128::from(share.percent);
        let bound = (u128::from(random_max / 100) + 1) * percent - 1;
        Share { bytes: share.bytes, bound: u64::try_from(bound).unwrap_or(u64::MAX) }
    };
    split.iter().map(share).collect()
}
