//! CPU times of each CPU, from `/proc/stat`.
//!
//! The resolution is one tick, usually 10 ms: over one second a share is accurate to 1 %. Idle time is exact before it
//! is rounded. On most kernels user and kernel time are sampled at the timer tick.

use std::io;

use crate::cpu::{CpuTime, CpuTimes};

impl CpuTime {
    /// Parses a line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. The guest fields that
    /// follow are included in user.
    fn parse(line: &str, tick_ns: u64) -> Option<Self> {
        let (cpu, fields) = line.strip_prefix("cpu")?.split_once(' ')?;
        // The first line, with the sum of all CPUs, has no number.
        let cpu = cpu.parse().ok()?;
        let mut ticks = [0u64; 8];
        for (tick, field) in ticks.iter_mut().zip(fields.split_ascii_whitespace()) {
            *tick = field.parse().ok()?;
        }
        let [user, nice, system, idle, wait, interrupts, soft, steal] = ticks;
        let ns =
            |ticks: &[u64]| ticks.iter().fold(0, |sum: u64, tick| sum.saturating_add(tick.saturating_mul(tick_ns)));
        Some(CpuTime {
            cpu,
            user_ns: ns(&[user, nice]),
            kernel_ns: ns(&[system, interrupts, soft]),
            idle_ns: ns(&[idle, wait]),
            steal_ns: ns(&[steal]),
        })
    }
}

impl CpuTimes {
    /// Reads `/proc/stat`.
    ///
    /// # Errors
    /// Returns the error of the read.
    pub fn now() -> io::Result<Self> {
        let text = std::fs::read_to_string("/proc/stat")?;
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        Ok(CpuTimes { list: parse(&text, tick_ns) })
    }
}

fn parse(stat: &str, tick_ns: u64) -> Vec<CpuTime> {
    stat.lines().filter_map(|line| CpuTime::parse(line, tick_ns)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iowait_is_idle_interrupts_are_kernel_time_and_steal_is_separate() {
        let stat = "cpu  9 9 9 9\ncpu0 10 1 20 70 5 3 4 8 99 99\ncpu12 0 0 0 5\nintr 1 2\ncpufreq x\n";
        let times = parse(stat, 10);
        let first = CpuTime { cpu: 0, user_ns: 110, kernel_ns: 270, idle_ns: 750, steal_ns: 80 };
        assert_eq!(times, [first, CpuTime { cpu: 12, idle_ns: 50, ..CpuTime::default() }]);
    }

    #[test]
    fn times_are_subtracted_cpu_by_cpu() {
        let earlier = CpuTimes { list: parse("cpu0 1 0 0 9\ncpu1 0 0 0 5 3\ncpu2 1 1 1 1\n", 1) };
        let later = CpuTimes { list: parse("cpu0 2 0 3 13\ncpu1 4 0 0 8 1\ncpu3 1 1 1 1\n", 1) };
        let passed = later.since(&earlier);
        assert_eq!(passed.iter().map(|time| time.cpu).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((passed[0].user_ns, passed[0].kernel_ns, passed[0].idle_ns), (1, 3, 4));
        assert_eq!(passed[0].idle_percent(), Some(50.0));
        assert_eq!((passed[1].user_ns, passed[1].idle_ns), (4, 1));
        assert_eq!(later.since(&later)[0].idle_percent(), None);
    }

    #[test]
    fn a_busy_thread_shows_in_the_time_of_its_cpu() {
        let mine = super::super::affinity().unwrap()[0];
        let passed = std::thread::spawn(move || {
            super::super::set_affinity(&[mine]).unwrap();
            let before = CpuTimes::now().unwrap();
            let start = std::time::Instant::now();
            let used_ns = |time: &CpuTime| time.user_ns + time.kernel_ns + time.steal_ns;
            let mut used = CpuTime::default();
            // How long it takes depends on the host of a virtual machine.
            while used_ns(&used) < 50_000_000 && start.elapsed().as_secs() < 240 {
                let passed = CpuTimes::now().unwrap().since(&before);
                used = passed.into_iter().find(|time| time.cpu == mine).unwrap();
            }
            (used_ns(&used), start.elapsed())
        });
        let (used_ns, elapsed) = passed.join().unwrap();
        assert!(used_ns >= 50_000_000, "{used_ns} ns in {elapsed:?}");
    }
}
