//! Waits of threads, of which Windows has no counters.

use crate::waits::{IoLimit, Waits};

/// Returns no threads.
pub fn thread_ids() -> Vec<u32> {
    Vec::new()
}

/// Reads nothing.
pub struct WaitReader;

impl WaitReader {
    pub fn new(_thread: u32) -> WaitReader {
        WaitReader
    }

    pub fn read(&self, threads: &[u32]) -> Waits {
        Waits { run_delays_ns: vec![None; threads.len()], ..Waits::default() }
    }

    pub fn io_limits(&self) -> Vec<IoLimit> {
        Vec::new()
    }
}
