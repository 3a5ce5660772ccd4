//! Times, rates, pauses, latency targets and what becomes of errors.

use plan::{ErrorPolicy, ExitAll, LatencyTarget, Limits, PerDdir, Rate, ThinkTime};

use crate::parse::values::Values;

pub fn limits(values: &Values) -> Limits {
    let [delay_us, delay_to_us, _] = values.unsigneds("startdelay");
    Limits {
        start_delay_ns: (delay_us * 1000, delay_to_us.max(delay_us) * 1000),
        runtime_ns: values.unsigned("runtime") * 1000,
        // Without a runtime there is no time to base it on; fio says so and goes by size.
        time_based: values.flag("time_based") && values.unsigned("runtime") > 0,
        ramp_ns: values.unsigned("ramp_time") * 1000,
        ramp_bytes: values.unsigned("ramp_size"),
        loops: values.unsigned("loops").clamp(1, u64::from(u32::MAX)) as u32,
        number_ios: values.unsigned("number_ios"),
        exit_all: exit_all(values),
        exit_all_on_error: values.flag("exitall_on_error"),
    }
}

fn exit_all(values: &Values) -> ExitAll {
    match (values.flag("exitall"), values.word("exit_what")) {
        (false, _) => ExitAll::Nobody,
        (true, "stonewall") => ExitAll::Phase,
        (true, "all") => ExitAll::Everybody,
        (true, _) => ExitAll::Group,
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
    let target_ns = values.unsigned("latency_target") * 1000;
    (target_ns > 0).then(|| LatencyTarget {
        target_ns,
        window_ns: values.unsigned("latency_window") * 1000,
        percentile: values.floats("latency_percentile").and_then(|list| list.values.first().copied()).unwrap_or(100.0),
        keep_running: values.flag("latency_run"),
    })
}

pub fn errors(values: &Values) -> ErrorPolicy {
    let word = values.word("continue_on_error");
    ErrorPolicy {
        continue_on_read: matches!(word, "read" | "io" | "all"),
        continue_on_write: matches!(word, "write" | "io" | "all"),
        continue_on_verify: matches!(word, "verify" | "all"),
        ignored_errno: values.errors("ignore_error").cloned().unwrap_or_default(),
        dump: values.flag("error_dump"),
        max_latency_ns: PerDdir(values.unsigneds("max_latency").map(|us| us * 1000)),
    }
}
