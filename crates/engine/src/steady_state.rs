//! Ends jobs in steady state (`steadystate`): reads their published counters once per interval.

use std::sync::atomic::Ordering::Relaxed;

use os::clock::NEVER_NS;
use plan::{Plan, SteadyMetric, SteadyStateCriterion};
use record::{Event, SteadyStateRecord, WorkerStats};

use crate::live::{State, WorkerLive};

/// Evaluates the criterion of a worker, or of the workers of a report group.
pub struct SteadyStateWatch {
    criterion: SteadyStateCriterion,
    /// The workers' indexes in the plan.
    pub members: Vec<usize>,
    counted: Vec<Counted>,
    /// Start of the measured time of the first member; 0 before.
    began_ns: u64,
    /// End of the current interval. [`NEVER_NS`] before the start and after the end.
    pub next_ns: u64,
    pub record: SteadyStateRecord,
}

/// Counters of a worker at the end of the last interval.
#[derive(Clone, Copy, Default)]
struct Counted {
    began_ns: u64,
    at_ns: u64,
    ios: u64,
    bytes: u64,
    latency_sum_ns: u128,
    latencies: u64,
}

impl SteadyStateWatch {
    /// Returns the watches of a plan.
    pub fn of_plan(plan: &Plan) -> Vec<SteadyStateWatch> {
        let mut watches: Vec<SteadyStateWatch> = Vec::new();
        for (index, worker) in plan.workers.iter().enumerate() {
            let Some(criterion) = worker.job().and_then(|job| job.load.steady_state) else { continue };
            let reports_with = |watch: &&mut SteadyStateWatch| {
                let other = watch.members.last().map(|&other| &plan.workers[other]);
                other.is_some_and(|other| other.group == worker.group && other.phase == worker.phase)
            };
            match watches.last_mut().filter(reports_with).filter(|_| worker.reports_group) {
                Some(watch) => watch.members.push(index),
                None => watches.push(SteadyStateWatch::new(criterion, index)),
            }
        }
        for watch in &mut watches {
            watch.counted = vec![Counted::default(); watch.members.len()];
        }
        watches
    }

    fn new(criterion: SteadyStateCriterion, member: usize) -> Self {
        SteadyStateWatch {
            criterion,
            members: vec![member],
            counted: Vec::new(),
            began_ns: 0,
            next_ns: NEVER_NS,
            record: SteadyStateRecord::default(),
        }
    }

    /// Returns the steady state so far. The last member reports it for all.
    pub fn event(&self) -> Event {
        Event::SteadyState { worker: self.members[self.members.len() - 1], state: Box::new(self.record.clone()) }
    }

    /// Returns whether the criterion needs the latencies of snapshots.
    pub fn needs_snapshots(&self) -> bool {
        self.criterion.metric == SteadyMetric::Latency
    }

    /// Reads the counters at the end of an interval. Returns true if an interval ended. `stats` returns the
    /// last snapshot of a worker.
    pub fn look<'a>(
        &mut self,
        workers: &[WorkerLive],
        stats: impl Fn(usize) -> Option<&'a WorkerStats>,
        now_ns: u64,
    ) -> bool {
        if self.began_ns == 0 {
            self.begin(workers);
        }
        if now_ns < self.next_ns {
            return false;
        }
        let interval_ns = self.criterion.interval_s * 1_000_000_000;
        while self.next_ns <= now_ns {
            self.next_ns += interval_ns;
        }
        let figures = self.figures(workers, stats, now_ns);
        let ramp_ns = self.criterion.ramp_s * 1_000_000_000;
        if ramp_ns == 0 || now_ns - self.began_ns >= ramp_ns + interval_ns {
            self.record.add(&self.criterion, figures);
        }
        if self.record.attained {
            self.next_ns = u64::MAX;
        }
        true
    }

    fn begin(&mut self, workers: &[WorkerLive]) {
        let began = self.members.iter().map(|&member| workers[member].began_ns.load(Relaxed));
        if let Some(began_ns) = began.filter(|&began_ns| began_ns > 0).min() {
            self.began_ns = began_ns;
            self.next_ns = began_ns + self.criterion.interval_s * 1_000_000_000;
        }
    }

    /// Returns I/Os and bytes per second since the end of the last interval, and the mean latency.
    fn figures<'a>(
        &mut self,
        workers: &[WorkerLive],
        stats: impl Fn(usize) -> Option<&'a WorkerStats>,
        now_ns: u64,
    ) -> [u64; 3] {
        let (mut iops, mut bytes_per_s, mut sum_ns, mut latencies) = (0.0, 0.0, 0, 0u64);
        for (&member, last) in self.members.iter().zip(&mut self.counted) {
            let worker = &workers[member];
            if !matches!(worker.state(), State::Running | State::Verifying) {
                continue;
            }
            let now = count(worker, stats(member), now_ns);
            if last.began_ns != now.began_ns {
                // The counters started at 0 with the measured time.
                *last = Counted { began_ns: now.began_ns, at_ns: now.began_ns, ..Counted::default() };
            }
            let seconds = (now_ns.saturating_sub(last.at_ns) as f64 / 1e9).max(1e-9);
            iops += now.ios.saturating_sub(last.ios) as f64 / seconds;
            bytes_per_s += now.bytes.saturating_sub(last.bytes) as f64 / seconds;
            sum_ns += now.latency_sum_ns.saturating_sub(last.latency_sum_ns);
            latencies += now.latencies.saturating_sub(last.latencies);
            *last = now;
        }
        let mean_ns = sum_ns.checked_div(u128::from(latencies)).unwrap_or(0);
        [
            units::number::whole(iops.round()),
            units::number::whole(bytes_per_s.round()),
            u64::try_from(mean_ns).unwrap_or(u64::MAX),
        ]
    }
}

