//! The measurements of a worker: latencies, samples and logs.

use io::ClockSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    pub slat: bool,
    pub clat: bool,
    pub lat: bool,
    /// Each I/O has a line in a log of bandwidth. Samples over windows are taken in any case.
    pub bandwidth: bool,
    /// The worker is not part of the reports (`stats=0`).
    pub stats: bool,
    pub slat_percentiles: bool,
    pub clat_percentiles: bool,
    pub lat_percentiles: bool,
    pub percentiles: Vec<f64>,
    pub significant_figures: u32,
    pub unified: Unified,
    pub clock: ClockSource,
    /// Windows for the samples of bandwidth and IOPS.
    pub bandwidth_sample_ms: u64,
    pub iops_sample_ms: u64,
    pub disk_util: bool,
    /// Trims and errors are counted for each block of the target. A block has the size of a trim.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub block_lifetimes: bool,
    pub logs: Logs,
    /// Bandwidths in bits (`unit_base=1`), and the base of their prefixes.
    pub bits: bool,
    pub kb_base: u32,
}

impl Default for Measure {
    fn default() -> Self {
        let percentiles =
            [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
        Measure {
            slat: true,
            clat: true,
            lat: true,
            bandwidth: true,
            stats: true,
            slat_percentiles: false,
            clat_percentiles: true,
            lat_percentiles: false,
            percentiles: percentiles.into(),
            significant_figures: 4,
            unified: Unified::default(),
            clock: ClockSource::default(),
            bandwidth_sample_ms: 500,
            iops_sample_ms: 500,
            disk_util: true,
            block_lifetimes: false,
            logs: Logs::default(),
            bits: false,
            kb_base: 1024,
        }
    }
}

/// Directions in reports: separate, merged, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unified {
    #[default]
    Apart,
    Mixed,
    Both,
}

/// Log files, each by the stem of its name (`NAME` in `NAME_bw.1.log`).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Logs {
    pub bandwidth: Option<String>,
    pub iops: Option<String>,
    /// slat, clat and lat.
    pub latency: Option<String>,
    pub histogram: Option<String>,
    /// Path of a log of all I/Os that can be replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayable: Option<String>,
    /// Length of the averaging window; 0 logs each I/O.
    pub average_ms: u64,
    pub window_value: WindowValue,
    pub histogram_ms: u64,
    pub histogram_coarseness: u32,
    pub with_offset: bool,
    pub with_prio: bool,
    pub with_issue_time: bool,
    /// Logs are stored as compressed samples, except histograms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compressed: bool,
    /// One file per worker instead of one per job.
    pub per_job: bool,
    /// Times are of the system's clock, not since the start of the worker: the id of the clock.
    pub epoch_clock: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowValue {
    #[default]
    Average,
    Maximum,
    Both,
}
