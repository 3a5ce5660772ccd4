//! The machine that runs the benchmark, and whether it was idle.

use std::time::Duration;

use os::cpu::CpuTimes;
use serde::{Deserialize, Serialize};

/// Time over which other load is measured before the first run.
const PROBE_TIME: Duration = Duration::from_secs(1);
/// Other load, in percent of one CPU, above which results are unreliable.
const OTHER_LOAD_PERCENT_MAX: f64 = 5.0;

/// Hardware and state of the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    pub kernel: String,
    pub cpu_model: String,
    /// CPUs that this process may use.
    pub cpus: Vec<u32>,
    pub memory_bytes: u64,
    /// Frequency governors; empty if the kernel has none, as on virtual machines.
    pub governors: Vec<String>,
    /// Load average over 1, 5 and 15 minutes before the first run.
    pub load_average: Option<[f64; 3]>,
    /// CPU time of all processes in the second before the first run, in percent of one CPU.
    pub other_load_percent: Option<f64>,
}

impl Machine {
    /// Reads the machine's facts. Takes one second, in which it measures other load.
    pub fn probe() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the machine: {error}");
        let before = CpuTimes::now().map_err(failed)?;
        std::thread::sleep(PROBE_TIME);
        let times = CpuTimes::now().map_err(failed)?.since(&before);
        let busy_ns = times.iter().map(|time| (time.user_ns + time.kernel_ns + time.steal_ns) as f64).sum::<f64>();
        Ok(Machine {
            kernel: os::machine::kernel_release().map_err(failed)?.to_string(),
            cpu_model: os::machine::cpu_model().map_err(failed)?.to_string(),
            cpus: os::cpu::affinity().map_err(failed)?,
            memory_bytes: os::memory::limits::total().map_err(failed)?,
            governors: os::cpu::governors().iter().map(ToString::to_string).collect(),
            load_average: std::fs::read_to_string("/proc/loadavg").ok().as_deref().and_then(load_average),
            other_load_percent: Some(100.0 * busy_ns / PROBE_TIME.as_nanos() as f64),
        })
    }

    /// Returns the reasons why results of this machine are unreliable.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(percent) = self.other_load_percent.filter(|percent| *percent > OTHER_LOAD_PERCENT_MAX) {
            found.push(format!(
                "the machine is not idle: other processes used {percent:.0} % of a CPU before the first run; stop them"
            ));
        }
        if let Some(governor) = self.governors.iter().find(|governor| *governor != "performance") {
            found.push(format!("the frequency governor is {governor:?}; set it to \"performance\""));
        }
        found
    }

    /// Returns `count` CPUs: `first` if given, then the last ones, as most interrupts go to the first CPUs.
    pub fn cpus_for(&self, count: usize, first: Option<u32>) -> Result<Vec<u32>, String> {
        if let Some(cpu) = first.filter(|cpu| !self.cpus.contains(cpu)) {
            return Err(format!("--cpu {cpu}: this process may only use CPUs {:?}", self.cpus));
        }
        let others = self.cpus.iter().rev().copied().filter(|cpu| Some(*cpu) != first);
        let cpus: Vec<u32> = first.into_iter().chain(others).take(count).collect();
        if cpus.len() == count { Ok(cpus) } else { Err(format!("needs {count} CPUs")) }
    }
}

/// Parses `/proc/loadavg`.
fn load_average(text: &str) -> Option<[f64; 3]> {
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse().ok());
    Some([fields.next()??, fields.next()??, fields.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cpus: &[u32], other_load_percent: f64) -> Machine {
        Machine {
            kernel: String::new(),
            cpu_model: String::new(),
            cpus: cpus.to_vec(),
            memory_bytes: 0,
            governors: Vec::new(),
            load_average: None,
            other_load_percent: Some(other_load_percent),
        }
    }

    #[test]
    fn the_last_cpus_are_chosen_after_the_requested_one() {
        let machine = machine(&[0, 1, 2, 5], 0.0);
        assert_eq!(machine.cpus_for(1, None).unwrap(), [5]);
        assert_eq!(machine.cpus_for(2, None).unwrap(), [5, 2]);
        assert_eq!(machine.cpus_for(2, Some(0)).unwrap(), [0, 5]);
        assert!(machine.cpus_for(1, Some(3)).unwrap_err().contains("--cpu 3"));
        assert!(machine.cpus_for(5, None).is_err());
    }

    #[test]
    fn a_busy_machine_gives_a_warning() {
        assert!(machine(&[0], 4.0).warnings().is_empty());
        assert!(machine(&[0], 90.0).warnings()[0].contains("90 %"));
        assert_eq!(load_average("1.20 0.78 1.60 5/131 10965\n"), Some([1.2, 0.78, 1.6]));
    }
}
