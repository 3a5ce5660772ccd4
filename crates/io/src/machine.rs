//! Parts of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::UntrustedText;

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

/// A limit of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryLimit {
    /// The machine's memory, or the limit of a control group.
    #[strum(to_string = "the memory of this machine or control group")]
    Memory,
    /// The limit of the address space (`ulimit -v`).
    #[strum(to_string = "the limit of the address space (ulimit -v)")]
    AddressSpace,
    /// The limit of private memory that can be written (`ulimit -d`).
    #[strum(to_string = "the data size limit (ulimit -d)")]
    Data,
}
