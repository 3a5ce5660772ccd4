//! Lowers the options of time, rate, think time, latency target and error handling.

use plan::{
    ErrorPolicy, ExitAll, Flow, LatencyTarget, Limits, PerDdir, Rate, SteadyMeasure, SteadyMetric,
    SteadyStateCriterion, ThinkTime,
};

use crate::options::{Key, key, kinds};
use crate::parse::value::KeywordArgument;
use crate::parse::values::Values;

/// Lowers the options that end a job. `exits_all`: a job of the run has `exitall`, which fio applies to all jobs.
pub fn limits(values: &Values, exits_all: bool) -> Limits {
    let [delay_us, delay_to_us, _] = values.unsigneds(key::STARTDELAY);
    // As in fio, time_based has no effect without a runtime.
    let time_based = values.flag(key::TIME_BASED) && values.unsigned(key::RUNTIME) > 0;
    let loops = values.unsigned(key::LOOPS).clamp(1, u64::from(u32::MAX));
    let ended = exit_what(values);
    let exit_if = |on: bool| if on { ended } else { ExitAll::None };
    Limits {
        start_delay_ns: (ns(delay_us), ns(delay_to_us.max(delay_us))),
        runtime_ns: ns(values.unsigned(key::RUNTIME)),
        time_based,
        ramp_ns: ns(values.unsigned(key::RAMP_TIME)),
        ramp_bytes: values.unsigned(key::RAMP_SIZE),
        cool_down_ns: 0,
        loops: loops as u32,
        // As in fio, number_ios is per loop and has no effect on a time_based job.
        number_ios: if time_based { 0 } else { values.unsigned(key::NUMBER_IOS).saturating_mul(loops) },
        exit_all: exit_if(exits_all),
        exit_all_on_error: exit_if(values.flag(key::EXITALL_ON_ERROR)),
    }
}

/// Converts microseconds to nanoseconds, saturating.
fn ns(us: u64) -> u64 {
    us.saturating_mul(1000)
}

fn exit_what(values: &Values) -> ExitAll {
    match values.keyword(key::EXIT_WHAT) {
        "stonewall" => ExitAll::Phase,
        "all" => ExitAll::All,
        _ => ExitAll::Group,
    }
}

pub fn rate(values: &Values) -> Rate {
    Rate {
        bytes_per_s: PerDdir(values.unsigneds(key::RATE)),
        ios_per_s: PerDdir(values.unsigneds(key::RATE_IOPS)),
        min_bytes_per_s: PerDdir(values.unsigneds(key::RATE_MIN)),
        min_ios_per_s: PerDdir(values.unsigneds(key::RATE_IOPS_MIN)),
        cycle_ms: values.unsigned(key::RATE_CYCLE),
        poisson: values.keyword(key::RATE_PROCESS) == "poisson",
        ignore_think_time: values.flag(key::RATE_IGNORE_THINKTIME),
    }
}

/// Returns the job's part in a flow.
pub fn flow(values: &Values) -> Option<Flow> {
    let weight = values.unsigned(key::FLOW) as u32;
    let (id, sleep_us) = (values.unsigned(key::FLOW_ID) as u32, values.unsigned(key::FLOW_SLEEP));
    (weight > 0).then_some(Flow { id, weight, sleep_us })
}

pub fn think_time(values: &Values) -> ThinkTime {
    let pause_us = values.unsigned(key::THINKTIME);
    let io_time_us = values.unsigned(key::THINKTIME_IOTIME);
    // thinktime_iotime replaces the default of thinktime_blocks.
    let counts_blocks = io_time_us == 0 || values.is_set(&key::THINKTIME_BLOCKS);
    ThinkTime {
        pause_us,
        spin_us: values.unsigned(key::THINKTIME_SPIN).min(pause_us),
        blocks: if counts_blocks { values.unsigned(key::THINKTIME_BLOCKS).max(1) } else { 0 },
        count_issued: values.keyword(key::THINKTIME_BLOCKS_TYPE) == "issue",
        io_time_us,
        cycles_per_io: values.unsigned(key::THINKCYCLES) as u32,
    }
}

pub fn latency_target(values: &Values) -> Option<LatencyTarget> {
    let target_ns = ns(values.unsigned(key::LATENCY_TARGET));
    (target_ns > 0).then(|| LatencyTarget {
        target_ns,
        window_ns: ns(values.unsigned(key::LATENCY_WINDOW)),
        percentile: values
            .floats(key::LATENCY_PERCENTILE)
            .and_then(|list| list.values.first().copied())
            .unwrap_or(100.0),
        keep_running: values.flag(key::LATENCY_RUN),
    })
}

/// Returns the criterion of the steady state that ends the job.
pub fn steady_state(values: &Values) -> Option<SteadyStateCriterion> {
    let seconds = |key: Key<kinds::Number>| values.unsigned(key) / 1_000_000;
    let interval_s = seconds(key::STEADYSTATE_CHECK_INTERVAL).max(1);
    let intervals = seconds(key::STEADYSTATE_DURATION) / interval_s;
    let KeywordArgument::Threshold { limit, is_percent } = values.keyword_argument(key::STEADYSTATE) else {
        return None;
    };
    let (metric, micros) = match values.keyword(key::STEADYSTATE) {
        "bw" | "bw_slope" => (SteadyMetric::Bandwidth, false),
        "lat" | "lat_slope" => (SteadyMetric::Latency, true),
        _ => (SteadyMetric::Iops, false),
    };
    let is_slope = values.keyword(key::STEADYSTATE).ends_with("_slope");
    (intervals > 0).then_some(SteadyStateCriterion {
        metric,
        measure: if is_slope { SteadyMeasure::Slope } else { SteadyMeasure::MaxDeviation },
        limit: if micros && !is_percent { limit * 1000.0 } else { limit },
        is_percent,
        intervals: intervals.min(u64::from(u32::MAX)) as u32,
        interval_s,
        ramp_s: seconds(key::STEADYSTATE_RAMP_TIME),
    })
}

pub fn errors(values: &Values) -> ErrorPolicy {
    let continued = values.keyword(key::CONTINUE_ON_ERROR);
    let survivable_errno = values.errors(key::IGNORE_ERROR).cloned().unwrap_or_default();
    let [read, write, verify] = survivable_errno.each_ref().map(|listed| !listed.is_empty());
    ErrorPolicy {
        continue_on_read: read || matches!(continued, "read" | "io" | "all"),
        continue_on_write: write || matches!(continued, "write" | "io" | "all"),
        continue_on_verify: verify || matches!(continued, "verify" | "all"),
        survivable_errno,
        dump: values.flag(key::ERROR_DUMP),
        max_latency_ns: PerDdir(values.unsigneds(key::MAX_LATENCY).map(ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_saturate() {
        assert_eq!((ns(7), ns(u64::MAX / 2)), (7000, u64::MAX));
    }
}
