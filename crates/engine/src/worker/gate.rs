//! Where the workers of a phase wait for one another, so that all start at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::live::shared_clock;

pub struct Gate {
    missing: Mutex<usize>,
    opened: Condvar,
    /// When that was, on the engine's clock; 0 before.
    opened_ns: AtomicU64,
    /// A worker was given up before it was ready.
    incomplete: AtomicBool,
}

impl Gate {
    pub fn new(workers: usize) -> Self {
        Gate {
            missing: Mutex::new(workers),
            opened: Condvar::new(),
            opened_ns: AtomicU64::new(0),
            incomplete: AtomicBool::new(false),
        }
    }

    /// Counts one worker as ready.
    pub fn count_out(&self) {
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        *missing -= 1;
        if *missing == 0 {
            self.opened_ns.store(shared_clock().now(), Relaxed);
            self.opened.notify_all();
        }
    }

    /// Counts out one that will never be ready.
    pub fn give_up(&self) {
        self.incomplete.store(true, Relaxed);
        self.count_out();
    }

    /// When all had come, if they have.
    pub fn opened_ns(&self) -> Option<u64> {
        Some(self.opened_ns.load(Relaxed)).filter(|&opened_ns| opened_ns > 0)
    }

    /// True where somebody will not come: workers that only run together don't start then.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete.load(Relaxed)
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

    /// Counts the worker as ready and waits for the others, or until it is to stop. When the gate opened, if it did.
    pub fn wait(&mut self, stop: &AtomicBool) -> Option<u64> {
        if !std::mem::replace(&mut self.counted, true) {
            self.gate.count_out();
        }
        self.gate.wait_open(stop);
        self.gate.opened_ns()
    }

    /// As [`wait`](Self::wait); nothing where not all came.
    pub fn wait_for_all(&mut self, stop: &AtomicBool) -> Option<u64> {
        self.wait(stop).filter(|_| !self.gate.is_incomplete())
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.counted {
            self.gate.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_worker_that_panicked_or_after_a_stop() {
        let (gate, stop) = (Arc::new(Gate::new(3)), AtomicBool::new(false));
        let mut ticket = Ticket::new(Arc::clone(&gate));
        let dead = Ticket::new(Arc::clone(&gate));
        drop(Ticket::new(gate));
        let panicked = std::thread::spawn(move || {
            let _held = dead;
            panic!("the test says so");
        });
        ticket.wait(&stop);
        assert!(panicked.join().is_err());

        let mut alone = Ticket::new(Arc::new(Gate::new(2)));
        stop.store(true, Relaxed);
        alone.wait(&stop);
    }
}
