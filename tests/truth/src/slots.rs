//! Times at which a client with a fixed number of slots can have started and completed its I/Os, computed from the requests
//! that the files saw. They hold on any machine, because a slow machine delays the requests, too.
//!
//! The client submits an I/O only into a free slot. It has therefore completed n - depth I/Os before it starts I/O n, and
//! starts at most n + depth I/Os before it completes I/O n.

use std::time::Duration;

use crate::timed_files::Served;

/// Sorted times of all requests of a run, since the first arrival.
pub struct Slots {
    arrived: Vec<Duration>,
    answered: Vec<Duration>,
    depth: usize,
}

impl Slots {
    pub fn of(served: &[Served], depth: usize) -> Self {
        let sorted = |mut times: Vec<Duration>| {
            times.sort_unstable();
            times
        };
        Slots {
            arrived: sorted(served.iter().map(|request| request.arrived).collect()),
            answered: sorted(served.iter().map(Served::answered).collect()),
            depth,
        }
    }

    /// Returns the earliest start of the I/O that was submitted as number `nth`, from 0. `None`: it had a slot from the start.
    pub fn earliest_start(&self, nth: usize) -> Option<Duration> {
        Some(self.answered[nth.checked_sub(self.depth)?])
    }

    /// Returns the latest completion of the I/O that was completed as number `nth`, from 0. `None`: no later request needed
    /// its slot.
    pub fn latest_completion(&self, nth: usize) -> Option<Duration> {
        self.arrived.get(nth + self.depth).copied()
    }
}
