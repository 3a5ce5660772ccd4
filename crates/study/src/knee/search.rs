//! The search for the highest rate that a target sustains: capacity, steps up, bisection, and repeats that confirm.
//!
//! A rate is met or missed by the majority of its runs. The highest rate that is met and the lowest one above it that is
//! missed are both run until two runs of three agree, so that no single run decides.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use assessment::{Failure, LoadGeneratorEvidence};
use judge::figures::median;
use plan::Ddir;
use record::Record;

use super::curve::{Bend, knee};
use super::load::{Load, SearchParams};
use super::measured::Measured;

/// Steps up, as shares of the closed loop's IOPS.
const FRACTIONS: [f64; 10] = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05];
/// A closed loop may reach less than the target can. Further steps grow by this factor, up to this multiple of it.
const FURTHER: f64 = 1.1;
const FURTHER_MAX: f64 = 4.0;
/// This many missed rates in a row end the steps up.
const MISSED_MAX: usize = 2;
/// If the lowest step is missed, the rate is divided by this factor, down to this share of the closed loop's IOPS.
const DOWN: f64 = 4.0;
const LEAST_SHARE: f64 = 0.001;
/// Distance of the met and the missed rate at the end, as a share of the rate.
const RESOLUTION: f64 = 0.01;
/// Steps up of multiples of a captured load, after 1 and the margin; and the distance at their end, as each run is long.
const MULTIPLE_FURTHER: f64 = 1.5;
const MULTIPLE_RESOLUTION: f64 = 0.05;
/// If the captured load is missed, it is divided by this, once.
const MULTIPLE_DOWN: f64 = 2.0;
/// Percent of the captured load.
const CAPTURED: f64 = 100.0;
/// This many runs that agree decide a rate.
const AGREE: usize = 2;
/// Largest number of runs of a search.
const RUNS_MAX: usize = 60;
/// Number of runs of a search. The smallest is the closed loop, and the steps up.
pub const RUNS: RangeInclusive<u64> = 1 + FRACTIONS.len() as u64..=RUNS_MAX as u64;
/// The same over multiples of a captured load: the load, the margin, two missed steps and a repeat of each side.
pub const MULTIPLE_RUNS: RangeInclusive<u64> = 4..=RUNS_MAX as u64;

pub struct Search {
    pub params: SearchParams,
    capacity: Option<Measured>,
    rates: BTreeMap<u64, Vec<Measured>>,
    runs: usize,
    failed: Option<Failure>,
}

impl Search {
    pub fn new(params: SearchParams) -> Search {
        Search { params, capacity: None, rates: BTreeMap::new(), runs: 0, failed: None }
    }

    /// Returns the next load; `None` at the end.
    pub fn next(&self) -> Option<Load> {
        if self.failed.is_some() || self.runs >= RUNS_MAX {
            return None;
        }
        let capacity = match (&self.capacity, self.params.multiples) {
            (_, Some(_)) => CAPTURED,
            (Some(capacity), None) => capacity.figures.iops,
            (None, None) => return Some(Load::Closed { depth: None }),
        };
        let rate = self
            .tied()
            .or_else(|| self.step_up(capacity))
            .or_else(|| self.step_down(capacity))
            .or_else(|| self.bisect())
            .or_else(|| self.confirm())?;
        Some(self.load(rate as f64))
    }

    pub fn take(&mut self, load: &Load, record: &Record) {
        self.runs += 1;
        let percent = self.params.percent;
        let taken = match load {
            Load::Closed { .. } => Measured::closed(record, percent).map(|measured| self.capacity = Some(measured)),
            Load::Open { offered: load, .. } | Load::Captured { percent: load } => {
                Measured::open(record, percent).map(|measured| self.rates.entry(*load).or_default().push(measured))
            }
        };
        self.failed = taken.err();
    }

    pub fn take_failed(&mut self, why: Failure) {
        self.failed = Some(why);
    }

    pub fn failed(&self) -> Option<&Failure> {
        self.failed.as_ref()
    }

