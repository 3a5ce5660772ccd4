//! The I/Os of DiskSpd's threads: target, offset, direction, content and earliest start.
//!
//! A [`Source`] makes the I/Os of one worker. It draws from one generator in DiskSpd's order: the target (if a queue
//! has several), the offset, the direction, the content. Equal seeds give the same sequences as DiskSpd. After
//! [`Source::new`] nothing is allocated and no lock is taken.

mod content;
mod error;
mod offsets;
mod pace;
mod remainder;
mod slots;
mod source;
mod spread;
#[cfg(test)]
mod tests;

pub use content::{SourceData, SourceMaker};
pub use error::SourceError;
pub(crate) use slots::{slot_bytes, write_at};
pub use source::{Source, Step};
