//! The disk class that a figure is like, and the limits of the machine.

use assessment::{Aim, FindingKind, LimitReason, Severity, Test, Verdict};
use judge::classes::{describe, machine_limits, matches};
use record::{Machine, Record};

use crate::known_runs::{
    BUILT_IN, assessment, expect, finding, judged, level, load_generator_limit, run, test, writes,
};

fn like(test: Test) -> Vec<String> {
    matches(&[test], &BUILT_IN).into_iter().map(|found| found.expectation).collect()
}

fn iops(record: Record) -> Vec<String> {
    like(test(Aim::DiskIops, record))
}

#[test]
fn a_figure_is_like_the_highest_published_class_that_it_reaches() {
    // P40 and P50 have 7,500 IOPS: the smaller disk is named.
    assert_eq!(iops(level(7480.0)), ["azure:P40"]);
    assert_eq!(iops(level(16_100.0)), ["azure:P60"]);
    // Below the promise of 98 %, it is like the next lower class, unless that is far below.
    assert_eq!(iops(level(19_000.0)), ["azure:P70"]);
    let reads = |block: u64| run(&vec![[210e6 as u64 / block, 0]; 30], block, false);
    assert_eq!(like(test(Aim::DiskBandwidth, reads(1 << 20))), ["azure:P30"]);
}

#[test]
fn the_highest_figure_of_a_test_decides_the_class() {
    let mut varied = test(Aim::DiskIops, level(1100.0));
    varied.rounds[0].at = vec![("iodepth".to_owned(), "1".to_owned())];
    let deep = assessment::Round { at: vec![("iodepth".to_owned(), "16".to_owned())], record: level(7480.0) };
    varied.rounds.push(deep);
    assert_eq!(like(varied.clone()), ["azure:P40"]);
    // A figure above all classes is like none of them.
    let deeper = vec![("iodepth".to_owned(), "64".to_owned())];
    varied.rounds.push(assessment::Round { at: deeper, record: level(9_000_000.0) });
    assert_eq!(like(varied), Vec::<String>::new());
}

#[test]
fn a_figure_above_the_fixed_classes_is_like_a_provisioned_one() {
    // AWS promises 90 % of the IOPS (30,000 of 33,000), and nothing of the bandwidth.
    assert_eq!(iops(level(30_000.0)), ["aws:gp3?iops=33000&throughput=147"]);
    let fast = run(&vec![[1500, 0]; 30], 1 << 20, false);
    assert_eq!(like(test(Aim::DiskBandwidth, fast)), ["aws:gp3?iops=12000&throughput=1500"]);
    assert_eq!(iops(level(20.0)), Vec::<String>::new());
}

#[test]
fn a_figure_that_is_not_decided_is_like_no_class() {
    let of = |rates: &[f64]| iops(writes(rates.iter().copied(), 0.0));
    // The means are those of a P40. Three intervals of a throttle with slices of 100 ms are near its limit.
    assert_eq!(of(&[6000.0, 9000.0, 7500.0]), ["azure:P40"]);
    assert_eq!(of(&[3000.0, 12_000.0, 7500.0]), Vec::<String>::new());
    assert_eq!(of(&[[2000.0; 10], [13_000.0; 10], [7500.0; 10]].concat()), Vec::<String>::new());
}

#[test]
fn a_class_that_another_figure_exceeds_is_not_named() {
    // Sequential reads of 210 MB/s are like a P30, which has 5,000 IOPS.
    let slow = || test(Aim::DiskBandwidth, run(&vec![[200, 0]; 30], 1 << 20, false));
    let both = |iops: f64| {
        let mut random = test(Aim::DiskIops, level(iops));
        random.name = "random".to_owned();
        let found = matches(&[slow(), random], &BUILT_IN).into_iter();
        found.filter(|found| found.metric.to_string() == "read.bw").map(|found| found.expectation).collect::<Vec<_>>()
    };
    assert_eq!(both(5000.0), ["azure:P30"]);
    assert!(!both(100_000.0).contains(&"azure:P30".to_owned()), "{:?}", both(100_000.0));
}

#[test]
fn a_failed_test_is_like_another_disk_and_never_like_the_expected_one() {
    let failed = judged(test(Aim::DiskIops, level(7480.0)), "azure:P60");
    assert_eq!(failed.verdict, Verdict::Fail);
    let like = |expected: &str| {
        let mut described = failed.clone();
        describe(&mut described, &expect(expected));
        described.classes.into_iter().map(|found| found.expectation).collect::<Vec<_>>()
    };
    assert_eq!(like("azure:P60"), ["azure:P40"]);
    assert_eq!(like("azure:P40"), Vec::<String>::new());
}

#[test]
fn figures_of_memory_or_of_another_job_are_like_no_disk() {
    for (kind, severity) in [(FindingKind::InMemory, Severity::Info), (FindingKind::NoDirectIo, Severity::Warning)] {
        let mut memory = test(Aim::DiskIops, level(7480.0));
        memory.findings.push(finding(kind, severity));
        assert_eq!(like(memory), Vec::<String>::new());
    }
    let mut limited = test(Aim::DiskIops, level(7480.0));
    limited.findings.push(finding(load_generator_limit(LimitReason::NeverSlept), Severity::Warning));
    assert_eq!(like(limited), Vec::<String>::new());
    let mut invalid = test(Aim::DiskIops, level(7480.0));
    let unwritten = FindingKind::Unwritten { unwritten_bytes: 1, size_bytes: None };
    invalid.findings.push(finding(unwritten, Severity::Invalid));
    assert_eq!(like(invalid), Vec::<String>::new());
}

#[test]
fn a_machine_that_states_its_type_has_its_published_limits() {
    let machine = |model: &str| Machine { model: model.into(), ..Machine::default() };
    let limits = machine_limits(&machine("Amazon EC2 m4.xlarge"), &BUILT_IN).expect("limits of an m4.xlarge");
    assert_eq!(limits.expectation, "aws:m4.xlarge");
    let value =
        |name: &str| limits.limits.iter().find(|limit| limit.metric.to_string() == name).map(|limit| limit.value);
    assert_eq!((value("read.iops"), value("write.bw")), (Some(6000.0), Some(93.75e6)));
    assert_eq!(machine_limits(&machine("QEMU Standard PC"), &BUILT_IN), None);
    assert_eq!(machine_limits(&machine("Amazon EC2 x99.huge"), &BUILT_IN), None);
}

#[test]
fn an_assessment_gets_its_classes_and_the_limits_of_its_machine() {
    let mut described = assessment(vec![test(Aim::DiskIops, level(7480.0))]);
    described.machine = Machine { model: "Amazon EC2 m4.xlarge".into(), ..Machine::default() };
    describe(&mut described, &[]);
    assert_eq!(described.classes.len(), 1);
    assert_eq!(described.machine_limits.map(|limits| limits.expectation), Some("aws:m4.xlarge".into()));
}
