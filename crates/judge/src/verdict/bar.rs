//! One figure held against one bar. The whole of the interval in which it lies with 95 % confidence must be on one side.

use units::format::{grouped, percent};

use super::figures::Figure;
use crate::inference::{Interval, evened, line, mean, mean_interval, slope_interval};
use crate::limits::Limit;
use assessment::{Judgement, Metric, Verdict};

/// A rate that drifts by less, of its mean, is steady.
const DRIFT: f64 = 0.1;
/// Part of a series, at its end, that shows what it came to.
const END: f64 = 0.25;
/// So many intervals, at least, make an end.
const END_MIN: usize = 5;
/// A throttle keeps this part of the intervals within that distance of their median.
const THROTTLE_SHARE: f64 = 0.85;
const THROTTLE_BAND: f64 = 0.05;
/// This much more than a limit is more than it.
const ABOVE: f64 = 1.03;
/// More than a limit by that, and nothing known that allows it, is of something else.
const FAR_ABOVE: f64 = 1.25;
const WITHOUT_ENDS: &str =
    "without what a throttle lets through at once at the start, and what was in flight at the end";

/// What a figure is held against.
pub struct Bar<'a> {
    pub metric: Metric,
    /// What is expected.
    pub value: f64,
    /// What is enough of it.
    pub enough: f64,
    /// More is better.
    pub is_lower: bool,
    /// What stands behind the expected figure: ` of P30`, ` that are required`.
    pub of: String,
    pub limit: Option<&'a Limit>,
}

/// What keeps a measurement from deciding anything, whatever the figure; what keeps it from speaking against the target; and
/// what is known of its cause. Threads that wait for processors are the cause of most of the other doubts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Doubts {
    pub of_all: Option<String>,
    pub of_failure: Option<String>,
    /// The latencies show that a throttle sets the rate.
    pub is_throttled: bool,
    /// Part of the time for which the threads were ready and had no processor, where that counts.
    pub starved: Option<f64>,
}

impl Doubts {
    /// Why a figure that isn't enough is not the target's.
    fn against_failure(&self, bar: &Bar, interval: Interval) -> Option<String> {
        // Waits for a processor take no more of a rate than their part of the time; of latencies nobody knows.
        let explains = |share: f64| !bar.is_lower || interval.high >= bar.enough * (1.0 - share);
        let starved = self.starved.filter(|share| explains(*share));
        let starved = starved.map(|share| {
            format!("fathom's threads were ready and had no processor for {} of the time", percent(share))
        });
        starved.or_else(|| self.of_failure.clone())
    }
}

/// How a rate went over time.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    /// At one level, as a throttle keeps it.
    Flat,
    Varied {
        least: f64,
        most: f64,
    },
    Falls {
        from: f64,
        to: f64,
        end: Interval,
    },
    Rises {
        from: f64,
        to: f64,
    },
    /// Too few intervals.
    Unknown,
}

pub fn judge(bar: &Bar, figure: &Figure, doubts: &Doubts) -> Judgement {
    let shape = shape(bar, figure);
    // What a falling rate came to is what lasts.
    let interval = match shape {
        Shape::Falls { end, .. } => Some(end),
        _ => without_ends(bar, figure, level(figure, shape)),
    };
    let (verdict, why) = stand(bar, figure, interval, shape, doubts);
    let ratio = figure.measured / bar.value;
    let cause = format!(
        "{}, {} of the {}{}{why}",
        bar.metric.show(figure.measured),
        percent(ratio),
        bar.metric.show(bar.value),
        bar.of
    );
    Judgement {
        verdict,
        metric: bar.metric.to_string(),
        measured: figure.measured,
        expected: Some(bar.value),
        unit: bar.metric.unit().to_owned(),
        ratio: ratio.is_finite().then_some(ratio),
        interval: interval.map(|interval| (interval.low, interval.high)),
        cause,
    }
}

