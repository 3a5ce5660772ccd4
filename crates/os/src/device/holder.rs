//! Holders: what uses a device or file, and so forbids writing to it.

use std::fmt;
use std::path::PathBuf;

use units::untrusted::{UntrustedText, joined};

/// One use of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    /// The used device or file: the device in question, a partition of it, the disk that contains it, or what is below it.
    pub device: PathBuf,
    pub relation: Relation,
    pub used: Use,
}

/// Relation of the used device to the device in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Itself,
    Partition,
    WholeDisk,
    /// The target is a loop device over it.
    BackingFile,
}

/// A kind of use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    Mounted {
        at: PathBuf,
    },
    Swap,
    /// Another device is stacked on it. `then` describes the uses of that device.
    Stacked {
        device: UntrustedText,
        then: Vec<UntrustedText>,
    },
    /// Its on-disk signature shows a membership.
    Member {
        of: &'static str,
    },
    /// Another program has opened it exclusively. `by` lists the programs that have it open, as far as visible.
    Exclusive {
        by: Vec<UntrustedText>,
    },
    /// Other programs have it open or mapped. Only root sees the programs of other users. The kernel has no exclusive
    /// open for such a device.
    Open {
        by: Vec<UntrustedText>,
    },
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Use::Mounted { at } => write!(f, "mounted on {}", UntrustedText::from(at)),
            Use::Swap => f.write_str("in use as swap"),
            Use::Stacked { device, then } if then.is_empty() => write!(f, "in use by {device}"),
            Use::Stacked { device, then } => write!(f, "in use by {device}, which is {}", joined(then, " and ")),
            Use::Member { of } => write!(f, "{of}, by its signature"),
            Use::Exclusive { by } if by.is_empty() => f.write_str("opened exclusively by another program or driver"),
            Use::Exclusive { by } => write!(f, "opened exclusively; open in {}", joined(by, ", ")),
            Use::Open { by } => write!(f, "open in {}", joined(by, ", ")),
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = UntrustedText::from(&self.device);
        match self.relation {
            Relation::Itself => write!(f, "{}", self.used),
            Relation::Partition => write!(f, "{} (partition {device})", self.used),
            Relation::WholeDisk => write!(f, "{} (whole disk {device})", self.used),
            Relation::BackingFile => write!(f, "{} (backing file {device})", self.used),
        }
    }
}
