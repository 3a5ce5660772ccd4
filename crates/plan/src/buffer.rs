//! I/O buffers and their data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Buffers {
    pub memory: Memory,
    pub align_bytes: u64,
    pub hugepage_bytes: u64,
    pub content: Content,
    /// Changes part of the buffer on each write, so that no two writes have the same data.
    pub scramble: bool,
    /// Refills the buffer on each write.
    pub refill: bool,
    /// Compressible share of each chunk, in percent.
    pub compress_percent: Option<u32>,
    pub compress_chunk_bytes: u64,
    pub dedupe: Option<Dedupe>,
}

impl Default for Buffers {
    fn default() -> Self {
        Buffers {
            memory: Memory::default(),
            align_bytes: 0,
            hugepage_bytes: 2 << 20,
            content: Content::default(),
            scramble: true,
            refill: false,
            compress_percent: None,
            compress_chunk_bytes: 512,
            dedupe: None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    #[default]
    Malloc,
    Shm,
    ShmHuge,
    Mmap {
        file: Option<String>,
    },
    MmapShared {
        file: Option<String>,
    },
    MmapHuge {
        file: Option<String>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    #[default]
    Random,
    Zero,
    /// Repeated over the buffer.
    Pattern(Vec<PatternPart>),
    /// Read from the start of a file.
    PatternFile(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternPart {
    Bytes(Vec<u8>),
    /// The offset of the I/O, as eight bytes in the machine's order.
    Offset,
}

impl Memory {
    /// Returns the file that is mapped.
    pub fn file(&self) -> Option<&str> {
        match self {
            Memory::Malloc | Memory::Shm | Memory::ShmHuge => None,
            Memory::Mmap { file } | Memory::MmapShared { file } | Memory::MmapHuge { file } => file.as_deref(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Dedupe {
    pub percent: u32,
    pub mode: DedupeMode,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DedupeMode {
    /// Repeats the previous buffer.
    Repeat,
    /// Duplicates are from a working set of `percent` of the job's size.
    WorkingSet { percent: u32, global: bool },
}
