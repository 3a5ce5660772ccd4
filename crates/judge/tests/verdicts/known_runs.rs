//! Runs with known figures, and functions that judge them. Several modules of tests use them.

use std::sync::{Arc, LazyLock};

use assessment::{
    Aim, Assessment, Cause, Finding, FindingKind, LimitReason, LoadGenerator, LoadGeneratorLimit, Metric, Reason,
    Round, SCHEMA, Severity, Steady, SteadyRule, SteadyState, Study, Subject, Target, Test, TimeShares, Verdict,
};
use judge::limits::{Catalogue, Expectation};
use judge::requirements::Requirements;
use judge::verdict::judge;
use plan::{Ddir, Pattern, Plan, Worker};
use record::{Machine, PhaseRecord, Record, Timeline};
use units::diagnostic::Source;

pub const UNCACHED: &str = "azure:Standard_D8ds_v4/uncached";
/// Parsed once: that takes longer than most tests.
pub static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

/// A run with these I/Os in each second, by direction, and this block size.
pub fn run(seconds: &[[u64; 2]], block: u64, random: bool) -> Record {
    let mut worker = Worker::default();
    worker.job_mut().expect("a job").access.pattern.random = random;
    let plan = Plan { workers: vec![worker], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 0);
    let mut timeline = Timeline::new(0, 1_000_000_000, Vec::new());
    let length_ns = seconds.len() as u64 * 1_000_000_000;
    for (at, ios) in seconds.iter().enumerate() {
        let from = at as u64 * 1_000_000_000;
        for ddir in [Ddir::Read, Ddir::Write] {
            let ios = ios[ddir as usize];
            timeline.count((from, from + 1_000_000_000), ddir, ios, ios * block);
            let stats = &mut record.workers[0].stats.ddirs[ddir as usize];
            stats.ios += ios;
            stats.bytes += ios * block;
            stats.runtime_ns = length_ns;
        }
    }
    timeline.until_ns = length_ns;
    record.workers[0].stats.runtime_ns = length_ns;
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 1);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: length_ns, ..PhaseRecord::default() });
    record
}

/// Random writes of 4 KiB at these rates, with relative noise.
pub fn writes(rates: impl Iterator<Item = f64>, noise: f64) -> Record {
    let mut state = 1u64;
    let seconds: Vec<[u64; 2]> = rates
        .map(|rate| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            [0, (rate * (1.0 + noise * draw)).round() as u64]
        })
        .collect();
    run(&seconds, 4096, true)
}

pub fn level(rate: f64) -> Record {
    writes(std::iter::repeat_n(rate, 60), 0.002)
}

/// Which latencies of writes a run measured.
pub enum Of {
    Clat,
    Lat,
    Syncs,
}

/// Adds latencies to a run, evenly distributed over its time.
pub fn add_latencies(record: &mut Record, of: &Of, count: u64, ns: impl Fn(u64) -> u64) {
    let (stats, slots) = (&mut record.workers[0].stats, &mut record.timeline[0].slots);
    let slot_count = slots.len() as u64;
    for at in 0..count {
        let (ns, slot) = (ns(at), &mut slots[(at * slot_count / count) as usize]);
        let (whole, counts) = (&mut stats.ddirs[Ddir::Write as usize], &mut slot.ddirs[Ddir::Write as usize]);
        match of {
            Of::Clat => whole.clat.record(ns),
            Of::Lat => whole.lat.record(ns),
            Of::Syncs => stats.sync_lat.record(ns),
        }
        match of {
            Of::Syncs => slot.syncs.record(ns),
            Of::Clat | Of::Lat => {
                counts.lat.record(ns);
                counts.lat_sum_ns += u128::from(ns);
            }
        }
    }
}

pub fn test(aim: Aim, record: Record) -> Test {
    Test {
        name: "random-write".to_owned(),
        title: String::new(),
        aim,
        volumes: Vec::new(),
        job: String::new(),
        rounds: vec![Round { at: Vec::new(), record }],
        passes: 1,
        steady: Vec::new(),
        findings: Vec::new(),
        disturbance: None,
        judgements: Vec::new(),
        verdict: Verdict::Pass,
        cause: Cause::NothingMeasured,
        error: None,
    }
}

/// Writes in sequence, each followed by a flush of this latency.
pub fn flushes(rate: f64, ns: u64) -> Test {
    let mut test = test(Aim::FlushLatency, level(rate));
    let record = &mut test.rounds[0].record;
    let mut plan = Plan::clone(&record.plan);
    let access = &mut plan.workers[0].job_mut().expect("a job").access;
    access.pattern = Pattern { reads: false, writes: true, ..Pattern::default() };
    access.syncs.fdatasync_every_writes = 1;
    record.plan = Arc::new(plan);
    add_latencies(record, &Of::Syncs, 5000, |_| ns);
    add_latencies(record, &Of::Lat, 5000, |_| 8000);
    test
}

pub fn assessment(tests: Vec<Test>) -> Assessment {
    Assessment {
        schema: SCHEMA.to_owned(),
        fathom: Default::default(),
        command: Vec::new(),
        started_unix_ms: 0,
        ended_unix_ms: 0,
        utc_offset_s: 0,
        suite: Default::default(),
        title: Default::default(),
        target: Target::default(),
        volumes: Vec::new(),
        machine: Machine::default(),
        tags: Vec::new(),
        preparation: Vec::new(),
        tests,
        expectations: Vec::new(),
        applications: Vec::new(),
        classes: Vec::new(),
        machine_limits: None,
        verdict: Verdict::Pass,
        cause: Cause::NothingMeasured,
        stopped: false,
        study: Study::default(),
    }
}

pub fn expect(words: &str) -> Vec<Expectation> {
    vec![BUILT_IN.expect(&Source::new("--expect", words)).unwrap_or_else(|wrong| panic!("{wrong}"))]
}

pub fn require(words: &str) -> Vec<Requirements> {
    vec![Requirements::parse(&Source::new("--require", words)).unwrap_or_else(|wrong| panic!("{wrong}"))]
}

pub fn judged(test: Test, words: &str) -> Assessment {
    let mut assessment = assessment(vec![test]);
    judge(&mut assessment, &expect(words), &[]);
    assessment
}

pub fn finding(kind: FindingKind, severity: Severity) -> Finding {
    Finding { kind, subject: Subject::Run, severity }
}

pub fn load_generator_limit(reason: LimitReason) -> FindingKind {
    FindingKind::LoadGeneratorLimit(LoadGenerator {
        user_ns_per_io: 1.0,
        system_ns_per_io: 1.0,
        on_cpu_percent: 100.0,
        cpu_wait_percent: None,
        limit: LoadGeneratorLimit::Limit,
        reason,
        threads: 1,
        of_threads: 1,
        shares: TimeShares::default(),
    })
}

/// The verdict on a run of writes against the VM's uncached limit of 12,800, and its reason.
pub fn on(record: Record) -> (Verdict, Reason) {
    let assessment = judged(test(Aim::VmUncached, record), UNCACHED);
    (assessment.verdict, reason(&assessment))
}

/// The reason of the first judgement.
pub fn reason(assessment: &Assessment) -> Reason {
    assessment.tests[0].judgements[0].reason.clone()
}

pub fn steady(values: Vec<f64>, from_round: Option<usize>, state: SteadyState) -> Steady {
    Steady { at: None, rule: SteadyRule::Snia, metric: metric("write.iops"), values, from_round, state }
}

pub fn metric(name: &str) -> Metric {
    Metric::parse(name).expect("a metric")
}
