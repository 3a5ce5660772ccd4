//! An assessment with all that reports show, made of numbers that are always the same.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use assessment::{
    Aim, Application, Assessment, Device, Expected, ExpectedLimit, Finding, Judgement, Mount, Preparation,
    PreparationOutcome, Round, SCHEMA, Severity, Steady, Study, Target, TargetKind, Test, Verdict,
};
use plan::{Ddir, Plan, Worker};
use record::{CoarseHistogram, Cpu, DiskSlot, Machine, PhaseRecord, Record, TargetFacts, Timeline};

const SECOND_NS: u64 = 1_000_000_000;

/// What a run did: for so many seconds each, so many I/Os a second of so many bytes, of which half took no longer than
/// so many ns.
pub struct Did {
    pub ddir: Ddir,
    pub spells: Vec<(u64, u64)>,
    pub bytes: u64,
    pub median_ns: u64,
}

/// Numbers from 0 to 1 that look like chance.
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

/// A record of that, in which every hundredth I/O stands for a hundred.
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
                // The device merges some of it.
                let mut counted = DiskSlot::default();
                counted.ios[did.ddir as usize] = iops * 9 / 10;
                counted.bytes[did.ddir as usize] = iops * did.bytes;
                timeline.count_disk(span, 0, &counted);
                let mut lat = CoarseHistogram::default();
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
        steady: None,
        findings: Vec::new(),
        judgements: Vec::new(),
        verdict: Verdict::Pass,
        cause: "it was measured".to_owned(),
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

fn throttled() -> Test {
    let did = [writes(vec![(180, 16_000), (120, 9_000)], 800_000)];
    Test {
        judgements: vec![Judgement {
            verdict: Verdict::Fail,
            metric: "write.iops".to_owned(),
            measured: 13_187.0,
            expected: Some(16_000.0),
            unit: "IOPS".to_owned(),
            ratio: Some(0.824),
            interval: Some((12_702.0, 13_650.0)),
            cause: "it stepped down to 9,000 IOPS after 180 s".to_owned(),
        }],
        findings: vec![Finding {
            id: "step-down".to_owned(),
            severity: Severity::Warning,
            what: "max-write-iops: the rate stepped down and stayed there".to_owned(),
            evidence: "16,003 IOPS until second 180, 8,998 IOPS from then on".to_owned(),
            advice: "burst credit: from minute 3 on expect 9,000 IOPS".to_owned(),
        }],
        verdict: Verdict::Fail,
        cause: "it stepped down to 9,000 IOPS after 180 s".to_owned(),
        ..test("max-write-iops", Aim::VmUncached, vec![at(&[], &did)])
    }
}

fn cached() -> Test {
    let did = [Did { ddir: Ddir::Read, spells: vec![(60, 180_000)], bytes: 4096, median_ns: 4_000 }];
    Test {
        findings: vec![Finding {
            id: "page-cache".to_owned(),
            severity: Severity::Invalid,
            what: "max-read-iops: reads came from the machine's memory".to_owned(),
            evidence: "the device read 0 bytes, the job 43 GB".to_owned(),
            advice: "say direct=1".to_owned(),
        }],
        verdict: Verdict::Invalid,
        cause: "reads came from the machine's memory".to_owned(),
        ..test("max-read-iops", Aim::VmCached, vec![at(&[], &did)])
    }
}

fn steady() -> Test {
    let values: Vec<f64> = (0..12).map(|round| 20_000.0 + 25_000.0 / f64::from(1 + round * round)).collect();
    let round = |iops: &f64| at(&[("bs", "4k")], &[writes(vec![(8, *iops as u64)], 700_000)]);
    Test {
        rounds: values.iter().map(round).collect(),
        steady: Some(Steady {
            rule: "snia".to_owned(),
            metric: "write.iops".to_owned(),
            values: values.clone(),
            from_round: Some(7),
            detail: "steady: in the last 5 of 12 rounds write.iops had a range of 2 % of its mean".to_owned(),
        }),
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
            metric: "fsync.p99".to_owned(),
            measured: 8_400_000.0,
            expected: Some(10_000_000.0),
            unit: "ns".to_owned(),
            ratio: Some(0.84),
            interval: None,
            cause: "99 % of the flushes took no longer than that".to_owned(),
        }],
        ..test("fsync", Aim::FlushLatency, vec![round])
    }
}

