//! The judgements of one test: its figures against the limits that it is meant to hit, and against what is required.

use plan::Ddir;
use units::format::percent;

use super::bar::{self, Bar, Doubts};
use super::figures::{Figure, Rounds};
use crate::generator::{WAITED_SHARE, waited_share};
use crate::inference::{Interval, evened, mean, mean_interval};
use crate::limits::{Expectation, Limit, Load};
use crate::requirements::{Bound, Requirement};
use assessment::{Aim, Finding, Judgement, Metric, Quantity, Severity, Test, Verdict, VolumeUse};

/// This much of anything is all of it: see docs/verdict.md, "The bar".
pub const ALL: f64 = 0.98;
/// Findings by which a measurement decides nothing, good or bad.
const OF_ALL: [&str; 1] = ["ended-early"];
/// Findings by which a low figure is not the target's.
const OF_FAILURE: [&str; 4] = ["generator-limit", "depth-not-reached", "other-load", "step-up"];

/// What is held against the tests.
pub struct Asked<'a> {
    pub expectations: &'a [Expectation],
    /// The rules that are for this test.
    pub rules: Vec<&'a Requirement>,
}

/// All judgements, verdict and cause of a test.
pub fn judge(test: &mut Test, asked: &Asked) {
    let judgements = judgements(test, asked);
    let invalid = invalid(test);
    (test.verdict, test.cause) = sum_up(test, invalid, &judgements);
    test.judgements = judgements;
}

fn invalid(test: &Test) -> Option<&Finding> {
    test.findings.iter().find(|finding| finding.severity == Severity::Invalid)
}

fn judgements(test: &Test, asked: &Asked) -> Vec<Judgement> {
    let doubts = doubts(test);
    let mut judgements = Vec::new();
    let steady_from = test.steady.as_ref().and_then(|steady| steady.from_round);
    for mut rounds in Rounds::of(&test.rounds) {
        rounds.keep_from(steady_from.unwrap_or_default());
        let from = judgements.len();
        for expectation in asked.expectations {
            judgements.extend(against_limits(test, &rounds, expectation, &doubts));
        }
        judgements.extend(asked.rules.iter().filter_map(|rule| against_rule(&rounds, rule, &doubts)));
        let at: String = rounds.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        for judgement in judgements[from..].iter_mut().filter(|_| !at.is_empty()) {
            judgement.metric += &at;
        }
    }
    if invalid(test).is_some() {
        judgements.iter_mut().for_each(|judgement| judgement.verdict = Verdict::Invalid);
    }
    judgements
}

fn sum_up(test: &Test, invalid: Option<&Finding>, judgements: &[Judgement]) -> (Verdict, String) {
    if let Some(finding) = invalid {
        return (Verdict::Invalid, finding.what.clone());
    }
    let worst = judgements.iter().max_by_key(|judgement| judgement.verdict);
    match (&test.error, worst) {
        (Some(error), Some(worst)) if worst.verdict != Verdict::Fail => {
            (Verdict::Inconclusive, format!("{}; {error}", worst.cause))
        }
        (Some(error), None) => (Verdict::Inconclusive, error.clone()),
        // Of several that came to the same, the first says it.
        (_, Some(worst)) => {
            let first = judgements.iter().find(|judgement| judgement.verdict == worst.verdict).unwrap_or(worst);
            (worst.verdict, first.cause.clone())
        }
        (None, None) if test.rounds.is_empty() => (Verdict::Inconclusive, "nothing was measured".to_owned()),
        (None, None) => (Verdict::Measured, "nothing was expected of it".to_owned()),
    }
}

fn doubts(test: &Test) -> Doubts {
    let of = |ids: &[&str]| {
        let found = test.findings.iter().find(|finding| ids.contains(&finding.id.as_str()));
        // A finding's words begin with the job's name, which may be the test's.
        found.map(|finding| finding.what.strip_prefix(&format!("{}: ", test.name)).unwrap_or(&finding.what).to_owned())
    };
    let steady = test.steady.as_ref().filter(|steady| steady.from_round.is_none());
    Doubts {
        of_all: test.error.clone().or_else(|| of(&OF_ALL)).or_else(|| steady.map(|steady| steady.detail.clone())),
        of_failure: of(&OF_FAILURE),
        is_throttled: of(&["throttled"]).is_some(),
        starved: None,
    }
}

