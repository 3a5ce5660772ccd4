//! Confidence from resampling. Neighbours in a series are alike, so blocks of them are drawn, not single figures.
//!
//! The seed is fixed: the same figures have the same interval, always.

use units::random::Tausworthe64;

use super::{line, mean};

/// Resamples that an interval is read off: its ends then vary by about a hundredth of its width.
const RESAMPLES: usize = 2000;
const SEED: u64 = 0x5eed_0fa7;
/// Fewer figures say nothing of how they vary.
const FIGURES_MIN: usize = 5;
/// Part of the resamples that lies below an interval, and above it.
const TAIL: f64 = 0.025;

/// Where a figure lies with 95 % confidence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// How much more the second of two series is, on average.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// As a part of the first: 0.05 is 5 % more.
    pub share: f64,
    pub interval: Interval,
}

/// Neighbours that are less alike than this take turns.
const TURNS: f64 = -0.3;

/// The series with neighbours put together while they take turns, as intervals do when a throttle lets I/Os through in
/// batches that don't fit into them: what one has too much the next has too little, and the mean is surer than it looks.
pub fn evened(values: &[f64]) -> Vec<f64> {
    let mut series = values.to_vec();
    while series.len() >= 2 * FIGURES_MIN && likeness(&series) < TURNS {
        series = series.chunks_exact(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
    }
    series
}

/// Where the mean lies that a series is a sample of; `None` of too few figures.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let values = evened(values);
    let mut draw = Draw::new(&values)?;
    interval(|| mean(draw.resample()))
}

/// Where the slope lies, from one figure to the next. The line is drawn again through resampled distances from it.
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

/// How two series differ; `None` of too few figures, or where the first is nothing.
pub fn difference(first: &[f64], second: &[f64]) -> Option<Difference> {
    let base = mean(first);
    let share = (mean(second) - base) / base;
    if !share.is_finite() {
        return None;
    }
    let (first, second) = (evened(first), evened(second));
    let mut draws = (Draw::new(&first)?, Draw::new(&second)?);
    draws.1.generator = Tausworthe64::new(!SEED);
    let interval = interval(|| {
        let base = mean(draws.0.resample());
        // A resample of a series that is mostly nothing may be nothing.
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

/// Draws series of the same length from blocks of one; it is closed to a ring, so that every figure is drawn as often.
struct Draw<'a> {
    values: &'a [f64],
    block: usize,
    drawn: Vec<f64>,
    generator: Tausworthe64,
}

impl<'a> Draw<'a> {
    fn new(values: &'a [f64]) -> Option<Draw<'a>> {
        let sound = values.len() >= FIGURES_MIN && values.iter().all(|value| value.is_finite());
        sound.then(|| Draw {
            values,
            block: block(values),
            drawn: Vec::with_capacity(values.len()),
            generator: Tausworthe64::new(SEED),
        })
    }

    fn resample(&mut self) -> &[f64] {
        self.drawn.clear();
        let count = self.values.len();
        while self.drawn.len() < count {
            let from = self.generator.between(0, count as u64 - 1) as usize;
            let length = self.block.min(count - self.drawn.len());
            self.drawn.extend((from..from + length).map(|at| self.values[at % count]));
        }
        &self.drawn
    }
}

/// How long a block is: the longer, the more alike neighbours are (Carlstein's rule for a first-order series), and never
/// shorter than the cube root of the length, nor longer than a quarter of it.
fn block(values: &[f64]) -> usize {
    let count = values.len() as f64;
    let alike = likeness(values).clamp(0.0, 0.97);
    let by_likeness = (2.0 * alike / (1.0 - alike * alike)).powf(2.0 / 3.0) * count.cbrt();
    let most = (values.len() / 4).max(1);
    (by_likeness.max(count.cbrt()).round() as usize).clamp(1, most)
}

/// How alike neighbours are: the correlation of each figure with the next.
fn likeness(values: &[f64]) -> f64 {
    let middle = mean(values);
    let about = |at: usize| values[at] - middle;
    let squares: f64 = (0..values.len()).map(|at| about(at) * about(at)).sum();
    let products: f64 = (1..values.len()).map(|at| about(at) * about(at - 1)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}
