//! The judgements of one test: its figures, compared with limits and with requirements.

use assessment::{
    Aim, Basis, Cause, Confidence, Finding, FindingKind, Judgement, Metric, MissedTime, Quantity, Reason, Severity,
    Test, Threshold, ThresholdBound, Verdict, VolumeUse,
};
use plan::Ddir;

use super::confounders::Confounders;
use super::figures::{Figure, JobRounds};
use super::hosts;
use super::invalid::invalid;
use super::rate_interval::around;
use super::threshold::{self, Compared};
use crate::findings::meaning::{Meaning, means};
use crate::inference::evened;
use crate::limits::{Expectation, Limit, Load};
use crate::requirements::Requirement;

/// The largest share of a limit that must be reached: see docs/verdict.md, "The threshold".
pub const ALL: f64 = 0.98;

/// The expectations that a test is compared with.
pub struct Criteria<'a> {
    pub expectations: Vec<&'a Expectation>,
    /// The rules that apply to this test.
    pub rules: Vec<&'a Requirement>,
}

impl Criteria<'_> {
    /// Returns the expectations of each host of a fleet, or those of all hosts together.
    fn for_hosts(&self, each_host: bool) -> Self {
        Criteria {
            expectations: self.expectations.iter().copied().filter(|one| one.each_host == each_host).collect(),
            rules: self.rules.iter().copied().filter(|rule| rule.each_host == each_host).collect(),
        }
    }
}

/// Sets the judgements, the verdict and the cause of a test.
pub fn judge(test: &mut Test, criteria: &Criteria) {
    let judgements = judgements(test, criteria);
    (test.verdict, test.cause) = sum_up(test, &judgements);
    test.judgements = judgements;
}

/// Returns the judgements of the test, and then those of each host.
pub(super) fn judgements(test: &Test, criteria: &Criteria) -> Vec<Judgement> {
    let is_fleet = test.rounds.iter().any(|round| !round.record.hosts().is_empty());
    if !is_fleet {
        return of_rounds(test, criteria);
    }
    let mut judgements = of_rounds(test, &criteria.for_hosts(false));
    judgements.extend(hosts::judgements(test, &criteria.for_hosts(true)));
    judgements
}

/// Returns the judgements of the runs, as those of one machine.
pub(super) fn of_rounds(test: &Test, criteria: &Criteria) -> Vec<Judgement> {
    let mut judgements = Vec::new();
    for rounds in JobRounds::of_test(test) {
        let from = judgements.len();
        for expectation in &criteria.expectations {
            judgements.extend(against_limits(test, &rounds, expectation));
        }
        judgements.extend(criteria.rules.iter().filter_map(|rule| against_rule(test, &rounds, rule)));
        judgements[from..].iter_mut().for_each(|judgement| judgement.at = rounds.at.to_vec());
    }
    if can_continue(test) {
        let open = judgements.iter_mut().filter(|judgement| judgement.verdict == Verdict::Inconclusive);
        open.for_each(|judgement| judgement.can_continue = judgement.reason.lacks_samples());
    }
    if invalid(&test.findings).is_some() {
        judgements.iter_mut().for_each(|judgement| judgement.verdict = Verdict::Invalid);
    }
    judgements
}

/// Whether more runs of the test can be added to those it has. Rounds until a steady state are not continued, nor are jobs that start
/// at different times (only the rates of jobs that run together can be added), nor is a test that something disturbed.
fn can_continue(test: &Test) -> bool {
    let disturbs = |finding: &Finding| {
        let is_harmless = matches!(finding.kind, FindingKind::OtherLoad(_)) && finding.severity == Severity::Info;
        means(&finding.kind, Meaning::EndsTest) && !is_harmless
    };
    test.steady.is_empty()
        && !test.rounds.iter().any(|round| round.record.plan.is_staggered())
        && !test.findings.iter().any(disturbs)
}

