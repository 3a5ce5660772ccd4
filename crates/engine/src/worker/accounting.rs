//! Accounting: the counters, latencies and logs of a worker, and the counters that it publishes.

use std::sync::atomic::Ordering::Relaxed;

use os::io::Completion;
use os::process::Usage;
use plan::{Ddir, IoPrio, Worker};
use record::WorkerStats;

use super::batch_latencies::BatchLatencies;
use super::deadlines::Deadlines;
use super::in_flight::{InFlight, InFlightIo, Times};
use crate::live::WorkerLive;
use crate::logs::{LoggedIo, Logs, ReplayLog, SubmittedIo, WorkerLogs};

/// Everything that a worker counts.
pub struct Accounting<'a> {
    live: &'a WorkerLive,
    pub measures: Measures,
    pub stats: WorkerStats,
    pub totals: Totals,
    pub logs: Option<WorkerLogs>,
    /// The log of issued I/Os.
    pub replay_log: Option<Box<ReplayLog>>,
    /// CPU use of the thread at the start of the measured time.
    usage_from: Usage,
    /// The statistics at the end of the measured time of a worker with streams.
    measured: Option<Box<WorkerStats>>,
    /// Latencies of the current batch, by direction.
    pub batch: [BatchLatencies; 3],
}

/// Which latencies are recorded.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    pub slat: bool,
    pub clat: bool,
    pub lat: bool,
    /// Latencies of I/Os are recorded. They are not for an engine that acts when a target is opened.
    pub of_ios: bool,
    /// The latency by priority is `lat`, else `clat`.
    pub lat_by_priority: bool,
    /// Priority of the worker.
    pub prio: IoPrio,
}

/// Totals since the start, including the ramp.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Bytes issued in the current pass.
    pub pass_bytes: u64,
    pub issued_bytes: u64,
    pub issued_ios: u64,
    pub completed_ios: u64,
    pub completed_bytes: u64,
    /// I/O errors that the job continued after.
    pub errors: u64,
    pub first_errno: i32,
}

impl<'a> Accounting<'a> {
    pub fn new(worker: &Worker, live: &'a WorkerLive, stats: WorkerStats, logs: Logs) -> Self {
        let measure = &worker.measure;
        Accounting {
            live,
            measures: Measures {
                slat: measure.slat,
                clat: measure.clat,
                lat: measure.lat,
                of_ios: true,
                lat_by_priority: measure.lat_percentiles,
                prio: worker.process.ioprio.unwrap_or_default(),
            },
            stats,
            totals: Totals::default(),
            logs: logs.measured,
            replay_log: logs.replayable,
            usage_from: Usage::default(),
            measured: None,
            batch: match worker.job() {
                Some(job) => BatchLatencies::of_pattern(job.load.access.pattern, job.depth() as usize),
                None => Default::default(),
            },
        }
    }

    /// Counts an I/O that was made.
    #[inline]
    pub fn issued(&mut self, file: u32, ddir: Ddir, len: u32, counts_towards_total: bool) {
        self.totals.pass_bytes += u64::from(len);
        if counts_towards_total {
            self.totals.issued_bytes += u64::from(len);
        }
        self.totals.issued_ios += 1;
        self.stats.counters(file, ddir).issued += 1;
    }

    /// Counts I/Os of one size and direction that were made.
    pub fn issued_many(&mut self, ddir: Ddir, len: u32, ios: u32) {
        let bytes = u64::from(len) * u64::from(ios);
        self.totals.pass_bytes += bytes;
        self.totals.issued_bytes += bytes;
        self.totals.issued_ios += u64::from(ios);
        self.stats.counters(0, ddir).issued += u64::from(ios);
    }

    /// Counts an I/O that was made and is not part of the job's amount: the read or the trim of a written block.
    /// As in fio, a trim counts towards the number of I/Os.
    pub fn issued_beside(&mut self, file: u32, ddir: Ddir) {
        self.totals.issued_ios += u64::from(ddir == Ddir::Trim);
        self.stats.counters(file, ddir).issued += 1;
    }

    /// Takes an I/O of this kind out of the job's amount when it completes.
    /// `bytes` were counted for it.
    pub fn completed_beside(&mut self, ddir: Ddir, bytes: u32) {
        self.totals.completed_ios -= u64::from(ddir != Ddir::Trim);
        self.totals.completed_bytes -= u64::from(bytes);
    }

    /// Counts an I/O that an earlier run has done. It does not count towards the limits of this one.
    pub fn assumed(&mut self, file: u32, ddir: Ddir, bytes: u64) {
        let counters = self.stats.counters(file, ddir);
        counters.issued += 1;
        counters.ios += 1;
        counters.bytes += bytes;
    }

