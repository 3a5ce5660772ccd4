//! The lowest percentile that latencies can have had without a known amount of waiting.

use record::Latency;

/// Returns a lower bound of a percentile if the I/Os had not waited `waited_ns` in total, however the waits were
/// distributed over the I/Os.
///
/// A percentile of `v` allows `count * (1 - percent / 100)` I/Os above `v`. The largest ones are left out. To bring all
/// others down to `v`, they must have waited for the sum of their distances to `v`. `v` is the lowest value for which that
/// sum is at most `waited_ns`.
pub fn least_without_wait_ns(latency: &Latency, percent: f64, waited_ns: f64) -> f64 {
    let allowed = (latency.count() as f64 * (1.0 - percent / 100.0)).floor() as u64;
    let mut bins: Vec<(f64, u64)> = latency.histogram.bins().map(|bin| (bin.low as f64, bin.count)).collect();
    let mut left = allowed;
    while let Some((_, count)) = bins.last_mut() {
        let taken = left.min(*count);
        (*count, left) = (*count - taken, left - taken);
        if *count > 0 {
            break;
        }
        bins.pop();
    }
    // From the highest bin down, `above` I/Os are lowered together.
    let (mut above, mut budget_ns) = (0.0, waited_ns);
    let mut bins = bins.into_iter().rev().peekable();
    while let Some((low, count)) = bins.next() {
        above += count as f64;
        let next = bins.peek().map_or(0.0, |(next, _)| *next);
        let needed = (low - next) * above;
        if needed >= budget_ns {
            return low - budget_ns / above;
        }
        budget_ns -= needed;
    }
    0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn latency(all: &[u64]) -> Latency {
        let mut latency = Latency::default();
        all.iter().for_each(|ns| latency.record(*ns));
        latency
    }

    #[test]
    fn a_wait_explains_the_excess_of_the_ios_that_it_can_have_delayed() {
        // 98 I/Os of 32 ns and 2 of 4096 ns. One of the two may stay above the percentile.
        let mut all = vec![32; 98];
        all.extend([4096; 2]);
        let latency = latency(&all);
        assert_eq!(least_without_wait_ns(&latency, 99.0, 0.0), 4096.0);
        assert_eq!(least_without_wait_ns(&latency, 99.0, 1000.0), 3096.0);
        assert_eq!(least_without_wait_ns(&latency, 99.0, 4064.0), 32.0);
        assert_eq!(least_without_wait_ns(&latency, 99.0, 1e9), 0.0);
        assert_eq!(least_without_wait_ns(&latency, 98.0, 0.0), 32.0);
    }

    proptest! {
        /// Whatever I/Os a wait delayed: without it, the percentile is not below the bound.
        #[test]
        fn no_distribution_of_the_waits_beats_the_bound(
            service in prop::collection::vec(0u64..10_000, 10..200),
            waits in prop::collection::vec((0usize..200, 0u64..100_000), 0..40),
            percent in 50.0f64..99.9,
        ) {
            let mut measured = service.clone();
            let mut waited = 0;
            for (at, ns) in waits {
                let at = at % measured.len();
                measured[at] += ns;
                waited += ns;
            }
            let mut sorted = service;
            sorted.sort_unstable();
            let allowed = (sorted.len() as f64 * (1.0 - percent / 100.0)).floor() as usize;
            let without_wait = sorted[sorted.len() - 1 - allowed];
            let bound = least_without_wait_ns(&latency(&measured), percent, waited as f64);
            prop_assert!(bound <= without_wait as f64 + 1e-6, "{bound} > {without_wait}");
        }
    }
}
