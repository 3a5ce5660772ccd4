//! The machine of a run.

use io::{Cloud, Cpu};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

/// The machine of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    pub hostname: UntrustedText,
    pub kernel: UntrustedText,
    pub cpu_model: UntrustedText,
    /// Vendor and product name from the firmware. In a cloud they name the provider, and often the machine type.
    #[serde(default)]
    pub model: UntrustedText,
    /// The memory, or the limit of the control group if it is smaller. `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    pub page_bytes: u64,
    /// Names of the CPU frequency governors. Empty without frequency scaling.
    pub governors: Vec<UntrustedText>,
    pub cpus: Vec<Cpu>,
    /// The cloud instance, if files on the machine describe it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud: Option<Cloud>,
}
