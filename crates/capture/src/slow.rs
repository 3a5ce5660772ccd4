//! Where the slowest I/Os of a direction spend their time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::io::Io;

/// The slowest I/Os are one in this number.
const ONE_IN: u64 = 1000;
/// Most I/Os that are kept.
const KEPT_MAX: usize = 10_000;
/// Slow I/Os with a shorter distance belong to one burst.
const GAP_NS: u64 = 100_000_000;
/// Fewest bursts with a period.
const BURSTS_MIN: usize = 5;
/// Largest deviation of the distances of periodic bursts from their mean, as a share of it.
const DEVIATION_MAX: f64 = 0.1;

/// The slowest 0.1 % of the I/Os of a direction, at most 10,000.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Slow {
    /// Number of these I/Os.
    pub ios: u64,
    /// Least time from submission to completion among them.
    pub from_ns: u64,
    /// Time before the queue, of their whole time.
    pub before_queue_share: f64,
    /// Time in the queue of the scheduler, of their whole time.
    pub scheduler_share: f64,
    /// Time in the device, of their whole time.
    pub device_share: f64,
    /// I/Os with a flush in flight at the same time.
    pub with_flush_share: f64,
    /// Distance of their bursts. `null` if they do not come in bursts at equal distances.
    pub period_s: Option<f64>,
}

/// Times of an I/O. The slowest is the largest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Life {
    completed_ns: u64,
    start_ns: u64,
    inserted_ns: Option<u64>,
    issued_ns: Option<u64>,
}

/// Keeps the slowest I/Os.
#[derive(Default)]
pub struct Slowest {
    ios: u64,
    kept: BinaryHeap<Reverse<Life>>,
}

impl Slowest {
    pub fn add(&mut self, io: &Io) {
        let Some(completed_ns) = io.completed_ns else { return };
        self.ios += 1;
        let is_full = self.kept.len() >= KEPT_MAX;
        if is_full && self.kept.peek().is_some_and(|Reverse(least)| completed_ns <= least.completed_ns) {
            return;
        }
        if is_full {
            self.kept.pop();
        }
        let Io { start_ns, inserted_ns, issued_ns, .. } = *io;
        self.kept.push(Reverse(Life { completed_ns, start_ns, inserted_ns, issued_ns }));
    }

    /// Returns the slowest I/Os; `None` if there are too few. `flushes` are starts and ends, in the order of starts.
    pub fn finish(&self, flushes: &[(u64, u64)]) -> Option<Slow> {
        let count = usize::try_from(self.ios / ONE_IN).unwrap_or(KEPT_MAX).min(KEPT_MAX);
        let mut lives: Vec<Life> = self.kept.iter().map(|Reverse(life)| *life).collect();
        lives.sort_unstable_by_key(|life| Reverse(*life));
        lives.truncate(count);
        let from_ns = lives.last()?.completed_ns;
        let all: f64 = lives.iter().map(|life| life.completed_ns as f64).sum();
        let share = |part: fn(&Life) -> u64| lives.iter().map(|life| part(life) as f64).sum::<f64>() / all.max(1.0);
        let with_flush = lives.iter().filter(|life| life.overlaps(flushes)).count();
        Some(Slow {
            ios: count as u64,
            from_ns,
            before_queue_share: share(Life::before_queue_ns),
            scheduler_share: share(Life::scheduler_ns),
            device_share: share(|life| life.completed_ns.saturating_sub(life.issued_ns.unwrap_or(0))),
            with_flush_share: with_flush as f64 / count as f64,
            period_s: period_s(lives.iter().map(|life| life.start_ns).collect()),
        })
    }
}

impl Life {
    fn before_queue_ns(&self) -> u64 {
        self.inserted_ns.or(self.issued_ns).unwrap_or(0)
    }

    fn scheduler_ns(&self) -> u64 {
        self.issued_ns.unwrap_or(0).saturating_sub(self.before_queue_ns())
    }

