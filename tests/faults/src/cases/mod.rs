//! The cases.

pub mod attacks;
pub mod files;
pub mod interruptions;
