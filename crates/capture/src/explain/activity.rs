//! I/Os of others over time: when they were in flight, and how much load was submitted.

use super::times::Time;

/// Load of an I/O in addition to its bytes: small I/Os and flushes take time, too.
const LOAD_OF_IO: f64 = 65_536.0;

/// I/Os of one source, in the order of their starts.
#[derive(Default)]
pub struct Activity {
    /// Times with I/Os in flight. Those with a gap of at most the resolution are one.
    in_flight: Vec<Time>,
    /// Starts of the slots with submissions, and the load until their end. A slot is as long as the resolution.
    submitted: Vec<(u64, f64)>,
}

impl Activity {
    pub fn add(&mut self, (start_ns, end_ns): Time, bytes: u64, resolution_ns: u64) {
        self.fly((start_ns, end_ns), resolution_ns);
        self.submit(start_ns, LOAD_OF_IO + bytes as f64, resolution_ns);
    }

    fn fly(&mut self, (start_ns, end_ns): Time, resolution_ns: u64) {
        match self.in_flight.last_mut().filter(|last| start_ns <= last.1.saturating_add(resolution_ns)) {
            Some(last) => last.1 = last.1.max(end_ns),
            None => self.in_flight.push((start_ns, end_ns)),
        }
    }

    fn submit(&mut self, at_ns: u64, load: f64, resolution_ns: u64) {
        let slot_ns = at_ns / resolution_ns * resolution_ns;
        let before = self.submitted.last().map_or(0.0, |(_, sum)| *sum);
        match self.submitted.last_mut().filter(|last| slot_ns <= last.0) {
            Some((_, sum)) => *sum += load,
            None => self.submitted.push((slot_ns, before + load)),
        }
    }

    /// Returns the number of stored times and slots.
    pub fn entries(&self) -> usize {
        self.in_flight.len() + self.submitted.len()
    }

    /// Lowers the resolution.
    pub fn coarsen(&mut self, resolution_ns: u64) {
        let Activity { in_flight, submitted } = std::mem::take(self);
        in_flight.into_iter().for_each(|time| self.fly(time, resolution_ns));
        let mut before = 0.0;
        for (at_ns, sum) in submitted {
            self.submit(at_ns, sum - before, resolution_ns);
            before = sum;
        }
    }

    /// Returns the part of a time with I/Os in flight.
    pub fn in_flight_ns(&self, (from_ns, until_ns): Time) -> u64 {
        let first = self.in_flight.partition_point(|time| time.1 <= from_ns);
        let within = self.in_flight[first..].iter().take_while(|time| time.0 < until_ns);
        within.map(|time| time.1.min(until_ns).saturating_sub(time.0.max(from_ns))).sum()
    }

    /// Returns the load that was submitted in a time. Of a slot at its border it is the share.
    pub fn load(&self, (from_ns, until_ns): Time, resolution_ns: u64) -> f64 {
        self.load_before(until_ns, resolution_ns) - self.load_before(from_ns, resolution_ns)
    }

    fn load_before(&self, at_ns: u64, resolution_ns: u64) -> f64 {
        let started = self.submitted.partition_point(|(slot_ns, _)| *slot_ns < at_ns);
        let [earlier @ .., (slot_ns, sum)] = &self.submitted[..started] else { return 0.0 };
        let before = earlier.last().map_or(0.0, |(_, sum)| *sum);
        before + (sum - before) * ((at_ns - slot_ns) as f64 / resolution_ns as f64).min(1.0)
    }

    /// Returns when a share of the load of a time was submitted, to the resolution.
    pub fn time_of(&self, load_share: f64, time: Time, resolution_ns: u64) -> Option<u64> {
        let wanted = self.load_before(time.0, resolution_ns) + self.load(time, resolution_ns) * load_share;
        let slot = self.submitted.partition_point(|(_, sum)| *sum < wanted);
        self.submitted.get(slot).map(|(slot_ns, _)| *slot_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_times_are_those_of_the_ios() {
        let mut activity = Activity::default();
        for start_ns in [1000, 1010, 5000] {
            activity.add((start_ns, start_ns + 500), 65_536, 100);
        }
        assert_eq!((activity.in_flight_ns((0, 10_000)), activity.in_flight_ns((1100, 1200))), (1010, 100));
        assert_eq!(activity.load((0, 10_000), 100), 6.0 * LOAD_OF_IO);
        assert_eq!(activity.load((1050, 5000), 100), 2.0 * LOAD_OF_IO, "half of a slot");
        let time_of = |share| activity.time_of(share, (0, 10_000), 100);
        assert_eq!([0.1, 0.6, 0.7].map(time_of), [Some(1000), Some(1000), Some(5000)]);
        assert_eq!(activity.time_of(0.1, (2000, 6000), 100), Some(5000));
        assert_eq!(activity.entries(), 4);
        activity.coarsen(100_000);
        assert_eq!((activity.entries(), activity.load((0, 100_000), 100_000)), (2, 6.0 * LOAD_OF_IO));
    }
}
