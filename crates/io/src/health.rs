//! What a disk reports about its own state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// The state of a disk at one time. A fact that the disk does not report is empty or `None`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiskHealth {
    pub model: UntrustedText,
    pub firmware: UntrustedText,
    pub write_cache: Option<WriteCache>,
    /// Temperature by `hwmon`, in degrees Celsius.
    pub temperature_c: Option<f64>,
    /// The link of the PCI device that the disk is on.
    pub link: Option<PcieLink>,
    /// The SMART / health log of an NVMe controller. `None` without the permission to read it.
    pub nvme: Option<NvmeHealth>,
}

/// The kernel's view of a disk's write cache (`queue/write_cache`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteCache {
    /// Volatile: a completed write can be lost until the next flush.
    WriteBack,
    /// None, or protected against power loss.
    WriteThrough,
}

/// Speed and width of a PCIe link, and the maximum of the device.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PcieLink {
    /// Transfer rate of a lane, in GT/s.
    pub gt_per_s: f64,
    pub max_gt_per_s: f64,
    pub lanes: u32,
    pub max_lanes: u32,
}

/// The SMART / health information log (NVM Express base specification 2.0, 5.16.1.3). Counters are since manufacture.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct NvmeHealth {
    pub warnings: Vec<NvmeWarning>,
    /// Composite temperature, in degrees Celsius.
    /// `None` if the controller reports none.
    pub temperature_c: Option<i32>,
    /// Available spare, in percent of the initial one.
    pub spare_percent: u8,
    pub spare_threshold_percent: u8,
    /// Estimate of the used part of the endurance. It can exceed 100.
    pub used_percent: u8,
    /// Bytes that the host read, a multiple of 512,000: the log counts in data units of this size.
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub power_cycles: u64,
    pub power_on_hours: u64,
    pub unsafe_shutdowns: u64,
    pub media_errors: u64,
    pub error_log_entries: u64,
    /// Time at or above the warning temperature, in minutes.
    pub warning_temperature_minutes: u32,
    /// Time at or above the critical temperature, in minutes.
    pub critical_temperature_minutes: u32,
    /// Throttling with little effect on performance (thermal management temperature 1).
    pub light_throttle: Throttle,
    /// Throttling regardless of the effect on performance (thermal management temperature 2).
    pub heavy_throttle: Throttle,
}

/// Thermal throttling of a controller: number of transitions into the throttled state, and time in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Throttle {
    pub transitions: u32,
    pub seconds: u32,
}

/// The bits of the critical warning, from the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NvmeWarning {
    /// The available spare is below its threshold.
    Spare,
    /// The temperature is beyond a threshold.
    Temperature,
    /// Media or internal errors degrade the reliability.
    Reliability,
    /// The media is read only.
    ReadOnly,
    /// The backup of the volatile memory failed.
    VolatileMemoryBackup,
    /// The persistent memory region is read only or unreliable.
    PersistentMemoryRegion,
}
