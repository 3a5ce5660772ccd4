//! Evidence that other programs or the hypervisor disturbed a run. It never is the figure itself: a slow interval is not
//! disturbed because it is slow.

use assessment::{
    Aim, Disturbance, DisturbanceCause, Finding, FindingKind, LatencyKind, LimitReason, LoadGenerator, Metric,
    Quantity, Severity, Statistic, Test, UndisturbedFigure,
};
use plan::Ddir;
use record::{Record, Slot, Timeline};

use crate::findings::load_generator::cpu_wait_share;
use crate::findings::meaning::{Meaning, means};
use crate::findings::phase::phase;
use crate::undisturbed::{DISTURBED_WAIT_SHARE, Evidence, Intervals, Undisturbed, job, others_use_cpus, undisturbed};
use crate::verdict::JobRounds;

/// Percentile of the latency that a test of the lowest latency, or of flushes, is about.
const PERCENTILE: f64 = 99.0;

/// Returns the evidence that a test was disturbed; `None` without.
pub fn of_test(test: &Test) -> Option<Disturbance> {
    let runs: Vec<Intervals> = test.rounds.iter().map(|round| Intervals::of(&round.record)).collect();
    let disturbed = || runs.iter().filter(|run| run.is_disturbed()).flat_map(Intervals::with_evidence);
    let has = |is_of: fn(&Evidence) -> bool| disturbed().any(|one| is_of(&one.evidence));
    let records = || test.rounds.iter().map(|round| &round.record);
    let is_found =
        |cause| records().any(|run| test.findings.iter().any(|finding| cause_of(run, finding) == Some(cause)));
    let causes = [
        (DisturbanceCause::OtherLoad, has(|one| one.other_load.is_some())),
        (DisturbanceCause::CpuWait, has(|one| one.cpu_wait.is_some())),
        (DisturbanceCause::StolenTime, has(|one| one.stolen.is_some())),
        (DisturbanceCause::Interrupted, false),
    ];
    let causes: Vec<DisturbanceCause> =
        causes.into_iter().filter(|(cause, has)| *has || is_found(*cause)).map(|(cause, _)| cause).collect();
    let intervals = runs.iter().map(|run| run.0.len()).sum::<usize>() as u64;
    let undisturbed = runs.iter().map(|run| run.undisturbed().count()).sum::<usize>() as u64;
    let shares = records().filter_map(|run| cpu_wait_share(run, None));
    let cpu_wait_share = shares.reduce(f64::max).filter(|_| causes.contains(&DisturbanceCause::CpuWait));
    (!causes.is_empty()).then(|| Disturbance {
        causes,
        cpu_wait_share,
        intervals,
        disturbed_intervals: intervals - undisturbed,
        figures: figures(test),
    })
}

/// Returns what disturbed a run by a finding; `None` if the finding is about something else.
fn cause_of(record: &Record, finding: &Finding) -> Option<DisturbanceCause> {
    let cpu_wait = |judged: &LoadGenerator| {
        let has_waited = judged.shares.cpu_wait.is_some_and(|share| share >= DISTURBED_WAIT_SHARE);
        (has_waited && others_use_cpus(record)).then_some(DisturbanceCause::CpuWait)
    };
    match &finding.kind {
        FindingKind::OtherLoad(_) => (finding.severity > Severity::Info).then_some(DisturbanceCause::OtherLoad),
        FindingKind::CpuWait(judged) => cpu_wait(judged),
        FindingKind::LoadGeneratorLimit(judged) if judged.reason == LimitReason::WaitedForCpu => cpu_wait(judged),
        FindingKind::Interrupted(_) => Some(DisturbanceCause::Interrupted),
        _ => None,
    }
}

/// Whether a search in an open loop can have missed a rate because of this: other load on the target, a time in which this
/// process did not run, or something else that the slowest I/Os waited for.
pub fn disturbs_search(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::OtherLoad(_) | FindingKind::Interrupted(_) | FindingKind::TailDisturbed { .. })
}

/// Returns the figures of the test that are those of its undisturbed intervals.
fn figures(test: &Test) -> Vec<UndisturbedFigure> {
    let of_rounds = |rounds: &JobRounds| {
        let figure = |metric| {
            let figure = rounds.figure(metric)?;
            let whole_run = figure.whole_run?;
            Some(UndisturbedFigure { metric, undisturbed: figure.measured, whole_run })
        };
        rounds.ddirs().into_iter().filter_map(|ddir| figure(main_metric(test.aim, ddir))).collect::<Vec<_>>()
    };
    JobRounds::of_test(test).iter().flat_map(of_rounds).collect()
}

