//! Memory: regions of buffers, limits.

pub(crate) mod limits;
mod region;

pub use region::page_size;
pub(crate) use region::{Region, c_path};
