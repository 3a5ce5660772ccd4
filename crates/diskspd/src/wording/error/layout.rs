//! Errors of the layout of a job's files.

use record::{LayoutError, RunError};

pub(super) fn layout(layout: &LayoutError, error: &RunError) -> String {
    match layout {
        LayoutError::NoSize { .. } => "the size is missing".to_owned(),
        LayoutError::ReadOnly => "no file is extended in this run".to_owned(),
        LayoutError::SizeBelowBlock { size_bytes: bytes, block_bytes }
        | LayoutError::RangeBelowBlock { range_bytes: bytes, block_bytes, .. } => {
            format!("a block of {block_bytes} bytes does not fit into {bytes} bytes")
        }
        LayoutError::BlockLifetimes { targets, blocks, blocks_max, .. } => {
            format!(
                "blocks are counted for one target with at most {blocks_max} of them, not for {targets} with {blocks}"
            )
        }
        LayoutError::OffsetBeyondEnd { offset_bytes, target_bytes, .. } => {
            format!("the target has {target_bytes} bytes: offset {offset_bytes} is beyond its end")
        }
        LayoutError::Ended { job } => format!("{job}: laying out its files ended early"),
        LayoutError::PreRead { path, .. }
        | LayoutError::CreateDirectory { path }
        | LayoutError::Open { path }
        | LayoutError::Call { path, .. }
        | LayoutError::NoDirectIo { path }
        | LayoutError::ListDirectory { path }
        | LayoutError::Unlink { path } => format!("{path}: {}", error.reason()),
    }
}
