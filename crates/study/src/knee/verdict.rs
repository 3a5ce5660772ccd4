//! What a search shows: its result, judgements and verdict.

use assessment::{
    Assessment, Basis, Failure, Finding, FindingKind, Judgement, KneePoint, KneeResult, Like, Metric, Reason, Settings,
    Study as Request, Threshold, ThresholdBound, Verdict,
};
use judge::disturbance::{self, disturbs_search};

use super::{Load, Procedure};
use crate::error::StudyError;
use crate::findings;

/// Computes the result, the judgements and the verdict of an assessment that is a search.
///
/// # Errors
///
/// The assessment is not one that a search can have made.
pub(crate) fn complete(assessment: &mut Assessment) -> Result<(), StudyError> {
    let Request::Knee(request) = &mut assessment.study else { return Ok(()) };
    if !(request.percent > 0.0 && request.percent < 100.0) {
        return Err(StudyError::NotAPercentile(request.percent));
    }
    let mut procedure = Procedure::new(request);
    for round in assessment.tests.iter().flat_map(|test| &test.rounds) {
        let load = Load::of_settings(&round.at).ok_or(StudyError::UnknownLoad)?;
        procedure.take(&load, &round.record);
    }
    let failed = assessment.tests.iter().find_map(|test| test.error.clone());
    if let Some(why) = failed.filter(|_| procedure.failed().is_none()) {
        procedure.take_failed(why);
    }
    let result = procedure.result();
    let is_invalid = assessment.tests.last().is_some_and(|test| judge::verdict::invalid(&test.findings).is_some());
    let is_slow = is_slow_throughout(request, &result);
    let disturbs = |finding: &Finding| {
        disturbs_search(finding) && !(is_slow && matches!(finding.kind, FindingKind::TailDisturbed { .. }))
    };
    let is_disturbed = assessment.tests.last().is_some_and(|test| test.findings.iter().any(disturbs));
    let verdict = match &request.like {
        _ if is_invalid => Verdict::Invalid,
        Some(like) => verdict_on_multiple(like, &result, assessment.stopped, is_disturbed),
        None => verdict(request, &result, assessment.stopped, is_disturbed),
    };
    let verdict = match verdict {
        // Waits for a CPU, and stolen time.
        Verdict::Fail if !is_slow && assessment.tests.last().and_then(disturbance::of_test).is_some() => {
            Verdict::Inconclusive
        }
        verdict => verdict,
    };
    assessment.verdict = verdict;
    if let Some(test) = assessment.tests.last_mut() {
        test.verdict = if assessment.stopped { Verdict::Skipped } else { verdict };
        test.judgements = judgements(request, &result, verdict);
        let of_steps = [findings::few_tail_ios(request, &result), findings::short_multiple(request, &result)];
        let known = test.findings.clone();
        test.findings.extend(of_steps.into_iter().flatten().filter(|finding| !known.contains(finding)));
    }
    request.result = Some(result);
    Ok(())
}

/// A disturbed search cannot fail: without the disturbance, the target may sustain a rate.
pub(super) fn verdict(
    request: &assessment::Knee,
    result: &KneeResult,
    is_stopped: bool,
    is_disturbed: bool,
) -> Verdict {
    let is_open = request.iodepth_max.is_none();
    let is_met = result.sustained.is_some() || !is_open && request.bound_ns.is_none();
    let is_limited_here = is_open && result.load_generator.is_some();
    if result.failed.as_ref().is_some_and(Failure::is_invalid) {
        return Verdict::Invalid;
    }
    match (is_stopped || result.failed.is_some() || is_limited_here, is_met) {
        (true, _) => Verdict::Inconclusive,
        (false, true) if request.bound_ns.is_none() => Verdict::Measured,
        (false, true) => Verdict::Pass,
        (false, false) if is_disturbed => Verdict::Inconclusive,
        (false, false) => Verdict::Fail,
    }
}

/// From the margin on, the target passes; below the captured load, it fails. A disturbed search can only pass: without the
/// disturbance, the multiple is not lower. Without a margin, the multiple is measured.
pub(super) fn verdict_on_multiple(like: &Like, result: &KneeResult, is_stopped: bool, is_disturbed: bool) -> Verdict {
    if result.failed.as_ref().is_some_and(Failure::is_invalid) {
        return Verdict::Invalid;
    }
    let percent = result.sustained.and_then(|at| result.points.get(at)).map_or(0, |point| point.load);
    let is_undecided = is_stopped || result.failed.is_some() || is_disturbed || result.load_generator.is_some();
    match (percent, like.margin_percent()) {
        (percent, Some(margin)) if percent >= margin => Verdict::Pass,
        _ if is_undecided => Verdict::Inconclusive,
        (_, None) => Verdict::Measured,
        (0..100, Some(_)) => Verdict::Fail,
        (_, Some(_)) => Verdict::Inconclusive,
    }
}

/// Half of the I/Os of the missed load exceed all bounds: waits of the slowest ones are not the reason.
fn is_slow_throughout(request: &assessment::Knee, result: &KneeResult) -> bool {
    let missed = result.missed.and_then(|at| result.points.get(at));
    let bound_ns = match &request.like {
        Some(like) => like.bounds_ns.0.into_iter().flatten().max(),
        None => request.bound_ns,
    };
    missed.zip(bound_ns).is_some_and(|(point, bound_ns)| {
        point.figures.latency.p50_ns.is_none_or(|median_ns| median_ns > bound_ns as f64)
    })
}

/// The highest rate that is sustained, and the percentile there against its bound.
fn judgements(request: &assessment::Knee, result: &KneeResult, verdict: Verdict) -> Vec<Judgement> {
    if request.iodepth_max.is_some() {
        return Vec::new();
    }
    let judgement = |metric: Metric, measured: f64, reason: Reason| Judgement {
        verdict,
        metric,
        at: Settings::new(),
        measured,
        whole_run: None,
        threshold: None,
        interval: None,
        few_intervals: None,
        correction: None,
        can_continue: false,
        reason,
    };
    let sustained = result.sustained.and_then(|at| result.points.get(at));
    let iops = |point: &KneePoint| match &request.like {
        Some(like) => like.ios_per_s() * point.load as f64 / 100.0,
        None => point.load as f64,
    };
    let rate = sustained.map(|point| judgement(Metric::IOPS, iops(point), Reason::SustainedRate));
    let percentile = sustained.or(result.points.first()).and_then(|point| {
        let (bound_ns, measured) = (request.bound_ns? as f64, point.figures.percentile_ns?);
        let reason = if sustained.is_some() { Reason::AtSustainedRate } else { Reason::AtLowestRate };
        let (bound, basis) =
            (ThresholdBound::AtMost, Basis::Requirement { volume: None, application: None, is_unconfirmed: false });
        let threshold = Some(Threshold { value: bound_ns, enough: bound_ns, bound, basis });
        Some(Judgement { threshold, ..judgement(request.metric(), measured, reason) })
    });
    rate.into_iter().chain(percentile).collect()
}
