//! Waits of threads that are no I/O.

pub use crate::system::waits::{WaitReader, thread_ids};

/// Counters of waits, or their growth. `None` if the kernel does not have the counter, or it could not be read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Waits {
    /// Time in which each thread was ready and waited for a CPU.
    pub run_delays_ns: Vec<Option<u64>>,
    /// Time in which a control group had used up its CPU quota.
    pub throttled_ns: Option<u64>,
    /// CPU time that the hypervisor gave to others, as the mean of all CPUs.
    pub stolen_ns: Option<u64>,
    /// The same, as the sum of all CPUs: one CPU lost no more.
    pub stolen_max_ns: Option<u64>,
    /// Time in which at least one thread of the system waited for memory.
    pub reclaim_ns: Option<u64>,
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
        let growth = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        let delays = self.run_delays_ns.iter().zip(&before.run_delays_ns);
        Waits {
            run_delays_ns: delays.map(|(now, before)| growth(*now, *before)).collect(),
            throttled_ns: growth(self.throttled_ns, before.throttled_ns),
            stolen_ns: growth(self.stolen_ns, before.stolen_ns),
            stolen_max_ns: growth(self.stolen_max_ns, before.stolen_max_ns),
            reclaim_ns: growth(self.reclaim_ns, before.reclaim_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_grows_only_between_two_readings_that_succeeded() {
        let reading = |ns| Waits { reclaim_ns: ns, ..Waits::default() };
        let growth = |now, before| reading(now).since(&reading(before)).reclaim_ns;
        assert_eq!([growth(Some(9), Some(4)), growth(Some(9), None), growth(None, Some(4))], [Some(5), None, None]);
    }
}
