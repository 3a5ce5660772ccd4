//! The search over depths of a closed loop: 1, 2, 4 and so on, until a deeper queue brings no more IOPS.

use std::ops::RangeInclusive;

use assessment::Failure;
use record::Record;

use super::curve::{Bend, knee};
use super::load::{Load, SearchParams};
use super::measured::Measured;

/// A doubling of the depth that gains a smaller share of IOPS counts as no gain.
const GAIN: f64 = 0.02;
/// This many doublings without a gain in a row end the search.
const FLAT_MAX: usize = 2;
/// Fewest runs of a search that the largest depth does not end: depth 1, and the doublings without a gain.
const RUNS_MIN: u64 = 1 + FLAT_MAX as u64;

/// Returns the number of runs of a search up to depth `most`: a run for each power of two.
pub fn runs(most: u32) -> RangeInclusive<u64> {
    let all = u64::from(most.max(1).ilog2()) + 1;
    RUNS_MIN.min(all)..=all
}

pub struct Depths {
    pub params: SearchParams,
    most: u32,
    depths: Vec<(u32, Measured)>,
    failed: Option<Failure>,
}

impl Depths {
    /// A search up to depth `most`.
    pub fn new(params: SearchParams, most: u32) -> Depths {
        Depths { params, most, depths: Vec::new(), failed: None }
    }

    pub fn next(&self) -> Option<Load> {
        let depth = self.depths.last().map_or(Some(1), |(last, _)| last.checked_mul(2))?;
        let flat = self
            .depths
            .windows(2)
            .rev()
            .take_while(|pair| pair[1].1.figures.iops < pair[0].1.figures.iops * (1.0 + GAIN))
            .count();
        (self.failed.is_none() && depth <= self.most && flat < FLAT_MAX).then_some(Load::Closed { depth: Some(depth) })
    }

    pub fn take(&mut self, load: &Load, record: &Record) {
        let Load::Closed { depth: Some(depth) } = load else { return };
        match Measured::closed(record, self.params.percent) {
            Ok(measured) => self.depths.push((*depth, measured)),
            Err(why) => self.failed = Some(why),
        }
    }

    pub fn take_failed(&mut self, why: Failure) {
        self.failed = Some(why);
    }

    pub fn failed(&self) -> Option<&Failure> {
        self.failed.as_ref()
    }

    pub fn depths(&self) -> &[(u32, Measured)] {
        &self.depths
    }

    /// Returns the index of the depth above which I/Os only wait longer.
    pub fn knee(&self) -> Option<usize> {
        let points: Vec<(f64, f64)> =
            self.depths.iter().map(|(depth, measured)| (f64::from(*depth).log2(), measured.figures.iops)).collect();
        knee(&points, Bend::Down)
    }

    /// Returns the index of the largest depth up to which all depths are within the bound.
    pub fn within(&self) -> Option<usize> {
        let bound_ns = self.params.bound_ns? as f64;
        let is_within = |measured: &Measured| measured.figures.percentile_ns.is_some_and(|ns| ns <= bound_ns);
        self.depths.iter().take_while(|(_, measured)| is_within(measured)).count().checked_sub(1)
    }
}
