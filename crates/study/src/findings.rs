//! Findings about how a study was carried out.

use assessment::{Finding, FindingKind, KneeResult, PreparationDetail, PreparationStep, Severity, Steady, Subject};

/// A step shorter than this multiple of the bound may sustain a rate that is slightly too high.
const STEP_PER_BOUND: u64 = 100;
/// A percentile with fewer I/Os beyond it is uncertain.
const TAIL_MIN: f64 = 10.0;

/// The file system has no direct I/O.
pub fn no_direct_io() -> Finding {
    of_test(FindingKind::NoDirectIo, Severity::Invalid)
}

/// The rounds of a test did not reach a steady state.
pub fn not_steady(steady: &Steady) -> Finding {
    of_test(FindingKind::NoSteadyState(steady.state.clone()), Severity::Warning)
}

/// A preparation that a test needs was skipped or failed; `None` for a purge, which no test needs.
pub fn not_prepared(step: PreparationStep, detail: PreparationDetail) -> Option<Finding> {
    let kind = match step {
        PreparationStep::Purge => return None,
        PreparationStep::Fill => FindingKind::NoFill(detail),
        PreparationStep::Precondition => FindingKind::NoPrecondition(detail),
        PreparationStep::Initialise => FindingKind::NoInitialise(detail),
        PreparationStep::Warm => FindingKind::NoWarm(detail),
    };
    Some(of_test(kind, Severity::Warning))
}

/// The steps of a search are short for its bound: a rate that is slightly too high exceeds the bound only later.
pub fn short_steps(request: &assessment::Knee) -> Option<Finding> {
    let bound_ns = request.bound_ns.filter(|_| request.iodepth_max.is_none())?;
    let needed_ns = bound_ns.saturating_mul(STEP_PER_BOUND);
    let (percent, step_ns) = (request.percent, request.runtime_ns);
    let kind = FindingKind::ShortSteps { percent, bound_ns, step_ns, needed_ns };
    (needed_ns > step_ns).then(|| of_test(kind, Severity::Info))
}

/// Few I/Os are beyond the percentile at the sustained rate.
pub fn few_tail_ios(request: &assessment::Knee, result: &KneeResult) -> Option<Finding> {
    let sustained = result.points.get(result.sustained?).filter(|_| request.iodepth_max.is_none())?;
    let seconds = request.runtime_ns as f64 / 1e9;
    let ios_beyond = sustained.load as f64 * seconds * (100.0 - request.percent) / 100.0;
    let kind = FindingKind::FewTailIos { percent: request.percent, ios_beyond };
    (ios_beyond < TAIL_MIN).then(|| of_test(kind, Severity::Info))
}

fn of_test(kind: FindingKind, severity: Severity) -> Finding {
    Finding { kind, subject: Subject::Run, severity }
}
