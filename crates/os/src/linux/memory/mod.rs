//! Memory: regions of buffers, limits.

pub(crate) mod limits;
mod region;

pub(crate) use region::Region;
pub use region::page_size;