fn sum_up(test: &Test, judgements: &[Judgement]) -> (Verdict, Cause) {
    if let Some(failure) = test.error.as_ref().filter(|failure| failure.is_invalid()) {
        return (Verdict::Invalid, Cause::Failure(failure.clone()));
    }
    // If several judgements have the worst verdict, the first one decides.
    let worst = judgements.iter().map(|judgement| judgement.verdict).max();
    let first = judgements.iter().find(|judgement| Some(judgement.verdict) == worst).cloned().map(Box::new);
    match (test.error.clone(), first) {
        (Some(failure), Some(judgement)) if judgement.verdict != Verdict::Fail => {
            (Verdict::of_failure(&failure), Cause::JudgementAndFailure { judgement, failure })
        }
        (Some(failure), None) => (Verdict::of_failure(&failure), Cause::Failure(failure)),
        (_, Some(judgement)) => (judgement.verdict, Cause::Judgement(judgement)),
        (None, None) if test.rounds.is_empty() => (Verdict::Inconclusive, Cause::NothingMeasured),
        (None, None) if let Some(interrupted) = interrupted(&test.findings) => {
            (Verdict::Inconclusive, Cause::Finding(Box::new(interrupted.clone())))
        }
        (None, None) => (Verdict::Measured, Cause::NothingExpected),
    }
}

/// Returns the finding that fathom did not run for a part of the measured time.
pub(crate) fn interrupted(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| matches!(finding.kind, FindingKind::Interrupted(_)))
}

/// Compares a test with the limits that its aim names.
fn against_limits(test: &Test, rounds: &JobRounds, expectation: &Expectation) -> Vec<Judgement> {
    let aim = test.aim;
    let load = |ddir| Load { cached: aim == Aim::VmCached, alone: aim == Aim::LatencyFloor, ..rounds.load(ddir) };
    let is_meant = |ddir| expectation.volume.as_ref().is_none_or(|volume| is_all_on(test, Some(ddir), volume));
    let limits = |ddir| if is_meant(ddir) { expectation.limits(ddir, load(ddir)) } else { Vec::new() };
    match aim {
        Aim::DiskIops | Aim::DiskBandwidth | Aim::VmUncached | Aim::VmCached => {
            let rates = rounds.ddirs().into_iter().filter_map(|ddir| Some((ddir, limits(ddir).into_iter().next()?)));
            rated(test, rounds, &rates.collect::<Vec<_>>())
        }
        Aim::LatencyFloor => {
            let latencies = rounds.ddirs().into_iter().flat_map(limits).filter(|limit| !limit.metric.is_rate());
            latencies.filter_map(|limit| latency(test, rounds, &limit)).collect()
        }
        Aim::FlushLatency | Aim::Behaviour => Vec::new(),
    }
}

/// Whether all I/O of a direction, or of all directions, goes to the volume.
fn is_all_on(test: &Test, ddir: Option<Ddir>, volume: &str) -> bool {
    let goes = |used: &&VolumeUse| match ddir {
        Some(Ddir::Read) => used.reads,
        Some(Ddir::Write | Ddir::Trim) => used.writes,
        None => used.reads || used.writes,
    };
    let mut goes = test.volumes.iter().filter(goes);
    goes.next().is_some_and(|used| used.name == volume) && goes.next().is_none()
}

fn rated(test: &Test, rounds: &JobRounds, limits: &[(Ddir, Limit)]) -> Vec<Judgement> {
    if let [(_, reads), (_, writes)] = limits
        && reads.part == writes.part
    {
        // Both directions share one limit.
        return shared(test, rounds, reads, writes).into_iter().collect();
    }
    let judged = |(_, limit): &(Ddir, Limit)| {
        let figure = rounds.figure(limit.metric)?;
        Some(with_time(rate(test, rounds, (limit, limit.metric, limit.value), &figure), limit, &figure))
    };
    limits.iter().filter_map(judged).collect()
}

/// Compares a rate with the value of a limit.
fn rate(test: &Test, rounds: &JobRounds, (limit, metric, value): (&Limit, Metric, f64), figure: &Figure) -> Judgement {
    let threshold = Threshold {
        value,
        enough: value * limit.enough.share.min(ALL),
        bound: ThresholdBound::AtLeast,
        basis: Basis::Limit { of: limit.of.clone() },
    };
    let is_confirmed = limit.confidence != Confidence::Low;
    compare(test, rounds, &Compared { metric, threshold, limit: Some(limit), is_confirmed }, figure)
}

fn compare(test: &Test, rounds: &JobRounds, compared: &Compared, figure: &Figure) -> Judgement {
    let of = (compared.metric, compared.threshold.bound);
    threshold::judge(compared, figure, &Confounders::of(test, rounds, of, compared.threshold.enough), test.passes)
}