    /// Returns the run of the closed loop.
    pub fn capacity(&self) -> Option<&Measured> {
        self.capacity.as_ref()
    }

    pub fn rates(&self) -> &BTreeMap<u64, Vec<Measured>> {
        &self.rates
    }

    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The run met the rate and the bound.
    pub fn is_met(&self, run: &Measured) -> bool {
        let is_within = |bound_ns: Option<u64>, measured_ns: Option<f64>| {
            bound_ns.is_none_or(|bound_ns| measured_ns.is_some_and(|ns| ns <= bound_ns as f64))
        };
        let is_within_all = match &self.params.multiples {
            Some(multiples) => Ddir::ALL
                .into_iter()
                .filter(|ddir| run.due[*ddir] > 0)
                .all(|ddir| is_within(multiples.bounds_ns[ddir], run.percentiles_ns[ddir])),
            None => is_within(self.params.bound_ns, run.figures.percentile_ns),
        };
        run.is_rate_met() && is_within_all
    }

    /// Returns the number of good runs of a rate, and of all its runs.
    pub fn tally(&self, rate: u64) -> (usize, usize) {
        let runs = self.rates.get(&rate).map_or(&[][..], Vec::as_slice);
        (runs.iter().filter(|run| self.is_met(run)).count(), runs.len())
    }

    fn is_sustained(&self, rate: u64) -> bool {
        let (met, all) = self.tally(rate);
        met * 2 > all
    }

    fn is_decided(&self, rate: u64) -> bool {
        let (met, all) = self.tally(rate);
        met.max(all - met) >= AGREE
    }

    /// Returns the highest rate that is sustained.
    pub fn met(&self) -> Option<u64> {
        self.rates.keys().copied().filter(|rate| self.is_sustained(*rate)).max()
    }

    /// Returns the lowest rate above it that is not sustained.
    pub fn missed(&self) -> Option<u64> {
        let met = self.met().unwrap_or(0);
        self.rates.keys().copied().filter(|rate| *rate > met && !self.is_sustained(*rate)).min()
    }

    /// The rates on both sides of the edge are decided and close to each other.
    pub fn is_settled(&self) -> bool {
        (self.capacity.is_some() || self.params.multiples.is_some())
            && self.failed.is_none()
            && self.next().is_none()
            && self.runs < RUNS_MAX
    }

    /// Returns the evidence that the load generator, not the target, limited the missed rate.
    pub fn load_generator(&self) -> Option<&LoadGeneratorEvidence> {
        let runs = self.rates.get(&self.missed()?)?;
        let missed: Vec<&Measured> = runs.iter().filter(|run| !self.is_met(run)).collect();
        let own = missed.iter().filter(|run| !self.is_slow_itself(run)).filter_map(|run| run.load_generator.as_ref());
        let own: Vec<&LoadGeneratorEvidence> = own.collect();
        if own.len() * 2 > missed.len() { own.first().copied() } else { None }
    }

    /// The target exceeds a bound of a captured load with its service times alone, without the waits before the submission.
    fn is_slow_itself(&self, run: &Measured) -> bool {
        let exceeds = |bound_ns: Option<u64>, ns: f64| bound_ns.is_some_and(|bound_ns| ns > bound_ns as f64);
        let bounds_ns = self.params.multiples.map(|multiples| multiples.bounds_ns);
        bounds_ns
            .is_some_and(|bounds_ns| Ddir::ALL.into_iter().any(|ddir| exceeds(bounds_ns[ddir], run.service_ns[ddir])))
    }

    /// Returns the rate at which the percentile's curve bends. Missed rates are left out: their response times only show
    /// for how long they ran.
    pub fn knee(&self) -> Option<u64> {
        let points: Vec<(f64, f64)> = self.curve().into_iter().map(|(rate, ns)| (rate as f64, ns)).collect();
        Some(points[knee(&points, Bend::Up)?].0 as u64)
    }

