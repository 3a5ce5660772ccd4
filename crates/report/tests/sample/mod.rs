//! A sample assessment with everything that reports show. Its numbers are always the same.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::{Arc, LazyLock};

use assessment::{
    Aim, Application, Assessment, Basis, Cause, Citation, Confidence, Device, DeviceBytes, Expected, ExpectedLimit,
    Failure, Finding, FindingKind, Judgement, Level, Levels, Metric, Mount, PageCache, Preparation, PreparationDetail,
    PreparationOutcome, PreparationReason, PreparationStep, RateChange, RateShape, RateUnit, Reason, Round, SCHEMA,
    Severity, Steady, SteadyRule, SteadyState, Study, Subject, Target, TargetKind, Test, Threshold, ThresholdBound,
    TokenBucket, Verdict,
};
use plan::{Ddir, Plan, Worker};
use record::{Cpu, DiskSlot, Machine, PhaseRecord, Record, SlotLatencies, TargetFacts, Timeline};

const SECOND_NS: u64 = 1_000_000_000;

/// A run: seconds, I/Os per second, bytes per I/O, and median latency in ns.
pub struct Did {
    pub ddir: Ddir,
    pub spells: Vec<(u64, u64)>,
    pub bytes: u64,
    pub median_ns: u64,
}

/// Pseudo-random numbers from 0 to 1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A latency with a long tail.
    fn latency_ns(&mut self, median_ns: u64) -> u64 {
        let spread = (0..4).map(|_| self.next() - 0.5).sum::<f64>();
        let tail = if self.next() < 0.004 { 12.0 } else { 1.0 };
        (median_ns as f64 * (spread * 0.6).exp() * tail) as u64
    }
}

/// Returns the record of a run. Every hundredth I/O represents a hundred.
pub fn record(did: &[Did]) -> Record {
    let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), 1_790_000_000_000);
    let mut chance = Chance(7);
    let mut timeline = Timeline::new(0, SECOND_NS, vec!["sdb".to_owned()]);
    let mut end_s = 0;
    for did in did {
        let stats = &mut record.workers[0].stats.ddirs[did.ddir as usize];
        let mut second = 0;
        for (seconds, iops) in &did.spells {
            for _ in 0..*seconds {
                let iops = (*iops as f64 * (0.98 + 0.04 * chance.next())) as u64;
                let span = (second * SECOND_NS, (second + 1) * SECOND_NS);
                timeline.count(span, did.ddir, iops, iops * did.bytes);
                // The device merges some of the I/Os.
                let mut counted = DiskSlot::default();
                counted.ios[did.ddir as usize] = iops * 9 / 10;
                counted.bytes[did.ddir as usize] = iops * did.bytes;
                timeline.count_disk(span, 0, &counted);
                let mut lat = SlotLatencies::default();
                for _ in 0..(iops / 100).max(1) {
                    let ns = chance.latency_ns(did.median_ns);
                    stats.lat.record(ns);
                    lat.record(ns);
                }
                timeline.count_lat(span, did.ddir, &lat);
                stats.ios += iops;
                stats.bytes += iops * did.bytes;
                second += 1;
            }
        }
        stats.runtime_ns = second * SECOND_NS;
        end_s = end_s.max(second);
    }
    timeline.end(end_s * SECOND_NS, &[(0, end_s * SECOND_NS)]);
    record.timeline = vec![timeline];
    record.targets = vec![TargetFacts { disks: vec!["sdb".to_owned()], ..TargetFacts::default() }];
    record.phases = vec![PhaseRecord { measured_ns: end_s * SECOND_NS, ..PhaseRecord::default() }];
    record
}

pub fn test(name: &str, aim: Aim, rounds: Vec<Round>) -> Test {
    Test {
        name: name.to_owned(),
        title: "What is measured, in plain words".to_owned(),
        aim,
        volumes: Vec::new(),
        job: format!("[{name}]\nrw=randwrite\nbs=4k\nfilename=/dev/sdb\n"),
        rounds,
        passes: 1,
        steady: Vec::new(),
        findings: Vec::new(),
        disturbance: None,
        judgements: Vec::new(),
        verdict: Verdict::Pass,
        cause: Cause::NothingExpected,
        error: None,
    }
}

