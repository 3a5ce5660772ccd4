//! Conversions between kinds of numbers.

use std::time::Duration;

/// Returns the index of a file, a thread or an I/O in the type of operations. There are at most `u32::MAX`.
#[inline]
pub fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the length of an I/O in the type of operations. The check refuses blocks above `u32::MAX`.
#[inline]
pub fn length(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Returns the lower 32 bits of a seed, as fio uses them, or of another number whose upper bits are dropped on purpose.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper bits are dropped on purpose")]
pub fn low_half(number: u64) -> u32 {
    number as u32
}

/// Returns a length in memory, or an index, at most `usize::MAX`.
#[inline]
pub fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns a number of 128 bits, at most `u64::MAX`.
#[inline]
pub fn narrow(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Returns a duration in ns, at most `u64::MAX`.
pub fn ns_of(duration: Duration) -> u64 {
    narrow(duration.as_nanos())
}
