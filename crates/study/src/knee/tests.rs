//! Searches on a simulated device with known limits.

use std::sync::Arc;

use assessment::{Failure, FindingKind, KneeResult, Like, LikeFit, Severity, Verdict};
use plan::PerDdir;
use record::{Arrivals, Record};

use super::simulated::Device;
use super::verdict::{verdict, verdict_on_multiple};
use super::{CapturedLoad, Depths, Knee, KneeTarget, Load, Multiples, Procedure, Search, SearchParams, complete};
use crate::run::{End, Outcome, Refusal, Session, Study, Work};

const MS: f64 = 1e6;

fn params(percent: f64, bound_ms: Option<f64>) -> SearchParams {
    SearchParams { percent, bound_ns: bound_ms.map(|ms| (ms * MS) as u64), workers: 1, multiples: None }
}

/// Runs a search to its end.
fn led(mut study: Procedure, device: &mut Device) -> Procedure {
    while let Some(load) = study.next() {
        let record = device.run(&load);
        study.take(&load, &record);
        assert!(device.runs < 100, "it never ends");
    }
    study
}

fn searched(params: SearchParams, device: &mut Device) -> Search {
    match led(Procedure::Rate(Search::new(params)), device) {
        Procedure::Rate(search) => search,
        Procedure::Depth(_) => panic!("another study"),
    }
}

fn near(found: Option<u64>, truth: f64, share: f64) {
    let found = found.expect("a rate") as f64;
    assert!((found / truth - 1.0).abs() < share, "found {found}, the truth is {truth}");
}

#[test]
fn a_server_of_a_fixed_capacity_is_found_with_and_without_a_bound() {
    for bound_ms in [None, Some(5.0), Some(1000.0)] {
        // 8 servers of 640 µs each: 12,500 a second.
        let mut device = Device::new(8, 640_000.0, 1);
        let search = searched(params(99.0, bound_ms), &mut device);
        near(search.met(), 12_500.0, 0.03);
        assert!(search.is_settled() && device.runs < 30, "{} runs", device.runs);
        assert!(search.load_generator().is_none());
    }
}

#[test]
fn the_rate_of_a_random_queue_is_that_of_its_formula() {
    // Response times of M/M/1 are exponential: the 99th percentile is ln(100) / (service rate - arrival rate).
    for seed in 1..=3 {
        let mut device =
            Device { is_random: true, is_poisson: true, depth: 100_000, run_s: 20.0, ..Device::new(1, 1e5, seed) };
        // Capacity is what a short queue reaches: servers are never idle.
        let search = searched(params(99.0, Some(2.0)), &mut device);
        near(search.met(), 10_000.0 - 100f64.ln() / 2e-3, 0.03);
        assert!(search.is_settled());
    }
}

#[test]
fn a_stall_now_and_then_does_not_decide() {
    let truth = searched(params(99.0, Some(5.0)), &mut Device::new(8, 640_000.0, 1)).met().unwrap();
    for every in [4, 5, 7] {
        let mut device = Device { stall: Some((every, 200.0 * MS)), ..Device::new(8, 640_000.0, 1) };
        near(searched(params(99.0, Some(5.0)), &mut device).met(), truth as f64, 0.03);
    }
}

fn sustained(result: &KneeResult) -> u64 {
    result.points[result.sustained.expect("a load")].load
}

#[test]
fn a_bound_that_no_rate_meets_leaves_no_sustained_rate() {
    let mut device = Device::new(8, 640_000.0, 1);
    let study = led(Procedure::Rate(Search::new(params(99.0, Some(0.5)))), &mut device);
    let result = study.result();
    assert!(result.sustained.is_none() && result.points[0].good() == 0, "{result:?}");
    assert!(device.runs < 20, "{} runs", device.runs);
}

#[test]
fn a_load_generator_that_is_the_limit_is_reported() {
    let mut search = Search::new(params(99.0, Some(5.0)));
    let mut device = Device::new(8, 640_000.0, 1);
    while let Some(load) = search.next() {
        let mut record = device.run(&load);
        // From 5,000 IOPS on the load generator is late.
        if matches!(load, Load::Open { offered: 5_000.., .. }) {
            let stats = &mut record.workers[0].stats.ddirs[0];
            if let Some(arrivals) = &mut stats.arrivals {
                (arrivals.late, arrivals.queue_full) = (arrivals.due / 2, 0);
                arrivals.unissued += arrivals.due / 10;
            }
        }
        search.take(&load, &record);
    }
    assert!(search.load_generator().is_some());
    let result = Procedure::Rate(search).result();
    assert!(result.load_generator.is_some() && (4_900..5_000).contains(&sustained(&result)), "{result:?}");
}

