//! Workloads: a job file, its variables, its target, and goals for the result.

mod table;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::other_load::OtherLoad;
use crate::statistics::Bound;
pub use table::all;

/// What a value of fathom is compared with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    Fio,
    TIoUring,
    /// Nothing: the bound applies to the value itself.
    Absolute,
    /// fathom's median in an earlier workload of the session.
    Workload(String),
}

/// Goal for a metric of fathom.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Goal {
    pub metric: Metric,
    pub baseline: Baseline,
    pub bound: Bound,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.metric.title())?;
        let shown = |value: f64| match (self.metric, &self.baseline) {
            (metric, Baseline::Absolute) => metric.format(value),
            _ => format!("{value}"),
        };
        match self.bound {
            Bound::AtLeast(low) => write!(f, "at least {}", shown(low))?,
            Bound::AtMost(high) => write!(f, "at most {}", shown(high))?,
            Bound::Between(low, high) => write!(f, "from {} to {}", shown(low), shown(high))?,
        }
        match &self.baseline {
            Baseline::Fio => write!(f, " × fio's"),
            Baseline::TIoUring => write!(f, " × t/io_uring's"),
            Baseline::Absolute => Ok(()),
            Baseline::Workload(name) => write!(f, " × {name}"),
        }
    }
}

/// Target of the I/O. The runner creates and removes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// None, for the null engine.
    None,
    /// A zram device, added for this workload and reset before each run.
    RamDevice,
    /// A file in the page cache.
    CachedFile,
    /// A file on a disk, for O_DIRECT.
    DiskFile,
}

/// A workload that all programs run.
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    pub name: String,
    /// One line for the report.
    pub description: String,
    /// The job file in `bench/jobs`.
    pub job: &'static str,
    /// Values of the job file's `${…}`, without target and runtime.
    pub variables: Vec<(&'static str, String)>,
    pub target: Target,
    /// What runs beside each run.
    pub beside: Option<OtherLoad>,
    /// Number of CPUs that the programs may use.
    pub cpu_count: usize,
    pub jobs: u32,
    /// Runtime of a run; `None` for a job that ends after a number of I/Os.
    pub seconds: Option<f64>,
    /// The job logs every I/O.
    pub logs: bool,
    /// Arguments of `t/io_uring` for the same I/O, without runtime and target.
    pub t_io_uring: Option<Vec<String>>,
    pub goals: Vec<Goal>,
}

/// Returns the workloads that match the names; all without names.
pub fn select(names: &[String]) -> Result<Vec<Workload>, String> {
    let all = all();
    for name in names {
        if !all.iter().any(|workload| matches(workload, name)) {
            return Err(format!("no workload matches {name:?}; see --list"));
        }
    }
    let is_selected = |workload: &Workload| names.is_empty() || names.iter().any(|name| matches(workload, name));
    Ok(all.into_iter().filter(is_selected).collect())
}

/// Whether a name is the workload's name or a prefix of it that ends before a dash.
fn matches(workload: &Workload, name: &str) -> bool {
    workload.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Renders the list of workloads, with all that is needed to run one by hand.
pub fn list_text(workloads: &[Workload]) -> String {
    let mut text = String::new();
    for workload in workloads {
        let variables: Vec<String> = workload.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        text += &format!(
            "{}\n    {}\n    jobs/{} {}\n",
            workload.name,
            workload.description,
            workload.job,
            variables.join(" ")
        );
        if let Some(args) = &workload.t_io_uring {
            text += &format!("    t/io_uring {}\n", args.join(" "));
        }
        for goal in &workload.goals {
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
    fn a_name_selects_one_workload_or_a_family() {
        let names = |name: &str| select(&[name.into()]).unwrap().len();
        assert_eq!(names("null"), 1);
        assert_eq!(names("device-randread"), 4);
        assert_eq!(names("device"), 8);
        assert_eq!(select(&[]).unwrap().len(), all().len());
        assert!(select(&["nul".into()]).unwrap_err().contains("--list"));
    }

    #[test]
    fn each_workload_has_a_unique_name_a_goal_and_all_variables_of_its_job() {
        let workloads = all();
        let names: HashSet<&str> = workloads.iter().map(|workload| workload.name.as_str()).collect();
        assert_eq!(names.len(), workloads.len());
        for workload in &workloads {
            assert!(!workload.goals.is_empty(), "{}", workload.name);
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs").join(workload.job);
            let job = std::fs::read_to_string(path).unwrap();
            let given = ["TARGET", "RUNTIME", "LOG"];
            for wanted in job.split("${").skip(1).map(|rest| rest.split('}').next().unwrap()) {
                let is_set = workload.variables.iter().any(|(name, _)| *name == wanted) || given.contains(&wanted);
                assert!(is_set, "{}: {wanted} in {}", workload.name, workload.job);
            }
            for goal in &workload.goals {
                if let Baseline::Workload(other) = &goal.baseline {
                    assert!(names.contains(other.as_str()), "{}: {other}", workload.name);
                }
            }
        }
    }

    #[test]
    fn the_list_shows_the_goals() {
        let text = list_text(&all());
        assert!(text.contains("goal: IOPS at least 10 × fio's\n"), "{text}");
        assert!(text.contains("goal: largest process at most 64.0 MiB\n"), "{text}");
    }
}
