//! The sweep over depths of a closed loop: 1, 2, 4 and so on, until more depth brings no more I/Os.

use record::Record;

use super::curve::{Bend, knee};
use super::measured::Measured;
use super::{Load, Terms};

/// A doubling that brings less is one for nothing.
const GAIN: f64 = 0.02;
/// So many of them in a row end the sweep.
const FLAT_MAX: usize = 2;

pub struct Depths {
    pub terms: Terms,
    most: u32,
    depths: Vec<(u32, Measured)>,
    failed: Option<String>,
}

impl Depths {
    /// Up to the depth `most`.
    pub fn new(terms: Terms, most: u32) -> Depths {
        Depths { terms, most, depths: Vec::new(), failed: None }
    }

    pub fn next(&self) -> Option<Load> {
        let depth = self.depths.last().map_or(Some(1), |(last, _)| last.checked_mul(2))?;
        let flat =
            self.depths.windows(2).rev().take_while(|pair| pair[1].1.iops < pair[0].1.iops * (1.0 + GAIN)).count();
        (self.failed.is_none() && depth <= self.most && flat < FLAT_MAX).then_some(Load::Closed { depth: Some(depth) })
    }

    pub fn take(&mut self, load: &Load, record: &Record) {
        let Load::Closed { depth: Some(depth) } = load else { return };
        match Measured::closed(record, self.terms.percent) {
            Ok(measured) => self.depths.push((*depth, measured)),
            Err(why) => self.failed = Some(why),
        }
    }

    pub fn take_failed(&mut self, why: String) {
        self.failed = Some(why);
    }

    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    pub fn depths(&self) -> &[(u32, Measured)] {
        &self.depths
    }

    /// The place of the depth from which on I/Os only wait longer.
    pub fn knee(&self) -> Option<usize> {
        let points: Vec<(f64, f64)> =
            self.depths.iter().map(|(depth, measured)| (f64::from(*depth).log2(), measured.iops)).collect();
        knee(&points, Bend::Down)
    }

    /// The place of the deepest queue within the bound: none deeper and none shallower is beyond it.
    pub fn within(&self) -> Option<usize> {
        let bound_ns = self.terms.bound_ns? as f64;
        let is_within = |measured: &Measured| measured.asked_ns.is_some_and(|asked_ns| asked_ns <= bound_ns);
        self.depths.iter().take_while(|(_, measured)| is_within(measured)).count().checked_sub(1)
    }

    /// The depth at which most was done.
    pub fn most(&self) -> Option<&(u32, Measured)> {
        self.depths.iter().max_by(|one, other| one.1.iops.total_cmp(&other.1.iops))
    }
}
