//! Comparisons of simulated runs: how often a difference is shown if there is none, and if there is one.

use std::sync::Arc;

use assessment::{By, Failure, Round};
use judge::compare::{ChangeLimit, Run, SavedRun, apply, compare, conclusion};
use judge::verdict::Conclusion;
use plan::{Ddir, Plan, Worker};
use random::Tausworthe64;
use record::{PhaseRecord, Record, RunError, TargetError, Timeline};

const SECOND: u64 = 1_000_000_000;
/// Standard deviation from run to run.
const NOISE: f64 = 0.02;
/// Standard deviation from second to second, and seconds of a run.
const WITHIN: f64 = 0.03;
const SECONDS: u64 = 4;
/// Comparisons of a simulation. 5 % of them are 20, with a standard deviation of 4.4.
const COMPARISONS: u64 = 400;
/// Most comparisons that may show a difference if there is none: 5 %, and three standard deviations.
const FALSE_MAX: u64 = 33;

/// Normally distributed numbers (Box and Muller).
struct Normal(Tausworthe64);

impl Normal {
    fn seeded(seed: u64) -> Normal {
        Normal(Tausworthe64::new(seed))
    }

    fn uniform(&mut self) -> f64 {
        (self.0.between(1, 1 << 52) as f64) / (1u64 << 52) as f64
    }

    fn draw(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }
}

/// Returns a run whose rates differ from those of other runs, and from second to second. Reads and writes are independent.
fn run(rates: [f64; 2], started_unix_ms: u64, noise: &mut Normal) -> Record {
    let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
    let mut record = Record::new(Arc::new(plan), started_unix_ms);
    let mut timeline = Timeline::new(0, SECOND, Vec::new());
    for (ddir, rate) in [Ddir::Read, Ddir::Write].into_iter().zip(rates) {
        let mut total = 0;
        for second in 0..SECONDS {
            let ios = (rate * (1.0 + WITHIN * noise.draw())).round() as u64;
            timeline.count((second * SECOND, (second + 1) * SECOND), ddir, ios, ios * 4096);
            total += ios;
        }
        let stats = &mut record.workers[0].stats.ddirs[ddir as usize];
        (stats.ios, stats.bytes, stats.runtime_ns) = (total, total * 4096, SECONDS * SECOND);
    }
    timeline.until_ns = SECONDS * SECOND;
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 1);
    record.timeline.push(timeline);
    record.phases.push(PhaseRecord { measured_ns: SECONDS * SECOND, ..PhaseRecord::default() });
    record
}

/// Returns runs at a rate that varies from run to run.
fn runs(rate: f64, count: usize, noise: &mut Normal) -> Vec<Record> {
    let mut one = |at: usize| {
        let rates = [rate * (1.0 + NOISE * noise.draw()), rate * (1.0 + NOISE * noise.draw())];
        run(rates, at as u64, noise)
    };
    (0..count).map(|at| one(at + 1)).collect()
}

fn as_runs(records: &[Record]) -> Vec<Run<'_>> {
    records.iter().map(Run::Record).collect()
}

fn saved(records: &[Record]) -> Vec<SavedRun<'_>> {
    let numbered = records.iter().zip(1..);
    numbered.map(|(record, id)| SavedRun { id, run: Run::Record(record) }).collect()
}

/// Returns the number of comparisons in which any of the four figures is shown to differ.
fn shown(first: usize, second: usize, in_history: usize, change: f64) -> u64 {
    let is_shown = |seed: &u64| {
        let mut noise = Normal::seeded(*seed);
        let (a, b) = (runs(10_000.0, first, &mut noise), runs(10_000.0 * change, second, &mut noise));
        let mut history = runs(10_000.0, in_history, &mut noise);
        // The compared runs were started at 1, 2 and so on.
        history.iter_mut().for_each(|record| record.started_unix_ms += 1000);
        let found = compare(&[as_runs(&a), as_runs(&b)], &saved(&history), &[]);
        assert_eq!(found.lines.len(), 4);
        found.lines.iter().any(|line| line.shown)
    };
    (1..=COMPARISONS).filter(is_shown).count() as u64
}

#[test]
fn single_runs_never_show_a_difference() {
    assert_eq!((shown(1, 1, 0, 1.0), shown(1, 1, 0, 0.5)), (0, 0));
    // One other run is no repeat.
    assert_eq!(shown(1, 1, 1, 0.5), 0);
}

