//! Names, verdicts and figures of an assessment have the values that documents, options and reports rely on.

use std::sync::Arc;

use assessment::{
    Basis, By, ComparedFigure, Cpu, CpuOf, Failure, Figures, Judgement, Knee, KneeFigures, KneePoint, KneeRun,
    Latencies, LatencyKind, Level, Levels, LimitReason, LoadGenerator, LoadGeneratorLimit, LoadPattern, LoadRange,
    Metric, PreparationStep, Quantity, RateUnit, Rates, Reason, Severity, Statistic, SteadyRule, Study, Subject,
    SuiteRequest, SweepPoint, SweepRun, Test, Threshold, ThresholdBound, TimeShares, Verdict,
};
use plan::{Ddir, Plan, Worker};
use record::schema::{read_document, write_document};
use record::{Fleet, HostRecord, IoError, Record, RunError, TargetError};

/// The text of a value in a document, without quotes.
fn in_document(value: &impl serde::Serialize) -> String {
    write_document(value).expect("a value").trim().trim_matches('"').to_owned()
}

fn metric(name: &str) -> Metric {
    Metric::parse(name).unwrap_or_else(|| panic!("{name}"))
}

fn replaced() -> RunError {
    RunError::new(0, TargetError::Replaced { path: "/mnt/a".to_owned() })
}

fn failed(message: &str) -> Failure {
    Failure::Refused { messages: vec![message.to_owned()] }
}

#[test]
fn names_are_those_of_documents() {
    for step in PreparationStep::ALL {
        assert_eq!(step.name(), in_document(&step));
    }
    for severity in [Severity::Info, Severity::Warning, Severity::Invalid] {
        assert_eq!(severity.name(), in_document(&severity));
    }
    for pattern in LoadPattern::ALL {
        assert_eq!(pattern.name(), in_document(&pattern));
        assert_eq!(pattern.is_random(), pattern.name().starts_with("rand"));
    }
    for rule in [SteadyRule::Snia, SteadyRule::Cloud] {
        assert_eq!((rule.name(), rule.name().parse()), (in_document(&rule).as_str(), Ok(rule)));
    }
    assert!("steady".parse::<SteadyRule>().is_err());
    use Verdict::*;
    for verdict in [Measured, Pass, Skipped, Inconclusive, Fail, Invalid] {
        assert_eq!(verdict.to_string(), in_document(&verdict));
    }
    assert_eq!(format!("{Pass:>6}"), "  PASS");
}

#[test]
fn a_pattern_has_its_directions() {
    let of = |reads, writes, random| LoadPattern::of(reads, writes, random).map(LoadPattern::name);
    let sequential = [of(true, false, false), of(false, true, false), of(true, true, false), of(false, false, false)];
    assert_eq!(sequential, [Some("read"), Some("write"), Some("rw"), None]);
    let random = [of(true, false, true), of(false, true, true), of(true, true, true), of(false, false, true)];
    assert_eq!(random, [Some("randread"), Some("randwrite"), Some("randrw"), None]);
}

#[test]
fn a_range_has_both_ends() {
    let includes = |least, most| [3, 4, 8, 9].map(|value| LoadRange { least, most }.includes(value));
    assert_eq!(includes(4, Some(8)), [false, true, true, false]);
    assert_eq!(includes(4, None), [false, true, true, true]);
}

/// SNIA's performance test specification: five rounds, 20 % from the lowest to the highest, 10 % for the slope.
#[test]
fn steady_rules_have_the_figures_of_their_sources() {
    let figures = |rule: SteadyRule| (rule.rounds(), rule.distance_share(), rule.slope_share());
    assert_eq!(figures(SteadyRule::Snia), (5, Some(0.1), Some(0.1)));
    assert_eq!(figures(SteadyRule::Cloud), (8, None, None));
}

#[test]
fn metrics_have_one_name_each() {
    let names = [
        ("read.bandwidth", "read.bw"),
        ("trim.iops", "trim.iops"),
        ("write.response.max", "write.response.max"),
        ("clat.mean", "clat.mean"),
        ("fdatasync.p99", "fsync.p99"),
        ("fsync.mean", "fsync.mean"),
        ("trim.lat.p100", "trim.lat.p100"),
        ("lat.p0.1", "lat.p0.1"),
        ("cpu", "cpu"),
    ];
    for (text, name) in names {
        assert_eq!(metric(text).to_string(), name);
        assert_eq!(in_document(&metric(text)), name);
        assert_eq!(read_document::<Metric>(format!("\"{text}\"").as_bytes()).expect("a metric"), metric(text));
    }
    let others =
        ["lat.p100.1", "lat.p-1", "lat.p+1", "lat.p1e1", "lat.99", "cpu.p99", "read.cpu", "bw.mean", "lat.pNaN"];
    for text in others {
        assert_eq!(Metric::parse(text), None, "{text}");
        let error = read_document::<Metric>(format!("\"{text}\"").as_bytes()).expect_err("no metric").to_string();
        assert!(error.contains(&format!("`{text}` is not a metric")), "{error}");
    }
    let lat = Metric::latency(LatencyKind::Total, Statistic::Max);
    assert_eq!((lat.ddir, lat.quantity), (None, Quantity::Latency(LatencyKind::Total, Statistic::Max)));
}

