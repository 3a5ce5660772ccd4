//! The thread that does the work, and the commands around it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    pub nice: i32,
    pub ioprio: Option<IoPrio>,
    /// CPUs the worker may run on; empty is all.
    pub cpus: Vec<u32>,
    /// NUMA nodes it may run on; empty is all.
    pub numa_cpu_nodes: Vec<u32>,
    pub numa_memory: Option<NumaMemory>,
    /// Memory locked by the worker.
    pub lock_memory_bytes: u64,
    /// Commands run by the shell before and after.
    pub exec_prerun: Option<String>,
    pub exec_postrun: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct IoPrio {
    pub class: u8,
    pub level: u8,
    pub hint: u16,
}

impl IoPrio {
    /// Parses the kernel's encoding.
    pub fn of_word(word: u16) -> Self {
        IoPrio { class: (word >> 13) as u8, level: (word & 7) as u8, hint: (word >> 3) & 0x3ff }
    }

    /// Returns the kernel's encoding.
    pub fn word(self) -> u16 {
        (u16::from(self.class) << 13) | ((self.hint & 0x3ff) << 3) | u16::from(self.level & 7)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumaMemory {
    Default,
    Local,
    Prefer(u32),
    Bind(Vec<u32>),
    Interleave(Vec<u32>),
}
