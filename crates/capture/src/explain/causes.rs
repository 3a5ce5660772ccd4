//! Causes of the slow parts of I/Os.
//!
//! I/Os of others are in flight by chance, too, and what makes the I/Os of a run slow makes theirs slow as well: then they are in
//! flight longer, but there are not more of them. So they are a cause only if more load than usual was submitted within the slow
//! parts or shortly before, and if this is so more often than at other times of the run.

use std::collections::HashMap;

use record::{IoLayer, SlowCause};

use super::evidence::{Disturbance, Evidence, Source};
use super::parts::{Explained, Part};
use super::times::{Time, Times};
use super::waits::{Waits, covers};

/// Windows at other times of the run that are compared, for all I/Os together.
const WINDOWS_MAX: usize = 400;
/// Slow parts with a shorter distance are one event.
const EVENT_GAP_NS: u64 = 100_000_000;
/// Highest probability that chance explains what the slow I/Os meet, for all sources on a disk together.
const CHANCE_MAX: f64 = 0.01;
/// Least load around a slow part, by the mean load of the source.
const RISE_MIN: f64 = 1.5;
/// Time before a slow part in which I/Os that make it slow are submitted, by its length.
const LEAD: f64 = 1.0;

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
    waits: Waits,
}

impl<'a> Causes<'a> {
    /// Compares the slow I/Os with other windows of these times, which were measured and traced.
    pub fn of(evidence: &'a Evidence, ios: &[Explained], times: &Times) -> Causes<'a> {
        let waits = Waits::of(evidence, ios);
        let mut disks: Vec<usize> = ios.iter().filter_map(|io| io.life.map(|(disk, _)| disk)).collect();
        disks.sort_unstable();
        disks.dedup();
        let mut rising = Vec::new();
        for disk in disks {
            let events = events(&largest_parts(ios, disk, &waits));
            let chance_max = CHANCE_MAX / evidence.sources(disk).count().max(1) as f64;
            for source in evidence.sources(disk) {
                let mean_load = evidence.mean_load(source, times);
                let is_loaded = |window: Time| is_loaded(evidence, source, mean_load, window);
                if let Some(events) = rises_with(&events, times, is_loaded, chance_max) {
                    rising.push(Rising { source: source.clone(), mean_load, events });
                }
            }
        }
        Causes { evidence, rising, waits }
    }

    /// Returns the cause of a part of an I/O.
    pub fn of_part(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let wait = || self.waits.of_part(io.worker, part);
        match part.layer {
            IoLayer::NotTraced => None,
            IoLayer::Queue | IoLayer::Device => self.disturbance(io, part).or_else(wait),
            IoLayer::Submission => wait().or_else(|| self.disturbance(io, part)),
            IoLayer::Reaping => wait(),
        }
    }

    fn disturbance(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let (disk, _) = io.life?;
        let mut best: Option<(&Source, u64)> = None;
        for Rising { source, mean_load, events } in self.rising.iter().filter(|rising| rising.source.disk == disk) {
            let in_flight_ns = self.evidence.in_flight_ns(source, part.time());
            let is_in_event = events.overlap_ns(part.time()) > 0;
            let is_loaded = is_in_event || is_loaded(self.evidence, source, *mean_load, window(part));
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

/// Returns the time in which the I/Os that make a part slow are submitted: the part, and some time before it.
fn window(part: &Part) -> Time {
    (part.from_ns.saturating_sub((part.ns() as f64 * LEAD) as u64), part.until_ns)
}

/// Returns whether a source submitted more in a window than it does on average.
fn is_loaded(evidence: &Evidence, source: &Source, mean_load: f64, (from_ns, until_ns): Time) -> bool {
    let load = evidence.load(source, (from_ns, until_ns));
    load > 0.0 && load >= RISE_MIN * mean_load * (until_ns - from_ns) as f64
}

/// Returns the events whose windows are loaded, if they are so more often than other windows of the same lengths. The probability that
/// this is chance is at most `chance_max`.
fn rises_with(events: &[SlowEvent], times: &Times, is_loaded: impl Fn(Time) -> bool, chance_max: f64) -> Option<Times> {
    let loaded: Vec<&SlowEvent> = events.iter().filter(|event| is_loaded(window(&event.longest))).collect();
    if loaded.is_empty() {
        return None;
    }
    let others = (0..WINDOWS_MAX).filter_map(|nth| {
        let (from_ns, until_ns) = window(&events[nth * events.len() / WINDOWS_MAX].longest);
        times.window(nth, until_ns - from_ns)
    });
    let (mut windows, mut by_chance) = (0, 0);
    for other in others {
        (windows, by_chance) = (windows + 1, by_chance + usize::from(is_loaded(other)));
    }
    let chance = (by_chance + 1) as f64 / (windows + 2) as f64;
    let is_above_chance = binomial_tail(loaded.len(), events.len(), chance) <= chance_max;
    is_above_chance.then(|| Times::union(loaded.iter().map(|event| event.time)))
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
