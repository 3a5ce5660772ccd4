//! Assessments of generated runs render to the same bytes before and after they were saved.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use assessment::{Assessment, Metric, PreparationReason, TargetKind};
use fio::lower::FixedMachine;
use fio::parse::env::FixedEnv;
use plan::Plan;
use proptest::prelude::*;
use record::{Arrivals, Record};
use study::knee::{Knee, KneeTarget};
use study::preconditioning::{Extent, Pass, PlannedStep, Preconditioning};
use study::run::Refusal;
use study::suite::{
    self, FillWay, Form, Job, Place, PlannedSuite, Ready, ReadyRun, Site, Sites, SuiteOptions, SuiteParams, SuiteRun,
    SuiteTarget,
};
use study::{End, Outcome, Session, Study, Work};

const MIB: u64 = 1 << 20;
/// Runs of one study that are made at most.
const RUNS_MAX: usize = 16;

/// What happens in one run.
#[derive(Clone, Debug)]
enum Happening {
    /// I/Os of reads and writes, and the latency of the slowest in ns.
    Completes {
        ios: [u64; 2],
        slowest_ns: u64,
    },
    Refused,
    Interrupted,
}

fn happening() -> impl Strategy<Value = Happening> {
    let completes = ([0..60_u64, 0..60_u64], 1_000..50_000_000_u64)
        .prop_map(|(ios, slowest_ns)| Happening::Completes { ios, slowest_ns });
    prop_oneof![12 => completes, 1 => Just(Happening::Refused), 1 => Just(Happening::Interrupted)]
}

fn plan_of(args: &[String], env: &FixedEnv) -> Arc<Plan> {
    match fio::parse(args, env) {
        Ok(fio::Request::Run(invocation)) => Arc::new(fio::lower(&invocation, &FixedMachine { cpus: 1 })),
        other => panic!("{other:?}"),
    }
}

fn sample() -> Arc<Plan> {
    plan_of(&["--name=a: b, c".to_owned(), "--size=1m".to_owned()], &FixedEnv::default())
}

fn plan_of_job(job: &Job) -> Arc<Plan> {
    let file = "suite.fio";
    plan_of(&[file.to_owned()], &FixedEnv::default().file(file, job.text().as_bytes()))
}

/// One second of a plan.
fn record(plan: Arc<Plan>, ios: [u64; 2], slowest_ns: u64) -> Record {
    let mut record = Record::new(plan, 0);
    for worker in &mut record.workers {
        let stats = &mut worker.stats;
        stats.runtime_ns = 1_000_000_000;
        for (ddir, ios) in stats.ddirs.iter_mut().zip(ios) {
            (ddir.ios, ddir.bytes) = (ios, ios * 4096);
            ddir.runtime_ns = if ios > 0 { 1_000_000_000 } else { 0 };
            let mut arrivals = Arrivals::default();
            for nth in 0..ios {
                let lat_ns = slowest_ns * (nth + 1) / ios;
                ddir.lat.record(lat_ns);
                ddir.response.record(2 * lat_ns);
                arrivals.issue(nth, nth + lat_ns, false);
            }
            ddir.arrivals = Some(arrivals);
        }
    }
    record
}

fn outcome(happening: &Happening, work: Work) -> Outcome {
    let plan = match &work {
        Work::Plan(plan) => Arc::clone(plan),
        Work::Job(job) => plan_of_job(job),
    };
    match *happening {
        Happening::Completes { ios, slowest_ns } => Outcome::completed(record(plan, ios, slowest_ns)),
        Happening::Refused => Outcome::Refused(Refusal::new(vec!["no space: a, b".into()])),
        Happening::Interrupted => Outcome::Interrupted(Box::new(record(plan, [7, 0], 1_000_000))),
    }
}

fn single() -> Box<dyn Study> {
    Box::new(study::single::Single::new(Session::default(), sample()))
}

fn sweep(repeats: usize) -> Box<dyn Study> {
    let request = assessment::Sweep {
        dialect: "fio".into(),
        line: vec!["job.fio".into()],
        axes: vec![("bs".into(), vec!["4k".into(), "8k".into(), "64k".into()])],
        repeats,
        order: "given".into(),
        seed: None,
        metric: Metric::IOPS,
        refused: Vec::new(),
        result: None,
    };
    Box::new(study::sweep::Sweep::new(Session::default(), request, vec![sample(); 3], Duration::ZERO).unwrap())
}

fn repeats(repeats: usize) -> Box<dyn Study> {
    let workload = |name: &str| assessment::Workload { name: name.into(), line: "fio job.fio".into(), prepare: None };
    let request = assessment::Repeats {
        workloads: vec![workload("A"), workload("B")],
        repeats,
        order: study::Order::Mirrored.kind().into(),
        seed: None,
        fail_on: Vec::new(),
        set: None,
        runs: Vec::new(),
        result: None,
    };
    Box::new(study::repeats::Repeats::new(Session::default(), request, vec![sample(); 2], Duration::ZERO).unwrap())
}