#[test]
fn metrics_have_a_unit_and_a_text() {
    let kinds = [("iops", "IOPS"), ("write.bw", "B/s"), ("read.lat.p99", "ns"), ("fsync.max", "ns"), ("cpu", "%")];
    for (name, unit) in kinds {
        let metric = metric(name);
        assert_eq!(metric.unit(), unit);
        assert_eq!((metric.is_rate(), metric.is_latency()), (["IOPS", "B/s"].contains(&unit), unit == "ns"), "{name}");
    }
    assert_eq!(metric("iops").show(12_800.0), "12,800 IOPS");
    assert_eq!(metric("bw").show(200e6), "191 MiB/s (200 MB/s)");
    assert_eq!(metric("lat.p50").show(1.5e6), "1.5 ms");
    assert_eq!(metric("response.p99").show(f64::INFINITY), "never");
    assert_eq!(metric("fsync.p99").show(2e9), "2 s");
    assert_eq!([33.4, 99.98, 0.02].map(|value| metric("cpu").show(value)), ["33.4 %", "99.98 %", "0.02 %"]);
    let beside = |name: &str, value: f64, border: f64| metric(name).show_beside(value, border);
    assert_eq!([beside("iops", 499.6, 500.0), beside("iops", 480.0, 500.0)], ["499.6 IOPS", "480 IOPS"]);
    assert_eq!(beside("bw", 104_857_000.0, 104_857_600.0), "99.999 MiB/s (104.857 MB/s)");
    assert_eq!(beside("lat.p50", 10_000_400.0, 1e7), "10.0004 ms");
    let titles = ["clat.mean", "read.clat.max", "write.fsync.p99", "fsync.p99", "cpu", "trim.bw", "read.response.p50"]
        .map(|name| Metric::parse(name).map(Metric::title).unwrap_or_default());
    let expected = [
        "mean completion latency",
        "maximum read completion latency",
        "",
        "99th percentile of fsync latency",
        "CPU use",
        "trim bandwidth",
        "median read response time",
    ];
    assert_eq!(titles, expected);
}

fn rates(base: f64) -> Rates {
    let latency = Latencies { mean_ns: base + 2.0, p50_ns: base + 3.0, p99_ns: base + 4.0, p99_9_ns: base + 5.0 };
    Rates { iops: base, bytes_per_s: base + 1.0, latency: Some(latency) }
}

#[test]
fn each_metric_has_its_figure() {
    let cpu = Some(Cpu { percent: 42.0, of: CpuOf::Machine });
    let figures = Figures { read: rates(10.0), write: rates(20.0), trim: rates(30.0), total: rates(40.0), cpu };
    for (prefix, base) in [("read.", 10.0), ("write.", 20.0), ("trim.", 30.0), ("", 40.0)] {
        let value = |name: &str| figures.value(metric(&format!("{prefix}{name}")));
        let found = ["iops", "bw", "lat.mean", "lat.p50", "lat.p99", "lat.p99.9"].map(value);
        assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|more| Some(base + more)), "{prefix}");
        assert_eq!(["lat.max", "lat.p90", "clat.mean", "response.p99"].map(value), [None; 4]);
    }
    assert_eq!((figures.value(Metric::CPU), figures.value(metric("fsync.p99"))), (Some(42.0), None));
    assert_eq!((Figures::default().value(Metric::CPU), Figures::default().value(metric("lat.p99"))), (None, None));
}

#[test]
fn a_difference_is_a_share_of_the_first_mean() {
    let compared = |ratio| ComparedFigure {
        test: String::new(),
        metric: Metric::IOPS,
        unit: String::new(),
        side: 1,
        first: 1.0,
        second: ratio,
        runs: (1, 1),
        ratio,
        interval: None,
        p: None,
        detectable: None,
        variation: None,
        by: By::Nothing,
        history: Vec::new(),
        shown: false,
    };
    assert_eq!([1.25, 0.5].map(|ratio| compared(ratio).difference()), [0.25, -0.5]);
}