#[test]
fn depths_end_where_more_brings_nothing_and_the_knee_is_the_number_of_servers() {
    let mut device = Device::new(16, 1e6, 1);
    let result = led(Procedure::Depth(Depths::new(params(99.0, Some(3.0)), 1024)), &mut device).result();
    assert_eq!(result.points.iter().map(|point| point.load).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64]);
    assert_eq!((result.points[result.knee.unwrap()].load, sustained(&result)), (16, 32));
}

#[test]
fn threads_and_directions_share_a_rate_in_whole_numbers() {
    let mut search = Search::new(SearchParams { workers: 3, ..params(99.0, None) });
    let mut device = Device::new(1, 1e6, 1);
    let load = search.next().unwrap();
    let mut record = device.run(&load);
    let reads = record.workers[0].stats.ddirs[0].clone();
    record.workers[0].stats.ddirs[1] = reads;
    search.take(&load, &record);
    // A tenth of 2,000 a second, half of it reads, on three threads.
    assert_eq!(search.next(), Some(Load::Open { offered: 198, per_worker: [33, 33, 0] }));
    let options = search.next().unwrap().options(true);
    assert_eq!(options[0], ("rate_iops".into(), "33,33,0".into()));
    assert_eq!(options[1], ("rate_process".into(), "poisson".into()));
}

#[test]
fn a_failed_run_ends_the_search_and_its_points_remain() {
    let mut search = Search::new(params(99.0, Some(5.0)));
    let mut device = Device::new(8, 640_000.0, 1);
    for _ in 0..5 {
        let load = search.next().unwrap();
        let record = device.run(&load);
        search.take(&load, &record);
    }
    let gone = Failure::Refused { messages: vec!["the disk is gone".into()] };
    search.take_failed(gone.clone());
    assert_eq!(search.next(), None);
    let result = Procedure::Rate(search).result();
    assert_eq!((result.points.len(), &result.failed), (4, &Some(gone)));
    assert!((6_800..6_900).contains(&sustained(&result)) && !result.is_settled, "{result:?}");
}

pub(super) fn request(percent: f64, bound_ms: Option<f64>, iodepth_max: Option<u32>) -> assessment::Knee {
    assessment::Knee {
        work: "random 4 KiB reads".into(),
        percentile: format!("p{percent}"),
        percent,
        bound_ns: bound_ms.map(|ms| (ms * MS) as u64),
        workers: 1,
        iodepth_max,
        poisson: false,
        runtime_ns: 5_000_000_000,
        job: vec![("bs".into(), "4k".into()), ("size".into(), "1048576".into())],
        like: None,
        result: None,
    }
}

fn study(request: assessment::Knee, is_new: bool) -> Box<Knee> {
    let target = KneeTarget { path: "/d/data".into(), bytes: Some(1 << 20), is_new, has_direct_io: true };
    Box::new(Knee::new(Session::default(), request, target))
}

/// Drives a study on a device.
fn driven(study: &mut Knee, device: &mut Device) {
    while let Some(run) = study.next() {
        let Work::Job(job) = &run.work else { panic!("a job") };
        let rate = job.text().lines().find_map(|line| line.strip_prefix("rate_iops=")?.split(',').next()?.parse().ok());
        let depth = job.text().lines().find_map(|line| line.strip_prefix("iodepth=")?.parse().ok());
        let load = match rate {
            Some(offered) => Load::Open { offered, per_worker: [offered, 0, 0] },
            None => Load::Closed { depth },
        };
        study.take(Outcome::completed(device.run(&load)));
    }
}

