//! The machine of a run.

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

/// A cloud instance. Facts that the files on the machine do not have are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cloud {
    /// Such as `aws`, `azure`, `gcp`.
    pub provider: UntrustedText,
    /// Such as `m5.xlarge`.
    pub instance_type: UntrustedText,
    pub region: UntrustedText,
    pub zone: UntrustedText,
}

/// A logical CPU that is online.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    pub id: u32,
    pub socket: u32,
    pub node: u32,
    /// The physical core, numbered over the whole machine.
    pub core: u32,
    /// 0 if all cores are of one kind. Else a higher class is faster.
    pub efficiency_class: u8,
}
