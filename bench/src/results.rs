//! What a session of runs came to, as plain data: `docs/performance.md` explains each field.

use std::path::Path;

use serde::Serialize;

use crate::machine::Machine;
use crate::programs::{Kind, Program};
use crate::statistics::{self, Summary, Verdict};
use crate::works::{Goal, Metric, Versus, Work};

pub const SCHEMA: &str = "fathom.bench/1";

#[derive(Clone, Debug, Serialize)]
pub struct Results {
    pub schema: &'static str,
    pub machine: Machine,
    pub programs: Vec<Program>,
    pub pairs: usize,
    pub warnings: Vec<String>,
    pub works: Vec<Outcome>,
    pub skipped: Vec<Skipped>,
}

impl Results {
    /// Written as a whole, so that a reader never sees half of it.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        let beside = path.with_extension("json.new");
        std::fs::write(&beside, text + "\n").and_then(|()| std::fs::rename(&beside, path)).map_err(failed)
    }
}

/// A work that could not be done here.
#[derive(Clone, Debug, Serialize)]
pub struct Skipped {
    pub name: String,
    pub reason: String,
}

/// One work, by all programs.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub name: String,
    pub about: String,
    pub job: String,
    pub variables: Vec<(String, String)>,
    pub cpus: Vec<u32>,
    pub seconds: Option<f64>,
    pub runs: Vec<Run>,
    pub figures: Vec<Figure>,
    pub ratios: Vec<Ratio>,
    pub goals: Vec<Judged>,
    pub warnings: Vec<String>,
}

/// What one run of one program was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    pub program: Kind,
    /// The round; runs of one round make a pair.
    pub round: usize,
    pub iops: f64,
    /// As the program tells, else as the device counted.
    pub ios: Option<u64>,
    pub wall_s: f64,
    /// The time that the job was to run.
    pub asked_s: Option<f64>,
    pub cpu_s: f64,
    /// The kernel's part of it.
    pub kernel_s: f64,
    pub max_rss_bytes: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub jobs: u32,
    /// I/Os by the device's own counters.
    pub counted_ios: Option<u64>,
    /// The rate over the time in which the device counted. For many jobs without a device: the I/Os, shared out over the
    /// processor time as it passed.
    pub referee_iops: Option<f64>,
    pub first_io_s: Option<f64>,
    pub log_lines: Option<u64>,
    /// What others took of a processor meanwhile.
    pub others_cpus: Option<f64>,
}

impl Run {
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        let ios = self.ios.filter(|ios| *ios > 0).map(|ios| ios as f64);
        let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
        match metric {
            // A job that ends by its number of I/Os is all start and end.
            Metric::Iops | Metric::CpuNs | Metric::KernelNs if self.asked_s.is_none() => None,
            Metric::Iops => Some(self.iops),
            Metric::CpuNs => Some(self.cpu_s * 1e9 / ios?),
            Metric::KernelNs => Some(self.kernel_s * 1e9 / ios?),
            Metric::CpuS => Some(self.cpu_s),
            Metric::FirstIoS => self.first_io_s,
            Metric::WallS => Some(self.wall_s),
            Metric::BeyondS => Some(self.wall_s - self.asked_s?),
            Metric::MemoryBytes => bytes(self.memory_bytes),
            Metric::MemoryPerJobBytes => bytes(self.memory_bytes).map(|all| all / f64::from(self.jobs)),
            Metric::MaxRssBytes => bytes(self.max_rss_bytes),
            Metric::Claim => Some(self.iops / self.referee_iops.filter(|iops| *iops > 0.0)?),
            Metric::LogLines => Some(self.log_lines? as f64 / ios?),
        }
    }
}

/// A metric over the runs of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub program: Kind,
    pub metric: Metric,
    #[serde(flatten)]
    pub summary: Summary,
}

/// fathom's metric over another program's, pair by pair.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    pub to: Kind,
    pub metric: Metric,
    #[serde(flatten)]
    pub summary: Summary,
}

#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    #[serde(flatten)]
    pub goal: Goal,
    pub verdict: Verdict,
    /// What the verdict is on; absent where nothing could be measured.
    pub summary: Option<Summary>,
}

/// A metric of one program, round by round.
fn values(runs: &[Run], program: Kind, metric: Metric) -> Vec<Option<f64>> {
    runs.iter().filter(|run| run.program == program).map(|run| run.metric(metric)).collect()
}

pub fn figures(runs: &[Run], programs: &[Kind]) -> Vec<Figure> {
    let all = programs.iter().flat_map(|program| Metric::ALL.map(|metric| (*program, metric)));
    all.filter_map(|(program, metric)| {
        let known: Vec<f64> = values(runs, program, metric).into_iter().flatten().collect();
        Some(Figure { program, metric, summary: Summary::of(&known)? })
    })
    .collect()
}

/// Shares and counts are not held against another program's.
const COMPARED: [Metric; 10] = [
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
];

pub fn ratios(runs: &[Run], programs: &[Kind]) -> Vec<Ratio> {
    let others = programs.iter().filter(|program| **program != Kind::Fathom);
    let all = others.flat_map(|to| COMPARED.map(|metric| (*to, metric)));
    all.filter_map(|(to, metric)| Some(Ratio { to, metric, summary: ratio(runs, to, metric)? })).collect()
}