#[test]
fn a_new_file_is_filled_first_and_a_fill_that_fails_ends_the_study() {
    let mut knee = study(request(99.0, Some(5.0), None), true);
    let fill = knee.next().unwrap();
    assert_eq!(fill.label, "[fill]");
    let mut record =
        Record::new(Arc::new(plan::Plan { workers: vec![plan::Worker::default()], ..Default::default() }), 0);
    record.workers[0].stats.ddirs[1].bytes = 512 << 10;
    knee.take(Outcome::completed(record));
    let Work::Job(job) = knee.next().unwrap().work else { panic!("a job") };
    assert!(job.text().contains("size=524288\n"), "the job takes what was written: {}", job.text());

    let mut knee = study(request(99.0, Some(5.0), None), true);
    assert!(knee.next().is_some());
    knee.take(Outcome::Refused(Refusal::new(vec!["no space".into()])));
    assert!(knee.next().is_none());
    let assessment = knee.finish(&End::default());
    assert_eq!(assessment.verdict, Verdict::Inconclusive);
    let refused = Failure::Refused { messages: vec!["no space".into()] };
    assert_eq!(assessment.tests[0].error, Some(Failure::Fill(Box::new(refused))));
}

#[test]
fn a_search_ends_as_an_assessment_that_its_records_lead_to_again() {
    for (request, verdict) in [
        (request(99.0, Some(5.0), None), Verdict::Pass),
        (request(99.0, Some(0.5), None), Verdict::Fail),
        (request(99.0, None, None), Verdict::Measured),
        (request(99.5, Some(3.0), Some(64)), Verdict::Pass),
    ] {
        let mut knee = study(request, false);
        driven(&mut knee, &mut Device { run_s: 1.0, ..Device::new(8, 640_000.0, 1) });
        let assessment = knee.finish(&End::default());
        assert_eq!(assessment.verdict, verdict);
        let mut again = assessment.clone();
        let assessment::Study::Knee(kept) = &mut again.study else { panic!("a search") };
        kept.result = None;
        again.tests.iter_mut().for_each(|test| test.judgements.clear());
        complete(&mut again).unwrap();
        assert_eq!(again.study, assessment.study);
        assert_eq!(again.tests.last().unwrap().judgements, assessment.tests.last().unwrap().judgements);
    }
}

#[test]
fn short_steps_and_few_ios_in_the_tail_are_findings() {
    let mut knee = study(assessment::Knee { runtime_ns: 100_000_000, ..request(99.9, Some(50.0), None) }, false);
    driven(&mut knee, &mut Device { run_s: 0.1, ..Device::new(1, 1e6, 1) });
    let assessment = knee.finish(&End { is_stopped: true, ..End::default() });
    let findings = &assessment.tests.last().unwrap().findings;
    for id in ["short-steps", "few-tail-ios"] {
        assert!(findings.iter().any(|finding| finding.kind.name() == id && finding.severity == Severity::Info), "{id}");
    }
    assert_eq!(assessment.verdict, Verdict::Inconclusive);
}

fn multiples(bound_ms: f64, captured_iops: f64) -> (KneeResult, usize) {
    let bound_ns = Some((bound_ms * MS) as u64);
    let multiples =
        Multiples { bounds_ns: PerDdir([bound_ns, None, None]), margin_percent: Some(150), percent_max: 1400 };
    let params = SearchParams { multiples: Some(multiples), ..params(99.0, None) };
    let mut device = Device { captured_iops, ..Device::new(8, 640_000.0, 1) };
    let result = led(Procedure::Rate(Search::new(params)), &mut device).result();
    (result, device.runs)
}

#[test]
fn multiples_of_a_captured_load_are_found_within_5_percent() {
    // The device has 12,500 a second.
    for captured_iops in [2000.0, 5000.0, 11_000.0, 20_000.0] {
        let (result, runs) = multiples(5.0, captured_iops);
        let truth = 12_500.0 / captured_iops;
        let [held, missed] = [result.sustained, result.missed].map(|at| result.points[at.unwrap()].load as f64 / 100.0);
        assert!(held <= truth * 1.01 && missed >= truth && missed / held < 1.06, "{truth}: {held} to {missed}");
        assert!(runs < 16 && result.is_settled, "{runs} runs");
        assert!(result.points.iter().any(|point| point.load == 100), "the load itself is measured");
    }
}