/// The limits that a test is meant to hit.
fn against_limits(test: &Test, rounds: &Rounds, expectation: &Expectation, doubts: &Doubts) -> Vec<Judgement> {
    let aim = test.aim;
    let load = |ddir| Load { cached: aim == Aim::VmCached, alone: aim == Aim::LatencyFloor, ..rounds.load(ddir) };
    let is_meant = |ddir| expectation.volume.as_ref().is_none_or(|volume| is_all_on(test, Some(ddir), volume));
    let limits = |ddir| if is_meant(ddir) { expectation.limits(ddir, load(ddir)) } else { Vec::new() };
    match aim {
        Aim::DiskIops | Aim::DiskBandwidth | Aim::VmUncached | Aim::VmCached => {
            let rates = rounds.ddirs().into_iter().filter_map(|ddir| Some((ddir, limits(ddir).into_iter().next()?)));
            rated(rounds, &rates.collect::<Vec<_>>(), doubts)
        }
        Aim::LatencyFloor => {
            let latencies = rounds.ddirs().into_iter().flat_map(limits).filter(|limit| !limit.metric.is_rate());
            latencies.filter_map(|limit| latency(rounds, &limit, doubts)).collect()
        }
        Aim::FlushLatency | Aim::Behaviour => Vec::new(),
    }
}

/// All that the test does in a direction, or at all, is done on that volume: then its figures are the volume's.
fn is_all_on(test: &Test, ddir: Option<Ddir>, volume: &str) -> bool {
    let goes = |used: &&VolumeUse| match ddir {
        Some(Ddir::Read) => used.reads,
        Some(Ddir::Write | Ddir::Trim) => used.writes,
        None => used.reads || used.writes,
    };
    let mut goes = test.volumes.iter().filter(goes);
    goes.next().is_some_and(|used| used.name == volume) && goes.next().is_none()
}

fn rated(rounds: &Rounds, limits: &[(Ddir, Limit)], doubts: &Doubts) -> Vec<Judgement> {
    if let [(_, reads), (_, writes)] = limits
        && reads.of == writes.of
    {
        // Both draw on one budget.
        return shared(rounds, reads, writes, doubts).into_iter().collect();
    }
    let judged = |(_, limit): &(Ddir, Limit)| {
        let figure = rounds.figure(limit.metric)?;
        let doubts = held_back(rounds, limit.metric, limit.value * limit.enough.share.min(ALL), doubts);
        Some(with_time(rate(limit, limit.metric, limit.value, &figure, &doubts), limit, &figure))
    };
    limits.iter().filter_map(judged).collect()
}

/// A job that asks for less than is enough shows nothing of the target.
fn held_back(rounds: &Rounds, metric: Metric, enough: f64, doubts: &Doubts) -> Doubts {
    let asked = rounds.asked(metric).filter(|asked| *asked < enough);
    let Some(asked) = asked else { return starved(rounds, metric, doubts) };
    let why = format!("no more than {} were asked for", metric.show(asked));
    Doubts { of_failure: Some(why), ..doubts.clone() }
}

/// What the threads of the metric's I/O lacked of processors.
fn starved(rounds: &Rounds, metric: Metric, doubts: &Doubts) -> Doubts {
    let shares = rounds.records.iter().filter_map(|record| waited_share(record, metric.ddir));
    let starved = shares.reduce(f64::max).filter(|share| *share >= WAITED_SHARE);
    Doubts { starved, ..doubts.clone() }
}

fn rate(limit: &Limit, metric: Metric, value: f64, figure: &Figure, doubts: &Doubts) -> Judgement {
    let bar = Bar {
        metric,
        value,
        enough: value * limit.enough.share.min(ALL),
        is_lower: true,
        of: format!(" of {}", limit.of),
        limit: Some(limit),
    };
    bar::judge(&bar, figure, doubts)
}

/// Reads and writes that share a limit: together they may use it up, each in its own measure.
fn shared(rounds: &Rounds, reads: &Limit, writes: &Limit, doubts: &Doubts) -> Option<Judgement> {
    let (read, write) = (rounds.figure(reads.metric)?, rounds.figure(writes.metric)?);
    let used = read.measured / reads.value + write.measured / writes.value;
    let in_iops = |ddir| Some(rounds.figure(Metric { ddir: Some(ddir), quantity: Quantity::Iops })?.measured);
    let measured = in_iops(Ddir::Read)? + in_iops(Ddir::Write)?;
    // As much of the limit in each interval, in I/Os of this mix.
    let value = measured / used;
    let each = read.series.iter().zip(&write.series);
    let series: Vec<f64> = each.map(|(read, write)| (read / reads.value + write / writes.value) * value).collect();
    let interval = mean_interval(&series).filter(|_| mean(&series) > 0.0).map(|found| {
        let scale = measured / mean(&series);
        Interval { low: found.low * scale, high: found.high * scale }
    });
    let figure = Figure { measured, series, interval, ios: read.ios + write.ios };
    let mut limit = reads.clone();
    limit.burst = None;
    limit.merged = None;
    let metric = Metric { ddir: None, quantity: Quantity::Iops };
    Some(rate(&limit, metric, value, &figure, &starved(rounds, metric, doubts)))
}

