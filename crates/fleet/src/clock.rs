//! Clocks of hosts, compared by messages with rank 0's.
//!
//! A message to a host and back bounds the difference of the clocks: the host read its clock between the two readings of rank
//! 0. The middle of these readings is wrong by at most half of the round trip.

use std::time::Duration;

/// `CLOCK_MONOTONIC`. The processes of a host share it.
const MONOTONIC: i32 = 1;
/// Round trips of one comparison, at least.
pub const ROUNDS_MIN: u32 = 60;
/// The bound that is sufficient.
pub const ENOUGH_NS: u64 = 25_000;
/// Longest time of one comparison that is not sufficient yet.
pub const TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the time of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    os::clock::kernel_clock(MONOTONIC).unwrap_or_default()
}

/// One round trip, on rank 0's clock, and the host's reading in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundTrip {
    pub sent_ns: u64,
    pub host_ns: u64,
    pub received_ns: u64,
}

/// The difference between a host's clock and rank 0's at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Comparison {
    /// The time on rank 0's clock.
    at_ns: u64,
    /// Host's clock minus rank 0's.
    offset_ns: i64,
    /// Largest error of the offset.
    bound_ns: u64,
}

/// A host's clock, as rank 0 knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostClock {
    comparisons: Vec<Comparison>,
}

impl HostClock {
    /// Adds a comparison: its shortest round trip.
    pub fn compare(&mut self, trips: &[RoundTrip]) {
        let length_ns = |trip: &&RoundTrip| trip.received_ns.saturating_sub(trip.sent_ns);
        if let Some(best) = trips.iter().min_by_key(length_ns) {
            let half_ns = length_ns(&best).div_ceil(2);
            let at_ns = best.sent_ns + half_ns;
            let offset_ns = best.host_ns.wrapping_sub(at_ns) as i64;
            self.comparisons.push(Comparison { at_ns, offset_ns, bound_ns: half_ns });
        }
    }

    /// Returns the difference at the first comparison: this clock minus rank 0's.
    pub fn offset_ns(&self) -> i64 {
        self.comparisons.first().map_or(0, |first| first.offset_ns)
    }

    /// Returns the largest error of all comparisons.
    pub fn bound_ns(&self) -> u64 {
        self.comparisons.iter().map(|comparison| comparison.bound_ns).max().unwrap_or(0)
    }

    /// Returns the change of the difference between the first and the last comparison.
    pub fn drift_ns(&self) -> i64 {
        let last = self.comparisons.last().map_or(0, |last| last.offset_ns);
        last.wrapping_sub(self.offset_ns())
    }

    /// Converts a time of rank 0's clock after the last comparison to this clock.
    pub fn of_root(&self, root_ns: u64) -> u64 {
        let offset_ns = self.comparisons.last().map_or(0, |last| last.offset_ns);
        root_ns.wrapping_add_signed(offset_ns)
    }

    /// Converts a time of this clock to rank 0's. Between two comparisons the difference changes evenly.
    pub fn to_root(&self, host_ns: u64) -> u64 {
        host_ns.wrapping_add_signed(self.at(host_ns).offset_ns.wrapping_neg())
    }

    /// Returns the largest error of [`HostClock::to_root`].
    pub fn bound_at(&self, host_ns: u64) -> u64 {
        self.at(host_ns).bound_ns
    }

    /// Returns the comparison for a time of this clock, from those before and after it.
    fn at(&self, host_ns: u64) -> Comparison {
        let at_ns = host_ns.wrapping_add_signed(self.offset_ns().wrapping_neg());
        let next = self.comparisons.iter().position(|comparison| comparison.at_ns >= at_ns);
        match (next, self.comparisons.as_slice()) {
            (_, []) => Comparison::default(),
            (Some(0), [first, ..]) => *first,
            (None, [.., last]) => *last,
            (Some(next), all) => {
                let (before, after) = (all[next - 1], all[next]);
                let share = (at_ns - before.at_ns) as f64 / after.at_ns.saturating_sub(before.at_ns).max(1) as f64;
                let part = |from: f64, to: f64| from + (to - from) * share;
                let change_ns = after.offset_ns.wrapping_sub(before.offset_ns);
                Comparison {
                    at_ns,
                    offset_ns: before.offset_ns.wrapping_add((change_ns as f64 * share) as i64),
                    bound_ns: part(before.bound_ns as f64, after.bound_ns as f64).ceil() as u64,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_NS: u64 = 86_400_000_000_000;

    #[test]
    fn the_shortest_round_trip_has_the_smallest_bound() {
        let mut clock = HostClock::default();
        let trip = |sent_ns, host_ns, received_ns| RoundTrip { sent_ns, host_ns, received_ns };
        clock.compare(&[trip(0, DAY_NS + 4000, 5000), trip(10_000, DAY_NS + 10_011, 10_020)]);
        assert_eq!((clock.offset_ns(), clock.bound_ns()), (DAY_NS as i64 + 1, 10));
        assert_eq!((clock.of_root(20_000), clock.to_root(DAY_NS + 20_001)), (DAY_NS + 20_001, 20_000));
    }

    #[test]
    fn drift_is_distributed_evenly() {
        let mut clock = HostClock::default();
        let compare = |clock: &mut HostClock, at_ns: u64, offset_ns: u64| {
            clock.compare(&[RoundTrip { sent_ns: at_ns, host_ns: at_ns + offset_ns, received_ns: at_ns }]);
        };
        compare(&mut clock, 1_000_000, 500);
        compare(&mut clock, 2_000_000, 700);
        assert_eq!((clock.drift_ns(), clock.to_root(1_500_600), clock.to_root(3_000_700)), (200, 1_500_000, 3_000_000));
        assert_eq!(clock.to_root(900_500), 900_000);
        assert_eq!(HostClock::default().to_root(7), 7);
    }
}
