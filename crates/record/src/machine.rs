//! The machine of a run.

use serde::{Deserialize, Serialize};

/// The machine of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub hostname: String,
    pub kernel: String,
    #[serde(alias = "processor")]
    pub cpu_model: String,
    /// Vendor and product name from the firmware. In a cloud they name the provider, and often the machine type.
    #[serde(default)]
    pub model: String,
    /// The memory, or the limit of the control group if it is smaller.
    pub memory_bytes: u64,
    pub page_bytes: u64,
    /// Names of the CPU frequency governors. Empty without frequency scaling.
    pub governors: Vec<String>,
    pub cpus: Vec<Cpu>,
}

/// A logical CPU that is online.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cpu {
    pub id: u32,
    pub socket: u32,
    pub node: u32,
    /// The physical core, numbered over the whole machine.
    pub core: u32,
    /// 0 if all cores are of one kind. Else a higher class is faster.
    pub efficiency_class: u8,
}
