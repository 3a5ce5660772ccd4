//! What a report has one paragraph for: a worker, or the workers of a group that report together.

use plan::{Ddir, IoPrio, LatencyTarget, Unified, Worker};
use record::{DdirStats, Latency, Record, WorkerRecord, WorkerStats};
use std::borrow::Cow;

/// Longest list of percentiles, which terse output has a fixed number of fields for.
pub(super) const PERCENTILES_MAX: usize = 20;

/// What fio shows where no latency target was given.
const NO_TARGET: LatencyTarget = LatencyTarget { target_ns: 0, window_ns: 0, percentile: 100.0, keep_running: false };

pub(super) struct Entry<'a> {
    /// Names and units are those of the first worker, as in fio.
    pub first: &'a Worker,
    /// Options and percentiles are those of the last.
    pub last: &'a Worker,
    pub members: Vec<(&'a Worker, &'a WorkerRecord)>,
    pub stats: WorkerStats,
}

/// The figures of one direction, or of all of them together.
pub(super) struct Section<'a> {
    pub name: &'static str,
    pub slot: usize,
    pub stats: Cow<'a, DdirStats>,
    ddirs: &'static [Ddir],
}

/// Where [`Section::slot`] is that of all directions together; the others are those of [`Ddir`].
pub(super) const MIXED: usize = 3;

/// The entries of a report, in the order of the plan.
pub(super) fn entries(record: &Record) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = Vec::new();
    for (worker, outcome) in record.plan.workers.iter().zip(&record.workers) {
        if !worker.measure.stats {
            continue;
        }
        match entries.last_mut() {
            Some(entry) if worker.echo.group_reporting && entry.last.group == worker.group => {
                entry.last = worker;
                entry.members.push((worker, outcome));
                entry.stats.merge(&outcome.stats);
            }
            _ => entries.push(Entry {
                first: worker,
                last: worker,
                members: vec![(worker, outcome)],
                stats: outcome.stats.clone(),
            }),
        }
    }
    entries
}

impl Entry<'_> {
    /// The kernel's id of the first worker's thread; 0 before it has one.
    pub fn pid(&self) -> u32 {
        self.members[0].1.started.map_or(0, |started| started.tid)
    }

    pub fn started_unix_ms(&self) -> u64 {
        self.members[0].1.started.map_or(0, |started| started.unix_ms)
    }

    pub fn did_io(&self) -> bool {
        self.stats.ddirs.iter().any(|ddir| ddir.bytes > 0 || ddir.ios > 0 || ddir.issued > 0)
    }

    pub fn unified(&self) -> Unified {
        self.first.measure.unified
    }

    /// The first error of a worker: its number and what is said of it.
    pub fn error(&self) -> Option<(i32, String)> {
        self.members.iter().find_map(|(_, outcome)| match &outcome.error {
            Some(error) => Some((error.errno, super::error_text(error))),
            None if outcome.first_nonfatal_errno != 0 => {
                let errno = outcome.first_nonfatal_errno;
                Some((errno, super::errno_text(errno)))
            }
            None => None,
        })
    }

    /// What was wrong in plain words, for each worker that failed.
    pub fn messages(&self) -> impl Iterator<Item = String> + '_ {
        self.members.iter().filter_map(|(_, outcome)| outcome.error.as_ref().map(record::RunError::plain))
    }

    pub fn goes_on_after_errors(&self) -> bool {
        let errors = &self.last.errors;
        errors.continue_on_read || errors.continue_on_write || errors.continue_on_verify
    }

    /// How many errors the workers went on after, and the first.
    pub fn survived(&self) -> (u64, i32) {
        let count = self.members.iter().map(|(_, outcome)| outcome.nonfatal_errors).sum();
        let first = self.members.iter().map(|(_, outcome)| outcome.first_nonfatal_errno).find(|&errno| errno != 0);
        (count, first.unwrap_or(0))
    }

    /// Percentiles asked for, in rising order.
    pub fn percentiles(&self) -> Vec<f64> {
        let asked = self.last.measure.percentiles.iter().copied();
        let mut list: Vec<f64> = asked.filter(|percent| *percent > 0.0 && *percent <= 100.0).collect();
        list.truncate(PERCENTILES_MAX);
        list.sort_by(f64::total_cmp);
        list
    }

    /// The latency target with fio's values where none was given, and the depth.
    pub fn latency_target(&self) -> (LatencyTarget, u32) {
        match self.last.latency_target {
            Some(target) => (target, self.stats.latency_depth),
            // A job that only makes its files has no depth.
            None if self.last.targets.create.only => (NO_TARGET, 0),
            None => (NO_TARGET, self.last.depth_as_asked()),
        }
    }

    /// Shares of user and system time in the measured time, in percent.
    pub fn cpu_percent(&self) -> (f64, f64) {
        let share = |ns: u64| percent(ns, self.stats.runtime_ns);
        (share(self.stats.usage.user_ns), share(self.stats.usage.system_ns))
    }

    /// The directions as `unified_rw_reporting` wants them.
    pub fn sections(&self) -> Vec<Section<'_>> {
        let mut sections = Vec::new();
        if self.unified() != Unified::Mixed {
            sections.extend(Ddir::ALL.iter().zip(&self.stats.ddirs).map(|(ddir, stats)| Section {
                name: ddir.name(),
                slot: *ddir as usize,
                stats: Cow::Borrowed(stats),
                ddirs: std::slice::from_ref(ddir),
            }));
        }
        if self.unified() != Unified::Apart {
            let stats = Cow::Owned(self.stats.all_ddirs());
            sections.push(Section { name: "mixed", slot: MIXED, stats, ddirs: &Ddir::ALL });
        }
        sections
    }

    /// Latency by I/O priority, where the workers had several.
    pub fn priorities(&self, section: &Section) -> Vec<(IoPrio, Latency)> {
        let mut found: Vec<(IoPrio, Latency)> = Vec::new();
        for (worker, outcome) in &self.members {
            let prio = worker.process.ioprio.unwrap_or_default();
            for ddir in section.ddirs {
                let stats = &outcome.stats.ddirs[*ddir as usize];
                let latency = if self.last.measure.lat_percentiles { &stats.lat } else { &stats.clat };
                if latency.count() == 0 {
                    continue;
                }
                match found.iter_mut().find(|(other, _)| *other == prio) {
                    Some((_, sum)) => sum.merge(latency),
                    None => found.push((prio, latency.clone())),
                }
            }
        }
        if found.len() < 2 { Vec::new() } else { found }
    }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// Shares in percent, of which none that is not 0 is shown as less than `least`.
pub(super) fn shares<const N: usize>(counts: [u64; N], whole: u64, least: f64) -> [f64; N] {
    counts.map(|count| if count == 0 || whole == 0 { 0.0 } else { percent(count, whole).max(least) })
}

/// fio's milliseconds: a started one counts.
pub(super) fn milliseconds(ns: u64) -> u64 {
    ns.div_ceil(1_000_000)
}
