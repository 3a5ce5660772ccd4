//! Windows backends.

pub(crate) mod completion_port;
pub(crate) mod engines;
pub(crate) mod files;
pub(crate) mod mmap;
pub(crate) mod sync;
