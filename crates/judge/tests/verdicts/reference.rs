//! The statistics, compared with slow implementations of their definitions.

use std::f64::consts::PI;
use std::process::{Command, Stdio};

use judge::compare::discoveries;
use judge::inference::{Interval, mean, mean_interval, quotient_interval, slope_interval, student, trend};
use proptest::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::gamma::ln_gamma;

/// Values of `φ`: sines of evenly spaced angles, as most of the probability can be near 1. The interval itself has 48.
const CORRELATIONS: usize = 1000;

/// Solves a system of equations by Gauss's elimination. Returns the determinant, and the solution of each right side.
fn solved(mut matrix: Vec<Vec<f64>>, mut sides: Vec<Vec<f64>>) -> (f64, Vec<Vec<f64>>) {
    let (count, mut determinant) = (matrix.len(), 1.0);
    for column in 0..count {
        let pivot = matrix[column][column];
        determinant *= pivot;
        for row in 0..count {
            let factor = matrix[row][column] / pivot;
            if row != column {
                let from = matrix[column].clone();
                matrix[row].iter_mut().zip(&from).for_each(|(value, other)| *value -= factor * other);
                sides.iter_mut().for_each(|side| side[row] -= factor * side[column]);
            }
        }
    }
    let divided = |mut side: Vec<f64>| {
        side.iter_mut().enumerate().for_each(|(at, value)| *value /= matrix[at][at]);
        side
    };
    (determinant, sides.into_iter().map(divided).collect())
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Returns the interval of the last coefficient of a regression with autoregressive errors: generalised least squares with
/// the whole covariance matrix, and the prior density (1 - φ²)^(-1/4).
fn by_definition(values: &[f64], regressors: &[Vec<f64>]) -> Interval {
    let (count, last) = (values.len(), regressors.len() - 1);
    let freedom = (count - regressors.len()) as f64;
    let of = |correlation: f64| {
        let free = 1.0 - correlation * correlation;
        let row = |at: usize| (0..count).map(|other| correlation.powi(at.abs_diff(other) as i32) / free).collect();
        let mut sides = regressors.to_vec();
        sides.push(values.to_vec());
        let (covariance, weighted) = solved((0..count).map(row).collect(), sides);
        let information: Vec<Vec<f64>> =
            regressors.iter().map(|one| weighted[..=last].iter().map(|other| product(one, other)).collect()).collect();
        let moments: Vec<f64> = regressors.iter().map(|one| product(one, &weighted[last + 1])).collect();
        let mut unit = vec![0.0; last + 1];
        unit[last] = 1.0;
        let (determinant, found) = solved(information, vec![moments, unit]);
        let residual = |at: usize| {
            values[at] - regressors.iter().zip(&found[0]).map(|(one, coefficient)| one[at] * coefficient).sum::<f64>()
        };
        let residuals: Vec<f64> = (0..count).map(residual).collect();
        let row = |at: usize| (0..count).map(|other| correlation.powi(at.abs_diff(other) as i32) / free).collect();
        let (_, of_residuals) = solved((0..count).map(row).collect(), vec![residuals.clone()]);
        let squares = product(&residuals, &of_residuals[0]);
        // The last part is the prior, times the distance to the next value of φ.
        let weight = -0.5 * (covariance.ln() + determinant.ln() + freedom * squares.ln()) + (-0.25 + 0.5) * free.ln();
        (found[0][last], (squares / freedom * found[1][last]).sqrt(), weight)
    };
    let each: Vec<(f64, f64, f64)> =
        (0..CORRELATIONS).map(|at| of((PI * ((at as f64 + 0.5) / CORRELATIONS as f64 - 0.5)).sin())).collect();
    let most = each.iter().map(|(_, _, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = each.iter().map(|(_, _, weight)| (weight - most).exp()).sum();
    let student = StudentsT::new(0.0, 1.0, freedom).expect("a distribution");
    let up_to = |value: f64| {
        each.iter()
            .map(|(centre, scale, weight)| (weight - most).exp() * student.cdf((value - centre) / scale))
            .sum::<f64>()
            / total
    };
    let quantile = |share: f64| {
        let (mut low, mut high) = (-1e4, 1e4);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if up_to(middle) < share { low = middle } else { high = middle }
        }
        low
    };
    Interval { low: quantile(0.025), high: quantile(0.975) }
}

fn assert_near(found: Interval, expected: Interval, what: &str) {
    let tolerance = (expected.high - expected.low) * 1.5e-2;
    let is_near = (found.low - expected.low).abs() < tolerance && (found.high - expected.high).abs() < tolerance;
    assert!(is_near, "{what}: {found:?} {expected:?}");
}

#[test]
fn intervals_of_correlated_series_are_those_of_the_definition() {
    let series: [&[f64]; 4] = [
        &[3.0, 5.0, 4.0, 7.0, 6.0],
        &[10.0, 12.0, 9.0, 11.0, 10.5, 8.0, 12.5],
        &[1.0, 2.0, 2.5, 4.0, 4.5, 4.0, 3.0, 2.0, 2.5],
        &[50.0, 60.0, 55.0, 65.0, 50.0, 45.0],
    ];
    for values in series {
        let ones = vec![1.0; values.len()];
        let times: Vec<f64> = (0..values.len()).map(|at| at as f64).collect();
        let mean = mean_interval(values).expect("five values");
        assert_near(mean, by_definition(values, std::slice::from_ref(&ones)), &format!("mean of {values:?}"));
        let slope = slope_interval(values).expect("five values");
        assert_near(slope, by_definition(values, &[ones, times]), &format!("slope of {values:?}"));
    }
}

#[test]
fn alternating_series_and_long_ones_are_combined_in_pairs() {
    let pairs = |values: &[f64]| values.chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect::<Vec<_>>();
    let level = |at: usize| 100.0 + ((at * 7919) % 13) as f64 + (at / 9) as f64;
    let alternating: Vec<f64> = (0..11).map(|at| level(at / 2) + if at % 2 == 0 { 30.0 } else { -30.0 }).collect();
    assert_eq!(mean_interval(&alternating), mean_interval(&pairs(&alternating)));
    // With nine values, pairs would be too few. The values at the ends, which are high, weigh less than in the mean: the interval
    // is extended to it.
    let nine = &alternating[..9];
    let few = mean_interval(nine).expect("nine values");
    let defined = by_definition(nine, &[vec![1.0; 9]]);
    assert!(mean(nine) > defined.high, "{defined:?}");
    assert_near(few, Interval { high: mean(nine), ..defined }, "nine values");
    let long: Vec<f64> = (0..130).map(level).collect();
    assert_eq!(mean_interval(&long), mean_interval(&pairs(&pairs(&long))));
    assert_eq!(mean_interval(&long[..65]), mean_interval(&pairs(&long[..65])));
    assert_ne!(mean_interval(&long[..64]), mean_interval(&pairs(&long[..64])));
}

#[test]
fn more_blocks_than_the_limit_are_combined() {
    let levels = [0, 1, 3, 2, 4, 6, 5, 7, 6, 8, 9, 8];
    let values = levels.map(|level| 1000.0 + 37.0 * f64::from(level));
    let weights: Vec<f64> = (0..12).map(|at| 10.0 + ((at * 3) % 4) as f64).collect();
    let sums = |values: &[f64]| values.chunks(2).map(|pair| pair.iter().sum()).collect::<Vec<f64>>();
    let direct = quotient_interval(&sums(&values), &sums(&weights), 100);
    assert_eq!(quotient_interval(&values, &weights, 11), direct);
    assert_eq!(quotient_interval(&values, &weights, 6), direct);
    assert_ne!(quotient_interval(&values, &weights, 12), direct);
    // The distances of the blocks from the quotient, by definition.
    let (all, weight) = (values.iter().sum::<f64>(), weights.iter().sum::<f64>());
    let quotient = all / weight;
    let distance = |at: usize| quotient + (values[at] - quotient * weights[at]) / (weight / 12.0);
    let expected = mean_interval(&(0..12).map(distance).collect::<Vec<_>>()).expect("blocks");
    let found = quotient_interval(&values, &weights, 12).expect("blocks");
    assert!((found.low - expected.low).abs() < 1e-9 && (found.high - expected.high).abs() < 1e-9);
}

#[test]
fn quantiles_of_student_are_those_of_statrs_for_any_freedom() {
    for freedom in [1.0, 1.5, 3.0, 5.15, 12.7, 40.0, 250.5, 3000.0] {
        let other = StudentsT::new(0.0, 1.0, freedom).expect("a distribution");
        for p in [0.001, 0.02, 0.05, 0.32, 0.9] {
            let expected = other.inverse_cdf(1.0 - p / 2.0);
            let found = student::quantile(p, freedom);
            assert!((found / expected - 1.0).abs() < 1e-6, "{p} {freedom}: {found} {expected}");
        }
        for t in [0.01, 0.3, 1.0, 2.5, 9.0] {
            let expected = 2.0 * other.sf(t);
            let found = student::two_sided(t, freedom);
            assert!((found - expected).abs() < 1e-9, "{t} {freedom}: {found} {expected}");
            assert_eq!(student::two_sided(-t, freedom), found);
        }
    }
    // The distribution with few degrees of freedom has a long tail, with the gamma function in its factor.
    let factor = (ln_gamma(1.25) - ln_gamma(0.75)).exp() / (1.5 * PI).sqrt();
    let density = (student::two_sided(0.0, 1.5) - student::two_sided(1e-4, 1.5)) / 2e-4;
    assert!((density / factor - 1.0).abs() < 1e-5, "{density} {factor}");
}

/// Benjamini's and Hochberg's procedure with adjusted p, as other programs have it: the p of rank `i` of `m` is the lowest of
/// `p × m / i` from its rank up.
fn adjusted(all: &[f64]) -> Vec<f64> {
    let count = all.len() as f64;
    let of = |p: &f64| {
        let least = |higher: &f64| higher * count / all.iter().filter(|other| *other <= higher).count() as f64;
        all.iter().filter(|higher| *higher >= p).map(least).fold(1.0, f64::min)
    };
    all.iter().map(of).collect()
}

proptest! {
    #[test]
    fn discoveries_are_those_of_adjusted_p(all in prop::collection::vec(prop_oneof![0.0f64..0.06, 0.0f64..1.0], 1..30)) {
        let found = discoveries(&all);
        for (p, adjusted) in all.iter().zip(adjusted(&all)) {
            // Not where rounding decides.
            prop_assume!((adjusted - 0.05).abs() > 1e-9);
            prop_assert_eq!(*p <= found.p_max, adjusted <= 0.05, "{} {} {:?}", p, adjusted, found);
        }
    }

    /// Kendall's test, over every order of a few values.
    #[test]
    fn a_trend_has_the_share_of_the_orders_that_are_as_extreme(values in prop::collection::vec(0i32..1000, 2..7)) {
        let values: Vec<f64> = values.iter().enumerate().map(|(at, value)| f64::from(*value) + at as f64 / 16.0).collect();
        let sum = |values: &[f64]| -> i64 {
            let pairs = (0..values.len()).flat_map(|at| (at + 1..values.len()).map(move |later| (at, later)));
            pairs.map(|(at, later)| if values[later] > values[at] { 1 } else { -1 }).sum()
        };
        let mut orders = vec![Vec::new()];
        for value in &values {
            let insert = |order: Vec<f64>| {
                (0..=order.len()).map(move |at| [&order[..at], &[*value], &order[at..]].concat()).collect::<Vec<_>>()
            };
            orders = orders.into_iter().flat_map(insert).collect();
        }
        let own = sum(&values).abs();
        let extreme = orders.iter().filter(|order| sum(order).abs() >= own).count();
        let expected = extreme as f64 / orders.len() as f64;
        prop_assert!((trend(&values).expect("two values") - expected).abs() < 1e-12, "{:?}", values);
    }
}

/// scipy's implementation of the false discovery rate, with the p of the example and of others.
#[test]
fn discoveries_are_those_of_scipy() {
    let cases: [&[f64]; 4] = [
        &[
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
            0.7590, 1.0,
        ],
        &[0.04, 0.0001, 0.03, 0.02, 0.049],
        &[0.5],
        &[0.012, 0.9, 0.013, 0.2, 0.014, 0.3],
    ];
    for all in cases {
        let script = format!(
            "from scipy.stats import false_discovery_control\nprint(*[int(p <= 0.05) for p in false_discovery_control({all:?})])"
        );
        let python = Command::new("python3").arg("-c").arg(script).stderr(Stdio::null()).output();
        let Ok(output) = python.map_err(drop).and_then(|output| output.status.success().then_some(output).ok_or(()))
        else {
            // As the harness marks a skipped test. It has no other use here.
            eprintln!("SKIPPED: no python3 with scipy 1.11 or newer");
            return;
        };
        let found = discoveries(all);
        let ours: Vec<&str> = all.iter().map(|p| if *p <= found.p_max { "1" } else { "0" }).collect();
        assert_eq!(ours.join(" "), String::from_utf8_lossy(&output.stdout).trim(), "{all:?}");
    }
}
