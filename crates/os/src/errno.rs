//! errno values by name, for all other crates.

pub use crate::system::errno::{error, of};
pub use units::errno::*;
