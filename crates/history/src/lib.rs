//! The history: assessments and single runs in a database, with numbers and tags.
//!
//! A run is added in one transaction. A program that is killed leaves a whole run or none.
//!
//! It must not depend on a command line, or save a partial run. Start with `store.rs`, then `tables.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod document;
mod entry;
mod error;
pub mod export;
mod keep;
mod key_figures;
mod store;
mod summary;
mod tables;
mod turn;

pub use document::Document;
pub use entry::{Entry, EntryDevice, RunFilter, TargetFilter};
pub use error::HistoryError;
pub use key_figures::KeyFigure;
pub use store::Store;
pub use summary::Summary;
