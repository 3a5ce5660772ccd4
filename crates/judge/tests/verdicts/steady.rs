//! Steady states: SNIA's rule at its bounds, and the rule for shared disks.

use std::sync::Arc;

use assessment::{Aim, Metric, Reason, SteadyRule, SteadyState, Test, Verdict};
use judge::steady::{self, ROUNDS_MAX};
use plan::Plan;

use crate::known_runs::{UNCACHED, judged, test, writes};

fn look(rule: SteadyRule, values: &[f64]) -> (Option<usize>, SteadyState) {
    let metric = Metric::parse("write.iops").expect("a metric");
    let steady = steady::look(rule, &[(metric, values.to_vec())]).expect("a metric");
    assert_eq!(steady.values.len(), values.len());
    (steady.from_round, steady.state)
}

/// Values between -1 and 1 that depend only on the seed.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

#[test]
fn snias_rule_holds_at_its_borders() {
    let steady = |values: [f64; 5]| look(SteadyRule::Snia, &values).0 == Some(0);
    // A range of exactly 20 % of the mean, and a line that rises by 8 %.
    assert!(steady([1000.0, 900.0, 1000.0, 1100.0, 1000.0]));
    assert!(!steady([1000.0, 899.0, 1000.0, 1101.0, 1000.0]));
    // A line that rises by slightly less than 10 %, and slightly more.
    assert!(steady([951.0, 975.0, 1000.0, 1025.0, 1049.0]));
    assert!(!steady([949.0, 975.0, 1000.0, 1025.0, 1051.0]));
    assert!(!steady([1051.0, 1025.0, 1000.0, 975.0, 949.0]));
    let (_, state) = look(SteadyRule::Snia, &[949.0, 975.0, 1000.0, 1025.0, 1051.0]);
    let SteadyState::Window { first: 1, last: 5, range_share, slope_share } = state else { panic!("{state:?}") };
    assert!((range_share - 0.102).abs() < 1e-9 && (slope_share - 0.1016).abs() < 1e-9, "{range_share} {slope_share}");
}

#[test]
fn a_drive_that_slows_down_becomes_steady_at_last() {
    // A fresh drive, then the level of a full drive.
    let values = [90e3, 70e3, 52e3, 40e3, 33e3, 30e3, 29e3, 28.5e3, 28.2e3, 28.1e3];
    let (from, detail) = look(SteadyRule::Snia, &values);
    assert_eq!(from, Some(5), "{detail:?}");
    assert_eq!(look(SteadyRule::Snia, &values[..9]).0, None);
    let (from, detail) = look(SteadyRule::Snia, &values[..7]);
    assert_eq!(from, None);
    assert!(matches!(detail, SteadyState::Window { first: 3, last: 7, .. }), "{detail:?}");
}

#[test]
fn noise_that_snias_rule_never_copes_with_is_steady_to_the_other() {
    let mut steady = [0, 0];
    for seed in 0..50 {
        let values: Vec<f64> = noise(seed).map(|value| 10_000.0 * (1.0 + 0.15 * value)).take(ROUNDS_MAX).collect();
        steady[0] += usize::from(look(SteadyRule::Snia, &values).0.is_some());
        steady[1] += usize::from(look(SteadyRule::Cloud, &values).0.is_some());
    }
    assert!(steady[1] >= 48, "{steady:?}");
    // A stall of one round does not end the steady state.
    let mut stalled: Vec<f64> = noise(3).map(|value| 10_000.0 * (1.0 + 0.05 * value)).take(12).collect();
    stalled[6] = 500.0;
    assert_eq!(look(SteadyRule::Snia, &stalled[4..9]).0, None);
    let (from, detail) = look(SteadyRule::Cloud, &stalled);
    assert!(from.is_some() && matches!(detail, SteadyState::Row { outliers: 1, .. }), "{detail:?}");
}

