//! Streams that cannot run on their targets.

use record::{BoundFeature, StreamFault};

pub(super) fn stream_fault(fault: &StreamFault) -> String {
    match fault {
        StreamFault::NoBlock => "the block size is 0 bytes; use a block size of at least 1 byte".to_owned(),
        StreamFault::NoStride => "the stride is 0 bytes; use a stride of at least 1 byte".to_owned(),
        StreamFault::BaseBeyondEnd { target_bytes: 0, .. } => {
            "the target is empty; -c<size> creates it with that size".to_owned()
        }
        StreamFault::BaseBeyondEnd { base_bytes, end_bytes, target_bytes } => {
            let end = if end_bytes < target_bytes {
                format!("ends at {end_bytes}")
            } else {
                format!("the target has only {target_bytes}")
            };
            format!("the part to use begins at {base_bytes} bytes, but {end}; begin lower, or use a larger target")
        }
        StreamFault::BlockTooLarge { block_bytes, part_bytes, target_bytes } => format!(
            "a block of {block_bytes} bytes doesn't fit into the {part_bytes} bytes that are used of its \
             {target_bytes}; use smaller blocks or a larger target"
        ),
        StreamFault::StartBeyondEnd { start_bytes, block_bytes, part_bytes, target_bytes } => format!(
            "this thread begins {start_bytes} bytes into the part that is used, where a block of {block_bytes} bytes \
             would pass its end at {part_bytes} (the target has {target_bytes}); use fewer threads, a smaller \
             distance between them, or a larger target"
        ),
        StreamFault::DistributionOutside { part_bytes } => format!(
            "every range of the distribution that gets I/O lies beyond the {part_bytes} bytes that are used; begin \
             lower, or use a larger target"
        ),
        StreamFault::DistributionShares => "the shares of the distribution don't add up to 100 percent".to_owned(),
        StreamFault::NoRate => "a rate of nothing; give one above 0".to_owned(),
        StreamFault::NeedsOwnQueue { feature } => {
            let what = match feature {
                BoundFeature::ParallelOffsets => "a pointer for each outstanding I/O",
                BoundFeature::RateOrBurst => "a rate or a burst",
            };
            format!("{what} needs outstanding I/Os per target: use -o")
        }
        StreamFault::NoWeight => "targets without any weight can't be chosen; give one of them a weight".to_owned(),
        StreamFault::SourceTooSmall { source_bytes, block_bytes } => format!(
            "a write source of {source_bytes} bytes is smaller than the block size of {block_bytes} bytes; use a larger source"
        ),
        StreamFault::NoSource => "the write source is missing".to_owned(),
    }
}
