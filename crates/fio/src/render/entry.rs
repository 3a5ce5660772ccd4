//! Entries of a report: a worker, or the workers of a group with `group_reporting`.

use super::error::error_text;
use plan::{Ddir, IoPrio, LatencyTarget, Unified, Worker};
use record::{DdirStats, Latency, Record, WorkerRecord, WorkerStats};
use std::borrow::Cow;
use units::errno;

use crate::wording;

/// fio's name for the sum of all hosts.
const ALL_CLIENTS: &str = "All clients";

/// Maximum number of percentiles: the number of fields in the terse format.
pub(super) const PERCENTILES_MAX: usize = 20;

/// The values that fio prints without a latency target.
const NO_TARGET: LatencyTarget = LatencyTarget { target_ns: 0, window_ns: 0, percentile: 100.0, keep_running: false };

/// One entry of a report.
pub(super) struct Entry<'a> {
    pub name: &'a str,
    /// The host of the workers, in a run on several hosts.
    pub host: Option<&'a str>,
    /// The first worker. As in fio, the entry has its name and units.
    pub first: &'a Worker,
    /// The last worker. As in fio, the entry has its options and percentiles.
    pub last: &'a Worker,
    pub members: Vec<(&'a Worker, &'a WorkerRecord)>,
    pub stats: WorkerStats,
}

/// The statistics of one direction, or of all directions together (`mixed`).
pub(super) struct Section<'a> {
    pub name: &'static str,
    /// Index into [`Group::directions`](super::group::Group): a [`Ddir`], or [`MIXED`].
    pub slot: usize,
    pub stats: Cow<'a, DdirStats>,
    ddirs: &'static [Ddir],
}

/// [`Section::slot`] of all directions together.
pub(super) const MIXED: usize = 3;

/// Returns the entries of a report, in the order of the plan.
pub(super) fn entries(record: &Record) -> Vec<Entry<'_>> {
    let mut hosts = vec![None; record.workers.len()];
    for (host, range) in record.host_workers() {
        hosts[range].fill(Some(host.name.raw()));
    }
    let mut entries: Vec<Entry> = Vec::new();
    for ((worker, outcome), host) in record.plan.workers.iter().zip(&record.workers).zip(hosts) {
        if !worker.measure.stats {
            continue;
        }
        match entries.last_mut() {
            Some(entry) if worker.reports_group && entry.last.group == worker.group && entry.host == host => {
                entry.add(worker, outcome);
            }
            _ => entries.push(Entry::of_worker(worker, outcome, host)),
        }
    }
    entries
}

/// Returns the sum of all workers, in a run on several hosts.
pub(super) fn all_clients(record: &Record) -> Option<Entry<'_>> {
    if record.hosts().is_empty() {
        return None;
    }
    let mut workers = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.measure.stats);
    let (first, outcome) = workers.next()?;
    let mut sum = Entry { name: ALL_CLIENTS, ..Entry::of_worker(first, outcome, None) };
    workers.for_each(|(worker, outcome)| sum.add(worker, outcome));
    Some(sum)
}

impl<'a> Entry<'a> {
    fn of_worker(worker: &'a Worker, outcome: &'a WorkerRecord, host: Option<&'a str>) -> Entry<'a> {
        let (name, members, stats) = (&worker.name, vec![(worker, outcome)], outcome.stats.clone());
        Entry { name, host, first: worker, last: worker, members, stats }
    }

    fn add(&mut self, worker: &'a Worker, outcome: &'a WorkerRecord) {
        self.last = worker;
        self.members.push((worker, outcome));
        self.stats.merge(&outcome.stats);
    }
}

impl Entry<'_> {
    /// Returns the kernel's thread ID of the first worker. 0 before its start.
    pub fn pid(&self) -> u32 {
        self.members[0].1.started.map_or(0, |started| started.tid)
    }

    /// Returns the start time of the first worker in ms, on the clock that it requests. 0 before its start.
    pub fn started_ms(&self) -> u64 {
        self.members[0].1.started.map_or(0, |started| started.clock_ms.unwrap_or(started.unix_ms))
    }

    pub fn did_io(&self) -> bool {
        self.stats.ddirs.iter().any(|ddir| ddir.bytes > 0 || ddir.ios > 0 || ddir.issued > 0)
    }

    pub fn unified(&self) -> Unified {
        self.first.measure.unified
    }

