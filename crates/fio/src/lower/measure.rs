//! Lowers the options of measurement, reports and logs.

use plan::{ClockSource, Logs, Measure, Unified, WindowValue};

use crate::parse::values::Values;

pub fn measure(values: &Values, job: &str) -> Measure {
    let (slat, clat, lat) = (!values.flag("disable_slat"), !values.flag("disable_clat"), !values.flag("disable_lat"));
    Measure {
        slat,
        clat,
        lat,
        bandwidth: !values.flag("disable_bw_measurement"),
        stats: values.flag("stats"),
        slat_percentiles: slat && values.flag("slat_percentiles"),
        clat_percentiles: clat && values.flag("clat_percentiles"),
        lat_percentiles: lat && values.flag("lat_percentiles"),
        percentiles: values.floats("percentile_list").map(|list| list.values.clone()).unwrap_or_default(),
        significant_figures: values.unsigned("significant_figures") as u32,
        unified: match values.keyword("unified_rw_reporting") {
            "mixed" => Unified::Mixed,
            "both" => Unified::Both,
            _ => Unified::Apart,
        },
        clock: match values.keyword("clocksource") {
            "gettimeofday" => ClockSource::Gettimeofday,
            "clock_gettime" => ClockSource::Monotonic,
            _ => ClockSource::Cpu,
        },
        bandwidth_sample_ms: sample_ms(values, "bwavgtime", "write_bw_log"),
        iops_sample_ms: sample_ms(values, "iopsavgtime", "write_iops_log"),
        disk_util: values.flag("disk_util"),
        block_lifetimes: values.flag("block_error_percentiles"),
        logs: logs(values, job),
        bits: match values.keyword("unit_base") {
            "1" => true,
            "8" => false,
            _ => values.text("ioengine") == Some("net"),
        },
        kb_base: values.keyword("kb_base").parse().unwrap_or(1024),
    }
}

/// Returns the averaging time of samples: that of the log if there is one, unless `option` is set explicitly.
fn sample_ms(values: &Values, option: &str, log: &str) -> u64 {
    let average_ms = values.unsigned("log_avg_msec");
    let uses_log_window = values.log(log).is_some() && average_ms > 0 && !values.is_set(option);
    if uses_log_window { average_ms } else { values.unsigned(option) }
}

fn logs(values: &Values, job: &str) -> Logs {
    let prefix = |name: &str| values.log(name).map(|prefix| prefix.unwrap_or(job).to_owned());
    let has_absolute_times = values.flag("log_alternate_epoch");
    Logs {
        bandwidth: prefix("write_bw_log"),
        iops: prefix("write_iops_log"),
        latency: prefix("write_lat_log"),
        histogram: prefix("write_hist_log"),
        replayable: values.text("write_iolog").map(str::to_owned),
        average_ms: values.unsigned("log_avg_msec"),
        window_value: match values.keyword("log_window_value") {
            "max" => WindowValue::Maximum,
            "both" => WindowValue::Both,
            _ => WindowValue::Average,
        },
        histogram_ms: values.unsigned("log_hist_msec"),
        histogram_coarseness: values.unsigned("log_hist_coarseness") as u32,
        with_offset: values.flag("log_offset"),
        with_prio: values.flag("log_prio"),
        with_issue_time: values.flag("log_issue_time"),
        compressed: values.flag("log_store_compressed"),
        per_job: values.flag("per_job_logs"),
        epoch_clock: has_absolute_times.then(|| values.number("log_alternate_epoch_clock_id") as i32),
    }
}
