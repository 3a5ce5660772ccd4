//! What was measured, kept: assessments and single runs in a database, with tags, found again by number.
//!
//! A run is one transaction: it is there as a whole or not at all, whenever the program is killed.

mod document;
mod entry;
pub mod export;
mod keep;
mod store;
mod summary;
mod tables;

pub use document::Document;
pub use entry::{Entry, Wanted};
pub use store::Store;
pub use summary::Summary;
