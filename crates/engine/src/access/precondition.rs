//! Offsets of random writes that bring an SSD to steady state in one pass (`sprandom`).
//!
//! In steady state, erase blocks with few valid pages are more frequent: their number is in proportion to the reciprocal
//! of their valid share, down to the share at which the SSD collects them (P. Desnoyers, "Analytic Models of SSD Write
//! Performance", ACM Transactions on Storage 8 (2), 2012). The job writes the physical capacity in regions of equal size.
//! Blocks of a region are written again in the next region until the region has its share of invalid blocks.

use std::collections::VecDeque;

use plan::Precondition;
use random::{Lfsr, Tausworthe32};
use record::AccessFault;

use super::seeds::{Purpose, SeedTable};

/// Shares are compared with random numbers from 0 to this.
const WHOLE: u32 = 10_000;

#[derive(Clone, Debug)]
pub(super) struct Rewrites {
    random: Tausworthe32,
    /// Share of the blocks of each region that are written again, in 1/10000.
    invalid_share: Vec<u32>,
    blocks_per_region: u64,
    /// Blocks are written again at the end of the next region, not at its start.
    waits_for_cache: bool,
    region: usize,
    /// First writes left in the region.
    first_writes_left: u64,
    /// Blocks of the region to write again in the next one.
    chosen: VecDeque<u64>,
    /// Blocks of the region before, to write again in this one.
    due: VecDeque<u64>,
    /// Number of blocks that were chosen for this region.
    rewrites: u64,
}

impl Rewrites {
    /// Returns the rewrites of a target with `logical_bytes`.
    ///
    /// # Errors
    /// The overprovisioning has no steady state, or a region is smaller than a block or the cache.
    pub(super) fn new(
        model: &Precondition,
        logical_bytes: u64,
        block_bytes: u64,
        seeds: &SeedTable,
    ) -> Result<Self, AccessFault> {
        let regions = u64::from(model.regions);
        let region_bytes = model.physical_bytes(logical_bytes, block_bytes).checked_div(regions).unwrap_or(0);
        let blocks_per_region = region_bytes.checked_div(block_bytes).unwrap_or(0);
        let valid = valid_shares(model).ok_or(AccessFault::Overprovisioning)?;
        if blocks_per_region == 0 || model.cache_bytes > region_bytes {
            return Err(AccessFault::RegionSize { region_bytes, cache_bytes: model.cache_bytes });
        }
        Ok(Rewrites {
            random: Tausworthe32::new(crate::number::low_half(seeds.of(Purpose::Precondition))),
            invalid_share: valid
                .iter()
                .map(|valid| crate::number::length(units::number::whole(((1.0 - valid) * f64::from(WHOLE)).round())))
                .collect(),
            blocks_per_region,
            waits_for_cache: model.cache_bytes > 0,
            region: 0,
            first_writes_left: blocks_per_region,
            chosen: VecDeque::new(),
            due: VecDeque::new(),
            rewrites: 0,
        })
    }

    /// Returns the next block. `None` after the last region, or if `blocks` has no more.
    pub(super) fn draw(&mut self, blocks: &mut Lfsr) -> Option<u64> {
        let rewrites_now = !self.waits_for_cache || self.first_writes_left == 0;
        if rewrites_now && let Some(block) = self.due.pop_front() {
            self.choose(block);
            return Some(block);
        }
        if self.first_writes_left == 0 {
            self.enter_next_region()?;
        }
        let Some(block) = blocks.draw() else {
            return if self.waits_for_cache { self.due.pop_front() } else { None };
        };
        self.first_writes_left = self.first_writes_left.saturating_sub(1);
        self.choose(block);
        Some(block)
    }

    /// Starts the next region. Returns `None` after the last.
    fn enter_next_region(&mut self) -> Option<()> {
        if self.region >= self.invalid_share.len() {
            return None;
        }
        self.region += 1;
        self.first_writes_left = self.blocks_per_region.saturating_sub(self.rewrites);
        self.rewrites = 0;
        self.due.append(&mut self.chosen);
        Some(())
    }

