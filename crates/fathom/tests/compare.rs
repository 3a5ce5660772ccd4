//! `fathom compare` from end to end, on runs whose difference is known.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use std::sync::Arc;
use std::time::Instant;

use plan::{Ddir, Plan, Worker};
use record::{PhaseRecord, Record, Timeline, schema};
use stage::{Outcome, Scratch, command, outcome};

const SECOND: u64 = 1_000_000_000;

/// A run of random writes at a rate that varies by 3 %, by a seed.
fn run_at(rate: f64, seconds: u64, seed: u64) -> Record {
    let mut worker = Worker::default();
    worker.access.pattern.random = true;
    let mut record = Record::new(Arc::new(Plan { workers: vec![worker], ..Plan::default() }), 1_700_000_000_000);
    let mut timeline = Timeline::new(0, SECOND, Vec::new());
    let mut state = seed;
    let mut total = 0;
    for second in 0..seconds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let ios = (rate * (1.0 + 0.03 * draw)).round() as u64;
        timeline.count((second * SECOND, (second + 1) * SECOND), Ddir::Write, ios, ios * 4096);
        total += ios;
    }
    timeline.until_ns = seconds * SECOND;
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 1);
    let stats = &mut record.workers[0].stats.ddirs[Ddir::Write as usize];
    (stats.ios, stats.bytes, stats.runtime_ns) = (total, total * 4096, seconds * SECOND);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: seconds * SECOND, ..PhaseRecord::default() });
    record
}

fn save(scratch: &Scratch, name: &str, record: &Record) {
    std::fs::write(scratch.file(name), schema::write(record).unwrap()).unwrap();
}

fn compare(scratch: &Scratch, arguments: &str) -> Outcome {
    let mut command = command(scratch.path(), "compare", arguments);
    command.env("XDG_DATA_HOME", scratch.file("data"));
    outcome(command.spawn().unwrap(), Instant::now())
}

#[test]
fn a_difference_between_two_runs_is_shown_with_its_confidence_and_fails_where_asked() {
    let scratch = Scratch::new("compare");
    for (name, rate, seed) in [("a", 10_000.0, 1), ("same", 10_000.0, 2), ("slow", 9_000.0, 3)] {
        save(&scratch, name, &run_at(rate, 60, seed));
    }
    let same = compare(&scratch, "a same --fail-on write.iops<-0.1%");
    assert!(same.ended_with(0).stdout.contains("no difference shown"), "{}", same.stdout);
    let slow = compare(&scratch, "a slow");
    assert!(slow.ended_with(0).stdout.contains("2 of 2 figures differ"), "{}", slow.stdout);
    let json = compare(&scratch, "a slow --format json --fail-on write.iops<-5%");
    let line = json.ended_with(1).complained_of("write.iops<-5%").json()["lines"][0].clone();
    assert_eq!((line["metric"].as_str(), line["by"].as_str()), (Some("write.iops"), Some("intervals")));
    assert!((line["difference"].as_f64().unwrap() + 0.1).abs() < 0.02, "{line}");
    assert!(line["interval"][0].as_f64() < Some(-0.09) && line["interval"][1].as_f64() > Some(-0.11), "{line}");
    compare(&scratch, "a slow --fail-on write.iops<-20%").ended_with(0);
    compare(&scratch, "slow a --fail-on write.iops<-5%").ended_with(0);
}

#[test]
fn repeats_are_judged_by_how_much_runs_differ_from_each_other() {
    let scratch = Scratch::new("compare-repeats");
    // Within a run hardly anything varies; from run to run much does.
    let rates = [9_000.0, 11_000.0, 10_200.0, 9_700.0];
    for (at, rate) in rates.into_iter().enumerate() {
        save(&scratch, &format!("a{at}"), &run_at(rate, 30, at as u64));
        save(&scratch, &format!("b{at}"), &run_at(rate + 150.0, 30, 10 + at as u64));
        save(&scratch, &format!("c{at}"), &run_at(rate + 3000.0, 30, 20 + at as u64));
    }
    let side = |name: &str| (0..4).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(",");
    let noise = compare(&scratch, &format!("{} {} --format json", side("a"), side("b")));
    let line = &noise.ended_with(0).json()["lines"][0];
    assert_eq!((line["by"].as_str(), line["shown"].as_bool()), (Some("repeats"), Some(false)), "{line}");
    let more = compare(&scratch, &format!("{} {} --fail-on write.iops>10%", side("a"), side("c")));
    assert!(more.ended_with(1).stdout.contains("p = 0.029"), "{}", more.stdout);
}

#[test]
fn short_runs_and_other_jobs_are_said_to_be_so() {
    let scratch = Scratch::new("compare-short");
    save(&scratch, "a", &run_at(10_000.0, 3, 1));
    save(&scratch, "b", &run_at(5_000.0, 3, 2));
    let short = compare(&scratch, "a b --fail-on write.iops<-5%");
    assert!(short.ended_with(0).stdout.contains("too few intervals"), "{}", short.stdout);
    let mut other = run_at(10_000.0, 30, 1);
    let mut plan = Plan::clone(&other.plan);
    plan.workers[0].access.pattern.random = false;
    other.plan = Arc::new(plan);
    save(&scratch, "c", &other);
    assert!(compare(&scratch, "a c").stdout.contains("the jobs differ"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let scratch = Scratch::new("compare-words");
    save(&scratch, "a", &run_at(10_000.0, 10, 1));
    for (arguments, why) in [
        ("a", "what with what"),
        ("a a a", "a"),
        ("a missing", "missing"),
        ("a 7", "nothing is kept"),
        ("a a --fail-on size<5%", "size"),
        ("a a --fail-on read.iops<-5%", "read.iops"),
    ] {
        compare(&scratch, arguments).ended_with(2).complained_of(why);
    }
}