    /// Takes back an I/O that was never submitted. Statistics that were cleared meanwhile do not include it.
    pub fn canceled(&mut self, file: u32, ddir: Ddir) {
        let issued = &mut self.stats.counters(file, ddir).issued;
        *issued = issued.saturating_sub(1);
    }

    /// Counts a completed sync.
    pub fn sync_completed(&mut self, io: &InFlightIo, now_ns: u64) {
        self.stats.syncs += 1;
        if self.measures.clat {
            self.stats.sync_lat.record(io.times.clat_ns(now_ns));
        }
    }

    /// Returns true if I/Os can be counted per batch: there are no per-target counters and no per-I/O logs.
    #[inline]
    pub fn can_count_batches(&self) -> bool {
        self.logs.is_none() && self.stats.targets.is_empty()
    }

    /// Counts and logs the submission of an I/O.
    #[cold]
    pub fn submitted(&mut self, ddir: Ddir, io: &InFlightIo) {
        let Times { start_ns, issue_ns } = io.times;
        let slat_ns = issue_ns - start_ns;
        if self.measures.slat {
            self.stats.counters(io.file, ddir).slat.record(slat_ns);
        }
        if let Some(logs) = &mut self.logs {
            let (bytes, offset, prio) = (io.len, io.offset, io.ioprio);
            logs.submitted(&SubmittedIo { issued_ns: issue_ns, ddir, prio, bytes, offset, slat_ns });
        }
    }

    /// Records the submission latencies of a batch. `each_ns` is the latency of the I/Os that `submitted_after` counted.
    #[inline]
    pub fn submitted_all(&mut self, each_ns: u64) {
        for (batch, stats) in self.batch.iter_mut().zip(&mut self.stats.ddirs) {
            batch.count_submitted(each_ns, self.measures, stats);
        }
    }

    /// Counts the whole I/Os of a batch. Takes them out of `done`.
    #[inline(never)]
    pub fn completed_all(&mut self, in_flight: &mut InFlight, done: &mut Vec<Completion>, now_ns: u64) {
        for (ddir, batch) in Ddir::ALL.into_iter().zip(&mut self.batch) {
            let stats = &mut self.stats.ddirs[ddir as usize];
            let (ios, bytes) = batch.complete(in_flight, done, (ddir, now_ns), self.measures, stats);
            self.totals.completed_ios += ios;
            self.totals.completed_bytes += bytes;
            if done.is_empty() {
                break;
            }
        }
    }

    /// Counts an I/O that was submitted and completed at `now_ns` alone, and publishes the counters of its direction.
    #[inline(always)]
    pub fn ran_one(&mut self, ddir: Ddir, len: u32, times: Times, now_ns: u64) {
        let stats = &mut self.stats.ddirs[ddir as usize];
        stats.ios += 1;
        stats.bytes += u64::from(len);
        if self.measures.of_ios && self.measures.clat {
            stats.clat.record(times.clat_ns(now_ns));
        }
        if self.measures.of_ios && self.measures.lat {
            stats.lat.record(times.lat_ns(now_ns));
        }
        self.live.bytes[ddir as usize].store(stats.bytes, Relaxed);
        self.live.ios[ddir as usize].store(stats.ios, Relaxed);
        self.totals.completed_ios += 1;
        self.totals.completed_bytes += u64::from(len);
        let stats = &mut self.stats;
        [&mut stats.depth, &mut stats.submit, &mut stats.complete].into_iter().for_each(|map| map.record(1));
    }

    /// Counts a completed I/O. Returns its total latency in ns.
    #[inline(always)]
    pub fn completed(&mut self, ddir: Ddir, io: &InFlightIo, deadlines: &Deadlines) -> u64 {
        let now_ns = deadlines.now_ns;
        let (clat_ns, lat_ns) = (io.times.clat_ns(now_ns), io.times.lat_ns(now_ns));
        let stats = match self.stats.targets.get_mut(io.file as usize) {
            None => &mut self.stats.ddirs[ddir as usize],
            Some(target) => {
                if let Some(series) = &mut target.series {
                    series.record(now_ns - deadlines.measured_from_ns.unwrap_or(now_ns), ddir, lat_ns);
                }
                &mut target.ddirs[ddir as usize]
            }
        };
        stats.ios += 1;
        stats.bytes += u64::from(io.len);
        if self.measures.of_ios {
            if self.measures.clat {
                stats.clat.record(clat_ns);
            }
            if self.measures.lat {
                stats.lat.record(lat_ns);
            }
        }
        self.totals.completed_ios += 1;
        self.totals.completed_bytes += u64::from(io.len);
        if let Some(logs) = &mut self.logs {
            logs.complete(&LoggedIo {
                at_ns: now_ns,
                issued_ns: io.times.issue_ns,
                ddir,
                prio: io.ioprio,
                bytes: io.len,
                offset: io.offset,
                clat_ns,
                lat_ns,
            });
        }
        lat_ns
    }