#[test]
fn equal_jobs_differ_in_at_most_5_percent_of_comparisons() {
    for (first, second, in_history) in
        [(2, 1, 0), (2, 2, 0), (3, 3, 0), (4, 4, 0), (5, 5, 0), (3, 8, 0), (4, 10, 0), (1, 1, 2), (1, 1, 10), (1, 4, 3)]
    {
        let found = shown(first, second, in_history, 1.0);
        assert!(found <= FALSE_MAX, "{first} against {second} runs, {in_history} in the history: {found}");
    }
}

#[test]
fn a_true_difference_of_10_percent_is_shown() {
    for (first, second, in_history, least) in [(4, 4, 0, 97), (5, 5, 0, 99), (3, 3, 0, 90), (1, 1, 10, 60)] {
        let found = shown(first, second, in_history, 0.9);
        assert!(
            found * 100 >= least * COMPARISONS,
            "{first} against {second} runs, {in_history} in the history: {found}"
        );
    }
}

#[test]
fn a_change_of_the_detectable_size_is_shown_in_80_percent() {
    let mut noise = Normal::seeded(7);
    let (a, b) = (runs(10_000.0, 400, &mut noise), runs(10_000.0, 400, &mut noise));
    let found = compare(&[as_runs(&a), as_runs(&b)], &[], &[]);
    let ln = found.lines[0].detectable.expect("repeats").ln_1p();
    let error = NOISE.hypot(WITHIN / (SECONDS as f64).sqrt()) * (2.0f64 / 400.0).sqrt();
    // With many runs, the quantiles are those of the normal distribution: 2.24 for p = 0.05 / 2, and 0.84.
    assert!((ln / error - (2.24 + 0.84)).abs() < 0.35, "{} {}", ln / error, found.confidence);
}

#[test]
fn repeats_of_the_history_are_of_the_same_job_target_and_host() {
    let mut noise = Normal::seeded(3);
    let sides = runs(10_000.0, 2, &mut noise);
    let (a, b) = (vec![Run::Record(&sides[0])], vec![Run::Record(&sides[1])]);
    let by = |history: &[Record]| {
        let found = compare(&[a.clone(), b.clone()], &saved(history), &[]);
        (found.lines[0].by, found.lines[0].history.clone())
    };
    let mut others = runs(10_000.0, 4, &mut noise);
    others.iter_mut().for_each(|record| record.started_unix_ms += 1000);
    assert_eq!(by(&others), (By::History, vec![1, 2, 3, 4]));
    // A run that a signal stopped, and one on another machine.
    others[1].stopped = true;
    others[2].machine.hostname = "other".into();
    assert_eq!(by(&others), (By::History, vec![1, 4]));
    others[3].plan = {
        let mut plan = Plan::clone(&others[3].plan);
        plan.workers[0].job_mut().unwrap().targets.paths.push("/other".to_owned());
        Arc::new(plan)
    };
    assert_eq!(by(&others), (By::Nothing, Vec::new()), "one run is left");
    // The compared runs themselves are in the history.
    assert_eq!(by(&sides), (By::Nothing, Vec::new()));
}

/// Returns a run whose target is in memory.
fn in_memory(mut record: Record) -> Record {
    record.targets = vec![record::TargetFacts { in_memory: true, ..record::TargetFacts::default() }];
    record
}

