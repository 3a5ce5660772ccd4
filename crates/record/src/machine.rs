//! The machine that a run was on.

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub hostname: String,
    pub kernel: String,
    pub processor: String,
    /// What its maker calls it, the maker's name first: on a cloud's machine that tells which cloud, and on some which size.
    #[serde(default)]
    pub model: String,
    pub memory_bytes: u64,
    pub page_bytes: u64,
    /// What decides the processors' frequencies, by name; none where nothing does.
    pub governors: Vec<String>,
    pub cpus: Vec<Cpu>,
}

/// One processor that is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cpu {
    pub id: u32,
    pub socket: u32,
    pub node: u32,
    /// The physical core, counted over the machine.
    pub core: u32,
    /// 0 on machines of one kind of core; else higher is faster.
    pub efficiency_class: u8,
}
