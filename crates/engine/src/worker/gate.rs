//! The gate at which the workers of a phase wait for each other, so that all start together.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use os::clock::{Clock, Thread};

pub struct Gate {
    clock: Clock,
    waiting: Mutex<Waiting>,
    /// When it opened, on the engine's clock; 0 before.
    opened_ns: AtomicU64,
    /// A worker was given up before it was ready.
    incomplete: AtomicBool,
}

struct Waiting {
    missing: usize,
    /// Each is woken by itself. With a condition variable they would pass its lock from one to the next. With more workers
    /// than CPUs, each would wait for the CPU time of those before it: the last of 256 busy workers on two CPUs started
    /// seconds after the first.
    threads: Vec<Thread>,
}

impl Gate {
    pub fn new(workers: usize, clock: Clock) -> Self {
        Gate {
            clock,
            waiting: Mutex::new(Waiting { missing: workers, threads: Vec::with_capacity(workers) }),
            opened_ns: AtomicU64::new(0),
            incomplete: AtomicBool::new(false),
        }
    }

    /// Returns the number of places that are not ready.
    pub fn missing(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).missing
    }

    /// Counts one worker as ready.
    pub fn count_out(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.missing -= 1;
        if waiting.missing > 0 {
            return;
        }
        let threads = std::mem::take(&mut waiting.threads);
        self.opened_ns.store(self.clock.now().max(1), Release);
        drop(waiting);
        threads.iter().for_each(Thread::unpark);
    }

    /// Counts out a worker that will never be ready.
    pub fn give_up(&self) {
        self.incomplete.store(true, Relaxed);
        self.count_out();
    }

    /// Returns when the gate opened, if it has.
    pub fn opened_ns(&self) -> Option<u64> {
        Some(self.opened_ns.load(Acquire)).filter(|&opened_ns| opened_ns > 0)
    }

    /// Returns true if a worker was given up. Workers that only run together do not start then.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete.load(Relaxed)
    }

    fn wait_open(&self, stop: &AtomicBool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.missing > 0 {
            waiting.threads.push(self.clock.current_thread());
        }
        drop(waiting);
        while self.opened_ns().is_none() && !stop.load(Relaxed) {
            self.clock.park_timeout(Duration::from_millis(100));
        }
    }
}

/// A worker's place at the gate. Dropping it counts the worker out, so that no worker waits for one that ended early.
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
    use os::clock::Source;

    use super::*;

    #[test]
    fn no_worker_waits_for_one_that_panicked_or_after_a_stop() {
        let (gate, stop) = (Arc::new(Gate::new(3, Clock::new(Source::Monotonic))), AtomicBool::new(false));
        let mut ticket = Ticket::new(Arc::clone(&gate));
        let dead = Ticket::new(Arc::clone(&gate));
        drop(Ticket::new(gate));
        let panicked = std::thread::spawn(move || {
            let _held = dead;
            panic!("the test says so");
        });
        ticket.wait(&stop);
        assert!(panicked.join().is_err());

        let mut alone = Ticket::new(Arc::new(Gate::new(2, Clock::new(Source::Monotonic))));
        stop.store(true, Relaxed);
        alone.wait(&stop);
    }
}
