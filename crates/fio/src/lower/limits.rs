//! Times, rates, pauses, latency targets and what becomes of errors.

use plan::{ErrorPolicy, ExitAll, LatencyTarget, Limits, PerDdir, Rate, ThinkTime};

use crate::parse::values::Values;

/// `exits_all`: some job of the run has `exitall`, which fio holds for all of them.
pub fn limits(values: &Values, exits_all: bool) -> Limits {
    let [delay_us, delay_to_us, _] = values.unsigneds("startdelay");
    // Without a runtime there is no time to base it on; fio says so and goes by size.
    let time_based = values.flag("time_based") && values.unsigned("runtime") > 0;
    let loops = values.unsigned("loops").clamp(1, u64::from(u32::MAX));
    let whom = exit_what(values);
    let asked = |on: bool| if on { whom } else { ExitAll::Nobody };
    Limits {
        start_delay_ns: (ns(delay_us), ns(delay_to_us.max(delay_us))),
        runtime_ns: ns(values.unsigned("runtime")),
        time_based,
        ramp_ns: ns(values.unsigned("ramp_time")),
        ramp_bytes: values.unsigned("ramp_size"),
        cool_down_ns: 0,
        loops: loops as u32,
        // As in fio a number for each pass, and none for a job that goes by time.
        number_ios: if time_based { 0 } else { values.unsigned("number_ios").saturating_mul(loops) },
        exit_all: asked(exits_all),
        exit_all_on_error: asked(values.flag("exitall_on_error")),
    }
}

/// Microseconds, fio's unit of time, in ns; centuries are as good as for ever.
fn ns(us: u64) -> u64 {
    us.saturating_mul(1000)
}

fn exit_what(values: &Values) -> ExitAll {
    match values.word("exit_what") {
        "stonewall" => ExitAll::Phase,
        "all" => ExitAll::Everybody,
        _ => ExitAll::Group,
    }
}

pub fn rate(values: &Values) -> Rate {
    Rate {
        bytes_per_s: PerDdir(values.unsigneds("rate")),
        ios_per_s: PerDdir(values.unsigneds("rate_iops")),
        min_bytes_per_s: PerDdir(values.unsigneds("rate_min")),
        min_ios_per_s: PerDdir(values.unsigneds("rate_iops_min")),
        cycle_ms: values.unsigned("rate_cycle"),
        poisson: values.word("rate_process") == "poisson",
        ignore_think_time: values.flag("rate_ignore_thinktime"),
    }
}

pub fn think_time(values: &Values) -> ThinkTime {
    let pause_us = values.unsigned("thinktime");
    let io_time_us = values.unsigned("thinktime_iotime");
    // The default of one block doesn't go together with a time of I/O between pauses.
    let counts = io_time_us == 0 || values.is_set("thinktime_blocks");
    ThinkTime {
        pause_us,
        spin_us: values.unsigned("thinktime_spin").min(pause_us),
        blocks: if counts { values.unsigned("thinktime_blocks").max(1) } else { 0 },
        count_issued: values.word("thinktime_blocks_type") == "issue",
        io_time_us,
    }
}

pub fn latency_target(values: &Values) -> Option<LatencyTarget> {
    let target_ns = ns(values.unsigned("latency_target"));
    (target_ns > 0).then(|| LatencyTarget {
        target_ns,
        window_ns: ns(values.unsigned("latency_window")),
        percentile: values.floats("latency_percentile").and_then(|list| list.values.first().copied()).unwrap_or(100.0),
        keep_running: values.flag("latency_run"),
    })
}

pub fn errors(values: &Values) -> ErrorPolicy {
    let word = values.word("continue_on_error");
    let survivable_errno = values.errors("ignore_error").cloned().unwrap_or_default();
    let [read, write, verify] = survivable_errno.each_ref().map(|listed| !listed.is_empty());
    ErrorPolicy {
        continue_on_read: read || matches!(word, "read" | "io" | "all"),
        continue_on_write: write || matches!(word, "write" | "io" | "all"),
        continue_on_verify: verify || matches!(word, "verify" | "all"),
        survivable_errno,
        dump: values.flag("error_dump"),
        max_latency_ns: PerDdir(values.unsigneds("max_latency").map(ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_centuries_does_not_wrap_round_to_moments() {
        assert_eq!((ns(7), ns(u64::MAX / 2)), (7000, u64::MAX));
    }
}
