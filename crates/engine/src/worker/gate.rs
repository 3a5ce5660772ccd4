//! Where the workers of a phase wait for one another, so that all start at once.

use std::sync::{Condvar, Mutex, PoisonError};

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

    /// Counts the caller as ready and waits for the others.
    pub fn wait(&self) {
        self.count_out();
        let missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(missing, |missing| *missing > 0));
    }
}