#[test]
fn shares_of_the_time_add_up() {
    let shares = |cpu_wait| TimeShares { user: 0.25, system: 0.125, cpu_wait };
    assert_eq!(shares(None).on_cpu(), 0.375);
    assert_eq!([None, Some(0.5), Some(0.75)].map(|wait| shares(wait).slept()), [0.625, 0.125, 0.0]);
    let load_generator = LoadGenerator {
        user_ns_per_io: 300.0,
        system_ns_per_io: 1200.0,
        on_cpu_percent: 37.5,
        cpu_wait_percent: None,
        limit: LoadGeneratorLimit::NotLimit,
        reason: LimitReason::Slept,
        threads: 1,
        of_threads: 1,
        shares: shares(None),
    };
    assert_eq!(load_generator.cpu_ns_per_io(), 1500.0);
}

#[test]
fn levels_end_where_the_last_one_begins() {
    let levels = |ends: &[Option<f64>]| Levels {
        unit: RateUnit::Iops,
        levels: ends.iter().map(|until_s| Level { rate: 5.0, until_s: *until_s }).collect(),
        token_bucket: None,
    };
    let three = levels(&[Some(2.5), Some(7.0), None]);
    assert_eq!((three.last_from_s(), three.last().map(|level| level.until_s)), (7.0, Some(None)));
    assert_eq!((levels(&[]).last_from_s(), levels(&[]).last().is_none()), (0.0, true));
    assert_eq!([RateUnit::Iops, RateUnit::BytesPerS].map(|unit| unit.show(2e6)), ["2,000,000 IOPS", "1.91 MiB/s"]);
}

#[test]
fn a_subject_has_each_job_once() {
    let names = ["b", "a", "b", "c", "a"];
    let expected = Subject::Jobs { phase: 3, names: ["b", "a", "c"].map(str::to_owned).to_vec() };
    assert_eq!(Subject::jobs(3, names.into_iter()), expected);
}

#[test]
fn a_replaced_target_makes_figures_invalid() {
    let replaced = Failure::TargetReplaced { path: "/mnt/a".to_owned() };
    let filled = Failure::Fill(Box::new(replaced.clone()));
    let failures = [replaced, filled, Failure::Fill(Box::new(Failure::NoIo)), Failure::NoIo, Failure::Stopped];
    assert_eq!(failures.each_ref().map(Failure::is_invalid), [true, true, false, false, false]);
    use Verdict::*;
    let verdicts = failures.each_ref().map(Verdict::of_failure);
    assert_eq!(verdicts, [Invalid, Invalid, Inconclusive, Inconclusive, Skipped]);
}

/// Two jobs; the second has an error.
fn record(error: Option<RunError>) -> Record {
    let worker = |name: &str| Worker { name: name.to_owned(), ..Worker::default() };
    let mut record = Record::new(Arc::new(Plan { workers: vec![worker("a"), worker("b")], ..Plan::default() }), 0);
    record.workers[1].error = error;
    record
}

#[test]
fn the_failure_of_a_run_is_that_of_its_first_job() {
    let full = || RunError::new(28, IoError::Sync { path: "f".to_owned() });
    let mut run = record(Some(full()));
    assert!(matches!(Failure::of_run(&run), Some(Failure::Job { name, error, .. }) if name == "b" && error == full()));
    assert_eq!(Failure::of_figures(&run), Failure::of_run(&run));
    run.workers[1].error = Some(replaced());
    run.workers[0].error = Some(full());
    let expected = Some(Failure::TargetReplaced { path: "/mnt/a".to_owned() });
    assert_eq!((Failure::of_run(&run), Failure::of_replaced([&full(), &replaced()])), (expected.clone(), expected));
    assert_eq!(Failure::of_replaced([&full()]), None);
}

#[test]
fn a_run_with_a_lost_host_has_failed() {
    let mut run = record(None);
    let host = |name: &str, failure: Option<&str>| HostRecord {
        name: name.into(),
        failure: failure.map(Into::into),
        ..HostRecord::default()
    };
    let hosts = vec![host("a", None), host("b", Some("no message for 6 s"))];
    run.fleet = Some(Fleet { hosts, ..Fleet::default() });
    let lost = Failure::HostLost { host: "b".to_owned(), reason: "no message for 6 s".to_owned() };
    assert_eq!(Failure::of_run(&run), Some(lost));
    run.fleet.as_mut().unwrap().hosts.pop();
    assert_eq!(Failure::of_run(&run), None);
}

#[test]
fn a_run_without_ios_has_no_figures() {
    let mut run = record(None);
    assert_eq!((Failure::of_run(&run), Failure::of_figures(&run)), (None, Some(Failure::NoIo)));
    run.workers[0].stats.ddirs[Ddir::Read as usize].ios = 1;
    assert_eq!(Failure::of_figures(&run), None);
    let error = RunError::new(5, IoError::Close { path: "f".to_owned() });
    run.phases.push(record::PhaseRecord { error: Some(error.clone()), ..Default::default() });
    assert!(matches!(Failure::of_run(&run), Some(Failure::Phase { error: found, .. }) if found == error));
}