#[test]
fn a_load_with_room_for_more_than_the_highest_step_is_held_at_least_so_often() {
    let (result, _) = multiples(5.0, 100.0);
    assert_eq!((result.points.last().unwrap().load, result.missed), (1400, None));
    // Half of the load is the lowest step.
    let (result, _) = multiples(5.0, 50_000.0);
    assert_eq!((result.sustained, result.points[0].load), (None, 50));
}

#[test]
fn the_margin_decides_between_pass_and_fail_and_a_disturbance_only_allows_a_pass() {
    let verdict = |captured_iops, margin: f64, is_disturbed| {
        verdict_on_multiple(&like(Some(margin)), &multiples(5.0, captured_iops).0, false, is_disturbed)
    };
    assert_eq!(verdict(2000.0, 1.5, false), Verdict::Pass);
    assert_eq!(verdict(2000.0, 1.5, true), Verdict::Pass);
    assert_eq!(verdict(11_000.0, 1.5, false), Verdict::Inconclusive, "held, with less than the margin");
    assert_eq!(verdict(11_000.0, 1.0, false), Verdict::Pass);
    assert_eq!(verdict(20_000.0, 1.5, false), Verdict::Fail);
    assert_eq!(verdict(20_000.0, 1.5, true), Verdict::Inconclusive);
    let measured = |is_disturbed| verdict_on_multiple(&like(None), &multiples(5.0, 20_000.0).0, false, is_disturbed);
    assert_eq!((measured(false), measured(true)), (Verdict::Measured, Verdict::Inconclusive));
}

#[test]
fn a_disturbed_search_over_rates_does_not_fail() {
    let request = request(99.0, Some(0.001), None);
    let knee = study(request.clone(), false);
    let result = led(knee.procedure, &mut Device::new(8, 640_000.0, 1)).result();
    assert_eq!(result.sustained, None);
    let verdicts = [false, true].map(|is_disturbed| verdict(&request, &result, false, is_disturbed));
    assert_eq!(verdicts, [Verdict::Fail, Verdict::Inconclusive]);
}

#[test]
fn the_margin_is_tried_however_short_the_run_is() {
    let of = |length_ns| super::multiples(&Like { length_ns, ..like(Some(1.5)) }).percent_max;
    assert_eq!([20_000_000_000, 500_000_000].map(of), [4000, 150]);
}

#[test]
fn a_multiple_of_a_short_run_has_a_finding() {
    let found = |bound_ns| {
        let bounds_ns = PerDdir([Some(bound_ns), None, None]);
        let like = Like { length_ns: 20_000_000_000, bounds_ns, ..like(Some(1.5)) };
        let request = assessment::Knee { like: Some(Box::new(like)), ..request(99.0, None, None) };
        crate::findings::short_multiple(&request, &multiples(5.0, 100.0).0).map(|finding| finding.kind)
    };
    // 14 times the load: a run of 1.43 s.
    assert_eq!(found(5_000_000), None);
    let Some(FindingKind::ShortSteps { step_ns, needed_ns, .. }) = found(200_000_000) else { panic!("no finding") };
    assert_eq!((step_ns / 1_000_000, needed_ns), (1428, 56_000_000_000));
}

fn like(margin: Option<f64>) -> Like {
    Like {
        capture: "c".into(),
        duration_ns: 1,
        from_ns: 0,
        length_ns: 1,
        ios: 1,
        bounds_ns: PerDdir::default(),
        has_captured_bounds: true,
        margin,
        fit: LikeFit::Kept,
        has_discards: false,
    }
}

/// Returns a search with bounds for reads and writes, and a run of the captured load.
fn run_of_multiples(bound_ms: f64) -> (Search, Record) {
    let bound_ns = Some((bound_ms * MS) as u64);
    let bounds_ns = PerDdir([bound_ns, bound_ns, None]);
    let multiples = Multiples { bounds_ns, margin_percent: None, percent_max: 1400 };
    let search = Search::new(SearchParams { multiples: Some(multiples), ..params(99.0, None) });
    (search, Device::new(8, 640_000.0, 1).run(&Load::Captured { percent: 100 }))
}

