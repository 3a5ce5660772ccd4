//! Memory: regions of buffers, limits.

pub(crate) mod limits;
mod mapping;
mod region;
mod watch;

pub(crate) use mapping::MemoryMap;
pub(crate) use region::Region;
pub use region::page_size;
pub(crate) use watch::Watch;