    /// Chooses a written block to be written again, at random.
    fn choose(&mut self, block: u64) {
        let number = self.random.between(0, WHOLE);
        // Beyond the last region nothing is written again.
        if self.invalid_share.get(self.region).is_some_and(|&share| number <= share) {
            self.chosen.push_back(block);
            self.rewrites += 1;
        }
    }
}

/// Returns the valid share of the blocks of each region, lowest first. `None` if the model has no steady state.
fn valid_shares(model: &Precondition) -> Option<Vec<f64>> {
    let regions = model.regions as usize;
    let write_amplification = 0.5 / model.overprovisioning + 0.7;
    if regions == 0 || !(model.overprovisioning > 0.0 && write_amplification > 1.0) {
        return None;
    }
    let lowest = 1.0 - 1.0 / write_amplification;
    let step = if regions > 1 { (lowest - 1.0) / (regions as f64 - 1.0) } else { 0.0 };
    // The shares in equal steps, and the capacity up to each.
    let shares: Vec<f64> = (0..regions).map(|nth| 1.0 + nth as f64 * step).collect();
    let capacities: Vec<f64> = shares
        .iter()
        .scan(0.0, |sum, share| {
            *sum += 1.0 / share;
            Some(*sum)
        })
        .collect();
    let (first, last) = (capacities[0], capacities[regions - 1]);
    let width = if regions > 1 { (last - first) / (regions as f64 - 1.0) } else { 0.0 };
    let at = |nth: usize| interpolated(&capacities, &shares, first + nth as f64 * width);
    Some((0..regions).rev().map(at).collect())
}

/// Returns the value at `x` of the line through the points.
fn interpolated(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let last = xs.len() - 1;
    let after = xs.partition_point(|&other| other < x);
    match after {
        0 => ys[0],
        _ if after > last => ys[last],
        _ => {
            let (x1, x2, y1, y2) = (xs[after - 1], xs[after], ys[after - 1], ys[after]);
            y1 + (y2 - y1) * ((x - x1) / (x2 - x1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(regions: u32, cache_bytes: u64) -> Precondition {
        Precondition { regions, overprovisioning: 0.15, cache_bytes }
    }

    fn rewrites(model: &Precondition) -> Result<Rewrites, AccessFault> {
        let seeds = SeedTable::new(plan::Seeds::Repeatable { seed: 7, each_pass: false }, 1, || 0);
        Rewrites::new(model, 64 << 20, 4096, &seeds)
    }

    #[test]
    fn regions_written_last_are_more_valid() {
        let shares = valid_shares(&model(100, 0)).unwrap();
        let lowest = 1.0 - 1.0 / (0.5 / 0.15 + 0.7);
        assert!((shares[0] - lowest).abs() < 1e-9 && (shares[99] - 1.0).abs() < 1e-9, "{shares:?}");
        assert!(shares.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(valid_shares(&model(1, 0)), Some(vec![1.0]));
    }

    #[test]
    fn every_block_is_written_and_the_physical_capacity_is_used() {
        for cache_bytes in [0, 64 << 10] {
            let blocks = (64 << 20) / 4096;
            let mut rewrites = rewrites(&model(50, cache_bytes)).unwrap();
            let mut lfsr = Lfsr::new(blocks, 1).unwrap();
            let mut written = vec![0u32; blocks as usize];
            while let Some(block) = rewrites.draw(&mut lfsr) {
                written[block as usize] += 1;
            }
            let all: u64 = written.iter().map(|&times| u64::from(times)).sum();
            let share = all as f64 / blocks as f64;
            assert!(written.iter().all(|&times| times > 0) && (1.1..1.2).contains(&share), "{share}");
        }
    }

    #[test]
    fn models_without_steady_state_and_small_regions_are_errors() {
        let fault = |model| rewrites(&model).err();
        assert_eq!(fault(Precondition { overprovisioning: 2.0, ..model(10, 0) }), Some(AccessFault::Overprovisioning));
        assert_eq!(fault(Precondition { overprovisioning: 0.0, ..model(10, 0) }), Some(AccessFault::Overprovisioning));
        assert!(matches!(fault(model(50, 32 << 20)), Some(AccessFault::RegionSize { .. })));
        assert!(matches!(fault(model(1 << 20, 0)), Some(AccessFault::RegionSize { .. })));
    }
}
