//! Waits of threads that are no I/O.

pub use crate::system::waits::{WaitReader, thread_ids};

/// Counters of waits, or their growth.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Waits {
    /// Time in which each thread was ready and waited for a CPU. `None` if the kernel does not report it.
    pub run_delays_ns: Vec<Option<u64>>,
    /// Time in which a control group had used up its CPU quota.
    pub throttled_ns: u64,
    /// CPU time that the hypervisor gave to others, as the mean of all CPUs.
    pub stolen_ns: u64,
    /// The same, as the sum of all CPUs: one CPU lost no more.
    pub stolen_max_ns: u64,
    /// Time in which at least one thread of the system waited for memory.
    pub reclaim_ns: u64,
}

/// A limit of a control group on the I/O of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoLimit {
    /// Major and minor number.
    pub device: (u32, u32),
    pub of_writes: bool,
}

impl Waits {
    /// Returns the growth since an earlier reading of the same threads.
    #[must_use]
    pub fn since(&self, before: &Waits) -> Waits {
        let delays = self.run_delays_ns.iter().zip(&before.run_delays_ns);
        Waits {
            run_delays_ns: delays.map(|(now, before)| Some((*now)?.saturating_sub((*before)?))).collect(),
            throttled_ns: self.throttled_ns.saturating_sub(before.throttled_ns),
            stolen_ns: self.stolen_ns.saturating_sub(before.stolen_ns),
            stolen_max_ns: self.stolen_max_ns.saturating_sub(before.stolen_max_ns),
            reclaim_ns: self.reclaim_ns.saturating_sub(before.reclaim_ns),
        }
    }
}
