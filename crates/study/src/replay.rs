//! Results of studies that have ended, live or saved.

use assessment::{Assessment, Study as Request};
use judge::verdict::keep_invalid;

use crate::error::StudyError;
use crate::{knee, repeats, sweep};

/// Computes the result of a study from its rounds. Figures that a finding makes worthless are INVALID in every study.
///
/// # Errors
///
/// The document's rounds do not fit its request.
pub fn complete(assessment: &mut Assessment) -> Result<(), StudyError> {
    match &assessment.study {
        Request::Knee(_) => knee::complete(assessment)?,
        Request::Sweep(_) => sweep::complete(assessment)?,
        Request::Repeats(_) => repeats::complete(assessment),
        Request::Suite(_) | Request::Single | Request::Preconditioning => {}
    }
    keep_invalid(assessment);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use assessment::{Cause, Finding, Metric, Severity, SteadyRule, Verdict};
    use judge::compare::{self, Run, compare};
    use judge::verdict::{Conclusion, conclusion};
    use plan::{Ddir, Engine, Load, Plan, Stream, Streams, Worker};
    use record::{DiskSlot, Record, TargetFacts, TargetStats, Timeline, WorkerRecord};

    use super::*;
    use crate::knee::{Knee, KneeTarget};
    use crate::run::{End, Outcome, Session, Study};
    use crate::sample;
    use crate::single::Single;
    use crate::suite::SuiteOptions;

    /// Changes a run so that its figures are worthless.
    type Change = fn(&mut Record);

    /// A change for each kind of finding on a run that is INVALID.
    const WORTHLESS: [(&str, Change); 7] = [
        ("in-memory", |record| record.targets[0].in_memory = true),
        ("unwritten", |record| {
            let facts = &mut record.targets[0];
            (facts.size_bytes, facts.unwritten_bytes) = (Some(4096), Some(4096));
        }),
        ("page-cache", |record| not_counted(record, false)),
        ("direct-not-honoured", |record| not_counted(record, true)),
        ("page-cache", |record| {
            let stream = Stream { path: "a".into(), ..Stream::default() };
            let workload = Streams { list: vec![stream], ..Streams::default() };
            with(record, |plan| plan.workers[0].load = Load::Threads(workload));
            let mut target = TargetStats { path: "a".into(), size_bytes: 1 << 20, ..TargetStats::default() };
            target.ddirs[0].clone_from(&record.workers[0].stats.ddirs[0]);
            record.workers[0].stats.targets = vec![target];
            record.machine.memory_bytes = Some(1 << 30);
        }),
        ("removed-before-read", |record| {
            with(record, |plan| {
                let worker = &mut plan.workers[0];
                (worker.job_mut().unwrap().targets.unlink_each_loop, worker.limits.loops) = (true, 2);
            });
        }),
        ("no-ios", |record| {
            let idle = Worker { name: "idle".into(), engine: Engine::Psync, ..Worker::default() };
            with(record, |plan| plan.workers.push(idle));
            record.workers.push(WorkerRecord { ended: true, ..WorkerRecord::default() });
        }),
    ];

    fn with(record: &mut Record, change: impl FnOnce(&mut Plan)) {
        let mut plan = Plan::clone(&record.plan);
        change(&mut plan);
        record.plan = Arc::new(plan);
    }

    /// Makes the device count none of the reads.
    fn not_counted(record: &mut Record, is_direct: bool) {
        with(record, |plan| {
            let worker = &mut plan.workers[0];
            (worker.job_mut().unwrap().targets.open.direct, worker.measure.disk_util) = (is_direct, true);
        });
        record.targets[0].disks = vec!["x".into()];
        let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
        timeline.count((0, 2_000_000_000), Ddir::Read, 1000, 1000 * 4096);
        timeline.end(2_000_000_000, &[(0, 2_000_000_000)]);
        timeline.disks = vec!["x".into()];
        timeline.slots.iter_mut().for_each(|slot| slot.disks = vec![DiskSlot::default()]);
        record.timeline = vec![timeline];
    }

    /// A run of reads of the file `a`.
    fn record(change: Option<Change>) -> Record {
        let mut record = sample::record(&[(1000, 4096, 1000)]);
        with(&mut record, |plan| plan.workers[0].engine = Engine::Psync);
        let path = record.plan.workers[0].job().unwrap().load.targets.paths[0].clone();
        record.targets = vec![TargetFacts { path, ..TargetFacts::default() }];
        if let Some(change) = change {
            change(&mut record);
        }
        record
    }

    fn plan() -> Arc<Plan> {
        Arc::new(sample::plan_of("--name=a --size=1m"))
    }

    fn repeats(workloads: usize, fail_on: &[&str]) -> Box<dyn Study> {
        let names = repeats::NAMES.iter().take(workloads);
        let workload = |name: &&str| assessment::Workload { name: (*name).into(), line: "fio".into(), prepare: None };
        let request = assessment::Repeats {
            workloads: names.map(workload).collect(),
            repeats: 4,
            order: "given".to_owned(),
            seed: None,
            fail_on: fail_on.iter().map(|text| (*text).to_owned()).collect(),
            set: None,
            runs: Vec::new(),
            result: None,
        };
        let plans = vec![plan(); workloads];
        Box::new(repeats::Repeats::new(Session::default(), request, plans, Duration::ZERO).unwrap())
    }

    fn swept() -> Box<dyn Study> {
        let request = assessment::Sweep {
            dialect: "fio".into(),
            line: vec!["job.fio".into()],
            axes: vec![("direct".into(), vec!["0".into(), "1".into()])],
            repeats: 2,
            order: "given".into(),
            seed: None,
            metric: Metric::IOPS,
            refused: Vec::new(),
            result: None,
        };
        Box::new(sweep::Sweep::new(Session::default(), request, vec![plan(); 2], Duration::ZERO).unwrap())
    }

    fn searched(iodepth_max: Option<u32>) -> Box<dyn Study> {
        let request = assessment::Knee {
            work: "reads".into(),
            percentile: "p99".into(),
            percent: 99.0,
            bound_ns: None,
            runtime_ns: 1_000_000_000,
            poisson: false,
            iodepth_max,
            workers: 1,
            job: Vec::new(),
            like: None,
            result: None,
        };
        let target = KneeTarget { path: "a".into(), bytes: None, is_new: false, has_direct_io: true };
        Box::new(Knee::new(Session::default(), request, target))
    }

    fn suite(until_steady: Option<SteadyRule>) -> Box<dyn Study> {
        Box::new(sample::suite(SuiteOptions { until_steady, ..SuiteOptions::default() }, &["4k", "8k"]))
    }

    fn studies() -> [(&'static str, Box<dyn Study>); 9] {
        [
            ("suite", suite(None)),
            ("suite until steady", suite(Some(SteadyRule::Snia))),
            ("single", Box::new(Single::new(Session::default(), plan()))),
            ("repeats", repeats(1, &[])),
            ("two workloads", repeats(2, &[])),
            ("two workloads with a limit", repeats(2, &["read.iops<-90%"])),
            ("sweep", swept()),
            ("rates", searched(None)),
            ("depths", searched(Some(4))),
        ]
    }

    /// Ends a study in which the run with this number, or each one, is worthless.
    fn ended(mut study: Box<dyn Study>, change: Change, worthless: Option<usize>) -> Assessment {
        let mut made = 0;
        while study.next().is_some() {
            let is_worthless = worthless.is_none_or(|nth| nth == made);
            study.take(Outcome::completed(record(is_worthless.then_some(change))));
            made += 1;
        }
        study.finish(&End::default())
    }

    #[test]
    fn worthless_figures_are_invalid_in_every_study() {
        for (kind, change) in WORTHLESS {
            for worthless in [None, Some(0)] {
                for (name, study) in studies() {
                    let mut assessment = ended(study, change, worthless);
                    let of_kind =
                        |finding: &Finding| finding.severity == Severity::Invalid && finding.kind.name() == kind;
                    let has_finding = assessment.tests.iter().any(|test| test.findings.iter().any(of_kind));
                    assert_eq!((assessment.verdict, has_finding), (Verdict::Invalid, true), "{name}: {kind}");
                    assert!(is_finding(&assessment.cause), "{name}: {:?}", assessment.cause);
                    assert_eq!(conclusion(&assessment), Conclusion::Invalid, "{name}");
                    complete(&mut assessment).unwrap();
                    assert_eq!((assessment.verdict, name), (Verdict::Invalid, name), "saved");
                    let sides = [vec![Run::Assessment(&assessment)], vec![Run::Assessment(&assessment)]];
                    let compared = compare(&sides, &[], &[]);
                    assert_eq!(compare::conclusion(&compared), Conclusion::Invalid, "{name}: {kind}, compared");
                }
            }
        }
    }

    fn is_finding(cause: &Cause) -> bool {
        match cause {
            Cause::Finding(_) => true,
            Cause::Test { cause, .. } => is_finding(cause),
            _ => false,
        }
    }

    #[test]
    fn no_worthless_point_is_the_best() {
        let best = |worthless| {
            let assessment = ended(swept(), WORTHLESS[0].1, worthless);
            let Request::Sweep(request) = assessment.study else { panic!("a sweep") };
            request.result.unwrap().best.map(|best| best.point)
        };
        assert_eq!((best(Some(0)), best(Some(1)), best(None)), (Some(1), Some(0), None));
    }
}
