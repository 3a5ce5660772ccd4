//! The I/Os of DiskSpd's threads: which target, where, read or write, what is written, and when it may go.
//!
//! A [`Source`] owns all this for one worker and draws from one generator, in DiskSpd's order: the target (where a queue
//! has several), the offset, the direction, the content. Equal seeds thus give DiskSpd's own sequences. After [`Source::new`]
//! nothing is allocated and no lock is taken.

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
pub use error::{Fault, SourceError};
pub(crate) use slots::{slot_bytes, write_at};
pub use source::{Source, Step};
