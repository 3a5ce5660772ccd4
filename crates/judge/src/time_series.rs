//! The rate of a phase over time, in intervals that can be compared with each other.

use assessment::Subject;
use plan::stream::StreamRate;
use plan::{Load, Origin, Slowdown, Worker};
use record::{Record, Slot, Timeline};

/// The intervals of a phase in which all its workers were measured; all have the same length.
pub struct TimeSeries<'a> {
    pub phase: usize,
    pub slots: &'a [Slot],
    pub slot_s: f64,
    /// Start of the first interval, counted from the start of the measured time.
    pub from_s: f64,
}

/// Returns the time series of all phases whose rate the targets set. Pauses, bursts and searches change a rate on purpose.
pub fn time_series(record: &Record) -> Vec<TimeSeries<'_>> {
    record.timeline.iter().filter_map(|timeline| of_phase(record, timeline)).collect()
}

fn of_phase<'a>(record: &Record, timeline: &'a Timeline) -> Option<TimeSeries<'a>> {
    if workers(record, timeline.phase).any(varies_on_purpose) {
        return None;
    }
    let all = timeline.slots.iter().map(|slot| slot.workers).max().filter(|&all| all > 0)?;
    let whole = |(at, slot): (usize, &Slot)| slot.workers == all && timeline.slot_ns(at) == timeline.interval_ns;
    let first = timeline.slots.iter().enumerate().position(whole)?;
    let count = timeline.slots.iter().enumerate().skip(first).take_while(|slot| whole(*slot)).count();
    let slot_s = timeline.interval_ns as f64 / 1e9;
    Some(TimeSeries {
        phase: timeline.phase,
        slots: &timeline.slots[first..first + count],
        slot_s,
        from_s: timeline.from_ns as f64 / 1e9 + first as f64 * slot_s,
    })
}

impl TimeSeries<'_> {
    /// Intervals per second. Rates over shorter intervals show the beat with throttles that count in tenths of a second.
    pub fn per_second(&self) -> usize {
        (1.0 / self.slot_s).round().max(1.0) as usize
    }

    /// I/Os per second, over groups of `together` intervals.
    pub fn iops(&self, together: usize) -> Vec<f64> {
        self.rates(together, |slot| slot.ddirs.iter().map(|ddir| ddir.ios).sum())
    }

    /// Bytes per second, over groups of `together` intervals.
    pub fn bytes_per_s(&self, together: usize) -> Vec<f64> {
        self.rates(together, |slot| slot.ddirs.iter().map(|ddir| ddir.bytes).sum())
    }

    fn rates(&self, together: usize, count: impl Fn(&Slot) -> u64) -> Vec<f64> {
        let length_s = self.slot_s * together as f64;
        self.slots.chunks_exact(together).map(|slots| slots.iter().map(&count).sum::<u64>() as f64 / length_s).collect()
    }
}

/// Returns the workers of a phase.
pub fn workers(record: &Record, phase: usize) -> impl Iterator<Item = &Worker> {
    record.plan.workers.iter().filter(move |worker| worker.phase as usize == phase)
}

/// Whether the job itself changes its load over time.
fn varies_on_purpose(worker: &Worker) -> bool {
    worker.wait_for.is_some() || worker.slowdowns().into_iter().any(Slowdown::varies)
}

/// Whether the job requests a rate.
pub fn has_rate(worker: &Worker) -> bool {
    match &worker.load {
        Load::Job(job) => job.rate.is_limited(),
        Load::Threads(streams) => streams.list.iter().any(|stream| stream.rate != StreamRate::Unlimited),
    }
}

/// Returns the phase as the subject of a finding: its jobs, or its time span.
pub fn phase_subject(record: &Record, phase: usize) -> Subject {
    match record.plan.origin {
        Origin::DiskSpd { .. } if record.plan.workers.iter().any(|worker| worker.phase > 0) => {
            Subject::TimeSpan(phase as u32 + 1)
        }
        Origin::DiskSpd { .. } => Subject::Run,
        Origin::Fio(_) => Subject::jobs(phase as u32, workers(record, phase).map(|worker| worker.name.as_str())),
    }
}

#[cfg(test)]
pub mod simulated {
    //! Records of simulated runs.

    use super::*;
    use plan::{Ddir, Engine, Plan};
    use record::{PhaseRecord, WorkerRecord};
    use std::sync::Arc;

    /// Returns a run of one job, `job`, with `ios[n]` reads of 4 KiB in second `n`.
    pub fn run(ios: &[f64]) -> Record {
        let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
        for (second, &ios) in (0u64..).zip(ios) {
            let span = (second * 1_000_000_000, (second + 1) * 1_000_000_000);
            timeline.count(span, Ddir::Read, ios as u64, ios as u64 * 4096);
        }
        let length_ns = ios.len() as u64 * 1_000_000_000;
        timeline.end(length_ns, &[(0, length_ns)]);
        let worker = Worker { name: "job".into(), engine: Engine::Psync, ..Worker::default() };
        let mut record = Record::new(Arc::new(Plan { workers: vec![worker], ..Plan::default() }), 0);
        record.timeline = vec![timeline];
        record.phases = vec![PhaseRecord { measured_ns: length_ns, ..PhaseRecord::default() }];
        let mut counted = WorkerRecord { ended: true, ..WorkerRecord::default() };
        counted.stats.ddirs[0].ios = ios.iter().sum::<f64>() as u64;
        counted.stats.ddirs[0].bytes = counted.stats.ddirs[0].ios * 4096;
        (counted.stats.runtime_ns, counted.stats.elapsed_ns) = (length_ns, length_ns);
        record.workers = vec![counted];
        record
    }

    /// Changes the only worker.
    pub fn with(mut record: Record, change: impl FnOnce(&mut Worker)) -> Record {
        let mut plan = Plan::clone(&record.plan);
        change(&mut plan.workers[0]);
        record.plan = Arc::new(plan);
        record
    }

    /// Returns the same run as one of DiskSpd's.
    pub fn as_diskspd(mut record: Record) -> Record {
        let mut plan = Plan::clone(&record.plan);
        plan.origin = Origin::DiskSpd { command_line: "diskspd".into(), args: Vec::new(), profile_xml: String::new() };
        record.plan = Arc::new(plan);
        record
    }
}

#[cfg(test)]
mod tests {
    use super::simulated::{as_diskspd, run, with};
    use super::*;

    #[test]
    fn the_subject_of_a_phase_is_its_jobs_or_its_time_span() {
        let named = with(run(&[1.0]), |worker| worker.name = "a: b, c".to_owned());
        assert_eq!(phase_subject(&named, 0), Subject::Jobs { phase: 0, names: vec!["a: b, c".to_owned()] });
        assert_eq!(phase_subject(&as_diskspd(run(&[1.0])), 0), Subject::Run);
        let second = as_diskspd(with(run(&[1.0]), |worker| worker.phase = 1));
        assert_eq!(phase_subject(&second, 1), Subject::TimeSpan(2));
    }
}
