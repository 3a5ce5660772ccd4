//! Causes of the slow parts of I/Os.
//!
//! A cause is named for a part of an I/O if its evidence covers at least half of the part. I/Os of other programs and flushes are in
//! flight by chance, too: they are causes only if slow I/Os meet them more often than the same I/Os at other times of the run would.

use std::collections::HashMap;

use record::{IoLayer, SlowCause};
use units::untrusted::UntrustedText;

use super::evidence::{Disturbance, Evidence, Tick};
use super::parts::{Explained, Part};

/// Smallest share of a part that the evidence of its cause covers.
const COVERED_MIN: f64 = 0.5;
/// A shorter wait has no cause: the evidence is sampled.
const WAIT_NS_MIN: u64 = 100_000;
/// Other times of the run that are compared, for all I/Os together.
const CONTROLS: usize = 400;
/// Slow parts with a shorter distance are one event.
const EVENT_GAP_NS: u64 = 100_000_000;
/// Highest probability that chance explains what the slow I/Os meet, for all disturbances on a disk together.
const CHANCE_MAX: f64 = 0.01;

/// A disturbance on a disk.
type Suspect = (usize, Disturbance, UntrustedText);

/// Causes that the slow I/Os of a direction can have.
pub struct Causes<'a> {
    evidence: &'a Evidence,
    /// Disturbances that slow I/Os meet more often than by chance.
    convicted: Vec<Suspect>,
}

