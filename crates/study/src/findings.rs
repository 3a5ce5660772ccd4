//! Findings about how a study was carried out.

use assessment::{Finding, KneeResult, Severity, Steady};
use units::format::{grouped, time_ns};

/// A step shorter than this multiple of the bound may sustain a rate that is slightly too high.
const STEP_PER_BOUND: u64 = 100;
/// A percentile with fewer I/Os beyond it is uncertain.
const TAIL_MIN: f64 = 10.0;

/// The file system has no direct I/O.
pub fn no_direct_io() -> Finding {
    Finding {
        id: "no-direct-io".into(),
        severity: Severity::Invalid,
        what: "this file system has no direct I/O: what was measured is the page cache, which is memory".into(),
        evidence: "a file cannot be opened with O_DIRECT there".into(),
        advice: "measure a directory on a disk: this one lies in memory, or on a file system without direct I/O".into(),
    }
}

/// The rounds of a test came to no steady state.
pub fn not_steady(steady: &Steady) -> Finding {
    Finding {
        id: "no-steady-state".into(),
        severity: Severity::Warning,
        what: "the rounds came to no steady state: the figures are of a device that is still changing".into(),
        evidence: steady.detail.clone(),
        advice: "let it run for more rounds, or look for other load on the device".into(),
    }
}

/// A preparation that a test needs was skipped or failed.
pub fn not_prepared(step: &str, consequence: &str, detail: &str) -> Finding {
    Finding {
        id: format!("no-{step}"),
        severity: Severity::Warning,
        what: format!("the target was not prepared as the test needs it ({step}): {consequence}"),
        evidence: detail.to_owned(),
        advice: "let it be prepared: leave out --no-prepare, and say --overwrite where data may be lost".into(),
    }
}

/// The steps of a search are short for its bound: a rate that is slightly too high exceeds the bound only later.
pub fn short_steps(request: &assessment::Knee) -> Option<Finding> {
    let bound_ns = request.bound_ns.filter(|_| request.iodepth_max.is_none())?;
    let wanted_ns = bound_ns.saturating_mul(STEP_PER_BOUND);
    let [bound, runtime, wanted] = [bound_ns, request.runtime_ns, wanted_ns].map(|ns| time_ns(ns as f64));
    let percentile = &request.percentile;
    (wanted_ns > request.runtime_ns).then(|| Finding {
        id: "short-steps".into(),
        severity: Severity::Info,
        what: "a rate slightly above the sustained one may also pass".into(),
        evidence: format!("each step is measured for {runtime}, and {percentile} may be {bound}"),
        advice: format!("measure for {wanted} (--runtime)"),
    })
}

/// The percentile at the sustained rate is that of few I/Os.
pub fn few_tail_ios(request: &assessment::Knee, result: &KneeResult) -> Option<Finding> {
    let sustained = result.points.get(result.sustained?).filter(|_| request.iodepth_max.is_none())?;
    let seconds = request.runtime_ns as f64 / 1e9;
    let beyond = sustained.load as f64 * seconds * (100.0 - request.percent) / 100.0;
    (beyond < TAIL_MIN).then(|| Finding {
        id: "few-tail-ios".into(),
        severity: Severity::Info,
        what: format!("few I/Os decide {}", request.percentile),
        evidence: format!("a run has {} I/Os beyond it", grouped(beyond)),
        advice: "measure each step for longer (--runtime)".into(),
    })
}