/// Compares reads and writes with a limit that they share. Each uses a share of it, in its own unit.
fn shared(test: &Test, rounds: &JobRounds, reads: &Limit, writes: &Limit) -> Option<Judgement> {
    let (read, write) = (rounds.figure(reads.metric)?, rounds.figure(writes.metric)?);
    let used = read.measured / reads.value + write.measured / writes.value;
    let in_iops = |ddir| rounds.figure(Metric { ddir: Some(ddir), quantity: Quantity::Iops });
    let each = [in_iops(Ddir::Read)?, in_iops(Ddir::Write)?];
    let measured = each.iter().map(|figure| figure.measured).sum();
    let whole_run = each.iter().map(|figure| figure.whole_run).sum();
    // The limit in I/Os of this mix.
    let value = measured / used;
    let each = read.series.iter().zip(&write.series);
    let series: Vec<f64> = each.map(|(read, write)| (read / reads.value + write / writes.value) * value).collect();
    let interval = around(&series, measured);
    let figure = Figure { measured, whole_run, series, interval, ios: read.ios + write.ios, ..read };
    let limit = Limit { burst: None, merged: None, ..reads.clone() };
    Some(rate(test, rounds, (&limit, Metric::IOPS, value), &figure))
}

fn latency(test: &Test, rounds: &JobRounds, limit: &Limit) -> Option<Judgement> {
    let figure = rounds.figure(limit.metric)?;
    let threshold = Threshold {
        value: limit.value,
        enough: limit.value / ALL,
        bound: ThresholdBound::AtMost,
        basis: Basis::Limit { of: limit.of.clone() },
    };
    let is_confirmed = limit.confidence != Confidence::Low;
    let compared = Compared { metric: limit.metric, threshold, limit: Some(limit), is_confirmed };
    Some(compare(test, rounds, &compared, &figure))
}

/// Adds the time for which a rate that passed was below the threshold, if it is longer than promised. An interval is
/// not below if it is enough together with a neighbour: a throttle's batch can fall on either side of the border
/// between them.
fn with_time(mut judgement: Judgement, limit: &Limit, figure: &Figure) -> Judgement {
    let Reason::Enough { missed, .. } = &mut judgement.reason else { return judgement };
    let Some(promised_share) = limit.enough.time else { return judgement };
    let enough = limit.value * limit.enough.share.min(ALL);
    let series = evened(&figure.series);
    let is_below = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| series.get(at));
        series[at] < enough && beside.map(|other| f64::midpoint(series[at], *other)).all(|both| both < enough)
    };
    let below_share = (0..series.len()).filter(|at| is_below(*at)).count() as f64 / series.len().max(1) as f64;
    if below_share > 1.0 - promised_share {
        *missed = Some(MissedTime { below_share, promised_share });
    }
    judgement
}

/// Whether these runs have the load that a rule is about.
pub fn is_for(rule: &Requirement, rounds: &JobRounds) -> bool {
    // The latency of a write that ends in the page cache is not that of the disk.
    let is_of_memory = matches!(rule.metric.quantity, Quantity::Latency(..))
        && rule.metric.ddir != Some(Ddir::Read)
        && rounds.writes_to_memory();
    !is_of_memory && rounds.is_load(&rule.load, rule.metric.ddir)
}

/// Whether the test measured the rule's figure on the rule's volume alone. Syncs belong to writes.
pub fn is_of_volume(rule: &Requirement, test: &Test) -> bool {
    let ddir = if matches!(rule.metric.quantity, Quantity::Fsync(_)) { Some(Ddir::Write) } else { rule.metric.ddir };
    rule.volume.as_ref().is_none_or(|volume| is_all_on(test, ddir, volume))
}

/// Returns the judgements of a test by one rule.
pub fn required(test: &Test, rule: &Requirement) -> Vec<Judgement> {
    judgements(test, &Criteria { expectations: Vec::new(), rules: vec![rule] })
}

fn against_rule(test: &Test, rounds: &JobRounds, rule: &Requirement) -> Option<Judgement> {
    if !is_for(rule, rounds) {
        return None;
    }
    let figure = rounds.figure(rule.metric)?;
    let threshold = Threshold {
        value: rule.value,
        enough: rule.bound.enough(rule.value),
        bound: rule.bound.side(),
        basis: Basis::Requirement {
            volume: rule.volume.clone(),
            application: rule.application.clone(),
            is_unconfirmed: !rule.is_confirmed(),
        },
    };
    let compared = Compared { metric: rule.metric, threshold, limit: None, is_confirmed: rule.is_confirmed() };
    Some(compare(test, rounds, &compared, &figure))
}
