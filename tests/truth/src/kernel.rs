//! The block layer's counters of a device, as a time series.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

/// Sampling interval.
const INTERVAL: Duration = Duration::from_micros(500);

/// Counters of `/sys/block/*/stat`, for reads and for writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub ios: [u64; 2],
    pub bytes: [u64; 2],
    /// Sum of the I/Os' times.
    pub ticks_ms: [u64; 2],
}

impl Counters {
    /// Reads the counters.
    pub fn read(stat: &Path) -> Self {
        let text = std::fs::read_to_string(stat).unwrap();
        let fields: Vec<u64> = text.split_whitespace().map(|field| field.parse().unwrap()).collect();
        Counters {
            ios: [fields[0], fields[4]],
            bytes: [fields[2] * 512, fields[6] * 512],
            ticks_ms: [fields[3], fields[7]],
        }
    }

    /// Returns the difference to earlier counters.
    pub fn since(&self, earlier: &Counters) -> Self {
        let less = |now: [u64; 2], then: [u64; 2]| [now[0] - then[0], now[1] - then[1]];
        Counters {
            ios: less(self.ios, earlier.ios),
            bytes: less(self.bytes, earlier.bytes),
            ticks_ms: less(self.ticks_ms, earlier.ticks_ms),
        }
    }
}

/// Samples a device's counters in a thread.
pub struct Watch {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<History>>,
}

impl Watch {
    /// Starts sampling a `stat` file.
    pub fn start(stat: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            harness::use_realtime_priority();
            let mut history = History(Vec::new());
            while !stopped.load(Relaxed) {
                let began_us = unix_us();
                let counters = Counters::read(&stat);
                history.0.push(Sample { began_us, ended_us: unix_us(), counters });
                std::thread::sleep(INTERVAL);
            }
            history
        });
        Watch { stop, thread: Some(thread) }
    }

    /// Stops sampling and returns the samples.
    pub fn end(mut self) -> History {
        self.stop.store(true, Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

fn unix_us() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64
}

/// Counters, and the Unix times in µs between which they were read.
struct Sample {
    began_us: u64,
    ended_us: u64,
    counters: Counters,
}

/// Samples in the order of time.
pub struct History(Vec<Sample>);

impl History {
    /// Returns the number of I/Os of a direction (0: reads, 1: writes) that were complete before a time.
    pub fn ios_before(&self, direction: usize, unix_us: u64) -> u64 {
        let earlier = self.0.partition_point(|sample| sample.ended_us <= unix_us);
        self.0[earlier.saturating_sub(1)].counters.ios[direction]
    }

    /// Returns the number of I/Os of a direction that were complete soon after a time.
    pub fn ios_after(&self, direction: usize, unix_us: u64) -> u64 {
        let later = self.0.partition_point(|sample| sample.began_us < unix_us);
        self.0[later.min(self.0.len() - 1)].counters.ios[direction]
    }
}
