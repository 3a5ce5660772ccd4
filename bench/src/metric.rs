//! Metrics of a run: names, units and text form.

use serde::{Deserialize, Serialize};

/// A metric of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// IOPS as the program reports them, summed over its jobs.
    Iops,
    /// 99th percentile of completion latency, as the program reports it for its only job.
    P99Ns,
    /// Mean number of reads in flight at the disk, by its own counters.
    ReadsInFlight,
    /// User and system CPU time of the process and its children, per I/O.
    CpuNs,
    /// System CPU time per I/O.
    KernelNs,
    /// User and system CPU time of the whole run.
    CpuS,
    /// Time from exec to the first I/O that the device counts.
    FirstIoS,
    /// Time from exec to exit.
    WallS,
    /// Time from exec to exit minus the job's runtime.
    OvertimeS,
    /// Proportional set size of all its processes, sampled in the middle of the run or later.
    MemoryBytes,
    /// [`Metric::MemoryBytes`] divided by the number of jobs.
    MemoryPerJobBytes,
    /// Largest resident set size of one of its processes.
    MaxRssBytes,
    /// Reported IOPS divided by independently counted IOPS.
    ReportedToCounted,
    /// Lines of the latency log per I/O.
    LogLines,
}

impl Metric {
    /// All metrics, in the order of the report.
    pub const ALL: [Metric; 14] = [
        Metric::Iops,
        Metric::P99Ns,
        Metric::ReadsInFlight,
        Metric::CpuNs,
        Metric::KernelNs,
        Metric::CpuS,
        Metric::FirstIoS,
        Metric::WallS,
        Metric::OvertimeS,
        Metric::MemoryBytes,
        Metric::MemoryPerJobBytes,
        Metric::MaxRssBytes,
        Metric::ReportedToCounted,
        Metric::LogLines,
    ];

    /// Whether the metric is compared between programs. Metrics that are ratios of one program's own counts are not.
    pub fn is_compared(self) -> bool {
        !matches!(self, Metric::ReportedToCounted | Metric::LogLines)
    }

    /// Returns the row title of the report.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Iops => "IOPS",
            Metric::P99Ns => "99th percentile of clat",
            Metric::ReadsInFlight => "reads in flight at the disk",
            Metric::CpuNs => "CPU time per I/O",
            Metric::KernelNs => "  of it kernel",
            Metric::CpuS => "CPU time",
            Metric::FirstIoS => "exec to first I/O",
            Metric::WallS => "exec to exit",
            Metric::OvertimeS => "time beyond runtime",
            Metric::MemoryBytes => "memory",
            Metric::MemoryPerJobBytes => "memory per job",
            Metric::MaxRssBytes => "largest process",
            Metric::ReportedToCounted => "reported / counted",
            Metric::LogLines => "log lines / I/Os",
        }
    }

    /// Formats a value with a unit prefix that suits its size.
    pub fn format(self, value: f64) -> String {
        match self {
            Metric::Iops => scaled(value, &["", " k", " M", " G"], 1000.0),
            Metric::P99Ns | Metric::CpuNs | Metric::KernelNs => scaled(value, &[" ns", " µs", " ms"], 1000.0),
            Metric::CpuS | Metric::FirstIoS | Metric::WallS | Metric::OvertimeS => {
                if value.abs() < 1.0 {
                    format!("{:.1} ms", value * 1e3)
                } else {
                    format!("{value:.2} s")
                }
            }
            Metric::MemoryBytes | Metric::MemoryPerJobBytes | Metric::MaxRssBytes => {
                scaled(value, &[" B", " KiB", " MiB", " GiB"], 1024.0)
            }
            Metric::ReadsInFlight => format!("{value:.2}"),
            Metric::ReportedToCounted | Metric::LogLines => format!("{value:.3}"),
        }
    }
}

fn scaled(value: f64, units: &[&str], factor: f64) -> String {
    let (mut value, mut nth) = (value, 0);
    while value.abs() >= factor && nth + 1 < units.len() {
        value /= factor;
        nth += 1;
    }
    let digits = if value.abs() >= 100.0 || (nth == 0 && value.fract() == 0.0) { 0 } else { 1 };
    let digits = if value.abs() < 10.0 && nth > 0 && factor == 1000.0 { 2 } else { digits };
    format!("{value:.digits$}{}", units[nth])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_units_that_suit_their_size() {
        assert_eq!(Metric::Iops.format(812_345.0), "812 k");
        assert_eq!(Metric::Iops.format(4_123_456.0), "4.12 M");
        assert_eq!(Metric::CpuNs.format(28.4), "28.4 ns");
        assert_eq!(Metric::CpuNs.format(1234.0), "1.23 µs");
        assert_eq!(Metric::WallS.format(0.0273), "27.3 ms");
        assert_eq!(Metric::WallS.format(5.4321), "5.43 s");
        assert_eq!(Metric::MemoryBytes.format(5.25 * 1048576.0), "5.2 MiB");
        assert_eq!(Metric::ReportedToCounted.format(1.2345), "1.234");
    }
}
