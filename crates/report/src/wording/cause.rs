//! Judgements and causes in words.

use assessment::{
    AboveLimit, Basis, Cause, Citation, Confidence, Confounder, FEW_INTERVALS_FACTOR, Judgement, LatencyKind,
    NearMedian, Quantity, RateChange, RateShape, Reason, Subject, Threshold, ThresholdBound, Verdict,
};
use units::format::{TIMES_FROM, bandwidth, grouped, iops, percent, time_ns};

use super::correction::correction;
use super::failure::failure;
use super::finding::{headline, message, what};
use super::names::{line, quoted};
use super::steady::steady_state;
use super::unmeasured::not_measured;

/// Returns the cause of a verdict.
pub fn cause(cause: &Cause) -> String {
    cause_of_test("", cause)
}

/// Returns the cause of a verdict, to be read after the name of a test.
pub fn cause_of_test(test: &str, cause: &Cause) -> String {
    line(sentence(test, cause))
}

fn sentence(test: &str, cause: &Cause) -> String {
    match cause {
        Cause::NothingExpected => "no expectation given".to_owned(),
        Cause::NothingMeasured => "nothing was measured".to_owned(),
        Cause::Judgement(judgement) => named(test, judgement),
        Cause::JudgementAndFailure { judgement, failure } => {
            format!("{}; {}", named(test, judgement), self::failure(failure))
        }
        Cause::Failure(failure) => self::failure(failure),
        Cause::Finding(finding) => match &finding.subject {
            Subject::Jobs { names, .. } if names.as_slice() == [test] => headline(finding),
            // The title of a report has the target.
            Subject::Targets(_) => what(finding),
            _ => message(finding),
        },
        Cause::Figures(figures) if figures.is_empty() => "no I/O completed".to_owned(),
        Cause::Figures(figures) => {
            let figures = figures.iter().map(|figures| {
                let p99 = figures.p99_ns.map(|ns| format!(", p99 {}", time_ns(ns))).unwrap_or_default();
                let (rate, bytes) = (iops(figures.iops), bandwidth(figures.bytes_per_s));
                format!("{} {rate}, {bytes}{p99}", figures.direction.name())
            });
            figures.collect::<Vec<_>>().join("; ")
        }
        Cause::Test { name, cause, .. } => format!("{}: {}", quoted(name), cause_of_test(name, cause)),
        Cause::Tests(causes) => {
            let causes = causes.iter().map(|(name, cause)| format!("{}: {}", quoted(name), cause_of_test(name, cause)));
            causes.collect::<Vec<_>>().join("; ")
        }
        Cause::Stopped { measured, tests } => match tests {
            Some(tests) => format!("stopped after {measured} of {tests} tests; --resume continues"),
            None => format!("stopped after {measured} test{}; --resume continues", plural(*measured)),
        },
        Cause::NoTests => "no test was run".to_owned(),
        Cause::NotMeasured { missing, .. } => not_measured(missing),
        Cause::NoLimitTested => "no test aims at a published limit of the target".to_owned(),
        Cause::Passed { tests, example } => {
            let example = example.as_ref();
            let example = example.map(|(name, cause)| format!("; {}: {}", quoted(name), cause_of_test(name, cause)));
            let met = if *tests == 1 { "meets" } else { "meet" };
            format!("{tests} test{} {met} the expectations{}", plural(*tests), example.unwrap_or_default())
        }
        Cause::Result => "see the figures".to_owned(),
        Cause::RequirementsMet => "all requirements are met".to_owned(),
        Cause::Rule(judgement) => format!("{}: {}", judgement.metric, self::judgement(test, judgement)),
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Returns the metric and its settings: `read.iops bs=4k`. The bound of a search is no metric of the user:
/// `p99 of response time`.
pub fn figure_name(judgement: &Judgement) -> String {
    let metric = match (judgement.metric.quantity, &judgement.reason) {
        (Quantity::Latency(LatencyKind::Response, statistic), Reason::AtSustainedRate | Reason::AtLowestRate) => {
            format!("{statistic} of response time")
        }
        _ => judgement.metric.to_string(),
    };
    let settings = judgement.at.iter().map(|(name, value)| format!(" {name}={value}"));
    line(metric + &settings.collect::<String>())
}

/// Returns why a judgement has its verdict, with its figures.
pub fn reason(judgement: &Judgement) -> String {
    self::judgement("", judgement)
}

/// Returns why a judgement has its verdict, without its figure and its threshold; empty if these say it.
pub fn why(judgement: &Judgement) -> String {
    self::why_of_test("", judgement).trim_start_matches([';', ' ']).to_owned()
}

/// Returns the measured value over that of the threshold; `None` if it is not finite.
pub fn ratio(judgement: &Judgement) -> Option<String> {
    let threshold = judgement.threshold.as_ref()?;
    Some(units::format::ratio(judgement.ratio()?, threshold.enough / threshold.value))
}

/// Returns a judgement after its metric, unless the unit of the figure says it: `fsync.p99 13.2 ms, 132 % of …`.
fn named(test: &str, judgement: &Judgement) -> String {
    let text = self::judgement(test, judgement);
    let is_said = judgement.metric.is_rate() || is_of_search(&judgement.reason);
    if is_said { text } else { format!("{} {text}", judgement.metric) }
}

fn judgement(test: &str, judgement: &Judgement) -> String {
    let show = |value: f64| judgement.metric.show(value);
    let why = why_of_test(test, judgement);
    match (&judgement.threshold, ratio(judgement)) {
        _ if is_of_search(&judgement.reason) => why,
        (Some(threshold), Some(ratio)) => {
            let of = if judgement.ratio() < Some(TIMES_FROM) { "of " } else { "" };
            let measured = judgement.metric.show_beside(judgement.measured, threshold.value);
            let is_decided =
                matches!(judgement.reason, Reason::Enough { .. } | Reason::NotEnough(_) | Reason::NotConfirmed(_));
            // After a fall, it can be that of the end of the run.
            let is_around = |(low, high): (f64, f64)| (low..=high).contains(&judgement.measured);
            let interval =
                if is_decided && judgement.interval.is_some_and(is_around) { shares(judgement) } else { String::new() };
            format!("{measured}, {ratio} {of}the {}{interval}{why}", self::threshold(judgement, threshold))
        }
        (Some(threshold), None) => {
            format!("{}, threshold {}{why}", show(judgement.measured), self::threshold(judgement, threshold))
        }
        (None, _) => format!("{}{why}", show(judgement.measured)),
    }
}

/// Whether the reason is a whole sentence about a search.
fn is_of_search(reason: &Reason) -> bool {
    matches!(reason, Reason::SustainedRate | Reason::AtSustainedRate | Reason::AtLowestRate)
}

/// What to do if a test does not show the level that lasts, or cannot be continued: it starts anew.
const LONGER: &str = "use a longer --runtime";

/// Returns what to do if the intervals or I/Os of a test do not decide.
fn more_time(judgement: &Judgement) -> &'static str {
    if judgement.can_continue { "add --until-decided 30m" } else { LONGER }
}

fn why_of_test(test: &str, judgement: &Judgement) -> String {
    let show = |value: f64| judgement.metric.show(value);
    let why = match &judgement.reason {
        Reason::SustainedRate => return "the highest sustained rate".to_owned(),
        Reason::AtSustainedRate => return "at the highest sustained rate".to_owned(),
        Reason::AtLowestRate => return "at the lowest rate: none was sustained".to_owned(),
        Reason::Enough { above_limit, fall, missed } => {
            let above = above_limit.map(|above| self::above_limit(judgement, above)).unwrap_or_default();
            let fall = fall.map(|fall| format!("; {}, which is enough", self::fall(judgement, fall)));
            let missed = missed.map(|missed| {
                let below = percent(missed.below_share);
                format!(
                    "; below it in {below} of the intervals; the vendor promises it for {} of the time",
                    percent(missed.promised_share)
                )
            });
            above + &fall.unwrap_or_default() + &missed.unwrap_or_default()
        }
        Reason::NotEnough(shape) => rate_shape(judgement, *shape),
        Reason::NotConfirmed(shape) => {
            rate_shape(judgement, *shape) + "; no published source confirms this threshold: it never gives a FAIL"
        }
        Reason::Confounded(confounder) => format!("; but {}", self::confounder(test, judgement, confounder)),
        Reason::Undecided { fall, cpu_wait_share } => undecided(judgement, *fall, *cpu_wait_share),
        Reason::TooFewIntervals { intervals } => too_few_intervals(judgement, *intervals),
        Reason::TooFewIos { ios } => {
            format!("; {} I/Os are too few for this figure: {}", grouped(*ios as f64), more_time(judgement))
        }
        Reason::OnlyWithStartAndEnd { level } => {
            format!("; without the first and last interval: {}: {LONGER}", show(*level))
        }
        Reason::StillRising(RateChange { from, to }) => {
            format!("; it was still rising, from {} to {}: {LONGER}", show(*from), show(*to))
        }
        Reason::AboveTarget => {
            "; above the maximum of the target: a cache or another disk or machine served the I/Os".to_owned()
        }
    };
    let whole = judgement.whole_run.map(|whole| {
        format!("; that is the figure of the undisturbed intervals, and {} that of the whole run", show(whole))
    });
    why + &whole.unwrap_or_default() + &of_few_intervals(judgement) + &correction(judgement)
}

fn threshold(judgement: &Judgement, threshold: &Threshold) -> String {
    let value = judgement.metric.show(threshold.value);
    match &threshold.basis {
        Basis::Limit { of } => line(format!("{value} limit of {of}")),
        Basis::Requirement { volume, application, is_unconfirmed } => {
            let volume = volume.as_ref().map(|volume| format!(" on {volume}")).unwrap_or_default();
            let application = application.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
            let mark = if *is_unconfirmed { " (not confirmed by a published source)" } else { "" };
            match threshold.bound {
                ThresholdBound::AtLeast => line(format!("required {value}{volume}{application}{mark}")),
                ThresholdBound::AtMost => line(format!("allowed {value}{volume}{application}{mark}")),
            }
        }
    }
}

fn fall(judgement: &Judgement, RateChange { from, to }: RateChange) -> String {
    format!("it fell from {} to {}", judgement.metric.show(from), judgement.metric.show(to))
}

fn above_limit(judgement: &Judgement, above: AboveLimit) -> String {
    match above {
        AboveLimit::StartAndEnd { level } => {
            format!("; without the start and the end of the run it is {}", judgement.metric.show(level))
        }
        AboveLimit::Burst { value, seconds } => {
            let burst = burst(judgement, value, seconds);
            let longer =
                if seconds.is_some() { ": a longer --runtime shows the base rate".to_owned() } else { String::new() };
            format!("; above the base rate, a burst {burst}{longer}")
        }
        AboveLimit::MergedIos => "; this vendor merges sequential I/Os".to_owned(),
        AboveLimit::Unpublished => "; above the published limit".to_owned(),
    }
}

fn burst(judgement: &Judgement, value: f64, seconds: Option<f64>) -> String {
    let time = seconds.map(|seconds| format!(" for {}", time_ns(seconds * 1e9))).unwrap_or_default();
    format!("of up to {}{time}", judgement.metric.show(value))
}

fn rate_shape(judgement: &Judgement, shape: RateShape) -> String {
    const BATCHES: &str = "latencies show that it passes I/Os in batches";
    let show = |value| judgement.metric.show(value);
    match shape {
        RateShape::Level { is_throttled, near } => {
            let near = near_median(near);
            let batches = if is_throttled { format!(": {BATCHES}") } else { String::new() };
            format!("; level over the whole run{near}, typical of a throttle{batches}")
        }
        RateShape::Varied { is_throttled: true, .. } => format!("; a throttle sets the rate: {BATCHES}"),
        RateShape::Varied { least, most, interval_s, .. } => {
            let of = interval_s.map(|seconds| format!("intervals of {}", time_ns(seconds * 1e9)));
            let intervals = of.unwrap_or_else(|| "the intervals".to_owned());
            format!("; {} to {} in {intervals}: not the constant rate of a throttle", show(least), show(most))
        }
        RateShape::Fell(change) => format!("; {}", fall(judgement, change)),
        RateShape::Unknown => String::new(),
    }
}

/// Returns what is level: ` (97 % of means of 1 s within ±5 %)`.
fn near_median(near: NearMedian) -> String {
    let of = near.interval_s.map(|seconds| format!(" of {}", time_ns(seconds * 1e9))).unwrap_or_default();
    format!(" ({} of means{of} within ±{})", percent(near.share), percent(near.distance_share))
}

fn undecided(judgement: &Judgement, fall: Option<RateChange>, cpu_wait_share: Option<f64>) -> String {
    let fell = fall.map(|fall| format!("; {}", self::fall(judgement, fall))).unwrap_or_default();
    let advice = match cpu_wait_share {
        Some(share) => {
            let share = percent(share);
            format!("threads waited {share} of the time for a CPU: stop other programs; {}", more_time(judgement))
        }
        None => more_time(judgement).to_owned(),
    };
    format!("{fell}{}: {advice}", shares(judgement))
}

/// Returns the confidence interval as shares of the threshold: ` (67 % to 127 %; 98 % is enough)`. The share that is enough is
/// in the text if it decides nothing.
fn shares(judgement: &Judgement) -> String {
    let (Some((low, high)), Some(threshold), None) =
        (judgement.interval, &judgement.threshold, judgement.few_intervals)
    else {
        return String::new();
    };
    let [low, high] = [low, high].map(|end| end / threshold.value);
    let share = |ratio: f64| units::format::ratio(ratio, threshold.enough / threshold.value);
    let range = match (high.is_finite(), high >= TIMES_FROM) {
        (false, _) => format!("{} or more", share(low)),
        (true, false) => format!("{} to {}", share(low), share(high)),
        // Both ends have one unit.
        (true, true) => format!("{} to {}", units::format::beside(low, 1.0), share(high)),
    };
    let is_tolerant = threshold.enough < threshold.value && threshold.bound == ThresholdBound::AtLeast;
    let enough = if is_tolerant && matches!(judgement.reason, Reason::Undecided { .. }) {
        format!("; {} is enough", percent(threshold.enough / threshold.value))
    } else {
        String::new()
    };
    format!(" ({range}{enough})")
}

fn too_few_intervals(judgement: &Judgement, intervals: u64) -> String {
    let range = judgement.interval.map(|(low, high)| {
        let [low, end] = [low, high].map(|end| judgement.metric.show(end));
        if high.is_finite() { format!("only outside {low} to {end}") } else { format!("only below {low}") }
    });
    let range = range.unwrap_or_else(|| "nothing".to_owned());
    let (plural, verb) = if intervals == 1 { ("", "decides") } else { ("s", "decide") };
    format!("; {intervals} whole interval{plural} {verb} {range}: {}", more_time(judgement))
}

/// Returns the end of the range that decides, if it is no confidence interval.
fn of_few_intervals(judgement: &Judgement) -> String {
    let (Some(intervals), Some((low, high)), Some(threshold)) =
        (judgement.few_intervals, judgement.interval, &judgement.threshold)
    else {
        return String::new();
    };
    let is_decided = matches!(judgement.verdict, Verdict::Pass | Verdict::Fail);
    let is_low = (threshold.bound == ThresholdBound::AtLeast) == (judgement.verdict == Verdict::Pass);
    let end = judgement.metric.show_beside(if is_low { low } else { high }, threshold.value);
    let factor = FEW_INTERVALS_FACTOR;
    match is_decided {
        true if is_low => format!("; of {intervals} intervals, the lowest divided by {factor} is {end}"),
        true => format!("; of {intervals} intervals, the highest times {factor} is {end}"),
        false => String::new(),
    }
}

fn confounder(test: &str, judgement: &Judgement, confounder: &Confounder) -> String {
    match confounder {
        Confounder::Failure(failure) => self::failure(failure),
        Confounder::Finding(finding) => match &finding.subject {
            Subject::Jobs { names, .. } if names.as_slice() != [test] && !test.is_empty() => message(finding),
            _ => headline(finding),
        },
        Confounder::NotSteady(state) => format!("not steady, {}", steady_state(state)),
        Confounder::RequestedRate { rate } => format!("the job requested only {}", judgement.metric.show(*rate)),
        Confounder::StillRising(RateChange { from, to }) => {
            format!("it was still rising, from {} to {}", judgement.metric.show(*from), judgement.metric.show(*to))
        }
        Confounder::WaitedForCpu { share } => format!("threads waited {} of the time for a CPU", percent(*share)),
    }
}

/// Returns where a published number comes from.
pub fn citation(citation: &Citation) -> String {
    let confidence = match citation.confidence {
        Confidence::High => "",
        Confidence::Medium => ", from a copy of the document",
        Confidence::Low => ", not confirmed",
    };
    let date = citation.date.as_ref().map(|date| format!(", {date}")).unwrap_or_default();
    line(match &citation.of {
        Some(of) => format!("{of} ({}{date}{confidence})", citation.source),
        None => format!("{}{date}{confidence}", citation.source),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_without_an_upper_end_decides_below_its_lower_end() {
        let text = |high: f64| {
            let judgement = Judgement {
                verdict: Verdict::Inconclusive,
                metric: assessment::Metric::parse("fsync.p99").expect("a metric"),
                at: Vec::new(),
                measured: 4e6,
                whole_run: None,
                threshold: None,
                few_intervals: Some(3),
                correction: None,
                can_continue: false,
                interval: Some((2e6, high)),
                reason: Reason::TooFewIntervals { intervals: 3 },
            };
            too_few_intervals(&judgement, 3)
        };
        assert!(text(9e6).contains("; 3 whole intervals decide only outside 2 ms to 9 ms: "), "{}", text(9e6));
        assert!(
            text(f64::INFINITY).contains("; 3 whole intervals decide only below 2 ms: "),
            "{}",
            text(f64::INFINITY)
        );
    }

    #[test]
    fn an_interval_is_shown_as_shares_of_the_threshold_with_the_share_that_is_enough() {
        let text = |bound, enough, high: f64| {
            let basis = assessment::Basis::Limit { of: "P30".to_owned() };
            shares(&Judgement {
                verdict: Verdict::Inconclusive,
                metric: assessment::Metric::IOPS,
                at: Vec::new(),
                measured: 4800.0,
                whole_run: None,
                threshold: Some(Threshold { value: 5000.0, enough, bound, basis }),
                few_intervals: None,
                correction: None,
                can_continue: false,
                interval: Some((3350.0, high)),
                reason: Reason::Undecided { fall: None, cpu_wait_share: None },
            })
        };
        assert_eq!(text(ThresholdBound::AtLeast, 4900.0, 6350.0), " (67 % to 127 %; 98 % is enough)");
        assert_eq!(text(ThresholdBound::AtLeast, 4900.0, f64::INFINITY), " (67 % or more; 98 % is enough)");
        assert_eq!(text(ThresholdBound::AtLeast, 5000.0, 6350.0), " (67 % to 127 %)");
        assert_eq!(text(ThresholdBound::AtMost, 5000.0, 14_000.0), " (0.67 to 2.8 times)");
        assert_eq!(text(ThresholdBound::AtMost, 5000.0, 6350.0), " (67 % to 127 %)");
    }
}