fn latency(rounds: &Rounds, limit: &Limit, doubts: &Doubts) -> Option<Judgement> {
    let figure = rounds.figure(limit.metric)?;
    let bar = Bar {
        metric: limit.metric,
        value: limit.value,
        enough: limit.value / ALL,
        is_lower: false,
        of: format!(" of {}", limit.of),
        limit: Some(limit),
    };
    Some(bar::judge(&bar, &figure, &starved(rounds, limit.metric, doubts)))
}

/// A rate that holds on average may still be missed for more of the time than was promised. What an interval lacks that one
/// beside it has too much is not missed: a throttle's lots fall on either side of a border.
fn with_time(mut judgement: Judgement, limit: &Limit, figure: &Figure) -> Judgement {
    let Some(time) = limit.enough.time.filter(|_| judgement.verdict == Verdict::Pass) else { return judgement };
    let enough = limit.value * limit.enough.share.min(ALL);
    let series = evened(&figure.series);
    let is_missed = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| series.get(at));
        series[at] < enough && beside.map(|other| f64::midpoint(series[at], *other)).all(|both| both < enough)
    };
    let below = (0..series.len()).filter(|at| is_missed(*at)).count() as f64 / series.len().max(1) as f64;
    if below > 1.0 - time {
        judgement.cause +=
            &format!("; {} of the intervals were below, and {} of the time is promised", percent(below), percent(time));
    }
    judgement
}

/// A rule for a test with other blocks, in another order, or of other writes, is none for this one.
pub fn is_for(rule: &Requirement, rounds: &Rounds) -> bool {
    if rule.synced && !rounds.writes_are_synced() {
        return false;
    }
    // A write that only memory has taken says nothing of how long a write takes.
    if matches!(rule.metric.quantity, Quantity::Latency(..))
        && rule.metric.ddir != Some(Ddir::Read)
        && rounds.writes_to_memory()
    {
        return false;
    }
    let ddirs = rounds.ddirs();
    let of_rule = |ddir: &&Ddir| rule.metric.ddir.is_none_or(|only| only == **ddir);
    ddirs.iter().filter(of_rule).any(|ddir| {
        let load = rounds.load(*ddir);
        let fits = rule.blocks.is_empty() || load.block_bytes.is_some_and(|bytes| rule.blocks.contains(&bytes));
        fits && rule.sequential.is_none_or(|sequential| sequential == load.sequential)
    })
}

/// A rule for one volume is for tests that have the figure of that volume alone. Flushes go where writes go.
pub fn is_of_volume(rule: &Requirement, test: &Test) -> bool {
    let ddir = if matches!(rule.metric.quantity, Quantity::Fsync(_)) { Some(Ddir::Write) } else { rule.metric.ddir };
    rule.volume.as_ref().is_none_or(|volume| is_all_on(test, ddir, volume))
}

/// The judgements of a test by one rule.
pub fn required(test: &Test, rule: &Requirement) -> Vec<Judgement> {
    let asked = Asked { expectations: &[], rules: vec![rule] };
    judgements(test, &asked)
}

fn against_rule(rounds: &Rounds, rule: &Requirement, doubts: &Doubts) -> Option<Judgement> {
    if !is_for(rule, rounds) {
        return None;
    }
    let figure = rounds.figure(rule.metric)?;
    let value = rule.value;
    // Right on a strict bound is beyond it.
    let enough = match rule.bound {
        Bound::AtLeast | Bound::AtMost => value,
        Bound::MoreThan => value.next_up(),
        Bound::LessThan => value.next_down(),
    };
    let is_lower = rule.bound.is_lower();
    let volume = rule.volume.as_ref().map_or(String::new(), |volume| format!(" on {volume}"));
    let of = match is_lower {
        true => format!(" that are required{volume} at least"),
        false => format!(" that are allowed{volume} at most"),
    };
    let bar = Bar { metric: rule.metric, value, enough, is_lower, of, limit: None };
    let doubts =
        if is_lower { held_back(rounds, rule.metric, enough, doubts) } else { starved(rounds, rule.metric, doubts) };
    Some(bar::judge(&bar, &figure, &doubts))
}
