//! Compares a figure with a threshold. A decision needs the whole 95 % confidence interval on one side.

use assessment::{
    AboveLimit, Confounder, Correction, Failure, Judgement, Metric, NearMedian, RateChange, RateShape, Reason,
    Threshold, ThresholdBound, Verdict,
};

use super::confounders::{Confounders, Effect, Extent, corrected};
use super::figures::Figure;
use super::rate_interval::INTERVALS_MIN;
use super::{few_intervals, looks};
use crate::inference::{Interval, evened, line, mean, relative_mean_interval};
use crate::limits::Limit;
use crate::stats::{median, quantile};

/// A rate that changes by a smaller share of its mean does not drift.
const DRIFT: f64 = 0.1;
/// The share of a series, at its end, that shows the value it reached.
const END: f64 = 0.25;
/// Minimum number of intervals of that part.
const END_MIN: usize = 5;
/// A rate that fell stays low for at least this share of the series. A shorter part can be one of several slow periods.
const SUSTAINED: f64 = 0.4;
/// A rate is level if this share of its intervals is within this distance of their median.
const THROTTLE_SHARE: f64 = 0.85;
const THROTTLE_BAND: f64 = 0.05;
/// A figure above this multiple of a limit exceeds it.
const ABOVE: f64 = 1.03;
/// A figure above this multiple of a limit, without a known reason, is not that of the named target.
const FAR_ABOVE: f64 = 1.25;

/// A rate that still rises is bounded by the rise of this multiple of the measured time.
const RISES_ON: f64 = 10.0;

/// A threshold, its metric, and the published limit behind it.
pub struct Compared<'a> {
    pub metric: Metric,
    pub threshold: Threshold,
    pub limit: Option<&'a Limit>,
    /// A document confirms the threshold.
    pub is_confirmed: bool,
}

/// The shape of a rate over time.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    /// Level, typical of a throttle.
    Level(NearMedian),
    Varied {
        least: f64,
        most: f64,
        interval_s: Option<f64>,
    },
    Falls {
        change: RateChange,
        end: Interval,
        is_sustained: bool,
    },
    Rises(RateChange),
    /// Too few intervals.
    Unknown,
}

impl Shape {
    fn fall(self) -> Option<RateChange> {
        match self {
            Shape::Falls { change, .. } => Some(change),
            _ => None,
        }
    }
}

fn is_at_least(threshold: &Threshold) -> bool {
    threshold.bound == ThresholdBound::AtLeast
}

/// Compares a figure with a threshold.
pub fn judge(compared: &Compared, figure: &Figure, confounders: &Confounders, passes: u64) -> Judgement {
    let shape = shape(compared.metric, figure);
    let interval = match shape {
        // The end of a falling rate is the sustained rate. A slow period of the run only shows that it can be as low.
        Shape::Falls { end, is_sustained, .. } => match figure.interval {
            Some(whole) if !is_sustained => Some(Interval { low: end.low, high: whole.high.max(end.high) }),
            _ => Some(end),
        },
        Shape::Rises(_) => relative_mean_interval(&without_trend(&figure.series), &figure.series)
            .map(|relative| relative.times(figure.measured)),
        _ => without_ends(&compared.threshold, figure, level(figure, shape)),
    };
    let middle = shape.fall().map_or(figure.measured, |fall| fall.to);
    let interval = match figure.has_few_intervals {
        true => interval,
        false => interval.map(|interval| interval.widened(middle, looks::widening(passes))),
    };
    let Decision { verdict, reason, correction } = decide(compared, figure, interval, shape, confounders);
    Judgement {
        verdict,
        metric: compared.metric,
        at: Vec::new(),
        measured: figure.measured,
        whole_run: figure.whole_run,
        threshold: Some(compared.threshold.clone()),
        interval: interval.map(|interval| (interval.low, interval.high)),
        few_intervals: figure.has_few_intervals.then_some(figure.intervals),
        correction,
        can_continue: false,
        reason,
    }
}

/// A verdict, its reason, and what the confounders can explain.
struct Decision {
    verdict: Verdict,
    reason: Reason,
    correction: Option<Correction>,
}

impl From<(Verdict, Reason)> for Decision {
    fn from((verdict, reason): (Verdict, Reason)) -> Decision {
        Decision { verdict, reason, correction: None }
    }
}

impl Decision {
    /// Returns the decision, unless the confounders can explain the figure: it is inconclusive then.
    fn unless_explained(self, effects: &[Effect], end: f64, threshold: &Threshold, is_good: bool) -> Decision {
        let Some(correction) = corrected(effects, end, threshold.bound, is_good) else { return self };
        let figure = correction.figure;
        let is_enough = if is_at_least(threshold) { figure >= threshold.enough } else { figure <= threshold.enough };
        if is_enough == is_good {
            return Decision { correction: Some(correction), ..self };
        }
        let reason = match &effects[0].confounder {
            Confounder::StillRising(change) => Reason::StillRising(*change),
            confounder => Reason::Confounded(confounder.clone()),
        };
        Decision { verdict: Verdict::Inconclusive, reason, correction: Some(correction) }
    }

