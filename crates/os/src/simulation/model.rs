//! What a simulated device does with its I/Os. All times count from its first I/O.

use std::ops::Range;

/// The service model of a device.
#[derive(Clone, Debug)]
pub struct DeviceModel {
    /// What serving one I/O takes, once a channel is free.
    pub service: ServiceTime,
    /// I/Os that are served at the same time. Others wait in their order.
    pub channels: usize,
    /// Limits of the rate at which I/Os begin to be served. All of them hold.
    pub limits: Vec<Limit>,
    /// Times in ns in which the device does nothing. What was being served goes on after them.
    pub stalls: Vec<Range<u64>>,
    /// I/Os that fail or end short.
    pub faults: Vec<Fault>,
    /// From this time on, in ns, no I/O returns.
    pub dies_at_ns: Option<u64>,
    /// Seeds the draws of service times.
    pub seed: u64,
}

impl Default for DeviceModel {
    /// One channel that serves each I/O in 100 µs.
    fn default() -> Self {
        DeviceModel {
            service: ServiceTime::Fixed(100_000),
            channels: 1,
            limits: Vec::new(),
            stalls: Vec::new(),
            faults: Vec::new(),
            dies_at_ns: None,
            seed: 1,
        }
    }
}

/// The distribution of service times, in ns.
#[derive(Clone, Debug)]
pub enum ServiceTime {
    Fixed(u64),
    /// Evenly distributed from the first to the last value.
    Uniform(u64, u64),
    Exponential {
        mean_ns: u64,
    },
    /// Drawn from these values by weight.
    Modes(Vec<(u64, u32)>),
}

/// A token bucket in exact integers: no rounding adds up.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub unit: LimitUnit,
    pub per_s: u64,
    /// I/Os or bytes that may be served beyond the rate, from what was saved up. It is full at the start.
    pub credit: u64,
}

/// What a limit counts.
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

    /// Returns the limit with a burst credit of so many I/Os or bytes.
    pub fn with_credit(self, credit: u64) -> Self {
        Limit { credit, ..self }
    }
}

/// Results other than success.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The numbers of the I/Os concerned, from 0 in the order in which the device got them.
    pub ios: Range<u64>,
    pub kind: FaultKind,
}

/// What becomes of an I/O in place of success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It fails with this errno.
    Errno(i32),
    /// It moves at most so many bytes.
    Short(u32),
    /// It never returns.
    Lost,
}
