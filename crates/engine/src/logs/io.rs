//! I/Os as the logs see them.

use plan::Ddir;

pub const NS_PER_MS: u64 = 1_000_000;

/// An I/O that the backend has accepted. Times are of the worker's clock.
#[derive(Clone, Copy, Debug)]
pub struct SubmittedIo {
    pub issued_ns: u64,
    pub ddir: Ddir,
    /// I/O priority as the kernel encodes it. 0 is the priority of the worker.
    pub prio: u16,
    pub bytes: u32,
    pub offset: u64,
    pub slat_ns: u64,
}

/// An I/O that has completed. Times are of the worker's clock.
#[derive(Clone, Copy, Debug)]
pub struct LoggedIo {
    pub at_ns: u64,
    pub issued_ns: u64,
    pub ddir: Ddir,
    /// I/O priority as the kernel encodes it. 0 is the priority of the worker.
    pub prio: u16,
    pub bytes: u32,
    pub offset: u64,
    pub clat_ns: u64,
    pub lat_ns: u64,
}
