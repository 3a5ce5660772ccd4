//! Counters of a disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The block layer's counters of one disk (`/sys/block/*/stat`). Pairs are reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiskCounters {
    pub ios: [u64; 2],
    pub merges: [u64; 2],
    /// In sectors of 512 bytes, independent of the disk's sector size.
    pub sectors: [u64; 2],
    pub ticks_ms: [u64; 2],
    /// Time with at least one I/O in flight.
    pub io_ticks_ms: u64,
    /// Time multiplied by the number of I/Os in flight.
    pub time_in_queue_ms: u64,
}

impl DiskCounters {
    /// Returns the counts since an earlier reading. The kernel's times wrap at 32 bits.
    pub fn since(&self, earlier: &DiskCounters) -> DiskCounters {
        let ticks = |now: u64, then: u64| {
            if now >= then || then >= 1 << 32 { now.saturating_sub(then) } else { (1 << 32) + now - then }
        };
        self.combined(earlier, u64::saturating_sub, ticks)
    }

    /// Returns the sum of two times.
    pub fn plus(&self, other: &DiskCounters) -> DiskCounters {
        self.combined(other, u64::wrapping_add, u64::wrapping_add)
    }

    fn combined(&self, other: &DiskCounters, counts: fn(u64, u64) -> u64, times: fn(u64, u64) -> u64) -> DiskCounters {
        let pair = |of: fn(&DiskCounters) -> [u64; 2], combine: fn(u64, u64) -> u64| {
            let ([reads, writes], [other_reads, other_writes]) = (of(self), of(other));
            [combine(reads, other_reads), combine(writes, other_writes)]
        };
        DiskCounters {
            ios: pair(|counters| counters.ios, counts),
            merges: pair(|counters| counters.merges, counts),
            sectors: pair(|counters| counters.sectors, counts),
            ticks_ms: pair(|counters| counters.ticks_ms, times),
            io_ticks_ms: times(self.io_ticks_ms, other.io_ticks_ms),
            time_in_queue_ms: times(self.time_in_queue_ms, other.time_in_queue_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counter_differences_handle_the_32_bit_wrap() {
        let earlier = DiskCounters { ios: [5, 1], io_ticks_ms: (1 << 32) - 10, ..DiskCounters::default() };
        let later = DiskCounters { ios: [9, 1], io_ticks_ms: 5, ..DiskCounters::default() };
        let passed = later.since(&earlier);
        assert_eq!((passed.ios, passed.io_ticks_ms), ([4, 0], 15));
    }

    #[test]
    fn sums_and_differences_have_all_counters() {
        let counters = |n: u64| DiskCounters {
            ios: [n, 2 * n],
            merges: [3 * n, 4 * n],
            sectors: [5 * n, 6 * n],
            ticks_ms: [7 * n, 8 * n],
            io_ticks_ms: 9 * n,
            time_in_queue_ms: 10 * n,
        };
        assert_eq!(counters(7).since(&counters(5)), counters(2));
        assert_eq!(counters(7).plus(&counters(5)), counters(12));
    }
}
