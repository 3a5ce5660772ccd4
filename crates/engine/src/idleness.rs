//! How idle the processors were during a run (`--idle-prof`), by the kernel's own books.

use os::cpu::CpuTime;
use plan::{IdleProfile, Plan};

pub struct Idleness {
    from: Vec<CpuTime>,
}

impl Idleness {
    /// `None` where nobody asks for it, or the kernel doesn't tell.
    pub fn start(plan: &Plan) -> Option<Self> {
        let asked = plan.idle_profile != IdleProfile::Off;
        asked.then(os::cpu::times)?.ok().map(|from| Idleness { from })
    }

    /// Idle time of each processor since the start, in percent.
    pub fn percent(&self) -> Vec<f64> {
        let now = os::cpu::times().unwrap_or_default();
        // Over less than a tick there is nothing to tell but that nothing was used.
        now.iter().zip(&self.from).map(|(now, from)| now.idle_percent_since(from).unwrap_or(100.0)).collect()
    }
}
