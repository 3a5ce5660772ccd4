//! Why a worker's streams can't run on the targets there are.

use std::fmt;

/// What is wrong with one stream, and with which target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceError {
    pub path: String,
    pub fault: Fault,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    NoBlock,
    NoStride,
    /// The part that is used begins at its own end or after it.
    BaseBeyondEnd {
        base_bytes: u64,
        end_bytes: u64,
        target_bytes: u64,
    },
    BlockTooLarge {
        block_bytes: u32,
        part_bytes: u64,
        target_bytes: u64,
    },
    StartBeyondEnd {
        start_bytes: u64,
        block_bytes: u32,
        part_bytes: u64,
        target_bytes: u64,
    },
    /// No range of the distribution lies within the part that is used.
    SpreadOutside {
        part_bytes: u64,
    },
    /// The shares of a distribution, of the I/O or of the target, are not a hundred percent.
    SpreadShares,
    NoRate,
    /// Only I/Os that are bound to a target can do this.
    NeedsItsOwnQueue {
        what: &'static str,
    },
    NoWeight,
    SourceTooSmall {
        source_bytes: u64,
        block_bytes: u32,
    },
    /// The data of writes is missing.
    NoSource,
}

impl std::error::Error for SourceError {}

impl fmt::Display for SourceError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: ", self.path)?;
        match &self.fault {
            Fault::NoBlock => write!(to, "blocks of 0 bytes; say how large they are"),
            Fault::NoStride => write!(to, "a stride of 0 bytes never gets on; give one of at least a byte"),
            Fault::BaseBeyondEnd { target_bytes: 0, .. } => {
                write!(to, "the target is empty; -c<size> makes it anew with so many bytes")
            }
            Fault::BaseBeyondEnd { base_bytes, end_bytes, target_bytes } => write!(
                to,
                "the part to use begins at {base_bytes} bytes, but {}; begin lower, or use a larger target",
                end_of(*end_bytes, *target_bytes)
            ),
            Fault::BlockTooLarge { block_bytes, part_bytes, target_bytes } => write!(
                to,
                "a block of {block_bytes} bytes doesn't fit into the {part_bytes} bytes that are used of its \
                 {target_bytes}; use smaller blocks or a larger target"
            ),
            Fault::StartBeyondEnd { start_bytes, block_bytes, part_bytes, target_bytes } => write!(
                to,
                "this thread begins {start_bytes} bytes into the part that is used, where a block of {block_bytes} \
                 bytes would pass its end at {part_bytes} (the target has {target_bytes}); use fewer threads, a \
                 smaller distance between them, or a larger target"
            ),
            Fault::SpreadOutside { part_bytes } => write!(
                to,
                "every range of the distribution that gets I/O lies beyond the {part_bytes} bytes that are used; \
                 begin lower, or use a larger target"
            ),
            Fault::SpreadShares => write!(to, "the shares of the distribution don't add up to 100 percent"),
            Fault::NoRate => write!(to, "a rate of nothing; give one above 0"),
            Fault::NeedsItsOwnQueue { what } => {
                write!(to, "{what} needs I/Os of the target's own; give it outstanding I/Os for each target")
            }
            Fault::NoWeight => write!(to, "targets without any weight can't be chosen; give one of them a weight"),
            Fault::SourceTooSmall { source_bytes, block_bytes } => write!(
                to,
                "a write source of {source_bytes} bytes has no block of {block_bytes} in it; give it at least a block"
            ),
            Fault::NoSource => write!(to, "there is no data that writes could be taken from"),
        }
    }
}

fn end_of(end_bytes: u64, target_bytes: u64) -> String {
    if end_bytes < target_bytes {
        format!("ends at {end_bytes}")
    } else {
        format!("the target has only {target_bytes}")
    }
}