fn judgement(measured: f64, value: Option<f64>) -> Judgement {
    let of = |value| Threshold {
        value,
        enough: value,
        bound: ThresholdBound::AtLeast,
        basis: Basis::Requirement { volume: None, application: None, is_unconfirmed: false },
    };
    Judgement {
        verdict: Verdict::Pass,
        metric: metric("response.p99"),
        at: Vec::new(),
        measured,
        whole_run: None,
        threshold: value.map(of),
        interval: Some((2.0, f64::INFINITY)),
        few_intervals: None,
        correction: None,
        can_continue: false,
        reason: Reason::TooFewIos { ios: 3 },
    }
}

#[test]
fn a_ratio_is_the_measured_value_over_that_of_the_threshold() {
    assert_eq!(judgement(15.0, Some(4.0)).ratio(), Some(3.75));
    assert_eq!([judgement(1.0, Some(0.0)), judgement(1.0, None)].map(|one| one.ratio()), [None; 2]);
}

#[test]
fn infinite_figures_are_read_as_they_were_written() {
    let written = judgement(f64::INFINITY, Some(4.0));
    let text = write_document(&written).expect("a judgement");
    assert!(text.contains("\"measured\": null"), "{text}");
    assert_eq!(read_document::<Judgement>(text.as_bytes()).expect("as written"), written);
    let finite = Judgement { interval: Some((2.5, 7.5)), ..judgement(5.0, None) };
    let text = write_document(&finite).expect("a judgement");
    assert_eq!(read_document::<Judgement>(text.as_bytes()).expect("as written"), finite);
    let without = Judgement { interval: None, ..judgement(5.0, None) };
    let text = write_document(&without).expect("a judgement");
    assert_eq!(read_document::<Judgement>(text.as_bytes()).expect("as written"), without);
}

#[test]
fn points_of_searches_have_names_and_counts() {
    let knee = |iodepth_max| Knee {
        work: String::new(),
        percentile: "p99".to_owned(),
        percent: 99.0,
        bound_ns: None,
        workers: 1,
        iodepth_max,
        poisson: false,
        runtime_ns: 0,
        job: Vec::new(),
        like: None,
        result: None,
    };
    assert_eq!([None, Some(8)].map(|depth| knee(depth).metric().to_string()), ["response.p99", "lat.p99"]);
    let run = |is_good| KneeRun {
        figures: KneeFigures::default(),
        is_good,
        arrivals: record::Arrivals::default(),
        load_generator: None,
    };
    let point = KneePoint { load: 5, figures: KneeFigures::default(), runs: [true, false, true].map(run).to_vec() };
    assert_eq!(point.good(), 2);
    let settings = [("b", "64K"), ("o", "8")].map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let runs = vec![
        SweepRun::Figures(Figures::default()),
        SweepRun::Failed(failed("first")),
        SweepRun::Failed(failed("second")),
        SweepRun::Failed(failed("third")),
    ];
    let median = Some(Figures { total: rates(40.0), ..Figures::default() });
    let point = SweepPoint { settings, runs, median, range: None, spread_percent: None };
    assert_eq!((point.name().as_str(), point.failures(), point.failure()), ("b=64K o=8", 3, Some(&failed("first"))));
    assert_eq!(point.value(Metric::BANDWIDTH), Some(41.0));
}

#[test]
fn a_test_of_rounds_has_no_limit() {
    let test = Test::of_rounds("a".to_owned(), "b".to_owned(), "c".to_owned(), Vec::new());
    assert_eq!([test.name, test.title, test.job], ["a", "b", "c"]);
    assert_eq!((test.verdict, test.error), (Verdict::Measured, None));
}

#[test]
fn the_kind_of_an_assessment_is_that_of_its_study() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/assessments/1-knee.json");
    let mut saved = assessment::read(&std::fs::read(path).expect("a saved search")).expect("an assessment");
    assert_eq!(saved.kind(), "knee");
    for (study, kind) in [
        (Study::Suite(SuiteRequest::default()), "assessment"),
        (Study::Single, "record"),
        (Study::Preconditioning, "preconditioning"),
    ] {
        saved.study = study;
        assert_eq!(saved.kind(), kind);
        let text = assessment::write(&saved).expect("what was read");
        assert_eq!(assessment::read(text.as_bytes()).expect("as written").study, saved.study);
    }
}

#[test]
fn other_documents_are_refused() {
    let refused = |text: &str| assessment::read(text.as_bytes()).expect_err("no assessment").to_string();
    assert!(refused("{}").contains("this is no assessment"));
    assert!(refused(r#"{"schema": "fathom.assessment/9"}"#).contains("schema `fathom.assessment/9`"));
}
