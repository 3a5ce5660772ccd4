//! Linux backends.

#[cfg(test)]
pub(crate) mod block_tests;
pub(crate) mod e4defrag;
pub(crate) mod engines;
pub(crate) mod files;
pub(crate) mod libaio;
pub(crate) mod mmap;
pub(crate) mod mtd;
pub(crate) mod net;
pub(crate) mod page_fault;
pub(crate) mod passthrough;
mod pipe;
pub(crate) mod pmem;
pub(crate) mod posixaio;
mod registered_ring;
pub(crate) mod resize;
mod ring;
pub(crate) mod run;
pub(crate) mod sg;
pub(crate) mod splice;
pub(crate) mod sync;
#[cfg(test)]
mod tests;
pub(crate) mod uring;
pub(crate) mod vsync;
