//! Whose I/Os are in a capture of a process or control group.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who submitted an I/O.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The process or control group. In a capture of all I/Os, any thread.
    Selected,
    /// Another program.
    Program,
    /// A thread of the kernel, such as one that writes the page cache back.
    Kernel,
}

/// I/Os of the disk that are not in a capture of a process or control group.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Debug)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// I/Os of other programs.
    pub programs: u64,
    /// I/Os of threads of the kernel: writeback of the page cache, and journals of file systems. Some may be for the process or
    /// control group.
    pub kernel: u64,
}