/// Returns the metric that a test with this aim is about.
fn main_metric(aim: Aim, ddir: Ddir) -> Metric {
    let quantity = main_quantity(aim).unwrap_or(Quantity::Iops);
    Metric { ddir: (!matches!(quantity, Quantity::Fsync(_))).then_some(ddir), quantity }
}

/// Returns the quantity that a test with this aim is made for; `None` for a test of behaviour.
pub fn main_quantity(aim: Aim) -> Option<Quantity> {
    match aim {
        Aim::DiskIops | Aim::VmUncached | Aim::VmCached => Some(Quantity::Iops),
        Aim::DiskBandwidth => Some(Quantity::Bandwidth),
        Aim::LatencyFloor => Some(Quantity::Latency(LatencyKind::Total, Statistic::Percentile(PERCENTILE))),
        Aim::FlushLatency => Some(Quantity::Fsync(Statistic::Percentile(PERCENTILE))),
        Aim::Behaviour => None,
    }
}

/// Removes the causes that the evidence explains as well. `again` finds changes of the rate, in the undisturbed intervals of
/// the run. A change that is in them too remains, without an explanation.
pub fn remove_explained(record: &Record, found: &mut Vec<Finding>, again: impl Fn(&Record) -> Vec<Finding>) {
    let job = job(record, &record.totals());
    let is_marked = |timeline: &&Timeline| {
        let intervals = Intervals::of_phases(record, std::slice::from_ref(*timeline));
        intervals.is_disturbed() && intervals.is_explained(job)
    };
    let marked: Vec<usize> = record.timeline.iter().filter(is_marked).map(|timeline| timeline.phase).collect();
    let is_disturbed =
        |phase: Option<u32>| phase.map_or(!marked.is_empty(), |phase| marked.contains(&(phase as usize)));
    let calm = undisturbed_part(record).map(|calm| again(&calm));
    found.retain_mut(|finding| {
        if !is_disturbed(phase(record, finding)) {
            return true;
        }
        if let FindingKind::StepDown(levels) = &mut finding.kind {
            levels.token_bucket = None;
        }
        let is_same = |other: &Finding| other.subject == finding.subject && other.kind.name() == finding.kind.name();
        match finding.kind {
            FindingKind::Throttled { .. } => false,
            _ if !means(&finding.kind, Meaning::OverTime) => true,
            _ => calm.as_ref().is_none_or(|calm| calm.iter().any(is_same)),
        }
    });
}

/// Returns the run with its undisturbed intervals only; `None` if they are too few.
fn undisturbed_part(record: &Record) -> Option<Record> {
    let Undisturbed::Part(slots) = undisturbed(record, &record.totals()) else { return None };
    let [timeline] = record.timeline.as_slice() else { return None };
    let slots: Vec<Slot> = slots.into_iter().map(|(_, slot)| slot.clone()).collect();
    let until_ns = timeline.from_ns.saturating_add(timeline.interval_ns.saturating_mul(slots.len() as u64));
    Some(Record { timeline: vec![Timeline { slots, until_ns, ..timeline.clone() }], ..record.clone() })
}

#[cfg(test)]
mod tests {
    use assessment::{Round, Verdict};
    use random::Tausworthe64;
    use record::CpuUse;

    use super::*;
    use crate::findings::device::simulated::on_device;
    use crate::time_series::simulated::{run, with};

    const SECOND_NS: u64 = 1_000_000_000;
    const MIB: u64 = 1 << 20;

    #[test]
    fn a_search_is_disturbed_by_what_its_slowest_ios_waited_for() {
        let of = |kind| Finding { kind, subject: assessment::Subject::Run, severity: Severity::Warning };
        let tail = FindingKind::TailDisturbed { direction: Ddir::Write, ios: 10, from_ns: 1, parts: Vec::new() };
        assert!(disturbs_search(&of(tail)) && disturbs_search(&of(FindingKind::OtherLoad(Vec::new()))));
        assert!(!disturbs_search(&of(FindingKind::RemovedBeforeRead)));
    }