    /// Returns the decision, unless it is a FAIL by a threshold that no document confirms: it is inconclusive then.
    fn unless_unconfirmed(self, compared: &Compared) -> Decision {
        match self.reason {
            Reason::NotEnough(shape) if !compared.is_confirmed => {
                (Verdict::Inconclusive, Reason::NotConfirmed(shape)).into()
            }
            _ => self,
        }
    }
}

fn decide(
    compared: &Compared,
    figure: &Figure,
    interval: Option<Interval>,
    shape: Shape,
    confounders: &Confounders,
) -> Decision {
    let threshold = &compared.threshold;
    if let Some(confounder) = &confounders.of_all {
        let is_stopped = *confounder == Confounder::Failure(Failure::Stopped);
        let verdict = if is_stopped { Verdict::Skipped } else { Verdict::Inconclusive };
        return (verdict, Reason::Confounded(confounder.clone())).into();
    }
    let Some(interval) = interval else {
        return (Verdict::Inconclusive, too_few(compared.metric, figure, few_intervals::INTERVALS_MIN)).into();
    };
    let (good, bad) = if is_at_least(threshold) {
        (interval.low >= threshold.enough, interval.high < threshold.enough)
    } else {
        (interval.high <= threshold.enough, interval.low > threshold.enough)
    };
    let (best, worst) =
        if is_at_least(threshold) { (interval.high, interval.low) } else { (interval.low, interval.high) };
    match (good, bad) {
        (true, _) => match level(figure, shape) {
            Some((level, interval)) if is_at_least(threshold) && interval.high < threshold.enough => {
                (Verdict::Inconclusive, Reason::OnlyWithStartAndEnd { level }).into()
            }
            level => {
                let passed = enough(compared, figure, shape, level.map(|(level, _)| level));
                let effects = if passed.0 == Verdict::Pass { confounders.of_success.as_slice() } else { &[] };
                Decision::from(passed).unless_explained(effects, worst, threshold, true)
            }
        },
        (_, true) => {
            let mut effects = confounders.of_failure.clone();
            if let Shape::Rises(change) = shape {
                let reached = change.to + (change.to - change.from) * RISES_ON;
                let confounder = Confounder::StillRising(change);
                effects.push(Effect { confounder, extent: Extent::Limit(reached) });
            }
            let failed = (Verdict::Fail, Reason::NotEnough(rate_shape(shape, confounders.is_throttled)));
            Decision::from(failed).unless_explained(&effects, best, threshold, false).unless_unconfirmed(compared)
        }
        (false, false) if figure.has_few_intervals => {
            (Verdict::Inconclusive, too_few(compared.metric, figure, INTERVALS_MIN)).into()
        }
        (false, false) => {
            let reason = Reason::Undecided { fall: shape.fall(), cpu_wait_share: confounders.cpu_wait_share };
            (Verdict::Inconclusive, reason).into()
        }
    }
}

/// Returns what is too few: intervals if there are fewer than `intervals_min`, else I/Os.
fn too_few(metric: Metric, figure: &Figure, intervals_min: usize) -> Reason {
    match metric.is_rate() || figure.intervals < intervals_min as u64 {
        true => Reason::TooFewIntervals { intervals: figure.intervals },
        false => Reason::TooFewIos { ios: figure.ios },
    }
}

fn enough(compared: &Compared, figure: &Figure, shape: Shape, level: Option<f64>) -> (Verdict, Reason) {
    let limit_value = compared.threshold.value;
    let passed = |above_limit, fall| (Verdict::Pass, Reason::Enough { above_limit, fall, missed: None });
    let is_above = is_at_least(&compared.threshold) && figure.measured > limit_value * ABOVE;
    let Some(limit) = compared.limit.filter(|_| is_above) else { return passed(None, shape.fall()) };
    if let Some(level) = level.filter(|level| *level <= limit_value * ABOVE) {
        return passed(Some(AboveLimit::StartAndEnd { level }), None);
    }
    if let Some(burst) = limit.burst.filter(|burst| figure.measured <= burst.value * ABOVE) {
        let above = AboveLimit::Burst { value: burst.value, seconds: burst.seconds };
        return passed(Some(above), shape.fall());
    }
    if limit.merged.is_some_and(|merged| figure.measured <= merged * ABOVE) {
        return passed(Some(AboveLimit::MergedIos), shape.fall());
    }
    if figure.measured > limit_value * FAR_ABOVE {
        return (Verdict::Inconclusive, Reason::AboveTarget);
    }
    passed(Some(AboveLimit::Unpublished), shape.fall())
}

