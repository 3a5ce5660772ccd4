//! The live figures of a run at one time.

use plan::Ddir;
use record::{CoarseHistogram, Stage};

/// The live figures of a run.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Name of the run, on one line.
    pub run: String,
    /// `None` before the first phase.
    pub stage: Option<Stage>,
    pub elapsed_ns: u64,
    /// Remaining time of the run; `None` if it cannot be estimated.
    pub left_ns: Option<u64>,
    /// Time of the runs after it, as far as it is known.
    pub after_ns: u64,
    /// Bytes of the files that are laid out before a phase: written so far, and in total.
    pub files: (u64, u64),
    /// One per job of the plan.
    pub jobs: Vec<JobView>,
}

/// The live figures of a job. Arrays are by direction.
#[derive(Clone, Debug, Default)]
pub struct JobView {
    pub running: usize,
    pub ended: usize,
    pub ios_per_s: [f64; 3],
    pub bytes_per_s: [f64; 3],
    /// Latencies between the last two snapshots of each worker.
    pub lat: [CoarseHistogram; 3],
    /// Mean number of I/Os in flight in the same time.
    pub in_flight: f64,
}

impl View {
    /// Returns the sum of all jobs.
    pub fn all(&self) -> JobView {
        let mut all = JobView::default();
        for job in &self.jobs {
            all.running += job.running;
            all.ended += job.ended;
            all.in_flight += job.in_flight;
            for at in 0..all.lat.len() {
                all.ios_per_s[at] += job.ios_per_s[at];
                all.bytes_per_s[at] += job.bytes_per_s[at];
                all.lat[at].merge(&job.lat[at]);
            }
        }
        all
    }

    /// Returns the completed share of the run; `None` if the remaining time is unknown.
    pub fn share(&self) -> Option<f64> {
        let left_ns = self.left_ns?;
        let whole_ns = self.elapsed_ns.saturating_add(left_ns);
        Some(if whole_ns == 0 { 0.0 } else { self.elapsed_ns as f64 / whole_ns as f64 })
    }
}

impl JobView {
    /// Returns the I/Os per second of one direction or of all.
    pub fn iops(&self, ddir: Option<Ddir>) -> f64 {
        ddir.map_or_else(|| self.ios_per_s.iter().sum(), |ddir| self.ios_per_s[ddir as usize])
    }

    /// Returns the bytes per second of one direction or of all.
    pub fn bandwidth(&self, ddir: Option<Ddir>) -> f64 {
        ddir.map_or_else(|| self.bytes_per_s.iter().sum(), |ddir| self.bytes_per_s[ddir as usize])
    }

    /// Returns the latencies of all directions.
    pub fn lat_of_all(&self) -> CoarseHistogram {
        let mut all = CoarseHistogram::default();
        self.lat.iter().for_each(|lat| all.merge(lat));
        all
    }
}
