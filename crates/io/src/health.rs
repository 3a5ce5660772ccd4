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
    /// Format, features and power states of an NVMe disk. `None` without the permission to read them.
    pub nvme_setup: Option<NvmeSetup>,
    /// The health of a SATA or SCSI disk. `None` without the permission to read it.
    pub scsi: Option<ScsiHealth>,
}

impl DiskHealth {
    /// Returns the temperature by `hwmon`, or else by the log of the disk, in degrees Celsius.
    pub fn degrees(&self) -> Option<f64> {
        let by_log = || self.nvme.as_ref().map_or_else(|| self.scsi.as_ref()?.temperature_c, |log| log.temperature_c);
        self.temperature_c.or_else(|| by_log().map(f64::from))
    }

    /// Returns the used part of the endurance, in percent.
    pub fn used_percent(&self) -> Option<u8> {
        self.nvme.as_ref().map_or_else(|| self.scsi.as_ref()?.used_percent, |log| Some(log.used_percent))
    }

    /// Returns the number of media errors since manufacture.
    pub fn media_errors(&self) -> Option<u64> {
        self.nvme.as_ref().map_or_else(|| self.scsi.as_ref()?.uncorrectable_errors, |log| Some(log.media_errors))
    }

    /// Returns the bytes written since manufacture.
    pub fn written_bytes(&self) -> Option<u64> {
        self.nvme.as_ref().map_or_else(|| self.scsi.as_ref()?.written_bytes, |log| Some(log.written_bytes))
    }

    /// Whether the disk has a volatile write cache that is on. `None` if that is unknown.
    pub fn has_volatile_cache(&self) -> Option<bool> {
        match &self.nvme_setup {
            Some(setup) => match setup.volatile_write_cache {
                VolatileWriteCache::Absent | VolatileWriteCache::Off => Some(false),
                VolatileWriteCache::On => Some(true),
                VolatileWriteCache::Unknown => None,
            },
            None => self.write_cache.map(|cache| cache == WriteCache::WriteBack),
        }
    }
}

/// The kernel's view of a disk's write cache (`queue/write_cache`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteCache {
    /// Volatile: a completed write can be lost until the next flush.
    WriteBack,
    /// None, or protected against power loss. The kernel sends no flushes.
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
    pub warnings: Vec<DiskWarning>,
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

/// A warning of a disk: a bit of the critical warning of NVMe, from the lowest, or a predicted failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiskWarning {
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
    /// A SATA or SCSI disk predicts its failure.
    Failure,
}

/// Format, features and power states of an NVMe disk (NVM Express base specification 2.0, 5.17.2.1 and 5.27.1; NVM command set
/// specification 1.0, 4.1.5.1).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NvmeSetup {
    /// The volatile write cache of the controller.
    pub volatile_write_cache: VolatileWriteCache,
    /// Format of the blocks.
    pub format: LbaFormat,
    /// Size of the namespace.
    pub namespace_bytes: u64,
    /// Part of the namespace that is allocated.
    pub used_bytes: u64,
    /// Temperature from which the controller warns, in degrees Celsius.
    pub warning_temperature_c: Option<i32>,
    /// Temperature from which the controller throttles, with little effect (thermal management temperature 1).
    pub throttle_temperature_c: Option<i32>,
    /// Current power state. 0 has the highest power.
    pub power_state: Option<u8>,
    /// Non-operational power states that the controller enters by itself (APST).
    pub idle_states: Vec<IdleState>,
}

/// The volatile write cache of an NVMe controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolatileWriteCache {
    /// None, or protected against power loss.
    Absent,
    /// Disabled.
    Off,
    /// Enabled.
    On,
    /// Present. Its state cannot be read.
    Unknown,
}

/// The format of the blocks of a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LbaFormat {
    /// Data of a block, in bytes.
    pub data_bytes: u64,
    /// Metadata of a block, in bytes.
    pub metadata_bytes: u16,
    /// Relative performance among the formats of the controller.
    pub performance: FormatPerformance,
}

/// Relative performance of a format among those of the controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormatPerformance {
    Best,
    Better,
    Good,
    Degraded,
}

/// A power state that a controller enters after a time without I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IdleState {
    /// Number of the power state.
    pub state: u8,
    /// Time without I/O until the controller enters the state.
    pub after_ms: u32,
    /// Longest time to leave the state, in us: the next I/O waits for it.
    pub exit_us: u32,
}

/// The health of a SATA disk by SMART and device statistics, or of a SCSI disk by log pages. A fact that the disk does not report is
/// `None`. Counters are since manufacture.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScsiHealth {
    /// SMART status (SATA), or failure prediction of the informational exceptions (SCSI).
    pub predicts_failure: Option<bool>,
    /// In degrees Celsius.
    pub temperature_c: Option<i32>,
    /// Used part of the endurance of flash. It can exceed 100.
    pub used_percent: Option<u8>,
    pub read_bytes: Option<u64>,
    pub written_bytes: Option<u64>,
    pub power_on_hours: Option<u64>,
    /// Errors of the media that the disk could not correct.
    pub uncorrectable_errors: Option<u64>,
    /// Sectors that the disk replaced by spare ones.
    pub reallocated_sectors: Option<u64>,
    /// Sectors that could not be read and are not reallocated yet.
    pub pending_sectors: Option<u64>,
    /// Transfers with a wrong checksum between host and disk.
    pub interface_errors: Option<u64>,
}
