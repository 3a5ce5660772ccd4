//! Searches on a simulated device, of which the truth is known.

use super::show::{Asked, json, sentence, text};
use super::simulated::Device;
use super::{Depths, Load, Search, Study, Terms};
use crate::show::Ink;

const MS: f64 = 1e6;

fn terms(percent: f64, bound_ms: Option<f64>) -> Terms {
    Terms { percent, bound_ns: bound_ms.map(|ms| (ms * MS) as u64), workers: 1 }
}

fn asked(percentile: &str, bound: Option<&str>) -> Asked {
    Asked {
        target: "/dev/x".into(),
        work: "random 4 KiB reads".into(),
        percentile: percentile.into(),
        bound: bound.map(str::to_owned),
        is_poisson: false,
        runtime_ns: 5_000_000_000,
        job: vec![("bs".into(), "4k".into())],
        program: "fathom 0".into(),
        notes: Vec::new(),
        is_stopped: false,
    }
}

/// Leads a search to its end.
fn led(mut study: Study, device: &mut Device) -> Study {
    while let Some(load) = study.next() {
        let record = device.run(&load);
        study.take(&load, &record);
        assert!(device.runs < 100, "it never ends");
    }
    study
}

fn searched(terms: Terms, device: &mut Device) -> Search {
    match led(Study::Rate(Search::new(terms)), device) {
        Study::Rate(search) => search,
        Study::Depth(_) => panic!("another study"),
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
        let search = searched(terms(99.0, bound_ms), &mut device);
        near(search.met(), 12_500.0, 0.03);
        assert!(search.is_settled() && device.runs < 30, "{} runs", device.runs);
        assert!(search.generator().is_none());
    }
}

#[test]
fn the_rate_of_a_random_queue_is_that_of_its_formula() {
    // Response times of M/M/1 are exponential: the 99th percentile is ln(100) / (service rate - arrival rate).
    for seed in 1..=3 {
        let mut device =
            Device { is_random: true, is_poisson: true, depth: 100_000, run_s: 20.0, ..Device::new(1, 1e5, seed) };
        // Capacity is what a short queue reaches: servers are never idle.
        let search = searched(terms(99.0, Some(2.0)), &mut device);
        near(search.met(), 10_000.0 - 100f64.ln() / 2e-3, 0.03);
        assert!(search.is_settled());
    }
}

#[test]
fn a_stall_now_and_then_does_not_decide() {
    let truth = searched(terms(99.0, Some(5.0)), &mut Device::new(8, 640_000.0, 1)).met().unwrap();
    for every in [4, 5, 7] {
        let mut device = Device { stall: Some((every, 200.0 * MS)), ..Device::new(8, 640_000.0, 1) };
        near(searched(terms(99.0, Some(5.0)), &mut device).met(), truth as f64, 0.03);
    }
}

#[test]
fn a_bound_that_no_rate_meets_is_said() {
    let mut device = Device::new(8, 640_000.0, 1);
    let study = led(Study::Rate(Search::new(terms(99.0, Some(0.5)))), &mut device);
    let said = sentence(&study, &asked("p99", Some("500 µs")));
    assert!(said.starts_with("sustains no rate of random 4 KiB reads with p99 under 500 µs: "), "{said}");
    assert!(device.runs < 20, "{} runs", device.runs);
}

#[test]
fn a_generator_that_is_the_limit_is_told_and_the_rate_is_at_least_that() {
    let mut search = Search::new(terms(99.0, Some(5.0)));
    let mut device = Device::new(8, 640_000.0, 1);
    while let Some(load) = search.next() {
        let mut record = device.run(&load);
        // Above 5,000 a second it comes late by itself.
        if matches!(load, Load::Open { offered: 5_000.., .. }) {
            let stats = &mut record.workers[0].stats.ddirs[0];
            if let Some(arrivals) = &mut stats.arrivals {
                (arrivals.late, arrivals.queue_full) = (arrivals.due / 2, 0);
                arrivals.unissued += arrivals.due / 10;
            }
        }
        search.take(&load, &record);
    }
    assert!(search.generator().is_some());
    let said = sentence(&Study::Rate(search), &asked("p99", Some("5 ms")));
    assert!(said.starts_with("sustains at least 4,9") && said.contains("not the target but this machine"), "{said}");
}

#[test]
fn depths_end_where_more_brings_nothing_and_the_knee_is_the_number_of_servers() {
    let mut device = Device::new(16, 1e6, 1);
    let study = led(Study::Depth(Depths::new(terms(99.0, Some(3.0)), 1024)), &mut device);
    let said = sentence(&study, &asked("p99", Some("3 ms")));
    assert!(said.starts_with("random 4 KiB reads level off at iodepth 16: "), "{said}");
    assert!(said.contains("p99 is under 3 ms up to iodepth 32 ("), "{said}");
    let Study::Depth(depths) = &study else { panic!() };
    assert_eq!(depths.depths().iter().map(|(depth, _)| *depth).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64]);
}

#[test]
fn threads_and_directions_share_a_rate_in_whole_numbers() {
    let mut search = Search::new(Terms { workers: 3, ..terms(99.0, None) });
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
fn what_failed_or_was_stopped_is_still_reported() {
    let mut search = Search::new(terms(99.0, Some(5.0)));
    let mut device = Device::new(8, 640_000.0, 1);
    for _ in 0..5 {
        let load = search.next().unwrap();
        let record = device.run(&load);
        search.take(&load, &record);
    }
    search.take_failed("the disk is gone".into());
    assert_eq!(search.next(), None);
    let study = Study::Rate(search);
    let said = sentence(&study, &asked("p99", Some("5 ms")));
    assert!(said.starts_with("sustains at least 6,8") && said.ends_with("as a run failed: the disk is gone"), "{said}");
    let stopped = Asked { is_stopped: true, ..asked("p99", Some("5 ms")) };
    assert!(sentence(&study, &stopped).starts_with("stopped early, so far: sustains at least 6,8"));
    let nothing = Study::Rate(Search::new(terms(99.0, None)));
    assert!(text(&nothing, &stopped, Ink::Unicode).contains("nothing was found out"));
}

#[test]
fn the_report_fits_a_terminal_and_ends_in_the_sentence() {
    let mut device = Device { is_random: true, is_poisson: true, ..Device::new(8, 640_000.0, 1) };
    let study = led(Study::Rate(Search::new(terms(99.5, Some(5.0)))), &mut device);
    let report = text(&study, &asked("p99.5", Some("5 ms")), Ink::Unicode);
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    assert!(report.contains("  p99.5  ") && report.contains('█') && report.contains("  highest\n"), "{report}");
    let last = report.lines().last().unwrap();
    assert!(last.contains("with p99.5 under 5 ms"), "{report}");
    let document: serde_json::Value = serde_json::from_str(&json(&study, &asked("p99.5", Some("5 ms")))).unwrap();
    assert_eq!(document["found"]["settled"], true);
    assert!(document["found"]["sustained_iops"].as_u64().unwrap() > 10_000);
    let ascii = text(&study, &asked("p99.5", Some("5 ms")), Ink::Ascii);
    assert!(ascii.is_ascii() && ascii.contains("#"), "{ascii}");
}
