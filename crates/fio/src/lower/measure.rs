//! Lowers the options of measurement, reports and logs.

use plan::{ClockSource, Logs, Measure, Unified, WindowValue};

use crate::options::{Key, key, kinds};
use crate::parse::values::Values;

pub fn measure(values: &Values, job: &str) -> Measure {
    let (slat, clat, lat) =
        (!values.flag(key::DISABLE_SLAT), !values.flag(key::DISABLE_CLAT), !values.flag(key::DISABLE_LAT));
    Measure {
        slat,
        clat,
        lat,
        bandwidth: !values.flag(key::DISABLE_BW_MEASUREMENT),
        stats: values.flag(key::STATS),
        slat_percentiles: slat && values.flag(key::SLAT_PERCENTILES),
        clat_percentiles: clat && values.flag(key::CLAT_PERCENTILES),
        lat_percentiles: lat && values.flag(key::LAT_PERCENTILES),
        percentiles: values.floats(key::PERCENTILE_LIST).map(|list| list.values.clone()).unwrap_or_default(),
        significant_figures: values.unsigned(key::SIGNIFICANT_FIGURES) as u32,
        unified: match values.keyword(key::UNIFIED_RW_REPORTING) {
            "mixed" => Unified::Mixed,
            "both" => Unified::Both,
            _ => Unified::Apart,
        },
        clock: match values.keyword(key::CLOCKSOURCE) {
            "gettimeofday" => ClockSource::Gettimeofday,
            "clock_gettime" => ClockSource::Monotonic,
            _ => ClockSource::Cpu,
        },
        bandwidth_sample_ms: sample_ms(values, key::BWAVGTIME, key::WRITE_BW_LOG),
        iops_sample_ms: sample_ms(values, key::IOPSAVGTIME, key::WRITE_IOPS_LOG),
        disk_util: values.flag(key::DISK_UTIL),
        block_lifetimes: values.flag(key::BLOCK_ERROR_PERCENTILES),
        logs: logs(values, job),
        bits: match values.keyword(key::UNIT_BASE) {
            "1" => true,
            "8" => false,
            _ => values.text(key::IOENGINE) == Some("net"),
        },
        kb_base: values.keyword(key::KB_BASE).parse().unwrap_or(1024),
    }
}

/// Returns the averaging time of samples: that of the log if there is one, unless `option` is set explicitly.
fn sample_ms(values: &Values, option: Key<kinds::Number>, log: Key<kinds::LogPrefix>) -> u64 {
    let average_ms = values.unsigned(key::LOG_AVG_MSEC);
    let uses_log_window = values.log(log).is_some() && average_ms > 0 && !values.is_set(&option);
    if uses_log_window { average_ms } else { values.unsigned(option) }
}

fn logs(values: &Values, job: &str) -> Logs {
    let prefix = |key: Key<kinds::LogPrefix>| values.log(key).map(|prefix| prefix.unwrap_or(job).to_owned());
    let has_absolute_times = values.flag(key::LOG_ALTERNATE_EPOCH);
    Logs {
        bandwidth: prefix(key::WRITE_BW_LOG),
        iops: prefix(key::WRITE_IOPS_LOG),
        latency: prefix(key::WRITE_LAT_LOG),
        histogram: prefix(key::WRITE_HIST_LOG),
        replayable: values.text(key::WRITE_IOLOG).map(str::to_owned),
        average_ms: values.unsigned(key::LOG_AVG_MSEC),
        window_value: match values.keyword(key::LOG_WINDOW_VALUE) {
            "max" => WindowValue::Maximum,
            "both" => WindowValue::Both,
            _ => WindowValue::Average,
        },
        histogram_ms: values.unsigned(key::LOG_HIST_MSEC),
        histogram_coarseness: values.unsigned(key::LOG_HIST_COARSENESS) as u32,
        with_offset: values.flag(key::LOG_OFFSET),
        with_prio: values.flag(key::LOG_PRIO),
        with_issue_time: values.flag(key::LOG_ISSUE_TIME),
        compressed: values.flag(key::LOG_STORE_COMPRESSED),
        per_job: values.flag(key::PER_JOB_LOGS),
        epoch_clock: has_absolute_times.then(|| values.number(key::LOG_ALTERNATE_EPOCH_CLOCK_ID) as i32),
    }
}