    /// Returns reads with these I/Os per second, and the MiB per second that other programs write at the same time.
    fn beside(seconds: &[(u64, u64)]) -> Record {
        let mut record = on_device([0; 2], [0; 2], true);
        let (targets, disks) = (record.targets.clone(), record.timeline[0].disks.clone());
        record = run(&seconds.iter().map(|(ios, _)| *ios as f64).collect::<Vec<_>>());
        (record.targets, record.timeline[0].disks) = (targets, disks);
        for (slot, (_, others)) in record.timeline[0].slots.iter_mut().zip(seconds) {
            let counted = [slot.ddirs[0].bytes, others * MIB];
            slot.disks = vec![record::DiskSlot { ios: [slot.ddirs[0].ios, *others], bytes: counted }];
        }
        let stats = &mut record.workers[0].stats;
        stats.ddirs[0].runtime_ns = stats.runtime_ns;
        with(record, |worker| {
            worker.job_mut().unwrap().targets.paths = vec!["/dev/x".into()];
            worker.job_mut().unwrap().targets.open.direct = true;
            worker.job_mut().unwrap().access.pattern.random = true;
        })
    }

    fn test(record: Record) -> Test {
        let findings = crate::findings::findings(&record);
        let rounds = vec![Round { at: Vec::new(), record }];
        let test = Test { findings, ..Test::of_rounds("test".to_owned(), String::new(), String::new(), rounds) };
        Test { aim: Aim::DiskIops, ..test }
    }

    fn figure(record: &Record) -> (f64, Option<f64>) {
        let metric = Metric::parse("read.iops").expect("a metric");
        let figure = JobRounds::new(&[], vec![record]).figure(metric).expect("a figure");
        (figure.measured.round(), figure.whole_run.map(f64::round))
    }

    #[test]
    fn the_figure_is_that_of_the_intervals_without_other_load() {
        let disturbed = [vec![(10_000, 0); 14], vec![(2_000, 300); 10], vec![(10_000, 0); 8]].concat();
        // The neighbours of disturbed seconds count as disturbed.
        assert_eq!(figure(&beside(&disturbed)), (10_000.0, Some(7_500.0)));
        let found = of_test(&test(beside(&disturbed))).expect("it was disturbed");
        assert_eq!((found.intervals, found.disturbed_intervals), (32, 12));
        assert_eq!(found.causes, [DisturbanceCause::OtherLoad]);
        assert_eq!((found.figures[0].undisturbed, found.figures[0].whole_run), (10_000.0, 7_500.0));
        // Ten remain; then nine.
        assert_eq!(figure(&beside(&disturbed[10..])).0, 10_000.0);
        assert_eq!(figure(&beside(&disturbed[11..])).1, None);
        assert!(of_test(&test(beside(&disturbed[11..]))).expect("it was disturbed").figures.is_empty());
    }

    #[test]
    fn the_figure_is_that_of_the_whole_run_if_the_device_can_have_been_slow_itself() {
        let late = |others: u64| [vec![(10_000, 0); 20], vec![(2_000, others); 10]].concat();
        // No interval shows that the rate returns.
        assert_eq!(figure(&beside(&late(300))), (7_333.0, None));
        // The others used 10 MiB/s. The run lost 31 MiB/s.
        let middle = |others: u64| [late(others), vec![(10_000, 0); 10]].concat();
        assert_eq!(figure(&beside(&middle(10))), (8_000.0, None));
        assert_eq!(figure(&beside(&middle(40))), (10_000.0, Some(8_000.0)));
        assert!(of_test(&test(beside(&middle(10)))).expect("it was disturbed").figures.is_empty());
        // The intervals of a second phase, without reads, would count as a rate of 0.
        let mut phases = beside(&middle(40));
        let written = beside(&middle(0)).timeline.remove(0);
        phases.timeline.push(Timeline { phase: 1, ..written });
        assert_eq!(figure(&phases), (8_000.0, None));
        // Nothing is explained if the hypervisor took all of the time.
        let mut stolen = beside(&middle(0));
        stolen.timeline[0].slots[20..30].iter_mut().for_each(|slot| slot.stolen_ns = SECOND_NS * 2);
        assert_eq!(figure(&stolen), (8_000.0, None));
        // A wait of 20 % does not explain that the rate is half.
        let mut waited = beside(&middle(0));
        waited.phases[0].cpus = vec![CpuUse { cpu: 0, user_ns: 2, kernel_ns: 0, idle_ns: 8 }];
        waited.timeline[0].slots[20..30].iter_mut().for_each(|slot| slot.cpu_wait_ns = SECOND_NS / 5);
        assert_eq!(figure(&waited), (8_000.0, None));
    }

    #[test]
    fn slow_intervals_without_other_evidence_stay_in_the_figure() {
        let slow = [vec![(10_000, 0); 20], vec![(2_000, 0); 10]].concat();
        assert_eq!(figure(&beside(&slow)), (7_333.0, None));
        assert_eq!(of_test(&test(beside(&slow))), None);
    }

