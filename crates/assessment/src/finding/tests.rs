//! Findings in documents, their names, and what distinguishes them.

use record::schema::{read_document, write_document};
use record::{DiskWarning, IdleState, PcieLink};

use super::*;

fn round_trip(finding: &Finding) -> Finding {
    let text = write_document(finding).expect("findings can be written");
    read_document(text.as_bytes()).unwrap_or_else(|wrong| panic!("{wrong}: {text}"))
}

#[test]
fn findings_are_read_as_they_were_written() {
    let names = || ["a: b, c", "a", "a: b, c"].into_iter();
    let kinds = [
        FindingKind::InMemory,
        FindingKind::NotSteady(Unsteady::Drift { change_share: -0.27, median_iops: 8820.5 }),
        FindingKind::PageCache(PageCache::FitsMemory {
            used_bytes: 1 << 20,
            memory_bytes: u64::MAX,
            counted: Some(Moved { run_bytes: (1 << 60) + 1, device_bytes: 0 }),
        }),
        FindingKind::OtherLoad(vec![DeviceBytes {
            direction: Ddir::Write,
            devices: vec!["sda".to_owned()],
            requested_bytes: 0,
            device_bytes: u64::MAX,
        }]),
    ];
    for kind in kinds {
        let finding = Finding { kind, subject: Subject::jobs(1, names()), severity: Severity::Warning };
        assert_eq!(round_trip(&finding), finding);
    }
}