    /// Counts the latency of a completed I/O by its priority.
    pub fn priority_completed(&mut self, ddir: Ddir, io: &InFlightIo, now_ns: u64) {
        let measures = &self.measures;
        let (is_measured, latency_ns) = match measures.lat_by_priority {
            true => (measures.lat, io.times.lat_ns(now_ns)),
            false => (measures.clat, io.times.clat_ns(now_ns)),
        };
        if is_measured {
            let prio = if io.ioprio == 0 { measures.prio } else { IoPrio::of_word(io.ioprio) };
            self.stats.ddirs[ddir as usize].record_priority(prio, latency_ns);
        }
    }

    /// Counts an error that the job continues after.
    pub fn survived(&mut self, errno: i32) {
        self.totals.errors += 1;
        if self.totals.first_errno == 0 {
            self.totals.first_errno = errno;
        }
    }

    /// Clears the statistics at the start of the measured time.
    pub fn clear(&mut self) {
        self.stats.clear();
        // Read after clearing, which takes a while: it belongs to the ramp.
        self.restart_usage();
    }

    /// Restarts the measurement of the thread's CPU use.
    pub fn restart_usage(&mut self) {
        self.usage_from = os::process::thread_usage();
    }

    /// Publishes the counters.
    #[inline]
    pub fn publish(&self) {
        for (at, stats) in self.stats.ddirs.iter().enumerate() {
            let (mut bytes, mut ios) = (stats.bytes, stats.ios);
            if !self.stats.targets.is_empty() {
                bytes += self.stats.targets.iter().map(|target| target.ddirs[at].bytes).sum::<u64>();
                ios += self.stats.targets.iter().map(|target| target.ddirs[at].ios).sum::<u64>();
            }
            self.live.bytes[at].store(bytes, Relaxed);
            self.live.ios[at].store(ios, Relaxed);
        }
    }

    /// Returns the statistics at `now_ns`, with times. Those of the targets are not added up yet.
    pub fn stats_at(&self, now_ns: u64, deadlines: &Deadlines) -> Box<WorkerStats> {
        // The CPU times of this machine have no meaning on a virtual clock.
        let is_real = !deadlines.clock.is_virtual();
        let usage = if is_real { usage_since(&self.usage_from) } else { record::Usage::default() };
        let mut stats = self.stats.to_boxed();
        // If the ramp was cut short, its statistics are reported.
        let from_ns = deadlines.measured_from_ns.unwrap_or(deadlines.start_ns);
        let runtime_ns = now_ns - from_ns;
        let of_targets = stats.targets.iter_mut().flat_map(|target| &mut target.ddirs);
        for ddir in stats.ddirs.iter_mut().chain(of_targets).filter(|ddir| ddir.bytes > 0 || ddir.ios > 0) {
            ddir.runtime_ns = runtime_ns;
        }
        stats.runtime_ns = runtime_ns;
        let age_us = deadlines.clock.now().saturating_sub(from_ns) / 1000;
        stats.measured_from_unix_us = deadlines.clock.unix_us().saturating_sub(age_us);
        stats.elapsed_ns = now_ns - deadlines.start_ns;
        stats.usage = usage;
        stats
    }

    /// Returns empty statistics.
    pub fn no_stats(&self) -> Box<WorkerStats> {
        let mut stats = self.stats.to_boxed();
        stats.clear();
        stats
    }

    /// Keeps the statistics at the end of the measured time. I/Os that complete later do not count.
    pub fn end_measuring(&mut self, stats: Box<WorkerStats>) {
        self.measured = Some(stats);
    }

    /// Returns the statistics at the end of the measured time, once it is over.
    pub fn measured(&self) -> Option<&WorkerStats> {
        self.measured.as_deref()
    }
}

/// Returns what the calling thread has used since `earlier`.
pub fn usage_since(earlier: &Usage) -> record::Usage {
    let used = os::process::thread_usage().since(earlier);
    record::Usage {
        user_ns: used.user_ns,
        system_ns: used.system_ns,
        context_switches: used.voluntary_switches + used.involuntary_switches,
        major_faults: used.major_faults,
        minor_faults: used.minor_faults,
        run_delay_ns: used.run_delay_ns,
    }
}
