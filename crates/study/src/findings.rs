//! Findings about how a study was carried out.

use assessment::{Finding, FindingKind, KneeResult, PreparationDetail, PreparationStep, Severity, Steady, Subject};

/// A step shorter than this multiple of the bound may sustain a rate that is slightly too high.
const STEP_PER_BOUND: u64 = 100;
/// In a run of this multiple of the bound, a load that is 5 % too high, the resolution of a search over multiples, exceeds the bound.
const RUN_PER_BOUND: u64 = 20;
/// A percentile with fewer I/Os beyond it is uncertain.
const TAIL_MIN: f64 = 10.0;

/// The file system has no direct I/O.
pub fn no_direct_io() -> Finding {
    of_test(FindingKind::NoDirectIo, Severity::Invalid)
}

/// The rounds of a test, or of one of its combinations of settings, did not reach a steady state.
pub fn not_steady(steady: &Steady) -> Finding {
    let settings = steady.at.iter().flatten().map(|(name, value)| format!("{name}={value}")).collect();
    let subject = if steady.at.is_some() { Subject::Settings(settings) } else { Subject::Run };
    Finding { subject, ..of_test(FindingKind::NoSteadyState(steady.state.clone()), Severity::Warning) }
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
    let bound_ns = request.bound_ns.filter(|_| request.iodepth_max.is_none() && request.like.is_none())?;
    let needed_ns = bound_ns.saturating_mul(STEP_PER_BOUND);
    let (percent, step_ns) = (request.percent, request.runtime_ns);
    let kind = FindingKind::ShortSteps { percent, bound_ns, step_ns, needed_ns };
    (needed_ns > step_ns).then(|| of_test(kind, Severity::Info))
}

/// The run of the highest multiple that is held is short for the largest bound.
pub fn short_multiple(request: &assessment::Knee, result: &KneeResult) -> Option<Finding> {
    let (like, percent) = (request.like.as_deref()?, request.percent);
    let held = result.points.get(result.sustained?)?.load;
    let bound_ns = *like.bounds_ns.0.iter().flatten().max()?;
    let (step_ns, least_ns) = (like.run_ns(held), bound_ns.saturating_mul(RUN_PER_BOUND));
    // The run takes this time at the multiple, and the captured part is longer by it.
    let needed_ns = least_ns.saturating_mul(held) / 100;
    let kind = FindingKind::ShortSteps { percent, bound_ns, step_ns, needed_ns };
    (least_ns > step_ns).then(|| of_test(kind, Severity::Info))
}

/// Few I/Os are beyond the percentile at the load that decides: the highest good one, or the missed one.
pub fn few_tail_ios(request: &assessment::Knee, result: &KneeResult) -> Option<Finding> {
    let deciding = result.points.get(result.sustained.or(result.missed)?).filter(|_| request.iodepth_max.is_none())?;
    let ios = match &request.like {
        Some(like) => like.ios as f64,
        None => deciding.load as f64 * request.runtime_ns as f64 / 1e9,
    };
    let ios_beyond = ios * (100.0 - request.percent) / 100.0;
    let kind = FindingKind::FewTailIos { percent: request.percent, ios_beyond };
    (ios_beyond < TAIL_MIN).then(|| of_test(kind, Severity::Info))
}

fn of_test(kind: FindingKind, severity: Severity) -> Finding {
    Finding { kind, subject: Subject::Run, severity }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{End, Outcome, Study};
    use crate::sample;
    use crate::suite::SuiteOptions;

    #[test]
    fn each_combination_without_a_steady_state_is_a_finding_with_its_settings() {
        let options = SuiteOptions { until_steady: Some(assessment::SteadyRule::Snia), ..SuiteOptions::default() };
        let mut suite = Box::new(sample::suite(options, &["4k", "8k", "64k"]));
        let mut rate = 1000;
        while let Some(run) = suite.next() {
            // The rate of 8k is steady, those of the others rise.
            rate = if run.label.contains("bs=8k") { 1000 } else { rate * 2 % 1_000_003 };
            suite.take(Outcome::completed(sample::record(&[(rate, 4096, 1000)])));
        }
        let test = suite.finish(&End::default()).tests.remove(0);
        assert_eq!(
            test.steady.iter().map(|steady| steady.from_round.is_some()).collect::<Vec<_>>(),
            [false, true, false]
        );
        let unsteady = test.findings.iter().filter(|finding| matches!(finding.kind, FindingKind::NoSteadyState(_)));
        let of = |size: &str| Subject::Settings(vec![format!("bs={size}")]);
        assert_eq!(unsteady.map(|finding| finding.subject.clone()).collect::<Vec<_>>(), [of("4k"), of("64k")]);
    }
}
