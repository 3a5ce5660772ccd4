//! Arrivals of an open loop: I/Os with an intended start, and how many of them started late or not at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An I/O is late if it is issued more than this after its intended start. Waking a thread takes far less.
pub const LATE_NS: u64 = 1_000_000;

/// I/Os whose intended start lies within the measured time. `due - late - unissued` of them started on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Arrivals {
    /// Intended starts within the measured time.
    pub due: u64,
    /// Issued more than [`LATE_NS`] after their intended start.
    pub late: u64,
    /// Late I/Os that waited because the queue was full.
    pub queue_full: u64,
    /// Not issued by the end of the measured time.
    pub unissued: u64,
}

impl Arrivals {
    /// Counts an I/O that is issued at `now_ns`. `found_full`: the queue was full at its intended start.
    #[inline]
    pub fn issue(&mut self, intended_ns: u64, now_ns: u64, found_full: bool) {
        self.due += 1;
        if is_late(intended_ns, now_ns) {
            self.late += 1;
            self.queue_full += u64::from(found_full);
        }
    }

    /// Turns an I/O that [`Arrivals::issue`] counted into an unissued one: it was never submitted.
    pub fn cancel(&mut self, intended_ns: u64, issued_ns: u64) {
        self.unissued += 1;
        self.late = self.late.saturating_sub(u64::from(is_late(intended_ns, issued_ns)));
        self.queue_full = self.queue_full.min(self.late);
    }

    /// Counts I/Os that are still waiting at the end.
    pub fn add_unissued(&mut self, count: u64) {
        self.due = self.due.saturating_add(count);
        self.unissued = self.unissued.saturating_add(count);
    }

    /// Returns the I/Os that were issued, late or not, in percent of those due.
    pub fn met_percent(&self) -> f64 {
        if self.due == 0 { 100.0 } else { (self.due - self.unissued.min(self.due)) as f64 * 100.0 / self.due as f64 }
    }

    /// Adds the arrivals of another worker.
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
    fn a_cancelled_arrival_is_unissued_and_not_late() {
        let mut arrivals = Arrivals::default();
        arrivals.issue(0, LATE_NS, true);
        assert_eq!(arrivals, Arrivals { due: 1, ..Arrivals::default() });
        arrivals.issue(0, LATE_NS + 1, false);
        arrivals.issue(5, LATE_NS + 6, true);
        assert_eq!(arrivals, Arrivals { due: 3, late: 2, queue_full: 1, unissued: 0 });
        arrivals.cancel(5, LATE_NS + 6);
        arrivals.cancel(0, LATE_NS + 1);
        assert_eq!(arrivals, Arrivals { due: 3, late: 0, queue_full: 0, unissued: 2 });
    }
}
