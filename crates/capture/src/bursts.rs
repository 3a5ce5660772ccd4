//! How unevenly I/Os arrive: the dispersion of their numbers, and bursts with pauses between them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::windows::Windows;

const MS_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1000 * MS_NS;
/// A pause has at least the length of this class: 2^27 ns, 134 ms.
const PAUSE_CLASS_MIN: u32 = 27;
/// A pause has at least this multiple of the mean distance. Among independent I/Os, one of 10 million distances has it.
const PAUSE_DISTANCES: f64 = 16.0;
/// Fewer pauses are no pattern.
const PAUSES_MIN: u64 = 3;

/// How unevenly I/Os arrive. A dispersion is the variance of the number of I/Os in windows, divided by its mean. 0: evenly spaced,
/// 1: independent (Poisson), more: bursts.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Burstiness {
    /// Dispersion in windows of 10 ms.
    pub dispersion_10_ms: f64,
    /// Dispersion in windows of 100 ms.
    pub dispersion: f64,
    /// Dispersion in windows of 1 s: changes of the rate.
    pub dispersion_1_s: f64,
    /// Seconds without a start of an I/O.
    pub idle_share: f64,
    /// Bursts with pauses between them. `null` with fewer than 3 pauses.
    pub bursts: Option<Bursts>,
}

/// Bursts and pauses. A pause is a time without a start of an I/O: at least 134 ms, and at least 16 times the mean distance.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema, Debug)]
pub struct Bursts {
    /// Number of bursts.
    pub bursts: u64,
    /// Mean length of a burst.
    pub burst_ns: f64,
    /// Mean length of a pause.
    pub pause_ns: f64,
}

/// Counts for [`Burstiness`].
pub struct BurstCounter {
    short: Windows,
    middle: Windows,
    seconds: Windows,
    first_ns: Option<u64>,
    last_ns: u64,
    /// Numbers and sums of distances by class: the class `n` has those from 2^n ns on.
    distances: [(u64, u128); u64::BITS as usize],
}

impl Default for BurstCounter {
    fn default() -> BurstCounter {
        let [short, middle, seconds] = [10 * MS_NS, 100 * MS_NS, SECOND_NS].map(Windows::new);
        let distances = [(0, 0); u64::BITS as usize];
        BurstCounter { short, middle, seconds, first_ns: None, last_ns: 0, distances }
    }
}

impl BurstCounter {
    /// Adds an I/O. Call this in the order of starts.
    pub fn add(&mut self, at_ns: u64) {
        self.short.add(at_ns);
        self.middle.add(at_ns);
        self.seconds.add(at_ns);
        let distance_ns = at_ns.saturating_sub(self.last_ns);
        if self.first_ns.is_some() && distance_ns > 0 {
            let (count, sum_ns) = &mut self.distances[distance_ns.ilog2() as usize];
            (*count, *sum_ns) = (*count + 1, *sum_ns + u128::from(distance_ns));
        }
        self.first_ns.get_or_insert(at_ns);
        self.last_ns = at_ns;
    }

    /// Returns the number of I/Os.
    pub fn total(&self) -> u64 {
        self.seconds.total()
    }

    /// Returns the highest number of I/Os in a second.
    pub fn most_per_s(&self) -> u64 {
        self.seconds.most()
    }

    pub fn finish(&self, duration_ns: u64) -> Burstiness {
        Burstiness {
            dispersion_10_ms: self.short.dispersion(duration_ns),
            dispersion: self.middle.dispersion(duration_ns),
            dispersion_1_s: self.seconds.dispersion(duration_ns),
            idle_share: self.seconds.empty_share(duration_ns),
            bursts: self.bursts(),
        }
    }

    fn bursts(&self) -> Option<Bursts> {
        let length_ns = self.last_ns.saturating_sub(self.first_ns?);
        let least_ns = PAUSE_DISTANCES * length_ns as f64 / self.total() as f64;
        let is_pause = |class: u32| class >= PAUSE_CLASS_MIN && 2f64.powi(class as i32) >= least_ns;
        let classes = (0..).zip(&self.distances).filter(|(class, _)| is_pause(*class));
        let (pauses, paused_ns) =
            classes.fold((0, 0), |(pauses, ns), (_, (count, sum_ns))| (pauses + count, ns + sum_ns));
        let active_ns = u128::from(length_ns).saturating_sub(paused_ns);
        (pauses >= PAUSES_MIN).then(|| Bursts {
            bursts: pauses + 1,
            burst_ns: active_ns as f64 / (pauses + 1) as f64,
            pause_ns: paused_ns as f64 / pauses as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(starts_ns: impl Iterator<Item = u64>, duration_ns: u64) -> Burstiness {
        let mut counter = BurstCounter::default();
        starts_ns.for_each(|at_ns| counter.add(at_ns));
        counter.finish(duration_ns)
    }

    #[test]
    fn bursts_and_pauses_have_their_lengths() {
        // 10 bursts of 200 I/Os, one per ms, with pauses of 801 ms between them.
        let starts = (0..10).flat_map(|burst| (0..200).map(move |nth| (burst * 1000 + nth) * MS_NS));
        let found = of(starts, 10 * SECOND_NS);
        let bursts = found.bursts.unwrap();
        assert_eq!((bursts.bursts, bursts.burst_ns, bursts.pause_ns), (10, 199e6, 801e6));
        // Windows of 100 ms have 100, 100 and eight times 0 I/Os.
        assert!((found.dispersion - 80.0).abs() < 1e-9 && found.dispersion_1_s < 1e-9, "{found:?}");
    }

    #[test]
    fn evenly_spaced_ios_have_no_bursts_at_any_rate() {
        for distance_ns in [MS_NS, SECOND_NS, 60 * SECOND_NS] {
            let found = of((0..1000).map(|nth| nth * distance_ns), 1000 * distance_ns);
            assert_eq!(found.bursts, None, "{distance_ns}");
        }
        assert_eq!(of(std::iter::empty(), SECOND_NS).bursts, None);
    }
}
