//! Causes of the slow parts of I/Os.
//!
//! I/Os of others are in flight by chance, too, and what makes the I/Os of a run slow makes theirs slow as well: then they are in
//! flight longer, but there are not more of them. So they are a cause only if more load than usual was submitted around the slow parts,
//! if this is so more often than at other times of the run, and if such a load at other times makes I/Os slow as well.

use std::collections::HashMap;

use record::{IoLayer, SlowCause};

use super::evidence::{Disturbance, Evidence, Source};
use super::parts::{Explained, Part};
use super::times::{Time, Times};
use super::waits::{Waits, covers};

/// Windows at other times of the run that are compared, for all I/Os together.
const WINDOWS_MAX: usize = 1000;
/// With fewer windows nothing is known of the other times.
const WINDOWS_MIN: usize = 100;
/// Slow parts with a shorter distance are one event.
const EVENT_GAP_NS: u64 = 100_000_000;
/// Highest probability that chance explains what the slow I/Os meet, for all comparisons on a disk together.
const CHANCE_MAX: f64 = 0.01;
/// Least load around a slow part, by the mean load of the source.
const RISE_MIN: f64 = 1.5;
/// Least length of a part that counts as slow, by the median of the slowest ones.
const SLOW_MIN: f64 = 0.5;
/// Least share of a source's high load that I/Os are slow after.
const EFFECT_MIN: f64 = 0.5;

/// Times around the start of a slow part in which I/Os that make it slow are submitted.
///
/// A part begins soon after them if the run has an I/O in flight most of the time. Else it begins at any time while they are in flight.
#[derive(Clone, Copy)]
enum Reach {
    Start,
    Whole,
}

impl Reach {
    const ALL: [Reach; 2] = [Reach::Start, Reach::Whole];

    /// Returns the time before the part.
    fn lead_ns(self, part_ns: u64) -> u64 {
        match self {
            Reach::Start => part_ns / 8,
            Reach::Whole => part_ns,
        }
    }

    fn window(self, part: &Part) -> Time {
        let lead_ns = self.lead_ns(part.ns());
        (part.from_ns.saturating_sub(lead_ns), part.from_ns + lead_ns)
    }
}

/// A source of I/Os whose load rises with the slow I/Os.
struct Rising {
    source: Source,
    /// Per nanosecond.
    mean_load: f64,
    /// Events whose longest part has a high load.
    events: Times,
}

/// Causes that the slow I/Os of a direction can have.
pub struct Causes<'a> {
    evidence: &'a Evidence,
    /// Flushes first: a program that flushes has other I/Os in flight as well.
    rising: Vec<Rising>,
    waits: &'a Waits,
    /// Hot times of the disks whose I/Os are slow in them.
    hot: Vec<(usize, Time)>,
}

