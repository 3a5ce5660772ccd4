//! How idle the CPUs were during a run (`--idle-prof`), by the kernel's own books.

use os::cpu::CpuTimes;
use plan::{IdleProfile, Plan};

pub struct Idleness {
    from: CpuTimes,
}

impl Idleness {
    /// Returns `None` if the plan does not request it, or the kernel does not report it.
    pub fn start(plan: &Plan) -> Option<Self> {
        let is_requested = plan.idle_profile != IdleProfile::Off;
        is_requested.then(CpuTimes::now)?.ok().map(|from| Idleness { from })
    }

    /// Returns the idle time of each CPU since the start, in percent.
    pub fn percent(&self) -> Vec<f64> {
        let now = CpuTimes::now().unwrap_or_default();
        // Less than a tick counts as idle.
        now.since(&self.from).iter().map(|passed| passed.idle_percent().unwrap_or(100.0)).collect()
    }
}
