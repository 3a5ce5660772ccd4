//! A whole run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::origin::Origin;
use crate::worker::Worker;

/// A run: workers in order of definition. Workers of a phase start together, and phases run one after another.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
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

impl Plan {
    /// Returns the part that the engine uses: the plan without the text that it was made from.
    pub fn without_text(&self) -> Plan {
        let mut plan = Plan { global_options: Vec::new(), origin: Origin::default(), ..self.clone() };
        plan.workers.iter_mut().for_each(|worker| worker.echo = Arc::default());
        plan
    }
}

/// Which CPU idleness a run measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleProfile {
    #[default]
    Off,
    System,
    PerCpu,
}
