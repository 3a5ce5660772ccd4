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
