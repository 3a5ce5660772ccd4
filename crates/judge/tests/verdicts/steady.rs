//! Steady states: SNIA's rule at its borders, and the one for disks that others use as well.

use assessment::Metric;
use judge::steady::{ROUNDS_MAX, Rule};

fn look(rule: Rule, values: &[f64]) -> (Option<usize>, String) {
    let steady = rule.look(Metric::parse("write.iops").expect("a metric"), values);
    assert_eq!(steady.values.len(), values.len());
    (steady.from_round, steady.detail)
}

/// Values between -1 and 1 that depend on nothing but the seed.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    })
}

#[test]
fn snias_rule_holds_at_its_borders() {
    let steady = |values: [f64; 5]| look(Rule::Snia, &values).0 == Some(0);
    // A range of exactly 20 % of the mean, and a line that rises by 8 %.
    assert!(steady([1000.0, 900.0, 1000.0, 1100.0, 1000.0]));
    assert!(!steady([1000.0, 899.0, 1000.0, 1101.0, 1000.0]));
    // A line that rises by just less than 10 %, and just more.
    assert!(steady([951.0, 975.0, 1000.0, 1025.0, 1049.0]));
    assert!(!steady([949.0, 975.0, 1000.0, 1025.0, 1051.0]));
    assert!(!steady([1051.0, 1025.0, 1000.0, 975.0, 949.0]));
    let (_, detail) = look(Rule::Snia, &[949.0, 975.0, 1000.0, 1025.0, 1051.0]);
    assert!(detail.contains("range 10.2 % and slope 10.2 % of the mean; the slope may be 10 %"), "{detail}");
}

#[test]
fn a_drive_that_slows_down_becomes_steady_at_last() {
    // Fresh from the box, then the level of a full drive.
    let values = [90e3, 70e3, 52e3, 40e3, 33e3, 30e3, 29e3, 28.5e3, 28.2e3, 28.1e3];
    let (from, detail) = look(Rule::Snia, &values);
    assert_eq!(from, Some(5), "{detail}");
    assert!(Rule::Snia.goes_on(&values[..9]) && !Rule::Snia.goes_on(&values));
    let (from, detail) = look(Rule::Snia, &values[..7]);
    assert_eq!(from, None);
    assert!(detail.contains("rounds 3 to 7") && detail.contains("are allowed"), "{detail}");
}

#[test]
fn rounds_without_an_end_end() {
    let values: Vec<f64> = (0..ROUNDS_MAX).map(|round| if round % 2 == 0 { 1000.0 } else { 2000.0 }).collect();
    assert!(Rule::Snia.goes_on(&values[..24]));
    assert!(!Rule::Snia.goes_on(&values));
    assert!(!Rule::Cloud.goes_on(&values));
}

#[test]
fn noise_that_snias_rule_never_copes_with_is_steady_to_the_other() {
    let mut steady = [0, 0];
    for seed in 0..50 {
        let values: Vec<f64> = noise(seed).map(|value| 10_000.0 * (1.0 + 0.2 * value)).take(ROUNDS_MAX).collect();
        steady[0] += usize::from(look(Rule::Snia, &values).0.is_some());
        steady[1] += usize::from(look(Rule::Cloud, &values).0.is_some());
    }
    assert!(steady[1] >= 48, "{steady:?}");
    // A stall of one round is no end of it.
    let mut stalled: Vec<f64> = noise(3).map(|value| 10_000.0 * (1.0 + 0.05 * value)).take(12).collect();
    stalled[6] = 500.0;
    assert_eq!(look(Rule::Snia, &stalled[4..9]).0, None);
    let (from, detail) = look(Rule::Cloud, &stalled);
    assert!(from.is_some() && detail.contains("one round far off"), "{detail}");
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
        let (from, detail) = look(Rule::Cloud, &values);
        seen += usize::from(from.is_none() && detail.contains("fall by"));
    }
    assert!(seen >= 48, "{seen} of 50");
    // The way to the level is left out, the level is not.
    let values: Vec<f64> = noise(5)
        .enumerate()
        .map(|(at, value)| if at < 3 { 30_000.0 } else { 10_000.0 * (1.0 + 0.05 * value) })
        .take(14)
        .collect();
    let (from, detail) = look(Rule::Cloud, &values);
    assert!(from.is_some_and(|from| (1..=4).contains(&from)), "{from:?} {detail}");
}

#[test]
fn what_did_nothing_is_not_steady() {
    for rule in [Rule::Snia, Rule::Cloud] {
        assert!(look(rule, &[0.0; 10]).1.contains("round 10 did nothing"));
        assert!(look(rule, &[1.0, f64::NAN]).1.contains("round 2 did nothing"));
        let later: Vec<f64> = [100.0, 0.0].into_iter().chain([200.0; 20]).collect();
        assert_eq!(look(rule, &later).0, Some(2), "those after it may be");
        assert!(look(rule, &[]).1.starts_with("not steady: 0 rounds of the"));
        assert_eq!(Rule::named(rule.name()), Some(rule));
    }
}
