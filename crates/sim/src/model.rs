//! Service model of a simulated device. All times are relative to its first I/O.

use std::ops::Range;

/// The service model of a device.
#[derive(Clone, Debug)]
pub struct DeviceModel {
    /// Time to serve one I/O on a free channel.
    pub service: ServiceTime,
    /// Number of I/Os served at the same time. Others wait in a queue.
    pub channels: usize,
    /// Limits of the rate at which I/Os start. All of them apply.
    pub limits: Vec<Limit>,
    /// Times in ns in which the device does nothing. I/Os in service continue after them.
    pub stalls: Vec<Range<u64>>,
    /// I/Os that fail or are short.
    pub faults: Vec<Fault>,
    /// Time in ns from which no I/O completes.
    pub dies_at_ns: Option<u64>,
    /// The device keeps what is written. An I/O takes effect when it completes.
    pub keeps_data: bool,
    /// Seed of the service times.
    pub seed: u64,
}

impl Default for DeviceModel {
    /// One channel, and 100 µs per I/O.
    fn default() -> Self {
        DeviceModel {
            service: ServiceTime::Fixed(100_000),
            channels: 1,
            limits: Vec::new(),
            stalls: Vec::new(),
            faults: Vec::new(),
            dies_at_ns: None,
            keeps_data: false,
            seed: 1,
        }
    }
}

/// The distribution of service times, in ns.
#[derive(Clone, Debug)]
pub enum ServiceTime {
    Fixed(u64),
    /// Uniform between the first and the last value.
    Uniform(u64, u64),
    Exponential {
        mean_ns: u64,
    },
    /// Values with weights.
    Modes(Vec<(u64, u32)>),
}

/// A token bucket in exact integers, without rounding errors.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub unit: LimitUnit,
    pub per_s: u64,
    /// Burst credit in I/Os or bytes. It is full at the start.
    pub credit: u64,
}

/// Unit of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitUnit {
    Ios,
    Bytes,
}

impl Limit {
    /// Returns a limit of `per_s` I/Os per second without credit.
    pub fn iops(per_s: u64) -> Self {
        Limit { unit: LimitUnit::Ios, per_s, credit: 0 }
    }

    /// Returns a limit of `per_s` bytes per second without credit.
    pub fn bandwidth(per_s: u64) -> Self {
        Limit { unit: LimitUnit::Bytes, per_s, credit: 0 }
    }

    /// Returns the limit with a burst credit of `credit` I/Os or bytes.
    pub fn with_credit(self, credit: u64) -> Self {
        Limit { credit, ..self }
    }
}

/// Results other than success.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Numbers of the affected I/Os, from 0 in the order of submission.
    pub ios: Range<u64>,
    pub kind: FaultKind,
}

/// Result of a faulty I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Fails with this errno.
    Errno(i32),
    /// Moves at most this number of bytes.
    Short(u32),
    /// Never completes.
    Lost,
    /// A bit of this byte of the write is wrong on the device.
    BitFlip(u32),
}
