//! What is measured: a job file, its variables, the target it works on, and what is asked of the outcome.

mod table;

use std::fmt;

use serde::Serialize;

use crate::statistics::Bound;
pub use table::all;

/// One figure of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// As the program claims them, all jobs together.
    Iops,
    /// User's and system's time of the whole process and its children, for each I/O.
    CpuNs,
    /// System's part of that: what is the kernel's; the rest is the program's.
    KernelNs,
    /// The same time as a whole.
    CpuS,
    /// From exec until the device has counted an I/O.
    FirstIoS,
    /// From exec to exit.
    WallS,
    /// From exec to exit, less the time that the job was to run.
    BeyondS,
    /// The proportional share of all its processes in memory, in the middle of the run or later.
    MemoryBytes,
    /// The same for each job.
    MemoryPerJobBytes,
    /// The most that one of its processes had in memory at any time.
    MaxRssBytes,
    /// Claimed IOPS over those of the referee.
    Claim,
    /// Lines of the latency log over I/Os.
    LogLines,
}

impl Metric {
    pub const ALL: [Metric; 12] = [
        Metric::Iops,
        Metric::CpuNs,
        Metric::KernelNs,
        Metric::CpuS,
        Metric::FirstIoS,
        Metric::WallS,
        Metric::BeyondS,
        Metric::MemoryBytes,
        Metric::MemoryPerJobBytes,
        Metric::MaxRssBytes,
        Metric::Claim,
        Metric::LogLines,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Metric::Iops => "IOPS",
            Metric::CpuNs => "CPU for an I/O",
            Metric::KernelNs => "  the kernel's part",
            Metric::CpuS => "CPU in all",
            Metric::FirstIoS => "exec to first I/O",
            Metric::WallS => "exec to exit",
            Metric::BeyondS => "beyond the job's time",
            Metric::MemoryBytes => "memory",
            Metric::MemoryPerJobBytes => "memory for a job",
            Metric::MaxRssBytes => "largest process",
            Metric::Claim => "claimed / counted",
            Metric::LogLines => "log lines / I/Os",
        }
    }
}

/// What a figure of fathom's is held against.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Versus {
    Fio,
    TIoUring,
    /// The figure itself.
    Alone,
    /// fathom's own median in another work of the same run.
    Work(String),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Goal {
    pub metric: Metric,
    pub versus: Versus,
    pub bound: Bound,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.metric.title())?;
        let figure = |value: f64| match (self.metric, &self.versus) {
            (metric, Versus::Alone) => crate::show::figure(metric, value),
            _ => format!("{value}"),
        };
        match self.bound {
            Bound::AtLeast(low) => write!(f, "at least {}", figure(low))?,
            Bound::AtMost(high) => write!(f, "at most {}", figure(high))?,
            Bound::Between(low, high) => write!(f, "from {} to {}", figure(low), figure(high))?,
        }
        match &self.versus {
            Versus::Fio => write!(f, " × fio's"),
            Versus::TIoUring => write!(f, " × t/io_uring's"),
            Versus::Alone => Ok(()),
            Versus::Work(name) => write!(f, " × that of {name}"),
        }
    }
}

/// What the job works on; the runner makes it and takes it away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The `null` engine needs none.
    Nothing,
    /// A zram device that was added for this work and is set back before each run.
    RamDevice,
    /// A file that was read until it lay in the page cache.
    CachedFile,
    /// A file whose blocks lie on the disk.
    DiskFile,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Work {
    pub name: String,
    /// In a few words.
    pub about: String,
    /// The job file in `bench/jobs`.
    pub job: &'static str,
    /// What the job file's `${…}` stand for, but for the target and the length.
    pub variables: Vec<(&'static str, String)>,
    pub target: Target,
    /// How many processors the programs may use.
    pub processors: usize,
    pub jobs: u32,
    /// The length of a run; `None` for a job that ends by its number of I/Os.
    pub seconds: Option<f64>,
    /// The job logs every I/O.
    pub logs: bool,
    /// The words for `t/io_uring` that ask for the same work, but for length and target.
    pub t_io_uring: Option<Vec<String>>,
    pub goals: Vec<Goal>,
}

/// The works that the names mean; all for none.
pub fn chosen(names: &[String]) -> Result<Vec<Work>, String> {
    let all = all();
    for name in names {
        if !all.iter().any(|work| is_meant(work, name)) {
            return Err(format!("no work is called {name:?} or begins so; see --list"));
        }
    }
    let is_chosen = |work: &Work| names.is_empty() || names.iter().any(|name| is_meant(work, name));
    Ok(all.into_iter().filter(is_chosen).collect())
}

/// A name means the work it names, or all whose names begin with it and a dash.
fn is_meant(work: &Work, name: &str) -> bool {
    work.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The list of works, with all that is needed to start one by hand.
pub fn listed(works: &[Work]) -> String {
    let mut text = String::new();
    for work in works {
        let variables: Vec<String> = work.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        text += &format!("{}\n    {}\n    jobs/{} {}\n", work.name, work.about, work.job, variables.join(" "));
        if let Some(words) = &work.t_io_uring {
            text += &format!("    t/io_uring {}\n", words.join(" "));
        }
        for goal in &work.goals {
            text += &format!("    goal: {goal}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn names_mean_one_work_or_a_family() {
        let names = |name: &str| chosen(&[name.into()]).unwrap().len();
        assert_eq!(names("null"), 1);
        assert_eq!(names("device-randread"), 4);
        assert_eq!(names("device"), 8);
        assert_eq!(chosen(&[]).unwrap().len(), all().len());
        assert!(chosen(&["nul".into()]).unwrap_err().contains("--list"));
    }

    #[test]
    fn every_work_has_a_name_of_its_own_a_goal_and_all_variables_of_its_job() {
        let works = all();
        let names: HashSet<&str> = works.iter().map(|work| work.name.as_str()).collect();
        assert_eq!(names.len(), works.len());
        for work in &works {
            assert!(!work.goals.is_empty(), "{}", work.name);
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs").join(work.job);
            let job = std::fs::read_to_string(path).unwrap();
            let given = ["TARGET", "RUNTIME", "LOG"];
            for wanted in job.split("${").skip(1).map(|rest| rest.split('}').next().unwrap()) {
                let is_set = work.variables.iter().any(|(name, _)| *name == wanted) || given.contains(&wanted);
                assert!(is_set, "{}: {wanted} in {}", work.name, work.job);
            }
            for goal in &work.goals {
                if let Versus::Work(other) = &goal.versus {
                    assert!(names.contains(other.as_str()), "{}: {other}", work.name);
                }
            }
        }
    }

    #[test]
    fn the_list_says_what_is_asked() {
        let text = listed(&all());
        assert!(text.contains("goal: IOPS at least 8 × fio's\n"), "{text}");
        assert!(text.contains("goal: largest process at most 64.0 MiB\n"), "{text}");
    }
}
