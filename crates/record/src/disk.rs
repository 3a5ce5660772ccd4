//! Counters of the disks under the targets.

use io::{DiskCounters, DiskHealth};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// The counters of a disk over the run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiskUse {
    pub name: UntrustedText,
    pub counters: DiskCounters,
    /// Time between the two readings, in ms.
    pub elapsed_ms: u64,
    /// Disks that this one consists of.
    pub slaves: Vec<DiskUse>,
    /// `None` if the disk reports nothing about itself.
    #[serde(default)]
    pub health: Option<HealthChange>,
}

/// The state of a disk before and after the run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct HealthChange {
    /// Before files are laid out.
    pub before: DiskHealth,
    /// `None` if the disk did not answer in time.
    pub after: Option<DiskHealth>,
}

impl HealthChange {
    /// Returns the last known state.
    pub fn last(&self) -> &DiskHealth {
        self.after.as_ref().unwrap_or(&self.before)
    }

    /// Returns a counter before and after the run, if both are known.
    pub fn counter<T>(&self, of: impl Fn(&DiskHealth) -> Option<T>) -> Option<(T, T)> {
        of(&self.before).zip(self.after.as_ref().and_then(of))
    }
}

impl DiskUse {
    /// Returns the time in which the disk was busy, in percent.
    pub fn utilisation_percent(&self) -> f64 {
        if self.elapsed_ms == 0 {
            return 0.0;
        }
        (self.counters.io_ticks_ms as f64 * 100.0 / self.elapsed_ms as f64).min(100.0)
    }
}