#[test]
fn eight_rounds_are_enough_for_the_rule_of_shared_disks() {
    let values: Vec<f64> = noise(3).map(|value| 10_000.0 * (1.0 + 0.02 * value)).take(8).collect();
    assert!(matches!(look(SteadyRule::Cloud, &values), (Some(0), SteadyState::Row { first: 1, last: 8, .. })));
    let (from, state) = look(SteadyRule::Cloud, &values[..7]);
    assert!(from.is_none() && matches!(state, SteadyState::TooFewRounds { rounds: 7, needed: 8, .. }), "{state:?}");
}

#[test]
fn the_interval_of_varying_rounds_is_one_of_positive_values() {
    // On a linear scale the same interval is the mean ± 350 %.
    let values: Vec<f64> = [100.0, 100.0, 100.0, 100.0, 900.0, 900.0, 900.0, 900.0].to_vec();
    let (_, state) = look(SteadyRule::Cloud, &values);
    let SteadyState::Varies { precision_share, .. } = state else { panic!("{state:?}") };
    // From half of the lowest round to twice the highest: 0.1 to 3.6 times the mean.
    assert!(precision_share > 0.075 && precision_share <= 1.75, "{precision_share}");
}

#[test]
fn drift_is_not_taken_for_noise() {
    let mut seen = 0;
    for seed in 0..50 {
        let values: Vec<f64> = noise(seed)
            .enumerate()
            .map(|(at, value)| 10_000.0 * (1.0 - 0.05 * at as f64 + 0.05 * value))
            .take(12)
            .collect();
        let (from, detail) = look(SteadyRule::Cloud, &values);
        let falls = matches!(detail, SteadyState::Drifts { change_share, .. } if change_share < 0.0);
        seen += usize::from(from.is_none() && falls);
    }
    assert!(seen >= 48, "{seen} of 50");
    // The rounds before the level are excluded, the level is not.
    let values: Vec<f64> = noise(5)
        .enumerate()
        .map(|(at, value)| if at < 3 { 30_000.0 } else { 10_000.0 * (1.0 + 0.05 * value) })
        .take(14)
        .collect();
    let (from, detail) = look(SteadyRule::Cloud, &values);
    assert!(from.is_some_and(|from| (1..=4).contains(&from)), "{from:?} {detail:?}");
}

#[test]
fn what_did_nothing_is_not_steady() {
    for rule in [SteadyRule::Snia, SteadyRule::Cloud] {
        let idle = |values: &[f64]| match look(rule, values).1 {
            SteadyState::TooFewRounds { idle_round, .. } => idle_round,
            other => panic!("{other:?}"),
        };
        assert_eq!((idle(&[0.0; 10]), idle(&[1.0, f64::NAN])), (Some(10), Some(2)));
        let later: Vec<f64> = [100.0, 0.0].into_iter().chain([200.0; 20]).collect();
        assert_eq!(look(rule, &later).0, Some(2), "those after it may be");
        assert!(matches!(look(rule, &[]), (None, SteadyState::TooFewRounds { rounds: 0, .. })));
        assert_eq!(rule.name().parse(), Ok(rule));
    }
}

#[test]
fn rounds_and_jobs_that_start_at_different_times_are_not_continued() {
    let undecided = |change: fn(&mut Test)| {
        let mut test = test(Aim::VmUncached, writes(std::iter::repeat_n(12_544.0, 40), 0.1));
        change(&mut test);
        let judgement = judged(test, UNCACHED).tests.remove(0).judgements.remove(0);
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert!(matches!(judgement.reason, Reason::Undecided { .. }), "{:?}", judgement.reason);
        judgement.can_continue
    };
    assert!(undecided(|_| {}));
    assert!(!undecided(|test| {
        let metric = Metric::parse("write.iops").expect("a metric");
        test.steady = steady::look(SteadyRule::Snia, &[(metric, vec![12_544.0; 5])]).into_iter().collect();
    }));
    assert!(!undecided(|test| {
        let mut plan = Plan::clone(&test.rounds[0].record.plan);
        plan.workers[0].limits.start_delay_ns = (0, 1);
        test.rounds[0].record.plan = Arc::new(plan);
    }));
}