    /// Returns whether a flush was in flight at the same time.
    fn overlaps(&self, flushes: &[(u64, u64)]) -> bool {
        let end_ns = self.start_ns.saturating_add(self.completed_ns);
        let before_end = flushes.partition_point(|(start, _)| *start < end_ns);
        // Flushes follow each other: the last ones before the end are the ones that can overlap.
        flushes[..before_end].iter().rev().take(FLUSHES_LOOKED_AT).any(|(_, end)| *end > self.start_ns)
    }
}

/// Most flushes in flight at once that are looked at.
const FLUSHES_LOOKED_AT: usize = 64;

/// Returns the distance of bursts, if they come at equal distances.
pub fn period_s(mut starts_ns: Vec<u64>) -> Option<f64> {
    starts_ns.sort_unstable();
    let mut bursts: Vec<u64> = Vec::new();
    let mut last_ns = None;
    for start_ns in starts_ns {
        if last_ns.is_none_or(|last| start_ns - last >= GAP_NS) {
            bursts.push(start_ns);
        }
        last_ns = Some(start_ns);
    }
    if bursts.len() < BURSTS_MIN {
        return None;
    }
    let distances: Vec<f64> = bursts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let is_near = |distance: &f64| (distance - mean).abs() <= DEVIATION_MAX * mean;
    distances.iter().all(is_near).then_some(mean / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Flags, Operation};

    const MS: u64 = 1_000_000;

    /// An I/O of 100 µs, or one with these times of the stages.
    fn io(start_ns: u64, stages: Option<[u64; 3]>) -> Io {
        let [inserted, issued, completed] = stages.unwrap_or([1000, 2000, 100_000]);
        Io {
            start_ns,
            operation: Operation::Read,
            flags: Flags::default(),
            sector: 0,
            sectors: 8,
            inserted_ns: Some(inserted),
            issued_ns: Some(issued),
            completed_ns: Some(completed),
            program: None,
        }
    }

    /// 20,000 I/Os in 20 s, of which each one in `each` is slow.
    fn slow(each: u64, stages: [u64; 3], flushes: &[(u64, u64)]) -> Slow {
        let mut slowest = Slowest::default();
        let is_slow = |nth: u64| nth % each == each / 2;
        (0..20_000).for_each(|nth| slowest.add(&io(nth * MS, is_slow(nth).then_some(stages))));
        slowest.finish(flushes).unwrap()
    }

    #[test]
    fn time_is_attributed_to_the_stages_and_periods_are_found() {
        let found = slow(1000, [MS, 5 * MS, 20 * MS], &[]);
        assert_eq!((found.ios, found.from_ns), (20, 20 * MS));
        assert!((found.before_queue_share - 0.05).abs() < 1e-9, "{found:?}");
        assert!((found.scheduler_share - 0.2).abs() < 1e-9 && (found.device_share - 0.75).abs() < 1e-9, "{found:?}");
        assert_eq!((found.period_s, found.with_flush_share), (Some(1.0), 0.0));
    }

    #[test]
    fn ios_that_are_slow_at_any_time_have_no_period() {
        let mut slowest = Slowest::default();
        let at = [100, 1300, 1900, 4000, 9000, 9500, 15_000, 15_100, 17_000, 19_000];
        (0..20_000).for_each(|nth| slowest.add(&io(nth * MS, at.contains(&nth).then_some([1, 2, 9 * MS]))));
        assert_eq!(slowest.finish(&[]).unwrap().period_s, None);
    }

    #[test]
    fn flushes_in_flight_are_seen() {
        // Two of the 20 slow I/Os overlap a flush.
        let flushes = [(499 * MS, 501 * MS), (600 * MS, 601 * MS), (1510 * MS, 1511 * MS)];
        let found = slow(1000, [0, 0, 20 * MS], &flushes);
        assert!((found.with_flush_share - 0.1).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn few_ios_have_no_slowest_and_many_keep_the_slowest() {
        let mut slowest = Slowest::default();
        (0..999).for_each(|nth| slowest.add(&io(nth, None)));
        assert_eq!(slowest.finish(&[]), None);
        (0..50_000).for_each(|nth| slowest.add(&io(nth, Some([0, 0, nth]))));
        let found = slowest.finish(&[]).unwrap();
        assert_eq!((found.ios, slowest.kept.len()), (50, KEPT_MAX));
        assert_eq!(found.from_ns, 100_000);
    }
}