#[test]
fn documents_have_kind_evidence_subject_and_severity() {
    let finding = Finding {
        kind: FindingKind::Unwritten { unwritten_bytes: 4096, size_bytes: None },
        subject: Subject::Targets(vec!["/dev/x".to_owned()]),
        severity: Severity::Invalid,
    };
    let text = write_document(&finding).expect("findings can be written");
    let text: String = text.split_whitespace().collect();
    let expected = r#"{"kind":"unwritten","evidence":{"unwritten_bytes":4096,"size_bytes":null},"subject":{"targets":["/dev/x"]},"severity":"invalid"}"#;
    assert_eq!(text, expected);
    let reordered = r#"{"severity": "info", "new": [1], "evidence": {"devices": ["loop0"]}, "subject": "run", "kind": "cached-below"}"#;
    let read: Finding = read_document(reordered.as_bytes()).expect("the order of fields is free");
    assert_eq!((read.kind.name(), read.subject, read.severity), ("cached-below", Subject::Run, Severity::Info));
    assert!(read_document::<Finding>(br#"{"kind": "in-memory", "severity": "info"}"#).is_err());
    assert!(read_document::<Finding>(br#"{"kind": "unknown", "subject": "run", "severity": "info"}"#).is_err());
    let no_finding = read_document::<Finding>(b"[]").expect_err("no object").to_string();
    assert!(no_finding.contains("invalid type: sequence, expected a map"), "{no_finding}");
}

fn device_bytes(direction: Ddir, device_bytes: u64) -> DeviceBytes {
    DeviceBytes { direction, devices: vec!["sda".to_owned()], requested_bytes: 8192, device_bytes }
}

fn late(cause: LateCause) -> LateIos {
    LateIos { due: 9, late: 3, late_after_ms: 1, queue_full: 2, unissued: 1, runtime_s: 1.0, cause }
}

fn levels(rate: f64) -> Levels {
    Levels { unit: RateUnit::Iops, levels: vec![Level { rate, until_s: None }], token_bucket: None }
}

fn load_generator(reason: LimitReason, threads: u64) -> LoadGenerator {
    LoadGenerator {
        user_ns_per_io: 1.0,
        system_ns_per_io: 1.0,
        on_cpu_percent: 1.0,
        cpu_wait_percent: None,
        limit: crate::LoadGeneratorLimit::Limit,
        reason,
        threads,
        of_threads: 9,
        shares: crate::TimeShares::default(),
    }
}

/// One finding of each kind.
fn each_kind() -> Vec<FindingKind> {
    use FindingKind::*;
    let bytes = || device_bytes(Ddir::Write, 4096);
    let detail = || PreparationDetail::Pass;
    vec![
        InMemory,
        CachedBelow { devices: vec!["loop0".to_owned()] },
        PageCache(self::PageCache::Counted(bytes())),
        TargetFitsCache { size_bytes: 1, memory_bytes: 2, moved_bytes: 3 },
        Unwritten { unwritten_bytes: 1, size_bytes: None },
        DirectNotHonoured(bytes()),
        DeviceDisagrees(bytes()),
        OtherLoad(vec![bytes()]),
        TargetShort { size_bytes: 1, end_bytes: 2 },
        EndedEarly { runtime_s: 1.0, ran_s: 0.5, moved_bytes: 1, jobs: 1 },
        Interrupted(Vec::new()),
        TooShort { measured_s: 1.0, ios: 1, lacks: Lack::Ios },
        DepthNotReached { depth: 2, mean_in_flight: 1.0, workers: 1, of_workers: 1, is_direct: true, is_trim: false },
        SynchronousEngine { depth: 2, engine: "psync".to_owned() },
        NoIos { cause: NoIosCause::Zones, jobs: 1 },
        RemovedBeforeRead,
        UnintendedTarget(super::UnintendedTarget::Split { path: "a:b".to_owned() }),
        LoadGeneratorLimit(load_generator(LimitReason::OwnTime, 1)),
        CpuWait(load_generator(LimitReason::OwnTime, 1)),
        SlowHost { bytes_per_s: 1.0, others_bytes_per_s: 3.0, others: 2 },
        RateMissed(late(LateCause::LoadGenerator)),
        LateArrivals(late(LateCause::LoadGenerator)),
        GroupIoLimit { direction: Ddir::Write, ios: 10, from_ns: 1, time_share: 1.0 },
        TailDisturbed { direction: Ddir::Write, ios: 10, from_ns: 1, parts: Vec::new() },
        StepDown(levels(1.0)),
        StepUp(levels(1.0)),
        Levels(levels(1.0)),
        Throttled { direction: Ddir::Read, iops: 1.0, passed_share: 0.5, passed_ns: 1, held_share: 0.5, held_ns: 1 },
        NotSteady(Unsteady::Drift { change_share: 0.1, median_iops: 1.0 }),
        Overheated {
            disk: "nvme0n1".to_owned(),
            throttled_s: 1,
            transitions: 2,
            temperature_c: Some(80.0),
            hot: Some(HotTime { limit_c: 75, from_s: 1.0, until_s: 2.0 }),
        },
        MediaErrors { disk: "nvme0n1".to_owned(), errors: 1 },
        WornOut {
            disk: "nvme0n1".to_owned(),
            used_percent: Some(104),
            spare_percent: Some(9),
            spare_threshold_percent: None,
            warnings: vec![DiskWarning::Spare],
        },
        SlowLink {
            disk: "nvme0n1".to_owned(),
            link: PcieLink { gt_per_s: 8.0, max_gt_per_s: 16.0, lanes: 2, max_lanes: 4 },
        },
        VolatileWriteCache { disk: "sda".to_owned(), is_flushed: true },
        PowerSaving {
            disk: "nvme0n1".to_owned(),
            state: IdleState { state: 4, after_ms: 100, exit_us: 40_000 },
            pause_ms: 1000.0,
            median_ns: 38_000_000,
        },
        NoDirectIo,
        NoSteadyState(SteadyState::StartsFarOff { first: 1 }),
        NoFill(detail()),
        NoPrecondition(detail()),
        NoInitialise(detail()),
        NoWarm(detail()),
        ShortSteps { percent: 99.0, bound_ns: 1, step_ns: 1, needed_ns: 2 },
        FewTailIos { percent: 99.0, ios_beyond: 1.0 },
    ]
}

#[test]
fn each_kind_has_the_name_of_its_documents() {
    assert_eq!(each_kind().len(), FindingKind::COUNT, "a kind is missing in each_kind");
    for kind in each_kind() {
        let text = write_document(&kind).expect("a kind");
        let name = kind.name();
        assert!(text.contains(&format!("\"kind\": \"{name}\"")), "{name}: {text}");
        let finding = Finding { kind, subject: Subject::Threads, severity: Severity::Info };
        assert_eq!(round_trip(&finding), finding);
    }
}

#[test]
fn findings_of_one_direction_have_it() {
    let all = ["page-cache", "direct-not-honoured", "device-disagrees", "tail-disturbed", "group-io-limit"];
    let with = |name: &str| all.contains(&name);
    for kind in each_kind() {
        assert_eq!(kind.direction(), with(kind.name()).then_some(Ddir::Write), "{}", kind.name());
    }
    let fits = PageCache::FitsMemory { used_bytes: 1, memory_bytes: 2, counted: None };
    assert_eq!(FindingKind::PageCache(fits).direction(), None);
}

#[test]
fn each_kind_says_the_same_as_itself_only() {
    let kinds = each_kind();
    for (at, one) in kinds.iter().enumerate() {
        for (other_at, other) in kinds.iter().enumerate() {
            assert_eq!(one.says_same(other), at == other_at, "{} {}", one.name(), other.name());
        }
    }
}

#[test]
fn what_distinguishes_findings_of_one_kind_is_in_their_headline() {
    use FindingKind::*;
    let depth = |is_direct, workers| DepthNotReached {
        depth: 2,
        mean_in_flight: 1.0,
        workers,
        of_workers: 9,
        is_direct,
        is_trim: false,
    };
    let steps = |bound_ns, needed_ns| ShortSteps { percent: 99.0, bound_ns, step_ns: 1, needed_ns };
    let tail = |percent, ios_beyond| FewTailIos { percent, ios_beyond };
    let drift = |change_share| NotSteady(Unsteady::Drift { change_share, median_iops: 1.0 });
    let scatter = NotSteady(Unsteady::Scatter { interval_s: 1.0, p10_iops: 1.0, p90_iops: 2.0, median_iops: 1.5 });
    let limit = |reason, threads| LoadGeneratorLimit(load_generator(reason, threads));
    let many_due = LateIos { due: 99, ..late(LateCause::LoadGenerator) };
    let same = [
        (depth(true, 1), depth(true, 2)),
        (steps(1, 2), steps(5, 2)),
        (tail(99.0, 1.0), tail(99.0, 2.0)),
        (drift(0.1), drift(0.2)),
        (limit(LimitReason::OwnTime, 1), limit(LimitReason::OwnTime, 2)),
        (RateMissed(late(LateCause::LoadGenerator)), RateMissed(many_due)),
        (StepDown(levels(1.0)), StepDown(levels(1.0))),
    ];
    for (one, other) in same {
        assert!(one.says_same(&other), "{one:?} {other:?}");
    }
    let different = [
        (depth(true, 1), depth(false, 1)),
        (steps(1, 2), steps(1, 3)),
        (tail(99.0, 1.0), tail(99.9, 1.0)),
        (drift(0.1), scatter),
        (limit(LimitReason::OwnTime, 1), limit(LimitReason::NeverSlept, 1)),
        (RateMissed(late(LateCause::LoadGenerator)), RateMissed(late(LateCause::SlowSubmission))),
        (LateArrivals(late(LateCause::LoadGenerator)), LateArrivals(late(LateCause::SlowSubmission))),
        (StepDown(levels(1.0)), StepDown(levels(2.0))),
        (StepUp(levels(1.0)), StepUp(levels(2.0))),
    ];
    for (one, other) in different {
        assert!(!one.says_same(&other), "{one:?} {other:?}");
    }
}

#[test]
fn a_repeat_has_the_same_kind_subject_severity_and_direction() {
    let finding = |direction, bytes, subject: &Subject, severity| Finding {
        kind: FindingKind::DeviceDisagrees(device_bytes(direction, bytes)),
        subject: subject.clone(),
        severity,
    };
    let (run, threads) = (Subject::Run, Subject::Threads);
    let first = finding(Ddir::Read, 1, &run, Severity::Info);
    assert!(first.is_repeat_of(&finding(Ddir::Read, 2, &run, Severity::Info)));
    let other_kind = Finding { kind: FindingKind::DirectNotHonoured(device_bytes(Ddir::Read, 1)), ..first.clone() };
    let others = [
        finding(Ddir::Write, 1, &run, Severity::Info),
        finding(Ddir::Read, 1, &threads, Severity::Info),
        finding(Ddir::Read, 1, &run, Severity::Warning),
        other_kind,
    ];
    assert!(others.iter().all(|other| !first.is_repeat_of(other)));
    let worse = finding(Ddir::Read, 2, &run, Severity::Warning);
    assert!(worse.includes(&first) && !first.includes(&worse));
}

#[test]
fn findings_say_the_same_if_only_their_numbers_differ() {
    let counted = |direction, device_bytes| {
        let devices = vec!["sda".to_owned()];
        FindingKind::PageCache(PageCache::Counted(DeviceBytes {
            direction,
            devices,
            requested_bytes: 8192,
            device_bytes,
        }))
    };
    assert!(counted(Ddir::Read, 0).says_same(&counted(Ddir::Read, 4096)));
    assert!(!counted(Ddir::Read, 0).says_same(&counted(Ddir::Write, 0)));
    let fits = PageCache::FitsMemory { used_bytes: 1, memory_bytes: 2, counted: None };
    assert!(!counted(Ddir::Read, 0).says_same(&FindingKind::PageCache(fits)));
    let short = |ios, lacks| FindingKind::TooShort { measured_s: 1.0, ios, lacks };
    assert!(short(1, Lack::Ios).says_same(&short(2, Lack::Ios)));
    assert!(!short(1, Lack::Ios).says_same(&short(1, Lack::Time)));
    assert!(!FindingKind::InMemory.says_same(&FindingKind::NoDirectIo));
}
