//! The thread that does the work, and the commands around it.

use io::NumaMemory;
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
    /// Name of the thread. `None`: the name of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// User of the thread. `None`: the user of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
    /// Group of the thread. `None`: the group of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_group: Option<ControlGroup>,
    /// Clock of the start time that reports show. `None`: Unix time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_clock: Option<i32>,
    /// Commands run by the shell before and after.
    pub exec_prerun: Option<String>,
    pub exec_postrun: Option<String>,
}

/// The control group for block I/O that a thread runs in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ControlGroup {
    /// Path below the mount of the controller. It is created unless it exists.
    pub name: String,
    /// Weight of the group. 0: unchanged.
    pub weight: u32,
    /// A created group is kept after the run.
    pub keep: bool,
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
