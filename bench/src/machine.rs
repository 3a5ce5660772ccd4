//! What the figures were taken on, and whether it was idle.

use std::time::Duration;

use os::cpu::CpuTimes;
use serde::Serialize;

/// How long the machine is looked at before the first run.
const LOOK: Duration = Duration::from_secs(1);
/// Others' share of one processor, in percent, from which on the figures are doubtful.
const BUSY_PERCENT: f64 = 5.0;

#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    pub kernel: String,
    pub processor: String,
    /// Processors that this process may use.
    pub cpus: Vec<u32>,
    pub memory_bytes: u64,
    /// Empty where the kernel has none, as on virtual machines.
    pub governors: Vec<String>,
    /// Running and waiting tasks over 1, 5 and 15 minutes, before the first run.
    pub load_average: Option<[f64; 3]>,
    /// What others took of one processor in the second before the first run.
    pub busy_percent: Option<f64>,
}

impl Machine {
    pub fn look() -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the machine: {error}");
        let before = CpuTimes::now().map_err(failed)?;
        std::thread::sleep(LOOK);
        let times = CpuTimes::now().map_err(failed)?.since(&before);
        let busy = times.iter().map(|time| (time.user_ns + time.kernel_ns + time.stolen_ns) as f64).sum::<f64>();
        Ok(Machine {
            kernel: os::machine::kernel_release().map_err(failed)?,
            processor: os::machine::processor().map_err(failed)?,
            cpus: os::cpu::affinity().map_err(failed)?,
            memory_bytes: os::machine::total_memory().map_err(failed)?,
            governors: os::cpu::governors(),
            load_average: std::fs::read_to_string("/proc/loadavg").ok().as_deref().and_then(load_average),
            busy_percent: Some(100.0 * busy / LOOK.as_nanos() as f64),
        })
    }

    /// What makes figures from this machine doubtful.
    pub fn warnings(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(percent) = self.busy_percent.filter(|percent| *percent > BUSY_PERCENT) {
            found.push(format!(
                "the machine is not idle: others took {percent:.0} % of a processor before the first run"
            ));
        }
        if let Some(governor) = self.governors.iter().find(|governor| *governor != "performance") {
            found.push(format!("processors change their frequency by the governor {governor:?}"));
        }
        found
    }

    /// The processors for works on `count`: the last ones, since interrupts favour the first. `first` is wanted first.
    pub fn cpus_for(&self, count: usize, first: Option<u32>) -> Result<Vec<u32>, String> {
        if let Some(cpu) = first.filter(|cpu| !self.cpus.contains(cpu)) {
            return Err(format!("--cpu {cpu}: this process may use {:?}", self.cpus));
        }
        let others = self.cpus.iter().rev().copied().filter(|cpu| Some(*cpu) != first);
        let chosen: Vec<u32> = first.into_iter().chain(others).take(count).collect();
        if chosen.len() == count { Ok(chosen) } else { Err(format!("needs {count} processors")) }
    }
}

fn load_average(text: &str) -> Option<[f64; 3]> {
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse().ok());
    Some([fields.next()??, fields.next()??, fields.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cpus: &[u32], busy_percent: f64) -> Machine {
        Machine {
            kernel: String::new(),
            processor: String::new(),
            cpus: cpus.to_vec(),
            memory_bytes: 0,
            governors: Vec::new(),
            load_average: None,
            busy_percent: Some(busy_percent),
        }
    }

    #[test]
    fn the_last_processors_are_taken_but_for_the_one_asked() {
        let machine = machine(&[0, 1, 2, 5], 0.0);
        assert_eq!(machine.cpus_for(1, None).unwrap(), [5]);
        assert_eq!(machine.cpus_for(2, None).unwrap(), [5, 2]);
        assert_eq!(machine.cpus_for(2, Some(0)).unwrap(), [0, 5]);
        assert!(machine.cpus_for(1, Some(3)).unwrap_err().contains("--cpu 3"));
        assert!(machine.cpus_for(5, None).is_err());
    }

    #[test]
    fn a_busy_machine_is_told_of() {
        assert!(machine(&[0], 4.0).warnings().is_empty());
        assert!(machine(&[0], 90.0).warnings()[0].contains("90 %"));
        assert_eq!(load_average("1.20 0.78 1.60 5/131 10965\n"), Some([1.2, 0.78, 1.6]));
    }
}
