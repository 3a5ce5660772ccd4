//! Requests to end a run or a worker.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// How a run or a worker ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum StopKind {
    /// The work is done. Nothing new starts, and what has started completes: I/Os in flight, syncs, commands.
    Finish = 1,
    /// A signal interrupts the work. Waits are limited.
    Interrupt,
    /// I/Os in flight are given up.
    GiveUp,
}

/// A request to end. Workers read it with plain loads.
#[derive(Debug, Default)]
pub struct StopRequest {
    is_made: AtomicBool,
    /// A [`StopKind`], or 0.
    kind: AtomicU8,
}

impl StopRequest {
    pub const fn new() -> Self {
        StopRequest { is_made: AtomicBool::new(false), kind: AtomicU8::new(0) }
    }

    /// Requests the end. A later request can only be more urgent.
    pub fn make(&self, kind: StopKind) {
        self.kind.fetch_max(kind as u8, Relaxed);
        self.is_made.store(true, Relaxed);
    }

    /// Returns true if an end of any kind is requested.
    #[inline]
    pub fn is_made(&self) -> bool {
        self.is_made.load(Relaxed)
    }

    /// Returns true if an end of this kind, or a more urgent one, is requested.
    pub fn is_at_least(&self, kind: StopKind) -> bool {
        self.kind.load(Relaxed) >= kind as u8
    }

    /// Returns the flag of a request of any kind.
    pub fn flag(&self) -> &AtomicBool {
        &self.is_made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_only_becomes_more_urgent() {
        let request = StopRequest::new();
        assert!(!request.is_made() && !request.is_at_least(StopKind::Finish));
        for (kind, is_interrupt) in [(StopKind::Finish, false), (StopKind::Interrupt, true), (StopKind::Finish, true)] {
            request.make(kind);
            assert_eq!((request.is_made(), request.is_at_least(StopKind::Interrupt)), (true, is_interrupt), "{kind:?}");
        }
        assert!(!request.is_at_least(StopKind::GiveUp));
    }
}
