//! I/Os over time, in a bounded number of intervals.

use crate::figures::Interval;
use crate::io::{Io, Operation};

/// Most intervals. A longer capture has longer ones.
const INTERVALS_MAX: usize = 600;
const SECOND_NS: u64 = 1_000_000_000;

/// Intervals of equal length.
pub struct OverTime {
    interval_ns: u64,
    intervals: Vec<Interval>,
}

impl Default for OverTime {
    fn default() -> OverTime {
        OverTime { interval_ns: SECOND_NS, intervals: Vec::new() }
    }
}

impl OverTime {
    pub fn add(&mut self, io: &Io) {
        let at = self.make_room(io.start_ns);
        let interval = &mut self.intervals[at];
        let add = |sum: &mut u64| *sum = sum.saturating_add(io.bytes());
        match io.operation {
            Operation::Read => {
                interval.reads += 1;
                add(&mut interval.read_bytes);
            }
            Operation::Write => {
                interval.writes += 1;
                add(&mut interval.write_bytes);
            }
            Operation::Discard => interval.discards += 1,
            Operation::Flush => interval.flushes += 1,
            Operation::Other => {}
        }
    }

    /// Returns the length of the intervals, and the intervals up to the end of the capture.
    pub fn finish(mut self, duration_ns: u64) -> (u64, Vec<Interval>) {
        self.make_room(duration_ns.saturating_sub(1));
        (self.interval_ns, self.intervals)
    }

    /// Adds intervals up to a time. Returns the index of its interval.
    fn make_room(&mut self, at_ns: u64) -> usize {
        while at_ns / self.interval_ns >= INTERVALS_MAX as u64 {
            self.interval_ns *= 2;
            self.intervals = self.intervals.chunks(2).map(sum).collect();
        }
        let at = (at_ns / self.interval_ns) as usize;
        if self.intervals.len() <= at {
            self.intervals.resize(at + 1, Interval::default());
        }
        at
    }
}

fn sum(parts: &[Interval]) -> Interval {
    parts.iter().fold(Interval::default(), |sum, part| Interval {
        reads: sum.reads + part.reads,
        writes: sum.writes + part.writes,
        discards: sum.discards + part.discards,
        flushes: sum.flushes + part.flushes,
        read_bytes: sum.read_bytes.saturating_add(part.read_bytes),
        write_bytes: sum.write_bytes.saturating_add(part.write_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Flags;

    #[test]
    fn a_long_capture_has_longer_intervals() {
        let mut over_time = OverTime::default();
        let (flags, operation) = (Flags::default(), Operation::Read);
        let of_second = |second: u64| Io {
            start_ns: second * SECOND_NS,
            operation,
            flags,
            sector: 0,
            sectors: 1,
            inserted_ns: None,
            issued_ns: None,
            completed_ns: None,
            program: None,
        };
        (0..1500).for_each(|second| over_time.add(&of_second(second)));
        let (interval_ns, intervals) = over_time.finish(1600 * SECOND_NS);
        assert_eq!((interval_ns, intervals.len()), (4 * SECOND_NS, 400));
        assert_eq!((intervals[0].reads, intervals[374].read_bytes, intervals[375].reads), (4, 4 * 512, 0));
    }
}