impl<'a> Causes<'a> {
    /// Compares slow I/Os, the slowest first, with other windows of these times, which were measured and traced. Causes are needed of
    /// the first `slowest` ones.
    pub fn of(
        evidence: &'a Evidence,
        ios: &[Explained],
        slowest: usize,
        waits: &'a Waits,
        times: &Times,
    ) -> Causes<'a> {
        let mut disks: Vec<usize> = ios.iter().filter_map(|io| io.life.map(|(disk, _)| disk)).collect();
        disks.sort_unstable();
        disks.dedup();
        let (mut rising, mut hot) = (Vec::new(), Vec::new());
        for disk in disks {
            let Some(least_ns) = median_ns(&largest_parts(&ios[..slowest], disk, waits)) else { continue };
            let mut parts = largest_parts(ios, disk, waits);
            parts.retain(|part| part.ns() as f64 >= SLOW_MIN * least_ns as f64);
            let slow = Slow { events: events(&parts), parts: Times::union(parts.iter().map(Part::time)) };
            let comparisons = evidence.sources(disk).count() * Reach::ALL.len();
            let chance_max = CHANCE_MAX / comparisons.max(1) as f64;
            for source in evidence.sources(disk) {
                let load = Load { evidence, source, mean: evidence.mean_load(source, times), times };
                let found = Reach::ALL.into_iter().find_map(|reach| load.rises_with(&slow, reach, chance_max));
                rising.extend(found.map(|events| Rising { source: source.clone(), mean_load: load.mean, events }));
            }
            let of_disk = evidence.hot.iter().filter(|(of, _)| *of == disk);
            hot.extend(of_disk.filter(|(_, time)| is_slow_in(&slow, *time, times)));
        }
        Causes { evidence, rising, waits, hot }
    }

    /// Returns the cause of a part of an I/O.
    pub fn of_part(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let wait = || self.waits.of_part(io.worker, part);
        match part.layer {
            IoLayer::NotTraced => None,
            IoLayer::Queue => self.disturbance(io, part).or_else(wait),
            IoLayer::Device => self.disturbance(io, part).or_else(wait).or_else(|| self.heat(io, part)),
            IoLayer::Submission => wait().or_else(|| self.disturbance(io, part)),
            IoLayer::Reaping => wait(),
        }
    }

    fn heat(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let (disk, _) = io.life?;
        let hot = Times::union(self.hot.iter().filter(|(of, _)| *of == disk).map(|(_, time)| *time));
        covers(hot.overlap_ns(part.time()), part.ns()).then_some(SlowCause::Heat)
    }

    fn disturbance(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let (disk, _) = io.life?;
        if !self.evidence.resolves(part.ns()) {
            return None;
        }
        let mut best: Option<(&Source, u64)> = None;
        for Rising { source, mean_load, events } in self.rising.iter().filter(|rising| rising.source.disk == disk) {
            let in_flight_ns = self.evidence.in_flight_ns(source, part.time());
            let is_in_event = events.overlap_ns(part.time()) > 0;
            let is_loaded = is_in_event || is_loaded(self.evidence, source, *mean_load, Reach::Whole.window(part));
            let is_cause = is_loaded && covers(in_flight_ns, part.ns());
            let is_better = best.is_none_or(|(found, ns)| found.kind == source.kind && ns < in_flight_ns);
            if is_cause && is_better {
                best = Some((source, in_flight_ns));
            }
        }
        best.map(|(source, _)| {
            let program = source.program.clone();
            match source.kind {
                Disturbance::Flush => SlowCause::Flush { program },
                Disturbance::Discard => SlowCause::Discard { program },
                Disturbance::OtherProgram => SlowCause::OtherProgram { program },
                Disturbance::Writeback => SlowCause::Writeback,
            }
        })
    }
}

/// Returns the largest part of each slow I/O on a disk up to its completion, in order. Those that a wait explains are left out.
fn largest_parts(ios: &[Explained], disk: usize, waits: &Waits) -> Vec<Part> {
    let largest = |io: &Explained| {
        let parts = io.parts().into_iter().filter(Part::is_before_completion);
        let largest = parts.max_by_key(Part::ns)?;
        waits.of_part(io.worker, &largest).is_none().then_some(largest)
    };
    let on_disk = ios.iter().filter(|io| io.life.is_some_and(|(on, _)| on == disk));
    let mut parts: Vec<Part> = on_disk.filter_map(largest).filter(|part| part.ns() > 0).collect();
    parts.sort_unstable_by_key(|part| part.from_ns);
    parts
}

/// Returns the length of the part in which the middle of their time is, in the order of their lengths.
fn median_ns(parts: &[Part]) -> Option<u64> {
    let mut lengths: Vec<u64> = parts.iter().map(Part::ns).collect();
    lengths.sort_unstable();
    let half_ns = lengths.iter().sum::<u64>() / 2;
    let mut sum_ns = 0;
    lengths.into_iter().find(|ns| {
        sum_ns += ns;
        sum_ns >= half_ns
    })
}

/// Slow parts.
struct Slow {
    parts: Times,
    events: Vec<SlowEvent>,
}

impl Slow {
    /// Returns the lead of one of the compared windows: they have those of all events.
    fn lead_ns(&self, nth: usize, reach: Reach) -> u64 {
        reach.lead_ns(self.events[nth * self.events.len() / WINDOWS_MAX].longest.ns())
    }
}

/// Slow parts at the same time.
struct SlowEvent {
    time: Time,
    /// It began first or nearly so: what makes the event slow was submitted then.
    longest: Part,
}

/// Returns the events of slow parts, which are in order.
fn events(parts: &[Part]) -> Vec<SlowEvent> {
    let mut events: Vec<SlowEvent> = Vec::new();
    for part in parts {
        match events.last_mut().filter(|event| part.from_ns < event.time.1.saturating_add(EVENT_GAP_NS)) {
            Some(event) => {
                event.time.1 = event.time.1.max(part.until_ns);
                event.longest = if part.ns() > event.longest.ns() { *part } else { event.longest };
            }
            None => events.push(SlowEvent { time: part.time(), longest: *part }),
        }
    }
    events
}

