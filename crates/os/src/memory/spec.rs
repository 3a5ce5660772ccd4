//! Memory of the buffers, by the values of fio's `mem`.

use std::path::PathBuf;

/// Kinds of memory, by fio's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryKind {
    #[default]
    Malloc,
    /// System V shared memory.
    Shm,
    /// System V shared memory of huge pages.
    ShmHuge,
    /// A private mapping, anonymous or of a file.
    Mmap,
    /// A shared mapping of a file (private and anonymous without one, as in fio).
    MmapShared,
    /// A mapping of huge pages, anonymous or of a file on hugetlbfs.
    MmapHuge,
}

/// Specification of the buffers' memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemorySpec {
    pub kind: MemoryKind,
    /// File of a mapping. It is created if it does not exist (and then removed on drop), and never truncated.
    pub file: Option<PathBuf>,
    /// Offset of each buffer from the start of a page (fio's `iomem_align`). 0 means page-aligned buffers.
    pub align: usize,
    /// Size of a huge page, for the kinds made of them.
    pub hugepage_size: usize,
}

impl Default for MemorySpec {
    fn default() -> Self {
        MemorySpec { kind: MemoryKind::default(), file: None, align: 0, hugepage_size: 2 << 20 }
    }
}
