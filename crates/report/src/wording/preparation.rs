//! Preparation in words.

use assessment::{LeftOut, Preparation, PreparationDetail, PreparationReason, PreparationStep, ReadRate, WarmPasses};
use units::format::{bandwidth, size, time_ns};

use super::failure::failure;
use super::names::names;
use super::steady::steady_state;

/// Returns the step, and its target if there are several.
pub fn preparation_name(step: &Preparation) -> String {
    let name = step.step.name();
    step.target.as_ref().map_or_else(|| name.to_owned(), |target| format!("{name} {target}"))
}

/// Returns why the step is needed.
pub fn preparation_reason(step: &Preparation) -> String {
    let need = match step.step {
        PreparationStep::Purge => "to discard the data of earlier use",
        PreparationStep::Initialise => "the first read of a block of a snapshot is slow",
        PreparationStep::Fill => "reads of unwritten blocks do not access the disk",
        PreparationStep::Precondition => "a device in use is slower than a fresh one",
        PreparationStep::Warm => "the cache must contain the data of the tests",
    };
    match &step.reason {
        PreparationReason::Requested => "requested".to_owned(),
        PreparationReason::Needed { tests } if tests.is_empty() => need.to_owned(),
        PreparationReason::Needed { tests } => format!("{}: {need}", names(tests)),
    }
}

/// Returns what a step did. `step` adds its bytes and its time.
pub fn preparation_detail(detail: &PreparationDetail, step: Option<&Preparation>) -> String {
    match detail {
        PreparationDetail::Pass => step.map(pass).unwrap_or_default(),
        PreparationDetail::Slices { slice_s, state } => {
            format!("random writes in slices of {slice_s} s: {}", steady_state(state))
        }
        PreparationDetail::Warm(passes) => warm(passes, step),
        PreparationDetail::LeftOut(LeftOut::NotWanted) => "--no-prepare was given".to_owned(),
        PreparationDetail::LeftOut(LeftOut::NotOverwritable) => "the target may hold data (no --overwrite)".to_owned(),
        PreparationDetail::LeftOut(LeftOut::Stopped) => "stopped before".to_owned(),
        PreparationDetail::Failed(why) => match step.filter(|step| step.bytes > 0) {
            Some(step) => format!("{} {}, then failed: {}", verb(step.step), size(step.bytes), failure(why)),
            None => failure(why),
        },
    }
}

fn pass(step: &Preparation) -> String {
    let per_s = bandwidth(step.bytes as f64 * 1000.0 / step.took_ms.max(1) as f64);
    format!("{} {} in {} ({per_s})", verb(step.step), size(step.bytes), time_ns(step.took_ms as f64 * 1e6))
}

fn verb(step: PreparationStep) -> &'static str {
    match step {
        PreparationStep::Purge => "discarded",
        PreparationStep::Fill | PreparationStep::Precondition => "wrote",
        PreparationStep::Initialise | PreparationStep::Warm => "read",
    }
}

fn warm(passes: &WarmPasses, step: Option<&Preparation>) -> String {
    let rate = |rate: &ReadRate| format!("{} (median {})", bandwidth(rate.bytes_per_s), time_ns(rate.p50_ns));
    let (first, last) = (rate(&passes.first), rate(&passes.last));
    let time = step.map(|step| format!(" in {}", time_ns(step.took_ms as f64 * 1e6))).unwrap_or_default();
    let count = format!("{} passes over {}{time}", passes.passes, size(passes.bytes_per_pass));
    let intervals = passes.last_pass.map(|range| {
        let [least, most] = [range.least_bytes_per_s, range.most_bytes_per_s].map(bandwidth);
        format!("; {} intervals of the last pass: {least} to {most}", range.intervals)
    });
    let intervals = intervals.unwrap_or_default();
    match (passes.is_level, passes.has_risen) {
        (false, _) => format!("{count} did not reach a constant rate: {first} at first, {last} at the end"),
        (true, true) => {
            format!("{count} rose from {first} to {last}: the cache contains the data that is read{intervals}")
        }
        (true, false) => {
            format!(
                "{count} were not faster than the first ({first}): the cache was warm before, or there is no cache{intervals}"
            )
        }
    }
}