fn ratio(runs: &[Run], to: Kind, metric: Metric) -> Option<Summary> {
    Summary::of(&statistics::ratios(&values(runs, Kind::Fathom, metric), &values(runs, to, metric)))
}

/// Holds a work's goals against its runs, and against those of works done before.
pub fn judged(work: &Work, runs: &[Run], before: &[Outcome]) -> Vec<Judged> {
    let judge = |goal: &Goal| {
        let own = || values(runs, Kind::Fathom, goal.metric).into_iter().flatten();
        let summary = match &goal.versus {
            Versus::Fio => ratio(runs, Kind::Fio, goal.metric),
            Versus::TIoUring => ratio(runs, Kind::TIoUring, goal.metric),
            Versus::Alone => Summary::of(&own().collect::<Vec<_>>()),
            Versus::Work(name) => median_of(before, name, goal.metric)
                .filter(|median| *median > 0.0)
                .and_then(|median| Summary::of(&own().map(|value| value / median).collect::<Vec<_>>())),
        };
        Judged { goal: goal.clone(), verdict: statistics::verdict(summary.as_ref(), goal.bound), summary }
    };
    work.goals.iter().map(judge).collect()
}

fn median_of(works: &[Outcome], name: &str, metric: Metric) -> Option<f64> {
    let work = works.iter().find(|work| work.name == name)?;
    let figure = work.figures.iter().find(|figure| figure.program == Kind::Fathom && figure.metric == metric)?;
    Some(figure.summary.median)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::statistics::Bound;

    pub fn run(program: Kind, round: usize, iops: f64) -> Run {
        Run {
            program,
            round,
            iops,
            ios: Some(iops as u64 * 2),
            wall_s: 2.5,
            asked_s: Some(2.0),
            cpu_s: 1.0,
            kernel_s: 0.75,
            max_rss_bytes: Some(8 << 20),
            memory_bytes: Some(4 << 20),
            jobs: 4,
            counted_ios: Some(iops as u64 * 2),
            referee_iops: Some(iops),
            first_io_s: Some(0.01),
            log_lines: None,
            others_cpus: Some(0.0),
        }
    }

    pub fn runs() -> Vec<Run> {
        let rounds = [(1000.0, 100.0), (1010.0, 100.0), (990.0, 110.0), (1000.0, 90.0), (1000.0, 100.0)];
        let pair =
            |(round, (ours, fios)): (usize, (f64, f64))| [run(Kind::Fathom, round, ours), run(Kind::Fio, round, fios)];
        rounds.into_iter().enumerate().flat_map(pair).collect()
    }

    #[test]
    fn metrics_of_a_run_are_in_their_units() {
        let run = run(Kind::Fio, 0, 1000.0);
        assert_eq!(run.metric(Metric::CpuNs), Some(500_000.0));
        assert_eq!(run.metric(Metric::KernelNs), Some(375_000.0));
        assert_eq!(run.metric(Metric::BeyondS), Some(0.5));
        assert_eq!(run.metric(Metric::MemoryPerJobBytes), Some(1048576.0));
        assert_eq!(run.metric(Metric::Claim), Some(1.0));
        assert_eq!(run.metric(Metric::LogLines), None);
        assert_eq!(Run { log_lines: Some(1000), ..run }.metric(Metric::LogLines), Some(0.5));
    }

    #[test]
    fn goals_are_held_against_pairs_and_earlier_works() {
        let runs = runs();
        let mut work = crate::works::all().swap_remove(0);
        let versus = |versus, bound| Goal { metric: Metric::Iops, versus, bound };
        work.goals = vec![
            versus(Versus::Fio, Bound::AtLeast(8.0)),
            versus(Versus::TIoUring, Bound::AtLeast(0.95)),
            versus(Versus::Work("earlier".into()), Bound::AtLeast(1.5)),
            versus(Versus::Work("never".into()), Bound::AtLeast(1.5)),
            versus(Versus::Alone, Bound::AtMost(999.0)),
        ];
        let earlier = Outcome {
            name: "earlier".into(),
            about: String::new(),
            job: String::new(),
            variables: Vec::new(),
            cpus: Vec::new(),
            seconds: None,
            runs: Vec::new(),
            figures: figures(&[run(Kind::Fathom, 0, 1000.0)], &[Kind::Fathom]),
            ratios: Vec::new(),
            goals: Vec::new(),
            warnings: Vec::new(),
        };
        let verdicts: Vec<Verdict> = judged(&work, &runs, &[earlier]).iter().map(|judged| judged.verdict).collect();
        let cannot = Verdict::CannotTell;
        assert_eq!(verdicts, [Verdict::Met, cannot, Verdict::NotMet, cannot, cannot]);
    }

    #[test]
    fn what_nobody_measured_has_no_figure() {
        let figures = figures(&runs(), &[Kind::Fathom, Kind::Fio]);
        assert!(figures.iter().all(|figure| figure.metric != Metric::LogLines));
        assert_eq!(figures.len(), 2 * (Metric::ALL.len() - 1));
        let ratios = ratios(&runs(), &[Kind::Fathom, Kind::Fio]);
        assert_eq!(ratios.iter().find(|ratio| ratio.metric == Metric::Iops).unwrap().summary.median, 10.0);
    }
}
