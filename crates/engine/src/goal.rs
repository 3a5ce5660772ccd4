//! How much a job transfers.

use plan::Limits;

/// Length of a pass or of a part of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Length {
    Bytes(u64),
    /// Up to the end of the target or of its file system, wherever that is (`fill_device`).
    #[default]
    ToEnd,
}

impl Length {
    /// Returns the number of bytes, if it is known.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Length::Bytes(bytes) => Some(bytes),
            Length::ToEnd => None,
        }
    }

    /// Returns the sum. It is unknown if one of the lengths is.
    #[must_use]
    pub fn plus(self, other: Length) -> Length {
        match (self, other) {
            (Length::Bytes(one), Length::Bytes(other)) => Length::Bytes(one.saturating_add(other)),
            _ => Length::ToEnd,
        }
    }

    #[must_use]
    pub fn times(self, count: u32) -> Length {
        match self {
            Length::Bytes(bytes) => Length::Bytes(bytes.saturating_mul(u64::from(count))),
            Length::ToEnd => Length::ToEnd,
        }
    }

    /// Returns at least `bytes`.
    #[must_use]
    pub fn at_least(self, bytes: u64) -> Length {
        match self {
            Length::Bytes(own) => Length::Bytes(own.max(bytes)),
            Length::ToEnd => Length::ToEnd,
        }
    }
}

/// What ends a worker, except errors and stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Bytes over all loops.
    Bytes(u64),
    /// Its time. Passes repeat until then (`time_based`).
    ByTime,
    /// The end of its targets, whose size is unknown.
    ToEnd,
}

impl Goal {
    /// Returns the goal of a job that transfers `length` over all loops.
    pub fn of(length: Length, limits: &Limits) -> Goal {
        match length {
            _ if limits.time_based => Goal::ByTime,
            Length::Bytes(bytes) => Goal::Bytes(bytes),
            Length::ToEnd => Goal::ToEnd,
        }
    }
}
