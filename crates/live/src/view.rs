//! The live figures of a run at one time.

use plan::Ddir;
use record::{CoarseHistogram, Stage};

/// Text in place of the figures if the hosts report none during a run.
pub const QUIET: &str = "no figures before the end (--quiet-network)";

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
    /// The line has the rate of each direction and the I/Os in flight: the load is that of other programs.
    pub has_directions: bool,
    pub fleet: Fleet,
    /// The hosts of the fleet that have reported, by rank.
    pub hosts: Vec<HostView>,
}

/// The hosts that make a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fleet {
    /// Number of hosts. 0: this machine makes the run.
    pub hosts: usize,
    /// The hosts report nothing before the end of a run.
    pub is_quiet: bool,
}

/// The host of a report.
#[derive(Clone, Copy, Debug)]
pub struct Reporting<'a> {
    pub rank: usize,
    pub name: &'a str,
}

/// The live figures of a host.
#[derive(Clone, Debug, Default)]
pub struct HostView {
    /// Name, without line breaks.
    pub name: String,
    /// The sum of its jobs.
    pub all: JobView,
    /// Its last report is more than 5 s old: its figures are unknown.
    pub is_silent: bool,
}

/// The live figures of a job. Arrays are by direction.
#[derive(Clone, Debug, Default)]
pub struct JobView {
    pub running: usize,
    pub ended: usize,
    pub ios_per_s: [f64; 3],
    pub bytes_per_s: [f64; 3],
    /// Latencies of all directions between the last two snapshots of each worker.
    pub lat: CoarseHistogram,
    /// Latencies of the flushes between the same snapshots.
    pub flush: CoarseHistogram,
    /// Mean number of I/Os in flight in the same time.
    pub in_flight: f64,
}

impl View {
    /// Returns the sum of all jobs. For a fleet, adds up the sums of the hosts: they are newer than the figures of
    /// jobs.
    pub fn all(&self) -> JobView {
        let mut all = JobView::default();
        if self.fleet.hosts > 0 {
            self.hosts.iter().for_each(|host| all.add(&host.all));
        } else {
            self.jobs.iter().for_each(|job| all.add(job));
        }
        all
    }

    /// Returns `2 hosts`, or `1 of 2 hosts` if one does not report.
    pub fn reporting(&self) -> String {
        let (reporting, hosts) = (self.hosts.iter().filter(|host| !host.is_silent).count(), self.fleet.hosts);
        let plural = if hosts == 1 { "" } else { "s" };
        if reporting == hosts {
            format!("{hosts} host{plural}")
        } else {
            format!("{reporting} of {hosts} host{plural}")
        }
    }

    /// Returns the index of the host with the lowest bandwidth. `None` if threads run on fewer than two hosts.
    pub fn slowest(&self) -> Option<usize> {
        let active = || self.hosts.iter().enumerate().filter(|(_, host)| host.all.running > 0);
        let slowest = active().min_by(|one, other| one.1.all.bandwidth(None).total_cmp(&other.1.all.bandwidth(None)));
        slowest.map(|(at, _)| at).filter(|_| active().count() > 1)
    }

    /// Returns the completed share of the run; `None` if the remaining time is unknown.
    pub fn share(&self) -> Option<f64> {
        let left_ns = self.left_ns?;
        let whole_ns = self.elapsed_ns.saturating_add(left_ns);
        Some(if whole_ns == 0 { 0.0 } else { self.elapsed_ns as f64 / whole_ns as f64 })
    }
}

impl JobView {
    /// Adds the figures of another job, or of the same job on another host.
    pub fn add(&mut self, other: &JobView) {
        self.running += other.running;
        self.ended += other.ended;
        self.in_flight += other.in_flight;
        for at in 0..self.ios_per_s.len() {
            self.ios_per_s[at] += other.ios_per_s[at];
            self.bytes_per_s[at] += other.bytes_per_s[at];
        }
        self.lat.merge(&other.lat);
        self.flush.merge(&other.flush);
    }

    /// Returns the latencies that matter, and the start of their name: those of flushes if there are any. Writes between
    /// flushes only reach the page cache.
    pub fn latencies(&self) -> (&'static str, &CoarseHistogram) {
        if self.flush.total() > 0 { ("fsync ", &self.flush) } else { ("", &self.lat) }
    }

    /// Returns the I/Os per second of one direction or of all.
    pub fn iops(&self, ddir: Option<Ddir>) -> f64 {
        ddir.map_or_else(|| self.ios_per_s.iter().sum(), |ddir| self.ios_per_s[ddir as usize])
    }

    /// Returns the bytes per second of one direction or of all.
    pub fn bandwidth(&self, ddir: Option<Ddir>) -> f64 {
        ddir.map_or_else(|| self.bytes_per_s.iter().sum(), |ddir| self.bytes_per_s[ddir as usize])
    }
}
