//! Intended starts of the I/Os of a rate. They do not depend on the speed of the device.
//!
//! A rate is an open loop: I/Os arrive at scheduled times and wait if the queue is full. Latency from submission omits
//! this wait. Response time starts at the intended start and includes it.

use plan::Ddir;
use record::{Arrivals, LATE_NS};

/// The intended start of the I/O in a slot, or none. It has the size of a time, as all slots are in the cache during a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Start(u64);

impl Start {
    /// The slot is free, or its I/O has no intended start.
    const NONE: Start = Start(u64::MAX);

    fn intended_ns(self) -> Option<u64> {
        (self != Start::NONE).then_some(self.0)
    }
}

/// The intended starts of the I/Os in flight, and the counts of all arrivals.
#[derive(Clone, Debug)]
pub(crate) struct IntendedStarts {
    /// By slot of the queue.
    starts: Box<[Start]>,
    in_flight: usize,
    /// Start and end of the last time with a full queue.
    full_from_ns: u64,
    full_until_ns: u64,
    /// Intended and actual start of the last I/O.
    last_intended_ns: u64,
    last_issued_ns: u64,
    /// Arrivals with an earlier intended start do not count.
    from_ns: u64,
    arrivals: [Arrivals; 3],
}

impl IntendedStarts {
    pub fn new(places: u32) -> Self {
        IntendedStarts {
            starts: vec![Start::NONE; places as usize].into(),
            in_flight: 0,
            full_from_ns: 0,
            full_until_ns: 0,
            last_intended_ns: 0,
            last_issued_ns: 0,
            from_ns: 0,
            arrivals: Default::default(),
        }
    }

    /// Clears the counts. Arrivals with an intended start before `now_ns` do not count.
    pub fn restart(&mut self, now_ns: u64) {
        (self.from_ns, self.arrivals) = (now_ns, Default::default());
    }

    pub fn counted_from_ns(&self) -> u64 {
        self.from_ns
    }

    #[inline]
    pub fn issue(&mut self, place: u32, ddir: Ddir, intended_ns: u64, now_ns: u64) {
        self.starts[place as usize] = Start(intended_ns);
        self.in_flight += 1;
        (self.last_intended_ns, self.last_issued_ns) = (intended_ns, now_ns);
        if intended_ns >= self.from_ns {
            let found_full = self.found_full(intended_ns);
            self.arrivals[ddir as usize].issue(intended_ns, now_ns, found_full);
        }
    }

    /// Ends the I/O in a slot. Returns its intended start, if it has one.
    #[inline]
    pub fn end(&mut self, place: u32) -> Option<u64> {
        let intended_ns = std::mem::replace(&mut self.starts[place as usize], Start::NONE).intended_ns();
        self.in_flight -= usize::from(intended_ns.is_some());
        intended_ns
    }

    /// Takes back an arrival: the I/O in the slot, made at `issued_ns`, was never submitted.
    pub fn take_back(&mut self, place: u32, ddir: Ddir, issued_ns: u64) {
        if let Some(intended_ns) = self.end(place).filter(|intended_ns| *intended_ns >= self.from_ns) {
            self.arrivals[ddir as usize].cancel(intended_ns, issued_ns);
        }
    }

    /// Returns true if all slots hold I/Os with an intended start.
    pub fn is_full(&self) -> bool {
        self.in_flight == self.starts.len()
    }

    /// Records that the queue was full since the last submission. If that I/O had itself waited for a slot, the
    /// earlier full time continues.
    #[inline]
    pub fn was_full(&mut self, now_ns: u64) {
        if self.last_intended_ns >= self.full_until_ns {
            self.full_from_ns = self.last_issued_ns;
        }
        self.full_until_ns = now_ns;
    }

    /// Returns true if the queue was full at the intended start. An I/O that arrived while slots were free was delayed
    /// by its thread, not by the queue.
    #[inline]
    fn found_full(&self, intended_ns: u64) -> bool {
        intended_ns < self.full_until_ns && intended_ns.saturating_add(LATE_NS) >= self.full_from_ns
    }

    pub fn arrivals(&self, ddir: Ddir) -> Arrivals {
        self.arrivals[ddir as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const PLACES: u32 = 4;

    fn all_end(starts: &mut IntendedStarts) {
        for place in 0..PLACES {
            starts.end(place);
        }
    }

    /// Simulates one I/O per ms. I/Os due before `until_ms` are already issued. The rest, up to `now_ms`, are issued
    /// in batches that fill the queue. A batch completes after 10 µs.
    fn make_up_for(starts: &mut IntendedStarts, until_ms: u64, now_ms: u64) {
        let mut now_ns = now_ms * MS;
        let due: Vec<u64> = (until_ms..now_ms).collect();
        for lot in due.chunks(PLACES as usize) {
            (0..).zip(lot).for_each(|(place, at_ms)| starts.issue(place, Ddir::Read, at_ms * MS, now_ns));
            now_ns += 10_000;
            if starts.is_full() {
                starts.was_full(now_ns);
            }
            all_end(starts);
        }
    }

    #[test]
    fn what_a_thread_overslept_did_not_find_the_queue_full_though_it_fills_it_at_last() {
        let mut starts = IntendedStarts::new(PLACES);
        make_up_for(&mut starts, 0, 1);
        make_up_for(&mut starts, 1, 201);
        let Arrivals { due, late, queue_full, .. } = starts.arrivals(Ddir::Read);
        assert!(due == 201 && late > 190 && queue_full <= 1, "{queue_full} of {late} of {due}");
    }

    #[test]
    fn arrivals_during_a_stall_find_the_queue_full_in_any_number_of_batches() {
        let mut starts = IntendedStarts::new(PLACES);
        (0..PLACES).for_each(|nth| starts.issue(nth, Ddir::Read, u64::from(nth) * MS, u64::from(nth) * MS));
        // The queue is still full at 100 ms. The I/Os complete at 200 ms.
        [100, 200].into_iter().for_each(|at_ms| starts.was_full(at_ms * MS));
        all_end(&mut starts);
        make_up_for(&mut starts, PLACES.into(), 200);
        let Arrivals { due, late, queue_full, .. } = starts.arrivals(Ddir::Read);
        assert!(due == 200 && late > 190 && queue_full == late, "{queue_full} of {late} of {due}");
    }

    #[test]
    fn a_thread_that_sleeps_after_the_queue_was_full_is_what_holds_up_the_next() {
        let mut starts = IntendedStarts::new(PLACES);
        (0..PLACES).for_each(|nth| starts.issue(nth, Ddir::Read, u64::from(nth) * MS, u64::from(nth) * MS));
        starts.was_full(6 * MS);
        all_end(&mut starts);
        make_up_for(&mut starts, PLACES.into(), 200);
        let Arrivals { late, queue_full, .. } = starts.arrivals(Ddir::Read);
        assert!(late > 190 && queue_full <= 3, "{queue_full} of {late}");
    }
}
