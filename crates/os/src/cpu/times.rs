//! CPU times of each CPU.

/// Time of one CPU since boot, or between two readings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CpuTime {
    pub cpu: u32,
    /// User time, with nice time and the time of virtual machines.
    pub user_ns: u64,
    /// Kernel time, with hard and soft interrupts.
    pub kernel_ns: u64,
    /// Idle time, with I/O wait: a CPU in I/O wait has no other work.
    pub idle_ns: u64,
    /// Time that the hypervisor gave to others while this CPU had work. It counts neither as busy nor as idle.
    pub steal_ns: u64,
}

impl CpuTime {
    /// Returns the time since `earlier`. I/O wait can decrease in the kernel, and then counts as 0.
    pub fn since(&self, earlier: &CpuTime) -> CpuTime {
        CpuTime {
            cpu: self.cpu,
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            kernel_ns: self.kernel_ns.saturating_sub(earlier.kernel_ns),
            idle_ns: self.idle_ns.saturating_sub(earlier.idle_ns),
            steal_ns: self.steal_ns.saturating_sub(earlier.steal_ns),
        }
    }

    /// Returns the idle share in percent. `None` if no tick has passed.
    pub fn idle_percent(&self) -> Option<f64> {
        let busy = self.user_ns.saturating_add(self.kernel_ns).saturating_add(self.steal_ns);
        let total = busy.saturating_add(self.idle_ns);
        (total > 0).then(|| 100.0 * self.idle_ns as f64 / total as f64)
    }
}

/// Times of all online CPUs at one time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuTimes {
    pub(crate) list: Vec<CpuTime>,
}

impl CpuTimes {
    /// Returns the time of each CPU since `earlier`, by number. Skips CPUs that are not in both readings.
    pub fn since(&self, earlier: &CpuTimes) -> Vec<CpuTime> {
        let passed = |now: &CpuTime| {
            let then = earlier.list.iter().find(|then| then.cpu == now.cpu)?;
            Some(now.since(then))
        };
        self.list.iter().filter_map(passed).collect()
    }
}
