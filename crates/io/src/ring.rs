//! Settings of io_uring.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct IoUring {
    pub hipri: bool,
    pub sqthread_poll: bool,
    pub sqthread_poll_cpu: Option<u32>,
    /// Registered buffers and files; `None`: the engine decides.
    pub fixed_buffers: Option<bool>,
    pub register_files: Option<bool>,
    pub nonvectored: bool,
    /// Each n-th request is punted to a kernel worker; 0 is none.
    pub force_async_every: u32,
    pub nowait: bool,
    pub uncached: bool,
}
