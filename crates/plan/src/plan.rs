//! A whole run.

use serde::{Deserialize, Serialize};

use crate::origin::Origin;
use crate::worker::Worker;

/// A run: workers in order of definition. Workers of a phase start together, and phases run one after another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    pub workers: Vec<Worker>,
    /// The options that all jobs share, as typed: fio's "global options".
    pub global_options: Vec<(String, String)>,
    /// No job may write or trim.
    pub readonly: bool,
    /// Stem of the logs of the whole run's bandwidth (`--bandwidth-log`).
    pub aggregate_bandwidth_log: Option<String>,
    /// Whether CPU idleness is measured during the run.
    pub idle_profile: IdleProfile,
    pub origin: Origin,
}

/// Which CPU idleness a run measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleProfile {
    #[default]
    Off,
    System,
    PerCpu,
}