fn count(worker: &WorkerLive, stats: Option<&WorkerStats>, now_ns: u64) -> Counted {
    let sum = |counters: &[std::sync::atomic::AtomicU64; 3]| counters.iter().map(|counter| counter.load(Relaxed)).sum();
    let latencies = || stats.into_iter().flat_map(|stats| &stats.ddirs).map(|ddir| &ddir.clat);
    Counted {
        began_ns: worker.began_ns.load(Relaxed),
        at_ns: now_ns,
        ios: sum(&worker.ios),
        bytes: sum(&worker.bytes),
        latency_sum_ns: latencies().map(record::Latency::sum_ns).sum(),
        latencies: latencies().map(record::Latency::count).sum(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use plan::SteadyMeasure;

    use super::*;

    const S: u64 = 1_000_000_000;

    fn plan(ramp_s: u64, reports_together: bool) -> Plan {
        let mut worker = crate::sample::worker("job", "read", 4096, &[Path::new("none")]);
        let (metric, measure) = (SteadyMetric::Iops, SteadyMeasure::MaxDeviation);
        let criterion =
            SteadyStateCriterion { metric, measure, limit: 5.0, is_percent: true, intervals: 3, interval_s: 1, ramp_s };
        worker.job_mut().unwrap().steady_state = Some(criterion);
        worker.reports_group = reports_together;
        Plan { workers: vec![worker.clone(), worker], ..Plan::default() }
    }

    fn running(ios: u64, began_ns: u64) -> WorkerLive {
        let worker = WorkerLive::default();
        worker.set_state(State::Running);
        worker.began_ns.store(began_ns, Relaxed);
        worker.ios[0].store(ios, Relaxed);
        worker.bytes[0].store(ios * 4096, Relaxed);
        worker
    }

    #[test]
    fn rates_of_a_group_add_up_and_are_those_of_the_time_that_passed() {
        let mut watches = SteadyStateWatch::of_plan(&plan(0, true));
        let [watch] = &mut watches[..] else { panic!("one watch for the group") };
        for (now_ns, ios) in [(11 * S, 100), (12 * S + S / 2, 250), (13 * S, 300)] {
            let workers = [running(ios, 10 * S), running(2 * ios, 10 * S)];
            assert!(watch.look(&workers, |_| None, now_ns));
            assert!(!watch.look(&workers, |_| None, now_ns));
        }
        assert_eq!(watch.record.iops, [300, 300, 300]);
        assert_eq!(watch.record.bytes_per_s, [300 * 4096; 3]);
        assert!(watch.record.attained);
    }

    #[test]
    fn the_ramp_is_left_out_and_late_members_start_at_zero() {
        let mut watches = SteadyStateWatch::of_plan(&plan(2, true));
        let watch = &mut watches[0];
        for (now_ns, first, second) in
            [(11, 900, None), (12, 1800, None), (13, 1900, None), (14, 2000, Some(50)), (15, 2100, Some(150))]
        {
            let second = second.map_or_else(WorkerLive::default, |ios| running(ios, 13 * S + S / 2));
            watch.look(&[running(first, 10 * S), second], |_| None, now_ns * S);
        }
        assert_eq!(watch.record.iops, [100, 200, 200]);
        assert!(!watch.record.attained);
    }

    #[test]
    fn jobs_that_report_apart_are_steady_apart() {
        let watches = SteadyStateWatch::of_plan(&plan(0, false));
        assert_eq!(watches.iter().map(|watch| watch.members.clone()).collect::<Vec<_>>(), [[0], [1]]);
    }
}