/// The verdict, and what is said behind the figures.
fn stand(bar: &Bar, figure: &Figure, interval: Option<Interval>, shape: Shape, doubts: &Doubts) -> (Verdict, String) {
    if let Some(doubt) = &doubts.of_all {
        return (Verdict::Inconclusive, format!("; but {doubt}"));
    }
    let Some(interval) = interval else { return (Verdict::Inconclusive, unsure(bar, figure)) };
    let (good, bad) = if bar.is_lower {
        (interval.low >= bar.enough, interval.high < bar.enough)
    } else {
        (interval.high <= bar.enough, interval.low > bar.enough)
    };
    match (good, bad, shape, doubts.against_failure(bar, interval)) {
        (true, ..) => match level(figure, shape) {
            Some((level, interval)) if bar.is_lower && interval.high < bar.enough => {
                let why = format!("; but {WITHOUT_ENDS}, it is {}: measure longer", bar.metric.show(level));
                (Verdict::Inconclusive, why)
            }
            level => passed(bar, figure, shape, level.map(|(level, _)| level)),
        },
        (_, true, _, Some(doubt)) => (Verdict::Inconclusive, format!("; but {doubt}")),
        (_, true, Shape::Rises { from, to }, None) => {
            let (from, to) = (bar.metric.show(from), bar.metric.show(to));
            (Verdict::Inconclusive, format!("; but it was still rising, from {from} to {to}: measure longer"))
        }
        (_, true, _, None) => (Verdict::Fail, failed(bar, shape, doubts.is_throttled)),
        (false, false, ..) => (Verdict::Inconclusive, undecided(bar, interval, shape, doubts)),
    }
}

/// The bar lies in the interval.
fn undecided(bar: &Bar, interval: Interval, shape: Shape, doubts: &Doubts) -> String {
    let [low, high, enough] = [interval.low, interval.high, bar.enough].map(|value| bar.metric.show(value));
    let what = match shape {
        // Then the interval is that of the end.
        Shape::Falls { from, to, .. } => {
            format!("it fell from {} to {}, the end with", bar.metric.show(from), bar.metric.show(to))
        }
        _ => "with".to_owned(),
    };
    let advice = match doubts.starved {
        Some(share) => {
            let share = percent(share);
            format!("fathom's threads had no processor for {share} of the time: end what else runs, or measure longer")
        }
        None => "measure longer".to_owned(),
    };
    format!("; {what} 95 % confidence from {low} to {high}, and {enough} decides it: {advice}")
}

fn unsure(bar: &Bar, figure: &Figure) -> String {
    if bar.metric.is_rate() {
        let intervals = figure.series.len();
        return format!("; but {intervals} whole intervals are too few to say how sure that is: measure longer");
    }
    format!("; but {} I/Os are too few for that figure: measure longer", grouped(figure.ios as f64))
}

fn passed(bar: &Bar, figure: &Figure, shape: Shape, level: Option<f64>) -> (Verdict, String) {
    let fell = match shape {
        Shape::Falls { from, to, .. } => {
            format!("; it fell from {} to {}, which is enough", bar.metric.show(from), bar.metric.show(to))
        }
        _ => String::new(),
    };
    let Some(limit) = bar.limit.filter(|_| bar.is_lower && figure.measured > bar.value * ABOVE) else {
        return (Verdict::Pass, fell);
    };
    if let Some(level) = level.filter(|level| *level <= bar.value * ABOVE) {
        return (Verdict::Pass, format!("; {WITHOUT_ENDS}, it is {}", bar.metric.show(level)));
    }
    if let Some(burst) = limit.burst.filter(|burst| figure.measured <= burst.value * ABOVE) {
        let shown = limit.burst_shown().unwrap_or_default();
        let wait = if burst.seconds.is_some() { ": measure beyond that to see the base" } else { "" };
        return (Verdict::Pass, format!("; more than the base is a burst, {shown}{wait}{fell}"));
    }
    if limit.merged.is_some_and(|merged| figure.measured <= merged * ABOVE) {
        return (Verdict::Pass, format!("; sequential I/Os count together there{fell}"));
    }
    if figure.measured > bar.value * FAR_ABOVE {
        let why = "; that is more than it can do: a cache answered, or it is another disk or machine than was named";
        return (Verdict::Inconclusive, why.to_owned());
    }
    (Verdict::Pass, format!("; more than was published{fell}"))
}