/// Returns whether a source submitted more in a window than it does on average.
fn is_loaded(evidence: &Evidence, source: &Source, mean_load: f64, (from_ns, until_ns): Time) -> bool {
    let load = evidence.load(source, (from_ns, until_ns));
    load > 0.0 && load >= RISE_MIN * mean_load * (until_ns - from_ns) as f64
}

/// Returns whether events of slow parts are in a time more often than chance explains.
fn is_slow_in(slow: &Slow, time: Time, times: &Times) -> bool {
    let share = times.overlap_ns(time) as f64 / times.ns().max(1) as f64;
    let inside = slow.events.iter().filter(|event| event.time.0 < time.1 && time.0 < event.time.1).count();
    inside > 0 && binomial_tail(inside, slow.events.len(), share.min(1.0)) <= CHANCE_MAX
}

/// The load of a source in the times that are compared.
struct Load<'a> {
    evidence: &'a Evidence,
    source: &'a Source,
    /// Per nanosecond.
    mean: f64,
    times: &'a Times,
}

impl Load<'_> {
    /// Returns the events whose windows are loaded, if they are so more often than other windows of the same lengths, and if I/Os are
    /// slow after most of the high load. The probability that the former is chance is at most `chance_max`.
    fn rises_with(&self, slow: &Slow, reach: Reach, chance_max: f64) -> Option<Times> {
        let events = &slow.events;
        let is_loaded = |window: Time| is_loaded(self.evidence, self.source, self.mean, window);
        let loaded: Vec<&SlowEvent> = events.iter().filter(|event| is_loaded(reach.window(&event.longest))).collect();
        if loaded.is_empty() {
            return None;
        }
        let others = (0..WINDOWS_MAX).filter_map(|nth| self.times.window(nth, 2 * slow.lead_ns(nth, reach)));
        let (mut windows, mut by_chance) = (0, 0);
        for other in others {
            (windows, by_chance) = (windows + 1, by_chance + usize::from(is_loaded(other)));
        }
        let chance = (by_chance + 1) as f64 / (windows + 2) as f64;
        if windows < WINDOWS_MIN || binomial_tail(loaded.len(), events.len(), chance) > chance_max {
            return None;
        }
        self.has_effect(slow, reach).then(|| Times::union(loaded.iter().map(|event| event.time)))
    }

    /// Returns whether I/Os are slow after most of the high load.
    fn has_effect(&self, slow: &Slow, reach: Reach) -> bool {
        let (mut high, mut with_effect) = (0, 0);
        for nth in 0..WINDOWS_MAX {
            let share = (nth as f64 + 0.5) / WINDOWS_MAX as f64;
            let at_ns = self.times.span().and_then(|span| self.evidence.time_of(self.source, share, span));
            // Load between the times that were measured and traced has no effect that is known.
            let Some(at_ns) = at_ns.filter(|at_ns| self.times.overlap_ns((*at_ns, at_ns + 1)) > 0) else { continue };
            let lead_ns = slow.lead_ns(nth, reach);
            let window = (at_ns.saturating_sub(lead_ns), at_ns + lead_ns);
            if is_loaded(self.evidence, self.source, self.mean, window) {
                high += 1;
                with_effect += usize::from(slow.parts.overlap_ns((at_ns, at_ns + lead_ns)) > 0);
            }
        }
        high > 0 && with_effect as f64 >= EFFECT_MIN * f64::from(high)
    }
}

/// Returns the probability of at least `successes` in independent trials.
fn binomial_tail(successes: usize, trials: usize, probability: f64) -> f64 {
    let (ln_yes, ln_no) = (probability.ln(), (1.0 - probability).max(f64::MIN_POSITIVE).ln());
    let mut ln_ways = 0.0;
    let mut sum = 0.0;
    for nth in 0..=trials {
        if nth > 0 {
            ln_ways += ((trials - nth + 1) as f64).ln() - (nth as f64).ln();
        }
        if nth >= successes {
            sum += f64::exp(ln_ways + nth as f64 * ln_yes + (trials - nth) as f64 * ln_no);
        }
    }
    sum
}

/// Counts causes by their I/Os and time.
pub type Sums = HashMap<(IoLayer, Option<SlowCause>), (u64, f64)>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binomial_tail_is_right() {
        assert!((binomial_tail(0, 10, 0.3) - 1.0).abs() < 1e-9);
        assert!((binomial_tail(10, 10, 0.5) - 0.5f64.powi(10)).abs() < 1e-12);
        assert!((binomial_tail(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!(binomial_tail(500, 1000, 0.1) < 1e-100);
    }
}
