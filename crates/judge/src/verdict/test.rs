//! The judgements of one test: its figures, compared with limits and with requirements.

use assessment::{
    Aim, Basis, Cause, Confounder, Finding, FindingKind, Judgement, Metric, MissedTime, Quantity, Reason, Severity,
    Test, Threshold, ThresholdBound, Verdict, VolumeUse,
};
use plan::Ddir;

use super::figures::{Figure, JobRounds};
use super::threshold::{self, Compared, Confounders};
use crate::inference::{Interval, evened, mean, mean_interval};
use crate::limits::{Expectation, Limit, Load};
use crate::load_generator::{WAITED_SHARE, cpu_wait_share};
use crate::requirements::Requirement;

/// The largest share of a limit that must be reached: see docs/verdict.md, "The threshold".
pub const ALL: f64 = 0.98;

/// The expectations that a test is compared with.
pub struct Criteria<'a> {
    pub expectations: &'a [Expectation],
    /// The rules that apply to this test.
    pub rules: Vec<&'a Requirement>,
}

/// Sets the judgements, the verdict and the cause of a test.
pub fn judge(test: &mut Test, criteria: &Criteria) {
    let judgements = judgements(test, criteria);
    (test.verdict, test.cause) = sum_up(test, &judgements);
    test.judgements = judgements;
}

fn invalid(test: &Test) -> Option<&Finding> {
    test.findings.iter().find(|finding| finding.severity == Severity::Invalid)
}

fn judgements(test: &Test, criteria: &Criteria) -> Vec<Judgement> {
    let confounders = confounders(test);
    let mut judgements = Vec::new();
    let steady_from = test.steady.as_ref().and_then(|steady| steady.from_round);
    for mut rounds in JobRounds::of(&test.rounds) {
        rounds.keep_from(steady_from.unwrap_or_default());
        let from = judgements.len();
        for expectation in criteria.expectations {
            judgements.extend(against_limits(test, &rounds, expectation, &confounders));
        }
        judgements.extend(criteria.rules.iter().filter_map(|rule| against_rule(&rounds, rule, &confounders)));
        judgements[from..].iter_mut().for_each(|judgement| judgement.at = rounds.at.to_vec());
    }
    if invalid(test).is_some() {
        judgements.iter_mut().for_each(|judgement| judgement.verdict = Verdict::Invalid);
    }
    judgements
}