/// With text in it that would be markup.
fn broken() -> Test {
    Test {
        error: Some("no space <left> on | device".to_owned()),
        verdict: Verdict::Inconclusive,
        cause: "no space <left> on | device".to_owned(),
        ..test("<b>mixed</b> & \"quoted\"", Aim::DiskBandwidth, Vec::new())
    }
}

pub fn assessment() -> Assessment {
    with_tests(vec![throttled(), cached(), steady(), blocks(), knee(), flushes(), broken()])
}

pub fn with_tests(tests: Vec<Test>) -> Assessment {
    let words =
        ["fathom", "assess", "/dev/sdb", "--suite", "azure", "--expect", "azure:P30/uncached", "--report", "a b.html"];
    Assessment {
        schema: SCHEMA.to_owned(),
        fathom: "0.1.0".to_owned(),
        command: words.map(str::to_owned).into(),
        started_unix_ms: 1_790_000_000_000,
        ended_unix_ms: 1_790_000_754_300,
        utc_offset_s: 7200,
        suite: "azure".to_owned(),
        title: "What a disk of a virtual machine delivers".to_owned(),
        target: Target {
            path: "/dev/sdb".to_owned(),
            kind: TargetKind::Device,
            size_bytes: 1 << 40,
            devices: vec![Device {
                name: "sdb".to_owned(),
                model: "Virtual Disk".to_owned(),
                firmware: "1.0".to_owned(),
                scheduler: "none".to_owned(),
                rotational: Some(false),
                size_bytes: 1 << 40,
                logical_block_bytes: 512,
                physical_block_bytes: 4096,
            }],
            mount: Some(Mount {
                point: "/mnt/data".to_owned(),
                source: "/dev/sdb1".to_owned(),
                file_system: "xfs".to_owned(),
                options: "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,noquota".to_owned(),
            }),
        },
        volumes: Vec::new(),
        machine: Machine {
            hostname: "vm-1".to_owned(),
            kernel: "6.1.0-18-cloud-amd64".to_owned(),
            model: "Microsoft Corporation Virtual Machine".to_owned(),
            cpu_model: "Some Processor at 2.60 GHz".to_owned(),
            memory_bytes: 32 << 30,
            page_bytes: 4096,
            governors: vec!["performance".to_owned()],
            cpus: vec![Cpu::default(); 8],
        },
        tags: vec!["<script>alert(1)</script>".to_owned()],
        preparation: vec![Preparation {
            target: None,
            step: "fill".to_owned(),
            reason: "blocks that were never written are read without the disk".to_owned(),
            outcome: PreparationOutcome::Done,
            detail: "wrote 1 TiB in 43 min (406 MiB/s)".to_owned(),
            bytes: 1 << 40,
            took_ms: 2_580_000,
        }],
        tests,
        expectations: vec![Expected {
            words: "azure:P30/uncached".to_owned(),
            limits: vec![ExpectedLimit {
                metric: "write.iops".to_owned(),
                value: 16_000.0,
                unit: "IOPS".to_owned(),
                tolerance: 0.999,
                source: "the machine's limit, as published on 2026-05-01".to_owned(),
            }],
        }],
        applications: vec![
            Application {
                name: "etcd".to_owned(),
                title: "etcd: the write-ahead log of a cluster".to_owned(),
                verdict: Verdict::Fail,
                cause: "fsync.p99 is 12 ms, 120 % of the 10 ms that are allowed at most".to_owned(),
                source: "etcd.io hardware guide, 2026".to_owned(),
            },
            Application {
                name: "splunk".to_owned(),
                title: "Splunk: an indexer".to_owned(),
                verdict: Verdict::Pass,
                cause: "iops is 12,800 IOPS, 1,600 % of the 800 IOPS that are required at least".to_owned(),
                source: "recalled, not confirmed".to_owned(),
            },
        ],
        verdict: Verdict::Invalid,
        cause: "max-read-iops: reads came from the machine's memory".to_owned(),
        stopped: false,
        study: Study::default(),
    }
}