impl<'a> Causes<'a> {
    /// Compares the slow I/Os with other times of the run, from its start to its end.
    pub fn of(evidence: &'a Evidence, ios: &[Explained], run: (u64, u64)) -> Causes<'a> {
        let mut convicted: Vec<Suspect> = Vec::new();
        let disks: Vec<usize> = ios.iter().filter_map(|io| io.life.map(|(disk, _)| disk)).collect();
        let mut known: Vec<usize> = disks.clone();
        known.sort_unstable();
        known.dedup();
        for disk in known {
            let suspects = evidence.disturbances(disk).count();
            for (kind, program) in evidence.disturbances(disk) {
                let suspect = (disk, kind, program.clone());
                if is_above_chance(evidence, &suspect, ios, run, CHANCE_MAX / suspects.max(1) as f64) {
                    convicted.push(suspect);
                }
            }
        }
        // Flushes first: a program that flushes has other I/Os in flight as well.
        convicted.sort_unstable_by(|a, b| (a.1, &a.2).cmp(&(b.1, &b.2)));
        Causes { evidence, convicted }
    }

    /// Returns the cause of a part of an I/O.
    pub fn of_part(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        match part.layer {
            IoLayer::NotTraced => None,
            IoLayer::Queue | IoLayer::Device => self.disturbance(io, part).or_else(|| self.stop(part)),
            IoLayer::Submission | IoLayer::Reaping => self.wait(io, part),
        }
    }

    fn disturbance(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let (disk, _) = io.life?;
        let mut best: Option<(Disturbance, u64, &UntrustedText)> = None;
        for (_, kind, program) in self.convicted.iter().filter(|(on, ..)| *on == disk) {
            let busy_ns = self.evidence.busy_ns(disk, *kind, program, part.time());
            let is_better = best.is_none_or(|(found, ns, _)| found == *kind && ns < busy_ns);
            if covers(busy_ns, part) && is_better {
                best = Some((*kind, busy_ns, program));
            }
        }
        best.map(|(kind, _, program)| {
            let program = program.clone();
            match kind {
                Disturbance::Flush => SlowCause::Flush { program },
                Disturbance::Discard => SlowCause::Discard { program },
                Disturbance::OtherProgram => SlowCause::OtherProgram { program },
                Disturbance::Writeback => SlowCause::Writeback,
            }
        })
    }

    fn counted(&self, part: &Part, counter: impl Fn(&Tick) -> u64) -> bool {
        part.ns() >= WAIT_NS_MIN && covers(self.evidence.counted_ns(part.time(), counter), part)
    }

    fn stop(&self, part: &Part) -> Option<SlowCause> {
        self.counted(part, |tick| tick.stopped_ns).then_some(SlowCause::Stopped)
    }

    /// Returns why the worker did not run, or why its I/O did not reach the block layer.
    fn wait(&self, io: &Explained, part: &Part) -> Option<SlowCause> {
        let run_delay =
            |tick: &Tick| tick.run_delays_ns.iter().filter(|(of, _)| *of == io.worker).map(|(_, ns)| ns).sum();
        let limited = io.life.is_some_and(|(disk, _)| {
            let is_write = io.io.ddir != plan::Ddir::Read;
            self.evidence.io_limits.contains(&(disk, is_write))
        });
        if let Some(stopped) = self.stop(part) {
            return Some(stopped);
        }
        if self.counted(part, |tick| tick.throttled_ns) {
            return Some(SlowCause::CpuQuota);
        }
        if self.counted(part, run_delay) {
            return Some(SlowCause::CpuWait);
        }
        if part.layer == IoLayer::Submission && limited && part.ns() >= WAIT_NS_MIN {
            return Some(SlowCause::IoLimit);
        }
        if self.counted(part, |tick| tick.stolen_ns) {
            return Some(SlowCause::StolenCpu);
        }
        self.counted(part, |tick| tick.reclaim_ns).then_some(SlowCause::MemoryReclaim)
    }
}

fn covers(evidence_ns: u64, part: &Part) -> bool {
    evidence_ns > 0 && evidence_ns as f64 >= COVERED_MIN * part.ns() as f64
}

/// Returns whether the slow I/Os on a disk meet a disturbance more often than by chance. Its probability is at most `chance_max`.
fn is_above_chance(
    evidence: &Evidence,
    (disk, kind, program): &Suspect,
    ios: &[Explained],
    run: (u64, u64),
    chance_max: f64,
) -> bool {
    let met = |part: &Part| covers(evidence.busy_ns(*disk, *kind, program, part.time()), part);
    let mut parts: Vec<Part> = ios
        .iter()
        .filter(|io| io.life.is_some_and(|(on, _)| on == *disk))
        .filter_map(|io| io.parts().into_iter().filter(Part::is_in_kernel).max_by_key(Part::ns))
        .collect();
    parts.sort_unstable_by_key(|part| part.from_ns);
    // I/Os that are slow together are one event.
    let mut events: Vec<(u32, u32)> = Vec::new();
    let mut last_ns = None;
    for part in &parts {
        if last_ns.is_none_or(|last| part.from_ns.saturating_sub(last) >= EVENT_GAP_NS) {
            events.push((0, 0));
        }
        last_ns = Some(part.until_ns);
        if let Some((ios, hits)) = events.last_mut() {
            (*ios, *hits) = (*ios + 1, *hits + u32::from(met(part)));
        }
    }
    let hits = events.iter().filter(|(ios, hits)| hits * 2 >= *ios && *hits > 0).count();
    if hits == 0 {
        return false;
    }
    let mut by_chance = 0;
    for nth in 0..CONTROLS {
        let part = &parts[nth * parts.len() / CONTROLS];
        by_chance += usize::from(part.shifted(nth, run).is_some_and(|part| met(&part)));
    }
    let chance = (by_chance + 1) as f64 / (CONTROLS + 2) as f64;
    at_least(hits, events.len(), chance) <= chance_max
}

/// Returns the probability of at least `hits` successes in `events` trials with this chance.
fn at_least(hits: usize, events: usize, chance: f64) -> f64 {
    let (ln_yes, ln_no) = (chance.ln(), (1.0 - chance).max(f64::MIN_POSITIVE).ln());
    let mut ln_ways = 0.0;
    let mut sum = 0.0;
    for nth in 0..=events {
        if nth > 0 {
            ln_ways += ((events - nth + 1) as f64).ln() - (nth as f64).ln();
        }
        if nth >= hits {
            sum += f64::exp(ln_ways + nth as f64 * ln_yes + (events - nth) as f64 * ln_no);
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
        assert!((at_least(0, 10, 0.3) - 1.0).abs() < 1e-9);
        assert!((at_least(10, 10, 0.5) - 0.5f64.powi(10)).abs() < 1e-12);
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!(at_least(500, 1000, 0.1) < 1e-100);
    }
}
