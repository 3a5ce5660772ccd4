//! How idle the processors were during a run (`--idle-prof`), by the kernel's own books.

use os::cpu::CpuTimes;
use plan::{IdleProfile, Plan};

pub struct Idleness {
    from: CpuTimes,
}

impl Idleness {
    /// `None` where nobody asks for it, or the kernel doesn't tell.
    pub fn start(plan: &Plan) -> Option<Self> {
        let asked = plan.idle_profile != IdleProfile::Off;
        asked.then(CpuTimes::now)?.ok().map(|from| Idleness { from })
    }

    /// Idle time of each processor since the start, in percent.
    pub fn percent(&self) -> Vec<f64> {
        let now = CpuTimes::now().unwrap_or_default();
        // Over less than a tick there is nothing to tell but that nothing was used.
        now.since(&self.from).iter().map(|passed| passed.idle_percent().unwrap_or(100.0)).collect()
    }
}
