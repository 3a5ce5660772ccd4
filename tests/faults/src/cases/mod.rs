//! The cases.

pub mod files;
