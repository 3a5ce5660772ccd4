//! The Linux back ends.

pub(crate) mod libaio;

pub(crate) mod run;
pub(crate) mod sync;
pub(crate) mod uring;
pub(crate) mod vsync;
