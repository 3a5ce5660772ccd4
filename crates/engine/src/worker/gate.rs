//! Where the workers of a phase wait for one another, so that all start at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

pub struct Gate {
    missing: Mutex<usize>,
    opened: Condvar,
}

impl Gate {
    pub fn new(workers: usize) -> Self {
        Gate { missing: Mutex::new(workers), opened: Condvar::new() }
    }

    /// Counts one worker as ready, or as one that will never be.
    pub fn count_out(&self) {
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        *missing -= 1;
        if *missing == 0 {
            self.opened.notify_all();
        }
    }

    fn wait_open(&self, stop: &AtomicBool) {
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        while *missing > 0 && !stop.load(Relaxed) {
            let waited = self.opened.wait_timeout(missing, Duration::from_millis(100));
            missing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A worker's place at the gate: counted out when it is given up, so that nobody waits for a worker that ended early,
/// however that was.
pub struct Ticket {
    gate: Arc<Gate>,
    counted: bool,
}

impl Ticket {
    pub fn new(gate: Arc<Gate>) -> Self {
        Ticket { gate, counted: false }
    }

    /// Counts the worker as ready and waits for the others, or until it is to stop.
    pub fn wait(&mut self, stop: &AtomicBool) {
        if !std::mem::replace(&mut self.counted, true) {
            self.gate.count_out();
        }
        self.gate.wait_open(stop);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.counted {
            self.gate.count_out();
        }
    }
}