fn at(settings: &[(&str, &str)], did: &[Did]) -> Round {
    let at = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Round { at, record: record(did) }
}

fn writes(spells: Vec<(u64, u64)>, median_ns: u64) -> Did {
    Did { ddir: Ddir::Write, spells, bytes: 4096, median_ns }
}

fn metric(name: &str) -> Metric {
    Metric::parse(name).expect("a metric")
}

fn of_job(name: &str) -> Subject {
    Subject::Jobs { phase: 0, names: vec![name.to_owned()] }
}

fn required(value: f64, bound: ThresholdBound) -> Option<Threshold> {
    Some(Threshold {
        value,
        enough: value,
        bound,
        basis: Basis::Requirement { volume: None, application: None, is_unconfirmed: false },
    })
}

fn throttled() -> Test {
    let did = [writes(vec![(180, 16_000), (120, 9_000)], 800_000)];
    let judgement = Judgement {
        verdict: Verdict::Fail,
        metric: metric("write.iops"),
        at: Vec::new(),
        measured: 13_201.0,
        whole_run: None,
        threshold: Some(Threshold {
            value: 16_000.0,
            enough: 15_984.0,
            bound: ThresholdBound::AtLeast,
            basis: Basis::Limit { of: "P30".to_owned() },
        }),
        few_intervals: None,
        correction: None,
        can_continue: false,
        interval: Some((12_702.0, 13_650.0)),
        reason: Reason::NotEnough(RateShape::Fell(RateChange { from: 16_003.0, to: 8_998.0 })),
    };
    let levels = vec![Level { rate: 16_003.0, until_s: Some(180.0) }, Level { rate: 8_998.0, until_s: None }];
    let held = (16_003.0 - 8_998.0) * 180.0;
    let bucket = TokenBucket { refill_per_s: 8_998.0, held, refill_s: Some(held / 8_998.0), product: None };
    Test {
        judgements: vec![judgement.clone()],
        findings: vec![Finding {
            kind: FindingKind::StepDown(Levels { unit: RateUnit::Iops, levels, token_bucket: Some(bucket) }),
            subject: of_job("max-write-iops"),
            severity: Severity::Warning,
        }],
        verdict: Verdict::Fail,
        cause: Cause::Judgement(Box::new(judgement)),
        ..test("max-write-iops", Aim::VmUncached, vec![at(&[], &did)])
    }
}

fn cached_reads() -> Finding {
    let bytes = DeviceBytes {
        direction: Ddir::Read,
        devices: vec!["sdb".to_owned()],
        requested_bytes: 43_000_000_000,
        device_bytes: 0,
    };
    Finding {
        kind: FindingKind::PageCache(PageCache::Counted(bytes)),
        subject: of_job("max-read-iops"),
        severity: Severity::Invalid,
    }
}

fn cached() -> Test {
    let did = [Did { ddir: Ddir::Read, spells: vec![(60, 180_000)], bytes: 4096, median_ns: 4_000 }];
    Test {
        findings: vec![cached_reads()],
        verdict: Verdict::Invalid,
        cause: Cause::Finding(Box::new(cached_reads())),
        ..test("max-read-iops", Aim::VmCached, vec![at(&[], &did)])
    }
}

fn steady() -> Test {
    let values: Vec<f64> = (0..12).map(|round| 20_000.0 + 25_000.0 / f64::from(1 + round * round)).collect();
    let round = |iops: &f64| at(&[("bs", "4k")], &[writes(vec![(8, *iops as u64)], 700_000)]);
    Test {
        rounds: values.iter().map(round).collect(),
        steady: vec![Steady {
            at: None,
            rule: SteadyRule::Snia,
            metric: metric("write.iops"),
            values: values.clone(),
            from_round: Some(7),
            state: SteadyState::Window { first: 8, last: 12, range_share: 0.02, slope_share: 0.013 },
        }],
        ..test("snia-iops", Aim::DiskIops, Vec::new())
    }
}

