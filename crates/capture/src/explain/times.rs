//! Times that do not overlap, in order.

/// Start and end, by `CLOCK_MONOTONIC`.
pub type Time = (u64, u64);

/// Times that do not overlap, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Times(Vec<Time>);

impl Times {
    /// Returns the times that are in at least one of these.
    pub fn union(times: impl IntoIterator<Item = Time>) -> Times {
        let mut union = Times::default();
        times.into_iter().filter(|(from_ns, until_ns)| from_ns < until_ns).for_each(|time| union.add(time));
        union
    }

    /// Adds a time. Times that touch it become one with it.
    pub fn add(&mut self, (from_ns, until_ns): Time) {
        let first = self.0.partition_point(|time| time.1 < from_ns);
        let end = first + self.0[first..].iter().take_while(|time| time.0 <= until_ns).count();
        let touching = self.0[first..end].iter();
        let joined = touching.fold((from_ns, until_ns), |joined, time| (joined.0.min(time.0), joined.1.max(time.1)));
        self.0.splice(first..end, [joined]);
    }

    /// Returns the times that are in both.
    #[must_use]
    pub fn within(&self, other: &Times) -> Times {
        let mut both = Vec::new();
        let mut first = 0;
        for (from_ns, until_ns) in &self.0 {
            first += other.0[first..].iter().take_while(|time| time.1 <= *from_ns).count();
            let overlapping = other.0[first..].iter().take_while(|time| time.0 < *until_ns);
            both.extend(overlapping.map(|time| (time.0.max(*from_ns), time.1.min(*until_ns))));
        }
        Times(both)
    }

    pub fn iter(&self) -> impl Iterator<Item = Time> {
        self.0.iter().copied()
    }

    /// Returns the start of the first and the end of the last.
    pub fn span(&self) -> Option<Time> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    pub fn ns(&self) -> u64 {
        self.iter().map(|(from_ns, until_ns)| until_ns - from_ns).sum()
    }

    /// Returns the part of a time that is in one of these.
    pub fn overlap_ns(&self, (from_ns, until_ns): Time) -> u64 {
        let first = self.0.partition_point(|time| time.1 <= from_ns);
        let within = self.0[first..].iter().take_while(|time| time.0 < until_ns);
        within.map(|time| time.1.min(until_ns).saturating_sub(time.0.max(from_ns))).sum()
    }

    /// Returns a window of a length: evenly spread ones for the numbers from 0 on. `None` if no time is that long.
    pub fn window(&self, nth: usize, ns: u64) -> Option<Time> {
        /// The golden ratio spreads the fractional parts of its multiples evenly.
        const SPREAD: f64 = 0.618_033_988_749_894_9;
        let rooms =
            || self.iter().filter_map(|(from_ns, until_ns)| Some((from_ns, (until_ns - from_ns).checked_sub(ns)?)));
        let room_ns: u64 = rooms().map(|(_, room_ns)| room_ns).sum();
        let mut left_ns = (((nth + 1) as f64 * SPREAD).fract() * room_ns as f64) as u64;
        for (from_ns, room_ns) in rooms() {
            if left_ns <= room_ns {
                return Some((from_ns + left_ns, from_ns + left_ns + ns));
            }
            left_ns -= room_ns;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_joined_and_intersected() {
        let measured = Times::union([(50, 90), (10, 30), (20, 40), (7, 7)]);
        assert_eq!(measured, Times(vec![(10, 40), (50, 90)]));
        assert_eq!(measured.span(), Some((10, 90)));
        let recorded = Times::union([(0, 15), (35, 60), (80, 200)]);
        let both = measured.within(&recorded);
        assert_eq!(both, Times(vec![(10, 15), (35, 40), (50, 60), (80, 90)]));
        assert_eq!((both.ns(), both.overlap_ns((12, 55)), both.overlap_ns((16, 34))), (30, 13, 0));
    }

    #[test]
    fn windows_lie_within_the_times() {
        let times = Times::union([(100, 200), (1000, 1010), (2000, 2100)]);
        let found: Vec<Time> = (0..100).filter_map(|nth| times.window(nth, 20)).collect();
        assert!(found.iter().all(|time| times.overlap_ns(*time) == 20), "{found:?}");
        let later = found.iter().filter(|(from_ns, _)| *from_ns >= 2000).count();
        assert!((45..=55).contains(&later), "{later}");
        assert_eq!(times.window(3, 101), None);
    }
}
