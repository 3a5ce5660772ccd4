//! The cases.

pub mod files;
pub mod interruptions;
