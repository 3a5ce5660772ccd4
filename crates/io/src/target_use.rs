//! Uses of a target by the machine.

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::untrusted::{UntrustedText, joined};

/// A use of a target or of another file by the machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TargetUse {
    /// What is used: the target, a partition of it, the disk that it is a partition of, the file or device
    /// below it, or the same disk by another path.
    pub device: UntrustedText,
    pub relation: UsedDevice,
    pub kind: UseKind,
}

/// What the used device is to the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsedDevice {
    Target,
    Partition,
    WholeDisk,
    /// The target is a loop device over it.
    BackingFile,
    /// The same disk by another path, such as a second port: the kernel has a block device for each path.
    OtherPath,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseKind {
    Mounted {
        at: UntrustedText,
    },
    Swap,
    /// Another device lies on it, with the uses `then`.
    Stacked {
        device: UntrustedText,
        then: Vec<UntrustedText>,
    },
    /// Its signature shows that it is a member of a set of devices.
    Member {
        of: UntrustedText,
    },
    /// Opened exclusively. `by` are programs that have it open, if they are known.
    Exclusive {
        by: Vec<UntrustedText>,
    },
    /// Other programs, `by`, have it open. No program can open such a device exclusively.
    Open {
        by: Vec<UntrustedText>,
    },
}

impl fmt::Display for UseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UseKind::Mounted { at } => write!(f, "mounted on {at}"),
            UseKind::Swap => f.write_str("in use as swap"),
            UseKind::Stacked { device, then } if then.is_empty() => write!(f, "in use by {device}"),
            UseKind::Stacked { device, then } => write!(f, "in use by {device}, which is {}", joined(then, " and ")),
            UseKind::Member { of } => write!(f, "{of}, by its signature"),
            UseKind::Exclusive { by } if by.is_empty() => {
                f.write_str("opened exclusively by another program or driver")
            }
            UseKind::Exclusive { by } => write!(f, "opened exclusively; open in {}", joined(by, ", ")),
            UseKind::Open { by } => write!(f, "open in {}", joined(by, ", ")),
        }
    }
}

/// Formats the use without the target's name.
impl fmt::Display for TargetUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        match self.relation {
            UsedDevice::Target => Ok(()),
            UsedDevice::Partition => write!(f, " (partition {})", self.device),
            UsedDevice::WholeDisk => write!(f, " (whole disk {})", self.device),
            UsedDevice::BackingFile => write!(f, " (backing file {})", self.device),
            UsedDevice::OtherPath => write!(f, " (the same disk by another path, {})", self.device),
        }
    }
}

impl TargetUse {
    pub fn new(device: &Path, relation: UsedDevice, kind: UseKind) -> TargetUse {
        TargetUse { device: device.into(), relation, kind }
    }

    /// Returns how to end the use.
    pub fn release(&self) -> String {
        match &self.kind {
            UseKind::Mounted { at } => format!("umount {at} first"),
            UseKind::Swap => "swapoff first".to_owned(),
            UseKind::Stacked { .. } => "stop the devices above it first".to_owned(),
            UseKind::Member { .. } => "if it is no longer used, remove the signature with wipefs".to_owned(),
            UseKind::Open { .. } => "stop the program that uses it first".to_owned(),
            UseKind::Exclusive { .. } => "stop the program or driver that uses it first".to_owned(),
        }
    }
}