fn sum_up(test: &Test, judgements: &[Judgement]) -> (Verdict, Cause) {
    if let Some(finding) = invalid(test) {
        return (Verdict::Invalid, Cause::Finding(Box::new(finding.clone())));
    }
    if let Some(failure) = test.error.as_ref().filter(|failure| failure.is_invalid()) {
        return (Verdict::Invalid, Cause::Failure(failure.clone()));
    }
    // If several judgements have the worst verdict, the first one decides.
    let worst = judgements.iter().map(|judgement| judgement.verdict).max();
    let first = judgements.iter().find(|judgement| Some(judgement.verdict) == worst).cloned().map(Box::new);
    match (test.error.clone(), first) {
        (Some(failure), Some(judgement)) if judgement.verdict != Verdict::Fail => {
            (Verdict::Inconclusive, Cause::JudgementAndFailure { judgement, failure })
        }
        (Some(failure), None) => (Verdict::Inconclusive, Cause::Failure(failure)),
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

fn confounders(test: &Test) -> Confounders {
    let found = |is_it: fn(&FindingKind) -> bool| test.findings.iter().find(|finding| is_it(&finding.kind));
    let confounder = |finding: &Finding| Confounder::Finding(Box::new(finding.clone()));
    let unsteady = test.steady.as_ref().filter(|steady| steady.from_round.is_none());
    let failure = test.error.clone().map(Confounder::Failure);
    Confounders {
        of_all: failure
            .or_else(|| found(decides_nothing).map(confounder))
            .or_else(|| unsteady.map(|steady| Confounder::NotSteady(steady.state.clone()))),
        of_failure: found(excuses_failure).map(confounder),
        is_throttled: found(|kind| matches!(kind, FindingKind::Throttled { .. })).is_some(),
        cpu_wait_share: None,
    }
}

/// Whether a finding makes the measurement inconclusive.
fn decides_nothing(kind: &FindingKind) -> bool {
    match kind {
        FindingKind::EndedEarly { .. } | FindingKind::Interrupted(_) => true,
        FindingKind::Saved(saved) => saved.id == "ended-early",
        _ => false,
    }
}

/// Whether a finding explains a low figure by something else than the target.
fn excuses_failure(kind: &FindingKind) -> bool {
    match kind {
        FindingKind::LoadGeneratorLimit(_)
        | FindingKind::DepthNotReached { .. }
        | FindingKind::OtherLoad(_)
        | FindingKind::StepUp(_) => true,
        FindingKind::Saved(saved) => {
            ["generator-limit", "depth-not-reached", "other-load", "step-up"].contains(&saved.id.as_str())
        }
        _ => false,
    }
}

/// Compares a test with the limits that its aim names.
fn against_limits(
    test: &Test,
    rounds: &JobRounds,
    expectation: &Expectation,
    confounders: &Confounders,
) -> Vec<Judgement> {
    let aim = test.aim;
    let load = |ddir| Load { cached: aim == Aim::VmCached, alone: aim == Aim::LatencyFloor, ..rounds.load(ddir) };
    let is_meant = |ddir| expectation.volume.as_ref().is_none_or(|volume| is_all_on(test, Some(ddir), volume));
    let limits = |ddir| if is_meant(ddir) { expectation.limits(ddir, load(ddir)) } else { Vec::new() };
    match aim {
        Aim::DiskIops | Aim::DiskBandwidth | Aim::VmUncached | Aim::VmCached => {
            let rates = rounds.ddirs().into_iter().filter_map(|ddir| Some((ddir, limits(ddir).into_iter().next()?)));
            rated(rounds, &rates.collect::<Vec<_>>(), confounders)
        }
        Aim::LatencyFloor => {
            let latencies = rounds.ddirs().into_iter().flat_map(limits).filter(|limit| !limit.metric.is_rate());
            latencies.filter_map(|limit| latency(rounds, &limit, confounders)).collect()
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

fn rated(rounds: &JobRounds, limits: &[(Ddir, Limit)], confounders: &Confounders) -> Vec<Judgement> {
    if let [(_, reads), (_, writes)] = limits
        && reads.part == writes.part
    {
        // Both directions share one limit.
        return shared(rounds, reads, writes, confounders).into_iter().collect();
    }
    let judged = |(_, limit): &(Ddir, Limit)| {
        let figure = rounds.figure(limit.metric)?;
        let confounders = held_back(rounds, limit.metric, limit.value * limit.enough.share.min(ALL), confounders);
        Some(with_time(rate(limit, limit.metric, limit.value, &figure, &confounders), limit, &figure))
    };
    limits.iter().filter_map(judged).collect()
}

/// Adds the requested rate of a job that requests less than is enough.
fn held_back(rounds: &JobRounds, metric: Metric, enough: f64, confounders: &Confounders) -> Confounders {
    match rounds.requested_rate(metric).filter(|rate| *rate < enough) {
        Some(rate) => Confounders { of_failure: Some(Confounder::RequestedRate { rate }), ..confounders.clone() },
        None => with_cpu_wait(rounds, metric, confounders),
    }
}

/// Adds the time that the threads of the metric's I/O waited for CPUs.
fn with_cpu_wait(rounds: &JobRounds, metric: Metric, confounders: &Confounders) -> Confounders {
    let shares = rounds.records.iter().filter_map(|record| cpu_wait_share(record, metric.ddir));
    let cpu_wait_share = shares.reduce(f64::max).filter(|share| *share >= WAITED_SHARE);
    Confounders { cpu_wait_share, ..confounders.clone() }
}

fn rate(limit: &Limit, metric: Metric, value: f64, figure: &Figure, confounders: &Confounders) -> Judgement {
    let threshold = Threshold {
        value,
        enough: value * limit.enough.share.min(ALL),
        bound: ThresholdBound::AtLeast,
        basis: Basis::Limit { of: limit.of.clone() },
    };
    threshold::judge(&Compared { metric, threshold, limit: Some(limit) }, figure, confounders)
}

/// Compares reads and writes with a limit that they share. Each uses a share of it, in its own unit.
fn shared(rounds: &JobRounds, reads: &Limit, writes: &Limit, confounders: &Confounders) -> Option<Judgement> {
    let (read, write) = (rounds.figure(reads.metric)?, rounds.figure(writes.metric)?);
    let used = read.measured / reads.value + write.measured / writes.value;
    let in_iops = |ddir| Some(rounds.figure(Metric { ddir: Some(ddir), quantity: Quantity::Iops })?.measured);
    let measured = in_iops(Ddir::Read)? + in_iops(Ddir::Write)?;
    // The limit in I/Os of this mix.
    let value = measured / used;
    let each = read.series.iter().zip(&write.series);
    let series: Vec<f64> = each.map(|(read, write)| (read / reads.value + write / writes.value) * value).collect();
    let interval = mean_interval(&series).filter(|_| mean(&series) > 0.0).map(|found| {
        let scale = measured / mean(&series);
        Interval { low: found.low * scale, high: found.high * scale }
    });
    let figure = Figure { measured, series, interval, ios: read.ios + write.ios };
    let limit = Limit { burst: None, merged: None, ..reads.clone() };
    let confounders = with_cpu_wait(rounds, Metric::IOPS, confounders);
    Some(rate(&limit, Metric::IOPS, value, &figure, &confounders))
}

fn latency(rounds: &JobRounds, limit: &Limit, confounders: &Confounders) -> Option<Judgement> {
    let figure = rounds.figure(limit.metric)?;
    let threshold = Threshold {
        value: limit.value,
        enough: limit.value / ALL,
        bound: ThresholdBound::AtMost,
        basis: Basis::Limit { of: limit.of.clone() },
    };
    let compared = Compared { metric: limit.metric, threshold, limit: Some(limit) };
    Some(threshold::judge(&compared, &figure, &with_cpu_wait(rounds, limit.metric, confounders)))
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

/// Whether a rule applies to the block size, the order and the syncs of these runs.
pub fn is_for(rule: &Requirement, rounds: &JobRounds) -> bool {
    if rule.synced && !rounds.writes_are_synced() {
        return false;
    }
    // The latency of a write that ends in the page cache is not that of the disk.
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

/// Whether the test measured the rule's figure on the rule's volume alone. Syncs belong to writes.
pub fn is_of_volume(rule: &Requirement, test: &Test) -> bool {
    let ddir = if matches!(rule.metric.quantity, Quantity::Fsync(_)) { Some(Ddir::Write) } else { rule.metric.ddir };
    rule.volume.as_ref().is_none_or(|volume| is_all_on(test, ddir, volume))
}

/// Returns the judgements of a test by one rule.
pub fn required(test: &Test, rule: &Requirement) -> Vec<Judgement> {
    judgements(test, &Criteria { expectations: &[], rules: vec![rule] })
}

fn against_rule(rounds: &JobRounds, rule: &Requirement, confounders: &Confounders) -> Option<Judgement> {
    if !is_for(rule, rounds) {
        return None;
    }
    let figure = rounds.figure(rule.metric)?;
    let threshold = Threshold {
        value: rule.value,
        enough: rule.bound.enough(rule.value),
        bound: rule.bound.side(),
        basis: Basis::Requirement { volume: rule.volume.clone() },
    };
    let confounders = match threshold.bound {
        ThresholdBound::AtLeast => held_back(rounds, rule.metric, threshold.enough, confounders),
        ThresholdBound::AtMost => with_cpu_wait(rounds, rule.metric, confounders),
    };
    Some(threshold::judge(&Compared { metric: rule.metric, threshold, limit: None }, &figure, &confounders))
}