fn rate_shape(shape: Shape, is_throttled: bool) -> RateShape {
    match shape {
        Shape::Level(near) => RateShape::Level { is_throttled, near },
        Shape::Varied { least, most, interval_s } => RateShape::Varied { least, most, is_throttled, interval_s },
        Shape::Falls { change, .. } => RateShape::Fell(change),
        Shape::Rises(_) | Shape::Unknown => RateShape::Unknown,
    }
}

/// Returns the series without its first and last interval, if it is long enough. After a rest a throttle passes a batch
/// at once, and the last interval lacks the I/Os in flight.
fn inner(series: &[f64]) -> &[f64] {
    match series {
        [_, rest @ .., _] if rest.len() >= END_MIN => rest,
        all => all,
    }
}

/// Returns the mean of a rate without a trend, and its interval, without the first and the last interval. In a short
/// run these two have a large share.
fn level(figure: &Figure, shape: Shape) -> Option<(f64, Interval)> {
    let is_level = matches!(shape, Shape::Level(_) | Shape::Varied { .. });
    let series = is_level.then(|| evened(inner(&figure.series)))?;
    Some((mean(&series), relative_mean_interval(&series, &series)?.times(mean(&series))))
}

/// Returns the interval of the figure. If figure and level are on the same side of the threshold, the end towards it is
/// that of the level: the start and the end of a run are not noise of the target.
fn without_ends(threshold: &Threshold, figure: &Figure, level: Option<(f64, Interval)>) -> Option<Interval> {
    let Interval { low, high } = figure.interval?;
    let Some((_, level)) = level.filter(|_| is_at_least(threshold)) else { return figure.interval };
    let measured = figure.measured;
    Some(Interval {
        low: if measured.min(level.low) >= threshold.enough { level.low.min(measured).max(low) } else { low },
        high: if measured.max(level.high) < threshold.enough { level.high.max(measured).min(high) } else { high },
    })
}

/// Returns the distances from the least-squares line, around the mean.
fn without_trend(series: &[f64]) -> Vec<f64> {
    let Some(fitted) = line(series) else { return series.to_vec() };
    let middle = (series.len() - 1) as f64 / 2.0;
    series.iter().enumerate().map(|(at, rate)| rate - fitted.slope * (at as f64 - middle)).collect()
}

/// Whether a rate that falls from one level to another stays low for long enough, and was not as low before it fell.
fn is_sustained(series: &[f64], from: f64, to: f64) -> bool {
    let levels: Vec<f64> = series.windows(END_MIN).map(mean).collect();
    let fell = levels.iter().rposition(|level| *level > f64::midpoint(from, to)).map_or(0, |at| at + 1);
    let lasts = series.len() - fell;
    let was_low = levels[..fell].iter().any(|level| *level <= to + (from - to) * END);
    lasts >= INTERVALS_MIN && lasts as f64 >= series.len() as f64 * SUSTAINED && !was_low
}

fn shape(metric: Metric, figure: &Figure) -> Shape {
    let series = &evened(inner(&figure.series));
    if !metric.is_rate() || figure.has_few_intervals || series.len() < END_MIN {
        return Shape::Unknown;
    }
    // The figure may include I/Os outside the intervals.
    let scale = figure.measured / mean(series);
    let end_length = ((series.len() as f64 * END).ceil() as usize).max(END_MIN);
    let (first, last) = (&series[..end_length], &series[series.len() - end_length..]);
    let change = line(series).map_or(0.0, |line| (line.end - line.start) / mean(series));
    let drifts = change.abs() > DRIFT;
    let of_part = |part| Some(relative_mean_interval(&without_trend(part), part)?.times(mean(part)));
    let ends = [first, last].map(|part| of_part(part).filter(|_| drifts));
    let change = RateChange { from: mean(first) * scale, to: mean(last) * scale };
    match ends {
        [Some(start), Some(end)] if end.high < start.low => {
            let is_sustained = is_sustained(series, mean(first), mean(last));
            return Shape::Falls { change, end: end.times(scale), is_sustained };
        }
        [Some(start), Some(end)] if end.low > start.high => return Shape::Rises(change),
        _ => {}
    }
    let middle = median(series);
    let near = series.iter().filter(|rate| (*rate - middle).abs() <= middle * THROTTLE_BAND).count();
    let share = near as f64 / series.len() as f64;
    if share >= THROTTLE_SHARE {
        let combined = (inner(&figure.series).len() / series.len()).ilog2();
        let interval_s = figure.interval_s.map(|interval_s| interval_s * f64::from(1 << combined));
        return Shape::Level(NearMedian { share, distance_share: THROTTLE_BAND, interval_s });
    }
    // The range of the intervals that charts show.
    let (least, most) = (quantile(&figure.series, 0.0), quantile(&figure.series, 1.0));
    Shape::Varied { least, most, interval_s: figure.interval_s }
}