#[test]
fn a_direction_of_which_nothing_completed_is_not_within_its_bound() {
    let met = |due: u64| {
        let (mut search, mut record) = run_of_multiples(5.0);
        let arrivals = Arrivals { due, unissued: due, ..Arrivals::default() };
        record.workers[0].stats.ddirs[1].arrivals = Some(arrivals);
        search.take(&Load::Captured { percent: 100 }, &record);
        search.met()
    };
    // 10 writes of 5,000 I/Os are too few to miss the rate.
    assert_eq!((met(0), met(10)), (Some(100), None));
}

#[test]
fn a_target_that_is_too_slow_by_itself_is_the_limit_although_ios_were_late() {
    let limit = |bound_ms: f64| {
        let (mut search, mut record) = run_of_multiples(bound_ms);
        if let Some(arrivals) = &mut record.workers[0].stats.ddirs[0].arrivals {
            (arrivals.late, arrivals.queue_full, arrivals.unissued) = (arrivals.due / 2, 0, arrivals.due / 10);
        }
        for _ in 0..2 {
            search.take(&Load::Captured { percent: 100 }, &record);
        }
        search.load_generator().is_some()
    };
    // The service time is 0.64 ms.
    assert!(limit(5.0) && !limit(0.1));
}

#[test]
fn places_of_discards_are_filled_again_before_each_run_and_the_log_is_not_saved() {
    let settings = |log: &str| vec![("read_iolog".to_owned(), log.to_owned())];
    let mut worker = plan::Worker {
        echo: Arc::new(plan::Echo { options: settings("/tmp/l"), ..Default::default() }),
        ..Default::default()
    };
    worker.job_mut().unwrap().replay = Some(plan::Replay { log: "/tmp/l".into(), ..replay() });
    worker.job_mut().unwrap().targets.paths = vec!["/dev/x".into()];
    let plan = Arc::new(plan::Plan { workers: vec![worker], ..Default::default() });
    let like = Like {
        capture: "c".into(),
        duration_ns: 1_000_000_000,
        from_ns: 0,
        length_ns: 1_000_000_000,
        ios: 1,
        bounds_ns: PerDdir::default(),
        has_captured_bounds: false,
        margin: None,
        fit: LikeFit::Kept,
        has_discards: true,
    };
    let request = assessment::Knee { like: Some(Box::new(like)), ..request(99.0, None, None) };
    let target = KneeTarget { path: "/dev/x".into(), bytes: None, is_new: false, has_direct_io: true };
    let captured = CapturedLoad { plan: Arc::clone(&plan), fill_log: Some("f".into()), refill_log: Some("r".into()) };
    let mut knee = Box::new(Knee::of_captured(Session::default(), request, target, captured));
    let mut labels = Vec::new();
    for _ in 0..4 {
        let run = knee.next().unwrap();
        let log = match &run.work {
            Work::Job(job) => job.text().lines().find_map(|line| line.strip_prefix("read_iolog=").map(str::to_owned)),
            _ => None,
        };
        labels.push((run.name.clone(), log));
        let mut record = Device::new(8, 640_000.0, 1).run(&Load::Captured { percent: 100 });
        record.plan = Arc::clone(&plan);
        // The rest of the target is not written, which is no finding after the fill.
        record.targets = vec![record::TargetFacts {
            path: "/dev/x".into(),
            unwritten_bytes: Some(1 << 20),
            size_bytes: Some(2 << 20),
            ..Default::default()
        }];
        knee.take(Outcome::completed(record));
    }
    let expected = [("fill", Some("f")), ("like", None), ("fill", Some("r")), ("like", None)];
    assert_eq!(labels, expected.map(|(name, log)| (name.to_owned(), log.map(str::to_owned))));
    let assessment = knee.finish(&End::default());
    assert_eq!(assessment.preparation.len(), 1, "the first fill");
    let findings = &assessment.tests.last().unwrap().findings;
    assert!(!findings.iter().any(|finding| finding.kind.name() == "unwritten"), "{findings:?}");
    let saved = format!("{:?}", assessment.tests[0].rounds[0].record.plan);
    assert!(!saved.contains("/tmp/l") && saved.contains("log: \"c\""), "{saved}");
}

fn replay() -> plan::Replay {
    plan::Replay {
        log: String::new(),
        files: Vec::new(),
        redirects: true,
        rules: plan::ReplayRules::default(),
        chunked: false,
        steps: 1,
        bytes: 4096,
        largest_bytes: PerDdir::default(),
    }
}
