//! Hot regions: which part of the touched space has which part of the I/Os.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::io::SECTOR_BYTES;

/// Size of the smallest region, in sectors: 64 KiB.
const REGION_SECTORS: u64 = (64 << 10) / SECTOR_BYTES;
/// Most regions that are counted. Larger spaces have larger regions.
const REGIONS_MAX: usize = 1 << 20;
/// Fewer I/Os per region say little about one region: then regions are joined.
const IOS_PER_REGION: u64 = 16;
/// Fewest regions that are left when regions are joined.
const REGIONS_MIN: usize = 256;
/// Parts of the touched space, the hottest first.
const PARTS: [f64; 3] = [0.01, 0.05, 0.2];

/// Where the I/Os of a direction are.
#[derive(Clone, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Regions {
    /// Size of a region.
    pub region_bytes: u64,
    /// Regions with I/Os.
    pub touched_bytes: u64,
    /// Start of the first of them.
    pub first_byte: u64,
    /// End of the last of them.
    pub end_byte: u64,
    /// The hottest 1, 5 and 20 % of the regions with I/Os. Smaller parts than a region are left out.
    pub hottest: Vec<HotPart>,
}

/// The hottest regions.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct HotPart {
    /// Their share of the touched space.
    pub space_share: f64,
    /// Their share of the I/Os.
    pub ios_share: f64,
    /// The share that the hottest regions have by chance if all regions are equally likely.
    pub even_share: f64,
}

impl HotPart {
    /// Returns true if the part is hotter than chance explains.
    pub fn is_hot(&self) -> bool {
        self.ios_share > self.even_share + 0.05
    }
}

/// Counts I/Os by region.
pub struct RegionCounter {
    region_sectors: u64,
    ios: HashMap<u64, u64>,
}

impl Default for RegionCounter {
    fn default() -> RegionCounter {
        RegionCounter { region_sectors: REGION_SECTORS, ios: HashMap::new() }
    }
}

impl RegionCounter {
    /// Adds an I/O, in the region of its first sector.
    pub fn add(&mut self, sector: u64) {
        *self.ios.entry(sector / self.region_sectors).or_default() += 1;
        if self.ios.len() > REGIONS_MAX {
            self.join();
        }
    }

    fn join(&mut self) {
        let mut joined: HashMap<u64, u64> = HashMap::with_capacity(self.ios.len() / 2);
        for (region, ios) in &self.ios {
            *joined.entry(region / 2).or_default() += ios;
        }
        (self.region_sectors, self.ios) = (self.region_sectors.saturating_mul(2), joined);
    }

    /// Returns the regions; `None` without I/Os.
    pub fn finish(mut self) -> Option<Regions> {
        let all: u64 = self.ios.values().sum();
        while self.ios.len() > REGIONS_MIN && all < self.ios.len() as u64 * IOS_PER_REGION {
            self.join();
        }
        let (first, last) = (*self.ios.keys().min()?, *self.ios.keys().max()?);
        let region_bytes = self.region_sectors.saturating_mul(SECTOR_BYTES);
        let mut counts: Vec<u64> = self.ios.into_values().collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        let part = |share: &f64| {
            let regions = (counts.len() as f64 * share).round() as usize;
            let space_share = regions as f64 / counts.len() as f64;
            (regions > 0).then(|| HotPart {
                space_share,
                ios_share: counts[..regions].iter().sum::<u64>() as f64 / all as f64,
                even_share: even_share(all as f64 / counts.len() as f64, space_share),
            })
        };
        Some(Regions {
            region_bytes,
            touched_bytes: region_bytes.saturating_mul(counts.len() as u64),
            first_byte: first.saturating_mul(region_bytes),
            end_byte: last.saturating_add(1).saturating_mul(region_bytes),
            hottest: PARTS.iter().filter_map(part).collect(),
        })
    }
}

/// Returns the share of the I/Os in the hottest part of equally likely regions with a mean number of I/Os. The number of I/Os of a
/// region is normally distributed; the mean of the upper part of a normal distribution is its density at the quantile, over the part.
fn even_share(mean: f64, part: f64) -> f64 {
    let deviations = density_over_part(part) / mean.sqrt();
    (part * (1.0 + deviations)).min(1.0)
}

/// Returns the mean of the upper part of the standard normal distribution. The quantile is found by bisection.
fn density_over_part(part: f64) -> f64 {
    if part >= 1.0 {
        return 0.0;
    }
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let (mut quantile, mut left, step) = (8.0, 0.0, 1e-3);
    while left < part {
        left += density(quantile) * step;
        quantile -= step;
    }
    density(quantile) / part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers that look random, below `most`.
    fn scattered(most: u64) -> impl Iterator<Item = u64> {
        (0u64..).map(move |nth| {
            let mixed = (nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 29)) % most
        })
    }

    #[test]
    fn equally_likely_regions_are_not_hot() {
        for ios in [20_000, 200_000] {
            let mut counter = RegionCounter::default();
            scattered(1 << 21).take(ios).for_each(|sector| counter.add(sector));
            let regions = counter.finish().unwrap();
            assert_eq!(regions.hottest.len(), 3);
            for part in &regions.hottest {
                assert!(!part.is_hot() && (part.ios_share - part.even_share).abs() < 0.01, "{regions:?}");
            }
            assert_eq!((regions.first_byte, regions.end_byte), (0, 1 << 30), "{regions:?}");
        }
    }

    #[test]
    fn the_hottest_regions_have_their_share() {
        // 80 % of the I/Os go to 5 % of 1 GiB.
        let mut counter = RegionCounter::default();
        for (nth, sector) in scattered(1 << 21).take(200_000).enumerate() {
            counter.add(if nth % 5 == 0 { sector } else { sector / 20 });
        }
        let regions = counter.finish().unwrap();
        let share = |at: usize| (regions.hottest[at].space_share, regions.hottest[at].ios_share);
        assert!((share(1).0 - 0.05).abs() < 0.001 && (share(1).1 - 0.81).abs() < 0.02, "{regions:?}");
        assert!(regions.hottest[1].is_hot() && (share(0).1 - 0.16).abs() < 0.02, "{regions:?}");
    }

    #[test]
    fn a_large_space_has_large_regions() {
        let mut counter = RegionCounter::default();
        (0..=REGIONS_MAX as u64).for_each(|nth| counter.add(nth * REGION_SECTORS));
        let regions = counter.finish().unwrap();
        assert!(regions.region_bytes > 64 << 10 && regions.end_byte > 1 << 36, "{regions:?}");
        assert!(RegionCounter::default().finish().is_none());
    }
}
