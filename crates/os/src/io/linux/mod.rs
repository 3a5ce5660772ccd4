//! Linux backends.

mod bus_error;
pub(crate) mod libaio;
pub(crate) mod mmap;
pub(crate) mod posixaio;
pub(crate) mod resize;
pub(crate) mod run;
pub(crate) mod sync;
pub(crate) mod uring;
pub(crate) mod vsync;