    /// Returns the percentile by rate, over the runs that met the rate.
    pub fn curve(&self) -> Vec<(u64, f64)> {
        let of = |(rate, runs): (&u64, &Vec<Measured>)| {
            let good: Vec<f64> =
                runs.iter().filter(|run| run.is_rate_met()).filter_map(|run| run.figures.percentile_ns).collect();
            (good.len() * 2 > runs.len()).then(|| (*rate, median(good.into_iter())))
        };
        self.rates.iter().filter_map(of).collect()
    }

    /// A rate with as many good as bad runs.
    fn tied(&self) -> Option<u64> {
        self.rates.keys().copied().find(|rate| {
            let (met, all) = self.tally(*rate);
            met > 0 && met * 2 == all
        })
    }

    fn step_up(&self, capacity: f64) -> Option<u64> {
        let mut missed = 0;
        for share in self.shares() {
            let rate = self.offered(capacity * share);
            missed = match self.tally(rate) {
                (_, 0) => return Some(rate),
                _ if self.is_sustained(rate) => 0,
                _ => missed + 1,
            };
            if missed == MISSED_MAX {
                return None;
            }
        }
        None
    }

    /// Returns the steps up, as shares of the capacity or multiples of the captured load.
    fn shares(&self) -> Vec<f64> {
        let Some(multiples) = self.params.multiples else {
            let last = FRACTIONS[FRACTIONS.len() - 1];
            let further = std::iter::successors(Some(last * FURTHER), |share| Some(share * FURTHER));
            return FRACTIONS.into_iter().chain(further.take_while(|share| *share <= FURTHER_MAX)).collect();
        };
        let most = multiples.percent_max as f64 / CAPTURED;
        let margin = multiples.margin_percent.map(|percent| percent as f64 / CAPTURED).filter(|margin| *margin > 1.0);
        let further = std::iter::successors(Some(margin.unwrap_or(1.0) * MULTIPLE_FURTHER), |share| {
            (*share < most).then_some((share * MULTIPLE_FURTHER).min(most))
        });
        [1.0].into_iter().chain(margin).chain(further).filter(|share| *share <= most.max(1.0)).collect()
    }

    fn step_down(&self, capacity: f64) -> Option<u64> {
        let lowest = *self.rates.keys().next()?;
        if self.met().is_some() {
            return None;
        }
        if !self.is_decided(lowest) {
            return Some(lowest);
        }
        let (down, least) =
            if self.params.multiples.is_some() { (MULTIPLE_DOWN, 1.0 / MULTIPLE_DOWN) } else { (DOWN, LEAST_SHARE) };
        let lower = self.offered(lowest as f64 / down);
        (lower < lowest && lower as f64 >= capacity * least).then_some(lower)
    }

    fn bisect(&self) -> Option<u64> {
        let (met, missed) = (self.met()?, self.missed()?);
        let middle = self.offered((met + missed) as f64 / 2.0);
        let resolution = if self.params.multiples.is_some() { MULTIPLE_RESOLUTION } else { RESOLUTION };
        let is_wide = (missed - met) as f64 > missed as f64 * resolution;
        (is_wide && middle > met && middle < missed).then_some(middle)
    }

    fn confirm(&self) -> Option<u64> {
        [self.met(), self.missed()].into_iter().flatten().find(|rate| !self.is_decided(*rate))
    }

    fn load(&self, rate: f64) -> Load {
        if self.params.multiples.is_some() {
            return Load::Captured { percent: rate.round().max(1.0) as u64 };
        }
        let shares = self.capacity.as_ref().map_or([1.0, 0.0, 0.0], |capacity| capacity.shares);
        let of =
            |share: f64| if share > 0.0 { (rate * share / self.params.workers as f64).round().max(1.0) } else { 0.0 };
        let per_worker = shares.map(|share| of(share) as u64);
        Load::Open { offered: per_worker.iter().sum::<u64>() * self.params.workers, per_worker }
    }

    /// Rounds a rate: each thread has a whole number of I/Os per second in each direction.
    fn offered(&self, rate: f64) -> u64 {
        match self.load(rate) {
            Load::Open { offered: load, .. } | Load::Captured { percent: load } => load,
            Load::Closed { .. } => 0,
        }
    }
}