/// A search over rates, or over depths.
fn knee(iodepth_max: Option<u32>) -> Box<dyn Study> {
    let options = [("rw", "randread"), ("bs", "4k"), ("filename", "/d/data"), ("size", "1048576")];
    let request = assessment::Knee {
        work: "random 4 KiB reads".into(),
        percentile: "p99".into(),
        percent: 99.0,
        bound_ns: Some(5_000_000),
        workers: 1,
        iodepth_max,
        poisson: false,
        runtime_ns: 1_000_000_000,
        job: options.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        like: None,
        result: None,
    };
    let target = KneeTarget { path: "/d/data".into(), bytes: Some(MIB), is_new: true, has_direct_io: true };
    Box::new(Knee::new(Session::default(), request, target))
}

/// The built-in suite with preconditioning.
fn suite() -> Box<dyn Study> {
    let suite = suite::built_in("quick").unwrap();
    let params = SuiteParams {
        form: Form::AsMeant,
        short: true,
        is_resized: true,
        sites: Sites::one(Site::new(Place::Directory("/d".into()), Some(64 * MIB))),
        fill: FillWay::Snia,
        runtime_s: Some(1),
    };
    let target = SuiteTarget {
        names: Vec::new(),
        shown: "/d".into(),
        given: "/d".into(),
        path: "/d".into(),
        kind: TargetKind::Directory,
        existed: false,
        may_write: true,
        has_direct_io: true,
    };
    let run = |test: &suite::Test, cell: assessment::Settings| {
        let job = suite.job(test, &cell, &params);
        ReadyRun { cell, plan: plan_of_job(&job), job }
    };
    let ready = suite.tests.iter().map(|test| Ready {
        test: test.clone(),
        runs: test.cells_of(params.short, 0).into_iter().map(|cell| run(test, cell)).collect(),
    });
    let ready: Vec<Ready> = ready.collect();
    let options = SuiteOptions { prepare: true, ..SuiteOptions::default() };
    let (suite, targets) = (suite.clone(), vec![target]);
    let (criteria, resumed) = (Default::default(), Vec::new());
    let planned = PlannedSuite { suite, params, options, targets, ready, criteria, resumed };
    Box::new(SuiteRun::new(&Session::default(), planned))
}

/// A fill on its own.
fn preconditioning() -> Box<dyn Study> {
    let extent = Extent { path: "/d/data".into(), bytes: Some(MIB) };
    let reason = PreparationReason::Needed { tests: Vec::new() };
    let fill = Pass::fill(vec![extent], vec![("rw".into(), "write".into())], Some(1), reason);
    let step = PlannedStep { step: Box::new(fill), target: None, skipped: None, limits: None };
    Box::new(Preconditioning::new(Session::default(), vec![step]))
}

const KINDS: u8 = 7;

/// Returns a study by its number; each kind has one.
fn study_of(kind: u8, runs: usize) -> Box<dyn Study> {
    match kind {
        0 => single(),
        1 => sweep(runs),
        2 => repeats(runs),
        3 => knee(None),
        4 => knee(Some(8)),
        5 => preconditioning(),
        _ => suite(),
    }
}

/// Returns all that is rendered of an assessment, with the name of the format.
fn rendered(assessment: &Assessment) -> Vec<(&'static str, Option<String>)> {
    vec![
        ("text", report::text(assessment, report::Ink::default())),
        ("study-json", report::json(assessment)),
        ("csv", report::csv(assessment)),
        ("card", Some(report::card(assessment, false, report::Ink::Unicode))),
        ("markdown", Some(report::markdown(assessment))),
        ("html", Some(report::html(assessment))),
        ("svg", Some(report::svg(assessment))),
        ("document", report::document(assessment).ok()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_saved_assessment_renders_as_the_live_one(
        runs in 1..4_usize, happenings in prop::collection::vec(happening(), RUNS_MAX), made in 0..=RUNS_MAX,
        is_stopped in any::<bool>(),
    ) {
        for kind in 0..KINDS {
            let mut study = study_of(kind, runs);
            for happening in &happenings[..made] {
                let Some(run) = study.next() else { break };
                study.take(outcome(happening, run.work));
            }
            let live = study.finish(&End { is_stopped, ..End::default() });
            let mut saved = assessment::read(serde_json::to_string(&live).unwrap().as_bytes()).unwrap();
            study::complete(&mut saved).unwrap();
            for ((format, live), (_, saved)) in rendered(&live).iter().zip(rendered(&saved)) {
                if ["document", "study-json"].contains(format) {
                    harness::check_output(live.as_deref().unwrap_or_default());
                }
                prop_assert!(live == &saved, "study {kind}, {format}:\n{live:?}\n{saved:?}");
            }
        }
    }
}

#[test]
fn the_property_covers_all_kinds_of_studies() {
    let kinds: BTreeSet<String> =
        (0..KINDS).map(|kind| study_of(kind, 1).finish(&End::default()).suite.to_string()).collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}
