//! Numbers of system calls.

use std::time::Duration;

/// Returns an offset or a length for a system call. The kernel rejects the maximum, in place of what its type cannot hold.
#[inline]
pub(crate) fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Returns a count that the kernel reports in a signed type. It is never negative.
#[inline]
pub(crate) fn unsigned(count: impl Into<i64>) -> u64 {
    u64::try_from(count.into()).unwrap_or(0)
}

/// Returns the ns of a time of the kernel, which is never negative.
#[inline]
pub(crate) fn ns_of(time: libc::timespec) -> u64 {
    unsigned(time.tv_sec) * 1_000_000_000 + unsigned(time.tv_nsec)
}

/// Returns the ns of a time of the kernel in µs, which is never negative.
pub(crate) fn ns_of_timeval(time: libc::timeval) -> u64 {
    unsigned(time.tv_sec) * 1_000_000_000 + unsigned(time.tv_usec) * 1000
}

/// Returns a timeout for a system call.
pub(crate) fn timespec(timeout: Duration) -> libc::timespec {
    libc::timespec { tv_sec: signed(timeout.as_secs()), tv_nsec: i64::from(timeout.subsec_nanos()) }
}

/// Returns the size of a structure in the type of the kernel's interfaces.
#[expect(clippy::cast_possible_truncation, reason = "the size is checked when the program is compiled")]
pub(crate) const fn size_of_u32<T>() -> u32 {
    const { assert!(size_of::<T>() <= u32::MAX as usize) };
    size_of::<T>() as u32
}