    #[test]
    fn waits_for_a_cpu_and_stolen_time_are_evidence() {
        let set: [fn(&mut Slot); 2] = [|slot| slot.cpu_wait_ns = SECOND_NS / 2, |slot| slot.stolen_ns = SECOND_NS / 2];
        for (change, cause) in set.into_iter().zip([DisturbanceCause::CpuWait, DisturbanceCause::StolenTime]) {
            let mut record = beside(&[vec![(10_000, 0); 10], vec![(5_000, 0); 10], vec![(10_000, 0); 10]].concat());
            record.phases[0].cpus = vec![CpuUse { cpu: 0, user_ns: 2, kernel_ns: 0, idle_ns: 8 }];
            record.timeline[0].slots[10..20].iter_mut().for_each(change);
            assert_eq!(figure(&record), (10_000.0, Some(8_333.0)));
            assert_eq!(of_test(&test(record.clone())).map(|found| found.causes), Some(vec![cause]));
            // Threads that wait for each other are not disturbed.
            record.phases[0].cpus[0].idle_ns = 9;
            assert_eq!(of_test(&test(record)).is_some(), cause == DisturbanceCause::StolenTime);
        }
        // A wait that changes the rate by less than a quarter is no disturbance.
        let mut busy = beside(&[(10_000, 0); 30]);
        busy.phases[0].cpus = vec![CpuUse { cpu: 0, user_ns: 8, kernel_ns: 0, idle_ns: 2 }];
        busy.timeline[0].slots.iter_mut().for_each(|slot| slot.cpu_wait_ns = SECOND_NS * 19 / 100);
        assert_eq!(of_test(&test(busy)), None);
    }

    #[test]
    fn the_figure_of_undisturbed_intervals_is_unbiased() {
        let mut random = Tausworthe64::new(11);
        let mut sum = 0.0;
        const RUNS: usize = 400;
        for _ in 0..RUNS {
            let mut level = 0.0;
            let seconds: Vec<(u64, u64)> = (0..60)
                .map(|second| {
                    // Neighbouring levels are correlated. Other programs take half of the disk in a third of the time.
                    level = 0.5 * level + random.fraction() - 0.5;
                    let own = 20_000.0 * (1.0 + 0.3 * level);
                    let is_disturbed = (7..14).contains(&(second % 20));
                    (if is_disturbed { own / 2.0 } else { own } as u64, if is_disturbed { 200 } else { 0 })
                })
                .collect();
            let (measured, whole_run) = figure(&beside(&seconds));
            assert!(whole_run.is_some());
            sum += measured;
        }
        let mean = sum / RUNS as f64;
        assert!((mean / 20_000.0 - 1.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn a_fall_that_other_load_explains_is_no_token_bucket() {
        let kinds = |seconds: &[(u64, u64)]| {
            let found = crate::findings::findings(&beside(seconds)).into_iter();
            found.map(|finding| finding.kind).filter(|kind| !matches!(kind, FindingKind::TooShort { .. })).collect()
        };
        let is_bucket =
            |kind: &FindingKind| matches!(kind, FindingKind::StepDown(levels) if levels.token_bucket.is_some());
        let fall = |others: u64| [vec![(10_000, 0); 20], vec![(2_000, others); 20]].concat();
        let dip = [fall(300), vec![(10_000, 0); 20]].concat();
        let alone: Vec<FindingKind> = kinds(&fall(0));
        assert!(alone.iter().any(is_bucket), "{alone:?}");
        // The undisturbed intervals have no fall.
        let names = |kinds: &[FindingKind]| kinds.iter().map(|kind| kind.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&kinds(&dip)), ["other-load"]);
        // No interval shows that the rate returns.
        let found: Vec<FindingKind> = kinds(&fall(300));
        assert_eq!(names(&found), ["other-load", "step-down"]);
        assert!(!found.iter().any(is_bucket), "{found:?}");
        // The load of the others is too small for an explanation.
        let found: Vec<FindingKind> = kinds(&fall(10));
        assert!(found.iter().any(is_bucket), "{found:?}");
        // They have the same fall: it remains, and is not explained.
        let both = [vec![(10_000, 0); 20], vec![(2_000, 0); 20], vec![(2_000, 300); 10]].concat();
        let found: Vec<FindingKind> = kinds(&both);
        assert_eq!(names(&found), ["other-load", "step-down"]);
        assert!(!found.iter().any(is_bucket), "{found:?}");
    }

    #[test]
    fn a_single_run_names_its_disturbance() {
        let mut assessment = crate::single::assessment(&beside(&[(1_000, 300); 12]));
        assert!(assessment.tests.remove(0).disturbance.is_some());
        assert_eq!(assessment.verdict, Verdict::Measured);
    }
}