#[test]
fn worthless_runs_are_invalid_and_no_repeats() {
    let mut noise = Normal::seeded(5);
    let limits = ChangeLimit::parse_all("read.iops<-5%").unwrap();
    let (good, bad) = (runs(10_000.0, 4, &mut noise), runs(5_000.0, 4, &mut noise));
    for (a, b) in [(&good, &bad), (&bad, &good)] {
        let mut b = b.clone();
        b[3] = in_memory(b[3].clone());
        let mut found = compare(&[as_runs(a), as_runs(&b)], &[], &limits);
        apply(&mut found, &limits).unwrap();
        assert_eq!(conclusion(&found), Conclusion::Invalid);
        assert_eq!((found.invalid[0].side, found.invalid[0].runs, found.invalid.len()), (1, 1, 1));
        assert!(found.lines.iter().all(|line| line.by == By::Invalid && !line.shown && line.p.is_none()));
        assert!(found.failed.is_empty() && found.undecided.is_empty() && found.tested == 0);
    }
    let mut history = runs(10_000.0, 4, &mut noise);
    history.iter_mut().for_each(|record| record.started_unix_ms += 1000);
    history[1] = in_memory(history[1].clone());
    let found = compare(&[as_runs(&good[..1]), as_runs(&bad[..1])], &saved(&history), &[]);
    assert_eq!((found.lines[0].by, found.lines[0].history.as_slice()), (By::History, &[1, 3, 4][..]));
    // Repeats: the error of the test is that of one record, or of none.
    let mut repeats = judge::single::assessment(&good[0]);
    let repeated = assessment::Repeats {
        workloads: Vec::new(),
        repeats: good.len(),
        order: "given".to_owned(),
        seed: None,
        fail_on: Vec::new(),
        set: None,
        runs: Vec::new(),
        result: None,
    };
    repeats.study = assessment::Study::Repeats(repeated);
    repeats.tests[0].rounds = good.iter().map(|record| Round { at: Vec::new(), record: record.clone() }).collect();
    repeats.tests[0].error = Some(Failure::TargetReplaced { path: "/f".to_owned() });
    for own in [false, true] {
        let replaced = RunError::new(0, TargetError::Replaced { path: "/f".into() });
        repeats.tests[0].rounds[2].record.workers[0].error = own.then_some(replaced);
        let found = compare(&[as_runs(&good), vec![Run::Assessment(&repeats)]], &[], &[]);
        let invalid: Vec<_> = found.invalid.iter().map(|invalid| (invalid.side, invalid.runs)).collect();
        assert_eq!(invalid, [(1, 1)], "{own}");
    }
    // The rounds of a suite's test are one run: the test's verdict decides.
    let mut assessment = judge::single::assessment(&good[0]);
    assessment.tests[0].verdict = assessment::Verdict::Invalid;
    let found = compare(&[vec![Run::Assessment(&assessment)], vec![Run::Assessment(&assessment)]], &[], &[]);
    assert_eq!((found.invalid.len(), conclusion(&found)), (2, Conclusion::Invalid));
}

#[test]
fn limits_of_unknown_variation_are_undecided() {
    let mut noise = Normal::seeded(5);
    let (a, b) = (runs(10_000.0, 4, &mut noise), runs(8_000.0, 4, &mut noise));
    let decided = |runs: usize, limit: &str| {
        let limits = ChangeLimit::parse_all(limit).expect("limits");
        let mut found = compare(&[as_runs(&a[..runs]), as_runs(&b[..runs])], &[], &limits);
        apply(&mut found, &limits).expect("figures");
        (conclusion(&found), found.undecided.len())
    };
    assert_eq!(decided(4, "read.iops<-5%"), (Conclusion::Failed, 0));
    assert_eq!(decided(4, "read.iops<-40%"), (Conclusion::Done, 0));
    assert_eq!(decided(1, "read.iops<-5%"), (Conclusion::Inconclusive, 1));
    assert_eq!(decided(4, "read.iops>0.1%"), (Conclusion::Done, 0), "the whole interval is below");
}

#[test]
fn a_real_loss_that_noise_hides_is_never_a_pass() {
    let limits = ChangeLimit::parse_all("read.iops<-10%").expect("limits");
    let conclusions = (0..200).map(|seed| {
        let mut noise = Normal::seeded(seed);
        // A busy machine: 30 % from run to run.
        let mut repeats = |rate: f64| -> Vec<Record> {
            (0..5)
                .map(|at| run([rate * (0.3 * noise.draw()).exp(), rate], at, &mut Normal::seeded(seed + at)))
                .collect()
        };
        let (a, b) = (repeats(10_000.0), repeats(8_500.0));
        let mut found = compare(&[as_runs(&a), as_runs(&b)], &[], &limits);
        apply(&mut found, &limits).expect("figures");
        conclusion(&found)
    });
    let conclusions: Vec<Conclusion> = conclusions.collect();
    let passes = conclusions.iter().filter(|found| **found == Conclusion::Done).count();
    // Without this rule, nine of ten pass.
    assert!(passes <= 4, "{passes} of 200 pass with a loss of 15 %");
}

#[test]
fn several_sides_are_compared_with_the_first_and_tested_together() {
    let mut noise = Normal::seeded(11);
    let sides = [10_000.0, 10_000.0, 13_000.0].map(|rate| runs(rate, 5, &mut noise));
    let found = compare(&sides.each_ref().map(|side| as_runs(side)), &[], &[]);
    assert_eq!((found.lines.len(), found.tested), (8, 8));
    let shown: Vec<(usize, bool)> = found.lines.iter().map(|line| (line.side, line.shown)).collect();
    assert_eq!(shown[..4], [(1, false), (2, true), (1, false), (2, true)]);
    for line in &found.lines {
        let (low, high) = line.interval.expect("repeats");
        assert_eq!(line.shown, low > 1.0 || high < 1.0, "the interval agrees with the decision");
    }
    assert_eq!(found, compare(&sides.each_ref().map(|side| as_runs(side)), &[], &[]), "the same data, the same result");
}