    /// Returns the first error of the workers: its errno and its text.
    pub fn error(&self) -> Option<(i32, String)> {
        self.members.iter().find_map(|(_, outcome)| match &outcome.error {
            Some(error) => Some((error.errno, error_text(error))),
            None if outcome.first_nonfatal_errno != 0 => {
                let errno = outcome.first_nonfatal_errno;
                Some((errno, errno::text(errno).into_owned()))
            }
            None => None,
        })
    }

    /// Returns the error message of each failed worker.
    pub fn messages(&self) -> impl Iterator<Item = String> + '_ {
        self.members.iter().filter_map(|(_, outcome)| outcome.error.as_ref().map(wording::error))
    }

    pub fn continues_on_error(&self) -> bool {
        let errors = &self.last.errors;
        errors.continue_on_read || errors.continue_on_write || errors.continue_on_verify
    }

    /// Returns the number of errors after which the workers continued, and the errno of the first.
    pub fn nonfatal_errors(&self) -> (u64, i32) {
        let count = self.members.iter().map(|(_, outcome)| outcome.nonfatal_errors).sum();
        let first = self.members.iter().map(|(_, outcome)| outcome.first_nonfatal_errno).find(|&errno| errno != 0);
        (count, first.unwrap_or(0))
    }

    /// Returns the valid percentiles of `percentile_list`, in ascending order.
    pub fn percentiles(&self) -> Vec<f64> {
        let percentiles = self.last.measure.percentiles.iter().copied();
        let mut list: Vec<f64> = percentiles.filter(|percent| *percent > 0.0 && *percent <= 100.0).collect();
        list.truncate(PERCENTILES_MAX);
        list.sort_by(f64::total_cmp);
        list
    }

    /// Returns the latency target and the depth. Without a target, the values are those that fio prints.
    pub fn latency_target(&self) -> (LatencyTarget, u32) {
        let job = self.last.job();
        match job.and_then(|job| job.load.latency_target) {
            Some(target) => (target, self.stats.latency_depth),
            // fio prints depth 0 for a job with create_only.
            None if job.is_some_and(|job| job.load.targets.create.only) => (NO_TARGET, 0),
            None => (NO_TARGET, self.last.requested_depth()),
        }
    }

    /// Returns the user and system CPU time, in percent of the runtime.
    pub fn cpu_percent(&self) -> (f64, f64) {
        let share = |ns: u64| percent(ns, self.stats.runtime_ns);
        (share(self.stats.usage.user_ns), share(self.stats.usage.system_ns))
    }

    /// Returns the sections that `unified_rw_reporting` selects.
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

    /// Returns the latency per I/O priority. Empty unless the workers have several priorities.
    pub fn priorities(&self, section: &Section) -> Vec<(IoPrio, Latency)> {
        let mut found: Vec<(IoPrio, Latency)> = Vec::new();
        for (worker, outcome) in &self.members {
            let own = worker.process.ioprio.unwrap_or_default();
            for ddir in section.ddirs {
                let stats = &outcome.stats.ddirs[*ddir as usize];
                let whole = if self.last.measure.lat_percentiles { &stats.lat } else { &stats.clat };
                let of_own = [(own, whole)].into_iter().filter(|_| stats.priorities.is_empty());
                let by_priority = stats.priorities.iter().map(|of_prio| (of_prio.prio, &of_prio.latency));
                for (prio, latency) in of_own.chain(by_priority).filter(|(_, latency)| latency.count() > 0) {
                    match found.iter_mut().find(|(other, _)| *other == prio) {
                        Some((_, sum)) => sum.merge(latency),
                        None => found.push((prio, latency.clone())),
                    }
                }
            }
        }
        if found.len() < 2 { Vec::new() } else { found }
    }
}

/// Returns `part` in percent of `whole`. 0 if `whole` is 0.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// Returns counts in percent of `whole`. A count above 0 is at least `min_percent`.
pub(super) fn shares<const N: usize>(counts: [u64; N], whole: u64, min_percent: f64) -> [f64; N] {
    counts.map(|count| if count == 0 || whole == 0 { 0.0 } else { percent(count, whole).max(min_percent) })
}

/// Converts to milliseconds, rounding up as fio does.
pub(super) fn milliseconds(ns: u64) -> u64 {
    ns.div_ceil(1_000_000)
}