fn failed(bar: &Bar, shape: Shape, is_throttled: bool) -> String {
    let show = |value| bar.metric.show(value);
    const IN_BATCHES: &str = "as the latencies show: it lets I/Os through in batches";
    match shape {
        Shape::Flat if is_throttled => {
            format!(": steady at that level in all intervals, as a throttle does, {IN_BATCHES}")
        }
        Shape::Flat => ": steady at that level in all intervals, as a throttle does".to_owned(),
        Shape::Varied { .. } if is_throttled => format!(": a throttle sets that rate, {IN_BATCHES}"),
        Shape::Varied { least, most } => {
            format!(": from {} to {} in the intervals, as a target at its own limit does", show(least), show(most))
        }
        Shape::Falls { from, to, .. } => format!(": it fell from {} to {}", show(from), show(to)),
        Shape::Rises { .. } | Shape::Unknown => String::new(),
    }
}

/// The series without its ends, where it is long enough: what a throttle lets through at once after a rest, and what is
/// missing of the last interval, are no way that a rate goes.
fn inner(series: &[f64]) -> &[f64] {
    match series {
        [_, rest @ .., _] if rest.len() >= END_MIN => rest,
        all => all,
    }
}

/// What a rate that neither falls nor rises is without its ends, which count for much in a short run.
fn level(figure: &Figure, shape: Shape) -> Option<(f64, Interval)> {
    let is_level = matches!(shape, Shape::Flat | Shape::Varied { .. });
    let series = is_level.then(|| evened(inner(&figure.series)))?;
    Some((mean(&series), mean_interval(&series)?))
}

/// The figure's interval, from below that of its level where both are enough: the ends of a run are no noise of the target's.
fn without_ends(bar: &Bar, figure: &Figure, level: Option<(f64, Interval)>) -> Option<Interval> {
    let whole = figure.interval?;
    let enough = level.filter(|(_, level)| bar.is_lower && figure.measured.min(level.low) >= bar.enough);
    let low = enough.map_or(whole.low, |(_, level)| level.low.min(figure.measured).max(whole.low));
    Some(Interval { low, high: whole.high })
}

fn shape(bar: &Bar, figure: &Figure) -> Shape {
    let series = &evened(inner(&figure.series));
    if !bar.metric.is_rate() || series.len() < END_MIN {
        return Shape::Unknown;
    }
    // The figure may be of a bit more than the intervals.
    let scale = figure.measured / mean(series);
    let end_length = ((series.len() as f64 * END).ceil() as usize).max(END_MIN);
    let (start, end) = (mean(&series[..end_length]) * scale, mean(&series[series.len() - end_length..]) * scale);
    let change = line(series).map_or(0.0, |line| (line.end - line.start) / mean(series));
    let is_sure = slope_interval(series).is_some_and(|slope| slope.low > 0.0 || slope.high < 0.0);
    if change.abs() > DRIFT && is_sure {
        let last = mean_interval(&series[series.len() - end_length..]);
        return match last {
            Some(last) if end < start => {
                let interval = Interval { low: last.low * scale, high: last.high * scale };
                Shape::Falls { from: start, to: end, end: interval }
            }
            _ => Shape::Rises { from: start, to: end },
        };
    }
    let mut sorted = series.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted[sorted.len() / 2];
    let near = sorted.iter().filter(|rate| (*rate - middle).abs() <= middle * THROTTLE_BAND).count();
    if near as f64 >= series.len() as f64 * THROTTLE_SHARE {
        return Shape::Flat;
    }
    Shape::Varied { least: sorted[0] * scale, most: sorted[sorted.len() - 1] * scale }
}
