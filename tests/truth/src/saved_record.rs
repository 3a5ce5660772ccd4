//! Reads the saved record of a run (`--record`).

use std::path::Path;

use serde_json::Value;

/// Statistics of a worker.
pub struct Worker(Value);

/// Returns the statistics of all workers.
pub fn workers(path: &Path) -> Vec<Worker> {
    let record: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    record["workers"].as_array().unwrap().iter().map(|worker| Worker(worker["stats"].clone())).collect()
}

impl Worker {
    /// Returns the number of counted I/Os of a direction (0: reads, 1: writes).
    pub fn ios(&self, direction: usize) -> u64 {
        integer(&self.0["ddirs"][direction]["ios"])
    }

    /// Returns the start of the measured time.
    pub fn measured_from_unix_us(&self) -> u64 {
        integer(&self.0["measured_from_unix_us"])
    }

    pub fn runtime_ns(&self) -> u64 {
        integer(&self.0["runtime_ns"])
    }

    /// Returns the sum of the submission latencies of reads. It contains the time of all submission calls.
    pub fn submission_ns(&self) -> u64 {
        let slat = &self.0["ddirs"][0]["slat"];
        if slat.is_null() { 0 } else { integer(&slat["sum_ns"]) }
    }
}

/// A number that is too large for a JSON reader is a text.
fn integer(of: &Value) -> u64 {
    of.as_u64().or_else(|| of.as_str()?.parse().ok()).unwrap_or_else(|| panic!("not an integer: {of}"))
}
