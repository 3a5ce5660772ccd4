//! Confidence intervals by resampling. Neighbours in a series are correlated, so blocks of values are resampled.
//!
//! The seed is fixed: the same values always have the same interval.

use units::random::Tausworthe64;

use super::{line, mean};

/// Number of resamples. The ends of an interval then vary by about 1 % of its width.
const RESAMPLES: usize = 2000;
const SEED: u64 = 0x5eed_0fa7;
/// Fewest values with an interval.
const FIGURES_MIN: usize = 5;
/// Share of the resamples below an interval, and above it.
const TAIL: f64 = 0.025;

/// A 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// The relative difference of the means of two series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// As a share of the first: 0.05 is 5 % more.
    pub share: f64,
    pub interval: Interval,
}

/// Neighbours with a lower correlation alternate.
const TURNS: f64 = -0.3;

/// Returns the series with neighbours combined while they alternate. If a throttle's batches do not fit the intervals,
/// one interval has what the next lacks, and the mean is more certain than single intervals show.
pub fn evened(values: &[f64]) -> Vec<f64> {
    let mut series = values.to_vec();
    while series.len() >= 2 * FIGURES_MIN && likeness(&series) < TURNS {
        series = series.chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    }
    series
}

/// Returns the interval of the mean; `None` for too few values.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let values = evened(values);
    let mut draw = Draw::new(&values)?;
    interval(|| mean(draw.resample()))
}

/// Returns the interval of the slope per value, by resampling the distances from the line.
pub fn slope_interval(values: &[f64]) -> Option<Interval> {
    let fitted = line(values)?;
    let at = |at: usize| fitted.start + fitted.slope * at as f64;
    let rest: Vec<f64> = values.iter().enumerate().map(|(index, value)| value - at(index)).collect();
    let mut draw = Draw::new(&rest)?;
    interval(|| {
        let again: Vec<f64> = draw.resample().iter().enumerate().map(|(index, rest)| rest + at(index)).collect();
        line(&again).map_or(fitted.slope, |line| line.slope)
    })
}

/// Returns the relative difference of two series; `None` for too few values, or if the first mean is 0.
pub fn difference(first: &[f64], second: &[f64]) -> Option<Difference> {
    let base = mean(first);
    let share = (mean(second) - base) / base;
    if !share.is_finite() {
        return None;
    }
    let (first, second) = (evened(first), evened(second));
    let mut draws = (Draw::new(&first)?, Draw::new(&second)?);
    draws.1.random = Tausworthe64::new(!SEED);
    let interval = interval(|| {
        let base = mean(draws.0.resample());
        // A resample of a series with many zeros may have a mean of 0.
        if base == 0.0 { 0.0 } else { (mean(draws.1.resample()) - base) / base }
    })?;
    Some(Difference { share, interval })
}

fn interval(mut statistic: impl FnMut() -> f64) -> Option<Interval> {
    let mut found: Vec<f64> = (0..RESAMPLES).map(|_| statistic()).collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found[(share * (RESAMPLES - 1) as f64).round() as usize];
    let interval = Interval { low: at(TAIL), high: at(1.0 - TAIL) };
    (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
}

/// Draws series of the same length from blocks. The series is a ring, so that every value is drawn equally often.
struct Draw<'a> {
    values: &'a [f64],
    block: usize,
    drawn: Vec<f64>,
    random: Tausworthe64,
}

impl<'a> Draw<'a> {
    fn new(values: &'a [f64]) -> Option<Draw<'a>> {
        let sound = values.len() >= FIGURES_MIN && values.iter().all(|value| value.is_finite());
        sound.then(|| Draw {
            values,
            block: block(values),
            drawn: Vec::with_capacity(values.len()),
            random: Tausworthe64::new(SEED),
        })
    }

    fn resample(&mut self) -> &[f64] {
        self.drawn.clear();
        let count = self.values.len();
        while self.drawn.len() < count {
            let from = self.random.between(0, count as u64 - 1) as usize;
            let length = self.block.min(count - self.drawn.len());
            self.drawn.extend((from..from + length).map(|at| self.values[at % count]));
        }
        &self.drawn
    }
}

/// Returns the block length by the correlation of neighbours (Carlstein's rule for a first-order series): at least the
/// cube root of the length, at most a quarter of it.
fn block(values: &[f64]) -> usize {
    let count = values.len() as f64;
    let alike = likeness(values).clamp(0.0, 0.97);
    let by_likeness = (2.0 * alike / (1.0 - alike * alike)).powf(2.0 / 3.0) * count.cbrt();
    let most = (values.len() / 4).max(1);
    (by_likeness.max(count.cbrt()).round() as usize).clamp(1, most)
}

/// Returns the correlation of each value with the next.
fn likeness(values: &[f64]) -> f64 {
    let middle = mean(values);
    let about = |at: usize| values[at] - middle;
    let squares: f64 = (0..values.len()).map(|at| about(at) * about(at)).sum();
    let products: f64 = (1..values.len()).map(|at| about(at) * about(at - 1)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}
