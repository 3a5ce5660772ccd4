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
                let before_us = unix_us();
                let counters = Counters::read(&stat);
                history.0.push((before_us.midpoint(unix_us()), counters));
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

/// Samples with their Unix time in µs.
pub struct History(Vec<(u64, Counters)>);

impl History {
    /// Returns the number of I/Os of a direction (0: reads, 1: writes) at a time, interpolated between two samples.
    pub fn ios_at(&self, direction: usize, unix_us: u64) -> f64 {
        let after = self.0.partition_point(|(at, _)| *at <= unix_us);
        let ios = |nth: usize| self.0[nth].1.ios[direction] as f64;
        if after == 0 || after == self.0.len() {
            return ios(after.min(self.0.len() - 1));
        }
        let (from, to) = (self.0[after - 1].0, self.0[after].0);
        let part = (unix_us - from) as f64 / (to - from).max(1) as f64;
        ios(after - 1) + (ios(after) - ios(after - 1)) * part
    }

    /// Returns the longest time in µs without a sample in an interval. The sampling thread has real-time priority, so that a
    /// gap means that the machine itself stood still.
    pub fn longest_gap_us(&self, from_us: u64, to_us: u64) -> u64 {
        let times = self.0.iter().map(|(at, _)| *at);
        let pairs = times.clone().zip(times.skip(1)).filter(|(one, next)| *next >= from_us && *one <= to_us);
        pairs.map(|(one, next)| next - one).max().unwrap_or(u64::MAX)
    }

    /// Returns the number of I/Os between two times.
    pub fn ios_between(&self, direction: usize, from_us: u64, to_us: u64) -> f64 {
        self.ios_at(direction, to_us) - self.ios_at(direction, from_us)
    }
}
