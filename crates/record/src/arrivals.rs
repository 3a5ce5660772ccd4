//! Arrivals: the I/Os that a rate asked for, each at a time of its own, and which of them did not go in time.

use serde::{Deserialize, Serialize};

/// An I/O that is issued more than this after its intended start is late: far more than it takes to wake a thread.
pub const LATE_NS: u64 = 1_000_000;

/// What became of the I/Os that a rate meant to start in the measured time. On time were `due - late - unissued`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Arrivals {
    /// Intended starts within the measured time.
    pub due: u64,
    /// Issued more than [`LATE_NS`] after their intended start.
    pub late: u64,
    /// Of the late ones, those that found every place in the queue taken.
    pub queue_full: u64,
    /// Never issued: still waiting when the measured time was over.
    pub unissued: u64,
}

impl Arrivals {
    /// Counts one that is issued now. `found_full` says that there was no place for it when it was meant to go.
    #[inline]
    pub fn issue(&mut self, intended_ns: u64, now_ns: u64, found_full: bool) {
        self.due += 1;
        if is_late(intended_ns, now_ns) {
            self.late += 1;
            self.queue_full += u64::from(found_full);
        }
    }

    /// One that was counted as issued then was never handed over.
    pub fn take_back(&mut self, intended_ns: u64, issued_ns: u64) {
        self.unissued += 1;
        self.late = self.late.saturating_sub(u64::from(is_late(intended_ns, issued_ns)));
        self.queue_full = self.queue_full.min(self.late);
    }

    /// Counts those that are still waiting.
    pub fn add_unissued(&mut self, count: u64) {
        self.due = self.due.saturating_add(count);
        self.unissued = self.unissued.saturating_add(count);
    }

    /// The share of what was due that was issued, late or not.
    pub fn met_percent(&self) -> f64 {
        if self.due == 0 { 100.0 } else { (self.due - self.unissued.min(self.due)) as f64 * 100.0 / self.due as f64 }
    }

    pub fn merge(&mut self, other: &Arrivals) {
        self.due = self.due.saturating_add(other.due);
        self.late = self.late.saturating_add(other.late);
        self.queue_full = self.queue_full.saturating_add(other.queue_full);
        self.unissued = self.unissued.saturating_add(other.unissued);
    }
}

fn is_late(intended_ns: u64, now_ns: u64) -> bool {
    now_ns.saturating_sub(intended_ns) > LATE_NS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_late_by_what_held_it_and_no_longer_when_it_is_taken_back() {
        let mut arrivals = Arrivals::default();
        arrivals.issue(0, LATE_NS, true);
        assert_eq!(arrivals, Arrivals { due: 1, ..Arrivals::default() });
        arrivals.issue(0, LATE_NS + 1, false);
        arrivals.issue(5, LATE_NS + 6, true);
        assert_eq!(arrivals, Arrivals { due: 3, late: 2, queue_full: 1, unissued: 0 });
        arrivals.take_back(5, LATE_NS + 6);
        arrivals.take_back(0, LATE_NS + 1);
        assert_eq!(arrivals, Arrivals { due: 3, late: 0, queue_full: 0, unissued: 2 });
    }
}
