//! Whether rounds came to a steady state, by SNIA's rule or by one that copes with the noise of a disk that is shared.
//!
//! A round's figure is any metric of any direction; reads and writes are looked at one by one.

use units::format::percent;

use crate::inference::{line, mean, mean_interval, slope_interval};
use assessment::{Metric, Steady};

/// No more rounds than these are made.
pub const ROUNDS_MAX: usize = 25;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rule {
    /// Five rounds in a row, all within 20 % of their mean, and a straight line through them that changes by no more than
    /// 10 % of it (SNIA's PTS).
    #[default]
    Snia,
    /// The rounds up to the last, at least eight: no drift that could not be noise, and a mean that is known well.
    Cloud,
}

const SNIA_WINDOW: usize = 5;
/// From the least to the most, of the mean.
const SNIA_RANGE: f64 = 0.2;
/// The line's change over the window, of the mean.
const SNIA_SLOPE: f64 = 0.1;

const CLOUD_WINDOW_MIN: usize = 8;
/// A smaller change over the window is no drift, however sure it is.
const CLOUD_DRIFT: f64 = 0.1;
/// How far the ends of the mean's interval may lie from it.
const CLOUD_PRECISION: f64 = 0.075;
/// A round farther from the median than so many deviations counts as if it were no farther.
const CLOUD_OUTLIER: f64 = 3.0;
/// Turns the median distance from the median into the deviation of values that spread normally.
const MEDIAN_TO_DEVIATION: f64 = 1.4826;
/// Rounds hardly differ by less than this part, and a distance below it makes no outlier.
const CLOUD_NOISE_MIN: f64 = 0.01;

impl Rule {
    pub fn name(self) -> &'static str {
        match self {
            Rule::Snia => "snia",
            Rule::Cloud => "cloud",
        }
    }

    pub fn named(name: &str) -> Option<Rule> {
        [Rule::Snia, Rule::Cloud].into_iter().find(|rule| rule.name() == name)
    }

    /// How many rounds it looks at, at least.
    pub fn rounds(self) -> usize {
        match self {
            Rule::Snia => SNIA_WINDOW,
            Rule::Cloud => CLOUD_WINDOW_MIN,
        }
    }

    /// How far on either side of the mean a round may lie, as a part of it, where the rule says that.
    pub fn within(self) -> Option<f64> {
        (self == Rule::Snia).then_some(SNIA_RANGE / 2.0)
    }

    /// How much the line through the rounds may rise or fall over all of them, as a part of the mean.
    pub fn slope(self) -> Option<f64> {
        (self == Rule::Snia).then_some(SNIA_SLOPE)
    }

    /// Whether another round is of use: the state is not steady yet, and there may be more.
    pub fn goes_on(self, values: &[f64]) -> bool {
        values.len() < ROUNDS_MAX && self.window(values).is_err()
    }

    /// What the rounds came to.
    pub fn look(self, metric: Metric, values: &[f64]) -> Steady {
        let (from_round, detail) = match self.window(values) {
            Ok((from, detail)) => (Some(from), detail),
            Err(why) => (None, format!("not steady: {why}")),
        };
        Steady { rule: self.name().to_owned(), metric: metric.to_string(), values: values.to_vec(), from_round, detail }
    }

    /// The first of the rounds that are steady together, and what shows it; else why none are.
    fn window(self, values: &[f64]) -> Result<(usize, String), String> {
        // A round that did nothing is part of no steady state; those after it may be of one.
        let first = values.iter().rposition(|value| !value.is_finite() || *value <= 0.0).map_or(0, |at| at + 1);
        match self {
            Rule::Snia => snia(values, first),
            Rule::Cloud => cloud(values, first),
        }
    }
}

/// Why so many rounds, from the `first` on, are too few.
fn too_few(values: &[f64], first: usize, window: usize) -> String {
    let idle = if first > 0 { format!("round {first} did nothing, and there are ") } else { String::new() };
    format!("{idle}{} rounds of the {window} that the rule looks at", values.len() - first)
}