fn blocks() -> Test {
    let sizes = [("4k", 4096u64), ("16k", 16_384), ("64k", 65_536), ("256k", 262_144), ("1m", 1 << 20)];
    let mut rounds = Vec::new();
    for (mix, share) in [("100", 1.0), ("0", 0.6)] {
        for (name, bytes) in sizes {
            let iops = (40_000.0f64.min(600e6 / bytes as f64) * share) as u64;
            let ddir = if mix == "100" { Ddir::Read } else { Ddir::Write };
            let did = Did { ddir, spells: vec![(4, iops)], bytes, median_ns: 128 * SECOND_NS / iops.max(1) };
            rounds.push(at(&[("bs", name), ("rwmixread", mix)], &[did]));
        }
    }
    test("block-sizes", Aim::Behaviour, rounds)
}

fn knee() -> Test {
    let round = |nth: u64| {
        let iops = nth * 2000;
        let busy = (iops as f64 / 14_500.0).min(0.97);
        let mut round = at(&[("rate_iops", &iops.to_string())], &[writes(vec![(5, iops)], 300_000)]);
        let stats = &mut round.record.workers[0].stats.ddirs[Ddir::Write as usize];
        let mut chance = Chance(nth);
        (0..2000).for_each(|_| stats.response.record(chance.latency_ns((300_000.0 / (1.0 - busy)) as u64)));
        round
    };
    test("knee", Aim::Behaviour, (1..=7).map(round).collect())
}

fn flushes() -> Test {
    let mut round = at(&[], &[writes(vec![(10, 250)], 40_000)]);
    let mut chance = Chance(3);
    let stats = &mut round.record.workers[0].stats;
    (0..2500).for_each(|_| stats.sync_lat.record(chance.latency_ns(3_800_000)));
    Test {
        judgements: vec![Judgement {
            verdict: Verdict::Pass,
            metric: metric("fsync.p99"),
            at: Vec::new(),
            measured: 8_400_000.0,
            whole_run: None,
            threshold: required(10_000_000.0, ThresholdBound::AtMost),
            few_intervals: None,
            correction: None,
            can_continue: false,
            interval: None,
            reason: Reason::Enough { above_limit: None, fall: None, missed: None },
        }],
        ..test("fsync", Aim::FlushLatency, vec![round])
    }
}

fn no_space() -> Failure {
    Failure::Refused { messages: vec!["no space <left> on | device".to_owned()] }
}

/// A name that contains markup.
fn broken() -> Test {
    Test {
        error: Some(no_space()),
        verdict: Verdict::Inconclusive,
        cause: Cause::Failure(no_space()),
        ..test("<b>mixed</b> & \"quoted\"", Aim::DiskBandwidth, Vec::new())
    }
}

/// Returns the sample. It is made once: its histograms take most of the time of a test.
pub fn assessment() -> Assessment {
    static SAMPLE: LazyLock<Assessment> = LazyLock::new(make);
    SAMPLE.clone()
}

fn make() -> Assessment {
    with_tests(vec![throttled(), cached(), steady(), blocks(), knee(), flushes(), broken()])
}

