//! Errors of the layout of a job's files.

use record::{LayoutError, RunError};
use units::errno;

use super::call::layout_call;

pub(super) fn layout(layout: &LayoutError, error: &RunError) -> String {
    match layout {
        LayoutError::PreRead { path, .. } => format!("cannot pre-read {path}: {}", error.reason()),
        LayoutError::CreateDirectory { path } => format!("failed to create dir ({path}): {}", error.reason()),
        LayoutError::ReadOnly => "refusing extend of file due to read-only (lay the files out with a run without \
                                      --readonly first, or use files that are large enough)"
            .to_owned(),
        LayoutError::Open { path } => format!("open of {path} failed: {}", error.reason()),
        LayoutError::Call { path, call } => match error.errno {
            errno::ENOSPC | errno::EDQUOT => format!(
                "{} on laying out file, stopping ({path} does not fit, and its partial data was removed: use a \
                 smaller size=, or free some space)",
                errno::name(error.errno).unwrap_or_default()
            ),
            _ => format!("{} of {path} failed: {}", layout_call(*call), error.reason()),
        },
        LayoutError::NoDirectIo { .. } => "looks like your file system does not support direct=1/buffered=0 (use \
                                         direct=0, or a file on a file system that has direct I/O)"
            .to_owned(),
        LayoutError::ListDirectory { path } => {
            format!("opendir({path}): {} (opendir= requires a readable directory)", error.reason())
        }
        LayoutError::NoSize { job } => format!(
            "{job}: you need to specify size= (the targets are empty or do not exist: without size= the amount of I/O \
             is undefined)"
        ),
        LayoutError::SizeBelowBlock { size_bytes, block_bytes } => format!(
            "size too small, must not be less than minimum block size: {size_bytes} < {block_bytes} (make size= \
             larger or bs= smaller)"
        ),
        LayoutError::RangeBelowBlock { job, range_bytes, block_bytes } => format!(
            "blocksize is larger than data set range (the I/O region of {job} has {range_bytes} bytes, a block has \
             {block_bytes}: see size=, offset= and bs=)"
        ),
        LayoutError::BlockLifetimes { job, targets, .. } if *targets != 1 => format!(
            "{job}: block error histogram only available with a single file per job, but {targets} files provided (leave \
             block_error_percentiles out)"
        ),
        LayoutError::BlockLifetimes { job, blocks, blocks_max, .. } => {
            let sizes =
                if *blocks == 0 { "a larger size=, or smaller trims" } else { "a smaller size=, or larger trims" };
            format!(
                "{job}: cannot calculate block histogram with {blocks} trim blocks, maximum {blocks_max} (use {sizes})"
            )
        }
        LayoutError::OffsetBeyondEnd { job, offset_bytes, target_bytes } => format!(
            "{job}: you need to specify valid offset= (it starts at byte {offset_bytes} of a target of {target_bytes} \
             bytes)"
        ),
        LayoutError::Unlink { path } => format!("failed to unlink file {path}: {}", error.reason()),
        LayoutError::Ended { job } => format!("{job}: laying out its files ended early"),
    }
}