/// Measuring stops at the first window that is steady; of several the first counts.
fn snia(values: &[f64], first: usize) -> Result<(usize, String), String> {
    let mut why = too_few(values, first, SNIA_WINDOW);
    for (from, window) in (first..).zip(values[first..].windows(SNIA_WINDOW)) {
        let mean = mean(window);
        let least = window.iter().copied().fold(f64::INFINITY, f64::min);
        let most = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = (most - least) / mean;
        let slope = line(window).map_or(0.0, |line| (line.end - line.start).abs() / mean);
        let rounds = format!("rounds {} to {}", from + 1, from + SNIA_WINDOW);
        let seen = format!("range {} and slope {} of the mean", percent(range), percent(slope));
        if range <= SNIA_RANGE && slope <= SNIA_SLOPE {
            return Ok((from, format!("steady over {rounds}: {seen}")));
        }
        let bounds = match (range <= SNIA_RANGE, slope <= SNIA_SLOPE) {
            (false, true) => format!("the range may be {}", percent(SNIA_RANGE)),
            (true, false) => format!("the slope may be {}", percent(SNIA_SLOPE)),
            _ => format!("{} and {} are allowed", percent(SNIA_RANGE), percent(SNIA_SLOPE)),
        };
        why = format!("the last {rounds} have {seen}; {bounds}");
    }
    Err(why)
}

/// The longest row of rounds up to the last that is steady: the first rounds may still have been on their way.
fn cloud(values: &[f64], first: usize) -> Result<(usize, String), String> {
    let mut why = too_few(values, first, CLOUD_WINDOW_MIN);
    for from in first..(values.len() + 1).saturating_sub(CLOUD_WINDOW_MIN) {
        match cloud_window(&values[from..]) {
            Ok(seen) => return Ok((from, format!("steady over rounds {} to {}: {seen}", from + 1, values.len()))),
            Err(not) => why = format!("the last rounds from {} on {not}", from + 1),
        }
    }
    Err(why)
}

fn cloud_window(values: &[f64]) -> Result<String, String> {
    let middle = median(values);
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let far = CLOUD_OUTLIER * (MEDIAN_TO_DEVIATION * median(&distances)).max(CLOUD_NOISE_MIN * middle);
    let outliers = distances.iter().filter(|distance| **distance > far).count();
    // On the way to the level: a stall has the level before and after it.
    if distances.first().is_some_and(|distance| *distance > far) {
        return Err("begin with one that is far from the others".to_owned());
    }
    let tamed: Vec<f64> = values.iter().map(|value| value.clamp(middle - far, middle + far)).collect();
    let change = line(&tamed).map_or(0.0, |line| (line.end - line.start) / middle);
    let could_be_noise = slope_interval(&tamed).is_none_or(|slope| slope.low <= 0.0 && slope.high >= 0.0);
    let Some(interval) = mean_interval(&tamed) else { return Err("are too few".to_owned()) };
    let precision = (interval.high - interval.low) / 2.0 / middle;
    if change.abs() > CLOUD_DRIFT && !could_be_noise {
        let way = if change > 0.0 { "rise" } else { "fall" };
        return Err(format!(
            "{way} by {}, more than {} and more than noise",
            percent(change.abs()),
            percent(CLOUD_DRIFT)
        ));
    }
    if precision > CLOUD_PRECISION {
        return Err(format!(
            "vary so much that their mean is known to {} only; {} is asked for",
            percent(precision),
            percent(CLOUD_PRECISION)
        ));
    }
    let aside = match outliers {
        0 => String::new(),
        1 => ", one round far off".to_owned(),
        many => format!(", {many} rounds far off"),
    };
    Ok(format!("change {}, mean known to {}{aside}", percent(change.abs()), percent(precision)))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}