#[expect(clippy::too_many_lines, reason = "a sample with all kinds of data")]
pub fn with_tests(tests: Vec<Test>) -> Assessment {
    let words =
        ["fathom", "assess", "/dev/sdb", "--suite", "azure", "--expect", "azure:P30/uncached", "--report", "a b.html"];
    Assessment {
        schema: SCHEMA.to_owned(),
        fathom: "0.1.0".into(),
        command: words.map(str::to_owned).into(),
        started_unix_ms: 1_790_000_000_000,
        ended_unix_ms: 1_790_000_754_300,
        utc_offset_s: 7200,
        suite: "azure".into(),
        title: "What a disk of a virtual machine delivers".into(),
        target: Target {
            path: "/dev/sdb".into(),
            kind: TargetKind::Device,
            size_bytes: 1 << 40,
            devices: vec![Device {
                name: "sdb".into(),
                model: "Virtual Disk".into(),
                firmware: "1.0".into(),
                serial: "6002248077".into(),
                scheduler: "none".into(),
                rotational: Some(false),
                size_bytes: 1 << 40,
                logical_block_bytes: 512,
                physical_block_bytes: 4096,
            }],
            mount: Some(Mount {
                point: "/mnt/data".into(),
                source: "/dev/sdb1".into(),
                file_system: "xfs".into(),
                options: "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota".into(),
            }),
            ..Target::default()
        },
        volumes: Vec::new(),
        machine: Machine {
            cloud: None,
            hostname: "vm-1".into(),
            kernel: "6.1.0-18-cloud-amd64".into(),
            model: "Microsoft Corporation Virtual Machine".into(),
            cpu_model: "Some CPU at 2.60 GHz".into(),
            memory_bytes: Some(32 << 30),
            page_bytes: 4096,
            governors: vec!["performance".into()],
            cpus: vec![Cpu::default(); 8],
        },
        tags: vec!["<script>alert(1)</script>".into()],
        preparation: vec![Preparation {
            target: None,
            step: PreparationStep::Fill,
            reason: PreparationReason::Needed { tests: vec!["max-read-iops".to_owned()] },
            outcome: PreparationOutcome::Done,
            detail: PreparationDetail::Pass,
            bytes: 1 << 40,
            took_ms: 2_580_000,
        }],
        tests,
        expectations: vec![Expected {
            words: "azure:P30/uncached".to_owned(),
            limits: vec![ExpectedLimit {
                metric: metric("write.iops"),
                volume: None,
                value: 16_000.0,
                tolerance: 0.999,
                source: Some(Citation {
                    of: Some("P30".to_owned()),
                    source: "a vendor's page".to_owned(),
                    date: Some("2026-05-01".to_owned()),
                    confidence: Confidence::High,
                }),
            }],
        }],
        applications: vec![
            Application {
                name: "etcd".to_owned(),
                title: "etcd: the write-ahead log of a cluster".to_owned(),
                verdict: Verdict::Fail,
                cause: Cause::Rule(Box::new(Judgement {
                    verdict: Verdict::Fail,
                    metric: metric("fsync.p99"),
                    at: Vec::new(),
                    measured: 12e6,
                    whole_run: None,
                    threshold: required(10e6, ThresholdBound::AtMost),
                    few_intervals: None,
                    correction: None,
                    can_continue: false,
                    interval: Some((11.8e6, 12.1e6)),
                    reason: Reason::NotEnough(RateShape::Unknown),
                })),
                judgements: vec![Judgement {
                    verdict: Verdict::Fail,
                    metric: metric("fsync.p99"),
                    at: Vec::new(),
                    measured: 12e6,
                    whole_run: None,
                    threshold: required(10e6, ThresholdBound::AtMost),
                    few_intervals: None,
                    correction: None,
                    can_continue: false,
                    interval: Some((11.8e6, 12.1e6)),
                    reason: Reason::NotEnough(RateShape::Unknown),
                }],
                source: Some(Citation {
                    of: None,
                    source: "etcd.io hardware guide".to_owned(),
                    date: Some("2026".to_owned()),
                    confidence: Confidence::High,
                }),
            },
            Application {
                name: "splunk".to_owned(),
                title: "Splunk: an indexer".to_owned(),
                verdict: Verdict::Pass,
                cause: Cause::RequirementsMet,
                judgements: vec![Judgement {
                    verdict: Verdict::Pass,
                    metric: metric("iops"),
                    at: Vec::new(),
                    measured: 1960.0,
                    whole_run: None,
                    threshold: required(800.0, ThresholdBound::AtLeast),
                    few_intervals: None,
                    correction: None,
                    can_continue: false,
                    interval: None,
                    reason: Reason::Enough { above_limit: None, fall: None, missed: None },
                }],
                source: Some(Citation {
                    of: None,
                    source: "recalled".to_owned(),
                    date: None,
                    confidence: Confidence::Low,
                }),
            },
        ],
        classes: Vec::new(),
        machine_limits: None,
        verdict: Verdict::Invalid,
        cause: Cause::Test {
            name: "max-read-iops".to_owned(),
            cause: Box::new(Cause::Finding(Box::new(cached_reads()))),
            others: 0,
            tests: 7,
        },
        stopped: false,
        study: Study::default(),
    }
}

/// Returns a saved run of the suite `quick`, without expectations.
pub fn quick() -> Assessment {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/samples/quick.json");
    assessment::read(&std::fs::read(path).expect("the sample")).unwrap_or_else(|wrong| panic!("{wrong}"))
}
