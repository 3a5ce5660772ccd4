//! The cases, by kind of fault.

pub mod attacks;
pub mod conditions;
pub mod files;
pub mod interruptions;
pub mod outputs;
pub mod removals;
